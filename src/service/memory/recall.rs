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
        let view = MemoryView::new(scope.clone());
        let ranked = recalled(tx, &view, question, &|_| true)?;
        Ok::<_, store::Error>((ranked, tx.memory_state()?.0))
    })?;
    ranked.retain(|one| tags.is_empty() || one.entry.tags.iter().any(|tag| tags.contains(tag)));
    let fit = pipeline::fit_memory(services.pipeline(), &ranked, max_tokens);
    let tokens = fit.tokens;
    let ranked = ranked.into_iter().zip(fit.shown).collect();
    Ok(RecallAnswer { ranked, tokens, max_tokens, revision })
}

/// Ranks the visible entries that `admits` accepts. If several scopes have an entry with one key,
/// only the entry of the narrowest scope is in sight.
pub(crate) fn recalled(
    tx: &Tx<'_>,
    view: &MemoryView,
    question: &str,
    admits: &dyn Fn(&MemoryEntry) -> bool,
) -> Result<Vec<RankedMemory>, store::Error> {
    let mut found = tx.recall_memory(view, question, MAX_RANKED_ENTRIES)?;
    found.retain(|one| admits(&one.entry));
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

/// The entry of a key that a compile in this scope shows.
pub(crate) fn entry_in_sight(
    tx: &Tx<'_>,
    scope: &MemoryScope,
    key: &str,
) -> Result<Option<MemoryEntry>, store::Error> {
    let view = MemoryView::new(scope.clone());
    let found = tx.memory_in_sight(&view, key)?;
    Ok(found.into_iter().max_by_key(|entry| narrowness(&entry.scope)))
}

/// The rank of a scope by its parts: the session counts more than the agent, the agent more than the
/// subject, and the subject more than the pack tenant.
fn narrowness(scope: &MemoryScope) -> usize {
    let MemoryScope { subject, session_id, agent, pack_tenant } = scope;
    let weigh = |part: &Option<Arc<str>>, weight| if part.is_some() { weight } else { 0 };
    weigh(pack_tenant, 1) + weigh(subject, 2) + weigh(agent, 4) + weigh(session_id, 8)
}

/// Expired entries in sight of a scope, in the order of their creation.
pub(crate) fn expired(tx: &Tx<'_>, scope: &MemoryScope) -> Result<Vec<MemoryEntry>, store::Error> {
    tx.expired_in_sight(&MemoryView::new(scope.clone()))
}

/// Removes entries that had expired when they were read. Each one publishes `memory:expired` and
/// `memory:changed`. Entries that are gone or were written again since are left alone.
pub(crate) fn expire(tx: &Tx<'_>, entries: &[MemoryEntry]) -> Result<(), store::Error> {
    for entry in entries {
        let stored = tx.memory_row(&entry.scope, &entry.key)?;
        // A key that was deleted and written again begins at version 1, at another time.
        let is_same = stored.is_some_and(|stored| {
            stored.version == entry.version
                && stored.created_at == entry.created_at
                && stored.updated_at == entry.updated_at
        });
        if is_same {
            remove_expired(tx, entry)?;
        }
    }
    Ok(())
}

fn remove_expired(tx: &Tx<'_>, entry: &MemoryEntry) -> Result<(), store::Error> {
    remove(tx, entry, MemoryAction::Expire, MemoryOrigin::Expiry)
}

/// Removes all expired entries, in several transactions. Observe hooks get queued calls, also those with
/// `delivery: "sync"`.
pub(crate) fn expire_all(services: &Services) -> Result<(), store::Error> {
    /// Entries of one read, by time and by turns each.
    const READ_BATCH_ENTRIES: usize = 500;
    /// Entries of one transaction.
    const MAX_BATCH_ENTRIES: usize = 20;
    loop {
        // Read before, so that no transaction looks through entries while others wait.
        let found = services.tenant().read(|tx| tx.expired_memory(READ_BATCH_ENTRIES))?;
        for part in found.chunks(MAX_BATCH_ENTRIES) {
            let part = part.to_vec();
            services.write_and_queue(None, move |tx| {
                for entry in &part {
                    // A session may begin its turns again meanwhile.
                    if tx.memory(&entry.scope, &entry.key)?.is_none() {
                        expire(tx, std::slice::from_ref(entry))?;
                    }
                }
                Ok::<_, store::Error>(())
            })?;
        }
        if found.len() < READ_BATCH_ENTRIES {
            return Ok(());
        }
    }
}
