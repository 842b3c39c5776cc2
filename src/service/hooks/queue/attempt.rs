//! Makes one attempt at a delivery, and stores its outcome.

use std::sync::Arc;
use std::time::Duration;

use super::DeliverySender;
use super::schedule::pause;
use crate::domain::{EventKind, NewEvent, Timestamp};
use crate::hook::{Call, CallFailure, CallScope, FailureCause, Hook, Point};
use crate::service::event_data::{HookFailedData, to_raw};
use crate::service::hooks::disable;
use crate::service::pool::{self, Pool};
use crate::service::{Error, Services};
use crate::store::{AttemptOutcome, AttemptRow, ClaimedDelivery, Tx};
use crate::webhook::{self, CallContext, Exchange};

/// Time of failures alone after which a hook is disabled.
const MAX_FAILING_TIME: Duration = Duration::from_hours(5 * 24);
/// Bytes of the detail of an attempt.
const MAX_DETAIL_BYTES: usize = 500;

/// Outcome of an attempt.
struct AttemptVerdict {
    attempt: Option<AttemptRow>,
    outcome: AttemptOutcome,
    /// Whether the call succeeded; none if the hook was not called.
    succeeded: Option<bool>,
    /// Whether the receiver answered 410.
    gone: bool,
    /// The text of the response; none if it did not arrive, is no text, or repeats a secret.
    response: Option<Arc<str>>,
}

impl AttemptVerdict {
    fn without_attempt(outcome: AttemptOutcome) -> Self {
        Self { attempt: None, outcome, succeeded: None, gone: false, response: None }
    }
}

/// Makes the call, stores its outcome and returns it. If the store cannot be read, the lease
/// expires by itself and the delivery is claimed again.
pub(super) async fn attempt(
    services: Services,
    pool: Pool,
    sender: Arc<dyn DeliverySender>,
    claimed: ClaimedDelivery,
) -> Option<AttemptOutcome> {
    let services = services.for_tenant(&claimed.tenant);
    let (finder, id) = (services.clone(), Arc::clone(&claimed.hook));
    let found = match pool.deliver(move || finder.hook_of(&id)).await {
        Ok(Ok(found)) => found,
        failed => {
            log_unstored(&claimed, failed.map(|found| found.map(drop).map_err(Error::from)));
            // The other calls of the hook would fail as well.
            let later =
                AttemptOutcome::Later(services.inner.store.now().after(webhook::OPEN_PAUSE));
            let verdict = AttemptVerdict::without_attempt(later);
            let _ = pool.deliver(move || settle(&services, claimed, verdict)).await;
            return None;
        }
    };
    let verdict = match found.filter(|hook| hook.enabled) {
        Some(hook) => {
            let exchange = send(&*sender, &hook, &claimed).await;
            judge(&claimed, exchange, services.inner.store.now())
        }
        None => disabled_verdict(&claimed, services.inner.store.now()),
    };
    let outcome = verdict.outcome;
    let settled = {
        let claimed = claimed.clone();
        pool.deliver(move || settle(&services, claimed, verdict)).await
    };
    log_unstored(&claimed, settled);
    Some(outcome)
}

/// Logs why the outcome of an attempt could not be stored.
fn log_unstored(claimed: &ClaimedDelivery, settled: Result<Result<(), Error>, pool::Error>) {
    let error: Box<dyn std::error::Error> = match settled {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.into(),
        Err(error) => error.into(),
    };
    tracing::warn!(
        error,
        delivery.id = &*claimed.id,
        "the outcome of a delivery could not be stored; it may be sent again"
    );
}

async fn send(sender: &dyn DeliverySender, hook: &Hook, claimed: &ClaimedDelivery) -> Exchange {
    let scope = CallScope {
        tenant: Arc::clone(&claimed.tenant),
        compilation_id: claimed.compilation_id.clone(),
        session_id: claimed.session_id.clone(),
        agent: claimed.agent.clone(),
        turn: claimed.turn,
        hops: claimed.hops,
    };
    // The store has the points' own words.
    let point = Point::parse(&claimed.point).unwrap_or(Point::Event);
    let call = Call {
        hook,
        point,
        occurrence: claimed.occurrence,
        scope: &scope,
        input: &claimed.input,
        allowance: hook.timeout(),
        timeout_cause: FailureCause::Timeout,
    };
    let id = Some(Arc::clone(&claimed.id));
    let delivery = CallContext { id, earlier: claimed.attempts, ..CallContext::default() };
    sender.send(call, delivery).await
}

/// Decides by an exchange what becomes of the delivery.
fn judge(claimed: &ClaimedDelivery, exchange: Exchange, now: Timestamp) -> AttemptVerdict {
    let Exchange { status, retry_after, body: response, answer, took, .. } = exchange;
    let row = |failure: Option<&CallFailure>| AttemptRow {
        number: claimed.attempts.saturating_add(1),
        at: now,
        status,
        cause: failure.map(|failure| failure.cause.as_str().into()),
        detail: failure.map(|failure| cut_detail(&failure.detail)),
        took,
    };
    let Err(failure) = answer else {
        let (attempt, outcome) = (Some(row(None)), AttemptOutcome::Delivered);
        return AttemptVerdict { attempt, outcome, succeeded: Some(true), gone: false, response };
    };
    if matches!(failure.cause, FailureCause::CircuitOpen | FailureCause::Overloaded) {
        // Nothing was sent, so this is no attempt: otherwise a long outage would use up all
        // attempts.
        return AttemptVerdict::without_attempt(AttemptOutcome::Later(
            now.after(webhook::OPEN_PAUSE),
        ));
    }
    let gone = failure.is_gone();
    let again = pause(&claimed.id, claimed.tries.saturating_add(1), retry_after);
    let outcome = match again {
        Some(pause) if !gone => AttemptOutcome::Again(now.after(pause)),
        _ => AttemptOutcome::Dead,
    };
    let attempt = Some(row(Some(&failure)));
    AttemptVerdict { attempt, outcome, succeeded: Some(false), gone, response }
}

/// The outcome if the hook is disabled or no longer exists.
fn disabled_verdict(claimed: &ClaimedDelivery, now: Timestamp) -> AttemptVerdict {
    let attempt = AttemptRow {
        number: claimed.attempts.saturating_add(1),
        at: now,
        status: None,
        cause: Some("disabled".into()),
        detail: Some("the hook is disabled, or no longer there".into()),
        took: Duration::ZERO,
    };
    AttemptVerdict {
        attempt: Some(attempt),
        outcome: AttemptOutcome::Dead,
        succeeded: None,
        gone: false,
        response: None,
    }
}

fn cut_detail(detail: &str) -> Arc<str> {
    let end = detail.floor_char_boundary(MAX_DETAIL_BYTES);
    detail.get(..end).unwrap_or_default().into()
}

fn settle(
    services: &Services,
    claimed: ClaimedDelivery,
    verdict: AttemptVerdict,
) -> Result<(), Error> {
    let (tenant, is_final) = (services.tenant(), verdict.outcome.is_final());
    let write = move |tx: &Tx<'_>| {
        if !tx.settle_delivery(
            &claimed,
            verdict.attempt.as_ref(),
            verdict.outcome,
            verdict.succeeded,
        )? {
            // Another worker has claimed the delivery by now, and stores its own outcome.
            return Ok(());
        }
        if let Some(attempt) = verdict.attempt.as_ref().filter(|_| is_recorded(&claimed)) {
            tx.put_hook_response(&claimed, attempt, verdict.response.as_deref())?;
        }
        let hook = &claimed.hook;
        let since = match verdict.succeeded {
            Some(succeeded) => tx.note_hook_failing(hook, !succeeded)?,
            None => None,
        };
        if verdict.outcome == AttemptOutcome::Dead {
            tx.publish(&failed_event(&claimed, verdict.attempt.as_ref()))?;
        }
        if verdict.gone {
            disable(tx, hook, "gone")?;
        } else if since.is_some_and(|since| tx.now().since(since) >= MAX_FAILING_TIME) {
            disable(tx, hook, "failing")?;
        }
        Ok(())
    };
    // After a loss of power, a call that is still queued is made again, with or without the failed
    // attempt: many hooks that fail at once need no flush of the disk.
    if is_final { tenant.write_durable(write) } else { tenant.write(write) }
}

/// Whether the record of a compile lists the call. Calls about facts are not among its hooks.
fn is_recorded(claimed: &ClaimedDelivery) -> bool {
    let point = Point::parse(&claimed.point);
    point.is_some_and(|point| point != Point::Event && !Point::FACTS.contains(&point))
}

/// The word of a cause that readers of events may see.
fn public(cause: &str) -> &str {
    FailureCause::parse(cause).map_or(cause, |cause| cause.public().as_str())
}

/// The event that a delivery was given up.
fn failed_event(claimed: &ClaimedDelivery, attempt: Option<&AttemptRow>) -> NewEvent {
    let data = HookFailedData {
        hook: &claimed.hook,
        point: &claimed.point,
        cause: attempt.and_then(|attempt| attempt.cause.as_deref()).map(public),
        delivery: Some(&claimed.id),
        attempts: Some(attempt.map_or(claimed.attempts, |attempt| attempt.number)),
        ..HookFailedData::default()
    };
    NewEvent {
        kind: EventKind::HookFailed,
        session_id: claimed.session_id.clone(),
        compilation_id: claimed.compilation_id.clone(),
        data: to_raw(&data),
        at: None,
    }
}
