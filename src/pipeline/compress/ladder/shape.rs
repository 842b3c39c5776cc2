//! Input and output of the ladder.

use super::payoff::{PayoffRule, PutOffPoint};
use crate::compress::Depth;
use crate::pipeline::compress::view::Clearing;
use crate::request::Level;

/// Raw tokens of one turn in each of its forms.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct TurnCost {
    /// Unchanged, media by kind.
    pub(crate) flat: u64,
    /// Unchanged, media as sent.
    pub(crate) real: u64,
    /// Tokens of it that are blocks of earlier payloads.
    pub(crate) blocks: u64,
    /// Tokens of its thinking, if the model binds it to what is before it.
    pub(crate) thinking: u64,
    /// Whether the turn may never be shortened or dropped.
    pub(crate) exempt: bool,
    /// Whether it is a message of the user.
    pub(crate) user: bool,
    /// Whether it is system text, which targets may hoist out of the list.
    pub(crate) system: bool,
    /// Messages of the model in it.
    pub(crate) answers: u64,
    /// Whether the history is shrunk after the turn, whatever it takes by then.
    pub(crate) point: bool,
    /// First turn of the live zone when this turn is the newest.
    pub(crate) live_start: usize,
    /// First turn whose results are too new to be cleared when this turn is the newest; never
    /// after the start of the live zone.
    pub(crate) clear_start: usize,
    /// The later turn whose results replace all of this one's, if there is one.
    pub(crate) superseded_by: Option<usize>,
}

/// Parameters of the replay. Raw tokens.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct LadderPlan {
    pub(crate) level: Level,
    /// Whether texts may be replaced by their digests. Not used if nothing has to fit.
    pub(crate) digests: bool,
    /// Whether rung 3 takes thinking too.
    pub(crate) clear_thinking: bool,
    /// Above this many tokens the history is shrunk …
    pub(crate) trigger: u64,
    /// … to this many.
    pub(crate) compress_to: u64,
    /// The charge and the limit of a summary; 0 if there is no room for one, and turns that would
    /// be summarised are dropped.
    pub(crate) summary_cap: u64,
    /// The charge of the marker of dropped turns.
    pub(crate) marker: u64,
    /// The limit of the history; above it the squeeze begins.
    pub(crate) allowed: u64,
    /// The squeeze drops turns only while the history takes more than this; never less than
    /// `allowed`.
    pub(crate) drop_allowed: u64,
    /// The message that opens a list for the user, if the target may need one.
    pub(crate) opening: Option<OpeningPlan>,
    /// Whether turns are covered only once they take more, cleared, than the message in their place.
    /// The order of the edits is then the same at every allowance: no other list is taken instead.
    pub(crate) note_pays: bool,
    /// Whether the live zone is never touched, whatever does not fit.
    pub(crate) keep_live: bool,
    /// When a compaction point waits until the rewrite of the prefix pays; none if none waits.
    pub(crate) payoff: Option<PayoffRule>,
}

impl LadderPlan {
    /// Whether any edit can come into question: the turns, whole, exceed what leads to one.
    pub(crate) fn may_shrink(&self, turns: &[TurnCost]) -> bool {
        let most = self.trigger.min(self.compress_to).min(self.allowed);
        let opening = self.opening.map_or(0, |opening| opening.tokens);
        let sizes = turns.iter().map(|turn| turn.flat.max(turn.real));
        self.level >= Level::Reversible && sizes.fold(opening, u64::saturating_add) > most
    }
}

/// The message that opens a list which has no message of the user at its beginning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpeningPlan {
    /// Raw tokens of the message.
    pub(crate) tokens: u64,
    /// Whether any message may begin the list, so that only an empty list is opened.
    pub(crate) only_if_empty: bool,
    /// Whether the note for covered turns, which is the user's, begins the list.
    pub(crate) is_note_first: bool,
}

/// Form of one turn: how far it has been taken down the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnForm {
    Whole,
    /// Rung 2: its texts are taken so far.
    Reduced(Depth),
    /// Rung 2: each longer text of its results in so many bytes, which fill the room left to it.
    Excerpt {
        bytes: u32,
    },
    /// Rung 3, with or without its thinking; all else as after rung 2.
    Cleared(Clearing),
    /// Rungs 4 and 5: covered by the note at the head.
    Covered,
}

/// Which of a turn's two costs counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MediaCost {
    /// Media by kind.
    Flat,
    /// Media as sent.
    Real,
}

impl MediaCost {
    pub(crate) fn select(self, cost: (u64, u64)) -> u64 {
        match self {
            Self::Flat => cost.0,
            Self::Real => cost.1,
        }
    }
}

/// The message at the head of the history in place of the turns that are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryNote {
    None,
    Summary,
    /// Rung 5: only their number.
    Marker,
    /// No message at all, if the rest would not fit with it; the report has the number.
    Silent,
}

/// The result of the ladder.
#[derive(Debug, Clone)]
pub(crate) struct LadderOutcome {
    pub(crate) forms: Vec<TurnForm>,
    pub(crate) note: HistoryNote,
    /// Whether further rungs were taken for this payload only.
    pub(crate) squeezed: bool,
    /// Whether the summary stays although it is no shorter than its turns, because they may not be
    /// dropped.
    pub(crate) keeps_summary: bool,
    /// Raw tokens of what is allowed that nothing uses.
    pub(crate) left: u64,
    /// Turns before these have lost their blocks of earlier payloads.
    pub(crate) blocks_from: usize,
    /// Where turns that were sent in other forms changed, in the order of the compaction points.
    pub(crate) changes: Vec<TurnChange>,
    /// The compaction point after the last turn, if it waits.
    pub(crate) put_off: Option<PutOffPoint>,
}

/// Turns that a compaction point, or the squeeze, changed after they had been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TurnChange {
    /// The first turn that changed; none if the note before all turns did.
    pub(crate) first: Option<usize>,
    /// The newest turn at that time.
    pub(crate) newest: usize,
}

/// An excerpt of a turn's results.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnExcerpt {
    pub(crate) form: TurnForm,
    /// Raw tokens of the turn by itself: media by kind, media as sent.
    pub(crate) cost: (u64, u64),
}

/// Costs that the ladder asks for: its caller knows the texts.
pub(crate) trait TurnCosts {
    type Error;

    /// Cost of a turn that arrives after the turns in sight: never more than by itself, since it
    /// may refer to them.
    fn arrival_cost(&mut self, turn: usize) -> Result<(u64, u64), Self::Error>;

    /// Costs of all turns once their forms are decided, with references to what is in sight.
    fn settle_costs(&mut self, forms: &[TurnForm]) -> Result<Vec<(u64, u64)>, Self::Error>;

    /// Cost of a turn by itself in a form, `None` if nothing of it has that form.
    fn form_cost(&mut self, turn: usize, form: TurnForm)
    -> Result<Option<(u64, u64)>, Self::Error>;

    /// The largest excerpt of a turn's results with which the turn by itself takes no more than
    /// `max_tokens`; none if its results cannot be cut so.
    fn find_excerpt(
        &mut self,
        _turn: usize,
        _max_tokens: u64,
        _media: MediaCost,
    ) -> Result<Option<TurnExcerpt>, Self::Error> {
        Ok(None)
    }

    /// Cost of the actual summary of the turns that are now covered.
    fn summary_cost(&mut self, forms: &[TurnForm]) -> Result<u64, Self::Error>;
}
