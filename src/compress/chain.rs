//! Keys that recognise a message of a list: by itself, and by all that precedes it.

use sha2::{Digest, Sha256};

use crate::json::{self, Node};

/// The hashes of a list, one a message: h(i) = SHA-256(h(i-1), message i). A message that moved,
/// or follows another one than before, has another hash.
pub fn chain(messages: &[Node<'_>]) -> Vec<[u8; 32]> {
    let mut before: [u8; 32] = Sha256::digest(b"contexture chain 1").into();
    let mut text = String::new();
    messages
        .iter()
        .map(|message| {
            text.clear();
            json::canonical(&mut text, message);
            before = Sha256::new().chain_update(before).chain_update(&text).finalize().into();
            before
        })
        .collect()
}

/// The hash of a list that ends with the message of this hash.
pub fn end_of(hash: &[u8; 32]) -> [u8; 32] {
    Sha256::new().chain_update(b"end").chain_update(hash).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Limits;

    #[test]
    fn position_and_predecessors_decide() {
        let list = |text: &str| {
            let node = json::parse(text, Limits::default()).unwrap();
            chain(node.as_array().unwrap())
        };
        let [a, ab] = list("[{\"r\":1},{\"r\":2}]")[..] else { panic!("two hashes") };
        assert_eq!(list("[{\"r\" : 1}]"), [a]);
        let [b, ba] = list("[{\"r\":2},{\"r\":1}]")[..] else { panic!("two hashes") };
        assert!(a != b && ab != ba && a != ab && end_of(&a) != a);
    }
}
