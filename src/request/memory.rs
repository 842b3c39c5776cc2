//! The bodies of `/memory`.

use std::sync::Arc;

use crate::domain::{Classification, MemoryScope, MemoryStatus, MemoryTier, MemoryTtl, RawJson};
use crate::json::{self, Fault, Faults, Fields, Limits, Node, Path};

/// Bytes of a key.
const MAX_KEY_BYTES: usize = 256;
/// Bytes of a value's JSON.
pub(super) const MAX_VALUE_BYTES: usize = 64 << 10;
/// Bytes of a description, and of metadata.
pub(super) const MAX_DESCRIPTION_BYTES: usize = 4 << 10;
const MAX_METADATA_BYTES: usize = 16 << 10;
const MAX_TAGS: usize = 32;
/// Bytes of a tag, a subject, an agent, a source, an author.
pub(super) const MAX_NAME_BYTES: usize = 256;
/// Seconds that an entry or a session can live: a hundred years.
pub(super) const MAX_TTL_SECONDS: u64 = 100 * 365 * 86_400;
const MAX_TTL_TURNS: u64 = 1 << 40;

pub const MEMORY_PUT_KEYS: &[&str] = &[
    "value",
    "description",
    "ttl",
    "importance",
    "tags",
    "scope",
    "tier",
    "classification",
    "source",
    "author",
    "metadata",
];

/// A change of an entry. Absent fields keep their values, or get their defaults if the entry is
/// new.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryWrite {
    pub value: Option<RawJson>,
    pub description: Option<Arc<str>>,
    /// Absent: as before; null: none.
    pub ttl: Option<Option<MemoryTtl>>,
    pub importance: Option<f64>,
    pub tags: Option<Vec<Arc<str>>>,
    pub tier: Option<MemoryTier>,
    pub classification: Option<Classification>,
    pub status: Option<MemoryStatus>,
    pub source: Option<Arc<str>>,
    pub author: Option<Arc<str>>,
    pub metadata: Option<RawJson>,
}

/// Reads the body of a `PUT` or, if `partial`, of a `PATCH`. `query`: the scope in the query.
pub fn read_memory_write(
    body: &Node<'_>,
    key: &str,
    partial: bool,
    query: &MemoryScope,
) -> Result<(MemoryScope, MemoryWrite), Vec<Fault>> {
    let mut faults = Faults::default();
    check_key(key, &Path::Root, &mut faults);
    let fields = Fields::read(body, Path::Root, MEMORY_PUT_KEYS, &mut faults);
    let Some(fields) = fields else { return Err(faults.into_vec()) };
    let scope = read_scope_or(&fields, query, &mut faults);
    let write = read_write(&fields, !partial, &mut faults);
    turns_need_a_session(&fields, &write, &scope, &mut faults);
    if faults.is_empty() { Ok((scope, write)) } else { Err(faults.into_vec()) }
}

/// One line of an import: a key, with the members of a `PUT`.
pub fn read_memory_line(line: &str, number: usize) -> Result<ImportLine, Vec<Fault>> {
    let list = Path::Root;
    let place = list.index(number);
    let mut faults = Faults::default();
    let node = match json::parse(line, Limits::default()) {
        Ok(node) => node,
        Err(error) => {
            faults.add(&place, format!("is not JSON: {error}"));
            return Err(faults.into_vec());
        }
    };
    let mut known = vec!["key", "status"];
    known.extend(MEMORY_PUT_KEYS);
    // Further members of an export are ignored: the service sets them again.
    known.extend(["version", "update_count", "created_at", "updated_at", "expires_at"]);
    known.push("expires_at_turn");
    let Some(fields) = Fields::read(&node, place, &known, &mut faults) else {
        return Err(faults.into_vec());
    };
    let key = read_key(&fields, &mut faults);
    let scope = read_scope(&fields, &mut faults);
    let mut write = read_write(&fields, true, &mut faults);
    write.status = fields.choice("status", MemoryStatus::WORDS, &mut faults);
    turns_need_a_session(&fields, &write, &scope, &mut faults);
    match key {
        Some(key) if faults.is_empty() => Ok(ImportLine { key, scope, write }),
        _ => Err(faults.into_vec()),
    }
}

/// An entry that is imported.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportLine {
    pub key: Arc<str>,
    pub scope: MemoryScope,
    pub write: MemoryWrite,
}

/// The body of `POST /memory/recall`.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallRequest {
    pub scope: MemoryScope,
    pub query: Option<Arc<str>>,
    pub max_tokens: u64,
    pub tags: Vec<Arc<str>>,
}

/// Reads the body of `POST /memory/recall`.
pub fn read_recall(body: &Node<'_>) -> Result<RecallRequest, Vec<Fault>> {
    let mut faults = Faults::default();
    let known = &["scope", "query", "max_tokens", "tags"];
    let Some(fields) = Fields::read(body, Path::Root, known, &mut faults) else {
        return Err(faults.into_vec());
    };
    let request = RecallRequest {
        scope: read_scope(&fields, &mut faults),
        query: fields.text("query", &mut faults).map(Into::into),
        max_tokens: fields.whole("max_tokens", 0, 1 << 40, &mut faults).unwrap_or(2_000),
        tags: read_tags(&fields, &mut faults).unwrap_or_default(),
    };
    if faults.is_empty() { Ok(request) } else { Err(faults.into_vec()) }
}

/// The members of a scope.
const SCOPE_KEYS: &[&str] = &["subject", "session_id", "agent", "pack_tenant"];

/// Reads `scope`: `{subject?, session_id?, agent?, pack_tenant?}`.
pub(super) fn read_scope(fields: &Fields<'_, '_>, faults: &mut Faults) -> MemoryScope {
    let Some(node) = fields.get("scope") else { return MemoryScope::default() };
    let path = fields.path().key("scope");
    let Some(given) = Fields::read(node, path, SCOPE_KEYS, faults) else {
        return MemoryScope::default();
    };
    let mut part = |key: &str| name(&given, key, faults);
    MemoryScope {
        subject: part("subject"),
        session_id: part("session_id"),
        agent: part("agent"),
        pack_tenant: part("pack_tenant"),
    }
}

/// Reads `scope` if it is named; null counts as absent.
pub(super) fn read_named_scope(
    fields: &Fields<'_, '_>,
    faults: &mut Faults,
) -> Option<MemoryScope> {
    fields.get("scope").map(|_| read_scope(fields, faults))
}

/// The scopes of a model's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryScopes {
    /// The scope of the entries that it sees.
    pub visible: MemoryScope,
    /// The scope of the entries that it creates.
    pub written: MemoryScope,
}

impl MemoryScopes {
    /// A named scope is written to as it is, and the entries of the session are visible in addition.
    /// Without one, the model sees and writes the entries of the session.
    pub fn new(named: Option<MemoryScope>, session: Option<Arc<str>>) -> Self {
        let own = MemoryScope { session_id: session, ..MemoryScope::default() };
        let written = named.unwrap_or_else(|| own.clone());
        let session_id = written.session_id.clone().or(own.session_id);
        Self { visible: MemoryScope { session_id, ..written.clone() }, written }
    }
}

/// Reads `scope`, or takes the scope of the query if the body has none. A body and a query must not
/// name different scopes.
fn read_scope_or(fields: &Fields<'_, '_>, query: &MemoryScope, faults: &mut Faults) -> MemoryScope {
    if fields.get("scope").is_none() {
        let MemoryScope { subject, session_id, agent, pack_tenant } = query;
        let place = fields.path().key("scope");
        let parts = [subject, session_id, agent, pack_tenant];
        for (key, part) in SCOPE_KEYS.iter().zip(parts) {
            if let Some(text) = part {
                check_name(text, &place.key(key), faults);
            }
        }
        return query.clone();
    }
    let mut own = Faults::default();
    let scope = read_scope(fields, &mut own);
    if own.is_empty() && *query != MemoryScope::default() && *query != scope {
        fields.fault("scope", "the query names another scope", &mut own);
    }
    faults.extend(own.into_vec());
    scope
}

/// Checks a short text: not empty, and without control characters.
fn check_name(text: &str, place: &Path<'_>, faults: &mut Faults) -> bool {
    let good =
        !text.is_empty() && text.len() <= MAX_NAME_BYTES && !text.chars().any(char::is_control);
    if !good {
        let detail = format!("must be 1 to {MAX_NAME_BYTES} bytes without control characters");
        faults.add(place, detail);
    }
    good
}

/// Reads a short text without control characters.
pub(super) fn name(fields: &Fields<'_, '_>, key: &str, faults: &mut Faults) -> Option<Arc<str>> {
    let text = fields.text(key, faults)?;
    check_name(text, &fields.path().key(key), faults).then(|| text.into())
}

pub(super) fn read_key(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Arc<str>> {
    let Some(key) = fields.text("key", faults) else {
        if fields.get("key").is_none() {
            fields.fault("key", "is missing", faults);
        }
        return None;
    };
    check_key(key, &fields.path().key("key"), faults).then(|| key.into())
}

/// Words that have the place of a key in a path, and segments that clients take out of a path (RFC 3986 §6.2.2.3).
const RESERVED_KEYS: &[&str] = &["import", "recall", ".", ".."];

/// Whether a key can be one.
pub fn is_memory_key(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= MAX_KEY_BYTES
        && !key.chars().any(char::is_control)
        && !RESERVED_KEYS.contains(&key)
}

/// Checks the text of an entry, and its description.
pub fn check_memory_text(value: &str, description: Option<&str>) -> Option<String> {
    if value.len() > MAX_VALUE_BYTES {
        return Some(format!("`value` must be at most {MAX_VALUE_BYTES} bytes"));
    }
    let description = description?;
    if description.contains('\0') {
        return Some("`description` must not contain the character NUL".to_owned());
    }
    let is_long = description.len() > MAX_DESCRIPTION_BYTES;
    is_long.then(|| format!("`description` must be at most {MAX_DESCRIPTION_BYTES} bytes"))
}

fn check_key(key: &str, place: &Path<'_>, faults: &mut Faults) -> bool {
    let good = is_memory_key(key);
    if !good {
        let detail = format!(
            "the key must be 1 to {MAX_KEY_BYTES} bytes without control characters, and not `import`, `recall`, `.` or `..`"
        );
        faults.add(place, detail);
    }
    good
}

pub(super) fn read_write(fields: &Fields<'_, '_>, whole: bool, faults: &mut Faults) -> MemoryWrite {
    // A `null` counts as absent elsewhere; as a value it is one.
    let value = fields.node().get("value").map(|node| RawJson::new(node.raw));
    if value.is_none() && whole {
        fields.fault("value", "is missing", faults);
    }
    if value.as_ref().is_some_and(|value| value.as_str().len() > MAX_VALUE_BYTES) {
        fields.fault("value", format!("must be at most {MAX_VALUE_BYTES} bytes"), faults);
    }
    let description = fields.text_without_nul("description", faults);
    if description.is_some_and(|text| text.len() > MAX_DESCRIPTION_BYTES) {
        let detail = format!("must be at most {MAX_DESCRIPTION_BYTES} bytes");
        fields.fault("description", detail, faults);
    }
    MemoryWrite {
        value,
        description: description.map(Into::into),
        ttl: read_ttl(fields, faults),
        importance: fields.milli("importance", 0, 1000, faults).map(|n| f64::from(n) / 1000.0),
        tags: read_tags(fields, faults),
        tier: fields.choice("tier", MemoryTier::WORDS, faults),
        classification: fields.choice("classification", Classification::WORDS, faults),
        status: None,
        source: name(fields, "source", faults),
        author: name(fields, "author", faults),
        metadata: read_metadata(fields, faults),
    }
}

pub(super) fn read_metadata(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<RawJson> {
    let node = fields.get("metadata")?;
    if node.as_object().is_none() || node.raw.len() > MAX_METADATA_BYTES {
        let detail = format!("must be an object of at most {MAX_METADATA_BYTES} bytes");
        fields.fault("metadata", detail, faults);
        return None;
    }
    Some(RawJson::new(node.raw))
}

fn read_tags(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Vec<Arc<str>>> {
    fields.get("tags")?;
    let tags = fields.texts("tags", MAX_TAGS, faults);
    let mut kept: Vec<Arc<str>> = Vec::new();
    for (index, tag) in tags.into_iter().enumerate() {
        let is_good = check_name(tag, &fields.path().key("tags").index(index), faults);
        if is_good && !kept.iter().any(|known| **known == *tag) {
            kept.push(tag.into());
        }
    }
    Some(kept)
}

/// `{"turns": n}`, `{"seconds": n}` or null.
#[expect(clippy::option_option, reason = "absent, null and given are three things")]
pub(super) fn read_ttl(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Option<MemoryTtl>> {
    let node = fields.node().get("ttl")?;
    if node.is_null() {
        return Some(None);
    }
    let given = Fields::read(node, fields.path().key("ttl"), &["turns", "seconds"], faults)?;
    let turns = given.whole("turns", 0, MAX_TTL_TURNS, faults).map(MemoryTtl::Turns);
    let seconds = given.whole("seconds", 0, MAX_TTL_SECONDS, faults).map(MemoryTtl::Seconds);
    if given.get("turns").is_some() == given.get("seconds").is_some() {
        fields.fault("ttl", "must have either `turns` or `seconds`", faults);
        return None;
    }
    turns.or(seconds).map(Some)
}

fn turns_need_a_session(
    fields: &Fields<'_, '_>,
    write: &MemoryWrite,
    scope: &MemoryScope,
    faults: &mut Faults,
) {
    if matches!(write.ttl, Some(Some(MemoryTtl::Turns(_)))) && scope.session_id.is_none() {
        let detail = "turns are those of a session: `scope.session_id` is needed";
        fields.fault("ttl", detail, faults);
    }
}

/// Reads the body of `POST /memory/{key}/restore`: `{"version", "scope"?}`. `query`: the scope in the
/// query.
pub fn read_restore(
    body: &Node<'_>,
    query: &MemoryScope,
) -> Result<(MemoryScope, u64), Vec<Fault>> {
    let mut faults = Faults::default();
    let known = &["version", "scope"];
    let Some(fields) = Fields::read(body, Path::Root, known, &mut faults) else {
        return Err(faults.into_vec());
    };
    let scope = read_scope_or(&fields, query, &mut faults);
    let version = fields.whole("version", 1, u64::MAX >> 1, &mut faults);
    if fields.get("version").is_none() {
        fields.fault("version", "is missing", &mut faults);
    }
    match version {
        Some(version) if faults.is_empty() => Ok((scope, version)),
        _ => Err(faults.into_vec()),
    }
}

/// Reads the body of `POST /memory/{key}/retract` and `POST /memory/{key}/promote`: `{"scope"?}`.
/// `query`: the scope in the query.
pub fn read_scope_only(body: &Node<'_>, query: &MemoryScope) -> Result<MemoryScope, Vec<Fault>> {
    let mut faults = Faults::default();
    let Some(fields) = Fields::read(body, Path::Root, &["scope"], &mut faults) else {
        return Err(faults.into_vec());
    };
    let scope = read_scope_or(&fields, query, &mut faults);
    if faults.is_empty() { Ok(scope) } else { Err(faults.into_vec()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_segments_with_another_meaning_in_a_path_are_no_keys() {
        for key in ["", "import", "recall", ".", "..", "a\nb"] {
            assert!(!is_memory_key(key), "{key}");
        }
        for key in ["a", "...", ".env", "recall.md"] {
            assert!(is_memory_key(key), "{key}");
        }
    }
}
