//! The prefix of a payload that its provider keeps, if it is known for how long.

use crate::domain::{CacheLifetime, CacheTtl, ContentHash, Model};
use crate::pipeline::CompiledPayload;
use crate::service::sessions::PayloadPrefix;

/// The prefix of a payload up to its last cache mark. None if the request names no lifetime, if the
/// payload carries no mark, or if the prefix is shorter than the provider keeps: then it is not known
/// what the provider has, and until when.
pub(super) fn cached_prefix(
    compiled: &CompiledPayload,
    model: &Model,
    ttl: Option<CacheTtl>,
) -> Option<PayloadPrefix> {
    let ttl = ttl?;
    let report = compiled.report.report();
    let tokens = report.cache.stable_tokens;
    if tokens < model.min_cached_tokens.unwrap_or_default() {
        return None;
    }
    let end = report.cache.breakpoints.iter().filter_map(|mark| end_of(compiled, mark)).max()?;
    let text = compiled.written.payload().get(..end)?;
    let rates = model.prices.as_ref().map(|prices| prices.rates(report.tokens_after));
    let lifetime = CacheLifetime::of_ttl(Some(ttl));
    Some(PayloadPrefix {
        hash: ContentHash::of(text),
        tokens,
        ttl_seconds: match ttl {
            CacheTtl::FiveMinutes => 300,
            CacheTtl::OneHour => 3_600,
        },
        rewrite_micros: rates.and_then(|rates| rates.rewrite_cost(tokens, lifetime)),
    })
}

/// The byte of the payload at which the block ends that a JSON Pointer leads into.
fn end_of(compiled: &CompiledPayload, mark: &str) -> Option<usize> {
    let mut steps = mark.split('/').skip(1);
    let name = steps.next()?;
    let member = compiled.written.blocks.iter().find(|member| member.name == name)?;
    let at = steps.next().filter(|_| member.is_list).map_or(Some(0), |step| step.parse().ok())?;
    member.places.get(at).map(|place| place.end)
}
