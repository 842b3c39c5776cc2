//! Notifies observe hooks of facts: calls for the queue are stored in the transaction of the fact,
//! hooks with `delivery: "sync"` are called after it is committed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;

use super::event_owner::EventOwner;
use super::hooks::NoNetwork;
use super::hooks::queue::enqueue;
use super::{Services, StoreError};
use crate::hook::{
    CallScope, DeliveryMode, GuardDecision, Hook, HookInput, HookRound, HookRun, HookSet,
    MAX_ROUND_TIME, Manifest, MatchContext, Point,
};
use crate::pipeline::{Deadline, HookPort as _};
use crate::store::{ObservedFact, Tx};

/// The observe hooks of one request, by their delivery.
#[derive(Debug, Clone)]
pub(super) struct FactObservers {
    queued: Arc<HookSet>,
    sync: Arc<HookSet>,
    scope: CallScope,
}

impl FactObservers {
    pub(super) fn new(set: &Arc<HookSet>, scope: CallScope) -> Self {
        if set.is_empty() {
            return Self { queued: Arc::clone(set), sync: Arc::clone(set), scope };
        }
        let of = |delivery: DeliveryMode| {
            let all = Point::ALL.iter().flat_map(|point| set.hooks_at(*point));
            let own = all.filter(|hook| hook.delivery == delivery && is_observer(hook));
            let own: Vec<Arc<Hook>> = own.cloned().collect();
            Arc::new(HookSet::new(&own, &Manifest::default(), scope.session_id.as_deref()))
        };
        Self { queued: of(DeliveryMode::Async), sync: of(DeliveryMode::Sync), scope }
    }

    /// The observe hooks for facts of background work, which has no thread that could wait for a
    /// receiver: all of them get queued calls, whatever their delivery.
    fn queueing_all(set: &HookSet, scope: CallScope) -> Self {
        let of = |point: &Point| set.hooks_at(*point);
        let own = Point::FACTS.iter().flat_map(of).filter(|hook| is_observer(hook));
        let own: Vec<Arc<Hook>> = own
            .map(|hook| Arc::new(Hook { delivery: DeliveryMode::Async, ..(**hook).clone() }))
            .collect();
        let session = scope.session_id.as_deref();
        let queued = Arc::new(HookSet::new(&own, &Manifest::default(), session));
        let sync = Arc::new(HookSet::new(&[], &Manifest::default(), session));
        Self { queued, sync, scope }
    }

    /// Queues the calls about the facts that the transaction has noted; returns the facts.
    pub(super) fn enqueue(&self, tx: &Tx<'_>) -> Result<Vec<ObservedFact>, StoreError> {
        let facts = tx.take_facts();
        if self.queued.is_empty() {
            return Ok(facts);
        }
        let mut round = HookRound::new(Arc::clone(&self.queued), &NoNetwork, self.scope.clone());
        for (point, fact) in facts.iter().filter_map(with_point) {
            let at = HookInput { point, input: &fact.input, facts: facts_of(fact) };
            // No hook is called now, so the future is ready at once.
            let calls = round.observe(at, GuardDecision::None).now_or_never().unwrap_or_default();
            enqueue(tx, &self.scope, &calls)?;
        }
        Ok(facts)
    }

    pub(super) fn scope(&self) -> &CallScope {
        &self.scope
    }
}

impl Services {
    /// Runs `write` in a transaction, and notifies observe hooks of its facts. `session` is the
    /// session that is written to; if hooks are just notified of a switch to it, waits for them
    /// first.
    pub(super) fn write_observed<T, E>(
        &self,
        session: Option<&Arc<str>>,
        write: impl FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.await_switch(session);
        self.write_and_observe(session, write)
    }

    /// Runs `write` in a transaction, and notifies observe hooks of its facts, without waiting for
    /// a switch of the session.
    pub(super) fn write_and_observe<T, E>(
        &self,
        session: Option<&Arc<str>>,
        mut write: impl FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let set = self.hook_set(session.map(|id| &**id), &[])?;
        if Point::FACTS.iter().all(|at| set.hooks_at(*at).is_empty()) {
            return self.awaited_tenant().write_durable(write);
        }
        let observers = FactObservers::new(&set, self.hook_scope(session, None));
        let queue = observers.clone();
        let (done, facts) = self.awaited_tenant().write_durable(move |tx| {
            let done = write(tx)?;
            Ok::<_, E>((done, queue.enqueue(tx)?))
        })?;
        self.observe_now(&observers, &facts);
        Ok(done)
    }

    /// Runs `write` of background work, for a session or for all, in a transaction, and queues the calls
    /// of observe hooks about its facts.
    pub(super) fn write_and_queue<T, E>(
        &self,
        session: Option<&Arc<str>>,
        mut write: impl FnMut(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let set = self.hook_set(session.map(|id| &**id), &[])?;
        let observers = FactObservers::queueing_all(&set, self.hook_scope(session, None));
        self.tenant().write(move |tx| {
            let done = write(tx)?;
            observers.enqueue(tx)?;
            Ok::<_, E>(done)
        })
    }

    /// Calls the observe hooks with `delivery: "sync"`. Failures are published and change nothing
    /// else.
    pub(super) fn observe_now(
        &self,
        observers: &FactObservers,
        facts: &[ObservedFact],
    ) -> Vec<HookRun> {
        if observers.sync.is_empty() || facts.is_empty() {
            return Vec::new();
        }
        let deadline =
            Deadline::at(Instant::now() + MAX_ROUND_TIME.saturating_add(Duration::from_secs(1)));
        let mut runner =
            self.hook_runner(Arc::clone(&observers.sync), observers.scope.clone(), &deadline);
        for (point, fact) in facts.iter().filter_map(with_point) {
            let at = HookInput { point, input: &fact.input, facts: facts_of(fact) };
            if let Err(error) = runner.observe(at, GuardDecision::None) {
                tracing::debug!(%error, "an observe hook could not be called");
            }
        }
        let (runs, _) = runner.into_parts();
        let CallScope { session_id, compilation_id, .. } = observers.scope();
        let owner =
            EventOwner { session: session_id.as_ref(), compilation: compilation_id.as_ref() };
        self.publish_failures(owner, &runs);
        runs
    }

    /// The scope of hook calls outside of a compile.
    pub(super) fn hook_scope(
        &self,
        session: Option<&Arc<str>>,
        agent: Option<&Arc<str>>,
    ) -> CallScope {
        CallScope {
            tenant: Arc::clone(&self.caller().tenant),
            session_id: session.cloned(),
            agent: agent.cloned(),
            hops: self.hops(),
            ..CallScope::default()
        }
    }
}

fn is_observer(hook: &Hook) -> bool {
    hook.kind == crate::hook::HookKind::Observe
}

fn facts_of(fact: &ObservedFact) -> MatchContext<'_> {
    MatchContext { agent: fact.agent.as_deref(), status: fact.status, ..MatchContext::default() }
}

fn with_point(fact: &ObservedFact) -> Option<(Point, &ObservedFact)> {
    Point::parse(fact.point).map(|point| (point, fact))
}
