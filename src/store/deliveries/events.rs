//! Hooks that subscribe to events, with their positions in the feed of their tenant.
//!
//! An event is stored with its fact, and the position of a hook moves in the transaction that
//! queues its calls: each event is queued once, whatever happens in between.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::store::sql::{Sql, values};
use crate::store::{Error, Store, Tx};

/// A hook that has events before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follower {
    pub tenant: Arc<str>,
    pub hook: Arc<str>,
    /// The number of the last event that was queued for it.
    pub seq: u64,
}

impl Store {
    /// Checks whether any hook subscribes to events; `others` is for hooks that have no position in
    /// a feed yet. Until the next check, a published event wakes [`Store::queued`] only if one
    /// does.
    pub fn look_for_followers(&self, others: bool) -> Result<bool, Error> {
        let mut is_followed = others;
        if !is_followed {
            self.inner.backend.read(None, &mut |sql| {
                sql.query("SELECT 1 FROM event_hooks LIMIT 1", &[], &mut |_| {
                    is_followed = true;
                    Ok(())
                })
            })?;
        }
        // Before the feeds are read: what is published until then is found there.
        self.inner.followed.store(is_followed, Ordering::SeqCst);
        Ok(is_followed)
    }

    /// Lists about `limit` hooks that have events before them, of up to `limit` tenants: those after
    /// the tenant `after`, so that tenants take turns, and of each the hooks that are furthest
    /// behind.
    pub fn followers(&self, after: &str, limit: usize) -> Result<Vec<Follower>, Error> {
        let mut found = Vec::new();
        self.inner.backend.read(None, &mut |sql| {
            found.clear();
            let tenants = behind(sql, after, limit)?;
            let each = limit.checked_div(tenants.len()).unwrap_or_default().max(1);
            for tenant in &tenants {
                sql.query(
                    "SELECT hook, seq FROM event_hooks
                     WHERE tenant = ?1
                       AND seq < (SELECT seq FROM event_state WHERE tenant = ?1)
                     ORDER BY seq LIMIT ?2",
                    values![tenant, each],
                    &mut |row| {
                        let (tenant, hook) = (Arc::clone(tenant), row.get(0)?);
                        found.push(Follower { tenant, hook, seq: row.get(1)? });
                        Ok(())
                    },
                )?;
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The tenants that have events and are not followed by this hook.
    pub fn unfollowed(&self, hook: &str) -> Result<Vec<Arc<str>>, Error> {
        let mut found = Vec::new();
        self.inner.backend.read(None, &mut |sql| {
            found.clear();
            sql.query(
                "SELECT tenant FROM event_state WHERE NOT EXISTS (
                     SELECT 1 FROM event_hooks
                     WHERE event_hooks.tenant = event_state.tenant AND event_hooks.hook = ?1)",
                values![hook],
                &mut |row| {
                    found.push(row.get(0)?);
                    Ok(())
                },
            )
        })?;
        Ok(found)
    }
}

/// Tenants with hooks that have events before them: those after `after`, or the first ones if there
/// are none.
fn behind(sql: &dyn Sql, after: &str, limit: usize) -> Result<Vec<Arc<str>>, Error> {
    let mut found = Vec::new();
    let starts = if after.is_empty() { &[after][..] } else { &[after, ""] };
    for start in starts.iter().copied() {
        if found.is_empty() {
            sql.query(
                "SELECT DISTINCT event_hooks.tenant FROM event_hooks
                 JOIN event_state ON event_state.tenant = event_hooks.tenant
                 WHERE event_hooks.seq < event_state.seq AND event_hooks.tenant > ?1
                 ORDER BY event_hooks.tenant LIMIT ?2",
                values![start, limit],
                &mut |row| {
                    found.push(row.get(0)?);
                    Ok(())
                },
            )?;
        }
    }
    Ok(found)
}

impl Tx<'_> {
    /// Subscribes a hook to all events from now on, or unsubscribes it. A hook that is subscribed
    /// keeps its position.
    pub fn follow_events(&self, hook: &str, follows: bool) -> Result<(), Error> {
        let statement = if follows {
            // Wakes the dispatcher, so that it finds the new subscription.
            self.note_queued();
            "INSERT INTO event_hooks (tenant, hook, seq)
             SELECT ?1, ?2, coalesce((SELECT seq FROM event_state WHERE tenant = ?1), 0)
             WHERE NOT EXISTS (SELECT 1 FROM event_hooks WHERE tenant = ?1 AND hook = ?2)"
        } else {
            "DELETE FROM event_hooks WHERE tenant = ?1 AND hook = ?2"
        };
        self.execute(statement, values![hook]).map(drop)
    }

    /// Moves the position of a hook in the feed; returns whether it was at `from`.
    pub fn advance_follower(&self, hook: &str, from: u64, to: u64) -> Result<bool, Error> {
        let moved = self.execute(
            "UPDATE event_hooks SET seq = ?4 WHERE tenant = ?1 AND hook = ?2 AND seq = ?3",
            values![hook, from, to],
        )?;
        Ok(moved > 0)
    }
}
