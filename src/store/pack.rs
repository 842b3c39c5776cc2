//! Texts in their stored form: compressed if that saves space.

use std::sync::Arc;

use zstd::bulk::{Compressor, Decompressor};

use super::Error;
use crate::domain::ContentHash;

/// A text in its stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackedText {
    pub(super) form: StoredForm,
    /// Bytes of the text.
    pub(super) size: usize,
    pub(super) content: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoredForm {
    Plain,
    Zstd,
}

/// Below this, a frame's own bytes eat what it saves.
const MIN_PACKED_BYTES: usize = 1024;
/// The fastest level that still halves most tool results.
const ZSTD_LEVEL: i32 = 1;

#[derive(Debug, thiserror::Error)]
#[error("the content of {hash:?} is not what was stored")]
struct DamagedText {
    hash: ContentHash,
}

/// Packs and unpacks text after text: what zstd sets up costs more than a short text itself.
#[derive(Default)]
pub(super) struct Packer {
    compressor: Option<Compressor<'static>>,
    decompressor: Option<Decompressor<'static>>,
}

impl Packer {
    pub(super) fn pack(&mut self, text: &str) -> PackedText {
        let size = text.len();
        let (form, content) = match self.compress(text) {
            Some(content) => (StoredForm::Zstd, content),
            None => (StoredForm::Plain, text.as_bytes().to_vec()),
        };
        PackedText { form, size, content }
    }

    /// A frame that is shorter than the text.
    fn compress(&mut self, text: &str) -> Option<Vec<u8>> {
        if text.len() < MIN_PACKED_BYTES {
            return None;
        }
        if self.compressor.is_none() {
            self.compressor = Compressor::new(ZSTD_LEVEL).ok();
        }
        let content = self.compressor.as_mut()?.compress(text.as_bytes()).ok()?;
        (content.len() < text.len()).then_some(content)
    }

    /// The text, once it is certain that it is the one that was stored.
    pub(super) fn unpack(
        &mut self,
        packed: PackedText,
        hash: &ContentHash,
    ) -> Result<String, Error> {
        let bytes = match packed.form {
            StoredForm::Plain => Some(packed.content),
            StoredForm::Zstd => self.decompress(&packed),
        };
        bytes
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .filter(|text| ContentHash::of(text) == *hash)
            .ok_or_else(|| Error::Corrupt(Arc::new(DamagedText { hash: *hash })))
    }

    fn decompress(&mut self, packed: &PackedText) -> Option<Vec<u8>> {
        if self.decompressor.is_none() {
            self.decompressor = Decompressor::new().ok();
        }
        self.decompressor.as_mut()?.decompress(&packed.content, packed.size).ok()
    }
}

impl StoredForm {
    pub(super) const fn code(self) -> i64 {
        match self {
            Self::Plain => 0,
            Self::Zstd => 1,
        }
    }

    /// An unknown code is read as plain text; the hash then does not match.
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
            let packed = Packer::default().pack(&text);
            assert_eq!(packed.form == StoredForm::Zstd, text.len() >= MIN_PACKED_BYTES);
            assert!(packed.content.len() <= text.len());
            assert_eq!(Packer::default().unpack(packed, &ContentHash::of(&text)).unwrap(), text);
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        for text in ["short".to_owned(), "a line\n".repeat(1000)] {
            for form in [StoredForm::Plain, StoredForm::Zstd] {
                let mut packed = Packer::default().pack(&text);
                packed.form = form;
                *packed.content.last_mut().unwrap() ^= 1;
                let result = Packer::default().unpack(packed, &ContentHash::of(&text));
                assert!(matches!(result, Err(Error::Corrupt(_))));
            }
        }
    }
}
