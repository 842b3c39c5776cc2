//! The messages of a request or a payload, of whichever provider, as text for people.

use crate::json::{Node, Value};

/// One message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// Where it stands in the list; none for what stands outside of it.
    pub(super) index: Option<usize>,
    /// Its role, or the key it stands under.
    pub(super) who: String,
    pub(super) text: String,
}

/// Keys of texts that stand outside of the list.
const APART: &[&str] = &["system", "systemInstruction", "instructions"];
const LISTS: &[&str] = &["messages", "contents", "input"];
/// Members that say who speaks or what kind of part it is, not what is said.
const FRAME: &[&str] = &["role", "type", "id", "call_id", "tool_call_id", "tool_use_id", "index"];

impl Said {
    /// Everything that is said in a request or a payload, in order.
    pub(super) fn all(node: &Node<'_>) -> Vec<Self> {
        let mut found = Vec::new();
        for key in APART {
            if let Some(own) = node.get(key).filter(|own| !own.is_null()) {
                let text = text_of(own);
                found.push(Self { index: None, who: (*key).to_owned(), text });
            }
        }
        for key in LISTS {
            let Some(list) = node.get(key) else { continue };
            if let Some(text) = list.as_str() {
                let (who, text) = ("user".to_owned(), text.to_owned());
                found.push(Self { index: Some(0), who, text });
            }
            for (index, item) in list.as_array().unwrap_or_default().iter().enumerate() {
                let word = |key| item.get(key).and_then(Node::as_str);
                let who = word("role").or(word("type")).unwrap_or("message").to_owned();
                found.push(Self { index: Some(index), who, text: text_of(item) });
            }
        }
        found
    }
}

/// What a value says: its strings under their keys, in order.
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
            for (key, member) in members.iter().filter(|(key, _)| !FRAME.contains(&&**key)) {
                gather(key, member, lines);
            }
        }
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => lines.push(format!("{key}: {}", node.raw)),
    }
}

/// A text that is no markup, in an element or in an attribute.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // What turns the direction of text around shows other text than there is.
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

    fn said(text: &str) -> Vec<Said> {
        Said::all(&parse(text, Limits::default()).unwrap())
    }

    #[test]
    fn messages_of_every_provider_are_read() {
        let one = |index, who: &str, text: &str| {
            let (who, text) = (who.to_owned(), text.to_owned());
            Said { index, who, text }
        };
        assert_eq!(
            said(
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
            said(r#"{"contents": [{"role": "model", "parts": [{"text": "A"}]}]}"#),
            [one(Some(0), "model", "A")]
        );
        assert_eq!(
            said(r#"{"input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]}"#),
            [one(Some(0), "function_call_output", "output: x")]
        );
        assert_eq!(said(r#"{"input": "Hi"}"#), [one(Some(0), "user", "Hi")]);
    }

    #[test]
    fn no_text_is_markup() {
        assert_eq!(
            escape("<script>alert('1')</script> \"&\u{202e}\0"),
            "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &quot;&amp;\u{fffd}\u{fffd}"
        );
    }
}
