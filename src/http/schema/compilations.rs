//! Schemas of `/compilations`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{DiffStep, HookRecord};
use crate::domain::{Compilation, Drift, PayloadCost, StageDrift};
use crate::pack::Refusal;
use crate::pipeline::{Decision, Report};
use crate::service::compilations::{
    CompilationDrift, HookCheck, ReplayComparison, StoredRecord, is_current, payload_hash,
};
use crate::service::gateway::GatewayReport;

/// A row of the list.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompilationRow {
    /// The id of the record.
    #[schema(example = "cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b")]
    pub id: String,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: String,
    pub expires_at: String,
    /// The session of the compile; null if there was none.
    pub session_id: Option<String>,
    /// The shape of the payload.
    #[schema(example = "anthropic")]
    pub target: String,
    /// The model of the request; null if it named none.
    pub model: Option<String>,
    /// `hashes` or `full`.
    pub record: &'static str,
    /// `compiled` or `refused`.
    pub status: &'static str,
    /// Release and semantics of the engine that compiled.
    pub engine: String,
    /// Whether this engine would compile the same: only then can it be run again.
    pub current: bool,
    /// SHA-256 of the payload's bytes; null where a pack refused.
    pub payload_hash: Option<String>,
    /// Tokens of the conversation before anything was shortened.
    pub tokens_before: u64,
    /// Tokens of the payload.
    pub tokens_after: u64,
    /// Whether the payload was within the budget.
    pub fits: bool,
}

impl From<&Compilation> for CompilationRow {
    fn from(compilation: &Compilation) -> Self {
        Self {
            id: compilation.id.to_string(),
            created_at: compilation.created_at.to_string(),
            expires_at: compilation.expires_at.to_string(),
            session_id: compilation.session_id.as_deref().map(str::to_owned),
            target: compilation.target.to_string(),
            model: (!compilation.model.is_empty()).then(|| compilation.model.to_string()),
            record: compilation.level.as_str(),
            status: compilation.status.as_str(),
            engine: compilation.engine.to_string(),
            current: is_current(compilation),
            payload_hash: payload_hash(compilation),
            tokens_before: compilation.tokens_before,
            tokens_after: compilation.tokens_after,
            fits: compilation.fits,
        }
    }
}

/// A page of records, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompilationList {
    pub items: Vec<CompilationRow>,
    /// Where the list goes on; null at its end.
    pub next_cursor: Option<String>,
}

/// A record with all that it holds.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes what is written as text")]
pub struct CompilationRecord {
    #[serde(flatten)]
    row: CompilationRow,
    /// The ledger: what each stage was given and what it gave, as hashes.
    stages: Vec<LedgerLine>,
    /// The report as it was returned; null if a pack refused.
    report: Option<Report>,
    /// What the payload cost by the provider's usage, in the place of `report.cost`; null until that is
    /// reported.
    reported_cost: Option<PayloadCost>,
    /// Why a pack refused.
    refusal: Option<RefusalTold>,
    /// What the compile stored in addition to its record.
    effects: Effects,
    /// The outcome of each hook.
    hooks: Vec<HookRecord>,
    /// What the gateway did; absent unless the record is of a request through the gateway. `report` is
    /// null then, and `stages` has hashes of what was sent.
    gateway: Option<GatewayReport>,
    /// What happened to each message, with `explain=full`: null if it is not known, because the record
    /// has hashes alone or another engine made it. Of a request through the gateway, the edited
    /// messages.
    decisions: Option<Vec<Decision>>,
    /// With `explain=full`, of a record in full under a pack: what the pack's stages decided, as the
    /// response had it. Absent if it is not known.
    compiled_context: Option<Value>,
    /// SHA-256 of the canonical JSON (RFC 8785) of `compiled_context`.
    compiled_context_hash: Option<String>,
    /// With it: what belongs to that one call, and is hashed nowhere.
    meta: Option<Value>,
    /// The request, of a record in full; null where it is no longer kept.
    #[schema(value_type = Option<Object>)]
    request: Option<Value>,
    /// The payload, of a record in full; null where it is no longer kept.
    #[schema(value_type = Option<Object>)]
    payload: Option<Value>,
}

/// Why nothing was compiled under a pack.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CompileRefusal)]
pub struct RefusalTold {
    /// The code of the problem.
    #[schema(example = "intent_unknown")]
    pub code: String,
    /// The stage that refused; null where it was settled before the first one.
    #[schema(example = "intent")]
    pub stage: Option<String>,
    /// The cause in this case.
    pub detail: String,
}

impl From<Refusal> for RefusalTold {
    fn from(refusal: Refusal) -> Self {
        let (code, stage) = (refusal.code.as_str().to_owned(), refusal.stage.map(str::to_owned));
        Self { code, stage, detail: refusal.said.detail }
    }
}

/// Whether a compile made a payload, then and now.
#[derive(Debug, Serialize, ToSchema)]
pub struct OutcomeChange {
    /// `compiled` or `refused`.
    pub from: &'static str,
    /// `compiled` or `refused`.
    pub to: &'static str,
}

impl OutcomeChange {
    /// Returns the change of a replay; `None` if its status is the recorded one.
    pub(crate) fn from_replay(replayed: &ReplayComparison) -> Option<Self> {
        let (from, to) = (replayed.was.as_str(), replayed.status().as_str());
        (from != to).then_some(Self { from, to })
    }
}

/// A stage of the ledger.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes what is written as text")]
pub struct LedgerLine {
    /// The name of the stage.
    #[schema(example = "compress")]
    stage: String,
    /// Over the output of every stage before it and all of `input_parts`.
    input_hash: String,
    /// SHA-256 over what the stage gave.
    output_hash: String,
    /// What reaches the stage from outside, such as `request.compression` or `store.memory`.
    input_parts: BTreeMap<String, String>,
}

/// What a compile stored.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes what is written as text")]
#[schema(as = CompileEffects)]
pub struct Effects {
    /// Ids of the originals that it stored.
    artifacts: Vec<String>,
    /// Keys of memory entries whose time was up.
    memory_expired: Vec<String>,
}

/// Two records to compare.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "read by the service")]
pub struct CompareRequest {
    /// The id of a compilation.
    a: String,
    /// The id of another.
    b: String,
}

/// How a compile is run again.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "read by the service")]
pub struct ReplayRequest {
    /// `strict`: everything from the record. `verify`: the recorded request with what is stored
    /// today; hooks are asked once more, and what they say is compared and not used. `refresh`: the
    /// same, but hooks whose question has changed are asked and their answers used; the outcome of
    /// it is a new record.
    #[schema(default = "strict")]
    mode: Option<String>,
    /// The request, sent again: for a record that holds hashes alone. Memory, adapters and models
    /// are those of today.
    #[schema(value_type = Option<Object>)]
    request: Option<Value>,
}

/// A stage of two compiles.
#[derive(Debug, Serialize, ToSchema)]
pub struct StageRow {
    /// The name of the stage.
    #[schema(example = "compress")]
    pub stage: &'static str,
    /// Whether the input was the same.
    pub input_equal: bool,
    /// Whether the output was the same.
    pub output_equal: bool,
    /// What reached it from outside and was not the same, by name.
    #[schema(example = json!(["request.compression"]))]
    pub changed_inputs: Vec<String>,
}

impl From<&StageDrift> for StageRow {
    fn from(drift: &StageDrift) -> Self {
        Self {
            stage: drift.stage.as_str(),
            input_equal: drift.input_equal,
            output_equal: drift.output_equal,
            changed_inputs: drift.changed_inputs.clone(),
        }
    }
}

/// The result of a compile that was run again.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReplayResponse)]
pub struct ReplayAnswer {
    /// The id of the record that was run again.
    pub id: String,
    /// `equal` or `diverged`.
    pub status: &'static str,
    /// The earliest stage that gave something else.
    pub first_divergent_stage: Option<&'static str>,
    /// The stages that parted by themselves, not because one before them did.
    pub root_stages: Vec<&'static str>,
    /// Every stage.
    pub stages: Vec<StageRow>,
    /// Between the recorded payload, where it is kept, and this one; at most 200 steps.
    pub diff: Vec<DiffStep>,
    /// Null where the pack refuses.
    #[schema(value_type = Option<Object>)]
    pub payload: Option<Box<RawValue>>,
    /// Why the pack refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<RefusalTold>,
    /// Where a compile became a refusal, or the other way round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_change: Option<OutcomeChange>,
    /// With `verify`, what hooks return now and what they returned then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Vec<HookCheckRow>>,
    /// With `refresh`, the id of the new record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compilation_id: Option<String>,
}

/// A hook that was asked once more.
#[derive(Debug, Serialize, ToSchema)]
pub struct HookCheckRow {
    /// The id of the hook.
    #[schema(example = "rag")]
    pub hook: String,
    /// The point at which it ran.
    #[schema(example = "before_compile")]
    pub point: &'static str,
    /// How often the point was reached before.
    pub occurrence: u32,
    /// `equal`, `differs`, `failed`, or `gone` where there is no such hook any more.
    pub outcome: &'static str,
    /// Whether it was asked something else than was recorded.
    pub asked_otherwise: bool,
    /// Whether its definition is another one than the record has.
    pub config_changed: bool,
}

impl From<HookCheck> for HookCheckRow {
    fn from(check: HookCheck) -> Self {
        let HookCheck { hook, point, occurrence, outcome, asked_otherwise, config_changed } = check;
        Self { hook: hook.to_string(), point, occurrence, outcome, asked_otherwise, config_changed }
    }
}

impl From<ReplayComparison> for ReplayAnswer {
    fn from(replayed: ReplayComparison) -> Self {
        let is_equal = replayed.is_equal();
        let DriftRows { first_divergent_stage, root_stages, stages } =
            DriftRows::from(&replayed.drift);
        let outcome_change = OutcomeChange::from_replay(&replayed);
        Self {
            id: replayed.id.to_string(),
            status: status(is_equal),
            outcome_change,
            first_divergent_stage,
            root_stages,
            stages,
            diff: replayed.diff.into_iter().map(Into::into).collect(),
            payload: replayed.payload.map(|text| RawValue::from_string(text).unwrap_or_default()),
            refusal: replayed.refusal.map(Into::into),
            hooks: replayed.hooks.map(|hooks| hooks.into_iter().map(Into::into).collect()),
            compilation_id: replayed.refreshed.map(|id| id.to_string()),
        }
    }
}

/// Where two compiles parted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CompareResponse)]
pub struct CompareAnswer {
    /// The first record.
    pub a: CompilationRow,
    /// The second record.
    pub b: CompilationRow,
    /// `equal` or `diverged`.
    pub status: &'static str,
    /// The earliest stage that gave something else.
    pub first_divergent_stage: Option<&'static str>,
    /// The stages that parted by themselves, not because one before them did.
    pub root_stages: Vec<&'static str>,
    /// Every stage of both.
    pub stages: Vec<StageRow>,
    /// Between the payloads, where both are kept; at most 200 steps.
    pub diff: Vec<DiffStep>,
}

impl From<CompilationDrift> for CompareAnswer {
    fn from(compared: CompilationDrift) -> Self {
        let row = |record: &StoredRecord| CompilationRow::from(&record.compilation);
        let same = compared.a.compilation.payload_hash == compared.b.compilation.payload_hash;
        let DriftRows { first_divergent_stage, root_stages, stages } =
            DriftRows::from(&compared.drift);
        Self {
            a: row(&compared.a),
            b: row(&compared.b),
            status: status(same && compared.drift.is_none()),
            first_divergent_stage,
            root_stages,
            stages,
            diff: compared.diff.into_iter().map(Into::into).collect(),
        }
    }
}

fn status(is_equal: bool) -> &'static str {
    if is_equal { "equal" } else { "diverged" }
}

/// Where two compiles parted, as it is written.
struct DriftRows {
    first_divergent_stage: Option<&'static str>,
    root_stages: Vec<&'static str>,
    stages: Vec<StageRow>,
}

impl From<&Drift> for DriftRows {
    fn from(drift: &Drift) -> Self {
        Self {
            first_divergent_stage: drift.first_divergent_stage.map(|stage| stage.as_str()),
            root_stages: drift.root_stages.iter().map(|stage| stage.as_str()).collect(),
            stages: drift.stages.iter().map(Into::into).collect(),
        }
    }
}
