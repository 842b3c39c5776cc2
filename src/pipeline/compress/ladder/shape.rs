//! What the ladder is told, and what it answers.

use crate::compress::Depth;
use crate::pipeline::compress::view::Clearing;
use crate::request::Level;

/// Raw tokens of one turn in each of its forms.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(in crate::pipeline) struct TurnCost {
    /// As it stands, media by kind.
    pub(in crate::pipeline) flat: u64,
    /// As it stands, media as sent.
    pub(in crate::pipeline) real: u64,
    /// Whether the turn may never be shortened or dropped.
    pub(in crate::pipeline) exempt: bool,
    /// Whether it is a message of the user.
    pub(in crate::pipeline) user: bool,
    /// Whether it is system text, which targets may hoist out of the list.
    pub(in crate::pipeline) system: bool,
    /// Whether the history is shrunk behind the turn, whatever it takes by then.
    pub(in crate::pipeline) point: bool,
    /// First turn of the live zone when this turn is the newest.
    pub(in crate::pipeline) live_start: usize,
    /// First turn whose results are too new to be cleared when this turn is the newest; never
    /// behind the live zone's beginning.
    pub(in crate::pipeline) clear_start: usize,
}

/// What the replay goes by. Raw tokens.
#[derive(Debug, Clone, Copy)]
pub(in crate::pipeline) struct LadderPlan {
    pub(in crate::pipeline) level: Level,
    /// Whether texts may give way to their digests. Where nothing has to fit, nothing does.
    pub(in crate::pipeline) digests: bool,
    /// Whether rung 3 takes thinking too.
    pub(in crate::pipeline) clear_thinking: bool,
    /// Above this many tokens the history is shrunk …
    pub(in crate::pipeline) trigger: u64,
    /// … to this many.
    pub(in crate::pipeline) compress_to: u64,
    /// What a summary is charged, and may take; 0 where there is no room for one, and turns
    /// that would be summarised are dropped.
    pub(in crate::pipeline) summary_cap: u64,
    /// What the marker of dropped turns is charged.
    pub(in crate::pipeline) marker: u64,
    /// What the history may really take; above it the squeeze begins.
    pub(in crate::pipeline) allowed: u64,
    /// What the message costs that opens a list for the user, where the target wants one.
    pub(in crate::pipeline) opening: Option<u64>,
    /// Whether the live zone is never touched, whatever does not fit.
    pub(in crate::pipeline) keep_live: bool,
}

/// How far one turn has been taken down the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pipeline) enum TurnForm {
    Whole,
    /// Rung 2: its texts are taken so far.
    Reduced(Depth),
    /// Rung 3, with or without its thinking; all else as after rung 2.
    Cleared(Clearing),
    /// Rungs 4 and 5: covered by the note at the head.
    Covered,
}

/// What stands at the head of the history for the turns that are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pipeline) enum HistoryNote {
    None,
    Summary,
    /// Rung 5: only their number.
    Marker,
    /// Not even that, where the rest would not fit beside it; the report tells.
    Silent,
}

/// What the ladder came to.
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct LadderOutcome {
    pub(in crate::pipeline) forms: Vec<TurnForm>,
    pub(in crate::pipeline) note: HistoryNote,
    /// Whether further rungs were taken for this payload only.
    pub(in crate::pipeline) squeezed: bool,
    /// Raw tokens of what is allowed that nothing uses.
    pub(in crate::pipeline) left: u64,
}

/// What the ladder asks of whoever knows the texts.
pub(in crate::pipeline) trait TurnCosts {
    type Error;

    /// What a turn costs that arrives behind what is in sight: no more than by itself, since it
    /// may refer to that.
    fn arrival_cost(&mut self, turn: usize) -> Result<(u64, u64), Self::Error>;

    /// What every turn costs once its form is settled, with references among what is in sight.
    fn settle_costs(&mut self, forms: &[TurnForm]) -> Result<Vec<(u64, u64)>, Self::Error>;

    /// What a turn costs by itself in a form, `None` where nothing of it has that form.
    fn form_cost(&mut self, turn: usize, form: TurnForm)
    -> Result<Option<(u64, u64)>, Self::Error>;

    /// What the summary of the turns that are now covered really takes.
    fn summary_cost(&mut self, forms: &[TurnForm]) -> Result<u64, Self::Error>;
}
