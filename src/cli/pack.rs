//! `contexture pack`: writes a first pack, and checks packs in files.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{CommandError, compile};
use crate::domain::Models;
use crate::service::{Services, packs};

/// A pack of one intent that allows no tool, withholds nothing else, and has no fault.
const MINIMAL_PACK: &str = include_str!("minimal_pack.json");

#[derive(Debug, clap::Subcommand)]
pub(super) enum PackCommand {
    /// Write the smallest pack that can be published
    ///
    /// It has one intent, no rule and no tool; the layers that it leaves out have defaults. A file
    /// that is there is never overwritten.
    #[command(after_help = "\
Examples:
  contexture pack init
  contexture pack init - | curl -s localhost:8080/packs -H 'content-type: application/json' -d @-")]
    Init {
        /// The new file; - for standard output
        #[arg(default_value = "pack.json")]
        file: PathBuf,
    },

    /// Name everything that is wrong with a pack
    ///
    /// A line each: severity, code, place, and what is wrong. Exit code 1 if it could not be
    /// published.
    #[command(after_help = "Example:\n  contexture pack lint pack.json")]
    Lint {
        /// The document; `-` for standard input
        file: PathBuf,
    },
}

pub(super) fn run(command: &PackCommand) -> Result<(), CommandError> {
    match command {
        PackCommand::Init { file } => init(file),
        PackCommand::Lint { file } => lint(file),
    }
}

fn init(file: &Path) -> Result<(), CommandError> {
    if file.as_os_str() == "-" {
        io::stdout().write_all(MINIMAL_PACK.as_bytes())?;
        return Ok(());
    }
    let name = file.display();
    let opened = OpenOptions::new().write(true).create_new(true).open(file);
    let mut opened = opened.map_err(|error| format!("{name} cannot be written: {error}"))?;
    opened.write_all(MINIMAL_PACK.as_bytes())?;
    writeln!(
        io::stdout(),
        "{name} is written; check it after a change: contexture pack lint {name}"
    )?;
    Ok(())
}

fn lint(file: &Path) -> Result<(), CommandError> {
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
