//! Hooks of a running server: registered hooks, those of the operator's file, and the set that a
//! request is pinned to.
//!
//! `Services::hook_set` returns the hooks of a request in their order, `Services::hook_caller`
//! their caller. Stored hooks are cached and read again if their revision has changed, so that a
//! request usually reads this number alone.

mod file;
mod order;
mod outcomes;
mod patch;
pub mod queue;
mod registered_hook;
mod registration;
mod registry;
mod set;
mod trial;

use std::fmt;
use std::sync::{Arc, Mutex};

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

pub use self::file::{HooksFile, HooksFileError};
pub use self::order::{Order, order, put_order};
pub(crate) use self::outcomes::{HookOutcomes, forget_gone};
pub(crate) use self::queue::follows;
pub use self::registered_hook::RegisteredHook;
pub use self::registration::{HookDifference, PutHook, PutOnce, compare, create, put};
pub use self::registry::{NewHookSecret, delete, find, list, points, rotate, update};
pub(crate) use self::registry::{disable, disable_gone, gone};
use self::set::LoadedHooks;
pub(super) use self::set::NoNetwork;
pub(crate) use self::set::seal_urls;
pub use self::trial::{HookTrial, prepare, try_out};
pub use crate::hook::{
    BUILTIN_NAMES, DeliveryMode, EnforcementMode, HookKind, HookReport, OnFailure, Point, PointDoc,
    about as point_doc, sample as point_sample,
};
use crate::hook::{HIDDEN_PATH, Hook};
pub use crate::webhook::{HOP_HEADER, MAX_HOPS};
use crate::webhook::{Keyring, Policy, Webhooks};

/// Every point at which a hook can run.
pub const POINTS: [Point; 17] = Point::ALL;

/// Every kind of hook.
pub const KINDS: [HookKind; 4] = HookKind::ALL;

/// Tenants whose hooks are cached.
const MAX_CACHED_TENANTS: usize = 1_024;
/// Bytes that the hooks of all these tenants may take with their patterns.
const MAX_CACHED_BYTES: u64 = 256 << 20;

/// The client, the keys, the operator's hooks and a cache of registered ones. Without a network, no
/// hook is called.
pub struct Hooks {
    webhooks: Option<Webhooks>,
    keys: Keyring,
    file: HooksFile,
    loaded: HookCache,
    /// Held while the cache is changed.
    keeping: Mutex<()>,
}

type HookCache = Cache<Arc<str>, LoadedHooks, RevisionWeighter>;

/// Weighs the hooks of a tenant by the bytes that they take.
#[derive(Debug, Clone)]
struct RevisionWeighter;

impl Weighter<Arc<str>, LoadedHooks> for RevisionWeighter {
    fn weight(&self, _: &Arc<str>, loaded: &LoadedHooks) -> u64 {
        loaded.hooks.memory_bytes()
    }
}

fn hook_cache() -> HookCache {
    // In one part: the hooks of one tenant can take a good part of all.
    let options = OptionsBuilder::new()
        .shards(1)
        .estimated_items_capacity(MAX_CACHED_TENANTS)
        .weight_capacity(MAX_CACHED_BYTES)
        .build();
    match options {
        Ok(options) => Cache::with_options(
            options,
            RevisionWeighter,
            DefaultHashBuilder::default(),
            DefaultLifecycle::default(),
        ),
        Err(_) => Cache::with_weighter(MAX_CACHED_TENANTS, MAX_CACHED_BYTES, RevisionWeighter),
    }
}

impl Hooks {
    /// `keys` seals hooks for the store; `file` has the operator's hooks.
    pub fn new(webhooks: Webhooks, keys: Keyring, file: HooksFile) -> Self {
        Self { webhooks: Some(webhooks), keys, file, ..Self::default() }
    }

    /// Returns the URL in the form in which it is called, or what is wrong with it.
    fn check_url(&self, url: &str) -> Result<String, String> {
        if url.contains(HIDDEN_PATH) {
            return Err(format!("`{HIDDEN_PATH}` replaces a part that is not shown: give the URL"));
        }
        match &self.webhooks {
            Some(webhooks) => webhooks.policy().check_url(url),
            None => Policy::default().check_url(url),
        }
    }

    /// The operator's hook of this id.
    fn of_file(&self, id: &str) -> Option<&Arc<Hook>> {
        self.file.hooks.iter().find(|hook| *hook.id == *id)
    }

    /// Whether the circuit of a hook is open, so that it is not called for a while.
    fn is_open(&self, tenant: &Arc<str>, hook: &Hook) -> bool {
        self.webhooks.as_ref().is_some_and(|webhooks| webhooks.is_open(tenant, hook))
    }
}

impl Default for Hooks {
    fn default() -> Self {
        Self {
            webhooks: None,
            keys: Keyring::default(),
            file: HooksFile::default(),
            loaded: hook_cache(),
            keeping: Mutex::default(),
        }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("keys", &self.keys).finish_non_exhaustive()
    }
}
