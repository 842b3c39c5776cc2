//! Which conversation a request continues: each message is known by its own hash and those of all
//! messages before it.
//!
//! System text and tools are no part of it. A provider's cache begins with them, so if they change,
//! nothing of the messages is cached, and what was decided about these can stay.

use super::Wire;
use super::outline::OutlinedMessage;

/// Begins every hash: ids of no other kind can be equal to one.
const DOMAIN: &str = "contexture gateway lineage 1";

/// A message in its place: the hash of the message and of all before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineageHash(pub [u8; 32]);

/// The owner of a lineage: no other caller and no other provider can name it.
#[derive(Debug, Clone, Copy)]
pub struct LineageScope<'s> {
    pub tenant: &'s str,
    pub upstream: &'s str,
    pub wire: Wire,
}

impl LineageScope<'_> {
    /// The hash of each message in its place.
    pub fn hashes(&self, messages: &[OutlinedMessage]) -> Vec<LineageHash> {
        let mut hasher = blake3::Hasher::new();
        for part in [DOMAIN, self.tenant, self.upstream, self.wire.as_str()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut last = *hasher.finalize().as_bytes();
        let next = |message: &OutlinedMessage| {
            last = *blake3::Hasher::new().update(&last).update(&message.hash).finalize().as_bytes();
            LineageHash(last)
        };
        messages.iter().map(next).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(byte: u8) -> OutlinedMessage {
        OutlinedMessage {
            hash: [byte; 32],
            is_of_model: false,
            groups: Vec::new(),
            block_place: None,
        }
    }

    #[test]
    fn a_longer_list_continues_a_shorter_one_of_the_same_owner() {
        let scope = LineageScope { tenant: "a", upstream: "openai", wire: Wire::Openai };
        let short = scope.hashes(&[message(1), message(2)]);
        let long = scope.hashes(&[message(1), message(2), message(3)]);
        assert_eq!(short, long[..2]);
        assert_ne!(scope.hashes(&[message(2), message(1)]), short);
        assert_ne!(scope.hashes(&[message(2)])[0], short[1]);
        for other in [
            LineageScope { tenant: "b", ..scope },
            LineageScope { upstream: "near", ..scope },
            LineageScope { wire: Wire::Anthropic, ..scope },
            LineageScope { tenant: "aopenai", upstream: "", ..scope },
        ] {
            assert_ne!(other.hashes(&[message(1)]), scope.hashes(&[message(1)]));
        }
    }
}
