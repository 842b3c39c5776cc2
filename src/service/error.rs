//! Why a use case did nothing.

use super::candidates::CandidateRefusal;
use super::compilations::Divergence;
use super::{StoreError, idempotency, packs};
use crate::hook::HookStop;
use crate::json::{self, Fault};
use crate::pipeline::StopReason;
use crate::webhook::SealError;

/// Each variant is one thing a caller can act on. Nothing was stored.
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
    /// A record does not hold what it takes to run the compile again.
    #[error("{0}")]
    RecordIncomplete(&'static str),
    /// A record was made by an engine that compiles otherwise.
    #[error("the record was made by engine {recorded}; this is {current}")]
    EngineChanged { recorded: String, current: &'static str },
    /// What a record holds is not what its own hashes say that it was; `changed` are the parts by name.
    #[error("the record is not what was recorded{}", named(.changed))]
    PacketInvalid { changed: Vec<String> },
    /// A replay would ask a hook something else.
    #[error(transparent)]
    Diverged(Box<Divergence>),
    #[error(transparent)]
    Compile(Box<super::compile::Error>),
    /// `If-Match` names another version than the one that is stored.
    #[error("the version that is stored is {0}")]
    Stale(u64),
    #[error("the action must be one of add, replace, remove, not `{0}`")]
    MemoryAction(String),
    #[error("the type must be one of short_term, long_term, entity, episodic, not `{0}`")]
    MemoryType(String),
    #[error("{0}")]
    Forbidden(String),
    /// The operator has to give the key that secrets are sealed with.
    #[error("{0} (--master-key-file)")]
    NoSecrets(#[source] SealError),
    #[error(transparent)]
    Refused(#[from] idempotency::ReplayRefusal),
    #[error(transparent)]
    Pack(#[from] packs::PackRefusal),
    #[error(transparent)]
    Candidate(#[from] CandidateRefusal),
    /// A hook stopped it.
    #[error(transparent)]
    Hook(#[from] HookStop),
    #[error(transparent)]
    Stopped(#[from] StopReason),
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn named(parts: &[String]) -> String {
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
