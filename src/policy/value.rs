//! What rules work on: JSON, and the few values that only JavaScript has.

use std::borrow::Cow;
use std::sync::Arc;

use crate::json::{self, Node, write_string};

use super::js;

/// A value. Lists and records are shared, so that one is told from another that looks the same, as
/// JavaScript does.
#[derive(Debug, Clone)]
pub enum Value {
    /// What an operator answers that was given nothing.
    Undefined,
    Null,
    Bool(bool),
    /// May be infinite, or no number at all.
    Number(f64),
    Text(Arc<str>),
    List(Arc<[Value]>),
    /// In the order in which the members were written.
    Record(Arc<[(Arc<str>, Value)]>),
}

impl Value {
    pub fn of(node: &Node<'_>) -> Self {
        match &node.value {
            json::Value::Null => Self::Null,
            json::Value::Bool(flag) => Self::Bool(*flag),
            json::Value::Number(text) => Self::Number(text.parse().unwrap_or(f64::NAN)),
            json::Value::String(text) => Self::Text(text.to_shared()),
            json::Value::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            json::Value::Object(members) => Self::Record(
                members.iter().map(|(key, value)| (key.as_ref().into(), Self::of(value))).collect(),
            ),
        }
    }

    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A record of these members.
    pub fn record<K: Into<Arc<str>>>(members: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Record(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    pub(super) fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(items.into_iter().collect())
    }

    /// Whether a rule that answers this holds. An empty list does not, an empty record does.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Bool(flag) => *flag,
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Record(_) => true,
        }
    }

    /// The member of a record, the item of a list, the character of a text.
    pub(super) fn at(&self, name: &str) -> Option<Cow<'_, Self>> {
        match self {
            Self::Record(members) => {
                let member = members.iter().find(|(key, _)| **key == *name);
                member.map(|(_, value)| Cow::Borrowed(value))
            }
            Self::List(items) if name == "length" => Some(Cow::Owned(js::count(items.len()))),
            Self::List(items) => js::index(name).and_then(|at| items.get(at)).map(Cow::Borrowed),
            Self::Text(text) if name == "length" => {
                Some(Cow::Owned(js::count(text.encode_utf16().count())))
            }
            Self::Text(text) => {
                let unit = text.encode_utf16().nth(js::index(name)?)?;
                Some(Cow::Owned(Self::text(String::from_utf16_lossy(&[unit]))))
            }
            _ => None,
        }
    }

    /// Appends the value as JSON; what JSON cannot hold is null.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Self::Number(number) if number.is_finite() => out.push_str(&js::number_text(*number)),
            Self::Undefined | Self::Null | Self::Number(_) => out.push_str("null"),
            Self::Text(text) => write_string(out, text),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Record(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_string(out, key);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}
