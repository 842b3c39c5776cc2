//! The instructions and input items of `OpenAI`'s Responses API.
//!
//! Leading system text becomes `instructions`; system text in other places stays in its place
//! as an item. What an assistant message holds becomes items in the order of its parts.

use std::collections::HashSet;

use super::{ContentList, PayloadWriter, openai, texts, texts_after_results};
use crate::domain::{
    CacheMark, CacheMarks, Content, Extra, Media, MediaSource, Message, Part, Role, ToolCall,
    ToolResult,
};

pub(super) fn write(out: &mut PayloadWriter, messages: &[Message]) {
    let leading = messages.iter().take_while(|message| message.role == Role::System).count();
    let (system, rest) = messages.split_at_checked(leading).unwrap_or((&[], messages));
    let instructions = || system.iter().flat_map(|message| texts(&message.parts));
    if instructions().next().is_some() {
        out.open_value("instructions");
        out.joined_string(instructions(), "\n\n");
        out.close_value();
    }
    out.key("input");
    out.open_list("input");
    let mut items = WrittenItems::default();
    for message in rest {
        items.write(out, message);
    }
    out.close_list();
}

/// State of the written items that affects the following ones.
#[derive(Default)]
struct WrittenItems<'m> {
    /// Ids of free-form calls: their results are items of another type.
    custom: HashSet<&'m str>,
    /// Ids of messages that are written.
    ids: HashSet<&'m str>,
    /// The assistant's current run contains a reasoning item. Only then do the items after it have
    /// their provider's ids: an id without its reasoning is refused, and compaction removes the
    /// reasoning together with the ids of its message.
    reasoned: bool,
}

impl<'m> WrittenItems<'m> {
    fn write(&mut self, out: &mut PayloadWriter, message: &'m Message) {
        match message.role {
            Role::Assistant => {
                let mut parts = message.parts.as_slice();
                while let Some((item, rest)) = parts.split_at_checked(one_item(parts)) {
                    if item.is_empty() {
                        break;
                    }
                    self.write_assistant_item(out, message, item);
                    parts = rest;
                }
            }
            Role::Tool => {
                self.reasoned = false;
                for part in &message.parts {
                    if let Content::ToolResult(result) = &part.content {
                        self.output(out, result, part);
                    }
                }
                if let Some(texts) = texts_after_results(message) {
                    input_message(out, &texts);
                }
            }
            Role::User | Role::System => {
                self.reasoned = false;
                input_message(out, message);
            }
        }
    }

    /// One item: a part, or several texts that were one item.
    fn write_assistant_item(
        &mut self,
        out: &mut PayloadWriter,
        message: &'m Message,
        item: &'m [Part],
    ) {
        let Some(part) = item.first() else { return };
        match &part.content {
            Content::Text(_) => self.text(out, message, part, item),
            Content::Thinking(thinking) => {
                if let Some(raw) = &thinking.opaque {
                    out.item();
                    out.push_str(raw.as_str());
                    self.reasoned = true;
                }
            }
            Content::ToolCall(call) => {
                out.item();
                self.call(out, call, part);
            }
            Content::Opaque { raw, .. } => {
                out.item();
                out.push_str(raw.as_str());
            }
            Content::ToolResult(_) | Content::Media(_) => {}
        }
    }

    /// The short form, unless something needs the provider's own form. An id may be in a payload
    /// once: the provider refuses a second item with it.
    fn text(
        &mut self,
        out: &mut PayloadWriter,
        message: &'m Message,
        first: &'m Part,
        item: &'m [Part],
    ) {
        let find_any = |name: &str| find(&first.extra, name).or_else(|| find(&message.extra, name));
        let own =
            find_any("id").or_else(|| message.id.as_deref().filter(|id| id.starts_with("msg")));
        let id = own
            .filter(|_| self.reasoned || item.iter().any(|part| annotations(part).is_some()))
            .filter(|id| self.ids.insert(id.trim_matches('"')));
        let phase = find_any("phase");
        let Some(id) = id else {
            for text in super::texts(item) {
                open_item(out, None, phase);
                out.member("content", text);
                out.push('}');
            }
            return;
        };
        open_item(out, Some(id), phase);
        out.raw_member("status", find_any("status").unwrap_or("\"completed\""));
        out.key("content");
        out.push('[');
        for part in item {
            let Some(text) = part.as_text() else { continue };
            out.comma();
            out.push('{');
            out.member("type", "output_text");
            out.member("text", text);
            out.raw_member("annotations", annotations(part).unwrap_or("[]"));
            out.extra_members(&part.extra, ITEM_KEYS);
            out.push('}');
        }
        out.push_str("]}");
    }

    fn call(&mut self, out: &mut PayloadWriter, call: &'m ToolCall, part: &Part) {
        out.push('{');
        out.member("type", if call.custom { "custom_tool_call" } else { "function_call" });
        out.member("call_id", &call.id);
        out.member("name", &call.name);
        out.member(if call.custom { "input" } else { "arguments" }, &call.arguments);
        if let Some(id) = find(&part.extra, "id").filter(|_| self.reasoned) {
            out.raw_member("id", id);
        }
        out.extra_members(&part.extra, CALL_KEYS);
        out.push('}');
        if call.custom {
            self.custom.insert(&call.id);
        }
    }

    fn output(&self, out: &mut PayloadWriter, result: &ToolResult, part: &Part) {
        out.item();
        out.push('{');
        let custom = self.custom.contains(&*result.call_id);
        let kind = if custom { "custom_tool_call_output" } else { "function_call_output" };
        out.member("type", kind);
        out.member("call_id", &result.call_id);
        out.key("output");
        let parts = result.content.as_slice();
        ContentList { name: "output", parts, takes_marks: true, end_mark: part.cache }
            .write(out, input_part);
        // The caller's own items: their ids refer to no item before them.
        out.extra_members(&part.extra, CALL_KEYS);
        out.push('}');
    }
}

/// The number of parts that were one item: texts with the same id, else one part.
fn one_item(parts: &[Part]) -> usize {
    let named =
        |part: &Part, id: &str| part.as_text().is_some() && find(&part.extra, "id") == Some(id);
    let first = parts.first().filter(|part| part.as_text().is_some());
    match first.and_then(|part| find(&part.extra, "id")) {
        Some(id) => parts.iter().take_while(|part| named(part, id)).count(),
        None => parts.len().min(1),
    }
}

/// Opens an assistant's message item, up to its content.
fn open_item(out: &mut PayloadWriter, id: Option<&str>, phase: Option<&str>) {
    out.item();
    out.push('{');
    out.member("type", "message");
    match id {
        Some(raw) if raw.starts_with('"') => out.raw_member("id", raw),
        Some(id) => out.member("id", id),
        None => {}
    }
    out.member("role", "assistant");
    if let Some(phase) = phase {
        out.raw_member("phase", phase);
    }
}

fn annotations(part: &Part) -> Option<&str> {
    find(&part.extra, "annotations").filter(|raw| *raw != "[]")
}

/// Keys of calls and outputs that the writer sets.
const CALL_KEYS: &[&str] = &["type", "id", "call_id", "name", "arguments", "input", "output"];

/// Keys of the item around an output text, or of the neutral shape.
const ITEM_KEYS: &[&str] =
    &["type", "text", "annotations", "id", "role", "phase", "status", "content"];

fn find<'e>(extra: &'e Extra, name: &str) -> Option<&'e str> {
    extra
        .iter()
        .find(|(known, _)| &**known == name)
        .map(|(_, raw)| raw.as_str())
        .filter(|raw| *raw != "null")
}

/// A user's message, or system text in the middle. Provider-specific items keep their places
/// between them.
fn input_message(out: &mut PayloadWriter, message: &Message) {
    let mut from = 0;
    let parts = &message.parts;
    for (at, part) in parts.iter().enumerate() {
        if let Content::Opaque { raw, kind } = &part.content
            && !kind.starts_with("input_")
        {
            write_message_item(out, message, parts.get(from..at).unwrap_or_default());
            out.item();
            out.push_str(raw.as_str());
            from = at + 1;
        }
    }
    if from < parts.len() || parts.is_empty() {
        write_message_item(out, message, parts.get(from..).unwrap_or_default());
    }
}

fn write_message_item(out: &mut PayloadWriter, message: &Message, parts: &[Part]) {
    if parts.is_empty() && !message.parts.is_empty() {
        return;
    }
    out.item();
    out.push('{');
    out.member("type", "message");
    let role = match message.role {
        Role::System => message.role_word.unwrap_or("system"),
        _ => "user",
    };
    out.member("role", role);
    out.key("content");
    ContentList { name: "content", parts, takes_marks: true, end_mark: None }
        .write(out, input_part);
    out.extra_members(&message.extra, &["type", "role", "content", "id", "status"]);
    out.push('}');
}

fn input_part(out: &mut PayloadWriter, part: &Part, mark: Option<CacheMark>) {
    match &part.content {
        Content::Text(text) => {
            out.push('{');
            out.member("type", "input_text");
            out.member("text", text);
            out.extra_members(&part.extra, &["type", "text"]);
            breakpoint(out, mark);
            out.push('}');
        }
        Content::Media(media) => self::media(out, media, part, mark),
        Content::Opaque { raw, .. } => out.raw_block(None, raw.as_str()),
        Content::Thinking(_) | Content::ToolCall(_) | Content::ToolResult(_) => {}
    }
}

fn breakpoint(out: &mut PayloadWriter, mark: Option<CacheMark>) {
    if let Some(mark) = mark {
        out.key(CacheMarks::Breakpoints.key());
        out.breakpoint_value(mark);
    }
}

fn media(out: &mut PayloadWriter, media: &Media, part: &Part, mark: Option<CacheMark>) {
    out.push('{');
    let image = media.is_image();
    out.member("type", if image { "input_image" } else { "input_file" });
    match &media.source {
        MediaSource::FileId(id) => out.member("file_id", id),
        MediaSource::Url(url) if !image => out.member("file_url", url),
        MediaSource::Base64(_) | MediaSource::Url(_) | MediaSource::Text(_) => {
            out.key(if image { "image_url" } else { "file_data" });
            openai::address(out, media);
        }
    }
    // A name is allowed with bytes; next to an id or a URL the provider refuses it.
    if let (false, Some(name), MediaSource::Base64(_)) = (image, &media.name, &media.source) {
        out.member("filename", name);
    }
    if image && find(&part.extra, "detail").is_none() {
        out.member("detail", "auto");
    }
    out.extra_members(
        &part.extra,
        &["type", "file_id", "file_url", "image_url", "file_data", "filename"],
    );
    breakpoint(out, mark);
    out.push('}');
}
