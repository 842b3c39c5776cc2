//! Secrets at rest: sealed with a key of the operator, for one tenant and one purpose.
//!
//! XChaCha20-Poly1305, whose nonces are long enough to be drawn at random on any number of nodes. A
//! secret that was sealed for one tenant or hook does not open for another.

use std::fmt::{self, Write as _};

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret as _, SecretBox, SecretString};
use sha2::{Digest as _, Sha256};

const SEAL_VERSION: u8 = 1;
/// Bytes of a key, of the name of a key, and of a nonce.
const KEY_BYTES: usize = 32;
const KEY_NAME_BYTES: usize = 4;
const NONCE_BYTES: usize = 24;

/// Keys that secrets are sealed with: the first seals, all open.
#[derive(Default)]
pub struct Keyring(Vec<MasterKey>);

struct MasterKey {
    name: [u8; KEY_NAME_BYTES],
    bytes: SecretBox<[u8; KEY_BYTES]>,
}

/// The purpose and the owner of a secret. A sealed text opens only for the same three values.
#[derive(Debug, Clone, Copy)]
pub struct Purpose<'p> {
    /// A word such as `whsec`.
    pub what: &'p str,
    pub tenant: &'p str,
    /// Id of the thing that it belongs to.
    pub of: &'p str,
}

/// Why a secret cannot be sealed or opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// 503: the operator must configure a key.
    #[error("there is no master key to keep secrets with")]
    NoKey,
    /// The key that it was sealed with is not among the given ones.
    #[error("the master key that this was sealed with is missing")]
    UnknownKey,
    /// The sealed text was changed, cut, or sealed for another purpose.
    #[error("what was sealed does not open")]
    Broken,
    /// The machine's random source gave nothing.
    #[error("there is no random source")]
    NoRandom,
}

/// Why a file of keys cannot be read. Lines are counted from 1; their text is never shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is not 64 hex digits")]
pub struct BadKey {
    pub line: usize,
}

impl Keyring {
    /// Reads lines of 64 hex digits. Empty lines and those that begin with `#` are skipped.
    pub fn parse(text: &str) -> Result<Self, BadKey> {
        let mut keys = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let bytes = hex(line).ok_or(BadKey { line: index + 1 })?;
            keys.push(MasterKey::new(bytes));
        }
        Ok(Self(keys))
    }

    /// Generates one key from the system's random source, for the lifetime of the process; `None`
    /// if that fails.
    pub fn generate() -> Option<Self> {
        Some(Self(vec![MasterKey::new(Self::random_key()?)]))
    }

    /// Generates a line of a key file; `None` if the random source fails.
    pub fn generate_line() -> Option<SecretString> {
        let bytes = Self::random_key()?;
        let mut line = String::with_capacity(2 * KEY_BYTES + 1);
        for byte in bytes.iter() {
            let _ = write!(line, "{byte:02x}");
        }
        line.push('\n');
        Some(line.into())
    }

    fn random_key() -> Option<Box<[u8; KEY_BYTES]>> {
        let mut bytes = Box::new([0; KEY_BYTES]);
        getrandom::fill(bytes.as_mut_slice()).ok()?;
        Some(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Seals with the first key.
    pub fn seal(&self, purpose: Purpose<'_>, plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let key = self.0.first().ok_or(SealError::NoKey)?;
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| SealError::NoRandom)?;
        let aad = purpose.aad();
        let payload = Payload { msg: plain, aad: &aad };
        let sealed = key.cipher().encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| SealError::Broken)?;
        Ok([&[SEAL_VERSION][..], &key.name, &nonce, &sealed].concat())
    }

    /// Opens with the key that it was sealed with.
    pub fn open(&self, purpose: Purpose<'_>, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        if self.is_empty() {
            return Err(SealError::NoKey);
        }
        let Some((&SEAL_VERSION, rest)) = sealed.split_first() else {
            return Err(SealError::Broken);
        };
        let (name, rest) = rest.split_first_chunk::<KEY_NAME_BYTES>().ok_or(SealError::Broken)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_BYTES>().ok_or(SealError::Broken)?;
        let key = self.0.iter().find(|key| key.name == *name).ok_or(SealError::UnknownKey)?;
        let aad = purpose.aad();
        let payload = Payload { msg: sealed, aad: &aad };
        key.cipher().decrypt(&XNonce::from(*nonce), payload).map_err(|_| SealError::Broken)
    }

    /// Whether it was sealed with another key than the current one.
    pub fn is_old(&self, sealed: &[u8]) -> bool {
        let name = sealed.get(1..=KEY_NAME_BYTES);
        self.0.first().is_some_and(|key| name != Some(&key.name[..]))
    }
}

impl MasterKey {
    fn new(bytes: Box<[u8; KEY_BYTES]>) -> Self {
        let mut name = [0; KEY_NAME_BYTES];
        for (to, from) in name.iter_mut().zip(Sha256::digest(bytes.as_slice())) {
            *to = from;
        }
        Self { name, bytes: SecretBox::new(bytes) }
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(self.bytes.expose_secret().into())
    }
}

impl Purpose<'_> {
    /// Lengths come before the words, so no two purposes have the same text.
    fn aad(&self) -> Vec<u8> {
        let Self { what, tenant, of } = self;
        format!("{}:{what}|{}:{tenant}|{of}", what.len(), tenant.len()).into_bytes()
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyring({} keys)", self.0.len())
    }
}

fn hex(text: &str) -> Option<Box<[u8; KEY_BYTES]>> {
    if text.len() != 2 * KEY_BYTES {
        return None;
    }
    let mut digits = text.chars().map(|digit| u8::try_from(digit.to_digit(16)?).ok());
    let mut bytes = Box::new([0; KEY_BYTES]);
    for byte in bytes.iter_mut() {
        *byte = digits.next()?? << 4 | digits.next()??;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OLD: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const NEW: &str = "FF0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    fn ring(lines: &[&str]) -> Keyring {
        Keyring::parse(&lines.join("\n")).unwrap()
    }

    fn purpose<'p>(tenant: &'p str, of: &'p str) -> Purpose<'p> {
        Purpose { what: "whsec", tenant, of }
    }

    #[test]
    fn the_first_key_seals_and_all_open() {
        let for_hook = purpose("t", "h");
        let sealed = ring(&[OLD]).seal(for_hook, b"secret").unwrap();
        let both = ring(&["# new", NEW, "", OLD]);
        assert_eq!(both.open(for_hook, &sealed).unwrap(), b"secret");
        assert!(both.is_old(&sealed) && !ring(&[OLD]).is_old(&sealed));
        let again = both.seal(for_hook, b"secret").unwrap();
        assert!(!both.is_old(&again) && again != both.seal(for_hook, b"secret").unwrap());
        assert_eq!(ring(&[OLD]).open(for_hook, &again), Err(SealError::UnknownKey));
        assert_eq!(Keyring::default().open(for_hook, &again), Err(SealError::NoKey));
        assert_eq!(Keyring::default().seal(for_hook, b"x"), Err(SealError::NoKey));
    }

    #[test]
    fn what_was_sealed_for_one_opens_for_no_other() {
        let ring = ring(&[OLD]);
        let sealed = ring.seal(purpose("t", "h"), b"secret").unwrap();
        for other in [
            purpose("t", "i"),
            purpose("u", "h"),
            purpose("t|h", ""),
            Purpose { what: "x", tenant: "t", of: "h" },
        ] {
            assert_eq!(ring.open(other, &sealed), Err(SealError::Broken));
        }
    }

    #[test]
    fn keys_are_lines_of_hex_and_are_never_shown() {
        for (text, line) in
            [("x", 1), (&OLD[1..], 1), (&format!("{OLD}\n{OLD}0"), 2), (&"é".repeat(32), 1)]
        {
            assert_eq!(Keyring::parse(text).unwrap_err(), BadKey { line });
        }
        assert_eq!(format!("{:?}", ring(&[OLD])), "Keyring(1 keys)");
        assert!(Keyring::parse("# none\n").unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn a_changed_byte_is_found(plain in prop::collection::vec(any::<u8>(), 0..80), at in any::<prop::sample::Index>(), bit in 0..8_u8) {
            let ring = ring(&[OLD]);
            let mut sealed = ring.seal(purpose("t", "h"), &plain).unwrap();
            prop_assert_eq!(ring.open(purpose("t", "h"), &sealed).unwrap(), plain);
            let at = at.index(sealed.len());
            sealed[at] ^= 1_u8 << bit;
            prop_assert!(ring.open(purpose("t", "h"), &sealed).is_err());
            prop_assert!(ring.open(purpose("t", "h"), &sealed[..at]).is_err());
        }
    }
}
