//! Reads a coding agent's log of a session: one JSON object for each line, with a message in
//! Anthropic's format under `message`.
//!
//! Lines with the same message id are one message, which was logged block by block. Side threads
//! and lines without a message are left out.

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::members::OrderedMembers;

#[derive(Deserialize)]
struct TranscriptLine {
    #[serde(rename = "type")]
    kind: Option<String>,
    message: Option<TranscriptEntry>,
    #[serde(rename = "isSidechain", default)]
    is_side_thread: bool,
}

#[derive(Deserialize)]
struct TranscriptEntry {
    id: Option<String>,
    role: String,
    content: Box<RawValue>,
}

/// The lines of one message, joined.
struct JoinedMessage {
    id: Option<String>,
    role: String,
    blocks: Vec<Box<RawValue>>,
}

/// Reads the messages of a log; `None` if a line has another format.
pub(super) fn read_transcript(lines: &[(usize, &str)]) -> Option<OrderedMembers> {
    let mut messages: Vec<JoinedMessage> = Vec::new();
    for (_, line) in lines {
        let line: TranscriptLine = serde_json::from_str(line).ok()?;
        let Some(entry) = line.message else { continue };
        // Answers of models that are logged as they come have messages, too. A line of a session
        // says whose it is.
        if line.kind.as_deref() != Some(&*entry.role) {
            return None;
        }
        if line.is_side_thread {
            continue;
        }
        let mut blocks = match serde_json::from_str(entry.content.get()) {
            Ok(blocks) => blocks,
            Err(_) => vec![text_block(&entry.content)?],
        };
        match messages.last_mut() {
            Some(last) if last.id.is_some() && last.id == entry.id => {
                last.blocks.append(&mut blocks);
            }
            _ => messages.push(JoinedMessage { id: entry.id, role: entry.role, blocks }),
        }
    }
    if messages.is_empty() {
        return None;
    }
    let messages: Option<Vec<Box<RawValue>>> =
        messages.iter().map(|one| message(&one.role, &one.blocks)).collect();
    let list = to_raw_value(&messages?).ok()?;
    Some(OrderedMembers::new("messages", list))
}

fn text_block(content: &RawValue) -> Option<Box<RawValue>> {
    let text: String = serde_json::from_str(content.get()).ok()?;
    to_raw_value(&serde_json::json!({"type": "text", "text": text})).ok()
}

fn message(role: &str, blocks: &[Box<RawValue>]) -> Option<Box<RawValue>> {
    let mut message = OrderedMembers::new("role", to_raw_value(role).ok()?);
    message.set("content", to_raw_value(blocks).ok()?);
    RawValue::from_string(message.to_json().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_transcript(log: &str) -> Option<OrderedMembers> {
        let lines: Vec<_> = log.lines().map(|line| (1, line)).collect();
        super::read_transcript(&lines)
    }

    #[test]
    fn blocks_of_one_message_are_joined() {
        let log = concat!(
            r#"{"type":"summary","summary":"s"}"#,
            "\n",
            r#"{"type":"user","message":{"role":"user","content":"go"}}"#,
            "\n",
            r#"{"type":"assistant","message":{"id":"a","role":"assistant","content":[{"type":"text","text":"1"}]}}"#,
            "\n",
            r#"{"isSidechain":true,"type":"user","message":{"role":"user","content":"aside"}}"#,
            "\n",
            r#"{"type":"assistant","message":{"id":"a","role":"assistant","content":[{"type":"text","text":"2"}]}}"#,
            "\n",
        );
        let read = read_transcript(log).unwrap();
        let wanted = concat!(
            r#"[{"role":"user","content":[{"type":"text","text":"go"}]},"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"1"},{"type":"text","text":"2"}]}]"#
        );
        assert_eq!(read.get("messages").unwrap().get(), wanted);
    }

    #[test]
    fn other_lines_of_json_are_a_text() {
        assert!(read_transcript("{\"level\":\"info\",\"message\":\"started\"}\n").is_none());
        assert!(read_transcript("{\"a\":1}\n{\"b\":2}\n").is_none());
        let answer = r#"{"model":"m","message":{"role":"assistant","content":"a"},"done":false}"#;
        assert!(read_transcript(&format!("{answer}\n{answer}\n")).is_none());
    }
}
