//! Reads documents onto a tape: one pass, linear in the bytes.
//!
//! The rows of real documents mostly have the same keys in the same order, so each key is first
//! compared with the one that the object before had in its place. Keys found so are distinct,
//! for those of the object before are; only the odd ones are looked up.

use super::keys::Keys;
use super::{Entry, Form, Kind, Layout, Marks, Tape, scan};

/// Bytes of a document for each entry that is expected.
const BYTES: usize = 24;
/// Keys of the object before that are passed over to find one.
const STEPS: usize = 4;
/// Indentation that is compared at once.
const PAD: usize = 64;
const SPACES: [u8; PAD] = [b' '; PAD];
const TABS: [u8; PAD] = [b'\t'; PAD];

impl<'a> Tape<'a> {
    /// Reads one document that is the whole text, and gives the number of its value; `None`, and
    /// nothing is added, where it is not JSON of that form, or says a key twice in one object.
    pub(crate) fn read(&mut self, text: &'a str, form: Form) -> Option<u32> {
        let (start, decoded) = (self.entries.len(), self.decoded.len());
        let root = u32::try_from(start).ok()?;
        self.turn_to(form);
        // About what documents take.
        self.entries.reserve(text.len() / BYTES);
        let mut reader = Reader {
            tape: self,
            text,
            bytes: text.as_bytes(),
            at: 0,
            form,
            values: form.limits.values,
        };
        if reader.document().is_none() {
            self.entries.truncate(start);
            self.decoded.truncate(decoded);
            self.last.clear();
            return None;
        }
        Some(root)
    }
}

struct Reader<'t, 'a> {
    tape: &'t mut Tape<'a>,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    form: Form,
    values: usize,
}

impl<'a> Reader<'_, 'a> {
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
                self.number()?;
                Kind::Number
            }
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'n' => self.word(b"null")?,
            _ => return None,
        };
        let raw = self.text.get(start..self.at)?;
        self.push(raw, kind, (0, 0), false, Marks::default())
    }

    fn push(
        &mut self,
        raw: &'a str,
        kind: Kind,
        decoded: (u32, u32),
        escaped: bool,
        marks: Marks,
    ) -> Option<()> {
        let next = u32::try_from(self.tape.entries.len() + 1).ok()?;
        self.tape.entries.push(Entry { raw, decoded, next, kind, escaped, marks });
        Some(())
    }

    fn open(&mut self, kind: Kind, depth: usize) -> Option<usize> {
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
        let own = self.open(Kind::Array, depth)?;
        let mut count = 0;
        self.any_space();
        if self.peek()? != b']' {
            self.line(depth + 1)?;
            loop {
                self.value(depth + 1)?;
                count += 1;
                if !self.another(depth + 1, b']')? {
                    break;
                }
            }
        }
        self.close(own, start, count)
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        let start = self.at;
        let own = self.open(Kind::Object, depth)?;
        let mut keys = Keys::default();
        if let Some(before) = self.tape.last.get(depth) {
            let entry = self.tape.entries.get(*before as usize)?;
            (keys.at, keys.end) = (*before + 1, entry.next);
        }
        let mut count = 0;
        self.any_space();
        if self.peek()? != b'}' {
            self.line(depth + 1)?;
            loop {
                self.key(own, &mut keys)?;
                self.colon()?;
                self.value(depth + 1)?;
                count += 1;
                if !self.another(depth + 1, b'}')? {
                    break;
                }
            }
        }
        self.close(own, start, count)?;
        if let Some(last) = self.tape.last.get_mut(depth) {
            *last = u32::try_from(own).ok()?;
        } else {
            // An object is read before those around it; these make room for theirs.
            self.tape.last.resize(depth + 1, u32::try_from(own).ok()?);
        }
        Some(())
    }

    /// Reads a key of the object that is entry `own`.
    fn key(&mut self, own: usize, keys: &mut Keys) -> Option<()> {
        let is_odd = !self.expected_key(keys)?;
        if is_odd {
            (self.peek()? == b'"').then_some(())?;
            self.string()?;
        }
        if self.form.refuses(self.tape.entries.last()?) {
            return None;
        }
        if is_odd || keys.count > 0 {
            return keys.odd(self.tape, own, is_odd);
        }
        Some(())
    }

    /// Whether one of the next keys of the object before stands here; it is read then.
    fn expected_key(&mut self, keys: &mut Keys) -> Option<bool> {
        let rest = self.bytes.get(self.at..)?;
        let mut expected = keys.at;
        for _ in 0..STEPS {
            if expected >= keys.end {
                break;
            }
            let entry = *self.tape.entries.get(expected as usize)?;
            let after = self.tape.entries.get(expected as usize + 1)?.next;
            let raw = entry.raw.as_bytes();
            // Most keys differ in the first letter, if they do.
            if rest.get(1) == raw.get(1) && rest.starts_with(raw) {
                keys.at = after;
                self.at += entry.raw.len();
                let next = u32::try_from(self.tape.entries.len() + 1).ok()?;
                self.tape.entries.push(Entry { next, ..entry });
                return Some(true);
            }
            expected = after;
        }
        Some(false)
    }

    /// What stands between a key and its value.
    fn colon(&mut self) -> Option<()> {
        self.any_space();
        self.eat(b':')?;
        match self.form.layout {
            None => self.any_space(),
            Some(Layout::Compact) => {}
            Some(_) => self.eat(b' ')?,
        }
        Some(())
    }

    /// What stands before the first value of an array or object `depth` deep, or after its last.
    fn line(&mut self, depth: usize) -> Option<()> {
        let (pad, mut wide) = match self.form.layout {
            Some(Layout::Spaces(step)) => (&SPACES, step * depth),
            Some(Layout::Tab) => (&TABS, depth),
            _ => return Some(()),
        };
        self.eat(b'\n')?;
        while wide > 0 {
            let step = wide.min(PAD);
            let stands = self.bytes.get(self.at..self.at + step)?;
            if Some(stands) != pad.get(..step) {
                return None;
            }
            self.at += step;
            wide -= step;
        }
        Some(())
    }

    /// Whether another value follows in what is `depth` deep; if not, the bracket is next.
    fn another(&mut self, depth: usize, bracket: u8) -> Option<bool> {
        self.any_space();
        if self.peek()? == b',' {
            self.at += 1;
            match self.form.layout {
                Some(Layout::Python) => self.eat(b' ')?,
                _ => self.line(depth)?,
            }
            self.any_space();
            return Some(true);
        }
        self.line(depth - 1)?;
        (self.peek()? == bracket).then_some(false)
    }

    /// Reads a string onto the tape.
    fn string(&mut self) -> Option<()> {
        let start = self.at;
        let (step, mut marks) = scan::next_special_marked(self.bytes.get(start + 1..)?)?;
        self.at += 1 + step;
        if self.peek()? == b'"' {
            self.at += 1;
            let raw = self.text.get(start..self.at)?;
            return self.push(raw, Kind::String, (0, 0), false, marks);
        }
        let from = self.tape.decoded.len();
        let mut copied = start + 1;
        loop {
            let plain = self.text.get(copied..self.at)?;
            self.tape.decoded.push_str(plain);
            match self.peek()? {
                b'"' => break,
                b'\\' => {}
                _ => return None,
            }
            self.at += 1;
            self.escape(&mut marks)?;
            copied = self.at;
            let (step, more) = scan::next_special_marked(self.bytes.get(self.at..)?)?;
            marks.add(more);
            self.at += step;
        }
        self.at += 1;
        let raw = self.text.get(start..self.at)?;
        let decoded = (u32::try_from(from).ok()?, u32::try_from(self.tape.decoded.len()).ok()?);
        self.push(raw, Kind::String, decoded, true, marks)
    }

    /// Reads what follows a backslash.
    fn escape(&mut self, marks: &mut Marks) -> Option<()> {
        let kind = self.peek()?;
        self.at += 1;
        let character = match kind {
            b'"' | b'\\' => char::from(kind),
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'/' => {
                marks.add(if self.form.slashes { Marks::default() } else { Marks::NOT_ANY_FORM });
                '/'
            }
            b'u' => self.unit(marks)?,
            _ => return None,
        };
        if character < ' ' {
            marks.add(Marks::CONTROL);
        }
        self.tape.decoded.push(character);
        Some(())
    }

    /// Reads the digits of a `\u` escape, and the second half of a pair.
    fn unit(&mut self, marks: &mut Marks) -> Option<char> {
        let start = self.at;
        let mut code = self.hex()?;
        if (0xD800..0xDC00).contains(&code) {
            self.eat(b'\\')?;
            self.eat(b'u')?;
            let second = self.hex()?;
            if !(0xDC00..0xE000).contains(&second) {
                return None;
            }
            code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
        }
        let character = char::from_u32(code)?;
        let lower = !self.bytes.get(start..self.at)?.iter().any(|byte| matches!(byte, b'A'..=b'F'));
        let short = matches!(character, '\u{8}' | '\t' | '\n' | '\u{c}' | '\r');
        let control = character < ' ' && !short;
        if !(lower && control) {
            marks.add(Marks::NOT_PLAIN_FORM);
        }
        if !(lower && (control || character >= '\u{7f}')) {
            marks.add(Marks::NOT_ASCII_FORM);
        }
        marks.add(match character {
            ',' => Marks::COMMA,
            '|' => Marks::BAR,
            '\u{7f}' => Marks::CONTROL,
            _ => Marks::default(),
        });
        Some(character)
    }

    fn hex(&mut self) -> Option<u32> {
        let mut code = 0;
        for byte in self.bytes.get(self.at..self.at + 4)? {
            code = code * 16 + char::from(*byte).to_digit(16)?;
        }
        self.at += 4;
        Some(code)
    }

    fn number(&mut self) -> Option<()> {
        let _ = self.eat(b'-');
        if self.eat(b'0').is_none() {
            self.digits()?;
        }
        if self.eat(b'.').is_some() {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        (count > 0).then_some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<Kind> {
        let found = self.bytes.get(self.at..)?.starts_with(word);
        self.at += word.len();
        found.then_some(Kind::Other)
    }

    /// Passes over white space, where it may stand anywhere.
    fn any_space(&mut self) {
        if self.form.layout.is_none() {
            while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
                self.at += 1;
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }
}
