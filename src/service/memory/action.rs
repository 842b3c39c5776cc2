//! `POST /memory`: PraisonAI's `store_memory`.

use std::sync::Arc;

use super::change::{MemoryChange, carry_out, remove};
use super::events::tell_nothing_removed;
use super::{Error, Services, UNKNOWN};
use crate::domain::{MemoryAction, MemoryEntry, MemoryOrigin, MemoryTier, RawJson, word_of};
use crate::json::{self, Limits};
use crate::request::{self, MEMORY_TYPES, MemoryWrite, StoreAction, StoreFault, StoreRequest};
use crate::service::idempotency::ResponseRecorder;
use crate::store::{MemoryFilter, Tx};

/// The tier of an added entry if the request has no type.
const DEFAULT_ACT_TIER: MemoryTier = MemoryTier::Working;

/// Entries that are searched for a text.
const MAX_SEARCHED_ENTRIES: usize = 10_000;
/// Entries of one read of the search.
const SEARCH_BATCH_ENTRIES: usize = 500;

/// The result of an action.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryActResult {
    pub action: StoreAction,
    /// The value of `type` for the tier of the entry.
    pub target: &'static str,
    /// The entry after the action, or before it if the action removed it; none if there was no entry.
    pub entry: Option<MemoryEntry>,
}

/// Adds, replaces or removes an entry.
pub fn act(
    services: &Services,
    body: &str,
    telling: ResponseRecorder<MemoryActResult>,
) -> Result<MemoryActResult, Error> {
    let node = json::parse(body, Limits::default())?;
    let request = request::read_store(&node).map_err(|fault| match fault {
        StoreFault::Action(word) => Error::MemoryAction(word),
        StoreFault::Type(word) => Error::MemoryType(word),
        StoreFault::Faults(faults) => Error::Invalid(faults),
    })?;
    // Chosen before the transaction, which may run twice.
    let id: Arc<str> = format!("mem_{}", uuid::Uuid::now_v7().simple()).into();
    // Searched before the transaction too, so that no other write waits for the search.
    let key = match request.action {
        StoreAction::Add => None,
        StoreAction::Replace | StoreAction::Remove => find_key(services, &request)?,
    };
    let session = request.scope.session_id.clone();
    services.write_observed(session.as_ref(), move |tx| {
        let entry = match request.action {
            StoreAction::Add => Some(add(tx, &request, &id)?),
            StoreAction::Replace => Some(replace(tx, &request, key.as_ref())?),
            StoreAction::Remove => remove_entry(tx, &request, key.as_ref())?,
        };
        let tier = entry.as_ref().map(|entry| entry.tier).or(request.tier);
        let target = word_of(MEMORY_TYPES, tier.unwrap_or(DEFAULT_ACT_TIER));
        let acted = MemoryActResult { action: request.action, target, entry };
        telling.remember(tx, &acted)?;
        Ok(acted)
    })
}

fn add(tx: &Tx<'_>, request: &StoreRequest, id: &Arc<str>) -> Result<MemoryEntry, Error> {
    let key = request.key.as_ref().unwrap_or(id);
    if tx.memory(&request.scope, key)?.is_some() {
        let detail = "an entry of this key is there: `replace` changes it";
        return Err(Error::Conflict(detail.to_owned()));
    }
    write(tx, request, key, None)
}

fn replace(
    tx: &Tx<'_>,
    request: &StoreRequest,
    key: Option<&Arc<str>>,
) -> Result<MemoryEntry, Error> {
    let old = find_entry(tx, request, key)?.ok_or(UNKNOWN)?;
    let key = Arc::clone(&old.key);
    write(tx, request, &key, Some(old))
}

fn remove_entry(
    tx: &Tx<'_>,
    request: &StoreRequest,
    key: Option<&Arc<str>>,
) -> Result<Option<MemoryEntry>, Error> {
    let Some(old) = find_entry(tx, request, key)? else {
        let content = request.content.as_deref().unwrap_or_default();
        let tier = request.tier.unwrap_or(DEFAULT_ACT_TIER);
        tell_nothing_removed(tx, content, &request.scope, request.key.as_deref(), tier);
        return Ok(None);
    };
    remove(tx, &old, MemoryAction::Delete, MemoryOrigin::Direct)?;
    Ok(Some(old))
}

fn write(
    tx: &Tx<'_>,
    request: &StoreRequest,
    key: &Arc<str>,
    old: Option<MemoryEntry>,
) -> Result<MemoryEntry, Error> {
    let content = request.content.as_deref().unwrap_or_default();
    // Serialising a text cannot fail.
    let value = serde_json::to_string(content).unwrap_or_default();
    let change = MemoryChange {
        scope: request.scope.clone(),
        key: Arc::clone(key),
        write: MemoryWrite {
            value: Some(RawJson::new(value)),
            // A replaced entry keeps its tier unless the request has a type.
            tier: request.tier.or(old.is_none().then_some(DEFAULT_ACT_TIER)),
            metadata: request.metadata.clone(),
            ..MemoryWrite::default()
        },
        action: MemoryAction::Set,
        origin: MemoryOrigin::Direct,
    };
    carry_out(tx, &change, old)
}

/// Finds the key of a request's entry: it has one, or a part of the entry's value, or its whole
/// value. If several entries have the part, that is an error.
fn find_key(services: &Services, request: &StoreRequest) -> Result<Option<Arc<str>>, Error> {
    if let Some(key) = &request.key {
        return Ok(Some(Arc::clone(key)));
    }
    let scope = |part: &Option<Arc<str>>| Some(part.as_deref().unwrap_or_default().to_owned());
    let filter = MemoryFilter {
        subject: scope(&request.scope.subject),
        session_id: scope(&request.scope.session_id),
        agent: scope(&request.scope.agent),
        pack_tenant: scope(&request.scope.pack_tenant),
        tier: request.tier,
        ..MemoryFilter::default()
    };
    let (mut only, mut after) = (None, None);
    for _ in 0..MAX_SEARCHED_ENTRIES / SEARCH_BATCH_ENTRIES {
        let batch = |tx: &Tx<'_>| tx.list_memory(&filter, after.as_ref(), SEARCH_BATCH_ENTRIES);
        let page = services.tenant().read(batch)?;
        for entry in page.rows.into_iter().filter(|entry| has_text(entry, request)) {
            if only.replace(entry.key).is_some() {
                let detail = "several entries hold this text: name one by its `key`";
                return Err(Error::Conflict(detail.to_owned()));
            }
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    Ok(only)
}

/// Reads the entry of a key that was found, unless it has changed since.
fn find_entry(
    tx: &Tx<'_>,
    request: &StoreRequest,
    key: Option<&Arc<str>>,
) -> Result<Option<MemoryEntry>, Error> {
    let Some(key) = key else { return Ok(None) };
    let entry = tx.memory(&request.scope, key)?;
    Ok(entry.filter(|entry| request.key.is_some() || has_text(entry, request)))
}

/// Whether an entry has the text by which the request names it.
fn has_text(entry: &MemoryEntry, request: &StoreRequest) -> bool {
    let text = entry.text();
    match (&request.matching, &request.content) {
        (Some(part), _) => text.contains(&**part),
        (None, whole) => *text == *whole.as_deref().unwrap_or_default(),
    }
}
