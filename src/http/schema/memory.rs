//! Schemas of `/memory`.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::StatePlacement;

use crate::domain::{
    Classification, MemoryAction, MemoryOrigin, MemoryScope, MemoryStatus, MemoryTier, MemoryTtl,
    MemoryVersion, word_of,
};

/// Whose entry it is; what is absent is shared by the whole tenant.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = MemoryScope)]
pub struct Scope {
    /// The person or thing that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 256)]
    pub subject: Option<String>,
    /// The session that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 256)]
    pub session_id: Option<String>,
    /// The agent that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 256)]
    pub agent: Option<String>,
    /// The tenant of a context pack, `run_context.tenant_id`. The entry is visible only to compiles
    /// of that tenant under a pack, and to requests that name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 256)]
    pub pack_tenant: Option<String>,
}

impl From<&MemoryScope> for Scope {
    fn from(scope: &MemoryScope) -> Self {
        let text = |part: &Option<std::sync::Arc<str>>| part.as_deref().map(str::to_owned);
        Self {
            subject: text(&scope.subject),
            session_id: text(&scope.session_id),
            agent: text(&scope.agent),
            pack_tenant: text(&scope.pack_tenant),
        }
    }
}

/// When an entry expires: `turns` of its session or `seconds`, from its last write on.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = MemoryTtl)]
pub struct Ttl {
    /// Turns of the session after the last write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Seconds after the last write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

impl From<MemoryTtl> for Ttl {
    fn from(ttl: MemoryTtl) -> Self {
        match ttl {
            MemoryTtl::Turns(turns) => Self { turns: Some(turns), seconds: None },
            MemoryTtl::Seconds(seconds) => Self { turns: None, seconds: Some(seconds) },
        }
    }
}

/// What is remembered from earlier conversations.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryOptions {
    /// The scope whose entries the model sees and writes. In a session, entries of the session are
    /// visible in addition. If `scope` is absent, the model writes to the session; `{}` is the
    /// scope that the whole tenant shares.
    pub scope: Option<Scope>,
    /// Where the data stands: `last_user` keeps everything before it cacheable.
    pub placement: Option<StatePlacement>,
    /// Tokens of data; entries that find no room are left out, with a warning.
    #[schema(default = 2_000)]
    pub max_tokens: Option<u64>,
    /// What entries are looked for. When absent, the last user message; with the placement
    /// `system`, which is to stay the same, nothing in particular.
    pub query: Option<String>,
    /// Whether the model gets the tools `create_memory` and `modify_memory`; `POST /tools/calls`
    /// carries their calls out. With `"shared"`, the model may also change entries that the
    /// application wrote in a wider scope.
    #[schema(value_type = Option<MemoryWriting>)]
    pub write: Option<MemoryWriting>,
    /// The keys that the model may write; any when absent, none when empty.
    pub allowed_keys: Option<Vec<String>>,
    /// When entries that the model creates expire; turns need a scope with a session.
    pub ttl: Option<Ttl>,
    /// In the place of the store's: `{"key", "value", "description"?}`; every text is escaped.
    pub entries: Option<Vec<Value>>,
}

/// Entries that the model may write: `true`, `false` or `"shared"`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum MemoryWriting {
    Flag(bool),
    Shared(SharedWriting),
}

/// Also entries that the application wrote in a wider scope.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SharedMemoryWriting)]
pub enum SharedWriting {
    Shared,
}

/// Memory to place: the options, `true` for all of their defaults, or `false` for none. With
/// `false`, calls of Anthropic's memory tool are for the caller.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = MemoryInput)]
pub enum MemoryGiven {
    Defaults(bool),
    Options(Box<MemoryOptions>),
}

/// What is said of an entry. What is absent stays as it is, or is as usual if the entry is new.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "value": "TypeScript", "description": "The project's language", "importance": 0.8,
    "tags": ["project"], "ttl": {"seconds": 2_592_000}
}))]
pub struct MemoryWrite {
    /// Any JSON value, a text most of the time; at most 64 KiB.
    pub value: Value,
    /// A sentence about the value, shown to the model with it.
    pub description: Option<String>,
    /// Absent: as before; `null`: the entry does not expire. Turns need `scope.session_id`.
    pub ttl: Option<Ttl>,
    /// More important entries are recalled first.
    #[schema(minimum = 0.0, maximum = 1.0, default = 0.5)]
    pub importance: Option<f64>,
    /// Words to filter by.
    pub tags: Option<Vec<String>>,
    /// Whose entry it is.
    pub scope: Option<Scope>,
    /// `working`, `episodic`, `semantic` (when it is new) or `durable`.
    pub tier: Option<String>,
    /// `public`, `internal` (when it is new), `confidential` or `restricted`.
    pub classification: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// An object that is carried and not read; at most 16 KiB.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Value>,
}

/// What changes of an entry: any of its members. What is absent stays as it is; null takes it away, or
/// makes it as usual.
#[derive(Debug)]
pub struct MemoryChange;

impl PartialSchema for MemoryChange {
    fn schema() -> RefOr<Schema> {
        let mut schema = MemoryWrite::schema();
        if let RefOr::T(Schema::Object(change)) = &mut schema {
            change.required.clear();
            change.example = Some(json!({"importance": 0.9}));
            change.description = Some(
                "What changes of an entry: any of its members. What is absent stays as it is; null \
                 takes it away, or makes it as usual."
                    .to_owned(),
            );
        }
        schema
    }
}

impl ToSchema for MemoryChange {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        MemoryWrite::schemas(schemas);
    }
}

/// A memory entry.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryEntry {
    /// The key, unique in its scope.
    #[schema(example = "language")]
    pub key: String,
    /// What is remembered.
    #[schema(value_type = Value, example = "TypeScript")]
    pub value: Box<RawValue>,
    /// A sentence about the value.
    pub description: Option<String>,
    /// Whose entry it is.
    pub scope: Scope,
    /// Words to filter by.
    pub tags: Vec<String>,
    /// From 0 to 1; more important entries are recalled first.
    pub importance: f64,
    /// How long-lived it is: `working`, `episodic`, `semantic` or `durable`.
    #[schema(example = "semantic")]
    pub tier: &'static str,
    /// Who may see it: `public`, `internal`, `confidential` or `restricted`.
    #[schema(example = "internal")]
    pub classification: &'static str,
    /// `promoted`, `captured` (a model wrote it, and it is not reviewed yet), `superseded`,
    /// `retracted` or `deprecated`. Promoted entries are recalled, captured ones only without a pack.
    #[schema(example = "promoted")]
    pub status: &'static str,
    /// Where it comes from.
    pub source: Option<String>,
    /// Who wrote it, as the writer says.
    pub author: Option<String>,
    /// An object that is kept with it and not read.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Box<RawValue>>,
    /// From 1, one more with each write; also the `ETag`.
    pub version: u64,
    /// Writes of the value.
    pub update_count: u64,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: String,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub updated_at: String,
    /// When it expires after its last write; null for never.
    pub ttl: Option<Ttl>,
    #[schema(example = "2027-01-30T23:59:59Z")]
    pub expires_at: Option<String>,
    /// The turn of its session from which on it is expired.
    pub expires_at_turn: Option<u64>,
}

impl From<&crate::domain::MemoryEntry> for MemoryEntry {
    fn from(entry: &crate::domain::MemoryEntry) -> Self {
        let text = |text: &Option<std::sync::Arc<str>>| text.as_deref().map(str::to_owned);
        let raw = |json: &str| RawValue::from_string(json.to_owned());
        Self {
            key: entry.key.to_string(),
            // Only valid JSON is stored.
            value: raw(entry.value.as_str()).unwrap_or_default(),
            description: text(&entry.description),
            scope: (&entry.scope).into(),
            tags: entry.tags.iter().map(ToString::to_string).collect(),
            importance: entry.importance,
            tier: word_of(MemoryTier::WORDS, entry.tier),
            classification: word_of(Classification::WORDS, entry.classification),
            status: word_of(MemoryStatus::WORDS, entry.status),
            source: text(&entry.source),
            author: text(&entry.author),
            metadata: entry.metadata.as_ref().and_then(|json| raw(json.as_str()).ok()),
            version: entry.version,
            update_count: entry.update_count,
            created_at: entry.created_at.to_string(),
            updated_at: entry.updated_at.to_string(),
            ttl: entry.ttl.map(Into::into),
            expires_at: entry.expires_at.map(|at| at.to_string()),
            expires_at_turn: entry.expires_at_turn,
        }
    }
}

/// A page of entries.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryList {
    pub items: Vec<MemoryEntry>,
    /// Where the list goes on; null at its end.
    pub next_cursor: Option<String>,
}

/// An entry as it was after one of its writes.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryVersionRow {
    /// `set`, `retract`, `supersede`, `restore` or `promote`.
    #[schema(example = "set")]
    pub action: &'static str,
    /// Who asked for it: `direct` (the application), `model`, `review` or `session` (a switch, a fork
    /// or a restore of the entry's session).
    #[schema(example = "direct")]
    pub origin: &'static str,
    /// The entry after the write.
    pub entry: MemoryEntry,
}

impl From<&MemoryVersion> for MemoryVersionRow {
    fn from(version: &MemoryVersion) -> Self {
        Self {
            action: word_of(MemoryAction::WORDS, version.action),
            origin: word_of(MemoryOrigin::WORDS, version.origin),
            entry: (&version.entry).into(),
        }
    }
}

/// A page of versions, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryVersions {
    pub items: Vec<MemoryVersionRow>,
    pub next_cursor: Option<String>,
}

/// The version that is to be again.
#[derive(Debug, ToSchema)]
pub struct MemoryRestore {
    /// The number of the version.
    #[schema(minimum = 1)]
    pub version: u64,
    /// The scope of the entry.
    pub scope: Option<Scope>,
}

/// The scope of the entry.
#[derive(Debug, ToSchema)]
pub struct MemoryScopeRequest {
    /// The scope of the entry.
    pub scope: Option<Scope>,
}

/// `store_memory`, as PraisonAI has it.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"action": "add", "type": "long_term", "content": "Prefers short answers"}))]
pub struct MemoryActRequest {
    /// `add`, `replace` or `remove`.
    #[schema(default = "add")]
    pub action: Option<String>,
    /// What is remembered. For `remove` the whole value of the entry that goes, where neither
    /// `key` nor `match` says which.
    pub content: Option<String>,
    /// `short_term`, `long_term`, `entity` or `episodic`: the tiers `working`, `durable`,
    /// `semantic` and `episodic`. If it is absent, an added entry is `short_term`, a replaced one
    /// keeps its tier, and entries of every tier are searched.
    #[schema(rename = "type")]
    pub kind: Option<String>,
    /// Created if it is absent and something is added.
    #[schema(min_length = 1, max_length = 256)]
    pub key: Option<String>,
    /// A part of the value of the one entry that is meant.
    #[schema(rename = "match")]
    pub matching: Option<String>,
    /// An object that is kept with the entry and not read; at most 16 KiB.
    pub metadata: Option<Value>,
    /// The scope of the entry.
    pub scope: Option<Scope>,
}

/// What an action did.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MemoryActResponse)]
pub struct MemoryActed {
    /// What was done: `add`, `replace` or `remove`.
    #[schema(example = "add")]
    pub action: &'static str,
    /// The `type` of the entry.
    #[schema(example = "long_term")]
    pub target: &'static str,
    /// The entry's id, unique in its tenant: its path below `/memory/`.
    #[schema(example = "plan?subject=ann")]
    pub memory_id: Option<String>,
    /// The entry's key.
    #[schema(example = "plan")]
    pub key: Option<String>,
    /// Entries that were changed: 1, or 0 where nothing was there to remove.
    pub affected: u64,
    /// The entry as it is now; null where it is gone.
    pub entry: Option<MemoryEntry>,
}

/// What an import did.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MemoryImportResponse)]
pub struct MemoryImported {
    /// Entries that are new.
    pub created: u64,
    /// Entries that were changed.
    pub updated: u64,
}
