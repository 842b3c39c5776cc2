//! A compile that a pack refuses: there is no payload, and all the same there is a record.

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

/// A refusal, and what had come of the compile until then.
#[derive(Debug)]
pub struct RefusedCompile {
    pub refusal: Refusal,
    /// The id of its record, where there is one.
    pub compilation: Option<Arc<str>>,
    /// The stages of the pack; the last one is that which refused.
    pub(crate) stages: Vec<GovernedStage>,
    /// What came from the store and the clock, where it came so far.
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

    /// Settled before the first stage.
    pub(super) fn early(refusal: Refusal) -> Error {
        let (stages, recalled) = (Vec::new(), None);
        Error::Governed(Box::new(Self { refusal, compilation: None, stages, recalled }))
    }

    /// At the end, because of what hooks did with the messages.
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

/// Stores the record of a compile that its pack refused; other errors leave none. Returns the error for
/// the caller.
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
