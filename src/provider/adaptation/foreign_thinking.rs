//! Anthropic's thinking in messages of Chat Completions, where gateways put it in members of their own.

use super::ConversationAdapter;
use super::fields::string_value;
use crate::domain::{Content, Message, Part, RawJson, Role, Source, Target, Thinking};
use crate::json::{self, Limits, Node, ObjectText, write_string};

/// `LiteLLM`'s blocks: <https://docs.litellm.ai/docs/reasoning_content>.
const BLOCKS: &str = "thinking_blocks";
/// `OpenRouter`'s: <https://openrouter.ai/docs/use-cases/reasoning-tokens>.
const DETAILS: &str = "reasoning_details";

impl ConversationAdapter<'_> {
    /// Takes the thinking out of a message's members: Anthropic takes its own back, whoever carried it, if
    /// it is signed.
    pub(super) fn foreign_thinking(&self, message: &mut Message) -> Vec<Part> {
        let has_members = self.target == Target::Anthropic
            && matches!(self.source, Source::Openai | Source::Neutral)
            && message.role == Role::Assistant;
        if !has_members {
            return Vec::new();
        }
        for (key, read) in [(BLOCKS, block as fn(&Node<'_>) -> Option<Part>), (DETAILS, detail)] {
            let Some(at) = message.extra.iter().position(|(name, _)| **name == *key) else {
                continue;
            };
            let parts = message.extra.get(at).and_then(|(_, raw)| {
                let node = json::parse(raw.as_str(), Limits::default()).ok()?;
                node.as_array()?.iter().map(read).collect::<Option<Vec<Part>>>()
            });
            // One that is not read could be what the signature of another covers.
            if let Some(parts) = parts.filter(|parts| !parts.is_empty()) {
                // The other says the same.
                message.extra.retain(|(name, _)| {
                    ![BLOCKS, DETAILS, "reasoning", "reasoning_content"].contains(&&**name)
                });
                return parts;
            }
        }
        if self.destination.takes_unsigned_thinking { take_reasoning(message) } else { Vec::new() }
    }
}

/// Takes the text of reasoning out of a message's members, for providers that read it unsigned.
fn take_reasoning(message: &mut Message) -> Vec<Part> {
    let is_text = |name: &str| ["reasoning_content", "reasoning"].contains(&name);
    let texts = message.extra.iter().filter(|(name, _)| is_text(name));
    let text = texts.filter_map(|(_, raw)| string_value(raw)).find(|text| !text.trim().is_empty());
    let Some(text) = text else { return Vec::new() };
    message.extra.retain(|(name, _)| !is_text(name) && ![BLOCKS, DETAILS].contains(&&**name));
    vec![Part::new(Content::Thinking(Thinking { text: text.into(), opaque: None }))]
}

fn block(node: &Node<'_>) -> Option<Part> {
    match node.get("type").and_then(Node::as_str)? {
        "thinking" => signed(node, "thinking"),
        "redacted_thinking" => redacted(node),
        _ => None,
    }
}

fn detail(node: &Node<'_>) -> Option<Part> {
    if !node.get("format").and_then(Node::as_str)?.starts_with("anthropic") {
        return None;
    }
    match node.get("type").and_then(Node::as_str)? {
        "reasoning.text" => signed(node, "text"),
        "reasoning.encrypted" => redacted(node),
        _ => None,
    }
}

fn signed(node: &Node<'_>, key: &str) -> Option<Part> {
    let text = node.get(key).and_then(Node::as_str)?;
    let signature = node.get("signature").and_then(Node::as_str).filter(|own| !own.is_empty())?;
    let mut part = Part::new(Content::Thinking(Thinking { text: text.into(), opaque: None }));
    part.signature = Some(signature.into());
    Some(part)
}

fn redacted(node: &Node<'_>) -> Option<Part> {
    let data = node.get("data").and_then(Node::as_str).filter(|data| !data.is_empty())?;
    let mut text = String::new();
    write_string(&mut text, data);
    let mut item = ObjectText::default();
    item.member("type", "\"redacted_thinking\"");
    item.member("data", &text);
    let opaque = Some(RawJson::new(item.finish()));
    Some(Part::new(Content::Thinking(Thinking { text: "".into(), opaque })))
}
