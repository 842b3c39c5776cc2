//! Facts of memory for observe hooks: the words of ContextChef and of PraisonAI in one input.

use crate::domain::{
    MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryTier, RawJson, word_of,
};
use crate::hook::{MemoryChangedInput, MemoryExpiredInput, Point, PointInput as _};
use crate::request::MEMORY_TYPES;
use crate::store::{ObservedFact, Tx};

/// Records a change for observe hooks. `old`: the value before.
pub(super) fn tell_changed(
    tx: &Tx<'_>,
    entry: &MemoryEntry,
    old: Option<&RawJson>,
    action: MemoryAction,
    origin: MemoryOrigin,
) {
    let input = changed(entry, old, action, origin);
    tx.observe_fact(about(entry, Point::MemoryChanged, input));
}

/// Records that an entry expired.
pub(super) fn tell_expired(tx: &Tx<'_>, entry: &MemoryEntry) {
    let input = MemoryExpiredInput { entry: entry.into() }.to_json();
    tx.observe_fact(about(entry, Point::MemoryExpired, input));
}

/// Records a removal that found no entry, because hooks that mirror memory need it, too.
pub(super) fn tell_nothing_removed(
    tx: &Tx<'_>,
    content: &str,
    scope: &MemoryScope,
    key: Option<&str>,
    tier: MemoryTier,
) {
    let id = key.map(|key| scope.entry_id(key));
    let input = MemoryChangedInput {
        kind: "delete",
        key,
        value: None,
        old_value: None,
        action: "remove",
        target: word_of(MEMORY_TYPES, tier),
        content,
        metadata: None,
        memory_id: id.as_deref(),
        affected: 0,
        origin: word_of(MemoryOrigin::WORDS, MemoryOrigin::Direct),
        scope: scope.into(),
    };
    tx.observe_fact(ObservedFact::new(Point::MemoryChanged.as_str(), input.to_json()));
}

/// A fact about an entry; hooks match it by the agent of the entry.
fn about(entry: &MemoryEntry, point: Point, input: String) -> ObservedFact {
    ObservedFact { agent: entry.scope.agent.clone(), ..ObservedFact::new(point.as_str(), input) }
}

fn changed(
    entry: &MemoryEntry,
    old: Option<&RawJson>,
    action: MemoryAction,
    origin: MemoryOrigin,
) -> String {
    let (kind, verb, stays) = match action {
        MemoryAction::Delete | MemoryAction::Retract => ("delete", "remove", false),
        MemoryAction::Expire => ("expire", "expire", false),
        MemoryAction::Set
        | MemoryAction::Restore
        | MemoryAction::Supersede
        | MemoryAction::Promote => ("set", if old.is_none() { "add" } else { "replace" }, true),
    };
    MemoryChangedInput {
        kind,
        key: Some(&entry.key),
        value: stays.then(|| entry.value.as_json()),
        old_value: old.map(RawJson::as_json),
        action: verb,
        target: word_of(MEMORY_TYPES, entry.tier),
        content: &entry.text(),
        metadata: entry.metadata.as_ref().map(RawJson::as_json),
        memory_id: Some(&entry.scope.entry_id(&entry.key)),
        affected: 1,
        origin: word_of(MemoryOrigin::WORDS, origin),
        scope: (&entry.scope).into(),
    }
    .to_json()
}
