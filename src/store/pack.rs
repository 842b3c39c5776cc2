//! Texts as they are stored: compressed where that pays.

use std::sync::Arc;

use super::Error;
use crate::domain::ContentHash;

/// A text in its stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) form: Form,
    /// Bytes of the text.
    pub(super) size: usize,
    pub(super) content: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    Zstd,
}

/// Below this, a frame's own bytes eat what it saves.
const WORTH_PACKING: usize = 1024;
/// The fastest level that still halves most tool results.
const LEVEL: i32 = 1;

#[derive(Debug, thiserror::Error)]
#[error("the content of {hash:?} is not what was stored")]
struct Damaged {
    hash: ContentHash,
}

impl Packed {
    pub(super) fn new(text: &str) -> Self {
        let size = text.len();
        if size >= WORTH_PACKING
            && let Ok(content) = zstd::bulk::compress(text.as_bytes(), LEVEL)
            && content.len() < size
        {
            return Self { form: Form::Zstd, size, content };
        }
        Self { form: Form::Plain, size, content: text.as_bytes().to_vec() }
    }

    /// The text, once it is certain that it is the one that was stored.
    pub(super) fn unpack(self, hash: &ContentHash) -> Result<String, Error> {
        let bytes = match self.form {
            Form::Plain => Some(self.content),
            Form::Zstd => zstd::bulk::decompress(&self.content, self.size).ok(),
        };
        bytes
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .filter(|text| ContentHash::of(text) == *hash)
            .ok_or_else(|| Error::Corrupt(Arc::new(Damaged { hash: *hash })))
    }
}

impl Form {
    pub(super) const fn code(self) -> i64 {
        match self {
            Self::Plain => 0,
            Self::Zstd => 1,
        }
    }

    /// A code that is not known is read as plain, and the hash then tells.
    pub(super) const fn of_code(code: i64) -> Self {
        if code == 1 { Self::Zstd } else { Self::Plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_get_shorter_and_come_back() {
        for text in [String::new(), "é".repeat(100), "a line\n".repeat(1000)] {
            let packed = Packed::new(&text);
            assert_eq!(packed.form == Form::Zstd, text.len() >= WORTH_PACKING);
            assert!(packed.content.len() <= text.len());
            assert_eq!(packed.unpack(&ContentHash::of(&text)).unwrap(), text);
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        for text in ["short".to_owned(), "a line\n".repeat(1000)] {
            for form in [Form::Plain, Form::Zstd] {
                let mut packed = Packed::new(&text);
                packed.form = form;
                *packed.content.last_mut().unwrap() ^= 1;
                let result = packed.unpack(&ContentHash::of(&text));
                assert!(matches!(result, Err(Error::Corrupt(_))));
            }
        }
    }
}
