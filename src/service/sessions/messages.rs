//! Messages of a session, stored as the client sent them, all in one shape.

use std::borrow::Cow;

use crate::domain::{Notes, Source};
use crate::json::{self, Fault, Faults, Limits, Node, Value};
use crate::provider;

/// Joins JSON texts into a JSON array.
pub(crate) fn array_text<'m>(messages: impl Iterator<Item = &'m str> + Clone) -> String {
    let bytes: usize = messages.clone().map(|message| message.len() + 1).sum();
    let mut text = String::with_capacity(bytes + 1);
    text.push('[');
    for (at, message) in messages.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(message);
    }
    text.push(']');
    text
}

/// An object with a list of messages as its only member. Object and list have no text of their own, so
/// that the texts of the messages are not copied.
pub(crate) fn list_node(source: Source, items: Vec<Node<'_>>) -> Node<'_> {
    let list = Node { raw: "", value: Value::Array(items) };
    let members = vec![(Cow::Borrowed(source.list_key()), list)];
    Node { raw: "", value: Value::Object(members) }
}

/// Returns the faults of messages given as JSON texts, with pointers below `place`.
pub(crate) fn check<'m>(
    source: Source,
    messages: impl Iterator<Item = &'m str> + Clone,
    place: &str,
) -> Vec<Fault> {
    let text = array_text(messages);
    match json::parse(&text, Limits::default()).map(|node| node.value) {
        Ok(Value::Array(items)) => check_list(source, true, &list_node(source, items), place),
        Ok(_) => Vec::new(),
        Err(error) => {
            let detail = error.to_string();
            vec![Fault { pointer: place.to_owned(), detail, did_you_mean: None }]
        }
    }
}

/// Returns the faults of a [`list_node`], with pointers below `place`.
///
/// If `is_lenient`, malformed arguments are no fault.
pub(crate) fn check_list(
    source: Source,
    is_lenient: bool,
    list: &Node<'_>,
    place: &str,
) -> Vec<Fault> {
    let own = format!("/{}", source.list_key());
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    provider::read_messages(list, source, is_lenient, &mut faults, &mut notes);
    let mut found = faults.into_vec();
    for fault in &mut found {
        if let Some(below) = fault.pointer.strip_prefix(&own) {
            fault.pointer = format!("{place}{below}");
        }
    }
    found
}
