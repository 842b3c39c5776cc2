//! The types of problems: statuses, codes, titles.

use axum::http::StatusCode;

/// The closed list of problem types. A new variant does not compile until it has a status, a
/// code and a title, and a test checks that `docs/problems.md` explains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    InvalidJson,
    InvalidEncoding,
    InvalidHost,
    InvalidRequest,
    OverBudget,
    TextLimit,
    IdempotencyMismatch,
    Unauthenticated,
    Forbidden,
    HostNotAllowed,
    CrossOrigin,
    BodyTooLarge,
    UnsupportedMediaType,
    UnsupportedEncoding,
    NotFound,
    MethodNotAllowed,
    Conflict,
    InFlight,
    RecordIncomplete,
    EngineChanged,
    ReplayDivergence,
    ReplayPacketInvalid,
    PreconditionFailed,
    MemoryActionUnsupported,
    MemoryTypeUnsupported,
    MemoryClassUnknown,
    MemoryBadTransition,
    MemoryContradiction,
    MemoryConsentMissing,
    MemorySelfReview,
    MemoryRole,
    HookDenied,
    HookFailed,
    HookTimeout,
    PackLint,
    PackSignatureMissing,
    PackSignatureInvalid,
    PackVersionExists,
    PackNotFound,
    PackIncompatible,
    PackPinMismatch,
    PackMultipleUnsupported,
    TenantMismatch,
    CtxInvalid,
    CtxSafetyModeInvalid,
    IntentMissing,
    IntentUnknown,
    IntentMismatch,
    IntentChannelUnsupported,
    IntentLocaleUnsupported,
    PolicyOperatorUnknown,
    EvidenceSnapshotUnpinned,
    BudgetTotalInvalid,
    BudgetRequiredOverflow,
    TransformRequiredBlockChanged,
    RangeNotSatisfiable,
    RequestTimeout,
    Deadline,
    Cancelled,
    RateLimited,
    Overloaded,
    SecretsUnavailable,
    StoreUnavailable,
    OutcomeUnknown,
    StorageFull,
    QuotaExceeded,
    LoopDetected,
    Internal,
}

/// The status, code and title of a type of problem.
struct Parts {
    status: u16,
    code: &'static str,
    title: &'static str,
}

impl Kind {
    /// Every type, in the order of `docs/problems.md`.
    pub const ALL: &[Self] = &[
        Self::InvalidJson,
        Self::InvalidEncoding,
        Self::InvalidHost,
        Self::InvalidRequest,
        Self::OverBudget,
        Self::TextLimit,
        Self::IdempotencyMismatch,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::HostNotAllowed,
        Self::CrossOrigin,
        Self::BodyTooLarge,
        Self::UnsupportedMediaType,
        Self::UnsupportedEncoding,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::Conflict,
        Self::InFlight,
        Self::RecordIncomplete,
        Self::EngineChanged,
        Self::ReplayDivergence,
        Self::ReplayPacketInvalid,
        Self::PreconditionFailed,
        Self::MemoryActionUnsupported,
        Self::MemoryTypeUnsupported,
        Self::MemoryClassUnknown,
        Self::MemoryBadTransition,
        Self::MemoryContradiction,
        Self::MemoryConsentMissing,
        Self::MemorySelfReview,
        Self::MemoryRole,
        Self::HookDenied,
        Self::HookFailed,
        Self::HookTimeout,
        Self::PackLint,
        Self::PackSignatureMissing,
        Self::PackSignatureInvalid,
        Self::PackVersionExists,
        Self::PackNotFound,
        Self::PackIncompatible,
        Self::PackPinMismatch,
        Self::PackMultipleUnsupported,
        Self::TenantMismatch,
        Self::CtxInvalid,
        Self::CtxSafetyModeInvalid,
        Self::IntentMissing,
        Self::IntentUnknown,
        Self::IntentMismatch,
        Self::IntentChannelUnsupported,
        Self::IntentLocaleUnsupported,
        Self::PolicyOperatorUnknown,
        Self::EvidenceSnapshotUnpinned,
        Self::BudgetTotalInvalid,
        Self::BudgetRequiredOverflow,
        Self::TransformRequiredBlockChanged,
        Self::RangeNotSatisfiable,
        Self::RequestTimeout,
        Self::Deadline,
        Self::Cancelled,
        Self::RateLimited,
        Self::Overloaded,
        Self::SecretsUnavailable,
        Self::StoreUnavailable,
        Self::OutcomeUnknown,
        Self::StorageFull,
        Self::QuotaExceeded,
        Self::LoopDetected,
        Self::Internal,
    ];

    #[expect(clippy::too_many_lines, reason = "a table, a row a type")]
    const fn parts(self) -> Parts {
        let (status, code, title) = match self {
            Self::InvalidJson => (400, "invalid_json", "The body is not JSON"),
            Self::InvalidEncoding => (400, "invalid_encoding", "The body cannot be decompressed"),
            Self::InvalidHost => (400, "invalid_host", "The request does not name one host"),
            Self::InvalidRequest => (422, "invalid_request", "The request is not valid"),
            Self::OverBudget => (422, "over_budget", "The payload does not fit the budget"),
            Self::TextLimit => (422, "text_limit", "The request would make too much text"),
            Self::IdempotencyMismatch => {
                (422, "idempotency_mismatch", "The idempotency key was used for another request")
            }
            Self::Unauthenticated => (401, "unauthenticated", "A key is required"),
            Self::Forbidden => (403, "forbidden", "The key may not do this"),
            Self::HostNotAllowed => {
                (403, "host_not_allowed", "The server is not known by this name")
            }
            Self::CrossOrigin => (403, "cross_origin", "The page is of another origin"),
            Self::BodyTooLarge => (413, "body_too_large", "The request body is too large"),
            Self::UnsupportedMediaType => {
                (415, "unsupported_media_type", "The body's media type is not accepted")
            }
            Self::UnsupportedEncoding => {
                (415, "unsupported_encoding", "The body's content encoding is not accepted")
            }
            Self::NotFound => (404, "not_found", "There is nothing at this path"),
            Self::MethodNotAllowed => (405, "method_not_allowed", "This path has no such method"),
            Self::Conflict => (409, "conflict", "The request conflicts with stored data"),
            Self::InFlight => (409, "in_flight", "The same request is still in progress"),
            Self::RecordIncomplete => {
                (409, "record_incomplete", "The record does not contain what this needs")
            }
            Self::EngineChanged => (409, "engine_changed", "The record was made by another engine"),
            Self::ReplayDivergence => (409, "replay_divergence", "The input of a hook has changed"),
            Self::ReplayPacketInvalid => {
                (422, "replay_packet_invalid", "The record is not what was recorded")
            }
            Self::PreconditionFailed => (412, "precondition_failed", "Another version is stored"),
            Self::MemoryActionUnsupported => {
                (422, "memory_action_unsupported", "There is no such memory action")
            }
            Self::MemoryTypeUnsupported => {
                (422, "memory_type_unsupported", "There is no such memory type")
            }
            Self::MemoryClassUnknown => {
                (422, "memory_class_unknown", "There is no such memory class here")
            }
            Self::MemoryBadTransition => {
                (409, "memory_bad_transition", "The candidate cannot change to this state")
            }
            Self::MemoryContradiction => {
                (409, "memory_contradiction", "The candidate contradicts a memory entry")
            }
            Self::MemoryConsentMissing => {
                (409, "memory_consent_missing", "The candidate has no consent")
            }
            Self::MemorySelfReview => {
                (403, "memory_self_review", "You cannot review your own proposal")
            }
            Self::MemoryRole => (403, "memory_role", "This kind of principal may not do this"),
            Self::HookDenied => (403, "hook_denied", "A hook denied the request"),
            Self::HookFailed => (502, "hook_failed", "A hook failed"),
            Self::HookTimeout => (504, "hook_timeout", "A hook took too long"),
            Self::PackLint => (422, "pack_lint", "The pack has faults"),
            Self::PackSignatureMissing => (422, "pack_signature_missing", "The pack is not signed"),
            Self::PackSignatureInvalid => {
                (422, "pack_signature_invalid", "The pack's signature is not valid")
            }
            Self::PackVersionExists => {
                (409, "pack_version_exists", "This version is published with other content")
            }
            Self::PackNotFound => (404, "pack_not_found", "No such pack is published"),
            Self::PackIncompatible => (422, "pack_incompatible", "The pack needs another runtime"),
            Self::PackPinMismatch => {
                (422, "pack_pin_mismatch", "The run is pinned to another version of the pack")
            }
            Self::PackMultipleUnsupported => {
                (422, "pack_multiple_unsupported", "One pack governs a compile")
            }
            Self::TenantMismatch => (403, "tenant_mismatch", "The pack is another tenant's"),
            Self::CtxInvalid => (422, "ctx_invalid", "The run context is not valid"),
            Self::CtxSafetyModeInvalid => {
                (422, "ctx_safety_mode_invalid", "The run context has no safety mode")
            }
            Self::IntentMissing => (422, "intent_missing", "The request names no intent"),
            Self::IntentUnknown => (422, "intent_unknown", "The pack does not know the intent"),
            Self::IntentMismatch => (422, "intent_mismatch", "The run is for another intent"),
            Self::IntentChannelUnsupported => {
                (422, "intent_channel_unsupported", "The intent is not for this channel")
            }
            Self::IntentLocaleUnsupported => {
                (422, "intent_locale_unsupported", "The intent is not for this locale")
            }
            Self::PolicyOperatorUnknown => {
                (422, "policy_operator_unknown", "A rule uses an unknown operator")
            }
            Self::EvidenceSnapshotUnpinned => {
                (422, "evidence_snapshot_unpinned", "The run names no snapshot")
            }
            Self::BudgetTotalInvalid => {
                (422, "budget_total_invalid", "The run's budget is not valid")
            }
            Self::BudgetRequiredOverflow => {
                (422, "budget_required_overflow", "Required content does not fit the budget")
            }
            Self::TransformRequiredBlockChanged => {
                (422, "transform_required_block_changed", "A hook changed required content")
            }
            Self::RangeNotSatisfiable => {
                (416, "range_not_satisfiable", "The range is outside of the content")
            }
            Self::RequestTimeout => (408, "request_timeout", "The body took too long to arrive"),
            Self::Deadline => (504, "deadline", "The deadline of the request has passed"),
            Self::Cancelled => (499, "cancelled", "The client closed the request"),
            Self::RateLimited => (429, "rate_limited", "The key has reached its limit"),
            Self::Overloaded => (503, "overloaded", "The server is busy, try again"),
            Self::SecretsUnavailable => {
                (503, "secrets_unavailable", "Secrets cannot be sealed or opened")
            }
            Self::StoreUnavailable => (503, "store_unavailable", "The store cannot be used"),
            Self::OutcomeUnknown => {
                (503, "outcome_unknown", "It is not known whether the request was carried out")
            }
            Self::StorageFull => (507, "storage_full", "The store has no room left"),
            Self::QuotaExceeded => (507, "quota_exceeded", "A quota of the tenant is used up"),
            Self::LoopDetected => (508, "loop_detected", "The request is in a loop"),
            Self::Internal => (500, "internal", "An internal error occurred"),
        };
        Parts { status, code, title }
    }

    pub fn status(self) -> StatusCode {
        StatusCode::from_u16(self.parts().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The code in `snake_case`, as in the body.
    pub fn code(self) -> &'static str {
        self.parts().code
    }

    /// Returns the type with this code; `Internal` if there is none.
    pub(super) fn from_code(code: &str) -> Self {
        Self::ALL.iter().copied().find(|kind| kind.code() == code).unwrap_or(Self::Internal)
    }

    pub fn title(self) -> &'static str {
        self.parts().title
    }

    /// The code with hyphens, as in the path of its page.
    pub fn slug(self) -> String {
        self.code().replace('_', "-")
    }

    /// Returns the type for a status that a layer set without a problem.
    pub(super) fn of_status(status: StatusCode) -> Self {
        match status.as_u16() {
            401 => Self::Unauthenticated,
            403 => Self::Forbidden,
            404 => Self::NotFound,
            405 => Self::MethodNotAllowed,
            408 => Self::RequestTimeout,
            413 => Self::BodyTooLarge,
            415 => Self::UnsupportedMediaType,
            503 => Self::Overloaded,
            504 => Self::Deadline,
            400..500 => Self::InvalidRequest,
            _ => Self::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_slugs_are_distinct() {
        let mut codes: Vec<_> = Kind::ALL.iter().map(|kind| kind.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Kind::ALL.len());
        assert!(Kind::ALL.iter().all(|kind| kind.status().as_u16() == kind.parts().status));
    }
}
