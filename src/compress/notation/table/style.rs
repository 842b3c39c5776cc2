//! Layout of a JSON document, and a writer that lays one out so.
//!
//! A document is taken only if writing its values in one of these styles gives its own bytes
//! back, so a style and the values are the whole document.

use std::ops::Range;

pub(super) use crate::json::tape::Layout;
use crate::json::tape::{Tape, TapeFormat, TapeKind};
use crate::json::{self, Marks};

/// Nesting and values of a document that is rewritten.
pub(super) const DOCUMENT_LIMITS: json::Limits = json::Limits { depth: 64, values: 500_000 };

/// Layout, and what is escaped inside strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JsonStyle {
    pub(super) layout: Layout,
    /// Strings hold ASCII only: everything else is a `\u` escape in lower case.
    pub(super) ascii: bool,
    /// Strings hold escaped slashes only.
    pub(super) slashes: bool,
}

/// The widest indent a level, and how wide that is.
const SPACES: &str = "        ";
const MAX_INDENT_SPACES: usize = SPACES.len();

impl JsonStyle {
    /// That of a tree that was read from something else than JSON.
    pub(super) const PLAIN: Self = Self { layout: Layout::Compact, ascii: false, slashes: false };

    /// The only style in which `text` may be written.
    pub(super) fn detect(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (letters, slashes) = escapes(bytes);
        let layout = match memchr::memchr(b'\n', bytes).and_then(|at| bytes.get(at + 1..)) {
            Some(rest) => {
                let wide = rest.iter().take_while(|byte| **byte == b' ').count();
                match wide {
                    0 => Layout::Tab,
                    1..=MAX_INDENT_SPACES => Layout::Spaces(wide),
                    _ => return None,
                }
            }
            None if spaced(text) => Layout::Python,
            None => Layout::Compact,
        };
        // Strings with the other spelling stay in quotes.
        let ascii = letters > 0 && letters > wide(bytes);
        let slashes = slashes > 0 && 2 * slashes > memchr::memchr_iter(b'/', bytes).count();
        Some(Self { layout, ascii, slashes })
    }

    /// The same layout with no more escapes than JSON asks for, if this one has more.
    pub(super) fn without_escapes(self) -> Option<Self> {
        (self.ascii || self.slashes).then_some(Self { ascii: false, slashes: false, ..self })
    }

    /// Format of a document in this style.
    pub(super) fn form(self) -> TapeFormat {
        TapeFormat {
            layout: Some(self.layout),
            ascii: self.ascii,
            slashes: self.slashes,
            limits: DOCUMENT_LIMITS,
        }
    }

    /// The mark of a string that this style would write in another way.
    pub(super) fn odd_marks(self) -> Marks {
        if self.ascii { Marks::NOT_ASCII_FORM } else { Marks::NOT_PLAIN_FORM }
    }

    /// The words of a header that name this style.
    pub(super) fn words(self) -> String {
        let mut words = match self.layout {
            Layout::Compact => String::new(),
            Layout::Python => "python".to_owned(),
            Layout::Spaces(wide) => format!("indent {wide}"),
            Layout::Tab => "tab".to_owned(),
        };
        for (word, _) in
            [("ascii", self.ascii), ("slashes", self.slashes)].iter().filter(|(_, is)| *is)
        {
            words.push_str(if words.is_empty() { "" } else { " " });
            words.push_str(word);
        }
        words
    }

    /// Reads what [`JsonStyle::words`] wrote, and whether the word `lines` follows.
    pub(super) fn read(words: &str) -> Option<(Self, bool)> {
        let mut words = words.split_ascii_whitespace().peekable();
        let layout = match words.peek() {
            Some(&"python") => Layout::Python,
            Some(&"tab") => Layout::Tab,
            Some(&"indent") => {
                words.next();
                let wide = words.peek()?.parse().ok()?;
                if !(1..=MAX_INDENT_SPACES).contains(&wide) {
                    return None;
                }
                Layout::Spaces(wide)
            }
            _ => Layout::Compact,
        };
        if layout != Layout::Compact {
            words.next();
        }
        let ascii = words.next_if_eq(&"ascii").is_some();
        let slashes = words.next_if_eq(&"slashes").is_some();
        let lines = words.next_if_eq(&"lines").is_some();
        words.next().is_none().then_some((Self { layout, ascii, slashes }, lines))
    }

    /// Appends `text` as the JSON string that this style writes for it.
    #[inline]
    pub(super) fn string(self, out: &mut String, text: &str) {
        if self.ascii || self.slashes {
            self.write_escaped(out, text);
        } else {
            json::write_string(out, text);
        }
    }

    /// The same, if there are more escapes than JSON asks for.
    fn write_escaped(self, out: &mut String, text: &str) {
        let plain = |byte: u8| {
            (!self.ascii || (b' '..=b'~').contains(&byte)) && !(self.slashes && byte == b'/')
        };
        if text.bytes().all(plain) {
            json::write_string(out, text);
            return;
        }
        json::write_string_escaping(out, text, |letter| {
            self.slashes && letter == '/' || self.ascii && !matches!(letter, ' '..='~')
        });
    }
}

/// Number of characters outside of ASCII, and of slashes, that are escapes.
fn escapes(bytes: &[u8]) -> (usize, usize) {
    let (mut letters, mut slashes) = (0, 0);
    for at in memchr::memchr_iter(b'\\', bytes) {
        match bytes.get(at + 1..) {
            Some([b'/', ..]) => slashes += 1,
            Some([b'u', b'0', b'0', b'0'..=b'7', ..]) => {}
            Some([b'u', ..]) => letters += 1,
            _ => {}
        }
    }
    (letters, slashes)
}

/// Number of characters outside of ASCII that are not escaped.
fn wide(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte >= 0xc0).count()
}

/// Whether the first comma or colon outside of the first string has a space after it.
fn spaced(text: &str) -> bool {
    let mut quoted = false;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quoted => drop(bytes.next()),
            b'"' => quoted = !quoted,
            b',' | b':' if !quoted => return bytes.next() == Some(b' '),
            _ => {}
        }
    }
    false
}

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
        Self { style, limit, out, open, after_key: false, line, keys, tape }
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
