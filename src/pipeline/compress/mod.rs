//! Stage 7: the history inside its allocation, by the ladder of DESIGN §2.

mod build;
mod ladder;
mod stage;
mod summary;
mod turns;
mod view;

pub(super) use ladder::{ClearCost, Form, Note, Outcome, Plan, TurnCost, plan};
pub(super) use stage::{Input, Output, run};
pub(super) use summary::{Material, SummaryRules, summary, summary_cap};
pub(super) use view::{Clearing, Tools, may_clear, without_thinking};
