//! References: lines that already are in an earlier tool result or in the arguments of an
//! earlier call are named instead of repeated.
//!
//! They always point backwards and only at lines that are shown in full, so a reader of the
//! list from its beginning finds every one of them, and a longer list never changes what was
//! before.

use std::sync::Arc;

use foldhash::HashMap;

use super::counted_text::TextChange;
use super::lines::{LazyLineIndex, LineIndex, is_anchor};
use super::mark::{self, Reference, ReferenceTarget, is_legend};
use super::own_lines::OwnLines;

/// Places that are remembered for one line: hostile lists repeat a line a million times.
const MAX_PLACES: usize = 6;

/// The earlier texts, by their lines.
#[derive(Debug, Default)]
pub(super) struct BackReferences {
    texts: Vec<ReferencedText>,
    /// The places of lines.
    places: Vec<LinePlace>,
    /// The first place of a line in `places`, by its hash. Looked up by key only.
    firsts: HashMap<u64, u32>,
}

/// A text that references can point at, with its lines.
#[derive(Debug)]
struct ReferencedText {
    place: ReferenceTarget,
    text: Arc<str>,
    lines: Arc<LazyLineIndex>,
}

/// The place of a line.
#[derive(Debug, Clone, Copy)]
struct LinePlace {
    text: u32,
    line: u32,
    /// The next place of the same line in the list; none after the last.
    next: u32,
}

/// No place in the list.
const NO_PLACE: u32 = u32::MAX;

/// Tokens that a reference to lines of the same text must save: lines below each other are read
/// faster than looked up.
const MIN_OWN_SAVED_TOKENS: u64 = 16;

/// Lines of a text that are in an earlier one.
#[derive(Debug, Clone, Copy)]
struct LineMatch {
    text: usize,
    line: usize,
    count: usize,
}

impl BackReferences {
    /// Adds a text as it is shown. Lines that are marks are no place to point at.
    pub(super) fn add(
        &mut self,
        place: ReferenceTarget,
        text: Arc<str>,
        later: Arc<LazyLineIndex>,
    ) {
        let Ok(index) = u32::try_from(self.texts.len()) else { return };
        let lines = later.resolve(&text);
        for line in 0..lines.len() {
            let (Some(hash), Ok(at)) = (lines.hash(line), u32::try_from(line)) else { continue };
            if !lines
                .get(&text, line)
                .is_some_and(|line| is_anchor(line) && !mark::is_marked_or_legend(line))
            {
                continue;
            }
            self.remember(hash, index, at);
        }
        self.texts.push(ReferencedText { place, text, lines: later });
    }

    /// Adds a place of a line after its known places.
    fn remember(&mut self, hash: u64, text: u32, line: u32) {
        let Some(own) = u32::try_from(self.places.len()).ok().filter(|own| *own < NO_PLACE) else {
            return;
        };
        let first = *self.firsts.entry(hash).or_insert(own);
        if first != own {
            let mut last = first;
            for _ in 2..MAX_PLACES {
                match self.places.get(last as usize) {
                    Some(stand) if stand.next != NO_PLACE => last = stand.next,
                    _ => break,
                }
            }
            match self.places.get_mut(last as usize) {
                Some(stand) if stand.next == NO_PLACE => stand.next = own,
                _ => return,
            }
        }
        self.places.push(LinePlace { text, line, next: NO_PLACE });
    }

    /// Iterates over the places of a line, in the order in which they were added.
    fn places(&self, hash: u64) -> impl Iterator<Item = LinePlace> {
        let stand = |at: u32| self.places.get(at as usize).copied();
        let first = self.firsts.get(&hash).and_then(|first| stand(*first));
        std::iter::successors(first, move |before| stand(before.next))
    }

    /// The text with references for what is before, and where these are; `None` where there
    /// is nothing to refer to. `legend`: the line below the first. `pays`: whether lines cost so
    /// much more than the reference in their place.
    pub(super) fn write_references(
        &self,
        text: &str,
        lines: &LineIndex,
        legend: Option<&str>,
        pays: &mut dyn FnMut(&str, &str, u64) -> bool,
    ) -> Option<(String, Vec<TextChange>)> {
        let mut out = String::new();
        let mut changes = Vec::new();
        let mut reference = String::new();
        let mut copied = 0;
        let mut at = 0;
        let mut own = OwnLines::of_text(lines.len());
        while at < lines.len() {
            let earlier = self.find_longest(text, lines, at);
            let above = own.find_longest(text, lines);
            let above = above.filter(|own| earlier.is_none_or(|other| own.count > other.count));
            let count = above.map(|own| own.count).or(earlier.map(|earlier| earlier.count));
            let Some(count) = count else {
                own.keep(text, lines);
                at += 1;
                continue;
            };
            let range = lines.range(text, at, count).unwrap_or_default();
            reference.clear();
            let least = match (above, earlier) {
                (Some(found), _) => {
                    let lines = Some((found.line + 1, found.count));
                    mark::write_reference(&mut reference, &ReferenceTarget::Above, lines);
                    MIN_OWN_SAVED_TOKENS
                }
                (None, Some(found)) => {
                    self.write_reference(&mut reference, found);
                    0
                }
                (None, None) => 0,
            };
            if let Some(legend) = legend.filter(|_| changes.is_empty()) {
                reference.push('\n');
                reference.push_str(legend);
            }
            if !pays(text.get(range.clone()).unwrap_or_default(), &reference, least) {
                own.keep(text, lines);
                at += 1;
                continue;
            }
            own.replace(count, if reference.contains('\n') { 2 } else { 1 });
            if copied == 0 {
                out.reserve(text.len());
            }
            copy(&mut out, text, lines, copied, at);
            if !out.is_empty() || at > 0 {
                out.push('\n');
            }
            let place = out.len();
            out.push_str(&reference);
            changes.push(TextChange { before: range, after: place..out.len() });
            at += count;
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
    pub(super) fn at_most(&self, text: &str, lines: &LineIndex) -> u64 {
        /// Tokens that may be joined to a line on both sides, with the line break.
        const MAX_JOINED_TOKENS: u64 = 9;
        let stands =
            |line: &usize| lines.hash(*line).is_some_and(|hash| self.firsts.contains_key(&hash));
        let found = (0..lines.len()).filter(stands).filter_map(|line| lines.get(text, line));
        found.map(|line| line.len() as u64 + MAX_JOINED_TOKENS).sum()
    }

    fn find_longest(&self, text: &str, lines: &LineIndex, at: usize) -> Option<LineMatch> {
        let mut best: Option<LineMatch> = None;
        for stand in self.places(lines.hash(at)?) {
            let (source, line) = (stand.text as usize, stand.line as usize);
            let count = self.count_alike(text, lines, at, source, line);
            if count > best.map_or(0, |best| best.count) {
                best = Some(LineMatch { text: source, line, count });
            }
        }
        best
    }

    /// Counts the lines from `at` on that follow in the same order from `line` on in an earlier
    /// text.
    fn count_alike(
        &self,
        text: &str,
        lines: &LineIndex,
        at: usize,
        source: usize,
        line: usize,
    ) -> usize {
        let Some(ReferencedText { text: earlier, lines: theirs, .. }) = self.texts.get(source)
        else {
            return 0;
        };
        let places = theirs.resolve(earlier);
        let mut count = 0;
        while lines.hash(at + count).is_some()
            && lines.hash(at + count) == places.hash(line + count)
            && let Some(theirs) = places.get(earlier, line + count)
            && !mark::is_marked_or_legend(theirs)
            && lines.get(text, at + count) == Some(theirs)
        {
            count += 1;
        }
        count
    }

    fn write_reference(&self, out: &mut String, found: LineMatch) {
        if let Some(ReferencedText { place, text, lines }) = self.texts.get(found.text) {
            let is_whole = found.count == lines.resolve(text).len();
            let lines = (!is_whole).then_some((found.line + 1, found.count));
            mark::write_reference(out, place, lines);
        }
    }
}

/// Appends lines as they are, after a line break if something precedes.
fn copy(out: &mut String, text: &str, lines: &LineIndex, from: usize, to: usize) {
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
pub(super) struct DecodedTexts {
    texts: HashMap<ReferenceTarget, (Arc<str>, Option<LineIndex>)>,
}

impl DecodedTexts {
    pub(super) fn add(&mut self, place: ReferenceTarget, text: Arc<str>) {
        self.texts.insert(place, (text, None));
    }

    /// The text with the lines that its references name; `None` if one leads nowhere, or the
    /// text grows beyond `left` bytes. What it grows by is taken from `left`.
    pub(super) fn resolve(&mut self, text: &str, left: &mut usize) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let mut own: Option<LineIndex> = None;
        let mut below_reference = false;
        for (index, line) in text.split('\n').enumerate() {
            // The line that explains a reference is no line of the text.
            if std::mem::take(&mut below_reference) && is_legend(line) {
                continue;
            }
            if index > 0 {
                out.push('\n');
            }
            let known = match Reference::parse(line) {
                Some(reference) => {
                    below_reference = true;
                    match (&reference.place, reference.lines) {
                        (ReferenceTarget::Above, Some((first, count)))
                            if first + count <= index + 1 =>
                        {
                            let own = own.get_or_insert_with(|| LineIndex::new(text));
                            own.span(text, first - 1, count)
                        }
                        _ => self.lines(&reference),
                    }
                }
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
                lines.get_or_insert_with(|| LineIndex::new(text)).span(text, first - 1, count)
            }
        }
    }
}
