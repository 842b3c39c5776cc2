//! Hash-chained logs: each entry contains the hash of the entry before.

use sha2::{Digest as _, Sha256};

use super::ContentHash;

/// An entry's place in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainLink {
    /// From 1, one more with each entry of its log.
    pub seq: u64,
    /// The hash of the entry before; 32 zero bytes for the first.
    pub prev_hash: ContentHash,
    /// SHA-256 over the 32 bytes of `prev_hash` and the entry's text.
    pub hash: ContentHash,
}

impl ChainLink {
    /// The previous hash of the first entry.
    pub const START: ContentHash = ContentHash([0; 32]);

    /// The link of the entry `body` after one with `prev_hash`.
    pub fn new(seq: u64, prev_hash: ContentHash, body: &str) -> Self {
        let hash = Sha256::new().chain_update(prev_hash.0).chain_update(body.as_bytes());
        Self { seq, prev_hash, hash: ContentHash(hash.finalize().into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_depends_on_the_text_and_on_all_before_it() {
        let first = ChainLink::new(1, ChainLink::START, "{}");
        // The first is the SHA-256 of 32 zero bytes and `{}`.
        assert_eq!(
            first.hash.to_string(),
            ContentHash::of(&format!("{}{{}}", "\0".repeat(32))).to_string()
        );
        let second = ChainLink::new(2, first.hash, "{}");
        assert_ne!(first.hash, second.hash);
        assert_ne!(ChainLink::new(1, ChainLink::START, "{ }").hash, first.hash);
    }
}
