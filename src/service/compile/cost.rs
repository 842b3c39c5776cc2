//! The cost of a payload at the prices of the catalogue, and of the conversation unshortened.

use crate::domain::{
    AssumedCache, CacheAssumption, CacheLifetime, CacheMarks, CacheTtl, CachedTokens, CostFigures,
    Model, PayloadCost, Prices, difference, share,
};
use crate::pipeline::Report;

/// What is known of the cache when a payload is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheFacts {
    /// Whether the provider is taken to have the previous payload in its cache.
    pub(super) is_warm: bool,
    /// Tokens that follow what the payload has in common with the previous one.
    pub(super) new_tokens: u64,
    /// Tokens of the conversation of the previous compile, unshortened; none if they are not known.
    pub(super) previous_before: Option<u64>,
    /// The lifetime that the request's marks ask for; none if it sets no marks.
    pub(super) ttl: Option<CacheTtl>,
}

/// The tokens of a payload.
#[derive(Debug, Clone, Copy)]
pub(super) struct PayloadTokens {
    /// The conversation before it was shortened.
    before: u64,
    after: u64,
    /// Those of the payload before the first place that changes with every compile.
    stable: u64,
    /// Whether blocks of the payload carry cache marks.
    is_marked: bool,
    /// Those that no earlier compile of the session left out.
    unique_saved: u64,
}

impl PayloadTokens {
    pub(super) fn new(report: &Report) -> Self {
        Self {
            before: report.tokens_before,
            after: report.tokens_after,
            stable: report.cache.stable_tokens,
            is_marked: !report.cache.breakpoints.is_empty(),
            unique_saved: report.unique_saved_tokens,
        }
    }
}

/// The cost of a payload; none if its model has no known prices.
pub(super) fn payload_cost(
    model: &Model,
    tokens: PayloadTokens,
    state: CacheFacts,
) -> Option<CostFigures> {
    let prices = model.prices.as_ref()?;
    let rules = CacheRules::new(model, tokens, state);
    let payload = rules.split(tokens.after, state.new_tokens);
    // Unshortened, only what was added since the previous compile is new.
    let added = match state.previous_before {
        Some(previous) => tokens.before.saturating_sub(previous),
        None => state.new_tokens.min(tokens.before),
    };
    let unshortened = |is_warm| {
        let rules = CacheRules { is_warm, ..rules };
        // Text that was put in, such as state, saves nothing and is no loss either.
        let tokens = if tokens.before > tokens.after {
            rules.split(tokens.before, added)
        } else {
            rules.split(tokens.after, state.new_tokens)
        };
        input_cost(prices, tokens, rules.lifetime)
    };
    let (warm, cold) = (unshortened(true), unshortened(false));
    let payload_micros = input_cost(prices, payload, rules.lifetime);
    let unshortened_micros = if state.is_warm { warm } else { cold };
    let cost = PayloadCost {
        payload_micros,
        output_micros: None,
        unshortened_micros,
        saved_micros: difference(unshortened_micros, payload_micros),
        unique_saved_micros: share(unshortened_micros, tokens.unique_saved, tokens.before),
        cache: CacheAssumption {
            read_tokens: payload.read,
            write_tokens: payload.written,
            assumed: if state.is_warm { AssumedCache::Warm } else { AssumedCache::Cold },
        },
    };
    Some(CostFigures {
        cost,
        tokens_before: tokens.before,
        tokens_after: tokens.after,
        unique_saved_tokens: tokens.unique_saved,
        unshortened_warm_micros: warm,
        unshortened_cold_micros: cold,
    })
}

fn input_cost(prices: &Prices, tokens: CachedTokens, lifetime: CacheLifetime) -> u64 {
    let CachedTokens { read, written, uncached } = tokens;
    prices.rates(read + written + uncached).input_cost(tokens, lifetime)
}

/// What the provider's cache does with the payloads of a model.
#[derive(Debug, Clone, Copy)]
struct CacheRules {
    is_warm: bool,
    /// Whether it keeps anything: a provider with marks does so only where they are.
    keeps: bool,
    /// Tokens at the end of the payload that are after the last mark.
    unmarked: u64,
    /// The shortest prefix that it keeps.
    min_tokens: u64,
    lifetime: CacheLifetime,
}

impl CacheRules {
    fn new(model: &Model, tokens: PayloadTokens, state: CacheFacts) -> Self {
        let wants_marks = model.cache_marks == Some(CacheMarks::Blocks);
        let unmarked = tokens.after.saturating_sub(tokens.stable);
        Self {
            is_warm: state.is_warm,
            keeps: !wants_marks || tokens.is_marked,
            unmarked: if wants_marks { unmarked } else { 0 },
            min_tokens: model.min_cached_tokens.unwrap_or_default(),
            lifetime: CacheLifetime::of_ttl(state.ttl),
        }
    }

    /// The tokens of an input of which so many are new.
    fn split(&self, tokens: u64, new: u64) -> CachedTokens {
        let cached = tokens.saturating_sub(self.unmarked);
        if !self.keeps || cached < self.min_tokens {
            return CachedTokens { uncached: tokens, ..CachedTokens::default() };
        }
        let read = if self.is_warm { tokens.saturating_sub(new).min(cached) } else { 0 };
        let read = if read < self.min_tokens { 0 } else { read };
        CachedTokens { read, written: cached - read, uncached: tokens - cached }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Models;

    fn cost(model: &str, marks: usize, state: CacheFacts) -> PayloadCost {
        let model = Models::built_in().find(model).cloned().unwrap();
        let is_marked = marks > 0;
        let tokens = PayloadTokens {
            before: 100_000,
            after: 20_000,
            stable: 19_000,
            is_marked,
            unique_saved: 10_000,
        };
        payload_cost(&model, tokens, state).unwrap().cost
    }

    const COLD: CacheFacts =
        CacheFacts { is_warm: false, new_tokens: 2_000, previous_before: Some(97_000), ttl: None };

    #[test]
    fn a_cold_cache_is_written_and_a_warm_one_is_read() {
        // 3 dollars for input, 0.3 for reads, 3.75 for writes.
        let cold = cost("claude-sonnet-4-5", 1, COLD);
        assert_eq!(cold.payload_micros, 19_000 * 375 / 100 + 3_000);
        assert_eq!(cold.cache.write_tokens, 19_000);
        let warm = cost("claude-sonnet-4-5", 1, CacheFacts { is_warm: true, ..COLD });
        assert_eq!(warm.payload_micros, 18_000 * 3 / 10 + 1_000 * 375 / 100 + 3_000);
        // 97,000 of 100,000 were there before; a thousand is after the last mark.
        assert_eq!(warm.unshortened_micros, 97_000 * 3 / 10 + 2_000 * 375 / 100 + 3_000);
        assert_eq!(warm.saved_micros, 39_600 - 12_150);
        assert_eq!(warm.unique_saved_micros, 3_960);
    }

    #[test]
    fn without_marks_such_a_provider_keeps_nothing() {
        let plain = cost("claude-sonnet-4-5", 0, CacheFacts { is_warm: true, ..COLD });
        assert_eq!(plain.payload_micros, 60_000);
        assert_eq!(plain.cache.read_tokens, 0);
    }

    #[test]
    fn a_break_of_a_warm_prefix_may_cost_more_than_it_saves() {
        let broken = CacheFacts { is_warm: true, new_tokens: 20_000, ..COLD };
        let cost = cost("claude-sonnet-4-5", 1, broken);
        assert_eq!(cost.cache.read_tokens, 0);
        assert!(cost.saved_micros < 0, "{cost:?}");
    }
}
