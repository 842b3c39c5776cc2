//! `contexture why`: where one request leaves another's cached prefix.

use std::io::{self, Write as _};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::CommandError;
use super::paths::is_standard_input;
use super::source_file::SourceFile;
use crate::domain::{Models, counted};
use crate::service::Services;
use crate::service::why::{self, Comparison, FoundChange};

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
    if [&args.a, &args.b].into_iter().all(|path| is_standard_input(path)) {
        return Err("only one of the two files can be standard input".into());
    }
    let services = Services::new(Models::built_in())?;
    let (a, b) = (SourceFile::read_json(&args.a)?, SourceFile::read_json(&args.b)?);
    for file in [&a, &b] {
        file.check_not_empty()?;
        file.check_json(None)?;
    }
    let compared = why::compare(&services, &a.text, &b.text).map_err(|refused| {
        let file = if refused.is_second { &b } else { &a };
        file.problem(&refused.error.into(), "messages")
    })?;
    if args.json {
        writeln!(io::stdout(), "{}", figures(compared)?)?;
        return Ok(());
    }
    match compared {
        Comparison::Left(change) => print_change(change),
        Comparison::Continues => Ok(writeln!(io::stdout(), "{CONTINUES}")?),
        Comparison::IsBeginning => Ok(writeln!(io::stdout(), "{IS_BEGINNING}")?),
    }
}

const CONTINUES: &str = "The second goes on from the first: all of it can be cached.";
const IS_BEGINNING: &str = "The second is the beginning of the first, which has more messages: all of the second can be cached.";

fn print_change(change: FoundChange) -> Result<(), CommandError> {
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

/// The change for programs: `first_change` as in a report, null if there is none, and a sentence.
fn figures(compared: Comparison) -> Result<Value, CommandError> {
    Ok(match compared {
        Comparison::Continues => json!({"first_change": null, "detail": null}),
        Comparison::IsBeginning => json!({"first_change": null, "detail": IS_BEGINNING}),
        Comparison::Left(FoundChange::Hashes(change)) => {
            json!({"first_change": {"pointer": change.pointer, "why": change.why.as_str()},
                   "detail": change.why.explain()})
        }
        Comparison::Left(FoundChange::Payloads(change)) => {
            let detail = change.why.explain();
            json!({"first_change": serde_json::to_value(change)?, "detail": detail})
        }
    })
}

/// A pointer as people read it: the whole document is `/`.
fn shown_pointer(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}
