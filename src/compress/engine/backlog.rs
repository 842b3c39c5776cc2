//! References: lines that already stand in an earlier tool result or in the arguments of an
//! earlier call are named instead of repeated.
//!
//! They always point backwards and only at lines that are shown in full, so whoever reads the
//! list from its beginning finds every one of them, and a longer list never changes what stood
//! before.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use foldhash::HashMap;

use super::lines::{Lines, LinesLater, is_anchor};
use super::mark::{self, Place, Reference};
use super::recount::Change;

/// Places that are remembered for one line: hostile lists repeat a line a million times.
const PLACES: usize = 6;

/// The texts that stand before, by their lines.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    texts: Vec<(Place, Arc<str>, Arc<LinesLater>)>,
    /// Where a line stands, by its hash. Only ever asked by key.
    places: HashMap<u64, Places>,
}

/// Texts and lines in them: most lines stand in one place.
#[derive(Debug)]
struct Places {
    first: (u32, u32),
    others: Vec<(u32, u32)>,
}

/// Lines of a text that stand in an earlier one.
#[derive(Debug, Clone, Copy)]
struct Match {
    text: usize,
    line: usize,
    count: usize,
}

impl Backlog {
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Adds a text as it is shown. Lines that are marks are no place to point at.
    pub(super) fn add(&mut self, place: Place, text: Arc<str>, later: Arc<LinesLater>) {
        let Ok(index) = u32::try_from(self.texts.len()) else { return };
        let lines = later.of_text(&text);
        for line in 0..lines.len() {
            let (Some(hash), Ok(at)) = (lines.hash(line), u32::try_from(line)) else { continue };
            if !lines.get(&text, line).is_some_and(|line| is_anchor(line) && !mark::is_marked(line))
            {
                continue;
            }
            match self.places.entry(hash) {
                Entry::Vacant(entry) => {
                    entry.insert(Places { first: (index, at), others: Vec::new() });
                }
                Entry::Occupied(mut entry) if entry.get().others.len() + 1 < PLACES => {
                    entry.get_mut().others.push((index, at));
                }
                Entry::Occupied(_) => {}
            }
        }
        self.texts.push((place, text, later));
    }

    /// The text with references for what stands before, and where these stand; `None` where there
    /// is nothing to refer to. `pays` tells whether lines cost more than the reference in their
    /// place.
    pub(super) fn refer(
        &self,
        text: &str,
        lines: &Lines,
        pays: &mut dyn FnMut(&str, &str) -> bool,
    ) -> Option<(String, Vec<Change>)> {
        let mut out = String::new();
        let mut changes = Vec::new();
        let mut copied = 0;
        let mut at = 0;
        while at < lines.len() {
            let Some(found) = self.longest(text, lines, at) else {
                at += 1;
                continue;
            };
            let range = lines.range(text, at, found.count).unwrap_or_default();
            let reference = self.reference(found).to_string();
            if !pays(text.get(range.clone()).unwrap_or_default(), &reference) {
                at += 1;
                continue;
            }
            copy(&mut out, text, lines, copied, at);
            if !out.is_empty() || at > 0 {
                out.push('\n');
            }
            let place = out.len();
            out.push_str(&reference);
            changes.push(Change { before: range, after: place..out.len() });
            at += found.count;
            copied = at;
        }
        if copied == 0 {
            return None;
        }
        copy(&mut out, text, lines, copied, lines.len());
        Some((out, changes))
    }

    /// Tokens that no references in a text save more than: no line has more of them than bytes, and
    /// where it ends it may be joined to the next.
    pub(super) fn at_most(&self, text: &str, lines: &Lines) -> u64 {
        /// What may be joined to a line on both sides, with the line break.
        const AROUND: u64 = 9;
        let stands =
            |line: &usize| lines.hash(*line).is_some_and(|hash| self.places.contains_key(&hash));
        let found = (0..lines.len()).filter(stands).filter_map(|line| lines.get(text, line));
        found.map(|line| line.len() as u64 + AROUND).sum()
    }

    fn longest(&self, text: &str, lines: &Lines, at: usize) -> Option<Match> {
        let mut best: Option<Match> = None;
        let places = self.places.get(&lines.hash(at)?)?;
        for (source, line) in [&places.first].into_iter().chain(&places.others) {
            let (source, line) = (*source as usize, *line as usize);
            let count = self.alike(text, lines, at, source, line);
            if count > best.map_or(0, |best| best.count) {
                best = Some(Match { text: source, line, count });
            }
        }
        best
    }

    /// How many lines from `at` on stand in the same order in an earlier text from `line` on.
    fn alike(&self, text: &str, lines: &Lines, at: usize, source: usize, line: usize) -> usize {
        let Some((_, earlier, places)) = self.texts.get(source) else { return 0 };
        let places = places.of_text(earlier);
        let mut count = 0;
        while lines.hash(at + count).is_some()
            && lines.hash(at + count) == places.hash(line + count)
            && let Some(theirs) = places.get(earlier, line + count)
            && !mark::is_marked(theirs)
            && lines.get(text, at + count) == Some(theirs)
        {
            count += 1;
        }
        count
    }

    fn reference(&self, found: Match) -> Reference {
        let (place, whole) = match self.texts.get(found.text) {
            Some((place, text, lines)) => (place.clone(), found.count == lines.of_text(text).len()),
            None => (Place::Result(0), false),
        };
        Reference { place, lines: (!whole).then_some((found.line + 1, found.count)) }
    }
}

/// Appends lines as they are, after a line break where something stands before.
fn copy(out: &mut String, text: &str, lines: &Lines, from: usize, to: usize) {
    if from == to {
        return;
    }
    if from > 0 {
        out.push('\n');
    }
    out.push_str(lines.span(text, from, to - from).unwrap_or_default());
}

/// The earlier texts as a decoder knows them.
#[derive(Debug, Default)]
pub(super) struct Shown {
    texts: HashMap<Place, (Arc<str>, Option<Lines>)>,
}

impl Shown {
    pub(super) fn add(&mut self, place: Place, text: Arc<str>) {
        self.texts.insert(place, (text, None));
    }

    /// The text with the lines that its references name; `None` where one leads nowhere, or the
    /// text grows beyond `left` bytes. What it grows by is taken from `left`.
    pub(super) fn resolve(&mut self, text: &str, left: &mut usize) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                out.push('\n');
            }
            let known = match Reference::parse(line) {
                Some(reference) => self.lines(&reference),
                None => Some(line),
            };
            let Some(line) = known.filter(|line| out.len() + line.len() <= *left) else {
                *left = left.saturating_sub(out.len());
                return None;
            };
            out.push_str(line);
        }
        *left = left.saturating_sub(out.len().saturating_sub(text.len()));
        Some(out)
    }

    fn lines(&mut self, reference: &Reference) -> Option<&str> {
        let (text, lines) = self.texts.get_mut(&reference.place)?;
        match reference.lines {
            None => Some(text),
            Some((first, count)) => {
                lines.get_or_insert_with(|| Lines::of(text)).span(text, first - 1, count)
            }
        }
    }
}
