//! Whether messages have marks of ours. Without one, a message of the caller may read the same.

use std::sync::Arc;

use crate::compress::{DecodedText, Decoder, has_gaps, normal};
use crate::json::{self, Limits, Node};
use crate::{pipeline, provider};

/// Whether a message differs from its original in nothing but white space and terminal codes, so
/// that it does not show whether it is the original or what was made of it.
pub(super) fn is_plain(item: &Node<'_>, original: &str) -> bool {
    let Ok(original) = json::parse(original, Limits::default()) else { return false };
    let texts = |node: &Node<'_>| -> Vec<Arc<str>> {
        let spoken = provider::message_texts(node);
        spoken.iter().flat_map(|spoken| spoken.slots()).map(|slot| Arc::clone(&slot.text)).collect()
    };
    let (shown, before) = (texts(item), texts(&original));
    shown.len() == before.len()
        && shown.iter().zip(&before).all(|(shown, before)| normal(shown) == normal(before))
}

/// Whether a list that is a whole response can as well be a caller's own list.
pub(super) fn is_plain_list(items: &[Node<'_>], originals: &[Arc<str>]) -> bool {
    let is_own = |item: &Node<'_>, original: &str| item.raw == original || is_plain(item, original);
    items.len() == originals.len()
        && items.iter().zip(originals).all(|(item, original)| is_own(item, original))
}

/// Whether a text has neither a notation nor a mark of something left out.
pub(crate) fn is_unmarked(text: &Arc<str>) -> bool {
    let decoded = Decoder::new(text.len()).decode_result(&[Arc::clone(text)]).pop();
    decoded == Some(DecodedText::Same) && !has_gaps(text)
}

/// Whether a message is a summary by us, or the marker of dropped messages.
pub(crate) fn replaces_others(item: &Node<'_>) -> bool {
    let ours = |node: &Node<'_>| node.as_str().is_some_and(pipeline::is_history_summary);
    let part = |part: &Node<'_>| ours(part) || part.get("text").is_some_and(ours);
    item.get("role").and_then(Node::as_str) == Some("user")
        && ["content", "parts"].iter().filter_map(|key| item.get(key)).any(|content| {
            part(content) || content.as_array().is_some_and(|parts| parts.iter().any(part))
        })
}
