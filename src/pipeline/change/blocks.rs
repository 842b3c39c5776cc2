//! Compares payloads block by block: their shape, which blocks are equal, and which texts a model
//! reads.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::comparison::{Compared, is_same};
use crate::domain::Source;
use crate::json::{self, Limits, Node, Value};
use crate::provider::MemberBlocks;

/// A payload as its members and their blocks. A block of a payload that this service wrote is
/// parsed when a comparison first needs its content, which it seldom does.
#[derive(Debug, Default)]
pub struct PayloadBlocks<'p> {
    members: Vec<PayloadMember<'p>>,
}

/// A member of a payload: a list of blocks, or one block.
#[derive(Debug)]
pub(super) struct PayloadMember<'p> {
    pub(super) name: Cow<'p, str>,
    is_list: bool,
    blocks: Vec<PayloadBlock<'p>>,
}

/// A block as JSON text, and its value once it is parsed.
#[derive(Debug)]
struct PayloadBlock<'p> {
    raw: &'p str,
    node: OnceCell<Node<'p>>,
}

impl<'p> PayloadBlock<'p> {
    fn new(raw: &'p str) -> Self {
        Self { raw, node: OnceCell::new() }
    }

    fn node(&self) -> &Node<'p> {
        // A block is JSON text; one that is too big to be read is compared as text only.
        let unread = || Node { raw: self.raw, value: Value::Null };
        self.node
            .get_or_init(|| json::parse(self.raw, Limits::default()).unwrap_or_else(|_| unread()))
    }
}

impl<'p> From<Node<'p>> for PayloadBlock<'p> {
    fn from(node: Node<'p>) -> Self {
        Self { raw: node.raw, node: OnceCell::from(node) }
    }
}

impl<'p> PayloadBlocks<'p> {
    /// Splits a parsed payload; it has no members unless it is an object.
    pub fn from_node(payload: Node<'p>) -> Self {
        let Value::Object(members) = payload.value else { return Self::default() };
        let members = members.into_iter().map(|(name, node)| {
            let is_list = node.as_array().is_some();
            let blocks = match node.value {
                Value::Array(items) => items.into_iter().map(PayloadBlock::from).collect(),
                _ => vec![PayloadBlock::from(node)],
            };
            PayloadMember { name, is_list, blocks }
        });
        Self { members: members.collect() }
    }

    /// Splits a payload that this service wrote, without reading it.
    pub fn from_written(payload: &'p str, blocks: &'p [MemberBlocks]) -> Self {
        let mut split = Self::default();
        for member in blocks {
            split.push(member.name, member.is_list, member.texts(payload));
        }
        split
    }

    /// Adds a member; `texts` are its blocks as JSON texts.
    pub fn push(&mut self, name: &'p str, is_list: bool, texts: impl Iterator<Item = &'p str>) {
        let blocks = texts.map(PayloadBlock::new).collect();
        self.members.push(PayloadMember { name: Cow::Borrowed(name), is_list, blocks });
    }

    /// The first of the members with these names that the payload has, in the order of the names.
    pub(super) fn first_of(&self, names: &[&str]) -> Option<&PayloadMember<'p>> {
        names.iter().find_map(|name| self.member(name))
    }

    /// The number of messages.
    pub fn messages(&self) -> usize {
        self.first_of(&Source::LIST_KEYS).map_or(0, |member| member.items().len())
    }

    fn member(&self, name: &str) -> Option<&PayloadMember<'p>> {
        self.members.iter().find(|member| member.name == name)
    }
}

/// A part of a member that is compared as a whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'m, 'p> {
    source: ItemSource<'m, 'p>,
}

#[derive(Debug, Clone, Copy)]
enum ItemSource<'m, 'p> {
    Block(&'m PayloadBlock<'p>),
    /// A part of a block that had to be parsed to find it.
    Part(&'m Node<'p>),
}

impl<'m, 'p> Item<'m, 'p> {
    fn raw(self) -> &'p str {
        match self.source {
            ItemSource::Block(block) => block.raw,
            ItemSource::Part(node) => node.raw,
        }
    }

    pub(super) fn node(self) -> &'m Node<'p> {
        match self.source {
            ItemSource::Block(block) => block.node(),
            ItemSource::Part(node) => node,
        }
    }

    /// Whether two items are equal as JSON values, cache marks aside.
    pub(super) fn is_same(self, other: Item<'_, '_>) -> bool {
        self.raw() == other.raw() || is_same(self.node(), other.node(), Compared::All)
    }
}

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
    pub(super) fn detect(payload: &PayloadBlocks<'_>) -> Option<Self> {
        let has = |name| payload.member(name).is_some();
        if has("contents") {
            return Some(Self::Gemini);
        }
        if has("input") {
            return Some(Self::Responses);
        }
        // With marks, single texts are parts there, too.
        let has_marks =
            has("prompt_cache_options") || has("prompt_cache_key") || has("prompt_cache_retention");
        if has_marks && payload.member("messages").is_some_and(|messages| !messages.has_parts()) {
            return Some(Self::Openai);
        }
        if has("system") {
            return Some(Self::Anthropic);
        }
        let messages = payload.member("messages").filter(|messages| messages.is_list)?;
        messages.blocks.iter().map(PayloadBlock::node).find_map(Self::of_message)
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
        if parts.iter().any(|part| part.get("prompt_cache_breakpoint").is_some()) {
            return Some(Self::Openai);
        }
        let kinds = || parts.iter().filter_map(|part| part.get("type")?.as_str());
        if kinds().any(|kind| matches!(kind, "image_url" | "input_audio" | "file" | "refusal")) {
            return Some(Self::Openai);
        }
        // A single text is written as a string there.
        let anthropic = parts.len() == 1 || kinds().any(|kind| kind != "text");
        anthropic.then_some(Self::Anthropic)
    }
}

impl<'p> PayloadMember<'p> {
    /// Whether its messages are neutral ones.
    fn has_parts(&self) -> bool {
        self.blocks.first().is_some_and(|block| block.node().get("parts").is_some())
    }

    /// Whether two members have the same text.
    pub(super) fn is_equal(&self, other: &PayloadMember<'_>) -> bool {
        self.is_list == other.is_list
            && self.blocks.len() == other.blocks.len()
            && self.blocks.iter().zip(&other.blocks).all(|(a, b)| a.raw == b.raw)
    }

    /// The items of a list, the parts of Gemini's system text, the declarations inside its tools,
    /// or a value itself.
    pub(super) fn items(&self) -> Vec<Item<'_, 'p>> {
        let whole = |block| Item { source: ItemSource::Block(block) };
        let part = |node| Item { source: ItemSource::Part(node) };
        if !self.is_list {
            let block = self.blocks.first();
            let parts = block.and_then(|block| block.node().get("parts")).and_then(Node::as_array);
            return match parts {
                Some(parts) => parts.iter().map(part).collect(),
                None => block.into_iter().map(whole).collect(),
            };
        }
        let mut items = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            match declarations(block) {
                Some(declared) => items.extend(declared.iter().map(part)),
                None => items.push(whole(block)),
            }
        }
        items
    }

    /// The end of a JSON Pointer from this member to one of its [`items`](Self::items).
    pub(super) fn steps(&self, at: usize) -> String {
        if !self.is_list {
            let has_parts = self.blocks.iter().any(|block| block.node().get("parts").is_some());
            return if has_parts { format!("/parts/{at}") } else { String::new() };
        }
        let mut left = at;
        for (index, block) in self.blocks.iter().enumerate() {
            match declarations(block).map(<[_]>::len) {
                Some(length) if left < length => {
                    return format!("/{index}/functionDeclarations/{left}");
                }
                Some(length) => left -= length,
                None if left == 0 => return format!("/{index}"),
                None => left -= 1,
            }
        }
        // The item is gone.
        String::new()
    }
}

/// The function declarations of an entry of Gemini's tools.
fn declarations<'m, 'p>(tool: &'m PayloadBlock<'p>) -> Option<&'m [Node<'p>]> {
    const KEY: &str = "functionDeclarations";
    // The key is written plainly, so most blocks need not be parsed for it.
    if tool.node.get().is_none() && !tool.raw.contains(KEY) {
        return None;
    }
    tool.node().get(KEY).and_then(Node::as_array)
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
        "prompt_cache_breakpoint",
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
