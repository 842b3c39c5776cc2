//! Parses the arguments, runs a command, returns an exit code.

use std::process::ExitCode;

/// The C library's allocator gives memory back to the kernel after every larger text and takes it
/// again for the next: a fifth of the time of compressing a log.
#[global_allocator]
static ALLOCATOR: contexture_allocator::MiMalloc = contexture_allocator::MiMalloc;

fn main() -> ExitCode {
    contexture_allocator::return_memory_soon();
    contexture::cli::run()
}

#[cfg(test)]
mod tests {
    #[test]
    fn freed_memory_is_given_back_soon() {
        contexture_allocator::return_memory_soon();
        assert_eq!(contexture_allocator::purge_delay_ms(), 10);
    }
}
