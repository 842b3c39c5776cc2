//! Stage 7: the history inside its allocation, by the ladder (`docs/cache.md` lists its edits).

mod build;
mod ladder;
mod stage;
mod summary;
mod turns;
mod view;

pub(super) use ladder::{
    ClearCost, HistoryNote, LadderOutcome, LadderPlan, TurnCost, TurnForm, plan,
};
pub(super) use stage::{Input, Output, by, run};
pub(super) use summary::{
    SummaryMaterial, SummaryMessage as Standing, SummaryRequest, SummaryResult, SummaryRules, note,
    stand_for, summary_cap, written,
};
pub(super) use view::{Clearing, ResultTools, may_clear, without_thinking};

/// Whether turns leave the history, so that something stands for them.
pub(super) fn covers_any(outcome: &LadderOutcome) -> bool {
    outcome.forms.contains(&TurnForm::Covered)
}
