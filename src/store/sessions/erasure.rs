//! Deletes a session with everything that belongs to it, some rows in each transaction.

use std::sync::Arc;

use crate::domain::{ContentHash, Session, SessionCosts};
use crate::store::removal::OwnedRows;
use crate::store::sql::values;
use crate::store::{Error, Tx};

/// Tables in which a session has few rows, and the column that names it. Every table with data of a
/// session must be listed here or erased below; events contain no content, and have an expiry of their
/// own. The last is the session itself: an erasure that was cut short goes on for as long as it is there.
const SESSION_TABLES: &[(&str, &str)] = &[
    ("session_usage", "session"),
    ("golden", "session"),
    ("session_payloads", "session"),
    ("session_caches", "session"),
    ("session_turns", "id"),
    ("sessions", "id"),
];

impl Tx<'_> {
    /// Removes a session and everything that belongs to it but its memory, for good; returns whether
    /// it was there.
    pub fn erase_session(&self, id: &str) -> Result<bool, Error> {
        let was_there = self.session_row(id)?.is_some();
        let mut all = u64::MAX;
        self.erase_session_rows(id, &mut all)?;
        Ok(was_there)
    }

    /// Ends a session now, so that no request finds it while its rows are removed. A cleanup removes
    /// the rows that are left if nothing else does.
    pub fn end_session(&self, id: &str) -> Result<(), Error> {
        self.execute(
            "UPDATE sessions SET expires_at = ?3
             WHERE tenant = ?1 AND id = ?2 AND expires_at > ?3",
            values![id, self.now()],
        )
        .map(drop)
    }

    /// Removes up to `rows` rows of a session; `rows` goes down by what was removed. Returns whether
    /// nothing of it is left but its memory.
    pub fn erase_session_rows(&self, id: &str, rows: &mut u64) -> Result<bool, Error> {
        if !self.forget_session_records(id, rows)? {
            return Ok(false);
        }
        self.uncache_message_texts(id)?;
        for erase in
            [Self::erase_messages, Self::erase_texts, Self::erase_snapshots, Self::erase_summaries]
        {
            *rows -= erase(self, id, *rows)?;
            if *rows == 0 {
                return Ok(false);
            }
        }
        for (table, column) in SESSION_TABLES {
            self.execute(
                &format!("DELETE FROM {table} WHERE tenant = ?1 AND {column} = ?2"),
                values![id],
            )?;
        }
        self.forget_hook_order(id)?;
        Ok(true)
    }

    /// Deletes up to `limit` messages of a session, the first ones; returns how many.
    fn erase_messages(&self, id: &str, limit: u64) -> Result<u64, Error> {
        let seqs: Vec<u64> = self.all(
            "SELECT seq FROM session_messages WHERE tenant = ?1 AND session = ?2
             ORDER BY seq LIMIT ?3",
            values![id, limit],
            |row| row.get(0),
        )?;
        let (Some(first), Some(last)) = (seqs.first(), seqs.last()) else { return Ok(0) };
        self.execute(
            "DELETE FROM session_messages
             WHERE tenant = ?1 AND session = ?2 AND seq >= ?3 AND seq <= ?4",
            values![id, *first, *last],
        )
    }

    /// Deletes up to `limit` texts of a session's messages and payload; returns how many.
    fn erase_texts(&self, id: &str, limit: u64) -> Result<u64, Error> {
        let texts: Vec<(i64, Vec<u8>)> = self.all(
            "SELECT kind, digest FROM session_texts WHERE tenant = ?1 AND session = ?2
             ORDER BY kind, digest LIMIT ?3",
            values![id, limit],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        for of_kind in texts.chunk_by(|(a, _), (b, _)| a == b) {
            let kind = of_kind.first().map_or(0, |(kind, _)| *kind);
            let digests: Vec<Vec<u8>> = of_kind.iter().map(|(_, digest)| digest.clone()).collect();
            self.execute_for(
                "DELETE FROM session_texts
                 WHERE tenant = ?1 AND session = ?2 AND kind = ?3 AND digest IN #",
                values![id, kind],
                &digests,
            )?;
        }
        Ok(texts.len() as u64)
    }

    /// Deletes up to `limit` snapshots of a session; returns how many.
    fn erase_snapshots(&self, id: &str, limit: u64) -> Result<u64, Error> {
        let rows = OwnedRows { table: "snapshots", owner: "session", key: "id" };
        Ok(self.delete_owned::<String>(rows, id, limit)?.len() as u64)
    }

    /// Deletes up to `limit` summaries of a session; returns how many.
    fn erase_summaries(&self, id: &str, limit: u64) -> Result<u64, Error> {
        let rows = OwnedRows { table: "summaries", owner: "session", key: "digest" };
        Ok(self.delete_owned::<ContentHash>(rows, id, limit)?.len() as u64)
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
