//! Stage 5: chooses the memory entries to show, without a model.
//!
//! Relevance to the question weighs most, then the importance that the writer set, then recency.
//! Ages are counted from the newest entry, not from now, so the same store gives the same order at
//! any time. Entries are chosen best first and shown in the order of the store: an entry that
//! stays keeps its bytes and its place.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::domain::MemoryEntry;

/// Shares of a score.
const RELEVANCE_WEIGHT: f64 = 0.6;
const IMPORTANCE_WEIGHT: f64 = 0.25;
const RECENCY_WEIGHT: f64 = 0.15;
/// Days after which an entry is half as new.
const HALF_LIFE_DAYS: f64 = 30.0;

/// An entry that was found, in the order of the store.
#[derive(Debug, Clone)]
pub struct MemoryMatch {
    pub entry: Arc<MemoryEntry>,
    /// The match of its words with the question; 0 if none match.
    pub relevance: f64,
}

/// An entry with the reasons for its place.
#[derive(Debug, Clone)]
pub struct RankedMemory {
    pub entry: Arc<MemoryEntry>,
    /// Its index among the entries that were found.
    pub place: usize,
    /// Each from 0 to 1.
    pub relevance: f64,
    pub importance: f64,
    pub recency: f64,
    pub score: f64,
}

/// Best first.
pub fn rank_memory(candidates: Vec<MemoryMatch>) -> Vec<RankedMemory> {
    let most = candidates.iter().map(|one| one.relevance).fold(0.0, f64::max);
    let newest = candidates.iter().map(|one| one.entry.updated_at).max();
    let mut ranked: Vec<RankedMemory> = candidates
        .into_iter()
        .enumerate()
        .map(|(place, MemoryMatch { entry, relevance })| {
            let relevance = if most > 0.0 { relevance / most } else { 0.0 };
            let age = newest.map(|newest| newest.since(entry.updated_at)).unwrap_or_default();
            let recency = (-(age.as_secs_f64() / 86_400.0) / HALF_LIFE_DAYS).exp2();
            let importance = entry.importance;
            let score = RELEVANCE_WEIGHT * relevance
                + IMPORTANCE_WEIGHT * importance
                + RECENCY_WEIGHT * recency;
            RankedMemory { entry, place, relevance, importance, recency, score }
        })
        .collect();
    ranked.sort_by(|a, b| {
        let order = b.score.total_cmp(&a.score);
        order
            .then_with(|| Reverse(a.entry.updated_at).cmp(&Reverse(b.entry.updated_at)))
            .then(a.place.cmp(&b.place))
    });
    ranked
}
