//! What a request costs, by what its provider's cache does or did with its input.

use serde::{Deserialize, Serialize};

use super::{CacheTtl, Price, Prices, Rates, ReportedTokens};

/// Picodollars of a micro-dollar: prices are micro-dollars for a million tokens.
const PICOS_IN_MICRO: u128 = 1_000_000;

/// The tokens of an input, by what the provider's cache does with them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CachedTokens {
    /// Read from the cache.
    pub read: u64,
    /// Written to the cache.
    pub written: u64,
    /// Neither.
    pub uncached: u64,
}

/// How long written tokens stay in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheLifetime {
    /// The shortest that the provider has: minutes.
    Short,
    /// An hour or more.
    Long,
}

impl CacheLifetime {
    /// The lifetime of what marks of ours ask for; the shortest if there are none.
    pub fn of_ttl(ttl: Option<CacheTtl>) -> Self {
        match ttl {
            Some(CacheTtl::OneHour) => Self::Long,
            Some(CacheTtl::FiveMinutes) | None => Self::Short,
        }
    }
}

/// The cost of a payload, in micro-dollars (millionths of a dollar).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CompileCost)]
pub struct PayloadCost {
    /// The input: the payload, without the answer.
    pub payload_micros: u64,
    /// The answer; null until the provider's usage of the payload is reported with its output.
    pub output_micros: Option<u64>,
    /// What the conversation would cost unshortened, by the same state of the cache.
    pub unshortened_micros: u64,
    /// `unshortened_micros` less `payload_micros`; negative if the payload costs more.
    pub saved_micros: i64,
    /// The part of `unshortened_micros` that is for text which this compile left out and no earlier
    /// compile of the session did.
    pub unique_saved_micros: u64,
    /// What is assumed of the provider's cache.
    pub cache: CacheAssumption,
}

impl PayloadCost {
    /// Whether the provider reported that its cache had no part in the request.
    pub fn is_uncached(&self) -> bool {
        let CacheAssumption { read_tokens, write_tokens, assumed } = self.cache;
        assumed == AssumedCache::Reported && read_tokens == 0 && write_tokens == 0
    }
}

/// What the provider's cache is taken to do with a payload, or did with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CostCacheAssumption)]
pub struct CacheAssumption {
    /// Tokens that are read from the cache.
    pub read_tokens: u64,
    /// Tokens that are written to it.
    pub write_tokens: u64,
    /// The state of the provider's cache.
    pub assumed: AssumedCache,
}

impl CacheAssumption {
    /// What the cache did, by the usage that the provider reported.
    pub fn reported(tokens: &ReportedTokens) -> Self {
        Self {
            read_tokens: tokens.read,
            write_tokens: tokens.written.saturating_add(tokens.written_long),
            assumed: AssumedCache::Reported,
        }
    }
}

/// The state of the provider's cache that a cost assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CostCacheState)]
pub enum AssumedCache {
    /// The previous payload is in the cache.
    Warm,
    /// Nothing is in the cache.
    Cold,
    /// Nothing is assumed: the provider's usage of the payload was reported.
    Reported,
}

/// The cost of a payload as it is assumed when it is sent, with all that a report of usage needs to
/// replace the assumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostFigures {
    pub cost: PayloadCost,
    /// The conversation before it was shortened.
    pub tokens_before: u64,
    pub tokens_after: u64,
    /// Tokens that this compile left out and no earlier compile of the session did.
    pub unique_saved_tokens: u64,
    /// The cost of the conversation unshortened, with the previous payload in the cache and without.
    pub unshortened_warm_micros: u64,
    pub unshortened_cold_micros: u64,
}

impl CostFigures {
    /// The cost by the usage that the provider reported.
    ///
    /// The unshortened conversation was not sent: its cost is that which was computed, for a warm
    /// cache if the provider has read anything from it, in the provider's tokens instead of ours.
    pub fn reported(&self, prices: &Prices, tokens: &ReportedTokens) -> PayloadCost {
        let rates = prices.rates(tokens.input());
        let payload_micros = rates.reported_input_cost(tokens);
        let is_warm = tokens.read > 0;
        let computed =
            if is_warm { self.unshortened_warm_micros } else { self.unshortened_cold_micros };
        let unshortened_micros = if self.tokens_before <= self.tokens_after {
            payload_micros
        } else {
            share(computed, tokens.input(), self.tokens_after)
        };
        PayloadCost {
            payload_micros,
            output_micros: tokens.output.map(|output| rates.output_cost(output)),
            unshortened_micros,
            saved_micros: difference(unshortened_micros, payload_micros),
            unique_saved_micros: share(
                unshortened_micros,
                self.unique_saved_tokens,
                self.tokens_before,
            ),
            cache: CacheAssumption::reported(tokens),
        }
    }
}

/// `part` of the `whole` parts of an amount, rounded down; all of it of nothing.
pub fn share(amount: u64, part: u64, whole: u64) -> u64 {
    let product = u128::from(amount) * u128::from(part);
    u64::try_from(product.checked_div(u128::from(whole)).unwrap_or(amount.into()))
        .unwrap_or(u64::MAX)
}

/// `from` less `less`, which may be negative.
pub fn difference(from: u64, less: u64) -> i64 {
    let signed = |micros: u64| i64::try_from(micros).unwrap_or(i64::MAX);
    signed(from).saturating_sub(signed(less))
}

fn micros(picos: u128) -> u64 {
    u64::try_from((picos + PICOS_IN_MICRO / 2) / PICOS_IN_MICRO).unwrap_or(u64::MAX)
}

impl Rates {
    /// The cost of an input in micro-dollars, rounded to the nearest. Tokens for which the cache has
    /// no price of its own cost what input costs.
    pub fn input_cost(&self, tokens: CachedTokens, lifetime: CacheLifetime) -> u64 {
        let or_input = |price: Option<Price>| price.unwrap_or(self.input);
        micros(
            or_input(self.cache_read).cost_of(tokens.read)
                + or_input(self.write_price(lifetime)).cost_of(tokens.written)
                + self.input.cost_of(tokens.uncached),
        )
    }

    /// The cost of an input as its provider counted it.
    pub fn reported_input_cost(&self, tokens: &ReportedTokens) -> u64 {
        let or_input = |price: Option<Price>| price.unwrap_or(self.input);
        let write = |lifetime| or_input(self.write_price(lifetime));
        micros(
            or_input(self.cache_read).cost_of(tokens.read)
                + write(CacheLifetime::Short).cost_of(tokens.written)
                + write(CacheLifetime::Long).cost_of(tokens.written_long)
                + self.input.cost_of(tokens.uncached),
        )
    }

    /// The cost of an answer in micro-dollars, rounded to the nearest.
    pub fn output_cost(&self, tokens: u64) -> u64 {
        micros(self.output.cost_of(tokens))
    }

    /// What writing tokens to the cache costs more than reading them from it; none if the cache has
    /// no prices.
    pub fn rewrite_cost(&self, tokens: u64, lifetime: CacheLifetime) -> Option<u64> {
        let (read, write) = (self.cache_read?, self.write_price(lifetime)?);
        Some(micros(write.cost_of(tokens).saturating_sub(read.cost_of(tokens))))
    }

    /// The price of a token that is written to the cache; none if it has no price of its own.
    pub fn write_price(&self, lifetime: CacheLifetime) -> Option<Price> {
        match lifetime {
            CacheLifetime::Short => self.cache_write,
            CacheLifetime::Long => self.cache_write_long.or(self.cache_write),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates {
        input: Price(3_000_000),
        output: Price(15_000_000),
        cache_read: Some(Price(300_000)),
        cache_write: Some(Price(3_750_000)),
        cache_write_long: Some(Price(6_000_000)),
    };

    #[test]
    fn each_part_has_its_price() {
        let rates = RATES;
        let tokens = CachedTokens { read: 10_000, written: 1_000, uncached: 100 };
        assert_eq!(rates.input_cost(tokens, CacheLifetime::Short), 3_000 + 3_750 + 300);
        assert_eq!(rates.input_cost(tokens, CacheLifetime::Long), 3_000 + 6_000 + 300);
        let plain = Rates { cache_read: None, cache_write: None, cache_write_long: None, ..rates };
        assert_eq!(plain.input_cost(tokens, CacheLifetime::Long), 33_300);
        assert_eq!(rates.rewrite_cost(10_000, CacheLifetime::Short), Some(34_500));
        assert_eq!(rates.rewrite_cost(10_000, CacheLifetime::Long), Some(57_000));
        assert_eq!(plain.rewrite_cost(10_000, CacheLifetime::Short), None);
    }

    #[test]
    fn reported_usage_replaces_the_assumption() {
        let prices = Prices { rates: RATES, step: None };
        let assumed =
            CacheAssumption { read_tokens: 0, write_tokens: 1_000, assumed: AssumedCache::Cold };
        let figures = CostFigures {
            cost: PayloadCost {
                payload_micros: 3_750,
                output_micros: None,
                unshortened_micros: 7_500,
                saved_micros: 3_750,
                unique_saved_micros: 3_750,
                cache: assumed,
            },
            tokens_before: 2_000,
            tokens_after: 1_000,
            unique_saved_tokens: 500,
            unshortened_warm_micros: 700,
            unshortened_cold_micros: 7_500,
        };
        let tokens = ReportedTokens {
            uncached: 100,
            read: 0,
            written: 900,
            written_long: 200,
            output: Some(10),
        };
        let cost = figures.reported(&prices, &tokens);
        assert_eq!(cost.payload_micros, 300 + 3_375 + 1_200);
        assert_eq!(cost.output_micros, Some(150));
        // 1,200 tokens by the provider's count for 1,000 by ours.
        assert_eq!(cost.unshortened_micros, 9_000);
        assert_eq!((cost.saved_micros, cost.unique_saved_micros), (4_125, 2_250));
        let warm = ReportedTokens { uncached: 100, read: 900, ..ReportedTokens::default() };
        let cost = figures.reported(&prices, &warm);
        assert_eq!((cost.payload_micros, cost.unshortened_micros), (570, 700));
        assert_eq!((cost.output_micros, cost.saved_micros), (None, 130));
        // Nothing was left out: nothing can be saved.
        let whole = CostFigures { tokens_before: 1_000, unique_saved_tokens: 0, ..figures };
        let cost = whole.reported(&prices, &warm);
        assert_eq!((cost.saved_micros, cost.unique_saved_micros), (0, 0));
    }
}
