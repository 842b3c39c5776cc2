//! Lists deliveries of a hook with their attempts, and retries them.

use serde_json::{Value, json};

use crate::domain::word_of;
use crate::hook::{FailureCause, UNREACHED};
use crate::service::hooks::find;
use crate::service::{Error, Services};
use crate::store::{AttemptRow, DeliveryRow, DeliveryState, Page, Tx};

const UNKNOWN: Error = Error::NotFound("there is no delivery of this id");

/// A delivery and its attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedDelivery {
    pub delivery: DeliveryRow,
    pub attempts: Vec<AttemptRow>,
}

/// Lists at most `limit` deliveries of a hook, newest first. Returns the number before which the
/// list continues, if it does. A state that few deliveries have may end a page early.
pub fn list_deliveries(
    services: &Services,
    hook: &str,
    state: Option<DeliveryState>,
    before: Option<u64>,
    limit: usize,
) -> Result<(Vec<ListedDelivery>, Option<u64>), Error> {
    find(services, hook)?;
    let Page { rows: mut found, next } = services.tenant().read(|tx| {
        let Page { rows, next } = tx.deliveries(hook, state, before, limit)?;
        let rows = rows.into_iter().map(|row| with_attempts(tx, row));
        Ok::<_, Error>(Page { rows: rows.collect::<Result<Vec<_>, Error>>()?, next })
    })?;
    if !services.may_write_hooks() {
        found.iter_mut().flat_map(|one| &mut one.attempts).for_each(make_public);
    }
    Ok((found, next))
}

/// Makes a delivery due at once that was given up, or is not due yet.
pub fn retry(services: &Services, id: &str) -> Result<ListedDelivery, Error> {
    let id = id.to_owned();
    services.tenant().write_durable(move |tx| {
        let found = tx.delivery(&id)?.ok_or(UNKNOWN)?;
        if found.state == DeliveryState::Delivered {
            return Err(Error::Conflict("it was delivered".to_owned()));
        }
        tx.retry_delivery(&id)?;
        with_attempts(tx, tx.delivery(&id)?.ok_or(UNKNOWN)?)
    })
}

/// Leaves only the parts of an attempt that a caller without `hooks:write` may see.
fn make_public(attempt: &mut AttemptRow) {
    let cause = attempt.cause.as_deref().and_then(FailureCause::parse).map(FailureCause::public);
    if cause == Some(FailureCause::Connect) {
        attempt.cause = Some(FailureCause::Connect.as_str().into());
        attempt.detail = Some(UNREACHED.into());
    }
}

fn with_attempts(tx: &Tx<'_>, delivery: DeliveryRow) -> Result<ListedDelivery, Error> {
    let attempts = tx.delivery_attempts(&delivery.id)?;
    Ok(ListedDelivery { delivery, attempts })
}

impl ListedDelivery {
    /// Writes the delivery as JSON: ids and outcomes, never content.
    pub fn write(&self) -> Value {
        let Self { delivery, attempts } = self;
        let attempts: Vec<Value> = attempts
            .iter()
            .map(|attempt| {
                json!({
                    "number": attempt.number,
                    "at": attempt.at,
                    "status": attempt.status,
                    "cause": attempt.cause,
                    "detail": attempt.detail,
                    "ms": u64::try_from(attempt.took.as_millis()).unwrap_or(u64::MAX),
                })
            })
            .collect();
        let is_queued = delivery.state == DeliveryState::Queued;
        json!({
            "id": delivery.id,
            "hook": delivery.hook,
            "point": delivery.point,
            "session_id": delivery.session_id,
            "compilation_id": delivery.compilation_id,
            "state": word_of(DeliveryState::WORDS, delivery.state),
            "attempts": attempts,
            "created_at": delivery.created_at,
            "due_at": is_queued.then_some(delivery.due_at),
        })
    }
}
