//! The questions as a file: one line of JSON for each form of a text.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use serde::Serialize;

use super::form::FormedText;
use super::question::TextQuestion;
use super::{PreparedText, is_in_sight};
use crate::cli::CommandError;
use crate::cli::paths::refuse_standard_input;

/// A form of a text with its questions. The original comes first.
#[derive(Serialize)]
struct FormLine<'t> {
    /// The kind of the text, and its number among those of its kind.
    kind: &'static str,
    number: usize,
    form: &'static str,
    notations: &'t [String],
    text: &'t str,
    questions: Vec<QuestionEntry<'t>>,
}

#[derive(Serialize)]
struct QuestionEntry<'t> {
    /// The same in every form of the text.
    id: String,
    kind: &'static str,
    question: &'t str,
    answer: &'t str,
    /// The right answer among others.
    candidates: Vec<String>,
    /// Whether the form shows what the answer follows from.
    in_sight: bool,
}

/// Refuses a file that cannot be written anew, before the questions are made.
pub(super) fn check_new(path: &Path) -> Result<(), CommandError> {
    refuse_standard_input(path, "the questions are written to a file, and - is standard input")?;
    if path.is_file() {
        return Err(exists(path).into());
    }
    Ok(())
}

fn exists(path: &Path) -> String {
    format!("{} is there already and was left as it is: name another file", path.display())
}

/// Writes the lines of all texts into a new file.
pub(super) fn write(path: &Path, texts: &[PreparedText]) -> Result<(), CommandError> {
    let failure = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(path),
        _ => format!("{} cannot be written: {error}", path.display()),
    };
    // A device or a pipe is there already, and takes what is written.
    let is_new = !path.exists();
    let opened = OpenOptions::new().write(true).create_new(is_new).open(path);
    let mut file = BufWriter::new(opened.map_err(failure)?);
    for text in texts {
        for form in &text.forms {
            let line = FormLine {
                kind: text.kind,
                number: text.number,
                form: form.form.as_str(),
                notations: &form.notations,
                text: &form.text,
                questions: text
                    .questions
                    .iter()
                    .enumerate()
                    .map(|(at, question)| QuestionEntry::new(text.id(at), question, form))
                    .collect(),
            };
            writeln!(file, "{}", serde_json::to_string(&line)?).map_err(failure)?;
        }
    }
    file.flush().map_err(failure)?;
    Ok(())
}

impl<'t> QuestionEntry<'t> {
    fn new(id: String, question: &'t TextQuestion, form: &FormedText) -> Self {
        Self {
            id,
            kind: question.kind.as_str(),
            question: &question.text,
            answer: &question.answer,
            candidates: question.candidates(),
            in_sight: is_in_sight(question, form),
        }
    }
}
