//! What one request may take of the process besides the memory of its body: text that it has made,
//! and regular expressions that it has compiled.

mod allowance;
mod pattern;

pub use allowance::{Allowance, AllowanceExceeded, PaidText};
pub use pattern::{PatternBudget, PatternError};
