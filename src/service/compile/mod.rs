//! Compile a conversation into a payload.

mod adapters;
mod change;
mod commit;
mod defaults;
mod evidence;
mod govern;
mod hooks;
mod memory_recall;
mod provided;
mod recall;
mod refusal;
mod skill;
mod turn;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::compile_events::{CompileEvents, tell_failed};
use super::fact_observers::FactObservers;
use super::hook_runner::HookRunner;
use super::record::RecordDraft;
use super::sessions::{self, SessionHandle, SessionUpdate, TurnContext};
use super::{Services, memory, packs, usage};
use crate::domain::RecordLevel;
use crate::hook::{Denial, HookRun, HookStop};
use crate::json::{self, Fault, Limits, Node};
use crate::pipeline::{self, CompiledPayload, Deadline, HookPort, Report, StopReason, Timings};
pub use crate::provider::REPAIR_MODES;
use crate::request::{self, CompileRequest, KnownAdapters};
pub use crate::request::{CACHE_TTLS, CacheState, Level, OnArrival, ThinkingPolicy};
use crate::store;

use adapters::known_adapters;
use change::note_change;
use commit::commit;
pub(super) use defaults::add_absent;
pub(super) use govern::{GovernFrom, govern, note_stages};
pub(super) use hooks::{line as hook_line, pinned, scope};
pub(super) use memory_recall::remember;
pub use refusal::RefusedCompile;
use skill::take_skill;
pub(super) use turn::{TurnOptions, turn_options};

/// A compiled conversation, or a compressed text or list, as it is sent.
#[derive(Debug)]
pub struct CompiledResponse {
    /// `{"id", "payload", "report"}`, or what `POST /compress` answers, as JSON text.
    pub body: Bytes,
    pub report: Report,
    pub timings: Timings,
}

impl CompiledResponse {
    /// The body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_default()
    }
}

/// Why there is no payload. Each variant is one thing a caller can act on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the body is not accepted: {0}")]
    Json(#[from] json::Error),
    #[error("the request is not valid in {}", json::places(.0))]
    Invalid(Vec<Fault>),
    #[error("the payload needs {needed} tokens and the budget is {budget}")]
    OverBudget { needed: u64, budget: u64, faults: Vec<Fault> },
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// A guard said no.
    #[error("hook `{}` denied at `{}`: {}", .0.hook, .0.point, .0.reason)]
    Denied(Denial),
    /// A pack said no.
    #[error("{}", .0.refusal)]
    Governed(Box<RefusedCompile>),
    #[error("{0}")]
    Forbidden(String),
    #[error(transparent)]
    Pack(packs::PackRefusal),
    #[error(transparent)]
    Hook(#[from] HookStop),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<pipeline::Error> for Error {
    fn from(error: pipeline::Error) -> Self {
        match error {
            pipeline::Error::Stopped(stopped) => Self::Stopped(stopped),
            pipeline::Error::Denied(denial) => Self::Denied(denial),
            pipeline::Error::Hook(stop) => Self::Hook(stop),
            pipeline::Error::OverBudget(report) => {
                let faults = report.too_big.iter().map(|entry| Fault {
                    pointer: entry.pointer.clone().unwrap_or_default(),
                    detail: format!("{} takes {} tokens", entry.part, entry.tokens),
                    did_you_mean: None,
                });
                Self::OverBudget {
                    needed: report.tokens_after,
                    budget: report.budget,
                    faults: faults.collect(),
                }
            }
        }
    }
}

/// Compiles the request in `body`. Takes the thread until it is done or `deadline` stops it.
pub fn compile(
    services: &Services,
    body: &str,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    within(services, body, None, (deadline, false))
}

/// The same, but no webhook is called, nothing is stored and nobody told: the report says which
/// hooks would be called.
pub fn dry_run(
    services: &Services,
    body: &str,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    within(services, body, None, (deadline, true))
}

/// The same for a turn of a session, whose request `body` is.
pub(super) fn compile_turn(
    services: &Services,
    body: &str,
    turn: &Arc<TurnContext>,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    within(services, body, Some(turn), (deadline, false))
}

fn within(
    services: &Services,
    body: &str,
    turn: Option<&Arc<TurnContext>>,
    (deadline, is_dry): (&Deadline, bool),
) -> Result<CompiledResponse, Error> {
    let start = Instant::now();
    let mut timings = Timings::default();
    let defaults = services.caller().defaults.clone();
    let mut node = json::parse(body, Limits::default())?;
    timings.parse = start.elapsed();
    hooks::require_scope_for_urls(services, &node)?;
    let storing = Instant::now();
    let session = match turn {
        Some(turn) => Some(turn.session.clone()),
        None => sessions::open(services, &node)?,
    };
    timings.store = storing.elapsed();
    // The session's come first.
    for defaults in [session.as_ref().and_then(SessionHandle::defaults), defaults.as_deref()] {
        defaults.map_or(Ok(()), |defaults| add_absent(&mut node, defaults))?;
    }
    let (mut told, mut runs) = (None, Vec::new());
    let effects = (&mut told, &mut runs);
    let around = (session.as_ref(), turn, (deadline, is_dry));
    let done = compile_node(services, &node, around, (start, timings), effects);
    if let Err(error) = done.as_ref()
        && !is_dry
    {
        let session = node.get("session_id").and_then(Node::as_str);
        tell_failed(services, session, (told.as_ref(), &runs), error);
    }
    done
}

/// An answer in the shape that others have published, where it was compiled under a pack.
pub fn as_published(answer: CompiledResponse) -> CompiledResponse {
    match govern::as_published(answer.text()) {
        Some(body) => CompiledResponse { body: Bytes::from(body), ..answer },
        None => answer,
    }
}

/// Reads a request, and what the adapters are that it names.
fn read(
    services: &Services,
    node: &Node<'_>,
    timings: &mut Timings,
) -> Result<(CompileRequest, KnownAdapters), Error> {
    let storing = Instant::now();
    let (adapters, unread) = known_adapters(services, node.get("compression"))?;
    timings.store += storing.elapsed();
    let reading = Instant::now();
    let check_url = |url: &str| services.check_hook_url(url);
    let request = request::read_compile(node, services.models(), &adapters, &check_url);
    let mut request = request.map_err(Error::Invalid)?;
    if unread {
        let detail = "the store cannot be read: built-in adapters stand for stored ones";
        request.notes.degraded("adapters_unread", String::new(), detail);
    }
    timings.parse += reading.elapsed();
    let storing = Instant::now();
    take_skill(services, &mut request)?;
    timings.store += storing.elapsed();
    Ok((request, adapters))
}

fn compile_node(
    services: &Services,
    node: &Node<'_>,
    (session, turn, (deadline, is_dry)): (
        Option<&SessionHandle>,
        Option<&Arc<TurnContext>>,
        (&Deadline, bool),
    ),
    (start, mut timings): (Instant, Timings),
    (told, runs): (&mut Option<CompileEvents>, &mut Vec<HookRun>),
) -> Result<CompiledResponse, Error> {
    let (mut request, adapters) = read(services, node, &mut timings)?;
    let deadline = limited(deadline, start, request.deadline_ms);
    let previous = request.cache.previous.clone();
    let level = request.record;
    let reported = match session {
        Some(session) => session.hear(&mut request),
        None => without_session(&mut request),
    };
    let model = request.measured();
    let called = sessions::model_of(&request);
    let told = &*told.insert(CompileEvents::of(&request));
    let storing = Instant::now();
    let pinned = hooks::pinned(services, &request)?;
    timings.store += storing.elapsed();
    let id: Arc<str> = format!("cmp_{}", uuid::Uuid::now_v7().simple()).into();
    let head = format!("{{\"id\":\"{id}\",\"payload\":");
    let scope = hooks::scope_of(services, &id, session, &request);
    let hearers = FactObservers::new(&pinned, scope.clone());
    let mut asking = services.asking(Arc::clone(&pinned), scope, &deadline).dry_if(is_dry);
    let storing = Instant::now();
    let (from, around) =
        (GovernFrom::live(services), (&deadline, &mut asking as &mut dyn HookPort));
    let governance = govern(services, (node, None), &mut request, around, from);
    let owner = (&id, session.map(|open| &open.id), is_dry);
    let governance = kept(governance, &asking, runs).map_err(|error| {
        let begun = RecordDraft::of(&request, adapters.stored.clone(), &pinned);
        refusal::keep(services, owner, (node, begun), runs, error)
    })?;
    let expired = memory_recall::remember_asking(services, turn, &mut request, &mut asking);
    timings.store += storing.elapsed();
    let expired = kept(expired, &asking, runs)?;
    let mut begun = RecordDraft::of(&request, adapters.stored, &pinned);
    let around = (&deadline, &mut asking as &mut dyn HookPort);
    let compiled = pipeline::compile(services.pipeline(), request, head, around, &mut timings);
    let mut compiled = kept(compiled, &asking, runs)?;
    let checked = governance.iter().try_for_each(|governance| governance.check(&compiled));
    kept(checked, &asking, runs)
        .map_err(|error| refusal::keep(services, owner, (node, begun.take()), runs, error))?;
    hooks::expiring(&mut asking, &expired);
    if let Some(begun) = &mut begun {
        begun.inputs.summaries = asking.take_summaries();
        note_stages(services, governance.as_ref(), &mut begun.inputs);
    }
    let (said, later);
    (*runs, said, later) = hooks::ended(asking, &mut compiled.report, (node, session));

    let serialising = Instant::now();
    note_change(services, &mut compiled, &model, previous.as_ref(), session);
    timings.serialise += serialising.elapsed();
    let storing = Instant::now();
    let left = session.map(|session| {
        let raw = model.unscale(compiled.report.tokens_after);
        (session, left(&compiled, (&id, turn, level), (reported, called, raw)))
    });
    let recorded = begun.as_ref().map(|begun| (node, begun));
    compiled.report.memory.expired = expired.iter().map(|entry| entry.key.to_string()).collect();
    let governed = governance.map(|governance| governance.told(runs)).unwrap_or_default();
    let answer = turn.map(|turn| {
        hooks::report(&mut compiled.report, (Some(turn), runs));
        whole(compiled.text.clone(), &compiled.report, &governed, Some(turn))
    });
    if !is_dry {
        let facts = expired.iter().map(memory::changed_by_expiry).collect();
        let telling =
            commit::CommitInput { told, runs, later, said, facts, hearers: hearers.clone() };
        let taken = turn.cloned().zip(answer.clone());
        let left = (&id, left);
        let facts = commit(services, &mut compiled, left, (expired, taken), telling, recorded)?;
        runs.extend(services.tell_now(&hearers, &facts));
        let Report { tokens_before, tokens_after, .. } = compiled.report;
        usage::count(services, &model.name, tokens_before, tokens_after);
    }
    hooks::report(&mut compiled.report, (turn, runs));
    timings.store += storing.elapsed();

    let serialising = Instant::now();
    let payload = compiled.start..compiled.text.len();
    let body = answer.unwrap_or_else(|| whole(compiled.text, &compiled.report, &governed, None));
    let body = Bytes::from(body);
    if level.is_kept() && !is_dry {
        services.remember_payload(&id, body.slice(payload));
    }
    timings.serialise += serialising.elapsed();
    Ok(CompiledResponse { body, report: compiled.report, timings })
}

/// What a session keeps of a compile: `called` is the model's name, `raw` the tokens as they are counted.
fn left(
    compiled: &CompiledPayload,
    (id, turn, level): (&Arc<str>, Option<&Arc<TurnContext>>, RecordLevel),
    (heard, called, raw): (SessionUpdate, Arc<str>, u64),
) -> sessions::SessionCompile {
    let payload = level.is_kept().then(|| sessions::blocks_of(compiled.payload())).flatten();
    let (id, source) = (Arc::clone(id), turn.map(|turn| turn.source));
    sessions::SessionCompile { id, heard, model: called, raw, payload, source }
}

/// The earlier of two ends: the caller's, and so many milliseconds behind the start.
fn limited(deadline: &Deadline, start: Instant, limit: Option<u64>) -> Deadline {
    match limit {
        Some(limit) => deadline.no_later_than(start + Duration::from_millis(limit)),
        None => deadline.clone(),
    }
}

/// What came of something, with the lines of the hooks where it failed.
fn kept<T, E: Into<Error>>(
    done: Result<T, E>,
    asking: &HookRunner<'_>,
    runs: &mut Vec<HookRun>,
) -> Result<T, Error> {
    done.map_err(|error| {
        *runs = asking.runs().to_vec();
        error.into()
    })
}

/// Says what a request tells in vain where it names no session.
fn without_session(request: &mut CompileRequest) -> SessionUpdate {
    if request.usage.is_some() {
        let detail = "without a session nothing is calibrated";
        request.notes.warn("usage_needs_session", "/usage".to_owned(), detail);
    }
    SessionUpdate::default()
}

/// The answer, from what was written of it up to the payload's end. `governed`: members of a compile
/// under a pack.
fn whole(
    mut text: String,
    report: &Report,
    governed: &str,
    turn: Option<&Arc<TurnContext>>,
) -> String {
    text.reserve(governed.len() + 4_096);
    text.push_str(",\"report\":");
    // A report is plain data with string keys: there is nothing in it that JSON cannot hold.
    text.push_str(&serde_json::to_string(report).unwrap_or_default());
    text.push_str(governed);
    if let Some(turn) = turn {
        text.push_str(",\"results\":");
        text.push_str(&turn.results);
    }
    text.push('}');
    text
}
