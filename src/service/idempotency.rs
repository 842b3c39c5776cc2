//! Requests that come again: an effect happens once, and its answer is given each time.
//!
//! A caller names a request by an idempotency key. The answer is remembered in the transaction of
//! the effect, so there are both or neither, whatever happens in between. A use case takes part by
//! a [`ResponseRecorder`] of what it does: it takes it into its transaction and calls `remember` there. One
//! that answers something else than what is remembered takes an `Option<&Once>` and the function
//! `remember`. The caller of the use case has asked [`IdempotentRequest::reply`] before; what was answered is
//! not looked into here.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Services, StoreError};
use crate::domain::ContentHash;
use crate::json::{self, Limits};
use crate::store::Tx;

/// How long an answer is remembered.
const KEPT: Duration = Duration::from_hours(24);

/// Why a request that names itself is not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReplayRefusal {
    #[error("another request came under this idempotency key before")]
    Mismatch,
    #[error("the request of this idempotency key is being carried out")]
    InFlight,
}

/// A request under its idempotency key, which nobody else has until this is dropped. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub struct IdempotentRequest {
    held: Arc<FlightGuard>,
    digest: ContentHash,
}

/// What a use case does about a request that may come again: in the transaction of its effect it
/// remembers what is answered. Cheap to clone.
pub struct ResponseRecorder<T> {
    once: Option<IdempotentRequest>,
    tell: Arc<dyn Fn(&T) -> String + Send + Sync>,
}

impl<T> Clone for ResponseRecorder<T> {
    fn clone(&self) -> Self {
        Self { once: self.once.clone(), tell: Arc::clone(&self.tell) }
    }
}

impl<T> fmt::Debug for ResponseRecorder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telling").field("once", &self.once).finish_non_exhaustive()
    }
}

impl<T> ResponseRecorder<T> {
    /// `tell` says what is answered for a result.
    pub fn new(
        once: Option<&IdempotentRequest>,
        tell: impl Fn(&T) -> String + Send + Sync + 'static,
    ) -> Self {
        Self { once: once.cloned(), tell: Arc::new(tell) }
    }

    /// Of a request that bears no key.
    pub fn nothing() -> Self {
        Self::new(None, |_| String::new())
    }

    pub(super) fn remember(&self, tx: &Tx<'_>, done: &T) -> Result<(), StoreError> {
        remember(self.once.as_ref(), tx, || (self.tell)(done))
    }
}

/// Which requests are being carried out: tenant, route and key.
#[derive(Debug, Default)]
pub(super) struct RequestsInFlight {
    taken: Mutex<HashSet<RequestName>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RequestName {
    tenant: Arc<str>,
    route: &'static str,
    key: Arc<str>,
}

#[derive(Debug)]
struct FlightGuard {
    name: RequestName,
    services: Services,
}

impl Drop for FlightGuard {
    fn drop(&mut self) {
        self.services.flights().taken().remove(&self.name);
    }
}

impl RequestsInFlight {
    fn taken(&self) -> std::sync::MutexGuard<'_, HashSet<RequestName>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IdempotentRequest {
    /// Takes an idempotency key for a request: what it asks for beside its body, and the body. Of
    /// JSON, how it is written makes no difference.
    pub fn take(
        services: &Services,
        route: &'static str,
        key: &str,
        asked: &str,
        body: &str,
    ) -> Result<Self, ReplayRefusal> {
        let mut request = format!("{asked}\n");
        match json::parse(body, Limits::default()) {
            Ok(node) => json::canonical(&mut request, &node),
            Err(_) => request.push_str(body),
        }
        // Callers without the scope are shown hooks in part: a response that was made for one who
        // has it is none of theirs, and what they may not do is not answered as if it were done.
        if !services.may_write_hooks() {
            request.push_str("\nwithout hooks:write");
        }
        let tenant = Arc::clone(&services.caller().tenant);
        let name = RequestName { tenant, route, key: key.into() };
        if !services.flights().taken().insert(name.clone()) {
            return Err(ReplayRefusal::InFlight);
        }
        let held = Arc::new(FlightGuard { name, services: services.clone() });
        Ok(Self { held, digest: ContentHash::of(&request) })
    }

    /// What was answered when the request came before; none where it did not.
    pub fn reply(&self) -> Result<Option<String>, Error> {
        let RequestName { route, key, .. } = &self.held.name;
        match self.held.services.tenant().read(|tx| tx.find_reply(route, key))? {
            None => Ok(None),
            Some((digest, answer)) if digest == self.digest => Ok(Some(answer)),
            Some(_) => Err(ReplayRefusal::Mismatch.into()),
        }
    }
}

/// Why it is not known whether a request came before.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Refused(#[from] ReplayRefusal),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Remembers what is answered, in the transaction of the effect; nothing without a key.
pub(super) fn remember(
    once: Option<&IdempotentRequest>,
    tx: &Tx<'_>,
    answer: impl FnOnce() -> String,
) -> Result<(), StoreError> {
    let Some(IdempotentRequest { held, digest }) = once else { return Ok(()) };
    let RequestName { route, key, .. } = &held.name;
    tx.remember_reply(route, key, digest, &answer(), tx.now().after(KEPT))
}
