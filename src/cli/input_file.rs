//! The content of a file for `compress`, `expand` and `prove`: messages, or a text.
//!
//! A file is a conversation only if that is unambiguous; everything else is one text. So `expand`
//! reads the output of `compress` as the same kind of content.

use std::collections::BTreeMap;

use serde_json::value::{RawValue, to_raw_value};

use super::CommandError;
use super::json_lines::{JsonLines, strip_byte_order_mark};
use super::members::OrderedMembers;
use super::rollout::read_rollout;
use super::source_file::SourceFile;
use super::terminal::Terminal;
use super::transcript::read_transcript;
use crate::domain::Source;
use crate::service;

/// A conversation or a text, with the options next to it.
#[derive(Debug)]
pub(super) struct InputFile {
    /// The key of the messages; `text` for a text.
    pub(super) key: &'static str,
    pub(super) members: OrderedMembers,
    /// Whether the file is JSON or JSON Lines, and not a text of any other kind.
    is_json: bool,
    /// Whether each message is a line of the file.
    pub(super) has_lines: bool,
    /// The number of a last line that is cut off, and so left out.
    cut_line: Option<usize>,
}

/// The members of what may be a message.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// Members that say something in a message, one of which it has next to its role.
const SAYING_KEYS: [&str; 8] = [
    "audio",
    "content",
    "function_call",
    "parts",
    "reasoning_content",
    "refusal",
    "tool_call_id",
    "tool_calls",
];
/// Roles of messages in any provider's shape.
const ROLES: [&str; 7] = ["assistant", "developer", "function", "model", "system", "tool", "user"];
/// Roles of Gemini's messages; their role may be left out.
const GEMINI_ROLES: [&str; 3] = ["function", "model", "user"];

/// Whether a list under a key may hold this: users of a program have roles, too, and messages of
/// other programs have texts.
fn is_message(item: &Members<'_>, key: &str) -> bool {
    let text = |name: &str| {
        item.get(name).and_then(|value| serde_json::from_str::<String>(value.get()).ok())
    };
    let role = text("role");
    match (key, role.as_deref()) {
        ("contents", role) => {
            item.contains_key("parts") && role.is_none_or(|role| GEMINI_ROLES.contains(&role))
        }
        // An item has a role, or the type of one; messages of chat programs have the type `message`. A
        // line of a log has the item as its payload.
        (key, None) => {
            let kind = text("type").filter(|_| !item.contains_key("payload"));
            kind.is_some_and(|kind| is_item_type(&kind) || key == "input" && kind == "message")
        }
        (_, Some(_)) => SAYING_KEYS.iter().any(|key| item.contains_key(*key)),
    }
}

/// Whether the role of a message is one that a provider knows: a list by itself has no key that says
/// what it is.
fn has_known_role(item: &Members<'_>) -> bool {
    let role = item.get("role").map(|role| serde_json::from_str::<String>(role.get()));
    role.is_none_or(|role| role.is_ok_and(|role| ROLES.contains(&&*role)))
}

/// Whether a word is the type of an item of the Responses API that has no role.
fn is_item_type(kind: &str) -> bool {
    kind.contains('_') || matches!(kind, "reasoning" | "compaction" | "program")
}

/// The key that a list of messages belongs under; `None` if it is another list.
fn messages_key(list: &str) -> Option<&'static str> {
    let items: Vec<Members<'_>> = serde_json::from_str(list).ok()?;
    // A part of a neutral message names its type, and one of Gemini's does not.
    let is_typed = |parts: &&RawValue| {
        let parts: Vec<Members<'_>> = serde_json::from_str(parts.get()).unwrap_or_default();
        parts.first().is_some_and(|part| part.contains_key("type"))
    };
    let parts = items.first()?.get("parts");
    let key = if parts.is_some_and(|parts| !is_typed(parts)) { "contents" } else { "messages" };
    let is_known = |item: &Members<'_>| is_message(item, key) && has_known_role(item);
    items.iter().all(is_known).then_some(key)
}

impl InputFile {
    pub(super) fn read(text: &str) -> Result<Self, CommandError> {
        let json = strip_byte_order_mark(text);
        let found = match json.trim_start().chars().next() {
            Some('[') => list(json),
            Some('{') => match object(json)? {
                Some(found) => Some(found),
                None => session_log(json),
            },
            _ => None,
        };
        if let Some(found) = found {
            return Ok(found);
        }
        let members = OrderedMembers::new("text", to_raw_value(text)?);
        Ok(Self { is_json: false, ..Self::whole("text", members) })
    }

    /// Reads a file with `read`. One that is JSON is taken as the body of a request is.
    pub(super) fn read_source(
        source: &mut SourceFile,
        read: fn(&str) -> Result<Self, CommandError>,
    ) -> Result<Self, CommandError> {
        let file = read(&source.text)?;
        if !file.is_json {
            return Ok(file);
        }
        source.take_as_json();
        if !file.has_lines {
            source.check_json(None)?;
        }
        read(&source.text)
    }

    /// Says which line was left out, if one was.
    pub(super) fn note_cut_line(&self, terminal: Terminal) {
        if let Some(line) = self.cut_line {
            terminal.note(&format!("left out: line {line}, which is cut off"));
        }
    }

    fn whole(key: &'static str, members: OrderedMembers) -> Self {
        Self { key, members, is_json: true, has_lines: false, cut_line: None }
    }

    /// Reads a file that is measured and not written again: JSON Lines are a conversation, too, if
    /// each line is a message.
    pub(super) fn read_to_measure(text: &str) -> Result<Self, CommandError> {
        let file = Self::read(text)?;
        Ok(if file.is_text() { message_lines(text).unwrap_or(file) } else { file })
    }

    pub(super) fn is_text(&self) -> bool {
        self.key == "text"
    }

    /// Returns the messages or the text, as JSON.
    pub(super) fn value(&self) -> &RawValue {
        self.members.get(self.key).unwrap_or(RawValue::NULL)
    }

    /// Removes keys that are not options of `/compress`, and returns their names.
    pub(super) fn keep_options(&mut self) -> Vec<String> {
        // A recorded session has an id, and its source is not a provider's format.
        let is_session = self.members.get("id").is_some();
        self.members.keep(|key| is_option(key) && !(is_session && key == "source"))
    }
}

/// Checks whether a key is an option of `/compress`.
fn is_option(key: &str) -> bool {
    service::compress::keys().any(|option| option == key)
}

fn list(text: &str) -> Option<InputFile> {
    let key = messages_key(text)?;
    let list = serde_json::from_str::<Box<RawValue>>(text).ok()?;
    Some(InputFile::whole(key, OrderedMembers::new(key, list)))
}

/// The messages of a log that a coding agent keeps of its session; `None` if it is something else.
fn session_log(text: &str) -> Option<InputFile> {
    let lines = JsonLines::read(text).ok()?;
    let documents = &lines.documents;
    let (key, members) = match read_transcript(documents) {
        Some(members) => ("messages", members),
        None => ("input", read_rollout(documents)?),
    };
    Some(InputFile { key, members, is_json: true, has_lines: true, cut_line: lines.cut_line })
}

/// The messages of a file with one in each line; `None` if a line is something else.
fn message_lines(text: &str) -> Option<InputFile> {
    let lines = JsonLines::read(text).ok()?;
    let items = lines.documents.iter().map(|(_, line)| serde_json::from_str(line));
    let items: Vec<&RawValue> = items.collect::<Result<_, _>>().ok()?;
    let items = to_raw_value(&items).ok()?;
    let file = list(items.get())?;
    Some(InputFile { has_lines: true, cut_line: lines.cut_line, ..file })
}

/// The first line for which a file of JSON Lines was not read as a conversation.
pub(super) struct ForeignLine {
    /// What is wrong with it.
    pub(super) why: String,
    /// Whether the lines before it are of a conversation.
    pub(super) is_after_others: bool,
}

/// Why a file whose lines look like JSON was not read as a conversation; `None` for other texts.
pub(super) fn why_no_conversation(text: &str) -> Option<ForeignLine> {
    let is_object = |line: &str| serde_json::from_str::<Members<'_>>(line).is_ok();
    let first = strip_byte_order_mark(text).lines().find(|line| !line.trim().is_empty())?;
    if !is_object(first) {
        return None;
    }
    let lines = match JsonLines::read(text) {
        Ok(lines) => lines,
        Err(number) => {
            return Some(ForeignLine {
                why: format!("line {number} is not JSON"),
                is_after_others: true,
            });
        }
    };
    let is_turn = |line: &str| {
        let item = serde_json::from_str::<Members<'_>>(line);
        item.is_ok_and(|item| is_message(&item, "messages") && has_known_role(&item))
    };
    let at = lines.documents.iter().position(|(_, line)| !is_turn(line))?;
    let (number, _) = lines.documents.get(at)?;
    let why = format!(
        "line {number} is no message, and the file is no log that Claude Code or Codex writes"
    );
    Some(ForeignLine { why, is_after_others: at > 0 })
}

fn object(text: &str) -> Result<Option<InputFile>, CommandError> {
    let Ok(members) = serde_json::from_str::<OrderedMembers>(text) else { return Ok(None) };
    let is_list = |key: &&str| {
        let list = members.get(key).map(RawValue::get).filter(|value| value.starts_with('['));
        list.is_some_and(|list| holds_messages(list, key) || is_request(&members))
    };
    if let Some(key) = Source::LIST_KEYS.into_iter().find(is_list) {
        return Ok(Some(InputFile::whole(key, members)));
    }
    let is_text = members.get("text").is_some_and(|value| value.get().starts_with('"'));
    let mut rest: OrderedMembers = serde_json::from_str(text)?;
    let is_response = members.get("report").is_some();
    let other_keys = rest.keep(is_option);
    let is_ours = is_text && (is_response || other_keys.is_empty());
    Ok(is_ours.then(|| InputFile::whole("text", members)))
}

/// Whether a value is a list of messages under that key. One without items is one: it says so by
/// its key alone.
fn holds_messages(value: &str, key: &str) -> bool {
    let items: Option<Vec<Members<'_>>> = serde_json::from_str(value).ok();
    items.is_some_and(|items| items.iter().all(|item| is_message(item, key)))
}

/// Whether an object is a request of ours, whatever its list holds: it has options that no other
/// program's output has, and nothing else.
fn is_request(members: &OrderedMembers) -> bool {
    const OPTIONS: [&str; 6] =
        ["adapters", "budget_tokens", "clear", "keep_recent_turns", "level", "originals"];
    let mut rest = members.clone();
    OPTIONS.iter().any(|option| members.get(option).is_some()) && rest.keep(is_option).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> &'static str {
        InputFile::read(text).unwrap().key
    }

    #[test]
    fn conversations_are_distinguished_from_texts() {
        assert_eq!(key(r#" [{"role": "user", "content": "x"}] "#), "messages");
        assert_eq!(key(r#"[{"role": "user", "parts": [{"text": "x"}]}]"#), "contents");
        assert_eq!(key(r#"[{"role": "user", "parts": []}]"#), "contents");
        assert_eq!(
            key(r#"[{"role": "user", "parts": [{"type": "text", "text": "x"}]}]"#),
            "messages"
        );
        assert_eq!(key(r#"{"contents": [{"parts": [{"text": "x"}]}]}"#), "contents");
        assert_eq!(
            key(r#"[{"role": "assistant", "content": null, "tool_calls": []}]"#),
            "messages"
        );
        assert_eq!(
            key(r#"{"input": [{"role": "user", "content": "x"}, {"type": "reasoning"}]}"#),
            "input"
        );
        assert_eq!(key(r#"{"model": "m", "input": [{"type": "message"}]}"#), "input");
        assert_eq!(key(r#"{"id": "s", "source": "x", "messages": []}"#), "messages");
        for text in [
            "",
            "[2026-01-01] start",
            "[]",
            r#"[{"role": "user"}, {"name": "x"}]"#,
            r#"{"input": "words", "output": "more"}"#,
            r#"{"text": "a tweet", "likes": 3}"#,
            r#"{"messages": 5}"#,
            r#"[{"id": 1, "name": "Ann", "role": "admin"}, {"id": 2, "name": "Bob", "role": "user"}]"#,
            r#"[{"id": 1, "name": "Ann", "role": "user"}]"#,
            r#"[{"role": "editor", "content": "what an editor may do"}]"#,
            r#"{"ok": true, "messages": [{"type": "message", "user": "U1", "text": "hi", "ts": "1.2"}]}"#,
            r#"{"messages": [{"id": "1", "author": {"name": "a"}, "content": "hi"}]}"#,
            r#"{"contents": [{"Key": "a/1.txt", "Size": 1}], "name": "bucket"}"#,
            r#"{"IsTruncated": false, "Contents": [{"Key": "a/1.txt"}]}"#,
            r#"{"input": [1, 2, 3]}"#,
            "{\"role\": \"user\", \"content\": \"a\"}\n{\"role\": \"assistant\", \"content\": \"b\"}",
            "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}\n{\"messages\": []}",
            "{\"model\": \"m\", \"message\": {\"role\": \"assistant\", \"content\": \"a\"}, \"done\": false}",
        ] {
            assert_eq!(
                InputFile::read(text).unwrap().value().get(),
                to_raw_value(text).unwrap().get()
            );
        }
    }

    #[test]
    fn lines_of_messages_are_measured_as_a_conversation() {
        let measured = |text: &str| InputFile::read_to_measure(text).unwrap();
        let lines = "\u{feff}{\"role\": \"user\", \"content\": \"a\"}\r\n\n{\"role\": \"assistant\", \
                     \"content\": \"b\"}\n";
        let file = measured(lines);
        assert_eq!((file.key, file.has_lines), ("messages", true));
        let list = r#"[{"role": "user", "content": "a"},{"role": "assistant", "content": "b"}]"#;
        assert_eq!(file.value().get(), list);
        assert_eq!(measured(r#"{"role": "user", "parts": [{"text": "x"}]}"#).key, "contents");
        // One line that is no message makes the file a text, as it is for `compress`.
        for text in [
            "{\"role\": \"user\", \"content\": \"a\"}\n{\"level\": \"info\"}",
            "{\"a\": 1}\n",
            "",
            "\n",
        ] {
            assert!(measured(text).is_text(), "{text}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_json() {
        assert_eq!(key("\u{feff}[{\"role\": \"user\", \"content\": \"x\"}]"), "messages");
        let file = InputFile::read("\u{feff}words").unwrap();
        assert_eq!(file.value().get(), "\"\u{feff}words\"");
    }

    #[test]
    fn a_request_for_a_text_is_one() {
        let file = InputFile::read(r#"{"text": "a\u0062", "level": "lossless"}"#).unwrap();
        assert_eq!(file.value().get(), r#""a\u0062""#);
    }

    #[test]
    fn keys_that_are_no_option_are_removed_and_named() {
        let text = r#"{"id": "s", "source": "cli", "messages": [], "max_tokens": 5}"#;
        let mut file = InputFile::read(text).unwrap();
        assert_eq!(file.keep_options(), ["id", "source", "max_tokens"]);
        assert_eq!(file.members.to_json().unwrap(), r#"{"messages":[]}"#);
    }
}
