//! The size of an excerpt that fills a room counted in tokens.

/// Trials of a search: each makes the excerpt once.
const MAX_TRIALS: usize = 12;
/// An excerpt that takes this share of its room is large enough.
const MIN_FILL_MILLI: u64 = 950;
/// Bytes below which an excerpt says hardly more than the line that says that a text was there.
pub const MIN_EXCERPT_BYTES: u32 = 160;

/// An excerpt of a known size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excerpt {
    /// Bytes of each text that is longer, its frame aside.
    pub bytes: u32,
    /// Tokens of everything that was counted with it.
    pub tokens: u64,
}

/// Finds the largest excerpt, of at most `max_bytes`, that takes no more than `max_tokens`; none
/// if even a few lines take more.
///
/// Bytes and tokens grow together, but not in proportion, since the lines that are left take
/// notations too. `cost`: tokens with an excerpt of so many bytes.
pub fn find_excerpt<E>(
    first_bytes: u64,
    max_bytes: u64,
    max_tokens: u64,
    mut cost: impl FnMut(u32) -> Result<u64, E>,
) -> Result<Option<Excerpt>, E> {
    let clamp =
        |bytes: u64| u32::try_from(bytes.min(max_bytes)).unwrap_or(u32::MAX).max(MIN_EXCERPT_BYTES);
    let mut best: Option<Excerpt> = None;
    let mut too_large: Option<Excerpt> = None;
    let mut bytes = clamp(first_bytes);
    for _ in 0..MAX_TRIALS {
        let trial = Excerpt { bytes, tokens: cost(bytes)? };
        if trial.tokens <= max_tokens {
            if best.is_none_or(|best| best.bytes < bytes) {
                best = Some(trial);
            }
            if trial.tokens * 1000 >= max_tokens * MIN_FILL_MILLI {
                break;
            }
        } else {
            too_large = Some(trial);
        }
        let next = match (best, too_large) {
            (Some(low), Some(high)) => between(low, high, max_tokens),
            // Nothing is known of the other side: as much more or less as is missing or over, and a
            // tenth less than that, since fewer lines may find no notation that pays.
            (best, _) => {
                let scaled = u64::from(bytes) * max_tokens / trial.tokens.max(1);
                let scaled = if best.is_none() { scaled - scaled / 10 } else { scaled };
                clamp(scaled.clamp(u64::from(bytes) / 8, u64::from(bytes) * 8))
            }
        };
        if next == bytes || best.is_some_and(|best| best.bytes == next) {
            break;
        }
        bytes = next;
    }
    Ok(best)
}

/// The size at which a line between two trials reaches the room, kept away from both.
fn between(low: Excerpt, high: Excerpt, max_tokens: u64) -> u32 {
    let span = u64::from(high.bytes.saturating_sub(low.bytes));
    let rise = high.tokens.saturating_sub(low.tokens).max(1);
    let step = span * max_tokens.saturating_sub(low.tokens) / rise;
    let step = step.clamp(span / 8, span - span / 8);
    low.bytes + u32::try_from(step).unwrap_or(u32::MAX).min(high.bytes - low.bytes)
}

/// Bytes of the least fill: a line or two.
pub const MIN_FILL_BYTES: u32 = 48;
/// Steps of the sizes among which [`find_fill`] chooses: each is so much larger than the one
/// before, in parts of it.
const SIZE_STEP: u32 = 24;
/// Bytes of the least step.
const MIN_STEP_BYTES: u32 = 16;
/// A fill that takes this share of its room is large enough.
const MIN_ROOM_MILLI: u64 = 970;

/// Finds an excerpt that fills `max_tokens`, as [`find_excerpt`] does, among sizes and by a search
/// that the room has no part in: more room never finds a smaller one, however tokens grow with
/// bytes.
pub fn find_fill<E>(
    max_bytes: u64,
    max_tokens: u64,
    mut cost: impl FnMut(u32) -> Result<u64, E>,
) -> Result<Option<Excerpt>, E> {
    let last = u32::try_from(max_bytes).unwrap_or(u32::MAX).max(MIN_FILL_BYTES);
    let next = |bytes: &u32| Some(bytes.saturating_add((bytes / SIZE_STEP).max(MIN_STEP_BYTES)));
    let steps = std::iter::successors(Some(MIN_FILL_BYTES), next);
    let sizes: Vec<u32> = steps.take_while(|bytes| *bytes < last).chain([last]).collect();
    let mut best = None;
    let (mut low, mut high) = (0, sizes.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        let Some(bytes) = sizes.get(middle).copied() else { break };
        let trial = Excerpt { bytes, tokens: cost(bytes)? };
        if trial.tokens > max_tokens {
            high = middle;
            continue;
        }
        best = Some(trial);
        if trial.tokens * 1000 >= max_tokens * MIN_ROOM_MILLI {
            break;
        }
        low = middle + 1;
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(max_tokens: u64, cost: impl Fn(u32) -> u64) -> Option<Excerpt> {
        find_excerpt(1_000, 1_000_000, max_tokens, |bytes| Ok::<_, ()>(cost(bytes))).unwrap()
    }

    #[test]
    fn an_excerpt_fills_its_room() {
        for room in [100, 1_000, 20_000, 200_000] {
            let found = find(room, |bytes| u64::from(bytes) / 4 + 10).unwrap();
            assert!(found.tokens <= room && found.tokens * 100 >= room * 95, "{found:?}");
        }
    }

    #[test]
    fn more_room_never_finds_less() {
        // A notation that pays from some size on makes tokens fall while bytes grow.
        let cost = |bytes: u32| u64::from(bytes) / if bytes % 7_000 < 2_500 { 3 } else { 4 };
        let find = |room| find_fill(60_000, room, |bytes| Ok::<_, ()>(cost(bytes))).unwrap();
        let mut before = 0;
        for room in (60..15_000).step_by(37) {
            let found = find(room).unwrap();
            assert!(found.tokens <= room && found.bytes >= before, "{found:?} in {room}");
            assert!(found.tokens * 100 >= room * 60, "{found:?} in {room}");
            before = found.bytes;
        }
    }

    #[test]
    fn fewer_lines_may_take_as_many_tokens() {
        // Below 30,000 bytes no notation pays.
        let cost = |bytes: u32| u64::from(bytes) / if bytes < 30_000 { 2 } else { 4 };
        for room in [8_000, 9_000, 14_000] {
            let found = find(room, cost).unwrap();
            assert!(found.tokens <= room && found.tokens * 100 >= room * 80, "{found:?}");
        }
    }

    #[test]
    fn lines_come_in_steps_and_none_may_fit() {
        // Lines of 400 bytes: what is not a whole line is left out.
        let found = find(1_000, |bytes| u64::from(bytes / 400) * 100 + 20).unwrap();
        assert_eq!(found.tokens, 920);
        assert_eq!(find(20, |_| 30), None);
        // The whole text is the limit.
        let found = find_excerpt(10, 900, 1_000, |bytes| Ok::<_, ()>(u64::from(bytes) / 4));
        assert_eq!(found, Ok(Some(Excerpt { bytes: 900, tokens: 225 })));
    }
}
