//! Limits of one request besides the memory of its body: time, text that it has made, and regular
//! expressions that it has compiled and searches for.

mod allowance;
mod deadline;
mod pattern;

pub use allowance::{Allowance, AllowanceExceeded, PaidText};
pub use deadline::{Deadline, StopReason};
pub use pattern::{
    MAX_SHORT_SOURCE_BYTES, MatchFn, Pattern, PatternBudget, PatternError, SearchError,
};
