//! `contexture why`: where one request leaves another's cached prefix.

use std::io::{self, Write as _};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::CommandError;
use super::failure::refused;
use super::source_file::SourceFile;
use crate::domain::{Models, counted};
use crate::service::Services;
use crate::service::why::{self, FoundChange};

#[derive(Debug, clap::Args)]
pub(super) struct WhyArgs {
    /// What was sent before; one of the two may be `-`, standard input
    a: PathBuf,
    /// What was sent after
    b: PathBuf,
    /// Print the change as JSON
    #[arg(long)]
    json: bool,
}

/// Prints where the second document leaves the first.
pub(super) fn run(args: &WhyArgs) -> Result<(), CommandError> {
    if [&args.a, &args.b].iter().all(|path| path.as_os_str() == "-") {
        return Err("only one of the two files can be standard input".into());
    }
    let services = Services::new(Models::built_in())?;
    let (a, b) = (SourceFile::read(&args.a)?, SourceFile::read(&args.b)?);
    for file in [&a, &b] {
        file.check_not_empty()?;
        file.check_json(None)?;
    }
    let change =
        why::first_change(&services, &a.text, &b.text).map_err(|error| refused(&error.into()))?;
    if args.json {
        writeln!(io::stdout(), "{}", figures(change)?)?;
        return Ok(());
    }
    let Some(change) = change else {
        writeln!(io::stdout(), "The second goes on from the first: all of it can be cached.")?;
        return Ok(());
    };
    match change {
        FoundChange::Hashes(change) => {
            let (word, reason) = (change.why.as_str(), change.why.explain());
            writeln!(
                io::stdout(),
                "{} {word}: {reason}.\nThe records have no texts, so tokens cannot be counted.",
                shown_pointer(&change.pointer)
            )?;
        }
        FoundChange::Payloads(change) => {
            let verb = if change.tokens_behind == 1 { "is" } else { "are" };
            writeln!(
                io::stdout(),
                "{} {}: {}.\n{} from there on {verb} read again.",
                shown_pointer(&change.pointer),
                change.why.as_str(),
                change.why.explain(),
                counted(change.tokens_behind, "token")
            )?;
            if let Some(split) = change.split {
                let verb = if split.tokens == 1 { "does" } else { "do" };
                writeln!(
                    io::stdout(),
                    "Split {} after {}: the {} before {verb} not change.",
                    split.pointer,
                    counted(split.characters, "character"),
                    counted(split.tokens, "token")
                )?;
            }
        }
    }
    Ok(())
}

/// The change for programs: `first_change` as in a report, null if there is none, and its sentence.
fn figures(change: Option<FoundChange>) -> Result<Value, CommandError> {
    Ok(match change {
        None => json!({"first_change": null, "detail": null}),
        Some(FoundChange::Hashes(change)) => {
            json!({"first_change": {"pointer": change.pointer, "why": change.why.as_str()},
                   "detail": change.why.explain()})
        }
        Some(FoundChange::Payloads(change)) => {
            let detail = change.why.explain();
            json!({"first_change": serde_json::to_value(change)?, "detail": detail})
        }
    })
}

/// A pointer as people read it: the whole document is `/`.
fn shown_pointer(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}
