//! Finds the texts of a list in its JSON, in any provider's shape.
//!
//! Editing in place needs the bytes of single strings, not messages: everything around them, and
//! every message without an edit, keeps its bytes.

use std::ops::Range;
use std::sync::Arc;

use crate::json::{Node, Value};

/// A text in a tool's result, with its call, or a text of a message.
#[derive(Debug, Clone)]
pub enum MessageText {
    /// The arguments of a call.
    Call(TextSlot, ContentWrap),
    Result(ResultTexts),
    /// A text of the user or of the system.
    Words(TextSlot),
    /// A text of the model.
    Said(TextSlot),
}

impl MessageText {
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

/// The texts of a tool's result.
#[derive(Debug, Clone)]
pub struct ResultTexts {
    /// Its texts, in order.
    pub slots: Vec<TextSlot>,
    /// Bytes of its whole content in the message's own JSON text, and how a text is written in
    /// its place.
    pub content: Option<(Range<usize>, ContentWrap)>,
}

/// Wrapping of a replacement of a result's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentWrap {
    /// As a JSON string.
    Text,
    /// As it is: it is JSON already.
    Raw,
    /// As the member `result` of an object, if the wire requires an object.
    Object,
}

/// A JSON string, and its position.
#[derive(Debug, Clone)]
pub struct TextSlot {
    pub text: Arc<str>,
    /// Bytes of the string's JSON text, quotes included, in the message's own JSON text.
    pub raw: Range<usize>,
}

/// The calls, the results and the words in one message of a list, in order.
pub fn message_texts(message: &Node<'_>) -> Vec<MessageText> {
    let mut found = Vec::new();
    let base = message.raw.as_ptr() as usize;
    let words: Option<fn(TextSlot) -> MessageText> =
        match message.get("role").and_then(Node::as_str) {
            Some("user" | "system" | "developer") => Some(MessageText::Words),
            Some("assistant" | "model") => Some(MessageText::Said),
            _ => None,
        };
    let reading = StringWalk { base, words };
    if has_word(message, "role", &["tool", "function"]) && message.get("parts").is_none() {
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

/// The ranges to remove from a message's own JSON text so that its thinking parts are gone, in
/// order; empty if it has none, or nothing else.
pub fn thoughts(message: &Node<'_>) -> Vec<Range<usize>> {
    let base = message.raw.as_ptr() as usize;
    let is_model =
        matches!(message.get("role").and_then(Node::as_str), Some("assistant" | "model"));
    let parts = ["content", "parts"].iter().find_map(|key| message.get(key)?.as_array());
    let parts = parts.filter(|parts| is_model && !parts.iter().all(is_thought));
    let place = |part: &Node<'_>| {
        let start = (part.raw.as_ptr() as usize).checked_sub(base)?;
        Some(start..start + part.raw.len())
    };
    let parts = parts.unwrap_or_default();
    let places: Option<Vec<Range<usize>>> = parts.iter().map(place).collect();
    let places = places.unwrap_or_default();
    let mut found = Vec::new();
    // Removing the first part of the list removes the comma after it, any other part the comma
    // before it.
    let mut last: Option<usize> = None;
    for (at, (part, place)) in parts.iter().zip(&places).enumerate() {
        let next = places.get(at + 1).map_or(place.end, |next| next.start);
        match last {
            None if is_thought(part) => found.push(place.start..next),
            Some(last) if is_thought(part) => found.push(last..place.end),
            _ => {}
        }
        if last.is_some() || !is_thought(part) {
            last = Some(place.end);
        }
    }
    found
}

fn is_thought(part: &Node<'_>) -> bool {
    has_word(part, "type", &["thinking", "redacted_thinking"])
        || (part.get("type").is_none() && part.get("text").is_some() && says_thought(part))
}

/// Gemini's mark of a text that is thinking.
fn says_thought(part: &Node<'_>) -> bool {
    part.get("thought").is_some_and(|flag| flag.raw == "true")
}

/// Reads strings of one message, whose JSON text begins at the address `base`.
struct StringWalk {
    base: usize,
    /// Reads the message's own texts.
    words: Option<fn(TextSlot) -> MessageText>,
}

impl StringWalk {
    /// A part of a message, or an item of a list of items.
    fn item(&self, node: &Node<'_>, found: &mut Vec<MessageText>) {
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
            // Gemini's parts have no type. Thinking is never edited.
            Some("text" | "input_text" | "output_text") | None if !is_thought(node) => {
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
            let content = whole.and_then(|whole| Some((self.range(whole)?, ContentWrap::Object)));
            found.push(MessageText::Result(ResultTexts { slots, content }));
        }
    }

    fn result(&self, content: Option<&Node<'_>>) -> MessageText {
        let Some(content) = content else {
            return MessageText::Result(ResultTexts { slots: Vec::new(), content: None });
        };
        let slots = match &content.value {
            Value::String(_) => self.slot(content).into_iter().collect(),
            Value::Array(parts) => {
                let texts = parts
                    .iter()
                    .filter(|part| has_word(part, "type", &["text", "input_text", "output_text"]));
                texts.filter_map(|part| self.slot(part.get("text")?)).collect()
            }
            _ => Vec::new(),
        };
        let content = self.range(content).map(|range| (range, ContentWrap::Text));
        MessageText::Result(ResultTexts { slots, content })
    }

    fn arguments(&self, node: &Node<'_>) -> Option<MessageText> {
        match &node.value {
            Value::String(_) => Some(MessageText::Call(self.slot(node)?, ContentWrap::Text)),
            Value::Object(_) => {
                let slot = TextSlot { text: node.raw.into(), raw: self.range(node)? };
                Some(MessageText::Call(slot, ContentWrap::Raw))
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

fn has_word(node: &Node<'_>, key: &str, words: &[&str]) -> bool {
    node.get(key).and_then(Node::as_str).is_some_and(|word| words.contains(&word))
}
