//! `/events/ticket`: one stream for a reader that cannot send headers, such as a browser's.
//!
//! A ticket stands for the caller who asked for it, once and for a moment: an address ends up in
//! logs, where a key must not. Tickets are of this process alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;
use serde_json::json;

use super::answer::written;
use super::problem::{Body, Kind, Problem};
use super::query::Query;
use super::schema::EventTicket;
use super::state::AppState;
use crate::domain::Principal;

/// How long a ticket is good for.
const GOOD_FOR: Duration = Duration::from_secs(30);
/// Tickets that may be out at once.
const MOST: usize = 10_000;

/// The tickets that are out. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Tickets(Arc<Mutex<Out>>);

/// Whose each ticket is, and until when.
type Out = HashMap<String, (Arc<Principal>, Instant)>;

impl Tickets {
    /// A new ticket of a caller.
    fn give(&self, caller: &Arc<Principal>, now: Instant) -> Result<String, Problem> {
        let mut bytes = [0; 24];
        getrandom::fill(&mut bytes).map_err(|_| Problem::new(Kind::Internal))?;
        let mut out = self.out();
        out.retain(|_, (_, until)| *until > now);
        if out.len() >= MOST {
            return Err(Problem::with_detail(Kind::Overloaded, "too many tickets are out"));
        }
        let ticket = URL_SAFE_NO_PAD.encode(bytes);
        out.insert(ticket.clone(), (Arc::clone(caller), now + GOOD_FOR));
        Ok(ticket)
    }

    /// Whose ticket it is; from then on it is nobody's.
    pub(super) fn take(&self, ticket: &str, now: Instant) -> Option<Arc<Principal>> {
        let (caller, until) = self.out().remove(ticket)?;
        (until > now).then_some(caller)
    }

    fn out(&self) -> MutexGuard<'_, Out> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Get a ticket for a stream
///
/// `GET /events?ticket=…` is served with it in the place of a key, once, within thirty seconds: a
/// browser's `EventSource` sends no headers. The stream ends when the key does.
#[utoipa::path(
    post,
    path = "/events/ticket",
    tag = "events",
    operation_id = "create_event_ticket",
    responses(
        (status = CREATED, description = "The ticket", body = EventTicket),
        (status = "4XX", description = "The request cannot be met", body = Body, content_type = "application/problem+json"),
        (status = "5XX", description = "The server could not do it", body = Body, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn create_event_ticket(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    Query::of(request.uri(), &[])?;
    let services = state.services_for(request.extensions())?;
    let ticket = state.tickets.give(services.caller(), Instant::now())?;
    let body = json!({"ticket": ticket, "expires_in_seconds": GOOD_FOR.as_secs()});
    Ok((StatusCode::CREATED, written(&body)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_once_and_for_a_moment() {
        let (tickets, now) = (Tickets::default(), Instant::now());
        let caller = Arc::new(Principal::of_tenant("t".into()));
        let ticket = tickets.give(&caller, now).unwrap();
        assert!(tickets.take("other", now).is_none());
        assert_eq!(tickets.take(&ticket, now).unwrap().tenant, caller.tenant);
        assert!(tickets.take(&ticket, now).is_none());
        let late = tickets.give(&caller, now).unwrap();
        assert!(tickets.take(&late, now + GOOD_FOR).is_none());
    }
}
