//! A form: the text of a line with holes, and what a hole foretells.

use std::fmt::Write as _;

use super::super::sink::PieceSink;
use crate::compress::text::common;

/// Side of the spaces that fill a value to its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PadSide {
    None,
    Left(usize),
    Right(usize),
    /// The value is no text: it is the width that the next hole is filled to, on its left.
    Next,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hole {
    pub(super) pad: PadSide,
    /// The values are paths, and a cell may name folders of the one before.
    pub(super) path: bool,
    /// The letter of the holes that share the value before.
    pub(super) name: Option<char>,
    /// Step from the value before to the foretold one; 0 foretells the same text.
    pub(super) step: i64,
    /// The first value of a hole that has no cell.
    pub(super) first: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FormPiece {
    Text(String),
    Hole(Hole),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowForm {
    /// None if each line of the block is a row of this form.
    pub(super) tag: Option<char>,
    pub(super) separator: char,
    pub(super) pieces: Vec<FormPiece>,
}

/// Spaces that a hole may add: what is wider is no table.
pub(super) const MAX_PAD_SPACES: usize = 200;

impl RowForm {
    pub(super) fn holes(&self) -> impl Iterator<Item = &Hole> {
        self.pieces.iter().filter_map(|piece| match piece {
            FormPiece::Hole(hole) => Some(hole),
            FormPiece::Text(_) => None,
        })
    }

    pub(super) fn cells(&self) -> usize {
        self.holes().filter(|hole| hole.first.is_none()).count()
    }

    /// The cells of a row, if the line can be one of this form's. Reading and writing both
    /// ask here, so they agree about which lines are rows.
    #[inline]
    pub(super) fn row<'a>(&self, line: &'a str) -> Option<&'a str> {
        // Tags and separators are ASCII.
        let is = |byte: u8, sign: char| u32::from(byte) == u32::from(sign);
        let Some(tag) = self.tag else { return Some(line) };
        let (first, _) = line.as_bytes().split_first()?;
        let rest = line.get(1..).filter(|_| is(*first, tag))?;
        match rest.as_bytes().first() {
            None | Some(b'0'..=b'9') => Some(rest),
            Some(byte) if is(*byte, self.separator) => rest.get(1..),
            Some(_) => None,
        }
    }

    pub(super) fn write(&self) -> String {
        let mut out = String::new();
        out.extend(self.tag);
        out.extend([self.separator, '=']);
        for piece in &self.pieces {
            match piece {
                FormPiece::Text(text) => out.push_str(&text.replace('{', "{{")),
                FormPiece::Hole(hole) => hole.write(&mut out),
            }
        }
        out
    }

    pub(super) fn read(line: &str) -> Option<Self> {
        let tag = line.chars().next().filter(char::is_ascii_alphabetic);
        let mut chars = line.chars();
        chars.by_ref().take(usize::from(tag.is_some())).for_each(drop);
        let separator = chars.next().filter(|c| c.is_ascii() && !c.is_ascii_alphanumeric())?;
        let mut rest = chars.as_str().strip_prefix('=')?;
        let mut pieces = Vec::new();
        let mut text = String::new();
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            if let Some(after) = after.strip_prefix('{') {
                text.push('{');
                rest = after;
                continue;
            }
            let (hole, after) = after.split_once('}')?;
            if !text.is_empty() {
                pieces.push(FormPiece::Text(std::mem::take(&mut text)));
            }
            pieces.push(FormPiece::Hole(Hole::read(hole)?));
            rest = after;
        }
        text.push_str(rest);
        if !text.is_empty() {
            pieces.push(FormPiece::Text(text));
        }
        Some(Self { tag, separator, pieces })
    }
}

impl Hole {
    fn write(&self, out: &mut String) {
        out.push('{');
        // Writing to a string does not fail.
        let _ = match self.pad {
            PadSide::None => Ok(()),
            PadSide::Left(width) => write!(out, ">{width}"),
            PadSide::Right(width) => write!(out, "<{width}"),
            PadSide::Next => write!(out, ">"),
        };
        out.extend(self.path.then_some('/'));
        out.extend(self.name);
        if let Some(first) = &self.first {
            let _ = write!(out, "={first}");
        }
        if self.step != 0 {
            let _ = write!(out, "{:+}", self.step);
        }
        out.push('}');
    }

    fn read(text: &str) -> Option<Self> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mut rest = text;
        let mut pad = PadSide::None;
        if let Some(after) = rest.strip_prefix(['>', '<']) {
            let (width, after) = after.split_at_checked(digits(after))?;
            pad = match (width, rest.starts_with('>')) {
                ("", true) => PadSide::Next,
                (_, true) => PadSide::Left(width_of(width)?),
                (_, false) => PadSide::Right(width_of(width)?),
            };
            rest = after;
        }
        let path = rest.starts_with('/');
        rest = rest.strip_prefix('/').unwrap_or(rest);
        let name = rest.chars().next().filter(char::is_ascii_lowercase);
        rest = rest.strip_prefix(|c: char| c.is_ascii_lowercase()).unwrap_or(rest);
        let mut first = None;
        if let Some(after) = rest.strip_prefix('=') {
            let (value, after) = after.split_at_checked(digits(after))?;
            first = Some(value.to_owned());
            rest = after;
        }
        let step = if rest.is_empty() {
            0
        } else {
            rest.starts_with(['+', '-']).then(|| rest.parse().ok())??
        };
        Some(Self { pad, path, name, step, first })
    }
}

/// A width that a hole may have.
pub(super) fn width_of(text: &str) -> Option<usize> {
    text.parse().ok().filter(|width| *width <= MAX_PAD_SPACES)
}

impl PadSide {
    /// Writes a value, filled.
    #[inline]
    pub(super) fn fill(self, value: &str, out: &mut impl PieceSink) -> Option<()> {
        let spaces = |width: usize| {
            let long = if value.is_ascii() { value.len() } else { value.chars().count() };
            width.saturating_sub(long)
        };
        match self {
            PadSide::None | PadSide::Next => out.push(value),
            PadSide::Left(width) => {
                out.spaces(spaces(width))?;
                out.push(value)
            }
            PadSide::Right(width) => {
                out.push(value)?;
                out.spaces(spaces(width))
            }
        }
    }
}

/// The value that follows `before`: the same text, or the number and `step`, as wide as it was.
pub(super) fn next_value(before: &str, step: i64) -> Option<String> {
    if step == 0 {
        return Some(before.to_owned());
    }
    let next = number(before)?.checked_add(step).and_then(|next| u64::try_from(next).ok())?;
    let mut digits = [b'0'; 20];
    let mut rest = next;
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        if rest == 0 && count >= before.len().max(1) {
            break;
        }
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        count += 1;
    }
    let text = digits.get(digits.len() - count..)?;
    Some(std::str::from_utf8(text).ok()?.to_owned())
}

/// Unfolds a cell of paths that begins with `^`: each takes a folder more off the value before. How
/// much of that stays, and what is after it.
#[inline]
pub(super) fn unfold_cell<'c>(cell: &'c str, before: &str) -> Option<(usize, &'c str)> {
    let name = cell.trim_start_matches('^');
    let last = (cell.len() - name.len()).checked_sub(1)?;
    let mut slashes = before.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'/');
    Some((slashes.nth(last)?.0 + 1, name))
}

/// The cell for a path, if it has folders in common with the one before: how many `^`, and
/// what is after them.
#[inline]
pub(super) fn fold<'a>(value: &'a str, before: &str) -> Option<(usize, &'a str)> {
    const MAX_DEPTH: usize = 4;
    let both = common(value.as_bytes(), before.as_bytes());
    let cut = value.as_bytes().get(..both)?.iter().rposition(|byte| *byte == b'/')?;
    let ups = memchr::memchr_iter(b'/', before.as_bytes().get(cut..)?).count();
    (ups <= MAX_DEPTH && ups < cut).then(|| (ups, value.get(cut + 1..).unwrap_or("")))
}

/// Decimal digits alone, few enough to add to.
#[inline]
pub(super) fn number(text: &str) -> Option<i64> {
    if !(1..=18).contains(&text.len()) {
        return None;
    }
    text.bytes().try_fold(0, |number: i64, byte| {
        byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0'))
    })
}

/// A width in digits.
pub(super) fn width_text(width: usize) -> &'static str {
    /// All of them, three bytes each.
    const WIDTH_BYTES: [u8; 3 * (MAX_PAD_SPACES + 1)] = {
        let mut bytes = [0; 3 * (MAX_PAD_SPACES + 1)];
        let mut at = 0;
        while at < bytes.len() {
            let (width, place) = (at / 3, at % 3);
            let digit = [width / 100, width / 10 % 10, width % 10];
            #[expect(clippy::indexing_slicing, reason = "below the lengths, at compile time")]
            #[expect(clippy::cast_possible_truncation, reason = "one digit")]
            {
                bytes[at] = b'0' + digit[place] as u8;
            }
            at += 1;
        }
        bytes
    };
    static WIDTH_TEXT: &str = match std::str::from_utf8(&WIDTH_BYTES) {
        Ok(text) => text,
        Err(_) => "",
    };
    let text = WIDTH_TEXT.get(3 * width..3 * width + 3).unwrap_or("");
    let bare = text.trim_start_matches('0');
    if bare.is_empty() { text.get(2..).unwrap_or("") } else { bare }
}
