//! Memory entries, written and read by key.
//!
//! No read returns an expired entry: each takes the time and, for an entry that lives for a number
//! of turns, the turns of its session.

mod conditions;
mod list;
mod recall;
mod row;
mod view;
mod words;

use std::time::Duration;

use self::row::{COLUMNS, entry, values_of};
pub(super) use self::row::{placeholders, word};
pub use self::view::{FoundEntry, MemoryView};
pub(super) use self::words::index_all;
use super::sql::{SqlValue, values};
use super::{Error, Tx};
use crate::domain::{
    MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryStatus, MemoryTier, MemoryVersion,
    Quota, word_of,
};

/// Versions of an entry that are kept, the newest ones.
const MAX_VERSIONS: u64 = 100;

/// Time that an expired entry is left to a compile that would report it.
pub(super) const EXPIRED_RETENTION: Duration = Duration::from_hours(1);

/// True for a row of `memory` that is not expired; `?2` is the time.
const ALIVE_CONDITION: &str = "(expires_at IS NULL OR expires_at > ?2)
     AND (expires_at_turn IS NULL OR expires_at_turn > coalesce(
         (SELECT turns FROM session_turns AS t WHERE t.tenant = ?1 AND t.id = memory.session), 0))";

/// True for the row of one entry; `?2` to `?5` are the parts of its scope, `?6` is its key.
const KEY_CONDITION: &str =
    "subject = ?2 AND session = ?3 AND agent = ?4 AND pack_tenant = ?5 AND key = ?6";

/// The order of a list.
const LIST_ORDER: &str = "key, subject, session, agent, pack_tenant";

/// Filter of a list of entries. What is absent does not matter.
#[derive(Debug, Clone, Default)]
pub struct MemoryFilter {
    pub subject: Option<String>,
    pub session_id: Option<String>,
    pub agent: Option<String>,
    pub pack_tenant: Option<String>,
    pub tag: Option<String>,
    pub tier: Option<MemoryTier>,
    pub status: Option<MemoryStatus>,
    /// The prefix of the key.
    pub prefix: Option<String>,
}

/// The entry after which a list continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryCursor {
    pub key: String,
    pub scope: MemoryScope,
}

impl MemoryCursor {
    /// Where a list continues after an entry.
    pub fn after(entry: &MemoryEntry) -> Self {
        Self { key: entry.key.to_string(), scope: entry.scope.clone() }
    }
}

impl Tx<'_> {
    /// An entry that is not expired.
    pub fn memory(&self, scope: &MemoryScope, key: &str) -> Result<Option<MemoryEntry>, Error> {
        let [subject, session, agent, pack] = parts(scope);
        self.first(
            &format!(
                "SELECT {COLUMNS} FROM memory
                 WHERE tenant = ?1 AND {ALIVE_CONDITION}
                   AND subject = ?3 AND session = ?4 AND agent = ?5 AND pack_tenant = ?6
                   AND key = ?7"
            ),
            values![self.now(), subject, session, agent, pack, key],
            |row| entry(row, 0),
        )
    }

    /// An entry, expired or not.
    pub fn memory_row(&self, scope: &MemoryScope, key: &str) -> Result<Option<MemoryEntry>, Error> {
        let [subject, session, agent, pack] = parts(scope);
        self.first(
            &format!(
                "SELECT {COLUMNS} FROM memory
                 WHERE tenant = ?1 AND {KEY_CONDITION}"
            ),
            values![subject, session, agent, pack, key],
            |row| entry(row, 0),
        )
    }

    /// Stores an entry as it is, with a version of it. Refuses a new entry if there are too many.
    pub fn put_memory(
        &self,
        entry: &MemoryEntry,
        action: MemoryAction,
        origin: MemoryOrigin,
    ) -> Result<(), Error> {
        let [subject, session, agent, pack] = parts(&entry.scope);
        let old = self.memory_id(&entry.scope, &entry.key)?;
        if old.is_none() {
            self.admit(Quota::MemoryEntries, 1)?;
        }
        let tags = row::tags(entry);
        let row = values_of(entry, &tags);
        let placeholders = row::placeholders(2, row.len());
        let sets = row::sets();
        self.execute(
            &format!(
                "INSERT INTO memory (tenant, {COLUMNS}) VALUES (?1, {placeholders})
                 ON CONFLICT (tenant, subject, session, agent, pack_tenant, key) DO UPDATE SET {sets}"
            ),
            &row,
        )?;
        let mut version = row;
        version.push(word_of(MemoryAction::WORDS, action).into());
        version.push(word_of(MemoryOrigin::WORDS, origin).into());
        let placeholders = row::placeholders(2, version.len());
        self.execute(
            &format!(
                "INSERT INTO memory_versions (tenant, {COLUMNS}, action, origin)
                 VALUES (?1, {placeholders})"
            ),
            &version,
        )?;
        self.execute(
            &format!(
                "DELETE FROM memory_versions
                 WHERE tenant = ?1 AND {KEY_CONDITION} AND version <= ?7"
            ),
            values![
                subject,
                session,
                agent,
                pack,
                &entry.key,
                entry.version.saturating_sub(MAX_VERSIONS)
            ],
        )?;
        self.index_memory(entry, old)?;
        self.note_memory(u64::from(old.is_none()), 0)
    }

    /// Refuses to store so many new entries if the tenant's quota has no room for them.
    pub fn admit_memory(&self, entries: u64) -> Result<(), Error> {
        self.admit(Quota::MemoryEntries, entries)
    }

    /// Removes an entry and all its versions for good.
    pub fn delete_memory(&self, scope: &MemoryScope, key: &str) -> Result<bool, Error> {
        let [subject, session, agent, pack] = parts(scope);
        let Some(id) = self.memory_id(scope, key)? else { return Ok(false) };
        let of_it: &[SqlValue<'_>] = values![subject, session, agent, pack, key];
        for table in ["memory", "memory_versions"] {
            let delete = format!("DELETE FROM {table} WHERE tenant = ?1 AND {KEY_CONDITION}");
            self.execute(&delete, of_it)?;
        }
        self.unindex_memory(id)?;
        self.note_memory(0, 1)?;
        Ok(true)
    }

    /// The versions of an entry, the newest first, expired entries' too.
    pub fn memory_versions(
        &self,
        scope: &MemoryScope,
        key: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MemoryVersion>, Error> {
        let [subject, session, agent, pack] = parts(scope);
        self.all(
            &format!(
                "SELECT {COLUMNS}, action, origin FROM memory_versions
                 WHERE tenant = ?1 AND {KEY_CONDITION} AND version < ?7
                 ORDER BY version DESC LIMIT ?8"
            ),
            values![subject, session, agent, pack, key, before.unwrap_or(u64::MAX), limit],
            row::version,
        )
    }

    /// Up to `limit` entries that expired a while ago by time, and as many by turns, in the order of
    /// their creation. A compile that sees an entry first reports its expiry itself.
    pub fn expired_memory(&self, limit: usize) -> Result<Vec<MemoryEntry>, Error> {
        let before = self.now().before(EXPIRED_RETENTION);
        // Each by itself, so that each is a walk along an index that ends at the limit.
        let mut found = self.all(
            &format!(
                "SELECT {COLUMNS} FROM memory
                 WHERE tenant = ?1 AND expires_at < ?2 AND updated_at < ?2
                 ORDER BY expires_at LIMIT ?3"
            ),
            values![before, limit],
            |row| entry(row, 0),
        )?;
        found.extend(self.all(
            &format!(
                "SELECT {COLUMNS} FROM memory
                 WHERE tenant = ?1 AND expires_at_turn IS NOT NULL AND expires_at IS NULL
                   AND updated_at < ?2 AND expires_at_turn <= coalesce(
                       (SELECT turns FROM session_turns AS t
                        WHERE t.tenant = ?1 AND t.id = memory.session), 0)
                 ORDER BY session, expires_at_turn LIMIT ?3"
            ),
            values![before, limit],
            |row| entry(row, 0),
        )?);
        found.sort_by(|a, b| {
            (a.created_at, &a.key, &a.scope).cmp(&(b.created_at, &b.key, &b.scope))
        });
        Ok(found)
    }

    /// The number of changes of the tenant's entries, and the number of entries.
    pub fn memory_state(&self) -> Result<(u64, u64), Error> {
        let found = self.first(
            "SELECT revision, entries FROM memory_state WHERE tenant = ?1",
            values![],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(found.unwrap_or_default())
    }

    fn note_memory(&self, added: u64, removed: u64) -> Result<(), Error> {
        self.execute(
            "INSERT INTO memory_state (tenant, revision, entries) VALUES (?1, 1, ?2 - ?3)
             ON CONFLICT (tenant) DO UPDATE SET
                 revision = memory_state.revision + 1,
                 entries = memory_state.entries + ?2 - ?3",
            values![added, removed],
        )
        .map(drop)
    }

    fn memory_id(&self, scope: &MemoryScope, key: &str) -> Result<Option<i64>, Error> {
        let [subject, session, agent, pack] = parts(scope);
        self.first(
            &format!("SELECT id FROM memory WHERE tenant = ?1 AND {KEY_CONDITION}"),
            values![subject, session, agent, pack, key],
            |row| row.get(0),
        )
    }

    /// Up to `limit` entries of a session's scope, expired or not, in the order of their keys.
    pub fn session_memory_rows(
        &self,
        session: &str,
        limit: usize,
    ) -> Result<Vec<MemoryEntry>, Error> {
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM memory WHERE tenant = ?1 AND session = ?2 AND session <> ''
                 ORDER BY key, subject, agent, pack_tenant LIMIT ?3"
            ),
            values![session, limit],
            |row| entry(row, 0),
        )
    }

    /// The keys and scopes of a session's entries, expired or not, in the order of the keys.
    pub fn session_memory_keys(&self, session: &str) -> Result<Vec<MemoryCursor>, Error> {
        self.all(
            "SELECT key, subject, session, agent, pack_tenant FROM memory
             WHERE tenant = ?1 AND session = ?2 AND session <> ''
             ORDER BY key, subject, agent, pack_tenant",
            values![session],
            row::cursor,
        )
    }

    /// The number of compiles of a session.
    pub fn session_turns(&self, id: &str) -> Result<u64, Error> {
        let turns = self.first(
            "SELECT turns FROM session_turns WHERE tenant = ?1 AND id = ?2",
            values![id],
            |row| row.get(0),
        )?;
        Ok(turns.unwrap_or_default())
    }

    /// Counts a compile of a session.
    pub fn count_turn(&self, id: &str) -> Result<(), Error> {
        self.execute(
            "INSERT INTO session_turns (tenant, id, turns) VALUES (?1, ?2, 1)
             ON CONFLICT (tenant, id) DO UPDATE SET turns = session_turns.turns + 1",
            values![id],
        )
        .map(drop)
    }
}

/// Entries of a session's scope that are not expired, in the order of their keys.
pub(super) fn entries_of_session(tx: &Tx<'_>, id: &str) -> Result<Vec<MemoryEntry>, Error> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM memory
             WHERE tenant = ?1 AND {ALIVE_CONDITION} AND session = ?3 AND session <> ''
             ORDER BY key, subject, agent, pack_tenant"
        ),
        values![tx.now(), id],
        |row| entry(row, 0),
    )
}

/// A scope as its columns: subject, session, agent, pack tenant. An absent part is the empty text.
pub(super) fn parts(scope: &MemoryScope) -> [&str; 4] {
    let MemoryScope { subject, session_id, agent, pack_tenant } = scope;
    [subject, session_id, agent, pack_tenant].map(|part| part.as_deref().unwrap_or(""))
}
