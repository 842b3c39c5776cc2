//! What turns lose besides their edits: blocks of earlier payloads, and thinking that is bound to
//! what was before it.

use super::Ladder;
use super::shape::TurnForm;
use crate::pipeline::compress::view::Clearing;

impl Ladder<'_> {
    /// Raw tokens that a turn in a form would have and does not: of blocks that are gone, and of
    /// thinking that is left out.
    pub(super) fn lost(&self, turn: usize, form: TurnForm) -> u64 {
        let Some(cost) = self.turns.get(turn).filter(|_| form != TurnForm::Covered) else {
            return 0;
        };
        let blocks = if turn < self.blocks_from { cost.blocks } else { 0 };
        let is_unbound = self.unbound.get(turn) == Some(&true) && shows_thinking(form);
        blocks + if is_unbound { cost.thinking } else { 0 }
    }

    /// A cost of a turn in a form, less what it has lost.
    pub(super) fn net(&self, turn: usize, form: TurnForm, cost: (u64, u64)) -> (u64, u64) {
        less(cost, self.lost(turn, form))
    }

    /// Takes tokens off the cost of a turn.
    fn take_off(&mut self, turn: usize, tokens: u64) {
        let shown = self.shown.get(turn).copied().unwrap_or_default();
        self.put_cost(turn, less(shown, tokens));
    }

    /// Leaves out the thinking of all turns so far that are after a turn; of all of them if there is
    /// none. It was made when what is before it had other bytes, so its provider would refuse it.
    pub(super) fn unbind_after(&mut self, changed: Option<usize>) {
        let from = changed.map_or(0, |turn| turn + 1);
        for at in from..self.forms.len().min(self.unbound_from) {
            let Some(unbound) = self.unbound.get_mut(at) else { break };
            let thinking = self.turns.get(at).map_or(0, |turn| turn.thinking);
            let is_new = !std::mem::replace(unbound, true) && thinking > 0;
            let shows = self.forms.get(at).is_some_and(|form| shows_thinking(*form));
            if is_new && shows {
                self.take_off(at, thinking);
            }
        }
        self.unbound_from = self.unbound_from.min(from);
    }

    /// Takes the blocks of earlier payloads out of all turns but the newest that has some: what they say
    /// is out of date, and the bytes after a compaction point change anyway.
    pub(super) fn drop_old_blocks(&mut self) {
        let pushed = self.turns.get(..self.forms.len()).unwrap_or_default();
        let Some(newest) = pushed.iter().rposition(|turn| turn.blocks > 0) else { return };
        let mut first = None;
        for at in self.blocks_from..newest {
            let blocks = pushed.get(at).map_or(0, |turn| turn.blocks);
            let is_covered = self.forms.get(at) == Some(&TurnForm::Covered);
            if !is_covered && blocks > 0 {
                self.take_off(at, blocks);
                first = first.or(Some(at));
            }
        }
        self.blocks_from = newest;
        if first.is_some() {
            self.unbind_after(first);
        }
    }
}

/// Both costs without so many tokens.
fn less(cost: (u64, u64), tokens: u64) -> (u64, u64) {
    (cost.0.saturating_sub(tokens), cost.1.saturating_sub(tokens))
}

/// Whether a turn in a form has its thinking.
fn shows_thinking(form: TurnForm) -> bool {
    !matches!(form, TurnForm::Covered | TurnForm::Cleared(Clearing::ResultsAndThinking))
}
