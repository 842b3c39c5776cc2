//! `before_compile`: text for the end of the last user message, such as what a search found.

use super::list::ShownMessages;
use crate::domain::{Message, RawJson};
use crate::hook::{BeforeCompileInput, PointInput as _};
use crate::json::{self, JsonText, Limits};
use crate::limit::Deadline;
use crate::pack::Pack;
use crate::pipeline::governance::redact_message;
use crate::pipeline::{slot::Slot, tail};
use crate::request::CompileRequest;

/// The input of hooks: the compressed history is without its tail.
pub(crate) fn input(
    request: &CompileRequest,
    system: &[Message],
    compressed: &[Slot],
    stitched: &[(usize, Slot)],
    history: &[Message],
) -> String {
    let bare = |slot: &Slot| -> Message {
        let on = stitched.iter().find(|(_, own)| own.tail > 0 && own.message == slot.message);
        on.and_then(|(at, _)| history.get(*at)).unwrap_or(&slot.message).clone()
    };
    let compressed: Vec<Message> = compressed.iter().map(bare).collect();
    let state = request.dynamic_state.as_ref();
    BeforeCompileInput {
        system: ShownMessages::new(system.iter()).json(),
        history: ShownMessages::new(compressed.iter()).json(),
        dynamic_state: state.map(RawJson::as_json),
        dynamic_state_xml: state.and_then(tail::state_xml).as_deref(),
    }
    .to_json()
}

/// The input of hooks under a pack: the same of the original conversation, without what the pack's
/// rules redact.
pub fn governed_input(request: &CompileRequest, pack: &Pack, deadline: &Deadline) -> String {
    let redactor = pack.policy.redaction.redactor(deadline);
    let conversation = &request.conversation;
    let shown = |messages: &[Message]| {
        let clean: Vec<Message> =
            messages.iter().map(|own| redact_message(own.clone(), redactor)).collect();
        ShownMessages::new(clean.iter())
    };
    let (system, history) = (shown(&conversation.system), shown(&conversation.history));
    let state = request.dynamic_state.as_ref();
    let clean = |text: &str| redactor.apply(text).text.unwrap_or(text.to_owned());
    // JSON may be invalid after redaction.
    let raw = state.map(|raw| clean(raw.as_str()));
    let raw = raw.filter(|raw| json::parse(raw, Limits::default()).is_ok());
    let xml = state.and_then(tail::state_xml).map(|xml| clean(&xml));
    BeforeCompileInput {
        system: system.json(),
        history: history.json(),
        dynamic_state: raw.as_deref().map(JsonText::new),
        dynamic_state_xml: xml.as_deref(),
    }
    .to_json()
}

/// The text of `<implicit_context>`: that of hooks first.
pub(crate) fn context(provided: String, own: Option<&str>) -> Option<String> {
    match (provided.is_empty(), own) {
        (true, own) => own.map(str::to_owned),
        (false, Some(own)) => Some(format!("{provided}\n{own}")),
        (false, None) => Some(provided),
    }
}
