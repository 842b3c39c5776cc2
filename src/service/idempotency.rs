//! Idempotent requests: an effect happens once, and its stored response is replayed to each
//! repetition.
//!
//! A client names a request by an idempotency key. The response is stored in the transaction of the
//! effect, so there are both or neither, whatever happens in between. A use case gets a
//! [`ResponseRecorder`] of its result and calls `remember` in its transaction. A use case whose
//! response is not written from its result gets an `Option<&IdempotentRequest>`, and calls the
//! function `remember`. The caller of the use case has called [`IdempotentRequest::reply`] before;
//! stored responses are not interpreted here.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Services, StoreError};
use crate::domain::ContentHash;
use crate::json::{self, Limits};
use crate::store::Tx;

/// Time for which a response is stored.
const MAX_REPLY_AGE: Duration = Duration::from_hours(24);

/// The reason why a request with an idempotency key is not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReplayRefusal {
    #[error("another request came under this idempotency key before")]
    Mismatch,
    #[error("the request of this idempotency key is being carried out")]
    InFlight,
}

/// A request with its idempotency key, which no other request can have until this is dropped. Cheap
/// to clone.
#[derive(Debug, Clone)]
pub struct IdempotentRequest {
    held: Arc<FlightGuard>,
    digest: ContentHash,
}

/// Stores the response of a use case in the transaction of its effect, for repeated requests. Cheap
/// to clone.
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
    /// `tell` writes the response for a result.
    pub fn new(
        once: Option<&IdempotentRequest>,
        tell: impl Fn(&T) -> String + Send + Sync + 'static,
    ) -> Self {
        Self { once: once.cloned(), tell: Arc::new(tell) }
    }

    /// A recorder for a request without a key.
    pub fn nothing() -> Self {
        Self::new(None, |_| String::new())
    }

    /// Whether the request has a key.
    pub(super) fn is_needed(&self) -> bool {
        self.once.is_some()
    }

    pub(super) fn remember(&self, tx: &Tx<'_>, done: &T) -> Result<(), StoreError> {
        remember(self.once.as_ref(), tx, || (self.tell)(done))
    }
}

/// Requests that are being carried out, by tenant, route and key.
#[derive(Debug, Default)]
pub(super) struct RequestsInFlight {
    names: Mutex<HashSet<RequestName>>,
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
        self.services.flights().names().remove(&self.name);
    }
}

impl RequestsInFlight {
    fn names(&self) -> std::sync::MutexGuard<'_, HashSet<RequestName>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IdempotentRequest {
    /// Reserves an idempotency key for a request with a body; `asked` are the request's other
    /// parameters. The spelling of JSON makes no difference.
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
        // Callers without the scope see hooks in part, and may do less: the response to a caller
        // who has the scope must not be replayed to them.
        if !services.may_write_hooks() {
            request.push_str("\nwithout hooks:write");
        }
        let tenant = Arc::clone(&services.caller().tenant);
        let name = RequestName { tenant, route, key: key.into() };
        if !services.flights().names().insert(name.clone()) {
            return Err(ReplayRefusal::InFlight);
        }
        let held = Arc::new(FlightGuard { name, services: services.clone() });
        Ok(Self { held, digest: ContentHash::of(&request) })
    }

    /// The stored response of an earlier request; none if there was none.
    pub fn reply(&self) -> Result<Option<String>, Error> {
        let RequestName { route, key, .. } = &self.held.name;
        match self.held.services.tenant().read(|tx| tx.find_reply(route, key))? {
            None => Ok(None),
            Some((digest, answer)) if digest == self.digest => Ok(Some(answer)),
            Some(_) => Err(ReplayRefusal::Mismatch.into()),
        }
    }
}

/// The reason why a stored response cannot be returned.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Refused(#[from] ReplayRefusal),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stores the response in the transaction of the effect; does nothing without a key.
pub(super) fn remember(
    once: Option<&IdempotentRequest>,
    tx: &Tx<'_>,
    answer: impl FnOnce() -> String,
) -> Result<(), StoreError> {
    let Some(IdempotentRequest { held, digest }) = once else { return Ok(()) };
    let RequestName { route, key, .. } = &held.name;
    tx.remember_reply(route, key, digest, &answer(), tx.now().after(MAX_REPLY_AGE))
}
