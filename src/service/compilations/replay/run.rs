//! Compiles once with recorded answers of hooks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ReplayComparison;
use super::request::RecordedRequest;
use crate::domain::{Drift, Timestamp};
use crate::hook::{Caller, HookRun, HookSet, HookStop, Point, RecordedHooks};
use crate::json::{self, Limits, Node};
use crate::pack::{PackRef, Refusal};
use crate::pipeline::{CompiledPayload, Deadline, Timings};
use crate::request::{CompileRequest, ExplainLevel};
use crate::service::compilations::StoredRecord;
use crate::service::compilations::comparison::payload_diff;
use crate::service::compile::{CompileJob, JobContext};
use crate::service::hook_runner::{HookRunner, RecordedSource};
use crate::service::record::{self, CompileOutcome, RecalledInputs, RecordDraft, RecordedAdapters};
use crate::service::{Error, Services, compile};

/// The hooks of a record and their answers.
pub(super) struct RecordedAnswers {
    set: Arc<HookSet>,
    pub(super) answers: Arc<RecordedHooks>,
}

impl RecordedAnswers {
    pub(super) fn read(record: &StoredRecord) -> Result<Self, Error> {
        let (set, runs) = read_hooks(record)?;
        Ok(Self { set, answers: Arc::new(RecordedHooks::new(&runs)) })
    }

    /// Creates a hook runner that calls through `caller`, with the summaries of the record.
    pub(super) fn hook_runner<'s>(
        &'s self,
        services: &Services,
        record: &StoredRecord,
        request: &CompileRequest,
        caller: &'s dyn Caller,
        deadline: &Deadline,
    ) -> Result<HookRunner<'s>, Error> {
        let session = request.session_id.as_ref();
        let scope = compile::scope(services, &record.compilation.id, session);
        let summaries = record::summaries_of(&record.compilation.body, &services.tenant())?;
        let gone = Error::RecordIncomplete("a summary of the record is no longer there");
        let source = RecordedSource {
            answers: Arc::clone(&self.answers),
            caller,
            summaries: summaries.ok_or(gone)?,
        };
        let seat = services.seat().cloned();
        Ok(HookRunner::recorded(Arc::clone(&self.set), source, seat, scope, deadline))
    }
}

/// The request of a replay, and the sources of its other inputs.
pub(super) struct ReplayInput<'a> {
    pub(super) node: &'a Node<'a>,
    pub(super) request: CompileRequest,
    pub(super) adapters: RecordedAdapters,
    /// The pack that replaces the request's own pack.
    pub(super) pack: Option<&'a PackRef>,
    pub(super) from: compile::GovernSource,
}

impl<'a> ReplayInput<'a> {
    /// Takes every input from the record.
    pub(super) fn recorded(
        record: &StoredRecord,
        node: &'a Node<'a>,
        read: RecordedRequest,
    ) -> Self {
        let from = match RecalledInputs::read(&record.compilation.body) {
            Some(recalled) => compile::GovernSource::Record(recalled),
            None => compile::GovernSource::Store(record.compilation.created_at),
        };
        let RecordedRequest { request, adapters } = read;
        Self { node, request, adapters, pack: None, from }
    }

    /// Takes memory from the current store, and the time from the record.
    pub(super) fn today(record: &StoredRecord, node: &'a Node<'a>, read: RecordedRequest) -> Self {
        let then = RecalledInputs::read(&record.compilation.body).map(|recalled| recalled.as_of);
        let from = compile::GovernSource::Store(then.unwrap_or(record.compilation.created_at));
        let RecordedRequest { request, adapters } = read;
        Self { node, request, adapters, pack: None, from }
    }

    pub(super) fn at(self, now: Timestamp) -> Self {
        Self { from: compile::GovernSource::Store(now), ..self }
    }
}

/// Result of a compile in a replay.
pub(super) struct ReplayedCompile {
    pub(super) outcome: ReplayOutcome,
    /// The record of the compile, without the outcome.
    pub(super) draft: RecordDraft,
    pub(super) runs: Vec<HookRun>,
    /// The members of the response that a pack adds, as JSON text, if the request is to be explained.
    pub(super) governed: String,
}

pub(super) enum ReplayOutcome {
    Compiled(Box<CompiledPayload>),
    Refused(Refusal),
}

impl ReplayOutcome {
    pub(super) fn as_compile_outcome(&self) -> CompileOutcome<'_> {
        match self {
            Self::Compiled(compiled) => CompileOutcome::Compiled(compiled),
            Self::Refused(refusal) => CompileOutcome::Refused(refusal),
        }
    }
}

/// Compiles a request under its pack, if it has one. The refusal of a pack is an outcome.
pub(super) fn compile_again(
    services: &Services,
    input: ReplayInput<'_>,
    hooks: HookRunner<'_>,
    deadline: &Deadline,
) -> Result<ReplayedCompile, Error> {
    let ReplayInput { node, mut request, adapters, pack, from } = input;
    let (deadline, timings) = (deadline.clone(), Timings::default());
    let context = JobContext { services, node, deadline, timings };
    let is_explained = request.explain == ExplainLevel::Full;
    let mut job = CompileJob::new(context, &request, adapters, hooks);
    let governed = job.govern(&mut request, pack, from);
    let outcome = match governed.and_then(|()| job.run(request, String::new())) {
        Ok(compiled) => {
            job.settle();
            ReplayOutcome::Compiled(Box::new(compiled))
        }
        Err(compile::Error::Governed(refused)) => {
            job.settle_refusal(&refused);
            ReplayOutcome::Refused(refused.refusal)
        }
        Err(error) => return Err(replay_error(error)),
    };
    let governed = if is_explained { job.governed_replay() } else { String::new() };
    let (draft, runs) = job.into_record();
    Ok(ReplayedCompile { outcome, draft, runs, governed })
}

fn replay_error(error: compile::Error) -> Error {
    match error {
        compile::Error::Hook(stop @ HookStop::Diverged { .. }) => Error::Hook(stop),
        error => Error::Compile(Box::new(error)),
    }
}

/// Reads the hooks of a record and their runs. A record with only hashes has no answers.
fn read_hooks(record: &StoredRecord) -> Result<(Arc<HookSet>, Vec<HookRun>), Error> {
    let raw = &record.compilation.body;
    if record.body.full.is_none() {
        if has_only_summaries(&record.body.hooks) {
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

/// Whether all hook runs wrote summaries, which are recorded as effects of their own.
fn has_only_summaries(runs: &str) -> bool {
    let Ok(node) = json::parse(runs, Limits::default()) else { return false };
    let is_summary =
        |run: &Node<'_>| run.get("point").and_then(Node::as_str) == Some(Point::Summarize.as_str());
    node.as_array().is_some_and(|runs| runs.iter().all(is_summary))
}

/// Compares a compile with its record.
pub(super) fn compare_with_record(
    record: &StoredRecord,
    node: &Node<'_>,
    done: &ReplayedCompile,
) -> ReplayComparison {
    let outcome = done.outcome.as_compile_outcome();
    let ledger = outcome.ledger(node, &done.draft.inputs, &done.runs);
    let same_outcome = outcome.hash() == record.compilation.payload_hash;
    let (payload, refusal) = match &done.outcome {
        ReplayOutcome::Compiled(compiled) => (Some(compiled.payload().to_owned()), None),
        ReplayOutcome::Refused(refusal) => (None, Some(refusal.clone())),
    };
    let diff = match (&record.payload, &payload) {
        (Some(before), Some(now)) if !same_outcome => payload_diff(before, now),
        _ => Vec::new(),
    };
    ReplayComparison {
        id: Arc::clone(&record.compilation.id),
        was: record.compilation.status,
        drift: Drift::between(&record.body.ledger, &ledger),
        same_outcome,
        diff,
        payload,
        refusal,
        hooks: None,
        refreshed: None,
    }
}

/// An empty list of adapters.
pub(super) fn no_adapters() -> RecordedAdapters {
    BTreeMap::new()
}
