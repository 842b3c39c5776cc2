//! Which lines are of one form: groups of lines with as many words and the same fixed words.
//!
//! A word is *fixed* where it has no digit and stands at its place in many lines of that many
//! words. Lines that find no group that way are grouped by the classes of their first words, and
//! what follows these is one word more. Counts are kept in tables of a fixed size, so two words
//! may share one; that can cost savings, and changes nothing else.

use std::collections::HashMap;

use super::super::reports_error;

/// Words of a line that are told apart; the last takes the rest of the line.
const WORDS: usize = 40;
/// Lines that are worth a form.
const FEWEST: u32 = 4;
/// Bytes of a line that is worth a row, and of one that still is.
const LENGTHS: std::ops::Range<usize> = 8..20_000;
/// Lengths of the beginnings that lines are grouped by, and how often that is done.
const BEGINNINGS: [usize; 12] = [14, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
const ROUNDS: usize = 8;
/// Lines that are looked at to choose one.
const SEEN: usize = 1000;

/// Byte positions of a word.
pub(super) type Span = (u32, u32);

/// Lines of one form, in order, and as many words of each.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) lines: Vec<usize>,
    pub(super) words: Vec<Span>,
    pub(super) width: usize,
}

#[derive(Debug, Clone, Copy)]
struct Word {
    hash: u64,
    span: Span,
    class: u8,
}

struct Line {
    at: usize,
    first: usize,
    count: usize,
    end: u32,
}

pub(super) fn groups(lines: &[&str]) -> Vec<Group> {
    let mut words = Vec::new();
    let read = read(lines, &mut words);
    let counts = Counts::of(&read, &words);
    let keys: Vec<u64> = read.iter().map(|line| exact(&counts, line, &words)).collect();
    let mut groups = Vec::new();
    let mut rest = gather(read, &keys, &words, None, &mut groups);
    for _ in 0..ROUNDS {
        let Some(length) = best_beginning(&rest, &words, &counts) else { break };
        let keys: Vec<u64> =
            rest.iter().map(|line| beginning(&counts, line, &words, length).0).collect();
        rest = gather(rest, &keys, &words, Some(length), &mut groups);
    }
    groups
}

fn read(lines: &[&str], words: &mut Vec<Word>) -> Vec<Line> {
    let mut read = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        if !LENGTHS.contains(&line.len()) || reports_error(line) {
            continue;
        }
        let first = words.len();
        split(line.as_bytes(), words);
        let count = words.len() - first;
        if count > 0 {
            let end = u32::try_from(line.len()).unwrap_or(u32::MAX);
            read.push(Line { at, first, count, end });
        }
    }
    read
}

const BLANK: u8 = 0;
const DIGIT: u8 = 1;
const LETTER: u8 = 2;
const OTHER: u8 = 4;

fn class(byte: u8) -> u8 {
    match byte {
        b' ' | b'\t' => BLANK,
        b'0'..=b'9' => DIGIT,
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => LETTER,
        _ => OTHER,
    }
}

fn split(line: &[u8], words: &mut Vec<Word>) {
    let mut start = 0;
    let mut seen = BLANK;
    let mut hash = 0;
    let mut count = 0;
    for (at, byte) in line.iter().enumerate() {
        let class = class(*byte);
        if class != BLANK {
            if seen == BLANK {
                start = at;
                hash = 0;
            }
            seen |= class;
            hash = mix(hash, u64::from(*byte));
        } else if seen != BLANK && count + 1 < WORDS {
            words.push(Word { hash, span: span(start, at), class: seen });
            seen = BLANK;
            count += 1;
        }
    }
    if seen != BLANK {
        words.push(Word { hash, span: span(start, line.len()), class: seen });
    } else if let Some(last) = words.last_mut().filter(|_| count > 0) {
        // White space at the end belongs to the last word.
        last.span.1 = span(0, line.len()).1;
    }
}

fn span(start: usize, end: usize) -> Span {
    (u32::try_from(start).unwrap_or(u32::MAX), u32::try_from(end).unwrap_or(u32::MAX))
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// How many lines hold a word at its place, by count of words and by place alone.
struct Counts {
    table: Vec<u32>,
    lines: [u32; WORDS + 1],
    longer: [u32; WORDS + 1],
}

const SLOTS: usize = 1 << 15;

fn slot(count: usize, place: usize, hash: u64) -> usize {
    let mixed = mix(mix(hash, count as u64), place as u64);
    usize::try_from(mixed >> 49).unwrap_or(0) % SLOTS
}

impl Counts {
    fn of(read: &[Line], words: &[Word]) -> Self {
        let mut counts =
            Self { table: vec![0; SLOTS], lines: [0; WORDS + 1], longer: [0; WORDS + 1] };
        for line in read {
            for longer in counts.longer.iter_mut().take(line.count) {
                *longer += 1;
            }
            if let Some(lines) = counts.lines.get_mut(line.count) {
                *lines += 1;
            }
            for (place, word) in line.words(words).iter().enumerate() {
                if word.class & DIGIT == 0 {
                    for count in [line.count, WORDS + 1] {
                        if let Some(held) = counts.table.get_mut(slot(count, place, word.hash)) {
                            *held += 1;
                        }
                    }
                }
            }
        }
        counts
    }

    fn is_fixed(&self, count: usize, place: usize, word: &Word) -> bool {
        let among = if count > WORDS { self.longer.get(place) } else { self.lines.get(count) };
        let held = self.table.get(slot(count, place, word.hash)).copied().unwrap_or(0);
        word.class & DIGIT == 0 && held >= FEWEST.max(among.copied().unwrap_or(0) / 16)
    }
}

impl Line {
    fn words<'a>(&self, words: &'a [Word]) -> &'a [Word] {
        words.get(self.first..self.first + self.count).unwrap_or_default()
    }
}

fn exact(counts: &Counts, line: &Line, words: &[Word]) -> u64 {
    let start = mix(7, line.count as u64);
    line.words(words).iter().enumerate().fold(start, |key, (place, word)| {
        let fixed = counts.is_fixed(line.count, place, word);
        mix(key, if fixed { word.hash } else { 1 })
    })
}

/// The key of the first words, and how many of them are fixed. Lines that have no more words
/// than that have no such beginning.
fn beginning(counts: &Counts, line: &Line, words: &[Word], length: usize) -> (u64, u32) {
    if line.count <= length {
        return (0, 0);
    }
    let mut fixed = 0;
    let key = line.words(words).iter().take(length).enumerate().fold(9, |key, (place, word)| {
        let is_fixed = counts.is_fixed(WORDS + 1, place, word);
        fixed += u32::from(is_fixed);
        mix(key, if is_fixed { word.hash } else { u64::from(word.class & !OTHER) })
    });
    (key.max(1), fixed)
}

/// The length of beginning that promises most.
fn best_beginning(rest: &[Line], words: &[Word], counts: &Counts) -> Option<usize> {
    let mut best = (0, None);
    let apart = rest.len().div_ceil(SEEN).max(1);
    for length in BEGINNINGS {
        let mut found: HashMap<u64, usize> = HashMap::new();
        let mut sizes: Vec<(i64, u32)> = Vec::new();
        for line in rest.iter().step_by(apart) {
            let (key, fixed) = beginning(counts, line, words, length);
            if key == 0 {
                continue;
            }
            let at = *found.entry(key).or_insert(sizes.len());
            if at == sizes.len() {
                sizes.push((0, fixed));
            }
            if let Some(size) = sizes.get_mut(at) {
                size.0 += i64::try_from(apart).unwrap_or(1);
            }
        }
        // In tenths of a token: what a fixed word and another word save in each row, what a row
        // costs, and what a form costs.
        let length_ = i64::try_from(length).unwrap_or(0);
        let gain: i64 = sizes
            .iter()
            .filter(|(lines, _)| *lines >= i64::from(FEWEST))
            .map(|(lines, fixed)| {
                let fixed = i64::from(*fixed);
                let row = fixed * 15 + (length_ - fixed) * 4 - 8;
                ((lines - 1) * row - length_ * 25 - 50).max(0)
            })
            .sum();
        if gain > best.0 {
            best = (gain, Some(length));
        }
    }
    best.1
}

/// Moves the lines whose key is that of enough lines into groups; gives back the others.
fn gather(
    lines: Vec<Line>,
    keys: &[u64],
    words: &[Word],
    beginning: Option<usize>,
    groups: &mut Vec<Group>,
) -> Vec<Line> {
    let mut sizes: HashMap<u64, u32> = HashMap::new();
    for key in keys {
        *sizes.entry(*key).or_insert(0) += 1;
    }
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut rest = Vec::new();
    for (line, key) in lines.into_iter().zip(keys) {
        if *key == 0 || sizes.get(key).is_none_or(|size| *size < FEWEST) {
            rest.push(line);
            continue;
        }
        let width = beginning.map_or(line.count, |length| length + 1);
        let place = *places.entry(*key).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group { lines: Vec::new(), words: Vec::new(), width });
        }
        match groups.get_mut(place).filter(|group| group.width == width) {
            Some(group) => group.push(&line, words, beginning),
            None => rest.push(line),
        }
    }
    rest
}

impl Group {
    fn push(&mut self, line: &Line, words: &[Word], beginning: Option<usize>) {
        let all = line.words(words);
        let length = beginning.unwrap_or(all.len());
        self.lines.push(line.at);
        self.words.extend(all.iter().take(length).map(|word| word.span));
        if let Some(next) = beginning.and_then(|length| all.get(length)) {
            self.words.push((next.span.0, line.end));
        }
    }
}
