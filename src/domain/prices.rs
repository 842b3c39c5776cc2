//! Prices of a model's tokens.

use serde::{Deserialize, Serialize};

/// Micro-dollars for a million tokens: 3,000,000 is a price of 3 dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price(pub u64);

impl Price {
    /// The price of a table in dollars for a million tokens; `None` if it is negative or absurd.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        if !(0.0..=1_000_000.0).contains(&dollars) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 10^12 by the check above"
        )]
        Some(Self((dollars * 1e6).round() as u64))
    }

    /// Dollars for a million tokens.
    pub fn dollars(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "at most 10^12")]
        let micros = self.0 as f64;
        micros / 1e6
    }

    /// What so many tokens cost, in picodollars.
    pub fn cost_of(self, tokens: u64) -> u128 {
        u128::from(self.0) * u128::from(tokens)
    }
}

/// The prices of one kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    pub input: Price,
    pub output: Price,
    /// Input that the provider has in its cache; the input's price if it has no price of its own.
    pub cache_read: Option<Price>,
    /// Input that is written to the cache for minutes.
    pub cache_write: Option<Price>,
    /// Input that is written to the cache for an hour or more.
    pub cache_write_long: Option<Price>,
}

/// What a provider charges for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    pub rates: Rates,
    /// Other rates of the whole request if its input is long.
    pub step: Option<PriceStep>,
}

/// The rates of a request with more input than a limit; all its tokens are charged by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceStep {
    /// Tokens of the largest input that the ordinary rates charge.
    pub above_tokens: u64,
    pub rates: Rates,
}

impl Prices {
    /// The rates of a request with so many tokens of input.
    pub fn rates(&self, input_tokens: u64) -> &Rates {
        match &self.step {
            Some(step) if input_tokens > step.above_tokens => &step.rates,
            _ => &self.rates,
        }
    }
}

/// Prices of the catalogue of models, in dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ModelPrices)]
pub struct PricesRow {
    /// Input.
    #[schema(example = 3.0)]
    pub input: f64,
    /// Output.
    #[schema(example = 15.0)]
    pub output: f64,
    /// Input that is read from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 0.3)]
    pub cache_read: Option<f64>,
    /// Input that is written to the cache, for the shortest lifetime that the provider has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 3.75)]
    pub cache_write: Option<f64>,
    /// Input that is written to the cache for an hour or longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 6.0)]
    pub cache_write_long: Option<f64>,
    /// Prices of the whole request if its input is long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<PriceStepRow>,
}

/// Prices of a whole request with more input than a limit, in dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ModelPriceStep)]
pub struct PriceStepRow {
    /// Tokens of the largest input that the ordinary prices charge.
    #[schema(example = 272_000)]
    pub above_tokens: u64,
    /// Input.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Input that is read from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Input that is written to the cache, for the shortest lifetime that the provider has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// Input that is written to the cache for an hour or longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_long: Option<f64>,
}

impl From<&Prices> for PricesRow {
    fn from(prices: &Prices) -> Self {
        let Rates { input, output, cache_read, cache_write, cache_write_long } = prices.rates;
        let dollars = |price: Option<Price>| price.map(Price::dollars);
        Self {
            input: input.dollars(),
            output: output.dollars(),
            cache_read: dollars(cache_read),
            cache_write: dollars(cache_write),
            cache_write_long: dollars(cache_write_long),
            step: prices.step.map(|step| PriceStepRow {
                above_tokens: step.above_tokens,
                input: step.rates.input.dollars(),
                output: step.rates.output.dollars(),
                cache_read: dollars(step.rates.cache_read),
                cache_write: dollars(step.rates.cache_write),
                cache_write_long: dollars(step.rates.cache_write_long),
            }),
        }
    }
}

impl TryFrom<PricesRow> for Prices {
    type Error = String;

    fn try_from(row: PricesRow) -> Result<Self, String> {
        let rates = Rates {
            input: price("input", row.input)?,
            output: price("output", row.output)?,
            cache_read: optional_price("cache_read", row.cache_read)?,
            cache_write: optional_price("cache_write", row.cache_write)?,
            cache_write_long: optional_price("cache_write_long", row.cache_write_long)?,
        };
        let step = row.step.map(PriceStep::try_from).transpose()?;
        Ok(Self { rates, step })
    }
}

impl TryFrom<PriceStepRow> for PriceStep {
    type Error = String;

    fn try_from(row: PriceStepRow) -> Result<Self, String> {
        let rates = Rates {
            input: price("step.input", row.input)?,
            output: price("step.output", row.output)?,
            cache_read: optional_price("step.cache_read", row.cache_read)?,
            cache_write: optional_price("step.cache_write", row.cache_write)?,
            cache_write_long: optional_price("step.cache_write_long", row.cache_write_long)?,
        };
        Ok(Self { above_tokens: row.above_tokens, rates })
    }
}

fn price(key: &str, dollars: f64) -> Result<Price, String> {
    Price::from_dollars(dollars)
        .ok_or_else(|| format!("`prices.{key}` is not from 0 to 1,000,000 dollars"))
}

fn optional_price(key: &str, dollars: Option<f64>) -> Result<Option<Price>, String> {
    dollars.map(|dollars| price(key, dollars)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_read_and_written_without_loss() {
        for dollars in [0.0, 0.0028, 0.075, 1.0, 3.75, 1_000_000.0] {
            assert_eq!(Price::from_dollars(dollars).map(Price::dollars), Some(dollars));
        }
        assert_eq!(Price::from_dollars(-1.0), None);
        assert_eq!(Price::from_dollars(f64::NAN), None);
        assert_eq!(Price(3_000_000).cost_of(1_000), 3_000_000_000);
    }

    #[test]
    fn a_long_request_is_charged_by_the_step() {
        let text =
            r#"{"input":5,"output":30,"step":{"above_tokens":272000,"input":10,"output":45}}"#;
        let row: PricesRow = serde_json::from_str(text).unwrap();
        let prices = Prices::try_from(row).unwrap();
        assert_eq!(prices.rates(272_000).input, Price(5_000_000));
        assert_eq!(prices.rates(272_001).input, Price(10_000_000));
        assert_eq!(PricesRow::from(&prices), row);
    }
}
