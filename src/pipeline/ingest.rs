//! Stage 0: a request's conversation, mended and turned into what the target can hold.

use crate::domain::{Conversation, Notes, Target};
use crate::provider;

pub(super) fn run(
    mut conversation: Conversation,
    target: Target,
    takes_system: bool,
    skill: Option<&str>,
    notes: &mut Notes,
) -> Conversation {
    super::strip_injected::take_out(&mut conversation, skill, notes);
    mend(conversation, target, takes_system, notes)
}

/// The same for messages among which our own blocks are meant. `takes_system`: as for
/// [`provider::adapt`].
pub(super) fn mend(
    mut conversation: Conversation,
    target: Target,
    takes_system: bool,
    notes: &mut Notes,
) -> Conversation {
    conversation.history =
        super::repair::repair(conversation.history, conversation.source.list_key(), notes);
    provider::adapt(&mut conversation, target, takes_system, notes);
    conversation
}
