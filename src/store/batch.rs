//! What one answer leaves behind, stored in one transaction.

use std::sync::Arc;

use crate::domain::{Artifact, ArtifactId, ContentHash, Timestamp};

/// The hash of a message and of all before it: position and predecessors decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainHash(pub [u8; 32]);

/// What stands at the beginning of a text that says how an original is put together from what its caller
/// keeps, and of no message.
pub const RECIPE_PREFIX: &str = "recipe ";

/// In the place of the original of a chain that two different ones were shown as: the hash of nothing.
pub(super) const AMBIGUOUS_HASH: ContentHash = ContentHash([0; 32]);

/// A message of an answer, and the message that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResponseMessage {
    /// The chain in the answer's own list, up to this message.
    pub chain: ChainHash,
    /// The hash of the original message's JSON text.
    pub original: ContentHash,
}

/// Artifacts, messages and an answer that are stored together or not at all.
///
/// Putting the same again renews how long it is kept and stores nothing twice.
#[derive(Debug, Default)]
pub struct Batch {
    pub(super) artifacts: Vec<NewArtifact>,
    pub(super) messages: Vec<(ContentHash, Arc<str>)>,
    pub(super) answer: Option<BatchResponse>,
    pub(super) is_durable: bool,
}

#[derive(Debug)]
pub(super) struct NewArtifact {
    pub(super) id: ArtifactId,
    pub(super) hash: ContentHash,
    pub(super) media_type: &'static str,
    pub(super) text: Arc<str>,
}

impl NewArtifact {
    /// What is stored of it the first time.
    pub(super) fn at(&self, now: Timestamp, expires_at: Timestamp) -> Artifact {
        Artifact {
            id: self.id,
            hash: self.hash,
            media_type: self.media_type.to_owned(),
            bytes: self.text.len() as u64,
            lines: memchr::memchr_iter(b'\n', self.text.as_bytes()).count() as u64 + 1,
            created_at: now,
            renewed_at: now,
            accessed_at: now,
            expires_at,
        }
    }
}

#[derive(Debug)]
pub(super) struct BatchResponse {
    pub(super) id: String,
    pub(super) items: Vec<ResponseMessage>,
}

/// What a commit tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedBatch {
    /// The artifacts, in the order in which they were added.
    pub artifacts: Vec<Artifact>,
    /// Until when everything in the batch is kept, unless a cap or a deletion takes it.
    pub expires_at: Timestamp,
}

impl Batch {
    /// Adds an original text.
    pub fn artifact(&mut self, text: impl Into<Arc<str>>, media_type: &'static str) -> ArtifactId {
        let text = text.into();
        let hash = ContentHash::of(&text);
        let id = ArtifactId::of(&hash);
        self.artifacts.push(NewArtifact { id, hash, media_type, text });
        id
    }

    /// Adds an original message, as its JSON text.
    pub fn message(&mut self, text: impl Into<Arc<str>>) -> ContentHash {
        let text = text.into();
        let hash = ContentHash::of(&text);
        self.messages.push((hash, text));
        hash
    }

    /// Names the answer: its messages and what they stand for. The originals of a batch must all
    /// be in it, because that is what keeps them as long as the answer.
    pub fn answer(&mut self, id: impl Into<String>, items: Vec<ResponseMessage>) {
        self.answer = Some(BatchResponse { id: id.into(), items });
    }

    /// Has the batch, and all that is written beside it, survive a loss of power.
    pub fn flush(&mut self) {
        self.is_durable = true;
    }

    pub fn is_empty(&self) -> bool {
        self.artifacts.is_empty() && self.messages.is_empty() && self.answer.is_none()
    }
}
