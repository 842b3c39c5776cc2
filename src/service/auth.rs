//! Identifies callers by their keys, and enforces the limits of keys.
//!
//! A key is looked up by its public part and cached for two seconds, so a key that another node
//! revoked stops working within that time; a key that this node revoked, at once. If there has
//! never been a key, all callers are the default tenant.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;

use super::usage::UsageMeter;
use super::{Services, StoreError, TENANT};
use crate::domain::{Day, Key, KeyHash, KeyText, Principal, Timestamp};
use crate::store::Store;

/// Time for which a looked-up key is cached.
const MAX_KEY_AGE: Duration = Duration::from_secs(2);
/// Time for which it is cached that there is no key at all.
const MAX_OPEN_AGE: Duration = Duration::from_secs(1);
/// Keys that are cached.
const MAX_CACHED_KEYS: usize = 10_000;
/// The id of the key from the operator's environment.
const BOOTSTRAP: &str = "bootstrap";

/// The reason why a caller is not identified.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuthFailure {
    #[error("a key is required: send `authorization: Bearer <key>`")]
    NoKey,
    #[error("no such key is known, or it was revoked")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A key has reached one of its limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the key may {what}")]
pub struct RateExceeded {
    /// The limit, in words.
    what: String,
    /// Time after which another request can be accepted.
    pub pause: Duration,
}

/// Sources of keys besides the store.
#[derive(Debug, Default)]
pub struct KeySources {
    /// The operator's own key, with every scope.
    pub bootstrap: Option<String>,
    /// Whether there is a keys file. If so, callers need a key, even if the file is empty.
    pub has_file: bool,
    /// Whether compiles of callers without a key, and with the operator's own, are recorded in full
    /// unless they say otherwise.
    pub records_in_full: bool,
}

/// The principal of a key, and the hash of its secret.
type KeyHolder = (Arc<Principal>, KeyHash);

/// The cached result of looking up a key, and when it was looked up.
#[derive(Clone)]
struct KeyLookup {
    key: Option<KeyHolder>,
    since: Instant,
}

/// Token bucket for the requests of a key: how many are left, and at what time.
struct Bucket {
    left: f64,
    at: Instant,
}

/// Identifies callers.
pub(super) struct Authenticator {
    bootstrap: Option<(KeyHash, Arc<Principal>)>,
    file: Mutex<HashMap<Arc<str>, KeyHolder>>,
    keys: Cache<Arc<str>, KeyLookup>,
    needs_key: AtomicBool,
    /// The time at which the store was last seen without a key.
    seen_open: Mutex<Option<Instant>>,
    anyone: Arc<Principal>,
    buckets: Mutex<HashMap<Arc<str>, Bucket>>,
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("needs_key", &self.needs_key).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Authenticator {
    pub(super) fn new(given: KeySources) -> Self {
        let defaults = given.records_in_full.then(|| r#"{"record":"full"}"#.into());
        let anyone = Principal { defaults, ..Principal::of_tenant(TENANT.into()) };
        let needs_key = given.bootstrap.is_some() || given.has_file;
        let bootstrap = given.bootstrap.map(|secret| {
            let principal = Principal { key: Some(BOOTSTRAP.into()), ..anyone.clone() };
            (KeyHash::new(&secret), Arc::new(principal))
        });
        Self {
            bootstrap,
            file: Mutex::default(),
            keys: Cache::new(MAX_CACHED_KEYS),
            needs_key: AtomicBool::new(needs_key),
            seen_open: Mutex::default(),
            anyone: Arc::new(anyone),
            buckets: Mutex::default(),
        }
    }

    /// The principal of callers without a key, if none is needed.
    pub(super) fn anyone(&self) -> &Arc<Principal> {
        &self.anyone
    }

    /// Removes a changed key from the cache. Callers need a key from now on.
    pub(super) fn forget_key(&self, id: &str) {
        self.require_keys();
        self.keys.remove(id);
    }

    pub(super) fn needs_key(&self, store: &Store) -> Result<bool, StoreError> {
        if self.needs_key.load(Ordering::Acquire) {
            return Ok(true);
        }
        if store.has_keys()? {
            self.require_keys();
            return Ok(true);
        }
        *lock(&self.seen_open) = Some(Instant::now());
        Ok(false)
    }

    /// Refuses callers without a key from now on, and says so to the operator of a server that was open.
    fn require_keys(&self) {
        let was_open = !self.needs_key.swap(true, Ordering::AcqRel);
        if was_open && lock(&self.seen_open).is_some() {
            tracing::warn!(
                "the first key was made: from now on each request needs a key; callers without one get a 401"
            );
        }
    }

    pub(super) fn set_file_keys(&self, keys: Vec<(Key, KeyHash)>) {
        let by_id =
            |(key, hash): (Key, KeyHash)| (Arc::clone(&key.id), (Arc::new(key.into()), hash));
        *lock(&self.file) = keys.into_iter().map(by_id).collect();
    }

    /// Identifies a caller from memory; returns none if the store has to be read.
    fn recall(&self, given: Option<&str>) -> Option<Result<Arc<Principal>, AuthFailure>> {
        self.identify_cached(given, |since, trusted| since.elapsed() < trusted)
    }

    /// Identifies a caller from memory, by cached values that `is_fresh` accepts.
    fn identify_cached(
        &self,
        given: Option<&str>,
        is_fresh: impl Fn(Instant, Duration) -> bool,
    ) -> Option<Result<Arc<Principal>, AuthFailure>> {
        if !self.needs_key.load(Ordering::Acquire) {
            let seen = *lock(&self.seen_open);
            return seen
                .filter(|seen| is_fresh(*seen, MAX_OPEN_AGE))
                .map(|_| Ok(self.anyone.clone()));
        }
        let Some(given) = given else { return Some(Err(AuthFailure::NoKey)) };
        if let Some((hash, principal)) = &self.bootstrap
            && *hash == KeyHash::new(given)
        {
            return Some(Ok(Arc::clone(principal)));
        }
        let Some(text) = KeyText::parse(given) else { return Some(Err(AuthFailure::Unknown)) };
        let id = text.id();
        if let Some(found) = lock(&self.file).get(&id) {
            return Some(check(Some(found), &text));
        }
        let found = self.keys.get(&id).filter(|found| is_fresh(found.since, MAX_KEY_AGE))?;
        Some(check(found.key.as_ref(), &text))
    }

    /// Reads from the store what [`Self::recall`] did not find.
    fn read_store(&self, store: &Store, given: Option<&str>) -> Result<(), StoreError> {
        if !self.needs_key.load(Ordering::Acquire) {
            // No key was needed when the server started, so requests that need no store can go on.
            let needs_key = self.needs_key(store).unwrap_or_else(|error| {
                tracing::warn!(
                    %error,
                    "the database cannot be asked for keys; requests that need no database are \
                     served without one"
                );
                false
            });
            if !needs_key {
                *lock(&self.seen_open) = Some(Instant::now());
            }
        }
        let text = given.and_then(KeyText::parse);
        if let Some(text) = text.filter(|_| self.needs_key.load(Ordering::Acquire)) {
            let since = Instant::now();
            let key = store.find_key(&text.id())?;
            let key = key.map(|(key, hash)| (Arc::new(key.into()), hash));
            self.keys.insert(text.id(), KeyLookup { key, since });
        }
        Ok(())
    }

    /// Counts a request of a key against its limits.
    fn admit(
        &self,
        meter: &UsageMeter,
        principal: &Principal,
        now: Timestamp,
    ) -> Result<(), RateExceeded> {
        let Some(id) = &principal.key else { return Ok(()) };
        let day = Day::new(now);
        if let Some(most) = principal.limits.tokens_per_day
            && meter.tokens_today(id, day).is_some_and(|used| used >= most)
        {
            let what = format!("compile and compress {most} tokens a day");
            return Err(RateExceeded { what, pause: day.rest(now) });
        }
        let Some(most) = principal.limits.requests_per_minute else { return Ok(()) };
        #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
        let most_left = most as f64;
        let a_second = most_left / 60.0;
        let mut buckets = lock(&self.buckets);
        let fresh = || Bucket { left: most_left, at: Instant::now() };
        let bucket = buckets.entry(Arc::clone(id)).or_insert_with(fresh);
        let refilled = bucket.at.elapsed().as_secs_f64() * a_second;
        bucket.left = (bucket.left + refilled).min(most_left);
        bucket.at = Instant::now();
        if bucket.left < 1.0 {
            let pause = Duration::from_secs_f64((1.0 - bucket.left) / a_second);
            return Err(RateExceeded { what: format!("ask {most} times a minute"), pause });
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

fn check(found: Option<&KeyHolder>, text: &KeyText) -> Result<Arc<Principal>, AuthFailure> {
    match found {
        Some((principal, hash)) if *hash == text.hash() => Ok(Arc::clone(principal)),
        _ => Err(AuthFailure::Unknown),
    }
}

/// Identifies the caller with this key, or without one, from memory. Returns none if the store has
/// to be read.
pub fn recall(
    services: &Services,
    given: Option<&str>,
) -> Option<Result<Arc<Principal>, AuthFailure>> {
    let inner = &services.inner;
    let found = inner.gate.recall(given)?;
    let is_ready = |principal: &Principal| {
        principal.limits.tokens_per_day.is_none()
            || principal.key.as_ref().is_none_or(|key| {
                inner.meter.tokens_today(key, Day::new(inner.store.now())).is_some()
            })
    };
    match &found {
        Ok(principal) if !is_ready(principal) => None,
        _ => Some(found),
    }
}

/// Identifies the caller with this key, or without one; reads the store if necessary, which blocks
/// the thread.
pub fn identify(services: &Services, given: Option<&str>) -> Result<Arc<Principal>, AuthFailure> {
    let inner = &services.inner;
    let found = if let Some(found) = inner.gate.recall(given) {
        found?
    } else {
        inner.gate.read_store(&inner.store, given)?;
        // The key was looked up for this request, however long ago that is.
        inner.gate.identify_cached(given, |_, _| true).unwrap_or(Err(AuthFailure::Unknown))?
    };
    begin_day(services, &found)?;
    Ok(found)
}

/// Finds the principal of a key's id, or of callers without a key. Returns none if the key was
/// revoked since, or if a key is needed now. Blocks the thread.
pub(super) fn holder(
    services: &Services,
    id: Option<&str>,
) -> Result<Option<Arc<Principal>>, StoreError> {
    let (gate, store) = (&services.inner.gate, &services.inner.store);
    let Some(id) = id else {
        return Ok((!gate.needs_key(store)?).then(|| Arc::clone(&gate.anyone)));
    };
    if let Some((_, principal)) = gate.bootstrap.as_ref().filter(|_| id == BOOTSTRAP) {
        return Ok(Some(Arc::clone(principal)));
    }
    let in_file = lock(&gate.file).get(id).map(|(principal, _)| Arc::clone(principal));
    let found = match in_file {
        Some(principal) => Some(principal),
        None => store.find_key(id)?.map(|(key, _)| Arc::new(key.into())),
    };
    if let Some(principal) = &found {
        begin_day(services, principal)?;
    }
    Ok(found)
}

/// Reads the tokens that a key has used today, if the key has a limit of them.
fn begin_day(services: &Services, principal: &Principal) -> Result<(), StoreError> {
    let inner = &services.inner;
    if principal.limits.tokens_per_day.is_some() {
        inner.meter.begin_day(&inner.store, principal, Day::new(inner.store.now()))?;
    }
    Ok(())
}

/// Whether the caller would still be accepted: its key exists and has the same scopes. Blocks the
/// thread.
pub fn is_still_accepted(services: &Services) -> Result<bool, StoreError> {
    let (gate, caller) = (&services.inner.gate, services.caller());
    let Some(id) = &caller.key else { return Ok(!services.needs_key()?) };
    if **id == *BOOTSTRAP {
        return Ok(true);
    }
    let holder = lock(&gate.file).get(id).map(|(principal, _)| principal.scopes == caller.scopes);
    if let Some(same) = holder {
        return Ok(same);
    }
    let stored = services.inner.store.find_key(id)?;
    Ok(stored.is_some_and(|(key, _)| key.scopes == caller.scopes))
}

/// Counts a request against the limits of its caller's key.
pub fn admit(services: &Services, principal: &Principal) -> Result<(), RateExceeded> {
    let inner = &services.inner;
    inner.gate.admit(&inner.meter, principal, inner.store.now())
}
