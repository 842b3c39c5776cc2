//! Whether a schema is one of those that a provider takes with `strict`.
//!
//! Each provider has a subset of its own, and refuses a strict tool with any other schema:
//! <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>,
//! <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::domain::Target;
use crate::json::{self, Limits, Node, schemas_in};

/// Keywords that both providers take.
const COMMON: &[&str] = &[
    "$comment",
    "$defs",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "anyOf",
    "const",
    "definitions",
    "description",
    "enum",
    "format",
    "items",
    "minItems",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];
const ANTHROPIC: &[&str] = &["allOf", "default"];
const OPENAI: &[&str] =
    &["exclusiveMaximum", "exclusiveMinimum", "maxItems", "maximum", "minimum", "multipleOf"];

const COMMON_FORMATS: &[&str] =
    &["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"];

/// Definitions of a strict schema. Providers take fewer.
const MAX_DEFINITIONS: usize = 256;

/// Why a schema is none that the target takes with `strict`; none if it is.
pub(crate) fn strict_misfit(schema: &str, target: Target) -> Option<String> {
    let Ok(root) = json::parse(schema, Limits::default()) else {
        return Some("it cannot be read".to_owned());
    };
    let check = StrictCheck { root: &root, target };
    if let Err(found) = check.schema(&root) {
        return Some(found);
    }
    let counts = ["$defs", "definitions"].map(|key| root.get(key)?.as_object().map(Vec::len));
    if counts.into_iter().flatten().sum::<usize>() > MAX_DEFINITIONS {
        return Some(format!("more than {MAX_DEFINITIONS} definitions"));
    }
    (target == Target::Anthropic && check.is_recursive())
        .then(|| "a schema that contains itself".to_owned())
}

struct StrictCheck<'n, 'a> {
    root: &'n Node<'a>,
    target: Target,
}

impl StrictCheck<'_, '_> {
    fn schema(&self, schema: &Node<'_>) -> Result<(), String> {
        let Some(members) = schema.as_object() else {
            return Err("a schema that is true or false".to_owned());
        };
        let own = if self.target == Target::Anthropic { ANTHROPIC } else { OPENAI };
        for (key, value) in members {
            if !COMMON.contains(&&**key) && !own.contains(&&**key) {
                return Err(format!("`{key}`"));
            }
            self.keyword(key, value)?;
        }
        self.object(schema)?;
        if self.target != Target::Anthropic {
            self.node(schema)?;
        }
        for (key, value) in members.iter().filter(|(key, _)| key != "additionalProperties") {
            schemas_in(key, value).try_for_each(|schema| self.schema(schema))?;
        }
        Ok(())
    }

    fn keyword(&self, key: &str, value: &Node<'_>) -> Result<(), String> {
        let is_anthropic = self.target == Target::Anthropic;
        let is_right = match key {
            "format" => value.as_str().is_some_and(|format| {
                COMMON_FORMATS.contains(&format) || (is_anthropic && format == "uri")
            }),
            "minItems" => !is_anthropic || value.as_u64().is_some_and(|number| number <= 1),
            "enum" => {
                let values = value.as_array().unwrap_or_default();
                values.iter().all(|one| one.as_array().is_none() && one.as_object().is_none())
            }
            // "`allOf` with `$ref` not supported".
            "allOf" => {
                let schemas = value.as_array().unwrap_or_default();
                schemas.iter().all(|schema| schema.get("$ref").is_none())
            }
            "pattern" => !is_anthropic || value.as_str().is_some_and(is_simple_pattern),
            "$ref" => value.as_str().is_some_and(|to| to.starts_with('#')),
            "additionalProperties" => value.as_bool() == Some(false),
            _ => true,
        };
        if is_right { Ok(()) } else { Err(format!("`{key}: {}`", cut(value.raw))) }
    }

    /// The rules for objects: no further properties, and for `OpenAI` no property that may be absent.
    fn object(&self, schema: &Node<'_>) -> Result<(), String> {
        let is_object = |kind: &Node<'_>| kind.as_str() == Some("object");
        let has_kind = schema.get("type").is_some_and(|kind| {
            is_object(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_object))
        });
        let properties = schema.get("properties").and_then(Node::as_object);
        if !has_kind && properties.is_none() {
            return Ok(());
        }
        if schema.get("additionalProperties").is_none() {
            return Err("an object without `additionalProperties: false`".to_owned());
        }
        if self.target == Target::Anthropic {
            return Ok(());
        }
        let required = schema.get("required").and_then(Node::as_array).unwrap_or_default();
        let required: HashSet<&str> = required.iter().filter_map(Node::as_str).collect();
        let mut names = properties.into_iter().flatten().map(|(name, _)| &**name);
        match names.find(|name| !required.contains(name)) {
            Some(name) => Err(format!("`{}` is not required", cut(name))),
            None => Ok(()),
        }
    }

    /// The rules of `OpenAI` for every schema: it has a type, and a reference has no members next to it.
    fn node(&self, schema: &Node<'_>) -> Result<(), String> {
        if schema.get("$ref").is_some() {
            let is_alone = schema.as_object().is_none_or(|members| {
                members.iter().all(|(key, _)| key.starts_with('$') || key == "definitions")
            });
            let is_root = std::ptr::eq(schema.raw.as_ptr(), self.root.raw.as_ptr());
            return if is_alone || is_root {
                Ok(())
            } else {
                Err("members next to `$ref`".to_owned())
            };
        }
        let says = ["type", "anyOf", "enum", "const"];
        if says.into_iter().any(|key| schema.get(key).is_some()) {
            return Ok(());
        }
        Err("a schema without a type".to_owned())
    }

    /// Whether a definition leads back to itself, which Anthropic refuses.
    fn is_recursive(&self) -> bool {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut whole = BTreeSet::new();
        add_references(self.root, &mut whole);
        if whole.contains("#") {
            return true;
        }
        for key in ["$defs", "definitions"] {
            let named = self.root.get(key).and_then(Node::as_object);
            for (name, schema) in named.into_iter().flatten() {
                let mut own = BTreeSet::new();
                add_references(schema, &mut own);
                uses.insert(format!("#/{key}/{name}"), own);
            }
        }
        // What needs nothing that is left is no part of a cycle.
        loop {
            let left = uses.len();
            let names: BTreeSet<String> = uses.keys().cloned().collect();
            uses.retain(|_, own| own.iter().any(|name| names.contains(name)));
            if uses.len() == left {
                return left > 0;
            }
        }
    }
}

/// Adds every reference in a schema.
fn add_references(schema: &Node<'_>, found: &mut BTreeSet<String>) {
    for (key, value) in schema.as_object().into_iter().flatten() {
        if key == "$ref" {
            found.extend(value.as_str().map(str::to_owned));
        }
        for schema in schemas_in(key, value) {
            add_references(schema, found);
        }
    }
}

/// Whether a pattern has none of what Anthropic lists as not supported.
fn is_simple_pattern(pattern: &str) -> bool {
    let refused = ["(?=", "(?!", "(?<=", "(?<!", "\\b", "\\B"];
    let refers_back = pattern
        .match_indices('\\')
        .filter_map(|(at, _)| pattern.as_bytes().get(at + 1))
        .any(u8::is_ascii_digit);
    !refers_back && !refused.iter().any(|piece| pattern.contains(piece))
}

/// The beginning of a text for a note.
fn cut(text: &str) -> &str {
    const MAX_BYTES: usize = 60;
    json::cut(text, MAX_BYTES)
}
