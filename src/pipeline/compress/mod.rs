//! Stage 7: the history inside its allocation, by the ladder (`docs/cache.md` lists its edits).

mod ladder;
mod remaining_history;
mod stage;
mod summary;
mod superseded;
mod turns;
mod view;

pub(super) use ladder::{
    HistoryNote, LadderOutcome, LadderPlan, PayoffRule, PutOffPoint, TurnCost, TurnCosts, TurnForm,
    plan,
};
pub(super) use stage::{author, run};
pub(super) use summary::{
    CoveredMessages, SummaryMaterial, SummaryMessage, SummaryRequest, SummaryResult, SummaryRules,
    count_covered, read_summary, summary_cap, write_note,
};
pub(super) use view::{Clearing, ResultTools, may_clear, without_thinking};

use std::sync::Arc;

use super::arrival::ArrivalPass;
use super::arrived_forms::ArrivedForms;
use super::bound_thinking::BrokenRange;
use super::measure::Cost;
use super::read_back::ReadBack;
use super::report::{Action, HistorySummary};
use super::slot::Slot;
use super::volatile_blocks::BareMessage;
use crate::domain::Message;
use crate::request::Compression;

/// The history, its costs and the limits of the stage.
pub(super) struct Input<'i> {
    pub(super) history: Vec<Message>,
    /// One for each message.
    pub(super) costs: &'i [Cost],
    /// The forms in which messages arrived, one for each.
    pub(super) arrived: Vec<ArrivedForms>,
    /// Whether what is cleared can be read back, and what was.
    pub(super) read_back: &'i ReadBack,
    /// Gives new forms if something before a message is gone.
    pub(super) arrival_pass: ArrivalPass<'i>,
    /// Whether the message may never be shortened or dropped, one for each.
    pub(super) protected: &'i [bool],
    /// Messages as they are sent with a tail or a note appended.
    pub(super) stitched: Vec<(usize, Slot)>,
    pub(super) compression: &'i Compression,
    /// Lengths of the request's list at which the history is shrunk, in rising order.
    pub(super) points: &'i [u64],
    /// Turns and messages at the end that are shielded like the live zone.
    pub(super) recent_turns: usize,
    pub(super) recent_messages: usize,
    /// Raw tokens that the points are replayed against.
    pub(super) room: u64,
    /// Raw tokens that this payload leaves for the history.
    pub(super) allowed: u64,
    /// Raw tokens above which turns may be dropped for this payload alone; never less.
    pub(super) drop_allowed: u64,
    /// The message that opens the list if it would not begin with the user's.
    pub(super) opening: Option<&'i Slot>,
    /// Whether the list must begin with the user's message, so that any other gets the opening.
    pub(super) user_first: bool,
    /// The prices of a rewrite, if points wait until it pays.
    pub(super) payoff: Option<PayoffRule>,
    /// Text of hooks for the summary.
    pub(super) material: &'i SummaryMaterial,
    /// The messages that have blocks of earlier payloads, without them.
    pub(super) bare: &'i [BareMessage],
    /// Whether thinking is left out if what is before it changes.
    pub(super) binds_thinking: bool,
    /// Whether the provider wants thinking back with the calls that it led to, however old they are.
    pub(super) returns_thinking: bool,
}

/// The history as it is sent, and what happened to its messages.
#[derive(Debug)]
pub(super) struct Output {
    /// The history as it is sent, the note for what is gone first.
    pub(super) slots: Vec<Slot>,
    /// The action on each message of the history.
    pub(super) actions: Vec<Action>,
    /// The forms of its texts on arrival, one entry for each message.
    pub(super) forms: Vec<ArrivedForms>,
    /// Texts that lines in sight name by their artifacts.
    pub(super) artifacts: Vec<Arc<str>>,
    pub(super) outcome: LadderOutcome,
    /// Messages whose thinking was made before a compaction changed bytes in front of it.
    pub(super) broken: Vec<BrokenRange>,
    /// A summary that no hook or model was asked for yet, to replace a summary of quoted lines.
    pub(super) wanted: Option<SummaryRequest>,
    pub(super) summary: Option<HistorySummary>,
}

/// Whether turns leave the history, so that a note replaces them.
pub(super) fn covers_any(outcome: &LadderOutcome) -> bool {
    outcome.forms.contains(&TurnForm::Covered)
}
