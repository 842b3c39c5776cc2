//! Reads the messages of a request or a payload in any provider's format, as text for people.

use crate::domain::Source;
use crate::json::{Node, Value};

/// A message, system text or instructions of a request or payload.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageMessage {
    /// The index in the list of messages; `None` for a text outside of the list.
    pub(super) index: Option<usize>,
    /// The role of the message, or the key of a text outside of the list.
    pub(super) author: String,
    pub(super) text: String,
}

/// Keys of texts outside of the list of messages.
const OUTSIDE_KEYS: &[&str] = &["system", "systemInstruction", "instructions"];
/// Members with roles, types and ids, which are not content.
const FRAME_KEYS: &[&str] =
    &["role", "type", "id", "call_id", "tool_call_id", "tool_use_id", "index"];

impl PageMessage {
    /// Reads all messages and texts of a request or a payload, in order.
    pub(super) fn read_all(node: &Node<'_>) -> Vec<Self> {
        let mut found = Vec::new();
        for key in OUTSIDE_KEYS {
            if let Some(value) = node.get(key).filter(|value| !value.is_null()) {
                let text = text_of(value);
                found.push(Self { index: None, author: (*key).to_owned(), text });
            }
        }
        for key in Source::LIST_KEYS {
            let Some(list) = node.get(key) else { continue };
            if let Some(text) = list.as_str() {
                let (author, text) = ("user".to_owned(), text.to_owned());
                found.push(Self { index: Some(0), author, text });
            }
            for (index, item) in list.as_array().unwrap_or_default().iter().enumerate() {
                let word = |key| item.get(key).and_then(Node::as_str);
                let author = word("role").or(word("type")).unwrap_or("message").to_owned();
                found.push(Self { index: Some(index), author, text: text_of(item) });
            }
        }
        found
    }
}

/// Returns the content of a value: its texts, numbers and booleans in order, with their keys.
fn text_of(node: &Node<'_>) -> String {
    let mut lines = Vec::new();
    gather("", node, &mut lines);
    lines.join("\n")
}

fn gather(key: &str, node: &Node<'_>, lines: &mut Vec<String>) {
    match &node.value {
        Value::String(text) if matches!(key, "" | "text" | "content" | "thinking") => {
            lines.push(text.to_string());
        }
        Value::String(text) => lines.push(format!("{key}: {}", &**text)),
        Value::Array(items) => items.iter().for_each(|item| gather(key, item, lines)),
        Value::Object(members) => {
            for (key, member) in members.iter().filter(|(key, _)| !FRAME_KEYS.contains(&&**key)) {
                gather(key, member, lines);
            }
        }
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => lines.push(format!("{key}: {}", node.raw)),
    }
}

/// Escapes a text for HTML, in an element or in an attribute.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters of text direction could show a text in another order than it has.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\0' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn read(text: &str) -> Vec<PageMessage> {
        PageMessage::read_all(&parse(text, Limits::default()).unwrap())
    }

    #[test]
    fn messages_of_every_provider_are_read() {
        let one = |index, author: &str, text: &str| {
            let (author, text) = (author.to_owned(), text.to_owned());
            PageMessage { index, author, text }
        };
        assert_eq!(
            read(
                r#"{"system": [{"type": "text", "text": "S"}], "messages": [
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": [{"type": "text", "text": "A"},
                    {"type": "tool_use", "id": "c", "name": "ls", "input": {"path": "/"}}]}]}"#
            ),
            [
                one(None, "system", "S"),
                one(Some(0), "user", "Hi"),
                one(Some(1), "assistant", "A\nname: ls\npath: /"),
            ]
        );
        assert_eq!(
            read(r#"{"contents": [{"role": "model", "parts": [{"text": "A"}]}]}"#),
            [one(Some(0), "model", "A")]
        );
        assert_eq!(
            read(r#"{"input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]}"#),
            [one(Some(0), "function_call_output", "output: x")]
        );
        assert_eq!(read(r#"{"input": "Hi"}"#), [one(Some(0), "user", "Hi")]);
    }

    #[test]
    fn no_text_is_markup() {
        assert_eq!(
            escape("<script>alert('1')</script> \"&\u{202e}\0"),
            "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &quot;&amp;\u{fffd}\u{fffd}"
        );
    }
}
