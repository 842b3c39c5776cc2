//! The result of a compile.

use std::sync::Arc;

use super::change::ChangeHints;
use super::report::ReportBuilder;
use super::trace::Hashes;
use crate::domain::{ContentHash, SentUpdate};
use crate::hook::TokenChange;
use crate::provider::WrittenPayload;

/// A compiled conversation.
#[derive(Debug)]
pub struct CompiledPayload {
    /// The payload after the head of the caller, ready to spread into the provider's SDK call.
    pub written: WrittenPayload,
    pub report: ReportBuilder,
    /// Hints for the comparison with an earlier payload.
    pub hints: ChangeHints,
    /// Texts that the payload names by their artifacts: they must be stored before it is sent.
    pub artifacts: Vec<Arc<str>>,
    /// Tokens of the payload before and after the history shrank; none if it did not.
    pub shrink: Option<TokenChange>,
    /// SHA-256 of the payload's bytes.
    pub payload_hash: ContentHash,
    /// Hashes of the stages' outputs, if the compile is recorded.
    pub hashes: Hashes,
    /// Whether every message that was put together is there as it was: hooks at `transform_context`
    /// may have added some, and no more.
    pub is_whole: bool,
    /// Whether calls at the end of the conversation have no result yet, so that stand-ins are in
    /// the payload.
    pub awaits_results: bool,
    /// Whether the tokens were counted; if not, the report has estimates.
    pub is_counted: bool,
    /// What the session keeps of a payload whose model binds thinking to it.
    pub sent: Option<SentUpdate>,
}

impl CompiledPayload {
    pub fn payload(&self) -> &str {
        self.written.payload()
    }
}
