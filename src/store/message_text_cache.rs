//! Texts of messages that this process stored or read, so that a turn of a long session reads only
//! those that it has not seen.

use std::fmt;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::domain::ContentHash;

/// Bytes of texts that are kept.
const MAX_BYTES: u64 = 64 << 20;
/// Texts that are expected: the cache's tables begin with room for them.
const EXPECTED_TEXTS: usize = 1024;
/// Bytes of memory that an entry takes beside its text.
const ENTRY_BYTES: u64 = 96;

/// Texts by their digest, which says what they are: nothing here goes out of date, and a text is
/// given out only where rows of the caller name its digest.
pub(super) struct MessageTextCache(Cache<ContentHash, Arc<str>, TextWeight>);

#[derive(Clone)]
struct TextWeight;

impl Weighter<ContentHash, Arc<str>> for TextWeight {
    fn weight(&self, _: &ContentHash, text: &Arc<str>) -> u64 {
        ENTRY_BYTES + text.len() as u64
    }
}

impl Default for MessageTextCache {
    fn default() -> Self {
        Self(Cache::with_weighter(EXPECTED_TEXTS, MAX_BYTES, TextWeight))
    }
}

impl fmt::Debug for MessageTextCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageTextCache").field("texts", &self.0.len()).finish_non_exhaustive()
    }
}

impl MessageTextCache {
    pub(super) fn get(&self, hash: &ContentHash) -> Option<Arc<str>> {
        self.0.get(hash)
    }

    pub(super) fn put(&self, hash: ContentHash, text: &Arc<str>) {
        self.0.insert(hash, Arc::clone(text));
    }

    #[cfg(test)]
    pub(super) fn clear(&self) {
        self.0.clear();
    }

    pub(super) fn remove(&self, hash: &ContentHash) {
        self.0.remove(hash);
    }
}
