//! Decisions in memory: what this process has read or stored, and what it sent while the store was away.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::calibration::Calibrations;
use crate::gateway::{Compaction, LineageHash, MessageDecision, SessionBlocks};

/// Bytes of decisions in memory.
const MAX_CACHE_BYTES: u64 = 64 << 20;
/// Bytes of compaction points in memory.
const MAX_POINT_BYTES: u64 = 32 << 20;
/// Bytes of blocks of mode `session` in memory.
const MAX_BLOCK_BYTES: u64 = 16 << 20;
/// Decisions that are expected.
const EXPECTED_DECISIONS: usize = 1 << 14;
/// Tenants whose decisions are noted; further ones are looked up each time.
const MAX_NOTED_TENANTS: usize = 10_000;

/// Messages that were sent as they came and are not stored as such yet.
const MAX_UNSTORED: usize = 1 << 16;

/// Decisions in memory, and the tenants that have any.
pub(crate) struct DecisionCache {
    decisions: Cache<LineageHash, Arc<MessageDecision>, DecisionWeight>,
    /// Messages that were sent as they came because nothing could be stored. They stay so, whatever
    /// the store has: a commit may have been carried out although it seemed to fail.
    unstored: Cache<LineageHash, ()>,
    points: Cache<LineageHash, KnownPoint, PointWeight>,
    blocks: Cache<LineageHash, KnownPut, BlockWeight>,
    tenants: Mutex<HashMap<Arc<str>, bool>>,
    pub(super) calibrations: Calibrations,
}

/// What this process knows of a place at which a request may have passed a compaction point.
#[derive(Debug, Clone)]
pub(super) enum KnownPoint {
    Unknown,
    /// The request was sent without one.
    NotPassed,
    Passed(Arc<Compaction>),
}

/// What this process knows of the blocks after a message.
#[derive(Debug, Clone)]
pub(super) enum KnownPut {
    Unknown,
    /// The message was sent without any.
    Nothing,
    Blocks(Arc<SessionBlocks>),
}

#[derive(Debug, Clone)]
struct DecisionWeight;

impl Weighter<LineageHash, Arc<MessageDecision>> for DecisionWeight {
    fn weight(&self, _: &LineageHash, decision: &Arc<MessageDecision>) -> u64 {
        128 + decision.bytes() as u64
    }
}

#[derive(Debug, Clone)]
struct PointWeight;

impl Weighter<LineageHash, KnownPoint> for PointWeight {
    fn weight(&self, _: &LineageHash, point: &KnownPoint) -> u64 {
        match point {
            KnownPoint::Passed(compaction) => 256 + compaction.bytes() as u64,
            KnownPoint::Unknown | KnownPoint::NotPassed => 96,
        }
    }
}

#[derive(Debug, Clone)]
struct BlockWeight;

impl Weighter<LineageHash, KnownPut> for BlockWeight {
    fn weight(&self, _: &LineageHash, put: &KnownPut) -> u64 {
        match put {
            KnownPut::Blocks(blocks) => 160 + blocks.bytes() as u64,
            KnownPut::Unknown | KnownPut::Nothing => 96,
        }
    }
}

impl Default for DecisionCache {
    fn default() -> Self {
        Self {
            decisions: Cache::with_weighter(EXPECTED_DECISIONS, MAX_CACHE_BYTES, DecisionWeight),
            unstored: Cache::new(MAX_UNSTORED),
            points: Cache::with_weighter(EXPECTED_DECISIONS, MAX_POINT_BYTES, PointWeight),
            blocks: Cache::with_weighter(EXPECTED_DECISIONS, MAX_BLOCK_BYTES, BlockWeight),
            tenants: Mutex::default(),
            calibrations: Calibrations::default(),
        }
    }
}

impl fmt::Debug for DecisionCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecisionCache").finish_non_exhaustive()
    }
}

impl DecisionCache {
    pub(super) fn get(&self, hash: &LineageHash) -> Option<Arc<MessageDecision>> {
        self.decisions.get(hash)
    }

    /// Keeps a decision. What stands already stays: the write of a request that was given up may end
    /// after its messages were sent as they came.
    pub(super) fn insert(&self, hash: LineageHash, decision: Arc<MessageDecision>) {
        let kept = self.decisions.get_or_insert_with(&hash, || Ok::<_, Infallible>(decision));
        drop(kept);
    }

    /// Notes that a message was sent as it came because the store is away.
    pub(super) fn note_unstored(&self, hash: LineageHash) {
        self.unstored.insert(hash, ());
    }

    /// Whether a message was sent as it came while the store was away, which is not stored yet.
    pub(super) fn is_unstored(&self, hash: &LineageHash) -> bool {
        self.unstored.get(hash).is_some()
    }

    /// Notes that it is stored now that a message stays as it came.
    pub(super) fn settle(&self, hash: LineageHash) {
        self.decisions.insert(hash, Arc::default());
        self.unstored.remove(&hash);
    }

    /// What is known of a place, by the hash of its point.
    pub(super) fn point(&self, hash: &LineageHash) -> KnownPoint {
        self.points.get(hash).unwrap_or(KnownPoint::Unknown)
    }

    /// Keeps what was decided at a point.
    pub(super) fn insert_point(&self, hash: LineageHash, compaction: Arc<Compaction>) {
        self.unstored.remove(&hash);
        self.points.insert(hash, KnownPoint::Passed(compaction));
    }

    /// Notes that a request was sent without a point in this place.
    pub(super) fn note_not_passed(&self, hash: LineageHash) {
        self.points.insert(hash, KnownPoint::NotPassed);
    }

    /// Notes that it is stored now that a request was sent without a point.
    pub(super) fn settle_point(&self, hash: LineageHash) {
        self.note_not_passed(hash);
        self.unstored.remove(&hash);
    }

    /// What is known of the blocks after a message, by their hash.
    pub(super) fn blocks(&self, hash: &LineageHash) -> KnownPut {
        self.blocks.get(hash).unwrap_or(KnownPut::Unknown)
    }

    /// Keeps the blocks after a message.
    pub(super) fn insert_blocks(&self, hash: LineageHash, blocks: Arc<SessionBlocks>) {
        self.blocks.insert(hash, KnownPut::Blocks(blocks));
    }

    /// Notes that a message was sent without blocks.
    pub(super) fn note_no_blocks(&self, hash: LineageHash) {
        self.blocks.insert(hash, KnownPut::Nothing);
    }

    /// Notes that it is stored now that a message was sent without blocks.
    pub(super) fn settle_blocks(&self, hash: LineageHash) {
        self.note_no_blocks(hash);
        self.unstored.remove(&hash);
    }

    /// Whether a tenant has decisions; none if that is not noted.
    pub(super) fn knows_of(&self, tenant: &str) -> Option<bool> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner).get(tenant).copied()
    }

    /// Notes whether a tenant has decisions.
    pub(super) fn note_tenant(&self, tenant: &Arc<str>, has_decisions: bool) {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        if has_decisions || tenants.len() < MAX_NOTED_TENANTS {
            tenants.insert(Arc::clone(tenant), has_decisions);
        }
    }
}
