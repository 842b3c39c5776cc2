//! Recognises messages of ours that replace others, by their marks alone.

use crate::json::Node;
use crate::pipeline;

/// Whether a message is a summary by us, or the marker of dropped messages.
pub(super) fn replaces_others(item: &Node<'_>) -> bool {
    let ours = |node: &Node<'_>| node.as_str().is_some_and(pipeline::is_history_summary);
    let part = |part: &Node<'_>| ours(part) || part.get("text").is_some_and(ours);
    item.get("role").and_then(Node::as_str) == Some("user")
        && ["content", "parts"].iter().filter_map(|key| item.get(key)).any(|content| {
            part(content) || content.as_array().is_some_and(|parts| parts.iter().any(part))
        })
}
