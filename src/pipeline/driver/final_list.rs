//! Stage 10: hooks change the assembled list, and the budget is checked again after them.

use std::collections::BTreeMap;

use super::Driver;
use super::compression_outcome::ShrunkHistory;
use super::history_parts::{ArrivedHistory, CompressionPass, HistoryUse, OutsideHistory};
use crate::domain::{Message, Source};
use crate::hook::{AnswerReader, GuardDecision, HookInput, MatchContext, Point};
use crate::pipeline::arrived_forms::ArrivedForms;
use crate::pipeline::points::list::{AcceptedMessage, ShownMessages};
use crate::pipeline::points::transform;
use crate::pipeline::read_back::ReadBack;
use crate::pipeline::report::Action;
use crate::pipeline::slot::{PartName, Slot};
use crate::pipeline::volatile_blocks::BlocksInSight;
use crate::pipeline::{Error, arrival, budget, frame};
use crate::request::OnArrival;

/// The output of stage 9.
pub(super) struct AssembledList {
    pub(super) slots: Vec<Slot>,
    /// Raw tokens of the tools.
    pub(super) tools: u64,
    pub(super) opening: Option<Slot>,
    pub(super) source: Source,
}

/// The output of stage 10.
pub(super) struct TransformedList {
    pub(super) slots: Vec<Slot>,
    /// What shrank because hooks made the list too long.
    pub(super) shrunk: Option<ShrunkHistory>,
    /// Messages that hooks added.
    pub(super) added: usize,
}

impl TransformedList {
    fn whole(slots: Vec<Slot>) -> Self {
        Self { slots, shrunk: None, added: 0 }
    }
}

/// Raw tokens for a list without its tools.
#[derive(Debug, Clone, Copy)]
struct ListRoom {
    budget: u64,
    /// The room that the squeeze may drop turns for; never less.
    drop_budget: u64,
}

impl Driver<'_> {
    /// The assembled list after the hooks at `transform_context`. If it is above the budget then, stages
    /// 7 and 9 run once more, and no hook is called again.
    pub(super) fn transform(
        &mut self,
        assembled: AssembledList,
        arrived_history: &ArrivedHistory,
        actions: &mut [Action],
    ) -> Result<TransformedList, Error> {
        const POINT: Point = Point::TransformContext;
        if !self.hooks.has_any(POINT) {
            return Ok(TransformedList::whole(assembled.slots));
        }
        let AssembledList { slots, tools, opening, source } = assembled;
        let seen = ShownMessages::new(slots.iter().map(|slot| &slot.message));
        let input = transform::input(self.request, &seen);
        let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
        let reader = AnswerReader::new(|payload: &str| seen.read(payload));
        let changed = self.change(at, &|payload| reader.check(payload))?;
        if let Some(denial) = changed.denied {
            self.observe(at, GuardDecision::Denied(&denial))?;
            return Err(Error::Denied(denial));
        }
        let after = changed.input.as_deref().unwrap_or(&input);
        self.observe(HookInput { input: after, ..at }, GuardDecision::Allowed)?;
        let list = changed.payload.and_then(|payload| reader.take(&payload));
        let Some(list) = list else { return Ok(TransformedList::whole(slots)) };
        let originals: Vec<&Message> = slots.iter().map(|slot| &slot.message).collect();
        let destination = self.request.destination();
        let accepted = list.settle(&originals, source, destination, &mut self.notes);
        let Some(accepted) = accepted else { return Ok(TransformedList::whole(slots)) };
        let added = note_hooks(actions, arrived_history, &originals, &accepted);
        let settled = transform::apply(&self.meter, &slots, accepted)?;
        self.is_whole = transform::holds_all(&settled, &slots);
        let slots = settled;
        let list = source.list_key();
        let slots = self.mend_ends(slots, opening.clone(), list)?;
        let budget = self.request.aimed_budget();
        let measured = self.request.measured().unscale(budget);
        let dropping = self.request.dropping().unscale(budget);
        let other_tokens = tools + self.meter.reply();
        let whole: u64 = slots.iter().map(|slot| slot.cost.real()).sum();
        if whole + other_tokens <= measured {
            return Ok(TransformedList { added, ..TransformedList::whole(slots) });
        }
        let room = ListRoom {
            budget: measured.saturating_sub(other_tokens),
            drop_budget: dropping.saturating_sub(other_tokens),
        };
        let before = self.request.measured().scale(whole + other_tokens);
        let mut shrunk = self.shrink(slots, room, opening.clone(), actions, arrived_history)?;
        if let Some(own) = &mut shrunk.shrunk {
            own.before = before;
        }
        shrunk.added = added;
        shrunk.slots = self.mend_ends(shrunk.slots, opening, list)?;
        Ok(shrunk)
    }

    /// Shrinks the messages of the history among the slots until all slots have room.
    fn shrink(
        &mut self,
        slots: Vec<Slot>,
        room: ListRoom,
        opening: Option<Slot>,
        actions: &mut [Action],
        arrived_history: &ArrivedHistory,
    ) -> Result<TransformedList, Error> {
        let is_past = |slot: &Slot| slot.part == PartName::History;
        let start = slots.iter().position(is_past).unwrap_or(slots.len());
        let end = slots.iter().rposition(is_past).map_or(start, |at| at + 1);
        let mut head = slots;
        let mut middle = head.split_off(start);
        let foot = middle.split_off(end.saturating_sub(start));
        let tail = |slot: &Slot| slot.tail > 0 || slot.part != PartName::History;
        let stitched = middle.iter().enumerate().filter(|(_, slot)| tail(slot));
        let stitched: Vec<(usize, Slot)> = stitched.map(|(at, slot)| (at, slot.clone())).collect();
        let protected = middle.iter().map(|slot| slot.fixed || slot.part != PartName::History);
        let protected: Vec<bool> = protected.collect();
        let costs = middle.iter().map(|slot| slot.cost).collect();
        let history: Vec<Message> = middle.into_iter().map(|slot| slot.message).collect();
        let origins: Vec<Option<usize>> = history.iter().map(|message| message.origin).collect();
        let fixed = head.iter().chain(&foot).map(|slot| slot.cost.real()).sum();
        // They have their forms from arrival: nothing is encoded twice.
        let arrived = arrival::Output {
            costs,
            saved: vec![0; history.len()],
            forms: vec![ArrivedForms::default(); history.len()],
        };
        let mut read_back = ReadBack::new(arrived_history.read_back.on, &history);
        read_back.is_payload = arrived_history.read_back.is_payload;
        let mut again = ArrivedHistory {
            read_back,
            history,
            protected,
            names: Vec::new(),
            arrived,
            on_arrival: OnArrival::Off,
            points: Vec::new(),
            saved: 0,
            edits: Vec::new(),
            in_sight: BlocksInSight::default(),
            bare: Vec::new(),
            anchor: None,
        };
        let frame = frame::Output { head: Vec::new(), stitched, foot: Vec::new(), opening };
        // The compaction points are done: only the budget is applied here.
        let ListRoom { budget, drop_budget } = room;
        let allocation = budget::Output { budget, drop_budget, room: u64::MAX / 2, fixed };
        let outside = OutsideHistory::bare(frame, allocation);
        let compressed =
            self.compress(&mut again, &outside, &CompressionPass::new(HistoryUse::Yes, 0))?;
        let shrunk = ShrunkHistory::new(&again.history, &compressed, 0);
        note_actions(actions, arrived_history, &origins, &compressed.actions);
        head.extend(compressed.slots);
        head.extend(foot);
        Ok(TransformedList { slots: head, shrunk, added: 0 })
    }
}

/// Records which messages of the request hooks removed or changed; returns how many they added.
fn note_hooks(
    actions: &mut [Action],
    arrived_history: &ArrivedHistory,
    originals: &[&Message],
    accepted: &[AcceptedMessage],
) -> usize {
    let places: BTreeMap<usize, usize> = arrived_history
        .history
        .iter()
        .enumerate()
        .filter_map(|(at, message)| Some((message.origin?, at)))
        .collect();
    let mut left: BTreeMap<usize, &Message> =
        accepted.iter().filter_map(|own| Some((own.of?, &own.message))).collect();
    for (index, original) in originals.iter().enumerate() {
        let action = match left.remove(&index) {
            None => Action::Removed,
            Some(message) if message.parts != original.parts => Action::Changed,
            Some(_) => continue,
        };
        let place = original.origin.and_then(|origin| places.get(&origin));
        if let Some(known) = place.and_then(|at| actions.get_mut(*at)) {
            *known = action;
        }
    }
    accepted.iter().filter(|own| own.of.is_none()).count()
}

/// Records what happened to messages of the request in the second pass.
fn note_actions(
    actions: &mut [Action],
    arrived_history: &ArrivedHistory,
    origins: &[Option<usize>],
    again: &[Action],
) {
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, message) in arrived_history.history.iter().enumerate().rev() {
        if let Some(origin) = message.origin {
            places.entry(origin).or_default().push(at);
        }
    }
    for (origin, action) in origins.iter().zip(again) {
        let place = origin.and_then(|origin| places.get_mut(&origin)).and_then(Vec::pop);
        let known = place.and_then(|at| actions.get_mut(at));
        if let (Some(known), Action::Cleared | Action::Summarized | Action::Dropped) =
            (known, action)
        {
            *known = *action;
        }
    }
}
