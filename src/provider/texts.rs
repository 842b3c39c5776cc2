//! Where the texts of a list stand in its JSON, whatever provider's shape it has.
//!
//! What is edited in place needs the bytes of single strings, not messages: everything around
//! them, and every message without an edit, keeps its bytes.

use std::ops::Range;
use std::sync::Arc;

use crate::json::{Node, Value};

/// A text that a tool answered, the call that asked for it, or what somebody said.
#[derive(Debug, Clone)]
pub enum Spoken {
    /// The arguments of a call.
    Call(TextSlot, Wrap),
    Result(Answered),
    /// A text of the user or of the system.
    Words(TextSlot),
    /// A text of the model.
    Said(TextSlot),
}

impl Spoken {
    /// The texts that may be edited.
    pub fn slots(&self) -> &[TextSlot] {
        match self {
            Self::Result(answered) => &answered.slots,
            Self::Call(slot, _) | Self::Words(slot) | Self::Said(slot) => {
                std::slice::from_ref(slot)
            }
        }
    }
}

/// What a tool answered.
#[derive(Debug, Clone)]
pub struct Answered {
    /// Its texts, in order.
    pub slots: Vec<TextSlot>,
    /// Bytes of its whole content in the message's own JSON text, and how a text is written in
    /// its place.
    pub content: Option<(Range<usize>, Wrap)>,
}

/// How a text is written in the place of a result's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrap {
    /// As a JSON string.
    Text,
    /// As it is: it is JSON already.
    Raw,
    /// As the member `result` of an object, where the wire wants an object.
    Object,
}

/// A JSON string, and where it stands.
#[derive(Debug, Clone)]
pub struct TextSlot {
    pub text: Arc<str>,
    /// Bytes of the string's JSON text, quotes included, in the message's own JSON text.
    pub raw: Range<usize>,
}

/// The calls, the results and the words in one message of a list, in order.
pub fn spoken(message: &Node<'_>) -> Vec<Spoken> {
    let mut found = Vec::new();
    let base = message.raw.as_ptr() as usize;
    let words: Option<fn(TextSlot) -> Spoken> = match message.get("role").and_then(Node::as_str) {
        Some("user" | "system" | "developer") => Some(Spoken::Words),
        Some("assistant" | "model") => Some(Spoken::Said),
        _ => None,
    };
    let reading = Walk { base, words };
    if is(message, "role", &["tool", "function"]) && message.get("parts").is_none() {
        found.push(reading.result(message.get("content")));
        return found;
    }
    reading.item(message, &mut found);
    for call in message.get("tool_calls").and_then(Node::as_array).unwrap_or_default() {
        let function = call.get("function").or_else(|| call.get("custom"));
        found.extend(function.and_then(|function| {
            reading.arguments(function.get("arguments").or_else(|| function.get("input"))?)
        }));
    }
    for key in ["content", "parts"] {
        let Some(content) = message.get(key) else { continue };
        found.extend(words.and_then(|words| reading.slot(content).map(words)));
        for part in content.as_array().unwrap_or_default() {
            reading.item(part, &mut found);
        }
    }
    found
}

/// Reads strings of one message, whose JSON text begins at the address `base`.
struct Walk {
    base: usize,
    /// What its own texts are.
    words: Option<fn(TextSlot) -> Spoken>,
}

impl Walk {
    /// A part of a message, or an item of a list of items.
    fn item(&self, node: &Node<'_>, found: &mut Vec<Spoken>) {
        match node.get("type").and_then(Node::as_str) {
            Some("tool_result") => found.push(self.result(node.get("content"))),
            Some("function_call_output" | "custom_tool_call_output") => {
                found.push(self.result(node.get("output")));
            }
            Some("tool_use" | "tool_call" | "function_call" | "custom_tool_call") => {
                let keys = ["input", "arguments"];
                let own = keys.iter().find_map(|key| node.get(key));
                found.extend(own.and_then(|own| self.arguments(own)));
            }
            // Gemini's parts have no type.
            Some("text" | "input_text" | "output_text") | None => {
                let slot = node.get("text").and_then(|text| self.slot(text));
                found.extend(self.words.and_then(|words| slot.map(words)));
            }
            _ => {}
        }
        if let Some(call) = node.get("functionCall").or_else(|| node.get("function_call")) {
            found.extend(call.get("args").and_then(|own| self.arguments(own)));
        }
        let response = node.get("functionResponse").or_else(|| node.get("function_response"));
        if let Some(response) = response {
            let whole = response.get("response");
            let members = whole.and_then(Node::as_object).into_iter().flatten();
            let slots = members.filter_map(|(_, value)| self.slot(value)).collect();
            let content = whole.and_then(|whole| Some((self.range(whole)?, Wrap::Object)));
            found.push(Spoken::Result(Answered { slots, content }));
        }
    }

    fn result(&self, content: Option<&Node<'_>>) -> Spoken {
        let Some(content) = content else {
            return Spoken::Result(Answered { slots: Vec::new(), content: None });
        };
        let slots = match &content.value {
            Value::String(_) => self.slot(content).into_iter().collect(),
            Value::Array(parts) => {
                let texts = parts
                    .iter()
                    .filter(|part| is(part, "type", &["text", "input_text", "output_text"]));
                texts.filter_map(|part| self.slot(part.get("text")?)).collect()
            }
            _ => Vec::new(),
        };
        let content = self.range(content).map(|range| (range, Wrap::Text));
        Spoken::Result(Answered { slots, content })
    }

    fn arguments(&self, node: &Node<'_>) -> Option<Spoken> {
        match &node.value {
            Value::String(_) => Some(Spoken::Call(self.slot(node)?, Wrap::Text)),
            Value::Object(_) => {
                let slot = TextSlot { text: node.raw.into(), raw: self.range(node)? };
                Some(Spoken::Call(slot, Wrap::Raw))
            }
            _ => None,
        }
    }

    fn slot(&self, node: &Node<'_>) -> Option<TextSlot> {
        let Value::String(text) = &node.value else { return None };
        Some(TextSlot { text: text.to_shared(), raw: self.range(node)? })
    }

    fn range(&self, node: &Node<'_>) -> Option<Range<usize>> {
        let start = (node.raw.as_ptr() as usize).checked_sub(self.base)?;
        Some(start..start + node.raw.len())
    }
}

fn is(node: &Node<'_>, key: &str, words: &[&str]) -> bool {
    node.get(key).and_then(Node::as_str).is_some_and(|word| words.contains(&word))
}
