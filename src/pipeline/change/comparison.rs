//! Whether two values of payloads are equal: cache marks aside, and thinking if that is asked for.

use crate::domain::CacheMarks;
use crate::json::{Node, Object, Text, Value};

/// The members of blocks that are cache marks.
const MARK_KEYS: [&str; 2] = [CacheMarks::Blocks.key(), CacheMarks::Breakpoints.key()];

/// What of two nodes is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    /// All but cache marks.
    All,
    /// All but cache marks, thinking, and the ids of items, which are not sent without their
    /// reasoning.
    WithoutThinking,
}

impl Compared {
    fn has_member(self, key: &str, value: &Node<'_>) -> bool {
        let is_mark = MARK_KEYS.contains(&key) || key == "cache" && value.as_object().is_some();
        !is_mark && (self == Self::All || key != "id" && !THINKING_KEYS.contains(&key))
    }

    fn has_item(self, item: &Node<'_>) -> bool {
        self == Self::All || !is_thinking(item)
    }
}

/// Members of a message or part that are thinking or its signature.
const THINKING_KEYS: &[&str] =
    &["thoughtSignature", "reasoning", "reasoning_content", "reasoning_details"];

/// Whether an item or part is thinking and nothing else.
pub(super) fn is_thinking(node: &Node<'_>) -> bool {
    let kind = node.get("type").and_then(Node::as_str);
    matches!(kind, Some("reasoning" | "thinking" | "redacted_thinking"))
        || node.get("thought").is_some_and(|thought| matches!(thought.value, Value::Bool(true)))
}

/// Equal as JSON values. Objects keep their order: providers hash text.
pub(super) fn is_same(a: &Node<'_>, b: &Node<'_>, compared: Compared) -> bool {
    if a.raw == b.raw {
        return true;
    }
    match (&a.value, &b.value) {
        (Value::String(a), Value::String(b)) => a == b,
        (Value::String(text), Value::Array(parts)) | (Value::Array(parts), Value::String(text)) => {
            only_text(parts) == Some(text)
        }
        (Value::Array(a), Value::Array(b)) => {
            let mut a = a.iter().filter(|item| compared.has_item(item));
            let mut b = b.iter().filter(|item| compared.has_item(item));
            loop {
                match (a.next(), b.next()) {
                    (None, None) => return true,
                    (Some(a), Some(b)) if is_same(a, b, compared) => {}
                    _ => return false,
                }
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            let (mut a, mut b) = (members(a, compared), members(b, compared));
            loop {
                match (a.next(), b.next()) {
                    (None, None) => return true,
                    (Some((k, a)), Some((l, b))) if k == l && is_same(a, b, compared) => {}
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
                pairs
                    .zip(now.as_array().unwrap_or_default())
                    .all(|(a, b)| is_same(a, b, Compared::All))
            })
    })
}

/// The text of a list that is one text: `OpenAI` reads it as it reads the text alone, and only a list can
/// have a mark.
pub(super) fn only_text<'n, 'a>(parts: &'n [Node<'a>]) -> Option<&'n Text<'a>> {
    let [part] = parts else { return None };
    let mut text = None;
    for (key, node) in members(part.as_object()?, Compared::All) {
        match (key, &node.value) {
            ("text", Value::String(own)) => text = Some(own),
            ("type", Value::String(kind)) if matches!(kind.as_ref(), "text" | "input_text") => {}
            _ => return None,
        }
    }
    text
}

/// The members that are compared. `neutral` calls cache marks `cache`.
fn members<'n, 'a>(
    members: &'n Object<'a>,
    compared: Compared,
) -> impl Iterator<Item = (&'n str, &'n Node<'a>)> {
    members
        .iter()
        .filter(move |(key, value)| compared.has_member(key, value))
        .map(|(key, node)| (key.as_ref(), node))
}
