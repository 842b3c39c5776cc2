//! Writes the state of a session as the document of a snapshot, which any server can read.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::domain::{
    Classification, MemoryEntry, MemoryStatus, MemoryTier, MemoryTtl, RawJson, SentHistory,
    SessionState, SnapshotHead, Source, word_of,
};
use crate::json;
use crate::request::SNAPSHOT_FORMAT;

#[derive(Serialize)]
struct SessionDocument<'s> {
    turns: u64,
    defaults: Option<Box<RawValue>>,
    compaction_points: &'s [u64],
    calibration: Vec<Calibration<'s>>,
    memory: Vec<DocumentEntry<'s>>,
    /// That entries which a model wrote are `captured`. Documents of earlier releases lack it, and
    /// have them as `promoted`.
    has_captured: bool,
    source: Option<&'static str>,
    /// What was sent to models that bind thinking to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<&'s SentHistory>,
    /// The most tokens that one compile left out, before any factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed_tokens: Option<u64>,
}

#[derive(Serialize)]
struct Calibration<'s> {
    model: &'s str,
    factor: Option<f64>,
    /// The factors of the last reports, the newest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    factors: Vec<f64>,
    reports: u64,
    /// Tokens of the last payload, before any factor.
    tokens: u64,
}

#[derive(Serialize)]
struct DocumentEntry<'s> {
    key: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pack_tenant: Option<&'s str>,
    value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'s str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'s str>,
    importance: f64,
    tier: &'static str,
    classification: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Box<RawValue>>,
    version: u64,
    update_count: u64,
    created_at_us: i64,
    updated_at_us: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<DocumentTtl>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at_us: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at_turn: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum DocumentTtl {
    Seconds(u64),
    Turns(u64),
}

/// Writes a state without its messages, as a JSON object.
pub(super) fn write(state: &SessionState) -> String {
    let document = SessionDocument {
        turns: state.turns,
        defaults: state.defaults.as_ref().and_then(raw),
        compaction_points: &state.points,
        calibration: state
            .measured
            .iter()
            .map(|known| Calibration {
                model: &known.model,
                factor: known.factor_milli.map(from_milli),
                factors: known.reported_milli.iter().copied().map(from_milli).collect(),
                reports: known.reports,
                tokens: known.raw,
            })
            .collect(),
        memory: state.memory.iter().map(entry).collect(),
        has_captured: true,
        source: state.source.map(Source::as_str),
        sent: Some(&*state.sent).filter(|sent| !sent.is_empty()),
        removed_tokens: Some(state.removed).filter(|removed| *removed > 0),
    };
    // A document is plain data with string keys: serialising it cannot fail.
    serde_json::to_string(&document).unwrap_or_default()
}

/// Writes a snapshot: its head, the members of `document` and the messages.
pub(super) fn whole(head: &SnapshotHead, document: &str, messages: &[RawJson]) -> String {
    let mut text = format!("{{\"format\":\"{SNAPSHOT_FORMAT}\",\"id\":");
    json::write_string(&mut text, &head.id);
    text.push_str(",\"session_id\":");
    json::write_string(&mut text, &head.session);
    text.push_str(",\"label\":");
    match &head.label {
        Some(label) => json::write_string(&mut text, label),
        None => text.push_str("null"),
    }
    text.push_str(",\"created_at\":");
    json::write_string(&mut text, &head.created_at.to_string());
    text.push(',');
    let members = document.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    text.push_str(members.unwrap_or_default());
    text.push_str(",\"messages\":[");
    for (at, message) in messages.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(message.as_str());
    }
    text.push_str("]}");
    text
}

fn entry(entry: &MemoryEntry) -> DocumentEntry<'_> {
    DocumentEntry {
        key: &entry.key,
        subject: entry.scope.subject.as_deref(),
        agent: entry.scope.agent.as_deref(),
        pack_tenant: entry.scope.pack_tenant.as_deref(),
        value: raw(&entry.value),
        description: entry.description.as_deref(),
        tags: entry.tags.iter().map(|tag| &**tag).collect(),
        importance: entry.importance,
        tier: word_of(MemoryTier::WORDS, entry.tier),
        classification: word_of(Classification::WORDS, entry.classification),
        status: word_of(MemoryStatus::WORDS, entry.status),
        source: entry.source.as_deref(),
        author: entry.author.as_deref(),
        metadata: entry.metadata.as_ref().and_then(raw),
        version: entry.version,
        update_count: entry.update_count,
        created_at_us: entry.created_at.micros(),
        updated_at_us: entry.updated_at.micros(),
        ttl: entry.ttl.map(|ttl| match ttl {
            MemoryTtl::Seconds(seconds) => DocumentTtl::Seconds(seconds),
            MemoryTtl::Turns(turns) => DocumentTtl::Turns(turns),
        }),
        expires_at_us: entry.expires_at.map(|at| at.micros()),
        expires_at_turn: entry.expires_at_turn,
    }
}

fn from_milli(milli: u32) -> f64 {
    f64::from(milli) / 1000.0
}

fn raw(json: &RawJson) -> Option<Box<RawValue>> {
    RawValue::from_string(json.as_str().to_owned()).ok()
}
