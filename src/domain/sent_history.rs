//! What a session has sent to a provider that binds its thinking to the bytes before it.
//!
//! A signed thinking block of such a model is valid only while everything before it is what it was
//! when the block was made
//! (<https://platform.claude.com/docs/en/build-with-claude/preserved-thinking>). So a session keeps the
//! hash of each payload by the length of its list, and the state, context and memory data that were
//! put into it, so that they stay where they were.

use std::fmt;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ContentHash;

/// Payloads whose hashes a session keeps.
pub const MAX_SENT_PREFIXES: usize = 2_048;
/// Bytes of blocks that a session keeps. If they are more, the older half is forgotten at once, since
/// each block that goes costs the thinking after it.
pub const MAX_SENT_BLOCK_BYTES: usize = 256 * 1024;

/// The first 64 bits of a content hash; 16 hexadecimal digits as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PrefixHash(u64);

impl From<ContentHash> for PrefixHash {
    fn from(hash: ContentHash) -> Self {
        let mut first = [0; 8];
        first.iter_mut().zip(hash.0).for_each(|(to, from)| *to = from);
        Self(u64::from_be_bytes(first))
    }
}

impl PrefixHash {
    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hash = text.len() == 16 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        u64::from_str_radix(text, 16).ok().filter(|_| is_hash).map(Self)
    }
}

impl fmt::Display for PrefixHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for PrefixHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PrefixHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("no hash of 16 hexadecimal digits"))
    }
}

/// A payload that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentPrefix {
    /// Messages of the request's list.
    pub length: u64,
    /// The payload without thinking and cache marks.
    pub hash: PrefixHash,
    /// The last thinking block in it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<PrefixHash>,
}

/// A text of ours at the end of a message of the caller's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentBlock {
    /// The index of the message in the request's list.
    pub at: u64,
    /// The message without the block.
    pub message: PrefixHash,
    pub text: Arc<str>,
}

/// Everything that a session keeps of its payloads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentHistory {
    /// In the order in which they were sent.
    #[serde(default)]
    pub prefixes: Vec<SentPrefix>,
    /// In the order of their messages.
    #[serde(default)]
    pub blocks: Vec<SentBlock>,
}

/// What one payload adds to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentUpdate {
    pub prefix: SentPrefix,
    /// The blocks of the list's last message.
    pub blocks: Vec<SentBlock>,
}

impl SentHistory {
    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.prefixes.is_empty() && self.blocks.is_empty()
    }

    /// Records a payload. Blocks at its last message replace those of an earlier payload with a list of
    /// this length, since no answer to that one is in the list.
    pub fn note(&mut self, update: &SentUpdate) {
        let SentUpdate { prefix, blocks } = update;
        self.prefixes.retain(|known| known != prefix);
        self.prefixes.push(*prefix);
        let beyond = self.prefixes.len().saturating_sub(MAX_SENT_PREFIXES);
        self.prefixes.drain(..beyond);
        self.blocks.retain(|block| block.at + 1 < prefix.length);
        self.blocks.extend(blocks.iter().cloned());
        self.forget_older_half();
    }

    /// Checks a history from a document against the limits; the error says which it is above.
    pub fn check(&self) -> Result<(), String> {
        let bytes: usize = self.blocks.iter().map(|block| block.text.len()).sum();
        if self.prefixes.len() > MAX_SENT_PREFIXES {
            return Err(format!("must have at most {MAX_SENT_PREFIXES} prefixes"));
        }
        if bytes > MAX_SENT_BLOCK_BYTES {
            return Err(format!("must have at most {MAX_SENT_BLOCK_BYTES} bytes of blocks"));
        }
        Ok(())
    }

    fn forget_older_half(&mut self) {
        let bytes: usize = self.blocks.iter().map(|block| block.text.len()).sum();
        if bytes <= MAX_SENT_BLOCK_BYTES {
            return;
        }
        let mut left = bytes;
        self.blocks.retain(|block| {
            left -= block.text.len();
            left < bytes / 2
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> PrefixHash {
        ContentHash::of(text).into()
    }

    fn update(length: u64, text: &str) -> SentUpdate {
        let block = SentBlock { at: length - 1, message: hash("m"), text: text.into() };
        let prefix = SentPrefix { length, hash: hash(text), thinking: None };
        SentUpdate { prefix, blocks: vec![block] }
    }

    #[test]
    fn a_payload_of_the_same_length_replaces_the_blocks_and_not_the_hash() {
        let mut sent = SentHistory::default();
        sent.note(&update(1, "a"));
        sent.note(&update(3, "b"));
        sent.note(&update(3, "c"));
        let texts: Vec<&str> = sent.blocks.iter().map(|block| &*block.text).collect();
        assert_eq!(texts, ["a", "c"]);
        assert_eq!(sent.prefixes.iter().filter(|known| known.length == 3).count(), 2);
        sent.note(&update(3, "b"));
        assert_eq!(sent.prefixes.len(), 3);
    }

    #[test]
    fn the_older_half_goes_if_blocks_are_too_long() {
        let mut sent = SentHistory::default();
        for length in 1..=4 {
            sent.note(&update(length, &"x".repeat(MAX_SENT_BLOCK_BYTES / 4)));
        }
        assert_eq!(sent.blocks.len(), 4);
        sent.note(&update(5, "y"));
        let places: Vec<u64> = sent.blocks.iter().map(|block| block.at).collect();
        assert_eq!(places, [2, 3, 4]);
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let mut sent = SentHistory::default();
        sent.note(&update(1, "a"));
        let text = serde_json::to_string(&sent).unwrap();
        assert_eq!(serde_json::from_str::<SentHistory>(&text).unwrap(), sent);
        assert!(serde_json::from_str::<PrefixHash>("\"zz\"").is_err());
    }
}
