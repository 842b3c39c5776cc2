//! Beginnings, middles and ends of lists: some targets want the user's message first or last, no white
//! space at the very end, and system messages only in certain places.

use super::measure::Meter;
use super::slot::{PartName, Slot};
use super::{StopReason, prose, turn_scope};
use crate::domain::{Content, HalfFamily, ItemHalf, Message, Notes, Part, Role};
use crate::provider::{
    self, Destination, MISTRAL_PREFIX, TargetRules, has_compaction, is_tool_change, is_turn_scoped,
};
use crate::request::CompileRequest;

/// Lets a list begin and end as the target wants it, with system messages where it takes them.
pub(super) fn mend_slots(
    meter: &Meter<'_>,
    slots: &mut Vec<Slot>,
    opening: Option<Slot>,
    request: &CompileRequest,
    list: &str,
    notes: &mut Notes,
) -> Result<(), StopReason> {
    let rules = provider::rules(request.target);
    let Destination { takes_system, is_mistral, .. } = request.destination();
    if let Some(opening) = opening {
        open(slots, opening, rules, list, notes);
    }
    if takes_system {
        place_system(meter, slots, list, notes)?;
    }
    if request.refuses_last_answer() {
        end(meter, slots, list, notes)?;
    }
    if is_mistral {
        system_as_user(slots.iter_mut().map(|slot| &mut slot.message), list, notes);
    }
    if rules.clean_end {
        close(meter, slots, list, notes)?;
    }
    Ok(())
}

/// Puts the opening before a list that does not begin with the user's message, or into one that
/// nothing is left of but system text.
fn open(slots: &mut Vec<Slot>, opening: Slot, rules: TargetRules, list: &str, notes: &mut Notes) {
    if let Some(at) = opening_place(slots.iter().map(|slot| &slot.message), rules) {
        note_opening(list, notes);
        slots.insert(at, opening);
    }
}

/// The place at which a list lacks a message of the user.
fn opening_place<'m>(
    mut messages: impl ExactSizeIterator<Item = &'m Message>,
    rules: TargetRules,
) -> Option<usize> {
    let count = messages.len();
    let first = messages.by_ref().enumerate().find(|(_, message)| message.role != Role::System);
    match first {
        // A provider's own compaction is a beginning, and what is before it would be ignored:
        // <https://platform.claude.com/docs/en/build-with-claude/compaction>
        Some((at, message)) => {
            let is_beginning = message.role == Role::User || has_compaction(message);
            (rules.user_first && !is_beginning).then_some(at)
        }
        // Where system text has its place in the list, it is a message like any other.
        None => (rules.wants_message && (rules.leads_system || count == 0)).then_some(count),
    }
}

fn note_opening(list: &str, notes: &mut Notes) {
    let detail = "the target wants the user's message first: one was put there";
    notes.repaired("opening_added", format!("/{list}"), detail);
}

/// Whether a list that ends in this message is refused by models that do not go on from it. What a
/// provider's own tool still has to answer is not the end.
pub(super) fn is_refused_end(message: &Message) -> bool {
    message.role == Role::Assistant && !ends_in_server_tool(message) && !is_prefix(message)
}

/// Whether a message tells Mistral to go on from it.
fn is_prefix(message: &Message) -> bool {
    message.extra.iter().any(|(name, raw)| &**name == MISTRAL_PREFIX && raw.as_str() == "true")
}

/// Whether the last part is of one of the provider's own tools: its call, or what it found.
fn ends_in_server_tool(message: &Message) -> bool {
    let last = message.parts.last().and_then(ItemHalf::in_part);
    last.is_some_and(|(half, _)| half.family == HalfFamily::ServerTool)
}

/// Reports the message of the user that was put at the end.
pub(super) fn note_ending(list: &str, notes: &mut Notes) {
    let detail = "the model does not go on from a last assistant message: the user's follows it";
    notes.repaired("ending_added", format!("/{list}"), detail);
}

/// Adds a message of the user to a list that ends in the assistant's.
fn end(
    meter: &Meter<'_>,
    slots: &mut Vec<Slot>,
    list: &str,
    notes: &mut Notes,
) -> Result<(), StopReason> {
    let end = slots.iter().rev().find(|slot| !slot.message.is_hoisted());
    if end.is_some_and(|slot| is_refused_end(&slot.message)) {
        let message = Message::text(Role::User, prose::CONVERSATION_OPENING);
        slots.push(Slot::new(meter, message, PartName::Tail)?);
        note_ending(list, notes);
    }
    Ok(())
}

/// The same for a list that is not counted.
pub(super) fn mend_messages(
    messages: &mut Vec<Message>,
    request: &CompileRequest,
    list: &str,
    notes: &mut Notes,
) {
    let rules = provider::rules(request.target);
    let refuses_end = request.refuses_last_answer();
    let opening = || Message::text(Role::User, prose::CONVERSATION_OPENING);
    if let Some(at) = opening_place(messages.iter(), rules) {
        note_opening(list, notes);
        messages.insert(at, opening());
    }
    let end = messages.iter().rev().find(|message| !message.is_hoisted());
    if refuses_end && end.is_some_and(is_refused_end) {
        note_ending(list, notes);
        messages.push(opening());
    }
    if request.destination().is_mistral {
        system_as_user(messages.iter_mut(), list, notes);
    }
}

/// Gives system messages the role of the user if they follow an answer of the assistant or results of
/// tools: Mistral takes system text there from nobody.
/// <https://github.com/mistralai/mistral-common>, `validator.py`.
fn system_as_user<'m>(
    messages: impl Iterator<Item = &'m mut Message>,
    list: &str,
    notes: &mut Notes,
) {
    let mut is_refused = false;
    for message in messages {
        if message.role != Role::System {
            is_refused = message.role != Role::User;
        } else if is_refused {
            message.role_word = Some("user");
            is_refused = false;
            if let Some(origin) = message.origin {
                let detail = "the provider takes no system text after an answer or a result";
                notes.degraded("system_as_user", format!("/{list}/{origin}"), detail);
            }
        }
    }
}

/// Decides which system messages of the history keep their places: those that follow a message of the
/// user, or the assistant's call of a server tool, and that the assistant's message or nothing
/// follows. All others are written before all messages, as for models that take none elsewhere.
/// <https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages>
fn place_system(
    meter: &Meter<'_>,
    slots: &mut [Slot],
    list: &str,
    notes: &mut Notes,
) -> Result<(), StopReason> {
    let mut follows_user = false;
    let follows: Vec<bool> = slots
        .iter()
        .map(|slot| {
            if slot.message.role != Role::System {
                follows_user = !is_refused_end(&slot.message);
            }
            follows_user
        })
        .collect();
    let mut precedes_answer = true;
    for (slot, follows) in slots.iter_mut().zip(follows).rev() {
        if slot.message.role != Role::System {
            precedes_answer = slot.message.role == Role::Assistant;
            continue;
        }
        let Some(origin) = slot.message.origin.filter(|_| slot.part == PartName::History) else {
            continue;
        };
        // One without text changes the effort of what follows, wherever it is.
        let is_silent = slot.message.parts.is_empty() && !slot.message.extra.is_empty();
        slot.message.stays = follows && precedes_answer || is_silent;
        if !slot.message.stays {
            hoist(meter, slot, format!("/{list}/{origin}"), notes)?;
        }
    }
    turn_scope::uncount_cleared_slots(slots);
    Ok(())
}

/// Reports a system message that is written before all messages, where changes of tools have no place.
fn hoist(
    meter: &Meter<'_>,
    slot: &mut Slot,
    at: String,
    notes: &mut Notes,
) -> Result<(), StopReason> {
    let is_known =
        notes.degraded.iter().any(|note| note.code == "system_hoisted" && note.pointer == at);
    if !is_known {
        let detail = "the model takes system text after the user's message, before its reply";
        notes.degraded("system_hoisted", at.clone(), detail);
        if !slot.message.extra.is_empty() {
            let names: Vec<&str> = slot.message.extra.iter().map(|(name, _)| &**name).collect();
            notes.degraded("extra_dropped", at.clone(), names.join(", "));
        }
    }
    let is_scoped = is_turn_scoped(&slot.message);
    slot.message.extra.clear();
    if is_scoped {
        slot.cost = meter.message(&slot.message)?;
    }
    let is_change =
        |part: &Part| matches!(&part.content, Content::Opaque { kind, .. } if is_tool_change(kind));
    if slot.message.parts.iter().any(is_change) {
        slot.message.parts.retain(|part| !is_change(part));
        notes.degraded("opaque_dropped", at, "changes of tools");
        slot.cost = meter.message(&slot.message)?;
    }
    Ok(())
}

/// Takes the white space off the end of a last message that is the assistant's.
fn close(
    meter: &Meter<'_>,
    slots: &mut [Slot],
    list: &str,
    notes: &mut Notes,
) -> Result<(), StopReason> {
    let Some(slot) = slots
        .iter_mut()
        .rfind(|slot| !slot.message.is_hoisted())
        .filter(|slot| slot.message.role == Role::Assistant)
    else {
        return Ok(());
    };
    let Some(Content::Text(text)) = slot.message.parts.last_mut().map(|part| &mut part.content)
    else {
        return Ok(());
    };
    let bare = text.trim_end();
    if bare.len() == text.len() || bare.is_empty() {
        return Ok(());
    }
    *text = bare.into();
    let at = slot.message.origin.map_or(format!("/{list}"), |at| format!("/{list}/{at}"));
    notes.degraded("end_trimmed", at, "the target refuses white space at the very end");
    slot.cost = meter.message(&slot.message)?;
    Ok(())
}
