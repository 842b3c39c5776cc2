//! Memory entries, as an application reads and writes them.
//!
//! What is written here bypasses allow-lists and guards: those are for models. Every change is an
//! event in the same transaction.

mod act;
mod change;
mod events;
mod recall;
mod transfer;
mod write_condition;

pub use self::act::{MemoryActResult, act};
use self::change::without;
pub(super) use self::change::{MemoryChange, carry_out, remove, replace};
pub(super) use self::events::{changed_by_expiry, expired_entry, write_entry};
pub use self::recall::{RecallAnswer, recall};
pub(super) use self::recall::{expire, expire_all, expired, recalled};
pub use self::transfer::{ImportCounts, import};
pub use self::write_condition::WriteCondition;
use self::write_condition::{agree, put_scope, scope_text};
use super::idempotency::ResponseRecorder;
use super::{Error, Services};
use crate::domain::{
    MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryStatus, MemoryVersion,
};
use crate::json::{self, Limits, Node};
use crate::request;
pub use crate::request::{MEMORY_TYPES, StoreAction as MemoryAct};
pub use crate::store::{MemoryCursor, MemoryFilter};

const UNKNOWN: Error = Error::NotFound("there is no memory entry of this key in this scope");

/// How an entry is written.
#[derive(Debug, Clone, Copy)]
pub struct WriteKind {
    /// Whether members that are absent stay as they are.
    pub partial: bool,
    /// What must be stored for the write to be done.
    pub expected: WriteCondition,
}

/// Stores what `body` says under a key, or changes what is there. Answers whether it is new.
///
/// `partial` is a `PATCH`: the entry must be there, what is not said stays, and null takes away.
/// `asked` is the scope that the query names, if it names one.
pub fn put(
    services: &Services,
    asked: &MemoryScope,
    key: &str,
    body: &str,
    kind: WriteKind,
) -> Result<(MemoryEntry, bool), Error> {
    let WriteKind { partial, expected } = kind;
    let text = scope_text(asked);
    let mut node = json::parse(body, Limits::default())?;
    put_scope(&mut node, text.as_deref())?;
    let (scope, write) = request::read_memory_write(&node, key, partial).map_err(Error::Invalid)?;
    agree(asked, &scope)?;
    let gone = if partial { nulls(&node) } else { Vec::new() };
    let key = key.to_owned();
    let session = scope.session_id.clone();
    services.write_told(session.as_ref(), move |tx| {
        let old = tx.memory(&scope, &key)?;
        if partial && old.is_none() {
            return Err(UNKNOWN);
        }
        expected.check(old.as_ref())?;
        let is_new = old.is_none();
        let old = old.map(|old| without(old, &gone));
        let change = MemoryChange {
            scope: scope.clone(),
            key: key.as_str().into(),
            write: write.clone(),
            action: MemoryAction::Set,
            origin: MemoryOrigin::Direct,
        };
        Ok((carry_out(tx, &change, old)?, is_new))
    })
}

/// The members of a body that are null.
fn nulls(node: &Node<'_>) -> Vec<String> {
    let members = node.as_object().into_iter().flatten();
    members.filter(|(_, node)| node.is_null()).map(|(name, _)| name.to_string()).collect()
}

/// An entry by its key.
pub fn find(services: &Services, scope: &MemoryScope, key: &str) -> Result<MemoryEntry, Error> {
    services.tenant().read(|tx| tx.memory(scope, key))?.ok_or(UNKNOWN)
}

/// At most so many entries, and behind which the list goes on.
pub fn list(
    services: &Services,
    filter: &MemoryFilter,
    after: Option<&MemoryCursor>,
    limit: usize,
) -> Result<(Vec<MemoryEntry>, Option<MemoryCursor>), Error> {
    // One more than is shown tells whether there is more.
    let mut found = services.tenant().read(|tx| tx.list_memory(filter, after, limit + 1))?;
    let goes_on = found.len() > limit;
    found.truncate(limit);
    let next = found
        .last()
        .filter(|_| goes_on)
        .map(|last| MemoryCursor { key: last.key.to_string(), scope: last.scope.clone() });
    Ok((found, next))
}

/// Removes an entry and all its versions for good.
pub fn delete(
    services: &Services,
    scope: &MemoryScope,
    key: &str,
    expected: WriteCondition,
) -> Result<(), Error> {
    let (scope, key) = (scope.clone(), key.to_owned());
    let session = scope.session_id.clone();
    services.write_told(session.as_ref(), move |tx| {
        let Some(old) = tx.memory(&scope, &key)? else { return Err(UNKNOWN) };
        expected.check(Some(&old))?;
        Ok(remove(tx, &old, MemoryAction::Delete, MemoryOrigin::Direct)?)
    })
}

/// The versions of an entry, the newest first, at most so many behind `before`.
pub fn versions(
    services: &Services,
    scope: &MemoryScope,
    key: &str,
    before: Option<u64>,
    limit: usize,
) -> Result<(Vec<MemoryVersion>, Option<u64>), Error> {
    let mut found =
        services.tenant().read(|tx| tx.memory_versions(scope, key, before, limit + 1))?;
    if found.is_empty() && before.is_none() {
        return Err(UNKNOWN);
    }
    let goes_on = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| goes_on).map(|last| last.entry.version);
    Ok((found, next))
}

/// Makes an entry what it was in one of its versions; that is a new version.
pub fn restore(
    services: &Services,
    asked: &MemoryScope,
    key: &str,
    body: &str,
    telling: ResponseRecorder<MemoryEntry>,
) -> Result<MemoryEntry, Error> {
    let text = scope_text(asked);
    let mut node = json::parse(body, Limits::default())?;
    put_scope(&mut node, text.as_deref())?;
    let (scope, version) = request::read_restore(&node).map_err(Error::Invalid)?;
    agree(asked, &scope)?;
    let key = key.to_owned();
    let session = scope.session_id.clone();
    services.write_told(session.as_ref(), move |tx| {
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

/// Takes an entry out of what is recalled; its versions stay, and it can be restored.
pub fn retract(
    services: &Services,
    asked: &MemoryScope,
    key: &str,
    body: &str,
    telling: ResponseRecorder<MemoryEntry>,
) -> Result<MemoryEntry, Error> {
    let text = scope_text(asked);
    let mut node = json::parse_or_empty(body)?;
    put_scope(&mut node, text.as_deref())?;
    let scope = request::read_retract(&node).map_err(Error::Invalid)?;
    agree(asked, &scope)?;
    let key = key.to_owned();
    let session = scope.session_id.clone();
    services.write_told(session.as_ref(), move |tx| {
        let Some(current) = tx.memory(&scope, &key)? else { return Err(UNKNOWN) };
        let retracted = MemoryEntry { status: MemoryStatus::Retracted, ..current.clone() };
        let retracted =
            change::replace(tx, &current, retracted, MemoryAction::Retract, MemoryOrigin::Direct)?;
        telling.remember(tx, &retracted)?;
        Ok(retracted)
    })
}
