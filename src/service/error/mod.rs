//! Errors of use cases: [`Error`], and the refusals of single use cases that it contains.

mod compile;

use std::sync::Arc;

pub use self::compile::{CompileError, RefusedCompile};
use super::{MemoryTaken, StoreError, idempotency};
use crate::domain::{CandidateState, MemoryRole, word_of};
use crate::hook::{HookStop, Point};
use crate::json::{self, Fault};
use crate::pack::LintFault;
use crate::pipeline::StopReason;
use crate::webhook::SealError;

/// The reason why a use case did nothing. Each variant is one thing that a caller can act on.
/// Nothing was stored.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the body is not accepted: {0}")]
    Json(#[from] json::Error),
    #[error("the request is not valid in {}", json::places(.0))]
    Invalid(Vec<Fault>),
    #[error("{0}")]
    NotFound(&'static str),
    #[error("{0}")]
    Conflict(String),
    /// A record lacks what is needed to run the compile again.
    #[error("{0}")]
    RecordIncomplete(&'static str),
    /// A record was made by an engine that may compile to other bytes.
    #[error("the record was made by engine {recorded}; this is {current}")]
    EngineChanged { recorded: String, current: &'static str },
    /// The content of a record does not match its own hashes; `changed` has the names of the parts.
    #[error("the record is not what was recorded{}", list_parts(.changed))]
    PacketInvalid { changed: Vec<String> },
    /// A replay would call a hook with another input.
    #[error(transparent)]
    Diverged(Box<Divergence>),
    #[error(transparent)]
    Compile(Box<CompileError>),
    /// `If-Match` names another version than the stored one.
    #[error("the version that is stored is {0}")]
    Stale(u64),
    #[error("the action must be one of add, replace, remove, not `{0}`")]
    MemoryAction(String),
    #[error("the type must be one of short_term, long_term, entity, episodic, not `{0}`")]
    MemoryType(String),
    #[error("{0}")]
    Forbidden(String),
    /// The operator has to configure the key that seals secrets.
    #[error("{0} (--master-key-file)")]
    NoSecrets(#[source] SealError),
    #[error(transparent)]
    Refused(#[from] idempotency::ReplayRefusal),
    #[error(transparent)]
    Pack(#[from] PackRefusal),
    #[error(transparent)]
    Candidate(#[from] CandidateRefusal),
    /// A hook stopped the request.
    #[error(transparent)]
    Hook(#[from] HookStop),
    #[error(transparent)]
    Stopped(#[from] StopReason),
    #[error(transparent)]
    MemoryTaken(#[from] MemoryTaken),
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn list_parts(parts: &[String]) -> String {
    if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
}

impl From<idempotency::Error> for Error {
    fn from(error: idempotency::Error) -> Self {
        match error {
            idempotency::Error::Refused(refused) => Self::Refused(refused),
            idempotency::Error::Store(error) => Self::Store(error),
        }
    }
}

/// A hook of a replay has an input for which the record has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("hook `{hook}` at `{point}` is asked something else than what was recorded")]
pub struct Divergence {
    /// The compilation that is replayed.
    pub id: Arc<str>,
    pub hook: Arc<str>,
    pub point: Point,
    /// Number of times that the point was reached before.
    pub occurrence: u32,
    /// JSON Pointer of the first difference in the hook's request; none if the recorded input is
    /// not available.
    pub pointer: Option<String>,
}

/// The reason why a candidate was not changed. Each variant is a rule about the steps of a
/// candidate. Nothing was stored.
#[derive(Debug, thiserror::Error)]
pub enum CandidateRefusal {
    #[error("`{0}` is no class that may be written here")]
    Class(String),
    #[error("a candidate that is {} cannot become {}", state_name(*.from), state_name(*.to))]
    Transition { from: CandidateState, to: CandidateState },
    #[error("who proposed a candidate may not review it")]
    SelfReview,
    #[error("a principal of the kind agent may propose, but neither review nor promote")]
    Agent,
    #[error("the key lacks the role {}", .0.as_str())]
    Lacks(MemoryRole),
    /// The keys of the entries with another value.
    #[error(
        "the entry {} says otherwise: `resolution` must be supersede, keep_both or reject",
        .0.join(", ")
    )]
    Contradiction(Vec<String>),
    #[error("the policy asks for a consent, and the proposal has none")]
    NoConsent,
}

fn state_name(state: CandidateState) -> &'static str {
    word_of(CandidateState::WORDS, state)
}

/// The reason why nothing is done with a pack.
#[derive(Debug, thiserror::Error)]
pub enum PackRefusal {
    #[error("the pack has {} fault{}", .0.len(), if .0.len() == 1 { "" } else { "s" })]
    Lint(Vec<LintFault>),
    #[error("{0} is published with another digest: {1}")]
    VersionExists(String, String),
    #[error("no such pack is published")]
    NotFound,
    #[error("the rule uses operators that there are not")]
    Operators(Vec<json::Fault>),
}

impl PackRefusal {
    /// The code of the problem, and of the event of a compile. If the signature is the only fault of
    /// a pack, it has a code of its own.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Lint(faults) => {
                let mut errors = faults.iter().filter(|fault| fault.is_error());
                match (errors.next().map(|fault| fault.code), errors.next()) {
                    (Some(code @ ("pack_signature_missing" | "pack_signature_invalid")), None) => {
                        code
                    }
                    _ => "pack_lint",
                }
            }
            Self::VersionExists(..) => "pack_version_exists",
            Self::NotFound => "pack_not_found",
            Self::Operators(_) => "policy_operator_unknown",
        }
    }
}
