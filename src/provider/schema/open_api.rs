//! Converts Gemini's schemas of tools, which are those of OpenAPI 3.0, to JSON Schema.
//!
//! Only schemas are walked: the members below `properties` are names and not keywords, and the
//! values of `default`, `enum` or `example` belong to the caller.

use crate::json::{self, InnerSchemas, Limits, Node, Value, inner_schemas, write_string};

const TYPES: [&str; 7] = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];

/// Sizes, which Gemini's API writes as strings: they have 64 bits there.
const SIZE_KEYS: [&str; 6] =
    ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

/// Keywords that are combined with the others, so that `null` needs a schema of its own next to
/// them.
const COMBINING_KEYS: [&str; 6] = ["$ref", "allOf", "oneOf", "not", "const", "if"];

/// A schema with its types in small letters, which Gemini takes as well. None: it has them.
pub(crate) fn lower_types(schema: &Node<'_>) -> Option<String> {
    written(schema, false)
}

/// A schema as every reader of JSON Schema takes it: types in small letters, `nullable` as a type,
/// sizes as numbers. None: it is one.
pub fn as_json_schema(schema: &str) -> Option<String> {
    // Most schemas have nothing of it, and are not even read; the outermost type is an object.
    let is_likely = ["\"OBJECT\"", "\"nullable\""].iter().any(|word| schema.contains(word));
    if !is_likely && !has_text_size(schema) {
        return None;
    }
    written(&json::parse(schema, Limits::default()).ok()?, true)
}

/// Whether a keyword for a size has a string as its value.
fn has_text_size(schema: &str) -> bool {
    SIZE_KEYS.iter().any(|size| {
        schema.match_indices(*size).any(|(at, _)| {
            let behind = schema.get(at + size.len()..).unwrap_or_default();
            let behind = behind.strip_prefix('"').map(str::trim_start);
            let value = behind.and_then(|behind| behind.strip_prefix(':'));
            value.is_some_and(|value| value.trim_start().starts_with('"'))
        })
    })
}

fn written(schema: &Node<'_>, fully: bool) -> Option<String> {
    let out = String::with_capacity(schema.raw.len());
    let mut writer = SchemaWriter { out, changed: false, fully };
    writer.schema(schema, true);
    writer.changed.then_some(writer.out)
}

struct SchemaWriter {
    out: String,
    changed: bool,
    /// Whether more than types is changed.
    fully: bool,
}

impl SchemaWriter {
    /// `top`: the schema of all arguments, which are an object and never null.
    fn schema(&mut self, node: &Node<'_>, top: bool) {
        let Some(members) = node.as_object() else {
            self.out.push_str(node.raw);
            return;
        };
        let nullable = node.get("nullable").and_then(Node::as_bool).filter(|_| self.fully);
        let takes_null = nullable == Some(true) && !top;
        let wraps = takes_null && COMBINING_KEYS.iter().any(|key| node.get(key).is_some());
        if wraps {
            self.out.push_str(r#"{"anyOf":["#);
        }
        self.out.push('{');
        let mut first = true;
        for (key, value) in members {
            if nullable.is_some() && key == "nullable" {
                self.changed = true;
                continue;
            }
            self.key(key, &mut first);
            self.member(key, value, takes_null && !wraps);
        }
        self.out.push('}');
        if wraps {
            self.out.push_str(r#",{"type":"null"}]}"#);
        }
    }

    /// A keyword's value; with `takes_null` it may not keep null out.
    fn member(&mut self, key: &str, value: &Node<'_>, takes_null: bool) {
        match (key, &value.value) {
            ("type", Value::String(_) | Value::Array(_)) => self.kind(value, takes_null),
            ("enum", Value::Array(values)) if takes_null && !values.iter().any(Node::is_null) => {
                let values: Vec<&str> =
                    values.iter().map(|value| value.raw).chain(["null"]).collect();
                self.out.push('[');
                self.out.push_str(&values.join(","));
                self.out.push(']');
            }
            ("anyOf", Value::Array(schemas)) => self.list(schemas, takes_null),
            // Gemini's own keyword.
            ("defs", Value::Object(_)) => self.named(value),
            (size, Value::String(text)) if self.fully && SIZE_KEYS.contains(&size) => {
                match text.parse::<u64>() {
                    Ok(number) => {
                        self.out.push_str(&number.to_string());
                        self.changed = true;
                    }
                    Err(_) => self.out.push_str(value.raw),
                }
            }
            _ => match inner_schemas(key, value) {
                Some(InnerSchemas::One) => self.schema(value, false),
                Some(InnerSchemas::List(schemas)) => self.list(schemas, false),
                Some(InnerSchemas::Named) => self.named(value),
                None => self.out.push_str(value.raw),
            },
        }
    }

    /// A type or several; with `takes_null` null is one of them.
    fn kind(&mut self, node: &Node<'_>, takes_null: bool) {
        let kinds = node.as_array().unwrap_or(std::slice::from_ref(node));
        let is_null =
            |kind: &Node<'_>| kind.as_str().is_some_and(|word| word.eq_ignore_ascii_case("null"));
        let adds_null = takes_null && !kinds.iter().any(is_null);
        let is_list = adds_null || node.as_array().is_some();
        if is_list {
            self.out.push('[');
        }
        let mut first = true;
        for kind in kinds {
            self.comma(&mut first);
            match kind.as_str().filter(|word| TYPES.contains(word)) {
                Some(word) => {
                    write_string(&mut self.out, &word.to_ascii_lowercase());
                    self.changed = true;
                }
                None => self.out.push_str(kind.raw),
            }
        }
        if adds_null {
            self.comma(&mut first);
            self.out.push_str(r#""null""#);
        }
        if is_list {
            self.out.push(']');
        }
    }

    /// Schemas by name, whatever the names are.
    fn named(&mut self, node: &Node<'_>) {
        self.out.push('{');
        let mut first = true;
        for (name, schema) in node.as_object().into_iter().flatten() {
            self.key(name, &mut first);
            self.schema(schema, false);
        }
        self.out.push('}');
    }

    fn list(&mut self, schemas: &[Node<'_>], takes_null: bool) {
        self.out.push('[');
        let mut first = true;
        for schema in schemas {
            self.comma(&mut first);
            self.schema(schema, false);
        }
        if takes_null {
            self.comma(&mut first);
            self.out.push_str(r#"{"type":"null"}"#);
        }
        self.out.push(']');
    }

    fn key(&mut self, key: &str, first: &mut bool) {
        self.comma(first);
        write_string(&mut self.out, key);
        self.out.push(':');
    }

    fn comma(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.out.push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(schema: &str) -> String {
        as_json_schema(schema).unwrap_or_else(|| schema.to_owned())
    }

    /// The property `p` of an object.
    fn property(schema: &str) -> String {
        let whole = plain(&format!(r#"{{"type":"OBJECT","properties":{{"p":{schema}}}}}"#));
        let start = r#"{"type":"object","properties":{"p":"#;
        whole.strip_prefix(start).unwrap().strip_suffix("}}").unwrap().to_owned()
    }

    #[test]
    fn a_property_may_be_called_like_a_keyword() {
        for name in ["default", "enum", "example", "const", "type", "properties", "nullable"] {
            let before = format!(
                r#"{{"type":"OBJECT","properties":{{"{name}":{{"type":"STRING"}}}},"required":["{name}"]}}"#
            );
            let after = before.replace("OBJECT", "object").replace("STRING", "string");
            assert_eq!(plain(&before), after);
            let node = json::parse(&before, Limits::default()).unwrap();
            assert_eq!(lower_types(&node).as_deref(), Some(after.as_str()));
        }
    }

    #[test]
    fn values_are_no_schemas() {
        for value in [
            r#"{"type":"string","default":{"type":"STRING","minLength":"1"}}"#,
            r#"{"type":"string","enum":["STRING"],"example":{"nullable":true}}"#,
            r#"{"type":"string","const":{"type":"STRING"}}"#,
        ] {
            assert_eq!(property(value), value);
        }
    }

    #[test]
    fn nullable_is_a_type_like_others() {
        for (before, after) in [
            (r#"{"type":"STRING","nullable":true}"#, r#"{"type":["string","null"]}"#),
            (r#"{"nullable":true,"type":["string","null"]}"#, r#"{"type":["string","null"]}"#),
            (r#"{"type":"STRING","nullable":false}"#, r#"{"type":"string"}"#),
            (
                r#"{"type":"STRING","enum":["a"],"nullable":true}"#,
                r#"{"type":["string","null"],"enum":["a",null]}"#,
            ),
            (
                r#"{"anyOf":[{"type":"STRING"}],"nullable":true}"#,
                r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
            ),
            (
                r##"{"$ref":"#/$defs/a","nullable":true}"##,
                r##"{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}"##,
            ),
            (r#"{"nullable":true}"#, "{}"),
            (
                r#"{"type":"ARRAY","items":{"type":"NUMBER","nullable":true}}"#,
                r#"{"type":"array","items":{"type":["number","null"]}}"#,
            ),
        ] {
            assert_eq!(property(before), after);
        }
        assert_eq!(plain(r#"{"type":"object","nullable":true}"#), r#"{"type":"object"}"#);
    }

    #[test]
    fn sizes_are_numbers() {
        let before = r#"{"type":"ARRAY","minItems":"1","maxItems": "20","items":{"type":"STRING","maxLength":"many"}}"#;
        let after = r#"{"type":"array","minItems":1,"maxItems":20,"items":{"type":"string","maxLength":"many"}}"#;
        assert_eq!(property(before), after);
        let small = r#"{"type":"object","minProperties" : "2"}"#;
        assert_eq!(plain(small), r#"{"type":"object","minProperties":2}"#);
    }

    #[test]
    fn what_is_json_schema_keeps_its_bytes_and_gemini_its_words() {
        let schema =
            r#"{"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}}"#;
        assert_eq!(as_json_schema(schema), None);
        let own = r#"{"type":"string","nullable":true,"minLength":"1"}"#;
        assert_eq!(lower_types(&json::parse(own, Limits::default()).unwrap()), None);
    }
}
