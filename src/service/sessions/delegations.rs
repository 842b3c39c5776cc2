//! Records delegations. Clients report them, since the server cannot see them.

use std::sync::Arc;

use super::UNKNOWN;
use super::events::delegated;
use crate::domain::Delegation;
use crate::json::{self, Limits};
use crate::request;
use crate::service::idempotency::{IdempotentRequest, remember};
use crate::service::{Error, Services};

/// Publishes the delegation in `body`. `tell` writes the response that is replayed if the request
/// is repeated.
pub fn delegate(
    services: &Services,
    id: &str,
    body: &str,
    once: Option<&IdempotentRequest>,
    tell: fn(&Delegation) -> String,
) -> Result<Delegation, Error> {
    let node = json::parse(body, Limits::default())?;
    let request = request::read_delegation(&node).map_err(Error::Invalid)?;
    let delegation = Delegation {
        // The id is chosen before the transaction, which may run twice.
        id: format!("del_{}", uuid::Uuid::now_v7().simple()).into(),
        session: id.into(),
        agent: request.agent,
        task: request.task,
        result: request.result,
        status: request.status,
        path: request.path,
        metadata: request.metadata,
    };
    let (once, usual) = (once.cloned(), services.tenant().usual_session_ttl());
    let of = Arc::clone(&delegation.session);
    services.write_observed(Some(&of), move |tx| {
        let mut session = tx.session(&delegation.session)?.ok_or(UNKNOWN)?;
        session.touch(tx.now(), usual);
        tx.put_session(&session)?;
        delegated(tx, &delegation)?;
        remember(once.as_ref(), tx, || tell(&delegation))?;
        Ok(delegation.clone())
    })
}
