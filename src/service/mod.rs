//! Use cases: one function a thing that a caller can ask for.

pub mod adapters;
pub mod artifacts;
pub mod auth;
pub mod candidates;
pub mod compilations;
pub mod compile;
pub mod compress;
mod defaults;
mod earlier_payload;
mod effects;
mod error;
mod event_owner;
pub mod events;
pub mod expand;
mod fact_observers;
pub mod gateway;
pub mod golden;
mod hook_runner;
pub mod hooks;
pub mod idempotency;
pub mod keys;
mod maintenance;
mod marks;
pub mod mcp;
pub mod memory;
mod original_forms;
pub mod packs;
pub mod pool;
mod recognized_messages;
mod record;
mod results;
mod session_switches;
pub mod sessions;
pub mod skills;
mod summaries;
pub mod tickets;
pub mod tokens;
pub mod tools;
pub mod turns;
pub mod usage;
pub mod why;

use std::fmt;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use self::auth::{Authenticator, KeySources};
use self::earlier_payload::RememberedPayload;
pub use self::error::Error;
use self::hooks::Hooks;
use self::idempotency::RequestsInFlight;
use self::pool::JobSeat;
use self::session_switches::SessionSwitches;
use self::skills::FolderSkills;
use self::summaries::SummaryLocks;
use self::usage::UsageMeter;
use crate::domain::{Clock, Key, KeyHash, MemoryPromotion, Models, Principal, Timestamp};
use crate::limit::Allowance;
use crate::pack::PublicKeys;
use crate::pipeline::{self, Deadline};
pub use crate::store::{Error as StoreError, OpenError, StoreCondition};
use crate::store::{Retention, Store, Tenant};
use crate::webhook::Summarizer;

/// Bytes of earlier payloads that are remembered, for [`compile`]'s `first_change`.
const REMEMBERED_BYTES: u64 = 64 << 20;

/// Who everything belongs to where no key says otherwise.
const TENANT: &str = "default";

/// What use cases work with. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Services {
    inner: Arc<ServicesInner>,
    /// Whose things they work on, and for whom.
    caller: Arc<Principal>,
    promotion: MemoryPromotion,
    hooks: Arc<Hooks>,
    hops: u8,
    /// Where the thread of the request has its place.
    seat: Option<JobSeat>,
    /// When the request must end, and what it may make of text.
    deadline: Deadline,
    pack_keys: Arc<PublicKeys>,
    skills: Arc<FolderSkills>,
    summarizer: Option<Summarizer>,
}

struct ServicesInner {
    models: Models,
    pipeline: pipeline::PipelineContext,
    store: Store,
    gate: Authenticator,
    meter: UsageMeter,
    flights: RequestsInFlight,
    writing: SummaryLocks,
    switching: SessionSwitches,
    packs: packs::PackCache,
    /// Earlier payloads by answer.
    payloads: Cache<PayloadKey, RememberedPayload, PayloadWeight>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct PayloadKey {
    tenant: Arc<str>,
    id: Arc<str>,
}

#[derive(Debug, Clone)]
struct PayloadWeight;

impl Weighter<PayloadKey, RememberedPayload> for PayloadWeight {
    fn weight(&self, _: &PayloadKey, payload: &RememberedPayload) -> u64 {
        128 + payload.weight()
    }
}

impl fmt::Debug for ServicesInner {
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
        Self::guarded(models, store, KeySources::default())
    }

    /// Use cases that ask for these keys, and for those of the store.
    pub fn guarded(models: Models, store: Store, keys: KeySources) -> Self {
        let gate = Authenticator::new(keys);
        let caller = Arc::clone(gate.anyone());
        Self {
            inner: Arc::new(ServicesInner {
                models,
                pipeline: pipeline::PipelineContext::default(),
                store,
                gate,
                meter: UsageMeter::default(),
                flights: RequestsInFlight::default(),
                writing: SummaryLocks::default(),
                switching: SessionSwitches::default(),
                packs: packs::PackCache::default(),
                payloads: Cache::with_weighter(1024, REMEMBERED_BYTES, PayloadWeight),
            }),
            caller,
            promotion: MemoryPromotion::default(),
            hooks: Arc::default(),
            hops: 0,
            seat: None,
            deadline: Deadline::default(),
            pack_keys: Arc::default(),
            skills: Arc::default(),
            summarizer: None,
        }
    }

    /// The same, for what belongs to another tenant.
    #[must_use]
    pub fn for_tenant(&self, tenant: &Arc<str>) -> Self {
        self.for_caller(&Arc::new(Principal::of_tenant(Arc::clone(tenant))))
    }

    /// The same, for what belongs to a caller's tenant; what is used is his.
    #[must_use]
    pub fn for_caller(&self, caller: &Arc<Principal>) -> Self {
        let allowance = self.allowance().to_unused();
        let deadline = Deadline::default().allowing(&allowance);
        Self { caller: Arc::clone(caller), deadline, ..self.clone() }
    }

    /// The same, where each request may make so much text.
    #[must_use]
    pub fn allowing(self, allowance: &Allowance) -> Self {
        Self { deadline: Deadline::default().allowing(allowance), ..self }
    }

    /// The same, for a request that must end then.
    #[must_use]
    pub fn until(self, deadline: &Deadline) -> Self {
        Self { deadline: deadline.clone(), ..self }
    }

    /// When the request must end; never where nobody said so.
    pub(crate) fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// What the request may still make of text.
    pub fn allowance(&self) -> &Allowance {
        self.deadline.allowance()
    }

    /// For whom they work.
    pub fn caller(&self) -> &Arc<Principal> {
        &self.caller
    }

    /// Whether callers need a key: from the first one on, for ever.
    pub fn needs_key(&self) -> Result<bool, StoreError> {
        self.inner.gate.needs_key(&self.inner.store)
    }

    /// Takes the keys of the keys file in the place of those before.
    pub fn set_file_keys(&self, keys: Vec<(Key, KeyHash)>) {
        self.inner.gate.set_file_keys(keys);
    }

    fn flights(&self) -> &RequestsInFlight {
        &self.inner.flights
    }

    /// The same, where this decides what is promoted without a review.
    #[must_use]
    pub fn promoting(self, promotion: MemoryPromotion) -> Self {
        Self { promotion, ..self }
    }

    /// The same, with these hooks.
    #[must_use]
    pub fn with_hooks(self, hooks: Hooks) -> Self {
        Self { hooks: Arc::new(hooks), ..self }
    }

    fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// The same, for a request that came through so many services like this one.
    #[must_use]
    pub fn through(self, hops: u8) -> Self {
        Self { hops, ..self }
    }

    /// The same, for a job with this place in the pool.
    #[must_use]
    pub fn seated(self, seat: JobSeat) -> Self {
        Self { seat: Some(seat), ..self }
    }

    fn seat(&self) -> Option<&JobSeat> {
        self.seat.as_ref()
    }

    /// How many services like this one the request came through.
    pub fn hops(&self) -> u8 {
        self.hops
    }

    /// The same, where packs must be signed with one of these keys; where there are none, nobody asks.
    #[must_use]
    pub fn trusting(self, keys: PublicKeys) -> Self {
        Self { pack_keys: Arc::new(keys), ..self }
    }

    /// The time, by the store's clock.
    fn now(&self) -> Timestamp {
        self.inner.store.now()
    }

    fn pack_keys(&self) -> &PublicKeys {
        &self.pack_keys
    }

    fn packs(&self) -> &packs::PackCache {
        &self.inner.packs
    }

    /// The same, with the skills of folders.
    #[must_use]
    pub fn with_skills(self, skills: FolderSkills) -> Self {
        Self { skills: Arc::new(skills), ..self }
    }

    /// The same, where this model writes summaries.
    #[must_use]
    pub fn with_summarizer(self, summarizer: Option<Summarizer>) -> Self {
        Self { summarizer, ..self }
    }

    fn summarizer(&self) -> Option<&Summarizer> {
        self.summarizer.as_ref()
    }

    fn writing(&self) -> &SummaryLocks {
        &self.inner.writing
    }

    fn folder_skills(&self) -> &FolderSkills {
        &self.skills
    }

    /// Whether anything is promoted without a review.
    fn promotion(&self) -> MemoryPromotion {
        self.promotion
    }

    /// The table of models.
    pub fn models(&self) -> &Models {
        &self.inner.models
    }

    /// What is stored for the caller.
    fn tenant(&self) -> Tenant {
        self.inner.store.tenant(&self.caller.tenant)
    }

    fn pipeline(&self) -> &pipeline::PipelineContext {
        &self.inner.pipeline
    }

    fn remember_payload(&self, id: &Arc<str>, payload: RememberedPayload) {
        self.inner.payloads.insert(self.before(id), payload);
    }

    fn forget_payload(&self, id: &Arc<str>) {
        self.inner.payloads.remove(&self.before(id));
    }

    fn recall_payload(&self, id: &Arc<str>) -> Option<RememberedPayload> {
        self.inner.payloads.get(&self.before(id))
    }

    fn before(&self, id: &Arc<str>) -> PayloadKey {
        PayloadKey { tenant: Arc::clone(&self.caller.tenant), id: Arc::clone(id) }
    }
}
