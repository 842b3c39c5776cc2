//! Memory entries, as an application reads and writes them.
//!
//! These writes bypass allow-lists and guards, which are for models. Every change publishes an event
//! in the same transaction.

mod action;
mod change;
mod events;
mod recall;
mod transfer;

pub use self::action::{MemoryActResult, act};
use self::change::without;
pub(super) use self::change::{MemoryChange, carry_out, put as put_entry, remove, replace};
pub use self::recall::{RecallAnswer, recall};
pub(super) use self::recall::{entry_in_sight, expire, expire_all, expired, recalled};
pub use self::transfer::{ImportCounts, import};
use super::idempotency::ResponseRecorder;
use super::page::PagedList;
use super::{Error, Services, WriteCondition};
use crate::domain::{
    MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryStatus, MemoryVersion, word_of,
};
use crate::json::{self, Limits, Node};
use crate::request;
pub use crate::request::{MEMORY_TYPES, StoreAction as MemoryAct};
use crate::store::Tx;
pub use crate::store::{MemoryCursor, MemoryFilter, Page};

const UNKNOWN: Error = Error::NotFound("there is no memory entry of this key in this scope");

/// Options of a write.
#[derive(Debug, Clone, Copy)]
pub struct WriteKind {
    /// Whether absent members keep their values.
    pub partial: bool,
    /// The state that the entry must have.
    pub expected: WriteCondition,
}

/// The key in a path, and the scope in its query.
#[derive(Debug, Clone, Copy)]
pub struct EntryAddress<'a> {
    /// Empty if the query has none.
    pub query: &'a MemoryScope,
    pub key: &'a str,
}

/// An entry that was written.
#[derive(Debug, Clone)]
pub struct PutEntry {
    pub entry: MemoryEntry,
    pub is_new: bool,
}

/// Writes the entry of a key. `recorder` stores the response for a repeated request.
///
/// A partial write is a `PATCH`: the entry must exist, absent members stay, and null removes a
/// member.
pub fn put(
    services: &Services,
    at: EntryAddress<'_>,
    body: &str,
    kind: WriteKind,
    recorder: ResponseRecorder<PutEntry>,
) -> Result<PutEntry, Error> {
    let EntryAddress { query, key } = at;
    let WriteKind { partial, expected } = kind;
    let node = json::parse(body, Limits::default())?;
    let read = request::read_memory_write(&node, key, partial, query);
    let (scope, write) = read.map_err(Error::Invalid)?;
    let gone = if partial { nulls(&node) } else { Vec::new() };
    let key = key.to_owned();
    let session = scope.session_id.clone();
    services.write_observed(session.as_ref(), move |tx| {
        let old = tx.memory(&scope, &key)?;
        if partial && old.is_none() {
            return Err(UNKNOWN);
        }
        expected.check(old.as_ref().map(|old| old.version))?;
        let is_new = old.is_none();
        let old = old.map(|old| without(old, &gone));
        let change = MemoryChange {
            scope: scope.clone(),
            key: key.as_str().into(),
            write: write.clone(),
            action: MemoryAction::Set,
            origin: MemoryOrigin::Direct,
        };
        let done = PutEntry { entry: carry_out(tx, &change, old)?, is_new };
        recorder.remember(tx, &done)?;
        Ok(done)
    })
}

/// The members of a body that are null.
fn nulls(node: &Node<'_>) -> Vec<String> {
    let members = node.as_object().into_iter().flatten();
    members.filter(|(_, node)| node.is_null()).map(|(name, _)| name.to_string()).collect()
}

/// Finds an entry by its key.
pub fn find(services: &Services, scope: &MemoryScope, key: &str) -> Result<MemoryEntry, Error> {
    services.tenant().read(|tx| tx.memory(scope, key))?.ok_or(UNKNOWN)
}

/// Lists at most `limit` entries. A filter that few entries match may end a page early.
pub fn list(
    services: &Services,
    filter: &MemoryFilter,
    after: Option<MemoryCursor>,
    limit: usize,
) -> Result<Page<MemoryEntry, MemoryCursor>, Error> {
    let list = PagedList { limit, bytes: MemoryEntry::text_bytes, position: MemoryCursor::after };
    services.tenant().read(|tx| {
        list.read(services, after, |after, count| Ok(tx.list_memory(filter, after, count)?))
    })
}

/// Deletes an entry with all its versions.
pub fn delete(
    services: &Services,
    scope: &MemoryScope,
    key: &str,
    expected: WriteCondition,
) -> Result<(), Error> {
    let (scope, key) = (scope.clone(), key.to_owned());
    let session = scope.session_id.clone();
    services.write_observed(session.as_ref(), move |tx| {
        let Some(old) = tx.memory(&scope, &key)? else { return Err(UNKNOWN) };
        expected.check(Some(old.version))?;
        Ok(remove(tx, &old, MemoryAction::Delete, MemoryOrigin::Direct)?)
    })
}

/// Lists at most `limit` versions of an entry that are older than `before`, the newest first, and
/// the cursor of the next page.
pub fn versions(
    services: &Services,
    scope: &MemoryScope,
    key: &str,
    before: Option<u64>,
    limit: usize,
) -> Result<Page<MemoryVersion, u64>, Error> {
    let list = PagedList {
        limit,
        bytes: |row: &MemoryVersion| row.entry.text_bytes(),
        position: |row| row.entry.version,
    };
    let page = services.tenant().read(|tx| {
        list.read_rows(services, before, |before, count| {
            Ok(tx.memory_versions(scope, key, before.copied(), count)?)
        })
    })?;
    if page.rows.is_empty() && before.is_none() {
        return Err(UNKNOWN);
    }
    Ok(page)
}

/// Restores an entry to one of its versions, as a new version.
pub fn restore(
    services: &Services,
    query: &MemoryScope,
    key: &str,
    body: &str,
    telling: ResponseRecorder<MemoryEntry>,
) -> Result<MemoryEntry, Error> {
    let node = json::parse(body, Limits::default())?;
    let (scope, version) = request::read_restore(&node, query).map_err(Error::Invalid)?;
    let key = key.to_owned();
    let session = scope.session_id.clone();
    services.write_observed(session.as_ref(), move |tx| {
        let Some(current) = tx.memory_row(&scope, &key)? else { return Err(UNKNOWN) };
        let found = tx.memory_versions(&scope, &key, Some(version.saturating_add(1)), 1)?;
        let known = found.into_iter().find(|found| found.entry.version == version);
        let Some(known) = known else {
            return Err(Error::NotFound("the entry has no such version"));
        };
        let mut entry = known.entry;
        entry.status = MemoryStatus::Promoted;
        let restored =
            change::replace(tx, &current, entry, MemoryAction::Restore, MemoryOrigin::Direct)?;
        telling.remember(tx, &restored)?;
        Ok(restored)
    })
}

/// Promotes an entry that a model captured: compiles under a pack recall it, too.
pub fn promote(
    services: &Services,
    query: &MemoryScope,
    key: &str,
    body: &str,
    telling: ResponseRecorder<MemoryEntry>,
) -> Result<MemoryEntry, Error> {
    let named = NamedEntry::read(query, key, body)?;
    change_entry(services, named, telling, |tx, current| match current.status {
        MemoryStatus::Promoted => Ok(current),
        MemoryStatus::Captured => {
            let entry = MemoryEntry { status: MemoryStatus::Promoted, ..current.clone() };
            change::replace(tx, &current, entry, MemoryAction::Promote, MemoryOrigin::Direct)
        }
        status => {
            let status = word_of(MemoryStatus::WORDS, status);
            let detail = format!("the entry is {status}: `restore` makes it current again");
            Err(Error::Conflict(detail))
        }
    })
}

/// Retracts an entry: it is no longer recalled, keeps its versions, and can be restored.
pub fn retract(
    services: &Services,
    query: &MemoryScope,
    key: &str,
    body: &str,
    telling: ResponseRecorder<MemoryEntry>,
) -> Result<MemoryEntry, Error> {
    let named = NamedEntry::read(query, key, body)?;
    change_entry(services, named, telling, |tx, current| {
        let retracted = MemoryEntry { status: MemoryStatus::Retracted, ..current.clone() };
        change::replace(tx, &current, retracted, MemoryAction::Retract, MemoryOrigin::Direct)
    })
}

/// The entry that a path, and a query or a body, name.
struct NamedEntry {
    scope: MemoryScope,
    key: String,
}

impl NamedEntry {
    fn read(query: &MemoryScope, key: &str, body: &str) -> Result<Self, Error> {
        let node = json::parse_or_empty(body)?;
        let scope = request::read_scope_only(&node, query).map_err(Error::Invalid)?;
        Ok(Self { scope, key: key.to_owned() })
    }
}

/// Changes an entry that is not expired, and records the response.
fn change_entry(
    services: &Services,
    NamedEntry { scope, key }: NamedEntry,
    telling: ResponseRecorder<MemoryEntry>,
    change: impl Fn(&Tx<'_>, MemoryEntry) -> Result<MemoryEntry, Error> + Send + 'static,
) -> Result<MemoryEntry, Error> {
    let session = scope.session_id.clone();
    services.write_observed(session.as_ref(), move |tx| {
        let Some(current) = tx.memory(&scope, &key)? else { return Err(UNKNOWN) };
        let changed = change(tx, current)?;
        telling.remember(tx, &changed)?;
        Ok(changed)
    })
}
