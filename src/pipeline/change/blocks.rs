//! Compares payloads block by block: their shape, which blocks are equal, and which texts a model
//! reads.

use crate::json::{Node, Object, Value};

/// The provider shape of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PayloadShape {
    Openai,
    Responses,
    Anthropic,
    Gemini,
    Neutral,
}

impl PayloadShape {
    /// Detects the shape of a payload; none if the payload has too little in it.
    pub(super) fn of(payload: &Node<'_>) -> Option<Self> {
        if payload.get("contents").is_some() {
            return Some(Self::Gemini);
        }
        if payload.get("input").is_some() {
            return Some(Self::Responses);
        }
        if payload.get("system").is_some() {
            return Some(Self::Anthropic);
        }
        let messages = payload.get("messages")?.as_array()?;
        messages.iter().find_map(Self::of_message)
    }

    fn of_message(message: &Node<'_>) -> Option<Self> {
        if message.get("parts").is_some() {
            return Some(Self::Neutral);
        }
        let role = message.get("role").and_then(Node::as_str);
        if !matches!(role, Some("user" | "assistant")) || message.get("tool_calls").is_some() {
            return Some(Self::Openai);
        }
        let Some(parts) = message.get("content").and_then(Node::as_array) else {
            return Some(Self::Openai);
        };
        let kinds = || parts.iter().filter_map(|part| part.get("type")?.as_str());
        if kinds().any(|kind| matches!(kind, "image_url" | "input_audio" | "file" | "refusal")) {
            return Some(Self::Openai);
        }
        // A single text is written as a string there.
        let anthropic = parts.len() == 1 || kinds().any(|kind| kind != "text");
        anthropic.then_some(Self::Anthropic)
    }
}

/// The blocks of a section: the items of a list, the parts of Gemini's system text, the
/// declarations inside its tools, or a text itself.
pub(super) fn items<'n, 'a>(section: &'n Node<'a>) -> Vec<&'n Node<'a>> {
    if let Some(parts) = section.get("parts").and_then(Node::as_array) {
        return parts.iter().collect();
    }
    let Some(list) = section.as_array() else { return vec![section] };
    let declared = |item: &'n Node<'a>| declarations(item).unwrap_or(std::slice::from_ref(item));
    list.iter().flat_map(declared).collect()
}

/// The end of a JSON Pointer from a section to one of its [`items`].
pub(super) fn steps(section: &Node<'_>, at: usize) -> String {
    if section.get("parts").is_some() {
        return format!("/parts/{at}");
    }
    let mut left = at;
    for (index, item) in section.as_array().unwrap_or_default().iter().enumerate() {
        match declarations(item).map(<[_]>::len) {
            Some(length) if left < length => {
                return format!("/{index}/functionDeclarations/{left}");
            }
            Some(length) => left -= length,
            None if left == 0 => return format!("/{index}"),
            None => left -= 1,
        }
    }
    // The item is gone, or the section is one text.
    String::new()
}

fn declarations<'n, 'a>(tool: &'n Node<'a>) -> Option<&'n [Node<'a>]> {
    tool.get("functionDeclarations").and_then(Node::as_array)
}

/// Equal as JSON values, cache marks aside. Objects keep their order: providers hash text.
pub(super) fn is_same(a: &Node<'_>, b: &Node<'_>) -> bool {
    if a.raw == b.raw {
        return true;
    }
    match (&a.value, &b.value) {
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let (mut a, mut b) = (without_marks(a), without_marks(b));
            loop {
                match (a.next(), b.next()) {
                    (None, None) => return true,
                    (Some((k, a)), Some((l, b))) if k == l && is_same(a, b) => {}
                    _ => return false,
                }
            }
        }
        _ => false,
    }
}

/// Whether a message is the other with further parts at its end: providers that want one
/// message a side have what is new added to the last one.
pub(super) fn continues(before: &Node<'_>, now: &Node<'_>) -> bool {
    let parts = |message: &Node<'_>, key| message.get(key).and_then(Node::as_array).map(<[_]>::len);
    ["content", "parts"].into_iter().any(|key| {
        let lengths = parts(before, key).zip(parts(now, key));
        let role = |message: &Node<'_>| message.get("role").map(|role| role.raw.to_owned());
        lengths.is_some_and(|(short, long)| short < long)
            && role(before) == role(now)
            && before.get(key).zip(now.get(key)).is_some_and(|(before, now)| {
                let pairs = before.as_array().unwrap_or_default().iter();
                pairs.zip(now.as_array().unwrap_or_default()).all(|(a, b)| is_same(a, b))
            })
    })
}

/// Members without cache marks, which `neutral` calls `cache`.
fn without_marks<'n, 'a>(members: &'n Object<'a>) -> impl Iterator<Item = (&'n str, &'n Node<'a>)> {
    members
        .iter()
        .filter(|(key, value)| {
            key != "cache_control" && (key != "cache" || value.as_object().is_none())
        })
        .map(|(key, node)| (key.as_ref(), node))
}

/// All that a model reads in a node, an empty line between two texts.
pub(super) fn all_text(node: &Node<'_>) -> String {
    let mut text = String::new();
    each_text(node, &mut |value| {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(value);
    });
    text
}

/// The texts of a message except calls and their results: the only place for texts of ours.
pub(super) fn spoken_text(message: &Node<'_>) -> String {
    const CALL_KEYS: &[&str] = &["functionCall", "functionResponse", "input", "output", "call_id"];
    let is_said = |part: &&Node<'_>| {
        let kind = part.get("type").and_then(Node::as_str);
        !matches!(kind, Some("tool_use" | "tool_result" | "tool_call"))
            && !CALL_KEYS.iter().any(|key| part.get(key).is_some())
    };
    if message.get("tool_call_id").is_some() || !is_said(&message) {
        return String::new();
    }
    let content = ["content", "parts"].into_iter().find_map(|key| message.get(key));
    let Some(parts) = content.and_then(Node::as_array) else {
        return content.map(all_text).unwrap_or_default();
    };
    let texts: Vec<String> = parts.iter().filter(is_said).map(all_text).collect();
    texts.join("\n\n")
}

/// Every text that a model reads in a node, in order. Media are no text.
pub(super) fn each_text(node: &Node<'_>, visit: &mut dyn FnMut(&str)) {
    const SILENT_KEYS: &[&str] = &[
        "role",
        "type",
        "id",
        "tool_use_id",
        "tool_call_id",
        "call_id",
        "cache",
        "cache_control",
        "data",
        "signature",
        "thoughtSignature",
    ];
    match &node.value {
        Value::String(text) if text.starts_with("data:") => {}
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, visit)),
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| !SILENT_KEYS.contains(&key.as_ref()))
            .for_each(|(_, value)| each_text(value, visit)),
        _ => {}
    }
}
