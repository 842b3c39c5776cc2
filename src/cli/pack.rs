//! `contexture pack`: checks packs in files.

use std::io::{self, Write as _};
use std::path::PathBuf;

use super::{CommandError, compile};
use crate::domain::Models;
use crate::service::{Services, packs};

#[derive(Debug, clap::Subcommand)]
pub(super) enum PackCommand {
    /// Name everything that is wrong with a pack
    ///
    /// A line each: severity, code, place, and what is wrong. Exit code 1 where it could not be
    /// published.
    #[command(after_help = "Example:\n  contexture pack lint pack.json")]
    Lint {
        /// The document; `-` for standard input
        file: PathBuf,
    },
}

pub(super) fn run(command: &PackCommand) -> Result<(), CommandError> {
    let PackCommand::Lint { file } = command;
    let services = Services::new(Models::built_in())?;
    let text = compile::read_input(file)?;
    let faults = packs::lint(&services, &text).map_err(|error| error.to_string())?;
    let mut out = io::stdout().lock();
    for fault in &faults {
        let severity = if fault.is_error() { "error" } else { "warning" };
        let pointer = if fault.pointer.is_empty() { "/" } else { &fault.pointer };
        write!(out, "{severity} {} {pointer}: {}", fault.code, fault.detail)?;
        match &fault.did_you_mean {
            Some(near) => writeln!(out, " (did you mean `{near}`?)")?,
            None => writeln!(out)?,
        }
    }
    let errors = faults.iter().filter(|fault| fault.is_error()).count();
    if errors > 0 {
        return Err(format!("{errors} errors").into());
    }
    writeln!(out, "{} is ready to be published", file.display())?;
    Ok(())
}
