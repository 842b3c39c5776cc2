//! Records of compiles: the ledger, figures and, in a full record, all that is needed to run the
//! compile again.

mod body;
mod gateway;
mod hooks;
mod parts;
mod recalled_inputs;
mod summaries;
mod texts;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Services, StoreError};
use crate::domain::{
    AdapterDefinition, AskedSummary, CalibratedFactor, Compilation, CompilationStatus, ContentHash,
    Ledger, Model, RawJson, RecordLevel, SentHistory, Timestamp,
};
use crate::hook::{HookRun, HookSet};
use crate::json::{self, Node};
use crate::pack::Refusal;
use crate::pipeline::{self, CompiledPayload, GovernedStage, Hashes};
use crate::request::{CompileRequest, RequestMemoryEntry};
use crate::store::Batch;

pub(super) use body::{RecordBody, memory_of, model_of, session_of};
pub(super) use gateway::{GatewayRecord, RecordedBodies};
use hooks::RecordTexts;
pub(super) use hooks::{input_plans, runs_of, set_of};
use parts::ledger;
pub(super) use recalled_inputs::RecalledInputs;
pub(super) use summaries::summaries_of;
pub(super) use texts::RecordPlan;
use texts::{payload_members, request_members, take_apart};

/// The engine that compiles: the release, and a number that increases if the same request may give
/// other bytes within a release. A record of another engine can be read but not replayed.
pub(super) const ENGINE: &str = concat!(env!("CARGO_PKG_VERSION"), "+22");

/// Stored adapter definitions by name.
pub(super) type RecordedAdapters = BTreeMap<Arc<str>, Arc<AdapterDefinition>>;

/// Inputs of a compile besides its request.
#[derive(Debug, Clone)]
pub(super) struct Inputs {
    /// The entries found in the store; none if memory is off or the request has its own entries.
    pub(super) memory: Option<Vec<RequestMemoryEntry>>,
    /// Stored adapter definitions that the request can name.
    pub(super) adapters: RecordedAdapters,
    pub(super) model: Model,
    /// The session's token factor, learnt from usage.
    pub(super) calibration: Option<CalibratedFactor>,
    /// The session's compaction points.
    pub(super) points: Vec<u64>,
    /// What the session has sent, if the payload depends on it.
    pub(super) sent: Option<Arc<SentHistory>>,
    /// Outcomes of the summaries that were requested.
    pub(super) summaries: Vec<AskedSummary>,
    /// The stages of the pack; without a pack, the first stages as the built-in pack has them.
    pub(super) governed: Vec<GovernedStage>,
    /// Whether the request has a pack.
    pub(super) is_governed: bool,
    /// Values that the pack got from the store and the clock; none without a pack.
    pub(super) recalled: Option<RecalledInputs>,
}

impl Inputs {
    /// Takes the inputs of a request, without its memory, which is read later.
    fn from_request(request: &CompileRequest, adapters: RecordedAdapters) -> Self {
        Self {
            memory: None,
            adapters,
            model: request.model.clone(),
            calibration: request.calibration,
            governed: Vec::new(),
            is_governed: false,
            recalled: None,
            points: request.points.clone(),
            sent: request.sent.clone().filter(|_| request.binds_thinking() || request.keeps_tail()),
            summaries: Vec::new(),
        }
    }

    /// Sets the memory that the request shows.
    pub(super) fn set_memory(&mut self, request: &CompileRequest) {
        let memory = request.memory.as_ref().filter(|memory| memory.from_store);
        self.memory = memory.map(|memory| memory.entries.clone());
    }

    /// Sets the stages of the pack, and the values that it got from the store and the clock.
    pub(super) fn under(&mut self, stages: Vec<GovernedStage>, recalled: Option<RecalledInputs>) {
        (self.governed, self.recalled, self.is_governed) = (stages, recalled, true);
    }

    /// Sets the stages of the built-in pack.
    pub(super) fn ungoverned(&mut self, cx: &pipeline::PipelineContext) {
        self.governed = cx.ungoverned().to_vec();
    }
}

/// The parts of a record that are known before the compile runs.
#[derive(Debug)]
pub(super) struct RecordDraft {
    pub(super) level: RecordLevel,
    pub(super) target: &'static str,
    pub(super) inputs: Inputs,
    /// The hooks that the compile is pinned to.
    pub(super) set: Arc<HookSet>,
}

impl RecordDraft {
    /// Starts a record. It is stored if the level of the request says so.
    pub(super) fn new(
        request: &CompileRequest,
        adapters: RecordedAdapters,
        set: &Arc<HookSet>,
    ) -> Self {
        Self {
            level: request.record,
            target: request.target.as_str(),
            inputs: Inputs::from_request(request, adapters),
            set: Arc::clone(set),
        }
    }
}

/// Outcome of a compile.
#[derive(Debug, Clone, Copy)]
pub(super) enum CompileOutcome<'c> {
    Compiled(&'c CompiledPayload),
    Refused(&'c Refusal),
}

impl CompileOutcome<'_> {
    /// The hash of the payload or of the refusal.
    pub(super) fn hash(self) -> ContentHash {
        match self {
            Self::Compiled(compiled) => compiled.payload_hash,
            Self::Refused(refusal) => ContentHash::of(&json::jcs_value(&refusal.to_record())),
        }
    }

    pub(super) fn ledger(self, node: &Node<'_>, inputs: &Inputs, runs: &[HookRun]) -> Ledger {
        match self {
            Self::Compiled(compiled) => ledger(node, &compiled.hashes, inputs, runs),
            Self::Refused(_) => ledger(node, &Hashes::default(), inputs, runs),
        }
    }
}

/// A record to be stored. Its times are set by the transaction.
#[derive(Debug, Clone)]
pub(super) struct NewRecord {
    record: Compilation,
    texts: Vec<ContentHash>,
    /// Time to live of records.
    ttl: std::time::Duration,
}

/// The compile that a record describes.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordSubject<'r> {
    pub(super) id: &'r Arc<str>,
    pub(super) session: Option<&'r Arc<str>>,
    /// The request with its defaults.
    pub(super) node: &'r Node<'r>,
    /// The hooks that were reached.
    pub(super) runs: &'r [HookRun],
}

impl NewRecord {
    /// Builds the record of a finished compile. Adds the texts of a full record to `batch`.
    pub(super) fn new(
        services: &Services,
        subject: RecordSubject<'_>,
        draft: &RecordDraft,
        outcome: CompileOutcome<'_>,
        batch: &mut Batch,
    ) -> Result<Self, StoreError> {
        let RecordSubject { id, session, node, runs } = subject;
        let (compiled, refusal) = match outcome {
            CompileOutcome::Compiled(compiled) => (Some(compiled), None),
            CompileOutcome::Refused(refusal) => (None, Some(refusal.to_record())),
        };
        let report = compiled.map(|compiled| compiled.report.report());
        let artifacts = compiled.map_or(&[][..], |compiled| &compiled.artifacts);
        let mut texts = Vec::new();
        let mut full = None;
        let is_full = draft.level == RecordLevel::Full;
        if is_full {
            let request = take_apart(batch, &request_members(node), &mut texts);
            let payload = compiled.map(|own| payload_members(&own.written));
            let payload = payload.map(|members| take_apart(batch, &members, &mut texts));
            let names: Vec<&str> = draft.inputs.adapters.keys().map(AsRef::as_ref).collect();
            let adapters = services.tenant().read(|tx| tx.adapters(&names))?;
            let adapters = adapters.into_iter().flatten().map(|(known, text)| (known.name, text));
            let set = (!draft.set.is_empty()).then(|| hooks::set_text(&draft.set));
            full = Some(body::FullRecord { request, payload, adapters: adapters.collect(), set });
        }
        let own = if is_full { Some(RecordTexts { batch, hashes: &mut texts }) } else { None };
        let hooks = hooks::runs_text(runs, own);
        let body = RecordBody {
            ledger: outcome.ledger(node, &draft.inputs, runs),
            report: serde_json::to_string(&report).unwrap_or_default(),
            artifacts: artifacts.iter().map(|text| ContentHash::of(text)).collect(),
            expired: report.map(|report| report.memory.expired.clone()).unwrap_or_default(),
            refusal,
            hooks,
            full,
            is_of_gateway: false,
        };
        let record = Compilation {
            id: Arc::clone(id),
            created_at: Timestamp::default(),
            expires_at: Timestamp::default(),
            session_id: session.cloned(),
            target: draft.target.into(),
            model: Arc::clone(&draft.inputs.model.name),
            level: draft.level,
            status: match outcome {
                CompileOutcome::Compiled(_) => CompilationStatus::Compiled,
                CompileOutcome::Refused(_) => CompilationStatus::Refused,
            },
            engine: ENGINE.into(),
            payload_hash: outcome.hash(),
            tokens_before: report.map_or(0, |report| report.tokens_before),
            tokens_after: report.map_or(0, |report| report.tokens_after),
            fits: report.is_some_and(|report| report.fits),
            body: RawJson::new(body.write(&draft.inputs)),
            reported_cost: None,
        };
        Ok(Self { record, texts, ttl: services.tenant().kept() })
    }

    /// Stores the record in the transaction of the compile.
    pub(super) fn store(&self, tx: &crate::store::Tx<'_>) -> Result<(), StoreError> {
        let (created_at, expires_at) = (tx.now(), tx.now().after(self.ttl));
        let record = Compilation { created_at, expires_at, ..self.record.clone() };
        tx.insert_compilation(&record, &self.texts)?;
        match &record.reported_cost {
            Some(cost) => tx.put_reported_cost(&record.id, cost.as_str()),
            None => Ok(()),
        }
    }
}
