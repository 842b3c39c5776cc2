//! What was sent of a request, for its record.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::{ContentHash, RecordLevel};
use crate::gateway::MemberHashes;

/// What was sent of a request that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRequest {
    pub level: RecordLevel,
    /// SHA-256 of the body.
    pub payload_hash: ContentHash,
    pub blocks: Vec<MemberHashes>,
    pub edits: Vec<MessageEdit>,
    /// Keys of the memory entries in the blocks of mode `session`.
    pub memory: Vec<Arc<str>>,
    /// The bodies, for a record in full.
    pub texts: Option<SentTexts>,
}

/// The body of a request as it came, and as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTexts {
    pub came: Arc<str>,
    pub sent: Arc<str>,
}

/// A message that is sent with forms in the place of its texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = GatewayMessageEdit)]
pub struct MessageEdit {
    /// The index in the list of messages.
    pub message: usize,
    /// Tokens that the message has less than it came with.
    pub saved_tokens: u64,
    /// `on_arrival`, or `compaction` if the message has its forms from a compaction point.
    #[schema(example = "on_arrival")]
    pub rule: &'static str,
}
