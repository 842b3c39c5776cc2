//! Chat Completions: `messages` and `tools`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    Verdict, array, arrays_have_items, base64, caching, data_uri, ensure, image_uri, is_name,
    is_web, object, only, schema, schemas, string,
};

/// Keys of other shapes that must never arrive here.
const FOREIGN: &[&str] = &[
    "thinking",
    "redacted_thinking",
    "attachments",
    "_cache_breakpoint",
    "cache_control",
    "parts",
    "id",
];

pub(crate) fn check(payload: &Value) -> Verdict {
    let payload = object(payload, "payload")?;
    only(
        payload,
        &[&["messages", "tools"], caching::OPENAI_MEMBERS.as_slice()].concat(),
        "payload",
    )?;
    let mut breakpoints = 0;
    let messages = array(payload.get("messages").unwrap_or(&Value::Null), "messages")?;
    ensure(!messages.is_empty(), "messages", "must not be empty")?;
    let mut ids = HashSet::new();
    let mut open: HashSet<&str> = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        let message = object(message, &at)?;
        if let Some(key) = message.keys().find(|key| FOREIGN.contains(&key.as_str())) {
            return Err(format!("{at}: foreign key {key}"));
        }
        let role = string(message.get("role").unwrap_or(&Value::Null), &at)?;
        if role == "tool" {
            let id = string(message.get("tool_call_id").unwrap_or(&Value::Null), &at)?;
            ensure(open.remove(id), &at, "answers no open call")?;
        } else {
            ensure(open.is_empty(), &at, "comes before all calls are answered")?;
        }
        content(role, message, &at, &mut breakpoints)?;
        if let Some(name) = message.get("name") {
            // The pattern that the API answers with.
            let is_refused = |c: char| c.is_whitespace() || "<|\\/>".contains(c);
            ensure(!string(name, &at)?.contains(is_refused), &at, "a participant's name")?;
        }
        if let Some(calls) = message.get("tool_calls") {
            ensure(role == "assistant", &at, "only an assistant calls tools")?;
            let calls = array(calls, &at)?;
            ensure(!calls.is_empty(), &at, "tool_calls must not be empty")?;
            for call in calls {
                let id = tool_call(call, &at)?;
                ensure(ids.insert(id), &at, "call id twice")?;
                open.insert(id);
            }
        }
    }
    ensure(open.is_empty(), "messages", "ends with unanswered calls")?;
    caching::openai_members(payload, breakpoints)?;
    payload.get("tools").map_or(Ok(()), tools)
}

fn content(role: &str, message: &Map<String, Value>, at: &str, breakpoints: &mut usize) -> Verdict {
    let allowed: &[&str] = match role {
        "system" | "developer" | "tool" => &["text"],
        "user" => &["text", "image_url", "input_audio", "file"],
        "assistant" => &["text", "refusal"],
        other => return Err(format!("{at}: unknown role {other}")),
    };
    match message.get("content") {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(parts)) => {
            ensure(!parts.is_empty(), at, "content must not be an empty array")?;
            let marked = if role == "assistant" { &[] } else { allowed };
            parts.iter().try_for_each(|each| {
                caching::breakpoint(object(each, at)?, marked, at, breakpoints)?;
                part(each, allowed, at)
            })
        }
        Some(Value::Null) | None => {
            let instead = ["tool_calls", "refusal", "audio", "function_call", "images"];
            let has = |key: &&str| message.get(*key).is_some_and(|value| !value.is_null());
            ensure(role == "assistant" && instead.iter().any(has), at, "content is missing")
        }
        Some(_) => Err(format!("{at}: content must be a string or an array")),
    }
}

fn part(part: &Value, allowed: &[&str], at: &str) -> Verdict {
    let map = object(part, at)?;
    let kind = string(map.get("type").unwrap_or(&Value::Null), at)?;
    ensure(allowed.contains(&kind), at, &format!("no {kind} part here"))?;
    let inner = |key: &str| object(map.get(key).unwrap_or(&Value::Null), at);
    match kind {
        "text" | "refusal" => string(map.get(kind).unwrap_or(&Value::Null), at).map(|_| ()),
        "image_url" => {
            let image = inner("image_url")?;
            only(image, &["url", "detail"], at)?;
            let url = string(image.get("url").unwrap_or(&Value::Null), at)?;
            if is_web(url) {
                return Ok(());
            }
            image_uri(url, at)
        }
        "input_audio" => {
            let audio = inner("input_audio")?;
            only(audio, &["data", "format"], at)?;
            base64(audio.get("data").unwrap_or(&Value::Null), at)?;
            let format = audio.get("format").and_then(Value::as_str);
            ensure(matches!(format, Some("wav" | "mp3")), at, "audio is wav or mp3")
        }
        _ => {
            let file = inner("file")?;
            only(file, &["file_data", "file_id", "filename"], at)?;
            match (file.get("file_data"), file.get("file_id")) {
                (Some(data), None) => {
                    // https://platform.openai.com/docs/guides/pdf-files: both or an id.
                    ensure(file.contains_key("filename"), at, "a file's data needs a filename")?;
                    data_uri(string(data, at)?, at).map(|_| ())
                }
                (None, Some(id)) => string(id, at).map(|_| ()),
                _ => Err(format!("{at}: a file is data or an id")),
            }
        }
    }
}

fn tool_call<'v>(call: &'v Value, at: &str) -> Result<&'v str, String> {
    let map = object(call, at)?;
    let id = string(map.get("id").unwrap_or(&Value::Null), at)?;
    ensure((1..=40).contains(&id.chars().count()), at, "call id of 1 to 40 characters")?;
    let kind = string(map.get("type").unwrap_or(&Value::Null), at)?;
    let text = match kind {
        "function" => "arguments",
        "custom" => "input",
        other => return Err(format!("{at}: unknown call type {other}")),
    };
    only(map, &["id", "type", kind], at)?;
    let inner = object(map.get(kind).unwrap_or(&Value::Null), at)?;
    only(inner, &["name", text], at)?;
    string(inner.get(text).unwrap_or(&Value::Null), at)?;
    let name = string(inner.get("name").unwrap_or(&Value::Null), at)?;
    ensure(is_name(name, 64), at, "tool name")?;
    Ok(id)
}

fn tools(tools: &Value) -> Verdict {
    let tools = array(tools, "tools")?;
    ensure(!tools.is_empty(), "tools", "must not be empty")?;
    let mut names = HashSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let at = format!("tools[{index}]");
        let tool = object(tool, &at)?;
        match tool.get("type").and_then(Value::as_str) {
            Some("custom") => continue,
            Some("function") => only(tool, &["type", "function"], &at)?,
            _ => return Err(format!("{at}: unknown type")),
        }
        let function = object(tool.get("function").unwrap_or(&Value::Null), &at)?;
        only(function, &["name", "description", "parameters", "strict"], &at)?;
        let name = string(function.get("name").unwrap_or(&Value::Null), &at)?;
        ensure(is_name(name, 64) && names.insert(name), &at, "tool name")?;
        if let Some(parameters) = function.get("parameters") {
            schema(parameters, &at)?;
            arrays_have_items(parameters, &at)?;
        }
        if function.get("strict") == Some(&true.into()) {
            schemas::strict(function.get("parameters").unwrap_or(&Value::Null), true, &at)?;
        }
    }
    Ok(())
}
