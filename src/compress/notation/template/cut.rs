//! Cuts words that differ, so that their common part is in the form.

use crate::compress::text::{ByteTable, byte_table, common, is_same};

/// A part of a word, in all lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WordPart<'a> {
    Same(&'a str),
    Values(Vec<&'a str>),
}

/// A part on its way: what it is in the first line, and the values once they differ.
struct PartBuilder<'a> {
    first: &'a str,
    /// The sign that the part is if it is no run; a sign that differs is another shape.
    sign: Option<u8>,
    values: Vec<&'a str>,
    /// End in the word that was read last.
    end: usize,
}

impl<'a> PartBuilder<'a> {
    fn new(first: &'a str, end: &mut usize) -> Self {
        let sign = first.bytes().next().filter(|_| !is_run(first));
        *end += first.len();
        Self { first, sign, values: Vec::new(), end: *end }
    }

    /// Reads the part of a word that begins at a byte; `None` if that has another shape.
    fn read(&mut self, word: &'a str, at: usize, row: usize, rows: usize) -> Option<()> {
        let rest = word.as_bytes().get(at..)?;
        if let Some(sign) = self.sign {
            self.end = at + 1;
            return (rest.first() == Some(&sign)).then_some(());
        }
        let length = rest.iter().take_while(|byte| is_run_byte(**byte)).count();
        let run = word.get(at..at + length).filter(|run| !run.is_empty())?;
        self.end = at + length;
        if self.values.is_empty() {
            if is_same(run, self.first) {
                return Some(());
            }
            self.values.reserve_exact(rows);
            self.values.extend(std::iter::repeat_n(self.first, row));
        }
        self.values.push(run);
        Some(())
    }

    /// Reads the last parts of words, which begin at a byte and differ.
    fn read_rest(&mut self, words: &[&'a str], start: usize) -> Option<()> {
        let own = |word: &&'a str| {
            let rest = word.get(start..).filter(|rest| !rest.is_empty())?;
            rest.bytes().all(is_run_byte).then_some(rest)
        };
        self.values.reserve_exact(words.len());
        for word in words {
            self.values.push(own(word)?);
        }
        self.sign.is_none().then_some(())
    }
}

/// The runs of words, column by column, if all have the same signs and more than one run.
pub(super) fn columns<'a>(first: &'a str, words: &[&'a str]) -> Option<Vec<WordPart<'a>>> {
    let mut end = 0;
    let mut columns: Vec<PartBuilder<'a>> =
        runs(first).map(|run| PartBuilder::new(run, &mut end)).collect();
    if columns.len() < 2 {
        return None;
    }
    // The common beginning, and a byte of the next run, is the same in all: a few words mostly tell
    // that there is no such run.
    let few = common_length(first.as_bytes(), words.iter().step_by(words.len() / SAMPLE_WORDS + 1));
    let is_some = columns.first().is_some_and(|column| column.end < few);
    let alike = if is_some { common_length(first.as_bytes(), words.iter()) } else { 0 };
    let same = columns.iter().take_while(|column| column.end < alike).count();
    let start = same.checked_sub(1).and_then(|last| columns.get(last)).map_or(0, |last| last.end);
    let others = columns.get_mut(same..)?;
    match others {
        [last] if alike < first.len() => last.read_rest(words, start)?,
        _ => read(others, first, words, start)?,
    }
    let end = |column: PartBuilder<'a>| match column.values.as_slice() {
        [] => WordPart::Same(column.first),
        _ => WordPart::Values(column.values),
    };
    Some(columns.into_iter().map(end).collect())
}

/// Words that are looked at first.
const SAMPLE_WORDS: usize = 8;

/// Number of bytes that some words begin with like the first.
pub(super) fn common_length<'w>(first: &[u8], words: impl Iterator<Item = &'w &'w str>) -> usize {
    let mut alike = first;
    for word in words {
        let both = common(alike, word.as_bytes());
        alike = alike.get(..both).unwrap_or_default();
        if alike.is_empty() {
            break;
        }
    }
    alike.len()
}

/// Reads the parts of words that begin at a byte.
fn read<'a>(
    columns: &mut [PartBuilder<'a>],
    first: &'a str,
    words: &[&'a str],
    start: usize,
) -> Option<()> {
    let rest = |word: &'a str| word.as_bytes().get(start..);
    let mut before = first;
    for (row, word) in words.iter().enumerate() {
        let mut alike = start + common(rest(before)?, rest(word)?);
        if alike == word.len() && alike == before.len() {
            alike += 1;
        }
        let mut at = start;
        for column in &mut *columns {
            // A part that is followed by the same byte as in the word before ends where it ended
            // there.
            if column.end < alike {
                column.values.extend(column.values.last().copied());
            } else {
                column.read(word, at, row, words.len())?;
            }
            at = column.end;
        }
        if at < word.len() {
            return None;
        }
        before = word;
    }
    Some(())
}

/// Runs of letters, digits and `_`, and single other characters.
pub(super) fn runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let length = rest.bytes().take_while(|byte| is_run_byte(*byte)).count();
        let (run, after) = rest.split_at_checked(length.max(1).min(rest.len()))?;
        rest = after;
        (!run.is_empty()).then_some(run)
    })
}

#[inline]
pub(super) fn is_run_byte(byte: u8) -> bool {
    static RUN_BYTES: ByteTable<bool> = byte_table!(is_letter);
    RUN_BYTES.get(byte)
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

pub(super) fn is_run(run: &str) -> bool {
    run.bytes().next().is_some_and(is_run_byte)
}

pub(super) fn common_end(a: &str, b: &str) -> usize {
    a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count()
}

/// Shrinks a cut that parts digits, unless that leaves them fewer groups of three and they do not
/// stay the same anyway.
pub(super) fn digit_border(values: &[&str], length: usize) -> usize {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(first) = values.first().map(|first| first.as_bytes()) else { return 0 };
    let held = first.iter().take(length).rev().take_while(|byte| is_digit(byte)).count();
    let run =
        |value: &[u8]| value.iter().skip(length - held).take_while(|byte| is_digit(byte)).count();
    let all = run(first);
    if held == 0 || all == held {
        return length;
    }
    let even = values.iter().all(|value| run(value.as_bytes()) == all);
    let changes = values.windows(2).filter(|pair| matches!(pair, [a, b] if a != b)).count();
    let fewer = (all - held).div_ceil(3) < all.div_ceil(3);
    if even && fewer && changes * 2 > values.len() { length } else { length - held }
}

/// What a cut leaves whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WholePart {
    Letters,
    LettersOrDigits,
    /// Letters, digits and `_` together: `417ms`, `K4821`.
    Run,
}

/// Shrinks a cut of `length` bytes until it parts nothing that stays whole and no character, in any
/// value.
pub(super) fn border(
    values: &[&str],
    length: usize,
    whole: WholePart,
    place: impl Fn(&str, usize) -> Option<usize>,
) -> usize {
    let parts_word = |value: &str, length: usize| {
        let Some(at) = place(value, length) else { return true };
        let is_letter = |at: usize| {
            value.as_bytes().get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
        };
        let is_digit = |at: usize| value.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        let is_run = |at: usize| value.as_bytes().get(at).is_some_and(|byte| is_run_byte(*byte));
        let parts = |is_part: &dyn Fn(usize) -> bool| is_part(at - 1) && is_part(at);
        at > 0
            && match whole {
                WholePart::Letters => parts(&is_letter),
                WholePart::LettersOrDigits => parts(&is_letter) || parts(&is_digit),
                WholePart::Run => parts(&is_run),
            }
    };
    let Some(first) = values.first() else { return 0 };
    let mut length = length;
    while length > 0 && values.iter().any(|value| parts_word(value, length)) {
        // All values agree up to here, so the letters before the cut are the same in all.
        length -= 1;
        while length > 0 && parts_word(first, length) {
            length -= 1;
        }
    }
    length
}
