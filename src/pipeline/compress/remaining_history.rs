//! The history that the ladder leaves.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ladder::{HistoryNote, LadderOutcome, TurnForm};
use super::{Input, Output};
use crate::compress::Fidelity;
use crate::domain::{Message, Role, Turn};
use crate::pipeline::arrival::result_texts;
use crate::pipeline::arrived_forms::{ArrivedForms, show};
use crate::pipeline::measure::Cost;
use crate::pipeline::read_back::{original, output_content};
use crate::pipeline::report::Action;
use crate::pipeline::slot::{PartName, Slot};
use crate::pipeline::volatile_blocks::{append_text, find_bare};
use crate::provider::has_compaction;

/// The texts that reading back the results of a message returns.
fn originals(message: &Message) -> impl Iterator<Item = Arc<str>> {
    let results = message.tool_results().filter_map(|result| original(&result.content));
    results.chain(message.parts.iter().map(output_content).filter_map(|own| original(&own)))
}

/// The form of each message that the ladder planned.
pub(super) struct HistoryPlan {
    pub(super) arrived: Vec<ArrivedForms>,
    /// Messages after rung 3, if it shortened them.
    pub(super) cleared: Vec<Option<Slot>>,
    pub(super) outcome: LadderOutcome,
    /// The message for covered turns.
    pub(super) note: Option<Slot>,
    /// Raw tokens of blocks of earlier payloads, by the index of their message.
    pub(super) blocks: BTreeMap<usize, u64>,
}

/// The index of a provider's own compaction, if only system text comes before it.
pub(super) fn leading_compaction(history: &[Message]) -> Option<usize> {
    let at = history.iter().position(|message| message.role != Role::System)?;
    history.get(at).filter(|message| has_compaction(message)).map(|_| at)
}

/// Takes the blocks of earlier payloads out of a message, which may be cleared.
fn take_blocks_out(message: &mut Message, bare: &Message) {
    if message.role == Role::Tool {
        // They are in parts of their own, after results of which each keeps its part.
        message.parts.truncate(bare.parts.len());
    } else {
        message.parts.clone_from(&bare.parts);
    }
}

/// A message with a text at its end, in the form that the message has by itself. `own` is the cost of
/// the message in its form on arrival.
fn with_form(stitched: Slot, message: Message, cost: Cost, own: Cost) -> Slot {
    if message.role != Role::Tool {
        return stitched;
    }
    // A text is in a part of its own after results, of which each keeps its part.
    let mut slot = stitched;
    let text = slot.message.parts.split_off(message.parts.len().min(slot.message.parts.len()));
    let added = slot.cost.text.saturating_sub(own.text);
    slot.message = message;
    slot.message.parts.extend(text);
    slot.cost = Cost { text: cost.text + added, ..cost };
    slot
}

/// Builds the history as it is sent from the planned form of each message.
pub(super) fn build(input: Input<'_>, spans: &[Turn], plan: HistoryPlan) -> Output {
    let HistoryPlan { arrived, cleared, outcome, note, blocks } = plan;
    let bare_end = spans.get(outcome.blocks_from).map_or(0, |span| span.start);
    let mut slots = Vec::with_capacity(input.history.len() + 2);
    let mut actions = Vec::with_capacity(input.history.len());
    // A provider ignores what is before its own compaction, a note of ours too.
    let compaction = leading_compaction(&input.history);
    let mut note = note;
    if compaction.is_none() {
        slots.extend(note.take());
    }
    let mut stitched = input.stitched;
    let mut forms = spans
        .iter()
        .zip(&outcome.forms)
        .flat_map(|(span, form)| std::iter::repeat_n(*form, span.len()));
    let mut shown = Vec::with_capacity(input.history.len());
    let mut artifacts = Vec::new();
    let messages = input.history.into_iter().zip(arrived.into_iter().zip(cleared));
    for (at, (mut message, (arrived, cleared))) in messages.enumerate() {
        let mut cost = input.costs.get(at).copied().unwrap_or_default();
        let gone = match forms.next() {
            Some(TurnForm::Covered) if outcome.note == HistoryNote::Summary => {
                Some(Action::Summarized)
            }
            Some(TurnForm::Covered) => Some(Action::Dropped),
            _ => None,
        };
        if let Some(action) = gone {
            actions.push(action);
            shown.push(arrived);
            continue;
        }
        let is_cleared = cleared.is_some();
        if input.read_back.on && is_cleared {
            artifacts.extend(originals(&message));
        } else if input.read_back.on {
            let shown = result_texts(&message).zip(&arrived.forms);
            let less = shown.filter(|(_, form)| form.class == Fidelity::Reversible);
            artifacts.extend(less.map(|(text, _)| Arc::clone(text)));
            artifacts.extend(arrived.shortened_outputs(&message));
        }
        if let Some(slot) = cleared {
            (message, cost) = (slot.message, slot.cost);
        }
        if let Some(tokens) = blocks.get(&at).filter(|_| at < bare_end)
            && let Some(bare) = find_bare(input.bare, at)
        {
            take_blocks_out(&mut message, &bare.message);
            cost.text = cost.text.saturating_sub(*tokens);
        }
        actions.push(if is_cleared { Action::Cleared } else { arrived.action() });
        let shortened = find_bare(input.bare, at).filter(|_| !arrived.words.is_empty());
        if let Some(bare) = shortened {
            // The shorter form is that of the message without its blocks.
            message.parts.clone_from(&bare.message.parts);
        }
        show(&mut message, &arrived);
        for block in shortened.filter(|_| at >= bare_end).iter().flat_map(|bare| &bare.blocks) {
            append_text(&mut message, block);
        }
        cost.text = cost.text.saturating_sub(arrived.saved);
        if let Some(found) = stitched.iter().position(|(index, _)| *index == at) {
            let slot = stitched.swap_remove(found).1;
            let own = input.costs.get(at).copied().unwrap_or_default();
            slots.push(with_form(slot, message, cost, own));
        } else {
            let fixed = input.protected.get(at) == Some(&true);
            slots.push(Slot { message, cost, part: PartName::History, tail: 0, fixed });
        }
        if compaction == Some(at) {
            slots.extend(note.take());
        }
        shown.push(arrived);
    }
    drop(forms);
    let (wanted, summary) = (None, None);
    let broken = Vec::new();
    Output { slots, actions, forms: shown, artifacts, outcome, broken, wanted, summary }
}
