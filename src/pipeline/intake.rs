//! Stage 0: a request's conversation, mended and turned into what its destination can hold.

use super::repair::RepairRules;
use super::strip_injected::{self, ReturnedBlocks};
use crate::domain::{Conversation, Notes, Target};
use crate::provider::{self, Destination};

pub(super) fn run(
    mut conversation: Conversation,
    destination: Destination,
    skill: Option<&str>,
    returned: ReturnedBlocks,
    notes: &mut Notes,
) -> Conversation {
    strip_injected::take_out(&mut conversation, skill, returned, notes);
    mend(conversation, destination, notes)
}

/// The same for messages among which our own blocks are meant.
pub(super) fn mend(
    mut conversation: Conversation,
    destination: Destination,
    notes: &mut Notes,
) -> Conversation {
    provider::convert_built_in_calls(&mut conversation, destination, notes);
    let rules = RepairRules {
        list: conversation.source.list_key(),
        finds_references: destination.target == Target::OpenaiResponses,
    };
    conversation.history = super::repair::repair(conversation.history, rules, notes);
    provider::adapt(&mut conversation, destination, notes);
    conversation
}
