//! What observe hooks are told of a change of memory: ContextChef's words and PraisonAI's, in one
//! input.

use std::fmt::Write as _;

use crate::domain::{
    MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryTier, MemoryTtl, RawJson, word_of,
};
use crate::hook::Point;
use crate::json::write_string;
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
    let mut out = String::from("{\"type\":\"delete\",\"key\":");
    text(&mut out, key);
    out.push_str(",\"value\":null,\"old_value\":null,\"action\":\"remove\",\"target\":");
    write_string(&mut out, word_of(MEMORY_TYPES, tier));
    out.push_str(",\"content\":");
    write_string(&mut out, content);
    out.push_str(",\"metadata\":null,\"memory_id\":");
    text(&mut out, key);
    out.push_str(",\"affected\":0,\"origin\":\"direct\"}");
    tx.observe_fact(ObservedFact::new(Point::MemoryChanged.as_str(), out));
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
    let mut out = String::from("{\"entry\":");
    write_entry(&mut out, entry);
    out.push('}');
    out
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
    let raw = |value: Option<&RawJson>| value.map_or("null", RawJson::as_str).to_owned();
    let mut out = format!("{{\"type\":\"{kind}\",\"key\":");
    write_string(&mut out, &entry.key);
    let value = raw(stays.then_some(&entry.value));
    let _ = write!(out, ",\"value\":{value},\"old_value\":{}", raw(old));
    let _ = write!(
        out,
        ",\"action\":\"{verb}\",\"target\":\"{}\",\"content\":",
        word_of(MEMORY_TYPES, entry.tier)
    );
    write_string(&mut out, &entry.text());
    let _ = write!(out, ",\"metadata\":{},\"memory_id\":", raw(entry.metadata.as_ref()));
    write_string(&mut out, &entry.key);
    let origin = word_of(MemoryOrigin::WORDS, origin);
    let _ = write!(out, ",\"affected\":1,\"origin\":\"{origin}\"}}");
    out
}

fn text(out: &mut String, text: Option<&str>) {
    match text {
        Some(text) => write_string(out, text),
        None => out.push_str("null"),
    }
}

/// Appends an entry as JSON.
pub(crate) fn write_entry(out: &mut String, entry: &MemoryEntry) {
    let MemoryScope { subject, session_id, agent } = &entry.scope;
    out.push_str("{\"key\":");
    write_string(out, &entry.key);
    let _ = write!(out, ",\"value\":{},\"tags\":[", entry.value.as_str());
    for (at, tag) in entry.tags.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        write_string(out, tag);
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
        text(out, value);
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
    text(out, subject.as_deref());
    out.push_str(",\"session_id\":");
    text(out, session_id.as_deref());
    out.push_str(",\"agent\":");
    text(out, agent.as_deref());
    out.push_str("}}");
}
