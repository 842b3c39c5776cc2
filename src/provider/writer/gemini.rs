//! The system instruction and contents of Gemini's `generateContent`.
//!
//! All system text is in `systemInstruction`. Neighbouring contents of one role become one, but for
//! function responses: they are a content of their own, in which newer models refuse anything else
//! (<https://github.com/BerriAI/litellm/issues/35236>). Their media and the user's words are in the
//! next. A part is never empty, except for one that exists to carry a thought signature.

use super::{PayloadWriter, each_side, texts};
use crate::domain::{Content, Media, MediaSource, Message, Part, Role, ToolCall, ToolResult};
use crate::json::{self, Node};
use crate::provider::SYNTHETIC_CALL_ID;

/// `has_stored_head`: system text is part of stored content.
pub(super) fn write(out: &mut PayloadWriter, messages: &[Message], has_stored_head: bool) {
    let mut system = messages
        .iter()
        .filter(|_| !has_stored_head)
        .filter(|message| message.role == Role::System)
        .flat_map(|message| &message.parts)
        .filter(|part| is_part(part))
        .peekable();
    if system.peek().is_some() {
        out.open_value("systemInstruction");
        out.push('{');
        out.key("parts");
        out.push('[');
        system.for_each(|each| part(out, each));
        out.push_str("]}");
        out.close_value();
    }
    out.key("contents");
    out.open_list("contents");
    each_side(
        messages,
        |message| message.parts.iter().any(is_part),
        |role, side| {
            let parts = || side.iter().flat_map(|message| &message.parts);
            let results = || parts().filter(|part| is_result(part));
            if results().next().is_some() {
                open_content(out, role);
                results().for_each(|each| part(out, each));
                out.push_str("]}");
            }
            let is_beside = |part: &Part| {
                if is_result(part) { media_beside(part).next().is_some() } else { is_part(part) }
            };
            if parts().any(is_beside) {
                open_content(out, role);
                parts().flat_map(media_beside).for_each(|each| part(out, each));
                parts().filter(|part| !is_result(part)).for_each(|each| part(out, each));
                out.push_str("]}");
            }
        },
    );
    out.close_list();
}

/// Opens a content, up to its parts.
fn open_content(out: &mut PayloadWriter, role: Role) {
    out.item();
    out.push('{');
    out.member("role", if role == Role::Assistant { "model" } else { "user" });
    out.key("parts");
    out.push('[');
}

fn is_result(part: &Part) -> bool {
    matches!(part.content, Content::ToolResult(_))
}

/// Whether a part is written at all.
fn is_part(part: &Part) -> bool {
    match &part.content {
        Content::Text(text) => !text.is_empty() || part.signature.is_some(),
        _ => true,
    }
}

fn part(out: &mut PayloadWriter, part: &Part) {
    if !is_part(part) {
        return;
    }
    out.comma();
    match &part.content {
        Content::Opaque { raw, .. } => return out.push_str(raw.as_str()),
        Content::Thinking(thinking) => {
            if let Some(raw) = &thinking.opaque {
                return out.push_str(raw.as_str());
            }
            out.push('{');
            out.member("text", &thinking.text);
            out.raw_member("thought", "true");
        }
        Content::Text(text) => {
            out.push('{');
            out.member("text", text);
        }
        Content::ToolCall(call) => {
            out.push('{');
            function_call(out, call, kept_object(part, "functionCall").as_ref());
        }
        Content::ToolResult(result) => {
            out.push('{');
            function_response(out, result, kept_object(part, "functionResponse").as_ref());
        }
        Content::Media(media) => {
            out.push('{');
            self::media(out, media, None);
        }
    }
    if let Some(signature) = &part.signature {
        out.member("thoughtSignature", signature);
    }
    out.extra_members(&part.extra, OURS);
    out.push('}');
}

/// Keys of parts that the writer sets.
const OURS: &[&str] = &[
    "text",
    "thought",
    "thoughtSignature",
    "functionCall",
    "functionResponse",
    "inlineData",
    "fileData",
];

/// The id, unless it was generated: the provider knows only its own.
fn id(out: &mut PayloadWriter, id: &str) {
    if !id.starts_with(SYNTHETIC_CALL_ID) {
        out.member("id", id);
    }
}

/// The uninterpreted members of a call or a response that the reader kept, as one object.
fn kept_object<'p>(part: &'p Part, name: &str) -> Option<Node<'p>> {
    let (_, raw) = part.extra.iter().find(|(known, _)| &**known == name)?;
    json::parse(raw.as_str(), json::Limits::default()).ok()
}

/// Writes the kept members, except for the markers of where a response's text and media were.
fn write_others(out: &mut PayloadWriter, kept: Option<&Node<'_>>) {
    for (name, value) in kept.and_then(Node::as_object).into_iter().flatten() {
        if name != "response" && name != "parts" {
            out.raw_member(name, value.raw);
        }
    }
}

fn function_call(out: &mut PayloadWriter, call: &ToolCall, kept: Option<&Node<'_>>) {
    out.key("functionCall");
    out.push('{');
    id(out, &call.id);
    out.member("name", &call.name);
    out.raw_member("args", &call.arguments);
    write_others(out, kept);
    out.push('}');
}

fn function_response(out: &mut PayloadWriter, result: &ToolResult, kept: Option<&Node<'_>>) {
    out.key("functionResponse");
    out.push('{');
    id(out, &result.call_id);
    out.member("name", result.name.as_deref().unwrap_or("unknown"));
    out.key("response");
    let stood_under = kept.and_then(|kept| kept.get("response")).and_then(Node::as_str);
    response(out, result, stood_under, holds_media(kept));
    let mut inside = media_of(result).filter(|_| holds_media(kept)).peekable();
    if inside.peek().is_some() {
        out.key("parts");
        out.push('[');
        for (media, _) in inside {
            out.comma();
            out.push('{');
            self::media(out, media, media.name.as_deref());
            out.push('}');
        }
        out.push(']');
    }
    write_others(out, kept);
    out.push('}');
}

/// A response must be an object: an object is written unchanged, anything else under its original
/// member, else `result`, and an error under `error`. `refers`: it may refer to media inside of it, as
/// `$ref` does there; without them the provider refuses the word
/// (<https://github.com/vercel/ai/issues/14369>).
fn response(out: &mut PayloadWriter, result: &ToolResult, stood_under: Option<&str>, refers: bool) {
    let failed = result.is_error == Some(true);
    let mut shown = texts(&result.content);
    if let (Some(text), None, false) = (shown.next(), shown.next(), failed)
        && stood_under.is_none()
        && (refers || !text.contains("\"$ref\""))
        && is_object(text)
    {
        return out.push_str(text.trim());
    }
    out.push('{');
    out.key(if failed { "error" } else { stood_under.unwrap_or("result") });
    out.joined_string(texts(&result.content), "\n");
    out.push('}');
}

/// Whether a text is one JSON object, without doubled keys.
fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && json::parse(text, json::Limits::default()).is_ok_and(|node| node.as_object().is_some())
}

/// The media of a result, and the part of each.
fn media_of(result: &ToolResult) -> impl Iterator<Item = (&Media, &Part)> {
    result.content.iter().filter_map(|part| match &part.content {
        Content::Media(media) => Some((media, part)),
        _ => None,
    })
}

/// Whether the media of a response were inside it, as only some models take them.
fn holds_media(kept: Option<&Node<'_>>) -> bool {
    kept.is_some_and(|kept| kept.get("parts").is_some())
}

/// A tool's media that are written after the responses: those that did not come inside its own.
fn media_beside(result: &Part) -> impl Iterator<Item = &Part> {
    let result = match &result.content {
        Content::ToolResult(own) => {
            let is_inside = holds_media(kept_object(result, "functionResponse").as_ref());
            Some(own).filter(|_| !is_inside)
        }
        _ => None,
    };
    result.into_iter().flat_map(media_of).map(|(_, part)| part)
}

/// `name`: by which the response refers to it.
fn media(out: &mut PayloadWriter, media: &Media, name: Option<&str>) {
    let (member_key, value_key, value) = match &media.source {
        MediaSource::Base64(data) => ("inlineData", "data", data),
        MediaSource::Url(text) | MediaSource::FileId(text) | MediaSource::Text(text) => {
            ("fileData", "fileUri", text)
        }
    };
    out.key(member_key);
    out.push('{');
    if let Some(name) = name {
        out.member("displayName", name);
    }
    out.member("mimeType", &media.media_type);
    out.key(value_key);
    out.string(value);
    out.push('}');
}
