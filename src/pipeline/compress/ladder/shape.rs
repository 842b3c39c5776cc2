//! What the ladder is told, and what it answers.

use crate::compress::Depth;
use crate::pipeline::compress::view::Clearing;
use crate::request::Level;

/// Raw tokens of one turn in each of its forms.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct TurnCost {
    /// As it stands, media by kind.
    pub(crate) flat: u64,
    /// As it stands, media as sent.
    pub(crate) real: u64,
    /// Whether the turn may never be shortened or dropped.
    pub(crate) exempt: bool,
    /// Whether it is a message of the user.
    pub(crate) user: bool,
    /// Whether it is system text, which targets may hoist out of the list.
    pub(crate) system: bool,
    /// Whether the history is shrunk behind the turn, whatever it takes by then.
    pub(crate) point: bool,
    /// First turn of the live zone when this turn is the newest.
    pub(crate) live_start: usize,
    /// First turn whose results are too new to be cleared when this turn is the newest; never
    /// behind the live zone's beginning.
    pub(crate) clear_start: usize,
}

/// What the replay goes by. Raw tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LadderPlan {
    pub(crate) level: Level,
    /// Whether texts may give way to their digests. Where nothing has to fit, nothing does.
    pub(crate) digests: bool,
    /// Whether rung 3 takes thinking too.
    pub(crate) clear_thinking: bool,
    /// Above this many tokens the history is shrunk …
    pub(crate) trigger: u64,
    /// … to this many.
    pub(crate) compress_to: u64,
    /// What a summary is charged, and may take; 0 where there is no room for one, and turns
    /// that would be summarised are dropped.
    pub(crate) summary_cap: u64,
    /// What the marker of dropped turns is charged.
    pub(crate) marker: u64,
    /// What the history may really take; above it the squeeze begins.
    pub(crate) allowed: u64,
    /// What the message costs that opens a list for the user, where the target wants one.
    pub(crate) opening: Option<u64>,
    /// Whether the live zone is never touched, whatever does not fit.
    pub(crate) keep_live: bool,
}

/// How far one turn has been taken down the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnForm {
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
pub(crate) enum HistoryNote {
    None,
    Summary,
    /// Rung 5: only their number.
    Marker,
    /// Not even that, where the rest would not fit beside it; the report tells.
    Silent,
}

/// What the ladder came to.
#[derive(Debug, Clone)]
pub(crate) struct LadderOutcome {
    pub(crate) forms: Vec<TurnForm>,
    pub(crate) note: HistoryNote,
    /// Whether further rungs were taken for this payload only.
    pub(crate) squeezed: bool,
    /// Raw tokens of what is allowed that nothing uses.
    pub(crate) left: u64,
}

/// What the ladder asks of whoever knows the texts.
pub(crate) trait TurnCosts {
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
