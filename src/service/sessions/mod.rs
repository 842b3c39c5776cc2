//! Sessions: stored state of a conversation, under an id.
//!
//! A session is created by its first use, in a compile or by a request to create it. It ends when
//! it is deleted or has not been used for its time to live; all of its data is removed then.

mod delegations;
mod document;
mod events;
mod expiring_caches;
mod handle;
mod lineage;
mod memory;
pub(super) mod messages;
mod payload_usage;
mod snapshots;
mod unscoped_hooks;
mod usage;

use std::sync::Arc;

pub use self::delegations::delegate;
pub(crate) use self::expiring_caches::publish_expiring;
pub(crate) use self::handle::{
    SessionCompile, SessionHandle, SessionUpdate, model_of, open, open_as,
};
pub use self::lineage::{fork, switch};
pub(crate) use self::payload_usage::PayloadPrefix;
pub use self::snapshots::{
    find as find_snapshot, list as list_snapshots, restore as restore_snapshot,
    take as take_snapshot,
};
pub use self::usage::{ReportedUsage, report};
use super::idempotency::{IdempotentRequest, remember};
use super::page::PagedList;
use super::{Error, Services, StoreError, defaults};
use crate::domain::{RawJson, Session, SessionState};
use crate::json::{self, Faults, Limits, Node};
pub use crate::request::SWITCH_REASONS;
use crate::request::{self, COMPILE_KEYS, SessionRequest, SessionWrite};
use crate::store::{Page, Tx};

const UNKNOWN: Error = Error::NotFound("there is no session of this id");

/// Keys of system texts, which the defaults of a session may contain in addition to the keys of a
/// compile.
const SYSTEM_KEYS: &[&str] = &["system", "systemInstruction", "system_instruction", "instructions"];
/// Keys of a compile that the defaults of a session may not contain.
const OWN_KEYS: &[&str] = &["session_id"];

/// Creates the session that `body` describes, or returns an existing one unchanged. `tell` writes
/// the response that is replayed if the request is repeated.
pub fn create(
    services: &Services,
    body: &str,
    once: Option<&IdempotentRequest>,
    tell: fn(&Session, bool) -> String,
) -> Result<(Session, bool), Error> {
    let node = json::parse_or_empty(body)?;
    let mut faults = Faults::default();
    let SessionRequest { id, write, defaults } = request::read_session(&node, true, &mut faults);
    let given = defaults.filter(|node| !node.is_null());
    let hooks_scoped = given.is_some_and(unscoped_hooks::has_hooks);
    if hooks_scoped {
        unscoped_hooks::require_scope(services)?;
    }
    let text = given.map(|node| checked(services, node, &mut faults)).transpose()?.flatten();
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let id = id.unwrap_or_else(new_id);
    let (once, usual) = (once.cloned(), services.tenant().usual_session_ttl());
    let of = Arc::clone(&id);
    let redacts = !services.may_write_hooks();
    services.write_switch(&of, move |tx| {
        let (session, is_new) = if let Some(known) = live(tx, &id)? {
            (known, false)
        } else {
            let mut session = Session::new(Arc::clone(&id), tx.now());
            session.defaults = text.clone().map(RawJson::new);
            session.hooks_scoped = hooks_scoped;
            session.ttl = write.ttl.flatten();
            session.touch(tx.now(), usual);
            tx.put_session(&session)?;
            events::switched(tx, &events::SessionSwitch::opened(&session))?;
            (session, true)
        };
        let session = if redacts { unscoped_hooks::redacted(session)? } else { session };
        remember(once.as_ref(), tx, || tell(&session, is_new))?;
        Ok((session, is_new))
    })
}

/// Finds a session by its id.
pub fn find(services: &Services, id: &str) -> Result<Session, Error> {
    Ok(unscoped_hooks::for_caller(services, stored(services, id)?)?)
}

fn stored(services: &Services, id: &str) -> Result<Session, Error> {
    services.tenant().read(|tx| tx.session(id))?.ok_or(UNKNOWN)
}

/// Lists at most `limit` sessions that come after an id. Returns the id after which the list
/// continues, if it does.
pub fn list(
    services: &Services,
    parent: Option<&str>,
    after: Option<&str>,
    limit: usize,
) -> Result<Page<Session, Arc<str>>, Error> {
    let list = PagedList {
        limit,
        bytes: |row: &Session| row.defaults.as_ref().map_or(0, |text| text.as_str().len()),
        position: |row| Arc::clone(&row.id),
    };
    let Page { rows, next } = services.tenant().read(|tx| {
        list.read_rows(services, after.map(Arc::from), |after, count| {
            Ok(tx.list_sessions(parent, after.map(|after| &**after), count)?)
        })
    })?;
    let shown = rows.into_iter().map(|session| unscoped_hooks::for_caller(services, session));
    Ok(Page { rows: shown.collect::<Result<_, StoreError>>()?, next })
}

/// Changes the members that `body` names. `defaults` are merged into the stored ones; null removes
/// a member.
pub fn update(
    services: &Services,
    id: &str,
    body: &str,
    if_match: Option<u64>,
) -> Result<Session, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let SessionRequest { write, defaults: patch, .. } =
        request::read_session(&node, false, &mut faults);
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    loop {
        let known = stored(services, id)?;
        check_version(&known, if_match)?;
        let defaults = match patch {
            Some(patch) => merged(services, &known, patch)?,
            None => NewDefaults { text: known.defaults.clone(), hooks_scoped: known.hooks_scoped },
        };
        if let Some(session) = change(services, &known, &write, defaults)? {
            return Ok(unscoped_hooks::for_caller(services, session)?);
        }
        // Another request changed the session in between: merge with its current defaults.
    }
}

/// Stores a change of a session; returns none if the session is no longer as it was read.
fn change(
    services: &Services,
    known: &Session,
    write: &SessionWrite,
    defaults: NewDefaults,
) -> Result<Option<Session>, Error> {
    let (id, version) = (Arc::clone(&known.id), known.version);
    let (ttl, usual) = (write.ttl, services.tenant().usual_session_ttl());
    services.tenant().write_durable(move |tx| {
        let mut session = tx.session(&id)?.ok_or(UNKNOWN)?;
        if session.version != version {
            return Ok(None);
        }
        session.version += 1;
        session.updated_at = tx.now();
        session.defaults.clone_from(&defaults.text);
        session.hooks_scoped = defaults.hooks_scoped;
        session.ttl = ttl.unwrap_or(session.ttl);
        session.touch(tx.now(), usual);
        tx.put_session(&session)?;
        Ok(Some(session))
    })
}

/// Rows of sessions that one transaction erases, so that no write of the tenant waits for long.
const ERASE_BATCH_ROWS: u64 = 100;

/// Deletes a session and all of its data. The first transaction ends the session, and each one erases
/// some of its rows: if one fails, the next cleanup or the same request erases the others.
pub fn delete(services: &Services, id: &str, if_match: Option<u64>) -> Result<(), Error> {
    let name: Arc<str> = id.into();
    let of = Arc::clone(&name);
    let (ended, mut is_gone) = services.write_observed(Some(&of), move |tx| {
        let mut ended = None;
        if let Some(session) = tx.session(&name)? {
            check_version(&session, if_match)?;
            let sent = tx.sent_compile(&name)?.map(|sent| sent.id);
            ended = Some([sent, session.compilation]);
            tx.end_session(&name)?;
        }
        let mut rows = ERASE_BATCH_ROWS;
        Ok::<_, Error>((ended, erase_ended(tx, &name, &mut rows)?))
    })?;
    while !is_gone {
        let name = Arc::clone(&of);
        is_gone = services.write_observed(Some(&of), move |tx| {
            let mut rows = ERASE_BATCH_ROWS;
            erase_ended(tx, &name, &mut rows)
        })?;
    }
    // Without one, an earlier request ended it, and did not come to its last row.
    let ended = ended.ok_or(UNKNOWN)?;
    ended.iter().flatten().for_each(|compilation| services.forget_payload(compilation));
    Ok(())
}

/// Erases up to `rows` rows of a session that has ended; `rows` goes down by them. Returns whether no row
/// is left, or another session has taken its id.
fn erase_ended(tx: &Tx<'_>, id: &str, rows: &mut u64) -> Result<bool, StoreError> {
    let is_ended = tx.session_row(id)?.is_some_and(|session| session.expires_at <= tx.now());
    Ok(!is_ended || (memory::erase_entries(tx, id, rows)? && tx.erase_session_rows(id, rows)?))
}

/// Erases expired sessions, some rows in each transaction.
pub(crate) fn expire_all(services: &Services) -> Result<(), StoreError> {
    /// Sessions that one transaction erases.
    const BATCH_SESSIONS: usize = 5;
    loop {
        let goes_on = services.write_observed(None, |tx| {
            let ids = tx.expired_sessions(tx.now(), BATCH_SESSIONS)?;
            let mut rows = ERASE_BATCH_ROWS;
            for id in &ids {
                if !erase_ended(tx, id, &mut rows)? {
                    return Ok(true);
                }
            }
            Ok::<_, StoreError>(ids.len() == BATCH_SESSIONS)
        })?;
        if !goes_on {
            return Ok(());
        }
    }
}

/// Finds a session that has not expired. Erases an expired one first, so that a new session can
/// take its id.
fn live(tx: &Tx<'_>, id: &str) -> Result<Option<Session>, StoreError> {
    match tx.session_row(id)? {
        Some(session) if session.expires_at > tx.now() => Ok(Some(session)),
        Some(_) => {
            erase(tx, id)?;
            Ok(None)
        }
        None => Ok(None),
    }
}

/// Erases a session and everything that belongs to it.
fn erase(tx: &Tx<'_>, id: &str) -> Result<(), StoreError> {
    memory::erase(tx, id)?;
    tx.erase_session(id).map(drop)
}

/// Replaces the state of a session, and stores the session.
fn put_state(tx: &Tx<'_>, session: &mut Session, state: &SessionState) -> Result<(), StoreError> {
    tx.put_session_state(session, state)?;
    memory::replace(tx, &session.id, &state.memory)
}

fn check_version(session: &Session, if_match: Option<u64>) -> Result<(), Error> {
    match if_match {
        Some(wanted) if wanted != session.version => Err(Error::Stale(session.version)),
        _ => Ok(()),
    }
}

/// Checks that a compile accepts the defaults of a session; returns their text.
fn checked(
    services: &Services,
    node: &Node<'_>,
    faults: &mut Faults,
) -> Result<Option<Arc<str>>, StoreError> {
    let keys = COMPILE_KEYS.iter().filter(|key| !OWN_KEYS.contains(key));
    let allowed: Vec<&str> = keys.chain(SYSTEM_KEYS).copied().collect();
    defaults::check(services, node, &allowed, faults)
}

/// The defaults of a session after a change; none if none are left.
struct NewDefaults {
    text: Option<RawJson>,
    hooks_scoped: bool,
}

/// Merges a patch into the defaults of a session.
fn merged(services: &Services, known: &Session, patch: &Node<'_>) -> Result<NewDefaults, Error> {
    let text = patched(services, known, patch)?;
    if !patch.is_null() && !unscoped_hooks::has_hooks(patch) {
        return Ok(NewDefaults { text, hooks_scoped: known.hooks_scoped });
    }
    let running = unscoped_hooks::scoped_hooks(known.defaults.as_ref(), known.hooks_scoped)?;
    let hooks_scoped = unscoped_hooks::hooks_of(text.as_ref())?.is_some();
    // Hooks that do not run can be removed without the scope.
    if hooks_scoped || running.is_some() {
        unscoped_hooks::require_scope(services)?;
    }
    Ok(NewDefaults { text, hooks_scoped })
}

fn patched(
    services: &Services,
    known: &Session,
    patch: &Node<'_>,
) -> Result<Option<RawJson>, Error> {
    if patch.is_null() {
        return Ok(None);
    }
    let old = known.defaults.as_ref().map_or("{}", RawJson::as_str);
    // Defaults are checked before they are stored.
    let old = json::parse(old, Limits::default())?;
    let mut text = String::new();
    json::merge(&mut text, Some(&old), patch);
    let node = json::parse(&text, Limits::default())?;
    let mut faults = Faults::default();
    let checked = checked(services, &node, &mut faults)?;
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    Ok(checked.filter(|text| &**text != "{}").map(RawJson::new))
}

fn new_id() -> Arc<str> {
    format!("ses_{}", uuid::Uuid::now_v7().simple()).into()
}
