//! The record of one compile: enough to compare it, and in full to run it again.

use std::sync::Arc;

use super::{ContentHash, RawJson, Timestamp};

/// The level of detail of a compile's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RecordLevel {
    None,
    /// Hashes and figures; no text of the conversation.
    #[default]
    Hashes,
    /// The request, the payload and all that reached the compile from outside, too.
    Full,
}

impl RecordLevel {
    pub const WORDS: &[(&str, Self)] =
        &[("none", Self::None), ("hashes", Self::Hashes), ("full", Self::Full)];
    /// Those of which there is a record.
    pub const KEPT: &[(&str, Self)] = Self::WORDS.split_at(1).1;

    pub fn as_str(self) -> &'static str {
        super::word_of(Self::WORDS, self)
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(word, _)| *word == text).map(|(_, level)| *level)
    }

    /// Whether there is a record at all.
    pub fn is_kept(self) -> bool {
        self != Self::None
    }
}

/// The outcome of a compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompilationStatus {
    Compiled,
    /// The pack did not allow a payload.
    Refused,
}

impl CompilationStatus {
    pub const WORDS: &[(&str, Self)] = &[("compiled", Self::Compiled), ("refused", Self::Refused)];

    pub fn as_str(self) -> &'static str {
        super::word_of(Self::WORDS, self)
    }
}

/// A stored record.
#[derive(Debug, Clone, PartialEq)]
pub struct Compilation {
    /// Ids sort by time.
    pub id: Arc<str>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub session_id: Option<Arc<str>>,
    pub target: Arc<str>,
    /// Empty if the request named none.
    pub model: Arc<str>,
    pub level: RecordLevel,
    pub status: CompilationStatus,
    /// The release and semantics that it was compiled with.
    pub engine: Arc<str>,
    pub payload_hash: ContentHash,
    pub tokens_before: u64,
    pub tokens_after: u64,
    pub fits: bool,
    /// Hashes of the stages, figures, effects, hook runs, inputs: a JSON object.
    pub body: RawJson,
    /// The cost of the payload by the provider's usage, as JSON; none until it is reported.
    pub reported_cost: Option<RawJson>,
}
