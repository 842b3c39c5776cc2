//! What a message says, as a hash that stays when a client sends the message again.
//!
//! Clients move their marks of caching to the newest messages with each request, and write a text
//! alone as a string or as a list of one part. Both leave the message what it is.

use crate::json::{Node, Value, canonical};

/// The key of a mark of caching.
const MARK: &str = "cache_control";

/// Computes hashes of messages.
pub(crate) struct Identity;

impl Identity {
    /// The hash of a message.
    pub(crate) fn of(message: &Node<'_>) -> [u8; 32] {
        let mut text = String::with_capacity(message.raw.len());
        write(&mut text, message);
        *blake3::hash(text.as_bytes()).as_bytes()
    }
}

/// Appends a message or a part of one.
fn write(out: &mut String, node: &Node<'_>) {
    let Some(members) = node.as_object() else { return canonical(out, node) };
    let mut members: Vec<_> =
        members.iter().filter(|(key, member)| key != MARK && !member.is_null()).collect();
    members.sort_by(|(a, _), (b, _)| a.cmp(b));
    out.push('{');
    for (key, member) in members {
        crate::json::write_string(out, key);
        out.push(':');
        match (key.as_ref(), &member.value) {
            ("content", Value::String(_)) => {
                out.push_str("[{\"text\":");
                canonical(out, member);
                out.push_str(",\"type\":\"text\",}]");
            }
            // Parts of a message, and of a result in it.
            ("content", Value::Array(parts)) => {
                out.push('[');
                for part in parts {
                    write(out, part);
                }
                out.push(']');
            }
            _ => canonical(out, member),
        }
        out.push(',');
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn identity(text: &str) -> [u8; 32] {
        Identity::of(&parse(text, Limits::default()).unwrap())
    }

    #[test]
    fn marks_of_caching_and_the_form_of_a_text_make_no_difference() {
        let one = identity(r#"{"role":"user","content":"a"}"#);
        let mark = r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#;
        for same in [
            r#"{"content": "\u0061", "role": "user"}"#.to_owned(),
            r#"{"role":"user","content":[{"type":"text","text":"a"}]}"#.to_owned(),
            format!(r#"{{"role":"user","content":[{{"type":"text","text":"a",{mark}}}]}}"#),
            format!(r#"{{"role":"user","content":"a",{mark},"name":null}}"#),
        ] {
            assert_eq!(identity(&same), one, "{same}");
        }
        for other in [
            r#"{"role":"user","content":"b"}"#,
            r#"{"role":"assistant","content":"a"}"#,
            r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":""}]}"#,
            r#"{"role":"user","content":"a","name":"x"}"#,
        ] {
            assert_ne!(identity(other), one, "{other}");
        }
        let nested = |content: &str| {
            let block =
                format!(r#"{{"type":"tool_result","tool_use_id":"t","content":{content}}}"#);
            identity(&format!(r#"{{"role":"user","content":[{block}]}}"#))
        };
        let marked = format!(r#"[{{"type":"text","text":"a",{mark}}}]"#);
        assert_eq!(nested("\"a\""), nested(&marked));
        // Of an input of a tool, the same key is data.
        let call = |input: &str| identity(&format!(r#"{{"content":[{{"input":{input}}}]}}"#));
        assert_ne!(call("{}"), call(&format!("{{{mark}}}")));
    }
}
