//! Turns and their messages as the ladder asks about them: what each costs in which form.

use std::cell::OnceCell;

use super::ladder::{
    HistoryNote, LadderOutcome, LadderPlan, MediaCost, TurnCost, TurnCosts, TurnExcerpt, TurnForm,
};
use super::summary::{
    self, CoveredMessages, SummaryMaterial, SummaryRequest, SummaryRules, count_covered,
};
use super::view::{Clearing, ResultTools, clear_message, may_clear};
use crate::compress::{self, Depth, ReducedSize};
use crate::domain::{Message, Role, Turn, has_output, output_texts};
use crate::pipeline::arrival::{ArrivalForm, ArrivalPass, result_texts};
use crate::pipeline::arrived_forms::ArrivedForms;
use crate::pipeline::measure::{Cost, Meter};
use crate::pipeline::read_back::ReadBack;
use crate::pipeline::slot::{PartName, Slot};
use crate::pipeline::volatile_blocks::{BareMessage, find_bare};
use crate::pipeline::{StopReason, prose};
use crate::request::{ClearOptions, Level};

/// Tokens of results below which an excerpt of them is not looked for.
const MIN_EXCERPT_TOKENS: u64 = 48;

/// The size of a result's text in its form on arrival.
struct TextSize {
    tokens: u64,
    /// Bytes of the original.
    bytes: u64,
}

/// The tokens to which the longest texts are cut, so that all together take `room`.
fn share_of_longest(texts: &[TextSize], room: u64) -> u64 {
    let mut sizes: Vec<u64> = texts.iter().map(|text| text.tokens).collect();
    sizes.sort_unstable();
    let (mut room, mut left) = (room, sizes.len() as u64);
    for size in sizes {
        if size >= room / left.max(1) {
            break;
        }
        // It stays whole, and leaves the others more than their share.
        room -= size;
        left -= 1;
    }
    room / left.max(1)
}

/// Cost of a turn in a form; none if nothing of it has that form.
type FormCost = (TurnForm, Option<(u64, u64)>);

/// The message whose texts are shortened, if it is not the one of the history: blocks of earlier
/// payloads stay as they are, or go.
fn without_blocks<'m>(
    bare: &'m [BareMessage],
    at: usize,
    cleared: Option<&'m Slot>,
) -> Option<&'m Message> {
    let cleared = cleared.map(|slot| &slot.message);
    cleared.or_else(|| find_bare(bare, at).map(|own| &own.message))
}

/// The turns as the ladder asks about them.
pub(super) struct TurnView<'v, 's> {
    pub(super) meter: &'v Meter<'v>,
    pub(super) history: &'v [Message],
    pub(super) costs: &'v [Cost],
    pub(super) protected: &'v [bool],
    pub(super) read_back: &'v ReadBack,
    pub(super) turn_costs: &'v [TurnCost],
    /// The form of each message, as it was given last.
    pub(super) arrived: Vec<ArrivedForms>,
    pub(super) clear: &'v ClearOptions,
    /// The tools by the ids of their calls.
    pub(super) tools: &'v ResultTools,
    /// Messages after rung 3, if it shortened them.
    pub(super) cleared: Vec<Option<Slot>>,
    /// Costs of turns in forms that were asked for before.
    pub(super) form_costs: Vec<Vec<FormCost>>,
    pub(super) arrival_pass: &'v mut ArrivalPass<'s>,
    /// Whether something before is gone, so that forms are given again.
    pub(super) is_reset: bool,
    pub(super) spans: &'v [Turn],
    pub(super) plan: LadderPlan,
    pub(super) stub_over: Option<usize>,
    pub(super) instructions: Option<&'v str>,
    pub(super) material: &'v SummaryMaterial,
    /// The messages that have blocks of earlier payloads, without them.
    pub(super) bare: &'v [BareMessage],
    /// The first summary that no hook or model was asked for.
    pub(super) wanted: OnceCell<SummaryRequest>,
}

impl TurnCosts for TurnView<'_, '_> {
    type Error = StopReason;

    fn arrival_cost(&mut self, turn: usize) -> Result<(u64, u64), StopReason> {
        let Some(span) = self.spans.get(turn).filter(|_| self.is_reset) else {
            return Ok(self.cost(turn));
        };
        self.meter.check()?;
        for at in span.clone() {
            self.arrive_as(at, TurnForm::Whole)?;
        }
        Ok(self.cost(turn))
    }

    fn settle_costs(&mut self, forms: &[TurnForm]) -> Result<Vec<(u64, u64)>, StopReason> {
        if !self.is_reset && forms.iter().all(|form| *form == TurnForm::Whole) {
            return Ok((0..forms.len()).map(|turn| self.cost(turn)).collect());
        }
        self.is_reset = true;
        self.arrival_pass.clear();
        for (span, form) in self.spans.iter().zip(forms) {
            self.meter.check()?;
            for at in span.clone() {
                self.arrive_as(at, *form)?;
            }
        }
        Ok((0..forms.len()).map(|turn| self.cost(turn)).collect())
    }

    fn form_cost(&mut self, turn: usize, form: TurnForm) -> Result<Option<(u64, u64)>, StopReason> {
        let known =
            self.form_costs.get(turn).and_then(|known| known.iter().find(|(own, _)| *own == form));
        if let Some((_, cost)) = known {
            return Ok(*cost);
        }
        let cost = self.cost_of(turn, form)?;
        if let Some(known) = self.form_costs.get_mut(turn) {
            known.push((form, cost));
        }
        Ok(cost)
    }

    fn find_excerpt(
        &mut self,
        turn: usize,
        max_tokens: u64,
        media: MediaCost,
    ) -> Result<Option<TurnExcerpt>, StopReason> {
        let texts = self.excerpt_texts(turn)?;
        let tokens: u64 = texts.iter().map(|text| text.tokens).sum();
        let bytes: u64 = texts.iter().map(|text| text.bytes).sum();
        let longest = texts.iter().map(|text| text.bytes).max().unwrap_or_default();
        let whole = self.turn_costs.get(turn).map_or((0, 0), |cost| (cost.flat, cost.real));
        let around = media.select(whole).saturating_sub(tokens);
        let room = max_tokens.saturating_sub(around);
        if tokens == 0 || room < MIN_EXCERPT_TOKENS {
            return Ok(None);
        }
        // As many tokens of each text as fill the room together, in bytes of a text like them.
        let first = share_of_longest(&texts, room).saturating_mul(bytes) / tokens;
        let found = compress::find_excerpt(first, longest, max_tokens, |bytes| {
            let cost = self.form_cost(turn, TurnForm::Excerpt { bytes })?;
            Ok::<_, StopReason>(media.select(cost.unwrap_or(whole)))
        })?;
        let Some(found) = found else { return Ok(None) };
        let form = TurnForm::Excerpt { bytes: found.bytes };
        Ok(self.form_cost(turn, form)?.map(|cost| TurnExcerpt { form, cost }))
    }

    fn summary_cost(&mut self, forms: &[TurnForm]) -> Result<u64, StopReason> {
        let note = self.write_summary(forms)?;
        Ok(note.map_or(self.plan.summary_cap, |note| note.slot.cost.real()))
    }
}

impl TurnView<'_, '_> {
    /// The sizes of a turn's texts of which an excerpt can be shown.
    fn excerpt_texts(&self, turn: usize) -> Result<Vec<TextSize>, StopReason> {
        let span = self.spans.get(turn).cloned().unwrap_or_default();
        let free = span.filter(|at| self.protected.get(*at) != Some(&true));
        let messages = free.filter_map(|at| self.history.get(at));
        let mut sizes = Vec::new();
        for message in messages.filter(|message| !self.read_back.holds(message)) {
            sizes.extend(result_texts(message).map(|text| TextSize {
                tokens: self.arrival_pass.arrived_alone(text),
                bytes: text.len() as u64,
            }));
            for text in self.arrival_pass.cut_own_texts(message) {
                let tokens = self.meter.text(text)?;
                sizes.push(TextSize { tokens, bytes: text.len() as u64 });
            }
            for own in message.parts.iter().flat_map(output_texts) {
                let tokens = self.meter.text(&own.text)?;
                sizes.push(TextSize { tokens, bytes: own.text.len() as u64 });
            }
        }
        Ok(sizes)
    }

    /// Cost of a turn in the current forms of its messages.
    fn cost(&self, turn: usize) -> (u64, u64) {
        let alone = self.turn_costs.get(turn).copied().unwrap_or_default();
        let span = self.spans.get(turn).cloned().unwrap_or_default();
        let (mut flat, mut real) = (alone.flat, alone.real);
        for at in span {
            let saved = self.arrived.get(at).map_or(0, |form| form.saved);
            let own = self.costs.get(at).copied().unwrap_or_default();
            let cleared = self.cleared.get(at).and_then(Option::as_ref);
            let now = cleared.map_or(own, |slot| slot.cost);
            flat = (flat + now.flat()).saturating_sub(own.flat() + saved);
            real = (real + now.real()).saturating_sub(own.real() + saved);
        }
        (flat, real)
    }

    fn cost_of(&self, turn: usize, form: TurnForm) -> Result<Option<(u64, u64)>, StopReason> {
        let Some(span) = self.spans.get(turn) else { return Ok(None) };
        self.meter.check()?;
        let (mut flat, mut real, mut any) = (0, 0, false);
        for at in span.clone() {
            let Some(message) = self.history.get(at) else { continue };
            let own = self.costs.get(at).copied().unwrap_or_default();
            let (cleared, shape) = self.find_shape(at, message, form)?;
            any |= cleared.is_some();
            let mut cost = cleared.as_ref().map_or(own, |slot| slot.cost);
            if let ArrivalForm::To(size) = shape {
                let message = without_blocks(self.bare, at, cleared.as_ref()).unwrap_or(message);
                let saved = self.arrival_pass.saves(message, size);
                any |= saved > 0;
                cost.text = cost.text.saturating_sub(saved);
            }
            flat += cost.flat();
            real += cost.real();
        }
        Ok(any.then_some((flat, real)))
    }

    /// Finds the shape of a message of a turn in a form: the message after rung 3, if it changes,
    /// and how its texts are shown.
    fn find_shape(
        &self,
        at: usize,
        message: &Message,
        form: TurnForm,
    ) -> Result<(Option<Slot>, ArrivalForm), StopReason> {
        if self.protected.get(at) == Some(&true) || self.read_back.holds(message) {
            return Ok((None, ArrivalForm::Fixed));
        }
        let keeps_bytes = self.read_back.shows_bytes(message);
        let clearing = match form {
            TurnForm::Reduced(_) | TurnForm::Excerpt { .. } if keeps_bytes => {
                return Ok((None, ArrivalForm::Fixed));
            }
            TurnForm::Whole | TurnForm::Covered => return Ok((None, ArrivalForm::Whole)),
            TurnForm::Reduced(depth) => {
                return Ok((None, ArrivalForm::To(ReducedSize::To(depth))));
            }
            TurnForm::Excerpt { bytes } => {
                return Ok((None, ArrivalForm::To(ReducedSize::Excerpt { bytes })));
            }
            TurnForm::Cleared(clearing) => clearing,
        };
        let shape = ArrivalForm::To(ReducedSize::To(Depth::Reduced));
        let own = self.costs.get(at).copied().unwrap_or_default();
        if !may_clear(message, self.clear, self.tools, own.real()) {
            return Ok((None, shape));
        }
        let slot = self.clear(message, own, clearing)?;
        let has_result = message.role == Role::Tool || has_output(message);
        let shape = if slot.is_some() && has_result { ArrivalForm::Fixed } else { shape };
        Ok((slot, shape))
    }

    fn arrive_as(&mut self, at: usize, form: TurnForm) -> Result<(), StopReason> {
        let Some(message) = self.history.get(at).filter(|_| form != TurnForm::Covered) else {
            return Ok(());
        };
        let (cleared, shape) = self.find_shape(at, message, form)?;
        let shown = without_blocks(self.bare, at, cleared.as_ref()).unwrap_or(message);
        let arrived = if self.read_back.shows_bytes(message) {
            // No other text may refer to it.
            ArrivedForms::default()
        } else {
            self.arrival_pass.arrive(shown, shape)
        };
        if let Some(known) = self.arrived.get_mut(at) {
            *known = arrived;
        }
        if let Some(known) = self.cleared.get_mut(at) {
            *known = cleared;
        }
        Ok(())
    }

    fn find_covered(&self, forms: &[TurnForm]) -> CoveredMessages<'_> {
        let spans = self.spans.iter().zip(forms).filter(|(_, form)| **form == TurnForm::Covered);
        let places: Vec<usize> = spans.flat_map(|(span, _)| span.clone()).collect();
        let cost = |at: &usize| self.costs.get(*at).copied().unwrap_or_default().real();
        let tokens = places.iter().map(cost).sum();
        // Blocks of earlier payloads are out of date: they are in no summary.
        let bare = |at: &usize| find_bare(self.bare, *at).map(|own| &own.message);
        let message = |at: &usize| bare(at).or_else(|| self.history.get(*at));
        let messages = places.iter().filter_map(message).collect();
        CoveredMessages { messages, places, tokens }
    }

    fn write_summary(
        &self,
        forms: &[TurnForm],
    ) -> Result<Option<summary::SummaryMessage>, StopReason> {
        let rules = SummaryRules {
            cap: self.plan.summary_cap,
            stub_over: self.stub_over,
            instructions: self.instructions,
            is_visible: &|_| false,
            material: self.material,
        };
        summary::write_note(self.meter, &self.find_covered(forms), rules, &self.wanted)
    }

    /// Writes the message that replaces the covered turns. If no summary can be made, the next
    /// rung is used and `outcome` is updated.
    pub(super) fn write_note(
        &self,
        outcome: &mut LadderOutcome,
    ) -> Result<Option<summary::SummaryMessage>, StopReason> {
        if !outcome.forms.contains(&TurnForm::Covered) {
            return Ok(None);
        }
        if outcome.note == HistoryNote::Summary {
            if let Some(note) = self.write_summary(&outcome.forms)? {
                return Ok(Some(note));
            }
            if self.plan.level >= Level::Drop && !outcome.keeps_summary {
                outcome.note = HistoryNote::Marker;
            }
        }
        let covered = self.find_covered(&outcome.forms).messages;
        let text = match outcome.note {
            HistoryNote::Marker => {
                self.material.append_verbatim(&prose::drop_marker(count_covered(&covered)))
            }
            HistoryNote::Summary => {
                prose::summary_message(count_covered(&covered), "None of their lines found room.")
            }
            HistoryNote::None | HistoryNote::Silent => return Ok(None),
        };
        let message = Message::text(Role::User, text);
        let slot = Slot::new(self.meter, message, PartName::History)?;
        Ok(Some(summary::SummaryMessage { slot, by: None }))
    }

    /// A message after rung 3, if that saves tokens.
    fn clear(
        &self,
        message: &Message,
        own: Cost,
        clearing: Clearing,
    ) -> Result<Option<Slot>, StopReason> {
        let Some(shorter) = clear_message(message, clearing, self.read_back, self.tools) else {
            return Ok(None);
        };
        let slot = Slot::new(self.meter, shorter, PartName::History)?;
        Ok((slot.cost.real() < own.real() && slot.cost.flat() <= own.flat()).then_some(slot))
    }
}
