//! Registers, lists, changes and deletes hooks.

use std::sync::Arc;
use std::time::Duration;

use super::patch::{keep_credentials, merge_change};
use super::registered_hook::RegisteredHook;
use super::set::{open_hook, read_unsealed};
use crate::domain::{EventKind, NewEvent};
use crate::hook::{
    CallFailure, GivenId, Hook, HookAction, HookChecks, HookKind, HookRun, HookSecret, Point,
    Secrets, hook_patterns, read_hook_within, write_point,
};
use crate::json::{self, Faults, Fields, Limits, Path};
use crate::service::event_data::{HookDisabledData, to_raw};
use crate::service::idempotency::{IdempotentRequest, remember};
use crate::service::{Error, Services, StoreError};
use crate::store::{HookRow, NewHook, Page, Tx};
use crate::webhook::SealError;

const UNKNOWN: Error = Error::NotFound("there is no hook of this id");
/// Time for which an old secret still signs.
const DEFAULT_OVERLAP: Duration = Duration::from_hours(24);
/// Longest time for which an old secret may still sign.
const MAX_OVERLAP: Duration = Duration::from_hours(7 * 24);

/// What a caller's own secret must be.
pub(super) const SECRET_RULE: &str = "must be `whsec_` and the base64 of 24 to 64 bytes";

/// Calls of a deleted hook that one transaction deletes, so that no write waits for long.
const DELETE_BATCH_CALLS: u64 = 1_000;

/// A hook with a new secret, which is shown only once.
#[derive(Debug)]
pub struct NewHookSecret {
    pub registered: RegisteredHook,
    /// None for a built-in hook, and if the caller gave it.
    pub secret: Option<HookSecret>,
}

/// Decides whether a hook without the member `mandatory` is mandatory: a guard is, if the caller
/// has a key.
pub(super) fn decide_mandatory(services: &Services, hook: &mut Hook) {
    let usual = hook.kind == HookKind::Guard && services.caller().key.is_some();
    hook.mandatory.get_or_insert(usual);
}

/// Gives a hook with a URL a new secret.
pub(super) fn fresh_secret(hook: &mut Hook) -> Result<Option<HookSecret>, Error> {
    let HookAction::Call(endpoint) = &mut hook.does else { return Ok(None) };
    let secret = HookSecret::generate().ok_or(SealError::NoRandom)?;
    endpoint.secrets = Secrets::new(secret.clone());
    Ok(Some(secret))
}

/// Seals a hook for the store.
pub(super) fn seal(
    services: &Services,
    hook: &Hook,
    disabled: Option<Arc<str>>,
) -> Result<NewHook, Error> {
    let sealed = services.hooks().keys.seal_hook(&services.caller().tenant, hook)?;
    Ok(NewHook { sealed, disabled, definition: hook.write_stored().into(), ..unsealed_row(hook) })
}

/// The row of a hook whose URL is not sealed.
pub(super) fn unsealed_row(hook: &Hook) -> NewHook {
    NewHook {
        id: Arc::clone(&hook.id),
        definition: hook.write_with_url().into(),
        sealed: None,
        disabled: None,
        follows: hook.enabled && hook.points.contains(&Point::Event),
        mandatory: hook.mandatory,
    }
}

/// Lists at most `limit` hooks that come after an id, those of the operator included, in the byte
/// order of their ids. Returns the id after which the list continues, if it does.
pub fn list(
    services: &Services,
    point: Option<Point>,
    after: Option<&str>,
    limit: usize,
) -> Result<Page<RegisteredHook, Arc<str>>, Error> {
    let (hooks, tenant) = (services.hooks(), &services.caller().tenant);
    let (rows, queues) = services
        .tenant()
        .read(|tx| Ok::<_, StoreError>((tx.list_hooks(after, usize::MAX)?, tx.hook_queues()?)))?;
    let queue_of = |hook: &Hook| queues.get(&hook.id).copied().unwrap_or_default();
    let after = after.unwrap_or_default();
    let mut found = Vec::new();
    for hook in hooks.file.hooks.iter().filter(|hook| &*hook.id > after) {
        found.push(RegisteredHook::of_file(hook, hooks.is_open(tenant, hook), queue_of(hook)));
    }
    for row in &rows {
        let hook = open_hook(&hooks.keys, tenant, row)?;
        let is_open = hooks.is_open(tenant, &hook);
        let queue = queue_of(&hook);
        found.push(RegisteredHook::of_row(hook, row, is_open, queue));
    }
    found.retain(|found| point.is_none_or(|point| found.hook.points.contains(&point)));
    found.sort_by(|one, other| one.hook.id.cmp(&other.hook.id));
    Ok(Page::new(found, limit, |found| Arc::clone(&found.hook.id), None))
}

/// Finds a hook by its id.
pub fn find(services: &Services, id: &str) -> Result<RegisteredHook, Error> {
    let (hooks, tenant) = (services.hooks(), &services.caller().tenant);
    if let Some(hook) = hooks.of_file(id) {
        let queue = services.tenant().read(|tx| tx.hook_queue(id))?;
        return Ok(RegisteredHook::of_file(hook, hooks.is_open(tenant, hook), queue));
    }
    let (row, queue) =
        services.tenant().read(|tx| Ok::<_, StoreError>((tx.hook(id)?, tx.hook_queue(id)?)))?;
    let row = row.ok_or(UNKNOWN)?;
    let hook = open_hook(&hooks.keys, tenant, &row)?;
    let is_open = hooks.is_open(tenant, &hook);
    Ok(RegisteredHook::of_row(hook, &row, is_open, queue))
}

/// Changes the members of a hook that `body` names. `if_match` is the revision that must be stored.
pub fn update(
    services: &Services,
    id: &str,
    body: &str,
    if_match: Option<u64>,
) -> Result<RegisteredHook, Error> {
    let change = json::parse(body, Limits::default())?;
    let (row, old) = find_own(services, id, if_match)?;
    let before = old.write_with_url();
    let before = json::parse(&before, Limits::default())?;
    let mut faults = Faults::default();
    let Some(text) = merge_change(&before, &change) else {
        faults.add(&Path::Root, format!("must be an object, not {}", change.kind()));
        return Err(Error::Invalid(faults.into_vec()));
    };
    let node = json::parse(&text, Limits::default())?;
    // An unchanged URL was checked before, and each address is checked when it is dialled: a hook
    // whose URL is no longer allowed can still be disabled.
    let check = |url: &str| match old.endpoint() {
        Some(known) if *known.url == *url || known.redacted_url() == url => {
            Ok(known.url.to_string())
        }
        _ => services.hooks().check_url(url),
    };
    // A hook whose stored patterns are beyond the limits can still be disabled.
    let has_patterns = ["match", "config", "builtin"].iter().any(|key| change.get(key).is_some());
    let mut patterns =
        if has_patterns { services.pattern_room(id)? } else { hook_patterns().keeping_unusable() };
    let checks = HookChecks { check_url: &check, patterns: &mut patterns };
    let read = read_hook_within(&node, Path::Root, GivenId::Address(id), checks, &mut faults);
    let Some(mut hook) = read else { return Err(Error::Invalid(faults.into_vec())) };
    if change.get("mandatory").is_none() {
        hook.mandatory = old.mandatory;
    }
    decide_mandatory(services, &mut hook);
    keep_credentials(&mut hook, &old, &change, &mut faults);
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    // A hook that the service disabled stays disabled until a request sets `enabled`.
    let disabled = row.disabled.clone().filter(|_| change.get("enabled").is_none());
    let new = if is_locked(&hook) {
        // Sealed parts that cannot be opened are kept, and cannot be replaced.
        if change.get("headers").is_some() || change.get("url").is_some() {
            return Err(SealError::UnknownKey.into());
        }
        NewHook { sealed: row.sealed.clone(), disabled, ..unsealed_row(&hook) }
    } else {
        // A built-in hook that gets a URL has no secret yet.
        if hook.endpoint().is_some_and(|endpoint| endpoint.secrets.is_empty()) {
            fresh_secret(&mut hook)?;
        }
        seal(services, &hook, disabled)?
    };
    store_changed(services, hook, new, row.revision)
}

/// Whether the secrets of a hook exist and cannot be opened.
pub(super) fn is_locked(hook: &Hook) -> bool {
    hook.endpoint().is_some_and(|endpoint| endpoint.secrets.is_locked())
}

/// Removes a hook.
pub fn delete(services: &Services, id: &str, if_match: Option<u64>) -> Result<(), Error> {
    find_own(services, id, if_match)?;
    let id = id.to_owned();
    let queued_for = id.clone();
    let forget = move |tx: &Tx<'_>| tx.forget_newest_deliveries(&queued_for, DELETE_BATCH_CALLS);
    while services.tenant().write(forget.clone())? {}
    let kept_for = id.clone();
    let forget = move |tx: &Tx<'_>| tx.forget_outcomes_of(&kept_for);
    while services.tenant().write(forget.clone())? {}
    services.tenant().write_durable(move |tx| {
        let row = tx.hook(&id)?.ok_or(UNKNOWN)?;
        check_version(&row, if_match)?;
        tx.delete_hook(&id)?;
        Ok(())
    })
}

/// Replaces the secret of a hook. The old one signs too for a while. `tell` writes the response
/// that is replayed if the request is repeated.
pub fn rotate(
    services: &Services,
    id: &str,
    body: &str,
    once: Option<&IdempotentRequest>,
    tell: fn(&RegisteredHook) -> String,
) -> Result<NewHookSecret, Error> {
    let node = json::parse_or_empty(body)?;
    let mut faults = Faults::default();
    let fields = Fields::read(&node, Path::Root, &["overlap_seconds", "secret"], &mut faults);
    let (mut overlap, mut given) = (None, None);
    if let Some(fields) = fields {
        overlap = fields.whole("overlap_seconds", 0, MAX_OVERLAP.as_secs(), &mut faults);
        given = fields.text("secret", &mut faults).map(HookSecret::parse);
        if let Some(None) = given {
            fields.fault("secret", SECRET_RULE, &mut faults);
        }
    }
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let (row, mut hook) = find_own(services, id, None)?;
    let HookAction::Call(endpoint) = &mut hook.does else {
        return Err(Error::Conflict("a built-in hook has no secret".to_owned()));
    };
    if endpoint.secrets.is_locked() {
        return Err(SealError::UnknownKey.into());
    }
    let given = given.flatten();
    let shown = given.is_none();
    let secret = given.or_else(HookSecret::generate).ok_or(SealError::NoRandom)?;
    let now = services.inner.store.now();
    let until = now.after(overlap.map_or(DEFAULT_OVERLAP, Duration::from_secs));
    endpoint.secrets = endpoint.secrets.rotated(secret.clone(), now, until);
    let new = seal(services, &hook, row.disabled.clone())?;
    let (once, revision) = (once.cloned(), row.revision);
    let registered = services.tenant().write_durable(move |tx| {
        let registered = replace(tx, &hook, &new, revision)?;
        remember(once.as_ref(), tx, || tell(&registered))?;
        Ok::<_, Error>(registered)
    })?;
    Ok(NewHookSecret { registered, secret: Some(secret).filter(|_| shown) })
}

/// Disables a stored hook, and publishes `hook:disabled` with the reason.
pub(crate) fn disable(tx: &Tx<'_>, id: &str, because: &'static str) -> Result<(), StoreError> {
    let Some(row) = tx.hook(id)? else { return Ok(()) };
    let hook = Hook { enabled: false, ..read_unsealed(&row)? };
    let (sealed, disabled) = (row.sealed, Some(because.into()));
    tx.update_hook(&NewHook { sealed, disabled, ..unsealed_row(&hook) })?;
    let data = HookDisabledData { hook: id, because };
    tx.publish(&NewEvent {
        kind: EventKind::HookDisabled,
        session_id: None,
        compilation_id: None,
        data: to_raw(&data),
        at: None,
    })
    .map(drop)
}

/// Ids and revisions of hooks whose receivers answered 410.
pub(crate) fn gone(runs: &[HookRun]) -> Vec<(Arc<str>, u64)> {
    let gone = runs.iter().filter(|run| run.failure().is_some_and(CallFailure::is_gone));
    gone.map(|run| (Arc::clone(&run.hook), run.revision)).collect()
}

/// Disables hooks whose receivers answered 410, unless they were changed since the call.
pub(crate) fn disable_gone(tx: &Tx<'_>, gone: &[(Arc<str>, u64)]) -> Result<(), StoreError> {
    for (id, revision) in gone {
        if tx.hook(id)?.is_some_and(|row| row.revision == *revision) {
            disable(tx, id, "gone")?;
        }
    }
    Ok(())
}

/// Writes the hook points as JSON.
pub fn points() -> String {
    let mut out = String::from("{\"items\":[");
    for (index, point) in Point::ALL.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_point(&mut out, point);
    }
    out.push_str("],\"next_cursor\":null}");
    out
}

/// Finds a hook that the caller may change, which is a stored one.
pub(super) fn find_own(
    services: &Services,
    id: &str,
    if_match: Option<u64>,
) -> Result<(HookRow, Hook), Error> {
    let hooks = services.hooks();
    if hooks.of_file(id).is_some() {
        return Err(Error::Forbidden("the operator's file holds this hook".to_owned()));
    }
    let row = services.tenant().read(|tx| tx.hook(id))?.ok_or(UNKNOWN)?;
    check_version(&row, if_match)?;
    let hook = open_hook(&hooks.keys, &services.caller().tenant, &row)?;
    Ok((row, hook))
}

fn check_version(row: &HookRow, if_match: Option<u64>) -> Result<(), Error> {
    match if_match {
        Some(wanted) if wanted != row.revision => Err(Error::Stale(row.revision)),
        _ => Ok(()),
    }
}

fn store_changed(
    services: &Services,
    hook: Hook,
    new: NewHook,
    revision: u64,
) -> Result<RegisteredHook, Error> {
    services.tenant().write_durable(move |tx| replace(tx, &hook, &new, revision))
}

/// Replaces a stored hook, if it has this revision.
pub(super) fn replace(
    tx: &Tx<'_>,
    hook: &Hook,
    new: &NewHook,
    revision: u64,
) -> Result<RegisteredHook, Error> {
    let row = tx.hook(&new.id)?.ok_or(UNKNOWN)?;
    if row.revision != revision {
        return Err(Error::Stale(row.revision));
    }
    let row = tx.update_hook(new)?.ok_or(UNKNOWN)?;
    let mut hook = hook.clone();
    hook.revision = row.revision;
    Ok(RegisteredHook::of_row(hook, &row, false, tx.hook_queue(&new.id)?))
}

impl From<SealError> for Error {
    fn from(error: SealError) -> Self {
        match error {
            SealError::NoRandom => Self::Store(StoreError::Unavailable(Arc::new(error))),
            SealError::NoKey | SealError::UnknownKey | SealError::Broken => Self::NoSecrets(error),
        }
    }
}
