//! Events: facts that are published after the change, and change nothing.

use std::sync::Arc;

use super::{RawJson, Timestamp};

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    CompileStart,
    CompileDone,
    CompileFailed,
    /// A request through the gateway has ended.
    GatewayRequest,
    /// Rungs 2 to 5 changed something.
    Compress,
    /// Memory, state or context was put into the payload.
    ContextInjected,
    MemoryChanged,
    MemoryExpired,
    MemoryDenied,
    /// A call of a tool that may not be carried out.
    ToolDenied,
    /// A hook gave no answer; of a queued call, after the last attempt.
    HookFailed,
    /// A guard stopped what was asked for.
    HookDenied,
    /// An agent delegated a task to another, and the result was reported.
    DelegationRecorded,
    /// A session was opened, or continues another.
    SessionSwitched,
    /// The prefix of a session's last payload is about to run out in its provider's cache.
    CacheExpiring,
    /// The service disabled a hook.
    HookDisabled,
    /// Queued calls of a hook were deleted, since more were queued than may be.
    HookLost,
    /// To one reader: events between two numbers are no longer kept.
    StreamGap,
    /// To one reader: it was too slow, and is cut.
    StreamOverflow,
}

impl EventKind {
    /// Names are `noun:verb`.
    pub const WORDS: &[(&str, Self)] = &[
        ("compile:start", Self::CompileStart),
        ("compile:done", Self::CompileDone),
        ("compile:failed", Self::CompileFailed),
        ("gateway:request", Self::GatewayRequest),
        ("compress", Self::Compress),
        ("context:injected", Self::ContextInjected),
        ("memory:changed", Self::MemoryChanged),
        ("memory:expired", Self::MemoryExpired),
        ("memory:denied", Self::MemoryDenied),
        ("tool:denied", Self::ToolDenied),
        ("hook:failed", Self::HookFailed),
        ("hook:denied", Self::HookDenied),
        ("delegation:recorded", Self::DelegationRecorded),
        ("session:switched", Self::SessionSwitched),
        ("cache:expiring", Self::CacheExpiring),
        ("hook:disabled", Self::HookDisabled),
        ("hook:lost", Self::HookLost),
        ("stream:gap", Self::StreamGap),
        ("stream:overflow", Self::StreamOverflow),
    ];
}

/// An event to publish.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    pub kind: EventKind,
    pub session_id: Option<Arc<str>>,
    pub compilation_id: Option<Arc<str>>,
    /// Ids and counts; never content.
    pub data: RawJson,
    /// When it happened; none if that is when it is published.
    pub at: Option<Timestamp>,
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
