//! The allocator of the program: mimalloc, which gives memory back to the system soon.
//!
//! A crate of its own, because an option of mimalloc is set by a C function, and the program itself
//! has no unsafe code.

use std::ffi::{c_int, c_long};

pub use mimalloc::MiMalloc;

/// The time after which freed memory is given back. By default it is a second: with responses that
/// are not read, the process held up to 900 MiB more than it used. Compiles take no more time of the
/// processor for it: the pages that are faulted in again are a tenth more.
const PURGE_DELAY_MS: c_long = 10;
/// `mi_option_purge_delay` in `mimalloc.h`.
const PURGE_DELAY_OPTION: c_int = 15;

unsafe extern "C" {
    fn mi_option_set_default(option: c_int, value: c_long);
    fn mi_option_get(option: c_int) -> c_long;
}

/// Has freed memory given back to the system after a few milliseconds, unless the environment
/// variable `MIMALLOC_PURGE_DELAY` has another time. Is called before the first thread starts.
pub fn return_memory_soon() {
    // SAFETY: the function writes one number, which other threads at worst read before or after.
    unsafe { mi_option_set_default(PURGE_DELAY_OPTION, PURGE_DELAY_MS) }
}

/// The time in milliseconds after which freed memory is given back.
pub fn purge_delay_ms() -> i64 {
    // SAFETY: the function reads one number.
    unsafe { mi_option_get(PURGE_DELAY_OPTION) }
}
