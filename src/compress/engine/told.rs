//! What the other texts of a list show: a fact that stands there need not be shown again.
//!
//! Found newest first, depth by depth: a text is told what those behind it show at the depth at
//! hand, and older texts are never at a milder one. So what is left of a text follows from the list
//! and the depth, and a fact that was left out for another text's sake stands there.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;

use super::Depth;
use crate::compress::extract::scan;
use crate::tokenizer::Digest;

/// What the texts of a list show at each depth, message by message.
#[derive(Debug)]
pub struct Told {
    /// Names the list, and which of its messages may be shortened.
    id: Digest,
    /// The first message that is shielded.
    live: usize,
    /// Facts by the last message that shows them, of the messages that stand as they came; those
    /// of the shielded ones are for the messages before these alone.
    shielded: RefCell<HashMap<u64, usize>>,
    whole: RefCell<HashMap<u64, usize>>,
    /// The same by depth, for what may be shortened.
    shown: [RefCell<HashMap<u64, usize>>; Depth::ALL.len()],
    /// How far the messages before and behind `live` are known.
    known: [Cell<Option<Depth>>; 2],
}

/// How a message stands in its list, for those beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// As it came, whatever the budget.
    Whole,
    /// As it came, as long as what is older can be shortened.
    Shielded,
    /// So far down rung 2.
    To(Depth),
}

impl Told {
    /// Nothing is told yet. `id` names the list and what may be shortened of it; `live` is its
    /// first message that is shielded.
    pub fn new(id: Digest, live: usize) -> Self {
        Self {
            id,
            live,
            shielded: RefCell::default(),
            whole: RefCell::default(),
            shown: Default::default(),
            known: Default::default(),
        }
    }

    /// The messages of `count` that are before the shielded ones, or those from them on, like the
    /// one at `at`.
    pub fn side(&self, at: usize, count: usize) -> Range<usize> {
        if at < self.live { 0..self.live } else { self.live..count }
    }

    /// The depths up to `depth` that are still to be told of the messages on the side of `at`, in
    /// order.
    pub fn wanted(&self, at: usize, depth: Depth) -> impl Iterator<Item = Depth> + use<> {
        let known = self.known_of(at).get().unwrap_or(Depth::Reduced);
        Depth::ALL.into_iter().filter(move |step| *step > known && *step <= depth)
    }

    /// Says that all messages on the side of `at` were told at this depth.
    pub fn done(&self, at: usize, depth: Depth) {
        self.known_of(at).set(Some(depth));
    }

    fn known_of(&self, at: usize) -> &Cell<Option<Depth>> {
        let [old, live] = &self.known;
        if at < self.live { old } else { live }
    }

    /// Whether a fact stands where nothing is shortened while anything older can be.
    pub fn stays(&self, fact: u64) -> bool {
        self.whole.borrow().contains_key(&fact) || self.shielded.borrow().contains_key(&fact)
    }

    /// A text that a message shows.
    pub fn tell(&self, at: usize, stands: Stands, text: &str) {
        let facts = match stands {
            Stands::Whole => &self.whole,
            Stands::Shielded => &self.shielded,
            Stands::To(depth) => match self.shown.get(depth as usize) {
                Some(facts) => facts,
                None => return,
            },
        };
        let mut facts = facts.borrow_mut();
        scan(text, |fact| {
            let newest = facts.entry(fact).or_insert(at);
            *newest = at.max(*newest);
        });
    }

    /// Whether a fact of a message stands elsewhere, where that one is shortened so far.
    fn holds(&self, at: usize, depth: Depth, fact: u64) -> bool {
        let knows = |facts: &RefCell<HashMap<u64, usize>>| facts.borrow().contains_key(&fact);
        let shown = self.shown.get(depth as usize);
        knows(&self.whole)
            || (at < self.live && knows(&self.shielded))
            || shown
                .is_some_and(|facts| facts.borrow().get(&fact).is_some_and(|newest| *newest > at))
    }
}

/// A message's place in its list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside<'t> {
    told: &'t Told,
    at: usize,
    /// Names what it is told.
    pub(super) id: Digest,
}

impl<'t> Beside<'t> {
    pub(super) fn of(told: &'t Told, at: usize) -> Self {
        Self { told, at, id: told.id.then(&Digest::of(&at.to_string()), 0) }
    }

    pub(super) fn holds(&self, depth: Depth, fact: u64) -> bool {
        self.told.holds(self.at, depth, fact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::{Adapters, Encoder, Engine, Lossless, Reducer};
    use crate::domain::{AdapterChoices, TokenizerName};
    use crate::tokenizer::Counter;
    use std::sync::Arc;

    #[test]
    fn older_messages_are_told_what_newer_ones_show() {
        let told = Told::new(Digest::of(""), 4);
        told.tell(0, Stands::Whole, "see /etc/system.conf");
        told.tell(5, Stands::Shielded, "see /etc/live.conf");
        told.tell(2, Stands::To(Depth::Gist), "see /etc/gist.conf");
        let holds = |at, depth, text: &str| {
            let mut found = Vec::new();
            scan(text, |fact| found.push(told.holds(at, depth, fact)));
            assert!(!found.is_empty(), "{text}");
            found.iter().all(|held| *held)
        };
        for at in [0, 3, 6] {
            assert!(holds(at, Depth::Outline, "/etc/system.conf"));
            assert_eq!(holds(at, Depth::Outline, "/etc/live.conf"), at < 4);
            assert_eq!(holds(at, Depth::Gist, "/etc/gist.conf"), at < 2);
            assert!(!holds(at, Depth::Digest, "/etc/gist.conf"));
            assert!(!holds(at, Depth::Gist, "/etc/other.conf"));
        }
    }

    #[test]
    fn every_depth_of_a_side_is_told_once_and_in_order() {
        let told = Told::new(Digest::of(""), 2);
        let wanted = |at, depth| told.wanted(at, depth).collect::<Vec<_>>();
        assert_eq!(wanted(0, Depth::Reduced), []);
        assert_eq!(wanted(0, Depth::Extract), [Depth::Outline, Depth::Extract]);
        told.done(1, Depth::Outline);
        assert_eq!(wanted(0, Depth::Extract), [Depth::Extract]);
        assert_eq!(wanted(2, Depth::Outline), [Depth::Outline]);
        assert_eq!((told.side(1, 5), told.side(2, 5)), (0..2, 2..5));
    }

    #[test]
    fn what_is_left_of_a_text_is_what_the_others_do_not_show() {
        let lines: String = (0..80)
            .map(|n| format!("it reads /srv/data/part_{n}.csv\n"))
            .collect::<Vec<_>>()
            .concat();
        let (engine, counter) = (Engine::new(), Counter::new());
        let adapters = Adapters::of(&AdapterChoices::Chosen(Vec::new()));
        let reducer = Reducer { adapters: &adapters, pointer: None };
        let told = Told::new(Digest::of(&lines), 9);
        let shown: String =
            (0..40).map(|n| format!("/srv/data/part_{n}.csv ")).collect::<Vec<_>>().concat();
        told.tell(1, Stands::Whole, &shown);
        let name = TokenizerName::O200kBase;
        let mut encoder = Encoder::new(&engine, &counter, name, Lossless::Equivalent).with(reducer);
        let text: Arc<str> = lines.into();
        let without = encoder.said(&text, Depth::Gist).text.unwrap();
        assert!(without.contains("part_0.csv"), "{without}");
        encoder.beside(&told, 0);
        let beside = encoder.said(&text, Depth::Gist).text.unwrap();
        assert!(beside.contains("part_41.csv") && !beside.contains("part_1.csv"), "{beside}");
    }
}
