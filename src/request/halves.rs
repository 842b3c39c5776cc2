//! Halves of surrogate pairs in what a request says besides its conversation: U+FFFD replaced them when
//! the body was read, and each text that is not what was sent has a note.

use std::collections::BTreeSet;

use crate::domain::Notes;
use crate::json::{self, Node, Path, Text, Value};
use crate::provider;

/// Notes the texts in which half of a pair was replaced, but for those of the conversation and those that
/// have a note.
pub(super) fn note_halves(body: &Node<'_>, notes: &mut Notes) {
    let Some(members) = body.as_object() else { return };
    // Messages to append are read with the conversation, and the payload before is only compared.
    let is_read = |key: &str| {
        !provider::CONVERSATION_KEYS.contains(&key) && !["append", "cache"].contains(&key)
    };
    let members = members.iter().filter(|(key, _)| is_read(key));
    let halves: Vec<_> = members.filter(|(_, value)| json::has_replaced_half(value.raw)).collect();
    if halves.is_empty() {
        return;
    }
    let known = notes.repairs.iter().filter(|note| note.code == provider::SURROGATE_REPLACED);
    let known: BTreeSet<String> = known.map(|note| note.pointer.clone()).collect();
    for (key, value) in halves {
        note_in(value, &Path::Root.key(key), &known, notes);
    }
}

fn note_in(node: &Node<'_>, path: &Path<'_>, known: &BTreeSet<String>, notes: &mut Notes) {
    if !json::has_replaced_half(node.raw) || known.contains(&path.pointer()) {
        return;
    }
    match &node.value {
        Value::String(Text::Replaced(_)) => provider::note_replaced(node, path, notes),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                note_in(item, &path.index(index), known, notes);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                note_in(value, &path.key(key), known, notes);
            }
        }
        _ => {}
    }
}
