//! Messages of Anthropic's API (<https://docs.anthropic.com/en/api/messages>).

use super::thinking::{self, ThinkingPlace};
use super::{BodyReader, Calls, OutlinedCall, OutlinedMessage, TextGroup, str_of};
use crate::json::Node;

pub(super) fn read(reader: BodyReader<'_>, node: &Node<'_>) -> Option<Vec<OutlinedMessage>> {
    let mut calls = Calls::new();
    let mut messages = Vec::new();
    for message in node.get("messages")?.as_array()? {
        let role = str_of(message, "role");
        let content = message.get("content");
        let blocks = content.and_then(Node::as_array).unwrap_or_default();
        for block in blocks.iter().filter(|block| str_of(block, "type") == "tool_use") {
            calls.insert(str_of(block, "id"), call(block));
        }
        let groups = match content {
            Some(content) if role == "user" => groups(reader, content, &calls),
            _ => Vec::new(),
        };
        messages.push(OutlinedMessage::new(message, role == "assistant", groups));
    }
    Some(messages)
}

/// The thinking of all messages.
pub(super) fn thinking(reader: BodyReader<'_>, node: &Node<'_>) -> Vec<ThinkingPlace> {
    let messages = node.get("messages").and_then(Node::as_array).unwrap_or_default();
    let of_message = |(index, message): (usize, &Node<'_>)| {
        let alone = thinking::alone(reader, index, message, messages.get(index + 1));
        let places = thinking::places(reader, index, message.get("content"));
        alone.into_iter().chain(places)
    };
    messages.iter().enumerate().flat_map(of_message).collect()
}

fn call(block: &Node<'_>) -> OutlinedCall {
    let caller = block.get("caller").map_or("direct", |caller| str_of(caller, "type"));
    OutlinedCall { tool: str_of(block, "name").into(), is_of_program: caller != "direct" }
}

fn groups(reader: BodyReader<'_>, content: &Node<'_>, calls: &Calls<'_>) -> Vec<TextGroup> {
    let Some(blocks) = content.as_array() else { return reader.words(content, &[]) };
    let mut groups = Vec::new();
    for block in blocks {
        match str_of(block, "type") {
            "text" => groups.extend(
                block.get("text").map(|text| reader.words(text, &[])).into_iter().flatten(),
            ),
            "tool_result" => {
                let texts = block.get("content").map(|content| reader.texts(content, &["text"]));
                let call = calls.get(str_of(block, "tool_use_id"));
                let mut group = TextGroup::of_result(texts.unwrap_or_default(), call);
                group.is_fixed |= block.get("is_error").and_then(Node::as_bool) == Some(true);
                groups.push(group);
            }
            _ => {}
        }
    }
    groups
}
