//! Events, numbered by tenant without a gap.

use std::time::Duration;

use super::memory::word;
use super::sql::values;
use super::{Error, Tx};
use crate::domain::{Event, EventKind, NewEvent, RawJson, word_of};

/// Events that are removed in one transaction, so that no write waits for long.
pub(super) const DELETE_BATCH_EVENTS: u64 = 500;

impl Tx<'_> {
    /// Publishes an event in the transaction of its fact; returns its number.
    pub fn publish(&self, event: &NewEvent) -> Result<u64, Error> {
        let seq: Option<u64> = self.first(
            "INSERT INTO event_state (tenant, seq) VALUES (?1, 1)
             ON CONFLICT (tenant) DO UPDATE SET seq = event_state.seq + 1
             RETURNING seq",
            values![],
            |row| row.get(0),
        )?;
        let seq = seq.ok_or_else(Error::no_row)?;
        let at = event.at.unwrap_or(self.now());
        let compilation_id = event.compilation_id.clone().or_else(|| self.compilation());
        self.execute(
            "INSERT INTO events (tenant, seq, at, type, session, compilation, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            values![
                seq,
                at,
                word_of(EventKind::WORDS, event.kind),
                event.session_id.as_deref(),
                compilation_id.as_deref(),
                event.data.as_str()
            ],
        )?;
        self.note(Event {
            seq,
            at,
            kind: event.kind,
            session_id: event.session_id.clone(),
            compilation_id,
            data: event.data.clone(),
        });
        Ok(seq)
    }

    /// The number of the newest event, and of the oldest that is kept: 0 and 1 if there was none.
    pub fn event_bounds(&self) -> Result<(u64, u64), Error> {
        let newest =
            self.first("SELECT seq FROM event_state WHERE tenant = ?1", values![], |row| {
                row.get::<u64>(0)
            })?;
        let newest = newest.unwrap_or_default();
        let oldest =
            self.first("SELECT min(seq) FROM events WHERE tenant = ?1", values![], |row| {
                row.get::<Option<u64>>(0)
            })?;
        Ok((newest, oldest.flatten().unwrap_or(newest + 1)))
    }

    /// Deletes some of the events that are older than `kept`; returns whether there are more.
    ///
    /// Looks at the first events only: an event is at least as old as every event after it, whatever
    /// the clock said, and no index has the time.
    pub(super) fn forget_events(&self, kept: Duration) -> Result<bool, Error> {
        let range: Option<Option<(u64, u64)>> = self.first(
            &format!(
                "SELECT min(seq), max(CASE WHEN at < ?2 THEN seq END) FROM (
                     SELECT seq, at FROM events WHERE tenant = ?1
                     ORDER BY seq LIMIT {DELETE_BATCH_EVENTS}) AS first"
            ),
            values![self.now().before(kept)],
            |row| Ok(row.get::<Option<u64>>(0)?.zip(row.get::<Option<u64>>(1)?)),
        )?;
        let Some((first, last)) = range.flatten() else { return Ok(false) };
        // With both ends, no database takes it for a large part of the table.
        let gone = self.execute(
            "DELETE FROM events WHERE tenant = ?1 AND seq >= ?2 AND seq <= ?3",
            values![first, last],
        )?;
        Ok(gone == DELETE_BATCH_EVENTS)
    }

    /// Lists up to `limit` events after a number, in order.
    pub fn events(&self, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        self.all(
            "SELECT seq, at, type, session, compilation, data FROM events
             WHERE tenant = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
            values![after, limit],
            |row| {
                let data: std::sync::Arc<str> = row.get(5)?;
                Ok(Event {
                    seq: row.get(0)?,
                    at: row.get(1)?,
                    kind: word(row, 2, EventKind::WORDS)?,
                    session_id: row.get(3)?,
                    compilation_id: row.get(4)?,
                    data: RawJson::new(data),
                })
            },
        )
    }
}
