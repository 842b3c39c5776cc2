//! Minifies a tool's schema: removes white space, `$schema`, titles that repeat the name next to
//! them, and keywords with their default value. It accepts exactly what it accepted before.

use crate::json::{self, InnerSchemas, Limits, Node, inner_schemas, minify, write_string};

/// The minified schema; none if nothing can be removed.
pub(super) fn schema(tool: &str, raw: &str) -> Option<String> {
    let node = json::parse(raw, Limits::default()).ok()?;
    let mut out = String::with_capacity(raw.len());
    // There `additionalProperties: true` does say something.
    let evaluates = raw.contains("unevaluatedProperties");
    Writer { out: &mut out, evaluates }.schema(&node, Some(tool));
    (out.len() < raw.len()).then_some(out)
}

struct Writer<'o> {
    out: &'o mut String,
    evaluates: bool,
}

impl Writer<'_> {
    /// `name`: what the schema is the schema of.
    fn schema(&mut self, node: &Node<'_>, name: Option<&str>) {
        let Some(members) = node.as_object() else { return self.value(node) };
        self.out.push('{');
        let mut first = true;
        for (key, value) in members {
            if self.says_nothing(key, value, name) {
                continue;
            }
            self.key(key, &mut first);
            match inner_schemas(key, value) {
                Some(InnerSchemas::One) => self.schema(value, None),
                Some(InnerSchemas::List(schemas)) => self.list(schemas),
                Some(InnerSchemas::Named) => self.named(value),
                None => self.value(value),
            }
        }
        self.out.push('}');
    }

    /// Schemas by name.
    fn named(&mut self, node: &Node<'_>) {
        self.out.push('{');
        let mut first = true;
        for (name, schema) in node.as_object().into_iter().flatten() {
            self.key(name, &mut first);
            self.schema(schema, Some(name));
        }
        self.out.push('}');
    }

    fn list(&mut self, schemas: &[Node<'_>]) {
        self.out.push('[');
        for (at, schema) in schemas.iter().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            self.schema(schema, None);
        }
        self.out.push(']');
    }

    fn key(&mut self, key: &str, first: &mut bool) {
        if !std::mem::take(first) {
            self.out.push(',');
        }
        write_string(self.out, key);
        self.out.push(':');
    }

    fn value(&mut self, node: &Node<'_>) {
        self.out.push_str(&minify(node.raw));
    }

    fn says_nothing(&self, key: &str, value: &Node<'_>, name: Option<&str>) -> bool {
        match key {
            "$schema" | "$comment" => value.as_str().is_some(),
            "title" => match (value.as_str(), name) {
                (Some(title), Some(name)) => letters(title) == letters(name),
                _ => false,
            },
            "description" => value.as_str().is_some_and(|text| text.trim().is_empty()),
            "required" => value.as_array().is_some_and(<[_]>::is_empty),
            "additionalProperties" => value.as_bool() == Some(true) && !self.evaluates,
            "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => {
                value.as_bool() == Some(false)
            }
            "minItems" | "minLength" | "minProperties" => value.as_u64() == Some(0),
            _ => false,
        }
    }
}

/// A name without what a title changes of it.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_goes_and_all_else_stays() {
        let raw = r#"{
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ReadFile",
            "type": "object", "additionalProperties": true,
            "properties": {
                "file_path": {"title": "File Path", "type": "string", "minLength": 0},
                "title": {"title": "A heading", "type": "string", "default": {"title": "Title"}},
                "rows": {"type": "array", "items": {"type": "number", "minimum": 1.50}, "description": " "}
            },
            "required": []
        }"#;
        assert_eq!(
            schema("read_file", raw).as_deref(),
            Some(
                r#"{"type":"object","properties":{"file_path":{"type":"string"},"title":{"title":"A heading","type":"string","default":{"title":"Title"}},"rows":{"type":"array","items":{"type":"number","minimum":1.50}}}}"#
            )
        );
        assert_eq!(schema("a", r#"{"type":"object"}"#), None);
        let open = r#"{"additionalProperties":true,"unevaluatedProperties":false}"#;
        assert_eq!(schema("a", open), None);
    }
}
