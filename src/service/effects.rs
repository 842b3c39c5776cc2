//! Everything that a request stores because of hooks, a compile or a turn: [`Effects`], written in one
//! transaction.

use std::sync::{Arc, Mutex, PoisonError};

use super::event_owner::EventOwner;
use super::fact_observers::FactObservers;
use super::hook_runner::HookRunner;
use super::hooks::queue::enqueue;
use super::hooks::{disable_gone, gone};
use super::idempotency::{IdempotentRequest, remember};
use super::record::NewRecord;
use super::response_body::ResponseBody;
use super::sessions::{SessionCompile, SessionHandle};
use super::{Services, StoreError, memory};
use crate::domain::{MemoryEntry, NewEvent};
use crate::hook::{CallScope, HookRun, QueuedCall};
use crate::store::{Batch, CommittedBatch, HookOutcome, ObservedFact, Tx};

/// Effects to be stored with a response, and the hook runs that the response lists.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effects {
    /// The hooks that were reached, for the report. [`Effects::store`] does not write them.
    pub(super) runs: Vec<HookRun>,
    /// Tenant, session and agent of the queued calls.
    pub(super) scope: CallScope,
    /// Events published before the other effects.
    pub(super) events_before: Vec<NewEvent>,
    /// The turn that is appended to its session.
    pub(super) turn: Option<TurnEffects>,
    /// Memory entries that had expired when they were read. Those that are still stored as they were
    /// are removed.
    pub(super) expired: Vec<MemoryEntry>,
    /// Calls of observe hooks that are made from the queue.
    pub(super) queued: Vec<QueuedCall>,
    /// Answers of hooks about tool results. The next request with the same result reuses them.
    pub(super) outcomes: Vec<HookOutcome>,
    /// Observe hooks that get queued calls about facts.
    pub(super) observers: Option<FactObservers>,
    /// Changes to the session of the compile.
    pub(super) session: Option<SessionEffects>,
    /// The record of the compile.
    pub(super) record: Option<NewRecord>,
    /// The response for repeated requests.
    pub(super) reply: Option<StoredReply>,
    /// Hooks whose receivers answered 410, by id and revision: they are disabled.
    pub(super) gone: Vec<(Arc<str>, u64)>,
    /// Events published after the other effects.
    pub(super) events_after: Vec<NewEvent>,
}

/// Result of storing effects.
#[derive(Debug)]
pub(super) struct StoredEffects {
    /// The facts among the effects, for observe hooks with `delivery: "sync"`.
    pub(super) facts: Vec<ObservedFact>,
    pub(super) batch: CommittedBatch,
}

/// The response that is replayed if its request is repeated.
#[derive(Debug, Clone)]
pub(super) struct StoredReply {
    pub(super) once: IdempotentRequest,
    /// The body of its 200.
    pub(super) body: ResponseBody,
}

/// A turn, and the response that is replayed if its request is repeated.
#[derive(Debug, Clone)]
pub(crate) struct TurnEffects {
    pub(super) turn: Arc<dyn StoredTurn>,
    pub(super) response: ResponseBody,
}

/// The writes of a turn in the transaction of its compile.
pub(crate) trait StoredTurn: std::fmt::Debug + Send + Sync {
    /// Repeats the memory writes that the compile was made with. Fails if their outcome, or the
    /// session, has changed since.
    fn carry_out(&self, tx: &Tx<'_>) -> Result<(), StoreError>;

    /// Appends the messages of the turn, and stores the response for a repeated request.
    fn append(&self, tx: &Tx<'_>, response: &ResponseBody) -> Result<(), StoreError>;
}

/// A session, and the changes of a compile to it.
#[derive(Debug, Clone)]
pub(crate) struct SessionEffects {
    pub(super) handle: SessionHandle,
    pub(super) compile: SessionCompile,
}

impl Effects {
    /// Effects of hooks that were called outside of a compile: failures become events.
    pub(super) fn of_hooks(runner: HookRunner<'_>, scope: CallScope) -> Self {
        let outcomes = runner.kept().map(|kept| kept.take()).unwrap_or_default();
        let (runs, queued) = runner.into_parts();
        let owner = EventOwner { session: scope.session_id.as_ref(), ..EventOwner::default() };
        let events_after = owner.hook_failures(&runs);
        let gone = gone(&runs);
        Self { runs, scope, queued, outcomes, gone, events_after, ..Self::default() }
    }

    /// Appends the hook effects of a later step of the same request.
    pub(super) fn extend(&mut self, later: Self) {
        self.runs.extend(later.runs);
        self.queued.extend(later.queued);
        self.events_after.extend(later.events_after);
        self.outcomes.extend(later.outcomes);
        self.gone.extend(later.gone);
        if self.scope == CallScope::default() {
            self.scope = later.scope;
        }
    }

    /// Whether there are no hook effects to store. Disabling a hook alone is no reason to write.
    pub(super) fn is_empty(&self) -> bool {
        self.queued.is_empty() && self.events_after.is_empty() && self.outcomes.is_empty()
    }

    /// Whether the response promises a change of the session or a queued call. Such effects must
    /// survive a loss of power.
    fn is_promised(&self) -> bool {
        let session = self.session.as_ref();
        let calibrates = session.is_some_and(|session| session.compile.update.has_changes());
        let is_repeatable = self.turn.is_some() || self.reply.is_some();
        calibrates || is_repeatable || !self.queued.is_empty()
    }

    /// Whether the request fails if the store fails. Events and the state of the session alone are
    /// no reason.
    pub(super) fn must_be_stored(&self, batch: &Batch) -> bool {
        let has_changes = !self.expired.is_empty() || !self.outcomes.is_empty();
        !batch.is_empty() || has_changes || self.is_promised()
    }

    /// Writes the effects and returns the facts among them. The order is that of the fields: events
    /// before, the memory writes of a turn, expired entries and calls about both, queued calls, hook
    /// outcomes, the session, the messages of the turn, the record, disabled hooks, events after. The
    /// session comes before the turn's messages, since it may be new. A session of that id that has
    /// expired is erased first, with calls about its memory.
    pub(super) fn store(&self, tx: &Tx<'_>) -> Result<Vec<ObservedFact>, StoreError> {
        if let Some(id) = &self.scope.compilation_id {
            tx.set_compilation(Arc::clone(id));
        }
        publish(tx, &self.events_before)?;
        if let Some(TurnEffects { turn, .. }) = &self.turn {
            turn.carry_out(tx)?;
        }
        memory::expire(tx, &self.expired)?;
        let mut facts = self.enqueue_facts(tx)?;
        enqueue(tx, &self.scope, &self.queued)?;
        tx.keep_hook_outcomes(&self.outcomes)?;
        if let Some(SessionEffects { handle, compile }) = &self.session {
            handle.commit(tx, compile)?;
            facts.extend(self.enqueue_facts(tx)?);
        }
        if let Some(TurnEffects { turn, response }) = &self.turn {
            turn.append(tx, response)?;
        }
        if let Some(record) = &self.record {
            record.store(tx)?;
        }
        if let Some(StoredReply { once, body }) = &self.reply {
            remember(Some(once), tx, || format!("200 {body}"))?;
        }
        disable_gone(tx, &self.gone)?;
        publish(tx, &self.events_after)?;
        Ok(facts)
    }

    /// Queues the calls about the facts that the transaction has noted; returns the facts.
    fn enqueue_facts(&self, tx: &Tx<'_>) -> Result<Vec<ObservedFact>, StoreError> {
        match &self.observers {
            Some(observers) => observers.enqueue(tx),
            None => Ok(Vec::new()),
        }
    }

    /// Stores the effects and the texts of `batch` in one transaction.
    pub(super) fn commit(
        self,
        services: &Services,
        mut batch: Batch,
    ) -> Result<StoredEffects, StoreError> {
        if self.is_promised() {
            batch.flush();
        }
        // The transaction may run more than once: only the facts of the committed run are returned.
        let stored: Arc<Mutex<Vec<ObservedFact>>> = Arc::default();
        let facts = Arc::clone(&stored);
        let batch = services.awaited_tenant().commit_with(batch, move |tx, _| {
            let found = self.store(tx)?;
            *facts.lock().unwrap_or_else(PoisonError::into_inner) = found;
            Ok(())
        })?;
        let mut stored = stored.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(StoredEffects { facts: std::mem::take(&mut *stored), batch })
    }
}

impl Services {
    /// Publishes the failures of hooks. If the store cannot be written, the
    /// events are lost.
    pub(super) fn publish_failures(&self, owner: EventOwner<'_>, runs: &[HookRun]) {
        let events_after = owner.hook_failures(runs);
        if events_after.is_empty() {
            return;
        }
        let effects = Effects { events_after, gone: gone(runs), ..Effects::default() };
        if let Err(error) = self.tenant().write(move |tx| effects.store(tx)) {
            tracing::debug!(%error, "the event hook:failed could not be stored");
        }
    }
}

fn publish(tx: &Tx<'_>, events: &[NewEvent]) -> Result<(), StoreError> {
    events.iter().try_for_each(|event| tx.publish(event).map(drop))
}
