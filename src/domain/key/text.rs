//! The text of a key: `cx_live_`, 16 public characters, `_`, 43 secret ones, 6 of a checksum.
//!
//! Characters are letters and digits, so 43 of them are 256 bits. The checksum is a CRC-32 over
//! everything before it: a typo is refused without a lookup in the store, and scanners for leaked
//! secrets can tell keys from other words.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::domain::ContentHash;

const PREFIX: &str = "cx_live_";
const PUBLIC_CHARS: usize = 16;
const SECRET_CHARS: usize = 43;
const CHECK_CHARS: usize = 6;
const BASE62_DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A key's text, complete or as a caller sent it. Hidden from `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyText(String);

/// The stored hash of a secret. The secret has 256 random bits, so a fast hash is as good as a slow
/// one.
#[derive(Clone, Copy)]
pub struct KeyHash(pub [u8; 32]);

impl KeyText {
    /// Random bytes that [`Self::from_random`] needs at least; more if many are skipped.
    pub const RANDOM_BYTES: usize = 128;

    /// Makes a key of random bytes; `None` if there are too few. Bytes that would favour some
    /// characters are skipped.
    pub fn from_random(bytes: &[u8]) -> Option<Self> {
        const FAIR_BYTES: u8 = 62 * 4;
        let mut digits = bytes.iter().filter(|byte| **byte < FAIR_BYTES).filter_map(|byte| {
            BASE62_DIGITS
                .get(usize::from(*byte) % BASE62_DIGITS.len())
                .map(|digit| char::from(*digit))
        });
        let mut text = PREFIX.to_owned();
        text.extend(digits.by_ref().take(PUBLIC_CHARS));
        text.push('_');
        text.extend(digits.take(SECRET_CHARS));
        if text.len() != PREFIX.len() + PUBLIC_CHARS + 1 + SECRET_CHARS {
            return None;
        }
        let check = check(&text);
        text.push_str(&check);
        Some(Self(text))
    }

    /// A text that has the form of a key, and the right check.
    pub fn parse(text: &str) -> Option<Self> {
        let (body, given) = text.split_at_checked(text.len().checked_sub(CHECK_CHARS)?)?;
        let (public, secret) = body.strip_prefix(PREFIX)?.split_once('_')?;
        let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let has_form = public.len() == PUBLIC_CHARS
            && secret.len() == SECRET_CHARS
            && is_plain(public)
            && is_plain(secret)
            && check(body) == given;
        has_form.then(|| Self(text.to_owned()))
    }

    /// The public part: what the key is called by.
    pub fn id(&self) -> Arc<str> {
        self.0.get(PREFIX.len()..PREFIX.len() + PUBLIC_CHARS).unwrap_or_default().into()
    }

    /// The hash of the secret part.
    pub fn hash(&self) -> KeyHash {
        let start = PREFIX.len() + PUBLIC_CHARS + 1;
        KeyHash::new(self.0.get(start..start + SECRET_CHARS).unwrap_or_default())
    }

    /// The whole text: to be shown once, and never logged.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyText({}…)", self.id())
    }
}

impl KeyHash {
    pub fn new(secret: &str) -> Self {
        Self(Sha256::digest(secret).into())
    }

    /// From 64 hex digits in lower case.
    pub fn from_hex(text: &str) -> Option<Self> {
        ContentHash::parse(text).map(|hash| Self(hash.0))
    }

    pub fn to_hex(self) -> String {
        ContentHash(self.0).to_string()
    }
}

/// Takes the same time whatever differs.
impl PartialEq for KeyHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for KeyHash {}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash")
    }
}

/// Six digits of base 62 represent any number of 32 bits.
fn check(text: &str) -> String {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut digits = [b'0'; CHECK_CHARS];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62_DIGITS.get((rest % 62) as usize).copied().unwrap_or(b'0');
        rest /= 62;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn some() -> KeyText {
        KeyText::from_random(&std::array::from_fn::<u8, 64, _>(|at| at.try_into().unwrap()))
            .unwrap()
    }

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let key = some();
        assert_eq!(key.reveal().len(), 74);
        assert_eq!(key.reveal().get(..25), Some("cx_live_0123456789ABCDEF_"));
        let read = KeyText::parse(key.reveal()).unwrap();
        assert_eq!((read.id(), read.hash()), (key.id(), key.hash()));
        assert_eq!(KeyHash::from_hex(&key.hash().to_hex()), Some(key.hash()));
        assert!(!format!("{key:?}").contains("GHIJ"));
    }

    #[test]
    fn every_typo_is_refused() {
        let text = some().reveal().to_owned();
        for at in 0..text.len() {
            let mut other = text.clone();
            let typo = if other.get(at..=at) == Some("z") { "y" } else { "z" };
            other.replace_range(at..=at, typo);
            assert_eq!(KeyText::parse(&other), None, "{other}");
            assert_eq!(KeyText::parse(&text[..at]), None);
        }
        for bad in ["", "cx_live_", "é".repeat(37).as_str(), &text.replace('_', "-")] {
            assert_eq!(KeyText::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn too_little_chance_makes_no_key() {
        assert_eq!(KeyText::from_random(&[7; 58]), None);
        assert_eq!(KeyText::from_random(&[255; 500]), None);
        for bad in ["", "0", "+f", &"g".repeat(64), &"0".repeat(63), &"0".repeat(66)] {
            assert_eq!(KeyHash::from_hex(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn random_bytes_make_a_key_that_is_read_back(bytes in proptest::collection::vec(0_u8..248, 59..200)) {
            let key = KeyText::from_random(&bytes).unwrap();
            prop_assert_eq!(KeyText::parse(key.reveal()), Some(key));
        }

        #[test]
        fn no_text_panics(text in "(cx_live_)?\\PC{0,90}") {
            let _ = KeyText::parse(&text);
        }
    }
}
