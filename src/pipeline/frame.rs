//! Everything around the history: counted first, so that the history knows what room is left.

use super::StopReason;
use super::measure::{Cost, Meter};
use super::prose::{self, BLOCK_SEPARATOR};
use super::slot::{PartName, Slot};
use super::volatile_blocks::append_text;
use super::{list_ends, tail};
use crate::domain::{Message, Notes, ProgramCalls, Role};
use crate::provider::TargetRules;
use crate::request::{OutputOptions, SkillOptions};

pub(super) struct Input<'i> {
    pub(super) system: Vec<Message>,
    pub(super) history: &'i [Message],
    /// The cost of each message of the history in its form on arrival.
    pub(super) costs: &'i [Cost],
    /// The request key of the messages.
    pub(super) list: &'i str,
    pub(super) skill: Option<&'i SkillOptions>,
    pub(super) output: &'i OutputOptions,
    pub(super) rules: TargetRules,
    /// Whether the model continues a last assistant message.
    pub(super) model_prefill: bool,
    /// Whether a list must not end in the assistant's message.
    pub(super) refuses_last_answer: bool,
    /// Whether the request names its model.
    pub(super) model_named: bool,
    pub(super) injected: tail::Output,
    /// The message that takes the tail for good, by its index; none if the tail is at the end of the
    /// last user message of each payload.
    pub(super) anchor: Option<usize>,
}

#[derive(Debug, Default)]
pub(super) struct Output {
    /// System text, skill, memory: before the history.
    pub(super) head: Vec<Slot>,
    /// Messages of the history with what is stitched to them.
    pub(super) stitched: Vec<(usize, Slot)>,
    /// State, output block, prefill: after the history.
    pub(super) foot: Vec<Slot>,
    /// The message that opens a list that would not begin with the user's message, or be empty.
    pub(super) opening: Option<Slot>,
}

impl Input<'_> {
    /// The message of the history at an index, with a text at its end.
    fn appended(
        &self,
        meter: &Meter<'_>,
        at: usize,
        text: &str,
    ) -> Result<Option<Slot>, StopReason> {
        let found = self.history.get(at).zip(self.costs.get(at));
        found.map(|(message, cost)| appended(meter, message, *cost, text)).transpose()
    }
}

impl Output {
    /// Whether a message of the user is after the history.
    fn ends_with_user(&self) -> bool {
        self.foot.iter().any(|slot| slot.message.role == Role::User)
    }

    /// Raw tokens of the system text.
    pub(super) fn system(&self) -> u64 {
        let system = self.head.iter().filter(|slot| slot.part == PartName::System);
        system.map(|slot| slot.cost.real()).sum()
    }
}

pub(super) fn run(
    meter: &Meter<'_>,
    input: Input<'_>,
    notes: &mut Notes,
) -> Result<Output, StopReason> {
    let mut output = Output::default();
    let mut input = input;
    for message in std::mem::take(&mut input.system) {
        output.head.push(Slot::new(meter, message, PartName::System)?);
    }
    let add = |slots: &mut Vec<Slot>, role, text: String, part| -> Result<(), StopReason> {
        slots.push(Slot::new(meter, Message::text(role, text), part)?);
        Ok(())
    };
    if let Some(skill) = input.skill.filter(|skill| !skill.instructions.trim().is_empty()) {
        add(&mut output.head, Role::System, skill.instructions.to_string(), PartName::Skill)?;
    }
    if let Some(mut text) = input.injected.memory_instruction.take() {
        if let Some(data) = &input.injected.memory_data {
            text.push_str(BLOCK_SEPARATOR);
            text.push_str(data);
        }
        add(&mut output.head, Role::System, text, PartName::Memory)?;
    }
    let guard = input.output.tag.as_deref().map(prose::output_tag);
    if let Some(state) = input.injected.state_message.take() {
        let text = match &guard {
            Some(guard) => format!("{state}\n\n{guard}"),
            None => state,
        };
        let message = Message::text(Role::System, text);
        let slot = Slot::new(meter, message, PartName::Tail)?;
        output.foot.push(Slot { tail: slot.cost.real(), ..slot });
    } else if let Some(guard) = guard {
        add(&mut output.foot, Role::System, guard, PartName::Tail)?;
    }
    if !input.injected.tail.is_empty() {
        let tail = input.injected.tail.join(BLOCK_SEPARATOR);
        stitch_tail(meter, &input, &tail, &mut output)?;
    }
    if let Some(text) = &input.output.prefill {
        if input.rules.prefill && input.model_prefill {
            if !input.model_named {
                notes.warn(
                    "prefill_unchecked",
                    "/output/prefill".to_owned(),
                    "not every model of the provider goes on from a last assistant message: \
                     name the `model` to have that checked",
                );
            }
            native_prefill(meter, text, &mut output, notes)?;
        } else {
            prefill_note(meter, &input, text, &mut output, notes)?;
        }
    }
    if input.refuses_last_answer && !output.ends_with_user() {
        let last = input.history.iter().rev().find(|message| message.role != Role::System);
        if last.is_some_and(list_ends::is_refused_end) {
            add(
                &mut output.foot,
                Role::User,
                prose::CONVERSATION_OPENING.to_owned(),
                PartName::Tail,
            )?;
            list_ends::note_ending(input.list, notes);
        }
    }
    if input.rules.user_first || input.rules.wants_message {
        let message = Message::text(Role::User, prose::CONVERSATION_OPENING);
        output.opening = Some(Slot::new(meter, message, PartName::History)?);
    }
    Ok(output)
}

/// Appends the tail to its anchor, or else to the last user message; without one, the tail is a
/// message.
fn stitch_tail(
    meter: &Meter<'_>,
    input: &Input<'_>,
    tail: &str,
    output: &mut Output,
) -> Result<(), StopReason> {
    let history = input.history;
    if let Some(at) = input.anchor
        && let Some(slot) = input.appended(meter, at, tail)?
    {
        // It stays there, so nothing of the message changes with the next compile.
        output.stitched.push((at, Slot { tail: 0, ..slot }));
        return Ok(());
    }
    let last = history.iter().rposition(|message| message.role == Role::User);
    if let Some(at) = last
        && let Some(slot) = input.appended(meter, at, tail)?
    {
        output.stitched.push((at, slot));
    } else {
        // Next to results that a program waits for, no text of the user is allowed.
        let programs = ProgramCalls::new(history.iter());
        let is_program = history.last().is_some_and(|last| programs.holds(last));
        let role = if is_program { Role::System } else { Role::User };
        let message = Message::text(role, tail);
        let mut slot = Slot::new(meter, message, PartName::Tail)?;
        slot.tail = slot.cost.real();
        output.foot.insert(0, slot);
    }
    Ok(())
}

fn native_prefill(
    meter: &Meter<'_>,
    text: &str,
    output: &mut Output,
    notes: &mut Notes,
) -> Result<(), StopReason> {
    // Providers refuse a last assistant text that ends in white space.
    let bare = text.trim_end();
    if bare.len() < text.len() {
        notes.degraded(
            "prefill_trimmed",
            "/output/prefill".to_owned(),
            "white space at the end is refused by the provider",
        );
    }
    if !bare.is_empty() {
        let message = Message::text(Role::Assistant, bare);
        output.foot.push(Slot::new(meter, message, PartName::Tail)?);
    }
    Ok(())
}

/// Asks for the prefill in words, at the end of the last message that is the user's or, if the
/// target keeps system messages in the list, a system message.
fn prefill_note(
    meter: &Meter<'_>,
    input: &Input<'_>,
    text: &str,
    output: &mut Output,
    notes: &mut Notes,
) -> Result<(), StopReason> {
    notes.degraded(
        "prefill_as_text",
        "/output/prefill".to_owned(),
        "the target does not go on from a last assistant message: asked for in words",
    );
    let note = prose::prefill(text);
    let hoists_system = input.rules.hoists_system;
    let takes = |message: &Message| {
        message.role == Role::User || (message.role == Role::System && !hoists_system)
    };
    if let Some(slot) = output.foot.iter_mut().rev().find(|slot| takes(&slot.message)) {
        let before = slot.tail;
        *slot = Slot { part: slot.part, ..appended(meter, &slot.message, slot.cost, &note)? };
        slot.tail += before;
        return Ok(());
    }
    if let Some(at) = input.history.iter().rposition(takes) {
        let found = output.stitched.iter_mut().find(|(stitched, _)| *stitched == at);
        if let Some((_, slot)) = found {
            let before = slot.tail;
            *slot = appended(meter, &slot.message, slot.cost, &note)?;
            slot.tail += before;
        } else {
            let slot = input.appended(meter, at, &note)?;
            output.stitched.extend(slot.map(|slot| (at, slot)));
        }
        return Ok(());
    }
    if let Some(slot) = output.head.last_mut() {
        *slot = Slot { part: slot.part, ..appended(meter, &slot.message, slot.cost, &note)? }
    } else {
        let role = if hoists_system { Role::System } else { Role::User };
        output.foot.push(Slot::new(meter, Message::text(role, note), PartName::Tail)?);
    }
    Ok(())
}

/// A message with a text at its end. `own` is its cost without the text, which is lower than that of
/// the message if a later stage shows a shorter form.
fn appended(
    meter: &Meter<'_>,
    message: &Message,
    own: Cost,
    text: &str,
) -> Result<Slot, StopReason> {
    let before = meter.message(message)?.text;
    let mut message = message.clone();
    append_text(&mut message, text);
    let added = meter.message(&message)?.text.saturating_sub(before);
    let cost = Cost { text: own.text + added, ..own };
    Ok(Slot { message, cost, part: PartName::History, tail: added, fixed: false })
}
