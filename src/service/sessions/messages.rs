//! The messages that a session holds: each as it was given, in one shape.

use crate::domain::{Notes, Source};
use crate::json::{self, Fault, Faults, Limits};
use crate::provider;

/// A list of messages as the member of a request that holds them.
pub(super) fn list_text<'m>(source: Source, messages: impl Iterator<Item = &'m str>) -> String {
    let mut text = format!("\"{}\":[", source.list_key());
    for (at, message) in messages.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(message);
    }
    text.push(']');
    text
}

/// What is wrong with messages by themselves, with pointers below `place`.
pub(super) fn check<'m>(
    source: Source,
    messages: impl Iterator<Item = &'m str>,
    place: &str,
) -> Vec<Fault> {
    let text = format!("{{{}}}", list_text(source, messages));
    let list = format!("/{}", source.list_key());
    let node = match json::parse(&text, Limits::default()) {
        Ok(node) => node,
        Err(error) => {
            let detail = error.to_string();
            return vec![Fault { pointer: place.to_owned(), detail, did_you_mean: None }];
        }
    };
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    provider::read(&node, source, &mut faults, &mut notes);
    let mut found = faults.into_vec();
    for fault in &mut found {
        if let Some(behind) = fault.pointer.strip_prefix(&list) {
            fault.pointer = format!("{place}{behind}");
        }
    }
    found
}
