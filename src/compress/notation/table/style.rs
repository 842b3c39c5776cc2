//! Layout of a JSON document, and a writer that lays one out so.
//!
//! A document is taken only if writing its values in one of these styles gives its own bytes
//! back, so a style and the values are the whole document.

use super::shared::SHARED_WORDS;
pub(super) use crate::json::tape::Layout;
use crate::json::tape::TapeFormat;
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
    /// Equal values are written once and repeated by a name.
    pub(super) shared: bool,
}

/// The widest indent a level, and how wide that is.
pub(super) const SPACES: &str = "        ";
const MAX_INDENT_SPACES: usize = SPACES.len();

impl JsonStyle {
    /// That of a tree that was read from something else than JSON.
    pub(super) const PLAIN: Self = Self::of(Layout::Compact);

    /// That of a layout, with no more escapes than JSON asks for.
    const fn of(layout: Layout) -> Self {
        Self { layout, ascii: false, slashes: false, shared: false }
    }

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
        Some(Self { ascii, slashes, ..Self::of(layout) })
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
        for word in SHARED_WORDS.iter().filter(|_| self.shared) {
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
        let shared = words.peek() == SHARED_WORDS.first();
        if shared && !SHARED_WORDS.iter().all(|word| words.next() == Some(word)) {
            return None;
        }
        let lines = words.next_if_eq(&"lines").is_some();
        words.next().is_none().then_some((Self { layout, ascii, slashes, shared }, lines))
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
