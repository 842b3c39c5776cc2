//! Keeps the queue of each hook within its cap: the oldest calls go.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::HookKey;
use crate::store::sql::values;
use crate::store::{Error, Store, Tx};

/// Calls that may be queued for a hook; of more, the oldest are deleted.
pub const MAX_QUEUED_CALLS: u64 = 100_000;
/// Calls that one new call may replace. More than one, so that a queue that an older release left
/// above the cap comes down to it.
const MAX_EVICTED_CALLS: u64 = 4;
/// The least time between two events about lost calls of a hook.
const MIN_TELL_PAUSE: Duration = Duration::from_mins(1);

/// Calls of a hook that are queued, and calls that were lost because the queue was full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HookQueue {
    pub queued: u64,
    pub lost: u64,
}

impl Store {
    /// Lists up to `limit` hooks, of all tenants, with lost calls that an event is to count now.
    pub fn hooks_with_losses(&self, limit: usize) -> Result<Vec<HookKey>, Error> {
        let (now, mut found) = (self.now(), Vec::new());
        self.inner.backend.read(None, &mut |sql| {
            found.clear();
            sql.query(
                "SELECT tenant, hook FROM delivery_hooks WHERE untold > 0 AND tell_at <= ?1
                 ORDER BY tell_at LIMIT ?2",
                values![now, limit],
                &mut |row| {
                    found.push((row.get(0)?, row.get(1)?));
                    Ok(())
                },
            )
        })?;
        Ok(found)
    }
}

impl Tx<'_> {
    /// The queue of a hook.
    pub fn hook_queue(&self, hook: &str) -> Result<HookQueue, Error> {
        let found = self.first(
            "SELECT queued, lost FROM delivery_hooks WHERE tenant = ?1 AND hook = ?2",
            values![hook],
            |row| Ok(HookQueue { queued: row.get(0)?, lost: row.get(1)? }),
        )?;
        Ok(found.unwrap_or_default())
    }

    /// The queues of all hooks that have something queued or have lost calls.
    pub fn hook_queues(&self) -> Result<BTreeMap<Arc<str>, HookQueue>, Error> {
        let queues = self.all(
            "SELECT hook, queued, lost FROM delivery_hooks WHERE tenant = ?1",
            values![],
            |row| Ok((row.get(0)?, HookQueue { queued: row.get(1)?, lost: row.get(2)? })),
        )?;
        Ok(queues.into_iter().collect())
    }

    /// Takes the lost calls of a hook that no event has counted yet, if it is time for an event.
    pub fn take_losses(&self, hook: &str) -> Result<Option<u64>, Error> {
        let (now, mut taken) = (self.now(), None);
        self.change_queue(hook, |queue| {
            if queue.untold > 0 && queue.tell_at <= now {
                taken = Some(std::mem::take(&mut queue.untold));
                queue.tell_at = now.after(MIN_TELL_PAUSE);
            }
        })?;
        Ok(taken)
    }

    /// Deletes the oldest calls of a hook that has `queued` calls until it is within the cap, or as
    /// many as one new call may replace. Calls that are under way stay.
    pub(crate) fn evict_calls(&self, hook: &str, queued: u64) -> Result<(), Error> {
        let excess = queued.saturating_sub(MAX_QUEUED_CALLS).min(MAX_EVICTED_CALLS);
        let mut evicted = 0;
        while evicted < excess && self.evict_oldest(hook)? {
            evicted += 1;
        }
        self.change_queue(hook, |queue| {
            queue.queued = queue.queued.saturating_sub(evicted);
            queue.lost = queue.lost.saturating_add(evicted);
            queue.untold = queue.untold.saturating_add(evicted);
        })
    }

    /// Deletes the oldest call of a hook that is not under way; returns whether there was one. It
    /// is the oldest of a line, or next to one that is under way.
    fn evict_oldest(&self, hook: &str) -> Result<bool, Error> {
        let oldest = self.first(
            "SELECT min(oldest.seq) FROM (
                 SELECT (SELECT seq FROM delivery_lines
                         WHERE tenant = ?1 AND hook = ?2 AND claimed = 0
                         ORDER BY seq LIMIT 1) AS seq
                 UNION ALL
                 SELECT (SELECT later.seq FROM deliveries AS later
                         WHERE later.tenant = ?1 AND later.hook = ?2
                           AND later.session = line.session AND later.state = 'queued'
                           AND later.seq > line.seq
                         ORDER BY later.seq LIMIT 1) AS seq
                 FROM delivery_lines AS line
                 WHERE line.tenant = ?1 AND line.hook = ?2 AND line.claimed = 1) AS oldest",
            values![hook],
            |row| row.get::<Option<u64>>(0),
        )?;
        let Some(seq) = oldest.flatten() else { return Ok(false) };
        let deleted = self.first(
            "DELETE FROM deliveries WHERE tenant = ?1 AND hook = ?2 AND seq = ?3
             RETURNING id, session",
            values![hook, seq],
            |row| Ok(DeletedCall { id: row.get(0)?, session: row.get(1)? }),
        )?;
        let Some(DeletedCall { id, session }) = deleted else { return Ok(false) };
        self.execute(
            "DELETE FROM delivery_attempts WHERE tenant = ?1 AND delivery = ?2",
            values![&id],
        )?;
        self.refresh_line(hook, &session)?;
        Ok(true)
    }
}

struct DeletedCall {
    id: Arc<str>,
    session: Arc<str>,
}
