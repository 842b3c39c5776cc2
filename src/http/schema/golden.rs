//! The shapes of golden sets.

use serde::Serialize;
use utoipa::ToSchema;

use super::{OutcomeChange, RefusalTold, StageRow};
use crate::http::problem::Problem;
use crate::service::compilations::payload_hash;
use crate::service::packs::{Case, CaseOutcome, Golden, GoldenOutcome, GoldenSet};

/// The compiles of a golden set.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "read by the service")]
pub struct GoldenRequest {
    /// Ids of compiles under this very version, each with a record in full.
    #[schema(max_items = 100, example = json!(["cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"]))]
    compilations: Vec<String>,
}

/// What a golden set is run under.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "read by the service")]
pub struct GoldenRunRequest {
    /// A published version; the set's own where it is absent.
    #[schema(example = "pack.dbops@1.5.0")]
    against: Option<String>,
}

/// A compile of a golden set.
#[derive(Debug, Serialize, ToSchema)]
pub struct GoldenRow {
    #[schema(example = "cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b")]
    pub compilation_id: String,
    /// When it was compiled.
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub compiled_at: String,
    /// When it was taken into the set.
    pub created_at: String,
    /// `compiled` or `refused`.
    pub status: &'static str,
    /// SHA-256 of the payload's bytes; null where the pack refused.
    pub payload_hash: Option<String>,
    /// Release and semantics of the engine that compiled it.
    pub engine: String,
    /// Whether that is this engine. Where it is not, what differs may be the engine's doing.
    pub current: bool,
}

impl GoldenRow {
    fn of(golden: &Golden) -> Self {
        let own = &golden.record.compilation;
        Self {
            compilation_id: own.id.to_string(),
            compiled_at: own.created_at.to_string(),
            created_at: golden.created_at.to_string(),
            status: own.status.as_str(),
            payload_hash: payload_hash(own),
            engine: own.engine.to_string(),
            current: golden.record.is_current,
        }
    }
}

/// The golden set of a version.
#[derive(Debug, Serialize, ToSchema)]
pub struct GoldenList {
    #[schema(example = "pack.dbops@1.4.0")]
    pub pack_ref: String,
    pub items: Vec<GoldenRow>,
}

impl GoldenList {
    pub(in crate::http) fn of(set: &GoldenSet) -> Self {
        let items = set.items.iter().map(GoldenRow::of).collect();
        Self { pack_ref: set.reference.to_string(), items }
    }
}

/// What a golden set came to.
#[derive(Debug, Serialize, ToSchema)]
pub struct GoldenRun {
    #[schema(example = "pack.dbops@1.4.0")]
    pub pack_ref: String,
    /// The version that it was run under.
    #[schema(example = "pack.dbops@1.5.0")]
    pub against: String,
    /// `equal` where every compile is, else `diverged`.
    pub status: &'static str,
    pub equal: usize,
    pub diverged: usize,
    pub failed: usize,
    /// In the order of the set.
    pub cases: Vec<GoldenCase>,
}

/// What one compile of a golden set came to.
#[derive(Debug, Serialize, ToSchema)]
pub struct GoldenCase {
    #[serde(flatten)]
    pub golden: GoldenRow,
    /// `equal`, `diverged`, or `failed` where it cannot be run.
    #[schema(example = "diverged")]
    pub outcome: &'static str,
    /// The earliest stage that gave something else.
    #[schema(example = "policy")]
    pub first_divergent_stage: Option<&'static str>,
    /// The stages that parted by themselves, not because one before them did.
    pub root_stages: Vec<&'static str>,
    /// The stages whose input or output is not the same.
    pub stages: Vec<StageRow>,
    /// Where a compile became a refusal, or the other way round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_change: Option<OutcomeChange>,
    /// Why the pack refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<RefusalTold>,
    /// The problem that stands in the way, by its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "replay_divergence")]
    pub code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl GoldenRun {
    pub(in crate::http) fn of(ran: GoldenOutcome) -> Self {
        let cases: Vec<GoldenCase> = ran.cases.into_iter().map(GoldenCase::of).collect();
        let count = |word: &str| cases.iter().filter(|case| case.outcome == word).count();
        let (equal, diverged, failed) = (count("equal"), count("diverged"), count("failed"));
        Self {
            pack_ref: ran.reference.to_string(),
            against: ran.against.to_string(),
            status: if equal == cases.len() { "equal" } else { "diverged" },
            equal,
            diverged,
            failed,
            cases,
        }
    }
}

impl GoldenCase {
    fn of(case: Case) -> Self {
        let mut told = Self {
            golden: GoldenRow::of(&case.golden),
            outcome: "failed",
            first_divergent_stage: None,
            root_stages: Vec::new(),
            stages: Vec::new(),
            outcome_change: None,
            refusal: None,
            code: None,
            detail: None,
        };
        let replayed = match case.outcome {
            CaseOutcome::Replayed(replayed) => *replayed,
            CaseOutcome::Failed(error) => {
                let problem = Problem::from(*error);
                told.code = Some(problem.kind.code());
                told.detail = Some(problem.detail).filter(|detail| !detail.is_empty());
                return told;
            }
        };
        let is_same = |line: &StageRow| line.input_equal && line.output_equal;
        let drift = &replayed.drift;
        told.outcome = if replayed.is_equal() { "equal" } else { "diverged" };
        told.first_divergent_stage = drift.first_divergent_stage.map(|stage| stage.as_str());
        told.root_stages = drift.root_stages.iter().map(|stage| stage.as_str()).collect();
        told.stages = drift.stages.iter().map(StageRow::from).collect();
        told.stages.retain(|line| !is_same(line));
        told.outcome_change = OutcomeChange::of(&replayed);
        told.refusal = replayed.refusal.map(RefusalTold::from);
        told
    }
}
