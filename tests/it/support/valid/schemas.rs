//! Schemas of tools: JSON Schema 2020-12 (<https://json-schema.org/draft/2020-12/schema>), and the parts
//! of it that providers take with `strict`.

use serde_json::Value;

use super::{Verdict, ensure};

const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
const NAMED: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
const SINGLE: [&str; 4] = ["items", "additionalProperties", "not", "contains"];

/// Checks a schema and all schemas in it.
pub(super) fn each(schema: &Value, check: &mut dyn FnMut(&Value) -> Verdict) -> Verdict {
    if schema.is_boolean() {
        return Ok(());
    }
    check(schema)?;
    for (key, value) in schema.as_object().into_iter().flatten() {
        let inner: Vec<&Value> = if LISTS.contains(&key.as_str()) {
            value.as_array().into_iter().flatten().collect()
        } else if NAMED.contains(&key.as_str()) {
            value.as_object().into_iter().flat_map(serde_json::Map::values).collect()
        } else if SINGLE.contains(&key.as_str()) {
            vec![value]
        } else {
            Vec::new()
        };
        for inner in inner {
            each(inner, check)?;
        }
    }
    Ok(())
}

/// "JSON schema is invalid. It must match JSON Schema draft 2020-12", as the Messages API answers.
pub(super) fn current(root: &Value, at: &str) -> Verdict {
    each(root, &mut |schema| {
        ensure(schema.is_object(), at, "a schema must be an object or a boolean")?;
        for (key, value) in schema.as_object().into_iter().flatten() {
            ensure(is_current(root, key, value), at, &format!("no such value of {key}: {value}"))?;
        }
        Ok(())
    })
}

fn is_current(root: &Value, key: &str, value: &Value) -> bool {
    const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
    let is_type = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    match key {
        "type" => match value {
            Value::Array(kinds) => {
                !kinds.is_empty()
                    && kinds.iter().all(is_type)
                    && kinds.iter().enumerate().all(|(at, kind)| !kinds[..at].contains(kind))
            }
            kind => is_type(kind),
        },
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|number| number > 0.0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        "title" | "description" | "format" | "$schema" | "$comment" => value.is_string(),
        "pattern" => value
            .as_str()
            .is_some_and(|text| text.matches('[').count() <= text.matches(']').count()),
        "required" => value.as_array().is_some_and(|names| {
            names
                .iter()
                .enumerate()
                .all(|(at, name)| name.is_string() && !names[..at].contains(name))
        }),
        "enum" => value.is_array(),
        "uniqueItems" => value.is_boolean(),
        "items" | "additionalProperties" | "not" | "contains" => {
            value.is_object() || value.is_boolean()
        }
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
            value.as_array().is_some_and(|schemas| !schemas.is_empty())
        }
        "properties" | "patternProperties" | "$defs" | "definitions" => value.is_object(),
        "$ref" => value.as_str().is_some_and(|reference| {
            let inside = reference.strip_prefix('#');
            inside.is_some_and(|inside| root.pointer(inside).is_some())
        }),
        _ => true,
    }
}

/// The rules of strict tools, of `OpenAI` or of Anthropic:
/// <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>,
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>.
pub(super) fn strict(schema: &Value, is_openai: bool, at: &str) -> Verdict {
    const BOUNDS: [&str; 6] =
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxItems"];
    const LENGTHS: [&str; 3] = ["minLength", "maxLength", "uniqueItems"];
    each(schema, &mut |schema| {
        let has = |key: &&str| schema.get(*key).is_some();
        ensure(!LENGTHS.iter().any(has), at, "strict: no lengths")?;
        ensure(is_openai || !BOUNDS.iter().any(has), at, "strict: no bounds")?;
        let least = schema["minItems"].as_u64().unwrap_or_default();
        ensure(is_openai || least <= 1, at, "strict: minItems is 0 or 1")?;
        ensure(!is_openai || schema["format"] != "uri", at, "strict: no such format")?;
        ensure(!is_openai || schema.get("default").is_none(), at, "strict: no default")?;
        let none = serde_json::Map::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        if properties.is_some() || schema["type"] == "object" {
            let properties = properties.unwrap_or(&none);
            let is_closed = schema.get("additionalProperties") == Some(&false.into());
            ensure(is_closed, at, "strict: additionalProperties must be false")?;
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let is_required = |name: &String| required.contains(&name.as_str().into());
            let is_whole = !is_openai || properties.keys().all(is_required);
            ensure(is_whole, at, "strict: every property is required")?;
        }
        Ok(())
    })
}
