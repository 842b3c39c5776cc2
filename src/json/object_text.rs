//! Objects that are written member by member, and objects without some of their members.

use super::Node;
use super::write_string;

/// The JSON text of an object whose values are JSON texts already.
#[derive(Debug, Default)]
pub struct ObjectText(String);

impl ObjectText {
    /// Adds a member; `value` is its JSON text.
    pub fn member(&mut self, key: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        write_string(&mut self.0, key);
        self.0.push(':');
        self.0.push_str(value);
    }

    pub fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

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

/// The text of an object with other values, as JSON texts, for the members that `new` gives them for;
/// `None` if it is no object.
pub fn with_members(
    node: &Node<'_>,
    new: impl Fn(&str, &Node<'_>) -> Option<String>,
) -> Option<String> {
    let mut text = ObjectText::default();
    for (name, value) in node.as_object()? {
        match new(name, value) {
            Some(new) => text.member(name, &new),
            None => text.member(name, value.raw),
        }
    }
    Some(text.finish())
}
