//! Validators of payloads, one a provider, from the providers' public API references.
//!
//! They know nothing of the writers: they take a payload as JSON and answer with the first
//! rule that it breaks. Stricter than the SDKs' types, which say nothing of order and pairs.

pub(crate) mod anthropic;
mod caching;
pub(crate) mod gemini;
pub(crate) mod openai;
pub(crate) mod responses;
mod schemas;

#[cfg(test)]
mod broken;
#[cfg(test)]
mod property;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

pub(crate) type Verdict = Result<(), String>;

/// The verdict on a payload of the target called `target`.
pub(crate) fn check(target: &str, payload: &Value) -> Verdict {
    match target {
        "openai" => openai::check(payload),
        "openai_responses" => responses::check(payload),
        "anthropic" => anthropic::check(payload),
        "gemini" => gemini::check(payload),
        "neutral" => Ok(()),
        other => Err(format!("unknown target {other}")),
    }
}

fn ensure(holds: bool, at: &str, rule: &str) -> Verdict {
    if holds { Ok(()) } else { Err(format!("{at}: {rule}")) }
}

fn object<'v>(value: &'v Value, at: &str) -> Result<&'v Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("{at}: must be an object"))
}

fn array<'v>(value: &'v Value, at: &str) -> Result<&'v [Value], String> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| format!("{at}: must be an array"))
}

fn string<'v>(value: &'v Value, at: &str) -> Result<&'v str, String> {
    value.as_str().ok_or_else(|| format!("{at}: must be a string"))
}

fn only(map: &Map<String, Value>, known: &[&str], at: &str) -> Verdict {
    match map.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("{at}: unknown key {key}")),
        None => Ok(()),
    }
}

/// A name of 1 to `longest` letters, digits, `_` and `-`.
fn is_name(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

fn base64(value: &Value, at: &str) -> Verdict {
    let text = string(value, at)?;
    ensure(!text.is_empty() && STANDARD.decode(text).is_ok(), at, "must be base64")
}

/// A data URI with valid base64; its media type.
fn data_uri<'v>(text: &'v str, at: &str) -> Result<&'v str, String> {
    let rest = text.strip_prefix("data:").ok_or_else(|| format!("{at}: must be a data URI"))?;
    let (kind, data) =
        rest.split_once(";base64,").ok_or_else(|| format!("{at}: must be base64"))?;
    ensure(!data.is_empty() && STANDARD.decode(data).is_ok(), at, "must be base64")?;
    ensure(kind.contains('/') && !kind.contains('*'), at, "must name its media type")?;
    Ok(kind)
}

fn is_web(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// A tool's schema: an object whose outermost type is `object`, without unions there. Both providers
/// answer that they take none: <https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes>
/// and <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>.
fn schema(value: &Value, at: &str) -> Verdict {
    let map = object(value, at)?;
    ensure(map.get("type") == Some(&"object".into()), at, "type must be object")?;
    let union = ["anyOf", "oneOf", "allOf"].into_iter().find(|key| map.contains_key(*key));
    ensure(union.is_none(), at, "no union at the top of a schema")?;
    schemas::current(value, at)
}

/// Every array of a schema has `items`: `OpenAI` answers "array schema missing items".
fn arrays_have_items(schema: &Value, at: &str) -> Verdict {
    let Some(map) = schema.as_object() else { return Ok(()) };
    let is_array = |kind: &Value| {
        kind == "array"
            || kind.as_array().is_some_and(|kinds| kinds.iter().any(|one| one == "array"))
    };
    let has = map.contains_key("items");
    ensure(has || !map.get("type").is_some_and(is_array), at, "array schema missing items")?;
    for key in ["properties", "$defs", "definitions"] {
        for inner in map.get(key).and_then(Value::as_object).into_iter().flat_map(Map::values) {
            arrays_have_items(inner, at)?;
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        for inner in map.get(key).and_then(Value::as_array).into_iter().flatten() {
            arrays_have_items(inner, at)?;
        }
    }
    map.get("items").map_or(Ok(()), |items| arrays_have_items(items, at))
}

/// An image of a type that `OpenAI` and Anthropic take:
/// <https://platform.openai.com/docs/guides/images-vision>,
/// <https://platform.claude.com/docs/en/build-with-claude/vision>.
fn image_uri(url: &str, at: &str) -> Verdict {
    const KNOWN: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
    ensure(KNOWN.contains(&data_uri(url, at)?), at, "must be a JPEG, PNG, GIF or WebP")
}
