//! Snapshots of sessions, as they are exported and restored.

use std::sync::Arc;

use super::memory::{name, read_key, read_write};
use super::{is_session_id, read_session_id};
use crate::domain::{
    Classification, MAX_CALIBRATED_MODELS, MAX_REPORTED_FACTORS, MemoryEntry, MemoryScope,
    MemoryStatus, MemoryTier, ModelCalibration, RawJson, SentHistory, SessionState, Source,
    Timestamp,
};
use crate::json::{Fault, Faults, Fields, Node, Path};
use crate::provider::{MAX_MESSAGES, detect_in};

/// The format of a snapshot; another number is another format.
pub const SNAPSHOT_FORMAT: &str = "contexture-session/1";

/// Bytes of a label.
const MAX_LABEL_BYTES: usize = 256;
const MAX_ENTRIES: usize = 100_000;
const MAX_POINTS: usize = 10_000;
/// A limit above any real count.
const MAX_COUNT: u64 = 1 << 40;
/// Limits of a factor, in thousandths. Snapshots of earlier releases have such factors; those that
/// are implausible are forgotten when the snapshot is restored.
const MIN_FACTOR_MILLI: u32 = 10;
const MAX_FACTOR_MILLI: u32 = 10_000_000;

const KEYS: &[&str] = &[
    "format",
    "id",
    "session_id",
    "label",
    "created_at",
    "turns",
    "defaults",
    "compaction_points",
    "calibration",
    "memory",
    "has_captured",
    "source",
    "sent",
    "removed_tokens",
    "messages",
];
const ENTRY_KEYS: &[&str] = &[
    "key",
    "subject",
    "agent",
    "pack_tenant",
    "value",
    "description",
    "tags",
    "importance",
    "tier",
    "classification",
    "status",
    "source",
    "author",
    "metadata",
    "version",
    "update_count",
    "created_at_us",
    "updated_at_us",
    "ttl",
    "expires_at_us",
    "expires_at_turn",
];

/// The body of `POST /sessions/{id}/restore`.
#[derive(Debug, Clone, PartialEq)]
pub enum RestoreSession {
    /// A snapshot that is kept here.
    Kept(Arc<str>),
    /// A snapshot in the request, from this service or another.
    Given(Box<SessionState>),
}

/// The body of `POST /sessions/{id}/snapshots`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakeSnapshot {
    pub label: Option<Arc<str>>,
}

/// Reads the source of a restored session; entries move to the scope of `session`.
pub fn read_session_restore(body: &Node<'_>, session: &str) -> Result<RestoreSession, Vec<Fault>> {
    let mut faults = Faults::default();
    let known = &["snapshot_id", "snapshot"];
    let Some(fields) = Fields::read(body, Path::Root, known, &mut faults) else {
        return Err(faults.into_vec());
    };
    let id = fields.text_without_nul("snapshot_id", &mut faults);
    let given = fields.get("snapshot");
    let restore = match (id, given) {
        (Some(id), None) => Some(RestoreSession::Kept(id.into())),
        (None, Some(node)) => {
            let path = fields.path().key("snapshot");
            let state = read_snapshot(node, path, session, &mut faults);
            state.map(|state| RestoreSession::Given(Box::new(state)))
        }
        // The key is there, and its fault is reported already.
        (None, None) if fields.get("snapshot_id").is_some() => None,
        _ => {
            faults.add(&Path::Root, "must hold either `snapshot_id` or `snapshot`");
            None
        }
    };
    match restore {
        Some(restore) if faults.is_empty() => Ok(restore),
        _ => Err(faults.into_vec()),
    }
}

/// Reads the label of a new snapshot.
pub fn read_take_snapshot(body: &Node<'_>) -> Result<TakeSnapshot, Vec<Fault>> {
    let mut faults = Faults::default();
    let Some(fields) = Fields::read(body, Path::Root, &["label"], &mut faults) else {
        return Err(faults.into_vec());
    };
    let label = read_label(&fields, &mut faults);
    if faults.is_empty() { Ok(TakeSnapshot { label }) } else { Err(faults.into_vec()) }
}

fn read_label(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Arc<str>> {
    let label = fields.text("label", faults)?;
    if label.len() > MAX_LABEL_BYTES || label.chars().any(char::is_control) {
        let detail = format!("must be at most {MAX_LABEL_BYTES} bytes without control characters");
        fields.fault("label", detail, faults);
        return None;
    }
    Some(label.into())
}

/// Reads a snapshot; its entries move to the scope of `session`.
pub fn read_snapshot(
    node: &Node<'_>,
    path: Path<'_>,
    session: &str,
    faults: &mut Faults,
) -> Option<SessionState> {
    let fields = Fields::read(node, path, KEYS, faults)?;
    if fields.text("format", faults) != Some(SNAPSHOT_FORMAT) {
        fields.fault("format", format!("must be `{SNAPSHOT_FORMAT}`"), faults);
    }
    read_session_id(&fields, "session_id", faults);
    read_label(&fields, faults);
    let source = fields.choice("source", Source::WORDS, faults);
    let messages = fields.list("messages", MAX_MESSAGES, faults);
    if source.is_none() && detect_in(messages).is_some() {
        fields.fault("source", "is missing: the messages have a shape of their own", faults);
    }
    Some(SessionState {
        turns: fields.whole("turns", 0, MAX_COUNT, faults).unwrap_or(0),
        defaults: fields.get("defaults").map(|node| RawJson::new(node.raw)),
        // A document cannot prove who wrote its hooks.
        hooks_scoped: false,
        points: points(&fields, faults),
        measured: measured(&fields, faults),
        sent: Arc::new(sent(&fields, faults)),
        removed: fields.whole("removed_tokens", 0, MAX_COUNT, faults).unwrap_or(0),
        memory: memory(&fields, session, faults),
        source: source.filter(|_| !messages.is_empty()),
        messages: messages.iter().map(|node| RawJson::new(node.raw)).collect(),
    })
}

fn points(fields: &Fields<'_, '_>, faults: &mut Faults) -> Vec<u64> {
    let items = fields.list("compaction_points", MAX_POINTS, faults);
    let list = fields.path().key("compaction_points");
    let mut points: Vec<u64> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match item.as_u64().filter(|point| (1..=MAX_COUNT).contains(point)) {
            Some(point) if points.last().is_none_or(|last| *last < point) => points.push(point),
            _ => faults.add(&list.index(index), "must be a whole number above the one before"),
        }
    }
    points
}

fn sent(fields: &Fields<'_, '_>, faults: &mut Faults) -> SentHistory {
    let Some(node) = fields.get("sent").filter(|node| !node.is_null()) else {
        return SentHistory::default();
    };
    let read = serde_json::from_str(node.raw).map_err(|error| error.to_string());
    match read.and_then(|sent: SentHistory| sent.check().map(|()| sent)) {
        Ok(sent) => sent,
        Err(detail) => {
            fields.fault("sent", detail, faults);
            SentHistory::default()
        }
    }
}

fn measured(fields: &Fields<'_, '_>, faults: &mut Faults) -> Vec<ModelCalibration> {
    let items = fields.list("calibration", MAX_CALIBRATED_MODELS, faults);
    let list = fields.path().key("calibration");
    let mut found: Vec<ModelCalibration> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let known = &["model", "factor", "factors", "reports", "tokens"];
        let place = list.index(index);
        let Some(given) = Fields::read(item, place, known, faults) else { continue };
        let Some(model) = given.text_without_nul("model", faults) else {
            given.fault("model", "is missing", faults);
            continue;
        };
        found.push(ModelCalibration {
            model: model.into(),
            raw: given.whole("tokens", 0, MAX_COUNT, faults).unwrap_or(0),
            factor_milli: given.milli("factor", MIN_FACTOR_MILLI, MAX_FACTOR_MILLI, faults),
            reports: given.whole("reports", 0, MAX_COUNT, faults).unwrap_or(0),
            reported_milli: given.millis(
                "factors",
                MAX_REPORTED_FACTORS,
                MIN_FACTOR_MILLI..=MAX_FACTOR_MILLI,
                faults,
            ),
        });
    }
    found
}

fn memory(fields: &Fields<'_, '_>, session: &str, faults: &mut Faults) -> Vec<MemoryEntry> {
    let items = fields.list("memory", MAX_ENTRIES, faults);
    let list = fields.path().key("memory");
    // Documents of earlier releases have what a model wrote as promoted, and do not say which it is:
    // the entries wait for a review.
    let has_captured = fields.flag("has_captured", faults).unwrap_or(false);
    let mut found: Vec<MemoryEntry> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let place = list.index(index);
        let Some(given) = Fields::read(item, place, ENTRY_KEYS, faults) else { continue };
        let Some(mut entry) = entry(&given, session, faults) else { continue };
        if !has_captured && entry.status == MemoryStatus::Promoted {
            entry.status = MemoryStatus::Captured;
        }
        if found.iter().any(|known| known.key == entry.key && known.scope == entry.scope) {
            given.fault("key", "stands twice in one scope", faults);
        }
        found.push(entry);
    }
    found
}

/// An entry as it was, its history aside.
fn entry(fields: &Fields<'_, '_>, session: &str, faults: &mut Faults) -> Option<MemoryEntry> {
    let write = read_write(fields, true, faults);
    let key = read_key(fields, faults)?;
    let at = |name: &str, faults: &mut Faults| {
        fields.integer(name, i64::MIN, i64::MAX, faults).map(Timestamp::from_micros)
    };
    let created_at = at("created_at_us", faults).unwrap_or_default();
    Some(MemoryEntry {
        scope: MemoryScope {
            subject: name(fields, "subject", faults),
            session_id: is_session_id(session).then(|| session.into()),
            agent: name(fields, "agent", faults),
            pack_tenant: name(fields, "pack_tenant", faults),
        },
        key,
        value: write.value?,
        description: write.description,
        tags: write.tags.unwrap_or_default(),
        importance: write.importance.unwrap_or(0.5),
        tier: write.tier.unwrap_or(MemoryTier::Semantic),
        classification: write.classification.unwrap_or(Classification::Internal),
        status: fields
            .choice("status", MemoryStatus::WORDS, faults)
            .unwrap_or(MemoryStatus::Promoted),
        source: write.source,
        author: write.author,
        metadata: write.metadata,
        version: fields.whole("version", 1, MAX_COUNT, faults).unwrap_or(1),
        update_count: fields.whole("update_count", 0, MAX_COUNT, faults).unwrap_or(1),
        created_at,
        updated_at: at("updated_at_us", faults).unwrap_or(created_at),
        ttl: write.ttl.flatten(),
        expires_at: at("expires_at_us", faults),
        expires_at_turn: fields.whole("expires_at_turn", 0, MAX_COUNT, faults),
    })
}
