//! A conversation, its turns, and those that a pack left out.

use std::ops::Range;
use std::sync::Arc;

use super::program::join_turns;
use super::{Message, Role, Source, ToolDefinition};

/// System text, history and tools, in neutral shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// The shape of the request: signed and opaque items are returned only in the same shape.
    pub source: Source,
    /// System messages at the head, in order.
    pub system: Vec<Message>,
    /// All further messages; may include system messages in their places.
    pub history: Vec<Message>,
    pub tools: Vec<ToolDefinition>,
}

impl Conversation {
    /// A conversation of no messages.
    pub fn empty(source: Source) -> Self {
        Self { source, system: Vec::new(), history: Vec::new(), tools: Vec::new() }
    }

    /// Items of the list that it was read from.
    pub fn length(&self) -> u64 {
        let messages = self.system.iter().chain(&self.history);
        let last = messages.filter_map(|message| message.origin).max();
        last.map_or(0, |last| last as u64 + 1)
    }
}

/// Messages that are kept or removed together: an assistant message with tool calls and their
/// results, or any other single message. What a provider runs over several of them, such as a program
/// that calls tools, is one turn.
pub type Turn = Range<usize>;

/// Cuts a history, in which results directly follow their calls, into turns.
pub fn turns(history: &[Message]) -> Vec<Turn> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (index, message) in history.iter().enumerate() {
        if message.role == Role::Tool && open.is_some() {
            continue;
        }
        if let Some(start) = open.replace(index) {
            found.push(start..index);
        }
        if !message.has_tool_calls() {
            found.push(index..index + 1);
            open = None;
        }
    }
    if let Some(start) = open {
        found.push(start..history.len());
    }
    join_turns(history, found)
}

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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{Content, Part, ToolCall};

    fn call() -> Message {
        let call = ToolCall {
            id: "c".into(),
            name: "f".into(),
            arguments: Arc::from("{}"),
            custom: false,
        };
        Message::new(Role::Assistant, vec![Part::new(Content::ToolCall(call))])
    }

    #[test]
    fn a_call_and_its_results_are_one_turn() {
        let user = || Message::text(Role::User, "u");
        let result = || Message::text(Role::Tool, "r");
        let history =
            vec![user(), call(), result(), result(), call(), result(), user(), user(), call()];
        assert_eq!(turns(&history), [0..1, 1..4, 4..6, 6..7, 7..8, 8..9]);
        assert!(turns(&[]).is_empty());
    }
}
