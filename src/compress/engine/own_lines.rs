//! The lines of a text that references further down in it can name.
//!
//! A reference names lines by their numbers in the shown text, so a line that a reference replaced
//! has none.

use foldhash::{HashMap, HashMapExt as _};

use super::lines::{LineIndex, is_anchor};
use super::mark;

/// Lines of a run that is worth a reference within its text: fewer are read faster where they are.
const MIN_RUN_LINES: usize = 3;

/// The lines of a text up to a place.
#[derive(Debug)]
pub(super) struct OwnLines {
    /// Index in the shown text, line by line; none for lines that a reference replaced.
    shown: Vec<Option<u32>>,
    /// Lines of the shown text so far.
    count: u32,
    /// The first and the last place of a line, by its hash. Looked up by key only.
    places: HashMap<u64, (u32, u32)>,
}

/// Lines of a text that occur further up in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnMatch {
    /// The first of them in the shown text, from 0.
    pub(super) line: usize,
    pub(super) count: usize,
}

impl OwnLines {
    /// None yet, of a text of so many.
    pub(super) fn of_text(lines: usize) -> Self {
        Self { shown: Vec::with_capacity(lines), count: 0, places: HashMap::with_capacity(lines) }
    }

    /// Adds the next line, which is shown as it is.
    pub(super) fn keep(&mut self, text: &str, lines: &LineIndex) {
        let at = self.shown.len();
        self.shown.push(Some(self.count));
        self.count += 1;
        let is_target = |line: &str| is_anchor(line) && !mark::is_marked_or_legend(line);
        if let (Some(hash), Ok(place)) = (lines.hash(at), u32::try_from(at))
            && lines.get(text, at).is_some_and(is_target)
        {
            self.places.entry(hash).or_insert((place, place)).1 = place;
        }
    }

    /// Adds the next lines, which a reference of so many lines replaces.
    pub(super) fn replace(&mut self, count: usize, shown: u32) {
        self.shown.resize(self.shown.len() + count, None);
        self.count += shown;
    }

    /// The longest run of lines further up that the next lines repeat.
    pub(super) fn find_longest(&self, text: &str, lines: &LineIndex) -> Option<OwnMatch> {
        let (first, last) = *self.places.get(&lines.hash(self.shown.len())?)?;
        let matches = [first, last].map(|place| self.count_alike(text, lines, place as usize));
        let longest = matches.into_iter().flatten().max_by_key(|found| found.count);
        longest.filter(|found| found.count >= MIN_RUN_LINES)
    }

    fn count_alike(&self, text: &str, lines: &LineIndex, from: usize) -> Option<OwnMatch> {
        let at = self.shown.len();
        let line = self.shown.get(from).copied().flatten()?;
        let is_alike = |step: &usize| {
            let (up, down) = (from + step, at + step);
            let place = self.shown.get(up).copied().flatten();
            let own = lines.get(text, up);
            place.is_some_and(|place| u32::try_from(*step).is_ok_and(|step| place == line + step))
                && lines.hash(up) == lines.hash(down)
                && own == lines.get(text, down)
                && own.is_some_and(|own| !mark::is_marked_or_legend(own))
        };
        let count = (0..at.saturating_sub(from)).take_while(is_alike).count();
        Some(OwnMatch { line: line as usize, count })
    }
}
