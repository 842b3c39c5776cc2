//! A compile once more, from its record or from its request sent again.
//!
//! What reached the first one from outside comes from the record, so nothing is called and nothing
//! is stored, unless a mode says so: `verify` asks hooks beside the record, `refresh` those whose
//! question has changed, and keeps a record of it. Where the record has hashes alone, the request
//! is sent again, and what it says by name (memory, adapters, a model) is taken from the store of
//! today; a part that has changed is told by its name.

mod divergence;
mod read;
mod run;

use std::sync::Arc;

use self::divergence::{DivergenceCaller, divergence, heard};
use self::read::{RecordedRequest, recorded, today};
use self::run::{
    RecordedAnswers, ReplayInput, ReplayOutcome, ReplayedCompile, compile_again, no_adapters, told,
};
use super::live::{HookCheck, RefreshCaller, VerifyCaller};
use super::{StoredRecord, find};
use crate::domain::{CompilationStatus, Drift, RecordLevel};
use crate::json::{self, Faults, Fields, JsonDifference, Limits, Node, Path};
use crate::pack::{PackRef, Refusal};
use crate::pipeline::{Deadline, Report};
use crate::request::ExplainLevel;
use crate::service::record::{self, ENGINE, NewRecord, RecordDraft, RecordSubject};
use crate::service::{Error, Services, compile};
use crate::store::Batch;

pub use self::divergence::Divergence;

/// What a replay came to.
#[derive(Debug)]
pub struct Replayed {
    pub id: Arc<str>,
    /// What the record came to.
    pub was: CompilationStatus,
    pub drift: Drift,
    /// Whether the payload has the bytes that it had, or the refusal says what it said.
    pub same_outcome: bool,
    /// Between the payload of the record in full and this one.
    pub diff: Vec<JsonDifference>,
    /// JSON text of the payload; none where the pack refuses.
    pub payload: Option<String>,
    /// Why there is no payload.
    pub refusal: Option<Refusal>,
    /// What hooks say now, beside what they said then, where they were asked.
    pub hooks: Option<Vec<HookCheck>>,
    /// The id of the new record, where there is one.
    pub refreshed: Option<Arc<str>>,
}

impl Replayed {
    /// Whether every stage came to the same.
    pub fn is_equal(&self) -> bool {
        self.same_outcome && self.drift.is_none()
    }

    /// What it came to this time.
    pub fn is(&self) -> CompilationStatus {
        match self.refusal {
            Some(_) => CompilationStatus::Refused,
            None => CompilationStatus::Compiled,
        }
    }
}

/// What a replay takes from the record, and what from the store of today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayMode {
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

/// Values of `mode` of a replay.
pub const REPLAY_MODES: &[(&str, ReplayMode)] = &[
    ("strict", ReplayMode::Strict),
    ("verify", ReplayMode::Verify),
    ("refresh", ReplayMode::Refresh),
];

const HASHES: Error = Error::RecordIncomplete(
    "the record holds hashes alone: send the request again as {\"request\": …}",
);
const GONE: Error = Error::RecordIncomplete("texts of the record are no longer there");

/// Runs a recorded compile again. `body` may be empty.
pub fn replay(
    services: &Services,
    id: &str,
    body: &str,
    deadline: &Deadline,
) -> Result<Replayed, Error> {
    let node = json::parse_or_empty(body)?;
    let mut faults = Faults::default();
    let mut mode = None;
    let mut given = None;
    if let Some(fields) = Fields::read(&node, Path::Root, &["mode", "request"], &mut faults) {
        mode = fields.choice("mode", REPLAY_MODES, &mut faults);
        given = fields.get("request");
        if mode == Some(ReplayMode::Refresh) && given.is_some() {
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
    match given {
        Some(given) => {
            let mut given = given.clone();
            let defaults = services.caller().defaults.clone();
            if let Some(defaults) = &defaults {
                compile::add_absent(&mut given, defaults)?;
            }
            run(services, &record, &given, ReplayMode::Sent, deadline)
        }
        None if mode.is_none_or(|mode| mode == ReplayMode::Strict) => {
            strict(services, &record, None, deadline)
        }
        None => {
            let request = json::parse(request_of(&record)?, Limits::default())?;
            run(services, &record, &request, mode.unwrap_or(ReplayMode::Verify), deadline)
        }
    }
}

/// Runs a record in full again with all that it holds: under its own pack, or under another.
pub(crate) fn strict(
    services: &Services,
    record: &StoredRecord,
    pack: Option<&PackRef>,
    deadline: &Deadline,
) -> Result<Replayed, Error> {
    const READ: Error = Error::PacketInvalid { changed: Vec::new() };
    let node = json::parse(request_of(record)?, Limits::default()).map_err(|_| READ)?;
    let mut read = recorded(services, record, &node).map_err(|error| match error {
        // It was read when it was recorded.
        Error::Invalid(_) => READ,
        error => error,
    })?;
    read.request.record = record.compilation.level;
    let again = ReplayInput { pack, ..ReplayInput::recorded(record, &node, read) };
    let said = RecordedAnswers::of(record)?;
    let done = answered(services, record, again, &said, deadline)?;
    let replayed = told(record, &node, &done);
    let lines = replayed.drift.stages.iter();
    let mut changed: Vec<String> =
        lines.flat_map(|line| line.changed_inputs.iter().cloned()).collect();
    if pack.is_none() && !changed.is_empty() {
        // All of it came from the record, so it is not what the record says that it was.
        changed.sort_unstable();
        changed.dedup();
        return Err(Error::PacketInvalid { changed });
    }
    Ok(replayed)
}

/// The request of a record in full.
fn request_of(record: &StoredRecord) -> Result<&str, Error> {
    if record.is_damaged {
        return Err(Error::PacketInvalid { changed: vec!["request".to_owned()] });
    }
    let missing = if record.body.full.is_some() { GONE } else { HASHES };
    record.request.as_deref().ok_or(missing)
}

/// The report of a record in full with every decision in it, by compiling it again.
pub(super) fn again(
    services: &Services,
    record: &StoredRecord,
    deadline: &Deadline,
) -> Result<Arc<Report>, Error> {
    let text = record.request.as_deref().filter(|_| record.is_current).ok_or(GONE)?;
    let node = json::parse(text, Limits::default())?;
    let mut request = recorded(services, record, &node)?.request;
    request.explain = ExplainLevel::Full;
    request.record = RecordLevel::None;
    let said = RecordedAnswers::of(record)?;
    let asking = said.asking(services, record, &request, &*said.answers, deadline)?;
    let read = RecordedRequest { request, adapters: no_adapters() };
    let again = ReplayInput::recorded(record, &node, read);
    match compile_again(services, again, asking, deadline)?.outcome {
        ReplayOutcome::Compiled(compiled) => Ok(compiled.report.finish()),
        ReplayOutcome::Refused(_) => Err(Error::RecordIncomplete("the compile was refused")),
    }
}

/// Compiles with the answers of the record alone. Where a hook would be asked something else, that is
/// told with its place.
fn answered(
    services: &Services,
    record: &StoredRecord,
    again: ReplayInput<'_>,
    said: &RecordedAnswers,
    deadline: &Deadline,
) -> Result<ReplayedCompile, Error> {
    let overhearing = DivergenceCaller::new(&said.answers, None);
    let asking = said.asking(services, record, &again.request, &overhearing, deadline)?;
    compile_again(services, again, asking, deadline).map_err(|error| {
        let Error::Hook(stop) = &error else { return error };
        let then = |place| {
            let overhearing = DivergenceCaller::new(&said.answers, Some(place));
            let node = json::parse(record.request.as_deref()?, Limits::default()).ok()?;
            let read = recorded(services, record, &node).ok()?;
            let asking =
                said.asking(services, record, &read.request, &overhearing, deadline).ok()?;
            let again = ReplayInput::recorded(record, &node, read);
            // How it ends has no say in what was asked on the way.
            let _ = compile_again(services, again, asking, deadline);
            heard(&overhearing)
        };
        let found = divergence(record, stop, &overhearing, then);
        found.map_or(error, |found| Error::Diverged(Box::new(found)))
    })
}

fn run(
    services: &Services,
    record: &StoredRecord,
    node: &Node<'_>,
    mode: ReplayMode,
    deadline: &Deadline,
) -> Result<Replayed, Error> {
    let mut read = today(services, node)?;
    let request = &mut read.request;
    if mode == ReplayMode::Refresh
        && let Some((factor, points)) = record::session_of(&record.compilation.body)
    {
        (request.measured_milli, request.points) = (factor, points);
    }
    request.record = record.compilation.level;
    let again = ReplayInput::today(record, node, read);
    let said = RecordedAnswers::of(record)?;
    match mode {
        ReplayMode::Strict | ReplayMode::Sent => {
            Ok(told(record, node, &answered(services, record, again, &said, deadline)?))
        }
        ReplayMode::Verify => {
            let today = compile::pinned(services, &again.request)?;
            let verifying = VerifyCaller::new(&said.answers, today, services.webhooks());
            let asking = said.asking(services, record, &again.request, &verifying, deadline)?;
            let done = compile_again(services, again, asking, deadline).map_err(incomplete)?;
            let told = told(record, node, &done);
            Ok(Replayed { hooks: Some(verifying.into_checks()), ..told })
        }
        ReplayMode::Refresh => refresh(services, record, again.at(services.now()), &said, deadline),
    }
}

/// A hook that was not there then has no answer, whatever it is asked.
fn incomplete(error: Error) -> Error {
    match error {
        Error::Hook(crate::hook::HookStop::Diverged { .. }) => {
            Error::RecordIncomplete("a hook would be asked something else than was recorded")
        }
        error => error,
    }
}

/// Compiles as of today, and stores what came of it as a record of its own. Sessions, memory and
/// who listens are not touched.
fn refresh(
    services: &Services,
    record: &StoredRecord,
    again: ReplayInput<'_>,
    said: &RecordedAnswers,
    deadline: &Deadline,
) -> Result<Replayed, Error> {
    let node = again.node;
    let set = compile::pinned(services, &again.request)?;
    let caller = RefreshCaller { recorded: &said.answers, live: services.hook_caller() };
    let id: Arc<str> = format!("cmp_{}", uuid::Uuid::now_v7().simple()).into();
    let scope = compile::scope(services, &id, again.request.session_id.as_ref());
    let target = again.request.target.as_str();
    let asking = services.asking_through(&caller, Arc::clone(&set), scope, deadline);
    let done = compile_again(services, again, asking, deadline).map_err(incomplete)?;
    let draft =
        RecordDraft { level: record.compilation.level, target, inputs: done.inputs.clone(), set };
    let mut batch = Batch::default();
    let session = record.compilation.session_id.as_ref();
    let subject = RecordSubject { id: &id, session, node, runs: &done.runs };
    let new = NewRecord::new(services, subject, &draft, done.outcome.came(), &mut batch)?;
    services.tenant().commit_with(batch, move |tx, _| new.store(tx))?;
    let told = told(record, node, &done);
    Ok(Replayed { refreshed: Some(id), ..told })
}
