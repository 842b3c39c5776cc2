//! Stored outcomes of hooks about tool results, so that a hook is not called twice about the same
//! result. The first committed outcome is kept for as long as the hook exists.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::hook::{Hook, HookKind, HookSet, OutcomeKey, OutcomeStore, Point, answered_key};
use crate::service::{Services, StoreError};
use crate::store::{HookOutcome, Tx};

/// The id of a hook, and the key of its input.
type OutcomeName = (Arc<str>, Arc<str>);

/// Outcomes that a request reads from the store, and those that it adds.
#[derive(Debug)]
pub(crate) struct HookOutcomes {
    services: Services,
    /// The hooks of the request that are not inline. Only their outcomes are stored.
    registered: BTreeSet<Arc<str>>,
    /// Outcomes that the request stores with its other effects, so that the store does not have them
    /// yet.
    pending: OnceLock<BTreeMap<OutcomeName, Arc<str>>>,
    new: Mutex<BTreeMap<OutcomeName, Arc<str>>>,
}

impl HookOutcomes {
    /// Returns none if the set has no hook about results.
    pub(crate) fn for_set(
        services: &Services,
        set: &HookSet,
    ) -> Result<Option<Arc<Self>>, StoreError> {
        let kept = [Point::ToolResult, Point::CompressFormat];
        let asked: Vec<&Arc<Hook>> = kept.iter().flat_map(|point| set.hooks_at(*point)).collect();
        if asked.is_empty() {
            return Ok(None);
        }
        let loaded = services.loaded_hooks()?;
        let known = loaded.hooks.iter().chain(&services.hooks().file.hooks);
        let is_asked = |hook: &&Arc<Hook>| asked.iter().any(|asked| Arc::ptr_eq(asked, hook));
        let registered = known.filter(is_asked).map(|hook| Arc::clone(&hook.id)).collect();
        let new = Mutex::default();
        let (services, pending) = (services.clone(), OnceLock::new());
        Ok(Some(Arc::new(Self { services, registered, pending, new })))
    }

    /// Sets the outcomes that are found before they are stored, once.
    pub(crate) fn set_pending(&self, outcomes: &[HookOutcome]) {
        let name = |one: &HookOutcome| (Arc::clone(&one.hook), Arc::clone(&one.key));
        let pending = outcomes.iter().map(|one| (name(one), Arc::clone(&one.answer)));
        // A request is made for one turn.
        let _ = self.pending.set(pending.collect());
    }

    /// Notes an outcome for results in a response, so that hooks are not called when a client sends
    /// them back. `inputs` are the results as hooks would get them.
    pub(crate) fn answered(&self, set: &HookSet, inputs: &[String]) {
        self.answered_for(set, inputs, |_| true);
    }

    /// As [`Self::answered`], for the hooks that `is_meant` accepts.
    pub(crate) fn answered_for(
        &self,
        set: &HookSet,
        inputs: &[String],
        is_meant: impl Fn(&Hook) -> bool,
    ) {
        let hooks = set.hooks_at(Point::ToolResult).iter();
        let hooks = hooks.filter(|hook| self.keeps(hook) && is_meant(hook));
        let keys: Vec<String> =
            inputs.iter().map(|input| answered_key(Point::ToolResult, input)).collect();
        for hook in hooks {
            let outcome =
                if hook.kind == HookKind::Transform { "{\"action\":\"unchanged\"}" } else { "" };
            for key in &keys {
                self.keep(hook, key, outcome);
            }
        }
    }

    /// Takes the outcomes to be stored.
    pub(crate) fn take(&self) -> Vec<HookOutcome> {
        let new = std::mem::take(&mut *self.new.lock().unwrap_or_else(PoisonError::into_inner));
        let one = |((hook, key), answer): (OutcomeName, _)| HookOutcome { hook, key, answer };
        new.into_iter().map(one).collect()
    }

    fn read(&self, asks: &[OutcomeKey<'_>]) -> Result<Vec<Option<Arc<str>>>, StoreError> {
        let mut keys: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for ask in asks.iter().filter(|ask| self.keeps(ask.hook)) {
            keys.entry(&ask.hook.id).or_default().extend([ask.key, ask.answered]);
        }
        let read = |tx: &Tx<'_>| {
            let mut known = HashMap::new();
            for (hook, keys) in &keys {
                known.insert(*hook, tx.hook_outcomes(hook, keys)?);
            }
            Ok::<_, StoreError>(known)
        };
        let known = self.services.tenant().read(read)?;
        let pending = self.pending.get();
        let one = |ask: &OutcomeKey<'_>| {
            let find = |key: &str| pending?.get(&(Arc::clone(&ask.hook.id), key.into()));
            if let Some(answer) = find(ask.key).or_else(|| find(ask.answered)) {
                return Some(Arc::clone(answer));
            }
            let known = known.get(&*ask.hook.id)?;
            known.get(ask.key).or_else(|| known.get(ask.answered)).cloned()
        };
        Ok(asks.iter().map(one).collect())
    }
}

impl OutcomeStore for HookOutcomes {
    fn keeps(&self, hook: &Hook) -> bool {
        self.registered.contains(&hook.id)
    }

    fn find(&self, asks: &[OutcomeKey<'_>]) -> Vec<Option<Arc<str>>> {
        self.read(asks).unwrap_or_else(|error| {
            tracing::warn!(
                %error,
                "stored outcomes of hooks could not be read; the hooks are called again"
            );
            asks.iter().map(|_| None).collect()
        })
    }

    fn keep(&self, hook: &Hook, key: &str, answer: &str) {
        if self.keeps(hook) {
            let mut new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
            new.entry((Arc::clone(&hook.id), key.into())).or_insert_with(|| answer.into());
        }
    }
}

/// Deletes outcomes of hooks that no longer exist.
pub(crate) fn forget_gone(services: &Services) -> Result<(), StoreError> {
    let known = services.tenant().read(|tx| tx.hooks_with_outcomes())?;
    if known.is_empty() {
        return Ok(());
    }
    let hooks = services.hooks().file.hooks.iter().map(|hook| Arc::clone(&hook.id));
    let of_file: BTreeSet<Arc<str>> = hooks.collect();
    for id in known.into_iter().filter(|id| !of_file.contains(id)) {
        if services.tenant().read(|tx| tx.hook(&id))?.is_some() {
            continue;
        }
        let forget = move |tx: &Tx<'_>| match tx.hook(&id)? {
            // It was registered again.
            Some(_) => Ok(false),
            None => tx.forget_outcomes_of(&id),
        };
        while services.tenant().write(forget.clone())? {}
    }
    Ok(())
}
