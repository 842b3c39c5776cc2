//! From neutral messages to a provider's payload.
//!
//! One pass into one string: no tree in between, no copy of a text. What a target cannot hold
//! was taken out by [`super::adapt`] before anything was counted, so nothing here can fail and
//! nothing changes content. What still does not fit (the ladder may clear a part) is left out
//! in a way that keeps the payload valid.

mod anthropic;
mod gemini;
mod neutral;
mod openai;
mod responses;
mod tools;

pub(super) use tools::is_gemini_schema;

use super::PayloadInput;
use crate::domain::{CacheMark, Content, Extra, Message, Part, Role, Target};
use crate::json::write_string;

/// Writes the payload as JSON text: the keys of the provider's own request and no others, in a
/// fixed order, so that the same messages always give the same bytes.
pub fn write(target: Target, sandwich: PayloadInput<'_>) -> String {
    let mut out = String::new();
    write_into(&mut out, target, sandwich);
    out
}

/// Appends the payload to a text, so that an answer around it is written once.
pub fn write_into(out: &mut String, target: Target, sandwich: PayloadInput<'_>) {
    out.reserve(expected_length(sandwich));
    out.push('{');
    match target {
        Target::Openai => openai::write(out, sandwich.messages),
        Target::OpenaiResponses => responses::write(out, sandwich.messages),
        Target::Anthropic => anthropic::write(out, sandwich.messages),
        Target::Gemini => gemini::write(out, sandwich.messages),
        Target::Neutral => neutral::write(out, sandwich.messages),
    }
    tools::write(out, target, sandwich.tools);
    out.push('}');
}

/// Appends messages in neutral shape, as a JSON array.
pub fn write_messages(out: &mut String, messages: &[Message]) {
    neutral::list(out, messages);
}

/// Bytes that the payload will need, near enough that the string seldom grows.
fn expected_length(sandwich: PayloadInput<'_>) -> usize {
    let messages: usize = sandwich.messages.iter().map(|m| 64 + parts_length(&m.parts)).sum();
    let tools: usize = sandwich
        .tools
        .iter()
        .map(|tool| {
            let schema = tool.parameters.as_ref().map_or(0, |raw| raw.as_str().len());
            128 + schema + tool.description.as_ref().map_or(0, |text| text.len())
        })
        .sum();
    let plain = messages + tools;
    // Escapes: a line break or a quote every thirty characters or so; and an answer's report.
    plain + plain / 32 + 2_048
}

fn parts_length(parts: &[Part]) -> usize {
    use crate::domain::MediaSource;
    parts
        .iter()
        .map(|part| {
            let signature = part.signature.as_ref().map_or(0, |text| text.len());
            let content = match &part.content {
                Content::Text(text) => text.len(),
                Content::Thinking(thinking) => {
                    thinking.opaque.as_ref().map_or(thinking.text.len(), |raw| raw.as_str().len())
                }
                Content::ToolCall(call) => call.arguments.len() + call.id.len() + call.name.len(),
                Content::ToolResult(result) => parts_length(&result.content) + 64,
                Content::Media(media) => match &media.source {
                    MediaSource::Base64(text)
                    | MediaSource::Url(text)
                    | MediaSource::FileId(text)
                    | MediaSource::Text(text) => text.len() + 64,
                },
                Content::Opaque { raw, .. } => raw.as_str().len(),
            };
            48 + signature + content
        })
        .sum()
}

/// Whether `OpenAI`'s two shapes write a part as content.
fn is_content(part: &Part) -> bool {
    matches!(part.content, Content::Text(_) | Content::Media(_) | Content::Opaque { .. })
}

/// The content of `OpenAI`'s two shapes: a string if there is one plain text, else an array written
/// by `each`.
fn content(out: &mut String, parts: &[Part], each: fn(&mut String, &Part)) {
    let mut shown = parts.iter().filter(|part| is_content(part));
    match (shown.next(), shown.next()) {
        (None, _) => out.push_str("\"\""),
        (Some(Part { content: Content::Text(text), extra, .. }), None) if extra.is_empty() => {
            write_string(out, text);
        }
        _ => {
            out.push('[');
            for part in parts {
                each(out, part);
            }
            out.push(']');
        }
    }
}

/// Writes a comma, unless an object or array has just been opened. A value never ends in an opening
/// bracket, so the last byte shows it.
fn comma(out: &mut String) {
    if !matches!(out.as_bytes().last(), Some(b'{' | b'[')) {
        out.push(',');
    }
}

/// A member's key, which needs no escapes.
fn key(out: &mut String, name: &str) {
    comma(out);
    out.push('"');
    out.push_str(name);
    out.push_str("\":");
}

/// A member with a string.
fn member(out: &mut String, name: &str, text: &str) {
    key(out, name);
    write_string(out, text);
}

/// A member with JSON text that is one value.
fn raw_member(out: &mut String, name: &str, json: &str) {
    key(out, name);
    out.push_str(json);
}

/// Uninterpreted members, unchanged, except for those in `known`.
fn extra_members(out: &mut String, extra: &Extra, known: &[&str]) {
    for (name, raw) in extra {
        if !known.contains(&&**name) {
            comma(out);
            write_string(out, name);
            out.push(':');
            out.push_str(raw.as_str());
        }
    }
}

/// An object, unchanged, with a cache mark as its last member.
fn write_marked(out: &mut String, raw: &str, mark: Option<CacheMark>) {
    match (mark, raw.trim_end().strip_suffix('}')) {
        (Some(mark), Some(open)) => {
            out.push_str(open.trim_end());
            cache_control(out, mark);
            out.push('}');
        }
        _ => out.push_str(raw),
    }
}

/// The member that marks the end of a cached prefix.
fn cache_control(out: &mut String, mark: CacheMark) {
    key(out, "cache_control");
    mark_value(out, mark);
}

fn mark_value(out: &mut String, mark: CacheMark) {
    out.push('{');
    member(out, "type", "ephemeral");
    if let Some(ttl) = mark.ttl {
        member(out, "ttl", ttl.as_str());
    }
    out.push('}');
}

/// Writes an object whose members are in byte order of their keys, uninterpreted ones merged with
/// the interpreted ones. The latter must be written in byte order.
struct SortedObject<'e> {
    rest: Vec<&'e (std::sync::Arc<str>, crate::domain::RawJson)>,
}

impl<'e> SortedObject<'e> {
    /// Opens the object. Members in `known` are written by the caller.
    fn open(out: &mut String, extra: &'e Extra, known: &[&str]) -> Self {
        out.push('{');
        let mut rest: Vec<_> = extra.iter().filter(|(name, _)| !known.contains(&&**name)).collect();
        rest.sort_by(|a, b| b.0.cmp(&a.0));
        Self { rest }
    }

    /// Writes the key of an interpreted member, after all that come before it.
    fn key(&mut self, out: &mut String, name: &str) {
        self.before(out, Some(name));
        key(out, name);
    }

    fn member(&mut self, out: &mut String, name: &str, text: &str) {
        self.key(out, name);
        write_string(out, text);
    }

    fn close(mut self, out: &mut String) {
        self.before(out, None);
        out.push('}');
    }

    fn before(&mut self, out: &mut String, limit: Option<&str>) {
        while let Some((name, raw)) = self.rest.last() {
            if limit.is_some_and(|limit| &**name >= limit) {
                return;
            }
            comma(out);
            write_string(out, name);
            out.push(':');
            out.push_str(raw.as_str());
            self.rest.pop();
        }
    }
}

/// The texts among parts, in order.
fn texts(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| part.as_text().map(|text| &**text))
}

/// A JSON string of several texts with a separator between them.
fn joined_string<'t>(out: &mut String, texts: impl Iterator<Item = &'t str>, separator: &str) {
    out.push('"');
    for (index, text) in texts.enumerate() {
        if index > 0 {
            crate::json::escape_into(out, separator);
        }
        crate::json::escape_into(out, text);
    }
    out.push('"');
}

/// Groups neighbouring messages of one side, without system messages: Anthropic and Gemini require
/// them as one message. `counts` returns whether a message has anything to write.
fn each_side<'m>(
    messages: &'m [Message],
    counts: impl Fn(&Message) -> bool,
    mut write: impl FnMut(bool, &[&'m Message]),
) {
    let mut side: Vec<&Message> = Vec::new();
    let mut model = false;
    for message in messages {
        if message.role == Role::System || !counts(message) {
            continue;
        }
        let is_model = message.role == Role::Assistant;
        if is_model != model && !side.is_empty() {
            write(model, &side);
            side.clear();
        }
        model = is_model;
        side.push(message);
    }
    if !side.is_empty() {
        write(model, &side);
    }
}

#[cfg(test)]
mod tests;
