//! Refusals of a compile by its pack: there is no payload, but a record is stored.

use std::sync::Arc;

use super::Error;
use crate::domain::{ContentHash, RecordLevel, Stage};
use crate::json;
use crate::pack::Refusal;
use crate::pipeline::GovernedStage;
use crate::service::Services;
use crate::service::record::{
    CompileOutcome, NewRecord, RecalledInputs, RecordDraft, RecordSubject,
};
use crate::store::Batch;

/// A refusal, with the state of the compile at that time.
#[derive(Debug)]
pub struct RefusedCompile {
    pub refusal: Refusal,
    /// The id of the record, if one was stored.
    pub compilation: Option<Arc<str>>,
    /// The stages of the pack that ran. The last one refused.
    pub(crate) stages: Vec<GovernedStage>,
    /// Values from the store and the clock; none if the pack refused before they were read.
    pub(crate) recalled: Option<RecalledInputs>,
}

impl RefusedCompile {
    pub(super) fn at_stage(
        refusal: Refusal,
        stages: Vec<GovernedStage>,
        recalled: RecalledInputs,
    ) -> Error {
        let recalled = Some(recalled);
        Error::Governed(Box::new(Self { refusal, compilation: None, stages, recalled }))
    }

    /// A refusal before the first stage.
    pub(super) fn early(refusal: Refusal) -> Error {
        let (stages, recalled) = (Vec::new(), None);
        Error::Governed(Box::new(Self { refusal, compilation: None, stages, recalled }))
    }

    /// A refusal after the last stage, because hooks changed a block of the pack.
    pub(super) fn transformed(
        refusal: Refusal,
        mut stages: Vec<GovernedStage>,
        recalled: RecalledInputs,
    ) -> Error {
        let output = ContentHash::of(&json::jcs_value(&refusal.to_record()));
        stages.push(GovernedStage { stage: Stage::Transform, parts: Vec::new(), output });
        Self::at_stage(refusal, stages, recalled)
    }
}

/// Stores a record if the error is a refusal by the pack. Returns the error for the caller, with
/// the id of the record.
pub(super) fn record(
    services: &Services,
    subject: RecordSubject<'_>,
    draft: Option<RecordDraft>,
    error: Error,
) -> Error {
    let (mut refused, mut draft) = match (error, draft) {
        (Error::Governed(refused), Some(draft)) => (refused, draft),
        (error, _) => return error,
    };
    draft.inputs.under(refused.stages.clone(), refused.recalled.clone());
    let mut batch = Batch::default();
    let outcome = CompileOutcome::Refused(&refused.refusal);
    let record = NewRecord::new(services, subject, &draft, outcome, &mut batch);
    let stored = record
        .and_then(|record| services.tenant().commit_with(batch, move |tx, _| record.store(tx)));
    match stored {
        Ok(_) => {
            refused.compilation = Some(Arc::clone(subject.id));
            Error::Governed(refused)
        }
        Err(error) if draft.level == RecordLevel::Full => error.into(),
        Err(error) => {
            tracing::warn!(%error, "the record of a refusal could not be stored");
            Error::Governed(refused)
        }
    }
}
