//! System messages that are limited to their turn: once the user's next message follows, they stay in
//! the list, but the provider shows them to no model and counts them as no input
//! (<https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages>).

use super::measure::Cost;
use super::slot::Slot;
use crate::domain::{Message, Role};
use crate::provider::is_turn_scoped;

/// Takes messages out of the count that the provider leaves out: those that a later message of the
/// user's has cleared. Results of tools clear nothing, since they belong to the same turn.
pub(super) fn uncount_cleared<'m>(
    list: impl DoubleEndedIterator<Item = (&'m Message, &'m mut Cost)>,
) {
    let mut is_cleared = false;
    for (message, cost) in list.rev() {
        if is_cleared && is_turn_scoped(message) {
            *cost = Cost::default();
        }
        is_cleared |= message.role == Role::User;
    }
}

/// The same for the messages of an assembled list.
pub(super) fn uncount_cleared_slots(slots: &mut [Slot]) {
    uncount_cleared(slots.iter_mut().map(|slot| (&slot.message, &mut slot.cost)));
}
