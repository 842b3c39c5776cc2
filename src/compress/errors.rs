//! The errors of a text that is about to go: what went wrong outlives what went well.

use std::cmp::Reverse;

use foldhash::{HashMap, HashSet};

use super::adapter::{ReportStrength, line_kind, report_of};
use super::lossless::equivalent;
use super::notation::reports_error;
use super::text::hash;

/// Bytes of the longest line that is quoted; a longer one is data with a word in it.
const MAX_LINE_BYTES: usize = 400;

/// Lines of a text that report errors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Errors {
    /// The quoted error lines, in order, each once, without blanks at their ends.
    pub lines: Vec<String>,
    /// Number of lines.
    pub count: usize,
}

impl Errors {
    /// The errors of a text: as many as fit into `room` bytes, one of each kind before a second of
    /// any, and reports before lines that only speak of a failure.
    pub fn find<'t>(texts: impl Iterator<Item = &'t str>, room: usize) -> Self {
        let mut known = HashSet::default();
        let mut kinds = HashMap::default();
        let mut lines = Vec::new();
        let mut count = 0;
        // Progress that overwrites itself ends its lines with carriage returns.
        let lines_of = |text: &'t str| text.split(['\n', '\r']);
        for line in texts.flat_map(lines_of).map(str::trim).filter(|line| reports_error(line)) {
            let line = equivalent(line).trim().to_owned();
            if known.insert(hash(line.as_bytes())) {
                count += 1;
                if line.len() <= MAX_LINE_BYTES && !line.is_empty() && !line.contains(is_unreadable)
                {
                    let nth: &mut u32 = kinds.entry(line_kind(&line)).or_default();
                    lines.push(QuotedLine { nth: *nth, report: report_of(&line), line });
                    *nth += 1;
                }
            }
        }
        let mut order: Vec<usize> = (0..lines.len()).collect();
        let rank = |at: &usize| lines.get(*at).map(|own| (own.nth, Reverse(own.report), *at));
        order.sort_by_key(rank);
        let mut left = room;
        let mut kept = vec![false; lines.len()];
        for at in order {
            let length = lines.get(at).map_or(0, |own| own.line.len());
            if let (Some(rest), Some(kept)) = (left.checked_sub(length), kept.get_mut(at)) {
                left = rest;
                *kept = true;
            }
        }
        let kept = lines.into_iter().zip(kept).filter(|(_, kept)| *kept);
        Self { lines: kept.map(|(own, _)| own.line).collect(), count }
    }
}

/// A line that may be quoted.
#[derive(Debug)]
struct QuotedLine {
    /// How many lines of its kind precede it.
    nth: u32,
    report: ReportStrength,
    line: String,
}

fn is_unreadable(letter: char) -> bool {
    letter.is_control() && letter != '\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str, room: usize) -> Errors {
        Errors::find(std::iter::once(text), room)
    }

    #[test]
    fn each_error_is_there_once_and_without_colours() {
        let text =
            "ok\n  \u{1b}[31merror\u{1b}[0m: no such file\nok\nerror: no such file\nFAILED a";
        let found = errors(text, 400);
        assert_eq!(found.lines, ["error: no such file", "FAILED a"]);
        assert_eq!(found.count, 2);
        let coloured = errors("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: no such file", 400);
        assert_eq!((coloured.lines, coloured.count), (vec!["error: no such file".to_owned()], 1));
        assert_eq!(errors("all is well\n", 400), Errors::default());
        let progress = errors("10 %\r20 %\rerror: no such host\r30 %\r\n", 400);
        assert_eq!(progress.lines, ["error: no such host"]);
    }

    #[test]
    fn one_of_each_kind_comes_before_a_second_and_reports_before_notes() {
        let note = |at: usize| format!("a.cc:{at}: note: error candidate {at}\n");
        let notes = (0..9).map(note).collect::<Vec<_>>().concat();
        let text = notes
            + "a.cc:40:1: error: no match for f\na.cc:41:1: error: no match for f\na.cc:50:3: fatal error: x.h: No such file\n";
        let found = errors(&text, 90).lines;
        assert_eq!(
            found,
            ["a.cc:40:1: error: no match for f", "a.cc:50:3: fatal error: x.h: No such file"]
        );
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let text: String = (0..50)
            .map(|n| format!("error: unit_{n} does not build\n"))
            .collect::<Vec<_>>()
            .concat();
        let found = errors(&text, 100);
        assert_eq!(found.count, 50);
        assert!(!found.lines.is_empty() && found.lines.len() < 5, "{found:?}");
        let long = format!("error {}", "x".repeat(500));
        assert_eq!(errors(&long, 4_000), Errors { lines: vec![], count: 1 });
    }
}
