//! Hashes the output of each stage: the outputs of a compile's ledger. Nothing here affects the
//! payload.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::message_hash::{
    HashScope, MessageHasher, finish_hash, number_into, text_into, tools_hash,
};
use super::slot::Slot;
use super::tail;
use super::text_hashes::TextHashes;
use crate::domain::{ContentHash, Message, Stage, ToolDefinition};
use crate::request::RequestMemoryEntry;

/// The hashes of one compile. One that is off computes nothing.
#[derive(Debug, Default)]
pub(super) struct Trace {
    on: bool,
    hasher: MessageHasher,
    hashes: Hashes,
}

/// The hashes when the compile is done.
#[derive(Debug, Clone, Default)]
pub struct Hashes {
    /// The messages and the tools of the request, as they were read.
    pub messages: Option<ContentHash>,
    pub tools: Option<ContentHash>,
    /// Outputs of the stages, in their order.
    pub outputs: Vec<(Stage, ContentHash)>,
}

impl Trace {
    /// Hashes of texts come from `earlier` if they are there.
    pub(super) fn new(on: bool, earlier: Arc<TextHashes>) -> Self {
        Self { on, hasher: MessageHasher::new(earlier), hashes: Hashes::default() }
    }

    /// The hasher of the compile, which knows the texts that were hashed already.
    pub(super) fn hasher(&mut self) -> &mut MessageHasher {
        &mut self.hasher
    }

    /// Notes the conversation as it was read.
    pub(super) fn read(&mut self, messages: [&[Message]; 2], tools: &[ToolDefinition]) {
        if self.on {
            self.hashes.messages = Some(self.list(messages.into_iter().flatten()));
            self.hashes.tools = Some(tools_hash(tools, HashScope::Everything));
        }
    }

    /// Notes what a stage gave as messages and tools.
    pub(super) fn conversation(
        &mut self,
        stage: Stage,
        messages: [&[Message]; 2],
        tools: &[ToolDefinition],
    ) {
        if self.on {
            let list = self.list(messages.into_iter().flatten());
            self.note(stage, hash_pair(list, tools_hash(tools, HashScope::Everything)));
        }
    }

    /// Notes the history that compression leaves. A message that volatile text is stitched to
    /// counts by its place: that text is another stage's.
    pub(super) fn history(&mut self, stage: Stage, slots: &[Slot]) {
        if !self.on {
            return;
        }
        let mut hasher = Sha256::new();
        for slot in slots {
            if slot.tail > 0 {
                number_into(&mut hasher, slot.message.origin.map_or(0, |at| at + 1));
            } else {
                self.hasher.message_into(&mut hasher, &slot.message, HashScope::Everything);
            }
        }
        self.note(stage, finish_hash(hasher));
    }

    /// Notes the messages as they are sent.
    pub(super) fn slots(&mut self, stage: Stage, slots: &[Slot], tools: &[ToolDefinition]) {
        if self.on {
            let list = self.list(slots.iter().map(|slot| &slot.message));
            self.note(stage, hash_pair(list, tools_hash(tools, HashScope::Everything)));
        }
    }

    /// Notes which memory entries are shown, and what they say.
    pub(super) fn memory(&mut self, entries: &[RequestMemoryEntry], shown: &[String]) {
        if !self.on {
            return;
        }
        let mut hasher = Sha256::new();
        for key in shown {
            if let Some(entry) = entries.iter().find(|entry| *entry.key == **key) {
                for text in [&*entry.key, &*entry.value, entry.description.as_deref().unwrap_or("")]
                {
                    text_into(&mut hasher, text);
                }
            }
        }
        self.note(Stage::Memory, finish_hash(hasher));
    }

    /// Notes the volatile text, and the parts after the history.
    pub(super) fn injected(&mut self, injected: &tail::Output) {
        if !self.on {
            return;
        }
        let mut hasher = Sha256::new();
        text_into(&mut hasher, &injected.tail.join("\n\n"));
        text_into(&mut hasher, injected.state_message.as_deref().unwrap_or_default());
        self.note(Stage::Inject, finish_hash(hasher));
    }

    /// Notes what a stage gave, as a text.
    pub(super) fn text(&mut self, stage: Stage, text: impl FnOnce() -> String) {
        if self.on {
            self.note(stage, ContentHash::of(&text()));
        }
    }

    /// The hashes, with that of the payload.
    pub(super) fn finish(mut self, payload: ContentHash) -> Hashes {
        if self.on {
            self.note(Stage::Format, payload);
        }
        self.hashes.outputs.sort_by_key(|(stage, _)| *stage);
        self.hashes
    }

    fn note(&mut self, stage: Stage, hash: ContentHash) {
        self.hashes.outputs.retain(|(known, _)| *known != stage);
        self.hashes.outputs.push((stage, hash));
    }

    fn list<'m>(&mut self, messages: impl Iterator<Item = &'m Message>) -> ContentHash {
        let mut hasher = Sha256::new();
        for message in messages {
            self.hasher.message_into(&mut hasher, message, HashScope::Everything);
        }
        finish_hash(hasher)
    }
}

fn hash_pair(first: ContentHash, second: ContentHash) -> ContentHash {
    let mut hasher = Sha256::new();
    hasher.update(first.0);
    hasher.update(second.0);
    finish_hash(hasher)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Content, Part, Role, ToolCall};

    fn list(messages: &[Message]) -> ContentHash {
        Trace::new(true, Arc::default()).list(messages.iter())
    }

    #[test]
    fn every_part_of_a_message_has_a_say() {
        let long = "a long text ".repeat(40);
        let call = |arguments: &str| {
            let call = ToolCall {
                id: "c".into(),
                name: "f".into(),
                arguments: arguments.into(),
                custom: false,
            };
            Message::new(Role::Assistant, vec![Part::new(Content::ToolCall(call))])
        };
        let named = Message { name: Some("n".into()), ..Message::text(Role::User, "a") };
        let signed = Part { signature: Some("s".into()), ..Part::text("a") };
        let other = |last: &str| Message::text(Role::User, format!("{long}{last}"));
        let lists = [
            vec![],
            vec![Message::text(Role::User, "a")],
            vec![Message::text(Role::Assistant, "a")],
            vec![Message::text(Role::User, "ab")],
            vec![Message::text(Role::User, "a"), Message::text(Role::User, "b")],
            vec![Message::new(Role::User, vec![Part::text("a"), Part::text("b")])],
            vec![Message::new(Role::User, vec![signed])],
            vec![named],
            vec![call("{}")],
            vec![call("{\"a\":1}")],
            vec![other("x")],
            vec![other("y")],
        ];
        let hashes: std::collections::BTreeSet<_> = lists.iter().map(|own| list(own)).collect();
        assert_eq!(hashes.len(), lists.len());
    }

    #[test]
    fn where_a_text_stands_in_memory_has_none() {
        let long = "a long text ".repeat(40);
        let twice = || [Message::text(Role::User, long.as_str()), Message::text(Role::User, "b")];
        assert_eq!(list(&twice()), list(&twice()));
        let shared: Arc<str> = long.as_str().into();
        let one =
            [Message::text(Role::User, Arc::clone(&shared)), Message::text(Role::User, shared)];
        let other =
            [Message::text(Role::User, long.as_str()), Message::text(Role::User, long.as_str())];
        assert_eq!(list(&one), list(&other));
    }

    #[test]
    fn a_trace_that_is_off_has_nothing() {
        let mut trace = Trace::new(false, Arc::default());
        trace.read([&[], &[Message::text(Role::User, "a")]], &[]);
        trace.text(Stage::Budget, || unreachable!());
        let hashes = trace.finish(ContentHash::of(""));
        assert!(hashes.outputs.is_empty() && hashes.messages.is_none());
    }
}
