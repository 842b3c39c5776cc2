//! Claims due deliveries: tenants in turn, and the hooks of a tenant in turn.
//!
//! Whoever is due for the longest time is next, and one that was just served and has more to do is
//! due from then on. First attempts are claimed before retries, which have a limit of their own.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::due::{AttemptClass, CLAIMED_TENANTS, DUE_LINES, due_tenants};
use super::lines::{Line, line};
use super::{BusyCalls, ClaimedDelivery, small};
use crate::domain::Timestamp;
use crate::store::backend::{WriteHandle, WriteNeeds, job};
use crate::store::sql::{Row, Sql, values};
use crate::store::{Error, Store, Tx};

/// A request for deliveries to make now.
#[derive(Debug, Clone, Default)]
pub struct Claims {
    /// The most calls under way at once.
    pub calls: usize,
    /// Retries among them, and calls of hooks that fail.
    pub retries: usize,
    /// Calls in addition, for tenants that have fewer than `few` under way.
    pub extra: usize,
    pub few: usize,
    /// Time that a claim lasts.
    pub lease: Duration,
    /// Calls of one hook at once, and of one tenant; of the latter, half may be retries.
    pub per_hook: usize,
    pub per_tenant: usize,
    /// The calls that are under way already.
    pub busy: BusyCalls,
}

/// The share of one tenant of a claim.
#[derive(Debug, Clone)]
struct TenantShare {
    class: AttemptClass,
    /// The most calls.
    calls: usize,
    per_hook: usize,
    /// The calls under way by hook.
    busy: HashMap<Arc<str>, usize>,
    lease: Duration,
}

type PendingClaim = WriteHandle<Vec<ClaimedDelivery>, Error>;

impl AttemptClass {
    /// Number of calls that a tenant may have under way in addition.
    fn room_of(self, tenant: &str, claims: &Claims) -> usize {
        let busy = claims.busy.of_tenant(tenant);
        let room = claims.per_tenant.saturating_sub(busy.calls);
        match self {
            Self::First => room,
            Self::Retry => room.min((claims.per_tenant / 2).saturating_sub(busy.retries)),
        }
    }

    /// Whether a tenant gets one of the additional calls.
    fn has_few(self, tenant: &str, claims: &Claims) -> bool {
        let busy = claims.busy.of_tenant(tenant);
        match self {
            Self::First => busy.calls < claims.few,
            Self::Retry => busy.calls < claims.few && busy.retries < claims.few / 2,
        }
    }

    /// Number of calls that may be under way in addition.
    fn room(self, claims: &Claims) -> usize {
        let busy = claims.busy.all();
        let room = claims.calls.saturating_sub(busy.calls);
        match self {
            Self::First => room,
            Self::Retry => room.min(claims.retries.saturating_sub(busy.retries)),
        }
    }
}

impl Store {
    /// Claims due deliveries of all tenants, first attempts before retries. Writes nothing if none
    /// is due.
    pub fn claim_deliveries(&self, claims: &Claims) -> Result<Vec<ClaimedDelivery>, Error> {
        let (now, mut claims) = (self.now(), claims.clone());
        // Tenants that have all their calls under way may still be due.
        let limit =
            claims.calls.saturating_add(claims.busy.all().calls).saturating_add(claims.extra);
        let (mut first, mut retry) = (Vec::new(), Vec::new());
        self.inner.backend.read(None, &mut |sql| {
            first = due_tenants(sql, AttemptClass::First, now, limit)?;
            retry = due_tenants(sql, AttemptClass::Retry, now, limit)?;
            Ok(())
        })?;
        let mut found = Vec::new();
        for (class, tenants) in [(AttemptClass::First, first), (AttemptClass::Retry, retry)] {
            match self.claim_class(class, tenants, &claims) {
                Ok(claimed) => {
                    for call in &claimed {
                        claims.busy.begin(call);
                    }
                    found.extend(claimed);
                }
                Err(error) if found.is_empty() => return Err(error),
                // Claimed calls are made now; the rest is still due.
                Err(error) => tracing::debug!(%error, "retries could not be claimed"),
            }
        }
        Ok(found)
    }

    /// Claims for some tenants, each in a transaction of its own that has the tenant's lock.
    fn claim_class(
        &self,
        class: AttemptClass,
        mut tenants: Vec<Arc<str>>,
        claims: &Claims,
    ) -> Result<Vec<ClaimedDelivery>, Error> {
        let room = class.room(claims);
        tenants.retain(|tenant| class.room_of(tenant, claims) > 0);
        let others = tenants.split_off(room.min(tenants.len()));
        let each = room.checked_div(tenants.len()).unwrap_or_default().max(1);
        let used = claims.busy.all().calls.saturating_sub(claims.calls);
        let few = others.into_iter().filter(|tenant| class.has_few(tenant, claims));
        tenants.extend(few.take(claims.extra.saturating_sub(used)));
        let begun: Vec<Result<PendingClaim, Error>> = tenants
            .iter()
            .enumerate()
            .map(|(number, tenant)| {
                let each = if number < room { each } else { 1 };
                let share = TenantShare {
                    class,
                    calls: each.min(class.room_of(tenant, claims)),
                    per_hook: claims.per_hook,
                    busy: claims.busy.hooks_of(tenant),
                    lease: claims.lease,
                };
                self.begin_claim(tenant, share)
            })
            .collect();
        let (mut found, mut failed) = (Vec::new(), None);
        for pending in begun {
            match pending.and_then(WriteHandle::wait) {
                Ok(claimed) => found.extend(claimed),
                Err(error) => failed = Some(error),
            }
        }
        match failed {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(found),
        }
    }

    fn begin_claim(&self, tenant: &Arc<str>, share: TenantShare) -> Result<PendingClaim, Error> {
        let (now, owner) = (self.now(), Arc::clone(tenant));
        let claim = move |sql: &dyn Sql| Tx::new(sql, &owner, now).claim_share(&share);
        let (job, pending) = job(Some(tenant), WriteNeeds::default(), claim);
        self.inner.backend.queue_write(job)?;
        Ok(pending)
    }

    /// Releases the claims of a process that has ended: a process that is the only user of a
    /// database has claimed nothing at its start. In a shared database nothing is released.
    pub fn free_deliveries(&self) -> Result<(), Error> {
        if self.is_shared() {
            return Ok(());
        }
        let mut tenants: BTreeSet<Arc<str>> = BTreeSet::new();
        self.inner.backend.read(None, &mut |sql| {
            sql.query(CLAIMED_TENANTS, &[], &mut |row| {
                tenants.insert(row.get(0)?);
                Ok(())
            })
        })?;
        for tenant in tenants {
            self.tenant(&tenant).write(|tx| tx.free_claims())?;
        }
        Ok(())
    }
}

/// A hook with something due.
struct DueHook {
    id: Arc<str>,
    is_failing: bool,
}

impl Tx<'_> {
    /// Claims what a tenant gets: its hooks that wait longest share it.
    fn claim_share(&self, share: &TenantShare) -> Result<Vec<ClaimedDelivery>, Error> {
        let free = |hook: &str| {
            share.per_hook.saturating_sub(share.busy.get(hook).copied().unwrap_or_default())
        };
        let mut hooks = self.all(
            share.class.hooks_statement(),
            values![self.now(), share.calls.saturating_add(share.busy.len())],
            |row| {
                let failures: u64 = row.get(1)?;
                Ok(DueHook {
                    id: row.get(0)?,
                    is_failing: failures >= super::MAX_FAILURES_IN_A_ROW,
                })
            },
        )?;
        hooks.retain(|hook| free(&hook.id) > 0);
        hooks.truncate(share.calls);
        let each = share.calls.checked_div(hooks.len()).unwrap_or_default().max(1);
        let mut found = Vec::new();
        for hook in &hooks {
            let calls = if hook.is_failing { 1 } else { each.min(free(&hook.id)) };
            found.extend(self.claim_of_hook(hook, calls, share)?);
        }
        if !hooks.is_empty() {
            self.refresh_tenant_row()?;
        }
        Ok(found)
    }

    fn claim_of_hook(
        &self,
        hook: &DueHook,
        calls: usize,
        share: &TenantShare,
    ) -> Result<Vec<ClaimedDelivery>, Error> {
        // The call that tries a failing hook may be either.
        let classes: &[AttemptClass] = match (hook.is_failing, share.class) {
            (true, _) => &[AttemptClass::First, AttemptClass::Retry],
            (false, AttemptClass::First) => &[AttemptClass::First],
            (false, AttemptClass::Retry) => &[AttemptClass::Retry],
        };
        let mut lines: Vec<Line> = Vec::new();
        for class in classes {
            let room = calls.saturating_sub(lines.len());
            lines.extend(self.all(
                DUE_LINES,
                values![&hook.id, *class == AttemptClass::Retry, self.now(), room],
                line,
            )?);
        }
        let until = self.now().after(share.lease);
        let mut found = Vec::new();
        for line in lines {
            found.extend(self.claim_call(hook, line.head, until)?);
            self.refresh_line(&hook.id, &line.session)?;
        }
        let (now, is_claimed) = (self.now(), !found.is_empty());
        self.change_hook_row(&hook.id, |queue| {
            // One call at a time tries a failing hook; others take turns.
            queue.ready_at = if hook.is_failing && is_claimed { until } else { now };
        })?;
        Ok(found)
    }

    fn claim_call(
        &self,
        hook: &DueHook,
        seq: u64,
        until: Timestamp,
    ) -> Result<Option<ClaimedDelivery>, Error> {
        self.first(
            "UPDATE deliveries SET fence = fence + 1, due_at = ?3, claimed = 1
             WHERE tenant = ?1 AND seq = ?2 AND state = 'queued'
             RETURNING tenant, id, hook, point, session, compilation, agent, turn, hops,
                       occurrence, input, attempts, tries, created_at, fence",
            values![seq, until],
            |row| claimed(row, hook.is_failing),
        )
    }

    /// Has the claimed calls of the tenant made now.
    fn free_claims(&self) -> Result<(), Error> {
        let now = self.now();
        for line in self.claimed_lines()? {
            self.execute(
                "UPDATE deliveries SET due_at = ?3, claimed = 0 WHERE tenant = ?1 AND seq = ?2",
                values![line.head, now],
            )?;
            self.refresh_line(&line.hook, &line.session)?;
            self.change_hook_row(&line.hook, |queue| queue.ready_at = now)?;
        }
        self.refresh_tenant_row()
    }
}

fn claimed(row: &dyn Row, is_probe: bool) -> Result<ClaimedDelivery, Error> {
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
        is_probe,
    })
}
