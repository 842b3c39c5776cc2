//! Requests without anything to compile.

use crate::json::{Faults, Node, Path};
use crate::provider;

/// Reports an empty list of messages, unless a pack has text of its own.
pub(super) fn require_text(body: &Node<'_>, faults: &mut Faults) {
    let key = provider::list_key(body);
    let list = body.get(key).and_then(Node::as_array);
    let is_empty = list.is_some_and(<[Node<'_>]>::is_empty);
    if !is_empty || body.get("pack").is_some_and(|pack| !pack.is_null()) {
        return;
    }
    let example = if key == "contents" {
        r#"{"role": "user", "parts": [{"text": "…"}]}"#
    } else {
        r#"{"role": "user", "content": "…"}"#
    };
    let detail = format!("is empty, and there is no other text: give a message, such as {example}");
    faults.add(&Path::Root.key(key), detail);
}
