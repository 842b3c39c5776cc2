//! Reads documents onto a tape: one pass, linear in the bytes.
//!
//! The rows of real documents mostly have the same keys in the same order, so each key is first
//! compared with the one that the object before had in its place. Keys found so are distinct,
//! for those of the object before are; only the odd ones are looked up.

mod string;

use super::keys::ObjectKeys;
use super::{Layout, Marks, Tape, TapeEntry, TapeFormat, TapeKind, has_bare_slash, scan};
use crate::json::Limits;

/// Bytes of a document for each entry that there is room for: what is not used is not touched,
/// and what has to grow is copied.
const BYTES_PER_ENTRY: usize = 6;
/// Keys of the object before that are passed over to find one.
const MAX_SKIPPED_KEYS: usize = 4;
/// Indentation that is compared at once.
const PAD_BYTES: usize = 64;
const SPACES: [u8; PAD_BYTES] = [b' '; PAD_BYTES];
const TABS: [u8; PAD_BYTES] = [b'\t'; PAD_BYTES];

impl<'a> Tape<'a> {
    /// Reads one document that is the whole text, and gives the number of its value; `None`, and
    /// nothing is added, if it is not JSON of that form, or says a key twice in one object.
    pub(crate) fn read(&mut self, text: &'a str, form: TapeFormat) -> Option<u32> {
        let (start, decoded) = (self.entries.len(), self.decoded.len());
        let root = u32::try_from(start).ok()?;
        let is_read = match form.layout {
            None => TapeReader::<true>::new(self, text, form).document(),
            Some(_) => TapeReader::<false>::new(self, text, form).document(),
        };
        if is_read.is_none() {
            self.entries.truncate(start);
            self.decoded.truncate(decoded);
            self.last.clear();
            self.odd.clear();
            return None;
        }
        Some(root)
    }

    /// A document without the white space between its tokens; `None` if it is not JSON, or says
    /// a key twice in one object.
    pub(crate) fn compact(text: &'a str, limits: Limits) -> Option<String> {
        let mut tape = Self::default();
        let form = TapeFormat { layout: None, ascii: false, slashes: false, limits };
        let mut reader = TapeReader::<true>::new(&mut tape, text, form);
        reader.document()?;
        let TapeReader { mut short, copied, .. } = reader;
        short.extend_from_slice(text.as_bytes().get(copied..)?);
        String::from_utf8(short).ok()
    }
}

/// `FREE` if white space may be anywhere: what asks for it costs as much as what reads.
struct TapeReader<'t, 'a, const FREE: bool> {
    tape: &'t mut Tape<'a>,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    form: TapeFormat,
    /// Marks that no key may hold.
    refused: Marks,
    values: usize,
    /// The text up to the last white space between tokens, without such; and where that ends.
    short: Vec<u8>,
    copied: usize,
}

impl<'t, 'a, const FREE: bool> TapeReader<'t, 'a, FREE> {
    fn new(tape: &'t mut Tape<'a>, text: &'a str, form: TapeFormat) -> Self {
        tape.set_format(form);
        tape.entries.reserve(text.len() / BYTES_PER_ENTRY);
        let (refused, values) = (form.refused_in_keys(), form.limits.values);
        let (bytes, short) = (text.as_bytes(), Vec::new());
        Self { tape, text, bytes, at: 0, form, refused, values, short, copied: 0 }
    }

    fn document(&mut self) -> Option<()> {
        self.any_space();
        self.value(0)?;
        self.any_space();
        (self.at == self.bytes.len()).then_some(())
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        self.values = self.values.checked_sub(1)?;
        let start = self.at;
        let kind = match self.peek()? {
            b'"' => return self.string(),
            b'{' => return self.object(depth),
            b'[' => return self.array(depth),
            b'-' | b'0'..=b'9' => {
                self.at += scan::number(self.bytes.get(start..)?)?;
                TapeKind::Number
            }
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'n' => self.word(b"null")?,
            _ => return None,
        };
        let raw = self.text.get(start..self.at)?;
        self.push(raw, kind, (0, 0), false, Marks::default())
    }

    #[inline]
    fn push(
        &mut self,
        raw: &'a str,
        kind: TapeKind,
        decoded: (u32, u32),
        escaped: bool,
        marks: Marks,
    ) -> Option<()> {
        let next = u32::try_from(self.tape.entries.len() + 1).ok()?;
        self.tape.entries.push(TapeEntry { raw, decoded, next, kind, escaped, marks });
        Some(())
    }

    fn open(&mut self, kind: TapeKind, depth: usize) -> Option<usize> {
        if depth >= self.form.limits.depth {
            return None;
        }
        let own = self.tape.entries.len();
        self.push("", kind, (0, 0), false, Marks::default())?;
        self.at += 1;
        Some(own)
    }

    fn close(&mut self, own: usize, start: usize, count: u32) -> Option<()> {
        self.at += 1;
        let raw = self.text.get(start..self.at)?;
        let next = u32::try_from(self.tape.entries.len()).ok()?;
        let entry = self.tape.entries.get_mut(own)?;
        (entry.raw, entry.next, entry.decoded.0) = (raw, next, count);
        Some(())
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        let start = self.at;
        let own = self.open(TapeKind::Array, depth)?;
        let mut count = 0;
        self.any_space();
        if self.peek()? != b']' {
            self.line(depth + 1)?;
            loop {
                self.value(depth + 1)?;
                count += 1;
                if !self.next_item(depth + 1, b']')? {
                    break;
                }
            }
        }
        self.close(own, start, count)
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        let start = self.at;
        let own = self.open(TapeKind::Object, depth)?;
        let mut keys = ObjectKeys::new(self.tape, depth);
        let mut count = 0;
        self.any_space();
        if self.peek()? != b'}' {
            self.line(depth + 1)?;
            loop {
                self.key(own, &mut keys)?;
                self.colon()?;
                self.value(depth + 1)?;
                count += 1;
                if !self.next_item(depth + 1, b'}')? {
                    break;
                }
            }
        }
        self.close(own, start, count)?;
        keys.forget(self.tape);
        if let Some(last) = self.tape.last.get_mut(depth) {
            *last = u32::try_from(own).ok()?;
        } else {
            // An object is read before those around it; these make room for theirs.
            self.tape.last.resize(depth + 1, u32::try_from(own).ok()?);
        }
        Some(())
    }

    /// Reads a key of the object that is entry `own`.
    #[inline]
    fn key(&mut self, own: usize, keys: &mut ObjectKeys) -> Option<()> {
        let is_odd = !self.expected_key(keys)?;
        if is_odd {
            (self.peek()? == b'"').then_some(())?;
            self.string()?;
            let key = self.tape.entries.last_mut()?;
            key.marks.add(Marks::from_key(key.raw));
        }
        let key = self.tape.entries.last()?;
        // A plain way of writing gives other bytes for it, and keys are written in no other.
        if key.marks.has(self.refused) || self.form.refuses_slashes() && has_bare_slash(key.raw) {
            return None;
        }
        if is_odd || keys.has_odd(self.tape) {
            return keys.add_key(self.tape, own, is_odd);
        }
        Some(())
    }

    /// Whether one of the next keys of the object before is here; it is read then.
    #[inline]
    fn expected_key(&mut self, keys: &mut ObjectKeys) -> Option<bool> {
        if keys.at >= keys.end {
            return Some(false);
        }
        let (mut entry, mut after) = ObjectKeys::known_key(self.tape, keys.at)?;
        if !begins(self.bytes.get(self.at..)?, entry.raw.as_bytes()) {
            let Some(later) = self.later_key(keys, after) else { return Some(false) };
            (entry, after) = later;
        }
        keys.at = after;
        self.at += entry.raw.len();
        let next = u32::try_from(self.tape.entries.len() + 1).ok()?;
        self.tape.entries.push(TapeEntry { next, ..entry });
        Some(true)
    }

    /// The key at this place, among the keys that follow one of the object before, and the one
    /// after it.
    #[inline(never)]
    fn later_key(&self, keys: &ObjectKeys, mut expected: u32) -> Option<(TapeEntry<'a>, u32)> {
        let rest = self.bytes.get(self.at..)?;
        for _ in 1..MAX_SKIPPED_KEYS {
            if expected >= keys.end {
                break;
            }
            let (entry, after) = ObjectKeys::known_key(self.tape, expected)?;
            if begins(rest, entry.raw.as_bytes()) {
                return Some((entry, after));
            }
            expected = after;
        }
        None
    }

    /// The text between a key and its value.
    #[inline]
    fn colon(&mut self) -> Option<()> {
        self.any_space();
        self.eat(b':')?;
        match self.form.layout {
            _ if FREE => self.any_space(),
            None | Some(Layout::Compact) => {}
            Some(_) => self.eat(b' ')?,
        }
        Some(())
    }

    /// The white space before the first value of an array or object `depth` deep, or after its
    /// last.
    fn line(&mut self, depth: usize) -> Option<()> {
        let (pad, mut wide) = match self.form.layout {
            _ if FREE => return Some(()),
            Some(Layout::Spaces(step)) => (&SPACES, step * depth),
            Some(Layout::Tab) => (&TABS, depth),
            _ => return Some(()),
        };
        self.eat(b'\n')?;
        while wide > 0 {
            let step = wide.min(PAD_BYTES);
            if !begins(self.bytes.get(self.at..)?, pad.get(..step)?) {
                return None;
            }
            self.at += step;
            wide -= step;
        }
        Some(())
    }

    /// Whether another value follows in what is `depth` deep; if not, the bracket is next.
    #[inline]
    fn next_item(&mut self, depth: usize, bracket: u8) -> Option<bool> {
        self.any_space();
        if self.peek()? == b',' {
            self.at += 1;
            match self.form.layout {
                _ if FREE => self.any_space(),
                None | Some(Layout::Compact) => {}
                Some(Layout::Python) => self.eat(b' ')?,
                Some(_) => self.line(depth)?,
            }
            return Some(true);
        }
        self.line(depth - 1)?;
        (self.peek()? == bracket).then_some(false)
    }

    fn word(&mut self, word: &[u8]) -> Option<TapeKind> {
        let found = self.bytes.get(self.at..)?.starts_with(word);
        self.at += word.len();
        found.then_some(TapeKind::Other)
    }

    /// Passes over white space, if it may be anywhere.
    #[inline]
    fn any_space(&mut self) {
        if !FREE {
            return;
        }
        // Most tokens follow each other at once.
        if self.peek().is_some_and(|byte| byte <= b' ') {
            self.remove_last();
        }
    }

    /// Passes over white space and leaves it out of the shorter text.
    #[inline(never)]
    fn remove_last(&mut self) {
        if self.copied == 0 {
            self.short.reserve(self.bytes.len());
        }
        self.short.extend_from_slice(self.bytes.get(self.copied..self.at).unwrap_or_default());
        let mut at = self.at;
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(at) {
            at += 1;
        }
        (self.at, self.copied) = (at, at);
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }
}

/// Whether some bytes begin with a key. Most keys are a few bytes long, and a call that compares
/// them would cost more than two words of them that may overlap.
#[inline]
fn begins(bytes: &[u8], key: &[u8]) -> bool {
    let Some(head) = bytes.get(..key.len()) else { return false };
    match key.len() {
        4..8 => words::<4>(head) == words::<4>(key),
        8..=16 => words::<8>(head) == words::<8>(key),
        _ => head == key,
    }
}

/// The first and the last of some bytes.
#[inline]
fn words<const N: usize>(bytes: &[u8]) -> ([u8; N], [u8; N]) {
    let first = bytes.first_chunk::<N>().copied().unwrap_or([0; N]);
    (first, bytes.last_chunk::<N>().copied().unwrap_or([0; N]))
}
