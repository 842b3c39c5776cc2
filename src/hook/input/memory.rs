//! Inputs at the points around memory.

use serde::Serialize;

use super::{InputMember, MemoryEntryInput, PointInput, ScopeInput};
use crate::json::JsonText;

/// The value of samples.
const SAMPLE_VALUE: Option<JsonText<'static>> = Some(JsonText::new("\"Rust\""));

/// The input at `memory_update`.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryUpdateInput<'a> {
    pub origin: &'static str,
    pub op: &'static str,
    pub key: &'a str,
    pub value: Option<JsonText<'a>>,
    pub old_value: Option<JsonText<'a>>,
    pub memory_id: &'a str,
    pub scope: ScopeInput<'a>,
}

impl PointInput for MemoryUpdateInput<'_> {
    const SENTENCE: &'static str =
        "before a model's own write to memory, of a key that it may write";
    const MEMBERS: &'static [InputMember] = &[
        ("origin", "`model`"),
        ("op", "`create`, `update` or `delete`"),
        ("key", "the entry's key"),
        ("value", "what is to be stored; null for a deletion"),
        ("old_value", "what is stored, or null"),
        ("memory_id", "the entry's id, unique in its tenant: its path below `/memory/`"),
        ("scope", "the entry's scope: `subject`, `session_id`, `agent`, `pack_tenant`"),
    ];

    fn sample() -> Self {
        Self {
            origin: "model",
            op: "create",
            key: "language",
            value: SAMPLE_VALUE,
            old_value: None,
            memory_id: "language",
            scope: ScopeInput::SHARED,
        }
    }
}

/// The input at `memory_changed`: the words of two libraries for one change.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryChangedInput<'a> {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub key: Option<&'a str>,
    pub value: Option<JsonText<'a>>,
    pub old_value: Option<JsonText<'a>>,
    pub action: &'static str,
    pub target: &'static str,
    pub content: &'a str,
    pub metadata: Option<JsonText<'a>>,
    pub memory_id: Option<&'a str>,
    pub affected: u64,
    pub origin: &'static str,
    pub scope: ScopeInput<'a>,
}

impl PointInput for MemoryChangedInput<'_> {
    const SENTENCE: &'static str = "after a memory entry was set, deleted or expired";
    const MEMBERS: &'static [InputMember] = &[
        ("type", "`set`, `delete` or `expire`"),
        ("key", "the entry's key"),
        ("value", "what is stored now, or null"),
        ("old_value", "what was stored, or null"),
        ("action", "`add`, `replace`, `remove` or `expire`"),
        ("target", "the caller's word for the kind of memory"),
        ("content", "the text that was given"),
        ("metadata", "an object, or null"),
        ("memory_id", "the entry's id, unique in its tenant: its path below `/memory/`"),
        ("affected", "entries that changed"),
        ("origin", "`model`, `direct`, `review`, `session` or `expiry`"),
        ("scope", "the entry's scope: `subject`, `session_id`, `agent`, `pack_tenant`"),
    ];

    fn sample() -> Self {
        Self {
            kind: "set",
            key: Some("language"),
            value: SAMPLE_VALUE,
            old_value: None,
            action: "add",
            target: "long_term",
            content: "Rust",
            metadata: None,
            memory_id: Some("language"),
            affected: 1,
            origin: "direct",
            scope: ScopeInput::SHARED,
        }
    }
}

/// The input at `memory_expired`.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryExpiredInput<'a> {
    pub entry: MemoryEntryInput<'a>,
}

impl PointInput for MemoryExpiredInput<'_> {
    const SENTENCE: &'static str = "after an expired memory entry was deleted";
    const MEMBERS: &'static [InputMember] = &[("entry", "the whole entry")];

    fn sample() -> Self {
        Self { entry: MemoryEntryInput::sample() }
    }
}

/// The input at `recall_memory`.
#[derive(Debug, Clone, Serialize)]
pub struct RecallMemoryInput<'a> {
    pub query: Option<&'a str>,
    pub candidates: Vec<MemoryEntryInput<'a>>,
    pub max_tokens: u64,
}

impl PointInput for RecallMemoryInput<'_> {
    const SENTENCE: &'static str = "chooses among stored memory entries, or adds others";
    const MEMBERS: &'static [InputMember] = &[
        ("query", "what the caller looks for, or null"),
        ("candidates", "entries of the store"),
        ("max_tokens", "the most that they may take"),
    ];

    fn sample() -> Self {
        Self {
            query: Some("language"),
            candidates: vec![MemoryEntryInput::sample()],
            max_tokens: 2_000,
        }
    }
}
