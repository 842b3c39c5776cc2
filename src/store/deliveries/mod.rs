//! Calls of hooks that are made from a queue, at least once each unless too many are queued.
//!
//! A claimed call belongs to its claimer until the lease ends; then another may claim it, and what
//! the first one finds out changes nothing. Of one hook and session only the oldest can be claimed.

mod backfill;
mod busy_calls;
mod cap;
mod claim;
mod claimed_delivery;
mod due;
mod events;
mod lines;
mod responses;
mod settlement;

use std::sync::Arc;
use std::time::Duration;

pub(super) use self::backfill::{BATCH_CALLS, make_lines};
pub use self::busy_calls::BusyCalls;
pub use self::cap::{HookQueue, MAX_QUEUED_CALLS};
pub use self::claim::Claims;
pub use self::claimed_delivery::{ClaimedDelivery, HookKey};
#[cfg(test)]
pub(super) use self::due::DUE_STATEMENTS;
pub use self::events::Follower;
use self::lines::{DueTimes, HookQueueState, MAX_FAILURES_IN_A_ROW};
pub use self::responses::HookResponse;
pub use self::settlement::AttemptOutcome;
use super::memory::word;
use super::page::{Page, Window};
use super::removal::DELETE_BATCH_ROWS;
use super::sql::{Row, values};
use super::{Error, Tx};
use crate::domain::{Timestamp, word_of};

/// Time that a completed delivery is kept.
pub(super) const DELIVERY_RETENTION: Duration = Duration::from_hours(7 * 24);

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// An attempt is pending or under way.
    Queued,
    Delivered,
    /// All attempts failed.
    Dead,
}

impl DeliveryState {
    pub const WORDS: &[(&str, Self)] =
        &[("queued", Self::Queued), ("delivered", Self::Delivered), ("dead", Self::Dead)];
}

/// A call for the queue.
#[derive(Debug, Clone)]
pub struct NewDelivery<'d> {
    pub id: &'d str,
    pub hook: &'d str,
    pub point: &'d str,
    pub session_id: Option<&'d str>,
    pub compilation_id: Option<&'d str>,
    pub agent: Option<&'d str>,
    pub turn: Option<u64>,
    pub hops: u8,
    pub occurrence: u32,
    /// JSON text.
    pub input: &'d str,
}

/// A delivery as it is shown: without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRow {
    pub seq: u64,
    pub id: Arc<str>,
    pub hook: Arc<str>,
    pub point: Arc<str>,
    pub session_id: Option<Arc<str>>,
    pub compilation_id: Option<Arc<str>>,
    pub state: DeliveryState,
    pub attempts: u32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub due_at: Timestamp,
}

/// The outcome of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRow {
    pub number: u32,
    pub at: Timestamp,
    pub status: Option<u16>,
    /// `None` if it succeeded.
    pub cause: Option<Arc<str>>,
    pub detail: Option<Arc<str>>,
    pub took: Duration,
}

const COLUMNS: &str = "seq, id, hook, point, session, compilation, state, attempts, created_at, \
                       updated_at, due_at";

impl Tx<'_> {
    /// Queues a call, in the transaction of the fact that it reports. If the hook has as many
    /// queued calls as it may have, the oldest go.
    pub fn enqueue(&self, new: &NewDelivery<'_>) -> Result<(), Error> {
        let session = new.session_id.unwrap_or_default();
        let seq = self.first(
            "INSERT INTO deliveries (tenant, id, hook, session, point, compilation, agent, turn,
                 hops, occurrence, input, state, attempts, tries, created_at, updated_at, due_at,
                 fence)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'queued', 0, 0, ?12, ?12, ?12,
                 0)
             RETURNING seq",
            values![
                new.id,
                new.hook,
                session,
                new.point,
                new.compilation_id,
                new.agent,
                new.turn,
                u64::from(new.hops),
                u64::from(new.occurrence),
                new.input,
                self.now()
            ],
            |row| row.get::<u64>(0),
        )?;
        self.note_queued();
        self.put_in_line(new.hook, session, seq.ok_or_else(Error::no_row)?)
    }

    /// Counts a new call, and makes its line due if it is the only call there.
    fn put_in_line(&self, hook: &str, session: &str, seq: u64) -> Result<(), Error> {
        let is_alone = self.execute(
            "INSERT INTO delivery_lines (tenant, hook, session, seq, retried, claimed, due_at)
             VALUES (?1, ?2, ?3, ?4, 0, 0, ?5)
             ON CONFLICT (tenant, hook, session) DO NOTHING",
            values![hook, session, seq, self.now()],
        )? > 0;
        let (queue, due) = self.count_queued(hook)?;
        if queue.queued > MAX_QUEUED_CALLS {
            self.evict_calls(hook, queue.queued)
        } else if is_alone && !queue.has_its_turn(due, self.now()) {
            self.change_queue(hook, |_| {})
        } else {
            Ok(())
        }
    }

    /// Counts one more queued call of a hook; returns its queue without the times of its lines, and
    /// the times in its row.
    fn count_queued(&self, hook: &str) -> Result<(HookQueueState, DueTimes), Error> {
        let counted = self.first(
            "INSERT INTO delivery_hooks (tenant, hook, queued, lost, untold, tell_at, failures,
                                         ready_at)
             VALUES (?1, ?2, 1, 0, 0, 0, 0, 0)
             ON CONFLICT (tenant, hook) DO UPDATE SET queued = delivery_hooks.queued + 1
             RETURNING queued, failures, ready_at, due_at, retry_at",
            values![hook],
            |row| {
                let due = DueTimes { first: row.get(3)?, retry: row.get(4)? };
                let queue = HookQueueState {
                    queued: row.get(0)?,
                    failures: row.get(1)?,
                    ready_at: row.get(2)?,
                    ..HookQueueState::default()
                };
                Ok((queue, due))
            },
        )?;
        counted.ok_or_else(Error::no_row)
    }

    /// Lists up to `limit` deliveries of a hook, the newest first, before the number `before`. Looks
    /// at `MAX_EXAMINED_ROWS` at most.
    pub fn deliveries(
        &self,
        hook: &str,
        state: Option<DeliveryState>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Page<DeliveryRow, u64>, Error> {
        Page::read_by_windows(before, limit, |before, window| {
            self.deliveries_of_window(hook, state, before.copied(), window)
        })
    }

    fn deliveries_of_window(
        &self,
        hook: &str,
        state: Option<DeliveryState>,
        before: Option<u64>,
        window: Window,
    ) -> Result<Page<DeliveryRow, u64>, Error> {
        let before = before.unwrap_or(u64::MAX);
        let examined = self.first(
            "SELECT seq FROM deliveries WHERE tenant = ?1 AND hook = ?2 AND seq < ?3
             ORDER BY seq DESC LIMIT 1 OFFSET ?4",
            values![hook, before, window.last_row()],
            |row| row.get::<u64>(0),
        )?;
        let state = state.map(|state| word_of(DeliveryState::WORDS, state));
        let rows = self.all(
            &format!(
                "SELECT {COLUMNS} FROM deliveries
                 WHERE tenant = ?1 AND hook = ?2 AND seq < ?3 AND seq >= ?4
                   AND (CAST(?5 AS TEXT) IS NULL OR state = ?5)
                 ORDER BY seq DESC LIMIT ?6"
            ),
            values![
                hook,
                before,
                examined.unwrap_or_default(),
                state,
                window.limit.saturating_add(1)
            ],
            delivery,
        )?;
        Ok(Page::new(rows, window.limit, |last| last.seq, examined))
    }

    pub fn delivery(&self, id: &str) -> Result<Option<DeliveryRow>, Error> {
        self.first(
            &format!("SELECT {COLUMNS} FROM deliveries WHERE tenant = ?1 AND id = ?2"),
            values![id],
            delivery,
        )
    }

    /// The attempts of a delivery, in order.
    pub fn delivery_attempts(&self, id: &str) -> Result<Vec<AttemptRow>, Error> {
        self.all(
            "SELECT number, at, status, cause, detail, took_us FROM delivery_attempts
             WHERE tenant = ?1 AND delivery = ?2 ORDER BY number",
            values![id],
            |row| {
                let status: Option<u64> = row.get(2)?;
                Ok(AttemptRow {
                    number: small(row, 0)?,
                    at: row.get(1)?,
                    status: status.and_then(|status| status.try_into().ok()),
                    cause: row.get(3)?,
                    detail: row.get(4)?,
                    took: Duration::from_micros(row.get(5)?),
                })
            },
        )
    }

    /// Deletes the newest `batch_rows` deliveries of a hook, before the hook itself is deleted, so
    /// that no transaction deletes many; returns whether there were as many.
    pub fn forget_newest_deliveries(&self, hook: &str, batch_rows: u64) -> Result<bool, Error> {
        let from = self.first(
            "SELECT seq FROM deliveries WHERE tenant = ?1 AND hook = ?2
             ORDER BY seq DESC LIMIT 1 OFFSET ?3",
            values![hook, batch_rows.saturating_sub(1)],
            |row| row.get::<u64>(0),
        )?;
        let Some(from) = from else { return Ok(false) };
        let queued = self.first(
            "SELECT count(*) FROM deliveries
             WHERE tenant = ?1 AND hook = ?2 AND seq >= ?3 AND state = 'queued'",
            values![hook, from],
            |row| row.get::<u64>(0),
        )?;
        self.execute(
            "DELETE FROM delivery_attempts WHERE tenant = ?1 AND delivery IN (
                 SELECT id FROM deliveries WHERE tenant = ?1 AND hook = ?2 AND seq >= ?3)",
            values![hook, from],
        )?;
        // A line whose oldest call stays is as it was.
        for table in ["delivery_lines", "deliveries"] {
            self.execute(
                &format!("DELETE FROM {table} WHERE tenant = ?1 AND hook = ?2 AND seq >= ?3"),
                values![hook, from],
            )?;
        }
        self.change_queue(hook, |queue| {
            queue.queued = queue.queued.saturating_sub(queued.unwrap_or_default());
        })?;
        Ok(true)
    }

    /// Deletes the deliveries of a hook that is gone.
    pub(super) fn forget_deliveries_of(&self, hook: &str) -> Result<(), Error> {
        self.execute(
            "DELETE FROM delivery_attempts WHERE tenant = ?1 AND delivery IN (
                 SELECT id FROM deliveries WHERE tenant = ?1 AND hook = ?2)",
            values![hook],
        )?;
        self.execute("DELETE FROM deliveries WHERE tenant = ?1 AND hook = ?2", values![hook])?;
        self.forget_lines_of(hook)?;
        self.execute("DELETE FROM event_hooks WHERE tenant = ?1 AND hook = ?2", values![hook])
            .map(drop)
    }

    /// Deletes some of the deliveries that were completed a while ago; returns whether there are
    /// more.
    pub(super) fn forget_deliveries(&self) -> Result<bool, Error> {
        let old: Vec<Arc<str>> = self.all(
            "SELECT id FROM deliveries
             WHERE tenant = ?1 AND state <> 'queued' AND updated_at < ?2
             ORDER BY updated_at LIMIT ?3",
            values![self.now().before(DELIVERY_RETENTION), DELETE_BATCH_ROWS],
            |row| row.get(0),
        )?;
        for (table, column) in [("delivery_attempts", "delivery"), ("deliveries", "id")] {
            let delete = format!("DELETE FROM {table} WHERE tenant = ?1 AND {column} IN #");
            self.execute_for(&delete, values![], &old)?;
        }
        Ok(old.len() as u64 == DELETE_BATCH_ROWS)
    }
}

/// The columns of `COLUMNS`.
fn delivery(row: &dyn Row) -> Result<DeliveryRow, Error> {
    let session: Arc<str> = row.get(4)?;
    Ok(DeliveryRow {
        seq: row.get(0)?,
        id: row.get(1)?,
        hook: row.get(2)?,
        point: row.get(3)?,
        session_id: (!session.is_empty()).then_some(session),
        compilation_id: row.get(5)?,
        state: word(row, 6, DeliveryState::WORDS)?,
        attempts: small(row, 7)?,
        created_at: row.get(8)?,
        updated_at: row.get(9)?,
        due_at: row.get(10)?,
    })
}

fn small(row: &dyn Row, column: usize) -> Result<u32, Error> {
    Ok(u32::try_from(row.get::<u64>(column)?).unwrap_or(u32::MAX))
}
