//! Sessions that continue others: switches and forks.

use std::sync::Arc;

use super::events::{SessionSwitch, switched};
use super::{UNKNOWN, live, memory, new_id, put_state, snapshots, unscoped_hooks};
use crate::domain::{MemoryEntry, Session};
use crate::json;
use crate::request::{self, SwitchRequest};
use crate::service::idempotency::{IdempotentRequest, remember};
use crate::service::{Error, Services};
use crate::store::Tx;

/// Switches to another session. A new session takes over the state of this one, an existing session
/// only its memory; with `reset` the other session is empty. `tell` writes the response that is
/// replayed if the request is repeated.
pub fn switch(
    services: &Services,
    id: &str,
    body: &str,
    once: Option<&IdempotentRequest>,
    tell: fn(&Session, bool) -> String,
) -> Result<(Session, bool), Error> {
    let node = json::parse_or_empty(body)?;
    let request = request::read_switch(&node, id).map_err(Error::Invalid)?;
    let to = request.to.clone().unwrap_or_else(new_id);
    let (id, once) = (id.to_owned(), once.cloned());
    let usual = services.tenant().usual_session_ttl();
    let redacts = !services.may_write_hooks();
    let of = Arc::clone(&to);
    services.write_switch(&of, move |tx| {
        let from = tx.session(&id)?.ok_or(UNKNOWN)?;
        let known = live(tx, &to)?;
        let is_new = known.is_none();
        let mut session = known.unwrap_or_else(|| after(&from, &to, tx));
        session.version += u64::from(!is_new);
        session.updated_at = tx.now();
        session.touch(tx.now(), usual);
        match (request.reset, is_new) {
            (false, true) => {
                let mut state = tx.session_state(&from)?;
                adopt(&mut state.memory, &to);
                put_state(tx, &mut session, &state)?;
                tx.take_over_sent(&from.id, &to)?;
                memory::erase(tx, &from.id)?;
            }
            (false, false) => {
                tx.put_session(&session)?;
                memory::move_all(tx, &from, &session)?;
            }
            (true, is_new) => {
                if !is_new {
                    memory::erase(tx, &to)?;
                    tx.empty_session(&mut session)?;
                }
                tx.put_session(&session)?;
            }
        }
        let told = SessionSwitch {
            session: Arc::clone(&to),
            parent: Arc::clone(&from.id),
            reset: request.reset,
            reason: reason(&request, is_new),
        };
        switched(tx, &told)?;
        let session = if redacts { unscoped_hooks::redacted(session)? } else { session };
        remember(once.as_ref(), tx, || tell(&session, is_new))?;
        Ok((session, is_new))
    })
}

/// Creates a session as a copy of another one, as it is now or as it was at a snapshot. `tell`
/// writes the response that is replayed if the request is repeated.
pub fn fork(
    services: &Services,
    id: &str,
    body: &str,
    once: Option<&IdempotentRequest>,
    tell: fn(&Session, bool) -> String,
) -> Result<Session, Error> {
    let node = json::parse_or_empty(body)?;
    let request = request::read_fork(&node).map_err(Error::Invalid)?;
    let to = request.to.clone().unwrap_or_else(new_id);
    let (id, once) = (id.to_owned(), once.cloned());
    let usual = services.tenant().usual_session_ttl();
    let redacts = !services.may_write_hooks();
    let models = services.models().clone();
    let of = Arc::clone(&to);
    services.write_switch(&of, move |tx| {
        let from = tx.session(&id)?.ok_or(UNKNOWN)?;
        if live(tx, &to)?.is_some() {
            return Err(Error::Conflict("a session of this id is there".to_owned()));
        }
        let state = if let Some(name) = &request.snapshot {
            snapshots::kept(tx, &models, name, &to)?
        } else {
            let mut state = tx.session_state(&from)?;
            adopt(&mut state.memory, &to);
            state
        };
        let mut session = after(&from, &to, tx);
        session.touch(tx.now(), usual);
        put_state(tx, &mut session, &state)?;
        if request.snapshot.is_none() {
            tx.take_over_sent(&from.id, &to)?;
        }
        let (session_id, parent) = (Arc::clone(&to), Arc::clone(&from.id));
        let told = SessionSwitch { session: session_id, parent, reset: false, reason: "fork" };
        switched(tx, &told)?;
        let session = if redacts { unscoped_hooks::redacted(session)? } else { session };
        remember(once.as_ref(), tx, || tell(&session, true))?;
        Ok(session)
    })
}

/// Creates a session with the settings of its parent, without the rest of its state.
fn after(from: &Session, to: &Arc<str>, tx: &Tx<'_>) -> Session {
    Session {
        parent: Some(Arc::clone(&from.id)),
        defaults: from.defaults.clone(),
        hooks_scoped: from.hooks_scoped,
        ttl: from.ttl,
        ..Session::new(Arc::clone(to), tx.now())
    }
}

/// Changes the scope of entries to that of a session.
fn adopt(entries: &mut [MemoryEntry], session: &Arc<str>) {
    for entry in entries {
        entry.scope.session_id = Some(Arc::clone(session));
    }
}

fn reason(request: &SwitchRequest, is_new: bool) -> &'static str {
    request.reason.unwrap_or(match (request.reset, is_new) {
        (true, _) => "reset",
        (false, true) => "new",
        (false, false) => "resume",
    })
}
