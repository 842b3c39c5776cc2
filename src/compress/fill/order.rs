//! The order in which the pieces of a text are shown as its room grows: what is asked for first,
//! then what shows most that is new by byte, then the rest from both ends.
//!
//! The room has no part in it, so more room shows all that less room does.

use std::cmp::Reverse;

use foldhash::{HashMap, HashSet};

use crate::compress::adapter::{Salience, declared_lines, salience};
use crate::compress::digest::pieces::{self, DigestPiece};
use crate::compress::extract::{Criticality, ExtractUnit, Selection, UnitFacts, weigh};
use crate::compress::notation::reports_error;
use crate::compress::text::mix;

/// What the beginning and the end of a text made of one line are asked for.
const LINE_END_WEIGHT: u8 = 90;
/// What a sentence of a long line is asked for that orders or forbids something.
const DUTY_WEIGHT: u8 = 50;
/// Of a line that is asked for so much, the other pieces are asked for, too, up to so many bytes.
const LEAST_WHOLE_WEIGHT: u8 = 68;
const REST_WEIGHT: u8 = 60;
const MAX_WHOLE_BYTES: usize = 400;
/// What source code is asked for: what is left to do, what it refuses, what it declares at its
/// outermost level, and inside that.
const NOTE_WEIGHT: u8 = 68;
const ERROR_IN_SOURCE_WEIGHT: u8 = 67;
const DECLARED_WEIGHT: u8 = 66;
const MEMBER_WEIGHT: u8 = 56;
const MAX_DECLARED_STEPS: usize = 8;
/// Words of notes that say what is left to do.
const NOTE_WORDS: [&str; 4] = ["TODO", "FIXME", "XXX", "HACK"];
/// Errors of a kind that come before what is no error, whatever they have in common with others.
const MAX_ERRORS_OF_KIND: usize = 8;
/// The value of a piece that shows hardly more than words of its kind.
const WORDS_VALUE: u32 = 2;

/// What each piece is asked for: what its line is, if it is all of it.
pub(super) fn piece_salience(text: &str, pieces: &[DigestPiece], is_source: bool) -> Vec<Salience> {
    let mut lines = salience(text);
    if is_source {
        weigh_source(text, &mut lines);
    }
    let none = Salience { weight: 0, kind: 0, is_error: false, is_passed: false };
    let mut bytes: Vec<usize> = vec![0; lines.len()];
    for piece in pieces {
        if let Some(bytes) = bytes.get_mut(piece.line) {
            *bytes += piece.text(text).len();
        }
    }
    let is_short = |line: usize| bytes.get(line).is_some_and(|bytes| *bytes <= MAX_WHOLE_BYTES);
    let mut own: Vec<Salience> = Vec::with_capacity(pieces.len());
    let mut before = None;
    for (at, piece) in pieces.iter().enumerate() {
        let line = lines.get(piece.line).copied().unwrap_or(none);
        let is_head = before != Some(piece.line);
        let is_whole = is_head && pieces.get(at + 1).is_none_or(|next| next.line != piece.line);
        let is_asked = is_whole || is_head || reports_error(piece.text(text));
        let mut piece_own = if is_asked { line } else { Salience { kind: line.kind, ..none } };
        if !is_asked && line.weight >= LEAST_WHOLE_WEIGHT && is_short(piece.line) {
            piece_own = Salience { weight: REST_WEIGHT, kind: mix(line.kind, at as u64), ..none };
        }
        let is_duty = !is_whole || is_sentence(piece.text(text));
        if is_duty && weigh(piece.text(text), false).critical >= Criticality::Strict {
            piece_own.weight = piece_own.weight.max(DUTY_WEIGHT);
        }
        own.push(piece_own);
        before = Some(piece.line);
    }
    let (first, last) = (pieces::find_first(text, pieces), pieces::find_last(text, pieces));
    let line = |at: usize| pieces.get(at).map(|piece| piece.line);
    let is_piece = |at: usize| line(at) == line(at + 1) || at > 0 && line(at) == line(at - 1);
    // The last piece of a long line may be hardly a word.
    let before = last.and_then(|at| at.checked_sub(1)).filter(|at| line(*at) == line(at + 1));
    for end in [first, last, before].into_iter().flatten().filter(|at| is_piece(*at)) {
        if let Some(own) = own.get_mut(end) {
            own.weight = own.weight.max(LINE_END_WEIGHT);
        }
    }
    own
}

/// Whether a line is one sentence: words up to a full stop.
fn is_sentence(line: &str) -> bool {
    const MIN_WORDS: usize = 4;
    let line = line.trim_ascii();
    line.ends_with(['.', '!'])
        && line.starts_with(|letter: char| letter.is_uppercase())
        && line.split_ascii_whitespace().nth(MIN_WORDS - 1).is_some()
}

/// Of source code, what it declares comes before what it says of errors.
fn weigh_source(text: &str, lines: &mut [Salience]) {
    for line in lines.iter_mut().filter(|line| line.is_error) {
        line.weight = line.weight.min(ERROR_IN_SOURCE_WEIGHT);
        line.is_error = false;
    }
    for (line, own) in text.split('\n').zip(lines.iter_mut()) {
        if NOTE_WORDS.iter().any(|word| line.contains(word)) {
            own.weight = own.weight.max(NOTE_WEIGHT);
        }
    }
    let declared = declared_lines(text);
    let outer = declared.iter().map(|line| line.width).min().unwrap_or_default();
    let last = declared.len().saturating_sub(1);
    for (nth, line) in declared.into_iter().enumerate() {
        let weight = if line.width == outer { DECLARED_WEIGHT } else { MEMBER_WEIGHT };
        // From both ends.
        let steps = u8::try_from(nth.min(last - nth).min(MAX_DECLARED_STEPS)).unwrap_or_default();
        if let Some(own) = lines.get_mut(line.at) {
            own.weight = own.weight.max(weight - steps);
            own.kind = mix(own.kind, line.at as u64 + 1);
        }
    }
}

/// Some errors in their order, up to so many of each kind with those in `places`.
fn first_of_kinds(
    salience: &[Salience],
    places: &[usize],
    errors: impl Iterator<Item = usize>,
) -> Vec<usize> {
    let mut counts: HashMap<u64, usize> = HashMap::default();
    let mut count = |at: usize| {
        let count = counts.entry(salience.get(at).map_or(0, |own| own.kind)).or_default();
        *count += 1;
        *count
    };
    for at in places {
        count(*at);
    }
    errors.filter(|at| count(*at) <= MAX_ERRORS_OF_KIND).collect()
}

/// The words of pieces that are shown.
struct WrittenPieces<'t> {
    text: &'t str,
    pieces: &'t [DigestPiece],
    words: HashSet<&'t str>,
}

impl<'t> WrittenPieces<'t> {
    fn of(text: &'t str, pieces: &'t [DigestPiece], places: &[usize]) -> Self {
        let mut written = Self { text, pieces, words: HashSet::default() };
        written.add(places);
        written
    }

    fn add(&mut self, places: &[usize]) {
        for at in places {
            self.insert(*at);
        }
    }

    /// Whether a piece says in words what no other does.
    fn insert(&mut self, at: usize) -> bool {
        let words = self.pieces.get(at).map_or("", |piece| piece.text(self.text).trim_ascii());
        words.bytes().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
            && self.words.insert(words)
    }

    /// Chooses those of some pieces that are written like no other, in their order.
    fn drain(
        &mut self,
        selection: &mut Selection<'_, '_>,
        among: impl IntoIterator<Item = usize>,
    ) -> Vec<usize> {
        let mut order = Vec::new();
        for at in among {
            if !selection.has(at) && self.insert(at) {
                selection.choose(at);
                order.push(at);
            }
        }
        order
    }
}

/// Pieces in the order in which they are shown.
#[derive(Debug)]
pub(super) struct PieceOrder {
    places: Vec<usize>,
    /// Bytes of each with all before it, and of the breaks between them.
    bytes: Vec<usize>,
}

impl PieceOrder {
    pub(super) fn new(text: &str, pieces: &[DigestPiece], salience: &[Salience]) -> Self {
        let units: Vec<ExtractUnit<'_>> = pieces
            .iter()
            .map(|piece| ExtractUnit { text: piece.text(text), weight: 0, must: false })
            .collect();
        let shows = UnitFacts::collect_words(units.iter().copied());
        let mut selection = Selection::new(&units, &shows);
        let weight = |at: usize| salience.get(at).map_or(0, |own| own.weight);
        let mut asked: Vec<usize> = (0..pieces.len()).filter(|at| weight(*at) > 0).collect();
        asked.sort_by_key(|at| (Reverse(weight(*at)), *at));
        let mut places = Vec::with_capacity(pieces.len());
        let mut told_before = Vec::new();
        let mut kinds = HashSet::default();
        for at in asked {
            let is_new = salience.get(at).is_none_or(|own| kinds.insert(own.kind));
            // What repeats the kind of another and shows nothing new is for later.
            if !is_new && selection.value(at) < WORDS_VALUE {
                told_before.push(at);
            } else {
                selection.choose(at);
                places.push(at);
            }
        }
        let is_error = |at: &usize| salience.get(*at).is_some_and(|own| own.is_error);
        let is_open = |at: &usize| !salience.get(*at).is_some_and(|own| own.is_passed);
        places.extend(selection.drain(&is_error));
        let mut written = WrittenPieces::of(text, pieces, &places);
        let later: Vec<usize> = told_before.into_iter().chain(0..pieces.len()).collect();
        // Numbers and names that stand elsewhere, too, make another error of them here.
        let open = later.iter().copied().filter(|at| is_error(at) && !selection.has(*at));
        let further = first_of_kinds(salience, &places, open);
        places.extend(written.drain(&mut selection, further));
        places.extend(selection.drain(&is_open));
        written.add(&places);
        places.extend(written.drain(&mut selection, later.into_iter().filter(is_open)));
        places.extend(selection.drain(&|_| true));
        let mut rest = (0..pieces.len()).filter(|at| !selection.has(*at));
        while let Some(at) = rest.next() {
            places.push(at);
            places.extend(rest.next_back());
        }
        let mut bytes = 0;
        let sum = |at: &usize| {
            bytes += pieces.get(*at).map_or(0, |piece| piece.text(text).len() + 1);
            bytes
        };
        let bytes = places.iter().map(sum).collect();
        Self { places, bytes }
    }

    /// The first pieces that take at most so many bytes, one at least, of `count` pieces.
    pub(super) fn first(&self, count: usize, bytes: usize) -> FirstPieces {
        let shown = self.bytes.partition_point(|end| *end <= bytes).max(1);
        let mut kept = vec![false; count];
        for at in self.places.iter().take(shown) {
            if let Some(kept) = kept.get_mut(*at) {
                *kept = true;
            }
        }
        let taken = self.bytes.get(shown - 1).copied().unwrap_or_default();
        let next = self
            .places
            .get(shown)
            .map(|at| NextPiece { at: *at, bytes: bytes.saturating_sub(taken) });
        FirstPieces { kept, next }
    }
}

/// Flags of the pieces that are shown, and the piece after them.
#[derive(Debug)]
pub(super) struct FirstPieces {
    pub(super) kept: Vec<bool>,
    pub(super) next: Option<NextPiece>,
}

/// A piece that has not enough room, and the room that it has.
#[derive(Debug, Clone, Copy)]
pub(super) struct NextPiece {
    pub(super) at: usize,
    pub(super) bytes: usize,
}
