//! Replays a compile, from its record or from its request if the caller sends it again.
//!
//! In mode `strict`, all inputs come from the record, no hook is called and nothing is stored.
//! `verify` also calls hooks, to compare their answers with the record; `refresh` calls hooks whose
//! input has changed, and stores the result as a new record. If the record has only hashes, the
//! caller sends the request again, and what it names (memory, adapters, a model) is read from the
//! current store; the result names each part that has changed.

mod divergence;
mod request;
mod run;

use std::sync::Arc;

use self::divergence::{DivergenceCaller, divergence, kept_input};
use self::request::{RecordedRequest, recorded, today};
use self::run::{
    RecordedAnswers, ReplayInput, ReplayOutcome, ReplayedCompile, compare_with_record,
    compile_again, no_adapters,
};
use super::live::{HookCheck, RefreshCaller, VerifyCaller};
use super::{StoredRecord, find};
use crate::domain::{CompilationStatus, Drift, RecordLevel};
use crate::json::{self, Faults, Fields, JsonDifference, Limits, Node, Path};
use crate::pack::{PackRef, Refusal};
use crate::pipeline::{Deadline, Report};
use crate::request::ExplainLevel;
use crate::service::defaults::add_absent;
use crate::service::record::{self, ENGINE, NewRecord, RecordSubject};
use crate::service::{Error, Services, compile};
use crate::store::Batch;

/// Result of a replay.
#[derive(Debug)]
pub struct ReplayComparison {
    pub id: Arc<str>,
    /// The outcome in the record.
    pub was: CompilationStatus,
    pub drift: Drift,
    /// Whether the payload has the recorded bytes, or the refusal is the recorded one.
    pub same_outcome: bool,
    /// Differences between the recorded payload and this one.
    pub diff: Vec<JsonDifference>,
    /// JSON text of the payload; none if the pack refused.
    pub payload: Option<String>,
    /// The refusal, if the pack refused.
    pub refusal: Option<Refusal>,
    /// Results of calling hooks again, if they were called.
    pub hooks: Option<Vec<HookCheck>>,
    /// The id of the new record, if there is one.
    pub refreshed: Option<Arc<str>>,
}

impl ReplayComparison {
    /// Whether the outcome and every stage are the same.
    pub fn is_equal(&self) -> bool {
        self.same_outcome && self.drift.is_none()
    }

    /// The outcome of the replay.
    pub fn status(&self) -> CompilationStatus {
        match self.refusal {
            Some(_) => CompilationStatus::Refused,
            None => CompilationStatus::Compiled,
        }
    }
}

/// Sources of a replay: the record or the current store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayMode {
    /// Everything from the record.
    Strict,
    /// The recorded request with the current store. Hooks are called to compare their answers with
    /// the record.
    Verify,
    /// The recorded request with the current store. Hooks whose input has changed are called, and
    /// the result is a new record.
    Refresh,
    /// A request that was sent again, with the current store.
    Sent,
}

/// Values of `mode` of a replay.
pub const REPLAY_MODES: &[(&str, ReplayMode)] = &[
    ("strict", ReplayMode::Strict),
    ("verify", ReplayMode::Verify),
    ("refresh", ReplayMode::Refresh),
];

/// The error of a record without the texts of its request.
pub const HASHES_ONLY: &str =
    "the record holds hashes alone: send the request again as {\"request\": …}";

const HASHES: Error = Error::RecordIncomplete(HASHES_ONLY);
const OF_GATEWAY: Error = Error::RecordIncomplete(
    "a request through the gateway was not compiled, so there is no replay",
);
const GONE: Error = Error::RecordIncomplete("texts of the record are no longer there");

/// Runs a recorded compile again. `body` may be empty.
pub fn replay(
    services: &Services,
    id: &str,
    body: &str,
    deadline: &Deadline,
) -> Result<ReplayComparison, Error> {
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
    if record.is_of_gateway {
        return Err(OF_GATEWAY);
    }
    if !record.is_current {
        let recorded = record.compilation.engine.to_string();
        return Err(Error::EngineChanged { recorded, current: ENGINE });
    }
    match given {
        Some(given) => {
            let mut given = given.clone();
            let defaults = services.caller().defaults.clone();
            if let Some(defaults) = &defaults {
                add_absent(&mut given, defaults)?;
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

/// Runs a full record again with its recorded inputs, under its own pack or under another.
pub(crate) fn strict(
    services: &Services,
    record: &StoredRecord,
    pack: Option<&PackRef>,
    deadline: &Deadline,
) -> Result<ReplayComparison, Error> {
    const UNREADABLE: Error = Error::PacketInvalid { changed: Vec::new() };
    if record.is_of_gateway {
        return Err(OF_GATEWAY);
    }
    let node = json::parse(request_of(record)?, Limits::default()).map_err(|_| UNREADABLE)?;
    let mut read = recorded(services, record, &node).map_err(|error| match error {
        // The request was valid when it was recorded.
        Error::Invalid(_) => UNREADABLE,
        error => error,
    })?;
    read.request.record = record.compilation.level;
    let again = ReplayInput { pack, ..ReplayInput::recorded(record, &node, read) };
    let said = RecordedAnswers::read(record)?;
    let done = answered(services, record, again, &said, deadline)?;
    let replayed = compare_with_record(record, &node, &done);
    let lines = replayed.drift.stages.iter();
    let mut changed: Vec<String> =
        lines.flat_map(|line| line.changed_inputs.iter().cloned()).collect();
    if pack.is_none() && !changed.is_empty() {
        // All inputs came from the record, so a changed input means that the record was changed.
        changed.sort_unstable();
        changed.dedup();
        return Err(Error::PacketInvalid { changed });
    }
    Ok(replayed)
}

/// The request of a full record.
fn request_of(record: &StoredRecord) -> Result<&str, Error> {
    if record.is_damaged {
        return Err(Error::PacketInvalid { changed: vec!["request".to_owned()] });
    }
    let missing = if record.body.full.is_some() { GONE } else { HASHES };
    record.request.as_deref().ok_or(missing)
}

/// Compiles a full record again for a report with every decision, and for the members of the response
/// that its pack added.
pub(super) fn recompile(
    services: &Services,
    record: &StoredRecord,
    deadline: &Deadline,
) -> Result<(Arc<Report>, String), Error> {
    let text = record.request.as_deref().filter(|_| record.is_current).ok_or(GONE)?;
    let node = json::parse(text, Limits::default())?;
    let mut request = recorded(services, record, &node)?.request;
    request.explain = ExplainLevel::Full;
    request.record = RecordLevel::None;
    let said = RecordedAnswers::read(record)?;
    let runner = said.hook_runner(services, record, &request, &*said.answers, deadline)?;
    let read = RecordedRequest { request, adapters: no_adapters() };
    let again = ReplayInput::recorded(record, &node, read);
    let ReplayedCompile { outcome, governed, .. } =
        compile_again(services, again, runner, deadline)?;
    match outcome {
        ReplayOutcome::Compiled(compiled) => Ok((compiled.report.finish(), governed)),
        ReplayOutcome::Refused(_) => Err(Error::RecordIncomplete("the compile was refused")),
    }
}

/// Compiles with recorded answers alone. If the input of a hook differs from the recorded one, the
/// error has the place of the difference.
fn answered(
    services: &Services,
    record: &StoredRecord,
    again: ReplayInput<'_>,
    said: &RecordedAnswers,
    deadline: &Deadline,
) -> Result<ReplayedCompile, Error> {
    let overhearing = DivergenceCaller::new(&said.answers, None);
    let runner = said.hook_runner(services, record, &again.request, &overhearing, deadline)?;
    compile_again(services, again, runner, deadline).map_err(|error| {
        let Error::Hook(stop) = &error else { return error };
        let then = |place| {
            let overhearing = DivergenceCaller::new(&said.answers, Some(place));
            let node = json::parse(record.request.as_deref()?, Limits::default()).ok()?;
            let read = recorded(services, record, &node).ok()?;
            let runner =
                said.hook_runner(services, record, &read.request, &overhearing, deadline).ok()?;
            let again = ReplayInput::recorded(record, &node, read);
            // Only the input is needed, whatever the outcome.
            let _ = compile_again(services, again, runner, deadline);
            kept_input(&overhearing)
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
) -> Result<ReplayComparison, Error> {
    let mut read = today(services, node)?;
    let request = &mut read.request;
    if mode == ReplayMode::Refresh
        && let Some(session) = record::session_of(&record.compilation.body)
    {
        session.put_into(request);
    }
    request.record = record.compilation.level;
    let again = ReplayInput::today(record, node, read);
    let said = RecordedAnswers::read(record)?;
    match mode {
        ReplayMode::Strict | ReplayMode::Sent => Ok(compare_with_record(
            record,
            node,
            &answered(services, record, again, &said, deadline)?,
        )),
        ReplayMode::Verify => {
            let today = compile::pinned(services, &again.request)?;
            let verifying = VerifyCaller::new(&said.answers, today, services.webhooks());
            let runner =
                said.hook_runner(services, record, &again.request, &verifying, deadline)?;
            let done = compile_again(services, again, runner, deadline).map_err(incomplete)?;
            let told = compare_with_record(record, node, &done);
            Ok(ReplayComparison { hooks: Some(verifying.into_checks()), ..told })
        }
        ReplayMode::Refresh => refresh(services, record, again.at(services.now()), &said, deadline),
    }
}

/// Maps a divergence to an incomplete record: the record has no answer of a new hook.
fn incomplete(error: Error) -> Error {
    match error {
        Error::Hook(crate::hook::HookStop::Diverged { .. }) => {
            Error::RecordIncomplete("a hook would be asked something else than was recorded")
        }
        error => error,
    }
}

/// Compiles with today's inputs, and stores the result as a record of its own. Sessions and memory
/// are not changed, and observe hooks are not called.
fn refresh(
    services: &Services,
    record: &StoredRecord,
    again: ReplayInput<'_>,
    said: &RecordedAnswers,
    deadline: &Deadline,
) -> Result<ReplayComparison, Error> {
    let node = again.node;
    let set = compile::pinned(services, &again.request)?;
    let caller = RefreshCaller { recorded: &said.answers, live: services.hook_caller() };
    let id: Arc<str> = format!("cmp_{}", uuid::Uuid::now_v7().simple()).into();
    let scope = compile::scope(services, &id, again.request.session_id.as_ref());
    let runner = services.hook_runner_through(&caller, set, scope, deadline);
    let done = compile_again(services, again, runner, deadline).map_err(incomplete)?;
    let mut batch = Batch::default();
    let session = record.compilation.session_id.as_ref();
    let subject = RecordSubject { id: &id, session, node, runs: &done.runs };
    let new = NewRecord::new(
        services,
        subject,
        &done.draft,
        done.outcome.as_compile_outcome(),
        &mut batch,
    )?;
    services.tenant().commit_with(batch, move |tx, _| new.store(tx))?;
    let told = compare_with_record(record, node, &done);
    Ok(ReplayComparison { refreshed: Some(id), ..told })
}
