//! Messages in the neutral shape. Keys of every object in byte order.

use super::{PayloadWriter, SortedObject};
use crate::domain::{Content, Media, MediaSource, Message, Part, Role};

pub(super) fn write(out: &mut PayloadWriter, messages: &[Message]) {
    out.key("messages");
    list(out, messages);
}

/// The array alone.
pub(super) fn list(out: &mut PayloadWriter, messages: &[Message]) {
    out.open_list("messages");
    for message in messages {
        out.item();
        let mut object = SortedObject::open(out, &message.extra, &["id", "name", "parts", "role"]);
        if let Some(id) = &message.id {
            object.member(out, "id", id);
        }
        if let Some(name) = &message.name {
            object.member(out, "name", name);
        }
        object.key(out, "parts");
        parts(out, "parts", &message.parts);
        object.member(out, "role", role(message.role));
        object.close(out);
    }
    out.close_list();
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// Writes the list of parts of the member `name`.
fn parts(out: &mut PayloadWriter, name: &'static str, parts: &[Part]) {
    out.open_list(name);
    for each in parts {
        out.item();
        part(out, each);
    }
    out.close_list();
}

/// Keys of parts that the writer sets.
const KNOWN: &[&str] = &[
    "arguments",
    "cache_control",
    "call_id",
    "content",
    "custom",
    "data",
    "file_id",
    "id",
    "is_error",
    "kind",
    "media_type",
    "name",
    "opaque",
    "raw",
    "signature",
    "text",
    "type",
    "url",
];

fn part(out: &mut PayloadWriter, part: &Part) {
    let mut object = SortedObject::open(out, &part.extra, KNOWN);
    if let Content::ToolCall(call) = &part.content {
        object.member(out, "arguments", &call.arguments);
    }
    if let Some(mark) = part.cache {
        object.key(out, "cache_control");
        out.mark_value(mark);
    }
    let kind = match &part.content {
        Content::Text(text) => {
            signature(&mut object, out, part);
            object.member(out, "text", text);
            "text"
        }
        Content::Thinking(thinking) => {
            if let Some(raw) = &thinking.opaque {
                object.key(out, "opaque");
                out.raw_block(Some("opaque"), raw.as_str());
            }
            signature(&mut object, out, part);
            if !thinking.text.is_empty() || thinking.opaque.is_none() {
                object.member(out, "text", &thinking.text);
            }
            "thinking"
        }
        Content::ToolCall(call) => {
            if call.custom {
                object.key(out, "custom");
                out.push_str("true");
            }
            object.member(out, "id", &call.id);
            object.member(out, "name", &call.name);
            signature(&mut object, out, part);
            "tool_call"
        }
        Content::ToolResult(result) => {
            object.member(out, "call_id", &result.call_id);
            object.key(out, "content");
            result_content(out, &result.content);
            if let Some(is_error) = result.is_error {
                object.key(out, "is_error");
                out.push_str(if is_error { "true" } else { "false" });
            }
            if let Some(name) = &result.name {
                object.member(out, "name", name);
            }
            signature(&mut object, out, part);
            "tool_result"
        }
        Content::Media(media) => {
            self::media(&mut object, out, media, part);
            "media"
        }
        Content::Opaque { kind, raw } => {
            object.member(out, "kind", kind);
            object.key(out, "raw");
            out.raw_block(Some("raw"), raw.as_str());
            signature(&mut object, out, part);
            "opaque"
        }
    };
    object.member(out, "type", kind);
    if let Content::Media(Media { source: MediaSource::Url(url), .. }) = &part.content {
        object.member(out, "url", url);
    }
    object.close(out);
}

/// Writes the content of a result: a text, or parts.
pub(super) fn result_content(out: &mut PayloadWriter, content: &[Part]) {
    match content {
        [] => out.push_str("\"\""),
        [Part { content: Content::Text(text), cache: None, signature: None, extra }]
            if extra.is_empty() =>
        {
            out.string(text);
        }
        content => parts(out, "content", content),
    }
}

fn signature(object: &mut SortedObject<'_>, out: &mut PayloadWriter, part: &Part) {
    if let Some(signature) = &part.signature {
        object.member(out, "signature", signature);
    }
}

fn media(object: &mut SortedObject<'_>, out: &mut PayloadWriter, media: &Media, part: &Part) {
    match &media.source {
        MediaSource::Base64(data) => object.member(out, "data", data),
        MediaSource::FileId(id) => object.member(out, "file_id", id),
        MediaSource::Url(_) | MediaSource::Text(_) => {}
    }
    object.member(out, "media_type", &media.media_type);
    if let Some(name) = &media.name {
        object.member(out, "name", name);
    }
    signature(object, out, part);
    if let MediaSource::Text(text) = &media.source {
        object.member(out, "text", text);
    }
}
