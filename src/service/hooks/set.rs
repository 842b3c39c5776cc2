//! The hooks that a request is pinned to.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use crate::domain::Scope;
use crate::hook::{
    Call, CallFailure, CallFuture, CallReply, Caller, FailureCause, GivenId, Hook, HookChecks,
    HookKind, HookSet, Manifest, hook_patterns, read_hook_within,
};
use crate::json::{self, Faults, Limits, Node, Path};
use crate::limit::{Pattern, PatternBudget};
use crate::service::definition_read::DefinitionRead;
use crate::service::{Services, StoreError};
use crate::store::{HookRow, OrderRow, SealedUrl};
use crate::webhook::{Keyring, Webhooks};

static NO_ORDERS: BTreeMap<Arc<str>, Manifest> = BTreeMap::new();

/// Hooks and orders of a tenant at a revision.
#[derive(Debug)]
pub(super) struct HookRevision {
    revision: u64,
    pub(super) hooks: Vec<Arc<Hook>>,
    /// Orders by session; the empty id is for all sessions.
    orders: BTreeMap<Arc<str>, Manifest>,
    /// The hooks of a request without a session, or whose session has no hooks and no order of its
    /// own.
    everyone: Arc<HookSet>,
}

/// Hooks of a tenant as the store had them at a time.
#[derive(Debug, Clone)]
pub(super) struct LoadedHooks {
    pub(super) hooks: Arc<HookRevision>,
    /// When the store was asked for the last time.
    read: DefinitionRead,
}

impl HookRevision {
    /// Bytes that the hooks take in memory, most of them for patterns.
    pub(super) fn memory_bytes(&self) -> u64 {
        const HOOK_BYTES: usize = 2 << 10;
        let patterns = self.hooks.iter().flat_map(|hook| hook.patterns());
        let patterns = patterns.map(Pattern::memory_bytes).fold(0, usize::saturating_add);
        let hooks = (self.hooks.len() + 1).saturating_mul(HOOK_BYTES);
        u64::try_from(hooks.saturating_add(patterns)).unwrap_or(u64::MAX)
    }
}

impl Services {
    /// The patterns that a hook of the tenant may have: all stored hooks but itself share one
    /// budget with it.
    pub(super) fn pattern_room(&self, id: &str) -> Result<PatternBudget, StoreError> {
        let loaded = self.loaded_hooks()?;
        let others = loaded.hooks.iter().filter(|hook| *hook.id != *id);
        Ok(hook_patterns().after(others.flat_map(|hook| hook.patterns())))
    }

    /// The hooks that a request of a session is pinned to, in their order: inline hooks, the
    /// tenant's and the operator's. Of hooks with the same id the operator's wins, then the
    /// tenant's. Reads the store, which blocks the thread.
    ///
    /// # Errors
    /// The store cannot be read, or contains an invalid hook.
    pub fn hook_set(
        &self,
        session: Option<&str>,
        inline: &[Arc<Hook>],
    ) -> Result<Arc<HookSet>, StoreError> {
        let loaded = self.loaded_hooks()?;
        let for_session = session
            .is_some_and(|session| self.hooks().is_for(&loaded.hooks, &loaded.orders, session));
        if inline.is_empty() && !for_session {
            return Ok(Arc::clone(&loaded.everyone));
        }
        let hooks: Vec<Arc<Hook>> =
            inline.iter().chain(&loaded.hooks).chain(&self.hooks().file.hooks).cloned().collect();
        let order = self.hooks().manifest(&loaded.orders, session);
        Ok(Arc::new(HookSet::new(&hooks, &order, session)))
    }

    /// The hooks of a request with `"hooks": false`, which are the mandatory ones.
    ///
    /// # Errors
    /// The store cannot be read, or contains an invalid hook.
    pub fn mandatory_hook_set(&self, session: Option<&str>) -> Result<Arc<HookSet>, StoreError> {
        let loaded = self.loaded_hooks()?;
        Ok(self.mandatory_of(&loaded, session))
    }

    /// The same, if the hooks were read lately. Does not ask the store.
    pub(crate) fn recent_mandatory_hook_set(&self, session: Option<&str>) -> Option<Arc<HookSet>> {
        let known = self.hooks().loaded.get(&self.caller().tenant)?;
        self.is_recent(&known).then(|| self.mandatory_of(&known.hooks, session))
    }

    fn mandatory_of(&self, loaded: &HookRevision, session: Option<&str>) -> Arc<HookSet> {
        let all = loaded.hooks.iter().chain(&self.hooks().file.hooks);
        let hooks: Vec<Arc<Hook>> = all.filter(|hook| hook.is_mandatory()).cloned().collect();
        if hooks.is_empty() {
            return Arc::default();
        }
        let order = self.hooks().manifest(&loaded.orders, session);
        Arc::new(HookSet::new(&hooks, &order, session))
    }

    fn is_recent(&self, known: &LoadedHooks) -> bool {
        known.read.is_recent(&self.inner.store)
    }

    /// The hooks that a request without a session is pinned to, the mandatory ones alone if
    /// `is_off`. Does not ask the store: those of the tenant are as they were last read, if they were.
    pub(crate) fn known_hooks(&self, is_off: bool) -> Arc<HookSet> {
        let loaded = self.hooks().loaded.get(&self.caller().tenant);
        let stored = loaded.as_ref().map(|known| (&*known.hooks.hooks, &known.hooks.orders));
        let (hooks, orders) = stored.unwrap_or((&[], &NO_ORDERS));
        let all = hooks.iter().chain(&self.hooks().file.hooks);
        let hooks: Vec<Arc<Hook>> =
            all.filter(|hook| !is_off || hook.is_mandatory()).cloned().collect();
        Arc::new(HookSet::new(&hooks, &self.hooks().manifest(orders, None), None))
    }

    /// Whether the caller may write hooks that run in requests of others, or that have a URL.
    pub(crate) fn may_write_hooks(&self) -> bool {
        self.caller().has_any(&[Scope::HooksWrite])
    }

    /// Returns the URL of a hook in the form in which it is called, or what is wrong with it.
    pub(crate) fn check_hook_url(&self, url: &str) -> Result<String, String> {
        self.hooks().check_url(url)
    }

    /// The caller of hooks. If this process calls no hooks, each call fails.
    pub fn hook_caller(&self) -> &dyn Caller {
        match &self.hooks().webhooks {
            Some(webhooks) => webhooks,
            None => &NoNetwork,
        }
    }

    /// The client that calls hooks; none if this process calls no hooks.
    pub fn webhooks(&self) -> Option<&Webhooks> {
        self.hooks().webhooks.as_ref()
    }

    /// Finds the current hook of an id.
    pub(super) fn hook_of(&self, id: &str) -> Result<Option<Arc<Hook>>, StoreError> {
        if let Some(hook) = self.hooks().of_file(id) {
            return Ok(Some(Arc::clone(hook)));
        }
        Ok(self.loaded_hooks()?.hooks.iter().find(|hook| *hook.id == *id).cloned())
    }

    /// The tenant's hooks as they are stored, changes of other processes of the last
    /// second aside; or, if the store is unavailable, as they were last read.
    pub(super) fn loaded_hooks(&self) -> Result<Arc<HookRevision>, StoreError> {
        let (hooks, tenant) = (self.hooks(), &self.caller().tenant);
        let known = hooks.loaded.get(tenant);
        if let Some(known) = known.as_ref().filter(|known| self.is_recent(known)) {
            return Ok(Arc::clone(&known.hooks));
        }
        let begun = DefinitionRead::begin(&self.inner.store);
        let keep = |loaded| hooks.keep(tenant, LoadedHooks { hooks: loaded, read: begun });
        let known = known.map(|known| known.hooks);
        let known_revision = known.as_ref().map(|known| known.revision);
        let read = self.tenant().read(|tx| {
            let revision = tx.hooks_revision()?;
            if Some(revision) == known_revision {
                return Ok(None);
            }
            Ok::<_, StoreError>(Some((revision, tx.hooks()?, tx.hook_orders()?)))
        });
        match (read, known) {
            (Ok(None), Some(known)) => Ok(keep(known)),
            (Ok(None), None) => Err(corrupt("the hooks have no revision")),
            // While the store is unavailable, no request can change hooks either.
            (Err(StoreError::Unavailable(error)), Some(known)) => {
                tracing::debug!(
                    %error,
                    "hooks could not be read from the database; the hooks read last are used"
                );
                Ok(known)
            }
            (Err(error), _) => Err(error),
            (Ok(Some((revision, rows, orders))), _) => {
                Ok(keep(Arc::new(hooks.load(tenant, revision, &rows, &orders)?)))
            }
        }
    }
}

impl super::Hooks {
    /// Caches hooks, unless others were read after them, and returns them. Hooks of one revision stay the
    /// same values, by which a request tells registered hooks from its own.
    fn keep(&self, tenant: &Arc<str>, new: LoadedHooks) -> Arc<HookRevision> {
        let _alone = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.loaded.get(tenant);
        let new = match known {
            Some(known) if known.hooks.revision == new.hooks.revision => {
                LoadedHooks { hooks: known.hooks, read: known.read.max(new.read) }
            }
            Some(known) if known.read > new.read => return new.hooks,
            _ => new,
        };
        let hooks = Arc::clone(&new.hooks);
        self.loaded.insert(Arc::clone(tenant), new);
        hooks
    }

    fn load(
        &self,
        tenant: &str,
        revision: u64,
        rows: &[HookRow],
        orders: &[OrderRow],
    ) -> Result<HookRevision, StoreError> {
        let mut patterns = hook_patterns().keeping_unusable();
        let open =
            |row: &HookRow| Ok(Arc::new(open_within(&self.keys, tenant, row, &mut patterns)?));
        let hooks = rows.iter().map(open).collect::<Result<Vec<_>, StoreError>>()?;
        let orders = orders
            .iter()
            .map(|row| Ok((Arc::clone(&row.session), read_manifest(&row.manifest)?)))
            .collect::<Result<BTreeMap<_, _>, StoreError>>()?;
        let all: Vec<Arc<Hook>> = hooks.iter().chain(&self.file.hooks).cloned().collect();
        let everyone = HookSet::new(&all, &self.manifest(&orders, None), None);
        Ok(HookRevision { revision, hooks, orders, everyone: Arc::new(everyone) })
    }

    /// The manifest of a session. For each point, an order of the session wins over one of the
    /// tenant, which wins over the file.
    pub(super) fn manifest(
        &self,
        orders: &BTreeMap<Arc<str>, Manifest>,
        session: Option<&str>,
    ) -> Manifest {
        let mut manifest = self.file.order.clone();
        for session in [Some(""), session].into_iter().flatten() {
            if let Some(narrower) = orders.get(session) {
                manifest = manifest.under(narrower);
            }
        }
        manifest
    }

    /// Whether a hook or an order is registered for this session alone.
    fn is_for(
        &self,
        hooks: &[Arc<Hook>],
        orders: &BTreeMap<Arc<str>, Manifest>,
        session: &str,
    ) -> bool {
        let scoped = |hook: &&Arc<Hook>| hook.session.as_deref() == Some(session);
        hooks.iter().chain(&self.file.hooks).any(|hook| scoped(&hook))
            || orders.contains_key(session)
    }
}

/// Reads a stored hook with its headers and secrets. If these cannot be opened, the hook is locked,
/// and calls of it fail.
pub(super) fn open_hook(keys: &Keyring, tenant: &str, row: &HookRow) -> Result<Hook, StoreError> {
    open_within(keys, tenant, row, &mut hook_patterns().keeping_unusable())
}

fn open_within(
    keys: &Keyring,
    tenant: &str,
    row: &HookRow,
    patterns: &mut PatternBudget,
) -> Result<Hook, StoreError> {
    let mut hook = read_row(row, patterns)?;
    if let Some(sealed) = &row.sealed
        && let Err(error) = keys.open_hook(tenant, &mut hook, sealed)
    {
        tracing::warn!(
            hook.id = &*row.id,
            %error,
            "the secrets of a hook cannot be decrypted; is --master-key-file the one they were stored \
             with?"
        );
    }
    Ok(hook)
}

/// Reads a stored hook without its headers and secrets.
pub(super) fn read_unsealed(row: &HookRow) -> Result<Hook, StoreError> {
    read_row(row, &mut hook_patterns().keeping_unusable())
}

fn read_row(row: &HookRow, patterns: &mut PatternBudget) -> Result<Hook, StoreError> {
    let node = parsed(&row.definition)?;
    let mut faults = Faults::default();
    // The URL was checked when the hook was registered, and each address is checked when it is
    // dialled.
    let keep = |url: &str| Ok(url.to_owned());
    let checks = HookChecks { check_url: &keep, patterns };
    let id = GivenId::Address(&row.id);
    let read = read_hook_within(&node, Path::Root, id, checks, &mut faults);
    let hook = read.filter(|_| faults.is_empty());
    let hook = hook.ok_or_else(|| corrupt("a stored hook is not valid"))?;
    // Guards that older releases stored without `mandatory` are mandatory.
    let mandatory = row.mandatory.or(Some(hook.kind == HookKind::Guard));
    let disabled_because = row.disabled.clone();
    Ok(Hook { revision: row.revision, mandatory, disabled_because, ..hook })
}

/// Reads a stored manifest.
pub(super) fn read_manifest(text: &str) -> Result<Manifest, StoreError> {
    let node = parsed(text)?;
    let mut faults = Faults::default();
    let read = Manifest::read(&node, Path::Root, &mut faults).filter(|_| faults.is_empty());
    read.ok_or_else(|| corrupt("a stored order of hooks is not valid"))
}

fn parsed(text: &str) -> Result<Node<'_>, StoreError> {
    json::parse(text, Limits::default()).map_err(|error| StoreError::Corrupt(Arc::new(error)))
}

pub(super) fn corrupt(what: &'static str) -> StoreError {
    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct UnreadableHooks(&'static str);
    StoreError::Corrupt(Arc::new(UnreadableHooks(what)))
}

/// A caller that fails each call, for commands without a network, and for rounds that only queue
/// calls.
#[derive(Debug)]
pub(crate) struct NoNetwork;

impl Caller for NoNetwork {
    fn call<'c>(&'c self, _: Call<'c>) -> CallFuture<'c> {
        let failure = CallFailure::new(FailureCause::Connect, "this program calls no hooks");
        let (answer, took) = (Err(failure), Duration::ZERO);
        Box::pin(async move { CallReply { answer, body: None, took, attempts: 0 } })
    }
}

/// Seals the URLs of the tenant's hooks that are stored in plain. Without the key that a hook's secrets
/// are sealed with, its URL stays as it is.
pub(crate) fn seal_urls(services: &Services) -> Result<(), StoreError> {
    let (keys, tenant) = (&services.hooks().keys, &services.caller().tenant);
    if keys.is_empty() {
        return Ok(());
    }
    for row in services.tenant().read(|tx| tx.hooks())? {
        let plain = read_unsealed(&row)?;
        if plain.endpoint().is_none_or(|endpoint| endpoint.is_redacted_url()) {
            continue;
        }
        let hook = open_hook(keys, tenant, &row)?;
        if hook.endpoint().is_some_and(|endpoint| endpoint.secrets.is_locked()) {
            continue;
        }
        let sealed = match keys.seal_hook(tenant, &hook) {
            Ok(Some(sealed)) => sealed,
            Ok(None) => continue,
            Err(error) => {
                tracing::warn!(
                    hook.id = &*row.id,
                    %error,
                    "the URL of a hook could not be encrypted; it stays as it is stored"
                );
                continue;
            }
        };
        let (id, revision) = (row.id, row.revision);
        let definition = hook.write_stored().into();
        let new = SealedUrl { id, revision, definition, sealed };
        services.tenant().write(move |tx| tx.seal_hook_url(&new))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::service::hooks::Hooks;

    #[test]
    fn hooks_that_were_read_earlier_replace_none_and_a_revision_is_there_once() {
        let (hooks, tenant) = (Hooks::default(), Arc::from("t"));
        let start = Instant::now();
        let read = |revision, after: u64| {
            let loaded = Arc::new(hooks.load(&tenant, revision, &[], &[]).unwrap());
            let at = start + Duration::from_secs(after);
            LoadedHooks { hooks: loaded, read: DefinitionRead { at, changes: after } }
        };
        let first = hooks.keep(&tenant, read(2, 5));
        assert!(Arc::ptr_eq(&first, &hooks.keep(&tenant, read(2, 4))));
        let older = hooks.keep(&tenant, read(1, 3));
        assert_eq!((older.revision, hooks.loaded.get(&tenant).unwrap().hooks.revision), (1, 2));
        assert!(Arc::ptr_eq(&first, &hooks.keep(&tenant, read(2, 9))));
        let known = hooks.loaded.get(&tenant).unwrap();
        assert_eq!((known.read.at, known.read.changes), (start + Duration::from_secs(9), 9));
        assert_eq!(hooks.keep(&tenant, read(3, 10)).revision, 3);
        assert_eq!(hooks.loaded.get(&tenant).unwrap().hooks.revision, 3);
    }
}
