//! Parses the arguments, runs a command, answers an exit code.

use std::process::ExitCode;

/// The C library's allocator gives memory back to the kernel after every larger text and takes it
/// again for the next: a fifth of the time of compressing a log.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    contexture::cli::run()
}
