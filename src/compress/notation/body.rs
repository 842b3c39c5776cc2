//! The lines of a block, in one text.

use crate::compress::text::lines_of;

/// Body lines, without line breaks of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BlockBody {
    /// Each line after a line break, as it is below the header.
    text: String,
    lines: usize,
    is_of_any_layout: bool,
}

impl BlockBody {
    /// Room for so many bytes.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), ..Self::default() }
    }

    /// Says that these would be the lines of the same document without white space between its
    /// tokens, too.
    pub(super) fn of_any_layout(mut self) -> Self {
        self.is_of_any_layout = true;
        self
    }

    /// Whether white space between the tokens of a document has no say in the lines.
    pub(crate) fn is_of_any_layout(&self) -> bool {
        self.is_of_any_layout
    }

    /// Begins a line, which is what is appended until the next one begins.
    #[inline]
    pub(super) fn line(&mut self) -> &mut String {
        self.text.push('\n');
        self.lines += 1;
        &mut self.text
    }

    /// The line that was begun last.
    #[inline]
    pub(super) fn open(&mut self) -> &mut String {
        &mut self.text
    }

    pub(super) fn push(&mut self, line: &str) {
        self.line().push_str(line);
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.lines += other.lines;
    }

    pub(crate) fn len(&self) -> usize {
        self.lines
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines == 0
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        lines_of(&self.text).skip(1)
    }

    /// All lines, each after a line break.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl<'a> FromIterator<&'a str> for BlockBody {
    fn from_iter<I: IntoIterator<Item = &'a str>>(lines: I) -> Self {
        let mut body = Self::default();
        for line in lines {
            body.push(line);
        }
        body
    }
}
