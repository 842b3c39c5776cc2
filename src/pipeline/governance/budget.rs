//! Stage 6: the tokens of each bucket. Their sum is the total, exactly.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::pack::{BUCKETS, BudgetLayer, Intent, MILLION, Split};

/// Tokens if neither run nor pack has a limit.
const DEFAULT_BUDGET_TOKENS: u64 = 8_000;
/// Millionths by bucket if a pack has no split for the intent.
const DEFAULT_BUCKET_SHARES: [u32; 8] =
    [50_000, 50_000, 100_000, 100_000, 150_000, 300_000, 150_000, 100_000];

#[derive(Debug, Clone)]
pub(super) struct Output {
    pub(super) total: u64,
    /// `run_budget`, `pack_default`, `builtin`, or `budget` if the payload's own is smaller.
    pub(super) source: &'static str,
    pub(super) split_source: &'static str,
    /// By bucket, in the order in which they are filled.
    pub(super) allocations: Vec<(Arc<str>, u64)>,
    pub(super) split: Split,
}

/// `most`: what the payload's budget leaves.
pub(super) fn run(layer: &BudgetLayer, asked: Option<u64>, intent: &Intent, most: u64) -> Output {
    let (total, source) = match (asked, layer.default_total) {
        (Some(total), _) => (total, "run_budget"),
        (None, Some(total)) => (total, "pack_default"),
        (None, None) => (DEFAULT_BUDGET_TOKENS, "builtin"),
    };
    let (total, source) = if total > most { (most, "budget") } else { (total, source) };
    let class = format!("class:{}", intent.class);
    let named = [(&*intent.id, "intent"), (&class, "class"), ("default", "default")];
    let found = named.iter().find_map(|(name, source)| Some((layer.splits.get(*name)?, *source)));
    let usual: Split =
        BUCKETS.iter().map(|name| Arc::from(*name)).zip(DEFAULT_BUCKET_SHARES).collect();
    let (split, split_source) = found.map_or((&usual, "builtin"), |found| found);
    let mut order: Vec<Arc<str>> = BUCKETS.iter().map(|name| Arc::from(*name)).collect();
    // Buckets of the pack's own are after memory.
    let at = order.len() - 1;
    order.splice(at..at, layer.extensions.iter().cloned());
    let weights: Vec<u32> =
        order.iter().map(|name| split.get(name).copied().unwrap_or_default()).collect();
    let allocations = order.into_iter().zip(shares(total, &weights)).collect();
    Output { total, source, split_source, allocations, split: split.clone() }
}

/// Parts a total by weights of a million: whole parts first, then what is left one by one to the
/// largest remainders, the earlier first.
pub(super) fn shares(total: u64, weights: &[u32]) -> Vec<u64> {
    let million = u128::from(MILLION);
    let exact: Vec<u128> =
        weights.iter().map(|weight| u128::from(total) * u128::from(*weight)).collect();
    let mut shares: Vec<u64> =
        exact.iter().map(|part| u64::try_from(part / million).unwrap_or(u64::MAX)).collect();
    let left = total.saturating_sub(shares.iter().sum());
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(exact.get(*at).map(|part| part % million)));
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    for at in order.into_iter().take(left) {
        if let Some(share) = shares.get_mut(at) {
            *share += 1;
        }
    }
    shares
}

impl Output {
    pub(super) fn written(&self) -> Value {
        let per_bucket: serde_json::Map<String, Value> =
            self.allocations.iter().map(|(name, share)| (name.to_string(), json!(share))).collect();
        json!({"total_tokens": self.total, "source": self.source,
            "split_source": self.split_source, "per_bucket": per_bucket})
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn worked_values() {
        for (total, wanted) in [
            (1001, [50, 50, 100, 100, 150, 301, 150, 100]),
            (999, [50, 50, 100, 100, 150, 299, 150, 100]),
            (7, [0, 0, 1, 1, 1, 2, 1, 1]),
            (1, [0, 0, 0, 0, 0, 1, 0, 0]),
        ] {
            assert_eq!(shares(total, &DEFAULT_BUCKET_SHARES), wanted, "{total}");
        }
        let own = [50_000, 50_000, 100_000, 150_000, 150_000, 300_000, 100_000, 100_000];
        assert_eq!(shares(6000, &own), [300, 300, 600, 900, 900, 1800, 600, 600]);
        assert_eq!(shares(1003, &own), [50, 50, 100, 151, 151, 301, 100, 100]);
    }

    proptest! {
        #[test]
        fn shares_come_to_the_total(total in 0u64..1 << 50, cuts in prop::collection::vec(0u32..=MILLION, 7)) {
            let mut cuts = cuts;
            cuts.extend([0, MILLION]);
            cuts.sort_unstable();
            let weights: Vec<u32> = cuts.windows(2).map(|pair| pair[1] - pair[0]).collect();
            prop_assert_eq!(shares(total, &weights).iter().sum::<u64>(), total);
        }
    }
}
