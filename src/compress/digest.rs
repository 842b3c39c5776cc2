//! The digest of a text that has to be nearly gone: its errors, and the lines that say most.
//!
//! No format is kept here. It is used between an adapter's work, which keeps formats, and
//! one line that says that a text was there.

use std::ops::Range;

use super::atom::{atoms, is_boundary};
use super::extract::{ExtractUnit, FactElsewhere, UnitFacts, select_with_facts};
use super::notation::reports_error;
use crate::json::{self, Limits, Node, Value};

/// Bytes below which a text is left to others.
pub(super) const MIN_TEXT_BYTES: usize = 200;
/// Bytes that stay at least, so that most lines fit.
const MIN_DIGEST_BYTES: usize = 140;
/// Bytes of the least digest: a text of any length has a form that most budgets can take.
const MAX_LEAST_DIGEST_BYTES: usize = 16_000;
/// The share of the least digest.
const LEAST_SHARE: usize = 20;
/// Bytes of errors that stay at least, if there are so many.
const MIN_ERROR_BYTES: usize = 400;
/// The mark in the place of lines, or pieces of one, that are left out.
const GAP_MARK: &str = "…";
/// The mark in the place of the beginning or the end of a line that is left out.
const LINE_GAP_MARK: &str = "[…]";
/// Bytes of a line that is chosen whole; longer ones go by pieces.
const MAX_WHOLE_LINE_BYTES: usize = 160;
/// Bytes of a line that reports an error and is whole.
const MAX_WHOLE_ERROR_BYTES: usize = 400;

/// The lines of a text, with all that the choice among them needs.
#[derive(Debug)]
pub(super) struct DigestLines {
    pieces: Vec<DigestPiece>,
    /// Flags of the lines that report errors.
    errors: Vec<bool>,
    /// Its first and its last line that say something, if they are one piece.
    ends: [Option<usize>; 2],
    shows: UnitFacts,
}

/// Material of the digests of a text, found once for all of them.
#[derive(Debug)]
pub(super) enum DigestSource {
    Text(DigestLines),
    /// The long strings in the arguments of a call: these stay the same object otherwise, byte for
    /// byte.
    Arguments(Vec<LongArgument>),
}

/// A long string in the arguments of a call.
#[derive(Debug)]
pub(super) struct LongArgument {
    /// Range in their JSON text.
    range: Range<usize>,
    text: String,
    lines: DigestLines,
}

impl DigestSource {
    pub(super) fn of_text(text: &str) -> Self {
        Self::Text(DigestLines::new(text))
    }

    pub(super) fn of_arguments(text: &str) -> Self {
        let node = json::parse(text, Limits::default());
        let node = node.ok().filter(|node| node.as_object().is_some());
        Self::Arguments(node.map(|node| long_strings(text, &node)).unwrap_or_default())
    }

    /// The digest of the text that this was found in; none if it would hardly be shorter. Facts for which `is_shown` is true are shown elsewhere.
    pub(super) fn digest(
        &self,
        text: &str,
        size: DigestSize,
        is_shown: FactElsewhere<'_>,
    ) -> Option<String> {
        // A shorter text holds no string that is long, either.
        let text = Some(text).filter(|text| text.len() >= MIN_TEXT_BYTES)?;
        let strings = match self {
            Self::Text(lines) => return lines.digest(text, size, is_shown),
            Self::Arguments(strings) => strings,
        };
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for LongArgument { range, text: own, lines } in strings {
            let Some(digest) = lines.digest(own, size, is_shown) else { continue };
            out.push_str(text.get(copied..range.start)?);
            json::write_string(&mut out, &digest);
            copied = range.end;
        }
        (copied > 0).then(|| out + text.get(copied..).unwrap_or_default())
    }
}

/// The long strings anywhere in an object, in order.
fn long_strings(text: &str, node: &Node<'_>) -> Vec<LongArgument> {
    let mut found = Vec::new();
    let mut nodes = vec![node];
    while let Some(node) = nodes.pop() {
        match &node.value {
            Value::Array(items) => nodes.extend(items.iter().rev()),
            Value::Object(members) => nodes.extend(members.iter().rev().map(|(_, node)| node)),
            Value::String(own) if own.len() >= MIN_TEXT_BYTES => {
                let start = (node.raw.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
                let range = start..start + node.raw.len();
                found.push(LongArgument {
                    range,
                    text: own.to_string(),
                    lines: DigestLines::new(own),
                });
            }
            _ => {}
        }
    }
    found
}

/// Bytes of a digest: by the text's own length, or by the room for it.
#[derive(Debug, Clone, Copy)]
pub(super) enum DigestSize {
    /// One byte of so many.
    Share(usize),
    Bytes(usize),
}

impl DigestSize {
    fn bytes(self, text: &str) -> usize {
        let bytes = match self {
            Self::Share(LEAST_SHARE) => (text.len() / LEAST_SHARE).min(MAX_LEAST_DIGEST_BYTES),
            Self::Share(share) => text.len() / share,
            Self::Bytes(bytes) => bytes,
        };
        bytes.max(MIN_DIGEST_BYTES)
    }
}

/// The lines of a text that say most in so many bytes, and its errors; what is left out is
/// counted in its place.
pub(super) fn lines(text: &str, keep: usize) -> String {
    DigestLines::new(text).keep_most(text, keep, false, &|_| false)
}

impl DigestLines {
    fn new(text: &str) -> Self {
        let pieces = pieces(text);
        // The beginning and the end of a text say something; those of a long line say nothing.
        let is_line = |at: &usize| {
            let line = |at: usize| pieces.get(at).map(|piece| piece.line);
            let before = at.checked_sub(1).and_then(line);
            before != line(*at) && line(at + 1) != line(*at)
        };
        let ends = [find_first(text, &pieces), last(text, &pieces)].map(|end| end.filter(is_line));
        let errors = pieces.iter().map(|piece| reports_error(piece.text(text))).collect();
        let unit = |(at, piece): (usize, &DigestPiece)| ExtractUnit {
            text: piece.text(text),
            weight: weight(ends, at),
            must: false,
        };
        let shows = UnitFacts::collect(pieces.iter().enumerate().map(unit), 1);
        Self { pieces, errors, ends, shows }
    }

    fn digest(&self, text: &str, size: DigestSize, is_shown: FactElsewhere<'_>) -> Option<String> {
        let is_filled = matches!(size, DigestSize::Bytes(_));
        let shown = self.keep_most(text, size.bytes(text), is_filled, is_shown);
        (shown.len() < text.len()).then_some(shown)
    }

    /// `is_filled`: whether lines that say nothing new fill what is left of the size.
    fn keep_most(
        &self,
        text: &str,
        keep: usize,
        is_filled: bool,
        is_shown: FactElsewhere<'_>,
    ) -> String {
        // Errors are shown in addition; as many more at most if the room is known.
        let mut errors = if is_filled { keep } else { keep.max(MIN_ERROR_BYTES) };
        let pieces = self.pieces.iter().zip(&self.errors).enumerate();
        let units = pieces.map(|(at, (piece, is_error))| {
            let own = piece.text(text);
            let must = *is_error && own.len() <= errors;
            errors -= if must { own.len() } else { 0 };
            ExtractUnit { text: own, weight: weight(self.ends, at), must }
        });
        let units: Vec<ExtractUnit<'_>> = units.collect();
        let must: usize = units.iter().filter(|unit| unit.must).map(|unit| unit.text.len()).sum();
        let mut kept = select_with_facts(&units, &self.shows, is_shown, keep + must);
        if is_filled {
            fill_from_ends(&units, &mut kept, keep + must);
        }
        write_kept(text, &self.pieces, &kept)
    }
}

/// Chooses units that say nothing new, from both ends of the text in turn, as long as they fit: a
/// reader who has room for more knows most by the beginning and the end.
fn fill_from_ends(units: &[ExtractUnit<'_>], kept: &mut [bool], max_bytes: usize) {
    let chosen = units.iter().zip(kept.iter()).filter(|(_, kept)| **kept);
    let used: usize = chosen.map(|(unit, _)| unit.text.len() + 1).sum();
    let mut left = max_bytes.saturating_sub(used);
    let (mut start, mut end) = (0, units.len());
    let mut is_start = true;
    while start < end {
        let at = if is_start { start } else { end - 1 };
        let (Some(unit), Some(kept)) = (units.get(at), kept.get_mut(at)) else { break };
        if !*kept {
            let Some(rest) = left.checked_sub(unit.text.len() + 1) else { break };
            left = rest;
            *kept = true;
        }
        if is_start {
            start += 1;
        } else {
            end -= 1;
        }
        is_start = !is_start;
    }
}

fn weight(ends: [Option<usize>; 2], at: usize) -> u32 {
    u32::from(ends.contains(&Some(at))) * 2
}

/// A line, or a piece of a long one.
#[derive(Debug)]
struct DigestPiece {
    /// Bytes, the line break aside.
    range: Range<usize>,
    line: usize,
}

impl DigestPiece {
    fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.range.clone()).unwrap_or_default()
    }
}

fn pieces(text: &str) -> Vec<DigestPiece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (line, own) in text.split('\n').enumerate() {
        if own.len() <= MAX_WHOLE_LINE_BYTES
            || (own.len() <= MAX_WHOLE_ERROR_BYTES && reports_error(own))
        {
            pieces.push(DigestPiece { range: start..start + own.len(), line });
        } else {
            let cuts = cuts(own);
            let ends = cuts.iter().copied().chain([own.len()]);
            let mut from = 0;
            for end in ends {
                pieces.push(DigestPiece { range: start + from..start + end, line });
                from = end;
            }
        }
        start += own.len() + 1;
    }
    pieces
}

/// A line, or the pieces of a long one.
pub(super) fn pieces_of(line: &str) -> impl Iterator<Item = &str> {
    let cuts = if line.len() <= MAX_WHOLE_LINE_BYTES { Vec::new() } else { cuts(line) };
    let mut from = 0;
    let ends = cuts.into_iter().chain([line.len()]);
    ends.filter_map(move |end| line.get(std::mem::replace(&mut from, end)..end))
}

/// Places at which a long line may be cut: after a blank or a comma, in no atom. Where a line has
/// none for long, after any character: texts of some languages, and data, have no blanks.
fn cuts(line: &str) -> Vec<usize> {
    /// Bytes of a piece, if the line lets us.
    const MIN_PIECE_BYTES: usize = 64;
    /// Bytes of a piece that is cut in an atom, too.
    const MAX_PIECE_BYTES: usize = 240;
    let atoms = atoms(line);
    // After it are blanks alone.
    let says = line.trim_end().len();
    let mut cuts = Vec::new();
    let mut from = 0;
    for (at, character) in line.char_indices() {
        let end = at + character.len_utf8();
        let length = end - from;
        if length < MIN_PIECE_BYTES || end >= says {
            continue;
        }
        let is_break =
            matches!(character, ' ' | ',' | ';' | '\t' | '，' | '；' | '、' | '。' | '！' | '？');
        if length >= MAX_PIECE_BYTES
            || (is_break || length >= MAX_WHOLE_LINE_BYTES) && is_boundary(&atoms, end)
        {
            cuts.push(end);
            from = end;
        }
    }
    cuts
}

fn find_first(text: &str, pieces: &[DigestPiece]) -> Option<usize> {
    pieces.iter().position(|piece| has_words(text, piece))
}

fn last(text: &str, pieces: &[DigestPiece]) -> Option<usize> {
    pieces.iter().rposition(|piece| has_words(text, piece))
}

fn has_words(text: &str, piece: &DigestPiece) -> bool {
    !piece.text(text).trim().is_empty()
}

fn write_kept(text: &str, pieces: &[DigestPiece], kept: &[bool]) -> String {
    let line_of = |at: usize| pieces.get(at).map(|piece| piece.line);
    // Each line after its break, the first one, too.
    let mut out = String::new();
    let mut next = 0;
    let mut open: Option<usize> = None;
    let mut shown = 0;
    let chosen = pieces.iter().zip(kept).enumerate().filter(|(_, (_, kept))| **kept);
    for (at, (piece, _)) in chosen {
        let own = piece.text(text);
        if open == Some(piece.line) {
            if at > next {
                trim_line(&mut out);
                out.push(' ');
                out.push_str(GAP_MARK);
                out.push(' ');
            }
        } else {
            if piece.line > open.map_or(0, |line| line + 1) {
                push_line(&mut out, GAP_MARK);
            }
            push_line(&mut out, "");
            shown += 1;
            if at.checked_sub(1).and_then(line_of) == Some(piece.line) {
                out.push_str(LINE_GAP_MARK);
                out.push(' ');
            }
        }
        out.push_str(own);
        // The line goes on, and nothing more of it is shown.
        let rest = pieces.iter().zip(kept).skip(at + 1);
        let mut rest = rest.take_while(|(other, _)| other.line == piece.line).peekable();
        if rest.peek().is_some() && !rest.any(|(_, kept)| *kept) {
            trim_line(&mut out);
            out.push(' ');
            out.push_str(LINE_GAP_MARK);
        }
        open = Some(piece.line);
        next = at + 1;
    }
    let lines = pieces.last().map_or(0, |piece| piece.line + 1);
    if shown < lines {
        push_line(&mut out, &format!("[{GAP_MARK}{shown}/{lines} lines]"));
    }
    out.drain(..out.len().min(1));
    out
}

/// Begins another line.
fn push_line(out: &mut String, line: &str) {
    out.push('\n');
    out.push_str(line);
}

/// Takes the blanks off the end of the last line.
fn trim_line(out: &mut String) {
    out.truncate(out.trim_end_matches(|own: char| own != '\n' && own.is_whitespace()).len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn digest(text: &str, share: usize) -> Option<String> {
        DigestSource::of_text(text).digest(text, DigestSize::Share(share), &|_| false)
    }

    fn arguments(text: &str, share: usize) -> Option<String> {
        DigestSource::of_arguments(text).digest(text, DigestSize::Share(share), &|_| false)
    }

    #[test]
    fn errors_and_what_says_most_are_left() {
        let mut lines: Vec<String> =
            (0..60).map(|_| "and then it went on as before".into()).collect();
        lines[20] = "error: src/lib.rs:41 does not parse".into();
        lines[40] = "listening on /run/app/control.sock as build_worker_7".into();
        let text = lines.join("\n");
        let digest = digest(&text, 8).unwrap();
        assert!(digest.contains("error: src/lib.rs:41 does not parse"), "{digest}");
        assert!(digest.contains("/run/app/control.sock as build_worker_7"), "{digest}");
        assert!(digest.ends_with("\n[…3/60 lines]"), "{digest}");
        assert!(digest.contains("before\n…\nerror"), "{digest}");
        assert!(digest.len() < text.len() / 3, "{digest}");
    }

    #[test]
    fn a_long_line_goes_by_pieces() {
        let cell = |n: u32| format!("\"key_{n}\": \"plain words again and again\", ");
        let text: String = (0..80).map(cell).collect();
        let digest = digest(&text, 8).unwrap();
        assert!(digest.ends_with(" […]"), "{digest}");
        assert!(digest.len() < text.len() / 3, "{digest}");
    }

    #[test]
    fn a_text_of_which_all_stays_has_no_digest() {
        let errors = "error: a disk is full\n".repeat(12);
        assert_eq!(digest(&format!("\n\n{errors}"), 8), None);
    }

    #[test]
    fn nothing_is_cut_off_a_line_but_blanks() {
        let words = "abcdefg ".repeat(24);
        let ends: Vec<usize> = pieces(&words).iter().map(|piece| piece.range.end).collect();
        assert_eq!(ends, [64, 128, 192]);
    }

    #[test]
    fn short_texts_are_left_to_others() {
        assert_eq!(digest("short", 8), None);
    }

    #[test]
    fn arguments_stay_an_object_with_shorter_strings() {
        let long = "and then it went on as before\n".repeat(40);
        let mut text = r#"{"path": "a.txt", "edits": [{"new": "#.to_owned();
        json::write_string(&mut text, &long);
        text.push_str(r#", "n": 1.50}], "last": true}"#);
        let shown = arguments(&text, 8).unwrap();
        let node = json::parse(&shown, Limits::default()).unwrap();
        assert!(shown.starts_with(r#"{"path": "a.txt", "edits": [{"new": ""#), "{shown}");
        assert!(shown.ends_with(r#", "n": 1.50}], "last": true}"#), "{shown}");
        assert!(node.get("edits").is_some());
        assert!(shown.len() < text.len() / 2);
        assert_eq!(arguments(r#"{"a": "short"}"#, 8), None);
        assert_eq!(arguments("not JSON", 8), None);
        assert_eq!(arguments("[1]", 8), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn lines_are_whole_and_in_order(
            lines in prop::collection::vec("[a-z]{0,8}( [a-z_/.0-9]{1,12}){0,9}|error: [a-z]{1,9}", 0..80)
        ) {
            let text = lines.join("\n");
            if let Some(digest) = digest(&text, 8) {
                prop_assert!(digest.len() < text.len());
                let mut rest = lines.iter();
                let mut count = 0;
                let is_told = digest.ends_with(" lines]");
                let (shown, end) = match digest.rsplit_once('\n') {
                    Some((shown, end)) if is_told => (Some(shown), end),
                    _ if is_told => (None, digest.as_str()),
                    _ => (Some(digest.as_str()), ""),
                };
                let shown = shown.into_iter().flat_map(|shown| shown.split('\n'));
                for line in shown.filter(|line| *line != GAP_MARK) {
                    prop_assert!(rest.any(|own| own == line), "{line:?} in {digest}");
                    count += 1;
                }
                let mark = if count < lines.len() { end } else { "" };
                prop_assert_eq!(mark.is_empty(), count == lines.len());
                prop_assert!(count == lines.len() || end == format!("[…{count}/{} lines]", lines.len()), "{digest}");
            }
        }
    }
}
