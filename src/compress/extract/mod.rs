//! Extraction: which lines or sentences of a text stay, so that as many distinct facts as possible
//! stay in sight at a size.
//!
//! Budgeted maximum coverage, greedy: what shows most that nothing chosen shows yet, by byte, is
//! chosen next. Values only fall while units are chosen, so a heap of values that may be out of
//! date is enough.

mod cover;
mod facts;
mod paragraphs;
mod sentences;
mod weight;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use cover::Cover;

pub(crate) use cover::UnitFacts;
#[cfg(test)]
pub(crate) use facts::facts;
pub(crate) use facts::scan;
pub(crate) use paragraphs::{Paragraph, paragraphs};
pub(crate) use sentences::{GAP_MARK, between_gaps, sentences};
pub(crate) use weight::{Criticality, FACT_WEIGHT, Weight, weigh};

/// A line or a sentence that stays or goes as a whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExtractUnit<'t> {
    pub(crate) text: &'t str,
    /// Weight in addition to its facts; a fact that no other unit shows is worth one. Counts for
    /// the first unit of the same words only.
    pub(crate) weight: u32,
    /// It stays, whatever the room.
    pub(crate) must: bool,
}

/// Whether a fact is elsewhere.
pub(crate) type FactElsewhere<'t> = &'t dyn Fn(u64) -> bool;

/// Selects the units that stay: all that must, and of the others the most valuable by byte that fit
/// into `keep_bytes` together with them. All stay if all fit; otherwise what is worth nothing goes.
///
/// More room keeps what less room kept, except that a unit too big for the room that is left is
/// passed over for smaller ones after it.
pub(crate) fn select(units: &[ExtractUnit<'_>], keep_bytes: usize) -> Vec<bool> {
    let bytes: usize = units.iter().map(|unit| unit.text.len()).sum();
    if bytes <= keep_bytes {
        return vec![true; units.len()];
    }
    select_with_facts(units, &UnitFacts::collect(units.iter().copied(), 1), &|_| false, keep_bytes)
}

/// Selects units as [`select`] does, if their facts are known. Facts for which `is_shown` is true
/// are shown elsewhere and are worth nothing here.
pub(crate) fn select_with_facts(
    units: &[ExtractUnit<'_>],
    shows: &UnitFacts,
    is_shown: FactElsewhere<'_>,
    keep_bytes: usize,
) -> Vec<bool> {
    let bytes: usize = units.iter().map(|unit| unit.text.len()).sum();
    if bytes <= keep_bytes {
        return vec![true; units.len()];
    }
    let mut selection =
        Selection { units, cover: Cover::new(units.len(), shows, is_shown), bytes: 0 };
    for (at, _) in units.iter().enumerate().filter(|(_, unit)| unit.must) {
        selection.choose(at);
    }
    let room = keep_bytes.saturating_sub(selection.bytes());
    selection.fill(0..units.len(), room);
    selection.into_chosen()
}

/// Units while they are chosen.
#[derive(Debug)]
pub(crate) struct Selection<'u, 't> {
    units: &'u [ExtractUnit<'t>],
    cover: Cover<'u>,
    bytes: usize,
}

impl<'u, 't> Selection<'u, 't> {
    /// Nothing is chosen yet of some units that show so much.
    pub(crate) fn new(units: &'u [ExtractUnit<'t>], shows: &'u UnitFacts) -> Self {
        Self { units, cover: Cover::new(units.len(), shows, &|_| false), bytes: 0 }
    }

    /// Bytes of what is chosen.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn into_chosen(self) -> Vec<bool> {
        self.cover.chosen
    }

    pub(crate) fn choose(&mut self, at: usize) {
        let is_new = self.cover.chosen.get(at) == Some(&false);
        if let Some(unit) = self.units.get(at).filter(|_| is_new) {
            self.bytes += unit.text.len();
            self.cover.choose(at);
        }
    }

    /// The value that a unit would add.
    pub(crate) fn value(&self, at: usize) -> u32 {
        self.cover.value(at)
    }

    /// Whether a unit is chosen.
    pub(crate) fn has(&self, at: usize) -> bool {
        self.cover.chosen.get(at) == Some(&true)
    }

    /// Chooses the units among some that add something, the most valuable by byte first, whatever
    /// room they take; gives them in that order.
    pub(crate) fn drain(&mut self, among: &dyn Fn(&usize) -> bool) -> Vec<usize> {
        let offers = (0..self.units.len()).filter(|at| !self.has(*at) && among(at));
        let offers = offers.filter_map(|at| Some(self.cover.rank_unit(at, self.units.get(at)?)));
        let mut heap: BinaryHeap<RankedUnit> = offers.filter(|offer| offer.value > 0).collect();
        let mut order = Vec::with_capacity(heap.len());
        while let Some(offer) = heap.pop() {
            let Some(unit) = self.units.get(offer.at) else { continue };
            let now = self.cover.rank_unit(offer.at, unit);
            if now.value < offer.value {
                heap.extend(Some(now).filter(|now| now.value > 0));
                continue;
            }
            self.choose(offer.at);
            order.push(offer.at);
        }
        order
    }

    /// Chooses the most valuable by byte of the units at some places, as far as they fit into
    /// `room` bytes.
    pub(crate) fn fill(&mut self, places: impl Iterator<Item = usize>, room: usize) {
        let is_chosen = |at: usize| self.cover.chosen.get(at) != Some(&false);
        let offers = places.filter(|at| !is_chosen(*at));
        let offers = offers.filter_map(|at| Some(self.cover.rank_unit(at, self.units.get(at)?)));
        // A unit that adds nothing now never will, and there may be a great many of them.
        let mut heap: BinaryHeap<RankedUnit> = offers.filter(|offer| offer.value > 0).collect();
        let mut room = room;
        while let Some(offer) = heap.pop() {
            let unit = self.units.get(offer.at).filter(|unit| unit.text.len() <= room);
            let Some(unit) = unit else { continue };
            let now = self.cover.rank_unit(offer.at, unit);
            if now.value < offer.value {
                heap.extend(Some(now).filter(|now| now.value > 0));
                continue;
            }
            room -= unit.text.len();
            self.choose(offer.at);
        }
    }
}

/// A unit and what it is worth.
#[derive(Debug, PartialEq, Eq)]
struct RankedUnit {
    value: u64,
    bytes: u64,
    at: usize,
}

impl Ord for RankedUnit {
    /// By value per byte; of equals the first in the text is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        let (own, others) = (self.value * other.bytes, other.value * self.bytes);
        own.cmp(&others).then(Reverse(self.at).cmp(&Reverse(other.at)))
    }
}

impl PartialOrd for RankedUnit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit(text: &str) -> ExtractUnit<'_> {
        ExtractUnit { text, weight: 1, must: text.contains("must") }
    }

    fn kept<'t>(lines: &[&'t str], keep_bytes: usize) -> Vec<&'t str> {
        let units: Vec<ExtractUnit<'_>> = lines.iter().map(|line| unit(line)).collect();
        let chosen = select(&units, keep_bytes);
        lines.iter().zip(chosen).filter_map(|(line, stays)| stays.then_some(*line)).collect()
    }

    #[test]
    fn what_shows_most_by_byte_stays() {
        let lines = [
            "some words that say nothing much",
            "a_b c_d e_f",
            "words about a_b and nothing else",
            "it is 1234",
        ];
        assert_eq!(kept(&lines, 22), ["a_b c_d e_f", "it is 1234"]);
        assert_eq!(kept(&lines, 1_000), lines);
    }

    #[test]
    fn what_must_stay_stays_and_its_facts_are_shown() {
        let lines = ["it must be a_b", "a_b now", "c_d now", "e_f now"];
        assert_eq!(kept(&lines, 21), ["it must be a_b", "c_d now"]);
        assert_eq!(kept(&lines, 0), ["it must be a_b"]);
    }

    #[test]
    fn blank_lines_do_not_end_the_choice() {
        let lines = ["some words", "", "a_b now", "", "", "c_d now", "and so on and on"];
        let units = lines.map(|text| ExtractUnit { weight: 0, ..unit(text) });
        assert_eq!(select(&units, 16), [false, false, true, false, false, true, false]);
    }

    #[test]
    fn repeats_are_worth_nothing() {
        let lines = ["took job 1234", "took job 1234", "took job 1234", "gave it back to them"];
        assert_eq!(kept(&lines, 40), ["took job 1234", "gave it back to them"]);
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        let many: Vec<String> = (0..100_000).map(|at| format!("a_b c_d e_f {at}")).collect();
        let lines: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(!kept(&lines, 100_000).is_empty());
        let long: Vec<String> = (0..100_000).map(|at| format!("x{at}")).collect();
        let long = long.join(" ");
        assert_eq!(facts(&long).len(), 99_990);
        let halves = [&long[..], &long[..long.len() / 2], "short one"];
        assert_eq!(kept(&halves, 100), ["short one"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn the_room_is_kept_and_what_must_stays(
            lines in prop::collection::vec("(must )?([a-c]_[a-c]|[0-9]{3}|one|two| ){0,8}", 0..20),
            keep_bytes in 0_usize..200,
        ) {
            let units: Vec<ExtractUnit<'_>> = lines.iter().map(|line| unit(line)).collect();
            let chosen = select(&units, keep_bytes);
            prop_assert_eq!(&chosen, &select(&units, keep_bytes));
            prop_assert_eq!(chosen.len(), units.len());
            let bytes = |stays: &dyn Fn(usize) -> bool| -> usize {
                units.iter().enumerate().filter(|(at, _)| stays(*at)).map(|(_, unit)| unit.text.len()).sum()
            };
            let must = bytes(&|at| units[at].must);
            prop_assert!(bytes(&|at| chosen[at]) <= keep_bytes.max(must));
            prop_assert!(units.iter().zip(&chosen).all(|(unit, stays)| *stays || !unit.must));
        }

        #[test]
        fn more_room_keeps_what_less_kept(
            lines in prop::collection::vec("([a-e]_[a-e] ){5}", 0..20), keep_bytes in 0_usize..300,
        ) {
            let units: Vec<ExtractUnit<'_>> = lines.iter().map(|line| unit(line)).collect();
            let (less, more) = (select(&units, keep_bytes), select(&units, keep_bytes + 20));
            prop_assert!(less.iter().zip(more).all(|(less, more)| !less || more));
        }
    }
}
