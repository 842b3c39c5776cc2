//! Finds due calls at a cost that does not grow with the number of queued calls.
//!
//! A *line* is the queued calls of one hook and session; its row names the oldest. A row for each
//! hook and one for each tenant has the earliest times of what is below it. They are derived from
//! the queued calls, and each change of a call brings them up to date in its transaction, which has
//! its tenant's lock.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::Timestamp;
use crate::store::sql::{Row, values};
use crate::store::{Error, Tx};

/// Failed attempts in a row from which on a hook is called by one call at a time, after pauses.
pub(super) const MAX_FAILURES_IN_A_ROW: u64 = 5;
/// The first of these pauses; each is twice as long as the one before.
const MIN_FAILING_PAUSE: Duration = Duration::from_secs(10);
/// The pauses of a tenant's hooks that fail are at least as long as so much for each of them, so that
/// a thousand of them do not keep the server busy.
const MIN_PAUSE_PER_FAILING_HOOK: Duration = Duration::from_millis(40);
/// The longest of these pauses.
const MAX_FAILING_PAUSE: Duration = Duration::from_mins(5);

/// The queue of a hook, as its row and its lines have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct HookQueueState {
    pub(super) queued: u64,
    pub(super) lost: u64,
    /// Lost calls that no event has counted yet.
    pub(super) untold: u64,
    /// The earliest time of the next event about lost calls.
    pub(super) tell_at: Timestamp,
    /// Failed attempts in a row.
    pub(super) failures: u64,
    /// No call of the hook is made before this time. A hook that has just been served gets the
    /// present, so that the hooks of a tenant take turns.
    pub(super) ready_at: Timestamp,
    /// When the first line is due whose oldest call was not tried yet, and was tried.
    pub(super) first: Option<Timestamp>,
    pub(super) retry: Option<Timestamp>,
}

/// When a hook or a tenant has something due: a first attempt, and a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct DueTimes {
    pub(super) first: Option<Timestamp>,
    pub(super) retry: Option<Timestamp>,
}

impl HookQueueState {
    /// Whether the hook has failed so often that single calls try whether it works again.
    pub(super) fn is_failing(&self) -> bool {
        self.failures >= MAX_FAILURES_IN_A_ROW
    }

    /// Notes a failed attempt of a hook whose tenant has so many failing hooks. While a hook fails,
    /// the pause grows with each call that was made to try it, and not with the calls that were under
    /// way when it began to fail.
    pub(super) fn note_failure(&mut self, now: Timestamp, was_probe: bool, failing_hooks: u32) {
        if self.is_failing() && !was_probe {
            return;
        }
        self.failures = self.failures.saturating_add(1);
        if self.is_failing() {
            let least = MIN_PAUSE_PER_FAILING_HOOK.saturating_mul(failing_hooks);
            self.ready_at = now.after(failing_pause(self.failures).max(least));
        }
    }

    /// Notes that the hook works, or may work: its calls are made as they are due.
    pub(super) fn resume(&mut self, now: Timestamp) {
        self.failures = 0;
        self.ready_at = now;
    }

    /// Calls of a failing hook count as retries, so that they leave room for those of others.
    pub(super) fn due_times(&self) -> DueTimes {
        let ready = |due: Option<Timestamp>| due.map(|due| due.max(self.ready_at));
        if self.is_failing() {
            let earliest = self.first.into_iter().chain(self.retry).min();
            return DueTimes { first: None, retry: ready(earliest) };
        }
        DueTimes { first: ready(self.first), retry: ready(self.retry) }
    }

    /// Whether a line that is due now changes nothing for the hook, whose row has `due`.
    pub(super) fn has_its_turn(&self, due: DueTimes, now: Timestamp) -> bool {
        if self.is_failing() {
            return due.retry.is_some_and(|due| due <= now.max(self.ready_at));
        }
        due.first.is_some_and(|due| due <= now)
    }

    /// Whether the row says nothing that an absent one does not say.
    fn is_idle(&self) -> bool {
        self.queued == 0 && self.lost == 0 && self.failures == 0
    }
}

/// The pause after so many failed attempts in a row.
fn failing_pause(failures: u64) -> Duration {
    let doublings = failures.saturating_sub(MAX_FAILURES_IN_A_ROW).try_into().unwrap_or(u32::MAX);
    let factor = 2_u32.saturating_pow(doublings);
    MIN_FAILING_PAUSE.saturating_mul(factor).min(MAX_FAILING_PAUSE)
}

impl Tx<'_> {
    /// Brings a line up to date: its row has the oldest queued call.
    pub(super) fn refresh_line(&self, hook: &str, session: &str) -> Result<(), Error> {
        let refreshed = self.execute(
            "INSERT INTO delivery_lines (tenant, hook, session, seq, retried, claimed, due_at)
             SELECT ?1, hook, session, seq, CASE WHEN tries > 0 THEN 1 ELSE 0 END, claimed,
                    due_at
             FROM deliveries
             WHERE tenant = ?1 AND hook = ?2 AND session = ?3 AND state = 'queued'
             ORDER BY seq LIMIT 1
             ON CONFLICT (tenant, hook, session) DO UPDATE SET
                 seq = excluded.seq, retried = excluded.retried, claimed = excluded.claimed,
                 due_at = excluded.due_at",
            values![hook, session],
        )?;
        if refreshed == 0 {
            self.execute(
                "DELETE FROM delivery_lines WHERE tenant = ?1 AND hook = ?2 AND session = ?3",
                values![hook, session],
            )?;
        }
        Ok(())
    }

    /// Changes the row of a hook's queue, and brings it and the tenant's row up to date with the
    /// hook's lines.
    pub(super) fn change_queue(
        &self,
        hook: &str,
        change: impl FnOnce(&mut HookQueueState),
    ) -> Result<(), Error> {
        self.change_hook_row(hook, change)?;
        self.refresh_tenant_row()
    }

    /// As [`Tx::change_queue`], without the tenant's row.
    pub(super) fn change_hook_row(
        &self,
        hook: &str,
        change: impl FnOnce(&mut HookQueueState),
    ) -> Result<(), Error> {
        let state = self.first(
            // Without statistics, PostgreSQL reads all lines for a `min()`, and one for this.
            "SELECT queued, lost, untold, tell_at, failures, ready_at,
                 (SELECT due_at FROM delivery_lines
                  WHERE tenant = ?1 AND hook = ?2 AND retried = 0 ORDER BY due_at, seq LIMIT 1),
                 (SELECT due_at FROM delivery_lines
                  WHERE tenant = ?1 AND hook = ?2 AND retried = 1 ORDER BY due_at, seq LIMIT 1)
             FROM delivery_hooks WHERE tenant = ?1 AND hook = ?2",
            values![hook],
            hook_queue_state,
        )?;
        let Some(mut state) = state else { return Ok(()) };
        change(&mut state);
        if state.is_idle() {
            let idle = "DELETE FROM delivery_hooks WHERE tenant = ?1 AND hook = ?2";
            return self.execute(idle, values![hook]).map(drop);
        }
        let due = state.due_times();
        self.execute(
            "UPDATE delivery_hooks SET queued = ?3, lost = ?4, untold = ?5, tell_at = ?6,
                 failures = ?7, ready_at = ?8, due_at = ?9, retry_at = ?10
             WHERE tenant = ?1 AND hook = ?2",
            values![
                hook,
                state.queued,
                state.lost,
                state.untold,
                state.tell_at,
                state.failures,
                state.ready_at,
                due.first,
                due.retry
            ],
        )
        .map(drop)
    }

    /// Brings the row of the tenant up to date with its hooks.
    pub(super) fn refresh_tenant_row(&self) -> Result<(), Error> {
        let found = self.first(
            "SELECT (SELECT due_at FROM delivery_hooks
                     WHERE tenant = ?1 AND due_at IS NOT NULL ORDER BY due_at LIMIT 1),
                    (SELECT retry_at FROM delivery_hooks
                     WHERE tenant = ?1 AND retry_at IS NOT NULL ORDER BY retry_at LIMIT 1),
                    (SELECT due_at FROM delivery_tenants WHERE tenant = ?1),
                    (SELECT retry_at FROM delivery_tenants WHERE tenant = ?1)",
            values![],
            |row| {
                let due = DueTimes { first: row.get(0)?, retry: row.get(1)? };
                Ok((due, DueTimes { first: row.get(2)?, retry: row.get(3)? }))
            },
        )?;
        let (due, stored) = found.ok_or_else(Error::no_row)?;
        if due == stored {
            return Ok(());
        }
        if due == DueTimes::default() {
            let idle = "DELETE FROM delivery_tenants WHERE tenant = ?1";
            return self.execute(idle, values![]).map(drop);
        }
        self.execute(
            "INSERT INTO delivery_tenants (tenant, due_at, retry_at) VALUES (?1, ?2, ?3)
             ON CONFLICT (tenant) DO UPDATE SET
                 due_at = excluded.due_at, retry_at = excluded.retry_at",
            values![due.first, due.retry],
        )
        .map(drop)
    }

    /// The tenant's hooks that have failed so often that single calls try them.
    pub(super) fn failing_hooks(&self) -> Result<u32, Error> {
        let failing = self.first(
            "SELECT count(*) FROM delivery_hooks WHERE tenant = ?1 AND failures >= ?2",
            values![MAX_FAILURES_IN_A_ROW],
            |row| row.get::<u64>(0),
        )?;
        Ok(failing.map_or(0, |failing| u32::try_from(failing).unwrap_or(u32::MAX)))
    }

    /// Has the calls of a hook made as they are due, however often it has failed: its operator has
    /// changed it.
    pub(crate) fn resume_queue(&self, hook: &str) -> Result<(), Error> {
        let now = self.now();
        self.change_queue(hook, |queue| queue.resume(now))?;
        self.note_queued();
        Ok(())
    }

    /// Removes the lines of a hook that is gone.
    pub(super) fn forget_lines_of(&self, hook: &str) -> Result<(), Error> {
        let lines = "DELETE FROM delivery_lines WHERE tenant = ?1 AND hook = ?2";
        self.execute(lines, values![hook])?;
        let queue = "DELETE FROM delivery_hooks WHERE tenant = ?1 AND hook = ?2";
        self.execute(queue, values![hook])?;
        self.refresh_tenant_row()
    }

    /// The lines of the tenant whose oldest call was claimed.
    pub(super) fn claimed_lines(&self) -> Result<Vec<Line>, Error> {
        self.all(
            "SELECT hook, session, seq FROM delivery_lines WHERE tenant = ?1 AND claimed = 1",
            values![],
            line,
        )
    }
}

/// A line of a tenant, with the number of its oldest call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) hook: Arc<str>,
    pub(super) session: Arc<str>,
    pub(super) head: u64,
}

/// The columns `hook, session, seq`.
pub(super) fn line(row: &dyn Row) -> Result<Line, Error> {
    Ok(Line { hook: row.get(0)?, session: row.get(1)?, head: row.get(2)? })
}

fn hook_queue_state(row: &dyn Row) -> Result<HookQueueState, Error> {
    Ok(HookQueueState {
        queued: row.get(0)?,
        lost: row.get(1)?,
        untold: row.get(2)?,
        tell_at: row.get(3)?,
        failures: row.get(4)?,
        ready_at: row.get(5)?,
        first: row.get(6)?,
        retry: row.get(7)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pause of a hook after so many failed attempts in a row, next to failing hooks.
    fn pause_after(attempts: u64, failing_hooks: u32) -> Duration {
        let (mut queue, now) = (HookQueueState::default(), Timestamp::default());
        for _ in 0..attempts {
            queue.note_failure(now, true, failing_hooks);
        }
        queue.ready_at.since(now)
    }

    #[test]
    fn the_pauses_of_a_failing_hook_grow() {
        let seconds: Vec<u64> =
            (4..12).map(|attempts| pause_after(attempts, 1).as_secs()).collect();
        assert_eq!(seconds, [0, 10, 20, 40, 80, 160, 300, 300]);
    }

    #[test]
    fn many_failing_hooks_are_tried_less_often_each() {
        let seconds = |failing| pause_after(5, failing).as_secs();
        assert_eq!((seconds(250), seconds(500), seconds(1_000)), (10, 20, 40));
        assert_eq!(pause_after(9, 1_000).as_secs(), 160, "its own pause is longer");
    }
}
