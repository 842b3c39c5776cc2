//! A text's lines: where they begin, and a hash of each, so that equal lines are found fast.

use std::ops::Range;
use std::sync::OnceLock;

use crate::compress::text::{breaks, count_lines, hash};

/// Bytes below which a line, without the white space around it, is no place to begin a reference.
const MIN_ANCHOR_BYTES: usize = 4;

/// Starts of the lines of a text, and their hashes, in as few bytes as they take: engines remember
/// it. The text is kept by the caller. Equal hashes are checked by comparing the lines. Of lines
/// that were made to collide, few are remembered.
#[derive(Debug, Default)]
pub(super) struct LineIndex {
    starts: Box<[u32]>,
    hashes: Box<[u64]>,
}

impl LineIndex {
    /// Lines of a text of less than 4 GiB; of a longer one, none.
    pub(super) fn new(text: &str) -> Self {
        if u32::try_from(text.len()).is_err() {
            return Self::default();
        }
        let room = text.len() / 24 + 1;
        let (mut starts, mut hashes) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let mut start = 0;
        for end in breaks(text).chain([text.len()]) {
            starts.push(u32::try_from(start).unwrap_or_default());
            hashes.push(hash(text.as_bytes().get(start..end).unwrap_or_default()));
            start = end + 1;
        }
        Self { starts: starts.into(), hashes: hashes.into() }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn hash(&self, line: usize) -> Option<u64> {
        self.hashes.get(line).copied()
    }

    /// A line of the text that these are the lines of, without its line break.
    pub(super) fn get<'t>(&self, text: &'t str, line: usize) -> Option<&'t str> {
        self.span(text, line, 1)
    }

    /// Some lines in a row, with the line breaks between them.
    pub(super) fn span<'t>(&self, text: &'t str, first: usize, count: usize) -> Option<&'t str> {
        text.get(self.range(text, first, count)?)
    }

    /// Their places.
    pub(super) fn range(&self, text: &str, first: usize, count: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(first)? as usize;
        let end = match self.starts.get(first + count) {
            Some(next) => *next as usize - 1,
            None if first + count == self.starts.len() => text.len(),
            None => return None,
        };
        Some(start..end)
    }
}

/// The lines of a text, indexed at the first use: most are never used. The text is kept by the
/// caller.
#[derive(Debug, Default)]
pub(super) struct LazyLineIndex {
    lines: OnceLock<LineIndex>,
    /// Number of lines.
    count: usize,
}

impl LazyLineIndex {
    pub(super) fn new(text: &str) -> Self {
        let count = count_lines(text);
        Self { lines: OnceLock::new(), count }
    }

    /// The lines of the text that this is made of.
    pub(super) fn resolve(&self, text: &str) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(text))
    }

    /// Bytes that the lines take in memory once they are there: a cache's weights do not change.
    pub(super) fn weight(&self) -> usize {
        self.count * 12
    }
}

/// Whether a reference may begin at this line: it says something, and is no mark of ours.
pub(super) fn is_anchor(line: &str) -> bool {
    line.len() >= MIN_ANCHOR_BYTES && line.trim().len() >= MIN_ANCHOR_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_weigh_the_same_before_they_are_there() {
        for text in ["", "a", "a\nb", "\n\n\n\n"] {
            let later = LazyLineIndex::new(text);
            let weight = later.weight();
            assert_eq!(later.resolve(text).len() * 12, weight);
            assert_eq!(later.weight(), weight);
        }
    }
}
