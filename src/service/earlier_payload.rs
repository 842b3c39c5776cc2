//! The payload that a compile is compared with: named by the request, or the last of its session.

use std::sync::Arc;

use bytes::Bytes;
use quick_cache::Weighter;

use super::Services;
use super::sessions::SessionHandle;
use crate::domain::{ContentHash, RawJson};
use crate::json::{self, Limits};
use crate::pipeline::PayloadBlocks;
use crate::provider::{MemberBlocks, WrittenPayload};
use crate::store::{NewSentPayload, PlacedBlock, SentPayload};

/// A payload that this process wrote, with the places of its blocks.
#[derive(Debug, Clone)]
pub(crate) struct RememberedPayload {
    pub(crate) bytes: Bytes,
    pub(crate) blocks: Arc<[MemberBlocks]>,
    /// The hashes of the blocks of all members, in their order; empty if nobody needed them.
    pub(crate) hashes: Arc<[ContentHash]>,
}

impl RememberedPayload {
    /// Bytes of memory that it takes.
    fn weight(&self) -> u64 {
        let places: usize = self.blocks.iter().map(|member| member.places.len() * 16 + 48).sum();
        (self.bytes.len() + places + self.hashes.len() * 32) as u64
    }

    /// The blocks of a member, with their hashes.
    fn hashed_blocks(&self, name: &str) -> impl Iterator<Item = HashedBlock<'_>> {
        let before = self.blocks.iter().take_while(|member| member.name != name);
        let first: usize = before.map(|member| member.places.len()).sum();
        let own = self.blocks.iter().find(|member| member.name == name);
        let places = own.into_iter().flat_map(|member| &member.places);
        let hashes = self.hashes.get(first..).unwrap_or_default();
        places.zip(hashes).map(|(place, hash)| HashedBlock {
            bytes: self.bytes.get(place.clone()).unwrap_or_default(),
            hash: *hash,
        })
    }
}

/// A block of a payload, and the hash of its JSON text.
struct HashedBlock<'p> {
    bytes: &'p [u8],
    hash: ContentHash,
}

/// Whose remembered payload it is: that of a session or a compile of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PayloadKey {
    tenant: Arc<str>,
    id: Arc<str>,
}

impl PayloadKey {
    pub(super) fn new(tenant: &Arc<str>, id: &Arc<str>) -> Self {
        Self { tenant: Arc::clone(tenant), id: Arc::clone(id) }
    }
}

/// Counts the bytes of what is remembered.
#[derive(Debug, Clone)]
pub(super) struct PayloadWeight;

impl Weighter<PayloadKey, RememberedPayload> for PayloadWeight {
    fn weight(&self, _: &PayloadKey, payload: &RememberedPayload) -> u64 {
        128 + payload.weight()
    }
}

/// An earlier payload, by its source.
#[derive(Debug)]
pub(crate) enum EarlierPayload<'r> {
    /// JSON text in the request.
    Request(&'r RawJson),
    Remembered(RememberedPayload),
    Stored(SentPayload),
}

impl EarlierPayload<'_> {
    /// The payload in its blocks; none if the request's is no JSON.
    pub(crate) fn blocks(&self) -> Option<PayloadBlocks<'_>> {
        match self {
            Self::Request(raw) => {
                let node = json::parse(raw.as_str(), Limits::default()).ok()?;
                Some(PayloadBlocks::from_node(node))
            }
            Self::Remembered(payload) => {
                let text = std::str::from_utf8(&payload.bytes).ok()?;
                Some(PayloadBlocks::from_written(text, &payload.blocks))
            }
            Self::Stored(sent) => {
                let mut texts = sent.blocks.iter().map(|(_, text)| &**text);
                let mut blocks = PayloadBlocks::default();
                for (name, count) in &sent.layout {
                    let own = texts.by_ref().take(count.unwrap_or(1));
                    blocks.push(name, count.is_some(), own);
                }
                Some(blocks)
            }
        }
    }
}

/// The payload in the form in which a session keeps it. A block that stands in the payload before at the
/// same place is not hashed again: comparing bytes is faster.
pub(super) fn to_sent(
    written: &WrittenPayload,
    before: Option<&RememberedPayload>,
) -> NewSentPayload {
    let text = Arc::clone(&written.text);
    let mut sent = NewSentPayload { text, ..NewSentPayload::default() };
    for member in &written.blocks {
        let count = member.is_list.then_some(member.places.len());
        sent.layout.push((member.name.into(), count));
        let mut known = before.into_iter().flat_map(|before| before.hashed_blocks(member.name));
        for (text, place) in member.texts(written.payload()).zip(&member.places) {
            let same = known.next().filter(|known| known.bytes == text.as_bytes());
            let hash = same.map_or_else(|| ContentHash::of(text), |known| known.hash);
            let place = place.start + written.head_end..place.end + written.head_end;
            sent.blocks.push(PlacedBlock { hash, place });
        }
    }
    sent
}

/// The last payload of a session. If it cannot be read, the compile goes on without the comparison.
pub(super) fn last_sent(
    services: &Services,
    session: &SessionHandle,
) -> Option<EarlierPayload<'static>> {
    let sent = session.sent.as_ref()?;
    if let Some(remembered) = services.recall_payload(&sent.id) {
        return Some(EarlierPayload::Remembered(remembered));
    }
    match services.tenant().sent_payload(&session.id) {
        Ok(found) => found.map(EarlierPayload::Stored),
        Err(error) => {
            tracing::warn!(
                %error,
                "the last payload of a session could not be read; the report has no first_change"
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Message, Role, Target};
    use crate::provider::{PayloadInput, write};

    fn written(texts: &[&str]) -> WrittenPayload {
        let messages: Vec<Message> =
            texts.iter().map(|text| Message::text(Role::User, *text)).collect();
        let input = PayloadInput { messages: &messages, tools: &[], caching: None, returned: &[] };
        write("{\"payload\":".to_owned(), Target::Openai, input)
    }

    fn hashes(sent: &NewSentPayload) -> Vec<ContentHash> {
        sent.blocks.iter().map(|block| block.hash).collect()
    }

    #[test]
    fn blocks_have_their_own_hashes_whatever_was_sent_before() {
        let before = written(&["one", "two", "three"]);
        let remembered = RememberedPayload {
            bytes: before.bytes().slice(before.head_end..),
            hashes: hashes(&to_sent(&before, None)).into(),
            blocks: before.blocks.into(),
        };
        for texts in [
            &["one", "two", "three", "four"][..],
            &["one", "2", "three"],
            &["zero", "one", "two", "three"],
            &["one"],
            &[],
        ] {
            let after = written(texts);
            let sent = to_sent(&after, Some(&remembered));
            assert_eq!(hashes(&sent), hashes(&to_sent(&after, None)), "{texts:?}");
            let own = sent.blocks.iter().map(|block| &sent.text[block.place.clone()]);
            assert!(own.eq(after.blocks.iter().flat_map(|own| own.texts(after.payload()))));
            for block in &sent.blocks {
                assert_eq!(block.hash, ContentHash::of(&sent.text[block.place.clone()]));
            }
        }
    }

    #[test]
    fn a_hash_is_taken_from_the_payload_before_only_where_its_block_is_equal() {
        let before = written(&["one", "two"]);
        let marks = [ContentHash::of("first"), ContentHash::of("second")];
        let remembered = RememberedPayload {
            bytes: before.bytes().slice(before.head_end..),
            hashes: marks.into(),
            blocks: before.blocks.into(),
        };
        let sent = to_sent(&written(&["one", "2", "two"]), Some(&remembered));
        assert_eq!(hashes(&sent)[0], marks[0]);
        assert!(hashes(&sent)[1..].iter().all(|hash| !marks.contains(hash)));
    }
}
