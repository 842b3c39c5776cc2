//! Schemas of headroom's API, see `http/compat`.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Messages in any shape that `/compress` takes. What is not known is passed over.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"messages": [{"role": "user", "content": "Where does it fail?"}], "model": "gpt-4o"}))]
pub struct GatewayRequest {
    pub messages: Vec<Value>,
    /// Decides the tokenizer.
    pub model: Option<String>,
    /// Tokens that the answer may take; old turns may be summarised then.
    pub token_budget: Option<u64>,
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
    /// Newest messages that lose nothing.
    pub protect_recent: Option<u64>,
    /// Messages at the beginning that stay as they are: a provider's cache holds them.
    pub frozen_message_count: Option<u64>,
}

/// What became of the messages.
#[derive(Debug, ToSchema)]
pub struct GatewayAnswer {
    /// A list; where nothing could be made of them, whatever came.
    pub messages: Value,
    /// 0 where the messages were passed on uncounted, like the two below.
    pub tokens_before: u64,
    pub tokens_after: u64,
    pub tokens_saved: u64,
    /// Tokens after for each token before.
    #[schema(example = 0.31)]
    pub compression_ratio: f64,
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
    pub ready: bool,
    #[schema(example = "0.1.0")]
    pub version: &'static str,
}
