//! Detects the shape of a conversation if the request does not specify it.
//!
//! The keys of the body decide first, then the first message with a distinctive shape. It matters
//! for items that only one provider can read: the reader of messages with roles accepts them all.

use super::context::present;
use crate::domain::Source;
use crate::json::Node;

/// The shape a body's conversation is in.
pub fn detect(body: &Node<'_>) -> Source {
    let has = |key| present(body, key).is_some();
    if has("contents") || has("systemInstruction") || has("system_instruction") {
        return Source::Gemini;
    }
    if has("input") {
        return Source::OpenaiResponses;
    }
    let messages = body.get("messages").and_then(Node::as_array).unwrap_or_default();
    if let Some(source) = detect_in(messages) {
        return source;
    }
    if has("system") || has_anthropic_tool(body) { Source::Anthropic } else { Source::Openai }
}

/// Whether a tool has its schema where only Anthropic's definitions have it: messages of plain text
/// are messages of several shapes.
fn has_anthropic_tool(body: &Node<'_>) -> bool {
    let tools = body.get("tools").and_then(Node::as_array).unwrap_or_default();
    tools.iter().any(|tool| tool.get("input_schema").is_some())
}

/// The shape of messages, by the first of them that only one shape has. `None`: each of them is a
/// message of several shapes, such as a role with a text.
pub fn detect_in(messages: &[Node<'_>]) -> Option<Source> {
    let is_developer =
        |message: &Node<'_>| message.get("role").and_then(Node::as_str) == Some("developer");
    messages
        .iter()
        .find_map(of_message)
        // Lists of the Responses API have the role too, but other items besides.
        .or_else(|| messages.iter().any(is_developer).then_some(Source::Openai))
}

fn of_message(message: &Node<'_>) -> Option<Source> {
    if let Some(parts) = message.get("parts").and_then(Node::as_array) {
        let typed = parts.first()?.get("type").is_some();
        return Some(if typed { Source::Neutral } else { Source::Gemini });
    }
    let Some(role) = message.get("role").and_then(Node::as_str) else {
        // Items without a role; a message that lacks one is a fault in any shape.
        let kind = message.get("type").and_then(Node::as_str)?;
        return is_item(kind).then_some(Source::OpenaiResponses);
    };
    if matches!(role, "tool" | "function")
        || ["tool_calls", "function_call"].iter().any(|key| present(message, key).is_some())
    {
        return Some(Source::Openai);
    }
    let parts = message.get("content").and_then(Node::as_array).unwrap_or_default();
    let by_parts = parts.iter().find_map(|part| of_part(part.get("type")?.as_str()?));
    by_parts.or_else(|| {
        // Items name their type. Answers of Anthropic's do so too, and why they stopped.
        let is_item = message.get("type").and_then(Node::as_str) == Some("message");
        let is_answer = message.get("stop_reason").is_some();
        is_item.then_some(if is_answer { Source::Anthropic } else { Source::OpenaiResponses })
    })
}

/// Whether a word is the type of an item of the Responses API: two words, but for these. Dumps of other
/// programs have types such as `human`.
fn is_item(kind: &str) -> bool {
    kind.contains('_') || matches!(kind, "message" | "reasoning" | "compaction" | "program")
}

fn of_part(kind: &str) -> Option<Source> {
    Some(match kind {
        "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "image" | "document"
        | "server_tool_use" | "search_result" | "container_upload" | "tool_addition"
        | "tool_removal" | "compaction" | "fallback" => Source::Anthropic,
        "tool_call" | "media" | "opaque" => Source::Neutral,
        "image_url" | "input_audio" | "file" | "refusal" => Source::Openai,
        "input_text" | "output_text" | "input_image" | "input_file" => Source::OpenaiResponses,
        _ if kind.ends_with("_tool_result") || kind.starts_with("mcp_") => Source::Anthropic,
        _ => return None,
    })
}
