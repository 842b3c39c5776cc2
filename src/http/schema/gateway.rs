//! Schemas of headroom's API, see `http/compat`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::domain::share;
use crate::service::usage::UsageSums;

/// Messages in any shape that `/compress` takes. What is not known is passed over.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"messages": [{"role": "user", "content": "Where does it fail?"}], "model": "gpt-4o"}))]
pub struct GatewayRequest {
    /// The conversation.
    pub messages: Vec<Value>,
    /// Decides the tokenizer.
    pub model: Option<String>,
    /// Tokens that the answer may take; old turns may be summarised then.
    pub token_budget: Option<u64>,
    /// Options of headroom's clients.
    pub config: Option<GatewayConfig>,
}

/// What a caller may set.
#[derive(Debug, ToSchema)]
pub struct GatewayConfig {
    /// Absent or `ccr`: what is left out is named by `hash=` and the id of its artifact. Any other
    /// word: nothing is named, as for a model that has no tool to ask.
    pub mode: Option<String>,
    /// Whether what people and models wrote may be shortened too.
    pub compress_user_messages: Option<bool>,
    /// How lossless forms may show values: `plain`, `computed` or `none`.
    #[schema(default = "plain")]
    pub notations: Option<String>,
    /// Newest messages that lose nothing.
    pub protect_recent: Option<u64>,
    /// Messages at the beginning that stay as they are: a provider's cache holds them.
    pub frozen_message_count: Option<u64>,
}

/// The resulting messages.
#[derive(Debug, ToSchema)]
#[schema(as = GatewayResponse)]
pub struct GatewayAnswer {
    /// A list; where nothing could be made of them, whatever came.
    pub messages: Value,
    /// 0 where the messages were passed on uncounted, like the two below.
    pub tokens_before: u64,
    /// Tokens of `messages`.
    pub tokens_after: u64,
    /// `tokens_before` less `tokens_after`.
    pub tokens_saved: u64,
    /// Tokens after for each token before.
    #[schema(example = 0.31)]
    pub compression_ratio: f64,
    /// The rules that changed something.
    #[schema(example = json!(["adapter:log", "lossless:table"]))]
    pub transforms_applied: Vec<String>,
    /// The ids of the originals that the messages name.
    pub ccr_hashes: Vec<String>,
    /// True where the messages are as they came.
    pub compression_skipped: Option<bool>,
    /// Why they are.
    pub skip_reason: Option<String>,
}

/// What is to be retrieved.
#[derive(Debug, ToSchema)]
pub struct RetrieveRequest {
    /// The hash from a marker.
    #[schema(example = "9f2c41d07be8a3556c1d90aa")]
    pub hash: String,
    /// Only the lines that are about this.
    pub query: Option<String>,
}

/// How the server is, in the words of this wire.
#[derive(Debug, Serialize, ToSchema)]
pub struct GatewayHealth {
    /// `healthy`, or `unhealthy` where work should not be sent here.
    #[schema(example = "healthy")]
    pub status: &'static str,
    /// Whether requests can be taken.
    pub ready: bool,
    /// The release of the program.
    #[schema(example = "0.1.0")]
    pub version: &'static str,
}

/// Sums of the caller's key since the beginning of the day in UTC.
#[derive(Debug, Serialize, ToSchema)]
pub struct GatewayStats {
    pub requests: GatewayRequestStats,
    pub tokens: GatewayTokenStats,
}

/// How many requests there were.
#[derive(Debug, Serialize, ToSchema)]
pub struct GatewayRequestStats {
    /// All of them.
    pub total: u64,
    /// The same by the model that they name: `other` for one that is not in the table.
    #[schema(example = json!({"gpt-4o": 12}))]
    pub by_model: BTreeMap<String, u64>,
}

/// Tokens of the requests.
#[derive(Debug, Serialize, ToSchema)]
pub struct GatewayTokenStats {
    /// As they were sent on.
    pub input: u64,
    /// `total_before_compression` less `input`.
    pub saved: u64,
    /// As they came.
    pub total_before_compression: u64,
    /// `saved` of a hundred that came.
    #[schema(example = 41.5)]
    pub savings_percent: f64,
}

impl From<UsageSums> for GatewayStats {
    fn from(sums: UsageSums) -> Self {
        let UsageSums { requests, by_model, tokens_before, tokens_after } = sums;
        let saved = tokens_before.saturating_sub(tokens_after);
        // In thousandths, so that the quotient is exact enough and has no long tail.
        let thousandths = if saved == 0 { 0 } else { share(1_000, saved, tokens_before) };
        let thousandths = u32::try_from(thousandths).unwrap_or_default();
        Self {
            requests: GatewayRequestStats { total: requests, by_model },
            tokens: GatewayTokenStats {
                input: tokens_after,
                saved,
                total_before_compression: tokens_before,
                savings_percent: f64::from(thousandths) / 10.0,
            },
        }
    }
}
