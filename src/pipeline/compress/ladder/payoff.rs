//! Whether the rewrite of a warm prefix pays: a compaction point writes the history again, and saves
//! reads of what it takes away.
//!
//! The decision goes by the turns up to the point and by the options alone, so each later compile of a
//! longer list comes to the same one.

/// Requests in which a rewrite has to pay if the list has fewer so far.
const MIN_EXPECTED_TURNS: u64 = 10;

/// Prices of a prefix in the cache, and the later requests in which a rewrite has to pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PayoffRule {
    /// The price of a token that is written to the cache, and of one that is read from it.
    pub(crate) write: u64,
    pub(crate) read: u64,
    /// None for as many requests as the list has so far, at least ten.
    pub(crate) expected_turns: Option<u64>,
    /// Raw tokens above which no point waits.
    pub(crate) room: u64,
}

/// The history at a point that is passed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HistoryAtPoint {
    /// Raw tokens of the history, and those to which it would be shrunk.
    pub(crate) tokens: u64,
    pub(crate) target: u64,
    /// Raw tokens of the newest turn, which are written in either case.
    pub(crate) newest: u64,
    /// Messages of the model so far: each was a request.
    pub(crate) answers: u64,
}

/// A compaction point that waits, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PutOffPoint {
    /// Raw tokens that would be written again.
    pub(crate) rewritten: u64,
    /// Raw tokens that each later request would save.
    pub(crate) saved: u64,
    /// Requests after which the rewrite has paid; none if it never does.
    pub(crate) break_even_turns: Option<u64>,
    pub(crate) expected_turns: u64,
}

impl PayoffRule {
    /// The point as one that waits; none if it pays, or if the history has no room.
    pub(crate) fn put_off(&self, at: HistoryAtPoint) -> Option<PutOffPoint> {
        if at.tokens > self.room {
            return None;
        }
        let rewritten = at.target.saturating_sub(at.newest);
        let saved = at.tokens.saturating_sub(at.target);
        let cost = u128::from(self.write.saturating_sub(self.read)) * u128::from(rewritten);
        let gain = u128::from(self.read) * u128::from(saved);
        let break_even_turns =
            (gain > 0).then(|| u64::try_from(cost.div_ceil(gain)).unwrap_or(u64::MAX));
        let expected_turns =
            self.expected_turns.unwrap_or_else(|| at.answers.max(MIN_EXPECTED_TURNS));
        let pays = break_even_turns.is_some_and(|turns| turns <= expected_turns);
        (!pays).then_some(PutOffPoint { rewritten, saved, break_even_turns, expected_turns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: PayoffRule = PayoffRule { write: 25, read: 2, expected_turns: None, room: 1_000 };
    const POINT: HistoryAtPoint =
        HistoryAtPoint { tokens: 900, target: 600, newest: 100, answers: 3 };

    #[test]
    fn a_point_waits_while_the_break_even_is_further_away() {
        // 23 × 500 / (2 × 300) = 19.2.
        let waits = PutOffPoint {
            rewritten: 500,
            saved: 300,
            break_even_turns: Some(20),
            expected_turns: 10,
        };
        assert_eq!(RULE.put_off(POINT), Some(waits));
        let at = |answers| RULE.put_off(HistoryAtPoint { answers, ..POINT }).is_some();
        assert_eq!([at(19), at(20)], [true, false]);
        let of = |expected| {
            let rule = PayoffRule { expected_turns: Some(expected), ..RULE };
            rule.put_off(POINT).is_some()
        };
        assert_eq!([of(19), of(20)], [true, false]);
    }

    #[test]
    fn no_point_waits_without_room_and_a_free_rewrite_pays() {
        assert_eq!(RULE.put_off(HistoryAtPoint { tokens: 1_001, ..POINT }), None);
        assert_eq!(PayoffRule { write: 2, ..RULE }.put_off(POINT), None);
        let free = PayoffRule { read: 0, ..RULE }.put_off(POINT).unwrap();
        assert_eq!(free.break_even_turns, None);
    }
}
