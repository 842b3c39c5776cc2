//! Takes members out of an object and leaves the bytes of all others.

use super::{Node, write_string};

/// The text of an object without the members that `goes` names; `None` if none of them goes, or it is
/// no object.
pub fn without_members(node: &Node<'_>, goes: impl Fn(&str, &Node<'_>) -> bool) -> Option<String> {
    let members = node.as_object()?;
    if !members.iter().any(|(name, value)| goes(name, value)) {
        return None;
    }
    let mut text = String::with_capacity(node.raw.len());
    text.push('{');
    for (name, value) in members.iter().filter(|(name, value)| !goes(name, value)) {
        if text.len() > 1 {
            text.push(',');
        }
        write_string(&mut text, name);
        text.push(':');
        text.push_str(value.raw);
    }
    text.push('}');
    Some(text)
}
