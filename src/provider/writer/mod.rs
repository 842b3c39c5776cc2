//! From neutral messages to a provider's payload.
//!
//! One pass into one string: no tree in between, no copy of a text. [`WrittenPayload`] has the places of
//! what was written, so that no later step parses it. What a target cannot hold
//! was taken out by [`super::adaptation`] before anything was counted, so nothing here can fail and
//! nothing changes content. What still does not fit (the ladder may clear a part) is left out
//! in a way that keeps the payload valid.

mod anthropic;
mod gemini;
mod neutral;
mod openai;
mod payload_writer;
mod responses;
mod tools;

use payload_writer::PayloadWriter;
pub use payload_writer::{MemberBlocks, WrittenPayload};
pub(super) use tools::{EMPTY_SCHEMA, is_gemini_schema};

use super::{GENERATED_IMAGE, PayloadCaching, PayloadInput};
use crate::domain::{CacheMark, Content, Extra, Message, Part, Role, Target};

/// Writes the payload as JSON text after `head`: the keys of the provider's own request and no
/// others, in a fixed order, so that the same messages always give the same bytes.
pub fn write(head: String, target: Target, assembled: PayloadInput<'_>) -> WrittenPayload {
    let default = PayloadCaching::of_target(target);
    let caching = assembled.caching.unwrap_or(&default);
    let has_stored_head = caching.has_stored_head(target);
    let mut out = PayloadWriter::new(head, caching.marks);
    out.lists = caching.lists;
    out.reserve(expected_length(assembled));
    out.push('{');
    match target {
        Target::Openai => openai::write(&mut out, assembled.messages),
        Target::OpenaiResponses => responses::write(&mut out, assembled.messages),
        Target::Anthropic => anthropic::write(&mut out, assembled.messages),
        Target::Gemini => gemini::write(&mut out, assembled.messages, has_stored_head),
        Target::Neutral => neutral::write(&mut out, assembled.messages),
    }
    if !has_stored_head {
        tools::write(&mut out, target, assembled.tools);
    }
    for member in &caching.members {
        out.open_value(member.name);
        out.push_str(member.value.as_str());
        out.close_value();
        // The provider itself marks the last block.
        if caching.marks.is_some_and(|marks| marks.key() == member.name) {
            out.note_payload_mark();
        }
    }
    for member in assembled.returned {
        out.raw_member(member.name, member.value.as_str());
    }
    out.push('}');
    out.finish()
}

/// Writes messages in neutral shape, as a JSON array.
pub fn write_messages(messages: &[Message]) -> String {
    let mut out = PayloadWriter::new(String::new(), None);
    neutral::list(&mut out, messages);
    out.into_text()
}

/// Writes the content of a tool's result in neutral shape: a string, or a list of parts.
pub fn write_result_content(content: &[Part]) -> String {
    let mut out = PayloadWriter::new(String::new(), None);
    neutral::result_content(&mut out, content);
    out.into_text()
}

/// Bytes that the payload will need, near enough that the string seldom grows.
fn expected_length(assembled: PayloadInput<'_>) -> usize {
    let messages: usize = assembled.messages.iter().map(|m| 64 + parts_length(&m.parts)).sum();
    let tools: usize = assembled
        .tools
        .iter()
        .map(|tool| {
            let schema = tool.parameters.as_ref().map_or(0, |raw| raw.as_str().len());
            128 + schema + tool.description.as_ref().map_or(0, |text| text.len())
        })
        .sum();
    let plain = messages + tools;
    // Escapes: a line break or a quote every thirty characters or so.
    plain + plain / 32 + 256
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
        && !is_generated_image(part)
}

/// Whether a part is an image that the model made, which has its place next to the content.
fn is_generated_image(part: &Part) -> bool {
    matches!(part.content, Content::Media(_))
        && part.extra.iter().any(|(name, _)| &**name == GENERATED_IMAGE)
}

/// The content of a message or a result in `OpenAI`'s two shapes.
#[derive(Clone, Copy)]
struct ContentList<'p> {
    /// The key of its list.
    name: &'static str,
    parts: &'p [Part],
    /// Whether its parts can have cache marks: what the model said has none
    /// (<https://developers.openai.com/api/docs/guides/prompt-caching>).
    takes_marks: bool,
    /// The mark of the result that it is of: the last part has it.
    end_mark: Option<CacheMark>,
}

impl<'p> ContentList<'p> {
    /// The parts that are written.
    fn shown(self) -> impl Iterator<Item = &'p Part> {
        self.parts.iter().filter(|part| is_content(part))
    }

    /// Writes it: a string if there is one plain text, else an array whose parts `each` writes.
    fn write(
        self,
        out: &mut PayloadWriter,
        each: fn(&mut PayloadWriter, &Part, Option<CacheMark>),
    ) {
        let takes_marks = self.takes_marks && out.has_breakpoints();
        let end_mark = self.end_mark.filter(|_| takes_marks);
        let is_marked = |part: &Part| takes_marks && (part.cache.is_some() || end_mark.is_some());
        let mut shown = self.shown();
        match (shown.next(), shown.next()) {
            (None, _) => out.push_str("\"\""),
            (Some(part), None)
                if is_bare(part) && !is_marked(part) && !(takes_marks && out.lists) =>
            {
                out.string(part.as_text().map(|text| &**text).unwrap_or_default());
            }
            _ => {
                out.open_list(self.name);
                let mut rest = self.shown().peekable();
                while let Some(part) = rest.next() {
                    out.item();
                    let own = part.cache.filter(|_| takes_marks);
                    each(out, part, own.or(end_mark.filter(|_| rest.peek().is_none())));
                }
                out.close_list();
            }
        }
    }
}

/// Whether a part is a text and nothing else.
fn is_bare(part: &Part) -> bool {
    part.as_text().is_some() && part.extra.is_empty()
}

/// Writes an object whose members are in byte order of their keys, uninterpreted ones merged with
/// the interpreted ones. The latter must be written in byte order.
struct SortedObject<'e> {
    rest: Vec<&'e (std::sync::Arc<str>, crate::domain::RawJson)>,
}

impl<'e> SortedObject<'e> {
    /// Opens the object. Members in `known` are written by the caller.
    fn open(out: &mut PayloadWriter, extra: &'e Extra, known: &[&str]) -> Self {
        out.push('{');
        let mut rest: Vec<_> = extra.iter().filter(|(name, _)| !known.contains(&&**name)).collect();
        rest.sort_by(|a, b| b.0.cmp(&a.0));
        Self { rest }
    }

    /// Writes the key of an interpreted member, after all that come before it.
    fn key(&mut self, out: &mut PayloadWriter, name: &str) {
        self.before(out, Some(name));
        out.key(name);
    }

    fn member(&mut self, out: &mut PayloadWriter, name: &str, text: &str) {
        self.key(out, name);
        out.string(text);
    }

    fn close(mut self, out: &mut PayloadWriter) {
        self.before(out, None);
        out.push('}');
    }

    fn before(&mut self, out: &mut PayloadWriter, limit: Option<&str>) {
        while let Some((name, raw)) = self.rest.last() {
            if limit.is_some_and(|limit| &**name >= limit) {
                return;
            }
            out.extra_member(name, raw.as_str());
            self.rest.pop();
        }
    }
}

/// The texts among parts, in order.
fn texts(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| part.as_text().map(|text| &**text))
}

/// Groups neighbouring messages of one side, without hoisted system messages: Anthropic and Gemini
/// require them as one message. `counts` returns whether a message has anything to write. Results are
/// on the user's side.
fn each_side<'m>(
    messages: &'m [Message],
    counts: impl Fn(&Message) -> bool,
    mut write: impl FnMut(Role, &[&'m Message]),
) {
    let mut side: Vec<&Message> = Vec::new();
    let mut last = Role::User;
    for message in messages {
        if message.is_hoisted() || !counts(message) {
            continue;
        }
        let role = if message.role == Role::Tool { Role::User } else { message.role };
        // Members of a system message are about its own text.
        let is_own = role == Role::System
            && side.iter().chain([&message]).any(|other| !other.extra.is_empty());
        if (role != last || is_own) && !side.is_empty() {
            write(last, &side);
            side.clear();
        }
        last = role;
        side.push(message);
    }
    if !side.is_empty() {
        write(last, &side);
    }
}

/// The texts after the results in a message, as a message of the user's: for shapes in which each result
/// is a message or an item by itself.
fn texts_after_results(message: &Message) -> Option<Message> {
    let is_text = |part: &&Part| matches!(part.content, Content::Text(_));
    let parts: Vec<Part> = message.parts.iter().filter(is_text).cloned().collect();
    (!parts.is_empty()).then(|| Message::new(Role::User, parts))
}

#[cfg(test)]
mod tests;
