//! Deletes a session with everything that belongs to it.

use crate::domain::{MemoryScope, Session};
use crate::store::sql::values;
use crate::store::{Error, Tx};

/// Tables with rows of a session, and the column that names it. Every table with data of a session
/// must be listed here; events contain no content, and have an expiry of their own.
const SESSION_TABLES: &[(&str, &str)] = &[
    ("sessions", "id"),
    ("session_turns", "id"),
    ("session_payloads", "session"),
    ("session_messages", "session"),
    ("session_texts", "session"),
    ("snapshots", "session"),
    ("summaries", "session"),
    ("golden", "session"),
];

/// Entries that are removed between two looks for more.
const ERASE_BATCH_ENTRIES: usize = 500;

impl Tx<'_> {
    /// Removes a session and everything that belongs to it, for good; returns whether it was there.
    pub fn erase_session(&self, id: &str) -> Result<bool, Error> {
        let was_there = self.session_row(id)?.is_some();
        for (table, column) in SESSION_TABLES {
            self.execute(
                &format!("DELETE FROM {table} WHERE tenant = ?1 AND {column} = ?2"),
                values![id],
            )?;
        }
        self.erase_session_memory(id)?;
        self.forget_compilations_of(id)?;
        Ok(was_there)
    }

    /// Deletes the data of a session and keeps the session, as if it were new.
    pub fn empty_session(&self, session: &mut Session) -> Result<(), Error> {
        self.execute(
            "DELETE FROM session_messages WHERE tenant = ?1 AND session = ?2",
            values![&session.id],
        )?;
        self.erase_session_memory(&session.id)?;
        session.points.clear();
        session.measured.clear();
        session.turns = 0;
        session.messages = 0;
        session.source = None;
        Ok(())
    }

    /// Removes the entries of a session's scope with all their versions.
    pub fn erase_session_memory(&self, id: &str) -> Result<(), Error> {
        if id.is_empty() {
            return Ok(());
        }
        loop {
            let found = self.session_memory_keys(id, ERASE_BATCH_ENTRIES)?;
            for (scope, key) in &found {
                self.delete_memory(scope, key)?;
            }
            if found.len() < ERASE_BATCH_ENTRIES {
                return Ok(());
            }
        }
    }

    pub(super) fn session_memory_keys(
        &self,
        id: &str,
        limit: usize,
    ) -> Result<Vec<(MemoryScope, String)>, Error> {
        self.all(
            "SELECT subject, agent, key FROM memory
             WHERE tenant = ?1 AND session = ?2 AND session <> '' ORDER BY key LIMIT ?3",
            values![id, limit],
            |row| {
                let part = |column: usize| {
                    let text: std::sync::Arc<str> = row.get(column)?;
                    Ok::<_, Error>((!text.is_empty()).then_some(text))
                };
                let scope =
                    MemoryScope { subject: part(0)?, session_id: Some(id.into()), agent: part(1)? };
                Ok((scope, row.get(2)?))
            },
        )
    }
}
