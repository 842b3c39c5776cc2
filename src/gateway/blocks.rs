//! The blocks of a request as it is sent, as hashes: enough to tell where one request leaves the cached
//! prefix of another, and why, without any text.

use std::fmt;
use std::sync::Arc;

use super::decision::MessageDecision;
use super::outline::{Identity, OutlinedMessage};
use crate::json::Node;

/// Members that come before the messages in a provider's cache, in its order.
const HEAD: &[&[&str]] =
    &[&["tools"], &["system", "instructions", "systemInstruction", "system_instruction"]];
/// Members with the list of messages.
const LISTS: &[&str] = &["messages", "input", "contents"];

/// The hash of a block, whatever marks of caching it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockHash(u64);

/// The blocks of a member of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberHashes {
    pub name: &'static str,
    pub blocks: Vec<BlockHash>,
}

impl BlockHash {
    fn new(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(part);
        }
        let mut first = [0; 8];
        hasher.finalize_xof().fill(&mut first);
        Self(u64::from_be_bytes(first))
    }
}

impl fmt::Display for BlockHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// What a message is sent with.
#[derive(Debug, Clone, Default)]
pub struct SentMessage<'d> {
    pub decision: Option<&'d MessageDecision>,
    /// The texts that follow it.
    pub blocks: Vec<Arc<str>>,
}

/// Returns the blocks of a request, in the order in which a provider caches them: tools, system text,
/// messages. `sent` says what the message at an index is sent with.
pub fn sent_blocks<'d>(
    node: &Node<'_>,
    messages: &[OutlinedMessage],
    sent: impl Fn(usize) -> SentMessage<'d>,
) -> Vec<MemberHashes> {
    let mut members = Vec::new();
    for names in HEAD {
        let found = names.iter().find_map(|name| Some((*name, node.get(name)?)));
        let Some((name, member)) = found.filter(|(_, member)| !member.is_null()) else { continue };
        let items = member.as_array().unwrap_or(std::slice::from_ref(member));
        let blocks = items.iter().map(|item| BlockHash::new(&[&Identity::of(item)])).collect();
        members.push(MemberHashes { name, blocks });
    }
    if let Some(name) = LISTS.iter().find(|name| node.get(name).is_some()) {
        let block = |(index, message): (usize, &OutlinedMessage)| {
            let SentMessage { decision, blocks } = sent(index);
            let forms = decision.map(|decision| decision.applied(message));
            let mut parts: Vec<&[u8]> = vec![&message.hash];
            for form in forms.iter().flatten() {
                parts.push(&form.decided.digest.0);
                parts.push(form.decided.form.as_bytes());
            }
            parts.extend(blocks.iter().map(|text| text.as_bytes()));
            BlockHash::new(&parts)
        };
        members
            .push(MemberHashes { name, blocks: messages.iter().enumerate().map(block).collect() });
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::{DecidedText, ProviderEndpoint, RequestOutline, TextDigest};
    use crate::json::{Limits, parse};

    fn blocks(body: &str, decision: &MessageDecision) -> Vec<MemberHashes> {
        let node = parse(body, Limits::default()).unwrap();
        let outline = RequestOutline::read(ProviderEndpoint::Messages, body, &node).unwrap();
        sent_blocks(&node, &outline.messages, |_| SentMessage {
            decision: Some(decision),
            ..SentMessage::default()
        })
    }

    #[test]
    fn each_block_has_a_hash_and_marks_change_none() {
        let result = "a result ".repeat(40);
        let body = |mark: &str, system: &str| {
            let tools = r#"[{"name":"a"},{"name":"b"}]"#;
            let block =
                format!(r#"{{"type":"tool_result","tool_use_id":"t","content":"{result}"{mark}}}"#);
            format!(
                r#"{{"model":"m","messages":[{{"role":"user","content":[{block}]}}],"system":{system},"tools":{tools}}}"#
            )
        };
        let none = MessageDecision::default();
        let plain = blocks(&body("", "\"S\""), &none);
        let shape: Vec<_> = plain.iter().map(|own| (own.name, own.blocks.len())).collect();
        assert_eq!(shape, [("tools", 2), ("system", 1), ("messages", 1)]);
        let mark = r#","cache_control":{"type":"ephemeral"}"#;
        assert_eq!(blocks(&body(mark, "\"S\""), &none), plain);
        let other = blocks(&body("", "\"T\""), &none);
        assert_eq!((&other[0], &other[2]), (&plain[0], &plain[2]));
        assert_ne!(other[1], plain[1]);
        let form = DecidedText {
            digest: TextDigest::of(&result),
            occurrence: 0,
            form: "40 × a result".into(),
            saved_tokens: 9,
        };
        let edited = blocks(&body("", "\"S\""), &MessageDecision { forms: vec![form] });
        assert_eq!(edited[..2], plain[..2]);
        assert_ne!(edited[2], plain[2]);
        assert_eq!(plain[0].blocks[0].to_string().len(), 16);
    }
}
