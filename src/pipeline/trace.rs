//! Hashes the output of each stage: the outputs of a compile's ledger.
//!
//! A text is hashed once, by its address in memory, however many stages pass it on; another hash
//! covers its role and the rest of its message. Nothing here affects the payload.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::slot::Slot;
use super::tail;
use crate::domain::{
    Content, ContentHash, Extra, MediaSource, Message, Part, Stage, ToolDefinition,
};
use crate::request::RequestMemoryEntry;

/// Bytes from which on a text is hashed by itself.
const MIN_HASHED_BYTES: usize = 128;

/// The hashes of one compile. One that is off computes nothing.
#[derive(Debug, Default)]
pub(super) struct Trace {
    on: bool,
    /// Texts by the place of their first byte; they are held, so no other text takes the place.
    known: HashMap<usize, (Arc<str>, ContentHash)>,
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
    pub(super) fn new(on: bool) -> Self {
        Self { on, ..Self::default() }
    }

    /// Notes the conversation as it was read.
    pub(super) fn read(&mut self, messages: [&[Message]; 2], tools: &[ToolDefinition]) {
        if self.on {
            self.hashes.messages = Some(self.list(messages.into_iter().flatten()));
            self.hashes.tools = Some(tools_hash(tools));
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
            self.note(stage, hash_pair(list, tools_hash(tools)));
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
                number(&mut hasher, slot.message.origin.map_or(0, |at| at + 1));
            } else {
                self.message(&mut hasher, &slot.message);
            }
        }
        self.note(stage, finish_hash(hasher));
    }

    /// Notes the messages as they are sent.
    pub(super) fn slots(&mut self, stage: Stage, slots: &[Slot], tools: &[ToolDefinition]) {
        if self.on {
            let list = self.list(slots.iter().map(|slot| &slot.message));
            self.note(stage, hash_pair(list, tools_hash(tools)));
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
        for text in [&injected.tail, &injected.state_message] {
            text_into(&mut hasher, text.as_deref().unwrap_or_default());
        }
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
            self.message(&mut hasher, message);
        }
        finish_hash(hasher)
    }

    fn message(&mut self, hasher: &mut Sha256, message: &Message) {
        hasher.update([message.role as u8]);
        text_into(hasher, message.role_word.unwrap_or_default());
        text_into(hasher, message.id.as_deref().unwrap_or_default());
        text_into(hasher, message.name.as_deref().unwrap_or_default());
        extra(hasher, &message.extra);
        number(hasher, message.parts.len());
        for part in &message.parts {
            self.part(hasher, part);
        }
    }

    fn part(&mut self, hasher: &mut Sha256, part: &Part) {
        match &part.content {
            Content::Text(text) => {
                hasher.update([0]);
                self.shared(hasher, text);
            }
            Content::Thinking(thinking) => {
                hasher.update([1]);
                self.shared(hasher, &thinking.text);
                if let Some(raw) = &thinking.opaque {
                    self.shared(hasher, raw.text());
                }
            }
            Content::ToolCall(call) => {
                hasher.update([2, u8::from(call.custom)]);
                text_into(hasher, &call.id);
                text_into(hasher, &call.name);
                self.shared(hasher, &call.arguments);
            }
            Content::ToolResult(result) => {
                hasher.update([3, result.is_error.map_or(2, u8::from)]);
                text_into(hasher, &result.call_id);
                text_into(hasher, result.name.as_deref().unwrap_or_default());
                number(hasher, result.content.len());
                for inner in &result.content {
                    self.part(hasher, inner);
                }
            }
            Content::Media(media) => {
                hasher.update([4]);
                text_into(hasher, &media.media_type);
                text_into(hasher, media.name.as_deref().unwrap_or_default());
                let (kind, text) = match &media.source {
                    MediaSource::Base64(text) => (0, text),
                    MediaSource::Url(text) => (1, text),
                    MediaSource::FileId(text) => (2, text),
                    MediaSource::Text(text) => (3, text),
                };
                hasher.update([kind]);
                self.shared(hasher, text);
            }
            Content::Opaque { kind, raw } => {
                hasher.update([5]);
                text_into(hasher, kind);
                self.shared(hasher, raw.text());
            }
        }
        let mark = part.cache.map_or(0, |mark| mark.ttl.map_or(1, |ttl| ttl as u8 + 2));
        hasher.update([mark]);
        text_into(hasher, part.signature.as_deref().unwrap_or_default());
        extra(hasher, &part.extra);
    }

    /// A text that many stages hand on.
    fn shared(&mut self, hasher: &mut Sha256, text: &Arc<str>) {
        if text.len() < MIN_HASHED_BYTES {
            text_into(hasher, text);
            return;
        }
        let place = text.as_ptr() as usize;
        let (_, hash) =
            self.known.entry(place).or_insert_with(|| (Arc::clone(text), ContentHash::of(text)));
        number(hasher, usize::MAX);
        hasher.update(hash.0);
    }
}

fn tools_hash(tools: &[ToolDefinition]) -> ContentHash {
    let mut hasher = Sha256::new();
    for tool in tools {
        text_into(&mut hasher, &tool.name);
        text_into(&mut hasher, tool.description.as_deref().unwrap_or_default());
        for raw in tool.parameters.iter().chain(&tool.opaque) {
            text_into(&mut hasher, raw.as_str());
        }
        extra(&mut hasher, &tool.extra);
        hasher.update([tool.cache.map_or(0, |mark| mark.ttl.map_or(1, |ttl| ttl as u8 + 2))]);
    }
    finish_hash(hasher)
}

fn hash_pair(first: ContentHash, second: ContentHash) -> ContentHash {
    let mut hasher = Sha256::new();
    hasher.update(first.0);
    hasher.update(second.0);
    finish_hash(hasher)
}

fn extra(hasher: &mut Sha256, extra: &Extra) {
    number(hasher, extra.len());
    for (name, raw) in extra {
        text_into(hasher, name);
        text_into(hasher, raw.as_str());
    }
}

/// Hashes a text after its length, so that its end is known.
fn text_into(hasher: &mut Sha256, text: &str) {
    number(hasher, text.len());
    hasher.update(text);
}

fn number(hasher: &mut Sha256, number: usize) {
    hasher.update((number as u64).to_le_bytes());
}

fn finish_hash(hasher: Sha256) -> ContentHash {
    ContentHash(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Role, ToolCall};

    fn list(messages: &[Message]) -> ContentHash {
        Trace::new(true).list(messages.iter())
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
        let mut trace = Trace::new(false);
        trace.read([&[], &[Message::text(Role::User, "a")]], &[]);
        trace.text(Stage::Budget, || unreachable!());
        let hashes = trace.finish(ContentHash::of(""));
        assert!(hashes.outputs.is_empty() && hashes.messages.is_none());
    }
}
