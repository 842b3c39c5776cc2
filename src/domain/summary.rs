//! Summaries of messages that leave a history, written by models or hooks.

use std::sync::Arc;

use super::{ContentHash, Role};

/// A message for a model that speaks in plain texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptMessage {
    /// The user or the assistant.
    pub role: Role,
    pub text: String,
}

/// A summary, and who wrote it: `hook:ID` or `model:NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub text: Arc<str>,
    pub by: Arc<str>,
}

/// The result of asking for a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedSummary {
    /// Of what was asked.
    pub ask: ContentHash,
    /// Of the same and of who was asked: what it is stored by.
    pub key: ContentHash,
    /// The summary, or why there is none.
    pub result: Result<Summary, Arc<str>>,
}
