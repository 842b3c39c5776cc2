//! What chosen units show, and what each of the others would add to it.
//!
//! Each fact knows its units and each unit its facts, so that a choice costs what it changes: all
//! choices together look at each fact of each unit once.

use super::facts::scan;
use super::{IsTold, Offer, Unit};

/// What units show, ordered by fact: found once for all choices among the same units.
#[derive(Debug)]
pub(crate) struct Shows(Vec<Show>);

/// A fact of a unit, or its words, and what they are worth there.
#[derive(Debug, Clone, Copy)]
struct Show {
    fact: u64,
    unit: u32,
    worth: u32,
    /// Words are never told elsewhere.
    is_words: bool,
}

impl Show {
    /// By fact, then by unit: one number, for there are many of them to sort.
    fn order(&self) -> u128 {
        u128::from(self.fact) << 64 | u128::from(self.unit) << 32 | u128::from(self.worth)
    }
}

impl Shows {
    /// What the units show; a fact is worth so much, their words what the unit weighs.
    pub(crate) fn of<'t>(units: impl IntoIterator<Item = Unit<'t>>, worth: u32) -> Self {
        let mut shows = Vec::new();
        for (unit, at) in units.into_iter().zip(0..) {
            let words = scan(unit.text, |fact| {
                shows.push(Show { fact, unit: at, worth, is_words: false });
            });
            if unit.weight > 0 {
                shows.push(Show { fact: !words, unit: at, worth: unit.weight, is_words: true });
            }
        }
        shows.sort_unstable_by_key(Show::order);
        shows.dedup_by_key(|show| (show.fact, show.unit));
        Self(shows)
    }
}

#[derive(Debug)]
pub(super) struct Cover {
    pub(super) chosen: Vec<bool>,
    /// What each unit would add.
    values: Vec<u32>,
    /// Ordered by fact.
    shows: Vec<Show>,
    /// Fact by fact: where its part of `shows` begins, the end of all behind the last.
    facts: Vec<usize>,
    /// Unit by unit: its facts, by their places in `facts`.
    places: Vec<usize>,
    /// Unit by unit: where its part of `places` begins, the end of all behind the last.
    begins: Vec<usize>,
    is_shown: Vec<bool>,
}

impl Cover {
    /// Of so many units; what is `told` is worth nothing in any of them.
    pub(super) fn of(units: usize, Shows(all): &Shows, told: IsTold<'_>) -> Self {
        let mut shows: Vec<Show> = Vec::with_capacity(all.len());
        let mut values = vec![0_u32; units];
        let mut begins = vec![0; units + 1];
        let mut facts = Vec::new();
        for own in all.chunk_by(|one, next| one.fact == next.fact) {
            let is_told = own.first().is_some_and(|show| !show.is_words && told(show.fact));
            let from = shows.len();
            shows.extend(own.iter().filter(|show| show.is_words || !is_told));
            if shows.len() > from {
                facts.push(from);
            }
        }
        for show in &shows {
            let unit = show.unit as usize;
            add(&mut values, unit, show.worth);
            if let Some(begin) = begins.get_mut(unit + 1) {
                *begin += 1;
            }
        }
        facts.push(shows.len());
        let mut sum = 0;
        for begin in &mut begins {
            sum += *begin;
            *begin = sum;
        }
        let is_shown = vec![false; facts.len()];
        let chosen = vec![false; units];
        let mut cover = Self { chosen, values, shows, facts, places: Vec::new(), begins, is_shown };
        cover.place();
        cover
    }

    /// Fills in the facts of each unit.
    fn place(&mut self) {
        let mut next = self.begins.clone();
        self.places = vec![0; self.shows.len()];
        for (fact, part) in self.facts.windows(2).enumerate() {
            let &[from, to] = part else { continue };
            for show in self.shows.get(from..to).unwrap_or_default() {
                let Some(next) = next.get_mut(show.unit as usize) else { continue };
                if let Some(place) = self.places.get_mut(*next) {
                    *place = fact;
                }
                *next += 1;
            }
        }
    }

    pub(super) fn offer(&self, at: usize, unit: &Unit<'_>) -> Offer {
        let value = self.values.get(at).copied().unwrap_or_default();
        // One byte more, for what stands between units: an empty one has a price, too.
        Offer { value: u64::from(value), bytes: unit.text.len() as u64 + 1, at }
    }

    /// A unit stays: what it shows is worth nothing in the others from now on.
    pub(super) fn choose(&mut self, at: usize) {
        if let Some(chosen) = self.chosen.get_mut(at) {
            *chosen = true;
        }
        let Some(&[from, to]) = self.begins.get(at..at + 2) else { return };
        for place in self.places.get(from..to).unwrap_or_default() {
            let was_shown =
                self.is_shown.get_mut(*place).is_none_or(|shown| std::mem::replace(shown, true));
            let Some(&[from, to]) = self.facts.get(*place..*place + 2) else { continue };
            if was_shown {
                continue;
            }
            for show in self.shows.get(from..to).unwrap_or_default() {
                if let Some(value) = self.values.get_mut(show.unit as usize) {
                    *value = value.saturating_sub(show.worth);
                }
            }
        }
    }
}

fn add(values: &mut [u32], unit: usize, worth: u32) {
    if let Some(value) = values.get_mut(unit) {
        *value = value.saturating_add(worth);
    }
}
