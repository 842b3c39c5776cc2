//! Writes the values of a document in a style.

use std::collections::BTreeMap;
use std::ops::Range;

use super::shared::SharedMark;
use super::style::{DOCUMENT_LIMITS, JsonStyle, Layout, SPACES};
use crate::json::tape::{Tape, TapeFormat, TapeKind};

/// Writes values one after the other in a style, up to a number of bytes: every method is `None`
/// once that is passed.
pub(super) struct StyledWriter<'b> {
    pub(super) style: JsonStyle,
    limit: usize,
    out: String,
    /// Open arrays and objects: the closing bracket, and whether it is still empty.
    open: Vec<(char, bool)>,
    after_key: bool,
    /// The line break and the indentation before a value, if each has its line.
    line: String,
    /// Keys, and where they were written with their colons: most are written often.
    keys: [Option<(&'b str, Range<usize>)>; KEY_CACHE_SLOTS],
    /// The tape that values are read from.
    tape: Tape<'b>,
    /// Values that have names.
    names: BTreeMap<usize, NamedValue>,
    /// Bytes of values that were repeated.
    repeated: usize,
}

/// A value that was written and may be repeated.
struct NamedValue {
    range: Range<usize>,
    /// The line break and the indentation of where it is.
    line: String,
}

/// A name whose value is being written.
#[derive(Clone, Copy)]
pub(super) struct OpenName {
    name: usize,
    start: usize,
}

/// What is to be done for a value after its mark.
pub(super) enum MarkedValue {
    /// It is to be written, and gets a name if there is one.
    Due(Option<OpenName>),
    /// It is written: it was a repetition.
    Written,
}

/// Keys that are remembered.
const KEY_CACHE_SLOTS: usize = 64;

/// Slot of a key, if it is remembered.
fn slot(key: &str) -> usize {
    let letter = |letter: Option<&u8>| letter.copied().map_or(0, usize::from);
    let (first, last) = (letter(key.as_bytes().first()), letter(key.as_bytes().last()));
    // Primes part letters that lie close together.
    (first * 37 + last * 11 + key.len() * 5) % KEY_CACHE_SLOTS
}

impl<'b> StyledWriter<'b> {
    pub(super) fn new(style: JsonStyle, limit: usize) -> Self {
        let (out, open, tape) = (String::new(), Vec::new(), Tape::default());
        let keys = [const { None }; KEY_CACHE_SLOTS];
        let has_lines = matches!(style.layout, Layout::Spaces(_) | Layout::Tab);
        let line = if has_lines { "\n".to_owned() } else { String::new() };
        let names = BTreeMap::new();
        Self { style, limit, out, open, after_key: false, line, keys, tape, names, repeated: 0 }
    }

    /// Bytes that may still be written.
    pub(super) fn bytes_left(&self) -> usize {
        self.limit.saturating_sub(self.out.len())
    }

    /// Takes the mark of the next value.
    pub(super) fn open_mark(&mut self, mark: SharedMark) -> Option<MarkedValue> {
        Some(match mark {
            SharedMark::None => MarkedValue::Due(None),
            SharedMark::Name(name) => {
                self.place();
                // Nothing more is due before the value.
                self.after_key = true;
                MarkedValue::Due(Some(OpenName { name, start: self.out.len() }))
            }
            SharedMark::Repeat(name) => {
                self.repeat(name)?;
                MarkedValue::Written
            }
        })
    }

    /// Ends the value of a name.
    pub(super) fn close_mark(&mut self, open: Option<OpenName>) {
        if let Some(OpenName { name, start }) = open {
            let value = NamedValue { range: start..self.out.len(), line: self.line.clone() };
            self.names.insert(name, value);
        }
    }

    fn repeat(&mut self, name: usize) -> Option<()> {
        /// Bytes that are read for each that may be written: indentation may be narrower where the value is
        /// repeated.
        const MAX_READ_PER_WRITTEN_BYTE: usize = 8;
        let NamedValue { range, line } = self.names.get(&name)?;
        let (range, line) = (range.clone(), line.clone());
        self.repeated += range.len();
        if self.repeated > self.limit.saturating_mul(MAX_READ_PER_WRITTEN_BYTE) {
            return None;
        }
        self.place();
        if line == self.line {
            self.out.extend_from_within(range);
            return self.check_limit();
        }
        let value = self.out.get(range)?.to_owned();
        let mut pieces = value.split(line.as_str());
        self.out.push_str(pieces.next()?);
        for piece in pieces {
            self.out.push_str(&self.line);
            self.out.push_str(piece);
            self.check_limit()?;
        }
        self.check_limit()
    }

    /// Appends the brackets that are due at the end of a text that is cut off after a value, the
    /// outermost first.
    pub(super) fn close(style: JsonStyle, text: &mut String, open: &[char]) {
        let mut writer = Self::new(style, usize::MAX);
        for closing in open {
            writer.open.push((*closing, false));
            writer.line.push_str(writer.pad());
        }
        while writer.end().is_some() {}
        text.push_str(&writer.out);
    }

    /// Makes room for a text of that size, should it be allowed.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.out.reserve(bytes.min(self.limit));
    }

    pub(super) fn finish(self) -> Option<String> {
        (self.open.is_empty() && self.out.len() <= self.limit).then_some(self.out)
    }

    /// Begins the next document of a text of one document a line.
    pub(super) fn next_line(&mut self) -> Option<()> {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.check_limit()
    }

    pub(super) fn array(&mut self) -> Option<()> {
        self.begin('[', ']')
    }

    pub(super) fn object(&mut self) -> Option<()> {
        self.begin('{', '}')
    }

    pub(super) fn end(&mut self) -> Option<()> {
        let (bracket, empty) = self.open.pop()?;
        let outer = self.line.len().saturating_sub(self.pad().len());
        self.line.truncate(outer);
        if !empty {
            self.out.push_str(&self.line);
        }
        self.out.push(bracket);
        self.check_limit()
    }

    /// A key and its colon, as [`StyledWriter::written_key`] gave them.
    pub(super) fn key(&mut self, written: &str) -> Option<()> {
        self.raw(written)?;
        self.after_key = true;
        Some(())
    }

    /// A key in quotes or without.
    pub(super) fn shown_key(&mut self, key: &'b str) -> Option<()> {
        let slot = slot(key);
        if let Some(Some((known, written))) = self.keys.get(slot)
            && *known == key
        {
            let written = written.clone();
            self.place();
            self.out.extend_from_within(written);
            self.after_key = true;
            return self.check_limit();
        }
        let is_quoted = key.starts_with('"');
        if is_quoted && !self.is_string(key) {
            return None;
        }
        self.place();
        let start = self.out.len();
        if is_quoted {
            self.out.push_str(key);
        } else {
            self.style.string(&mut self.out, key);
        }
        self.out.push_str(self.colon_text());
        if let Some(known) = self.keys.get_mut(slot) {
            *known = Some((key, start..self.out.len()));
        }
        self.after_key = true;
        self.check_limit()
    }

    fn is_string(&mut self, text: &'b str) -> bool {
        self.tape.clear();
        let root = self.tape.read(
            text,
            TapeFormat { layout: None, ascii: false, slashes: false, limits: DOCUMENT_LIMITS },
        );
        root.and_then(|root| self.tape.node(root))
            .is_some_and(|node| node.kind() == TapeKind::String)
    }

    /// A key in quotes or without, as in the document with its colon.
    pub(super) fn written_key(&mut self, key: &'b str) -> Option<String> {
        let mut written = String::with_capacity(key.len() + 4);
        if key.starts_with('"') {
            self.is_string(key).then_some(())?;
            written.push_str(key);
        } else {
            self.style.string(&mut written, key);
        }
        written.push_str(self.colon_text());
        Some(written)
    }

    /// A value's own bytes.
    #[inline]
    pub(super) fn raw(&mut self, raw: &str) -> Option<()> {
        self.place();
        self.out.push_str(raw);
        self.check_limit()
    }

    /// A string by its text.
    #[inline]
    pub(super) fn string(&mut self, text: &str) -> Option<()> {
        self.place();
        self.style.string(&mut self.out, text);
        self.check_limit()
    }

    /// A string in quotes, as it is.
    pub(super) fn write_quoted(&mut self, text: &'b str) -> Option<()> {
        self.is_string(text).then_some(())?;
        self.raw(text)
    }

    #[inline]
    fn begin(&mut self, bracket: char, closing: char) -> Option<()> {
        self.place();
        self.open.push((closing, true));
        self.line.push_str(self.pad());
        self.out.push(bracket);
        self.check_limit()
    }

    fn colon_text(&self) -> &'static str {
        if self.style.layout == Layout::Compact { ":" } else { ": " }
    }

    /// The white space and comma before a key, or before a value that has none.
    #[inline]
    fn place(&mut self) {
        if std::mem::take(&mut self.after_key) {
            return;
        }
        let Some((_, empty)) = self.open.last_mut() else { return };
        if !std::mem::replace(empty, false) {
            self.out.push_str(if self.style.layout == Layout::Python { ", " } else { "," });
        }
        self.out.push_str(&self.line);
    }

    /// Indentation of a level.
    fn pad(&self) -> &'static str {
        match self.style.layout {
            Layout::Compact | Layout::Python => "",
            Layout::Spaces(wide) => SPACES.get(..wide).unwrap_or(SPACES),
            Layout::Tab => "\t",
        }
    }

    #[inline]
    fn check_limit(&self) -> Option<()> {
        (self.out.len() <= self.limit).then_some(())
    }
}
