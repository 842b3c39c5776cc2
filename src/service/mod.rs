//! Use cases: one function for each thing that a caller can request.

pub mod adapters;
pub mod artifacts;
pub mod auth;
pub mod candidates;
pub mod compat;
pub mod compilations;
pub mod compile;
pub mod compress;
pub mod console_sessions;
mod defaults;
mod definition_read;
mod earlier_payload;
mod effects;
mod error;
pub mod event_data;
mod event_owner;
pub mod events;
pub mod expansion;
mod fact_observers;
pub mod gateway;
mod gateway_defaults;
pub mod golden;
mod hook_runner;
pub mod hooks;
pub mod idempotency;
pub mod keys;
mod maintenance;
pub mod mcp;
pub mod memory;
mod original_forms;
pub mod packs;
mod page;
pub mod pool;
mod recognized_messages;
mod record;
mod request_memory;
pub mod response_body;
mod result_hooks;
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
mod write_condition;

use std::fmt;
use std::sync::Arc;

use quick_cache::sync::Cache;

use self::auth::{Authenticator, KeySources};
use self::earlier_payload::{PayloadKey, PayloadWeight, RememberedPayload};
pub use self::error::{
    CandidateRefusal, CompileError, Divergence, Error, PackRefusal, RefusedCompile,
};
use self::gateway::DecisionCache;
use self::hooks::Hooks;
use self::idempotency::RequestsInFlight;
use self::pool::JobSeat;
pub use self::request_memory::{MemoryPermit, MemoryTaken, RequestMemory};
use self::session_switches::SessionSwitches;
use self::skills::FolderSkills;
use self::summaries::SummaryLocks;
use self::usage::UsageMeter;
pub use self::write_condition::WriteCondition;
use crate::domain::{Clock, Key, KeyHash, MemoryPromotion, Models, Principal, Timestamp};
use crate::limit::Allowance;
use crate::pack::PublicKeys;
use crate::pipeline::{self, Deadline};
pub use crate::store::{Error as StoreError, OpenError, StoreCondition};
use crate::store::{Retention, Store, Tenant};
use crate::webhook::Summarizer;

/// Bytes of earlier payloads that are cached, for [`compile`]'s `first_change`.
const MAX_PAYLOAD_CACHE_BYTES: u64 = 64 << 20;

/// The tenant of callers without a key.
const TENANT: &str = "default";

/// The context of use cases. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Services {
    inner: Arc<ServicesInner>,
    /// The caller, on whose tenant use cases work.
    caller: Arc<Principal>,
    promotion: MemoryPromotion,
    hooks: Arc<Hooks>,
    hops: u8,
    /// Whether the request removes rows.
    frees_room: bool,
    /// The memory that is reserved for the request; none for work that no request asked for.
    memory: Option<MemoryPermit>,
    /// The place of the request's thread in the pool.
    seat: Option<JobSeat>,
    /// The deadline of the request, with its allowance of text.
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
    unreplaced_adapters: adapters::UnreplacedAdapters,
    /// Earlier payloads by response.
    payloads: Cache<PayloadKey, RememberedPayload, PayloadWeight>,
    /// What the gateway decided about messages.
    decisions: DecisionCache,
}

impl fmt::Debug for ServicesInner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("pipeline", &self.pipeline).finish_non_exhaustive()
    }
}

impl Services {
    /// Services with a store in memory, which ends with the process.
    pub fn new(models: Models) -> Result<Self, OpenError> {
        let store = Store::memory(Retention::default(), Clock::system())?;
        Ok(Self::with_store(models, store))
    }

    pub fn with_store(models: Models, store: Store) -> Self {
        Self::guarded(models, store, KeySources::default())
    }

    /// Services that accept these keys and those of the store.
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
                unreplaced_adapters: adapters::UnreplacedAdapters::default(),
                payloads: Cache::with_weighter(1024, MAX_PAYLOAD_CACHE_BYTES, PayloadWeight),
                decisions: DecisionCache::default(),
            }),
            caller,
            promotion: MemoryPromotion::default(),
            hooks: Arc::default(),
            hops: 0,
            frees_room: false,
            memory: None,
            seat: None,
            deadline: Deadline::default(),
            pack_keys: Arc::default(),
            skills: Arc::default(),
            summarizer: None,
        }
    }

    /// Returns services for another tenant.
    #[must_use]
    pub fn for_tenant(&self, tenant: &Arc<str>) -> Self {
        self.for_caller(&Arc::new(Principal::of_tenant(Arc::clone(tenant))))
    }

    /// Returns services for a caller, with a new allowance of text.
    #[must_use]
    pub fn for_caller(&self, caller: &Arc<Principal>) -> Self {
        let allowance = self.allowance().to_unused();
        let deadline = Deadline::default().allowing(&allowance);
        Self { caller: Arc::clone(caller), deadline, ..self.clone() }
    }

    /// Sets the allowance of text of each request.
    #[must_use]
    pub fn allowing(self, allowance: &Allowance) -> Self {
        Self { deadline: Deadline::default().allowing(allowance), ..self }
    }

    /// Sets the deadline of the request.
    #[must_use]
    pub fn until(self, deadline: &Deadline) -> Self {
        Self { deadline: deadline.clone(), ..self }
    }

    /// The deadline of the request, if it has one.
    pub(crate) fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// The text that the request may still make.
    pub fn allowance(&self) -> &Allowance {
        self.deadline.allowance()
    }

    /// The caller, on whose tenant use cases work.
    pub fn caller(&self) -> &Arc<Principal> {
        &self.caller
    }

    /// Whether callers need a key: from the first key on, for good.
    pub fn needs_key(&self) -> Result<bool, StoreError> {
        self.inner.gate.needs_key(&self.inner.store)
    }

    /// Replaces the keys of the keys file.
    pub fn set_file_keys(&self, keys: Vec<(Key, KeyHash)>) {
        self.inner.gate.set_file_keys(keys);
    }

    fn flights(&self) -> &RequestsInFlight {
        &self.inner.flights
    }

    /// Sets which memory writes are promoted without a review.
    #[must_use]
    pub fn promoting(self, promotion: MemoryPromotion) -> Self {
        Self { promotion, ..self }
    }

    /// Sets the hooks.
    #[must_use]
    pub fn with_hooks(self, hooks: Hooks) -> Self {
        Self { hooks: Arc::new(hooks), ..self }
    }

    fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// Sets the number of services like this one that the request came through.
    #[must_use]
    pub fn through(self, hops: u8) -> Self {
        Self { hops, ..self }
    }

    /// Marks the writes of the request as removing rows: they are carried out on a full disk too.
    #[must_use]
    pub fn freeing_room(self) -> Self {
        Self { frees_room: true, ..self }
    }

    /// Sets the memory that is reserved for the request.
    #[must_use]
    pub fn reserving(self, permit: MemoryPermit) -> Self {
        Self { memory: Some(permit), ..self }
    }

    /// Releases the memory that is reserved for the request: what goes on holds none of it.
    #[must_use]
    pub fn without_memory(self) -> Self {
        Self { memory: None, ..self }
    }

    /// Reserves memory for `bytes` that the request brings, reads or makes, before it takes them.
    pub fn reserve(&self, bytes: usize) -> Result<(), MemoryTaken> {
        self.memory.as_ref().map_or(Ok(()), |permit| permit.grow_to(bytes))
    }

    /// Reserves memory for `bytes` besides all that is reserved.
    pub fn reserve_more(&self, bytes: usize) -> Result<(), MemoryTaken> {
        self.memory.as_ref().map_or(Ok(()), |permit| permit.grow_by(bytes))
    }

    /// Reserves memory for work on `bytes` of a body or of stored text.
    pub fn reserve_work(&self, bytes: usize) -> Result<(), MemoryTaken> {
        self.memory.as_ref().map_or(Ok(()), |permit| permit.grow_to_work(bytes))
    }

    /// Sets the place of the job in the pool.
    #[must_use]
    pub fn seated(self, seat: JobSeat) -> Self {
        Self { seat: Some(seat), ..self }
    }

    fn seat(&self) -> Option<&JobSeat> {
        self.seat.as_ref()
    }

    /// Number of services like this one that the request came through.
    pub fn hops(&self) -> u8 {
        self.hops
    }

    /// Sets the keys with one of which packs must be signed. Without keys, packs need no signature.
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

    /// Sets the skills of folders.
    #[must_use]
    pub fn with_skills(self, skills: FolderSkills) -> Self {
        Self { skills: Arc::new(skills), ..self }
    }

    /// Sets the model that writes summaries.
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

    /// Rule of the memory writes that are promoted without a review.
    fn promotion(&self) -> MemoryPromotion {
        self.promotion
    }

    /// The table of models.
    pub fn models(&self) -> &Models {
        &self.inner.models
    }

    /// The store of the caller's tenant.
    fn tenant(&self) -> Tenant {
        let tenant = self.inner.store.tenant(&self.caller.tenant);
        if self.frees_room { tenant.freeing_room() } else { tenant }
    }

    /// The same, for writes that need not begin once the caller no longer waits.
    fn awaited_tenant(&self) -> Tenant {
        let deadline = self.deadline.clone();
        self.tenant().abandoned_if(move || deadline.is_cancelled())
    }

    fn pipeline(&self) -> &pipeline::PipelineContext {
        &self.inner.pipeline
    }

    fn decisions(&self) -> &DecisionCache {
        &self.inner.decisions
    }

    fn remember_payload(&self, id: &Arc<str>, payload: RememberedPayload) {
        self.inner.payloads.insert(PayloadKey::new(&self.caller.tenant, id), payload);
    }

    fn forget_payload(&self, id: &Arc<str>) {
        self.inner.payloads.remove(&PayloadKey::new(&self.caller.tenant, id));
    }

    fn recall_payload(&self, id: &Arc<str>) -> Option<RememberedPayload> {
        self.inner.payloads.get(&PayloadKey::new(&self.caller.tenant, id))
    }
}
