//! Buckets of durations, eight for each doubling: what quantiles of many requests are read from.

use std::time::Duration;

/// A bucket of durations. Its longest one is at most an eighth longer than its shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DurationBucket(pub u16);

/// Buckets for each doubling, as a power of two.
const STEPS_LOG2: u32 = 3;

impl DurationBucket {
    /// The bucket that a duration is in.
    pub fn of(duration: Duration) -> Self {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let doublings = micros.checked_ilog2().unwrap_or_default().saturating_sub(STEPS_LOG2);
        // Below the first doubling each microsecond has a bucket.
        let step = (micros >> doublings) & ((2 << STEPS_LOG2) - 1);
        Self(u16::try_from(u64::from(doublings << STEPS_LOG2) + step).unwrap_or(u16::MAX))
    }

    /// The longest duration of the bucket, in whole microseconds.
    pub fn longest(self) -> Duration {
        let next = u32::from(self.0) + 1;
        let steps = 1 << STEPS_LOG2;
        let doublings = (next / steps).saturating_sub(1);
        // The last bucket that a duration is in ends at 2^64 microseconds.
        let first_of_next = u128::from(next - doublings * steps) << doublings.min(64);
        Duration::from_micros(u64::try_from(first_of_next - 1).unwrap_or(u64::MAX))
    }

    /// The duration within which a share of the requests ended: the end of the bucket that the
    /// request of that rank is in. `counts` is in the order of buckets; none if it is empty.
    pub fn quantile(counts: &[(Self, u64)], per_thousand: u64) -> Option<Duration> {
        let all: u64 = counts.iter().map(|(_, requests)| requests).sum();
        let rank = (u128::from(all) * u128::from(per_thousand)).div_ceil(1000).max(1);
        let mut seen = 0_u128;
        counts.iter().find_map(|(bucket, requests)| {
            seen += u128::from(*requests);
            (seen >= rank).then(|| bucket.longest())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_ends_where_the_next_one_begins() {
        for bucket in 0..400 {
            let longest = DurationBucket(bucket).longest();
            assert_eq!(DurationBucket::of(longest), DurationBucket(bucket), "{longest:?}");
            let next = longest + Duration::from_micros(1);
            assert_eq!(DurationBucket::of(next), DurationBucket(bucket + 1), "{next:?}");
        }
        let end = DurationBucket::of(Duration::MAX).longest();
        assert!(end >= Duration::from_micros(u64::MAX / 2), "{end:?}");
    }

    #[test]
    fn a_quantile_is_at_most_an_eighth_too_long() {
        let mut counts = std::collections::BTreeMap::new();
        for ms in 1..=1000 {
            *counts.entry(DurationBucket::of(Duration::from_millis(ms))).or_insert(0) += 1;
        }
        let counts: Vec<_> = counts.into_iter().collect();
        for (per_thousand, exact) in [(1, 1), (500, 500), (990, 990), (1000, 1000)] {
            let found = DurationBucket::quantile(&counts, per_thousand).unwrap();
            let exact = Duration::from_millis(exact);
            assert!(found >= exact && found <= exact * 9 / 8, "{per_thousand}: {found:?}");
        }
        assert_eq!(DurationBucket::quantile(&[], 500), None);
    }
}
