//! Delegations: an agent handed a task to another.

use std::sync::Arc;

use super::RawJson;

/// A delegation of a task to another agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delegation {
    pub id: Arc<str>,
    /// The session of the agent that handed it over.
    pub session: Arc<str>,
    /// The agent that it was handed to.
    pub agent: Arc<str>,
    pub task: Arc<str>,
    /// Its result; may be empty.
    pub result: Arc<str>,
    pub status: DelegationStatus,
    pub path: DelegationPath,
    /// An object that is carried and not read.
    pub metadata: Option<RawJson>,
}

/// The outcome of a delegation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DelegationStatus {
    Success,
    Failed,
    Timeout,
    Cycle,
    Depth,
}

impl DelegationStatus {
    pub const WORDS: &[(&str, Self)] = &[
        ("success", Self::Success),
        ("failed", Self::Failed),
        ("timeout", Self::Timeout),
        ("cycle", Self::Cycle),
        ("depth", Self::Depth),
    ];
}

/// By which way it was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DelegationPath {
    Sync,
    Async,
    Tool,
    Parallel,
    Typed,
}

impl DelegationPath {
    pub const WORDS: &[(&str, Self)] = &[
        ("sync", Self::Sync),
        ("async", Self::Async),
        ("tool", Self::Tool),
        ("parallel", Self::Parallel),
        ("typed", Self::Typed),
    ];
}
