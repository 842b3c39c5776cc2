//! Thought signatures that Gemini 3 and later ask for.

use std::sync::Arc;

use super::{MessageRegion, pointer};
use crate::domain::{Content, Message, Notes, Role, Source};

/// The signature that Google documents for calls that its own model did not make
/// (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
const PLACEHOLDER_SIGNATURE: &str = "skip_thought_signature_validator";

/// Signs the first call of each step with the placeholder, if the step's first call has no signature: the
/// provider refuses an unsigned one in the current turn. Earlier turns are signed too, so that a new
/// message of the user changes no byte before it. A step is all that the model says between two
/// messages of others.
pub fn sign_calls(history: &mut [Message], source: Source, notes: &mut Notes) {
    let mut is_open = true;
    let (mut count, mut first) = (0_usize, None);
    for message in history {
        if message.role != Role::Assistant {
            is_open = true;
            continue;
        }
        let origin = message.origin;
        let call = message
            .parts
            .iter_mut()
            .find(|part| matches!(part.content, Content::ToolCall(_)) && is_open);
        let Some(call) = call else { continue };
        is_open = false;
        if call.signature.as_ref().is_none_or(|own| own.is_empty()) {
            call.signature = Some(Arc::from(PLACEHOLDER_SIGNATURE));
            count += 1;
            first.get_or_insert(origin);
        }
    }
    if let Some(origin) = first {
        let detail = format!("{count} calls without a thought signature got the placeholder");
        notes.degraded("call_signed", pointer(source, origin, MessageRegion::History), detail);
    }
}
