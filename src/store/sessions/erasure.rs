//! Deletes a session with everything that belongs to it.

use std::sync::Arc;

use crate::domain::{Session, SessionCosts};
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
    ("session_usage", "session"),
    ("session_caches", "session"),
    ("snapshots", "session"),
    ("summaries", "session"),
    ("golden", "session"),
];

impl Tx<'_> {
    /// Removes a session and everything that belongs to it but its memory, for good; returns whether
    /// it was there.
    pub fn erase_session(&self, id: &str) -> Result<bool, Error> {
        let was_there = self.session_row(id)?.is_some();
        self.uncache_message_texts(id)?;
        for (table, column) in SESSION_TABLES {
            self.execute(
                &format!("DELETE FROM {table} WHERE tenant = ?1 AND {column} = ?2"),
                values![id],
            )?;
        }
        self.forget_hook_order(id)?;
        self.forget_compilations_of(id)?;
        Ok(was_there)
    }

    /// Deletes the data of a session but for its memory, and keeps the session, as if it were new.
    pub fn empty_session(&self, session: &mut Session) -> Result<(), Error> {
        self.execute(
            "DELETE FROM session_messages WHERE tenant = ?1 AND session = ?2",
            values![&session.id],
        )?;
        self.forget_cached_prefix(&session.id)?;
        session.points.clear();
        session.measured.clear();
        session.sent = Arc::default();
        session.costs = SessionCosts::default();
        session.turns = 0;
        session.messages = 0;
        session.source = None;
        Ok(())
    }
}
