//! Turns that a pack left out of a conversation: [`OmittedHistory`].

use std::sync::Arc;

use super::Message;

/// The messages that found no room in their bucket.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OmittedHistory {
    /// Those that the summary replaces.
    pub summarized: Vec<Message>,
    pub dropped: Vec<Message>,
    pub summary: Option<Arc<str>>,
    /// Tokens of all of them, less those of the summary.
    pub saved_tokens: u64,
}

impl OmittedHistory {
    pub fn is_empty(&self) -> bool {
        self.summarized.is_empty() && self.dropped.is_empty()
    }

    /// All of them, the summarised ones first.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.summarized.iter().chain(&self.dropped)
    }
}
