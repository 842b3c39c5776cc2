//! Excerpts: the newest results where they alone are too long, and the room that a step left over.

use super::shape::{HistoryNote, MediaCost, TurnCosts, TurnExcerpt, TurnForm};
use super::{HistoryLimit, Ladder};

/// Tokens of room that are worth an excerpt in them.
const MIN_FILL_TOKENS: u64 = 64;

impl Ladder<'_> {
    /// Cuts the newest turn to the room that the others leave if it is too long even without them:
    /// no other turn should leave for it. Half of the room is its own, however long the others
    /// are. Returns whether it was cut.
    pub(super) fn excerpt_newest<C: TurnCosts>(&mut self, costs: &mut C) -> Result<bool, C::Error> {
        let HistoryLimit { tokens: target, media } = self.limit;
        let Some(newest) = self.forms.len().checked_sub(1) else { return Ok(false) };
        if self.turns.get(newest).is_none_or(|turn| turn.exempt || turn.user) {
            return Ok(false);
        }
        let user = self.last_user.and_then(|at| self.turns.get(at)).filter(|user| !user.exempt);
        let stays = self.exempt + user.map_or(0, |user| media.select((user.flat, user.real)));
        let free = target.saturating_sub(stays);
        let own = self.shown.get(newest).map_or(0, |shown| media.select(*shown));
        if own <= free {
            return Ok(false);
        }
        let others = self.total(media == MediaCost::Real).saturating_sub(own);
        let room = target.saturating_sub(others).max(free / 2);
        let room = room + self.lost(newest, TurnForm::Whole);
        if let Some(TurnExcerpt { form, cost }) = costs.find_excerpt(newest, room, media)?
            && media.select(self.net(newest, form, cost)) < own
        {
            self.set(newest, form, cost);
            return Ok(true);
        }
        Ok(false)
    }

    /// Gives `left` tokens that the steps left over to lines of the newest turn if it is an
    /// excerpt, else to those of the turn that was cleared or covered last: it had to go for the rest
    /// of its length alone. What an adapter shortened keeps its format.
    pub(super) fn fill<C: TurnCosts>(&mut self, left: u64, costs: &mut C) -> Result<(), C::Error> {
        let media = self.limit.media;
        if left < MIN_FILL_TOKENS {
            return Ok(());
        }
        let newest = self.forms.len().saturating_sub(1);
        let is_excerpt = matches!(self.forms.get(newest), Some(TurnForm::Excerpt { .. }));
        let Some(turn) = Some(newest).filter(|_| is_excerpt).or(self.last_removal) else {
            return Ok(());
        };
        let (Some(form), Some(shown)) = (self.forms.get(turn), self.shown.get(turn).copied())
        else {
            return Ok(());
        };
        let is_covered = *form == TurnForm::Covered;
        let room = media.select(shown) + left + self.lost(turn, TurnForm::Whole);
        let Some(TurnExcerpt { form, cost }) = costs.find_excerpt(turn, room, media)? else {
            return Ok(());
        };
        if media.select(self.net(turn, form, cost)) <= media.select(shown) {
            return Ok(());
        }
        self.set(turn, form, cost);
        // It is the next to be edited again.
        for next in &mut self.next {
            *next = (*next).min(turn);
        }
        if is_covered {
            self.next_cover = self.next_cover.min(turn);
            if !self.forms.contains(&TurnForm::Covered) {
                self.set_note(HistoryNote::None);
            }
        }
        Ok(())
    }
}
