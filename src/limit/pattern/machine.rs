//! A search that can stop at any byte: all states that a match may be in, byte by byte.
//!
//! It is slower than the fast engine where the same states come again and again, and as fast where
//! they do not.

use std::ops::Range;

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;

use super::MatchFn;
use crate::limit::{Deadline, StopReason};

/// Visits of states after which the deadline is asked: about a millisecond.
const MAX_STEPS_UNASKED: usize = 1 << 17;

/// The search for one pattern. Memory is kept from one match to the next.
pub(super) struct Machine<'p> {
    nfa: &'p NFA,
    deadline: &'p Deadline,
    threads: Threads,
    next: Threads,
    /// States that are reached without a byte and were not looked at yet.
    open: Vec<StateID>,
    steps: usize,
}

/// A match that may still come.
#[derive(Debug, Clone, Copy)]
struct Thread {
    state: StateID,
    /// Start of its match.
    start: usize,
}

/// Matches that may still come, the preferred one first; each state once.
#[derive(Debug, Default)]
struct Threads {
    list: Vec<Thread>,
    /// By state, its place in the list, if it is there.
    places: Vec<usize>,
}

impl Threads {
    fn new(states: usize) -> Self {
        Self { list: Vec::new(), places: vec![0; states] }
    }

    /// Adds a thread; returns whether its state is new.
    fn add(&mut self, thread: Thread) -> bool {
        let Some(place) = self.places.get_mut(thread.state.as_usize()) else { return false };
        if self.list.get(*place).is_some_and(|known| known.state == thread.state) {
            return false;
        }
        *place = self.list.len();
        self.list.push(thread);
        true
    }
}

impl<'p> Machine<'p> {
    pub(super) fn new(nfa: &'p NFA, deadline: &'p Deadline) -> Self {
        let states = nfa.states().len();
        let (threads, next) = (Threads::new(states), Threads::new(states));
        Self { nfa, deadline, threads, next, open: Vec::new(), steps: 0 }
    }

    /// Calls `found` with each match in a piece that is not empty; in order, without overlap.
    pub(super) fn find_each(
        &mut self,
        text: &str,
        piece: Range<usize>,
        found: MatchFn<'_>,
    ) -> Result<(), StopReason> {
        let mut from = piece.start;
        while from <= piece.end {
            let Some(hit) = self.find(text, from..piece.end)? else { break };
            // Nothing longer is preferred at the place of an empty match.
            from = if hit.is_empty() { hit.end + 1 } else { hit.end };
            if !hit.is_empty() {
                found(hit)?;
            }
        }
        Ok(())
    }

    /// The first match in a piece of a text. Conditions on what is around it see the whole text.
    pub(super) fn find(
        &mut self,
        text: &str,
        piece: Range<usize>,
    ) -> Result<Option<Range<usize>>, StopReason> {
        self.threads.list.clear();
        let mut found = None;
        for at in piece.start..=piece.end {
            if found.is_none() && text.is_char_boundary(at) {
                // Matches that begin further left are preferred.
                let mut threads = std::mem::take(&mut self.threads);
                self.follow(
                    text,
                    Thread { state: self.nfa.start_anchored(), start: at },
                    at,
                    &mut threads,
                );
                self.threads = threads;
            }
            if self.threads.list.is_empty() && found.is_some() {
                break;
            }
            let byte = text.as_bytes().get(at).filter(|_| at < piece.end).copied();
            if let Some(end) = self.step(text, at, byte) {
                found = Some(end);
            }
            self.ask()?;
        }
        Ok(found)
    }

    /// Moves all threads over a byte. Returns the match that ends before it, if there is one;
    /// threads after it in the order are given up.
    fn step(&mut self, text: &str, at: usize, byte: Option<u8>) -> Option<Range<usize>> {
        let mut next = std::mem::take(&mut self.next);
        next.list.clear();
        let threads = std::mem::take(&mut self.threads);
        let mut found = None;
        for thread in &threads.list {
            let target = match (self.nfa.state(thread.state), byte) {
                (State::Match { .. }, _) => {
                    found = Some(thread.start..at);
                    break;
                }
                (State::ByteRange { trans }, Some(byte)) if trans.matches_byte(byte) => {
                    Some(trans.next)
                }
                (State::Sparse(transitions), Some(byte)) => transitions.matches_byte(byte),
                (State::Dense(transitions), Some(byte)) => transitions.matches_byte(byte),
                _ => None,
            };
            if let Some(state) = target {
                self.follow(text, Thread { state, ..*thread }, at + 1, &mut next);
            }
        }
        self.steps += threads.list.len();
        (self.threads, self.next) = (next, threads);
        found
    }

    /// Adds a thread, and those of the states that it reaches without a byte.
    fn follow(&mut self, text: &str, thread: Thread, at: usize, threads: &mut Threads) {
        self.open.push(thread.state);
        while let Some(state) = self.open.pop() {
            self.steps += 1;
            if !threads.add(Thread { state, ..thread }) {
                continue;
            }
            match self.nfa.state(state) {
                State::Look { look, next } => {
                    let looks = self.nfa.look_matcher();
                    if looks.matches(*look, text.as_bytes(), at) {
                        self.open.push(*next);
                    }
                }
                // The last one that is pushed is looked at first.
                State::Union { alternates } => self.open.extend(alternates.iter().rev()),
                State::BinaryUnion { alt1, alt2 } => self.open.extend([*alt2, *alt1]),
                State::Capture { next, .. } => self.open.push(*next),
                State::ByteRange { .. }
                | State::Sparse(_)
                | State::Dense(_)
                | State::Fail
                | State::Match { .. } => {}
            }
        }
    }

    fn ask(&mut self) -> Result<(), StopReason> {
        self.steps += 1;
        if self.steps >= MAX_STEPS_UNASKED {
            self.steps = 0;
            self.deadline.check()?;
        }
        Ok(())
    }
}
