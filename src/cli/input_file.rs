//! The content of a file for `compress`, `expand` and `prove`: messages, or a text.
//!
//! A file is a conversation only if that is unambiguous; everything else is one text. So `expand`
//! reads the output of `compress` as the same kind of content.

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::CommandError;
use super::members::OrderedMembers;
use super::transcript::read_transcript;
use crate::domain::Source;
use crate::service;

/// A conversation or a text, with the options next to it.
#[derive(Debug)]
pub(super) struct InputFile {
    /// The key of the messages; `text` for a text.
    pub(super) key: &'static str,
    pub(super) members: OrderedMembers,
}

/// The members that distinguish a message from any other object.
#[derive(Deserialize)]
struct MessageProbe<'a> {
    #[serde(borrow)]
    role: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    parts: Option<&'a RawValue>,
}

impl InputFile {
    pub(super) fn read(text: &str) -> Result<Self, CommandError> {
        let json = strip_byte_order_mark(text);
        let found = match json.trim_start().chars().next() {
            Some('[') => list(json),
            Some('{') => object(json)?.or_else(|| {
                let members = read_transcript(json)?;
                Some(Self { key: "messages", members })
            }),
            _ => None,
        };
        match found {
            Some(found) => Ok(found),
            None => {
                Ok(Self { key: "text", members: OrderedMembers::new("text", to_raw_value(text)?) })
            }
        }
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

/// Removes the byte order mark that some editors write at the beginning of a file. It is not part
/// of JSON, but of any other text, where `expand` restores it.
pub(super) fn strip_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn list(text: &str) -> Option<InputFile> {
    let items: Vec<MessageProbe<'_>> = serde_json::from_str(text).ok()?;
    let first = items.first()?;
    let key = if first.parts.is_some() { "contents" } else { "messages" };
    let list = serde_json::from_str::<Box<RawValue>>(text).ok()?;
    let messages = items.iter().all(|item| item.role.is_some());
    messages.then(|| InputFile { key, members: OrderedMembers::new(key, list) })
}

fn object(text: &str) -> Result<Option<InputFile>, CommandError> {
    let Ok(members) = serde_json::from_str::<OrderedMembers>(text) else { return Ok(None) };
    let is_list = |key: &&str| {
        let value = members.get(key).map(RawValue::get);
        value.is_some_and(|value| value.starts_with('['))
    };
    if let Some(key) = Source::LIST_KEYS.into_iter().find(is_list) {
        return Ok(Some(InputFile { key, members }));
    }
    let is_text = members.get("text").is_some_and(|value| value.get().starts_with('"'));
    let mut rest: OrderedMembers = serde_json::from_str(text)?;
    let is_response = members.get("report").is_some();
    let other_keys = rest.keep(is_option);
    let is_ours = is_text && (is_response || other_keys.is_empty());
    Ok(is_ours.then_some(InputFile { key: "text", members }))
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
        assert_eq!(key(r#"[{"role": "user", "parts": []}]"#), "contents");
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
        ] {
            assert_eq!(
                InputFile::read(text).unwrap().value().get(),
                to_raw_value(text).unwrap().get()
            );
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
