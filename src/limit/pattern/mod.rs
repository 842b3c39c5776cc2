//! Regular expressions that callers bring.
//!
//! A pattern of twenty bytes can compile to megabytes, and to match it can take time by the product
//! of its states and the bytes of a text. So each pattern is small once compiled, all of a request
//! or of a tenant together are too, and no search runs for long without asking the deadline: the
//! engine of the `regex` crate searches pieces of a text that take little time even in the worst
//! case, and what cannot be cut is searched by [`machine`], which stops at any byte. Both find the
//! same matches as one search of the whole text.

mod budget;
mod machine;
mod pieces;
mod states;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::{self, NFA, State, WhichCaptures};
use regex_automata::util::syntax;
use regex_automata::{Input, Match};

use super::{Deadline, StopReason};
pub use budget::{PatternBudget, PatternError};
use machine::Machine;

/// States of one pattern, a character class counted as one: 32 KiB. A search may visit each of them
/// at each byte of a text.
const MAX_PATTERN_STATES: usize = 1 << 10;
/// Bytes that the automaton of one pattern may take. It has the UTF-8 of each character class, which
/// is 18 KB for each `\w`, and of which a search visits one path: this is memory, and not time.
const MAX_PATTERN_BYTES: usize = 1 << 20;
/// Bytes, as it is written, of a pattern in options, adapters and hooks.
pub const MAX_SHORT_SOURCE_BYTES: usize = 512;
/// Bytes of any pattern as it is written: its syntax tree may take thousands of times as many.
const MAX_SOURCE_BYTES: usize = 4 << 10;
/// Bytes of an automaton of the fast engine. The one that reads backwards is the larger one.
const MAX_ENGINE_NFA_BYTES: usize = 8 * MAX_PATTERN_BYTES;
/// Bytes of automaton states that are remembered while one pattern searches, in each direction.
const MAX_CACHE_BYTES: usize = 128 << 10;
/// Visits of states, at worst, after which a search asks the deadline: bytes times states. Some
/// tens of milliseconds.
const MAX_STEPS_UNASKED: usize = 1 << 26;
/// Visits of states, at worst, of a search that does not ask at all. Who searches many short texts
/// asks between them.
const MAX_SHORT_STEPS: usize = 1 << 16;

/// A pattern of a caller. Clones share what was compiled.
#[derive(Clone)]
pub struct Pattern {
    source: Arc<str>,
    program: Result<Arc<Program>, PatternError>,
}

/// A pattern that was compiled.
struct Program {
    nfa: NFA,
    /// States that a search may visit at each byte.
    states: usize,
    /// Whether a match may contain a line break.
    crosses_lines: bool,
    /// The fast engine, made for the first search. None if it cannot be made within its limits.
    engine: OnceLock<Option<Regex>>,
}

/// Why a search has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// The pattern was stored before it was limited, and cannot be compiled within the limits.
    #[error("a pattern {0}")]
    Unusable(PatternError),
}

/// Called with the range of each match.
pub type MatchFn<'f> = &'f mut dyn FnMut(Range<usize>) -> Result<(), StopReason>;

impl Pattern {
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Bytes that the pattern takes in memory once it has searched.
    pub fn memory_bytes(&self) -> usize {
        let compiled = self.program.as_ref().map_or(0, |program| program.memory_bytes());
        compiled.saturating_add(self.source.len())
    }

    /// Whether the text has a match. A match may be empty.
    pub fn is_match(&self, text: &str, deadline: &Deadline) -> Result<bool, SearchError> {
        let program = self.program(text, deadline)?;
        for piece in pieces::split(text, program.max_piece_bytes(), program.crosses_lines) {
            program.ask(&piece, deadline)?;
            let is_found = match program.engine(&self.source, &piece) {
                Some(engine) => engine.is_match(Input::new(text).range(piece)),
                None => Machine::new(&program.nfa, deadline).find(text, piece)?.is_some(),
            };
            if is_found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Calls `found` with each match that is not empty; in order, without overlap.
    pub fn find_each(
        &self,
        text: &str,
        deadline: &Deadline,
        found: MatchFn<'_>,
    ) -> Result<(), SearchError> {
        let program = self.program(text, deadline)?;
        for piece in pieces::split(text, program.max_piece_bytes(), program.crosses_lines) {
            program.ask(&piece, deadline)?;
            match program.engine(&self.source, &piece) {
                Some(engine) => {
                    let matches = engine.find_iter(Input::new(text).range(piece.clone()));
                    for range in matches.map(|hit: Match| hit.range()) {
                        // The search for the next match may go through all that is left.
                        program.ask(&piece, deadline)?;
                        if !range.is_empty() {
                            found(range)?;
                        }
                    }
                }
                None => Machine::new(&program.nfa, deadline).find_each(text, piece, found)?,
            }
        }
        Ok(())
    }

    /// The program; an error if a search of this text could not end within any deadline.
    fn program(&self, text: &str, deadline: &Deadline) -> Result<&Program, SearchError> {
        let program =
            self.program.as_ref().map_err(|error| SearchError::Unusable(error.clone()))?;
        deadline.allowance().allow_search(text.len(), program.states).map_err(StopReason::from)?;
        Ok(program)
    }
}

impl Program {
    /// Compiles a pattern whose automaton takes at most `max_bytes`.
    fn new(source: &str, max_bytes: usize) -> Result<Self, PatternError> {
        if source.len() > MAX_SOURCE_BYTES {
            return Err(PatternError::TooLong(MAX_SOURCE_BYTES));
        }
        let tree =
            syntax::parse(source).map_err(|error| PatternError::syntax(&error.to_string()))?;
        let states = states::count(&tree);
        if states > MAX_PATTERN_STATES {
            return Err(PatternError::TooManyStates(MAX_PATTERN_STATES));
        }
        let config =
            NFA::config().nfa_size_limit(Some(max_bytes)).which_captures(WhichCaptures::Implicit);
        let nfa = thompson::Compiler::new().configure(config).build_from_hir(&tree);
        let nfa = nfa.map_err(|_| PatternError::TooLarge(max_bytes))?;
        let crosses_lines = nfa.states().iter().any(takes_line_break);
        Ok(Self { nfa, states, crosses_lines, engine: OnceLock::new() })
    }

    fn memory_bytes(&self) -> usize {
        // The engine has an automaton for each direction and remembers what it met in each; the
        // automaton of its own tells how large they are.
        self.nfa.memory_usage().saturating_mul(4).saturating_add(2 * MAX_CACHE_BYTES)
    }

    /// Asks the deadline, if a piece may take time.
    fn ask(&self, piece: &Range<usize>, deadline: &Deadline) -> Result<(), StopReason> {
        let steps = piece.len().saturating_mul(self.states);
        if steps > MAX_SHORT_STEPS { deadline.check() } else { Ok(()) }
    }

    /// Bytes of a text that take at most [`MAX_STEPS_UNASKED`].
    fn max_piece_bytes(&self) -> usize {
        MAX_STEPS_UNASKED / self.states.max(1)
    }

    /// The fast engine, for a piece that it may search without asking the deadline.
    fn engine(&self, source: &str, piece: &Range<usize>) -> Option<&Regex> {
        if piece.len() > self.max_piece_bytes() {
            return None;
        }
        self.engine.get_or_init(|| build_engine(source)).as_ref()
    }
}

fn build_engine(source: &str) -> Option<Regex> {
    let config = Regex::config()
        .nfa_size_limit(Some(MAX_ENGINE_NFA_BYTES))
        .hybrid_cache_capacity(MAX_CACHE_BYTES)
        .which_captures(WhichCaptures::Implicit);
    Regex::builder().configure(config).build(source).ok()
}

/// Whether a state can consume a line break.
fn takes_line_break(state: &State) -> bool {
    match state {
        State::ByteRange { trans } => trans.matches_byte(b'\n'),
        State::Sparse(transitions) => transitions.matches_byte(b'\n').is_some(),
        State::Dense(transitions) => transitions.matches_byte(b'\n').is_some(),
        State::Look { .. }
        | State::Union { .. }
        | State::BinaryUnion { .. }
        | State::Capture { .. }
        | State::Fail
        | State::Match { .. } => false,
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.source).finish()
    }
}

#[cfg(test)]
mod tests;
