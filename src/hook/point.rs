//! The points of hooks, and what hooks may do there.

use std::fmt;

/// A place, in a compile or elsewhere, at which hooks run. [`super::about`] describes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    BeforeCompress,
    Summarize,
    AfterCompress,
    BeforeCompile,
    TransformContext,
    MemoryUpdate,
    MemoryChanged,
    MemoryExpired,
    Delegation,
    SessionSwitch,
    CacheExpiring,
    ToolCall,
    ToolResult,
    CompressFormat,
    RetrieveEvidence,
    RecallMemory,
    Event,
}

/// The role of a hook. At a point they run in this order, except for [`Point::guards_last`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookKind {
    /// Allows or denies.
    Guard,
    /// Replaces the payload.
    Transform,
    /// Adds something.
    Provide,
    /// Is notified, and changes nothing.
    Observe,
}

impl Point {
    /// The points of facts outside of a compile.
    pub const FACTS: [Self; 5] = [
        Self::MemoryChanged,
        Self::MemoryExpired,
        Self::Delegation,
        Self::SessionSwitch,
        Self::CacheExpiring,
    ];

    pub const ALL: [Self; 17] = [
        Self::BeforeCompress,
        Self::Summarize,
        Self::AfterCompress,
        Self::BeforeCompile,
        Self::TransformContext,
        Self::MemoryUpdate,
        Self::MemoryChanged,
        Self::MemoryExpired,
        Self::Delegation,
        Self::SessionSwitch,
        Self::CacheExpiring,
        Self::ToolCall,
        Self::ToolResult,
        Self::CompressFormat,
        Self::RetrieveEvidence,
        Self::RecallMemory,
        Self::Event,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BeforeCompress => "before_compress",
            Self::Summarize => "summarize",
            Self::AfterCompress => "after_compress",
            Self::BeforeCompile => "before_compile",
            Self::TransformContext => "transform_context",
            Self::MemoryUpdate => "memory_update",
            Self::MemoryChanged => "memory_changed",
            Self::MemoryExpired => "memory_expired",
            Self::Delegation => "delegation",
            Self::SessionSwitch => "session_switch",
            Self::CacheExpiring => "cache_expiring",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::CompressFormat => "compress_format",
            Self::RetrieveEvidence => "retrieve_evidence",
            Self::RecallMemory => "recall_memory",
            Self::Event => "event",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.as_str() == text)
    }

    /// The kinds that a point takes, in the order in which they run.
    pub const fn kinds(self) -> &'static [HookKind] {
        use HookKind::{Guard, Observe, Provide, Transform};
        match self {
            Self::BeforeCompress => &[Guard, Transform, Provide, Observe],
            Self::BeforeCompile => &[Provide, Observe],
            Self::TransformContext => &[Transform, Guard, Observe],
            Self::MemoryUpdate => &[Guard, Transform],
            Self::ToolCall => &[Guard, Transform, Observe],
            Self::ToolResult => &[Transform, Observe],
            Self::Summarize
            | Self::CompressFormat
            | Self::RetrieveEvidence
            | Self::RecallMemory => &[Provide],
            Self::AfterCompress
            | Self::MemoryChanged
            | Self::MemoryExpired
            | Self::Delegation
            | Self::SessionSwitch
            | Self::CacheExpiring
            | Self::Event => &[Observe],
        }
    }

    pub fn takes(self, kind: HookKind) -> bool {
        self.kinds().contains(&kind)
    }

    /// Whether guards see what the transforms made, as the last word before a payload is written.
    pub fn guards_last(self) -> bool {
        self == Self::TransformContext
    }

    /// JSON Pointer into `input` of the one part that a transform may change.
    pub const fn payload(self) -> Option<&'static str> {
        match self {
            Self::BeforeCompress => Some("/history"),
            Self::TransformContext => Some("/messages"),
            Self::MemoryUpdate => Some("/value"),
            Self::ToolCall => Some("/tool/arguments"),
            Self::ToolResult => Some("/result"),
            _ => None,
        }
    }

    /// The form of a provide hook's answer at this point.
    pub const fn provides(self) -> ProvideRule {
        match self {
            Self::BeforeCompress => ProvideRule::Text { include: true },
            Self::BeforeCompile => ProvideRule::Text { include: false },
            Self::Summarize => ProvideRule::First(&["content"]),
            Self::CompressFormat => ProvideRule::First(&["text"]),
            Self::RetrieveEvidence => ProvideRule::Every(&["evidence"]),
            Self::RecallMemory => ProvideRule::Every(&["keys", "entries"]),
            _ => ProvideRule::Nothing,
        }
    }

    /// Whether a call concerns one tool, so that `match.tools` can apply.
    pub fn has_tool(self) -> bool {
        self.has_arguments() || self == Self::CompressFormat
    }

    /// Whether a call has the arguments of its tool, so that `match.args` can apply.
    pub fn has_arguments(self) -> bool {
        matches!(self, Self::ToolCall | Self::ToolResult)
    }
}

/// The form of the answers of a point's provide hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProvideRule {
    /// The point takes no provide hook.
    Nothing,
    /// Text, in one piece or in fragments; the texts of all hooks are joined. `include`: whether a
    /// fragment specifies its place.
    Text { include: bool },
    /// An object with some of these members, from the first hook that has an answer.
    First(&'static [&'static str]),
    /// An object with some of these members, from every hook.
    Every(&'static [&'static str]),
}

impl HookKind {
    pub const ALL: [Self; 4] = [Self::Guard, Self::Transform, Self::Provide, Self::Observe];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Transform => "transform",
            Self::Provide => "provide",
            Self::Observe => "observe",
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for HookKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
