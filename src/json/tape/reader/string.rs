//! Strings: most hold no escape and are taken as they are.

use super::TapeReader;
use crate::json::scan;
use crate::json::tape::{Marks, TapeKind};

impl<const FREE: bool> TapeReader<'_, '_, FREE> {
    /// Reads a string onto the tape.
    #[inline]
    pub(super) fn string(&mut self) -> Option<()> {
        let start = self.at;
        let (step, marks) = scan::next_special_marked(self.bytes.get(start + 1..)?)?;
        self.at += 1 + step;
        if self.peek()? == b'"' {
            self.at += 1;
            let raw = self.text.get(start..self.at)?;
            return self.push(raw, TapeKind::String, (0, 0), false, marks);
        }
        self.read_escaped(start, marks)
    }

    /// Reads a string from its first escape on.
    #[inline(never)]
    fn read_escaped(&mut self, start: usize, mut marks: Marks) -> Option<()> {
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
        self.push(raw, TapeKind::String, decoded, true, marks)
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
}
