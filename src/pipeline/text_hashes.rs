//! Hashes of texts that earlier compiles of this process have hashed.

use std::fmt;

use quick_cache::sync::Cache;

use crate::domain::ContentHash;
use crate::tokenizer::Digest;

/// Texts whose hashes are remembered: some 6 MB.
const MAX_ITEMS: usize = 1 << 16;
/// A shorter text is hashed in the time that a look takes.
const MIN_BYTES: usize = 256;

/// The SHA-256 of texts, remembered by [`Digest`]. An agent sends its history with each request, and
/// records hash all of it.
pub(super) struct TextHashes(Cache<Digest, ContentHash>);

impl Default for TextHashes {
    fn default() -> Self {
        Self(Cache::new(MAX_ITEMS))
    }
}

impl fmt::Debug for TextHashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TextHashes").field(&self.0.len()).finish()
    }
}

impl TextHashes {
    pub(super) fn get(&self, text: &str) -> ContentHash {
        if text.len() < MIN_BYTES {
            return ContentHash::of(text);
        }
        let digest = Digest::from_text(text);
        self.0.get(&digest).unwrap_or_else(|| {
            let hash = ContentHash::of(text);
            self.0.insert(digest, hash);
            hash
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remembered_hash_is_that_of_the_text() {
        let hashes = TextHashes::default();
        for text in ["short".to_owned(), "long ".repeat(200), "long, too ".repeat(200)] {
            for _ in 0..2 {
                assert_eq!(hashes.get(&text), ContentHash::of(&text));
            }
        }
        assert_eq!(hashes.0.len(), 2);
    }
}
