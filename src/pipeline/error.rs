//! Why a compile has no payload.

use std::sync::Arc;

use super::StopReason;
use super::report::Report;
use crate::hook::{Denial, HookStop};

/// Each variant is one thing a caller can act on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Only with `on_overflow: "fail"`. The report has the parts that are too big.
    #[error("the payload takes {} tokens and the budget is {}", .0.tokens_after, .0.budget)]
    OverBudget(Arc<Report>),
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// A guard denied the compile.
    #[error("hook `{}` denied at `{}`", .0.hook, .0.point)]
    Denied(Denial),
    #[error(transparent)]
    Hook(#[from] HookStop),
}
