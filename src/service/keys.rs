//! Creates, lists, changes and revokes keys.
//!
//! A caller cannot grant a scope that it does not have, and cannot change a key that has such a
//! scope.

use std::sync::Arc;

pub use super::Error;
use super::gateway_defaults::GATEWAY;
use super::idempotency::{IdempotentRequest, remember};
use super::{Services, StoreError, defaults};
use crate::domain::{
    Key, KeyHash, KeyLimits, KeyText, Keyword, KeywordSet, MemoryRole, Principal, PrincipalKind,
    Scope, Timestamp,
};
use crate::json::{self, Faults, Limits, Node, Path};
use crate::request::{COMPILE_KEYS, Fields};
use crate::store::Page;

const KEYS: &[&str] = &["name", "kind", "scopes", "roles", "limits", "defaults"];
const NEW_KEYS: &[&str] = &["tenant", "name", "kind", "scopes", "roles", "limits", "defaults"];
const LIMIT_KEYS: &[&str] = &["requests_per_minute", "tokens_per_day"];
/// The largest limit, which a double can represent exactly.
const MAX_LIMIT: u64 = 1 << 53;
const MAX_NAME_BYTES: usize = 200;
const MAX_TENANT_BYTES: usize = 64;

/// A new key with its text, which is shown only once.
#[derive(Debug)]
pub struct CreatedKey {
    pub key: Key,
    pub text: KeyText,
}

/// Creates the key that `body` describes. `tell` writes the response that is replayed if the
/// request is repeated.
pub fn create(
    services: &Services,
    body: &str,
    once: Option<&IdempotentRequest>,
    tell: fn(&Key) -> String,
) -> Result<CreatedKey, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let mut key = empty_key(services);
    if let Some(fields) = Fields::read(&node, Path::Root, NEW_KEYS, &mut faults) {
        if let Some(tenant) = read_tenant(services, &fields, &mut faults) {
            key.tenant = tenant;
        }
        read(services, &node, &fields, &mut key, &mut faults)?;
        if fields.get("scopes").is_none() {
            fields.fault("scopes", "is missing", &mut faults);
        }
        if faults.is_empty() && !services.needs_key()? && !key.scopes.grants(Scope::Admin) {
            let detail = "the first key must hold `admin`, because from then on every caller needs a \
                          key: add `admin`, or make one with `contexture key create --scope admin` first";
            fields.fault("scopes", detail, &mut faults);
        }
    }
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let text = generate_text()?;
    let hash = text.hash();
    key.id = text.id();
    let once = once.cloned();
    let stored = services.tenant().write_durable(move |tx| {
        // The key belongs to its own tenant, the stored response to the caller's.
        let stored = tx.of_tenant(&key.tenant).insert_key(&key, &hash)?;
        remember(once.as_ref(), tx, || tell(&stored))?;
        Ok::<_, StoreError>(stored)
    })?;
    services.inner.gate.forget_key(&stored.id);
    Ok(CreatedKey { key: stored, text })
}

/// Generates the text of a key.
fn generate_text() -> Result<KeyText, Error> {
    let text = KeyText::from_random(&random_bytes::<{ KeyText::RANDOM_BYTES }>()?);
    text.ok_or_else(|| StoreError::Unavailable(Arc::new(NoRandomness)).into())
}

/// Generates random bytes that cannot be guessed.
pub(super) fn random_bytes<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| StoreError::Unavailable(Arc::new(NoRandomness)))?;
    Ok(bytes)
}

#[derive(Debug, thiserror::Error)]
#[error("the machine gives no random bytes")]
struct NoRandomness;

/// Generates the key that `body` describes, for a keys file; nothing is stored.
pub fn draft(services: &Services, body: &str) -> Result<(CreatedKey, KeyHash), Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let mut key = empty_key(services);
    if let Some(fields) = Fields::read(&node, Path::Root, NEW_KEYS, &mut faults) {
        if let Some(tenant) = read_tenant(services, &fields, &mut faults) {
            key.tenant = tenant;
        }
        read(services, &node, &fields, &mut key, &mut faults)?;
    }
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let text = generate_text()?;
    key.id = text.id();
    let hash = text.hash();
    Ok((CreatedKey { key, text }, hash))
}

/// Lists at most `limit` keys of a tenant that come after an id. Returns the id after which the
/// list continues, if it does.
pub fn list(
    services: &Services,
    after: Option<&str>,
    limit: usize,
) -> Result<Page<Key, Arc<str>>, Error> {
    let keys = services.tenant().read(|tx| tx.list_keys(after, limit + 1))?;
    Ok(Page::new(keys, limit, |key| Arc::clone(&key.id), None))
}

/// Changes the members of a key that `body` names; returns none if there is no such key.
pub fn update(services: &Services, id: &str, body: &str) -> Result<Option<Key>, Error> {
    let node = json::parse(body, Limits::default())?;
    let Some(mut key) = find_changeable(services, id)? else { return Ok(None) };
    let mut faults = Faults::default();
    if let Some(fields) = Fields::read(&node, Path::Root, KEYS, &mut faults) {
        read(services, &node, &fields, &mut key, &mut faults)?;
    }
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let tenant = services.inner.store.tenant(&key.tenant);
    let stored = tenant.write_durable(move |tx| tx.update_key(&key))?;
    services.inner.gate.forget_key(id);
    Ok(stored)
}

/// Revokes a key; returns whether it existed.
pub fn delete(services: &Services, id: &str) -> Result<bool, Error> {
    let Some(key) = find_changeable(services, id)? else { return Ok(false) };
    let tenant = services.inner.store.tenant(&key.tenant);
    let name = id.to_owned();
    let revoked = tenant.write_durable(move |tx| tx.revoke_key(&name))?;
    services.inner.gate.forget_key(id);
    Ok(revoked)
}

/// Finds a key that the caller may change: one of the caller's tenant, or any key if the caller is
/// an operator.
fn find_changeable(services: &Services, id: &str) -> Result<Option<Key>, Error> {
    let caller = services.caller();
    let found = if caller.scopes.grants(Scope::Operator) {
        services.inner.store.find_key(id)?.map(|(key, _)| key)
    } else {
        services.tenant().read(|tx| tx.key(id))?
    };
    let Some(key) = found else { return Ok(None) };
    if key.scopes.iter().all(|scope| caller.scopes.grants(scope)) {
        return Ok(Some(key));
    }
    Err(Error::Forbidden("the key has a scope that yours lacks".to_owned()))
}

/// An empty key of the caller's tenant.
fn empty_key(services: &Services) -> Key {
    Key {
        id: "".into(),
        tenant: Arc::clone(&services.caller().tenant),
        name: String::new(),
        kind: PrincipalKind::Service,
        scopes: KeywordSet::none(),
        roles: [MemoryRole::Capturer].into_iter().collect(),
        limits: KeyLimits::default(),
        defaults: None,
        created_at: Timestamp::default(),
        updated_at: Timestamp::default(),
    }
}

fn read_tenant(
    services: &Services,
    fields: &Fields<'_, '_>,
    faults: &mut Faults,
) -> Option<Arc<str>> {
    let given = fields.text("tenant", faults)?;
    if !is_tenant(given) {
        let detail = format!("must be 1 to {MAX_TENANT_BYTES} letters, digits, `_`, `-` or `.`");
        fields.fault("tenant", detail, faults);
        return None;
    }
    let caller = services.caller();
    if *given != *caller.tenant && !caller.scopes.grants(Scope::Operator) {
        fields.fault("tenant", "another tenant's keys are made with the scope `operator`", faults);
        return None;
    }
    Some(given.into())
}

/// Whether a text can be the name of a tenant.
pub fn is_tenant(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    (1..=MAX_TENANT_BYTES).contains(&text.len()) && text.bytes().all(is_plain)
}

/// Copies the members that the body names into `key`; null removes a member.
fn read(
    services: &Services,
    body: &Node<'_>,
    fields: &Fields<'_, '_>,
    key: &mut Key,
    faults: &mut Faults,
) -> Result<(), StoreError> {
    let is_named = |name: &str| body.get(name).is_some();
    if is_named("name") {
        let name = fields.text("name", faults).unwrap_or_default();
        if name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
            let detail =
                format!("must be at most {MAX_NAME_BYTES} bytes without control characters");
            fields.fault("name", detail, faults);
        }
        name.clone_into(&mut key.name);
    }
    if let Some(kind) = fields.choice("kind", PrincipalKind::ALL, faults) {
        key.kind = kind;
    }
    if is_named("scopes") {
        key.scopes = read_keywords(fields, "scopes", faults);
        if key.scopes.is_empty() {
            fields.fault("scopes", "must name one scope at least", faults);
        }
        check_scopes(services.caller(), &key.scopes, fields, faults);
    }
    if is_named("roles") {
        key.roles = read_keywords::<MemoryRole>(fields, "roles", faults);
    }
    if is_named("limits") {
        key.limits = KeyLimits::default();
        let given = fields
            .get("limits")
            .and_then(|node| Fields::read(node, fields.path().key("limits"), LIMIT_KEYS, faults));
        if let Some(given) = given {
            key.limits = KeyLimits {
                requests_per_minute: given.whole("requests_per_minute", 1, MAX_LIMIT, faults),
                tokens_per_day: given.whole("tokens_per_day", 1, MAX_LIMIT, faults),
            };
        }
    }
    if is_named("defaults") {
        key.defaults = match fields.get("defaults") {
            Some(node) => {
                let allowed = [COMPILE_KEYS, &[GATEWAY]].concat();
                defaults::check(services, node, &allowed, faults)?
            }
            None => None,
        };
    }
    Ok(())
}

fn read_keywords<W: Keyword>(
    fields: &Fields<'_, '_>,
    name: &str,
    faults: &mut Faults,
) -> KeywordSet<W> {
    let list = fields.path().key(name);
    let known: Vec<&str> = W::ALL.iter().map(|(word, _)| *word).collect();
    let mut found = Vec::new();
    for (at, given) in fields.texts(name, W::ALL.len(), faults).into_iter().enumerate() {
        match W::parse(given) {
            Some(value) => found.push(value),
            None => faults.add(&list.index(at), format!("must be one of {}", known.join(", "))),
        }
    }
    found.into_iter().collect()
}

fn check_scopes(
    caller: &Principal,
    scopes: &KeywordSet<Scope>,
    fields: &Fields<'_, '_>,
    faults: &mut Faults,
) {
    let lacked: Vec<_> =
        scopes.iter().filter(|scope| !caller.scopes.grants(*scope)).map(Scope::as_str).collect();
    if !lacked.is_empty() {
        let detail = format!("your own key lacks {}", lacked.join(", "));
        fields.fault("scopes", detail, faults);
    }
}
