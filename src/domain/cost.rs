//! What the input of a request costs, by what its provider's cache does.

use super::{Price, Rates};

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

impl Rates {
    /// The cost of an input in micro-dollars, rounded to the nearest. Tokens for which the cache has
    /// no price of its own cost what input costs.
    pub fn input_cost(&self, tokens: CachedTokens, lifetime: CacheLifetime) -> u64 {
        let write = match lifetime {
            CacheLifetime::Short => self.cache_write,
            CacheLifetime::Long => self.cache_write_long.or(self.cache_write),
        };
        let or_input = |price: Option<Price>| price.unwrap_or(self.input);
        let picos = or_input(self.cache_read).of(tokens.read)
            + or_input(write).of(tokens.written)
            + self.input.of(tokens.uncached);
        u64::try_from((picos + 500_000) / 1_000_000).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_price() {
        let rates = Rates {
            input: Price(3_000_000),
            output: Price(15_000_000),
            cache_read: Some(Price(300_000)),
            cache_write: Some(Price(3_750_000)),
            cache_write_long: Some(Price(6_000_000)),
        };
        let tokens = CachedTokens { read: 10_000, written: 1_000, uncached: 100 };
        assert_eq!(rates.input_cost(tokens, CacheLifetime::Short), 3_000 + 3_750 + 300);
        assert_eq!(rates.input_cost(tokens, CacheLifetime::Long), 3_000 + 6_000 + 300);
        let plain = Rates { cache_read: None, cache_write: None, cache_write_long: None, ..rates };
        assert_eq!(plain.input_cost(tokens, CacheLifetime::Long), 33_300);
    }
}
