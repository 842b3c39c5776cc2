//! Schemas of tools: what providers ask of the outermost object, and Gemini's capital types.

use crate::json::{self, Node, Value, write_string};

/// Adds what the outermost object of a schema must have and lacks: `type`, and `properties`
/// where asked for. What is no object at all becomes the empty schema. None: nothing lacks.
pub(super) fn complete(schema: &str, properties: bool) -> Option<String> {
    let node = json::parse(schema, json::Limits::default()).ok();
    let Some(members) = node.as_ref().and_then(Node::as_object) else {
        return Some(r#"{"type":"object","properties":{}}"#.to_owned());
    };
    let has = |name: &str| members.iter().any(|(key, _)| key == name);
    let mut head = String::from("{");
    if !has("type") {
        head.push_str(r#""type":"object","#);
    }
    if properties && !has("properties") {
        head.push_str(r#""properties":{},"#);
    }
    if head.len() == 1 {
        return None;
    }
    if members.is_empty() {
        head.pop();
    }
    let rest = schema.trim_start().strip_prefix('{').unwrap_or_default();
    Some(head + rest)
}

/// A schema with Gemini's `STRING`, `OBJECT`, … as JSON Schema writes them. None: it has none.
pub(super) fn lower_types(schema: &str) -> Option<String> {
    // The outermost type is an object, so most schemas are not even read.
    if !schema.contains("\"OBJECT\"") {
        return None;
    }
    let node = json::parse(schema, json::Limits::default()).ok()?;
    let mut out = String::with_capacity(schema.len());
    let mut changed = false;
    lower(&mut out, &node, &mut changed);
    changed.then_some(out)
}

fn lower(out: &mut String, node: &Node<'_>, changed: &mut bool) {
    match &node.value {
        Value::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(out, name);
                out.push(':');
                match value.as_str() {
                    Some(kind) if name == "type" && is_capital_type(kind) => {
                        write_string(out, &kind.to_ascii_lowercase());
                        *changed = true;
                    }
                    // Values of the caller's, not schemas.
                    _ if matches!(&**name, "default" | "enum" | "example") => {
                        out.push_str(value.raw);
                    }
                    _ => lower(out, value, changed),
                }
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                lower(out, item, changed);
            }
            out.push(']');
        }
        _ => out.push_str(node.raw),
    }
}

fn is_capital_type(text: &str) -> bool {
    ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"].contains(&text)
}
