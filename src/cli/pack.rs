//! `contexture pack`: writes a first pack, and checks packs in files.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use annotate_snippets::Level;
use serde_json::{Value, json};

use super::CommandError;
use super::paths::{is_standard_input, shell_word};
use super::source_file::SourceFile;
use crate::domain::Models;
use crate::json::Fault;
use crate::service::packs::LintFault;
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
    /// Shows each fault at its place in the file. Exit code 1 if the pack could not be published.
    #[command(after_help = "Example:\n  contexture pack lint pack.json")]
    Lint {
        /// The document; `-` for standard input
        file: PathBuf,
        /// Print the faults as JSON
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(command: &PackCommand) -> Result<(), CommandError> {
    match command {
        PackCommand::Init { file } => init(file),
        PackCommand::Lint { file, json } => lint(file, *json),
    }
}

fn init(file: &Path) -> Result<(), CommandError> {
    if is_standard_input(file) {
        io::stdout().write_all(MINIMAL_PACK.as_bytes())?;
        return Ok(());
    }
    let name = file.display();
    let opened = OpenOptions::new().write(true).create_new(true).open(file);
    let mut opened = opened.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            format!(
                "{name} is there already and was left as it is: name another file, or - to print it"
            )
        }
        _ => format!("cannot write {name}: {error}"),
    })?;
    opened.write_all(MINIMAL_PACK.as_bytes())?;
    writeln!(
        io::stdout(),
        "{name} is written; check it after a change: contexture pack lint {}",
        shell_word(file)
    )?;
    Ok(())
}

fn lint(file: &Path, as_json: bool) -> Result<(), CommandError> {
    let services = Services::new(Models::built_in())?;
    let source = SourceFile::read_json(file)?;
    source.check_not_empty()?;
    source.check_json(None)?;
    let faults = packs::lint(&services, &source.text).map_err(|error| error.to_string())?;
    let errors = faults.iter().filter(|fault| fault.is_error()).count();
    let mut out = anstream::stdout().lock();
    if as_json {
        writeln!(out, "{}", json_list(&faults))?;
    } else if !faults.is_empty() {
        let level = |fault: &LintFault| {
            if fault.is_error() { Level::ERROR } else { Level::WARNING }
        };
        let shown = source.show(&faults, "", level, |fault| Fault {
            pointer: fault.pointer.clone(),
            detail: format!("{}: {}", fault.code, fault.detail),
            did_you_mean: fault.did_you_mean.clone(),
        });
        writeln!(out, "{shown}")?;
    }
    if errors > 0 {
        return Err(if errors == 1 { "1 error".into() } else { format!("{errors} errors").into() });
    }
    if !as_json {
        writeln!(out, "{} is ready to be published", source.name())?;
    }
    Ok(())
}

fn json_list(faults: &[LintFault]) -> Value {
    let row = |fault: &LintFault| {
        json!({
            "severity": if fault.is_error() { "error" } else { "warning" },
            "code": fault.code,
            "pointer": fault.pointer,
            "detail": fault.detail,
            "did_you_mean": fault.did_you_mean,
        })
    };
    faults.iter().map(row).collect()
}
