//! The body of `POST /memory`: an action on one entry.

use std::sync::Arc;

use super::memory::{MAX_VALUE_BYTES, read_key, read_metadata, read_scope};
use crate::domain::{MemoryScope, MemoryTier, RawJson};
use crate::json::{Fault, Faults, Fields, Node, Path};

/// An action of `POST /memory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreAction {
    Add,
    Replace,
    Remove,
}

impl StoreAction {
    pub const WORDS: &[(&str, Self)] =
        &[("add", Self::Add), ("replace", Self::Replace), ("remove", Self::Remove)];
}

/// The values of `type` at `POST /memory`, and the tiers that they mean.
pub const MEMORY_TYPES: &[(&str, MemoryTier)] = &[
    ("short_term", MemoryTier::Working),
    ("long_term", MemoryTier::Durable),
    ("entity", MemoryTier::Semantic),
    ("episodic", MemoryTier::Episodic),
];

/// The body of `POST /memory`.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreRequest {
    pub action: StoreAction,
    pub content: Option<Arc<str>>,
    /// The tier that `type` means, if the request has one.
    pub tier: Option<MemoryTier>,
    pub key: Option<Arc<str>>,
    /// A part of the content of the one entry that is meant.
    pub matching: Option<Arc<str>>,
    pub metadata: Option<RawJson>,
    pub scope: MemoryScope,
}

/// The fault of a body of `POST /memory`.
#[derive(Debug, Clone, PartialEq)]
pub enum StoreFault {
    Action(String),
    Type(String),
    Faults(Vec<Fault>),
}

/// Reads the body of `POST /memory`.
pub fn read_store(body: &Node<'_>) -> Result<StoreRequest, StoreFault> {
    let mut faults = Faults::default();
    let known = &["action", "content", "type", "key", "match", "metadata", "scope"];
    let Some(fields) = Fields::read(body, Path::Root, known, &mut faults) else {
        return Err(StoreFault::Faults(faults.into_vec()));
    };
    let kind = fields.text("type", &mut faults);
    let tier = kind.map(|kind| MEMORY_TYPES.iter().find(|(word, _)| *word == kind));
    let action = fields.text("action", &mut faults).unwrap_or("add");
    let known = StoreAction::WORDS.iter().find(|(word, _)| *word == action);
    let content: Option<Arc<str>> = fields.text("content", &mut faults).map(Into::into);
    if content.as_ref().is_some_and(|text| text.len() > MAX_VALUE_BYTES) {
        fields.fault("content", format!("must be at most {MAX_VALUE_BYTES} bytes"), &mut faults);
    }
    let key = fields.get("key").and_then(|_| read_key(&fields, &mut faults));
    let matching: Option<Arc<str>> = fields.text("match", &mut faults).map(Into::into);
    let scope = read_scope(&fields, &mut faults);
    let metadata = read_metadata(&fields, &mut faults);
    if let (Some(kind), Some(None)) = (kind, tier) {
        return Err(StoreFault::Type(kind.to_owned()));
    }
    let Some((_, action)) = known else { return Err(StoreFault::Action(action.to_owned())) };
    if content.is_none() && *action != StoreAction::Remove {
        fields.fault("content", "is missing", &mut faults);
    }
    let names_one = key.is_some() || matching.is_some();
    if !names_one && *action == StoreAction::Replace {
        fields.fault("key", "`key` or `match` must say which entry is replaced", &mut faults);
    }
    if !names_one && content.is_none() && *action == StoreAction::Remove {
        fields.fault("key", "`key`, `match` or `content` must say which entry goes", &mut faults);
    }
    if !faults.is_empty() {
        return Err(StoreFault::Faults(faults.into_vec()));
    }
    let tier = tier.flatten().map(|(_, tier)| *tier);
    Ok(StoreRequest { action: *action, content, tier, key, matching, metadata, scope })
}
