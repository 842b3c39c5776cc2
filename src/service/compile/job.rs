//! One compile from its request to its response: [`CompileJob`].
//!
//! A live compile, a dry run and a turn go through all steps: read → govern → recall → run → settle →
//! commit → respond. A replay shares [`super::CompileRun`], which governs and runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::change::note_change;
use super::events::{CompileEvents, UnreadCompile};
use super::govern::{GovernContext, GovernSource, note_stages};
use super::named_inputs::read_request;
use super::run::CompileRun;
use super::{CompileTurn, CompiledResponse, Error, hooks, memory_recall, refusal};
use crate::domain::{MemoryEntry, Model, RecordLevel};
use crate::hook::HookRun;
use crate::json::Node;
use crate::pipeline::{CompiledPayload, Deadline, Report, Timings, timed};
use crate::provider::{MemberBlocks, Written};
use crate::request::{CompileRequest, KnownAdapters, PreviousCompile};
use crate::service::earlier_payload::{RememberedPayload, to_sent};
use crate::service::effects::{Effects, SessionEffects, StoredTurn, TurnEffects};
use crate::service::event_owner::EventOwner;
use crate::service::fact_observers::FactObservers;
use crate::service::hook_runner::HookRunner;
use crate::service::record::{CompileOutcome, NewRecord, RecordDraft, RecordSubject};
use crate::service::sessions::{self, SessionCompile, SessionHandle, SessionUpdate};
use crate::service::{Services, memory, usage};
use crate::store::Batch;

/// The request of a compile, with its session and turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct JobInput<'j> {
    /// The request with the defaults of its session and key.
    pub(super) node: &'j Node<'j>,
    pub(super) session: Option<&'j SessionHandle>,
    /// The turn that the request was made for.
    pub(super) turn: Option<&'j Arc<dyn CompileTurn>>,
    /// Whether no webhook is called and nothing is stored.
    pub(super) is_dry: bool,
    /// When the work on the request began; its `deadline_ms` counts from here.
    pub(super) start: Instant,
    /// Time that was spent before the job.
    pub(super) timings: Timings,
}

/// A compile in progress.
pub(super) struct CompileJob<'j> {
    services: &'j Services,
    input: JobInput<'j>,
    id: Arc<str>,
    deadline: Deadline,
    timings: Timings,
    events: CompileEvents,
    observers: FactObservers,
    hooks: HookRunner<'j>,
    /// The hook runs of the compile; empty until the hooks are done.
    runs: Vec<HookRun>,
    /// The model, with its token factor calibrated by the session if the session has one.
    model: Model,
    /// The model's name in the calibration of the session.
    model_name: Arc<str>,
    previous: Option<PreviousCompile>,
    level: RecordLevel,
    session_update: SessionUpdate,
    governance: Option<GovernContext>,
    /// Memory entries that have expired.
    expired: Vec<MemoryEntry>,
    adapters: KnownAdapters,
    /// The part of the record that is known before the run; none if no record is kept.
    draft: Option<RecordDraft>,
}

impl<'j> CompileJob<'j> {
    /// Reads the request and pins the hooks.
    pub(super) fn read(
        services: &'j Services,
        input: JobInput<'j>,
        deadline: &Deadline,
    ) -> Result<(Self, CompileRequest), UnreadCompile> {
        let JobInput { start, mut timings, .. } = input;
        let (mut request, adapters) = read_request(services, input.node, &mut timings)
            .map_err(|error| UnreadCompile { error, events: None })?;
        let limit = request.deadline_ms.map(Duration::from_millis);
        let deadline = deadline.asked_within(start, limit);
        let session_update = match input.session {
            Some(session) => session.apply(services.models(), &mut request),
            None => warn_without_session(&mut request),
        };
        let events = CompileEvents::new(&request);
        let pinned = match timed(&mut timings.store, || hooks::pinned(services, &request)) {
            Ok(pinned) => pinned,
            Err(error) => {
                return Err(UnreadCompile { error: error.into(), events: Some(events) });
            }
        };
        let id: Arc<str> = format!("cmp_{}", uuid::Uuid::now_v7().simple()).into();
        let scope = hooks::scope_of(services, &id, input.session, &request);
        let observers = FactObservers::new(&pinned, scope.clone());
        let hooks =
            services.hook_runner(Arc::clone(&pinned), scope, &deadline).dry_if(input.is_dry);
        let job = Self {
            services,
            input,
            id,
            deadline,
            timings,
            events,
            observers,
            hooks,
            runs: Vec::new(),
            model: request.measured(),
            model_name: sessions::model_of(&request),
            previous: request.cache.previous.clone(),
            level: request.record,
            session_update,
            governance: None,
            expired: Vec::new(),
            adapters,
            draft: None,
        };
        Ok((job, request))
    }

    /// Carries out all steps after [`Self::read`].
    pub(super) fn carry_out(
        &mut self,
        mut request: CompileRequest,
    ) -> Result<CompiledResponse, Error> {
        self.govern(&mut request)?;
        self.recall(&mut request)?;
        let mut compiled = self.run(request)?;
        let effects = self.settle(&mut compiled);
        let governed = self.governed_members();
        match self.input.turn {
            Some(turn) => self.respond_to_turn(turn, effects, compiled, &governed),
            None => self.respond(effects, compiled, &governed),
        }
    }

    /// Publishes that the compile failed; a dry run publishes nothing.
    pub(super) fn publish_failure(&self, error: &Error) {
        if self.input.is_dry {
            return;
        }
        let session = self.input.node.get("session_id").and_then(Node::as_str);
        let runs = if self.runs.is_empty() { self.hooks.runs() } else { &self.runs };
        super::events::publish_failure(self.services, session, Some(&self.events), runs, error);
    }

    fn govern(&mut self, request: &mut CompileRequest) -> Result<(), Error> {
        let (services, node) = (self.services, self.input.node);
        let run = CompileRun { services, node, deadline: &self.deadline };
        let (hooks, source) = (&mut self.hooks, GovernSource::live(services));
        let governed = timed(&mut self.timings.store, || run.govern(request, hooks, None, source));
        self.governance = governed.map_err(|error| {
            self.draft =
                RecordDraft::new(request, self.adapters.stored.clone(), self.hooks.pinned());
            self.recorded(error)
        })?;
        Ok(())
    }

    /// Reads the memory that the payload shows.
    fn recall(&mut self, request: &mut CompileRequest) -> Result<(), Error> {
        let turn = self.input.turn.map(|turn| &**turn);
        let (services, hooks) = (self.services, &mut self.hooks);
        self.expired = timed(&mut self.timings.store, || {
            memory_recall::remember_asking(services, turn, request, hooks)
        })?;
        let adapters = std::mem::take(&mut self.adapters.stored);
        self.draft = RecordDraft::new(request, adapters, self.hooks.pinned());
        Ok(())
    }

    fn run(&mut self, request: CompileRequest) -> Result<CompiledPayload, Error> {
        let head = format!("{{\"id\":\"{}\",\"payload\":", self.id);
        let (services, node) = (self.services, self.input.node);
        let run = CompileRun { services, node, deadline: &self.deadline };
        let governance = self.governance.as_ref();
        let compiled = run.run(request, head, &mut self.hooks, governance, &mut self.timings);
        compiled.map_err(|error| self.recorded(error))
    }

    /// Stores a record if the error is a refusal by the pack; other errors leave no record.
    fn recorded(&mut self, error: Error) -> Error {
        let draft = self.draft.take().filter(|_| !self.input.is_dry);
        refusal::record(self.services, self.subject(self.hooks.runs()), draft, error)
    }

    fn subject<'s>(&'s self, runs: &'s [HookRun]) -> RecordSubject<'s> {
        let session = self.input.session.map(|session| &session.id);
        RecordSubject { id: &self.id, session, node: self.input.node, runs }
    }

    /// Ends the hooks and completes the report, except for its hook lines and the note that events
    /// could not be stored. Returns the effects to be stored.
    fn settle(&mut self, compiled: &mut CompiledPayload) -> Effects {
        let Self { services, input, .. } = *self;
        hooks::observe_expiry(&mut self.hooks, &self.expired);
        if let Some(draft) = &mut self.draft {
            draft.inputs.summaries = self.hooks.take_summaries();
            note_stages(services, self.governance.as_ref(), &mut draft.inputs);
        }
        let outcomes = self.hooks.kept().map(|kept| kept.take()).unwrap_or_default();
        let queued;
        (self.runs, queued) = self.hooks.take_parts();
        hooks::warn(&mut compiled.report, input, &self.runs);
        if input.turn.is_some() && compiled.awaits_results {
            compiled.report.forgive_open_calls();
        }
        timed(&mut self.timings.serialise, || {
            let previous = self.previous.as_ref();
            note_change(services, compiled, &self.model, previous, input.session);
        });
        let expired = self.expired.iter().map(|entry| entry.key.to_string());
        compiled.report.expired_memory(expired.collect());
        let owner = EventOwner {
            session: input.session.map(|session| &session.id),
            compilation: Some(&self.id),
        };
        Effects {
            scope: self.observers.scope().clone(),
            events_before: vec![self.events.started(owner)],
            queued,
            outcomes,
            facts: self.expired.iter().map(memory::changed_by_expiry).collect(),
            observers: Some(self.observers.clone()),
            session: input.session.map(|handle| SessionEffects {
                handle: handle.clone(),
                compile: self.session_compile(compiled),
            }),
            gone: crate::service::hooks::gone(&self.runs),
            events_after: self.events.finished(owner, compiled, &self.runs),
            expired: std::mem::take(&mut self.expired),
            ..Effects::default()
        }
    }

    /// The changes of this compile to its session.
    fn session_compile(&self, compiled: &CompiledPayload) -> SessionCompile {
        let payload = self.level.is_kept().then(|| to_sent(&compiled.written));
        let tokens = compiled.report.report().tokens_after;
        SessionCompile {
            id: Arc::clone(&self.id),
            update: self.session_update.clone(),
            model: Arc::clone(&self.model_name),
            raw: if compiled.is_counted { self.model.unscale(tokens) } else { 0 },
            awaits_results: compiled.awaits_results,
            payload,
            source: self.input.turn.map(|turn| turn.source()),
        }
    }

    /// The members of the response that a pack adds, as JSON text.
    fn governed_members(&mut self) -> String {
        self.governance.take().map(|own| own.members(&self.runs)).unwrap_or_default()
    }

    /// Stores the effects, completes the report with hooks that observe at once, and writes the
    /// response.
    fn respond(
        &mut self,
        effects: Effects,
        mut compiled: CompiledPayload,
        governed: &str,
    ) -> Result<CompiledResponse, Error> {
        let observed = self.commit(effects, &mut compiled)?;
        let CompiledPayload { written, mut report, .. } = compiled;
        report.hooks(self.runs.iter().chain(&observed).filter_map(hooks::line));
        let report = report.finish();
        let mut timings = self.timings;
        let body = timed(&mut timings.serialise, || {
            let Written { text, head_end, blocks, .. } = written;
            let payload = head_end..text.len();
            let body = Bytes::from(whole(text, &report, governed, None));
            self.remember(body.slice(payload), blocks);
            body
        });
        Ok(CompiledResponse { body, report, timings })
    }

    /// Writes the response, and stores it with the other effects of the turn: hooks that observe
    /// after the transaction are not in its report.
    fn respond_to_turn(
        &mut self,
        turn: &Arc<dyn CompileTurn>,
        mut effects: Effects,
        mut compiled: CompiledPayload,
        governed: &str,
    ) -> Result<CompiledResponse, Error> {
        compiled.report.hooks(turn.runs().iter().chain(&self.runs).filter_map(hooks::line));
        let payload = compiled.written.head_end..compiled.written.text.len();
        let response = timed(&mut self.timings.serialise, || {
            let text = compiled.written.text.clone();
            whole(text, compiled.report.report(), governed, Some(&**turn))
        });
        effects.turn = Some(TurnEffects {
            turn: Arc::clone(turn) as Arc<dyn StoredTurn>,
            response: response.clone(),
        });
        self.commit(effects, &mut compiled)?;
        let body = Bytes::from(response);
        self.remember(body.slice(payload), compiled.written.blocks);
        Ok(CompiledResponse { body, report: compiled.report.finish(), timings: self.timings })
    }

    /// Stores the effects, and calls the hooks that observe at once. Returns the runs of these
    /// hooks.
    fn commit(
        &mut self,
        effects: Effects,
        compiled: &mut CompiledPayload,
    ) -> Result<Vec<HookRun>, Error> {
        if self.input.is_dry {
            return Ok(Vec::new());
        }
        let mut spent = Duration::ZERO;
        let observed = timed(&mut spent, || self.store(effects, compiled));
        self.timings.store += spent;
        observed
    }

    fn store(
        &self,
        mut effects: Effects,
        compiled: &mut CompiledPayload,
    ) -> Result<Vec<HookRun>, Error> {
        let services = self.services;
        let mut batch = Batch::default();
        if let Some(draft) = &self.draft {
            let (subject, outcome) = (self.subject(&self.runs), CompileOutcome::Compiled(compiled));
            let record = NewRecord::new(services, subject, draft, outcome, &mut batch)?;
            effects.record = Some(record);
        }
        for text in std::mem::take(&mut compiled.artifacts) {
            batch.artifact(text, "text/plain");
        }
        let must = effects.must_be_stored(&batch);
        let facts = match effects.commit(services, batch) {
            Err(error) if !must => {
                tracing::warn!(%error, "the events of a compile could not be stored");
                compiled.report.degrade(super::events::not_stored());
                Vec::new()
            }
            stored => stored?.facts,
        };
        let observed = services.observe_now(&self.observers, &facts);
        let report = compiled.report.report();
        usage::count(services, &self.model.name, report.tokens_before, report.tokens_after);
        Ok(observed)
    }

    /// Remembers the payload for the next compile's `first_change`.
    fn remember(&self, bytes: Bytes, blocks: Vec<MemberBlocks>) {
        if self.level.is_kept() && !self.input.is_dry {
            let payload = RememberedPayload { bytes, blocks: blocks.into() };
            self.services.remember_payload(&self.id, payload);
        }
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

/// Appends the rest of the response to the payload: the report, the members of a pack, the results
/// of a turn's calls.
fn whole(
    mut text: String,
    report: &Report,
    governed: &str,
    turn: Option<&dyn CompileTurn>,
) -> String {
    text.reserve(governed.len() + 4_096);
    text.push_str(",\"report\":");
    // A report is plain data with string keys: serialising it cannot fail.
    text.push_str(&serde_json::to_string(report).unwrap_or_default());
    text.push_str(governed);
    if let Some(turn) = turn {
        text.push_str(",\"results\":");
        text.push_str(turn.results());
    }
    text.push('}');
    text
}
