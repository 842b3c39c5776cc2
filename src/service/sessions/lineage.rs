//! Sessions that go on from others.

use std::sync::Arc;

use super::events::{SessionSwitch, switched};
use super::{UNKNOWN, live, new_id, snapshots, unscoped_hooks};
use crate::domain::{MemoryEntry, MemoryScope, Session};
use crate::json;
use crate::request::{self, SwitchRequest};
use crate::service::idempotency::{IdempotentRequest, remember};
use crate::service::{Error, Services, StoreError};
use crate::store::Tx;

/// Goes on in another session: with all that this one holds, its memory moved, or with nothing of
/// it. `tell` is what a repetition of the request is answered.
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
                tx.put_session_state(&mut session, &state)?;
                tx.take_over_sent(&from.id, &to)?;
                tx.erase_session_memory(&from.id)?;
            }
            (false, false) => {
                tx.put_session(&session)?;
                move_memory(tx, &from, &session)?;
            }
            (true, is_new) => {
                if !is_new {
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

/// Begins a session as another one is, or was at a snapshot; both go on from there. `tell` is what a
/// repetition of the request is answered.
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
    let of = Arc::clone(&to);
    services.write_switch(&of, move |tx| {
        let from = tx.session(&id)?.ok_or(UNKNOWN)?;
        if live(tx, &to)?.is_some() {
            return Err(Error::Conflict("a session of this id is there".to_owned()));
        }
        let state = if let Some(name) = &request.snapshot {
            snapshots::kept(tx, name, &to)?
        } else {
            let mut state = tx.session_state(&from)?;
            adopt(&mut state.memory, &to);
            state
        };
        let mut session = after(&from, &to, tx);
        session.touch(tx.now(), usual);
        tx.put_session_state(&mut session, &state)?;
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

/// A new session with the settings of another, and nothing else of it.
fn after(from: &Session, to: &Arc<str>, tx: &Tx<'_>) -> Session {
    Session {
        parent: Some(Arc::clone(&from.id)),
        defaults: from.defaults.clone(),
        hooks_scoped: from.hooks_scoped,
        ttl: from.ttl,
        ..Session::new(Arc::clone(to), tx.now())
    }
}

/// Makes entries those of a session's scope.
fn adopt(entries: &mut [MemoryEntry], session: &Arc<str>) {
    for entry in entries {
        entry.scope.session_id = Some(Arc::clone(session));
    }
}

/// Moves the entries of a session into one that is there. Of two under one key the one that was
/// written last stays.
fn move_memory(tx: &Tx<'_>, from: &Session, to: &Session) -> Result<(), StoreError> {
    for entry in tx.session_memory(&from.id)? {
        let scope = MemoryScope { session_id: Some(Arc::clone(&to.id)), ..entry.scope.clone() };
        let there = tx.memory_row(&scope, &entry.key)?;
        tx.delete_memory(&entry.scope, &entry.key)?;
        if there.as_ref().is_some_and(|there| there.updated_at > entry.updated_at) {
            continue;
        }
        // Turns are counted by the session that the entry lives in.
        let left = entry.expires_at_turn.map(|turn| turn.saturating_sub(from.turns));
        let moved = MemoryEntry {
            scope,
            version: there.map_or(entry.version, |there| there.version + 1),
            expires_at_turn: left.map(|left| left + to.turns),
            ..entry
        };
        tx.put_moved_memory(&moved)?;
    }
    Ok(())
}

fn reason(request: &SwitchRequest, is_new: bool) -> &'static str {
    request.reason.unwrap_or(match (request.reset, is_new) {
        (true, _) => "reset",
        (false, true) => "new",
        (false, false) => "resume",
    })
}
