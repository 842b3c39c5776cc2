//! Sums of costs, as usage is counted.

use super::{AssumedCache, PayloadCost, ReportedCost};

/// Sums of the costs of requests. Sums of money are signed, since a report of usage may lower them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CostTotals {
    /// Requests whose cost is known.
    pub priced_requests: u64,
    /// Requests whose cost is by the provider's usage.
    pub reported_requests: u64,
    pub payload_micros: i64,
    /// Answers, of requests whose output was reported.
    pub output_micros: i64,
    pub unshortened_micros: i64,
    pub unique_saved_micros: i64,
    /// Tokens of the payloads of these requests that providers read from their caches, and that
    /// they wrote to them: reported, or assumed.
    pub cache_read_tokens: i64,
    pub cache_write_tokens: i64,
    /// Tokens of the payloads of these requests: what the two above are shares of.
    pub priced_tokens: i64,
}

impl CostTotals {
    /// The cost of one request.
    ///
    /// `tokens`: those of the payload.
    pub fn of(cost: &PayloadCost, tokens: u64) -> Self {
        Self {
            priced_requests: 1,
            reported_requests: u64::from(cost.cache.assumed == AssumedCache::Reported),
            payload_micros: signed(cost.payload_micros),
            output_micros: signed(cost.output_micros.unwrap_or_default()),
            unshortened_micros: signed(cost.unshortened_micros),
            unique_saved_micros: signed(cost.unique_saved_micros),
            cache_read_tokens: signed(cost.cache.read_tokens),
            cache_write_tokens: signed(cost.cache.write_tokens),
            priced_tokens: signed(tokens),
        }
    }

    /// What a report of usage changes in the sums.
    pub fn change(reported: &ReportedCost) -> Self {
        let (before, after) = (Self::of(&reported.before, 0), Self::of(&reported.after, 0));
        Self {
            priced_requests: 0,
            reported_requests: after.reported_requests - before.reported_requests,
            payload_micros: after.payload_micros - before.payload_micros,
            output_micros: after.output_micros - before.output_micros,
            unshortened_micros: after.unshortened_micros - before.unshortened_micros,
            unique_saved_micros: after.unique_saved_micros - before.unique_saved_micros,
            cache_read_tokens: after.cache_read_tokens - before.cache_read_tokens,
            cache_write_tokens: after.cache_write_tokens - before.cache_write_tokens,
            priced_tokens: 0,
        }
    }

    pub fn add(&mut self, other: Self) {
        self.priced_requests += other.priced_requests;
        self.reported_requests += other.reported_requests;
        self.payload_micros = self.payload_micros.saturating_add(other.payload_micros);
        self.output_micros = self.output_micros.saturating_add(other.output_micros);
        self.unshortened_micros = self.unshortened_micros.saturating_add(other.unshortened_micros);
        self.unique_saved_micros =
            self.unique_saved_micros.saturating_add(other.unique_saved_micros);
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(other.cache_read_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
        self.priced_tokens = self.priced_tokens.saturating_add(other.priced_tokens);
    }

    /// Unshortened less payload; negative if the payloads cost more.
    pub fn saved_micros(&self) -> i64 {
        self.unshortened_micros.saturating_sub(self.payload_micros)
    }
}

fn signed(micros: u64) -> i64 {
    i64::try_from(micros).unwrap_or(i64::MAX)
}
