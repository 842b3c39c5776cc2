//! Members of messages, parts and items that `OpenAI`'s own API knows: it refuses others as unknown
//! parameters. Servers that speak its language often read more, so theirs are kept.
//!
//! <https://platform.openai.com/docs/api-reference/chat/create>,
//! <https://platform.openai.com/docs/api-reference/responses/create>

use crate::domain::Content;
use crate::provider::GENERATED_IMAGE;

/// Of messages, besides those that every reader reads.
const OF_MESSAGES: &[&str] =
    &["annotations", "audio", "function_call", "id", "phase", "refusal", "status"];
/// Of the items around texts, and of the texts in them.
const OF_TEXTS: &[&str] =
    &["annotations", "content", "id", "logprobs", "phase", "role", "status", "type"];
const OF_MEDIA: &[&str] = &["detail", "type", GENERATED_IMAGE];
const OF_CALLS_AND_RESULTS: &[&str] =
    &["caller", "created_by", "id", "namespace", "status", "type"];

/// Whether a message of the assistant, the user or a tool may have the member.
pub(super) fn is_known_of_message(name: &str) -> bool {
    OF_MESSAGES.contains(&name)
}

/// Whether a part with such content may have the member.
pub(super) fn is_known_of_part(content: &Content, name: &str) -> bool {
    match content {
        Content::Text(_) => OF_TEXTS.contains(&name),
        Content::Media(_) => OF_MEDIA.contains(&name),
        Content::ToolCall(_) | Content::ToolResult(_) => OF_CALLS_AND_RESULTS.contains(&name),
        // They are written as they came.
        Content::Thinking(_) | Content::Opaque { .. } => true,
    }
}
