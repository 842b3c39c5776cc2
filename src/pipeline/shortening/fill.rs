//! Room that the ladder left over: it goes to the result that the last step shortened.
//!
//! A larger budget undoes that step first, so what is filled is never shown less in a larger one.

use super::forms::Visibility;
use super::plan::ShortenPlan;
use super::report::Row;
use super::{Error, ShortenJob, lossless};
use crate::compress::{Depth, EditLimit, Encoder, ShownFacts, find_fill};
use crate::pipeline::measure;
use crate::provider::{MessageText, TextSlot};

/// Tokens of room that are worth lines in them.
const MIN_ROOM_TOKENS: u64 = 64;
/// How many times the room that is left a message may take as it is.
const MAX_OWN_BY_LEFT: u64 = 2;

impl ShortenJob<'_> {
    /// Shows as much of the message that was shortened last as the budget takes; the rows as they
    /// are if there is no room for more. Adapters of the caller's own decide what stays.
    pub(super) fn fill_room<'f, 'e: 'f>(
        &self,
        rows: Vec<Row>,
        plan: &mut ShortenPlan,
        facts: &'f ShownFacts<'f>,
        encoder: &dyn Fn() -> Encoder<'e>,
    ) -> Result<Vec<Row>, Error> {
        let is_usual = self.request.adapters.is_usual();
        let Some(budget) = self.request.budget_tokens.filter(|_| is_usual) else {
            return Ok(rows);
        };
        let budget = self.request.model.unscale(budget);
        let left = budget.saturating_sub(self.tokens_after(&rows));
        let last = self.find_last_shortened(plan).filter(|_| left >= MIN_ROOM_TOKENS);
        let Some((at, words)) = last else { return Ok(rows) };
        let own = rows.iter().find(|row| row.origin == Some(at)).map_or(0, |row| row.after);
        // What is shown by what other messages do not show is worth more than a few lines.
        if left.saturating_mul(MAX_OWN_BY_LEFT) < own {
            return Ok(rows);
        }
        let before = self.costs.get(at).map_or(0, |cost| cost.real());
        let encoder_alone = encoder();
        let mut sources: Vec<_> =
            self.slots(at).map(|slot| encoder_alone.start_excerpts(&slot.text)).collect();
        let longest = self.slots(at).map(|slot| slot.text.len()).max().unwrap_or_default();
        let found = find_fill(longest as u64, own + left, |bytes| {
            self.meter.check()?;
            let forms = sources.iter_mut().map(|source| encoder_alone.excerpt(source, bytes));
            let saved: i64 =
                forms.map(|form| measure::saved(form.tokens_before, form.tokens_after)).sum();
            Ok::<_, Error>(before.saturating_add_signed(-saved))
        })?;
        let Some(found) = found.filter(|found| found.tokens > own) else { return Ok(rows) };
        let visibility = Visibility::Excerpt { bytes: found.bytes, words };
        let Some(place) = plan.visibility.get_mut(at) else { return Ok(rows) };
        let as_it_was = std::mem::replace(place, visibility);
        let filled = lossless::run(self, plan, encoder(), Some(facts))?;
        if self.fits(&filled) {
            return Ok(filled);
        }
        if let Some(place) = plan.visibility.get_mut(at) {
            *place = as_it_was;
        }
        Ok(rows)
    }

    /// The texts of the results in a message.
    fn slots(&self, at: usize) -> impl Iterator<Item = &TextSlot> {
        let results = self.spoken.get(at).into_iter().flatten().filter_map(|spoken| match spoken {
            MessageText::Result(answered) => Some(answered.slots.iter()),
            _ => None,
        });
        results.flatten()
    }

    /// A message with results that the last step of the ladder shortened, and the depth of the words in
    /// it: the newest of those that were taken furthest, in the part of the list that was reached last.
    /// No cleared result if the last step cleared none: a larger budget, which does without that step,
    /// leaves it cleared.
    fn find_last_shortened(&self, plan: &ShortenPlan) -> Option<(usize, Depth)> {
        let shortened = plan.visibility.iter().enumerate().filter_map(|(at, visibility)| {
            let (is_cleared, depth) = match visibility {
                Visibility::To(depth) => (false, *depth),
                Visibility::Cleared(depth, _) => (true, *depth),
                _ => return None,
            };
            let is_last = plan.last_start.is_some_and(|start| at >= start);
            Some(Shortened { is_last, is_live: at >= plan.live_start, is_cleared, depth, at })
        });
        let shortened: Vec<Shortened> = shortened.collect();
        let clears = shortened.iter().max()?.is_cleared;
        let is_fillable = |message: &Shortened| {
            let is_free = self.hold(message.at) == EditLimit::Free;
            is_free && self.slots(message.at).next().is_some() && message.is_cleared <= clears
        };
        let last = shortened.into_iter().filter(is_fillable).max()?;
        Some((last.at, last.depth))
    }
}

/// A message that the ladder shortened; the greater, the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shortened {
    /// Whether it is in the turn that is shortened after all others.
    is_last: bool,
    is_live: bool,
    is_cleared: bool,
    /// Of the words in it.
    depth: Depth,
    at: usize,
}
