//! Takes members out of an object and leaves the bytes of all others.

use super::{Node, ObjectText};

/// The text of an object without the members that `goes` names; `None` if none of them goes, or it is
/// no object.
pub fn without_members(node: &Node<'_>, goes: impl Fn(&str, &Node<'_>) -> bool) -> Option<String> {
    let members = node.as_object()?;
    if !members.iter().any(|(name, value)| goes(name, value)) {
        return None;
    }
    let mut text = ObjectText::default();
    for (name, value) in members.iter().filter(|(name, value)| !goes(name, value)) {
        text.member(name, value.raw);
    }
    Some(text.finish())
}
