//! Calls that write memory, tried out: what they answer, and what memory shows after them, is known
//! before anything is stored.

use super::hooks::ask_writes;
use super::memory::{PlannedCall, all};
use super::{MemoryRights, ToolAnswer};
use crate::domain::{MemoryPromotion, ToolCall};
use crate::service::candidates::Ids;
use crate::service::{Error, Services, StoreError};
use crate::store::Tx;

/// Calls, and what they answer.
#[derive(Debug)]
pub(crate) struct CallTrial {
    rights: MemoryRights,
    calls: Vec<PlannedCall>,
    promotion: MemoryPromotion,
    answers: Vec<ToolAnswer>,
}

/// How a transaction that is taken back ends.
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
    /// Tries the calls out.
    pub(crate) fn of(
        services: &Services,
        rights: MemoryRights,
        calls: Vec<ToolCall>,
    ) -> Result<Self, Error> {
        // Chosen before any transaction: what is tried is what is done.
        let verdicts = ask_writes(services, &rights, calls.iter())?;
        let with = |(call, verdict)| PlannedCall { call, verdict, ids: Ids::new() };
        let calls: Vec<_> = calls.into_iter().zip(verdicts).map(with).collect();
        let promotion = services.promotion();
        let (by, list) = (rights.clone(), calls.clone());
        let answers = taken_back(services, move |tx| all(tx, &by, &list, promotion))?;
        Ok(Self { rights, calls, promotion, answers })
    }

    pub(crate) fn answers(&self) -> &[ToolAnswer] {
        &self.answers
    }

    /// Reads what is there once the calls are carried out, which they are not.
    pub(crate) fn read<T: Send + 'static>(
        self: &std::sync::Arc<Self>,
        services: &Services,
        mut read: impl FnMut(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let trial = std::sync::Arc::clone(self);
        let read = taken_back(services, move |tx| {
            all(tx, &trial.rights, &trial.calls, trial.promotion)?;
            Ok(read(tx)?)
        });
        read.map_err(store_error)
    }

    /// Carries the calls out; answers whether they came to what was answered.
    pub(crate) fn carry_out(&self, tx: &Tx<'_>) -> Result<bool, StoreError> {
        let answers = all(tx, &self.rights, &self.calls, self.promotion).map_err(store_error)?;
        Ok(answers == self.answers)
    }
}

/// Runs `work` in a transaction that leaves nothing behind.
fn taken_back<T: Send + 'static>(
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
            tracing::warn!(error = %other, "a call that was tried out could not be carried out");
            StoreError::conflict()
        }
    }
}
