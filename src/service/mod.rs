//! Use cases: one function a thing that a caller can ask for.

pub mod adapters;
pub mod artifacts;
pub mod candidates;
pub mod compile;
pub mod compress;
mod error;
pub mod events;
pub mod expand;
mod known;
mod marks;
pub mod memory;
pub mod pool;
mod returned;
pub mod tokens;
mod told;
pub mod tools;
pub mod why;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

pub use self::error::Error;
use crate::domain::{Clock, MemoryPromotion, Models, TokenizerName};
use crate::pipeline;
pub use crate::store::{Error as StoreError, OpenError};
use crate::store::{Retention, Store, Tenant};

/// Bytes of earlier payloads that are remembered, for [`compile`]'s `first_change`.
const REMEMBERED_BYTES: u64 = 64 << 20;

/// Who everything belongs to where no key says otherwise.
const TENANT: &str = "default";

/// What use cases work with. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Services {
    inner: Arc<Inner>,
    /// Whose things they work on.
    tenant: Arc<str>,
    promotion: MemoryPromotion,
}

struct Inner {
    models: Models,
    pipeline: pipeline::Context,
    store: Store,
    /// Earlier payloads by answer and by session.
    payloads: Cache<Before, Bytes, Length>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Before {
    Answer { tenant: Arc<str>, id: Arc<str> },
    Session { tenant: Arc<str>, id: Arc<str> },
}

#[derive(Debug, Clone)]
struct Length;

impl Weighter<Before, Bytes> for Length {
    fn weight(&self, _: &Before, payload: &Bytes) -> u64 {
        128 + payload.len() as u64
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("pipeline", &self.pipeline).finish_non_exhaustive()
    }
}

impl Services {
    /// Use cases that keep nothing past the end of the process.
    pub fn new(models: Models) -> Result<Self, OpenError> {
        let store = Store::memory(Retention::default(), Clock::system())?;
        Ok(Self::with_store(models, store))
    }

    pub fn with_store(models: Models, store: Store) -> Self {
        Self {
            inner: Arc::new(Inner {
                models,
                pipeline: pipeline::Context::default(),
                store,
                payloads: Cache::with_weighter(1024, REMEMBERED_BYTES, Length),
            }),
            tenant: TENANT.into(),
            promotion: MemoryPromotion::default(),
        }
    }

    /// The same, for what belongs to another tenant.
    #[must_use]
    pub fn for_tenant(&self, tenant: &Arc<str>) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            tenant: Arc::clone(tenant),
            promotion: self.promotion,
        }
    }

    /// The same, where this decides what is promoted without a review.
    #[must_use]
    pub fn promoting(self, promotion: MemoryPromotion) -> Self {
        Self { promotion, ..self }
    }

    /// Whether anything is promoted without a review.
    fn promotion(&self) -> MemoryPromotion {
        self.promotion
    }

    /// The table of models.
    pub fn models(&self) -> &Models {
        &self.inner.models
    }

    /// Loads what the first request would otherwise wait for: the token dictionary that most
    /// models need. Takes the thread; the server calls it in the background once it listens.
    pub fn warm(&self) {
        self.inner.pipeline.counter.warm(TokenizerName::O200kBase);
    }

    /// Removes from the store what is too old or too much. Takes the thread; the server calls it
    /// in the background.
    pub fn clean(&self) -> Result<(), StoreError> {
        for tenant in self.inner.store.tenants()? {
            memory::expire_all(&self.for_tenant(&tenant.into()))?;
        }
        self.inner.store.clean()
    }

    /// What is stored for the caller.
    fn tenant(&self) -> Tenant {
        self.inner.store.tenant(&self.tenant)
    }

    fn pipeline(&self) -> &pipeline::Context {
        &self.inner.pipeline
    }

    fn remember_payload(&self, id: &Arc<str>, session: Option<&str>, payload: &Bytes) {
        if let Some(session) = session {
            self.inner.payloads.insert(self.session(session), payload.clone());
        }
        let key = Before::Answer { tenant: Arc::clone(&self.tenant), id: Arc::clone(id) };
        self.inner.payloads.insert(key, payload.clone());
    }

    fn recall_payload(&self, id: &Arc<str>) -> Option<Bytes> {
        let key = Before::Answer { tenant: Arc::clone(&self.tenant), id: Arc::clone(id) };
        self.inner.payloads.get(&key)
    }

    fn recall_session(&self, session: &str) -> Option<Bytes> {
        self.inner.payloads.get(&self.session(session))
    }

    fn session(&self, id: &str) -> Before {
        Before::Session { tenant: Arc::clone(&self.tenant), id: id.into() }
    }
}
