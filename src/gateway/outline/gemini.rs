//! Contents of Gemini's API (<https://ai.google.dev/api/generate-content>).

use super::{BodyReader, OutlinedCall, OutlinedMessage, TextGroup, str_of};
use crate::json::Node;

pub(super) fn read(reader: BodyReader<'_>, node: &Node<'_>) -> Option<Vec<OutlinedMessage>> {
    let mut messages = Vec::new();
    for content in node.get("contents")?.as_array()? {
        let is_of_model = str_of(content, "role") == "model";
        let parts = content.get("parts").and_then(Node::as_array).unwrap_or_default();
        let parts = parts.iter().filter(|_| !is_of_model);
        let groups = parts.flat_map(|part| groups(reader, part)).collect();
        messages.push(OutlinedMessage::new(content, is_of_model, groups));
    }
    Some(messages)
}

fn groups(reader: BodyReader<'_>, part: &Node<'_>) -> Vec<TextGroup> {
    if let Some(text) = part.get("text") {
        return reader.words(text, &[]);
    }
    // Either spelling of a key is accepted.
    let result = part.get("functionResponse").or_else(|| part.get("function_response"));
    let Some(result) = result else { return Vec::new() };
    let members = result.get("response").and_then(Node::as_object);
    let texts = members.into_iter().flatten().filter_map(|(_, member)| reader.text(member));
    let call = OutlinedCall { tool: str_of(result, "name").into(), is_of_program: false };
    vec![TextGroup::of_result(texts.collect(), Some(&call))]
}
