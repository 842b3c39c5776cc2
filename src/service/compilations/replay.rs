//! A compile once more, from its record or from its request sent again.
//!
//! What reached the first one from outside comes from the record, so nothing is called and nothing
//! is stored, unless a mode says so: `verify` asks hooks beside the record, `refresh` those whose
//! question has changed, and keeps a record of it. Where the record has hashes alone, the request is sent again, and what it says by name
//! (memory, adapters, a model) is taken from the store of today; a part that has changed is told by
//! its name.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::compare::payload_diff;
use super::live::{HookCheck, Refreshing, Verifying};
use super::{Record, find};
use crate::domain::{AdapterDefinition, AskedSummary, Drift, Models, RecordLevel};
use crate::hook::{Caller, HookSet, Point, Recorded, Run, Stop};
use crate::json::{self, Difference, Faults, Fields, Limits, Node, Path};
use crate::pipeline::{self, Asks, Compiled, Deadline, GovernedStage, Report, Timings};
use crate::request::{self, CompileRequest, Explain, KnownAdapters};
use crate::service::asking::Asking;
use crate::service::record::{self, Begun, ENGINE, Inputs, NewRecord};
use crate::service::{Error, Services, adapters, compile};
use crate::store::Batch;

/// What a replay came to.
#[derive(Debug)]
pub struct Replayed {
    pub id: Arc<str>,
    pub drift: Drift,
    /// Whether the payload has the bytes that it had.
    pub same_payload: bool,
    /// Between the payload of the record in full and this one.
    pub diff: Vec<Difference>,
    /// JSON text of the payload.
    pub payload: String,
    /// What hooks say now, beside what they said then, where they were asked.
    pub hooks: Option<Vec<HookCheck>>,
    /// The id of the new record, where there is one.
    pub refreshed: Option<Arc<str>>,
}

impl Replayed {
    /// Whether every stage came to the same.
    pub fn is_equal(&self) -> bool {
        self.same_payload && self.drift.is_none()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// All from the record.
    Strict,
    /// The recorded request, and what stands in the store today; hooks are asked beside the
    /// record.
    Verify,
    /// The same, and hooks are asked whose question has changed: what comes of it is a new record.
    Refresh,
    /// A request that was sent again, with what stands in the store today.
    Sent,
}

/// Runs a recorded compile again. `body` may be empty.
pub fn replay(
    services: &Services,
    id: &str,
    body: &str,
    deadline: &Deadline,
) -> Result<Replayed, Error> {
    let text = if body.trim().is_empty() { "{}" } else { body };
    let node = json::parse(text, Limits::default())?;
    let mut faults = Faults::default();
    let mut mode = None;
    let mut given = None;
    if let Some(fields) = Fields::of(&node, Path::Root, &["mode", "request"], &mut faults) {
        let words =
            [("strict", Mode::Strict), ("verify", Mode::Verify), ("refresh", Mode::Refresh)];
        mode = fields.choice("mode", &words, &mut faults);
        given = fields.get("request");
        if mode == Some(Mode::Refresh) && given.is_some() {
            fields.fault("request", "is the record's where it is refreshed", &mut faults);
        }
        if let Some(given) = given.filter(|given| given.as_object().is_none()) {
            fields.fault(
                "request",
                format!("must be an object, not {}", given.kind()),
                &mut faults,
            );
        }
    }
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let record = find(services, id)?;
    if !record.is_current {
        let recorded = record.compilation.engine.to_string();
        return Err(Error::EngineChanged { recorded, current: ENGINE });
    }
    match (given, record.request.as_deref()) {
        (Some(given), _) => {
            let mut given = given.clone();
            let defaults = services.caller().defaults.clone();
            if let Some(defaults) = &defaults {
                compile::add_absent(&mut given, defaults)?;
            }
            run(services, &record, &given, Mode::Sent, deadline)
        }
        (None, Some(request)) => {
            let request = json::parse(request, Limits::default())?;
            run(services, &record, &request, mode.unwrap_or(Mode::Strict), deadline)
        }
        (None, None) if record.body.full.is_some() => {
            Err(Error::RecordIncomplete("texts of the record are no longer there"))
        }
        (None, None) => Err(Error::RecordIncomplete(
            "the record holds hashes alone: send the request again as {\"request\": …}",
        )),
    }
}

/// The report of a record in full with every decision in it, by compiling it again.
pub(super) fn again(
    services: &Services,
    record: &Record,
    deadline: &Deadline,
) -> Result<Report, Error> {
    const GONE: Error = Error::RecordIncomplete("texts of the record are no longer there");
    let text = record.request.as_deref().filter(|_| record.is_current).ok_or(GONE)?;
    let node = json::parse(text, Limits::default())?;
    let (mut request, _) = recorded(services, record, &node)?;
    request.explain = Explain::Full;
    request.record = RecordLevel::None;
    let said = Said::of(record)?;
    let asking = said.asking((services, record), &request, &*said.answers, deadline)?;
    Ok(governed(services, record, (&node, request, BTreeMap::new()), asking, deadline)?
        .1
        .compiled
        .report)
}

fn run(
    services: &Services,
    record: &Record,
    node: &Node<'_>,
    mode: Mode,
    deadline: &Deadline,
) -> Result<Replayed, Error> {
    let (mut request, adapters) = match mode {
        Mode::Strict => recorded(services, record, node)?,
        Mode::Verify | Mode::Refresh | Mode::Sent => today(services, node)?,
    };
    if mode == Mode::Refresh
        && let Some((factor, points)) = record::session_of(&record.compilation.body)
    {
        (request.measured_milli, request.points) = (factor, points);
    }
    request.record = record.compilation.level;
    let said = Said::of(record)?;
    match mode {
        Mode::Strict | Mode::Sent => {
            let asking = said.asking((services, record), &request, &*said.answers, deadline)?;
            let (inputs, done) =
                governed(services, record, (node, request, adapters), asking, deadline)?;
            Ok(told(record, node, inputs, &done))
        }
        Mode::Verify => {
            let today = compile::pinned(services, &request)?;
            let verifying = Verifying::new(&said.answers, today, services.webhooks());
            let asking = said.asking((services, record), &request, &verifying, deadline)?;
            let (inputs, done) =
                governed(services, record, (node, request, adapters), asking, deadline)?;
            let told = told(record, node, inputs, &done);
            Ok(Replayed { hooks: Some(verifying.into_checks()), ..told })
        }
        Mode::Refresh => {
            refresh(services, record, (node, request, adapters), &said.answers, deadline)
        }
    }
}

/// Compiles as of today, and stores what came of it as a record of its own. Sessions, memory and
/// who listens are not touched.
fn refresh(
    services: &Services,
    record: &Record,
    (node, request, adapters): (&Node<'_>, CompileRequest, Adapters),
    answers: &Arc<Recorded>,
    deadline: &Deadline,
) -> Result<Replayed, Error> {
    let set = compile::pinned(services, &request)?;
    let caller = Refreshing { recorded: answers, live: services.hook_caller() };
    let id: Arc<str> = format!("cmp_{}", uuid::Uuid::now_v7().simple()).into();
    let scope = compile::scope(services, &id, request.session_id.as_ref());
    let target = request.target.as_str();
    let asking = services.asking_through(&caller, Arc::clone(&set), scope, deadline);
    let (inputs, done) = governed(services, record, (node, request, adapters), asking, deadline)?;
    let mut begun = Begun { level: record.compilation.level, target, inputs, set };
    begun.inputs.summaries.clone_from(&done.summaries);
    let mut batch = Batch::default();
    let session = record.compilation.session_id.as_ref();
    let made = (&done.compiled, done.runs.as_slice());
    let new = NewRecord::of(services, (&id, session), (node, &begun), made, &mut batch)?;
    let kept = services.tenant().kept();
    services.tenant().commit_with(batch, move |tx, _| new.store(tx, kept))?;
    let told = told(record, node, begun.inputs, &done);
    Ok(Replayed { refreshed: Some(id), ..told })
}

/// What hooks have said in a compile.
struct Said {
    set: Arc<HookSet>,
    answers: Arc<Recorded>,
}

impl Said {
    fn of(record: &Record) -> Result<Self, Error> {
        let (set, runs) = asked(record)?;
        Ok(Self { set, answers: Arc::new(Recorded::new(&runs)) })
    }

    /// They say it once more, through `caller`, with the summaries of the record.
    fn asking<'s>(
        &'s self,
        (services, record): (&Services, &Record),
        request: &CompileRequest,
        caller: &'s dyn Caller,
        deadline: &Deadline,
    ) -> Result<Asking<'s>, Error> {
        let session = request.session_id.as_ref();
        let scope = compile::scope(services, &record.compilation.id, session);
        let summaries = record::summaries_of(&record.compilation.body, &services.tenant())?;
        let gone = Error::RecordIncomplete("a summary of the record is no longer there");
        let said = (&self.answers, caller, summaries.ok_or(gone)?);
        let seat = services.seat().cloned();
        Ok(Asking::recorded(Arc::clone(&self.set), said, seat, scope, deadline))
    }
}

/// Compiles the request's conversation under its pack, where it has one. A published pack is what it
/// was, and so is one in the request; the time is that of the record. Gives the stages of the pack.
fn govern(
    services: &Services,
    record: &Record,
    node: &Node<'_>,
    request: &mut CompileRequest,
    asking: &mut Asking<'_>,
) -> Result<Vec<GovernedStage>, Error> {
    let at = record.compilation.created_at;
    let governed = compile::govern(services, node, request, asking, at).map_err(stopped)?;
    Ok(governed.map(|governed| governed.stages()).unwrap_or_default())
}

/// What a compile came to.
struct Done {
    compiled: Compiled,
    runs: Vec<Run>,
    summaries: Vec<AskedSummary>,
}

/// Compiles under the request's pack, where it has one.
fn governed(
    services: &Services,
    record: &Record,
    (node, mut request, adapters): (&Node<'_>, CompileRequest, Adapters),
    mut asking: Asking<'_>,
    deadline: &Deadline,
) -> Result<(Inputs, Done), Error> {
    let governed = govern(services, record, node, &mut request, &mut asking)?;
    let inputs = Inputs { governed, ..Inputs::of(&request, adapters) };
    let mut timings = Timings::default();
    let around = (deadline, &mut asking as &mut dyn Asks);
    let compiled =
        pipeline::compile(services.pipeline(), request, String::new(), around, &mut timings);
    let summaries = asking.take_summaries();
    let (runs, _) = asking.into_parts();
    let compiled = compiled.map_err(|error| stopped(error.into()))?;
    Ok((inputs, Done { compiled, runs, summaries }))
}

fn stopped(error: compile::Error) -> Error {
    match error {
        compile::Error::Hook(Stop::Diverged { .. }) => {
            Error::RecordIncomplete("a hook would be asked something else than was recorded")
        }
        error => Error::Compile(Box::new(error)),
    }
}

/// The hooks of a record, and what they said. One of hashes has no answers.
fn asked(record: &Record) -> Result<(Arc<HookSet>, Vec<Run>), Error> {
    let raw = &record.compilation.body;
    if record.body.full.is_none() {
        if asked_for_summaries_alone(&record.body.hooks) {
            return Ok((Arc::default(), Vec::new()));
        }
        return Err(Error::RecordIncomplete(
            "hooks were asked, and a record of hashes has no answers",
        ));
    }
    let set = record::set_of(raw, record.compilation.session_id.as_deref());
    match (set, record::runs_of(raw)) {
        (Some(set), Some(runs)) => Ok((Arc::new(set), runs)),
        _ => Err(Error::RecordIncomplete("the record was written by another release")),
    }
}

/// Whether hooks wrote summaries, and said nothing else: those are effects of their own.
fn asked_for_summaries_alone(runs: &str) -> bool {
    let Ok(node) = json::parse(runs, Limits::default()) else { return false };
    let is_summary =
        |run: &Node<'_>| run.get("point").and_then(Node::as_str) == Some(Point::Summarize.as_str());
    node.as_array().is_some_and(|runs| runs.iter().all(is_summary))
}

fn told(record: &Record, node: &Node<'_>, inputs: Inputs, done: &Done) -> Replayed {
    let Done { compiled, runs, summaries } = done;
    let inputs = Inputs { summaries: summaries.clone(), ..inputs };
    let ledger = record::ledger(node, &compiled.hashes, &inputs, runs);
    let is_equal = compiled.payload_hash == record.compilation.payload_hash;
    let diff = match &record.payload {
        Some(before) if !is_equal => payload_diff(before, compiled.payload()),
        _ => Vec::new(),
    };
    Replayed {
        id: Arc::clone(&record.compilation.id),
        drift: Drift::between(&record.body.ledger, &ledger),
        same_payload: is_equal,
        diff,
        payload: compiled.payload().to_owned(),
        hooks: None,
        refreshed: None,
    }
}

type Adapters = BTreeMap<Arc<str>, Arc<AdapterDefinition>>;
type Read = (CompileRequest, Adapters);

/// The request with everything else from the record.
fn recorded(services: &Services, record: &Record, node: &Node<'_>) -> Result<Read, Error> {
    let gone = Error::RecordIncomplete("the record was written by another release");
    let raw = &record.compilation.body;
    let (Some(model), Some(full)) = (record::model_of(raw), &record.body.full) else {
        return Err(gone);
    };
    // As the table was then, for this one model; one that is not in it stays so.
    let mut models = Models::empty();
    let is_known = Models::unknown(&model.name) != model && !model.name.is_empty();
    models.extend(is_known.then_some(model));
    let known = adapters::recorded(&full.adapters)?;
    let mut request = read(services, node, &models, &known)?;
    if let (Some(memory), Some(entries)) = (&mut request.memory, record::memory_of(raw)) {
        memory.entries = entries;
    }
    let (factor, points) = record::session_of(raw).ok_or(gone)?;
    (request.measured_milli, request.points) = (factor, points);
    Ok((request, known.stored))
}

/// The request with everything else as it is now.
fn today(services: &Services, node: &Node<'_>) -> Result<Read, Error> {
    let known = adapters::known(services, node.get("compression"))?;
    let mut request = read(services, node, services.models(), &known)?;
    compile::remember(services, None, &mut request)?;
    Ok((request, known.stored))
}

fn read(
    services: &Services,
    node: &Node<'_>,
    models: &Models,
    known: &KnownAdapters,
) -> Result<CompileRequest, Error> {
    let check_url = |url: &str| services.check_hook_url(url);
    request::read_compile(node, models, known, &check_url).map_err(|faults| {
        let within = faults.into_iter().map(|fault| crate::json::Fault {
            pointer: format!("/request{}", fault.pointer),
            ..fault
        });
        Error::Invalid(within.collect())
    })
}
