//! Errors of use cases: [`Error`], and the refusals of single use cases that it contains.

mod candidate;
mod compile;
mod divergence;
mod pack;

pub use self::candidate::CandidateRefusal;
pub use self::compile::{CompileError, RefusedCompile};
pub use self::divergence::Divergence;
pub use self::pack::PackRefusal;
use super::{MemoryTaken, StoreError, idempotency};
use crate::hook::HookStop;
use crate::json::{self, Fault};
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
