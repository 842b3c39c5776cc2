//! A compile whose effects are stored: a live compile or a turn, and a dry run, which stores none.
//!
//! [`LiveCompile`] goes through the steps read → govern → recall → run → settle → commit → respond, and
//! drives a [`CompileJob`] for those that a replay has too.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cached_prefix::cached_prefix;
use super::change::note_change;
use super::events::{CompileEvents, UnreadCompile};
use super::governance::GovernSource;
use super::job::{CompileJob, JobContext};
use super::named_inputs::read_request;
use super::{CompileMode, CompileTurn, CompiledResponse, Error, hooks, memory_recall, refusal};
use crate::domain::{
    ContentHash, CostFigures, MemoryEntry, Model, PayloadCost, RecordLevel, SentCost,
};
use crate::hook::HookRun;
use crate::json::Node;
use crate::pipeline::{CompiledPayload, Deadline, Report, Timings, timed};
use crate::request::{CacheOptions, CacheState, CompileRequest};
use crate::service::Services;
use crate::service::earlier_payload::to_sent;
use crate::service::effects::{Effects, SessionEffects};
use crate::service::event_owner::EventOwner;
use crate::service::fact_observers::FactObservers;
use crate::service::idempotency::IdempotentRequest;
use crate::service::record::{CompileOutcome, NewRecord, RecordSubject};
use crate::service::sessions::{self, SessionCompile, SessionHandle, SessionUpdate};
use crate::service::usage::{self, CountedRequest};
use crate::store::{Batch, ObservedFact};

/// The request of a live compile, with its session and turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiveInput<'j> {
    /// The request with the defaults of its session and key.
    pub(super) node: &'j Node<'j>,
    pub(super) session: Option<&'j SessionHandle>,
    /// The turn that the request was made for.
    pub(super) turn: Option<&'j Arc<dyn CompileTurn>>,
    pub(super) mode: CompileMode,
    /// The request that may be repeated, if it is no turn.
    pub(super) once: Option<&'j IdempotentRequest>,
    /// The id of the compile.
    pub(super) id: &'j Arc<str>,
    /// When the work on the request began; its `deadline_ms` counts from here.
    pub(super) start: Instant,
    /// Time that was spent before the compile.
    pub(super) timings: Timings,
}

/// A live compile in progress.
pub(super) struct LiveCompile<'j> {
    pub(super) job: CompileJob<'j>,
    pub(super) input: LiveInput<'j>,
    pub(super) id: Arc<str>,
    events: CompileEvents,
    observers: FactObservers,
    /// The hook runs of the compile; empty until the hooks are done.
    pub(super) runs: Vec<HookRun>,
    /// The model, with its token factor calibrated by the session if the session has one.
    model: Model,
    /// The model's name in the calibration of the session.
    model_name: Arc<str>,
    cache: CacheOptions,
    session_update: SessionUpdate,
    /// Memory entries that have expired.
    expired: Vec<MemoryEntry>,
    /// Facts that hooks are notified of at once, after the transaction.
    facts: Vec<ObservedFact>,
    /// Hashes of the payload's blocks, if it is stored with its session; set when the hooks are done.
    pub(super) block_hashes: Arc<[ContentHash]>,
    /// What the payload costs, if that is known; set when the hooks are done.
    cost: Option<CostFigures>,
    /// Whether the payload is one that is sent: not one of a session whose last calls have no result.
    is_sent: bool,
}

/// The store's answer to the effects of a compile.
#[derive(Debug, Default)]
pub(super) struct CommittedCompile {
    /// Runs of the hooks that observe at once, after the transaction.
    pub(super) observed: Vec<HookRun>,
    /// Whether the effects could not be stored, which the report notes.
    pub(super) is_lost: bool,
}

/// The owner of a response that is stored with the other effects.
#[derive(Clone, Copy)]
pub(super) enum ResponseOwner<'o> {
    Turn(&'o Arc<dyn CompileTurn>),
    /// A request that may be repeated.
    Request(&'o IdempotentRequest),
}

impl<'j> LiveCompile<'j> {
    /// Reads the request and pins the hooks.
    pub(super) fn read(
        services: &'j Services,
        input: LiveInput<'j>,
        deadline: &Deadline,
    ) -> Result<(Self, CompileRequest), UnreadCompile> {
        let LiveInput { start, mut timings, id, .. } = input;
        let mut events = CompileEvents::unread(services, start);
        let (mut request, adapters) = match read_request(services, input.node, &mut timings) {
            Ok(read) => read,
            Err(error) => return Err(UnreadCompile { error, events: Box::new(events) }),
        };
        let limit = request.deadline_ms.map(Duration::from_millis);
        let deadline = deadline.asked_within(start, limit);
        let session_update = match input.session {
            Some(session) => session.apply(services.models(), &mut request),
            None => warn_without_session(&mut request),
        };
        events.read(&request);
        let pinned = match timed(&mut timings.store, || hooks::pinned(services, &request)) {
            Ok(pinned) => pinned,
            Err(error) => {
                let events = Box::new(events);
                return Err(UnreadCompile { error: error.into(), events });
            }
        };
        if !input.mode.is_dry {
            let session = input.session.map(|session| &session.id);
            let owner = EventOwner { session, compilation: Some(id) };
            timed(&mut timings.store, || events.publish_start(services, &pinned, owner));
        }
        let scope = hooks::scope_of(services, id, input.session, &request);
        let observers = FactObservers::new(&pinned, scope.clone());
        let hooks = services
            .hook_runner(Arc::clone(&pinned), scope, &deadline)
            .dry_if(input.mode.is_dry)
            .keeping_inputs_if(request.record == RecordLevel::Full);
        if let (Some(turn), Some(kept)) = (input.turn, hooks.kept()) {
            kept.set_pending(turn.outcomes());
        }
        let context = JobContext { services, node: input.node, deadline, timings };
        let compile = Self {
            job: CompileJob::new(context, &request, adapters.stored.clone(), hooks),
            input,
            id: Arc::clone(id),
            events,
            observers,
            runs: Vec::new(),
            model: request.measured(),
            model_name: sessions::model_of(&request),
            cache: request.cache.clone(),
            session_update,
            expired: Vec::new(),
            facts: Vec::new(),
            block_hashes: Arc::default(),
            cost: None,
            is_sent: true,
        };
        Ok((compile, request))
    }

    /// Carries out all steps after [`Self::read`].
    pub(super) fn carry_out(
        &mut self,
        mut request: CompileRequest,
    ) -> Result<CompiledResponse, Error> {
        let source = GovernSource::live(self.job.services);
        let governed = self.job.govern(&mut request, None, source);
        governed.map_err(|error| self.recorded(error))?;
        self.recall(&mut request)?;
        let head = format!("{{\"id\":\"{}\",\"payload\":", self.id);
        let compiled = self.job.run(request, head);
        let mut compiled = compiled.map_err(|error| self.recorded(error))?;
        let effects = self.settle(&mut compiled);
        let governed = self.job.governed_members(&self.runs, self.input.mode.published);
        let once = self.input.once.filter(|_| !self.input.mode.is_dry);
        match (self.input.turn, once) {
            (Some(turn), _) => {
                self.respond_stored(ResponseOwner::Turn(turn), effects, compiled, &governed)
            }
            (None, Some(once)) => {
                self.respond_stored(ResponseOwner::Request(once), effects, compiled, &governed)
            }
            (None, None) => self.respond(effects, compiled, &governed),
        }
    }

    /// Publishes that the compile failed; a dry run publishes nothing.
    pub(super) fn publish_failure(&self, error: &Error) {
        if self.input.mode.is_dry {
            return;
        }
        let session = self.input.node.get("session_id").and_then(Node::as_str).map(Arc::from);
        let owner = EventOwner { session: session.as_ref(), compilation: Some(&self.id) };
        let runs = if self.runs.is_empty() { self.job.hooks.runs() } else { &self.runs };
        super::events::publish_failure(self.job.services, owner, &self.events, runs, error);
    }

    /// Reads the memory that the payload shows.
    fn recall(&mut self, request: &mut CompileRequest) -> Result<(), Error> {
        let turn = self.input.turn.map(|turn| &**turn);
        let CompileJob { services, hooks, timings, .. } = &mut self.job;
        self.expired = timed(&mut timings.store, || {
            memory_recall::remember_asking(services, turn, request, hooks)
        })?;
        Ok(())
    }

    /// Stores a record if the error is a refusal by the pack; other errors leave no record.
    fn recorded(&mut self, error: Error) -> Error {
        let Error::Governed(refused) = error else { return error };
        if self.input.mode.is_dry || !self.job.draft.level.is_kept() {
            return Error::Governed(refused);
        }
        self.job.settle_refusal(&refused);
        let subject = self.subject(self.job.hooks.runs());
        refusal::record(self.job.services, subject, &self.job.draft, refused)
    }

    fn subject<'s>(&'s self, runs: &'s [HookRun]) -> RecordSubject<'s> {
        let session = self.input.session.map(|session| &session.id);
        RecordSubject { id: &self.id, session, node: self.input.node, runs }
    }

    /// Ends the hooks and completes the report, except for its hook lines and the note that events
    /// could not be stored. Returns the effects to be stored.
    fn settle(&mut self, compiled: &mut CompiledPayload) -> Effects {
        let Self { job, input, .. } = self;
        let services = job.services;
        job.settle();
        let outcomes = job.hooks.kept().map(|kept| kept.take()).unwrap_or_default();
        let queued;
        (self.runs, queued) = job.hooks.take_parts();
        self.facts = job.hooks.take_facts();
        hooks::warn(&mut compiled.report, input.node, input.session, &self.runs);
        if input.turn.is_some() && compiled.awaits_results {
            compiled.report.forgive_open_calls();
        }
        let reported = self.session_update.reported_cost().map(|reported| &reported.after);
        let last = reported.or_else(|| input.session?.last_cost());
        let mut cache = self.cache.clone();
        // A provider that wrote nothing has nothing to read. Without marks, it does not say.
        if self.model.cache_marks.is_some() && last.is_some_and(PayloadCost::is_uncached) {
            cache.state = CacheState::Cold;
        }
        self.is_sent = input.session.is_none() || !compiled.awaits_results;
        let removed = removed_tokens(&self.model, compiled.report.report());
        let known = input.session.map_or(0, SessionHandle::removed);
        compiled.report.unique_saved(self.model.scale(removed.saturating_sub(known)));
        self.cost = timed(&mut job.timings.serialise, || {
            note_change(services, compiled, &self.model, &cache, input.session)
        });
        compiled.report.reported_cost(reported.copied());
        let expired = self.expired.iter().map(|entry| entry.key.to_string());
        compiled.report.expired_memory(expired.collect());
        let owner = EventOwner {
            session: input.session.map(|session| &session.id),
            compilation: Some(&self.id),
        };
        let session = self.input.session.map(|handle| SessionEffects {
            handle: handle.clone(),
            compile: self.session_compile(compiled),
        });
        let stored = session.as_ref().and_then(|session| session.compile.payload.as_ref());
        let hashes = stored.into_iter().flat_map(|own| own.blocks.iter().map(|block| block.hash));
        self.block_hashes = hashes.collect();
        Effects {
            scope: self.observers.scope().clone(),
            events_before: self.events.started(owner).into_iter().collect(),
            queued,
            outcomes,
            observers: Some(self.observers.clone()),
            session,
            gone: crate::service::hooks::gone(&self.runs),
            events_after: self.events.finished(owner, compiled, &self.runs, self.job.draft.level),
            expired: std::mem::take(&mut self.expired),
            ..Effects::default()
        }
    }

    /// The changes of this compile to its session.
    fn session_compile(&self, compiled: &CompiledPayload) -> SessionCompile {
        let sent = self.input.session.and_then(|session| session.sent.as_ref());
        let before = sent.and_then(|sent| self.job.services.recall_payload(&sent.id));
        let payload = self.job.draft.level.is_kept();
        let payload = payload.then(|| to_sent(&compiled.written, before.as_ref()));
        let report = compiled.report.report();
        let cost = self.cost.map(|figures| SentCost {
            model: Arc::clone(&self.model_name),
            row: usage::row_of(self.job.services, &self.model.name),
            compilation: Some(Arc::clone(&self.id)),
            figures,
        });
        SessionCompile {
            id: Arc::clone(&self.id),
            update: self.session_update.clone(),
            model: Arc::clone(&self.model_name),
            raw: if compiled.is_counted { self.model.unscale(report.tokens_after) } else { 0 },
            awaits_results: compiled.awaits_results,
            payload,
            source: self.input.turn.and_then(|turn| turn.source()),
            sent: compiled.sent.clone(),
            removed: removed_tokens(&self.model, report),
            cost,
            prefix: cached_prefix(compiled, &self.model, self.cache.ttl),
        }
    }

    /// Adds the record to the effects, with the texts that are stored next to them.
    pub(super) fn with_record(
        &mut self,
        mut effects: Effects,
        compiled: &mut CompiledPayload,
    ) -> Result<(Effects, Batch), Error> {
        let mut batch = Batch::default();
        if self.input.mode.is_dry {
            return Ok((effects, batch));
        }
        let mut spent = Duration::ZERO;
        if self.job.draft.level.is_kept() {
            let (subject, outcome) = (self.subject(&self.runs), CompileOutcome::Compiled(compiled));
            let record = timed(&mut spent, || {
                NewRecord::new(self.job.services, subject, &self.job.draft, outcome, &mut batch)
            });
            effects.record = Some(record?);
        }
        self.job.timings.store += spent;
        for text in std::mem::take(&mut compiled.artifacts) {
            batch.artifact(text, "text/plain");
        }
        Ok((effects, batch))
    }

    /// Stores the effects, and calls the hooks that observe at once. A dry run does neither.
    pub(super) fn commit(
        &mut self,
        effects: Effects,
        batch: Batch,
    ) -> Result<CommittedCompile, Error> {
        if self.input.mode.is_dry {
            return Ok(CommittedCompile::default());
        }
        let mut spent = Duration::ZERO;
        let committed = timed(&mut spent, || self.store(effects, batch));
        self.job.timings.store += spent;
        committed
    }

    fn store(&self, effects: Effects, batch: Batch) -> Result<CommittedCompile, Error> {
        let services = self.job.services;
        let must = effects.must_be_stored(&batch);
        let (mut facts, is_lost) = match effects.commit(services, batch) {
            Err(error) if !must => {
                tracing::warn!(%error, "the events of a compile could not be stored");
                (Vec::new(), true)
            }
            stored => (stored?.facts, false),
        };
        facts.extend_from_slice(&self.facts);
        let observed = services.observe_now(&self.observers, &facts);
        Ok(CommittedCompile { observed, is_lost })
    }

    /// Adds the tokens and the cost of the compile to the usage of the tenant; a dry run adds none.
    pub(super) fn count_usage(&self, report: &Report) {
        if self.input.mode.is_dry {
            return;
        }
        let services = self.job.services;
        let session = self.input.session.map(|session| &session.id);
        if let (Some(session), Some(reported)) = (session, self.session_update.reported_cost()) {
            usage::count_reported(services, session, reported);
        }
        let counted = CountedRequest {
            model: &self.model.name,
            session,
            tokens_before: report.tokens_before,
            tokens_after: report.tokens_after,
            unique_saved_tokens: if self.is_sent { report.unique_saved_tokens } else { 0 },
            cost: report.cost.filter(|_| self.is_sent),
            duration: Some(self.input.start.elapsed()),
        };
        usage::count(services, &counted);
    }
}

/// Warns about fields that have no effect without a session.
fn warn_without_session(request: &mut CompileRequest) -> SessionUpdate {
    if request.usage.is_some() {
        let detail = "without a session nothing is calibrated";
        request.notes.warn("usage_needs_session", "/usage".to_owned(), detail);
    }
    SessionUpdate::default()
}

/// The tokens that a compile left out, before any factor.
fn removed_tokens(model: &Model, report: &Report) -> u64 {
    model.unscale(report.tokens_before.saturating_sub(report.tokens_after))
}
