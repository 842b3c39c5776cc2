//! Facts that chosen units show, and what each of the others would add to them.
//!
//! Each fact knows its units and each unit its facts, so that a choice costs what it changes: all
//! choices together look at each fact of each unit once.

use foldhash::{HashMap, HashMapExt as _};

use super::facts::{WordUse, scan_valued};
use super::{ExtractUnit, FactElsewhere, RankedUnit};

/// Facts of units: found once for all choices among the same units.
#[derive(Debug)]
pub(crate) struct UnitFacts {
    /// In the order of the units, each fact once in each of them.
    list: Vec<UnitFact>,
    /// Unit by unit: where its part of `list` begins, the end of all after the last.
    begins: Vec<usize>,
    facts: Vec<CoveredFact>,
}

/// A fact in a unit, or the unit's words, and what they are worth there.
#[derive(Debug, Clone, Copy)]
struct UnitFact {
    /// Its place in the list of facts.
    fact: u32,
    unit: u32,
    worth: u32,
    /// The place of the same fact in the last unit before that shows it.
    before: u32,
}

/// A fact, or words, by their hash.
#[derive(Debug, Clone, Copy)]
struct CoveredFact {
    hash: u64,
    /// Words, unlike facts, never count as shown elsewhere.
    is_words: bool,
    /// Its place in the last unit that shows it.
    last: u32,
}

/// No place in a list.
const NO_PLACE: u32 = u32::MAX;

impl UnitFacts {
    /// Collects the facts of units; a fact is worth so much, their words what the unit weighs.
    pub(crate) fn collect<'t>(
        units: impl IntoIterator<Item = ExtractUnit<'t>>,
        worth: u32,
    ) -> Self {
        Self::collect_with(units, worth, WordUse::Hash)
    }

    /// Collects the facts of units and the words between them: a word is worth half a fact.
    pub(crate) fn collect_words<'t>(units: impl IntoIterator<Item = ExtractUnit<'t>>) -> Self {
        Self::collect_with(units, 1, WordUse::Each)
    }

    fn collect_with<'t>(
        units: impl IntoIterator<Item = ExtractUnit<'t>>,
        worth: u32,
        word_use: WordUse,
    ) -> Self {
        /// Facts of a unit, about.
        const DEFAULT_UNIT_FACTS: usize = 4;
        let units = units.into_iter();
        let room = units.size_hint().0.saturating_mul(DEFAULT_UNIT_FACTS);
        let mut known = HashMap::with_capacity(room);
        let mut all = Self {
            list: Vec::with_capacity(room),
            begins: Vec::with_capacity(units.size_hint().0 + 1),
            facts: Vec::with_capacity(room),
        };
        for (unit, at) in units.zip(0..) {
            all.begins.push(all.list.len());
            let mut see = |hash: u64, worth: u32, is_words: bool| {
                let next = number(all.facts.len());
                let fact = *known.entry(hash).or_insert(next);
                if fact == next {
                    all.facts.push(CoveredFact { hash, is_words, last: NO_PLACE });
                }
                all.add_fact(fact, at, worth);
            };
            let is_plain = word_use == WordUse::Hash && unit.weight == 0;
            let word_use = if is_plain { WordUse::None } else { word_use };
            let words = scan_valued(unit.text, word_use, |fact, times| {
                see(fact, worth * times, false);
            });
            if unit.weight > 0 {
                see(!words, unit.weight, true);
            }
        }
        all.begins.push(all.list.len());
        all
    }

    /// Notes that a unit shows a fact, the units in order.
    fn add_fact(&mut self, fact: u32, unit: u32, worth: u32) {
        let place = number(self.list.len());
        let Some(own) = self.facts.get_mut(fact as usize) else { return };
        match self.list.get_mut(own.last as usize) {
            Some(last) if last.unit == unit => last.worth = last.worth.max(worth),
            _ => {
                let before = std::mem::replace(&mut own.last, place);
                self.list.push(UnitFact { fact, unit, worth, before });
            }
        }
    }

    /// Facts of a unit.
    fn unit_facts(&self, at: usize) -> &[UnitFact] {
        match self.begins.get(at..at + 2) {
            Some(&[from, to]) => self.list.get(from..to).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The units that show a fact, the last first.
    fn units_of(&self, fact: u32) -> impl Iterator<Item = UnitFact> {
        let show = |place: u32| self.list.get(place as usize).copied();
        let last = self.facts.get(fact as usize).and_then(|fact| show(fact.last));
        std::iter::successors(last, move |own| show(own.before))
    }
}

/// Of a list that fits into memory many times over.
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(NO_PLACE)
}

#[derive(Debug)]
pub(super) struct Cover<'s> {
    pub(super) chosen: Vec<bool>,
    /// Value that each unit would add.
    values: Vec<u32>,
    shows: &'s UnitFacts,
    /// Fact by fact: whether it is elsewhere, or in a unit that is chosen.
    is_shown: Vec<bool>,
}

impl<'s> Cover<'s> {
    /// Creates the cover of so many units; a fact for which `is_shown` is true is worth nothing in
    /// any of them.
    pub(super) fn new(units: usize, shows: &'s UnitFacts, is_shown: FactElsewhere<'_>) -> Self {
        let is_told = |fact: &CoveredFact| !fact.is_words && is_shown(fact.hash);
        let is_shown: Vec<bool> = shows.facts.iter().map(is_told).collect();
        let adds = |show: &&UnitFact| is_shown.get(show.fact as usize) == Some(&false);
        let value = |at| {
            let worths = shows.unit_facts(at).iter().filter(adds).map(|show| show.worth);
            worths.fold(0, u32::saturating_add)
        };
        let values = (0..units).map(value).collect();
        Self { chosen: vec![false; units], values, shows, is_shown }
    }

    pub(super) fn value(&self, at: usize) -> u32 {
        self.values.get(at).copied().unwrap_or_default()
    }

    pub(super) fn rank_unit(&self, at: usize, unit: &ExtractUnit<'_>) -> RankedUnit {
        let value = self.value(at);
        // One byte more, for what is between units: an empty one has a price, too.
        RankedUnit { value: u64::from(value), bytes: unit.text.len() as u64 + 1, at }
    }

    /// A unit stays: what it shows is worth nothing in the others from now on.
    pub(super) fn choose(&mut self, at: usize) {
        if let Some(chosen) = self.chosen.get_mut(at) {
            *chosen = true;
        }
        for UnitFact { fact, .. } in self.shows.unit_facts(at) {
            let is_shown = self.is_shown.get_mut(*fact as usize);
            if is_shown.is_none_or(|shown| std::mem::replace(shown, true)) {
                continue;
            }
            for show in self.shows.units_of(*fact) {
                if let Some(value) = self.values.get_mut(show.unit as usize) {
                    *value = value.saturating_sub(show.worth);
                }
            }
        }
    }
}
