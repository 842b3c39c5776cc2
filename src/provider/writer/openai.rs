//! The messages of `OpenAI` Chat Completions. Keys of every object in byte order.

use super::{
    ContentList, PayloadWriter, SortedObject, is_content, is_generated_image, texts_after_results,
};
use crate::domain::{
    CacheMark, CacheMarks, Content, Extra, Media, MediaSource, Message, Part, Role, ToolCall,
};
use crate::provider::GENERATED_IMAGE;

/// Keys of a message that the writer sets.
const KNOWN: &[&str] = &["content", "name", "role", "tool_call_id", "tool_calls"];

pub(super) fn write(out: &mut PayloadWriter, messages: &[Message]) {
    out.key("messages");
    out.open_list("messages");
    for message in messages {
        if message.role == Role::Tool {
            results(out, message);
            if let Some(texts) = texts_after_results(message) {
                write_message(out, &texts);
            }
        } else {
            write_message(out, message);
        }
    }
    out.close_list();
}

/// A message of any role but `tool`.
fn write_message(out: &mut PayloadWriter, message: &Message) {
    out.item();
    let mut object = SortedObject::open(out, &message.extra, KNOWN);
    object.key(out, "content");
    let spoken = message.parts.iter().any(is_content);
    // Without content the provider requires null next to the member that replaces it.
    if !spoken && message.role == Role::Assistant && stands_alone(message) {
        out.push_str("null");
    } else {
        let takes_marks = message.role != Role::Assistant;
        let parts = message.parts.as_slice();
        ContentList { name: "content", parts, takes_marks, end_mark: None }
            .write(out, content_part);
    }
    if message.parts.iter().any(is_generated_image) {
        object.key(out, "images");
        out.push('[');
        for part in message.parts.iter().filter(|part| is_generated_image(part)) {
            if let Content::Media(media) = &part.content {
                out.comma();
                self::media(out, media, part, None);
            }
        }
        out.push(']');
    }
    if let Some(name) = &message.name {
        object.member(out, "name", name);
    }
    object.member(out, "role", role(message));
    if message.has_tool_calls() {
        object.key(out, "tool_calls");
        out.push('[');
        for part in &message.parts {
            if let Content::ToolCall(call) = &part.content {
                tool_call(out, call, &part.extra);
            }
        }
        out.push(']');
    }
    object.close(out);
}

/// Whether an assistant message may have no content of its own.
fn stands_alone(message: &Message) -> bool {
    const INSTEAD: &[&str] = &["audio", "function_call", "refusal"];
    message.has_tool_calls()
        || message.parts.iter().any(is_generated_image)
        || message
            .extra
            .iter()
            .any(|(name, raw)| INSTEAD.contains(&&**name) && raw.as_str() != "null")
}

fn role(message: &Message) -> &'static str {
    match message.role {
        Role::System => message.role_word.unwrap_or("system"),
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// One message per result: this shape has no message with two.
fn results(out: &mut PayloadWriter, message: &Message) {
    for part in &message.parts {
        let Content::ToolResult(result) = &part.content else {
            continue;
        };
        out.item();
        let mut object = SortedObject::open(out, &message.extra, KNOWN);
        object.key(out, "content");
        let parts = result.content.as_slice();
        ContentList { name: "content", parts, takes_marks: true, end_mark: part.cache }
            .write(out, content_part);
        if let Some(name) = &message.name {
            object.member(out, "name", name);
        }
        object.member(out, "role", "tool");
        object.member(out, "tool_call_id", &result.call_id);
        object.close(out);
    }
}

fn content_part(out: &mut PayloadWriter, part: &Part, mark: Option<CacheMark>) {
    match &part.content {
        Content::Text(text) => {
            let mut object = SortedObject::open(out, &part.extra, &["text", "type"]);
            breakpoint(&mut object, out, mark);
            object.member(out, "text", text);
            object.member(out, "type", "text");
            object.close(out);
        }
        Content::Media(media) => self::media(out, media, part, mark),
        Content::Opaque { raw, .. } => out.raw_block(None, raw.as_str()),
        Content::Thinking(_) | Content::ToolCall(_) | Content::ToolResult(_) => {}
    }
}

/// Writes the mark that ends a cached prefix; its key is after those of media.
fn breakpoint(object: &mut SortedObject<'_>, out: &mut PayloadWriter, mark: Option<CacheMark>) {
    if let Some(mark) = mark {
        object.key(out, CacheMarks::Breakpoints.key());
        out.breakpoint_value(mark);
    }
}

fn media(out: &mut PayloadWriter, media: &Media, part: &Part, mark: Option<CacheMark>) {
    const KNOWN: &[&str] =
        &["detail", "file", "image_url", GENERATED_IMAGE, "input_audio", "type", "video_url"];
    let mut object = SortedObject::open(out, &part.extra, KNOWN);
    match &media.source {
        MediaSource::Base64(data) if media.is_audio() => {
            object.key(out, "input_audio");
            out.push('{');
            out.member("data", data);
            out.member("format", audio_format(&media.media_type));
            out.push('}');
            breakpoint(&mut object, out, mark);
            object.member(out, "type", "input_audio");
        }
        MediaSource::Base64(_) | MediaSource::Url(_) if media.is_image() => {
            object.key(out, "image_url");
            out.push('{');
            if let Some((_, detail)) = part.extra.iter().find(|(name, _)| &**name == "detail") {
                out.raw_member("detail", detail.as_str());
            }
            out.key("url");
            address(out, media);
            out.push('}');
            breakpoint(&mut object, out, mark);
            object.member(out, "type", "image_url");
        }
        MediaSource::Base64(_) | MediaSource::Url(_) if media.is_video() => {
            breakpoint(&mut object, out, mark);
            object.member(out, "type", "video_url");
            object.key(out, "video_url");
            out.push('{');
            out.key("url");
            address(out, media);
            out.push('}');
        }
        _ => {
            object.key(out, "file");
            out.push('{');
            if let MediaSource::FileId(id) = &media.source {
                out.member("file_id", id);
            } else {
                out.key("file_data");
                address(out, media);
            }
            if let Some(name) = &media.name {
                out.member("filename", name);
            }
            out.push('}');
            breakpoint(&mut object, out, mark);
            object.member(out, "type", "file");
        }
    }
    object.close(out);
}

/// The URL of a medium; base64 becomes a data URI.
pub(super) fn address(out: &mut PayloadWriter, media: &Media) {
    match &media.source {
        MediaSource::Base64(data) => {
            let head = ["data:", &media.media_type, ";base64,", data];
            out.joined_string(head.into_iter(), "");
        }
        MediaSource::Url(text) | MediaSource::FileId(text) | MediaSource::Text(text) => {
            out.string(text);
        }
    }
}

fn audio_format(media_type: &str) -> &'static str {
    if media_type.to_ascii_lowercase().contains("wav") { "wav" } else { "mp3" }
}

fn tool_call(out: &mut PayloadWriter, call: &ToolCall, extra: &Extra) {
    const KNOWN: &[&str] = &["custom", "function", "id", "type"];
    out.comma();
    let mut object = SortedObject::open(out, extra, KNOWN);
    let (kind, input) = if call.custom { ("custom", "input") } else { ("function", "arguments") };
    object.key(out, kind);
    out.push('{');
    out.member(input, &call.arguments);
    out.member("name", &call.name);
    out.push('}');
    object.member(out, "id", &call.id);
    object.member(out, "type", kind);
    object.close(out);
}
