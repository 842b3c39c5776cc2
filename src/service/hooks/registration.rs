//! Reads what registers a hook, and puts a hook under an id whether it is there or not.

use std::sync::Arc;

use secrecy::ExposeSecret as _;
use uuid::Uuid;

use super::registered_hook::RegisteredHook;
use super::registry::{
    NewHookSecret, SECRET_RULE, decide_mandatory, find_own, fresh_secret, is_locked, replace, seal,
};
use crate::hook::{
    Endpoint, GivenId, Hook, HookAction, HookChecks, HookSecret, Secrets, is_hook_id,
    read_hook_within,
};
use crate::json::{self, Faults, JsonDifference, Limits, Node, Path, Value};
use crate::service::idempotency::{IdempotentRequest, remember};
use crate::service::{Error, Services, WriteCondition};
use crate::store::HookQueue;
use crate::webhook::SealError;

/// An id that no hook may have: `/hooks/test` is another path.
const RESERVED: &str = "test";
/// Attempts of a request that others overtake.
const MAX_TRIES: usize = 4;

/// A hook to be registered.
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) hook: Hook,
    /// The secret that the caller gave.
    pub(super) secret: Option<HookSecret>,
}

impl Registration {
    /// Reads the hook in `body`, with every fault. `stored` is the id of the hook that it replaces,
    /// whose patterns do not count.
    pub(super) fn read(
        services: &Services,
        body: &str,
        id: GivenId<'_>,
        stored: &str,
    ) -> Result<Self, Error> {
        let mut node = json::parse(body, Limits::default())?;
        let mut faults = Faults::default();
        let secret = take_secret(&mut node, &mut faults);
        let check = |url: &str| services.hooks().check_url(url);
        let mut patterns = services.pattern_room(stored)?;
        let checks = HookChecks { check_url: &check, patterns: &mut patterns };
        let read = read_hook_within(&node, Path::Root, id, checks, &mut faults);
        if read.as_ref().is_some_and(|hook| &*hook.id == RESERVED) {
            faults.add(&Path::Root.key("id"), "is the name of another path: take another one");
        }
        if secret.is_some() && read.as_ref().is_some_and(|hook| hook.endpoint().is_none()) {
            faults.add(&Path::Root.key("secret"), "is for a hook with a `url`");
        }
        let Some(mut hook) = read.filter(|_| faults.is_empty()) else {
            return Err(Error::Invalid(faults.into_vec()));
        };
        if services.hooks().of_file(&hook.id).is_some() {
            return Err(Error::Conflict("the operator has a hook of this id".to_owned()));
        }
        decide_mandatory(services, &mut hook);
        Ok(Self { hook, secret })
    }

    /// Gives the hook its secret: the caller's, or else a new one, which is returned.
    pub(super) fn give_secret(&mut self) -> Result<Option<HookSecret>, Error> {
        match (&mut self.hook.does, &self.secret) {
            (HookAction::Call(endpoint), Some(secret)) => {
                endpoint.secrets = Secrets::new(secret.clone());
                Ok(None)
            }
            _ => fresh_secret(&mut self.hook),
        }
    }
}

/// Takes the member `secret` out of a definition, since it is no part of the hook.
fn take_secret(node: &mut Node<'_>, faults: &mut Faults) -> Option<HookSecret> {
    let Value::Object(members) = &mut node.value else { return None };
    let at = members.iter().position(|(name, _)| *name == *"secret")?;
    let (_, value) = members.remove(at);
    if value.is_null() {
        return None;
    }
    let secret = value.as_str().and_then(HookSecret::parse);
    if secret.is_none() {
        faults.add(&Path::Root.key("secret"), SECRET_RULE);
    }
    secret
}

/// Registers the hook in `body`. `tell` writes the response that is replayed if the request is
/// repeated.
pub fn create(
    services: &Services,
    body: &str,
    once: Option<&IdempotentRequest>,
    tell: fn(&RegisteredHook) -> String,
) -> Result<NewHookSecret, Error> {
    let id = format!("hook_{}", Uuid::now_v7().simple());
    let mut given = Registration::read(services, body, GivenId::Made(&id), "")?;
    let secret = given.give_secret()?;
    let new = seal(services, &given.hook, None)?;
    let (once, shown) = (once.cloned(), given.hook);
    let registered = services.tenant().write_durable(move |tx| {
        let row = tx.insert_hook(&new)?;
        let row = row.ok_or_else(|| Error::Conflict("a hook of this id is there".to_owned()))?;
        let registered = RegisteredHook::of_row(shown.clone(), &row, false, HookQueue::default());
        remember(once.as_ref(), tx, || tell(&registered))?;
        Ok::<_, Error>(registered)
    })?;
    Ok(NewHookSecret { registered, secret })
}

/// The outcome of [`put`].
#[derive(Debug)]
pub struct PutHook {
    pub new: NewHookSecret,
    /// Whether there was no hook of this id.
    pub is_new: bool,
}

/// Registers the hook in `body` under `id`, or replaces the one that is there: all of it but its
/// secret, unless one is given. A hook that is there as given keeps its revision. `tell` writes the
/// response that is replayed if the request is repeated.
pub fn put(
    services: &Services,
    id: &str,
    body: &str,
    condition: WriteCondition,
    once: PutOnce<'_>,
) -> Result<PutHook, Error> {
    if !is_hook_id(id) {
        return Err(Error::NotFound("no hook can have this id"));
    }
    for _ in 0..MAX_TRIES {
        let put = match find_own(services, id, None) {
            Ok((row, _)) => {
                condition.check(Some(row.revision))?;
                change(services, id, body, row.revision, &once)
            }
            Err(Error::NotFound(_)) => {
                condition.check(None)?;
                insert(services, id, body, &once)
            }
            Err(error) => return Err(error),
        };
        match put {
            // Another request was faster.
            Ok(None) | Err(Error::Stale(_) | Error::NotFound(_)) => {}
            Ok(Some(put)) => return Ok(put),
            Err(error) => return Err(error),
        }
    }
    Err(Error::Conflict("other requests changed the hook at the same time".to_owned()))
}

/// The response of a repeated request.
#[derive(Debug, Clone, Copy)]
pub struct PutOnce<'o> {
    pub request: Option<&'o IdempotentRequest>,
    /// Writes the response, given whether the hook is new.
    pub tell: fn(&RegisteredHook, bool) -> String,
}

/// None if there is a hook of this id by now.
fn insert(
    services: &Services,
    id: &str,
    body: &str,
    once: &PutOnce<'_>,
) -> Result<Option<PutHook>, Error> {
    let mut given = Registration::read(services, body, GivenId::Address(id), "")?;
    let secret = given.give_secret()?;
    let new = seal(services, &given.hook, None)?;
    let (request, tell) = (once.request.cloned(), once.tell);
    let registered = services.tenant().write_durable(move |tx| {
        let Some(row) = tx.insert_hook(&new)? else { return Ok(None) };
        let hook = given.hook.clone();
        let registered = RegisteredHook::of_row(hook, &row, false, HookQueue::default());
        remember(request.as_ref(), tx, || tell(&registered, true))?;
        Ok::<_, Error>(Some(registered))
    })?;
    Ok(registered
        .map(|registered| PutHook { new: NewHookSecret { registered, secret }, is_new: true }))
}

fn change(
    services: &Services,
    id: &str,
    body: &str,
    revision: u64,
    once: &PutOnce<'_>,
) -> Result<Option<PutHook>, Error> {
    let (row, old) = find_own(services, id, Some(revision))?;
    let mut given = Registration::read(services, body, GivenId::Address(id), id)?;
    if is_locked(&old) {
        return Err(SealError::UnknownKey.into());
    }
    let known = old.endpoint().map(|endpoint| &endpoint.secrets).filter(|own| !own.is_empty());
    let mut secret = None;
    match (&mut given.hook.does, known, &given.secret) {
        (HookAction::Call(endpoint), Some(known), None) => endpoint.secrets = known.clone(),
        (HookAction::Call(endpoint), Some(known), Some(own)) if known.is_newest(own) => {
            endpoint.secrets = known.clone();
        }
        _ => secret = given.give_secret()?,
    }
    let new = seal(services, &given.hook, None)?;
    let is_same = row.disabled.is_none()
        && row.mandatory == given.hook.mandatory
        && old.write_with_url() == given.hook.write_with_url()
        && has_same_credentials(old.endpoint(), given.hook.endpoint());
    let (request, tell, hook) = (once.request.cloned(), once.tell, given.hook);
    let registered = services.tenant().write_durable(move |tx| {
        let registered = if is_same {
            let row = tx.hook(&new.id)?.filter(|row| row.revision == revision);
            let row = row.ok_or(Error::Stale(revision))?;
            let hook = Hook { revision, ..hook.clone() };
            RegisteredHook::of_row(hook, &row, false, tx.hook_queue(&new.id)?)
        } else {
            replace(tx, &hook, &new, revision)?
        };
        remember(request.as_ref(), tx, || tell(&registered, false))?;
        Ok::<_, Error>(registered)
    })?;
    Ok(Some(PutHook { new: NewHookSecret { registered, secret }, is_new: false }))
}

/// How a definition differs from the hook that is registered.
#[derive(Debug)]
pub struct HookDifference {
    /// The revision of the registered hook; none if there is no hook of this id.
    pub revision: Option<u64>,
    /// What a `PUT` would change. Of what is never shown there are no values.
    pub changes: Vec<JsonDifference>,
}

/// Compares the definition in `body` with the hook that is registered under `id`. It has no changes
/// if a `PUT` of the definition keeps the revision.
pub fn compare(services: &Services, id: &str, body: &str) -> Result<HookDifference, Error> {
    /// More than a hook has members.
    const MAX_CHANGES: usize = 1_000;
    if !is_hook_id(id) {
        return Err(Error::NotFound("no hook can have this id"));
    }
    let (row, old) = match find_own(services, id, None) {
        Ok(found) => found,
        Err(Error::NotFound(_)) => {
            Registration::read(services, body, GivenId::Address(id), "")?;
            return Ok(HookDifference { revision: None, changes: Vec::new() });
        }
        Err(error) => return Err(error),
    };
    let given = Registration::read(services, body, GivenId::Address(id), id)?;
    if is_locked(&old) {
        return Err(SealError::UnknownKey.into());
    }
    let (revision, hook) = (row.revision, given.hook.clone());
    let before = Hook { revision, ..old.clone() }.write_shown();
    let now = Hook { revision, ..hook }.write_shown();
    let mut changes = json::differences(
        &json::parse(&before, Limits::default())?,
        &json::parse(&now, Limits::default())?,
        MAX_CHANGES,
    );
    // Names of headers are compared below, with their values.
    changes.retain(|change| !change.pointer.starts_with("/headers"));
    let mut hidden = |pointer: String| {
        if changes.iter().all(|change| change.pointer != pointer) {
            changes.push(JsonDifference { pointer, from: None, to: None });
        }
    };
    if let (Some(one), Some(other)) = (old.endpoint(), given.hook.endpoint()) {
        if one.url != other.url {
            hidden("/url".to_owned());
        }
        for name in changed_headers(one, other) {
            hidden(format!("/headers/{name}"));
        }
        if given.secret.as_ref().is_some_and(|own| !one.secrets.is_newest(own)) {
            hidden("/secret".to_owned());
        }
    }
    if row.mandatory != given.hook.mandatory {
        hidden("/mandatory".to_owned());
    }
    if row.disabled.is_some() {
        hidden("/enabled".to_owned());
    }
    Ok(HookDifference { revision: Some(row.revision), changes })
}

/// Names of headers that only one of two endpoints sends, or with another value.
fn changed_headers<'e>(one: &'e Endpoint, other: &'e Endpoint) -> Vec<&'e str> {
    let value = |end: &'e Endpoint, name: &str| {
        let found = end.headers.iter().find(|(own, _)| **own == *name);
        found.map(|(_, value)| value.expose_secret())
    };
    let names = one.headers.iter().chain(&other.headers).map(|(name, _)| &**name);
    let mut changed: Vec<&str> =
        names.filter(|name| value(one, name) != value(other, name)).collect();
    changed.sort_unstable();
    changed.dedup();
    changed
}

/// Whether two endpoints send the same headers and sign with the same secrets.
fn has_same_credentials(one: Option<&Endpoint>, other: Option<&Endpoint>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return one.is_none() && other.is_none() };
    let headers = |end: &Endpoint| -> Vec<(Arc<str>, String)> {
        let all = end.headers.iter();
        all.map(|(name, value)| (Arc::clone(name), value.expose_secret().to_owned())).collect()
    };
    let newest = other.secrets.list().first().map(|own| &own.secret);
    headers(one) == headers(other)
        && one.secrets.list().len() == other.secrets.list().len()
        && newest.is_some_and(|own| one.secrets.is_newest(own))
}
