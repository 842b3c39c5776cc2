//! Schemas of `POST /memory/recall`.

use serde::Serialize;
use utoipa::ToSchema;

use super::memory::{MemoryEntry, Scope};
use crate::service::memory::RecallAnswer;

/// What memory would show.
#[derive(Debug, ToSchema)]
pub struct MemoryRecallRequest {
    /// Who looks.
    pub scope: Option<Scope>,
    /// What is looked for; a compile asks with the last user message.
    pub query: Option<String>,
    /// Room, in tokens of `o200k_base`.
    #[schema(default = 2_000)]
    pub max_tokens: Option<u64>,
    /// Only entries with one of these.
    pub tags: Option<Vec<String>>,
}

/// What memory would show, and why.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MemoryRecallResponse)]
pub struct MemoryRecalled {
    /// Best first.
    pub items: Vec<RecalledEntry>,
    /// Tokens of what is shown.
    pub tokens: u64,
    /// The room in tokens.
    pub max_tokens: u64,
    /// How often the tenant's entries were changed before.
    pub store_revision: u64,
}

/// An entry and the reasons for its place.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecalledEntry {
    /// Whether it finds room.
    pub shown: bool,
    /// 0.6 × relevance + 0.25 × importance + 0.15 × recency.
    pub score: f64,
    /// How well its words match the query, compared with the entry that matches it best.
    pub relevance: f64,
    /// The importance of the entry.
    pub importance: f64,
    /// Halves with every 30 days that it is older than the newest entry.
    pub recency: f64,
    /// The entry.
    pub entry: MemoryEntry,
}

impl From<&RecallAnswer> for MemoryRecalled {
    fn from(answer: &RecallAnswer) -> Self {
        let items = answer.ranked.iter().map(|(ranked, shown)| RecalledEntry {
            shown: *shown,
            score: ranked.score,
            relevance: ranked.relevance,
            importance: ranked.importance,
            recency: ranked.recency,
            entry: (&*ranked.entry).into(),
        });
        Self {
            items: items.collect(),
            tokens: answer.tokens,
            max_tokens: answer.max_tokens,
            store_revision: answer.revision,
        }
    }
}
