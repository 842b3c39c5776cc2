//! `contexture why`: where one request leaves another's cached prefix.

use std::io::{self, Write as _};
use std::path::Path;

use super::CommandError;
use super::failure::refused;
use super::source_file::SourceFile;
use crate::domain::Models;
use crate::service::Services;
use crate::service::why::{self, FoundChange};

/// Prints where the second document leaves the first.
pub(super) fn explain_change(a: &Path, b: &Path) -> Result<(), CommandError> {
    let services = Services::new(Models::built_in())?;
    let (a, b) = (SourceFile::read(a)?, SourceFile::read(b)?);
    a.check_json(None)?;
    b.check_json(None)?;
    let change =
        why::first_change(&services, &a.text, &b.text).map_err(|error| refused(&error.into()))?;
    match change {
        None => {
            writeln!(io::stdout(), "The second goes on from the first: all of it can be cached.")?;
        }
        Some(FoundChange::Hashes(change)) => {
            let (word, reason) = (change.why.as_str(), change.why.explain());
            writeln!(
                io::stdout(),
                "{} {word}: {reason}.\nThe records have no texts, so tokens cannot be counted.",
                shown_pointer(&change.pointer)
            )?;
        }
        Some(FoundChange::Payloads(change)) => {
            writeln!(
                io::stdout(),
                "{} {}: {}.\n{} tokens from there on are read again.",
                shown_pointer(&change.pointer),
                change.why.as_str(),
                change.why.explain(),
                change.tokens_behind
            )?;
            if let Some(split) = change.split {
                writeln!(
                    io::stdout(),
                    "Split {} after {} characters: the {} tokens before do not change.",
                    split.pointer,
                    split.characters,
                    split.tokens
                )?;
            }
        }
    }
    Ok(())
}

/// A pointer as people read it: the whole document is `/`.
fn shown_pointer(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}
