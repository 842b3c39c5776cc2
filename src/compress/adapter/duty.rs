//! Sentences that stay before any other, for what would be lost with them: each kind up to its
//! share of the room, so that a text full of them still shrinks.

use std::cmp::Reverse;

use foldhash::HashSet;

use crate::compress::extract::{ExtractUnit, Selection};
use crate::compress::text::hash;

/// Why a sentence stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeepReason {
    /// It reports an error.
    Report,
    /// It orders or forbids something, holds a secret, or speaks of an error.
    Strict,
    /// It denies or restricts something.
    Negation,
    /// Nothing else says where its link leads.
    Link,
    /// It begins a section: it has the content that the heading announces.
    Opening,
}

/// Hundredths of the room.
const SHARE_PERCENTS: [(KeepReason, usize); 5] = [
    (KeepReason::Report, 200),
    (KeepReason::Strict, 60),
    (KeepReason::Negation, 20),
    (KeepReason::Link, 30),
    (KeepReason::Opening, 30),
];

/// Chooses the sentences that stay before others, as far as they fit into their shares of `room`
/// bytes; if any is strict, one strict one at the least.
pub(super) fn oblige(
    selection: &mut Selection<'_, '_>,
    units: &[ExtractUnit<'_>],
    duties: &[Option<KeepReason>],
    room: usize,
) {
    let mut known = HashSet::default();
    for (duty, share) in SHARE_PERCENTS {
        let places = duties.iter().enumerate().filter(|(_, own)| **own == Some(duty));
        let places = places.filter_map(|(at, _)| Some((at, units.get(at)?.text)));
        let places = places.filter(|(_, text)| known.insert(words_of(text)));
        let (places, texts): (Vec<usize>, Vec<&str>) = places.unzip();
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let share = room * share / 100;
        let before = selection.bytes();
        if bytes <= share {
            for at in &places {
                selection.choose(*at);
            }
        } else {
            selection.fill(places.iter().copied(), share);
        }
        if duty == KeepReason::Strict
            && selection.bytes() == before
            && let Some(best) = best(units, places.into_iter())
        {
            selection.choose(best);
        }
    }
}

/// The place of the weightiest unit; of equals the first.
pub(super) fn best(
    units: &[ExtractUnit<'_>],
    places: impl Iterator<Item = usize>,
) -> Option<usize> {
    places.max_by_key(|at| (units.get(*at).map(|unit| unit.weight), Reverse(*at)))
}

/// The same for sentences that differ in white space alone.
fn words_of(sentence: &str) -> u64 {
    let bytes = sentence.as_bytes();
    // Most sentences have single spaces between their words, and are looked at as a whole.
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let uneven = pairs.fold(0, |any, (byte, next)| {
        any | u8::from(*byte < b' ') | u8::from((*byte | *next) == b' ')
    });
    let ends_with_words = [bytes.first(), bytes.last()].iter().flatten().all(|end| **end > b' ');
    if uneven == 0 && ends_with_words {
        return hash(bytes);
    }
    let words: Vec<&str> = sentence.split_ascii_whitespace().collect();
    hash(words.join(" ").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::extract::UnitFacts;

    #[test]
    fn each_duty_has_its_share_and_one_order_always_stays() {
        let texts =
            ["You must do it.", "You must do it.", "It is not so.", "See it there, please."];
        let units = texts.map(|text| ExtractUnit { text, weight: 3, must: false });
        let duties =
            [Some(KeepReason::Strict), Some(KeepReason::Strict), Some(KeepReason::Negation), None];
        let shows = UnitFacts::collect(units, 1);
        let chosen = |room| {
            let mut selection = Selection::new(&units, &shows);
            oblige(&mut selection, &units, &duties, room);
            selection.into_chosen()
        };
        assert_eq!(chosen(5), [true, false, false, false]);
        assert_eq!(chosen(100), [true, false, true, false]);
    }
}
