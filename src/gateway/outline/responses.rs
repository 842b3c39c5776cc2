//! Items of `OpenAI`'s Responses (<https://platform.openai.com/docs/api-reference/responses/create>).

use super::{BodyReader, Calls, OutlinedCall, OutlinedMessage, TextGroup, str_of};
use crate::json::Node;

/// Types of the texts that a client writes.
const TEXT_TYPES: &[&str] = &["input_text", "text"];

pub(super) fn read(reader: BodyReader<'_>, node: &Node<'_>) -> Option<Vec<OutlinedMessage>> {
    let input = node.get("input")?;
    if input.as_str().is_some() {
        return Some(vec![OutlinedMessage::new(input, false, reader.words(input, &[]))]);
    }
    let mut calls = Calls::new();
    let mut messages = Vec::new();
    for item in input.as_array()? {
        let kind = match str_of(item, "type") {
            "" => "message",
            kind => kind,
        };
        let call = calls.get(str_of(item, "call_id"));
        let (is_of_model, groups) = match kind {
            "message" => of_message(reader, item),
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                let texts = item.get("output").map(|output| reader.texts(output, TEXT_TYPES));
                (false, vec![TextGroup::of_result(texts.unwrap_or_default(), call)])
            }
            "shell_call_output" => (false, vec![of_shell(reader, item, call)]),
            // Other results: of patches, of computers, of searches. They are no texts.
            kind if kind.ends_with("_output") || kind == "mcp_approval_response" => {
                (false, Vec::new())
            }
            _ => (true, Vec::new()),
        };
        if is_of_model && let Some(name) = item.get("name").and_then(Node::as_str) {
            let caller = item.get("caller").map_or("", |caller| str_of(caller, "type"));
            let is_of_program = !matches!(caller, "" | "direct");
            let call = OutlinedCall { tool: name.into(), is_of_program };
            calls.insert(str_of(item, "call_id"), call);
        }
        messages.push(OutlinedMessage::new(item, is_of_model, groups));
    }
    Some(messages)
}

fn of_message(reader: BodyReader<'_>, item: &Node<'_>) -> (bool, Vec<TextGroup>) {
    let role = str_of(item, "role");
    let words = match item.get("content") {
        Some(content) if role == "user" => reader.words(content, TEXT_TYPES),
        _ => Vec::new(),
    };
    (role == "assistant", words)
}

/// The output of a shell: a list with what went to each of its streams.
fn of_shell(reader: BodyReader<'_>, item: &Node<'_>, call: Option<&OutlinedCall>) -> TextGroup {
    let commands = item.get("output").and_then(Node::as_array).unwrap_or_default();
    let texts = commands.iter().flat_map(|command| {
        ["stdout", "stderr"].into_iter().filter_map(|key| reader.text(command.get(key)?))
    });
    TextGroup::of_result(texts.collect(), call)
}
