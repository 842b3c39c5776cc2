//! Facts of memory for observe hooks: the words of ContextChef and of PraisonAI in one input.

use crate::domain::{MemoryAction, MemoryEntry, MemoryOrigin, MemoryTier, RawJson, word_of};
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
    tx.observe_fact(about(entry, Point::MemoryExpired, expired_entry(entry)));
}

/// Records a removal that found no entry, because hooks that mirror memory need it, too.
pub(super) fn tell_nothing_removed(
    tx: &Tx<'_>,
    content: &str,
    key: Option<&str>,
    tier: MemoryTier,
) {
    let input = MemoryChangedInput {
        kind: "delete",
        key,
        value: None,
        old_value: None,
        action: "remove",
        target: word_of(MEMORY_TYPES, tier),
        content,
        metadata: None,
        memory_id: key,
        affected: 0,
        origin: word_of(MemoryOrigin::WORDS, MemoryOrigin::Direct),
    };
    tx.observe_fact(ObservedFact::new(Point::MemoryChanged.as_str(), input.to_json()));
}

/// The fact that an entry was removed because it expired.
pub(crate) fn changed_by_expiry(entry: &MemoryEntry) -> ObservedFact {
    let input = changed(entry, Some(&entry.value), MemoryAction::Expire, MemoryOrigin::Expiry);
    about(entry, Point::MemoryChanged, input)
}

/// A fact about an entry; hooks match it by the agent of the entry.
fn about(entry: &MemoryEntry, point: Point, input: String) -> ObservedFact {
    ObservedFact { agent: entry.scope.agent.clone(), ..ObservedFact::new(point.as_str(), input) }
}

/// Writes the input at `memory_expired`: the whole entry.
pub(crate) fn expired_entry(entry: &MemoryEntry) -> String {
    MemoryExpiredInput { entry: entry.into() }.to_json()
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
        MemoryAction::Set | MemoryAction::Restore | MemoryAction::Supersede if old.is_none() => {
            ("set", "add", true)
        }
        MemoryAction::Set | MemoryAction::Restore | MemoryAction::Supersede => {
            ("set", "replace", true)
        }
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
        memory_id: Some(&entry.key),
        affected: 1,
        origin: word_of(MemoryOrigin::WORDS, origin),
    }
    .to_json()
}
