//! Requests of agents for a summary of their own conversation. The answer replaces the history, so an
//! edit of the newest results would save nothing later, and the summary should see all.

use super::{GroupKind, OutlinedMessage};
use crate::json::Node;

/// What public agents write when they ask for a summary: Claude Code, Codex, Gemini CLI, `OpenCode`,
/// Cline and Roo Code. Compared with the last message and the system text.
const PHRASES: &[&str] = &[
    "Your task is to create a detailed summary of the",
    "You are a helpful AI assistant tasked with summarizing conversations",
    "CONTEXT CHECKPOINT COMPACTION",
    "the component that summarizes internal chat history",
    "<state_snapshot>",
    "Provide a detailed prompt for continuing our conversation above",
    "Provide a detailed but concise summary of our conversation above",
];

/// Whether a request asks for a summary.
pub(super) fn is_one(node: &Node<'_>, messages: &[OutlinedMessage]) -> bool {
    let has_phrase = |text: &str| PHRASES.iter().any(|phrase| text.contains(phrase));
    let last = messages.last().into_iter().flat_map(|message| &message.groups);
    let words = last.filter(|group| group.kind == GroupKind::Words);
    words.flat_map(|group| &group.texts).any(|text| has_phrase(&text.text))
        || ["system", "instructions", "systemInstruction", "system_instruction"]
            .iter()
            .filter_map(|key| node.get(key))
            .any(|system| has_phrase(system.raw))
}
