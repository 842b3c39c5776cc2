//! Converts JSON for the patching library and back, without losing a digit or an order.
//!
//! A number that the library would round becomes a string with a prefix; a string that begins with
//! the prefix gets one more.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};

use crate::json::{self, Node, write_string};

/// From a range of Unicode that is for private use.
const MARK_CHAR: char = '\u{F8C7}';
/// Follows the prefix if the value is a number.
const NUMBER_CHAR: char = '#';

pub(super) fn from_node(node: &Node<'_>) -> Value {
    match &node.value {
        json::Value::Null => Value::Null,
        json::Value::Bool(value) => Value::Bool(*value),
        json::Value::Number(text) => match serde_json::from_str::<Number>(text) {
            Ok(number) if number.to_string() == *text => Value::Number(number),
            _ => Value::String(format!("{MARK_CHAR}{NUMBER_CHAR}{text}")),
        },
        json::Value::String(text) if text.starts_with(MARK_CHAR) => {
            Value::String(format!("{MARK_CHAR}{}", &**text))
        }
        json::Value::String(text) => Value::String(text.to_string()),
        json::Value::Array(items) => Value::Array(items.iter().map(from_node).collect()),
        json::Value::Object(members) => {
            let members = members.iter().map(|(key, member)| (key.to_string(), from_node(member)));
            Value::Object(members.collect())
        }
    }
}

/// The text of a value that [`of`] or the library made.
pub(super) fn write(value: &Value) -> String {
    let mut out = String::new();
    write_into(&mut out, value);
    out
}

fn write_into(out: &mut String, value: &Value) {
    match value {
        Value::String(text) => match text.strip_prefix(MARK_CHAR) {
            Some(rest) => match rest.strip_prefix(NUMBER_CHAR) {
                Some(number) => out.push_str(number),
                None => write_string(out, rest),
            },
            None => write_string(out, text),
        },
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_into(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write_into(out, member);
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

/// `value` with the members of its objects in the order of `like`, new ones last: in the library,
/// removing a member moves others.
pub(super) fn in_order_of(value: Value, like: &Value) -> Value {
    match (value, like) {
        (Value::Object(members), Value::Object(like)) => {
            let places: HashMap<&str, usize> =
                like.keys().enumerate().map(|(place, key)| (key.as_str(), place)).collect();
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_by_key(|(key, _)| places.get(key.as_str()).copied().unwrap_or(usize::MAX));
            let ordered = members.into_iter().map(|(key, member)| match like.get(&key) {
                Some(old) => (key, in_order_of(member, old)),
                None => (key, member),
            });
            Value::Object(ordered.collect::<Map<String, Value>>())
        }
        (Value::Array(items), Value::Array(like)) => {
            let mut like = like.iter();
            let ordered = items.into_iter().map(|item| match like.next() {
                Some(old) => in_order_of(item, old),
                None => item,
            });
            Value::Array(ordered.collect())
        }
        (value, _) => value,
    }
}
