//! A document as one flat list of values, for readers that look at all of it.
//!
//! [`parse`](super::parse) gives a tree with a vector for each object. Here every value, and
//! every key, is an entry of one list, and what an object holds follows it; several documents may
//! share the list. A document can be asked to be in a certain [`Layout`]: then its values and
//! the layout are the whole of its bytes.

mod keys;
mod reader;

use super::scan::{self, Marks};

/// Place of the white space of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// None at all.
    Compact,
    /// One space after each comma and colon, as Python's `json.dumps` writes.
    Python,
    /// One value a line, indented by so many spaces a level; a space after each colon.
    Spaces(usize),
    /// The same with a tab a level.
    Tab,
}

/// Format that a document must have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TapeFormat {
    /// None if white space may be anywhere between tokens.
    pub(crate) layout: Option<Layout>,
    /// Whether a plain way of writing escapes all that is not printable ASCII.
    pub(crate) ascii: bool,
    /// Whether it escapes slashes, too.
    pub(crate) slashes: bool,
    pub(crate) limits: super::Limits,
}

impl TapeFormat {
    /// Marks that no key may hold: a plain way of writing gives other bytes for them, and keys are
    /// written in no other.
    fn refused_in_keys(self) -> Marks {
        match self.layout {
            None => Marks::default(),
            Some(_) if self.ascii => Marks::NOT_ASCII_FORM,
            Some(_) => Marks::NOT_PLAIN_FORM,
        }
    }

    /// Whether no key may hold a slash that is not escaped, for the same reason.
    fn refuses_slashes(self) -> bool {
        self.slashes && self.layout.is_some()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TapeKind {
    /// A number, `true`, `false` or `null`.
    Other,
    Number,
    String,
    Array,
    Object,
}

/// A value or a key.
#[derive(Debug, Clone, Copy)]
struct TapeEntry<'a> {
    raw: &'a str,
    /// Of a string with escapes, where its text is among the decoded ones; of an array or object,
    /// how many values it holds.
    decoded: (u32, u32),
    /// The entry after this one and all that it holds.
    next: u32,
    kind: TapeKind,
    escaped: bool,
    marks: Marks,
}

/// Documents as lists of entries.
#[derive(Debug, Default)]
pub(crate) struct Tape<'a> {
    entries: Vec<TapeEntry<'a>>,
    /// Text of strings that hold escapes.
    decoded: String,
    /// For each depth the last object that was read there: the next one likely has its keys.
    last: Vec<u32>,
    /// Keys of objects that are open which the object before does not have.
    odd: Vec<u32>,
    /// Whether its form escapes slashes: what a key's marks say goes by that.
    slashes: bool,
}

/// A value or key of a [`Tape`].
#[derive(Clone, Copy)]
pub(crate) struct TapeNode<'t, 'a> {
    tape: &'t Tape<'a>,
    at: u32,
    entry: &'t TapeEntry<'a>,
}

impl<'a> Tape<'a> {
    /// The value of that number.
    pub(crate) fn node(&self, at: u32) -> Option<TapeNode<'_, 'a>> {
        let entry = self.entries.get(at as usize)?;
        Some(TapeNode { tape: self, at, entry })
    }

    /// Expects no keys of documents whose marks go by another form.
    fn set_format(&mut self, form: TapeFormat) {
        if std::mem::replace(&mut self.slashes, form.slashes) != form.slashes {
            self.last.clear();
        }
    }

    /// Forgets all documents, and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.decoded.clear();
        self.last.clear();
        self.odd.clear();
    }
}

impl<'t, 'a> TapeNode<'t, 'a> {
    /// The number of the value or key on its tape.
    pub(crate) fn number(self) -> u32 {
        self.at
    }

    /// The value's own bytes.
    pub(crate) fn raw(self) -> &'a str {
        self.entry.raw
    }

    pub(crate) fn kind(self) -> TapeKind {
        self.entry.kind
    }

    /// The text of a string or key.
    pub(crate) fn text(self) -> Option<&'t str> {
        if self.entry.kind != TapeKind::String {
            return None;
        }
        if self.entry.escaped {
            let (from, to) = self.entry.decoded;
            return self.tape.decoded.get(from as usize..to as usize);
        }
        let raw = self.entry.raw;
        raw.get(1..raw.len().wrapping_sub(1))
    }

    /// Whether a string holds escapes.
    pub(crate) fn is_escaped(self) -> bool {
        self.entry.escaped
    }

    /// Marks in a string.
    pub(crate) fn marks(self) -> Marks {
        self.entry.marks
    }

    /// Whether a string holds a slash that is not escaped.
    pub(crate) fn has_bare_slash(self) -> bool {
        has_bare_slash(self.entry.raw)
    }

    /// Whether this is an array or object that holds something.
    pub(crate) fn is_full(self) -> bool {
        matches!(self.entry.kind, TapeKind::Array | TapeKind::Object) && self.entry.decoded.0 > 0
    }

    /// The values that an array, or the members that an object holds.
    pub(crate) fn len(self) -> usize {
        self.entry.decoded.0 as usize
    }

    /// Whether this is an object that holds something.
    pub(crate) fn is_full_object(self) -> bool {
        self.entry.kind == TapeKind::Object && self.entry.decoded.0 > 0
    }

    /// The values of an array.
    pub(crate) fn items(self) -> TapeItems<'t, 'a> {
        let end = if self.entry.kind == TapeKind::Array { self.entry.next } else { 0 };
        TapeItems { tape: self.tape, at: self.at + 1, end }
    }

    /// The members of an object: keys and values.
    pub(crate) fn members(self) -> TapeMembers<'t, 'a> {
        let end = if self.entry.kind == TapeKind::Object { self.entry.next } else { 0 };
        TapeMembers(TapeItems { tape: self.tape, at: self.at + 1, end })
    }

    /// The value, its keys, and all that it holds, each once.
    pub(crate) fn all(self) -> impl Iterator<Item = TapeNode<'t, 'a>> {
        let tape = self.tape;
        (self.at..self.entry.next).filter_map(|at| tape.node(at))
    }
}

/// Whether a string as it is in a document holds a slash that is not escaped.
fn has_bare_slash(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while let Some(step) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'\\', b'/', rest)) {
        at += step;
        if bytes.get(at) == Some(&b'/') {
            return true;
        }
        at += 2;
    }
    false
}

#[derive(Clone)]
pub(crate) struct TapeItems<'t, 'a> {
    tape: &'t Tape<'a>,
    at: u32,
    end: u32,
}

impl<'t, 'a> Iterator for TapeItems<'t, 'a> {
    type Item = TapeNode<'t, 'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let node = self.tape.node(self.at)?;
        self.at = node.entry.next;
        Some(node)
    }
}

#[derive(Clone)]
pub(crate) struct TapeMembers<'t, 'a>(TapeItems<'t, 'a>);

impl<'t, 'a> Iterator for TapeMembers<'t, 'a> {
    type Item = (TapeNode<'t, 'a>, TapeNode<'t, 'a>);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.next()?, self.0.next()?))
    }
}

#[cfg(test)]
mod tests;
