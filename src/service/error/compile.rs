//! Errors of a compile, and refusals by its pack.

use std::sync::Arc;

use super::PackRefusal;
use crate::domain::{ContentHash, Stage};
use crate::hook::{Denial, HookStop};
use crate::json::{self, Fault};
use crate::pack::Refusal;
use crate::pipeline::{self, GovernedStage, StopReason};
use crate::service::MemoryTaken;
use crate::service::record::RecalledInputs;
use crate::store;

/// The reason why a compile has no payload. Each variant is one thing that a caller can act on.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error("the body is not accepted: {0}")]
    Json(#[from] json::Error),
    #[error("the request is not valid in {}", json::places(.0))]
    Invalid(Vec<Fault>),
    #[error("the payload needs {needed} tokens and the budget is {budget}")]
    OverBudget { needed: u64, budget: u64, faults: Vec<Fault> },
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// A guard denied the compile.
    #[error("hook `{}` denied at `{}`: {}", .0.hook, .0.point, .0.reason)]
    Denied(Denial),
    /// A pack refused the compile.
    #[error("{}", .0.refusal)]
    Governed(Box<RefusedCompile>),
    #[error("{0}")]
    Forbidden(String),
    #[error(transparent)]
    Pack(PackRefusal),
    #[error(transparent)]
    Hook(#[from] HookStop),
    #[error(transparent)]
    MemoryTaken(#[from] MemoryTaken),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl CompileError {
    /// The code of the problem and of the event `compile:failed`. Problems of a store that is full
    /// or busy have codes of their own.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(_) => "invalid_json",
            Self::Invalid(_) => "invalid_request",
            Self::OverBudget { .. } => "over_budget",
            Self::Stopped(StopReason::TimeUp) => "deadline",
            Self::Stopped(StopReason::Cancelled) => "cancelled",
            Self::Stopped(StopReason::TooMuchText(_)) => "text_limit",
            Self::Denied(_) => "hook_denied",
            Self::Governed(refused) => refused.refusal.code.as_str(),
            Self::Forbidden(_) => "forbidden",
            Self::Pack(refused) => refused.code(),
            Self::Hook(stop) if stop.is_timeout() => "hook_timeout",
            Self::Hook(stop) if stop.is_text_limit() => "text_limit",
            Self::Hook(_) => "hook_failed",
            Self::MemoryTaken(_) => "overloaded",
            Self::Store(_) => "store_unavailable",
        }
    }
}

impl From<pipeline::Error> for CompileError {
    fn from(error: pipeline::Error) -> Self {
        match error {
            pipeline::Error::Stopped(stopped) => Self::Stopped(stopped),
            pipeline::Error::Denied(denial) => Self::Denied(denial),
            pipeline::Error::Hook(stop) => Self::Hook(stop),
            pipeline::Error::OverBudget(report) => {
                let faults = report.too_big.iter().map(|entry| Fault {
                    pointer: entry.pointer.clone().unwrap_or_default(),
                    detail: format!("{} takes {} tokens", entry.part, entry.tokens),
                    did_you_mean: None,
                });
                Self::OverBudget {
                    needed: report.tokens_after,
                    budget: report.budget,
                    faults: faults.collect(),
                }
            }
        }
    }
}

/// A refusal, with the state of the compile at that time.
#[derive(Debug)]
pub struct RefusedCompile {
    pub refusal: Refusal,
    /// The id of the record, if one was stored.
    pub compilation: Option<Arc<str>>,
    /// The stages of the pack that ran. The last one refused.
    pub(crate) stages: Vec<GovernedStage>,
    /// Values from the store and the clock; none if the pack refused before they were read.
    pub(crate) recalled: Option<RecalledInputs>,
}

impl RefusedCompile {
    pub(crate) fn at_stage(
        refusal: Refusal,
        stages: Vec<GovernedStage>,
        recalled: RecalledInputs,
    ) -> CompileError {
        let recalled = Some(recalled);
        CompileError::Governed(Box::new(Self { refusal, compilation: None, stages, recalled }))
    }

    /// A refusal before the first stage.
    pub(crate) fn early(refusal: Refusal) -> CompileError {
        let (stages, recalled) = (Vec::new(), None);
        CompileError::Governed(Box::new(Self { refusal, compilation: None, stages, recalled }))
    }

    /// A refusal after the last stage, because hooks changed a block of the pack.
    pub(crate) fn transformed(
        refusal: Refusal,
        mut stages: Vec<GovernedStage>,
        recalled: RecalledInputs,
    ) -> CompileError {
        let output = ContentHash::of(&json::jcs_value(&refusal.to_record()));
        stages.push(GovernedStage { stage: Stage::Transform, parts: Vec::new(), output });
        Self::at_stage(refusal, stages, recalled)
    }
}
