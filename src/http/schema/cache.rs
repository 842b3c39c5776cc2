//! How a compile uses the provider's prompt cache.

use serde_json::Value;
use utoipa::ToSchema;

/// How the provider's prompt cache is used: the options, `true` for all of their defaults, or `false` for
/// no marks but the client's.
#[derive(Debug, ToSchema)]
#[serde(untagged)]
pub enum CacheInput {
    Flag(bool),
    Options(CacheOptions),
}

/// How the provider's prompt cache is used.
#[derive(Debug, ToSchema)]
pub struct CacheOptions {
    /// How long marks of ours ask to be kept: `5m` (when `cache` is given), `1h`, or `off` for
    /// no marks but the client's. At `OpenAI` it is 30 minutes or 12 hours.
    pub ttl: Option<String>,
    /// Most marks in a payload, the client's included, and that of `cache_control`.
    #[schema(default = 4, maximum = 4)]
    pub marks: Option<u64>,
    /// `warm`, `cold` or `unknown`.
    pub state: Option<String>,
    /// The payload sent before, or the `id` of its answer: `report.cache.first_change` compares
    /// with it.
    pub previous: Option<Value>,
}
