//! Schemas of `/keys` and `/usage`.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::domain;
use crate::service::usage;

/// What a key is to be.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "name": "support bot", "kind": "agent", "scopes": ["compile", "compress"],
    "limits": {"requests_per_minute": 600, "tokens_per_day": 50_000_000},
    "defaults": {"target": "anthropic", "budget": {"context_window": 64_000}}
}))]
pub struct CreateKey {
    /// At least one of `compile`, `compress`, `memory:read`, `memory:write`, `sessions:read`,
    /// `sessions:write`, `tools`, `adapters:read`, `adapters:write`, `hooks:read`, `hooks:write`,
    /// `events:read`, `packs:read`, `packs:write`, `metrics:read`, `admin`, `operator`.
    #[schema(min_items = 1)]
    pub scopes: Vec<String>,
    /// Whose things it is for; yours when absent. Another tenant needs the scope `operator`.
    #[schema(max_length = 64, example = "acme")]
    pub tenant: Option<String>,
    /// For people.
    #[schema(max_length = 200)]
    pub name: Option<String>,
    /// What uses the key: `service` if absent.
    pub kind: Option<KeyKind>,
    /// What it may do with captured memory: `capturer`, `reviewer`, `promoter`, `auditor`; when
    /// absent `capturer`.
    pub roles: Option<Vec<String>>,
    /// How much the key may ask for.
    pub limits: Option<KeyLimits>,
    /// Any keys of `/compile`: they are used for keys that a request does not have. In addition
    /// `gateway`, an object: its `mode` (`off`, `observe`, `compress` or `fit`) is that of requests
    /// through the gateway without the header `x-contexture-mode`, its `budget` that of mode `fit`
    /// without `x-contexture-budget`.
    #[schema(value_type = Option<Object>)]
    pub defaults: Option<serde_json::Value>,
}

/// What of a key is to be otherwise.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"limits": {"requests_per_minute": 60}, "defaults": null}))]
pub struct ChangeKey {
    /// All scopes again.
    pub scopes: Option<Vec<String>>,
    /// A name for people.
    #[schema(max_length = 200)]
    pub name: Option<String>,
    /// What uses the key.
    pub kind: Option<KeyKind>,
    /// All roles again.
    pub roles: Option<Vec<String>>,
    /// All of them again: what is absent is not limited.
    pub limits: Option<KeyLimits>,
    /// All defaults again, or null for none; `gateway` among them, as in a new key.
    #[schema(value_type = Option<Object>)]
    pub defaults: Option<serde_json::Value>,
}

/// The kind of caller; `service` when absent.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "lowercase")]
pub enum KeyKind {
    User,
    Agent,
    Service,
    Automation,
}

/// How much a key may ask for; what is absent is not limited.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyLimits {
    /// Requests in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub requests_per_minute: Option<u64>,
    /// Tokens of what is compiled and compressed in a day of UTC, as they came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub tokens_per_day: Option<u64>,
}

/// A key, but for its text.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub struct Key {
    /// The first part of its text, after `cx_live_`.
    #[schema(example = "f3Zk09mQv7LcX2aT")]
    pub id: String,
    /// Whose data it reaches.
    #[schema(example = "default")]
    pub tenant: String,
    /// A name for people.
    pub name: String,
    /// What uses the key.
    #[schema(value_type = KeyKind)]
    pub kind: &'static str,
    /// What it may do.
    #[schema(value_type = Vec<String>, example = json!(["compile", "compress"]))]
    pub scopes: Vec<&'static str>,
    /// What it may do with captured memory.
    #[schema(value_type = Vec<String>)]
    pub roles: Vec<&'static str>,
    /// How much the key may ask for.
    pub limits: KeyLimits,
    /// Null where there are none.
    #[schema(value_type = Option<Object>)]
    pub defaults: Option<Box<RawValue>>,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: String,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub updated_at: String,
}

/// A key that was just made.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewKey {
    #[serde(flatten)]
    pub shown: Key,
    /// The text to send as `authorization: Bearer …`. Shown this once; absent where the same
    /// request came before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "cx_live_f3Zk09mQv7LcX2aT_<43 secret characters><6 of a check>")]
    pub key: Option<String>,
}

/// Some keys.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyList {
    pub items: Vec<Key>,
    /// For the next request; null at the end.
    pub next_cursor: Option<String>,
}

/// What a key used of a model in a day.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageRow {
    /// The day, in UTC.
    #[schema(example = "2026-12-31")]
    pub day: String,
    /// When the hour of the row begins, in UTC, in lists by hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-31T13:00:00Z")]
    pub hour: Option<String>,
    /// The tenant of the key.
    #[schema(example = "default")]
    pub tenant: String,
    /// The session that the row is the share of, in lists of sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The key's id; null for callers without one.
    pub key: Option<String>,
    /// As the table of models has it, `other` for one that is not there, null where a request
    /// named none.
    #[schema(example = "claude-sonnet-4-5")]
    pub model: Option<String>,
    /// Compiles and compressions.
    pub requests: u64,
    /// As they came in.
    pub tokens_before: u64,
    /// As they were answered.
    pub tokens_after: u64,
    /// Tokens that were left out for the first time: what a session has left out before is not
    /// counted again.
    pub unique_saved_tokens: u64,
    /// What the payloads cost; null if the cost of none is known.
    pub cost: Option<UsageCost>,
}

/// What payloads cost, in micro-dollars (millionths of a dollar).
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageCost {
    /// Requests whose cost is known: the sums below are of these.
    pub priced_requests: u64,
    /// Requests among them whose cost is by the provider's usage; of the others it is assumed.
    pub reported_requests: u64,
    /// What the payloads cost.
    pub payload_micros: i64,
    /// Answers, of requests whose output was reported; null if there are none.
    pub output_micros: Option<i64>,
    /// What the conversations would have cost unshortened.
    pub unshortened_micros: i64,
    /// `unshortened_micros` less `payload_micros`: each text counts in every request that it is left
    /// out of.
    pub saved_micros: i64,
    /// The part of `unshortened_micros` for text that was left out for the first time.
    pub unique_saved_micros: i64,
    /// Tokens of the payloads that the provider read from its cache: reported, or else assumed.
    pub cache_read_tokens: i64,
    /// Tokens of the payloads that it wrote to its cache.
    pub cache_write_tokens: i64,
    /// Tokens of the payloads of priced requests: what the two above are shares of.
    pub payload_tokens: i64,
}

/// Some usage.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageList {
    pub items: Vec<UsageRow>,
    /// For the next request; null at the end.
    pub next_cursor: Option<String>,
    /// What the tenant keeps now, and what it may keep.
    pub quotas: Vec<QuotaRow>,
    /// How long compiles of these days took; null if there was none, and if the list is of one key,
    /// one model or sessions.
    pub durations: Option<UsageDurations>,
}

/// How long compiles took, from the read request to the stored effects. At most an eighth too long.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageDurations {
    /// Compiles that were measured.
    pub requests: u64,
    /// Milliseconds within which half of them ended.
    #[schema(example = 2.1)]
    pub p50_ms: f64,
    /// Milliseconds within which 90 % ended.
    #[schema(example = 8.7)]
    pub p90_ms: f64,
    /// Milliseconds within which 99 % ended.
    #[schema(example = 31.0)]
    pub p99_ms: f64,
}

impl From<usage::UsageDurations> for UsageDurations {
    fn from(found: usage::UsageDurations) -> Self {
        // A tenth of a millisecond is more than a bucket tells.
        let ms = |duration: std::time::Duration| (duration.as_secs_f64() * 10_000.0).round() / 10.0;
        Self {
            requests: found.requests,
            p50_ms: ms(found.p50),
            p90_ms: ms(found.p90),
            p99_ms: ms(found.p99),
        }
    }
}

/// The use of a quota.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuotaRow {
    /// `sessions`, `turn_bytes`, `memory_entries`, `candidates`, `skills`, `compilation_bytes` or
    /// `reply_bytes`.
    #[schema(example = "sessions")]
    pub quota: &'static str,
    /// What is stored.
    pub used: u64,
    /// The quota.
    pub max: u64,
}

impl From<domain::QuotaUse> for QuotaRow {
    fn from(found: domain::QuotaUse) -> Self {
        Self { quota: found.quota.as_str(), used: found.used, max: found.max }
    }
}

impl From<&domain::Key> for Key {
    fn from(key: &domain::Key) -> Self {
        let defaults = key.defaults.as_ref().map(|text| (**text).to_owned());
        Self {
            id: (*key.id).to_owned(),
            tenant: (*key.tenant).to_owned(),
            name: key.name.clone(),
            kind: key.kind.as_str(),
            scopes: key.scopes.words(),
            roles: key.roles.words(),
            limits: KeyLimits {
                requests_per_minute: key.limits.requests_per_minute,
                tokens_per_day: key.limits.tokens_per_day,
            },
            // Only valid JSON is stored.
            defaults: defaults.and_then(|text| RawValue::from_string(text).ok()),
            created_at: key.created_at.to_string(),
            updated_at: key.updated_at.to_string(),
        }
    }
}

impl UsageRow {
    pub(crate) fn new(tenant: &str, row: usage::UsageRow) -> Self {
        let name = |text: String| (!text.is_empty()).then_some(text);
        let sums = &row.cost;
        let cost = (sums.priced_requests > 0).then(|| UsageCost {
            priced_requests: sums.priced_requests,
            reported_requests: sums.reported_requests,
            payload_micros: sums.payload_micros,
            output_micros: (sums.reported_requests > 0).then_some(sums.output_micros),
            unshortened_micros: sums.unshortened_micros,
            saved_micros: sums.saved_micros(),
            unique_saved_micros: sums.unique_saved_micros,
            cache_read_tokens: sums.cache_read_tokens,
            cache_write_tokens: sums.cache_write_tokens,
            payload_tokens: sums.priced_tokens,
        });
        let hour = row.hour.map(|hour| format!("{}T{hour:02}:00:00Z", row.day));
        Self {
            day: row.day.to_string(),
            hour,
            tenant: tenant.to_owned(),
            session_id: row.session,
            key: name(row.key),
            model: name(row.model),
            requests: row.requests,
            tokens_before: row.tokens_before,
            tokens_after: row.tokens_after,
            unique_saved_tokens: row.unique_saved_tokens,
            cost,
        }
    }
}
