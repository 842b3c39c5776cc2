//! Rules as JSON: the operators of `JsonLogic`, evaluated within limits.
//!
//! The result is that of json-logic-js 2.0.5. In addition it reports what that library cannot:
//! whether a comparison or a sum met something that is no number, so that a rule on missing facts
//! can fail closed. Nothing is logged, and no rule runs beyond its limits.

mod evaluation;
mod js;
mod numbers;
mod operators;
mod scoped_operators;
mod value;

pub use evaluation::{Evaluation, RuleBudget, RuleFailure, Uncertainty, evaluate};
pub use operators::{RuleFault, RuleFaultKind, check};
pub use value::{RecordMember, Value, ValueList, ValueRecord};
