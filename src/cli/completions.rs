//! `contexture completions`: made by clap's own crate from the arguments.

use std::io::{self, Write as _};

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::{Cli, CommandError};

/// Prints the completions of a shell.
pub(super) fn print_completions(shell: Shell) -> Result<(), CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "contexture", &mut text);
    io::stdout().write_all(&text)?;
    Ok(())
}
