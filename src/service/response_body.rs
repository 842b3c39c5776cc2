//! The JSON text of a response in parts.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;

/// The JSON text of a response in two parts, one after the other: a payload of some megabytes is
/// shared with what stores it, and not copied to stand before its report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseBody {
    start: Bytes,
    rest: Bytes,
}

impl ResponseBody {
    pub fn new(start: Bytes, rest: String) -> Self {
        Self { start, rest: rest.into() }
    }

    /// The first part.
    pub fn start(&self) -> &Bytes {
        &self.start
    }

    /// The parts in their order; the last may be empty.
    pub fn into_parts(self) -> [Bytes; 2] {
        [self.start, self.rest]
    }

    /// The text, which is copied if it has two parts.
    pub fn text(&self) -> Cow<'_, str> {
        let start = text_of(&self.start);
        if self.rest.is_empty() {
            return start.into();
        }
        let mut text = String::with_capacity(self.start.len() + self.rest.len());
        text.push_str(start);
        text.push_str(text_of(&self.rest));
        text.into()
    }
}

impl fmt::Display for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text_of(&self.start))?;
        f.write_str(text_of(&self.rest))
    }
}

impl From<Bytes> for ResponseBody {
    fn from(start: Bytes) -> Self {
        Self { start, rest: Bytes::new() }
    }
}

impl From<String> for ResponseBody {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

/// A part as text, which each of them was.
fn text_of(part: &Bytes) -> &str {
    std::str::from_utf8(part).unwrap_or_default()
}
