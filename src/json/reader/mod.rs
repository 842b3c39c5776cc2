//! The reader: one pass over the text, linear in its length.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::halves::REPLACED_HALF;
use super::{Node, Path, Text, Value};

/// Limits of a document. Checked while reading, before anything is kept.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Arrays and objects inside one another.
    pub depth: usize,
    /// Values in all, keys not counted.
    pub values: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 128, values: 1_000_000 }
    }
}

/// Why a text could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct Error {
    pub kind: ErrorKind,
    /// Byte at which reading stopped.
    pub offset: usize,
    /// JSON Pointer of the value being read, if the document was well-formed so far.
    pub pointer: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    #[error("the text ends in the middle of a value")]
    Truncated,
    #[error("not JSON")]
    Syntax,
    #[error("text after the end of the document")]
    Trailing,
    #[error("a control character inside a string")]
    ControlCharacter,
    #[error("half of a surrogate pair, which no Unicode text can hold")]
    LoneSurrogate,
    #[error("the same key twice in one object")]
    DuplicateKey,
    #[error("nested too deeply")]
    TooDeep,
    #[error("too many values")]
    TooMany,
}

impl ErrorKind {
    /// Whether the bytes are no JSON at all, as against JSON that is not accepted.
    pub fn is_malformed(self) -> bool {
        matches!(self, Self::Truncated | Self::Syntax | Self::Trailing | Self::ControlCharacter)
    }
}

/// Reads one document.
pub fn parse(text: &str, limits: Limits) -> Result<Node<'_>, Error> {
    JsonReader::new(text, limits.values).document(&Path::Root, limits.depth)
}

/// Reads documents within the limits that an array of them has. Pointers of errors begin with the
/// index of the document.
pub fn parse_each<'a>(
    texts: impl IntoIterator<Item = &'a str>,
    limits: Limits,
) -> Result<Vec<Node<'a>>, Error> {
    let (mut values, depth) = (limits.values.saturating_sub(1), limits.depth.saturating_sub(1));
    let mut nodes = Vec::new();
    for (at, text) in texts.into_iter().enumerate() {
        let mut reader = JsonReader::new(text, values);
        nodes.push(reader.document(&Path::Root.index(at), depth)?);
        values = reader.values;
    }
    Ok(nodes)
}

/// Reads a body that may be left out: white space alone means an object without members.
pub fn parse_or_empty(text: &str) -> Result<Node<'_>, Error> {
    parse(if text.trim().is_empty() { "{}" } else { text }, Limits::default())
}

struct JsonReader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    values: usize,
    /// Buffer in which escaped strings are put together; kept, so that its room is found only once.
    decoded: String,
}

impl<'a> JsonReader<'a> {
    fn new(text: &'a str, values: usize) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, values, decoded: String::new() }
    }

    fn document(&mut self, path: &Path<'_>, depth: usize) -> Result<Node<'a>, Error> {
        self.space();
        let node = self.value(path, depth)?;
        self.space();
        if self.at < self.bytes.len() {
            return Err(self.fail(ErrorKind::Trailing, path));
        }
        Ok(node)
    }

    fn value(&mut self, path: &Path<'_>, depth: usize) -> Result<Node<'a>, Error> {
        let Some(left) = self.values.checked_sub(1) else {
            return Err(self.fail(ErrorKind::TooMany, path));
        };
        self.values = left;
        let start = self.at;
        let value = match self.peek() {
            Some(b'"') => Value::String(self.string(path)?),
            Some(b'{') => self.object(path, depth)?,
            Some(b'[') => self.array(path, depth)?,
            Some(b't') => self.word("true", Value::Bool(true), path)?,
            Some(b'f') => self.word("false", Value::Bool(false), path)?,
            Some(b'n') => self.word("null", Value::Null, path)?,
            Some(b'-' | b'0'..=b'9') => self.number(path)?,
            Some(_) => return Err(self.fail(ErrorKind::Syntax, path)),
            None => return Err(self.fail(ErrorKind::Truncated, path)),
        };
        Ok(Node { raw: self.slice(start, self.at), value })
    }

    fn object(&mut self, path: &Path<'_>, depth: usize) -> Result<Value<'a>, Error> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(self.fail(ErrorKind::TooDeep, path));
        };
        self.at += 1;
        let mut members: Vec<(Cow<'a, str>, Node<'a>)> = Vec::new();
        let mut seen: HashSet<Cow<'a, str>> = HashSet::new();
        self.space();
        if self.eat(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected(path));
            }
            let key = match self.string(path)? {
                Text::Borrowed(key) => Cow::Borrowed(key),
                Text::Shared(key) | Text::Replaced(key) => Cow::Owned(key.to_string()),
            };
            // A short object is compared key by key; a long one gets a set, so that an object
            // of 100,000 keys stays linear.
            let twice = if members.len() < 16 {
                members.iter().any(|(name, _)| *name == key)
            } else {
                if seen.is_empty() {
                    seen.extend(members.iter().map(|(name, _)| name.clone()));
                }
                !seen.insert(key.clone())
            };
            if twice {
                return Err(self.fail(ErrorKind::DuplicateKey, &path.key(&key)));
            }
            self.space();
            if !self.eat(b':') {
                return Err(self.unexpected(path));
            }
            self.space();
            let node = self.value(&path.key(&key), depth)?;
            members.push((key, node));
            self.space();
            if self.eat(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.eat(b',') {
                return Err(self.unexpected(path));
            }
            self.space();
        }
    }

    fn array(&mut self, path: &Path<'_>, depth: usize) -> Result<Value<'a>, Error> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(self.fail(ErrorKind::TooDeep, path));
        };
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.eat(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            let node = self.value(&path.index(items.len()), depth)?;
            items.push(node);
            self.space();
            if self.eat(b']') {
                return Ok(Value::Array(items));
            }
            if !self.eat(b',') {
                return Err(self.unexpected(path));
            }
            self.space();
        }
    }

    fn string(&mut self, path: &Path<'_>) -> Result<Text<'a>, Error> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        let mut replaced = false;
        let mut copied = start;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(step) = super::scan::next_special(rest) else {
                self.at = self.bytes.len();
                return Err(self.fail(ErrorKind::Truncated, path));
            };
            self.at += step;
            match self.peek() {
                Some(b'"') => {
                    let tail = self.slice(copied, self.at);
                    self.at += 1;
                    if !escaped {
                        return Ok(Text::Borrowed(tail));
                    }
                    self.decoded.push_str(tail);
                    let text = Arc::from(self.decoded.as_str());
                    return Ok(if replaced { Text::Replaced(text) } else { Text::Shared(text) });
                }
                Some(b'\\') => {}
                _ => return Err(self.fail(ErrorKind::ControlCharacter, path)),
            }
            if !escaped {
                escaped = true;
                self.decoded.clear();
            }
            self.decoded.push_str(self.text.get(copied..self.at).unwrap_or_default());
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            replaced = replaced || rest.starts_with(REPLACED_HALF.as_bytes());
            let character = self.escape(path)?;
            self.decoded.push(character);
            copied = self.at;
        }
    }

    /// Reads one escape sequence, the backslash being the next byte.
    fn escape(&mut self, path: &Path<'_>) -> Result<char, Error> {
        self.at += 1;
        let Some(kind) = self.peek() else {
            return Err(self.fail(ErrorKind::Truncated, path));
        };
        self.at += 1;
        Ok(match kind {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let first = self.hex(path)?;
                let code = match first {
                    0xD800..=0xDBFF => {
                        if !(self.eat(b'\\') && self.eat(b'u')) {
                            return Err(self.fail(ErrorKind::LoneSurrogate, path));
                        }
                        let second = self.hex(path)?;
                        if !(0xDC00..=0xDFFF).contains(&second) {
                            return Err(self.fail(ErrorKind::LoneSurrogate, path));
                        }
                        0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
                    }
                    code => code,
                };
                char::from_u32(code).ok_or_else(|| self.fail(ErrorKind::LoneSurrogate, path))?
            }
            _ => return Err(self.fail(ErrorKind::Syntax, path)),
        })
    }

    fn hex(&mut self, path: &Path<'_>) -> Result<u32, Error> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(byte) = self.peek() else {
                return Err(self.fail(ErrorKind::Truncated, path));
            };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(self.fail(ErrorKind::Syntax, path));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn number(&mut self, path: &Path<'_>) -> Result<Value<'a>, Error> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits(path)?;
        }
        if self.eat(b'.') {
            self.digits(path)?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            self.digits(path)?;
        }
        Ok(Value::Number(self.slice(start, self.at)))
    }

    fn digits(&mut self, path: &Path<'_>) -> Result<(), Error> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected(path)) } else { Ok(()) }
    }

    fn word(&mut self, word: &str, value: Value<'a>, path: &Path<'_>) -> Result<Value<'a>, Error> {
        for byte in word.bytes() {
            if !self.eat(byte) {
                return Err(self.unexpected(path));
            }
        }
        Ok(value)
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn unexpected(&self, path: &Path<'_>) -> Error {
        let kind =
            if self.at < self.bytes.len() { ErrorKind::Syntax } else { ErrorKind::Truncated };
        self.fail(kind, path)
    }

    fn fail(&self, kind: ErrorKind, path: &Path<'_>) -> Error {
        Error { kind, offset: self.at, pointer: path.pointer() }
    }
}

#[cfg(test)]
mod tests;
