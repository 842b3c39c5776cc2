//! The blocks that mode `session` put into one list: what is known of them, and how they are shown.
//!
//! A block stays after the message that it was put after, in every mode, until a compaction point: of the
//! blocks before it, only the newest of each kind stay.

use std::collections::HashMap;
use std::sync::Arc;

use super::cache::{DecisionCache, KnownPut};
use crate::domain::ContentHash;
use crate::gateway::{LineageHash, RequestOutline, SessionBlocks};
use crate::pipeline;

/// A message after which blocks may have been put.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockSlot {
    /// The index of the message.
    pub(super) index: usize,
    pub(super) hash: LineageHash,
}

/// Blocks after a message.
#[derive(Debug, Clone)]
pub(crate) struct PutBlocks {
    /// The index of the message.
    pub(super) index: usize,
    pub(super) texts: Vec<Arc<str>>,
}

/// What is known of the blocks of a list.
#[derive(Debug, Default)]
pub(super) struct KnownBlocks {
    /// Messages of which this process knows nothing.
    unknown: Vec<BlockSlot>,
    /// The last message of the request, if blocks can follow it.
    pub(super) last: Option<BlockSlot>,
    /// Whether it is decided what follows it.
    is_last_known: bool,
    put: Vec<PutBlocks>,
    /// Messages that were sent without blocks while the store was away, which is not stored yet.
    pub(super) unstored: Vec<LineageHash>,
}

impl KnownBlocks {
    /// Looks up in memory what was put into a list for the caller's key; nothing without a key.
    pub(super) fn recall(
        cache: &DecisionCache,
        outline: &RequestOutline,
        hashes: &[LineageHash],
        key: Option<&str>,
    ) -> Self {
        let mut blocks = Self::default();
        let Some(key) = key else { return blocks };
        for index in outline.block_messages() {
            let Some(hash) = hashes.get(index).map(|place| place.of_blocks(key)) else { continue };
            let slot = BlockSlot { index, hash };
            let is_last = index + 1 == outline.messages.len();
            blocks.last = blocks.last.or(is_last.then_some(slot));
            if cache.is_unstored(&hash) {
                blocks.is_last_known |= is_last;
                blocks.unstored.push(hash);
                continue;
            }
            match cache.blocks(&hash) {
                KnownPut::Unknown => blocks.unknown.push(slot),
                KnownPut::Nothing => blocks.is_last_known |= is_last,
                KnownPut::Blocks(own) => {
                    blocks.is_last_known |= is_last;
                    blocks.put.push(PutBlocks { index, texts: own.0.clone() });
                }
            }
        }
        blocks
    }

    /// The hashes that the store is to be asked for.
    pub(super) fn unknown(&self) -> impl Iterator<Item = ContentHash> {
        self.unknown.iter().map(|slot| ContentHash(slot.hash.0))
    }

    /// Whether blocks may have been put into earlier messages of which nothing is known.
    pub(super) fn is_open(&self) -> bool {
        let last = self.last.map(|slot| slot.hash);
        self.unknown.iter().any(|slot| Some(slot.hash) != last)
    }

    /// The last message, if it is not decided what follows it.
    pub(super) fn undecided(&self) -> Option<BlockSlot> {
        self.last.filter(|_| !self.is_last_known)
    }

    /// Takes over what the store has of the unknown messages.
    pub(super) fn add(&mut self, cache: &DecisionCache, stored: &HashMap<[u8; 32], Vec<u8>>) {
        let last = self.last.map(|slot| slot.hash);
        for slot in std::mem::take(&mut self.unknown) {
            let found = stored.get(&slot.hash.0).and_then(|packed| SessionBlocks::unpack(packed));
            match found {
                Some(found) => {
                    cache.insert_blocks(slot.hash, Arc::new(found.clone()));
                    self.is_last_known |= Some(slot.hash) == last;
                    self.put.push(PutBlocks { index: slot.index, texts: found.0 });
                }
                None if Some(slot.hash) == last => self.unknown.push(slot),
                None => cache.note_no_blocks(slot.hash),
            }
        }
        self.put.sort_by_key(|own| own.index);
    }

    /// Puts blocks after the last message.
    pub(super) fn put(&mut self, blocks: &SessionBlocks) {
        let Some(last) = self.last else { return };
        self.is_last_known = true;
        self.put.push(PutBlocks { index: last.index, texts: blocks.0.clone() });
    }

    /// The blocks that are sent, in the order of their messages. `end`: the messages before this one are
    /// compacted.
    pub(super) fn shown(&self, end: usize) -> Vec<PutBlocks> {
        let before = self.put.iter().filter(|own| own.index < end);
        let texts: Vec<_> = before.flat_map(|own| own.texts.iter().cloned()).collect();
        let mut newest = pipeline::newest_blocks(&texts).into_iter();
        let stays = |own: &PutBlocks| {
            let mut own = own.clone();
            if own.index < end {
                own.texts.retain(|_| newest.next().unwrap_or(true));
            }
            own
        };
        self.put.iter().map(stays).filter(|own| !own.texts.is_empty()).collect()
    }

    /// The first message that loses a block at a point.
    pub(super) fn first_change(&self, end: usize) -> Option<usize> {
        let shown: HashMap<usize, usize> =
            self.shown(end).into_iter().map(|own| (own.index, own.texts.len())).collect();
        let loses = |own: &&PutBlocks| {
            shown.get(&own.index).copied().unwrap_or_default() != own.texts.len()
        };
        self.put.iter().find(loses).map(|own| own.index)
    }
}
