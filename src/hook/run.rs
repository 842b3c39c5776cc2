//! The outcomes of hooks: the lines of the report and of the record.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::failure::{CallFailure, FailureCause};
use super::point::{HookKind, Point};

/// One hook at one point, called or not.
#[derive(Debug, Clone)]
pub struct HookRun {
    pub hook: Arc<str>,
    pub revision: u64,
    pub point: Point,
    pub kind: HookKind,
    pub occurrence: u32,
    pub outcome: RunOutcome,
    /// Whether the hook is only audited, so that nothing of its outcome is applied.
    pub audit: bool,
    /// [`super::digest`] of the call; `None` if nothing was to be sent.
    pub request_digest: Option<Arc<str>>,
    /// JSON text of the input that was sent, or is sent from the queue; `None` if nothing was sent, or
    /// if the round keeps no inputs.
    pub input: Option<Arc<str>>,
    /// Text of the answer; `None` if there was none, or the hook is built in.
    pub answer: Option<Arc<str>>,
    pub took: Duration,
    /// Tries over the network.
    pub attempts: u32,
    /// Tokens that what it provided takes.
    pub tokens: u32,
    /// Whether some of what it provided did not fit its cap.
    pub clipped: bool,
}

/// The outcome of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// A guard let it go on.
    Allowed,
    Denied {
        reason: Arc<str>,
        code: Option<Arc<str>>,
    },
    /// Its answer was applied.
    Applied,
    /// It changed or added nothing.
    Unchanged,
    /// An observe hook was called.
    Delivered,
    /// An observe hook is called later, from the queue.
    Queued,
    Failed(CallFailure),
    Skipped(SkipReason),
    /// A dry run would have called it.
    WouldCall,
}

impl RunOutcome {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied { .. } => "denied",
            Self::Applied => "applied",
            Self::Unchanged => "unchanged",
            Self::Delivered => "delivered",
            Self::Queued => "queued",
            Self::Failed(_) => "failed",
            Self::Skipped(_) => "skipped",
            Self::WouldCall => "would_call",
        }
    }
}

/// Why a hook was not called, or its answer not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// `match` is not met.
    NoMatch,
    /// A guard before it denied.
    DeniedEarlier,
    /// A hook before it failed, and all fails with it.
    FailedEarlier,
    /// A hook before it gave the answer of which there is one.
    AnsweredEarlier,
    /// Another hook has the exclusive slot of everything that it provided.
    ExclusiveConflict,
    /// Its chain was rolled back.
    RolledBack,
}

impl SkipReason {
    /// Every reason.
    pub const ALL: [Self; 6] = [
        Self::NoMatch,
        Self::DeniedEarlier,
        Self::FailedEarlier,
        Self::AnsweredEarlier,
        Self::ExclusiveConflict,
        Self::RolledBack,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoMatch => "no_match",
            Self::DeniedEarlier => "denied_earlier",
            Self::FailedEarlier => "failed_earlier",
            Self::AnsweredEarlier => "answered_earlier",
            Self::ExclusiveConflict => "exclusive_conflict",
            Self::RolledBack => "rolled_back",
        }
    }
}

impl HookRun {
    /// The word of the report: that of the outcome, or what it would have been.
    pub fn word(&self) -> &'static str {
        match (&self.outcome, self.audit) {
            (RunOutcome::Denied { .. }, true) => "would_deny",
            (RunOutcome::Applied, true) => "would_apply",
            (outcome, _) => outcome.as_str(),
        }
    }

    pub fn failure(&self) -> Option<&CallFailure> {
        match &self.outcome {
            RunOutcome::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// The cause or reason that goes with the word, for programs.
    pub fn why(&self) -> Option<&str> {
        match &self.outcome {
            RunOutcome::Failed(failure) => Some(failure.cause.as_str()),
            RunOutcome::Skipped(skip) => Some(skip.as_str()),
            RunOutcome::Denied { reason, .. } => Some(reason),
            _ => None,
        }
    }

    /// The line of the report.
    pub fn report(&self) -> HookReport<'_> {
        HookReport {
            id: &self.hook,
            point: self.point.as_str(),
            kind: self.kind.as_str(),
            outcome: self.word(),
            why: self.why(),
            ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            tokens: self.tokens,
            clipped: self.clipped,
        }
    }
}

/// A hook that was reached.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct HookReport<'a> {
    /// The id of the hook.
    #[schema(example = "redact")]
    pub id: &'a str,
    /// The point of the call.
    #[schema(example = "tool_result")]
    pub point: &'static str,
    /// What the hook may do: `guard`, `transform`, `provide` or `observe`.
    #[schema(example = "transform")]
    pub kind: &'static str,
    /// `allowed`, `denied`, `applied`, `unchanged`, `delivered`, `queued`, `failed`, `skipped` or
    /// `would_call` (a dry run); of a hook with `mode: "audit"`, `would_deny` or `would_apply`.
    #[schema(example = "applied")]
    pub outcome: &'static str,
    /// The cause of a failure, the reason of a denial, or why the hook was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'a str>,
    /// Milliseconds that the call took.
    pub ms: u64,
    /// Tokens that what it provided takes.
    pub tokens: u32,
    /// True if some of what it provided did not fit its cap; otherwise absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub clipped: bool,
}

/// A hook stopped what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookStop {
    /// A hook with `on_failure: "fail"` failed: 502, or 504 if the time ran out.
    #[error("hook `{hook}` failed at `{point}`: {failure}")]
    Failed { hook: Arc<str>, point: Point, failure: CallFailure },
    /// A replay made a call that the record does not contain, or with another input: 409.
    #[error("hook `{hook}` at `{point}` is asked something else than what was recorded")]
    Diverged {
        hook: Arc<str>,
        point: Point,
        occurrence: u32,
        expected: Option<Arc<str>>,
        actual: Arc<str>,
    },
}

impl HookStop {
    /// Whether what ran out is time.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Failed { failure, .. } if failure.cause.is_timeout())
    }

    /// Whether the request would make more text than it may.
    pub fn is_text_limit(&self) -> bool {
        self.cause() == FailureCause::TextLimit
    }

    pub(super) fn failed(hook: &Arc<str>, point: Point, failure: &CallFailure) -> Self {
        Self::Failed { hook: Arc::clone(hook), point, failure: failure.clone() }
    }

    pub fn cause(&self) -> FailureCause {
        match self {
            Self::Failed { failure, .. } => failure.cause,
            Self::Diverged { .. } => FailureCause::Diverged,
        }
    }
}
