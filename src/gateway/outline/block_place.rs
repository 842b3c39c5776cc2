//! Where blocks of ours are put: after the newest text of the user, or after the newest results.
//!
//! The place depends on nothing that clients change when they send a message again: not on marks of
//! caching, and not on whether a text is a string or a list of one part.

use std::ops::Range;

use super::{BodyReader, OutlinedMessage, str_of};
use crate::gateway::ProviderEndpoint;
use crate::json::{Node, Value, write_string};

/// What is between a text and a block.
const SEPARATOR: &str = "\n\n";

/// The place of blocks of ours at the end of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockPlace {
    /// At the end of this string; the bytes are those of the string with its quotes.
    Text(Range<usize>),
    /// A part of its own after the last one, which ends here.
    Part { end: usize },
    /// A message of its own after this one, which ends here.
    Message { end: usize },
}

impl BlockPlace {
    /// The bytes that an edit with blocks replaces.
    pub fn span(&self) -> Range<usize> {
        match self {
            // Before the closing quote.
            Self::Text(span) => span.end.saturating_sub(1)..span.end.saturating_sub(1),
            Self::Part { end } | Self::Message { end } => *end..*end,
        }
    }

    /// Returns the JSON that puts a text in this place.
    pub fn insertion(&self, endpoint: ProviderEndpoint, text: &str) -> String {
        let mut string = String::new();
        if let Self::Text(_) = self {
            write_string(&mut string, &format!("{SEPARATOR}{text}"));
            let inside = 1..string.len().saturating_sub(1);
            return string.get(inside).unwrap_or_default().to_owned();
        }
        write_string(&mut string, text);
        let part = match endpoint {
            ProviderEndpoint::GenerateContent => format!("{{\"text\":{string}}}"),
            ProviderEndpoint::Responses => format!("{{\"type\":\"input_text\",\"text\":{string}}}"),
            _ => format!("{{\"type\":\"text\",\"text\":{string}}}"),
        };
        match (self, endpoint) {
            (Self::Message { .. }, ProviderEndpoint::GenerateContent) => {
                format!(",{{\"role\":\"user\",\"parts\":[{part}]}}")
            }
            (Self::Message { .. }, _) => format!(",{{\"role\":\"user\",\"content\":{string}}}"),
            _ => format!(",{part}"),
        }
    }
}

/// Finds the places of all messages.
pub(super) fn find(
    endpoint: ProviderEndpoint,
    reader: BodyReader<'_>,
    node: &Node<'_>,
    messages: &mut [OutlinedMessage],
) {
    let list = match endpoint {
        ProviderEndpoint::Messages | ProviderEndpoint::ChatCompletions => node.get("messages"),
        ProviderEndpoint::Responses => node.get("input"),
        ProviderEndpoint::GenerateContent => node.get("contents"),
        ProviderEndpoint::Other => None,
    };
    let Some(list) = list else { return };
    let items = list.as_array().unwrap_or(std::slice::from_ref(list));
    for (item, message) in items.iter().zip(messages) {
        let is_of_program = message.groups.iter().any(|group| group.is_of_program);
        if !message.is_of_model && !is_of_program {
            message.block_place = place(endpoint, reader, item);
        }
    }
}

fn place(
    endpoint: ProviderEndpoint,
    reader: BodyReader<'_>,
    item: &Node<'_>,
) -> Option<BlockPlace> {
    let own = || Some(BlockPlace::Message { end: reader.span(item)?.end });
    let role = str_of(item, "role");
    match endpoint {
        ProviderEndpoint::Messages | ProviderEndpoint::ChatCompletions if role == "user" => {
            in_content(reader, item.get("content")?, &["text"])
        }
        ProviderEndpoint::ChatCompletions if matches!(role, "tool" | "function") => own(),
        ProviderEndpoint::Responses if item.as_str().is_some() => {
            Some(BlockPlace::Text(reader.span(item)?))
        }
        ProviderEndpoint::Responses if role == "user" => {
            in_content(reader, item.get("content")?, &["input_text", "text"])
        }
        ProviderEndpoint::Responses if str_of(item, "type").ends_with("_output") => own(),
        ProviderEndpoint::GenerateContent if role != "model" => {
            let parts = item.get("parts")?.as_array()?;
            let is_result = |part: &Node<'_>| {
                ["functionResponse", "function_response"].iter().any(|key| part.get(key).is_some())
            };
            // Next to results, a text is refused.
            if parts.iter().any(is_result) { own() } else { after_parts(reader, parts, |_| true) }
        }
        _ => None,
    }
}

/// The place in a text, or in a list of parts; `types` are those of texts.
fn in_content(reader: BodyReader<'_>, content: &Node<'_>, types: &[&str]) -> Option<BlockPlace> {
    if let Value::String(_) = content.value {
        return Some(BlockPlace::Text(reader.span(content)?));
    }
    after_parts(reader, content.as_array()?, |part| types.contains(&str_of(part, "type")))
}

fn after_parts(
    reader: BodyReader<'_>,
    parts: &[Node<'_>],
    is_text: impl Fn(&Node<'_>) -> bool,
) -> Option<BlockPlace> {
    let last = parts.last()?;
    let text = last.get("text").filter(|text| text.as_str().is_some() && is_text(last));
    match text {
        Some(text) => Some(BlockPlace::Text(reader.span(text)?)),
        None => Some(BlockPlace::Part { end: reader.span(last)?.end }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::{BodyEdit, Replacement, RequestOutline, splice};
    use crate::json::{Limits, parse};

    /// The list with a block after its last message; none if it has no place.
    fn put(endpoint: ProviderEndpoint, body: &str) -> Option<String> {
        let node = parse(body, Limits::default()).unwrap();
        let outline = RequestOutline::read(endpoint, body, &node).unwrap();
        let place = outline.messages.last()?.block_place.clone()?;
        let json = place.insertion(endpoint, "<b>\"1\"</b>");
        let replacement = Replacement::Json(&json);
        let (start, end) = (place.span().start, place.span().end);
        let out = splice(body, &[BodyEdit { start, end, replacement }]).unwrap();
        parse(&out, Limits::default()).unwrap();
        Some(out)
    }

    #[test]
    fn a_block_follows_the_newest_text_whatever_its_form() {
        use ProviderEndpoint::{ChatCompletions, GenerateContent, Messages, Responses};
        let block = r#"\n\n<b>\"1\"</b>"#;
        for (endpoint, body, wanted) in [
            (Messages, r#"{"messages":[{"role":"user","content":"a"}]}"#, format!(r#"{{"messages":[{{"role":"user","content":"a{block}"}}]}}"#)),
            (
                Messages,
                r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}"#,
                format!(r#"{{"messages":[{{"role":"user","content":[{{"type":"text","text":"a{block}","cache_control":{{"type":"ephemeral"}}}}]}}]}}"#),
            ),
            (
                Messages,
                r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"} ]}]}"#,
                r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"},{"type":"text","text":"<b>\"1\"</b>"} ]}]}"#.to_owned(),
            ),
            (
                ChatCompletions,
                r#"{"messages":[{"role":"tool","tool_call_id":"t","content":"x"}]}"#,
                r#"{"messages":[{"role":"tool","tool_call_id":"t","content":"x"},{"role":"user","content":"<b>\"1\"</b>"}]}"#.to_owned(),
            ),
            (
                ChatCompletions,
                r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}}]}]}"#,
                r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"<b>\"1\"</b>"}]}]}"#.to_owned(),
            ),
            (Responses, r#"{"input":"a"}"#, format!(r#"{{"input":"a{block}"}}"#)),
            (
                Responses,
                r#"{"input":[{"type":"function_call_output","call_id":"c","output":"x"}]}"#,
                r#"{"input":[{"type":"function_call_output","call_id":"c","output":"x"},{"role":"user","content":"<b>\"1\"</b>"}]}"#.to_owned(),
            ),
            (GenerateContent, r#"{"contents":[{"parts":[{"text":"a"}]}]}"#, format!(r#"{{"contents":[{{"parts":[{{"text":"a{block}"}}]}}]}}"#)),
            (
                GenerateContent,
                r#"{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}"#,
                r#"{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]},{"role":"user","parts":[{"text":"<b>\"1\"</b>"}]}]}"#.to_owned(),
            ),
        ] {
            assert_eq!(put(endpoint, body), Some(wanted), "{body}");
        }
    }

    #[test]
    fn no_block_is_next_to_results_of_programs_or_after_the_model() {
        for body in [
            r#"{"messages":[{"role":"assistant","content":"a"}]}"#,
            r#"{"messages":[{"role":"system","content":"a"}]}"#,
            r#"{"messages":[{"role":"user","content":[]}]}"#,
            r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{},"caller":{"type":"code_execution_20250825","tool_id":"s"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}"#,
        ] {
            assert_eq!(put(ProviderEndpoint::Messages, body), None, "{body}");
        }
    }
}
