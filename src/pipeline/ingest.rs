//! Stage 0: a request's conversation, mended and turned into what the target can hold.

use crate::domain::{Conversation, Notes, Target};
use crate::provider;

pub(super) fn run(
    mut conversation: Conversation,
    target: Target,
    skill: Option<&str>,
    notes: &mut Notes,
) -> Conversation {
    super::strip_injected::take_out(&mut conversation, skill, notes);
    mend(conversation, target, notes)
}

/// The same for messages among which our own blocks are meant.
pub(super) fn mend(
    mut conversation: Conversation,
    target: Target,
    notes: &mut Notes,
) -> Conversation {
    conversation.history =
        super::repair::repair(conversation.history, conversation.source.list_key(), notes);
    provider::adapt(&mut conversation, target, notes);
    conversation
}
