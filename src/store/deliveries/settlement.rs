//! Records the outcomes of attempts, and queues calls again.

use std::sync::Arc;

use super::{AttemptRow, ClaimedDelivery, DeliveryState};
use crate::domain::{Timestamp, word_of};
use crate::store::memory::word;
use crate::store::sql::values;
use crate::store::{Error, Tx};

/// The next step of a delivery after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    /// The delivery is retried at this time.
    Again(Timestamp),
    /// The delivery is retried at this time, and so are the others of its hook; no attempt was made
    /// now.
    Later(Timestamp),
    Dead,
}

impl AttemptOutcome {
    /// Whether no further attempt follows.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Delivered | Self::Dead)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Again(_) => "again",
            Self::Later(_) => "later",
            Self::Dead => "dead",
        }
    }
}

impl Tx<'_> {
    /// Records the outcome of an attempt; returns whether the claim was still valid. `succeeded` is
    /// whether the call succeeded; `None` if the hook was not called.
    pub fn settle_delivery(
        &self,
        claimed: &ClaimedDelivery,
        attempt: Option<&AttemptRow>,
        outcome: AttemptOutcome,
        succeeded: Option<bool>,
    ) -> Result<bool, Error> {
        let (state, due_at) = match outcome {
            AttemptOutcome::Delivered => (DeliveryState::Delivered, self.now()),
            AttemptOutcome::Again(at) | AttemptOutcome::Later(at) => (DeliveryState::Queued, at),
            AttemptOutcome::Dead => (DeliveryState::Dead, self.now()),
        };
        let made = u64::from(attempt.is_some());
        let settled = self.execute(
            "UPDATE deliveries SET state = ?4, due_at = ?5, updated_at = ?6, claimed = 0,
                 attempts = attempts + ?7, tries = tries + ?7,
                 input = CASE WHEN ?4 = 'delivered' THEN NULL ELSE input END
             WHERE tenant = ?1 AND id = ?2 AND fence = ?3 AND state = 'queued'",
            values![
                &claimed.id,
                claimed.fence,
                word_of(DeliveryState::WORDS, state),
                due_at,
                self.now(),
                made
            ],
        )?;
        if settled == 0 {
            return Ok(false);
        }
        if let Some(attempt) = attempt {
            self.insert_attempt(&claimed.id, attempt)?;
        }
        self.refresh_line(&claimed.hook, claimed.session_id.as_deref().unwrap_or_default())?;
        let failing = if succeeded == Some(false) { self.failing_hooks()? } else { 0 };
        let now = self.now();
        self.change_queue(&claimed.hook, |queue| {
            if state != DeliveryState::Queued {
                queue.queued = queue.queued.saturating_sub(1);
            }
            match (outcome, succeeded) {
                (AttemptOutcome::Later(at), _) => queue.ready_at = at,
                (_, Some(true)) => queue.resume(now),
                (_, Some(false)) => queue.note_failure(now, claimed.is_probe, failing),
                (_, None) => queue.ready_at = now,
            }
        })?;
        Ok(true)
    }

    fn insert_attempt(&self, delivery: &str, attempt: &AttemptRow) -> Result<(), Error> {
        self.execute(
            "INSERT INTO delivery_attempts (tenant, delivery, number, at, status, cause, detail,
                                            took_us)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            values![
                delivery,
                u64::from(attempt.number),
                attempt.at,
                attempt.status.map(u64::from),
                attempt.cause.as_deref(),
                attempt.detail.as_deref(),
                u64::try_from(attempt.took.as_micros()).unwrap_or(u64::MAX)
            ],
        )
        .map(drop)
    }

    /// Records since when all queued calls of a hook have failed, or that one succeeded; returns
    /// that time for a hook that is stored.
    pub fn note_hook_failing(&self, hook: &str, fails: bool) -> Result<Option<Timestamp>, Error> {
        if !fails {
            self.execute(
                "UPDATE hooks SET failing_since = NULL
                 WHERE tenant = ?1 AND id = ?2 AND failing_since IS NOT NULL",
                values![hook],
            )?;
            return Ok(None);
        }
        self.first(
            "UPDATE hooks SET failing_since = coalesce(failing_since, ?3)
             WHERE tenant = ?1 AND id = ?2 RETURNING failing_since",
            values![hook, self.now()],
            |row| row.get(0),
        )
    }

    /// Queues a delivery again that was given up, or makes one due now that waits for its time;
    /// returns whether there is such a delivery. It is the next call of its hook, unless an older
    /// one of its session is queued.
    pub fn retry_delivery(&self, id: &str) -> Result<bool, Error> {
        let found = self.first(
            "SELECT hook, session, seq, state FROM deliveries
             WHERE tenant = ?1 AND id = ?2 AND state <> 'delivered'",
            values![id],
            |row| {
                Ok(RetriedCall {
                    hook: row.get(0)?,
                    session: row.get(1)?,
                    seq: row.get(2)?,
                    state: word(row, 3, DeliveryState::WORDS)?,
                })
            },
        )?;
        let Some(RetriedCall { hook, session, seq, state }) = found else { return Ok(false) };
        self.execute(
            "UPDATE deliveries SET state = 'queued', tries = 0, due_at = ?3, updated_at = ?3,
                                   fence = fence + 1, claimed = 0
             WHERE tenant = ?1 AND id = ?2",
            values![id, self.now()],
        )?;
        if state == DeliveryState::Dead {
            self.count_queued(&hook)?;
        }
        self.refresh_line(&hook, &session)?;
        // Before the calls of other sessions that are due.
        self.execute(
            "UPDATE delivery_lines SET due_at = 0
             WHERE tenant = ?1 AND hook = ?2 AND session = ?3 AND seq = ?4",
            values![&hook, &session, seq],
        )?;
        let now = self.now();
        self.change_queue(&hook, |queue| queue.ready_at = queue.ready_at.min(now))?;
        self.note_queued();
        Ok(true)
    }
}

/// A call that is queued again.
struct RetriedCall {
    hook: Arc<str>,
    session: Arc<str>,
    seq: u64,
    state: DeliveryState,
}
