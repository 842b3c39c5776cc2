//! Messages of `OpenAI`'s Chat Completions
//! (<https://platform.openai.com/docs/api-reference/chat/create>).

use super::{BodyReader, Calls, OutlinedCall, OutlinedMessage, TextGroup, str_of};
use crate::json::Node;

pub(super) fn read(reader: BodyReader<'_>, node: &Node<'_>) -> Option<Vec<OutlinedMessage>> {
    let mut calls = Calls::new();
    let mut messages = Vec::new();
    for message in node.get("messages")?.as_array()? {
        for call in message.get("tool_calls").and_then(Node::as_array).unwrap_or_default() {
            let named = call.get("function").or_else(|| call.get("custom"));
            let tool = named.map_or("", |named| str_of(named, "name")).into();
            calls.insert(str_of(call, "id"), OutlinedCall { tool, is_of_program: false });
        }
        let role = str_of(message, "role");
        let groups = match message.get("content") {
            Some(content) if role == "user" => reader.words(content, &["text"]),
            Some(content) if role == "tool" => {
                let call = calls.get(str_of(message, "tool_call_id"));
                vec![TextGroup::of_result(reader.texts(content, &["text"]), call)]
            }
            // The form of calls before tools.
            Some(content) if role == "function" => {
                let tool = str_of(message, "name").into();
                let call = OutlinedCall { tool, is_of_program: false };
                vec![TextGroup::of_result(reader.texts(content, &[]), Some(&call))]
            }
            _ => Vec::new(),
        };
        messages.push(OutlinedMessage::new(message, role == "assistant", groups));
    }
    Some(messages)
}
