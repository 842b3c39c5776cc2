//! What the record of a request through the gateway says: figures and hashes, no text.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::EditSkip;
use super::exchange::{ExchangeEnd, ExchangeUsage, GatewayExchange};
use super::sent::MessageEdit;
use crate::service::event_data::GatewayTokens;

/// A request through the gateway.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GatewayReport {
    /// The wire format: `anthropic`, `openai` or `gemini`.
    #[schema(example = "anthropic")]
    pub wire: &'static str,
    /// `messages`, `chat_completions`, `responses` or `generate_content`.
    #[schema(example = "messages")]
    pub endpoint: &'static str,
    /// The name of the upstream.
    #[schema(example = "anthropic")]
    pub upstream: String,
    /// `observe`, `compress`, `fit` or `session`.
    #[schema(example = "compress")]
    pub mode: &'static str,
    /// Why something stayed as it came; null if nothing did.
    #[schema(example = "deadline")]
    pub skipped: Option<&'static str>,
    /// The status of the provider's response.
    #[schema(example = 200)]
    pub status: u16,
    /// From the request to the end of the response.
    pub duration_ms: u64,
    /// Tokens that the request has less than it came with.
    pub saved_tokens: u64,
    /// The part of `saved_tokens` in the newest messages, which no request was saved before.
    pub unique_saved_tokens: u64,
    /// In mode `observe`: what `compress` would have saved of the newest messages.
    pub observed_tokens: u64,
    /// Tokens of the memory data, the state and the text of hooks in the request: mode `session`.
    pub added_tokens: u64,
    /// Keys of the memory entries in the request: mode `session`.
    #[schema(value_type = Vec<String>, example = json!(["style"]))]
    pub memory: Vec<Arc<str>>,
    /// Whether the request passed a compaction point: modes `fit` and `session`.
    pub compacted: bool,
    /// What the provider counted; null if the response did not say.
    pub tokens: Option<GatewayTokens>,
    /// The messages that were edited, new ones and those of earlier requests.
    pub edits: Vec<MessageEdit>,
    /// What was sent, a hash for each block, in the order in which a provider caches them.
    pub blocks: Vec<GatewayBlocks>,
}

/// The blocks of a member of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct GatewayBlocks {
    /// The name of the member.
    #[schema(example = "messages")]
    pub member: &'static str,
    /// 16 hex digits for each tool, system text or message, whatever marks of caching it has.
    #[schema(example = json!(["f2ca1bb6c7e907d0"]))]
    pub hashes: Vec<String>,
}

impl GatewayReport {
    pub(super) fn new(
        exchange: &GatewayExchange,
        usage: Option<&ExchangeUsage>,
        end: ExchangeEnd,
    ) -> Self {
        let tokens = usage.map(|usage| GatewayTokens {
            uncached: usage.tokens.uncached,
            read: usage.tokens.read,
            written: usage.tokens.written.saturating_add(usage.tokens.written_long),
            output: usage.tokens.output,
        });
        let sent = exchange.sent.as_ref();
        let blocks = sent.into_iter().flat_map(|sent| &sent.blocks).map(|own| GatewayBlocks {
            member: own.name,
            hashes: own.blocks.iter().map(ToString::to_string).collect(),
        });
        Self {
            wire: exchange.wire.as_str(),
            endpoint: exchange.endpoint.as_str(),
            upstream: exchange.upstream.to_string(),
            mode: exchange.mode.as_str(),
            skipped: exchange.skipped.map(EditSkip::as_str),
            status: end.status,
            duration_ms: end.duration_ms,
            saved_tokens: exchange.savings.tokens,
            unique_saved_tokens: exchange.savings.new_tokens,
            observed_tokens: exchange.savings.observed_tokens,
            added_tokens: exchange.savings.added_tokens,
            memory: sent.map(|sent| sent.memory.clone()).unwrap_or_default(),
            compacted: exchange.is_compacted,
            tokens,
            edits: sent.map(|sent| sent.edits.clone()).unwrap_or_default(),
            blocks: blocks.collect(),
        }
    }
}
