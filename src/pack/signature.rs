//! The signature of a pack: ed25519 over its canonical JSON.

use std::collections::BTreeMap;

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};

/// Why a pack's signature is not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureFault {
    #[error("the pack is not signed")]
    Missing,
    #[error("no key of this name is known here")]
    UnknownKey,
    #[error("the signature is not one of this document")]
    Invalid,
}

/// The keys that packs may be signed with, by their names.
#[derive(Debug, Clone, Default)]
pub struct PublicKeys {
    keys: BTreeMap<String, [u8; 32]>,
}

impl PublicKeys {
    /// Reads lines of a name and 64 hex digits; empty lines and comments after `#` are skipped. The
    /// error is the number of an invalid line.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut keys = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (name, hex) = line.split_once(char::is_whitespace).ok_or(at + 1)?;
            let key = crate::domain::ContentHash::parse(hex.trim()).ok_or(at + 1)?;
            keys.insert(name.to_owned(), key.0);
        }
        Ok(Self { keys })
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether `signature` is one of the key called `name` over `text`.
    pub(super) fn check(
        &self,
        name: &str,
        text: &str,
        signature: &[u8],
    ) -> Result<(), SignatureFault> {
        let key = self.keys.get(name).ok_or(SignatureFault::UnknownKey)?;
        let key = UnparsedPublicKey::new(&ED25519, key);
        key.verify(text.as_bytes(), signature).map_err(|_| SignatureFault::Invalid)
    }
}
