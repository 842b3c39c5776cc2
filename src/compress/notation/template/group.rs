//! Groups lines of one form: with as many words and the same fixed words.
//!
//! Lines that find no group that way are grouped by the classes of their first words, and
//! what follows these is one word more.

use super::super::ErrorLines;
use super::fixed::{MAX_BEGINNING_WORDS, find_fixed, full_keys};
use super::group_sizes::{GroupSizes, MIN_LINES, SAMPLE_LINES};
use super::keys::KeyTable;
use super::words::{
    HAS_DIGIT, HAS_LETTER, IS_FIXED_FIRST, LineWord, ReadLines, WordLine, position, read,
};
use crate::compress::text::{hash, mix};

/// Lengths of the beginnings that lines are grouped by, and how often that is done.
const BEGINNING_WORDS: [usize; 12] = [14, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
const MAX_ROUNDS: usize = 8;

/// Lines of one form, in order.
#[derive(Debug)]
pub(super) struct LineGroup {
    pub(super) lines: Vec<usize>,
    /// Start of the words of each line among those of all.
    firsts: Vec<usize>,
    /// Number of words of each line.
    width: usize,
}

impl LineGroup {
    /// Of the words of all lines those of each line, line by line.
    pub(super) fn rows<'w>(
        &self,
        words: &'w [LineWord],
    ) -> impl Iterator<Item = &'w [LineWord]> + Clone + use<'_, 'w> {
        let width = self.width;
        self.firsts.iter().map(move |first| words.get(*first..*first + width).unwrap_or_default())
    }
}

/// The groups of some lines.
#[derive(Debug)]
pub(super) struct FormGroups {
    pub(super) groups: Vec<LineGroup>,
    /// The words of all lines.
    pub(super) words: Vec<LineWord>,
    /// Whether lines that report errors are among them.
    pub(super) have_errors: bool,
}

pub(super) fn groups(lines: &[&str], seen: &mut ErrorLines<'_>) -> FormGroups {
    // About so many; what is left of the room goes with it.
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    let mut words = Vec::with_capacity(bytes / 6 + lines.len());
    let ReadLines { lines: read, have_errors } = read(lines, &mut words, seen);
    let keys = full_keys(&read, &mut words);
    let mut groups = GroupBuilder { lines, keys: KeyTable::new(read.len()), found: Vec::new() };
    let mut rest = groups.gather_groups(read, &mut words, &keys, None);
    find_fixed(&rest, &mut words);
    for _ in 0..MAX_ROUNDS {
        let Some(length) = best_beginning(&rest, &words) else { break };
        let keys: Vec<u64> =
            rest.iter().map(|line| Beginnings::new(line, &words, length).key(length)).collect();
        rest = groups.gather_groups(rest, &mut words, &keys, Some(length));
    }
    FormGroups { groups: groups.found, words, have_errors }
}

/// The keys of a line by its first words, and how many of these are fixed, by their number.
struct Beginnings([(u64, u32); MAX_BEGINNING_WORDS + 1]);

impl Beginnings {
    /// Lines that have no more words than a beginning do not have it.
    fn new(line: &WordLine, words: &[LineWord], longest: usize) -> Self {
        let mut found = [(0, 0); MAX_BEGINNING_WORDS + 1];
        let mut key = 9;
        let mut fixed = 0;
        let count = longest.min(line.count - 1);
        let held = line.words(words).iter().take(count);
        for (word, place) in held.zip(found.iter_mut().skip(1)) {
            let is_fixed = word.class & IS_FIXED_FIRST != 0;
            fixed += u32::from(is_fixed);
            key = mix(
                key,
                if is_fixed { word.hash } else { u64::from(word.class & (HAS_DIGIT | HAS_LETTER)) },
            );
            *place = (key.max(1), fixed);
        }
        Self(found)
    }

    fn key(&self, length: usize) -> u64 {
        self.0.get(length).map_or(0, |(key, _)| *key)
    }
}

/// The length of beginning that promises most.
fn best_beginning(rest: &[WordLine], words: &[LineWord]) -> Option<usize> {
    let apart = rest.len().div_ceil(SAMPLE_LINES).max(1);
    let seen: Vec<Beginnings> = rest
        .iter()
        .step_by(apart)
        .map(|line| Beginnings::new(line, words, MAX_BEGINNING_WORDS))
        .collect();
    let apart = i64::try_from(apart).unwrap_or(1);
    let mut best = (0, None);
    let mut sizes = GroupSizes::new(seen.len());
    for length in BEGINNING_WORDS {
        let keys = seen.iter().filter_map(|line| line.0.get(length)).copied();
        let gain = sizes.gain(keys.filter(|(key, _)| *key != 0), length, apart);
        if gain > best.0 {
            best = (gain, Some(length));
        }
    }
    best.1
}

/// Groups in the making.
struct GroupBuilder<'a> {
    lines: &'a [&'a str],
    keys: KeyTable,
    found: Vec<LineGroup>,
}

impl GroupBuilder<'_> {
    /// Moves the lines whose key is that of enough lines into groups; gives back the others.
    fn gather_groups(
        &mut self,
        lines: Vec<WordLine>,
        words: &mut [LineWord],
        keys: &[u64],
        beginning: Option<usize>,
    ) -> Vec<WordLine> {
        self.keys.clear();
        // Number of lines that have a key; then the group of these.
        let mut sizes: Vec<u32> = Vec::new();
        let mut places: Vec<Option<usize>> = Vec::with_capacity(keys.len());
        for key in keys {
            let place = Some(*key).filter(|key| *key != 0).and_then(|key| self.keys.place(key));
            if place == Some(sizes.len()) {
                sizes.push(0);
            }
            if let Some(size) = place.and_then(|place| sizes.get_mut(place)) {
                *size += 1;
            }
            places.push(place);
        }
        let mut groups: Vec<Option<usize>> = vec![None; sizes.len()];
        let mut rest = Vec::new();
        for (line, place) in lines.into_iter().zip(places) {
            let width = beginning.map_or(line.count, |length| length + 1);
            let enough = place.filter(|place| sizes.get(*place).is_some_and(|n| *n >= MIN_LINES));
            let Some(group) = enough.and_then(|place| groups.get_mut(place)) else {
                rest.push(line);
                continue;
            };
            let group = *group.get_or_insert_with(|| {
                let count = place.and_then(|place| sizes.get(place)).copied().unwrap_or(0) as usize;
                let (lines, firsts) = (Vec::with_capacity(count), Vec::with_capacity(count));
                self.found.push(LineGroup { lines, firsts, width });
                self.found.len() - 1
            });
            match self.found.get_mut(group).filter(|group| group.width == width) {
                Some(group) => group.push(&line, words, self.lines, beginning),
                None => rest.push(line),
            }
        }
        rest
    }
}

impl LineGroup {
    /// Takes in a line. What follows a beginning becomes one word.
    fn push(
        &mut self,
        line: &WordLine,
        words: &mut [LineWord],
        lines: &[&str],
        beginning: Option<usize>,
    ) {
        self.lines.push(line.at);
        self.firsts.push(line.first);
        if let Some(next) = beginning.and_then(|length| words.get_mut(line.first + length)) {
            let text = lines.get(line.at).map_or(&b""[..], |line| line.as_bytes());
            let rest = text.get(next.start as usize..).unwrap_or_default();
            next.hash = hash(rest);
            next.end = position(text.len());
        }
    }
}
