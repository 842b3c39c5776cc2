//! The system blocks and messages of Anthropic's Messages API.
//!
//! System text is in its own field, unless it stays in its place. Neighbouring user messages (tool results among them) and
//! neighbouring assistant messages become one; in a user message results come before everything
//! else. A block without text is never written: the provider refuses it.

use super::{PayloadWriter, each_side};
use crate::domain::{
    Content, Media, MediaSource, Message, Part, Role, Thinking, ToolCall, ToolResult,
};

pub(super) fn write(out: &mut PayloadWriter, messages: &[Message]) {
    let system = || messages.iter().filter(|message| message.is_hoisted());
    if system().any(|message| message.parts.iter().any(is_block)) {
        out.key("system");
        out.open_list("system");
        for message in system() {
            message.parts.iter().for_each(|part| block(out, part));
        }
        out.close_list();
    }
    out.key("messages");
    out.open_list("messages");
    each_side(
        messages,
        |message| message.parts.iter().any(is_block) || !message.extra.is_empty(),
        |role, side| {
            out.item();
            out.push('{');
            let role = match role {
                Role::Assistant => "assistant",
                Role::System => "system",
                Role::User | Role::Tool => "user",
            };
            out.member("role", role);
            out.key("content");
            out.open_list("content");
            let parts = || side.iter().flat_map(|message| &message.parts);
            parts().filter(|part| is_result(part)).for_each(|part| block(out, part));
            parts().filter(|part| !is_result(part)).for_each(|part| block(out, part));
            out.close_list();
            let extra = side.iter().flat_map(|message| &message.extra);
            extra.for_each(|(name, raw)| out.raw_member(name, raw.as_str()));
            out.push('}');
        },
    );
    out.close_list();
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

fn block(out: &mut PayloadWriter, part: &Part) {
    if !is_block(part) {
        return;
    }
    out.item();
    match &part.content {
        Content::Opaque { raw, .. } => return out.marked_object(raw.as_str(), part.cache),
        Content::Thinking(thinking) => return self::thinking(out, thinking, part),
        _ => out.push('{'),
    }
    match &part.content {
        Content::Text(text) => {
            out.member("type", "text");
            out.member("text", text);
        }
        Content::ToolCall(call) => tool_use(out, call),
        Content::ToolResult(result) => tool_result(out, result),
        Content::Media(media) => self::media(out, media),
        Content::Opaque { .. } | Content::Thinking(_) => {}
    }
    out.extra_members(&part.extra, OURS);
    if let Some(mark) = part.cache {
        out.cache_control(mark);
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
fn thinking(out: &mut PayloadWriter, thinking: &Thinking, part: &Part) {
    if let Some(raw) = &thinking.opaque {
        return out.raw_block(None, raw.as_str());
    }
    out.push('{');
    out.member("type", "thinking");
    out.member("thinking", &thinking.text);
    out.member("signature", part.signature.as_deref().unwrap_or_default());
    out.push('}');
}

fn tool_use(out: &mut PayloadWriter, call: &ToolCall) {
    out.member("type", "tool_use");
    out.member("id", &call.id);
    out.member("name", &call.name);
    out.raw_member("input", &call.arguments);
}

fn tool_result(out: &mut PayloadWriter, result: &ToolResult) {
    out.member("type", "tool_result");
    out.member("tool_use_id", &result.call_id);
    let mut shown = result.content.iter().filter(|part| is_block(part));
    match (shown.next(), shown.next()) {
        // An empty result is one without content.
        (None, _) => {}
        (Some(Part { content: Content::Text(text), extra, .. }), None) if extra.is_empty() => {
            out.member("content", text);
        }
        _ => {
            out.key("content");
            out.open_list("content");
            result.content.iter().for_each(|part| block(out, part));
            out.close_list();
        }
    }
    if result.is_error == Some(true) {
        out.raw_member("is_error", "true");
    }
}

fn media(out: &mut PayloadWriter, media: &Media) {
    let image = media.is_image();
    out.member("type", if image { "image" } else { "document" });
    out.key("source");
    out.push('{');
    match &media.source {
        MediaSource::Base64(data) => {
            out.member("type", "base64");
            out.member("media_type", &media.media_type);
            out.member("data", data);
        }
        MediaSource::Url(url) => {
            out.member("type", "url");
            out.member("url", url);
        }
        MediaSource::FileId(id) => {
            out.member("type", "file");
            out.member("file_id", id);
        }
        MediaSource::Text(text) => {
            out.member("type", "text");
            out.member("media_type", "text/plain");
            out.member("data", text);
        }
    }
    out.push('}');
    if let Some(name) = media.name.as_ref().filter(|_| !image) {
        out.member("title", name);
    }
}
