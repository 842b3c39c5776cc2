//! Turns that later turns have replaced: they are cleared before anything else is shortened.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::shape::TurnCost;

/// A turn that a later one replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SupersededTurn {
    by: usize,
    turn: usize,
}

/// Turns that are replaced, as the replay comes to those that replace them.
#[derive(Debug)]
pub(super) struct StaleTurns {
    /// Turns that are replaced later in the list; the one that is replaced next is the last.
    waiting: Vec<SupersededTurn>,
    /// Turns that are replaced by now, and were not taken.
    ready: BTreeSet<usize>,
}

impl StaleTurns {
    pub(super) fn new(turns: &[TurnCost]) -> Self {
        let replaced = turns.iter().enumerate();
        let replaced = replaced
            .filter_map(|(turn, cost)| Some(SupersededTurn { by: cost.superseded_by?, turn }));
        let mut waiting: Vec<SupersededTurn> = replaced.collect();
        waiting.sort_unstable_by_key(|superseded| Reverse(*superseded));
        Self { waiting, ready: BTreeSet::new() }
    }

    /// Adds the turns that the newest one replaces.
    pub(super) fn arrive(&mut self, newest: usize) {
        while let Some(replaced) = self.waiting.pop_if(|replaced| replaced.by <= newest) {
            self.ready.insert(replaced.turn);
        }
    }

    /// Takes the oldest turn, if it is before `end`.
    pub(super) fn take_before(&mut self, end: usize) -> Option<usize> {
        self.ready.first().filter(|turn| **turn < end)?;
        self.ready.pop_first()
    }
}
