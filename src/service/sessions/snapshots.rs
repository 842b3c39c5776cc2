//! Snapshots of sessions: taken, listed and restored, on this server or on another.

use std::sync::Arc;

use super::{UNKNOWN, checked, document, live, messages, put_state, unscoped_hooks};
use crate::domain::{Models, RawJson, Session, SessionState, SnapshotHead, Source};
use crate::json::{self, Fault, Faults, Limits, Path};
use crate::request::{self, RestoreSession};
use crate::service::idempotency::{IdempotentRequest, remember};
use crate::service::{Error, Services, StoreError};
use crate::store::{Page, StoredSnapshot, Tx};

const NO_SNAPSHOT: Error = Error::NotFound("there is no snapshot of this id");

/// Takes a snapshot of a session. `tell` writes the response that is replayed if the request is
/// repeated.
pub fn take(
    services: &Services,
    id: &str,
    body: &str,
    once: Option<&IdempotentRequest>,
    tell: fn(&SnapshotHead) -> String,
) -> Result<SnapshotHead, Error> {
    let node = json::parse_or_empty(body)?;
    let wanted = request::read_take_snapshot(&node).map_err(Error::Invalid)?;
    // The id is chosen before the transaction, which may run twice.
    let name: Arc<str> = format!("snap_{}", uuid::Uuid::now_v7().simple()).into();
    let (id, once) = (id.to_owned(), once.cloned());
    services.tenant().write_durable(move |tx| {
        let session = tx.session(&id)?.ok_or(UNKNOWN)?;
        let state = SessionState { memory: tx.session_memory(&id)?, ..SessionState::new(&session) };
        let head = SnapshotHead {
            id: Arc::clone(&name),
            session: Arc::clone(&session.id),
            label: wanted.label.clone(),
            created_at: tx.now(),
            messages: tx.count_messages(&id)?,
            hooks_scoped: session.hooks_scoped,
        };
        tx.put_snapshot(&head, &document::write(&state))?;
        remember(once.as_ref(), tx, || tell(&head))?;
        Ok(head)
    })
}

/// Lists at most `limit` snapshots of a session that come after an id. Returns the id after which
/// the list continues, if it does.
pub fn list(
    services: &Services,
    id: &str,
    after: Option<&str>,
    limit: usize,
) -> Result<Page<SnapshotHead, Arc<str>>, Error> {
    let found = services.tenant().read(|tx| {
        tx.session(id)?.ok_or(UNKNOWN)?;
        Ok::<_, Error>(tx.list_snapshots(id, after, limit + 1)?)
    })?;
    Ok(Page::new(found, limit, |head| Arc::clone(&head.id), None))
}

/// Returns a snapshot as a JSON document.
pub fn find(services: &Services, id: &str) -> Result<String, Error> {
    let (_, text) = services.tenant().read(|tx| {
        services.reserve_work(tx.snapshot_bytes(id)?)?;
        written(tx, id)
    })?;
    if services.may_write_hooks() {
        return Ok(text);
    }
    Ok(unscoped_hooks::redacted_snapshot(&text)?)
}

/// Restores a session from a snapshot. Creates the session if it does not exist.
pub fn restore(services: &Services, id: &str, body: &str) -> Result<Session, Error> {
    if !request::is_session_id(id) {
        let detail = format!("the session's id {}", request::SESSION_ID_RULE);
        let mut faults = Faults::default();
        faults.add(&Path::Root, detail);
        return Err(Error::Invalid(faults.into_vec()));
    }
    let node = json::parse(body, Limits::default())?;
    let mut restore = request::read_session_restore(&node, id).map_err(Error::Invalid)?;
    let may_write_hooks = services.may_write_hooks();
    if let RestoreSession::Given(state) = &mut restore {
        state.forget_implausible_factors(services.models());
        state.hooks_scoped = unscoped_hooks::hooks_of(state.defaults.as_ref())?.is_some();
        if state.hooks_scoped {
            unscoped_hooks::require_scope(services)?;
        }
        let faults = faults_of(services, state)?;
        if !faults.is_empty() {
            return Err(Error::Invalid(faults));
        }
    }
    let (id, usual): (Arc<str>, _) = (id.into(), services.tenant().usual_session_ttl());
    let models = services.models().clone();
    let of = Arc::clone(&id);
    services.write_observed(Some(&of), move |tx| {
        let state = match &restore {
            RestoreSession::Given(state) => (**state).clone(),
            RestoreSession::Kept(name) => kept(tx, &models, name, &id)?,
        };
        let known = live(tx, &id)?;
        let is_new = known.is_none();
        if let Some(known) = known.as_ref().filter(|_| !may_write_hooks) {
            require_same_hooks(known, &state)?;
        }
        let mut session = known.unwrap_or_else(|| Session::new(Arc::clone(&id), tx.now()));
        session.version += u64::from(!is_new);
        session.updated_at = tx.now();
        session.touch(tx.now(), usual);
        put_state(tx, &mut session, &state)?;
        Ok(if may_write_hooks { session } else { unscoped_hooks::redacted(session)? })
    })
}

/// Refuses a state that changes which hooks run in an existing session.
fn require_same_hooks(known: &Session, state: &SessionState) -> Result<(), Error> {
    let before = unscoped_hooks::scoped_hooks(known.defaults.as_ref(), known.hooks_scoped)?;
    let after = unscoped_hooks::scoped_hooks(state.defaults.as_ref(), state.hooks_scoped)?;
    if before == after { Ok(()) } else { Err(unscoped_hooks::forbidden()) }
}

/// Reads the state in a stored snapshot, for a session. Implausible factors in it are left out.
pub(super) fn kept(
    tx: &Tx<'_>,
    models: &Models,
    name: &str,
    session: &str,
) -> Result<SessionState, Error> {
    let (head, text) = written(tx, name)?;
    let node = json::parse(&text, Limits::default())?;
    let mut faults = Faults::default();
    let state = request::read_snapshot(&node, Path::Root, session, &mut faults);
    // Snapshots are checked before they are stored, so a fault here means damage.
    let damaged = || StoreError::Corrupt(Arc::new(DamagedSnapshot));
    let mut state = state.filter(|_| faults.is_empty()).ok_or_else(damaged)?;
    state.forget_implausible_factors(models);
    Ok(SessionState { hooks_scoped: head.hooks_scoped, ..state })
}

#[derive(Debug, thiserror::Error)]
#[error("a snapshot is not what was stored")]
struct DamagedSnapshot;

fn written(tx: &Tx<'_>, id: &str) -> Result<(SnapshotHead, String), Error> {
    let StoredSnapshot { head, document, messages } = tx.snapshot(id)?.ok_or(NO_SNAPSHOT)?;
    let text = document::whole(&head, &document, &messages);
    Ok((head, text))
}

/// Faults in the defaults and messages of a state that a request contains.
fn faults_of(services: &Services, state: &SessionState) -> Result<Vec<Fault>, Error> {
    let mut found = Vec::new();
    if let Some(defaults) = &state.defaults {
        let node = json::parse(defaults.as_str(), Limits::default())?;
        let mut faults = Faults::default();
        checked(services, &node, &mut faults)?;
        found = faults.into_vec();
        for fault in &mut found {
            fault.pointer.insert_str(0, "/snapshot");
        }
    }
    // Messages without a shape fit several.
    let source = state.source.unwrap_or(Source::Openai);
    let list = state.messages.iter().map(RawJson::as_str);
    found.extend(messages::check(source, list, "/snapshot/messages"));
    Ok(found)
}
