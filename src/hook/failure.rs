//! Why a hook gave no answer.

use std::fmt;
use std::sync::Arc;

use crate::limit::{SearchError, StopReason};

/// The cause of a failure; its word appears in the report and in `hook_failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureCause {
    /// No complete answer within the time.
    Timeout,
    /// No connection, or one that broke.
    Connect,
    /// The name or address may not be called.
    BlockedAddress,
    /// The answer points elsewhere.
    Redirect,
    /// A status that is not 2xx.
    Status,
    /// A media type that is not JSON.
    MediaType,
    BadJson,
    /// JSON that is no answer of the kind.
    BadShape,
    TooLarge,
    /// The output of a transform, or a typed answer, is not valid at its point.
    InvalidPayload,
    /// A patch that does not fit what it is for.
    PatchConflict,
    /// The answer repeats a secret of the hook.
    SecretLeak,
    /// A built-in hook would make more text than the request may: it is never skipped.
    TextLimit,
    /// A pattern of the hook was stored before patterns were limited, and is too large, or one too
    /// many.
    PatternLimit,
    /// The hooks before it took the time that hooks may take in all, or left too little of it.
    BudgetExhausted,
    /// The request's deadline passed before the hook's own time was up.
    Deadline,
    /// The circuit is open after too many failures.
    CircuitOpen,
    /// Too many calls of it are under way.
    Overloaded,
    /// The service disabled the hook, and it was not enabled again.
    Disabled,
    /// Its secrets cannot be read.
    SecretsUnavailable,
    /// A replay met a call that the record does not have, or has otherwise.
    Diverged,
}

impl FailureCause {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Connect => "connect",
            Self::BlockedAddress => "blocked_address",
            Self::Redirect => "redirect",
            Self::Status => "status",
            Self::MediaType => "media_type",
            Self::BadJson => "bad_json",
            Self::BadShape => "bad_shape",
            Self::TooLarge => "too_large",
            Self::InvalidPayload => "invalid_payload",
            Self::PatchConflict => "patch_conflict",
            Self::SecretLeak => "secret_leak",
            Self::TextLimit => "text_limit",
            Self::PatternLimit => "pattern_limit",
            Self::BudgetExhausted => "budget_exhausted",
            Self::Deadline => "deadline",
            Self::CircuitOpen => "circuit_open",
            Self::Overloaded => "overloaded",
            Self::Disabled => "disabled",
            Self::SecretsUnavailable => "secrets_unavailable",
            Self::Diverged => "diverged",
        }
    }

    /// Every cause.
    pub const ALL: [Self; 21] = [
        Self::Timeout,
        Self::Connect,
        Self::BlockedAddress,
        Self::Redirect,
        Self::Status,
        Self::MediaType,
        Self::BadJson,
        Self::BadShape,
        Self::TooLarge,
        Self::InvalidPayload,
        Self::PatchConflict,
        Self::SecretLeak,
        Self::TextLimit,
        Self::PatternLimit,
        Self::BudgetExhausted,
        Self::Deadline,
        Self::CircuitOpen,
        Self::Overloaded,
        Self::Disabled,
        Self::SecretsUnavailable,
        Self::Diverged,
    ];

    /// The cause of that word, as a record has it.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.as_str() == word)
    }

    /// The cause as every caller may see it: that a name has a private address reveals the inside
    /// of a network, so it looks like any other failed connection.
    #[must_use]
    pub const fn public(self) -> Self {
        match self {
            Self::BlockedAddress => Self::Connect,
            other => other,
        }
    }

    /// Whether the caller gets a timeout (504) instead of a failure (502).
    pub const fn is_timeout(self) -> bool {
        matches!(self, Self::Timeout | Self::BudgetExhausted | Self::Deadline)
    }

    /// Whether the failure counts against the hook's circuit breaker: one for which the request had
    /// too little time does not.
    pub const fn is_of_hook(self) -> bool {
        !matches!(self, Self::BudgetExhausted | Self::Deadline)
    }
}

impl fmt::Display for FailureCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The public detail of a connection that was not made, or broke.
pub const UNREACHED: &str = "no connection, or one that broke";

/// A failure of one call. The detail contains no text of an answer beyond the names of keys, and no
/// secret: the owner of the hook may see it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}: {detail}")]
pub struct CallFailure {
    pub cause: FailureCause,
    pub detail: Arc<str>,
    /// Status of the response, if there was one. 410 asks to be called no more.
    pub status: Option<u16>,
}

/// The failure of a built-in hook.
impl From<SearchError> for CallFailure {
    fn from(error: SearchError) -> Self {
        let cause = match &error {
            SearchError::Stopped(StopReason::TooMuchText(_)) => FailureCause::TextLimit,
            SearchError::Stopped(StopReason::TimeUp | StopReason::Cancelled) => {
                FailureCause::Deadline
            }
            SearchError::Unusable(_) => FailureCause::PatternLimit,
        };
        Self::new(cause, error.to_string())
    }
}

impl CallFailure {
    pub fn new(cause: FailureCause, detail: impl Into<Arc<str>>) -> Self {
        Self { cause, detail: detail.into(), status: None }
    }

    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The failure as every caller may see it ([`FailureCause::public`]).
    #[must_use]
    pub fn public(self) -> Self {
        match self.cause.public() {
            FailureCause::Connect => {
                Self { cause: FailureCause::Connect, detail: UNREACHED.into(), ..self }
            }
            _ => self,
        }
    }

    /// Whether the receiver reports that it is gone for good, so that the hook is to be disabled.
    pub fn is_gone(&self) -> bool {
        self.status == Some(410)
    }
}
