//! Parses the arguments, runs a command, answers an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    contexture::cli::run()
}
