//! Tries memory writes in a transaction that is rolled back: their answers, and the memory after
//! them, are known before anything is stored.

use super::call_hooks::CallHooks;
use super::hooks::{WriteVerdicts, ask_writes};
use super::memory::{PlannedCall, carry_out_all};
use super::{MemoryRights, ToolAnswer};
use crate::domain::{MemoryPromotion, ToolCall};
use crate::service::candidates::Ids;
use crate::service::effects::Effects;
use crate::service::{Error, Services, StoreError};
use crate::store::Tx;

/// Memory writes that were tried, with their answers.
#[derive(Debug)]
pub(crate) struct CallTrial {
    rights: MemoryRights,
    calls: Vec<PlannedCall>,
    promotion: MemoryPromotion,
    answers: Vec<ToolAnswer>,
}

/// A trial, and the effects of the hooks that were asked about its writes.
#[derive(Debug)]
pub(crate) struct TriedCalls {
    pub(crate) trial: CallTrial,
    pub(crate) effects: Effects,
}

/// Result of a transaction that is rolled back.
enum Rollback<T> {
    Read(T),
    Failed(Error),
}

impl<T> From<StoreError> for Rollback<T> {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl CallTrial {
    /// Tries the calls.
    pub(crate) fn try_out(
        services: &Services,
        hooks: &CallHooks,
        rights: MemoryRights,
        calls: Vec<ToolCall>,
    ) -> Result<TriedCalls, Error> {
        // Verdicts and ids are chosen before any transaction, so that the later write does the same
        // as the trial.
        let WriteVerdicts { verdicts, effects } =
            ask_writes(services, hooks, &rights, calls.iter())?;
        let plan = |(call, verdict)| PlannedCall { call, verdict, ids: Ids::new() };
        let calls: Vec<_> = calls.into_iter().zip(verdicts).map(plan).collect();
        let promotion = services.promotion();
        let (trial_rights, list) = (rights.clone(), calls.clone());
        let answers = run_and_roll_back(services, move |tx| {
            carry_out_all(tx, &trial_rights, &list, promotion)
        })?;
        Ok(TriedCalls { trial: Self { rights, calls, promotion, answers }, effects })
    }

    pub(crate) fn answers(&self) -> &[ToolAnswer] {
        &self.answers
    }

    /// Reads the store as it will be after the calls.
    pub(crate) fn read<T: Send + 'static>(
        self: &std::sync::Arc<Self>,
        services: &Services,
        mut read: impl FnMut(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let trial = std::sync::Arc::clone(self);
        let read = run_and_roll_back(services, move |tx| {
            carry_out_all(tx, &trial.rights, &trial.calls, trial.promotion)?;
            Ok(read(tx)?)
        });
        read.map_err(store_error)
    }

    /// Carries out the calls. Returns whether the answers are those of the trial.
    pub(crate) fn carry_out(&self, tx: &Tx<'_>) -> Result<bool, StoreError> {
        let answers =
            carry_out_all(tx, &self.rights, &self.calls, self.promotion).map_err(store_error)?;
        Ok(answers == self.answers)
    }
}

/// Runs `work` in a transaction that is rolled back.
fn run_and_roll_back<T: Send + 'static>(
    services: &Services,
    mut work: impl FnMut(&Tx<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let ended = services.tenant().write(move |tx| {
        Err::<(), _>(match work(tx) {
            Ok(read) => Rollback::Read(read),
            Err(error) => Rollback::Failed(error),
        })
    });
    match ended {
        Err(Rollback::Read(read)) => Ok(read),
        Err(Rollback::Failed(error)) => Err(error),
        Ok(()) => Err(StoreError::conflict().into()),
    }
}

fn store_error(error: Error) -> StoreError {
    match error {
        Error::Store(error) => error,
        other => {
            tracing::warn!(error = %other, "a memory write that had been accepted failed");
            StoreError::conflict()
        }
    }
}
