//! All errors that a caller can see, as problem details (RFC 9457).
//!
//! A handler or a layer returns a [`Problem`]. The middleware `edge` writes the body, because it
//! has the request's id, so all errors have the same form.

mod kind;
mod refusal;

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

pub use self::kind::Kind;
use crate::domain::QuotaUse;
use crate::json::{self, Fault};
use crate::pipeline::StopReason;
use crate::service::turns::TurnError;
use crate::service::{
    CandidateRefusal, Divergence, Error, MemoryTaken, StoreError, auth, compile, idempotency, pool,
};

/// The `content-type` of a problem.
pub(super) const MEDIA_TYPE: &str = "application/problem+json";

/// An error of a request, before its body is written.
#[derive(Debug, Clone)]
pub struct Problem {
    pub kind: Kind,
    /// The cause in this case; empty if the title says enough.
    pub detail: String,
    /// Faults of the request, with their places.
    pub errors: Vec<Fault>,
    /// Further members, for refusals of packs and for replays that diverge.
    pub extension: Option<Box<ProblemExtension>>,
}

/// Members of a problem document that only some types have.
#[derive(Debug, Clone)]
pub struct ProblemExtension {
    /// The stage of a governed compile that refused.
    pub stage: Option<&'static str>,
    pub details: serde_json::Value,
    /// The id of the compile's record.
    pub compilation: Option<Arc<str>>,
}

impl Problem {
    pub fn new(kind: Kind) -> Self {
        Self::with_detail(kind, "")
    }

    pub fn with_detail(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), errors: Vec::new(), extension: None }
    }

    /// Makes the problem of one fault at `pointer`; an empty pointer means a header, the path or
    /// the query.
    pub(super) fn invalid(pointer: &str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        let fault =
            Fault { pointer: pointer.to_owned(), detail: detail.clone(), did_you_mean: None };
        Self { errors: vec![fault], ..Self::with_detail(Kind::InvalidRequest, detail) }
    }

    /// Makes a problem of another type than `invalid_request` about one member of the request.
    fn of_member(kind: Kind, pointer: &str, detail: String) -> Self {
        Self { kind, ..Self::invalid(pointer, detail) }
    }

    pub(super) fn of_status(status: StatusCode) -> Self {
        Self::new(Kind::of_status(status))
    }

    /// Writes the body and its headers into `response`, which already has the status.
    pub(super) fn write_into(self, response: &mut Response, request_id: &str) {
        let extension = self.extension.map(|extension| *extension);
        let (stage, details, compilation) = extension.map_or((None, None, None), |extension| {
            let details = Some(extension.details).filter(|details| !details.is_null());
            (extension.stage, details, extension.compilation)
        });
        let body = Body {
            kind: format!("/problems/{}", self.kind.slug()),
            title: self.kind.title(),
            status: self.kind.status().as_u16(),
            detail: self.detail,
            code: self.kind.code(),
            errors: self.errors.into_iter().map(FieldError::from).collect(),
            stage,
            details,
            compilation_id: compilation.map(|id| id.to_string()),
            request_id: request_id.to_owned(),
        };
        let text = serde_json::to_string(&body).unwrap_or_default();
        *response.body_mut() = text.into();
        let headers = response.headers_mut();
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::CONTENT_ENCODING);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// The body of every 4xx and 5xx answer (RFC 9457).
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Problem)]
pub struct Body {
    /// `/problems/` and the code with hyphens; the server answers a page that explains it.
    #[serde(rename = "type")]
    #[schema(example = "/problems/invalid-request")]
    pub kind: String,
    /// The same for every problem of this type.
    #[schema(example = "The request is not valid")]
    pub title: &'static str,
    /// The status of the response.
    #[schema(example = 422)]
    pub status: u16,
    /// What went wrong this time.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(example = "the request is not valid in one place")]
    pub detail: String,
    /// The type as a word for programs.
    #[schema(example = "invalid_request")]
    pub code: &'static str,
    /// Every faulty place at once; absent where no place is to blame.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// The stage of a governed compile that refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<&'static str>,
    /// What else programs may want to know, by type of problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
    /// The record of a governed compile that was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b")]
    pub compilation_id: Option<String>,
    /// Is in the `x-request-id` header and in the server's logs, too.
    #[schema(example = "req_5f0c2b7e9d1a4c38")]
    pub request_id: String,
}

/// One faulty place of a request.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct FieldError {
    /// JSON Pointer (RFC 6901) into the request; empty for the whole of it.
    #[schema(example = "/messages/3/role")]
    pub pointer: String,
    /// What is wrong, with the value, and what is allowed.
    #[schema(example = "must be one of `system`, `user`, `assistant`, `tool`")]
    pub detail: String,
    /// The known key or name nearest to an unknown one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
}

impl From<Fault> for FieldError {
    fn from(fault: Fault) -> Self {
        let Fault { pointer, detail, did_you_mean } = fault;
        Self { pointer, detail, did_you_mean }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.kind.status();
        let mut response = status.into_response();
        let pause = match status {
            // A retry does not help: the operator has to configure a master key.
            _ if self.kind == Kind::SecretsUnavailable => None,
            StatusCode::SERVICE_UNAVAILABLE => Some("1"),
            StatusCode::CONFLICT if self.kind == Kind::InFlight => Some("1"),
            StatusCode::INSUFFICIENT_STORAGE => Some("30"),
            _ => None,
        };
        if let Some(seconds) = pause {
            let seconds = HeaderValue::from_static(seconds);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        if self.kind == Kind::Unauthenticated {
            let scheme = HeaderValue::from_static("Bearer realm=\"contexture\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<json::Error> for Problem {
    fn from(error: json::Error) -> Self {
        let detail = error.to_string();
        if error.kind.is_malformed() {
            return Self::with_detail(Kind::InvalidJson, detail);
        }
        Self::invalid(&error.pointer, detail)
    }
}

impl From<MemoryTaken> for Problem {
    fn from(taken: MemoryTaken) -> Self {
        Self::with_detail(Kind::Overloaded, taken.to_string())
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let detail = error.to_string();
        let kind = match error {
            Error::Json(error) => return error.into(),
            Error::Store(error) => return error.into(),
            Error::Invalid(errors) => {
                return Self { errors, ..Self::with_detail(Kind::InvalidRequest, detail) };
            }
            Error::Forbidden(_) => Kind::Forbidden,
            Error::Hook(stop) if stop.is_timeout() => Kind::HookTimeout,
            Error::Hook(stop) if stop.is_text_limit() => Kind::TextLimit,
            Error::Hook(_) => Kind::HookFailed,
            Error::Stopped(StopReason::TimeUp) => Kind::Deadline,
            Error::Stopped(StopReason::Cancelled) => Kind::Cancelled,
            Error::Stopped(StopReason::TooMuchText(_)) => Kind::TextLimit,
            Error::MemoryTaken(_) => Kind::Overloaded,
            Error::NoSecrets(_) => Kind::SecretsUnavailable,
            Error::Refused(idempotency::ReplayRefusal::Mismatch) => Kind::IdempotencyMismatch,
            Error::Refused(idempotency::ReplayRefusal::InFlight) => Kind::InFlight,
            Error::NotFound(_) => Kind::NotFound,
            Error::Conflict(_) => Kind::Conflict,
            Error::RecordIncomplete(_) => Kind::RecordIncomplete,
            Error::EngineChanged { .. } => Kind::EngineChanged,
            Error::PacketInvalid { .. } => Kind::ReplayPacketInvalid,
            Error::Diverged(found) => return divergence_problem(&found, detail),
            Error::Compile(error) => return (*error).into(),
            Error::Stale(_) => Kind::PreconditionFailed,
            Error::MemoryAction(_) => {
                return Self::of_member(Kind::MemoryActionUnsupported, "/action", detail);
            }
            Error::MemoryType(_) => {
                return Self::of_member(Kind::MemoryTypeUnsupported, "/type", detail);
            }
            Error::Pack(refused) => return refusal::pack_problem(refused),
            Error::Candidate(CandidateRefusal::Class(_)) => {
                return Self::of_member(Kind::MemoryClassUnknown, "/class", detail);
            }
            Error::Candidate(refused) => refusal::candidate_kind(&refused),
        };
        Self::with_detail(kind, detail)
    }
}

/// Makes the problem of a replay that would send a hook another input than was recorded.
fn divergence_problem(found: &Divergence, detail: String) -> Problem {
    let details = serde_json::json!({
        "hook": &*found.hook, "point": found.point.as_str(), "occurrence": found.occurrence,
        "pointer": found.pointer,
    });
    let extension =
        ProblemExtension { stage: None, details, compilation: Some(Arc::clone(&found.id)) };
    let extension = Some(Box::new(extension));
    Problem { extension, ..Problem::with_detail(Kind::ReplayDivergence, detail) }
}

/// Makes the problem of a request that a guard denied.
fn denial_problem(denial: &compile::Denial, detail: String) -> Problem {
    let details = serde_json::json!({
        "hook": &*denial.hook, "point": denial.point.as_str(), "code": denial.code.as_deref(),
        "reason": &*denial.reason,
    });
    let extension = ProblemExtension { stage: None, details, compilation: None };
    let extension = Some(Box::new(extension));
    Problem { extension, ..Problem::with_detail(Kind::HookDenied, detail) }
}

/// Makes the problem of a write for which a quota has no room.
fn quota_problem(found: QuotaUse, detail: String) -> Problem {
    let QuotaUse { quota, used, max } = found;
    let details = serde_json::json!({"quota": quota.as_str(), "used": used, "max": max});
    let extension = ProblemExtension { stage: None, details, compilation: None };
    let extension = Some(Box::new(extension));
    Problem { extension, ..Problem::with_detail(Kind::QuotaExceeded, detail) }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let kind = match &error {
            StoreError::Nul => return Self::with_detail(Kind::InvalidRequest, error.to_string()),
            StoreError::Collision(_)
            | StoreError::TooManyAdapters(_)
            | StoreError::TooManyHooks(_)
            | StoreError::TooManyKeys(_)
            | StoreError::TooManyPacks(_) => {
                return Self::with_detail(Kind::Conflict, error.to_string());
            }
            StoreError::QuotaExceeded(quota) => return quota_problem(*quota, error.to_string()),
            StoreError::Abandoned => return Self::with_detail(Kind::Deadline, error.to_string()),
            StoreError::Unavailable(_) => Kind::StoreUnavailable,
            StoreError::Unknown(_) => Kind::OutcomeUnknown,
            StoreError::Full(_) => Kind::StorageFull,
            StoreError::Corrupt(_) => Kind::Internal,
        };
        let cause: &dyn std::error::Error = &error;
        tracing::error!(error = cause, "the database failed, so a request failed");
        Self::new(kind)
    }
}

impl From<auth::AuthFailure> for Problem {
    fn from(error: auth::AuthFailure) -> Self {
        match error {
            auth::AuthFailure::Store(error) => error.into(),
            other => Self::with_detail(Kind::Unauthenticated, other.to_string()),
        }
    }
}

impl From<compile::Error> for Problem {
    fn from(error: compile::Error) -> Self {
        let (code, detail) = (error.code(), error.to_string());
        match error {
            compile::Error::Json(error) => error.into(),
            compile::Error::Store(error) => error.into(),
            compile::Error::Governed(refused) => refusal::governed_problem(*refused),
            compile::Error::Pack(refused) => refusal::pack_problem(refused),
            compile::Error::Invalid(faults) | compile::Error::OverBudget { faults, .. } => {
                Self { errors: faults, ..Self::with_detail(Kind::from_code(code), detail) }
            }
            compile::Error::Stopped(StopReason::Cancelled) => Self::new(Kind::Cancelled),
            compile::Error::Denied(denial) => denial_problem(&denial, detail),
            compile::Error::Stopped(_)
            | compile::Error::MemoryTaken(_)
            | compile::Error::Forbidden(_)
            | compile::Error::Hook(_) => Self::with_detail(Kind::from_code(code), detail),
        }
    }
}

impl From<TurnError> for Problem {
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::Compile(error) => error.into(),
            TurnError::Other(error) => error.into(),
        }
    }
}

impl From<pool::Error> for Problem {
    fn from(error: pool::Error) -> Self {
        match error {
            pool::Error::Full => Self::with_detail(Kind::Overloaded, error.to_string()),
            pool::Error::TimeUp | pool::Error::Overrun => {
                Self::with_detail(Kind::Deadline, error.to_string())
            }
            pool::Error::Panicked => {
                tracing::error!("a compile panicked; this is a bug, please report it");
                Self::new(Kind::Internal)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Limits;

    fn read(text: &str) -> Problem {
        let limits = Limits { depth: 3, values: 10 };
        compile::Error::from(json::parse(text, limits).unwrap_err()).into()
    }

    #[test]
    fn bytes_that_are_not_json_are_a_400() {
        for text in ["", "{", "[1,]", "nope", "{} {}", "\"a\u{1}\""] {
            let problem = read(text);
            assert_eq!(problem.kind, Kind::InvalidJson, "{text}");
            assert!(problem.detail.contains("at byte"), "{}", problem.detail);
        }
    }

    #[test]
    fn json_that_is_not_accepted_is_a_422_with_a_pointer() {
        let rows = [
            (r#"{"a":1,"a":2}"#, "/a"),
            (r#"{"a":["\ud800"]}"#, "/a/0"),
            ("[[[[1]]]]", "/0/0/0"),
            ("[1,2,3,4,5,6,7,8,9,10]", "/9"),
        ];
        for (text, pointer) in rows {
            let problem = read(text);
            assert_eq!(problem.kind, Kind::InvalidRequest, "{text}");
            assert_eq!(problem.errors[0].pointer, pointer, "{text}");
        }
    }

    #[test]
    fn a_timeout_and_a_cancellation_are_different_problems() {
        let kind = |stopped| Problem::from(compile::Error::Stopped(stopped)).kind;
        assert_eq!(kind(StopReason::TimeUp), Kind::Deadline);
        assert_eq!(kind(StopReason::Cancelled), Kind::Cancelled);
    }

    #[test]
    fn a_full_store_and_an_unavailable_one_are_different_problems() {
        let cause = || std::sync::Arc::new(std::fmt::Error);
        let full = Problem::from(StoreError::Full(cause())).into_response();
        assert_eq!(full.status(), StatusCode::INSUFFICIENT_STORAGE);
        assert_eq!(full.headers()[header::RETRY_AFTER], "30");
        let away = Problem::from(StoreError::Unavailable(cause())).into_response();
        assert_eq!(away.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(away.headers()[header::RETRY_AFTER], "1");
        assert_eq!(Problem::from(StoreError::Corrupt(cause())).kind, Kind::Internal);
    }
}
