//! `before_compile`: text for the end of the last user message, such as what a search found.

use super::list::ShownMessages;
use crate::domain::Message;
use crate::json::{self, Limits, write_string};
use crate::limit::Allowance;
use crate::pack::Pack;
use crate::pipeline::govern::redact_message;
use crate::pipeline::{inject, slot::Slot};
use crate::request::CompileRequest;

/// The input of hooks: `{"system", "history", "dynamic_state", "dynamic_state_xml"}`, the
/// compressed history without its tail.
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
    let mut out = String::from("{\"system\":");
    out.push_str(ShownMessages::new(system.iter()).text());
    out.push_str(",\"history\":");
    out.push_str(ShownMessages::new(compressed.iter()).text());
    out.push_str(",\"dynamic_state\":");
    out.push_str(request.dynamic_state.as_ref().map_or("null", |raw| raw.as_str()));
    out.push_str(",\"dynamic_state_xml\":");
    match request.dynamic_state.as_ref().and_then(inject::state_xml) {
        Some(xml) => write_string(&mut out, &xml),
        None => out.push_str("null"),
    }
    out.push('}');
    out
}

/// The input of hooks under a pack: the same of the original conversation, without what the pack's
/// rules redact.
pub fn governed_input(request: &CompileRequest, pack: &Pack, allowance: &Allowance) -> String {
    let redactor = pack.policy.redaction.redactor(allowance);
    let conversation = &request.conversation;
    let shown = |messages: &[Message]| {
        let clean: Vec<Message> =
            messages.iter().map(|own| redact_message(own.clone(), redactor)).collect();
        ShownMessages::new(clean.iter()).text().to_owned()
    };
    let state = request.dynamic_state.as_ref();
    let clean = |text: &str| redactor.apply(text).text.unwrap_or(text.to_owned());
    let mut out = format!(
        "{{\"system\":{},\"history\":{},\"dynamic_state\":",
        shown(&conversation.system),
        shown(&conversation.history)
    );
    // JSON may be invalid after redaction.
    let raw = state.map(|raw| clean(raw.as_str()));
    let raw = raw.filter(|raw| json::parse(raw, Limits::default()).is_ok());
    out.push_str(raw.as_deref().unwrap_or("null"));
    out.push_str(",\"dynamic_state_xml\":");
    match state.and_then(inject::state_xml) {
        Some(xml) => write_string(&mut out, &clean(&xml)),
        None => out.push_str("null"),
    }
    out.push('}');
    out
}

/// The text of `<implicit_context>`: that of hooks first.
pub(crate) fn context(provided: String, own: Option<&str>) -> Option<String> {
    match (provided.is_empty(), own) {
        (true, own) => own.map(str::to_owned),
        (false, Some(own)) => Some(format!("{provided}\n{own}")),
        (false, None) => Some(provided),
    }
}
