//! A context pack as it was published, without its document.

use std::sync::Arc;

use super::{ContentHash, Timestamp};

/// A version of a pack. It never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPack {
    pub id: Arc<str>,
    /// The three numbers of the version.
    pub version: [u64; 3],
    /// SHA-256 of the document's canonical JSON.
    pub digest: ContentHash,
    pub is_signed: bool,
    pub created_at: Timestamp,
}

impl StoredPack {
    /// `id@version`.
    pub fn reference(&self) -> String {
        format!("{}@{}", self.id, self.version_text())
    }

    pub fn version_text(&self) -> String {
        let [major, minor, patch] = self.version;
        format!("{major}.{minor}.{patch}")
    }
}
