//! Which entries a compile shows, and what has expired by then.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::change::remove;
use super::{Error, Services};
use crate::domain::{MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope};
use crate::json::{self, Limits};
use crate::pipeline::{self, MemoryMatch, RankedMemory};
use crate::request::{self, RecallRequest};
use crate::store::{self, FoundEntry, MemoryView, Tx};

/// Entries that are weighed, by each way of finding them.
const WEIGHED: usize = 200;

/// What a dry run of the recall tells.
#[derive(Debug)]
pub struct RecallAnswer {
    /// Best first; those that a compile would show have `shown`.
    pub ranked: Vec<(RankedMemory, bool)>,
    /// Tokens of what would be shown.
    pub tokens: u64,
    pub max_tokens: u64,
    /// How often the tenant's entries were changed before.
    pub revision: u64,
}

/// Runs the recall of a compile by itself, in `o200k_base` tokens.
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

/// The entries in sight, ranked. Where several scopes have an entry of one key, the narrowest is
/// seen.
pub(crate) fn recalled(
    tx: &Tx<'_>,
    scope: &MemoryScope,
    question: &str,
) -> Result<Vec<RankedMemory>, store::Error> {
    let view = MemoryView { scope: scope.clone() };
    let found = tx.recall_memory(&view, question, WEIGHED)?;
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

/// By how many parts a scope is narrowed; the session counts before the agent, the agent before the
/// subject.
fn narrowness(scope: &MemoryScope) -> usize {
    let weigh = |part: &Option<Arc<str>>, weight| if part.is_some() { weight } else { 0 };
    weigh(&scope.subject, 1) + weigh(&scope.agent, 2) + weigh(&scope.session_id, 4)
}

/// Entries in sight whose time is up, in the order in which they came.
pub(crate) fn expired(tx: &Tx<'_>, scope: &MemoryScope) -> Result<Vec<MemoryEntry>, store::Error> {
    tx.expired_in_sight(&MemoryView { scope: scope.clone() })
}

/// Removes entries whose time is up: each is told as expired, removed, and told as changed.
pub(crate) fn expire(tx: &Tx<'_>, entries: &[MemoryEntry]) -> Result<(), store::Error> {
    for entry in entries {
        remove(tx, entry, MemoryAction::Expire, MemoryOrigin::Expiry)?;
    }
    Ok(())
}

/// Removes all entries whose time is up, some at a time.
pub(crate) fn expire_all(services: &Services) -> Result<(), store::Error> {
    /// Entries of one transaction.
    const AT_ONCE: usize = 200;
    loop {
        let gone = services.write_told(None, |tx| {
            let entries = tx.expired_memory(AT_ONCE)?;
            expire(tx, &entries)?;
            Ok::<_, store::Error>(entries.len())
        })?;
        if gone < AT_ONCE {
            return Ok(());
        }
    }
}
