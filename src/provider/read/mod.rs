//! From a request's body to neutral messages.

use crate::domain::{Conversation, Notes, Source};
use crate::json::{Faults, Node};

/// The request keys that hold the conversation, in any provider's shape.
pub const CONVERSATION_KEYS: &[&str] = &[
    "messages",
    "contents",
    "input",
    "system",
    "systemInstruction",
    "system_instruction",
    "instructions",
];

/// The shape a body's conversation is in.
pub fn detect(_body: &Node<'_>) -> Source {
    Source::Openai
}

/// Reads the conversation of a request body.
pub fn read(
    _body: &Node<'_>,
    source: Source,
    _faults: &mut Faults,
    _notes: &mut Notes,
) -> Conversation {
    Conversation { source, system: vec![], history: vec![], tools: vec![] }
}
