//! An artifact: an original text outside of the payload, named by its content.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::Timestamp;

/// The SHA-256 of a text's UTF-8 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hashes a text; one that is written as digits is read by [`Self::parse`].
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// The 64 digits, in lower case.
    pub fn digits(&self) -> [u8; 64] {
        let mut digits = [0; 64];
        hex_into(&mut digits, &self.0);
        digits
    }

    /// Reads 64 hex digits in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let mut hash = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != hash.len() || !rest.is_empty() {
            return None;
        }
        for (byte, [high, low]) in hash.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Self(hash))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

/// The id of an artifact: the first 24 hex digits of its content's hash.
///
/// The only way to read one is [`Self::parse`], so an id can never name anything else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactId([u8; Self::ID_BYTES]);

impl ArtifactId {
    const ID_BYTES: usize = 12;

    /// The id of a text's artifact.
    pub fn of_text(text: &str) -> Self {
        Self::from(&ContentHash::of(text))
    }

    pub const fn from_bytes(bytes: [u8; Self::ID_BYTES]) -> Self {
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; Self::ID_BYTES] {
        &self.0
    }

    /// Reads 24 hex digits in lower case, and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 2 * Self::ID_BYTES {
            return None;
        }
        let mut id = [0; Self::ID_BYTES];
        let (pairs, _) = text.as_bytes().as_chunks::<2>();
        for (byte, [high, low]) in id.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Self(id))
    }
}

fn digit(hex: u8) -> Option<u8> {
    match hex {
        b'0'..=b'9' => Some(hex - b'0'),
        b'a'..=b'f' => Some(hex - b'a' + 10),
        _ => None,
    }
}

fn write_hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut digits = [0; 64];
    hex_into(&mut digits, bytes);
    let shown = digits.get(..2 * bytes.len()).unwrap_or_default();
    f.write_str(std::str::from_utf8(shown).unwrap_or_default())
}

/// Two digits a byte, in lower case.
fn hex_into(digits: &mut [u8], bytes: &[u8]) {
    let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
    for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
}

impl From<&ContentHash> for ArtifactId {
    fn from(hash: &ContentHash) -> Self {
        let mut id = [0; Self::ID_BYTES];
        for (to, from) in id.iter_mut().zip(hash.0) {
            *to = from;
        }
        Self(id)
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl serde::Serialize for ArtifactId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Facts about an artifact that are not in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    pub id: ArtifactId,
    /// The whole hash, of which the id is the beginning.
    pub hash: ContentHash,
    pub media_type: String,
    /// Bytes of UTF-8.
    pub bytes: u64,
    /// Line feeds and one.
    pub lines: u64,
    /// When it was stored first, when last, and when it was last read or stored.
    pub created_at: Timestamp,
    pub renewed_at: Timestamp,
    pub accessed_at: Timestamp,
    pub expires_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_beginning_of_the_hash() {
        let hash = ContentHash::of(&"A".repeat(60));
        let id = ArtifactId::from(&hash);
        assert_eq!(id.to_string(), "c5fb235befd875b915fa6c47");
        assert!(format!("{hash:?}").starts_with(&id.to_string()));
        assert_eq!(ArtifactId::parse(&id.to_string()), Some(id));
    }

    #[test]
    fn nothing_but_24_digits_in_lower_case_is_an_id() {
        for bad in [
            "",
            "../secret",
            "C5FB235BEFD875B915FA6C47",
            "c5fb235befd875b915fa6c4",
            "c5fb235befd875b915fa6c470",
            "c5fb235befd875b915fa6c4g",
            "éééééééééééé",
        ] {
            assert_eq!(ArtifactId::parse(bad), None, "{bad}");
        }
    }
}
