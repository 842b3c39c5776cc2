#![no_main]

use contexture_fuzz::api::{self, PeakAlloc};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

libfuzzer_sys::fuzz_target!(|data: &[u8]| api::run(data));
