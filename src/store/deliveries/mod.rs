//! Calls of hooks that are made from a queue, at least once each.
//!
//! One that was claimed is its claimer's until the lease ends; then another may claim it, and what
//! the first one finds out changes nothing. Of one hook and session the oldest alone can be claimed.

mod claim;
mod events;

use std::sync::Arc;
use std::time::Duration;

pub use self::claim::{AttemptOutcome, ClaimedDelivery, Claims, HookKey};
pub use self::events::Follower;
use super::answers::DELETE_BATCH_ROWS;
use super::memory::word;
use super::sql::{Row, values};
use super::{Error, Tx};
use crate::domain::{Timestamp, word_of};

/// How long a completed delivery is kept.
const DELIVERY_RETENTION: Duration = Duration::from_hours(7 * 24);

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
    /// Queues a call, in the transaction of the fact that it reports.
    pub fn enqueue(&self, new: &NewDelivery<'_>) -> Result<(), Error> {
        self.execute(
            "INSERT INTO deliveries (tenant, id, hook, session, point, compilation, agent, turn,
                 hops, occurrence, input, state, attempts, tries, created_at, updated_at, due_at,
                 fence)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'queued', 0, 0, ?12, ?12, ?12,
                 0)",
            values![
                new.id,
                new.hook,
                new.session_id.unwrap_or_default(),
                new.point,
                new.compilation_id,
                new.agent,
                new.turn,
                u64::from(new.hops),
                u64::from(new.occurrence),
                new.input,
                self.now()
            ],
        )?;
        self.note_queued();
        Ok(())
    }

    /// Lists up to `limit` deliveries of a hook, the newest first, before the number `before`.
    pub fn deliveries(
        &self,
        hook: &str,
        state: Option<DeliveryState>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<DeliveryRow>, Error> {
        let state = state.map(|state| word_of(DeliveryState::WORDS, state));
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM deliveries
                 WHERE tenant = ?1 AND hook = ?2 AND seq < ?3 AND (CAST(?4 AS TEXT) IS NULL OR state = ?4)
                 ORDER BY seq DESC LIMIT ?5"
            ),
            values![hook, before.unwrap_or(u64::MAX), state, limit],
            delivery,
        )
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

    /// Queues a delivery again that was given up, or makes one due now that waits for its time;
    /// returns whether there is such a delivery.
    pub fn retry_delivery(&self, id: &str) -> Result<bool, Error> {
        let changed = self.execute(
            "UPDATE deliveries SET state = 'queued', tries = 0, due_at = ?3, updated_at = ?3,
                                   fence = fence + 1
             WHERE tenant = ?1 AND id = ?2 AND state <> 'delivered'",
            values![id, self.now()],
        )?;
        self.note_queued();
        Ok(changed > 0)
    }

    /// Deletes the deliveries of a hook that is gone.
    pub(super) fn forget_deliveries_of(&self, hook: &str) -> Result<(), Error> {
        self.execute(
            "DELETE FROM delivery_attempts WHERE tenant = ?1 AND delivery IN (
                 SELECT id FROM deliveries WHERE tenant = ?1 AND hook = ?2)",
            values![hook],
        )?;
        self.execute("DELETE FROM deliveries WHERE tenant = ?1 AND hook = ?2", values![hook])?;
        self.execute("DELETE FROM event_hooks WHERE tenant = ?1 AND hook = ?2", values![hook])
            .map(drop)
    }

    /// Deletes some of the deliveries that were completed a while ago; returns whether there are
    /// more.
    pub(super) fn forget_deliveries(&self) -> Result<bool, Error> {
        let old: Vec<Arc<str>> = self.all(
            "SELECT id FROM deliveries
             WHERE tenant = ?1 AND state <> 'queued' AND updated_at < ?2 LIMIT ?3",
            values![self.now().before(DELIVERY_RETENTION), DELETE_BATCH_ROWS],
            |row| row.get(0),
        )?;
        for id in &old {
            self.execute(
                "DELETE FROM delivery_attempts WHERE tenant = ?1 AND delivery = ?2",
                values![id],
            )?;
            self.execute("DELETE FROM deliveries WHERE tenant = ?1 AND id = ?2", values![id])?;
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
