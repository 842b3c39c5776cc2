//! The memory of sessions that are deleted, copied or restored. Each change of an entry is published
//! with the origin `session`.

use std::collections::HashSet;

use super::StoreError;
use crate::domain::{MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, Session};
use crate::service::memory::{put_entry, remove};
use crate::store::{MemoryCursor, Tx};

/// Entries that are read at once.
const BATCH_ENTRIES: u64 = 500;
/// Rows of other tables that take as long to remove as an entry, with its versions, its words and the
/// events about it.
const ROWS_PER_ENTRY: u64 = 5;

/// Removes all entries of a session's scope.
pub(super) fn erase(tx: &Tx<'_>, session: &str) -> Result<(), StoreError> {
    let mut all = u64::MAX;
    erase_entries(tx, session, &mut all).map(drop)
}

/// Removes entries of a session's scope that take as long as up to `rows` rows; `rows` goes down by
/// them. Returns whether all entries are gone.
pub(super) fn erase_entries(
    tx: &Tx<'_>,
    session: &str,
    rows: &mut u64,
) -> Result<bool, StoreError> {
    let turn = tx.session_turns(session)?;
    loop {
        let wanted = (*rows / ROWS_PER_ENTRY).min(BATCH_ENTRIES);
        // One more shows whether any is left.
        let found =
            tx.session_memory_rows(session, usize::try_from(wanted + 1).unwrap_or(usize::MAX))?;
        let is_last = found.len() as u64 <= wanted;
        for (entry, _) in found.iter().zip(0..wanted) {
            remove_entry(tx, entry, turn)?;
            *rows -= ROWS_PER_ENTRY;
        }
        if is_last || wanted < BATCH_ENTRIES {
            return Ok(is_last);
        }
    }
}

/// Replaces all entries of a session's scope. Entries that stay get a new version, so that a writer
/// with an old version gets a conflict.
pub(super) fn replace(
    tx: &Tx<'_>,
    session: &str,
    entries: &[MemoryEntry],
) -> Result<(), StoreError> {
    let turn = tx.session_turns(session)?;
    let kept: HashSet<(&MemoryScope, &str)> =
        entries.iter().map(|entry| (&entry.scope, &*entry.key)).collect();
    for MemoryCursor { scope, key } in tx.session_memory_keys(session)? {
        if !kept.contains(&(&scope, &*key))
            && let Some(old) = tx.memory_row(&scope, &key)?
        {
            remove_entry(tx, &old, turn)?;
        }
    }
    for entry in entries {
        let old = tx.memory_row(&entry.scope, &entry.key)?;
        let version = old.as_ref().map_or(entry.version, |old| old.version + 1);
        let entry = MemoryEntry { version, ..entry.clone() };
        let before = old.map(|old| old.value);
        let (action, origin) = (MemoryAction::Restore, MemoryOrigin::Session);
        put_entry(tx, &entry, before.as_ref(), action, origin)?;
    }
    Ok(())
}

/// Moves the entries of a session into another one. If both have an entry under a key, the entry
/// that was written last wins.
pub(super) fn move_all(tx: &Tx<'_>, from: &Session, to: &Session) -> Result<(), StoreError> {
    let turn = tx.session_turns(&from.id)?;
    for entry in tx.session_memory(&from.id)? {
        let scope = MemoryScope { session_id: Some(to.id.clone()), ..entry.scope.clone() };
        let there = tx.memory_row(&scope, &entry.key)?;
        remove_entry(tx, &entry, turn)?;
        if there.as_ref().is_some_and(|there| there.updated_at > entry.updated_at) {
            continue;
        }
        // The turn of expiry is in turns of the session that has the entry.
        let left = entry.expires_at_turn.map(|turn| turn.saturating_sub(from.turns));
        let moved = MemoryEntry {
            scope,
            version: there.as_ref().map_or(entry.version, |there| there.version + 1),
            expires_at_turn: left.map(|left| left + to.turns),
            ..entry
        };
        let before = there.map(|there| there.value);
        put_entry(tx, &moved, before.as_ref(), MemoryAction::Set, MemoryOrigin::Session)?;
    }
    Ok(())
}

/// Removes an entry of a session at a turn of it.
fn remove_entry(tx: &Tx<'_>, entry: &MemoryEntry, turn: u64) -> Result<(), StoreError> {
    let (action, origin) = if entry.is_expired(tx.now(), turn) {
        (MemoryAction::Expire, MemoryOrigin::Expiry)
    } else {
        (MemoryAction::Delete, MemoryOrigin::Session)
    };
    remove(tx, entry, action, origin)
}
