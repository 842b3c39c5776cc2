//! The blocks that mode `session` put after a message, and their stored form.
//!
//! They are known by the place of the message, like decisions, and by a key: another key of the tenant,
//! which may have another memory, never gets them. A key that replaces it, with defaults that show the same,
//! does.

use std::sync::Arc;

use super::lineage::LineageHash;
use super::outline::RequestOutline;

/// The version of the stored form, its first byte.
const VERSION: u8 = 1;
/// The stored form of a place at which no blocks were put.
pub const NO_BLOCKS: &[u8] = &[VERSION];
/// What is hashed after the place of a message.
const DOMAIN: &[u8] = b"session blocks";
/// The same, for the row that names the key of the blocks of a list.
const OWNER_DOMAIN: &[u8] = b"owner of session blocks";

/// The texts that were put after a message, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionBlocks(pub Vec<Arc<str>>);

impl LineageHash {
    /// The hash by which the blocks are known that a key had put after this message.
    #[must_use]
    pub fn of_blocks(&self, key: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0).update(DOMAIN).update(key.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }

    /// The hash by which the key is known whose blocks are in the list that begins with this message.
    /// `shown`: what the defaults of the key show.
    #[must_use]
    pub fn of_block_owner(&self, shown: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0).update(OWNER_DOMAIN).update(shown.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }
}

impl RequestOutline {
    /// The messages after which a request of this list, or of a shorter one that it continues, may have put
    /// blocks: the last ones before each response of the model, and the last one of all.
    pub fn block_messages(&self) -> Vec<usize> {
        let ends = |index: usize| self.messages.get(index + 1).is_none_or(|next| next.is_of_model);
        let takes = self.messages.iter().enumerate();
        takes
            .filter(|(index, message)| message.block_place.is_some() && ends(*index))
            .map(|(index, _)| index)
            .collect()
    }
}

impl SessionBlocks {
    /// Bytes of the texts.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|text| text.len()).sum()
    }

    /// Returns the stored form.
    pub fn pack(&self) -> Vec<u8> {
        let mut out = NO_BLOCKS.to_vec();
        for text in &self.0 {
            out.extend_from_slice(&(text.len() as u64).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
        out
    }

    /// Reads the stored form; none if it is damaged.
    pub fn unpack(mut packed: &[u8]) -> Option<Self> {
        if *packed.split_off_first()? != VERSION {
            return None;
        }
        let mut found = Self::default();
        while !packed.is_empty() {
            let (bytes, rest) = packed.split_first_chunk::<8>()?;
            let (text, rest) =
                rest.split_at_checked(usize::try_from(u64::from_le_bytes(*bytes)).ok()?)?;
            found.0.push(std::str::from_utf8(text).ok()?.into());
            packed = rest;
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::ProviderEndpoint;
    use crate::json::{Limits, parse};

    #[test]
    fn blocks_are_read_as_they_were_written() {
        let blocks = SessionBlocks(vec!["a".into(), "é\n".repeat(300).into(), "".into()]);
        let packed = blocks.pack();
        assert_eq!(SessionBlocks::unpack(&packed), Some(blocks.clone()));
        assert_eq!(blocks.bytes(), 901);
        assert_eq!(SessionBlocks::unpack(NO_BLOCKS), Some(SessionBlocks::default()));
        for damaged in [&packed[..packed.len() - 9], &packed[..5], &[0], &[]] {
            assert_eq!(SessionBlocks::unpack(damaged), None, "{damaged:?}");
        }
    }

    #[test]
    fn a_place_is_of_its_key() {
        let place = LineageHash([7; 32]);
        assert_eq!(place.of_blocks("a"), place.of_blocks("a"));
        assert_ne!(place.of_blocks("a"), place.of_blocks("b"));
        assert_ne!(place.of_blocks("a"), place.of_compaction());
        assert_ne!(place.of_blocks("a"), place.of_block_owner("a"));
        assert_ne!(place.of_block_owner("a"), place.of_block_owner("b"));
    }

    #[test]
    fn blocks_are_after_the_last_message_before_a_response() {
        let body = r#"{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"},
            {"role":"assistant","content":"c"},{"role":"assistant","content":"d"},
            {"role":"system","content":"s"},{"role":"assistant","content":"d"},
            {"role":"user","content":"e"}]}"#;
        let node = parse(body, Limits::default()).unwrap();
        let outline = RequestOutline::read(ProviderEndpoint::Messages, body, &node).unwrap();
        assert_eq!(outline.block_messages(), [1, 6]);
    }
}
