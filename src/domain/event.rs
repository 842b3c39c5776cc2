//! Events: facts that are published after they happened, and change nothing (DESIGN §4).

use std::sync::Arc;

use super::{RawJson, Timestamp};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    MemoryChanged,
    MemoryExpired,
    MemoryDenied,
}

impl EventKind {
    /// Names are `noun:verb`.
    pub const WORDS: &[(&str, Self)] = &[
        ("memory:changed", Self::MemoryChanged),
        ("memory:expired", Self::MemoryExpired),
        ("memory:denied", Self::MemoryDenied),
    ];
}

/// An event that is to be published.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    pub kind: EventKind,
    pub session_id: Option<Arc<str>>,
    pub compilation_id: Option<Arc<str>>,
    /// Ids and counts; never content.
    pub data: RawJson,
}

/// An event as it was published.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// From 1, one more with each event of its tenant.
    pub seq: u64,
    pub at: Timestamp,
    pub kind: EventKind,
    pub session_id: Option<Arc<str>>,
    pub compilation_id: Option<Arc<str>>,
    pub data: RawJson,
}
