//! What is shown of a list, and what it stands for.

use std::sync::Arc;

use super::report::{self, ShortenOutput};
use crate::domain::{ArtifactId, Notes};
use crate::request::{CompressInput, CompressRequest};

/// What is shown in the place of the messages that came.
#[derive(Debug, Clone)]
pub struct ShownMessage {
    /// The message's JSON text.
    pub json: String,
    /// Where it stood; none for the summary of the messages that are gone.
    pub origin: Option<usize>,
    /// Whether it is another one than came.
    pub changed: bool,
    /// The texts in it that stand for originals.
    pub edits: Vec<TextEdit>,
    /// The original that it stands for as a whole: the JSON of a message with parts that are gone.
    pub stands_for: Option<ArtifactId>,
}

/// A text of a tool result that stands for an original.
#[derive(Debug, Clone)]
pub struct TextEdit {
    /// Its place among the texts of the tool results of its message.
    pub slot: usize,
    pub artifact: ArtifactId,
    /// Whether the original is the JSON of a whole content.
    pub json: bool,
}

/// A text that is shown shortened, or not at all.
#[derive(Debug, Clone)]
pub struct Original {
    pub text: Arc<str>,
    /// Where its message stood in the list.
    pub message: usize,
    pub tokens: u64,
    /// Whether it is the JSON of a whole message that is gone.
    pub whole: bool,
    /// What its text is called by.
    pub artifact: ArtifactId,
}

/// Whose a message of the list is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MessageAuthor {
    #[default]
    Caller,
    /// An earlier answer of ours, whose original is stored.
    Ours,
    /// An earlier answer of ours, whose original only the caller has: no further rung may take it.
    OursForGood,
}

/// The request's text or messages as they came: there was no time for more, not even to count.
pub fn passed_on(request: &CompressRequest<'_, '_>, notes: Notes) -> ShortenOutput {
    match &request.given {
        CompressInput::Text(text) => {
            report::report_uncounted(request, Vec::new(), Some(text.to_string()), notes)
        }
        CompressInput::List(list) => {
            let shown = list.items.iter().enumerate().map(|(at, item)| ShownMessage {
                json: item.raw.to_owned(),
                origin: Some(at),
                changed: false,
                edits: Vec::new(),
                stands_for: None,
            });
            report::report_uncounted(request, shown.collect(), None, notes)
        }
    }
}
