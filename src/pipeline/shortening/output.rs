//! The messages that `POST /compress` shows, and their originals.

use std::ops::Range;
use std::sync::Arc;

use crate::domain::ArtifactId;
use crate::json;
use crate::provider::ContentWrap;

/// A message that is shown in place of an original one.
#[derive(Debug, Clone)]
pub struct ShownMessage {
    /// The message's JSON text.
    pub json: String,
    /// Its index in the list; none for the summary of messages that are gone.
    pub origin: Option<usize>,
    /// Whether it differs from the original.
    pub changed: bool,
    /// The texts in it that replace originals.
    pub edits: Vec<TextEdit>,
    /// The original of the whole message: the JSON of a message with parts that are gone.
    pub stands_for: Option<ArtifactId>,
}

/// A text of a tool result that replaces an original.
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
    /// The index of its message in the list.
    pub message: usize,
    pub tokens: u64,
    /// Whether it is the JSON of a whole message that is gone.
    pub whole: bool,
    /// The artifact of its text.
    pub artifact: ArtifactId,
}

/// The author of a message of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MessageAuthor {
    #[default]
    Caller,
    /// An earlier response of ours, whose original is stored.
    Ours,
    /// An earlier response of ours, whose original only the caller has: no further rung may
    /// shorten it.
    OursForGood,
}

/// A text in the place of some bytes of a message's JSON text.
#[derive(Debug, Clone)]
pub struct Edit {
    pub at: Range<usize>,
    pub text: Arc<str>,
    pub wrap: ContentWrap,
}

/// The JSON text with its edits, which are disjoint and in order.
pub fn splice(raw: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut copied = 0;
    for edit in edits {
        out.push_str(raw.get(copied..edit.at.start).unwrap_or_default());
        match edit.wrap {
            ContentWrap::Text => json::write_string(&mut out, &edit.text),
            ContentWrap::Raw => out.push_str(&edit.text),
            ContentWrap::Object => {
                out.push_str("{\"result\":");
                json::write_string(&mut out, &edit.text);
                out.push('}');
            }
        }
        copied = edit.at.end;
    }
    out.push_str(raw.get(copied..).unwrap_or_default());
    out
}
