//! The hooks that a request is pinned to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::Scope;
use crate::hook::{
    Call, CallFailure, CallFuture, CallReply, Caller, FailureCause, GivenId, Hook, HookKind,
    HookSet, Manifest, read_hook,
};
use crate::json::{self, Faults, Limits, Node, Path};
use crate::service::{Services, StoreError};
use crate::store::{HookRow, OrderRow};
use crate::webhook::{Keyring, Webhooks};

/// What a tenant has registered, as it was at a revision.
#[derive(Debug)]
pub(super) struct HookRevision {
    revision: u64,
    pub(super) hooks: Vec<Arc<Hook>>,
    /// By session; the empty one is all of them.
    orders: BTreeMap<Arc<str>, Manifest>,
    /// The set of a request without a session, or of one that nothing is registered for.
    everyone: Arc<HookSet>,
}

impl Services {
    /// The hooks that a request of a session is pinned to, in their order: those that it brings
    /// itself, the tenant's, and the operator's. Of two with one id the operator's stands, then
    /// the tenant's. Takes the thread for a look at the store.
    ///
    /// # Errors
    /// The store cannot be read, or holds what is no hook.
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

    /// The hooks of a request that wants none: those that are mandatory.
    ///
    /// # Errors
    /// The store cannot be read, or holds what is no hook.
    pub fn mandatory_hook_set(&self, session: Option<&str>) -> Result<Arc<HookSet>, StoreError> {
        let loaded = self.loaded_hooks()?;
        let all = loaded.hooks.iter().chain(&self.hooks().file.hooks);
        let hooks: Vec<Arc<Hook>> = all.filter(|hook| hook.is_mandatory()).cloned().collect();
        let order = self.hooks().manifest(&loaded.orders, session);
        Ok(Arc::new(HookSet::new(&hooks, &order, session)))
    }

    /// Whether the caller may write hooks that run in requests of others, or that call out.
    pub(crate) fn may_write_hooks(&self) -> bool {
        self.caller().has_any(&[Scope::HooksWrite])
    }

    /// The URL of a hook in the form in which it is called, or what is wrong with it.
    pub(crate) fn check_hook_url(&self, url: &str) -> Result<String, String> {
        self.hooks().check_url(url)
    }

    /// What calls hooks. Where this process calls none, each call is a failure.
    pub fn hook_caller(&self) -> &dyn Caller {
        match &self.hooks().webhooks {
            Some(webhooks) => webhooks,
            None => &NoNetwork,
        }
    }

    /// The client that hooks are called with; none where this process calls none.
    pub fn webhooks(&self) -> Option<&Webhooks> {
        self.hooks().webhooks.as_ref()
    }

    /// The hook of an id as it is now.
    pub(super) fn hook_of(&self, id: &str) -> Result<Option<Arc<Hook>>, StoreError> {
        if let Some(hook) = self.hooks().of_file(id) {
            return Ok(Some(Arc::clone(hook)));
        }
        Ok(self.loaded_hooks()?.hooks.iter().find(|hook| *hook.id == *id).cloned())
    }

    /// The tenant's hooks as they are stored now; where the store does not answer, as they were when
    /// it last did.
    pub(super) fn loaded_hooks(&self) -> Result<Arc<HookRevision>, StoreError> {
        let (hooks, tenant) = (self.hooks(), &self.caller().tenant);
        let known = hooks.loaded.get(tenant);
        let known_revision = known.as_ref().map(|known| known.revision);
        let read = self.tenant().read(|tx| {
            let revision = tx.hooks_revision()?;
            if Some(revision) == known_revision {
                return Ok(None);
            }
            Ok::<_, StoreError>(Some((revision, tx.hooks()?, tx.hook_orders()?)))
        });
        match (read, known) {
            (Ok(None), Some(known)) => Ok(known),
            (Ok(None), None) => Err(corrupt("the hooks have no revision")),
            // Nobody can change them either, as long as nobody reaches the store.
            (Err(StoreError::Unavailable(error)), Some(known)) => {
                tracing::debug!(%error, "the hooks are those that the store had last");
                Ok(known)
            }
            (Err(error), _) => Err(error),
            (Ok(Some((revision, rows, orders))), _) => {
                let loaded = Arc::new(hooks.load(tenant, revision, &rows, &orders)?);
                hooks.loaded.insert(Arc::clone(tenant), Arc::clone(&loaded));
                Ok(loaded)
            }
        }
    }
}

impl super::Hooks {
    fn load(
        &self,
        tenant: &str,
        revision: u64,
        rows: &[HookRow],
        orders: &[OrderRow],
    ) -> Result<HookRevision, StoreError> {
        let open = |row: &HookRow| Ok(Arc::new(opened(&self.keys, tenant, row)?));
        let hooks = rows.iter().map(open).collect::<Result<Vec<_>, StoreError>>()?;
        let orders = orders
            .iter()
            .map(|row| Ok((Arc::clone(&row.session), manifest(&row.manifest)?)))
            .collect::<Result<BTreeMap<_, _>, StoreError>>()?;
        let all: Vec<Arc<Hook>> = hooks.iter().chain(&self.file.hooks).cloned().collect();
        let everyone = HookSet::new(&all, &self.manifest(&orders, None), None);
        Ok(HookRevision { revision, hooks, orders, everyone: Arc::new(everyone) })
    }

    /// The manifest that holds for a session: the narrower one names a point, or the wider one.
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

    /// Whether anything is registered for this session alone.
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

/// A hook as it was stored, with what it proves itself with. One whose secrets do not open is
/// locked: to call it is a failure.
pub(super) fn opened(keys: &Keyring, tenant: &str, row: &HookRow) -> Result<Hook, StoreError> {
    let mut hook = bare(row)?;
    if let Some(sealed) = &row.sealed
        && let Err(error) = keys.open_hook(tenant, &mut hook, sealed)
    {
        tracing::warn!(hook.id = &*row.id, %error, "a hook's secrets cannot be read");
    }
    Ok(hook)
}

/// A hook as it was stored, without headers and secrets.
pub(super) fn bare(row: &HookRow) -> Result<Hook, StoreError> {
    let node = parsed(&row.definition)?;
    let mut faults = Faults::default();
    // It was judged when it was registered, and each address is judged when it is dialled.
    let keep = |url: &str| Ok(url.to_owned());
    let read = read_hook(&node, Path::Root, GivenId::Address(&row.id), &keep, &mut faults);
    let hook = read.filter(|_| faults.is_empty());
    let hook = hook.ok_or_else(|| corrupt("a stored hook is not valid"))?;
    // Guards that were registered before this could be said are mandatory.
    let mandatory = row.mandatory.or(Some(hook.kind == HookKind::Guard));
    let disabled_because = row.disabled.clone();
    Ok(Hook { revision: row.revision, mandatory, disabled_because, ..hook })
}

/// A stored manifest.
pub(super) fn manifest(text: &str) -> Result<Manifest, StoreError> {
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

/// Calls nothing: for commands that have no network, and for what calls nobody now.
#[derive(Debug)]
pub(crate) struct NoNetwork;

impl Caller for NoNetwork {
    fn call<'c>(&'c self, _: Call<'c>) -> CallFuture<'c> {
        let failure = CallFailure::new(FailureCause::Connect, "this program calls no hooks");
        let (answer, took) = (Err(failure), Duration::ZERO);
        Box::pin(async move { CallReply { answer, body: None, took, attempts: 0 } })
    }
}
