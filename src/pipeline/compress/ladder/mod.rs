//! Chooses edits: compaction points replayed over counted turns, then the squeeze.
//!
//! Nothing here looks at a text. The replay walks the turns from the first to the last and
//! remembers nothing between compiles, so a longer list goes through the same points in the
//! same states as the shorter one did: what was sent before keeps its bytes.

mod excerpts;
mod losses;
mod payoff;
mod shape;
mod stale;
mod steps;

use std::collections::VecDeque;

pub(crate) use payoff::{PayoffRule, PutOffPoint};
pub(crate) use shape::{
    HistoryNote, LadderOutcome, LadderPlan, MediaCost, OpeningPlan, TurnChange, TurnCost,
    TurnCosts, TurnExcerpt, TurnForm,
};

use payoff::HistoryAtPoint;
use stale::StaleTurns;
use steps::LadderStep;

use crate::request::Level;

/// Replays the turns, then squeezes what does not fit.
pub(crate) fn plan<C: TurnCosts>(
    turns: &[TurnCost],
    plan: &LadderPlan,
    costs: &mut C,
) -> Result<LadderOutcome, C::Error> {
    let mut ladder = Ladder::new(turns, *plan);
    let (mut changes, mut put_off, mut answers) = (Vec::new(), None, 0);
    for (index, turn) in turns.iter().enumerate() {
        let (flat, real) = costs.arrival_cost(index)?;
        ladder.push(turn, flat, real);
        let most = if turn.point { plan.trigger.min(plan.compress_to) } else { plan.trigger };
        put_off = None;
        answers += turn.answers;
        if plan.level >= Level::Reversible && ladder.total(false) > most {
            put_off = ladder.put_off(turn, answers);
            if put_off.is_some() {
                continue;
            }
            let before = ladder.shape();
            ladder.compact(plan.compress_to, costs)?;
            if ladder.note != before.note {
                ladder.unbind_after(None);
            }
            changes.extend(ladder.change_since(&before));
        }
    }
    let before = ladder.shape();
    let squeezed = ladder.squeeze(costs)?;
    if squeezed && ladder.note != before.note {
        ladder.unbind_after(None);
    }
    changes.extend(ladder.change_since(&before));
    let left = plan.allowed.saturating_sub(ladder.needed());
    let Ladder { forms, note, keeps_summary, blocks_from, .. } = ladder;
    Ok(LadderOutcome { forms, note, squeezed, keeps_summary, left, blocks_from, changes, put_off })
}

/// The forms of turns, and the note before them.
struct HistoryShape {
    forms: Vec<TurnForm>,
    note: HistoryNote,
    blocks_from: usize,
}

/// The size to which the history is to be brought.
#[derive(Debug, Clone, Copy)]
struct HistoryLimit {
    /// Raw.
    tokens: u64,
    media: MediaCost,
}

struct Ladder<'t> {
    turns: &'t [TurnCost],
    plan: LadderPlan,
    forms: Vec<TurnForm>,
    /// Costs of each turn in its form: media by kind, media as sent.
    shown: Vec<(u64, u64)>,
    note: HistoryNote,
    /// Turns before these have been offered each step, and rungs 4 and 5.
    next: [usize; LadderStep::STEP_COUNT],
    next_cover: usize,
    /// Turns whose results later ones have replaced.
    stale: StaleTurns,
    /// Raw tokens that the turns before an index take, cleared, as long as none is covered.
    cleared_before: (usize, u64),
    /// Turns passed over because they held the last user message; they are first in line.
    held: VecDeque<usize>,
    last_user: Option<usize>,
    /// Raw tokens of the turns that may never go, the last user message aside.
    exempt: u64,
    /// Raw tokens of the turns in sight, media by kind and as sent.
    flat: u64,
    real: u64,
    /// Raw tokens that the note is charged.
    charge: u64,
    keeps_summary: bool,
    /// The turn that the last step cleared or covered, if it did.
    last_removal: Option<usize>,
    /// Raw tokens that the steps go on to, and what counts of media.
    limit: HistoryLimit,
    /// Turns before these have lost their blocks of earlier payloads.
    blocks_from: usize,
    /// Whether the thinking of a turn is left out, because what is before it has changed.
    unbound: Vec<bool>,
    /// The thinking of all turns from this one up to the last compaction is left out.
    unbound_from: usize,
}

impl<'t> Ladder<'t> {
    fn new(turns: &'t [TurnCost], plan: LadderPlan) -> Self {
        Self {
            turns,
            plan,
            forms: Vec::with_capacity(turns.len()),
            shown: Vec::with_capacity(turns.len()),
            note: HistoryNote::None,
            next: [0; LadderStep::STEP_COUNT],
            next_cover: 0,
            stale: StaleTurns::new(turns),
            cleared_before: (0, 0),
            held: VecDeque::new(),
            last_user: None,
            exempt: 0,
            flat: 0,
            real: 0,
            charge: 0,
            keeps_summary: false,
            last_removal: None,
            limit: HistoryLimit { tokens: plan.compress_to, media: MediaCost::Flat },
            blocks_from: 0,
            unbound: Vec::with_capacity(turns.len()),
            unbound_from: 0,
        }
    }

    fn push(&mut self, turn: &TurnCost, flat: u64, real: u64) {
        if turn.user {
            self.last_user = Some(self.forms.len());
        }
        self.stale.arrive(self.forms.len());
        self.forms.push(TurnForm::Whole);
        self.shown.push((flat, real));
        self.unbound.push(false);
        self.flat += flat;
        self.real += real;
        self.exempt += if turn.exempt { turn.flat } else { 0 };
    }

    fn shape(&self) -> HistoryShape {
        HistoryShape { forms: self.forms.clone(), note: self.note, blocks_from: self.blocks_from }
    }

    /// The first turn that has another form than before.
    fn change_since(&self, before: &HistoryShape) -> Option<TurnChange> {
        let newest = self.forms.len().checked_sub(1)?;
        let has_lost = |at: usize| {
            (before.blocks_from..self.blocks_from).contains(&at)
                && self.turns.get(at).is_some_and(|turn| turn.blocks > 0)
        };
        let mut forms = before.forms.iter().zip(&self.forms).enumerate();
        let first = forms.position(|(at, (before, now))| before != now || has_lost(at));
        let covers =
            |forms: &[TurnForm]| forms.iter().filter(|form| **form == TurnForm::Covered).count();
        // A note that covers more turns has another text.
        if self.note != before.note || covers(&self.forms) != covers(&before.forms) {
            return Some(TurnChange { first: None, newest });
        }
        first.map(|first| TurnChange { first: Some(first), newest })
    }

    /// The point after the newest turn as one that waits; none if the history is shrunk there. One that
    /// was made for a cold cache rewrites nothing, and never waits.
    fn put_off(&self, newest: &TurnCost, answers: u64) -> Option<PutOffPoint> {
        let rule = self.plan.payoff.filter(|_| !newest.point)?;
        rule.put_off(HistoryAtPoint {
            tokens: self.total(false),
            target: self.reachable(self.plan.compress_to),
            newest: self.shown.last().map_or(0, |shown| shown.0),
            answers,
        })
    }

    fn total(&self, real: bool) -> u64 {
        (if real { self.real } else { self.flat }) + self.charge
    }

    /// Takes edits until the history is down to `target`.
    fn compact<C: TurnCosts>(&mut self, target: u64, costs: &mut C) -> Result<(), C::Error> {
        // The list of edits starts again: a summary that was dropped at an earlier point may have
        // room at this one, since it is always made from the original messages.
        let target = self.reachable(target);
        self.unbound_from = self.forms.len();
        if matches!(self.note, HistoryNote::Marker | HistoryNote::Silent) {
            self.set_note(self.first_note());
        }
        self.drop_old_blocks();
        self.stand_alone(costs)?;
        self.last_removal = None;
        self.limit = HistoryLimit { tokens: target, media: MediaCost::Flat };
        self.excerpt_newest(costs)?;
        while self.total(false) > target && self.step(false, costs)? {}
        self.restore_summary(self.total(false), target);
        self.fill(target.saturating_sub(self.total(false)), costs)?;
        self.settle(costs)
    }

    /// Gives every turn in sight the cost that it has by itself: whether it can refer to others
    /// is only known once it is known which of them stay.
    fn stand_alone<C: TurnCosts>(&mut self, costs: &mut C) -> Result<(), C::Error> {
        for at in 0..self.forms.len() {
            let (Some(turn), Some(form)) = (self.turns.get(at), self.forms.get(at).copied()) else {
                continue;
            };
            match form {
                TurnForm::Whole => self.set(at, form, (turn.flat, turn.real)),
                TurnForm::Reduced(_) | TurnForm::Excerpt { .. } => {
                    if let Some(cost) = costs.form_cost(at, form)? {
                        self.set(at, form, cost);
                    }
                }
                // Nothing in them refers to others.
                TurnForm::Cleared(_) | TurnForm::Covered => {}
            }
        }
        Ok(())
    }

    fn settle<C: TurnCosts>(&mut self, costs: &mut C) -> Result<(), C::Error> {
        let settled = costs.settle_costs(&self.forms)?;
        for (at, cost) in settled.into_iter().enumerate() {
            let known = self.forms.get(at).copied();
            if let Some(
                form @ (TurnForm::Whole | TurnForm::Reduced(_) | TurnForm::Excerpt { .. }),
            ) = known
            {
                self.set(at, form, cost);
            }
        }
        Ok(())
    }

    /// Takes further edits until the payload fits. The actual summary decides first; while
    /// edits go on it is charged at its cap.
    fn squeeze<C: TurnCosts>(&mut self, costs: &mut C) -> Result<bool, C::Error> {
        if self.forms.is_empty() || self.plan.level < Level::Reversible {
            return Ok(false);
        }
        if self.note == HistoryNote::Summary {
            self.charge = costs.summary_cost(&self.forms)?;
        }
        let may_drop = self.may_drop();
        let mut squeezed = false;
        if self.needed() > self.plan.allowed {
            self.unbound_from = self.forms.len();
            self.stand_alone(costs)?;
            self.last_removal = None;
            self.limit = HistoryLimit { tokens: self.plan.allowed, media: MediaCost::Real };
            squeezed = self.excerpt_newest(costs)?;
        }
        while self.needed() > self.plan.allowed {
            if self.note == HistoryNote::Summary {
                self.charge = self.plan.summary_cap;
            }
            if !self.step(true, costs)? {
                break;
            }
            squeezed = true;
        }
        if squeezed {
            self.restore_summary(self.needed(), self.plan.allowed);
            let left = self.plan.allowed.saturating_sub(self.needed());
            self.fill(left, costs)?;
        }
        self.settle(costs)?;
        self.keeps_summary = squeezed && !may_drop;
        Ok(squeezed)
    }

    /// Brings a summary back whose room was taken before turns left that were longer than it: if it
    /// fits within `limit` in the place of the note that is there. `tokens`: those with that note.
    fn restore_summary(&mut self, tokens: u64, limit: u64) {
        let is_gone = matches!(self.note, HistoryNote::Marker | HistoryNote::Silent)
            && self.first_note() == HistoryNote::Summary;
        let more = self.plan.summary_cap.saturating_sub(self.charge);
        if is_gone && self.forms.contains(&TurnForm::Covered) && tokens + more <= limit {
            self.set_note(HistoryNote::Summary);
        }
    }

    /// Whether turns may be dropped for this payload alone.
    fn may_drop(&self) -> bool {
        self.total(true) + self.opening_tokens() > self.plan.drop_allowed
    }

    /// Raw tokens of the history, with the message that may have to open it.
    fn needed(&self) -> u64 {
        let total = self.total(true);
        // Only asked at the end of a squeeze, so that the walk is not made at every step.
        if total <= self.plan.allowed { total + self.opening_tokens() } else { total }
    }

    /// Raw tokens of the message that opens the list; 0 if the list has no need of one.
    fn opening_tokens(&self) -> u64 {
        let Some(opening) = self.plan.opening else { return 0 };
        let has_note = !matches!(self.note, HistoryNote::None | HistoryNote::Silent);
        let mut left = self.turns.iter().zip(&self.forms);
        let first = left.find(|(turn, form)| **form != TurnForm::Covered && !turn.system);
        let is_needed = match first {
            Some(_) if opening.only_if_empty => false,
            Some((turn, _)) => !(turn.user || has_note && opening.is_note_first),
            None => !has_note,
        };
        if is_needed { opening.tokens } else { 0 }
    }

    /// The target; or, if the messages that may never be removed exceed it, the same share of what
    /// they leave, since no other edit would reach the target. The newest turn counts as one of
    /// them as long as it fits at all: the model has to answer it.
    fn reachable(&self, target: u64) -> u64 {
        let user = self.last_user.and_then(|user| self.turns.get(user));
        let exempt = self.exempt + user.filter(|turn| !turn.exempt).map_or(0, |turn| turn.flat);
        let newest = self.forms.len().checked_sub(1).and_then(|at| self.turns.get(at));
        let newest = newest.filter(|turn| !turn.exempt && !turn.user).map_or(0, |turn| turn.flat);
        let trigger = self.plan.trigger;
        let stays = if exempt + newest < trigger { exempt + newest } else { exempt };
        if stays < target || trigger == 0 {
            return target;
        }
        let left = trigger.saturating_sub(stays);
        stays + left * target / trigger
    }

    fn set(&mut self, turn: usize, form: TurnForm, cost: (u64, u64)) {
        let cost = self.net(turn, form, cost);
        let mut is_edit = false;
        if let (Some(known), Some(shown)) = (self.forms.get_mut(turn), self.shown.get(turn)) {
            // In another form of as many tokens, a turn has the bytes that it had.
            is_edit = *known != form && *shown != cost;
            *known = form;
        }
        self.put_cost(turn, cost);
        if is_edit {
            // The note before all turns changes with each turn that it covers.
            self.unbind_after(Some(turn).filter(|_| form != TurnForm::Covered));
        }
    }

    /// Puts another cost in the place of that of a turn.
    fn put_cost(&mut self, turn: usize, cost: (u64, u64)) {
        if let Some(shown) = self.shown.get_mut(turn) {
            self.flat = self.flat + cost.0 - shown.0;
            self.real = self.real + cost.1 - shown.1;
            *shown = cost;
        }
    }

    fn first_note(&self) -> HistoryNote {
        if self.plan.summary_cap == 0 { HistoryNote::Marker } else { HistoryNote::Summary }
    }

    fn set_note(&mut self, note: HistoryNote) {
        self.note = note;
        self.charge = self.note_charge(note);
    }

    fn note_charge(&self, note: HistoryNote) -> u64 {
        match note {
            HistoryNote::None | HistoryNote::Silent => 0,
            HistoryNote::Summary => self.plan.summary_cap,
            HistoryNote::Marker => self.plan.marker,
        }
    }
}

#[cfg(test)]
mod tests;
