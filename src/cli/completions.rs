//! `contexture completions` and `contexture man`: made by clap's own crates from the arguments.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

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

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  contexture man | man -l -
  contexture man --dir ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// Write the pages of all commands into this folder instead
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Prints the manual page, or writes those of all commands.
pub(super) fn print_manual(args: &ManArgs) -> Result<(), CommandError> {
    if let Some(folder) = &args.dir {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        clap_mangen::generate_to(Cli::command(), folder)
            .map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
        return Ok(());
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut text)?;
    io::stdout().write_all(&text)?;
    Ok(())
}
