//! The list of edits, least harmful first: which is the next.

use super::Ladder;
use super::shape::{HistoryNote, LadderPlan, TurnCosts, TurnForm};
use crate::compress::Depth;
use crate::pipeline::compress::view::Clearing;
use crate::request::Level;

/// An edit that is made to turn after turn, the oldest first, before the next step begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LadderStep {
    /// Rung 2, so far.
    Reduce(Depth),
    Clear,
}

impl LadderStep {
    pub(super) const STEP_COUNT: usize = Depth::ALL.len() + 1;

    /// All of them, in order.
    fn all() -> impl Iterator<Item = Self> {
        Self::rung_2().chain([Self::Clear])
    }

    fn rung_2() -> impl Iterator<Item = Self> {
        Depth::ALL.into_iter().map(Self::Reduce)
    }

    /// Its place among all of them.
    fn place(self) -> usize {
        match self {
            Self::Reduce(depth) => depth as usize,
            Self::Clear => Depth::ALL.len(),
        }
    }

    /// Whether the plan goes so far.
    fn is_on(self, plan: &LadderPlan) -> bool {
        match self {
            Self::Reduce(Depth::Reduced) | Self::Clear => true,
            Self::Reduce(_) => plan.digests,
        }
    }
}

/// What the end of the list may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastSteps {
    /// Whether turns may be dropped.
    drops: bool,
    /// Whether the marker itself may be removed.
    silences: bool,
}

impl Ladder<'_> {
    /// Makes the next edit of the list; false if none is left. `last`: the marker itself may be
    /// removed.
    pub(super) fn step<C: TurnCosts>(
        &mut self,
        last: bool,
        costs: &mut C,
    ) -> Result<bool, C::Error> {
        let seen = self.forms.len();
        let newest = seen.saturating_sub(1);
        let (live, clear) =
            self.turns.get(newest).map_or((0, 0), |turn| (turn.live_start, turn.clear_start));
        if let Some(stale) = self.stale.take_before(clear) {
            self.take(LadderStep::Clear, stale, costs)?;
            return Ok(true);
        }
        for step in LadderStep::all() {
            let end = if step == LadderStep::Clear { clear } else { live };
            if self.offer(step, end, costs)? {
                return Ok(true);
            }
        }
        if self.plan.level < Level::Summary {
            return self.live(seen, costs);
        }
        let drops = !last || self.may_drop();
        let covers = drops || self.is_covering_by_summary();
        if covers
            && self.held.front().is_some_and(|turn| Some(*turn) != self.last_user)
            && let Some(turn) = self.held.pop_front()
        {
            self.cover(turn);
            return Ok(true);
        }
        let charge = self.note_charge(self.first_note());
        if covers && self.next_cover < live && self.offer_covers(live, charge, costs)? {
            return Ok(true);
        }
        if self.plan.keep_live {
            return Ok(false);
        }
        // Everything else is spent: the live zone, turn by turn, the newest last.
        for step in LadderStep::rung_2() {
            if self.offer(step, newest, costs)? {
                return Ok(true);
            }
        }
        if self.waits_to_pay() {
            let cleared = self.next.get(LadderStep::Clear.place()).copied().unwrap_or_default();
            if covers && self.offer_covers(cleared.min(newest), charge, costs)? {
                return Ok(true);
            }
            if cleared < newest && self.offer(LadderStep::Clear, cleared + 1, costs)? {
                return Ok(true);
            }
        } else if self.next_cover < newest {
            let turn = self.next_cover;
            if self.offer(LadderStep::Clear, turn + 1, costs)? {
                return Ok(true);
            }
            if covers {
                self.offer_cover();
                return Ok(true);
            }
        }
        self.last_steps(newest, LastSteps { drops, silences: last }, costs)
    }

    /// Whether a turn that is covered now is part of a summary.
    fn is_covering_by_summary(&self) -> bool {
        match self.note {
            HistoryNote::Summary => true,
            HistoryNote::None => self.first_note() == HistoryNote::Summary,
            HistoryNote::Marker | HistoryNote::Silent => false,
        }
    }

    /// Without summaries the live zone can only be shortened and cleared, oldest turn first.
    fn live<C: TurnCosts>(&mut self, seen: usize, costs: &mut C) -> Result<bool, C::Error> {
        if self.plan.keep_live {
            return Ok(false);
        }
        for step in LadderStep::all() {
            if self.offer(step, seen, costs)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The end of the list: the newest turn shorter, the summary's room, the newest turn, the
    /// marker's room.
    fn last_steps<C: TurnCosts>(
        &mut self,
        newest: usize,
        may: LastSteps,
        costs: &mut C,
    ) -> Result<bool, C::Error> {
        for step in LadderStep::rung_2() {
            if self.offer(step, newest + 1, costs)? {
                return Ok(true);
            }
        }
        let drops = self.plan.level == Level::Drop;
        if drops && may.drops && self.note == HistoryNote::Summary {
            self.set_note(HistoryNote::Marker);
            return Ok(true);
        }
        // Without the others there may be room for some of its lines.
        if self.excerpt_newest(costs)? || self.offer(LadderStep::Clear, newest + 1, costs)? {
            return Ok(true);
        }
        if drops && !may.drops {
            return Ok(false);
        }
        if self.next_cover <= newest {
            // The least that turns can pay for.
            let note = if drops { HistoryNote::Marker } else { self.first_note() };
            self.cleared_before = (self.next_cover, 0);
            if !self.offer_covers(newest + 1, self.note_charge(note), costs)? {
                return Ok(false);
            }
            // Rung 5 directly: a summary has just been found to have no room.
            if drops && self.note == HistoryNote::Summary {
                self.set_note(HistoryNote::Marker);
            }
        } else if may.silences && drops && self.note == HistoryNote::Marker {
            self.set_note(HistoryNote::Silent);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Offers the next turn before `end` a step; false if none is left.
    fn offer<C: TurnCosts>(
        &mut self,
        step: LadderStep,
        end: usize,
        costs: &mut C,
    ) -> Result<bool, C::Error> {
        let Some(next) = self.next.get_mut(step.place()).filter(|_| step.is_on(&self.plan)) else {
            return Ok(false);
        };
        if *next >= end {
            return Ok(false);
        }
        let turn = *next;
        *next += 1;
        self.take(step, turn, costs)?;
        Ok(true)
    }

    fn take<C: TurnCosts>(
        &mut self,
        step: LadderStep,
        turn: usize,
        costs: &mut C,
    ) -> Result<(), C::Error> {
        let (Some(cost), Some(form)) = (self.turns.get(turn), self.forms.get(turn).copied()) else {
            return Ok(());
        };
        if cost.exempt || form == TurnForm::Covered || self.last_user == Some(turn) {
            return Ok(());
        }
        // A turn that was cleared before its time, since others replace it, stays so.
        if matches!(form, TurnForm::Cleared(_)) && step != LadderStep::Clear {
            return Ok(());
        }
        // In an open tool loop thinking stays as it is.
        let open = self.last_user.is_none_or(|user| turn > user);
        let clearing = if open || !self.plan.clear_thinking {
            Clearing::Results
        } else {
            Clearing::ResultsAndThinking
        };
        let to = match step {
            LadderStep::Reduce(depth) => TurnForm::Reduced(depth),
            LadderStep::Clear => TurnForm::Cleared(clearing),
        };
        let known = self.shown.get(turn).copied().unwrap_or_default();
        let Some(cost) = costs.form_cost(turn, to)? else { return Ok(()) };
        let net = self.net(turn, to, cost);
        // A text that an adapter could not shorten is none the worse for being offered to it.
        let is_offered = to == TurnForm::Reduced(Depth::Reduced) && net.1 == known.1;
        if net.0 <= known.0 && (net.1 < known.1 || is_offered) {
            self.set(turn, to, cost);
            self.last_removal = (step == LadderStep::Clear).then_some(turn);
        }
        Ok(())
    }

    /// Whether nothing is covered yet, and turns have to pay for the message in their place.
    fn waits_to_pay(&self) -> bool {
        self.plan.note_pays && self.note == HistoryNote::None
    }

    /// Covers the next turn; or, if turns have to pay and none is covered yet, as many before `end` as
    /// take more than `charge`. False if they do not.
    fn offer_covers<C: TurnCosts>(
        &mut self,
        end: usize,
        charge: u64,
        costs: &mut C,
    ) -> Result<bool, C::Error> {
        if !self.waits_to_pay() {
            self.offer_cover();
            return Ok(true);
        }
        let (mut at, mut tokens) = self.cleared_before;
        while at < end && tokens <= charge {
            let turn = self.turns.get(at).filter(|turn| !turn.exempt);
            if turn.is_some() && self.last_user != Some(at) {
                let shown = self.shown.get(at).map_or(0, |shown| shown.1);
                let form = TurnForm::Cleared(Clearing::Results);
                let cleared = costs.form_cost(at, form)?.map(|cost| self.net(at, form, cost));
                tokens += cleared.map_or(shown, |cleared| cleared.1.min(shown));
            }
            at += 1;
        }
        self.cleared_before = (at, tokens);
        if tokens <= charge {
            return Ok(false);
        }
        while self.next_cover < at {
            self.offer_cover();
        }
        Ok(true)
    }

    fn offer_cover(&mut self) {
        let turn = self.next_cover;
        self.next_cover += 1;
        for next in &mut self.next {
            *next = (*next).max(self.next_cover);
        }
        if self.last_user == Some(turn) {
            self.held.push_back(turn);
        } else {
            self.cover(turn);
        }
    }

    fn cover(&mut self, turn: usize) {
        if self.turns.get(turn).is_none_or(|cost| cost.exempt) {
            return;
        }
        if self.note == HistoryNote::None {
            self.set_note(self.first_note());
        }
        self.set(turn, TurnForm::Covered, (0, 0));
        self.last_removal = Some(turn);
    }
}
