//! Brings schemas of earlier drafts, and those of programs that mix drafts up, to JSON Schema 2020-12,
//! which providers check tools against: <https://json-schema.org/draft/2020-12/schema>.
//!
//! What has a meaning in an earlier draft keeps it (<https://json-schema.org/specification> lists what
//! each draft changed); a keyword whose value means nothing is left out.

#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeSet;

use super::pattern;
use super::reference::ReferenceResolver;
use crate::json::{self, Limits, Node, ObjectText, Value};
use values::{
    bound, exclusive_bound, has_tuple, kind, lifted_names, names, names_text, number, place_of,
    size, string_text, top_type, type_name,
};

/// A schema that was brought to the present draft.
#[derive(Debug)]
pub struct CurrentSchema {
    pub text: String,
    /// The keywords that changed, in alphabetical order.
    pub keywords: BTreeSet<&'static str>,
}

/// The schema of a tool's arguments in the present draft; none if it is in it.
pub fn as_current_schema(schema: &Node<'_>) -> Option<CurrentSchema> {
    let mut writer = DraftWriter {
        root: schema,
        references: ReferenceResolver::new(schema),
        keywords: BTreeSet::new(),
    };
    let text = writer.schema(schema, "schema", true);
    let DraftWriter { keywords, .. } = writer;
    if keywords.is_empty() {
        return None;
    }
    // The schema is no longer of the draft that it names.
    let is_older = |name: &str, value: &Node<'_>| {
        name == "$schema" && !value.as_str().is_some_and(|draft| draft.contains("2020-12"))
    };
    let named = json::parse(&text, Limits::default()).ok();
    let unnamed = named.and_then(|node| json::without_members(&node, is_older));
    Some(CurrentSchema { text: unnamed.unwrap_or(text), keywords })
}

struct DraftWriter<'n, 'a> {
    root: &'n Node<'a>,
    references: ReferenceResolver<'n, 'a>,
    keywords: BTreeSet<&'static str>,
}

/// What a keyword's value becomes.
enum NewValue {
    Same,
    Text(String),
    Gone,
}

/// The form of a keyword's value in the present draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueForm {
    Type,
    Number,
    /// A whole number of at least zero.
    Size,
    Text,
    Pattern,
    Reference,
    Flag,
    Schema,
    Schemas,
    NamedSchemas,
    Items,
    Names,
    Values,
    NamedNames,
}

/// Every keyword whose value has a form, with the form.
const KEYWORDS: &[(&str, ValueForm)] = &[
    ("type", ValueForm::Type),
    ("minimum", ValueForm::Number),
    ("maximum", ValueForm::Number),
    ("exclusiveMinimum", ValueForm::Number),
    ("exclusiveMaximum", ValueForm::Number),
    ("multipleOf", ValueForm::Number),
    ("minLength", ValueForm::Size),
    ("maxLength", ValueForm::Size),
    ("minItems", ValueForm::Size),
    ("maxItems", ValueForm::Size),
    ("minProperties", ValueForm::Size),
    ("maxProperties", ValueForm::Size),
    ("minContains", ValueForm::Size),
    ("maxContains", ValueForm::Size),
    ("$id", ValueForm::Text),
    ("$schema", ValueForm::Text),
    ("$anchor", ValueForm::Text),
    ("$dynamicAnchor", ValueForm::Text),
    ("$comment", ValueForm::Text),
    ("title", ValueForm::Text),
    ("description", ValueForm::Text),
    ("format", ValueForm::Text),
    ("contentEncoding", ValueForm::Text),
    ("contentMediaType", ValueForm::Text),
    ("pattern", ValueForm::Pattern),
    ("$ref", ValueForm::Reference),
    ("$dynamicRef", ValueForm::Reference),
    ("uniqueItems", ValueForm::Flag),
    ("deprecated", ValueForm::Flag),
    ("readOnly", ValueForm::Flag),
    ("writeOnly", ValueForm::Flag),
    ("additionalProperties", ValueForm::Schema),
    ("unevaluatedProperties", ValueForm::Schema),
    ("unevaluatedItems", ValueForm::Schema),
    ("propertyNames", ValueForm::Schema),
    ("contains", ValueForm::Schema),
    ("contentSchema", ValueForm::Schema),
    ("not", ValueForm::Schema),
    ("if", ValueForm::Schema),
    ("then", ValueForm::Schema),
    ("else", ValueForm::Schema),
    ("allOf", ValueForm::Schemas),
    ("anyOf", ValueForm::Schemas),
    ("oneOf", ValueForm::Schemas),
    ("prefixItems", ValueForm::Schemas),
    ("properties", ValueForm::NamedSchemas),
    ("patternProperties", ValueForm::NamedSchemas),
    ("$defs", ValueForm::NamedSchemas),
    ("definitions", ValueForm::NamedSchemas),
    ("dependentSchemas", ValueForm::NamedSchemas),
    ("items", ValueForm::Items),
    ("additionalItems", ValueForm::Items),
    ("required", ValueForm::Names),
    ("enum", ValueForm::Values),
    ("examples", ValueForm::Values),
    ("dependentRequired", ValueForm::NamedNames),
];

impl<'n> DraftWriter<'n, '_> {
    /// A schema that is in the value of `key`. `is_top`: it is that of all arguments.
    fn schema(&mut self, node: &'n Node<'_>, key: &'static str, is_top: bool) -> String {
        let members = match &node.value {
            Value::Object(members) => members,
            Value::Bool(_) => return node.raw.to_owned(),
            other => {
                self.keywords.insert(key);
                let word = if let Value::String(word) = other { type_name(word) } else { None };
                return word.map_or("{}".to_owned(), |word| format!("{{\"type\":\"{word}\"}}"));
            }
        };
        let lifted = lifted_names(node);
        let mut out = ObjectText::default();
        for (name, value) in members {
            let known = KEYWORDS.iter().find(|(key, _)| **key == **name);
            let Some((key, form)) = known else {
                out.member(name, value.raw);
                continue;
            };
            let new = match *key {
                "type" if is_top => self.changed(key, top_type(value)),
                "required" if !lifted.is_empty() => NewValue::Gone,
                "minimum" | "maximum" => self.changed(key, bound(node, key, value)),
                "exclusiveMinimum" | "exclusiveMaximum" => {
                    self.changed(key, exclusive_bound(node, key, value))
                }
                _ => self.value(node, key, *form, value),
            };
            match new {
                NewValue::Same => out.member(key, value.raw),
                NewValue::Text(text) => out.member(place_of(node, key), &text),
                NewValue::Gone => {}
            }
        }
        if !lifted.is_empty() {
            self.keywords.insert("required");
            out.member("required", &names_text(lifted.iter().copied()));
        }
        out.finish()
    }

    /// Notes the keyword of a new value.
    fn changed(&mut self, key: &'static str, new: NewValue) -> NewValue {
        if !matches!(new, NewValue::Same) {
            self.keywords.insert(key);
        }
        new
    }

    /// The value of a keyword; `schema` is the schema that has it.
    fn value(
        &mut self,
        schema: &Node<'_>,
        key: &'static str,
        form: ValueForm,
        value: &'n Node<'_>,
    ) -> NewValue {
        match form {
            ValueForm::Schema | ValueForm::Items | ValueForm::Schemas | ValueForm::NamedSchemas => {
                return self.schemas(schema, key, form, value);
            }
            ValueForm::Reference => {
                let new = self.reference(value);
                return self.changed(key, new);
            }
            _ => {}
        }
        let keeps = |is_right: bool| if is_right { NewValue::Same } else { NewValue::Gone };
        let new = match form {
            ValueForm::Type => kind(value),
            ValueForm::Number => number(value, key == "multipleOf"),
            ValueForm::Size => size(value),
            ValueForm::Pattern => {
                keeps(value.as_str().is_some_and(|text| !pattern::is_broken(text)))
            }
            ValueForm::Flag => keeps(value.as_bool().is_some()),
            ValueForm::Names => names(value),
            ValueForm::Values => match &value.value {
                Value::Array(values) => keeps(!values.is_empty() || key != "enum"),
                Value::Null => NewValue::Gone,
                _ if key == "enum" => NewValue::Gone,
                _ => NewValue::Text(format!("[{}]", value.raw)),
            },
            ValueForm::NamedNames => keeps(value.as_object().is_some_and(|members| {
                members.iter().all(|(_, value)| matches!(names(value), NewValue::Same))
            })),
            // `$id` has no fragment; before, `#name` was what is an anchor now.
            _ if key == "$id" && value.as_str().is_some_and(|id| id.starts_with('#')) => {
                NewValue::Gone
            }
            _ => keeps(value.as_str().is_some()),
        };
        self.changed(key, new)
    }

    /// The value of a keyword that holds schemas.
    fn schemas(
        &mut self,
        schema: &Node<'_>,
        key: &'static str,
        form: ValueForm,
        value: &'n Node<'_>,
    ) -> NewValue {
        match (&value.value, form) {
            // Without a tuple, the word has no meaning any more.
            _ if key == "additionalItems" && !has_tuple(schema) => NewValue::Same,
            // A tuple of the drafts before.
            (Value::Array(schemas), ValueForm::Items) => {
                self.keywords.insert(key);
                if schemas.is_empty() || schema.get("prefixItems").is_some() {
                    return NewValue::Gone;
                }
                NewValue::Text(self.list(schemas, "items"))
            }
            (Value::Array(schemas), ValueForm::Schemas) if !schemas.is_empty() => {
                NewValue::Text(self.list(schemas, key))
            }
            (Value::Object(named), ValueForm::NamedSchemas) => {
                let mut out = ObjectText::default();
                for (name, schema) in named {
                    if key == "patternProperties" && pattern::is_broken(name) {
                        self.keywords.insert(key);
                    } else {
                        out.member(name, &self.schema(schema, key, false));
                    }
                }
                NewValue::Text(out.finish())
            }
            (Value::Object(_) | Value::Bool(_), ValueForm::Schema | ValueForm::Items) => {
                NewValue::Text(self.schema(value, key, false))
            }
            // One where a list belongs.
            (Value::Object(members), ValueForm::Schemas) if !members.is_empty() => {
                self.keywords.insert(key);
                NewValue::Text(format!("[{}]", self.schema(value, key, false)))
            }
            _ => {
                self.keywords.insert(key);
                // PHP writes an empty object as a list.
                if key == "properties" { NewValue::Text("{}".to_owned()) } else { NewValue::Gone }
            }
        }
    }

    fn list(&mut self, schemas: &'n [Node<'_>], key: &'static str) -> String {
        let schemas: Vec<String> =
            schemas.iter().map(|schema| self.schema(schema, key, false)).collect();
        format!("[{}]", schemas.join(","))
    }

    /// A reference: out if it leads nowhere, and followed into tuples, which have another place now.
    fn reference(&mut self, value: &Node<'_>) -> NewValue {
        let Some(reference) = value.as_str().filter(|text| !self.references.is_dangling(text))
        else {
            return NewValue::Gone;
        };
        if !reference.contains("/items/") {
            return NewValue::Same;
        }
        let mut node = Some(self.root);
        let mut pieces: Vec<&str> = Vec::new();
        for piece in reference.split('/') {
            let is_tuple = piece == "items"
                && node.is_some_and(|node| {
                    node.get("items").is_some_and(|own| own.as_array().is_some())
                });
            if !pieces.is_empty() {
                node = node.and_then(|node| match &node.value {
                    Value::Array(items) => items.get(piece.parse::<usize>().ok()?),
                    _ => node.get(piece),
                });
            }
            pieces.push(if is_tuple { "prefixItems" } else { piece });
        }
        let moved = pieces.join("/");
        if moved == reference { NewValue::Same } else { NewValue::Text(string_text(&moved)) }
    }
}
