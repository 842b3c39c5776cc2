//! The errors of a text that is about to go: what went wrong outlives what went well.

use std::collections::BTreeSet;

use super::extract::{ExtractUnit, select};
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
    /// The errors of a text: as many as fit into `room` bytes, those that show most first.
    pub fn find<'t>(texts: impl Iterator<Item = &'t str>, room: usize) -> Self {
        let mut known = BTreeSet::new();
        let mut lines = Vec::new();
        let mut count = 0;
        for line in texts.flat_map(str::lines).map(str::trim).filter(|line| reports_error(line)) {
            let line = equivalent(line).trim().to_owned();
            if known.insert(hash(line.as_bytes())) {
                count += 1;
                lines.extend((line.len() <= MAX_LINE_BYTES).then_some(line));
            }
        }
        lines.retain(|line| !line.is_empty() && !line.contains(is_unreadable));
        let units = lines.iter().map(|line| ExtractUnit { text: line, weight: 2, must: false });
        let mut kept = select(&units.collect::<Vec<_>>(), room).into_iter();
        lines.retain(|_| kept.next() == Some(true));
        Self { lines, count }
    }
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
