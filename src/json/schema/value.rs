//! Values of a schema, and of what is checked against it: their types, whether they are equal, and how
//! they are quoted.

use serde_json::{Number, Value};

use crate::json::{cut, write_string};

/// Bytes of a value of the schema that a reason quotes.
pub(super) const MAX_QUOTE_BYTES: usize = 200;

/// The beginning of a value as JSON. What is not shown is not written.
pub(super) fn quote(value: &Value) -> String {
    let mut out = String::new();
    write_quote(&mut out, value);
    if out.len() > MAX_QUOTE_BYTES {
        out.truncate(cut(&out, MAX_QUOTE_BYTES).len());
        out.push('…');
    }
    out
}

/// Writes until there is more than is shown.
fn write_quote(out: &mut String, value: &Value) {
    match value {
        Value::String(text) => write_string(out, cut(text, MAX_QUOTE_BYTES)),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if out.len() > MAX_QUOTE_BYTES {
                    return;
                }
                out.push_str(if at > 0 { "," } else { "" });
                write_quote(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (name, member)) in members.iter().enumerate() {
                if out.len() > MAX_QUOTE_BYTES {
                    return;
                }
                out.push_str(if at > 0 { "," } else { "" });
                write_string(out, cut(name, MAX_QUOTE_BYTES));
                out.push(':');
                write_quote(out, member);
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

/// Whether two values are the same: 1 and 1.0 are, and members in any order. Adds to `cost` what it
/// looks at.
pub(super) fn is_equal(a: &Value, b: &Value, cost: &mut usize) -> bool {
    *cost = cost.saturating_add(1);
    match (a, b) {
        (Value::Number(one), Value::Number(other)) => {
            // Both whole, or both not: how they are written says all.
            let is_whole = |number: &Number| !number.is_f64();
            if is_whole(one) == is_whole(other) { one == other } else { key(a) == key(b) }
        }
        (Value::String(a), Value::String(b)) => {
            *cost = cost.saturating_add(if a.len() == b.len() { a.len() } else { 0 });
            a == b
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b, cost))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut same = |(name, own): (&String, &Value)| {
                *cost = cost.saturating_add(name.len());
                b.get(name).is_some_and(|b| is_equal(own, b, cost))
            };
            a.len() == b.len() && a.iter().all(&mut same)
        }
        _ => a == b,
    }
}

/// A text that is the same for values that are: 1 and 1.0, and members in any order.
pub(super) fn key(value: &Value) -> String {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if !number.is_i64() && !number.is_u64() && float.fract() == 0.0 => {
                format!("{float:.0}")
            }
            _ => number.to_string(),
        },
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(key).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), key(value)))
                .collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}

/// Whether a value is of a type of JSON Schema.
pub(super) fn is_of(kind: &str, value: &Value) -> bool {
    match (kind, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("object", Value::Object(_))
        | ("array", Value::Array(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_)) => true,
        ("integer", Value::Number(number)) => {
            number.is_i64()
                || number.is_u64()
                || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
