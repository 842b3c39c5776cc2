//! `generateContent`: `systemInstruction`, `contents` and `tools`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{Verdict, array, base64, caching, ensure, object, only, schemas, string};

/// The members of a part of which exactly one says what it holds.
const DATA: &[&str] = &[
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];

pub(crate) fn check(payload: &Value) -> Verdict {
    let payload = object(payload, "payload")?;
    only(payload, &["systemInstruction", "contents", "tools", "cachedContent"], "payload")?;
    caching::stored_content(payload)?;
    if let Some(system) = payload.get("systemInstruction") {
        let system = object(system, "systemInstruction")?;
        let parts = array(system.get("parts").unwrap_or(&Value::Null), "systemInstruction")?;
        ensure(!parts.is_empty(), "systemInstruction", "must not be empty")?;
        for part in parts {
            ensure(kind(part, "systemInstruction")? == "text", "systemInstruction", "text only")?;
        }
    }
    let contents = array(payload.get("contents").unwrap_or(&Value::Null), "contents")?;
    ensure(!contents.is_empty(), "contents", "must not be empty")?;
    let mut called: Vec<(&str, Option<&Value>)> = Vec::new();
    let mut before = "model";
    for (index, content) in contents.iter().enumerate() {
        let at = format!("contents[{index}]");
        let content = object(content, &at)?;
        only(content, &["role", "parts"], &at)?;
        let parts = array(content.get("parts").unwrap_or(&Value::Null), &at)?;
        ensure(!parts.is_empty(), &at, "parts must not be empty")?;
        let answered = named(parts, "functionResponse", &at)?;
        // Newer models refuse anything beside a response, and take the user's words behind it:
        // <https://github.com/BerriAI/litellm/issues/35236>.
        let alone = answered.is_empty() || answered.len() == parts.len();
        ensure(alone, &at, "responses are a content of their own")?;
        let role = string(content.get("role").unwrap_or(&Value::Null), &at)?;
        ensure(matches!(role, "user" | "model"), &at, "unknown role")?;
        ensure(role != before, &at, "roles must alternate")?;
        before = if answered.is_empty() { role } else { "responses" };
        let calls = named(parts, "functionCall", &at)?;
        ensure(role == "user" || answered.is_empty(), &at, "a model answers no call")?;
        ensure(role == "model" || calls.is_empty(), &at, "only a model calls")?;
        if role == "user" || !called.is_empty() {
            ensure(answered == called, &at, "one response a call, same names, ids and order")?;
        }
        called = calls;
    }
    ensure(called.is_empty(), "contents", "ends with unanswered calls")?;
    payload.get("tools").map_or(Ok(()), tools)
}

/// Names and ids of the calls or responses among parts; checks every part on the way.
fn named<'v>(
    parts: &'v [Value],
    wanted: &str,
    at: &str,
) -> Result<Vec<(&'v str, Option<&'v Value>)>, String> {
    let mut found = Vec::new();
    for part in parts {
        if kind(part, at)? == wanted {
            let inner = object(&part[wanted], at)?;
            let name = string(inner.get("name").unwrap_or(&Value::Null), at)?;
            found.push((name, inner.get("id")));
        }
    }
    Ok(found)
}

/// Checks one part; the member that says what it holds.
fn kind<'v>(part: &'v Value, at: &str) -> Result<&'v str, String> {
    let map = object(part, at)?;
    let mut kinds = map.keys().filter(|key| DATA.contains(&key.as_str()));
    let (Some(kind), None) = (kinds.next(), kinds.next()) else {
        return Err(format!("{at}: a part holds exactly one thing"));
    };
    data(kind, map, at)?;
    Ok(kind)
}

fn data(kind: &str, map: &Map<String, Value>, at: &str) -> Verdict {
    let value = map.get(kind).unwrap_or(&Value::Null);
    if kind == "text" {
        let signed = map.get("thoughtSignature").is_some();
        return ensure(signed || !string(value, at)?.is_empty(), at, "text must not be empty");
    }
    let inner = object(value, at)?;
    let text = |key: &str| string(inner.get(key).unwrap_or(&Value::Null), at);
    match kind {
        "functionCall" => {
            only(inner, &["id", "name", "args"], at)?;
            ensure(is_name(text("name")?), at, "function name")?;
            object(inner.get("args").unwrap_or(&Value::Null), at).map(drop)
        }
        "functionResponse" => {
            only(inner, &["id", "name", "response", "parts"], at)?;
            ensure(is_name(text("name")?), at, "function name")?;
            object(inner.get("response").unwrap_or(&Value::Null), at).map(drop)
        }
        "inlineData" => {
            media_type(text("mimeType")?, at)?;
            base64(inner.get("data").unwrap_or(&Value::Null), at)
        }
        "fileData" => {
            ensure(!text("mimeType")?.contains('*'), at, "must name its media type")?;
            ensure(text("fileUri")?.contains("://"), at, "must be an address")
        }
        _ => Ok(()),
    }
}

/// <https://ai.google.dev/gemini-api/docs/image-understanding#supported-formats>
fn media_type(kind: &str, at: &str) -> Verdict {
    const IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
    ensure(!kind.contains('*'), at, "must name its media type")?;
    ensure(!kind.starts_with("image/") || IMAGES.contains(&kind), at, "an image of a known type")
}

/// Gemini answers "required[0]: property is not defined".
fn required_is_defined(schema: &Value, at: &str) -> Verdict {
    let Some(map) = schema.as_object() else { return Ok(()) };
    let properties = map.get("properties").and_then(Value::as_object);
    for name in map.get("required").and_then(Value::as_array).into_iter().flatten() {
        let is_known = name
            .as_str()
            .is_some_and(|name| properties.is_some_and(|properties| properties.contains_key(name)));
        ensure(is_known, at, "a required property is not defined")?;
    }
    properties
        .into_iter()
        .flat_map(Map::values)
        .try_for_each(|inner| required_is_defined(inner, at))
}

/// Rules of `parametersJsonSchema`: <https://ai.google.dev/api/generate-content#generationconfig>, and
/// what the API says of references (<https://github.com/anomalyco/opencode/issues/12295>).
fn json_schema(schema: &Value, at: &str) -> Verdict {
    schemas::each(schema, &mut |schema| {
        let map = object(schema, at)?;
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            let is_definition = reference == "#"
                || reference.strip_prefix("#/$defs/").is_some_and(|name| !name.contains('/'));
            ensure(is_definition, at, "a reference leads to a definition")?;
            let stays =
                |key: &String| key.starts_with('$') || key == "description" || key == "default";
            ensure(map.keys().all(stays), at, "nothing stands beside a reference")?;
        }
        let values = map.get("enum").and_then(Value::as_array).into_iter().flatten();
        let is_plain = |value: &Value| {
            value.is_number() || value.as_str().is_some_and(|text| !text.is_empty())
        };
        ensure(values.clone().all(is_plain), at, "an enum has strings and numbers")
    })
}

fn is_name(text: &str) -> bool {
    let head = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    head && text.len() <= 64
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte))
}

fn tools(tools: &Value) -> Verdict {
    let mut names = HashSet::new();
    let tools = array(tools, "tools")?;
    ensure(!tools.is_empty(), "tools", "must not be empty")?;
    for tool in tools {
        let tool = object(tool, "tools")?;
        let Some(functions) = tool.get("functionDeclarations") else { continue };
        for function in array(functions, "tools")? {
            let function = object(function, "tools")?;
            let name = string(function.get("name").unwrap_or(&Value::Null), "tools")?;
            ensure(is_name(name) && names.insert(name), "tools", "function name")?;
            let schemas = ["parameters", "parametersJsonSchema"];
            let given: Vec<_> = schemas.iter().filter_map(|key| function.get(*key)).collect();
            ensure(given.len() <= 1, "tools", "one schema a function")?;
            for schema in given {
                let kind = object(schema, "tools")?.get("type").and_then(Value::as_str);
                let is_object = kind.is_some_and(|kind| kind.eq_ignore_ascii_case("object"));
                ensure(is_object, "tools", "type must be object")?;
                required_is_defined(schema, "tools")?;
                if function.contains_key("parametersJsonSchema") {
                    schemas::current(schema, "tools")?;
                    json_schema(schema, "tools")?;
                }
            }
        }
    }
    Ok(())
}
