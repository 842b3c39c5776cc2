//! A memory entry as hooks get it.

use serde::{Serialize, Serializer};

use crate::domain::{
    Classification, MemoryEntry, MemoryScope, MemoryStatus, MemoryTier, MemoryTtl, word_of,
};
use crate::json::JsonText;

/// A memory entry in the input of a hook.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryEntryInput<'a> {
    pub key: &'a str,
    pub value: JsonText<'a>,
    pub tags: Vec<&'a str>,
    pub importance: Importance,
    pub tier: &'static str,
    pub classification: &'static str,
    pub status: &'static str,
    pub version: u64,
    pub update_count: u64,
    pub metadata: Option<JsonText<'a>>,
    pub description: Option<&'a str>,
    pub source: Option<&'a str>,
    pub author: Option<&'a str>,
    pub ttl: Option<TtlInput>,
    pub expires_at: Option<String>,
    pub expires_at_turn: Option<u64>,
    pub created_at: String,
    pub updated_at: String,
    pub scope: ScopeInput<'a>,
}

/// A number from 0 to 1; both ends are written as integers.
#[derive(Debug, Clone, Copy)]
pub struct Importance(pub f64);

/// The time to live of an entry.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TtlInput {
    Seconds(u64),
    Turns(u64),
}

/// The scope of an entry; a part is null if it is shared.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ScopeInput<'a> {
    pub subject: Option<&'a str>,
    pub session_id: Option<&'a str>,
    pub agent: Option<&'a str>,
    /// Left out if it is shared, unlike the other parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack_tenant: Option<&'a str>,
}

impl<'a> From<&'a MemoryEntry> for MemoryEntryInput<'a> {
    fn from(entry: &'a MemoryEntry) -> Self {
        Self {
            key: &entry.key,
            value: entry.value.as_json(),
            tags: entry.tags.iter().map(|tag| &**tag).collect(),
            importance: Importance(entry.importance),
            tier: word_of(MemoryTier::WORDS, entry.tier),
            classification: word_of(Classification::WORDS, entry.classification),
            status: word_of(MemoryStatus::WORDS, entry.status),
            version: entry.version,
            update_count: entry.update_count,
            metadata: entry.metadata.as_ref().map(|raw| raw.as_json()),
            description: entry.description.as_deref(),
            source: entry.source.as_deref(),
            author: entry.author.as_deref(),
            ttl: entry.ttl.map(TtlInput::from),
            expires_at: entry.expires_at.map(|at| at.to_string()),
            expires_at_turn: entry.expires_at_turn,
            created_at: entry.created_at.to_string(),
            updated_at: entry.updated_at.to_string(),
            scope: (&entry.scope).into(),
        }
    }
}

impl From<MemoryTtl> for TtlInput {
    fn from(ttl: MemoryTtl) -> Self {
        match ttl {
            MemoryTtl::Seconds(seconds) => Self::Seconds(seconds),
            MemoryTtl::Turns(turns) => Self::Turns(turns),
        }
    }
}

impl ScopeInput<'_> {
    /// The scope of entries that the whole tenant shares.
    pub const SHARED: Self =
        Self { subject: None, session_id: None, agent: None, pack_tenant: None };
}

impl<'a> From<&'a MemoryScope> for ScopeInput<'a> {
    fn from(scope: &'a MemoryScope) -> Self {
        Self {
            subject: scope.subject.as_deref(),
            session_id: scope.session_id.as_deref(),
            agent: scope.agent.as_deref(),
            pack_tenant: scope.pack_tenant.as_deref(),
        }
    }
}

impl MemoryEntryInput<'_> {
    /// An entry for trials of hooks.
    pub(super) fn sample() -> Self {
        Self {
            key: "language",
            value: JsonText::new("\"Rust\""),
            tags: Vec::new(),
            importance: Importance(0.5),
            tier: "semantic",
            classification: "internal",
            status: "promoted",
            version: 1,
            update_count: 1,
            metadata: None,
            description: None,
            source: None,
            author: None,
            ttl: None,
            expires_at: None,
            expires_at_turn: None,
            created_at: "2026-12-31T23:59:59Z".to_owned(),
            updated_at: "2026-12-31T23:59:59Z".to_owned(),
            scope: ScopeInput::SHARED,
        }
    }
}

impl Serialize for Importance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            low if low <= 0.0 => serializer.serialize_u8(0),
            high if high >= 1.0 => serializer.serialize_u8(1),
            between => serializer.serialize_f64(between),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{RawJson, Timestamp};
    use crate::json::to_text;

    #[test]
    fn an_entry_keeps_the_bytes_of_its_json_and_the_order_of_its_members() {
        let at = Timestamp::parse("2026-11-26T09:00:00Z").unwrap();
        let entry = MemoryEntry {
            scope: MemoryScope { session_id: Some("s".into()), ..MemoryScope::default() },
            key: "k".into(),
            value: RawJson::new(r#"{"n": 1.50}"#),
            description: Some("d".into()),
            tags: vec![Arc::from("a"), Arc::from("b\"")],
            importance: 1.0,
            tier: MemoryTier::Durable,
            classification: Classification::Restricted,
            status: MemoryStatus::Retracted,
            source: None,
            author: Some("me".into()),
            metadata: Some(RawJson::new(r#"{"x":1e3}"#)),
            version: 3,
            update_count: 2,
            created_at: at,
            updated_at: at,
            ttl: Some(MemoryTtl::Turns(4)),
            expires_at: None,
            expires_at_turn: Some(9),
        };
        let written = concat!(
            r#"{"key":"k","value":{"n": 1.50},"tags":["a","b\""],"importance":1,"tier":"durable","#,
            r#""classification":"restricted","status":"retracted","version":3,"update_count":2,"#,
            r#""metadata":{"x":1e3},"description":"d","source":null,"author":"me","ttl":{"turns":4},"#,
            r#""expires_at":null,"expires_at_turn":9,"created_at":"2026-11-26T09:00:00Z","#,
            r#""updated_at":"2026-11-26T09:00:00Z","scope":{"subject":null,"session_id":"s","agent":null}}"#,
        );
        assert_eq!(to_text(&MemoryEntryInput::from(&entry)), written);
    }
}
