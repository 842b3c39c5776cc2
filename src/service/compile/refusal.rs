//! Stores the record of a compile that its pack refused.

use std::sync::Arc;

use super::Error;
use crate::domain::RecordLevel;
use crate::service::record::{CompileOutcome, NewRecord, RecordDraft, RecordSubject};
use crate::service::{RefusedCompile, Services};
use crate::store::Batch;

/// Stores the record of a refusal. Returns the error for the caller, with the id of the record.
pub(super) fn record(
    services: &Services,
    subject: RecordSubject<'_>,
    draft: &RecordDraft,
    mut refused: Box<RefusedCompile>,
) -> Error {
    let mut batch = Batch::default();
    let outcome = CompileOutcome::Refused(&refused.refusal);
    let record = NewRecord::new(services, subject, draft, outcome, &mut batch);
    let stored = record
        .and_then(|record| services.tenant().commit_with(batch, move |tx, _| record.store(tx)));
    match stored {
        Ok(_) => {
            refused.compilation = Some(Arc::clone(subject.id));
            Error::Governed(refused)
        }
        Err(error) if draft.level == RecordLevel::Full => error.into(),
        Err(error) => {
            tracing::warn!(%error, "the record of a refused compile could not be stored");
            Error::Governed(refused)
        }
    }
}
