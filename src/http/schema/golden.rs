//! Schemas of golden sets.

use serde::Serialize;
use utoipa::ToSchema;

use super::{OutcomeChange, RefusalTold, StageRow};
use crate::service::compilations::payload_hash;
use crate::service::golden::{Golden, GoldenSet};

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
    /// A published version; the set's own if it is absent.
    #[schema(example = "pack.dbops@1.5.0")]
    against: Option<String>,
}

/// A compile of a golden set.
#[derive(Debug, Serialize, ToSchema)]
pub struct GoldenRow {
    /// The record that is the expected result.
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

impl From<&Golden> for GoldenRow {
    fn from(golden: &Golden) -> Self {
        let compilation = &golden.record.compilation;
        Self {
            compilation_id: compilation.id.to_string(),
            compiled_at: compilation.created_at.to_string(),
            created_at: golden.created_at.to_string(),
            status: compilation.status.as_str(),
            payload_hash: payload_hash(compilation),
            engine: compilation.engine.to_string(),
            current: golden.record.is_current,
        }
    }
}

/// The golden set of a version.
#[derive(Debug, Serialize, ToSchema)]
pub struct GoldenList {
    /// The version of the pack, `id@version`.
    #[schema(example = "pack.dbops@1.4.0")]
    pub pack_ref: String,
    pub items: Vec<GoldenRow>,
}

impl From<&GoldenSet> for GoldenList {
    fn from(set: &GoldenSet) -> Self {
        let items = set.items.iter().map(GoldenRow::from).collect();
        Self { pack_ref: set.reference.to_string(), items }
    }
}

/// The results of a golden set.
#[derive(Debug, Serialize, ToSchema)]
pub struct GoldenRun {
    /// The version that was run, `id@version`.
    #[schema(example = "pack.dbops@1.4.0")]
    pub pack_ref: String,
    /// The version that it was run under.
    #[schema(example = "pack.dbops@1.5.0")]
    pub against: String,
    /// `equal` if every compile is; `diverged` if one diverged or failed; otherwise
    /// `engine_changed`.
    pub status: &'static str,
    /// Cases that gave the same bytes.
    pub equal: usize,
    /// Cases that gave something else.
    pub diverged: usize,
    /// Cases that could not be run.
    pub failed: usize,
    /// Compiles whose records another engine made: make the set again from new records.
    pub engine_changed: usize,
    /// In the order of the set.
    pub cases: Vec<GoldenCase>,
}

/// The result of one compile of a golden set.
#[derive(Debug, Serialize, ToSchema)]
pub struct GoldenCase {
    #[serde(flatten)]
    pub golden: GoldenRow,
    /// `equal`, `diverged`, `failed` if it cannot be run, or `engine_changed` if another engine made
    /// the record.
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
    /// The problem that prevents it, by its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "replay_divergence")]
    pub code: Option<&'static str>,
    /// What differs or failed, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
