//! Compaction points that wait until the rewrite of a prefix pays.

use super::Driver;
use crate::domain::CacheLifetime;
use crate::pipeline::compress::{PayoffRule, PutOffPoint};
use crate::pipeline::report::PutOffReport;
use crate::request::Compression;

impl Driver<'_> {
    /// The prices by which compaction points wait, if the request asks for that and they are known.
    pub(super) fn payoff(&self, room: u64) -> Option<PayoffRule> {
        let Compression { pays, expected_turns, .. } = self.request.compression;
        let rates = self.request.model.prices.as_ref().filter(|_| pays)?.rates;
        let write =
            rates.write_price(CacheLifetime::of_ttl(self.request.cache.ttl)).unwrap_or(rates.input);
        Some(PayoffRule { write: write.0, read: rates.cache_read?.0, expected_turns, room })
    }

    /// What the report says of a compaction point that waits.
    pub(super) fn put_off(&self, point: Option<PutOffPoint>) -> Option<PutOffReport> {
        let (point, model) = (point?, self.request.measured());
        Some(PutOffReport {
            why: "break_even",
            break_even_turns: point.break_even_turns,
            expected_turns: point.expected_turns,
            rewritten_tokens: model.scale(point.rewritten),
            saved_tokens: model.scale(point.saved),
        })
    }
}
