//! Claims deliveries and records the outcomes of attempts.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::{AttemptRow, small};
use crate::domain::Timestamp;
use crate::store::backend::{WriteNeeds, job};
use crate::store::sql::{Row, Sql, SqlValue, values};
use crate::store::{Error, Store, Tx};

/// A request for deliveries to make now.
#[derive(Debug, Clone, Default)]
pub struct Claims {
    /// The most of them.
    pub limit: usize,
    /// How many of the claimed deliveries may be retries.
    pub retries: usize,
    /// How long a claim lasts.
    pub lease: Duration,
    /// Calls of one hook at once, and how many are under way of which tenant's.
    pub per_hook: usize,
    pub busy: HashMap<HookKey, usize>,
}

/// The tenant and the id of a hook.
pub type HookKey = (Arc<str>, Arc<str>);

/// A claimed delivery, to be made now.
#[derive(Debug, Clone)]
pub struct ClaimedDelivery {
    pub tenant: Arc<str>,
    pub id: Arc<str>,
    pub hook: Arc<str>,
    pub point: Arc<str>,
    pub session_id: Option<Arc<str>>,
    pub compilation_id: Option<Arc<str>>,
    pub agent: Option<Arc<str>>,
    pub turn: Option<u64>,
    pub hops: u8,
    pub occurrence: u32,
    /// JSON text.
    pub input: Arc<str>,
    /// Attempts that were made before.
    pub attempts: u32,
    /// Attempts since it was last queued.
    pub tries: u32,
    pub created_at: Timestamp,
    fence: u64,
}

/// The next step of a delivery after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    /// The delivery is retried at this time.
    Again(Timestamp),
    /// The delivery is retried at this time; no attempt was made now.
    Later(Timestamp),
    Dead,
}

impl AttemptOutcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Again(_) => "again",
            Self::Later(_) => "later",
            Self::Dead => "dead",
        }
    }
}

/// The oldest due delivery of each hook and session.
const DUE_ROWS: &str = "FROM deliveries AS due WHERE state = 'queued' AND due_at <= ?1
    AND NOT EXISTS (SELECT 1 FROM deliveries AS earlier
        WHERE earlier.tenant = due.tenant AND earlier.hook = due.hook
          AND earlier.session = due.session AND earlier.state = 'queued'
          AND earlier.seq < due.seq)";

/// Rows that are looked at for each one that is claimed, since retries may be too many.
const MAX_ROWS_PER_CLAIM: usize = 8;

impl Store {
    /// Claims due deliveries of all tenants, first attempts before retries. Writes nothing if none
    /// is due.
    pub fn claim_deliveries(&self, claims: &Claims) -> Result<Vec<ClaimedDelivery>, Error> {
        let now = self.now();
        let mut any = false;
        self.inner.backend.read(None, &mut |sql| {
            any = !select_due(sql, now, claims)?.is_empty();
            Ok(())
        })?;
        if !any {
            return Ok(Vec::new());
        }
        let claims = claims.clone();
        let (job, pending) = job(None, WriteNeeds::default(), move |sql| {
            let mut found = select_due(sql, now, &claims)?;
            for claimed in &mut found {
                sql.execute(
                    "UPDATE deliveries SET fence = fence + 1, due_at = ?3, claimed = 1
                     WHERE tenant = ?1 AND id = ?2",
                    values![&claimed.tenant, &claimed.id, now.after(claims.lease)],
                )?;
                claimed.fence += 1;
            }
            Ok::<_, Error>(found)
        });
        self.inner.backend.write(job)?;
        pending.wait()
    }

    /// Releases the claims of a process that has ended: a process that is the only user of a
    /// database has claimed nothing at its start. In a shared database nothing is released.
    pub fn free_deliveries(&self) -> Result<(), Error> {
        if self.is_shared() {
            return Ok(());
        }
        let now = self.now();
        let (job, pending) = job(None, WriteNeeds::default(), move |sql| {
            sql.execute(
                "UPDATE deliveries SET due_at = ?1, claimed = 0
                 WHERE state = 'queued' AND claimed = 1",
                values![now],
            )?;
            Ok::<_, Error>(())
        });
        self.inner.backend.write(job)?;
        pending.wait()
    }

    /// When the next delivery is due; `None` if none waits.
    pub fn next_delivery(&self) -> Result<Option<Timestamp>, Error> {
        let mut next = None;
        self.inner.backend.read(None, &mut |sql| {
            let earliest = "SELECT min(due_at) FROM deliveries WHERE state = 'queued'";
            sql.query(earliest, &[], &mut |row| {
                next = row.get(0)?;
                Ok(())
            })
        })?;
        Ok(next)
    }
}

fn select_due(
    sql: &dyn Sql,
    now: Timestamp,
    claims: &Claims,
) -> Result<Vec<ClaimedDelivery>, Error> {
    let mut text = format!(
        "SELECT tenant, id, hook, point, session, compilation, agent, turn, hops, occurrence,
                input, attempts, tries, created_at, fence {DUE_ROWS}"
    );
    let mut given: Vec<SqlValue<'_>> = vec![now.into()];
    let mut busy: Vec<_> =
        claims.busy.iter().filter(|(_, calls)| **calls >= claims.per_hook).collect();
    // The statement is one of a few, so it is compiled already.
    busy.sort_unstable();
    for ((tenant, hook), _) in busy {
        let at = given.len();
        let _ = write!(text, " AND NOT (tenant = ?{} AND hook = ?{})", at + 1, at + 2);
        given.extend([SqlValue::from(tenant), SqlValue::from(hook)]);
    }
    let _ = write!(text, " ORDER BY tries > 0, due_at, seq LIMIT ?{}", given.len() + 1);
    given.push(claims.limit.saturating_mul(MAX_ROWS_PER_CLAIM).into());
    let (mut found, mut retries, mut calls) = (Vec::new(), 0, claims.busy.clone());
    sql.query(&text, &given, &mut |row| {
        let claimed = claimed(row)?;
        let key = (Arc::clone(&claimed.tenant), Arc::clone(&claimed.hook));
        let calls = calls.entry(key).or_default();
        let may = claimed.tries == 0 || retries < claims.retries;
        if found.len() < claims.limit && may && *calls < claims.per_hook {
            retries += usize::from(claimed.tries > 0);
            *calls += 1;
            found.push(claimed);
        }
        Ok(())
    })?;
    Ok(found)
}

fn claimed(row: &dyn Row) -> Result<ClaimedDelivery, Error> {
    let session: Arc<str> = row.get(4)?;
    let hops: u64 = row.get(8)?;
    Ok(ClaimedDelivery {
        tenant: row.get(0)?,
        id: row.get(1)?,
        hook: row.get(2)?,
        point: row.get(3)?,
        session_id: (!session.is_empty()).then_some(session),
        compilation_id: row.get(5)?,
        agent: row.get(6)?,
        turn: row.get(7)?,
        hops: u8::try_from(hops).unwrap_or(u8::MAX),
        occurrence: small(row, 9)?,
        input: row.get::<Option<Arc<str>>>(10)?.unwrap_or_else(|| "{}".into()),
        attempts: small(row, 11)?,
        tries: small(row, 12)?,
        created_at: row.get(13)?,
        fence: row.get(14)?,
    })
}

impl Tx<'_> {
    /// Records the outcome of an attempt; returns whether the claim was still valid.
    pub fn settle_delivery(
        &self,
        claimed: &ClaimedDelivery,
        attempt: Option<&AttemptRow>,
        outcome: AttemptOutcome,
    ) -> Result<bool, Error> {
        let (state, due_at) = match outcome {
            AttemptOutcome::Delivered => ("delivered", self.now()),
            AttemptOutcome::Again(at) | AttemptOutcome::Later(at) => ("queued", at),
            AttemptOutcome::Dead => ("dead", self.now()),
        };
        let made = u64::from(attempt.is_some());
        let settled = self.execute(
            "UPDATE deliveries SET state = ?4, due_at = ?5, updated_at = ?6, claimed = 0,
                 attempts = attempts + ?7, tries = tries + ?7,
                 input = CASE WHEN ?4 = 'delivered' THEN NULL ELSE input END
             WHERE tenant = ?1 AND id = ?2 AND fence = ?3 AND state = 'queued'",
            values![&claimed.id, claimed.fence, state, due_at, self.now(), made],
        )?;
        let (Some(attempt), true) = (attempt, settled > 0) else { return Ok(settled > 0) };
        self.execute(
            "INSERT INTO delivery_attempts (tenant, delivery, number, at, status, cause, detail,
                                            took_us)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            values![
                &claimed.id,
                u64::from(attempt.number),
                attempt.at,
                attempt.status.map(u64::from),
                attempt.cause.as_deref(),
                attempt.detail.as_deref(),
                u64::try_from(attempt.took.as_micros()).unwrap_or(u64::MAX)
            ],
        )?;
        Ok(true)
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
}
