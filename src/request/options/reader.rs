//! Reading the options from their objects.

use std::sync::Arc;

use super::section::{MAX_TURNS, section};
use super::shorthand;
use super::{
    CACHE_TTLS, COMPRESSED_BY, CacheOptions, CacheState, ClearOptions, Compression, KnownAdapters,
    Level, MemoryOptions, MemoryWriteAccess, OnArrival, OutputOptions, Placement, PreviousCompile,
    ProtectOptions, ProtectPattern, RequestMemoryEntry, ThinkingPolicy, read_adapters,
    warn_idle_options, warn_unused_adapters,
};
use crate::domain::{AllowedNotations, CacheTtl, MemoryTtl, Notes, RawJson, Role};
use crate::json::{Faults, Fields, Node, Path};
use crate::limit::{MAX_SHORT_SOURCE_BYTES, PatternBudget};
use crate::provider::{read_cache_members, without_nul};
use crate::request::memory::{MemoryScopes, is_memory_key, read_named_scope, read_ttl};

/// Names in `allowed_keys`.
const MAX_ALLOWED_KEYS: usize = 1_000;
/// Patterns in `protect`, and the bytes that they may take compiled.
const MAX_PATTERNS: usize = 32;
const MAX_COMPILED_BYTES: usize = 512 << 10;
/// Bytes of the key `summary_instructions`.
const MAX_INSTRUCTIONS_BYTES: usize = 8 << 10;

pub(crate) const COMPRESSION: &[&str] = &[
    "level",
    "on_arrival",
    "notations",
    "trigger",
    "compress_to",
    "keep_recent_turns",
    "thinking",
    "read_tool",
    "stub_tool_results_over",
    "summary_instructions",
    "clear",
    "adapters",
    "by",
    "pays",
    "expected_turns",
];
pub(crate) const PROTECT: &[&str] =
    &["messages", "roles", "tools", "patterns", "recent_turns", "recent_messages"];
pub(crate) const CACHE: &[&str] = &["ttl", "marks", "state", "previous"];
pub(crate) const OUTPUT: &[&str] = &["tag", "prefill"];
pub(crate) const SKILL: &[&str] = &["name", "instructions", "args", "vars"];
pub(crate) const MEMORY: &[&str] =
    &["scope", "placement", "max_tokens", "query", "write", "allowed_keys", "ttl", "entries"];

/// Reads `allowed_keys`.
pub(crate) fn read_allowed_keys(
    given: &Fields<'_, '_>,
    faults: &mut Faults,
) -> Option<Vec<Arc<str>>> {
    given.get("allowed_keys")?;
    let keys = given.texts("allowed_keys", MAX_ALLOWED_KEYS, faults);
    for (index, key) in keys.iter().enumerate().filter(|(_, key)| !is_memory_key(key)) {
        let list = given.path().key("allowed_keys");
        faults.add(&list.index(index), format!("`{key}` cannot be a key"));
    }
    Some(keys.into_iter().map(Into::into).collect())
}

/// Reads `write`: a flag, or `"shared"`.
fn read_write_access(given: &Fields<'_, '_>, faults: &mut Faults) -> MemoryWriteAccess {
    let Some(node) = given.get("write") else { return MemoryWriteAccess::default() };
    match (node.as_bool(), node.as_str()) {
        (Some(true), _) => MemoryWriteAccess::Own,
        (Some(false), _) => MemoryWriteAccess::Off,
        (None, Some("shared")) => MemoryWriteAccess::Shared,
        _ => {
            given.fault("write", "must be true, false or \"shared\"", faults);
            MemoryWriteAccess::default()
        }
    }
}

impl Placement {
    pub(crate) const WORDS: &'static [(&'static str, Self)] =
        &[("system", Self::System), ("last_user", Self::LastUser)];
}

impl Compression {
    pub(crate) fn read(
        fields: &Fields<'_, '_>,
        known: &KnownAdapters,
        faults: &mut Faults,
        notes: &mut Notes,
    ) -> Self {
        let mut read = Self::default();
        let node = shorthand::compression(fields, faults);
        let path = fields.path().key("compression");
        let given = node.as_deref().and_then(|node| Fields::read(node, path, COMPRESSION, faults));
        let Some(given) = given else {
            read.adapters = known.default_choices();
            return read;
        };
        read.level = given.choice("level", Level::WORDS, faults).unwrap_or(read.level);
        if read.level == Level::Off {
            read.on_arrival = OnArrival::Off;
        }
        let on_arrival = given.choice("on_arrival", OnArrival::WORDS, faults);
        read.on_arrival = on_arrival.unwrap_or(read.on_arrival);
        read.notations =
            given.choice("notations", AllowedNotations::WORDS, faults).unwrap_or(read.notations);
        read.trigger_milli = given.milli("trigger", 50, 1000, faults).unwrap_or(read.trigger_milli);
        read.compress_to_milli = given
            .milli("compress_to", 10, 1000, faults)
            .unwrap_or(read.compress_to_milli.min(read.trigger_milli));
        if read.compress_to_milli > read.trigger_milli {
            given.fault("compress_to", "must not be more than `trigger`", faults);
        }
        read.keep_recent_turns = given
            .whole("keep_recent_turns", 0, MAX_TURNS, faults)
            .and_then(|turns| usize::try_from(turns).ok())
            .unwrap_or(read.keep_recent_turns);
        read.read_tool = given.flag("read_tool", faults).unwrap_or(false);
        read.stub_tool_results_over = given
            .whole("stub_tool_results_over", 0, u64::from(u32::MAX), faults)
            .and_then(|characters| usize::try_from(characters).ok());
        read.summary_instructions = summary_instructions(&given, faults);
        read.clear = ClearOptions::read(&given, read.level, faults);
        let thinking = given.choice("thinking", ThinkingPolicy::WORDS, faults);
        let usual = if read.clear.is_on { read.thinking } else { ThinkingPolicy::Keep };
        read.thinking = thinking.unwrap_or(usual);
        read.adapters = read_adapters(&given, known, faults);
        if read.level < Level::Reversible && read.on_arrival < OnArrival::Reversible {
            warn_unused_adapters(&given, notes);
        }
        warn_idle_options(&given, &read.adapters, known, notes);
        if given.choice("by", COMPRESSED_BY, faults) == Some(true) {
            read.provider_level = Some(read.level);
        }
        read.pays = given.flag("pays", faults).unwrap_or(false);
        read.expected_turns = given.whole("expected_turns", 1, MAX_TURNS, faults);
        read
    }
}

/// The key `summary_instructions`; `None` if it is blank.
pub(crate) fn summary_instructions(
    fields: &Fields<'_, '_>,
    faults: &mut Faults,
) -> Option<Arc<str>> {
    let text = fields.text("summary_instructions", faults)?.trim();
    if text.len() > MAX_INSTRUCTIONS_BYTES {
        let detail = format!("must not be longer than {MAX_INSTRUCTIONS_BYTES} bytes");
        fields.fault("summary_instructions", detail, faults);
    }
    (!text.is_empty()).then(|| text.into())
}

impl ProtectOptions {
    pub(crate) fn read(fields: &Fields<'_, '_>, faults: &mut Faults) -> Self {
        let mut read = Self::default();
        let Some(given) = section(fields, "protect", fields.path(), PROTECT, faults) else {
            return read;
        };
        let list = given.path().key("messages");
        for (index, item) in given.list("messages", 10_000, faults).iter().enumerate() {
            match (item.as_str(), item.as_u64().and_then(|at| usize::try_from(at).ok())) {
                (Some(id), _) => {
                    read.ids.entry(id.into()).or_insert(index);
                }
                (None, Some(at)) => {
                    read.indexes.entry(at).or_insert(index);
                }
                _ => faults.add(&list.index(index), "must be a message's id or its index"),
            }
        }
        let list = given.path().key("roles");
        for (index, word) in given.texts("roles", 8, faults).into_iter().enumerate() {
            match word {
                "system" | "developer" => read.roles.push(Role::System),
                "user" => read.roles.push(Role::User),
                "assistant" | "model" => read.roles.push(Role::Assistant),
                "tool" | "function" => read.roles.push(Role::Tool),
                _ => faults.add(&list.index(index), "must be one of system, user, assistant, tool"),
            }
        }
        for (index, name) in given.texts("tools", 1_000, faults).into_iter().enumerate() {
            read.tools.entry(name.into()).or_insert(index);
        }
        read.read_patterns(&given, faults);
        let turns = |key, faults: &mut Faults| {
            let turns = given.whole(key, 0, MAX_TURNS, faults).unwrap_or(0);
            usize::try_from(turns).unwrap_or(usize::MAX)
        };
        read.recent_turns = turns("recent_turns", faults);
        read.recent_messages = turns("recent_messages", faults);
        read
    }

    fn read_patterns(&mut self, given: &Fields<'_, '_>, faults: &mut Faults) {
        let mut budget = PatternBudget::new(MAX_PATTERNS, MAX_COMPILED_BYTES);
        let list = given.path().key("patterns");
        for (index, item) in given.list("patterns", MAX_PATTERNS, faults).iter().enumerate() {
            let Some(one) = Fields::read(item, list.index(index), &["regex", "label"], faults)
            else {
                continue;
            };
            let Some(source) = one.text("regex", faults) else {
                if one.get("regex").is_none() {
                    one.fault("regex", "is missing", faults);
                }
                continue;
            };
            if source.len() > MAX_SHORT_SOURCE_BYTES {
                one.fault(
                    "regex",
                    format!("must be at most {MAX_SHORT_SOURCE_BYTES} bytes"),
                    faults,
                );
                continue;
            }
            let label = one.text("label", faults).unwrap_or("pattern").into();
            match budget.compile(source) {
                Ok(pattern) => self.patterns.push(ProtectPattern { label, pattern }),
                Err(error) => one.fault("regex", error.to_string(), faults),
            }
        }
    }
}

impl CacheOptions {
    pub(crate) fn read(
        fields: &Fields<'_, '_>,
        body: &Node<'_>,
        faults: &mut Faults,
        notes: &mut Notes,
    ) -> Self {
        let members = read_cache_members(body, faults, notes);
        let mut read = Self { members, ..Self::default() };
        let node = shorthand::cache(fields, faults);
        let path = fields.path().key("cache");
        let given = node.as_deref().and_then(|node| Fields::read(node, path, CACHE, faults));
        let Some(given) = given else { return read };
        read.asks_ttl = given.get("ttl").is_some_and(|ttl| ttl.as_str() != Some("off"));
        read.ttl = given.choice("ttl", CACHE_TTLS, faults).unwrap_or(Some(CacheTtl::FiveMinutes));
        read.marks = given
            .whole("marks", 0, 4, faults)
            .and_then(|marks| usize::try_from(marks).ok())
            .unwrap_or(read.marks);
        read.state = given.choice("state", CacheState::WORDS, faults).unwrap_or(read.state);
        read.previous = given.get("previous").and_then(|node| previous(node, &given, faults));
        read
    }
}

fn previous(
    node: &Node<'_>,
    given: &Fields<'_, '_>,
    faults: &mut Faults,
) -> Option<PreviousCompile> {
    if let Some(id) = node.as_str() {
        return Some(PreviousCompile::Id(id.into()));
    }
    if node.as_object().is_some() {
        return Some(PreviousCompile::Payload(RawJson::new(node.raw)));
    }
    given.fault("previous", "must be an earlier answer's id or its payload", faults);
    None
}

impl OutputOptions {
    pub(crate) fn read(fields: &Fields<'_, '_>, faults: &mut Faults, notes: &mut Notes) -> Self {
        let Some(given) = section(fields, "output", fields.path(), OUTPUT, faults) else {
            return Self::default();
        };
        let tag = given.text("tag", faults);
        if tag.is_some_and(|tag| !is_tag(tag)) {
            let detail = "must begin with a letter or _ and hold only letters, digits, _, - and .";
            given.fault("tag", detail, faults);
        }
        let prefill = given.text("prefill", faults).filter(|text| !text.is_empty());
        let prefill = prefill.map(|text| without_nul(text, &given.path().key("prefill"), notes));
        Self { tag: tag.map(Into::into), prefill }
    }
}

/// Whether a name can be an XML tag: it is written into the prompt unescaped.
fn is_tag(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

impl MemoryOptions {
    /// Reads `memory` of the defaults of a session or a key, which were checked when they were
    /// stored.
    pub fn of_defaults(defaults: &Node<'_>) -> Option<Self> {
        let known: Vec<&str> =
            defaults.as_object().into_iter().flatten().map(|(key, _)| &**key).collect();
        let mut faults = Faults::default();
        let fields = Fields::read(defaults, Path::Root, &known, &mut faults)?;
        Self::read(&fields, &mut faults)
    }

    pub(crate) fn read(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Self> {
        /// Tokens of memory data if the request does not specify them.
        const DEFAULT_TOKENS: u64 = 2_000;
        // An id that is not valid is reported where the session is read.
        let session = fields.get("session_id").and_then(Node::as_str).map(Arc::from);
        match fields.get("memory").and_then(Node::as_bool) {
            Some(true) => {
                let MemoryScopes { visible, written } = MemoryScopes::new(None, session);
                return Some(Self {
                    placement: Placement::LastUser,
                    max_tokens: DEFAULT_TOKENS,
                    entries: Vec::new(),
                    from_store: true,
                    scope: visible,
                    write_scope: written,
                    query: None,
                    write: MemoryWriteAccess::default(),
                    allowed_keys: None,
                    ttl: None,
                });
            }
            Some(false) => return None,
            None => {}
        }
        let given = section(fields, "memory", fields.path(), MEMORY, faults)?;
        let list = given.path().key("entries");
        let mut entries = Vec::new();
        for (index, item) in given.list("entries", 4_096, faults).iter().enumerate() {
            let keys = &["key", "value", "description"];
            if let Some(one) = Fields::read(item, list.index(index), keys, faults) {
                entries.extend(entry(&one, index, faults));
            }
        }
        let MemoryScopes { visible, written } =
            MemoryScopes::new(read_named_scope(&given, faults), session);
        let ttl = read_ttl(&given, faults).flatten();
        if matches!(ttl, Some(MemoryTtl::Turns(_))) && written.session_id.is_none() {
            let detail = "turns are those of a session: the model must write to the scope of one";
            given.fault("ttl", detail, faults);
        }
        Some(Self {
            placement: given
                .choice("placement", Placement::WORDS, faults)
                .unwrap_or(Placement::LastUser),
            max_tokens: given.whole("max_tokens", 0, 1 << 40, faults).unwrap_or(DEFAULT_TOKENS),
            from_store: given.get("entries").is_none(),
            entries,
            scope: visible,
            write_scope: written,
            query: given.text("query", faults).map(Into::into),
            write: read_write_access(&given, faults),
            allowed_keys: read_allowed_keys(&given, faults),
            ttl,
        })
    }
}

pub(crate) fn entry(
    one: &Fields<'_, '_>,
    place: usize,
    faults: &mut Faults,
) -> Option<RequestMemoryEntry> {
    let key = one.text("key", faults);
    if one.get("key").is_none() {
        one.fault("key", "is missing", faults);
    }
    // A value that is no string is remembered as its JSON text.
    let value = one.get("value").map(|node| node.as_str().unwrap_or(node.raw));
    if value.is_none() {
        one.fault("value", "is missing", faults);
    }
    let description = one.text("description", faults).map(Into::into);
    Some(RequestMemoryEntry { key: key?.into(), value: value?.into(), description, place })
}
