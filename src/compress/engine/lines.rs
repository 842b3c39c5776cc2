//! A text's lines: where they begin, and a hash of each, so that equal lines are found fast.

use std::hash::{DefaultHasher, Hasher};

/// Bytes below which a line, without the white space around it, is no place to begin a reference.
const SHORT: usize = 4;

/// Where the lines of a text begin, and what they hash to. The text is kept by whoever asks.
#[derive(Debug, Default)]
pub(super) struct Lines {
    starts: Box<[u32]>,
    hashes: Box<[u64]>,
}

impl Lines {
    /// Lines of a text of less than 4 GiB; of a longer one, none.
    pub(super) fn of(text: &str) -> Self {
        if u32::try_from(text.len()).is_err() {
            return Self::default();
        }
        let mut starts = Vec::new();
        let mut hashes = Vec::new();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
            starts.push(u32::try_from(start).unwrap_or_default());
            hashes.push(hash(text.get(start..end).unwrap_or_default()));
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
        let start = *self.starts.get(first)? as usize;
        let end = match self.starts.get(first + count) {
            Some(next) => *next as usize - 1,
            None if first + count == self.starts.len() => text.len(),
            None => return None,
        };
        text.get(start..end)
    }

    /// Bytes that these take in memory.
    pub(super) fn weight(&self) -> usize {
        self.starts.len() * 12
    }
}

/// Whether a reference may begin at this line: it says something, and is no mark of ours.
pub(super) fn is_anchor(line: &str) -> bool {
    line.len() >= SHORT && line.trim().len() >= SHORT
}

fn hash(line: &str) -> u64 {
    // Its keys are fixed: the same on every node.
    let mut hasher = DefaultHasher::new();
    hasher.write(line.as_bytes());
    hasher.finish()
}
