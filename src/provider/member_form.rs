//! The form that a member of a provider's request must have: [`MemberForm`].

use std::fmt;

use crate::json::Node;

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MemberForm {
    Any,
    Flag,
    Number {
        least: f64,
        most: f64,
    },
    /// A whole number from zero.
    Whole,
    Text,
    List,
    Object,
    TextOrList,
    TextOrObject,
    /// An object with these members and no others.
    Only(&'static [&'static str]),
    ToolChoice(ToolChoiceShape),
}

/// The form of `tool_choice`, which three APIs have and each writes in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolChoiceShape {
    /// A word, or a tool inside of the member that its `type` names.
    Chat,
    /// A word, or an object whose tool has its name next to `type`.
    Responses,
    /// An object.
    Anthropic,
}

impl MemberForm {
    /// Whether a value has this form.
    pub fn fits(self, node: &Node<'_>) -> bool {
        let is_object = node.as_object().is_some();
        match self {
            Self::Any => true,
            Self::Flag => node.as_bool().is_some(),
            Self::Number { least, most } => {
                node.as_f64().is_some_and(|number| (least..=most).contains(&number))
            }
            Self::Whole => node.as_u64().is_some(),
            Self::Text => node.as_str().is_some(),
            Self::List => node.as_array().is_some(),
            Self::Object => is_object,
            Self::TextOrList => node.as_str().is_some() || node.as_array().is_some(),
            Self::TextOrObject => node.as_str().is_some() || is_object,
            Self::Only(known) => node
                .as_object()
                .is_some_and(|members| members.iter().all(|(name, _)| known.contains(&&**name))),
            Self::ToolChoice(shape) => shape.fits(node),
        }
    }
}

impl ToolChoiceShape {
    fn fits(self, node: &Node<'_>) -> bool {
        let kind = node.get("type").and_then(Node::as_str);
        let has = |name: &str| node.get(name).is_some();
        match (self, kind) {
            (Self::Chat | Self::Responses, None) => node.as_str().is_some(),
            (Self::Chat, Some(kind)) => has(kind),
            (Self::Responses, Some("function" | "custom")) | (Self::Anthropic, Some("tool")) => {
                has("name")
            }
            (Self::Responses, Some(kind)) => !has(kind),
            (Self::Anthropic, kind) => matches!(kind, Some("auto" | "any" | "none")),
        }
    }
}

impl fmt::Display for MemberForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Any => "any value",
            Self::Flag => "true or false",
            Self::Number { least, most } => {
                return write!(f, "a number from {least} to {most}");
            }
            Self::Whole => "a whole number",
            Self::Text => "a string",
            Self::List => "an array",
            Self::Object => "an object",
            Self::TextOrList => "a string or an array",
            Self::TextOrObject => "a string or an object",
            Self::Only(known) => return write!(f, "an object of `{}`", known.join("`, `")),
            Self::ToolChoice(ToolChoiceShape::Chat) => {
                "a word, or an object such as {\"type\": \"function\", \"function\": {\"name\": …}}"
            }
            Self::ToolChoice(ToolChoiceShape::Responses) => {
                "a word, or an object such as {\"type\": \"function\", \"name\": …}"
            }
            Self::ToolChoice(ToolChoiceShape::Anthropic) => {
                "an object such as {\"type\": \"auto\"}"
            }
        };
        f.write_str(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, Limits};

    #[test]
    fn a_choice_of_tools_fits_the_api_that_writes_it_so() {
        let rows = [
            ("\"auto\"", [true, true, false]),
            (r#"{"type": "function", "function": {"name": "f"}}"#, [true, false, false]),
            (r#"{"type": "function", "name": "f"}"#, [false, true, false]),
            (r#"{"type": "allowed_tools", "allowed_tools": {}}"#, [true, false, false]),
            (r#"{"type": "file_search"}"#, [false, true, false]),
            (r#"{"type": "tool", "name": "f"}"#, [false, true, true]),
            (r#"{"type": "any"}"#, [false, true, true]),
            ("7", [false, false, false]),
        ];
        let shapes =
            [ToolChoiceShape::Chat, ToolChoiceShape::Responses, ToolChoiceShape::Anthropic];
        for (text, wanted) in rows {
            let node = json::parse(text, Limits::default()).unwrap();
            let fits = shapes.map(|shape| MemberForm::ToolChoice(shape).fits(&node));
            assert_eq!(fits, wanted, "{text}");
        }
    }

    #[test]
    fn numbers_have_bounds_and_objects_members() {
        let fits =
            |form: MemberForm, text| form.fits(&json::parse(text, Limits::default()).unwrap());
        let share = MemberForm::Number { least: 0.0, most: 1.0 };
        assert!(fits(share, "0") && fits(share, "1.0") && !fits(share, "1.5"));
        let only = MemberForm::Only(&["user_id"]);
        assert!(fits(only, r#"{"user_id": "u"}"#) && !fits(only, r#"{"team": "t"}"#));
        assert!(!fits(MemberForm::Whole, "-1") && !fits(MemberForm::Whole, "1.5"));
    }
}
