//! What observe hooks are told of a change of memory: ContextChef's words and PraisonAI's, in one
//! input.

use std::fmt::Write as _;

use crate::domain::{
    MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryTier, MemoryTtl, RawJson, word_of,
};
use crate::hook::{MemoryChangedInput, MemoryExpiredInput, Point, PointInput as _};
use crate::json::{JsonText, write_string};
use crate::request::MEMORY_TYPES;
use crate::store::{ObservedFact, Tx};

/// Notes a change, to be told once it is stored. `old`: the value before.
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

/// Notes that an entry's time is up.
pub(super) fn tell_expired(tx: &Tx<'_>, entry: &MemoryEntry) {
    tx.observe_fact(about(entry, Point::MemoryExpired, expired_entry(entry)));
}

/// Notes that nothing was there to be removed: mirrors hear of that too.
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

/// The input of `memory_changed` for an entry that is removed because its time is up.
pub(crate) fn changed_by_expiry(entry: &MemoryEntry) -> ObservedFact {
    let input = changed(entry, Some(&entry.value), MemoryAction::Expire, MemoryOrigin::Expiry);
    about(entry, Point::MemoryChanged, input)
}

/// What is told of an entry, which hooks match by the agent whose it is.
fn about(entry: &MemoryEntry, point: Point, input: String) -> ObservedFact {
    ObservedFact { agent: entry.scope.agent.clone(), ..ObservedFact::new(point.as_str(), input) }
}

/// The input of `memory_expired`: the whole entry.
pub(crate) fn expired_entry(entry: &MemoryEntry) -> String {
    MemoryExpiredInput { entry: JsonText::new(&entry_json(entry)) }.to_json()
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

fn text(out: &mut String, text: Option<&str>) {
    match text {
        Some(text) => write_string(out, text),
        None => out.push_str("null"),
    }
}

/// Writes an entry as JSON.
pub(crate) fn entry_json(entry: &MemoryEntry) -> String {
    let mut out = String::new();
    let MemoryScope { subject, session_id, agent } = &entry.scope;
    out.push_str("{\"key\":");
    write_string(&mut out, &entry.key);
    let _ = write!(out, ",\"value\":{},\"tags\":[", entry.value.as_str());
    for (at, tag) in entry.tags.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        write_string(&mut out, tag);
    }
    let _ = write!(
        out,
        "],\"importance\":{},\"tier\":\"{}\",\"version\":{},\"update_count\":{},\"metadata\":{}",
        entry.importance,
        word_of(MemoryTier::WORDS, entry.tier),
        entry.version,
        entry.update_count,
        entry.metadata.as_ref().map_or("null", |raw| raw.as_str()),
    );
    for (name, value) in [
        ("description", entry.description.as_deref()),
        ("source", entry.source.as_deref()),
        ("author", entry.author.as_deref()),
    ] {
        let _ = write!(out, ",\"{name}\":");
        text(&mut out, value);
    }
    let ttl = match entry.ttl {
        Some(MemoryTtl::Seconds(seconds)) => format!("{{\"seconds\":{seconds}}}"),
        Some(MemoryTtl::Turns(turns)) => format!("{{\"turns\":{turns}}}"),
        None => "null".to_owned(),
    };
    let expires_at = entry.expires_at.map_or("null".to_owned(), |at| format!("\"{at}\""));
    let turn = entry.expires_at_turn.map_or("null".to_owned(), |turn| turn.to_string());
    let _ = write!(
        out,
        ",\"ttl\":{ttl},\"expires_at\":{expires_at},\"expires_at_turn\":{turn},\
         \"created_at\":\"{}\",\"updated_at\":\"{}\",\"scope\":{{\"subject\":",
        entry.created_at, entry.updated_at
    );
    text(&mut out, subject.as_deref());
    out.push_str(",\"session_id\":");
    text(&mut out, session_id.as_deref());
    out.push_str(",\"agent\":");
    text(&mut out, agent.as_deref());
    out.push_str("}}");
    out
}
