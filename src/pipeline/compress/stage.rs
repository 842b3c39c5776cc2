//! The stage: counts turns, plans, and builds the history that the plan leaves.

use std::sync::Arc;

use super::ladder::{self, ClearCost, Form, Note, Outcome, Plan, TurnCost};
use super::summary::{summary, summary_cap};
use super::view::{Clearing, cleared};
use crate::domain::{Content, Message, Role, Turn, turns};
use crate::pipeline::arrive::{Arrived, Sight, show};
use crate::pipeline::measure::{Cost, Meter};
use crate::pipeline::read_back::{ReadBack, original};
use crate::pipeline::report::Action;
use crate::pipeline::slot::{PartName, Slot};
use crate::pipeline::{Stopped, prose};
use crate::request::{Compression, Level, Thinking};

pub(in crate::pipeline) struct Input<'i> {
    pub(in crate::pipeline) history: Vec<Message>,
    /// One for each message.
    pub(in crate::pipeline) costs: &'i [Cost],
    /// The forms in which messages arrived, one for each.
    pub(in crate::pipeline) arrived: Vec<Arrived>,
    /// Whether what is cleared can be read back, and what was.
    pub(in crate::pipeline) read_back: &'i ReadBack,
    /// Gives forms anew where something before a message is gone.
    pub(in crate::pipeline) sight: Sight<'i>,
    /// Whether the message may never be shortened or dropped, one for each.
    pub(in crate::pipeline) protected: &'i [bool],
    /// Messages as they will be sent where a tail or a note is stitched to them.
    pub(in crate::pipeline) stitched: Vec<(usize, Slot)>,
    pub(in crate::pipeline) compression: &'i Compression,
    /// Turns and messages at the end that are shielded like the live zone.
    pub(in crate::pipeline) recent_turns: usize,
    pub(in crate::pipeline) recent_messages: usize,
    /// Raw tokens that the points are replayed against.
    pub(in crate::pipeline) room: u64,
    /// Raw tokens that this payload leaves for the history.
    pub(in crate::pipeline) allowed: u64,
    /// The message that opens the list where it would not begin with the user's.
    pub(in crate::pipeline) opening: Option<&'i Slot>,
}

#[derive(Debug)]
pub(in crate::pipeline) struct Output {
    /// The history as it is sent, the note for what is gone first.
    pub(in crate::pipeline) slots: Vec<Slot>,
    /// What happened to each message of the history.
    pub(in crate::pipeline) actions: Vec<Action>,
    /// What was done to its texts on arrival, one for each.
    pub(in crate::pipeline) forms: Vec<Arrived>,
    /// Texts that lines in sight name by their artifacts.
    pub(in crate::pipeline) artifacts: Vec<Arc<str>>,
    pub(in crate::pipeline) outcome: Outcome,
}

pub(in crate::pipeline) fn run(meter: &Meter<'_>, mut input: Input<'_>) -> Result<Output, Stopped> {
    let spans = turns(&input.history);
    let turn_costs = turn_costs(&input, &spans);
    let plan = plan(meter, &input)?;
    let mut view = View {
        meter,
        history: &input.history,
        costs: input.costs,
        protected: input.protected,
        read_back: input.read_back,
        turn_costs: &turn_costs,
        arrived: std::mem::take(&mut input.arrived),
        sight: &mut input.sight,
        anew: false,
        spans: &spans,
        plan,
        stub_over: input.compression.stub_tool_results_over,
    };
    let mut outcome = ladder::plan(&turn_costs, &plan, &mut view)?;
    let note = view.note(&mut outcome)?;
    let arrived = view.arrived;
    build(meter, input, arrived, &spans, (outcome, note))
}

fn plan(meter: &Meter<'_>, input: &Input<'_>) -> Result<Plan, Stopped> {
    /// A number as long as any that the marker will hold.
    const MANY: usize = 99_999;
    let compression = input.compression;
    let share = |milli: u32| input.room.saturating_mul(u64::from(milli)) / 1000;
    let marker = Message::text(Role::User, prose::truncated(MANY));
    Ok(Plan {
        level: compression.level,
        clear_thinking: compression.thinking == Thinking::ClearOld,
        trigger: share(compression.trigger_milli),
        compress_to: share(compression.compress_to_milli),
        summary_cap: summary_cap(compression.level, input.room),
        marker: meter.message(&marker)?.real(),
        allowed: input.allowed,
        opening: input.opening.map(|slot| slot.cost.real()),
        keep_live: false,
    })
}

fn turn_costs(input: &Input<'_>, spans: &[Turn]) -> Vec<TurnCost> {
    let keep = input.compression.keep_recent_turns.max(input.recent_turns);
    let mut turn_of = Vec::with_capacity(input.history.len());
    let mut found: Vec<TurnCost> = Vec::with_capacity(spans.len());
    for (index, span) in spans.iter().enumerate() {
        turn_of.extend(std::iter::repeat_n(index, span.len()));
        let mut cost = TurnCost::default();
        for at in span.clone() {
            let own = input.costs.get(at).copied().unwrap_or_default();
            cost.flat += own.flat();
            cost.real += match input.stitched.iter().find(|(stitched, _)| *stitched == at) {
                Some((_, slot)) => slot.cost.real(),
                None => own.real(),
            };
            let role = input.history.get(at).map(|message| message.role);
            cost.exempt |= role == Some(Role::System) || input.protected.get(at) == Some(&true);
            cost.system |= role == Some(Role::System);
            cost.user |= role == Some(Role::User);
        }
        let recent = span.end.saturating_sub(input.recent_messages);
        let recent = turn_of.get(recent).copied().unwrap_or(index + 1);
        cost.live_start = (index + 1).saturating_sub(keep).min(recent);
        found.push(cost);
    }
    found
}

/// The turns as the ladder asks about them.
struct View<'v, 's> {
    meter: &'v Meter<'v>,
    history: &'v [Message],
    costs: &'v [Cost],
    protected: &'v [bool],
    read_back: &'v ReadBack,
    turn_costs: &'v [TurnCost],
    /// The form of each message, as it was given last.
    arrived: Vec<Arrived>,
    sight: &'v mut Sight<'s>,
    /// Whether something that stood before is gone, so that forms are given anew.
    anew: bool,
    spans: &'v [Turn],
    plan: Plan,
    stub_over: Option<usize>,
}

impl ClearCost for View<'_, '_> {
    type Error = Stopped;

    fn arrived(&mut self, turn: usize) -> Result<(u64, u64), Stopped> {
        let Some(span) = self.spans.get(turn).filter(|_| self.anew) else {
            return Ok(self.cost(turn));
        };
        self.meter.check()?;
        for at in span.clone() {
            self.arrive(at);
        }
        Ok(self.cost(turn))
    }

    fn settled(&mut self, forms: &[Form]) -> Result<Vec<(u64, u64)>, Stopped> {
        if !self.anew && forms.iter().all(|form| *form == Form::Whole) {
            return Ok((0..forms.len()).map(|turn| self.cost(turn)).collect());
        }
        self.anew = true;
        self.sight.clear();
        for (span, form) in self.spans.iter().zip(forms) {
            self.meter.check()?;
            for at in span.clone() {
                match form {
                    Form::Whole => self.arrive(at),
                    Form::Cleared(clearing) => self.arrive_cleared(at, *clearing)?,
                    Form::Covered => {}
                }
            }
        }
        Ok((0..forms.len()).map(|turn| self.cost(turn)).collect())
    }

    fn cleared(&mut self, turn: usize, clearing: Clearing) -> Result<Option<(u64, u64)>, Stopped> {
        let Some(span) = self.spans.get(turn) else { return Ok(None) };
        let (mut flat, mut real, mut any) = (0, 0, false);
        for at in span.clone() {
            let own = self.costs.get(at).copied().unwrap_or_default();
            let slot = self.history.get(at).map(|message| self.clear(message, own, clearing));
            let cost = match slot.transpose()?.flatten() {
                Some(slot) => {
                    any = true;
                    slot.cost
                }
                None => own,
            };
            flat += cost.flat();
            real += cost.real();
        }
        Ok(any.then_some((flat, real)))
    }

    fn summary(&mut self, forms: &[Form]) -> Result<u64, Stopped> {
        Ok(self.summarized(forms)?.map_or(self.plan.summary_cap, |slot| slot.cost.real()))
    }
}

impl View<'_, '_> {
    /// What a turn costs in the forms that its messages have now.
    fn cost(&self, turn: usize) -> (u64, u64) {
        let alone = self.turn_costs.get(turn).copied().unwrap_or_default();
        let span = self.spans.get(turn).cloned().unwrap_or_default();
        let saved: u64 = span.filter_map(|at| self.arrived.get(at)).map(|form| form.saved).sum();
        (alone.flat.saturating_sub(saved), alone.real.saturating_sub(saved))
    }

    fn arrive(&mut self, at: usize) {
        let (Some(message), Some(form)) = (self.history.get(at), self.arrived.get_mut(at)) else {
            return;
        };
        let fixed = self.protected.get(at) == Some(&true) || self.read_back.holds(message);
        *form = self.sight.arrive(message, fixed);
    }

    fn clear(
        &self,
        message: &Message,
        own: Cost,
        clearing: Clearing,
    ) -> Result<Option<Slot>, Stopped> {
        clear(self.meter, message, own, (clearing, self.read_back))
    }

    /// A message after rung 3 stands as it is; where clearing saves nothing it is whole.
    fn arrive_cleared(&mut self, at: usize, clearing: Clearing) -> Result<(), Stopped> {
        let own = self.costs.get(at).copied().unwrap_or_default();
        let Some(message) = self.history.get(at) else { return Ok(()) };
        match self.clear(message, own, clearing)? {
            Some(slot) => {
                self.sight.arrive(&slot.message, true);
                if let Some(form) = self.arrived.get_mut(at) {
                    *form = Arrived::default();
                }
            }
            None => self.arrive(at),
        }
        Ok(())
    }

    fn covered(&self, forms: &[Form]) -> (Vec<&Message>, u64) {
        let mut tokens = 0;
        let covered = self
            .spans
            .iter()
            .zip(forms)
            .filter(|(_, form)| **form == Form::Covered)
            .flat_map(|(span, _)| span.clone())
            .filter_map(|at| {
                tokens += self.costs.get(at).copied().unwrap_or_default().real();
                self.history.get(at)
            })
            .collect();
        (covered, tokens)
    }

    fn summarized(&self, forms: &[Form]) -> Result<Option<Slot>, Stopped> {
        let (covered, tokens) = self.covered(forms);
        summary(self.meter, &covered, tokens, self.plan.summary_cap, self.stub_over)
    }

    /// The message that stands for the covered turns. Where no summary can be made, the next
    /// rung is taken and `outcome` says so.
    fn note(&self, outcome: &mut Outcome) -> Result<Option<Slot>, Stopped> {
        if !outcome.forms.contains(&Form::Covered) {
            return Ok(None);
        }
        if outcome.note == Note::Summary {
            if let Some(slot) = self.summarized(&outcome.forms)? {
                return Ok(Some(slot));
            }
            if self.plan.level >= Level::Drop {
                outcome.note = Note::Marker;
            }
        }
        let (covered, _) = self.covered(&outcome.forms);
        let text = match outcome.note {
            Note::Marker => prose::truncated(covered.len()),
            Note::Summary => prose::summary(covered.len(), "None of their lines found room."),
            Note::None | Note::Silent => return Ok(None),
        };
        let message = Message::text(Role::User, text);
        Slot::new(self.meter, message, PartName::History).map(Some)
    }
}

/// A message after rung 3, where that saves tokens.
fn clear(
    meter: &Meter<'_>,
    message: &Message,
    own: Cost,
    (clearing, read_back): (Clearing, &ReadBack),
) -> Result<Option<Slot>, Stopped> {
    let Some(shorter) = cleared(message, clearing, read_back) else { return Ok(None) };
    let slot = Slot::new(meter, shorter, PartName::History)?;
    Ok((slot.cost.real() < own.real() && slot.cost.flat() <= own.flat()).then_some(slot))
}

/// What the results of a message are read back as.
fn originals(message: &Message) -> impl Iterator<Item = Arc<str>> {
    message.parts.iter().filter_map(|part| match &part.content {
        Content::ToolResult(result) => original(&result.content),
        _ => None,
    })
}

fn build(
    meter: &Meter<'_>,
    input: Input<'_>,
    arrived: Vec<Arrived>,
    spans: &[Turn],
    (outcome, note): (Outcome, Option<Slot>),
) -> Result<Output, Stopped> {
    let mut slots = Vec::with_capacity(input.history.len() + 2);
    let mut actions = Vec::with_capacity(input.history.len());
    slots.extend(note);
    let mut stitched = input.stitched;
    let mut forms = spans
        .iter()
        .zip(&outcome.forms)
        .flat_map(|(span, form)| std::iter::repeat_n(*form, span.len()));
    let mut shown = Vec::with_capacity(input.history.len());
    let mut artifacts = Vec::new();
    for ((at, mut message), arrived) in input.history.into_iter().enumerate().zip(arrived) {
        let mut cost = input.costs.get(at).copied().unwrap_or_default();
        let form = forms.next().unwrap_or(Form::Whole);
        let action = match form {
            Form::Whole => Action::Kept,
            Form::Cleared(clearing) => {
                match clear(meter, &message, cost, (clearing, input.read_back))? {
                    Some(slot) => {
                        if input.read_back.on {
                            artifacts.extend(originals(&message));
                        }
                        slots.push(slot);
                        actions.push(Action::Cleared);
                        shown.push(Arrived::default());
                        continue;
                    }
                    None => Action::Kept,
                }
            }
            Form::Covered if outcome.note == Note::Summary => Action::Summarized,
            Form::Covered => Action::Dropped,
        };
        actions.push(match action {
            Action::Kept => arrived.action(),
            action => action,
        });
        if action == Action::Kept {
            show(&mut message, &arrived.forms);
            cost.text = cost.text.saturating_sub(arrived.saved);
            if let Some(found) = stitched.iter().position(|(index, _)| *index == at) {
                slots.push(stitched.swap_remove(found).1);
            } else {
                let fixed = input.protected.get(at) == Some(&true);
                slots.push(Slot { message, cost, part: PartName::History, tail: 0, fixed });
            }
        }
        shown.push(arrived);
    }
    drop(forms);
    Ok(Output { slots, actions, forms: shown, artifacts, outcome })
}
