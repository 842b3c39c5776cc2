//! From lines of one form to text and columns: what is the same in all of them is text, white
//! space that fills a word to a width is a pad, and the rest are cells.

use super::column::HoleColumn;
use super::cut::{WholePart, WordPart, border, columns, common_end, common_length, digit_border};
use super::form::{MAX_PAD_SPACES, PadSide};
use super::group::LineGroup;
use super::words::LineWord;
use crate::domain::ValueClass;

/// Table and row of every line that has them.
pub(super) type RowPlace = Option<(usize, usize)>;

/// Lines of one form, with the contents of their holes.
#[derive(Debug)]
pub(super) struct ShapeTable<'a> {
    pub(super) lines: Vec<usize>,
    pub(super) parts: Vec<ShapePart<'a>>,
}

impl<'a> ShapeTable<'a> {
    pub(super) fn columns(&self) -> impl Iterator<Item = &HoleColumn<'a>> {
        self.parts.iter().filter_map(|part| match part {
            ShapePart::Column(column) => Some(column),
            ShapePart::Text(_) => None,
        })
    }
}

#[derive(Debug)]
pub(super) enum ShapePart<'a> {
    Text(String),
    Column(HoleColumn<'a>),
}

/// Holes of a form; a group that needs more is no table.
const MAX_HOLES: usize = 60;

/// A word in every line of a group, and what is before it.
#[derive(Default)]
struct WordColumn<'a> {
    first_gap: &'a str,
    first: &'a str,
    same_gap: bool,
    same_text: bool,
    /// Whether there is nothing but spaces before it.
    is_spaced: bool,
    /// Bytes before it, and itself, line by line; none if they are not needed.
    gaps: Vec<usize>,
    texts: Vec<&'a str>,
}

/// Spelling of a word and the white space before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordGap {
    /// The same in every line.
    Same,
    /// So many spaces, the others are pads.
    Pads(usize),
    /// So many spaces, and the next hole is filled to widths that are cells themselves.
    Widths(usize),
    /// The white space goes into the cell.
    Loose,
}

/// The lines of a group, and the words of all lines.
#[derive(Clone, Copy)]
pub(super) struct GroupSource<'s, 'a> {
    pub(super) lines: &'s [&'a str],
    pub(super) words: &'s [LineWord],
    pub(super) group: &'s LineGroup,
    /// The class of values that cells may have.
    pub(super) values: ValueClass,
}

impl<'s, 'a> GroupSource<'s, 'a> {
    /// A column of these values.
    fn column(self, pad: PadSide, values: Vec<&'a str>) -> HoleColumn<'a> {
        column(self.values, pad, values, false)
    }

    /// Each line with its words.
    fn rows(self) -> impl Iterator<Item = (&'a str, &'s [LineWord])> + Clone {
        let line = move |at: &usize| self.lines.get(*at).copied().unwrap_or_default();
        self.group.lines.iter().map(line).zip(self.group.rows(self.words))
    }

    /// A word of every line.
    fn texts(self, place: usize) -> Option<Vec<&'a str>> {
        let mut texts = Vec::with_capacity(self.group.lines.len());
        for (line, row) in self.rows() {
            let (start, end) = bytes(row.get(place)?);
            texts.push(line.get(start..end)?);
        }
        Some(texts)
    }

    /// A word of every line with the white space before it.
    fn texts_with_space(self, place: usize) -> Option<Vec<&'a str>> {
        let both = self.rows().map(|(line, row)| {
            let before = place.checked_sub(1).and_then(|before| row.get(before));
            line.get(before.map_or(0, |word| bytes(word).1)..bytes(row.get(place)?).1)
        });
        both.collect()
    }

    /// Bytes before a word, line by line.
    fn gaps(self, place: usize) -> Option<Vec<usize>> {
        let gap = |(_, row): (_, &[LineWord])| {
            let before = place.checked_sub(1).and_then(|before| row.get(before));
            Some(row.get(place)?.start.checked_sub(before.map_or(0, |word| word.end))? as usize)
        };
        self.rows().map(gap).collect()
    }
}

/// A column of some values, filled unless they may be computed.
fn column(class: ValueClass, pad: PadSide, values: Vec<&str>, is_run: bool) -> HoleColumn<'_> {
    match class {
        ValueClass::Plain => HoleColumn::filled(pad, values, is_run),
        ValueClass::Computed => HoleColumn::new(pad, values, is_run),
    }
}

pub(super) fn table<'a>(source: GroupSource<'_, 'a>) -> Option<ShapeTable<'a>> {
    let places = places(source)?;
    let mut pads = vec![PadSide::None; places.len()];
    let mut gaps = Vec::with_capacity(places.len());
    for (place, words) in places.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| places.get(before));
        let (earlier, later) = pads.split_at_mut_checked(place)?;
        // A word that has its white space in its cell, or its width, has no pad as well.
        let left = earlier
            .last_mut()
            .filter(|_| matches!(gaps.last(), Some(WordGap::Same | WordGap::Pads(_))));
        let found = gap(before, words, left, later.first_mut()?);
        // A width is a value that no line shows.
        let is_computed = matches!(found, WordGap::Widths(_)) && source.values == ValueClass::Plain;
        gaps.push(if is_computed { WordGap::Loose } else { found });
    }
    let mut parts = ShapeParts { parts: Vec::new(), class: source.values };
    for (place, ((words, gap), pad)) in places.into_iter().zip(gaps).zip(pads).enumerate() {
        match gap {
            WordGap::Same => parts.text(words.first_gap),
            WordGap::Pads(base) => parts.text(words.first_gap.get(..base)?),
            WordGap::Widths(base) => {
                parts.text(words.first_gap.get(..base)?);
                parts.push(HoleColumn::from_widths(&words.widths(base)));
                parts.push(source.column(PadSide::None, words.texts));
                continue;
            }
            WordGap::Loose => {
                parts.push(source.column(PadSide::None, source.texts_with_space(place)?));
                continue;
            }
        }
        if pad != PadSide::None {
            parts.push(source.column(pad, words.texts));
        } else if words.same_text {
            parts.text(words.first);
        } else {
            parts.word(words.texts);
        }
    }
    let parts = parts.parts;
    let holes = parts.iter().filter(|part| matches!(part, ShapePart::Column(_))).count();
    (holes <= MAX_HOLES).then(|| ShapeTable { lines: source.group.lines.clone(), parts })
}

/// The words of a group, place by place.
fn places<'a>(source: GroupSource<'_, 'a>) -> Option<Vec<WordColumn<'a>>> {
    let mut rows = source.rows();
    let (line, first) = rows.next()?;
    let mut places = Vec::with_capacity(first.len());
    let mut end = 0;
    for word in first {
        let (first_gap, first) =
            (line.get(end..word.start as usize)?, line.get(bytes(word).0..bytes(word).1)?);
        end = word.end as usize;
        places.push(WordColumn {
            first_gap,
            first,
            same_gap: true,
            same_text: true,
            is_spaced: word.is_spaced,
            ..WordColumn::default()
        });
    }
    for (line, row) in rows {
        let mut end = 0;
        for ((words, word), first) in places.iter_mut().zip(row).zip(first) {
            words.same_text &= word.hash == first.hash;
            words.is_spaced &= word.is_spaced;
            let length = word.start.wrapping_sub(end) as usize;
            if words.same_gap && (length != words.first_gap.len() || !words.is_spaced) {
                let gap = line.get(end as usize..word.start as usize)?;
                words.same_gap = gap == words.first_gap;
            }
            end = word.end;
        }
    }
    let gaps: Vec<bool> = places.iter().map(|words| words.same_gap).chain([true]).collect();
    for (place, words) in places.iter_mut().enumerate() {
        let pads = gaps.get(place..place + 2).is_some_and(|gaps| gaps.contains(&false));
        if pads || !words.same_text {
            words.texts = source.texts(place)?;
        }
        if !words.same_gap && words.is_spaced {
            words.gaps = source.gaps(place)?;
        }
    }
    Some(places)
}

impl WordColumn<'_> {
    /// The width that each word is filled to: the one before if that does, too.
    fn widths(&self, base: usize) -> Vec<usize> {
        let mut before = 0;
        let widths = self.gaps.iter().zip(&self.texts).map(|(gap, word)| {
            let width = width(word);
            let spaces = gap.saturating_sub(base);
            if spaces > 0 || before > width {
                before = spaces + width;
            }
            before
        });
        widths.collect()
    }
}

fn bytes(word: &LineWord) -> (usize, usize) {
    (word.start as usize, word.end as usize)
}

fn width(word: &str) -> usize {
    if word.is_ascii() { word.len() } else { word.chars().count() }
}

fn gap(
    before: Option<&WordColumn<'_>>,
    words: &WordColumn<'_>,
    left: Option<&mut PadSide>,
    own: &mut PadSide,
) -> WordGap {
    if words.same_gap {
        return WordGap::Same;
    }
    let base = usize::from(before.is_some());
    if !words.is_spaced || words.gaps.iter().any(|gap| *gap < base) {
        return WordGap::Loose;
    }
    let spaces = || words.gaps.iter().map(|gap| gap - base);
    if let Some(width) = pad_width(spaces(), &words.texts) {
        *own = PadSide::Left(width);
        return WordGap::Pads(base);
    }
    if let (Some(before), Some(left)) = (before, left)
        && *left == PadSide::None
    {
        if let Some(width) = pad_width(spaces(), &before.texts) {
            *left = PadSide::Right(width);
            return WordGap::Pads(base);
        }
        if let Some((first, second)) = pad_widths(&spaces(), &before.texts, &words.texts) {
            *left = PadSide::Right(first);
            *own = PadSide::Left(second);
            return WordGap::Pads(base);
        }
    }
    let widths = words.widths(base);
    let changes = widths.windows(2).filter(|pair| matches!(pair, [a, b] if a != b)).count();
    let is_steady =
        changes * 3 < widths.len() && widths.iter().all(|width| *width <= MAX_PAD_SPACES);
    if is_steady { WordGap::Widths(base) } else { WordGap::Loose }
}

/// The width that the spaces fill every word to.
fn pad_width(spaces: impl Iterator<Item = usize> + Clone, words: &[&str]) -> Option<usize> {
    let found = spaces
        .clone()
        .zip(words)
        .find(|(spaces, _)| *spaces > 0)
        .map(|(spaces, word)| spaces + width(word))
        .filter(|found| *found <= MAX_PAD_SPACES)?;
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
    (sum <= MAX_PAD_SPACES && fits && sums().all(|other| other == sum)).then_some((first, second))
}

struct ShapeParts<'a> {
    parts: Vec<ShapePart<'a>>,
    /// The class of values that cells may have.
    class: ValueClass,
}

impl<'a> ShapeParts<'a> {
    fn text(&mut self, text: &str) {
        if let Some(ShapePart::Text(last)) = self.parts.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.parts.push(ShapePart::Text(text.to_owned()));
        }
    }

    fn push(&mut self, column: HoleColumn<'a>) {
        self.parts.push(ShapePart::Column(column));
    }

    /// A word: piece by piece if it has the same signs in every line, else as one cell.
    fn word(&mut self, words: Vec<&'a str>) {
        let Some(columns) = words.first().and_then(|first| columns(first, &words)) else {
            return self.cell(words, false);
        };
        for column in columns {
            match column {
                WordPart::Same(text) => self.text(text),
                WordPart::Values(values) => self.cell(values, true),
            }
        }
    }

    /// A cell, without what all values begin and end with.
    fn cell(&mut self, values: Vec<&'a str>, is_run: bool) {
        let first = values.first().copied().unwrap_or("");
        let shortest = values.iter().map(|value| value.len()).min().unwrap_or(0);
        let most = shortest.saturating_sub(1);
        let before = common_length(first.as_bytes().get(..most).unwrap_or_default(), values.iter());
        // A number stays whole where each value is shown as it was written, and its unit with it.
        let is_plain = self.class == ValueClass::Plain;
        let (begin, end) = if is_plain {
            (WholePart::Run, WholePart::Run)
        } else {
            (WholePart::Letters, WholePart::LettersOrDigits)
        };
        let before =
            border(&values, before, begin, |value, at| Some(at).filter(|at| *at <= value.len()));
        let before = if is_plain { before } else { digit_border(&values, before) };
        let most = most - before;
        let after = alike_end(first, &values, most);
        let after = border(&values, after, end, |value, at| value.len().checked_sub(at));
        if before + after == 0 {
            self.push(column(self.class, PadSide::None, values, is_run));
            return;
        }
        let cut = |value: &&'a str| value.get(before..value.len() - after);
        let Some(cut) = values.iter().map(cut).collect::<Option<Vec<_>>>() else {
            self.push(column(self.class, PadSide::None, values, is_run));
            return;
        };
        self.text(first.get(..before).unwrap_or(""));
        self.push(column(self.class, PadSide::None, cut, is_run));
        self.text(first.get(first.len() - after..).unwrap_or(""));
    }
}

/// Number of bytes that the values end with like the first, up to so many; none is asked once that
/// is nothing.
fn alike_end(first: &str, values: &[&str], most: usize) -> usize {
    let mut most = most;
    for value in values {
        if most == 0 {
            break;
        }
        most = most.min(common_end(first, value));
    }
    most
}
