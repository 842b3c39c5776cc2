//! What an original is called by.

use sha2::{Digest, Sha256};

/// The id of a text's artifact: the first 24 hex digits of its SHA-256 (DESIGN §2, rule 6).
pub fn artifact_id(text: &str) -> String {
    use std::fmt::Write as _;
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(12).fold(String::with_capacity(24), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_the_head_of_the_digest() {
        // The first of SHA-256's published vectors.
        assert_eq!(artifact_id("abc"), "ba7816bf8f01cfea414140de");
    }
}
