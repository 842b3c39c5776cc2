//! The digest of a text that has to be nearly gone: its errors, and the lines that say most.
//!
//! No format is kept here. It is used between an adapter's work, which keeps formats, and
//! one line that says that a text was there.

pub(super) mod pieces;

use std::ops::Range;

pub(super) use pieces::pieces_of;
use pieces::{DigestPiece, LineCuts};

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
        let pieces = pieces::cut(text, LineCuts::Sentences);
        // The beginning and the end of a text say something; those of a long line say nothing.
        let is_line = |at: &usize| {
            let line = |at: usize| pieces.get(at).map(|piece| piece.line);
            let before = at.checked_sub(1).and_then(line);
            before != line(*at) && line(at + 1) != line(*at)
        };
        let ends = [pieces::find_first(text, &pieces), pieces::find_last(text, &pieces)]
            .map(|end| end.filter(is_line));
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
        pieces::write_kept(text, &self.pieces, &kept, None)
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
            // Nothing is on the line after the last break.
            let lines: Vec<&str> = text.lines().collect();
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
                for line in shown.filter(|line| *line != pieces::GAP_MARK) {
                    prop_assert!(rest.any(|own| *own == line), "{line:?} in {digest}");
                    count += 1;
                }
                let mark = if count < lines.len() { end } else { "" };
                prop_assert_eq!(mark.is_empty(), count == lines.len());
                prop_assert!(count == lines.len() || end == format!("[…{count}/{} lines]", lines.len()), "{digest}");
            }
        }
    }
}
