//! Facts that the texts of a list show: a fact that another text shows need not be shown again.
//!
//! Collected newest first, depth by depth: a text knows what the texts after it show at the same
//! depth, and older texts are never at a milder one. So what is left of a text follows from the
//! list and the depth, and a fact that was left out for another text's sake is shown there.

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use foldhash::HashMap;

use super::Depth;
use crate::compress::extract::scan;
use crate::tokenizer::Digest;

/// The facts that the texts of a list show at each depth, message by message.
#[derive(Debug)]
pub struct ShownFacts<'t> {
    list: Vec<FactMessage<'t>>,
    /// The digest of all of that, computed at the first use.
    id: OnceCell<Digest>,
    /// The first message that is shielded.
    live: usize,
    /// Added texts that were not scanned yet.
    pending: RefCell<Vec<PendingText>>,
    /// The places of each fact. Looked up by key only.
    facts: RefCell<HashMap<u64, FactPlaces>>,
    /// Depths to which the messages before and after `live` are known.
    added_depths: [Cell<Option<Depth>>; 2],
}

/// A message of the list.
#[derive(Debug, Clone, Copy)]
pub struct FactMessage<'t> {
    pub text: &'t str,
    /// Whether it stays unchanged, whatever the budget.
    pub is_fixed: bool,
}

/// A text that the message at `at` shows.
#[derive(Debug)]
struct PendingText {
    at: usize,
    state: FactState,
    text: Arc<str>,
}

/// The places where a fact is shown.
#[derive(Debug, Default, Clone, Copy)]
struct FactPlaces {
    /// Whether in a message that stays unchanged.
    unchanged: bool,
    /// Whether in a shielded message; it counts only for the messages before those.
    shielded: bool,
    /// By depth: the number, from 1, of the last message that shows it, among the messages that may
    /// be shortened.
    newest: [u32; Depth::ALL.len()],
}

/// The facts that a text shows.
#[derive(Debug, Default)]
pub struct FactSet(Vec<u64>);

impl FactSet {
    pub fn new(text: &str) -> Self {
        let mut facts = Vec::new();
        scan(text, |fact| facts.push(fact));
        Self(facts)
    }
}

/// The form in which a message shows its facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactState {
    /// Unchanged, whatever the budget.
    Whole,
    /// Unchanged, as long as older messages can be shortened.
    Shielded,
    /// Reduced to this depth.
    To(Depth),
}

impl<'t> ShownFacts<'t> {
    /// Creates an empty set. `live` is the first message of `list` that is shielded.
    pub fn new(list: Vec<FactMessage<'t>>, live: usize) -> Self {
        Self {
            list,
            id: OnceCell::new(),
            live,
            pending: RefCell::default(),
            facts: RefCell::default(),
            added_depths: Default::default(),
        }
    }

    fn id(&self) -> Digest {
        *self.id.get_or_init(|| {
            let live = Digest::from_text("").then(&Digest::from_text(&self.live.to_string()), 0);
            self.list.iter().fold(live, |id, message| {
                id.then(&Digest::from_text(message.text), u8::from(message.is_fixed))
            })
        })
    }

    /// The messages of `count` that are before the shielded ones, or those from them on, like the
    /// one at `at`.
    pub fn side(&self, at: usize, count: usize) -> Range<usize> {
        if at < self.live { 0..self.live } else { self.live..count }
    }

    /// The depths up to `depth` at which the messages on the side of `at` are still to be added, in
    /// order.
    pub fn missing_depths(&self, at: usize, depth: Depth) -> impl Iterator<Item = Depth> + use<> {
        let known = self.added_depth(at).get().unwrap_or(Depth::Reduced);
        Depth::ALL.into_iter().filter(move |step| *step > known && *step <= depth)
    }

    /// Records that all messages on the side of `at` were added at this depth.
    pub fn mark_done(&self, at: usize, depth: Depth) {
        self.added_depth(at).set(Some(depth));
    }

    fn added_depth(&self, at: usize) -> &Cell<Option<Depth>> {
        let [old, live] = &self.added_depths;
        if at < self.live { old } else { live }
    }

    /// Whether a fact is shown in a message that stays unchanged while anything older can be
    /// shortened.
    pub fn is_in_fixed_message(&self, fact: u64) -> bool {
        self.scan_pending();
        self.facts.borrow().get(&fact).is_some_and(|places| places.unchanged || places.shielded)
    }

    /// Adds a text that a message shows.
    pub fn add_text(&self, at: usize, state: FactState, text: &Arc<str>) {
        self.pending.borrow_mut().push(PendingText { at, state, text: Arc::clone(text) });
    }

    /// Scans the texts that were added: most lists need none of their facts.
    fn scan_pending(&self) {
        for PendingText { at, state, text } in self.pending.take() {
            self.add_facts(at, state, &FactSet::new(&text));
        }
    }

    /// Adds the facts of a text that a message shows.
    pub fn add_facts(&self, at: usize, state: FactState, facts: &FactSet) {
        let number = number(at);
        let mut known = self.facts.borrow_mut();
        for fact in &facts.0 {
            let places = known.entry(*fact).or_default();
            match state {
                FactState::Whole => places.unchanged = true,
                FactState::Shielded => places.shielded = true,
                FactState::To(depth) => {
                    if let Some(newest) = places.newest.get_mut(depth as usize) {
                        *newest = number.max(*newest);
                    }
                }
            }
        }
    }

    /// Whether a fact of a message is shown elsewhere, if the message is reduced to `depth`.
    fn holds(&self, at: usize, depth: Depth, fact: u64) -> bool {
        self.scan_pending();
        self.facts.borrow().get(&fact).is_some_and(|places| {
            places.unchanged
                || (at < self.live && places.shielded)
                || places.newest.get(depth as usize).is_some_and(|newest| *newest > number(at))
        })
    }
}

/// A message's number, from 1.
fn number(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}

/// A message's place in its list.
#[derive(Debug, Clone, Copy)]
pub(super) struct FactContext<'t> {
    facts: &'t ShownFacts<'t>,
    at: usize,
}

/// The identity of a fact context: the list, and the place of the message in it.
pub(super) type FactContextId = (Digest, usize);

impl<'t> FactContext<'t> {
    pub(super) fn new(facts: &'t ShownFacts<'t>, at: usize) -> Self {
        Self { facts, at }
    }

    pub(super) fn id(&self) -> FactContextId {
        (self.facts.id(), self.at)
    }

    pub(super) fn holds(&self, depth: Depth, fact: u64) -> bool {
        self.facts.holds(self.at, depth, fact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::{AdapterSet, Encoder, Engine, Lossless, ReducedSize, Reducer};
    use crate::domain::{AdapterChoices, TokenizerName};
    use crate::tokenizer::Counter;

    #[test]
    fn older_messages_are_told_what_newer_ones_show() {
        let told = ShownFacts::new(Vec::new(), 4);
        told.add_text(0, FactState::Whole, &"see /etc/system.conf".into());
        told.add_text(5, FactState::Shielded, &"see /etc/live.conf".into());
        told.add_text(2, FactState::To(Depth::Gist), &"see /etc/gist.conf".into());
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
        let told = ShownFacts::new(Vec::new(), 2);
        let wanted = |at, depth| told.missing_depths(at, depth).collect::<Vec<_>>();
        assert_eq!(wanted(0, Depth::Reduced), []);
        assert_eq!(wanted(0, Depth::Extract), [Depth::Outline, Depth::Extract]);
        told.mark_done(1, Depth::Outline);
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
        let adapters = AdapterSet::new(
            &AdapterChoices::Chosen(Vec::new()),
            &crate::limit::Deadline::default(),
        );
        let reducer = Reducer { adapters: &adapters, pointer: None };
        let told = ShownFacts::new(vec![FactMessage { text: &lines, is_fixed: false }], 9);
        let shown: String =
            (0..40).map(|n| format!("/srv/data/part_{n}.csv ")).collect::<Vec<_>>().concat();
        told.add_text(1, FactState::Whole, &shown.into());
        let name = TokenizerName::O200kBase;
        let mut encoder =
            Encoder::new(&engine, &counter, name, Lossless::Equivalent).with_reducer(reducer);
        let text: Arc<str> = lines.as_str().into();
        let without = encoder.encode_reply(&text, ReducedSize::To(Depth::Gist)).text.unwrap();
        assert!(without.contains("part_0.csv"), "{without}");
        encoder.set_fact_context(&told, 0);
        let beside = encoder.encode_reply(&text, ReducedSize::To(Depth::Gist)).text.unwrap();
        assert!(beside.contains("part_41.csv") && !beside.contains("part_1.csv"), "{beside}");
    }
}
