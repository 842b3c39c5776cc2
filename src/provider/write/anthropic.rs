//! The system blocks and messages of Anthropic's Messages API.
//!
//! All system text is in its own field. Neighbouring user messages (tool results among them) and
//! neighbouring assistant messages become one; in a user message results come before everything
//! else. A block without text is never written: the provider refuses it.

use super::{
    cache_control, comma, each_side, extra_members, key, member, raw_member, write_marked,
};
use crate::domain::{
    Content, Media, MediaSource, Message, Part, Role, Thinking, ToolCall, ToolResult,
};

pub(super) fn write(out: &mut String, messages: &[Message]) {
    let system = || messages.iter().filter(|m| m.role == Role::System);
    if system().any(|message| message.parts.iter().any(is_block)) {
        key(out, "system");
        out.push('[');
        for message in system() {
            message.parts.iter().for_each(|part| block(out, part));
        }
        out.push(']');
    }
    key(out, "messages");
    out.push('[');
    each_side(
        messages,
        |message| message.parts.iter().any(is_block),
        |model, side| {
            comma(out);
            out.push('{');
            member(out, "role", if model { "assistant" } else { "user" });
            key(out, "content");
            out.push('[');
            let parts = || side.iter().flat_map(|message| &message.parts);
            parts().filter(|part| is_result(part)).for_each(|part| block(out, part));
            parts().filter(|part| !is_result(part)).for_each(|part| block(out, part));
            out.push_str("]}");
        },
    );
    out.push(']');
}

fn is_result(part: &Part) -> bool {
    matches!(part.content, Content::ToolResult(_))
}

/// Whether a part is written at all: the provider refuses text of nothing but white space.
fn is_block(part: &Part) -> bool {
    match &part.content {
        Content::Text(text) => !text.trim_start().is_empty(),
        _ => true,
    }
}

fn block(out: &mut String, part: &Part) {
    if !is_block(part) {
        return;
    }
    comma(out);
    match &part.content {
        Content::Opaque { raw, .. } => return write_marked(out, raw.as_str(), part.cache),
        Content::Thinking(thinking) => return self::thinking(out, thinking, part),
        _ => out.push('{'),
    }
    match &part.content {
        Content::Text(text) => {
            member(out, "type", "text");
            member(out, "text", text);
        }
        Content::ToolCall(call) => tool_use(out, call),
        Content::ToolResult(result) => tool_result(out, result),
        Content::Media(media) => self::media(out, media),
        Content::Opaque { .. } | Content::Thinking(_) => {}
    }
    extra_members(out, &part.extra, OURS);
    if let Some(mark) = part.cache {
        cache_control(out, mark);
    }
    out.push('}');
}

/// Keys of blocks that the writer sets.
const OURS: &[&str] = &[
    "type",
    "text",
    "id",
    "name",
    "input",
    "tool_use_id",
    "content",
    "is_error",
    "source",
    "title",
    "cache_control",
];

/// `thinking` with its signature, `redacted_thinking` and the like, unchanged. These blocks have no
/// cache mark.
fn thinking(out: &mut String, thinking: &Thinking, part: &Part) {
    if let Some(raw) = &thinking.opaque {
        return out.push_str(raw.as_str());
    }
    out.push('{');
    member(out, "type", "thinking");
    member(out, "thinking", &thinking.text);
    member(out, "signature", part.signature.as_deref().unwrap_or_default());
    out.push('}');
}

fn tool_use(out: &mut String, call: &ToolCall) {
    member(out, "type", "tool_use");
    member(out, "id", &call.id);
    member(out, "name", &call.name);
    raw_member(out, "input", &call.arguments);
}

fn tool_result(out: &mut String, result: &ToolResult) {
    member(out, "type", "tool_result");
    member(out, "tool_use_id", &result.call_id);
    let mut shown = result.content.iter().filter(|part| is_block(part));
    match (shown.next(), shown.next()) {
        // An empty result is one without content.
        (None, _) => {}
        (Some(Part { content: Content::Text(text), extra, .. }), None) if extra.is_empty() => {
            member(out, "content", text);
        }
        _ => {
            key(out, "content");
            out.push('[');
            result.content.iter().for_each(|part| block(out, part));
            out.push(']');
        }
    }
    if result.is_error == Some(true) {
        raw_member(out, "is_error", "true");
    }
}

fn media(out: &mut String, media: &Media) {
    let image = media.is_image();
    member(out, "type", if image { "image" } else { "document" });
    key(out, "source");
    out.push('{');
    match &media.source {
        MediaSource::Base64(data) => {
            member(out, "type", "base64");
            member(out, "media_type", &media.media_type);
            member(out, "data", data);
        }
        MediaSource::Url(url) => {
            member(out, "type", "url");
            member(out, "url", url);
        }
        MediaSource::FileId(id) => {
            member(out, "type", "file");
            member(out, "file_id", id);
        }
        MediaSource::Text(text) => {
            member(out, "type", "text");
            member(out, "media_type", "text/plain");
            member(out, "data", text);
        }
    }
    out.push('}');
    if let Some(name) = media.name.as_ref().filter(|_| !image) {
        member(out, "title", name);
    }
}
