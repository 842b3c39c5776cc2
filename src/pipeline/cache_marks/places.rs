//! Places where a mark of ours helps, and the tokens before each.

use super::rules::{MarkFit, MarkRules};
use super::{MarkPlace, MarkedList};
use crate::domain::{ProgramCalls, Role};
use crate::pipeline::slot::{PartName, Slot};

/// The list as the marks see it.
pub(super) struct ListView<'v> {
    rules: MarkRules<'v>,
    slots: &'v [Slot],
    /// Whether each tool can have a mark.
    tools: Vec<bool>,
    programs: &'v ProgramCalls,
}

impl<'v> ListView<'v> {
    pub(super) fn new(
        rules: MarkRules<'v>,
        list: &'v MarkedList<'_>,
        programs: &'v ProgramCalls,
    ) -> Self {
        let tools = list.tools.iter();
        let tools = tools.map(|tool| rules.tool_fit(tool.is_deferred()) == MarkFit::Carries);
        Self { rules, slots: list.slots, tools: tools.collect(), programs }
    }

    /// Finds the places where marks help most, the best first: the end of what every later payload
    /// repeats; the end of what the payload before this one repeated, if the provider does not find that
    /// from there; then the ends of the system text, of the summary and of the tools. System text is read
    /// before all messages, so if it changes with every compile, no mark in a message helps.
    pub(super) fn places(&self) -> Vec<MarkPlace> {
        let hoists = self.rules.hoists();
        let is_system = |slot: &Slot| slot.message.is_hoisted();
        let changes = |slot: &Slot| slot.changes(hoists);
        let system_changes =
            hoists && self.slots.iter().any(|slot| is_system(slot) && changes(slot));
        let volatile = if system_changes { 0 } else { self.first(changes) };
        let last = self.last_message(volatile);
        let earlier = last.and_then(|last| self.earlier_end(last, volatile));
        let head = self.first(|slot| !is_system(slot));
        let system = head.min(self.first(changes));
        let is_ours =
            |slot: &&Slot| slot.message.origin.is_none() && slot.part == PartName::History;
        let summary = self.slots.get(head).filter(is_ours).filter(|_| head < volatile);
        let mut places = Vec::new();
        places.extend(last.map(MarkPlace::Message));
        places.extend(earlier.map(MarkPlace::Message));
        places.extend(system.checked_sub(1).map(MarkPlace::Message));
        places.extend(summary.map(|_| MarkPlace::Message(head)));
        places.extend(self.tools.iter().rposition(|carries| *carries).map(MarkPlace::Tool));
        places
    }

    fn first(&self, found: impl Fn(&Slot) -> bool) -> usize {
        self.slots.iter().position(found).unwrap_or(self.slots.len())
    }

    /// The last message before `end` that can have a mark.
    fn last_message(&self, end: usize) -> Option<usize> {
        (0..end).rev().find(|at| {
            self.slots.get(*at).is_some_and(|slot| {
                let fit = |part| self.rules.fit(&slot.message, false, part, self.programs);
                !slot.message.is_hoisted()
                    && slot.message.parts.iter().any(|part| fit(part) == MarkFit::Carries)
            })
        })
    }

    /// The end of what the payload before this one repeated, if the provider does not find it from
    /// `last`. A payload is compiled before each answer, so this one has an answer and what came after it
    /// in addition. Where state changes at the last message of the user's, the earlier one had it at the
    /// message of the user's before.
    fn earlier_end(&self, last: usize, volatile: usize) -> Option<usize> {
        let is_user = |slot: &Slot| slot.message.role == Role::User;
        let has_state = self.slots.get(volatile).is_some_and(|slot| slot.tail > 0 && is_user(slot));
        let begins_turn = |at: &usize| {
            self.slots.get(*at).is_some_and(|slot| {
                if has_state { is_user(slot) } else { slot.message.role == Role::Assistant }
            })
        };
        let turn = (0..=last).rev().find(begins_turn)?;
        let earlier = self.last_message(turn)?;
        let between = self.slots.get(earlier + 1..=last).unwrap_or_default();
        let blocks: usize = between.iter().map(|slot| slot.message.parts.len()).sum();
        // Every block counts: that runs of calls and of results are one is not said everywhere.
        (blocks > self.rules.lookback_blocks()).then_some(earlier)
    }
}

/// Tokens from the start of the payload to each place, as the model's provider counts them.
pub(super) struct PrefixTokens {
    tools: Vec<u64>,
    messages: Vec<u64>,
}

impl PrefixTokens {
    pub(super) fn new(rules: MarkRules<'_>, list: &MarkedList<'_>) -> Self {
        let mut sum = 0;
        let mut add = |raw: u64| {
            sum += raw;
            rules.model.scale(sum)
        };
        let tools = list.tool_tokens.iter().map(|tokens| add(*tokens)).collect();
        let mut messages = vec![0; list.slots.len()];
        let is_first = |slot: &Slot| rules.hoists() && slot.message.is_hoisted();
        for system in [true, false] {
            let places = list.slots.iter().zip(&mut messages);
            for (slot, place) in places.filter(|(slot, _)| is_first(slot) == system) {
                *place = add(slot.cost.real());
            }
        }
        Self { tools, messages }
    }

    pub(super) fn at(&self, place: MarkPlace) -> u64 {
        let found = match place {
            MarkPlace::Tool(at) => self.tools.get(at),
            MarkPlace::Message(at) => self.messages.get(at),
        };
        found.copied().unwrap_or_default()
    }
}
