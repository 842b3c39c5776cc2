//! How a JSON document is laid out, and a writer that lays one out so.
//!
//! A document is taken only where writing its values in one of these styles gives its own bytes
//! back, so a style and the values are the whole document.

use std::fmt::Write as _;

use crate::json::{self, Node, Value};

/// Where the white space of a document stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// None at all.
    Compact,
    /// One space after each comma and colon, as Python's `json.dumps` writes.
    Python,
    /// One value a line, indented by so many spaces a level; a space after each colon.
    Spaces(usize),
    /// The same with a tab a level.
    Tab,
}

/// Layout, and what is escaped inside strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) layout: Layout,
    /// Strings hold ASCII only: everything else is a `\u` escape in lower case.
    pub(super) ascii: bool,
}

/// Widest indent a level.
const WIDEST: usize = 8;

impl Style {
    /// The style in which `text`, read as `node`, is written.
    pub(super) fn of(text: &str, node: &Node<'_>) -> Option<Self> {
        let ascii = text.is_ascii() && memchr::memmem::find(text.as_bytes(), b"\\u").is_some();
        let candidates = match text.split_once('\n') {
            Some((_, rest)) => {
                let wide = rest.bytes().take_while(|byte| *byte == b' ').count();
                let layout = match wide {
                    0 => Layout::Tab,
                    1..=WIDEST => Layout::Spaces(wide),
                    _ => return None,
                };
                [Some(layout), None]
            }
            None if spaced(text) => [Some(Layout::Python), Some(Layout::Compact)],
            None => [Some(Layout::Compact), Some(Layout::Python)],
        };
        candidates.into_iter().flatten().map(|layout| Self { layout, ascii }).find(|style| {
            let mut writer = Writer::new(*style, text.len());
            writer.out.reserve(text.len());
            writer.node(node).is_some() && writer.out == text
        })
    }

    /// The words of a header that name this style.
    pub(super) fn words(self) -> String {
        let mut words = match self.layout {
            Layout::Compact => String::new(),
            Layout::Python => "python".to_owned(),
            Layout::Spaces(wide) => format!("indent {wide}"),
            Layout::Tab => "tab".to_owned(),
        };
        if self.ascii {
            words.push_str(if words.is_empty() { "ascii" } else { " ascii" });
        }
        words
    }

    /// Reads what [`Style::words`] wrote, and whether the word `lines` follows.
    pub(super) fn read(words: &str) -> Option<(Self, bool)> {
        let mut words = words.split_ascii_whitespace().peekable();
        let layout = match words.peek() {
            Some(&"python") => Layout::Python,
            Some(&"tab") => Layout::Tab,
            Some(&"indent") => {
                words.next();
                let wide = words.peek()?.parse().ok()?;
                if !(1..=WIDEST).contains(&wide) {
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
        let lines = words.next_if_eq(&"lines").is_some();
        words.next().is_none().then_some((Self { layout, ascii }, lines))
    }

    /// Appends `text` as the JSON string that this style writes for it.
    pub(super) fn string(self, out: &mut String, text: &str) {
        let plain = |byte: u8| (b' '..=b'~').contains(&byte);
        if !self.ascii || text.bytes().all(plain) {
            json::write_string(out, text);
            return;
        }
        let mut escaped = String::new();
        json::write_string(&mut escaped, text);
        for character in escaped.chars() {
            if matches!(character, ' '..='~') {
                out.push(character);
                continue;
            }
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
}

/// Whether the first comma or colon outside of the first string has a space behind it.
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
pub(super) struct Writer {
    pub(super) style: Style,
    limit: usize,
    out: String,
    /// What is open: its closing bracket, and whether it is still empty.
    open: Vec<(&'static str, bool)>,
    after_key: bool,
}

impl Writer {
    pub(super) fn new(style: Style, limit: usize) -> Self {
        Self { style, limit, out: String::new(), open: Vec::new(), after_key: false }
    }

    pub(super) fn finish(self) -> Option<String> {
        (self.open.is_empty() && self.out.len() <= self.limit).then_some(self.out)
    }

    /// Begins the next document of a text of one document a line.
    pub(super) fn next_line(&mut self) -> Option<()> {
        if self.out.is_empty() { Some(()) } else { self.put("\n") }
    }

    pub(super) fn array(&mut self) -> Option<()> {
        self.begin("[", "]")
    }

    pub(super) fn object(&mut self) -> Option<()> {
        self.begin("{", "}")
    }

    pub(super) fn end(&mut self) -> Option<()> {
        let (bracket, empty) = self.open.pop()?;
        if !empty {
            self.break_line()?;
        }
        self.put(bracket)
    }

    /// A key, as the JSON string that stands in the document.
    pub(super) fn key(&mut self, raw: &str) -> Option<()> {
        self.place()?;
        self.put(raw)?;
        self.colon()
    }

    /// A value's own bytes.
    pub(super) fn raw(&mut self, raw: &str) -> Option<()> {
        self.place()?;
        self.put(raw)
    }

    /// A string by its text.
    pub(super) fn string(&mut self, text: &str) -> Option<()> {
        self.place()?;
        self.style.string(&mut self.out, text);
        self.within()
    }

    /// A key by its text.
    pub(super) fn key_text(&mut self, text: &str) -> Option<()> {
        self.place()?;
        self.style.string(&mut self.out, text);
        self.colon()
    }

    /// A value with all that it holds. Strings and numbers keep their bytes.
    pub(super) fn node(&mut self, node: &Node<'_>) -> Option<()> {
        match &node.value {
            Value::Array(items) => {
                self.array()?;
                for item in items {
                    self.node(item)?;
                }
                self.end()
            }
            Value::Object(members) => {
                self.object()?;
                for (key, value) in members {
                    self.key_text(key)?;
                    self.node(value)?;
                }
                self.end()
            }
            _ => self.raw(node.raw),
        }
    }

    fn begin(&mut self, bracket: &str, closing: &'static str) -> Option<()> {
        self.place()?;
        self.open.push((closing, true));
        self.put(bracket)
    }

    fn colon(&mut self) -> Option<()> {
        self.after_key = true;
        self.put(if self.style.layout == Layout::Compact { ":" } else { ": " })
    }

    /// What stands before a key, or before a value that has none.
    fn place(&mut self) -> Option<()> {
        if std::mem::take(&mut self.after_key) {
            return Some(());
        }
        let Some((_, empty)) = self.open.last_mut() else { return Some(()) };
        if !std::mem::replace(empty, false) {
            self.put(if self.style.layout == Layout::Python { ", " } else { "," })?;
        }
        self.break_line()
    }

    fn break_line(&mut self) -> Option<()> {
        let (step, times) = match self.style.layout {
            Layout::Compact | Layout::Python => return Some(()),
            Layout::Spaces(wide) => (" ", wide),
            Layout::Tab => ("\t", 1),
        };
        self.put("\n")?;
        for _ in 0..times * self.open.len() {
            self.put(step)?;
        }
        Some(())
    }

    fn put(&mut self, text: &str) -> Option<()> {
        self.out.push_str(text);
        self.within()
    }

    fn within(&self) -> Option<()> {
        (self.out.len() <= self.limit).then_some(())
    }
}
