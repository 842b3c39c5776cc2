//! `before_compile`: text for the end of the last user message, such as what a search found.

use super::list::Seen;
use crate::domain::Message;
use crate::json::write_string;
use crate::pipeline::{inject, slot::Slot};
use crate::request::CompileRequest;

/// What hooks are shown: `{"system", "history", "dynamic_state", "dynamic_state_xml"}`, the history
/// as it was compressed, without the tail that will stand on it.
pub(in crate::pipeline) fn input(
    request: &CompileRequest,
    system: &[Message],
    (compressed, stitched): (&[Slot], &[(usize, Slot)]),
    history: &[Message],
) -> String {
    let bare = |slot: &Slot| -> Message {
        let on = stitched.iter().find(|(_, own)| own.tail > 0 && own.message == slot.message);
        on.and_then(|(at, _)| history.get(*at)).unwrap_or(&slot.message).clone()
    };
    let compressed: Vec<Message> = compressed.iter().map(bare).collect();
    let mut out = String::from("{\"system\":");
    out.push_str(Seen::new(system.iter()).text());
    out.push_str(",\"history\":");
    out.push_str(Seen::new(compressed.iter()).text());
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

/// The text of `<implicit_context>`: that of hooks first.
pub(in crate::pipeline) fn context(provided: String, own: Option<&str>) -> Option<String> {
    match (provided.is_empty(), own) {
        (true, own) => own.map(str::to_owned),
        (false, Some(own)) => Some(format!("{provided}\n{own}")),
        (false, None) => Some(provided),
    }
}
