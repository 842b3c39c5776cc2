//! Beginnings and ends of lists: some targets want the user's message first, and no white space at
//! the very end.

use super::StopReason;
use super::measure::Meter;
use super::slot::Slot;
use crate::domain::{Content, Notes, Role};

/// Puts the opening before a list that does not begin with the user's message, or into one that
/// nothing is left of but system text.
pub(super) fn open(slots: &mut Vec<Slot>, opening: Slot, list: &str, notes: &mut Notes) {
    let first = slots.iter().position(|slot| slot.message.role != Role::System);
    let at = first.unwrap_or(slots.len());
    if slots.get(at).is_none_or(|slot| slot.message.role != Role::User) {
        let detail = "the target wants the user's message first: one was put there";
        notes.repaired("opening_added", format!("/{list}"), detail);
        slots.insert(at, opening);
    }
}

/// Takes the white space off the end of a last message that is the assistant's.
pub(super) fn close(
    meter: &Meter<'_>,
    slots: &mut [Slot],
    list: &str,
    notes: &mut Notes,
) -> Result<(), StopReason> {
    let Some(slot) = slots.last_mut().filter(|slot| slot.message.role == Role::Assistant) else {
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
