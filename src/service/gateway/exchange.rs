//! Counts what a request through the gateway took, by the usage in its response.

use std::sync::Arc;

use super::calibration::CalibrationKey;
use super::sent::SentRequest;
use super::{EditSkip, GatewaySavings};
use crate::domain::{
    CacheAssumption, GatewayMode, Models, PayloadCost, Prices, ReportedTokens, difference, share,
};
use crate::gateway::{ProviderEndpoint, Wire};
use crate::json::{self, Limits};
use crate::request::read_reported_tokens;
use crate::service::Services;
use crate::service::usage::{self, CountedRequest};

/// A request that was sent, and what it was sent with less.
#[derive(Debug, Clone)]
pub struct GatewayExchange {
    pub id: Arc<str>,
    pub wire: Wire,
    pub endpoint: ProviderEndpoint,
    pub upstream: Arc<str>,
    pub mode: GatewayMode,
    /// The session that the request belongs to.
    pub session: Option<Arc<str>>,
    /// The model that the request names.
    pub model: Option<Arc<str>>,
    pub savings: GatewaySavings,
    /// Tokens of the request as it was sent, before any factor, if they were counted.
    pub counted_tokens: Option<u64>,
    /// Whether it passed a compaction point.
    pub is_compacted: bool,
    pub skipped: Option<EditSkip>,
    pub sent: Option<SentRequest>,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeEnd {
    /// The status of the response.
    pub status: u16,
    /// The error, if it is one of ours.
    pub code: Option<&'static str>,
    /// Milliseconds since the request came.
    pub duration_ms: u64,
}

/// What a request took, as its provider counted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeUsage {
    pub tokens: ReportedTokens,
    /// None if the model has no known prices.
    pub cost: Option<PayloadCost>,
}

/// Counts a request whose response has ended. `reported`: the usage object of the response, as JSON;
/// none if it has none. Does not block.
pub fn finish(
    services: &Services,
    exchange: &GatewayExchange,
    reported: Option<&str>,
) -> Option<ExchangeUsage> {
    let GatewayExchange { model, savings, .. } = exchange;
    let name = model.as_deref().unwrap_or_default();
    let tokens =
        reported.and_then(|text| read_reported_tokens(&json::parse(text, Limits::default()).ok()?));
    let model = services.models().find(name).cloned().unwrap_or_else(|| Models::unknown(name));
    if let (Some(tokens), Some(raw)) = (tokens, exchange.counted_tokens) {
        let key = CalibrationKey {
            tenant: Arc::clone(&services.caller().tenant),
            upstream: Arc::clone(&exchange.upstream),
            model: name.into(),
        };
        let calibrations = &services.decisions().calibrations;
        calibrations.learn(key, raw, tokens.input(), model.factor_milli);
    }
    let usage = tokens.map(|tokens| {
        let cost = model.prices.as_ref().map(|prices| cost(prices, tokens, *savings));
        ExchangeUsage { tokens, cost }
    });
    let sent = tokens.map_or(0, |tokens| tokens.input());
    let counted = CountedRequest {
        model: name,
        session: exchange.session.as_ref(),
        tokens_before: sent.saturating_add(savings.tokens),
        tokens_after: sent,
        unique_saved_tokens: savings.new_tokens,
        cost: usage.and_then(|usage| usage.cost),
        duration: None,
    };
    // Without the provider's count there is no figure that goes with others, and a request that was
    // not read names no model.
    if tokens.is_some() && !name.is_empty() {
        usage::count(services, &counted);
    }
    usage
}

/// The cost of a request, and of the same one as it came: old texts would have been read from the
/// cache if others were, new ones written if others were.
fn cost(prices: &Prices, tokens: ReportedTokens, savings: GatewaySavings) -> PayloadCost {
    let rates = prices.rates(tokens.input());
    let payload_micros = rates.reported_input_cost(&tokens);
    let old = savings.tokens.saturating_sub(savings.new_tokens);
    let mut whole = tokens;
    let for_new = match whole {
        ReportedTokens { written_long: 1.., .. } => &mut whole.written_long,
        ReportedTokens { written: 1.., .. } => &mut whole.written,
        _ => &mut whole.uncached,
    };
    *for_new = for_new.saturating_add(savings.new_tokens);
    let for_old = if whole.read > 0 { &mut whole.read } else { &mut whole.uncached };
    *for_old = for_old.saturating_add(old);
    let unshortened_micros = prices.rates(whole.input()).reported_input_cost(&whole);
    PayloadCost {
        payload_micros,
        output_micros: tokens.output.map(|output| rates.output_cost(output)),
        unshortened_micros,
        saved_micros: difference(unshortened_micros, payload_micros),
        unique_saved_micros: share(unshortened_micros, savings.new_tokens, whole.input()),
        cache: CacheAssumption::reported(&tokens),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_has_the_price_that_it_would_have_had() {
        // 3 dollars for input, 0.3 for reads, 3.75 for writes, 15 for output.
        let models = Models::built_in();
        let prices = models.find("claude-sonnet-4-5").unwrap().prices.unwrap();
        let tokens = ReportedTokens {
            uncached: 1_000,
            read: 10_000,
            written: 2_000,
            written_long: 0,
            output: Some(100),
        };
        let savings = GatewaySavings { tokens: 5_000, new_tokens: 1_000, ..Default::default() };
        let cost = cost(&prices, tokens, savings);
        assert_eq!(cost.payload_micros, 3_000 + 3_000 + 7_500);
        assert_eq!(cost.saved_micros, 4_000 * 3 / 10 + 3_750);
        assert_eq!(cost.output_micros, Some(1_500));
        let cold = ReportedTokens { read: 0, written: 0, ..tokens };
        let cold = super::cost(&prices, cold, savings);
        assert_eq!(cold.saved_micros, 15_000);
    }
}
