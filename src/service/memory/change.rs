//! A change of an entry, with its version and its event.

use std::sync::Arc;

use super::Error;
use super::events::{tell_changed, tell_expired};
use crate::domain::{
    Classification, EventKind, MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryStatus,
    MemoryTier, NewEvent, RawJson, word_of,
};
use crate::hook::ScopeInput;
use crate::request::MemoryWrite;
use crate::service::event_data::{MemoryEventData, to_raw};
use crate::store::{self, Tx};

/// A write of an entry.
#[derive(Debug, Clone)]
pub(crate) struct MemoryChange {
    pub(crate) scope: MemoryScope,
    pub(crate) key: Arc<str>,
    pub(crate) write: MemoryWrite,
    pub(crate) action: MemoryAction,
    pub(crate) origin: MemoryOrigin,
}

/// Importance, from 0 to 1, of an entry whose writer gives none.
const DEFAULT_IMPORTANCE: f64 = 0.5;
const DEFAULT_TIER: MemoryTier = MemoryTier::Semantic;
const DEFAULT_CLASSIFICATION: Classification = Classification::Internal;

/// Writes an entry; `old` is the entry that it replaces.
pub(crate) fn carry_out(
    tx: &Tx<'_>,
    change: &MemoryChange,
    old: Option<MemoryEntry>,
) -> Result<MemoryEntry, Error> {
    // An expired entry that is still stored is not in sight: it is removed first.
    if old.is_none()
        && let Some(expired) = tx.memory_row(&change.scope, &change.key)?
    {
        remove(tx, &expired, MemoryAction::Expire, MemoryOrigin::Expiry)?;
    }
    let turn = match &change.scope.session_id {
        Some(session) => tx.session_turns(session)?,
        None => 0,
    };
    let before = old.as_ref().map(|old| old.value.clone());
    let entry = written(change, old, tx.now(), turn);
    put(tx, &entry, before.as_ref(), change.action, change.origin)?;
    Ok(entry)
}

/// Stores an entry as it is, and publishes the change. `before`: the value that it replaces.
pub(crate) fn put(
    tx: &Tx<'_>,
    entry: &MemoryEntry,
    before: Option<&RawJson>,
    action: MemoryAction,
    origin: MemoryOrigin,
) -> Result<(), store::Error> {
    tx.put_memory(entry, action, origin)?;
    tell_changed(tx, entry, before, action, origin);
    tx.publish(&changed(entry, action, origin)).map(drop)
}

/// Computes the entry after a change.
fn written(
    change: &MemoryChange,
    old: Option<MemoryEntry>,
    now: crate::domain::Timestamp,
    turn: u64,
) -> MemoryEntry {
    let MemoryWrite {
        value,
        description,
        ttl,
        importance,
        tags,
        tier,
        classification,
        status,
        source,
        author,
        metadata,
    } = change.write.clone();
    let mut entry = old.unwrap_or_else(|| MemoryEntry {
        scope: change.scope.clone(),
        key: Arc::clone(&change.key),
        value: RawJson::new("null"),
        description: None,
        tags: Vec::new(),
        importance: DEFAULT_IMPORTANCE,
        tier: DEFAULT_TIER,
        classification: DEFAULT_CLASSIFICATION,
        status: MemoryStatus::Promoted,
        source: None,
        author: None,
        metadata: None,
        version: 0,
        update_count: 0,
        created_at: now,
        updated_at: now,
        ttl: None,
        expires_at: None,
        expires_at_turn: None,
    });
    entry.version += 1;
    entry.updated_at = now;
    // An empty description has no content, but would be shown.
    entry.description = description.or(entry.description).filter(|text| !text.is_empty());
    entry.importance = importance.unwrap_or(entry.importance);
    entry.tags = tags.unwrap_or(entry.tags);
    entry.tier = tier.unwrap_or(entry.tier);
    entry.classification = classification.unwrap_or(entry.classification);
    entry.status = status.unwrap_or(match change.origin {
        MemoryOrigin::Model => MemoryStatus::Captured,
        _ => MemoryStatus::Promoted,
    });
    entry.source = source.or(entry.source);
    entry.author = author.or(entry.author);
    entry.metadata = metadata.or(entry.metadata);
    // A new value and a new TTL both restart the TTL.
    match ttl {
        Some(ttl) => entry.expire(ttl, now, turn),
        None if value.is_some() => entry.expire(entry.ttl, now, turn),
        None => {}
    }
    if let Some(value) = value {
        entry.value = value;
        entry.update_count += 1;
    }
    entry
}

/// Removes members of an entry; members that every entry has get their defaults.
pub(super) fn without(mut entry: MemoryEntry, members: &[String]) -> MemoryEntry {
    for member in members {
        match member.as_str() {
            "description" => entry.description = None,
            "importance" => entry.importance = DEFAULT_IMPORTANCE,
            "tags" => entry.tags = Vec::new(),
            "tier" => entry.tier = DEFAULT_TIER,
            "classification" => entry.classification = DEFAULT_CLASSIFICATION,
            "source" => entry.source = None,
            "author" => entry.author = None,
            "metadata" => entry.metadata = None,
            _ => {}
        }
    }
    entry
}

/// Replaces the current state of an entry with another one.
pub(crate) fn replace(
    tx: &Tx<'_>,
    current: &MemoryEntry,
    mut entry: MemoryEntry,
    action: MemoryAction,
    origin: MemoryOrigin,
) -> Result<MemoryEntry, Error> {
    entry.version = current.version + 1;
    entry.update_count = current.update_count + u64::from(entry.value != current.value);
    entry.created_at = current.created_at;
    entry.updated_at = tx.now();
    if action == MemoryAction::Restore {
        let turn = match &entry.scope.session_id {
            Some(session) => tx.session_turns(session)?,
            None => 0,
        };
        entry.expire(entry.ttl, tx.now(), turn);
    }
    put(tx, &entry, Some(&current.value), action, origin)?;
    Ok(entry)
}

/// Removes an entry. An expired one also publishes `memory:expired`, before the change.
pub(crate) fn remove(
    tx: &Tx<'_>,
    entry: &MemoryEntry,
    action: MemoryAction,
    origin: MemoryOrigin,
) -> Result<(), store::Error> {
    if action == MemoryAction::Expire {
        tx.publish(&event(EventKind::MemoryExpired, entry, action, origin))?;
        tell_expired(tx, entry);
    }
    tx.delete_memory(&entry.scope, &entry.key)?;
    tell_changed(tx, entry, Some(&entry.value), action, origin);
    tx.publish(&changed(entry, action, origin))?;
    Ok(())
}

fn changed(entry: &MemoryEntry, action: MemoryAction, origin: MemoryOrigin) -> NewEvent {
    event(EventKind::MemoryChanged, entry, action, origin)
}

/// An event of an entry: it has keys and counts, and never a value.
fn event(
    kind: EventKind,
    entry: &MemoryEntry,
    action: MemoryAction,
    origin: MemoryOrigin,
) -> NewEvent {
    let data = MemoryEventData {
        key: &entry.key,
        scope: ScopeInput::from(&entry.scope),
        action: word_of(MemoryAction::WORDS, action),
        origin: word_of(MemoryOrigin::WORDS, origin),
        version: entry.version,
        update_count: entry.update_count,
        classification: word_of(Classification::WORDS, entry.classification),
        status: word_of(MemoryStatus::WORDS, entry.status),
    };
    NewEvent {
        kind,
        session_id: entry.scope.session_id.clone(),
        compilation_id: None,
        data: to_raw(&data),
        at: None,
    }
}
