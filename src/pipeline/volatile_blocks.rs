//! State, context and memory data that stay: a block is left where it was put, and a newer one follows.
//! That is so for models that bind their thinking to the bytes before it, and for requests that ask for
//! it.

use std::sync::Arc;

use super::message_hash::{HashScope, MessageHasher};
use super::prose::{self, BLOCK_SEPARATOR};
use super::strip_injected;
use crate::domain::{
    Content, Message, Part, PrefixHash, ProgramCalls, Role, SentBlock, SentHistory,
};

/// What a block shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Memory,
    State,
    Context,
}

impl BlockKind {
    /// The kind of a block of ours.
    pub(super) fn of(text: &str) -> Option<Self> {
        let opens = |opening: &str| text.starts_with(opening);
        if opens(prose::MEMORY_OPENING) {
            Some(Self::Memory)
        } else if opens("<dynamic_state>") {
            Some(Self::State)
        } else if opens("<implicit_context>") {
            Some(Self::Context)
        } else {
            None
        }
    }
}

/// The newest block of each kind that earlier payloads left in the history.
#[derive(Debug, Clone, Default)]
pub(super) struct BlocksInSight {
    memory: Option<Arc<str>>,
    state: Option<Arc<str>>,
    context: Option<Arc<str>>,
}

impl BlocksInSight {
    /// Whether the newest block of its kind says the same.
    pub(super) fn has(&self, block: &str) -> bool {
        let newest = BlockKind::of(block).and_then(|kind| self.newest(kind));
        newest.is_some_and(|newest| **newest == *block)
    }

    /// Whether no block is in sight.
    pub(super) fn is_empty(&self) -> bool {
        self.memory.is_none() && self.state.is_none() && self.context.is_none()
    }

    /// Whether a block of this kind is in sight.
    pub(super) fn has_kind(&self, kind: BlockKind) -> bool {
        self.newest(kind).is_some()
    }

    fn newest(&self, kind: BlockKind) -> Option<&Arc<str>> {
        match kind {
            BlockKind::Memory => self.memory.as_ref(),
            BlockKind::State => self.state.as_ref(),
            BlockKind::Context => self.context.as_ref(),
        }
    }

    pub(super) fn note(&mut self, block: Arc<str>) {
        match BlockKind::of(&block) {
            Some(BlockKind::Memory) => self.memory = Some(block),
            Some(BlockKind::State) => self.state = Some(block),
            Some(BlockKind::Context) => self.context = Some(block),
            None => {}
        }
    }
}

/// A message as it is without the blocks that were put back.
#[derive(Debug, Clone)]
pub(super) struct BareMessage {
    /// Its index in the history.
    pub(super) at: usize,
    pub(super) message: Message,
    /// The blocks that were put back at its end.
    pub(super) blocks: Vec<Arc<str>>,
}

/// The message at an index of the history without its blocks, if it has some. `bare` is in rising
/// order.
pub(super) fn find_bare(bare: &[BareMessage], at: usize) -> Option<&BareMessage> {
    let place = bare.binary_search_by_key(&at, |own| own.at).ok()?;
    bare.get(place)
}

/// A history with the blocks of earlier payloads in their places.
#[derive(Debug, Clone, Default)]
pub(super) struct RestoredBlocks {
    pub(super) in_sight: BlocksInSight,
    pub(super) bare: Vec<BareMessage>,
}

/// Puts the blocks of earlier payloads back into the messages that had them. Those at the last message
/// of the list are left out: no answer follows them, so this compile decides what is there.
pub(super) fn restore(
    history: &mut [Message],
    sent: &SentHistory,
    hasher: &mut MessageHasher,
) -> RestoredBlocks {
    let mut restored = RestoredBlocks::default();
    let last = history.iter().filter_map(|message| message.origin).max();
    let mut from = 0;
    for block in &sent.blocks {
        let at = usize::try_from(block.at).unwrap_or(usize::MAX);
        if last.is_none_or(|last| at >= last) {
            break;
        }
        let place = history.iter().enumerate().skip(from).position(|(index, message)| {
            let bare = restored.bare.last().filter(|known: &&BareMessage| known.at == index);
            let message = bare.map_or(message, |known| &known.message);
            message.origin == Some(at)
                && block.message == hasher.message(message, HashScope::Bound).into()
        });
        let Some(place) = place.map(|skipped| from + skipped) else { continue };
        let Some(message) = history.get_mut(place) else { continue };
        if restored.bare.last().is_none_or(|known| known.at != place) {
            let message = message.clone();
            restored.bare.push(BareMessage { at: place, message, blocks: Vec::new() });
        }
        append_text(message, &block.text);
        if let Some(bare) = restored.bare.last_mut() {
            bare.blocks.push(Arc::clone(&block.text));
        }
        restored.in_sight.note(Arc::clone(&block.text));
        from = place;
    }
    restored
}

/// Puts a text at the end of a message: in its last part if that is plain text, in a part of its own
/// after media or after a cache mark, whose prefix must not change.
pub(super) fn append_text(message: &mut Message, text: &str) {
    match message.parts.last_mut() {
        Some(Part { content: Content::Text(last), cache: None, extra, .. }) if extra.is_empty() => {
            *last = if last.is_empty() {
                Arc::from(text)
            } else {
                format!("{last}{BLOCK_SEPARATOR}{text}").into()
            };
        }
        _ => message.parts.push(Part::text(text)),
    }
}

/// The newest blocks in the messages of a payload that the caller has sent back.
pub(super) fn find_returned(history: &[Message]) -> BlocksInSight {
    let mut in_sight = BlocksInSight::default();
    for message in history.iter().filter(|message| takes_blocks(message)) {
        for part in &message.parts {
            let Content::Text(text) = &part.content else { continue };
            for block in strip_injected::blocks(text) {
                in_sight.note(block.into());
            }
        }
    }
    in_sight
}

/// Whether blocks can be put at the end of a message.
fn takes_blocks(message: &Message) -> bool {
    matches!(message.role, Role::User | Role::Tool)
}

/// The message that takes the blocks of a compile for good.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockAnchor {
    /// Its index in the history.
    pub(super) at: usize,
    /// Its index in the request's list, if it is from there.
    origin: Option<usize>,
    /// The message without the blocks of this compile.
    hash: PrefixHash,
}

impl BlockAnchor {
    /// The last message of a history, if it may have text of the user. `programs` are those of the
    /// history.
    pub(super) fn find(
        history: &[Message],
        programs: &ProgramCalls,
        hasher: &mut MessageHasher,
    ) -> Option<Self> {
        let at = history.len().checked_sub(1)?;
        let last = history.get(at).filter(|message| takes_blocks(message))?;
        if programs.holds(last) {
            return None;
        }
        let hash = hasher.message(last, HashScope::Bound).into();
        Some(Self { at, origin: last.origin, hash })
    }

    /// The records of the blocks that a compile puts at the end of the message.
    pub(super) fn to_sent(self, blocks: &[String]) -> Vec<SentBlock> {
        let Some(at) = self.origin else { return Vec::new() };
        let record = |text: &String| SentBlock {
            at: at as u64,
            message: self.hash,
            text: text.as_str().into(),
        };
        blocks.iter().map(record).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(at: usize, text: &str) -> Message {
        Message { origin: Some(at), ..Message::text(Role::User, text) }
    }

    fn block(at: u64, message: &Message, text: &str) -> SentBlock {
        let hash = MessageHasher::default().message(message, HashScope::Bound).into();
        SentBlock { at, message: hash, text: text.into() }
    }

    #[test]
    fn blocks_stay_where_they_were_put() {
        let list = || vec![user(0, "a"), user(1, "b"), user(2, "c")];
        let (first, second) =
            ("<dynamic_state>1</dynamic_state>", "<dynamic_state>2</dynamic_state>");
        let blocks = vec![
            block(0, &list()[0], first),
            block(0, &list()[0], second),
            block(1, &user(1, "edited"), second),
            block(2, &list()[2], "not yet answered"),
        ];
        let sent = SentHistory { prefixes: Vec::new(), blocks };
        let mut history = list();
        let restored = restore(&mut history, &sent, &mut MessageHasher::default());
        let text = |at: usize| history[at].parts[0].as_text().map(|text| text.to_string());
        assert_eq!(text(0), Some(format!("a\n\n{first}\n\n{second}")));
        assert_eq!([text(1), text(2)], ["b", "c"].map(|text| Some(text.to_owned())));
        assert!(restored.in_sight.has(second) && !restored.in_sight.has(first));
        assert_eq!(restored.bare.len(), 1);
        assert_eq!(restored.bare[0].message, list()[0]);
    }
}
