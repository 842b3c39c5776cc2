//! The rows of one response, stored in one transaction.

use std::sync::Arc;

use crate::domain::{Artifact, ArtifactId, ContentHash, Timestamp};

/// The hash of a message and of all before it: position and predecessors decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainHash(pub [u8; 32]);

/// The prefix of a text that is a recipe: how to build an original from messages that the caller
/// keeps. No message begins with it.
pub const RECIPE_PREFIX: &str = "recipe ";

/// In the place of the original of a chain that two different ones were shown as: the hash of nothing.
pub(super) const AMBIGUOUS_HASH: ContentHash = ContentHash([0; 32]);

/// A message of a response, and the original message that it replaces.
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
    /// The artifact to store if it is new.
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

/// The result of a commit.
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
        let id = ArtifactId::from(&hash);
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

    /// Names the response: its messages and their originals. The batch must contain all originals,
    /// because the response is what keeps them from expiry.
    pub fn answer(&mut self, id: impl Into<String>, items: Vec<ResponseMessage>) {
        self.answer = Some(BatchResponse { id: id.into(), items });
    }

    /// Makes the batch, and everything written in the same transaction, survive a loss of power.
    pub fn flush(&mut self) {
        self.is_durable = true;
    }

    pub fn is_empty(&self) -> bool {
        self.artifacts.is_empty() && self.messages.is_empty() && self.answer.is_none()
    }
}
