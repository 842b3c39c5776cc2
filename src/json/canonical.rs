//! One text for values that are the same.

use super::{Node, Value, write_string};

/// Appends a value in a form that does not depend on white space, on how strings are escaped, on
/// the order of members, or on members that are null: a client that reads an answer and writes
/// it again changes these and nothing else.
pub fn canonical(out: &mut String, node: &Node<'_>) {
    write(out, node, false);
}

/// Like [`canonical`], but a member that is null stays: what a signature or a digest covers is
/// distinguished from what is absent.
pub fn canonical_with_nulls(out: &mut String, node: &Node<'_>) {
    write(out, node, true);
}

fn write(out: &mut String, node: &Node<'_>, nulls: bool) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(text) => out.push_str(text),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, item, nulls);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().filter(|(_, member)| nulls || !member.is_null()).collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            out.push('{');
            for (index, (key, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write(out, member, nulls);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    #[test]
    fn what_a_client_may_write_otherwise_makes_no_difference() {
        let form = |text: &str| {
            let mut out = String::new();
            canonical(&mut out, &parse(text, Limits::default()).unwrap());
            out
        };
        let one = form("{\"b\": [1.50, \"\\u00e9\\/\"], \"a\": {\"x\": null, \"y\": true}}");
        assert_eq!(one, "{\"a\":{\"y\":true},\"b\":[1.50,\"é/\"]}");
        assert_eq!(one, form("{\"a\":{\"y\":true},\"b\":[1.50,\"é/\"],\"c\":null}"));
        assert_ne!(one, form("{\"a\":{\"y\":true},\"b\":[\"é/\",1.50]}"));
    }
}
