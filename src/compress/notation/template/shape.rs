//! From lines of one form to text and columns: what is the same in all of them is text, white
//! space that fills a word to a width is a pad, and the rest are cells.

use super::column::Column;
use super::form::{Pad, WIDEST};
use super::group::{Group, Span};

/// Lines of one form, with what stands in their holes.
#[derive(Debug)]
pub(super) struct Table<'a> {
    pub(super) lines: Vec<usize>,
    pub(super) parts: Vec<Part<'a>>,
}

impl<'a> Table<'a> {
    pub(super) fn columns(&self) -> impl Iterator<Item = &Column<'a>> {
        self.parts.iter().filter_map(|part| match part {
            Part::Column(column) => Some(column),
            Part::Text(_) => None,
        })
    }
}

#[derive(Debug)]
pub(super) enum Part<'a> {
    Text(String),
    Column(Column<'a>),
}

/// Holes of a form; a group that needs more is no table.
const HOLES: usize = 60;

/// A word in every line of a group: what stands before it, and itself.
#[derive(Default)]
struct Words<'a> {
    gaps: Vec<&'a str>,
    texts: Vec<&'a str>,
}

/// How a word and the white space before it are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// The same in every line.
    Same,
    /// So many spaces, the others are pads.
    Pads(usize),
    /// So many spaces, and the next hole is filled to widths that are cells themselves.
    Widths(usize),
    /// The white space goes into the cell.
    Loose,
}

pub(super) fn table<'a>(lines: &[&'a str], group: &Group) -> Option<Table<'a>> {
    let places: Vec<Words<'a>> =
        (0..group.width).map(|place| Words::of(lines, group, place)).collect::<Option<_>>()?;
    let mut pads = vec![Pad::None; places.len()];
    let mut gaps = Vec::with_capacity(places.len());
    for (place, words) in places.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| places.get(before));
        let (earlier, later) = pads.split_at_mut_checked(place)?;
        // A word that has its white space in its cell, or its width, has no pad as well.
        let left =
            earlier.last_mut().filter(|_| matches!(gaps.last(), Some(Gap::Same | Gap::Pads(_))));
        gaps.push(gap(before, words, left, later.first_mut()?));
    }
    let mut parts = Parts::default();
    for (place, ((words, gap), pad)) in places.iter().zip(gaps).zip(pads).enumerate() {
        let gap_text = words.gaps.first().copied().unwrap_or("");
        match gap {
            Gap::Same => parts.text(gap_text),
            Gap::Pads(base) => parts.text(gap_text.get(..base)?),
            Gap::Widths(base) => {
                parts.text(gap_text.get(..base)?);
                parts.0.push(Part::Column(Column::of_widths(&words.widths(base))));
                parts.0.push(Part::Column(Column::new(Pad::None, words.texts.clone())));
                continue;
            }
            Gap::Loose => {
                parts.0.push(Part::Column(Column::new(Pad::None, loose(lines, group, place)?)));
                continue;
            }
        }
        if pad == Pad::None {
            parts.word(&words.texts);
        } else {
            parts.0.push(Part::Column(Column::new(pad, words.texts.clone())));
        }
    }
    let holes = parts.0.iter().filter(|part| matches!(part, Part::Column(_))).count();
    (holes <= HOLES).then(|| Table { lines: group.lines.clone(), parts: parts.0 })
}

impl<'a> Words<'a> {
    fn of(lines: &[&'a str], group: &Group, place: usize) -> Option<Self> {
        let mut words = Self::default();
        for (line, spans) in group.lines.iter().zip(group.words.chunks_exact(group.width)) {
            let line = lines.get(*line)?;
            let before = place.checked_sub(1).and_then(|before| spans.get(before));
            let (start, end) = bytes(*spans.get(place)?);
            let gap = before.map_or(0, |span| bytes(*span).1);
            words.gaps.push(line.get(gap..start)?);
            words.texts.push(line.get(start..end)?);
        }
        Some(words)
    }

    /// The width that each word is filled to: the one before where that does, too.
    fn widths(&self, base: usize) -> Vec<usize> {
        let mut before = 0;
        let widths = self.gaps.iter().zip(&self.texts).map(|(gap, word)| {
            let width = width(word);
            let spaces = gap.len().saturating_sub(base);
            if spaces > 0 || before > width {
                before = spaces + width;
            }
            before
        });
        widths.collect()
    }
}

/// A word of every line with the white space before it.
fn loose<'a>(lines: &[&'a str], group: &Group, place: usize) -> Option<Vec<&'a str>> {
    let spans = group.lines.iter().zip(group.words.chunks_exact(group.width));
    let both = spans.map(|(line, spans)| {
        let before = place.checked_sub(1).and_then(|before| spans.get(before));
        lines.get(*line)?.get(before.map_or(0, |span| bytes(*span).1)..bytes(*spans.get(place)?).1)
    });
    both.collect()
}

fn bytes((start, end): Span) -> (usize, usize) {
    (start as usize, end as usize)
}

fn width(word: &str) -> usize {
    word.chars().count()
}

fn gap(
    before: Option<&Words<'_>>,
    words: &Words<'_>,
    left: Option<&mut Pad>,
    own: &mut Pad,
) -> Gap {
    if same(&words.gaps) {
        return Gap::Same;
    }
    let base = usize::from(before.is_some());
    let blank = |gap: &&str| gap.len() >= base && gap.bytes().all(|byte| byte == b' ');
    if !words.gaps.iter().all(blank) {
        return Gap::Loose;
    }
    let spaces = || words.gaps.iter().map(|gap| gap.len() - base);
    if let Some(width) = pad_width(spaces(), &words.texts) {
        *own = Pad::Left(width);
        return Gap::Pads(base);
    }
    if let (Some(before), Some(left)) = (before, left)
        && *left == Pad::None
    {
        if let Some(width) = pad_width(spaces(), &before.texts) {
            *left = Pad::Right(width);
            return Gap::Pads(base);
        }
        if let Some((first, second)) = pad_widths(&spaces(), &before.texts, &words.texts) {
            *left = Pad::Right(first);
            *own = Pad::Left(second);
            return Gap::Pads(base);
        }
    }
    let widths = words.widths(base);
    let changes = widths.windows(2).filter(|pair| matches!(pair, [a, b] if a != b)).count();
    let is_steady = changes * 3 < widths.len() && widths.iter().all(|width| *width <= WIDEST);
    if is_steady { Gap::Widths(base) } else { Gap::Loose }
}

/// The width that the spaces fill every word to.
fn pad_width(spaces: impl Iterator<Item = usize> + Clone, words: &[&str]) -> Option<usize> {
    let found = spaces
        .clone()
        .zip(words)
        .find(|(spaces, _)| *spaces > 0)
        .map(|(spaces, word)| spaces + width(word))
        .filter(|found| *found <= WIDEST)?;
    spaces
        .zip(words)
        .all(|(spaces, word)| spaces == found.saturating_sub(width(word)))
        .then_some(found)
}

/// The widths of a word that is filled on its right and one that is filled on its left.
fn pad_widths(
    spaces: &(impl Iterator<Item = usize> + Clone),
    before: &[&str],
    words: &[&str],
) -> Option<(usize, usize)> {
    let first = before.iter().map(|word| width(word)).max()?;
    let sums = || {
        spaces
            .clone()
            .zip(before.iter().zip(words))
            .map(|(spaces, (a, b))| spaces + width(a) + width(b))
    };
    let sum = sums().next()?;
    let second = sum.checked_sub(first)?;
    let fits = words.iter().all(|word| width(word) <= second);
    (sum <= WIDEST && fits && sums().all(|other| other == sum)).then_some((first, second))
}

fn same(texts: &[&str]) -> bool {
    texts.first().is_none_or(|first| texts.iter().all(|text| text == first))
}

#[derive(Default)]
struct Parts<'a>(Vec<Part<'a>>);

impl<'a> Parts<'a> {
    fn text(&mut self, text: &str) {
        if let Some(Part::Text(last)) = self.0.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.0.push(Part::Text(text.to_owned()));
        }
    }

    /// A word: piece by piece where it has the same signs in every line, else as one cell.
    fn word(&mut self, words: &[&'a str]) {
        if same(words) {
            return self.text(words.first().copied().unwrap_or(""));
        }
        let Some(count) = words.first().map(|first| runs(first).count()).filter(|count| *count > 1)
        else {
            return self.cell(words.to_vec());
        };
        let mut rows: Vec<_> = words.iter().map(|word| runs(word)).collect();
        let mut columns: Vec<Vec<&'a str>> = Vec::with_capacity(count);
        for _ in 0..count {
            let column: Vec<&str> = rows.iter_mut().map(|row| row.next().unwrap_or("")).collect();
            // A sign that is not the same in all lines: another shape.
            let first = column.first().copied().unwrap_or("");
            if !same(&column) && column.iter().chain([&first]).any(|run| !is_run(run)) {
                return self.cell(words.to_vec());
            }
            columns.push(column);
        }
        if rows.iter_mut().any(|row| row.next().is_some()) {
            return self.cell(words.to_vec());
        }
        for column in columns {
            if same(&column) {
                self.text(column.first().copied().unwrap_or(""));
            } else {
                self.cell(column);
            }
        }
    }

    /// A cell, without what all values begin and end with.
    fn cell(&mut self, values: Vec<&'a str>) {
        let first = values.first().copied().unwrap_or("");
        let shortest = values.iter().map(|value| value.len()).min().unwrap_or(0);
        let most = shortest.saturating_sub(1);
        let before = values.iter().fold(most, |most, value| most.min(common(first, value)));
        let before =
            border(&values, before, false, |value, at| Some(at).filter(|at| *at <= value.len()));
        let before = digit_border(&values, before);
        let most = most - before;
        let after = values.iter().fold(most, |most, value| most.min(common_end(first, value)));
        let after = border(&values, after, true, |value, at| value.len().checked_sub(at));
        let cut = |value: &&'a str| value.get(before..value.len() - after);
        let Some(cut) = values.iter().map(cut).collect::<Option<Vec<_>>>() else {
            self.0.push(Part::Column(Column::new(Pad::None, values)));
            return;
        };
        self.text(first.get(..before).unwrap_or(""));
        self.0.push(Part::Column(Column::new(Pad::None, cut)));
        self.text(first.get(first.len() - after..).unwrap_or(""));
    }
}

/// Runs of letters, digits and `_`, and single other characters.
fn runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let length = rest.bytes().take_while(|byte| is_run_byte(*byte)).count();
        let (run, after) = rest.split_at_checked(length.max(1).min(rest.len()))?;
        rest = after;
        (!run.is_empty()).then_some(run)
    })
}

fn is_run_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_run(run: &str) -> bool {
    run.bytes().next().is_some_and(is_run_byte)
}

fn common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

fn common_end(a: &str, b: &str) -> usize {
    a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count()
}

/// Shrinks a cut that parts digits, unless that leaves them fewer groups of three and they do not
/// stay the same anyway.
fn digit_border(values: &[&str], length: usize) -> usize {
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

/// Shrinks a cut of `length` bytes until it parts no letters and no character, in any value.
fn border(
    values: &[&str],
    length: usize,
    digits_too: bool,
    place: impl Fn(&str, usize) -> Option<usize>,
) -> usize {
    let parts_word = |value: &str, length: usize| {
        let Some(at) = place(value, length) else { return true };
        let is_letter = |at: usize| {
            value.as_bytes().get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
        };
        let is_digit = |at: usize| value.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        at > 0
            && (is_letter(at - 1) && is_letter(at)
                || digits_too && is_digit(at - 1) && is_digit(at))
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
