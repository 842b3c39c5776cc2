//! The recall of a compile: ranked entries, and expired entries to remove.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::change::remove;
use super::{Error, Services};
use crate::domain::{MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope};
use crate::json::{self, Limits};
use crate::pipeline::{self, MemoryMatch, RankedMemory};
use crate::request::{self, RecallRequest};
use crate::store::{self, FoundEntry, MemoryView, Tx};

/// Entries that are ranked, for each way of finding them.
const MAX_RANKED_ENTRIES: usize = 200;

/// The result of a recall outside of a compile.
#[derive(Debug)]
pub struct RecallAnswer {
    /// Best first, each with whether a compile would show it.
    pub ranked: Vec<(RankedMemory, bool)>,
    /// Tokens of the entries that would be shown.
    pub tokens: u64,
    pub max_tokens: u64,
    /// Number of changes of the tenant's entries so far.
    pub revision: u64,
}

/// Runs the recall of a compile alone, with counts in `o200k_base` tokens.
pub fn recall(services: &Services, body: &str) -> Result<RecallAnswer, Error> {
    let node = json::parse(body, Limits::default())?;
    let request = request::read_recall(&node).map_err(Error::Invalid)?;
    let RecallRequest { scope, query, max_tokens, tags } = request;
    let question = query.as_deref().unwrap_or_default();
    let (mut ranked, revision) = services.tenant().read(|tx| {
        let ranked = recalled(tx, &scope, question)?;
        Ok::<_, store::Error>((ranked, tx.memory_state()?.0))
    })?;
    ranked.retain(|one| tags.is_empty() || one.entry.tags.iter().any(|tag| tags.contains(tag)));
    let fit = pipeline::fit_memory(services.pipeline(), &ranked, max_tokens);
    let tokens = fit.tokens;
    let ranked = ranked.into_iter().zip(fit.shown).collect();
    Ok(RecallAnswer { ranked, tokens, max_tokens, revision })
}

/// Ranks the entries in sight of a scope. If several scopes have an entry with one key, only the
/// entry of the narrowest scope is in sight.
pub(crate) fn recalled(
    tx: &Tx<'_>,
    scope: &MemoryScope,
    question: &str,
) -> Result<Vec<RankedMemory>, store::Error> {
    let view = MemoryView { scope: scope.clone() };
    let found = tx.recall_memory(&view, question, MAX_RANKED_ENTRIES)?;
    let mut narrowest: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for one in &found {
        let width = narrowest.entry(Arc::clone(&one.entry.key)).or_default();
        *width = (*width).max(narrowness(&one.entry.scope));
    }
    let seen =
        |one: &FoundEntry| narrowest.get(&one.entry.key) == Some(&narrowness(&one.entry.scope));
    let candidates = found
        .into_iter()
        .filter(seen)
        .map(|found| MemoryMatch { entry: Arc::new(found.entry), relevance: found.relevance })
        .collect();
    Ok(pipeline::rank_memory(candidates))
}

/// The rank of a scope by its parts: the session counts more than the agent, the agent more than the
/// subject.
fn narrowness(scope: &MemoryScope) -> usize {
    let weigh = |part: &Option<Arc<str>>, weight| if part.is_some() { weight } else { 0 };
    weigh(&scope.subject, 1) + weigh(&scope.agent, 2) + weigh(&scope.session_id, 4)
}

/// Expired entries in sight of a scope, in the order of their creation.
pub(crate) fn expired(tx: &Tx<'_>, scope: &MemoryScope) -> Result<Vec<MemoryEntry>, store::Error> {
    tx.expired_in_sight(&MemoryView { scope: scope.clone() })
}

/// Removes expired entries. Each one publishes `memory:expired` and `memory:changed`.
pub(crate) fn expire(tx: &Tx<'_>, entries: &[MemoryEntry]) -> Result<(), store::Error> {
    for entry in entries {
        remove(tx, entry, MemoryAction::Expire, MemoryOrigin::Expiry)?;
    }
    Ok(())
}

/// Removes all expired entries, in several transactions.
pub(crate) fn expire_all(services: &Services) -> Result<(), store::Error> {
    /// Entries of one transaction.
    const MAX_BATCH_ENTRIES: usize = 200;
    loop {
        let gone = services.write_observed(None, |tx| {
            let entries = tx.expired_memory(MAX_BATCH_ENTRIES)?;
            expire(tx, &entries)?;
            Ok::<_, store::Error>(entries.len())
        })?;
        if gone < MAX_BATCH_ENTRIES {
            return Ok(());
        }
    }
}
