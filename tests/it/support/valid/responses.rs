//! The Responses API: `instructions`, `input` and `tools`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    Verdict, array, arrays_have_items, caching, data_uri, ensure, image_uri, is_name, is_web,
    object, only, schema, schemas, string,
};

pub(crate) fn check(payload: &Value) -> Verdict {
    let payload = object(payload, "payload")?;
    let own = ["instructions", "input", "tools"];
    only(payload, &[own.as_slice(), &caching::OPENAI_MEMBERS].concat(), "payload")?;
    let mut breakpoints = 0;
    if let Some(instructions) = payload.get("instructions") {
        string(instructions, "instructions")?;
    }
    let input = array(payload.get("input").unwrap_or(&Value::Null), "input")?;
    ensure(!input.is_empty(), "input", "must not be empty")?;
    let mut calls: HashSet<(&str, &str)> = HashSet::new();
    let mut open: HashSet<(&str, &str)> = HashSet::new();
    let mut reasoning = false;
    // A call may be an item that the provider keeps.
    let mut references = false;
    pairs(input)?;
    for (index, item) in input.iter().enumerate() {
        let at = format!("input[{index}]");
        let item = object(item, &at)?;
        let kind = item.get("type").and_then(Value::as_str).unwrap_or("message");
        let theirs = kind == "message" && item.get("role") != Some(&"assistant".into());
        let outcome = kind.ends_with("_output");
        ensure(!(reasoning && (theirs || outcome)), &at, "reasoning without what it led to")?;
        ensure(!theirs || open.is_empty(), &at, "comes before all calls are answered")?;
        reasoning = kind == "reasoning";
        match kind {
            "message" => message(item, &at, &mut breakpoints)?,
            "function_call" | "custom_tool_call" => {
                let text = if kind == "function_call" { "arguments" } else { "input" };
                string(item.get(text).unwrap_or(&Value::Null), &at)?;
                let name = string(item.get("name").unwrap_or(&Value::Null), &at)?;
                ensure(is_name(name, 64), &at, "tool name")?;
                let id = call_id(item, &at)?;
                ensure(calls.insert((kind, id)), &at, "call id twice")?;
                open.insert((kind, id));
            }
            "function_call_output" | "custom_tool_call_output" => {
                let call = kind.strip_suffix("_output").unwrap_or_default();
                let is_open = open.remove(&(call, call_id(item, &at)?));
                ensure(is_open || references, &at, "answers no open call")?;
                content(item.get("output").unwrap_or(&Value::Null), &at, &mut breakpoints)?;
            }
            "item_reference" => references = true,
            // Items of the provider's own: whole or absent.
            _ => {}
        }
    }
    ensure(open.is_empty(), "input", "ends with unanswered calls")?;
    ensure(!reasoning, "input", "ends with reasoning")?;
    caching::openai_members(payload, breakpoints)?;
    payload.get("tools").map_or(Ok(()), tools)
}

/// A call of a built-in tool has its output, and an output its call: <https://developers.openai.com/api/docs/guides/tools-computer-use>,
/// <https://developers.openai.com/api/docs/guides/tools-programmatic-tool-calling>.
fn pairs(input: &[Value]) -> Verdict {
    let needs = ["computer_call", "shell_call", "local_shell_call", "apply_patch_call"];
    let mut open: HashSet<(&str, &str)> = HashSet::new();
    let mut ids: HashSet<&str> = HashSet::new();
    for (index, item) in input.iter().enumerate() {
        let at = format!("input[{index}]");
        let kind = item["type"].as_str().unwrap_or_default();
        let id = item["call_id"].as_str().or(item["id"].as_str()).unwrap_or_default();
        if matches!(kind, "function_call" | "custom_tool_call") {
            ensure(ids.insert(id), &at, "call id twice")?;
        } else if needs.contains(&kind) || kind == "program" {
            ensure(ids.insert(id), &at, "call id twice")?;
            ensure(id.chars().count() <= 64, &at, "call id of 1 to 64 characters")?;
            open.insert((kind, id));
        } else if let Some(call) = kind.strip_suffix("_output")
            && (needs.contains(&call) || call == "program")
        {
            ensure(open.remove(&(call, id)), &at, "an output without its call")?;
        }
    }
    open.retain(|(kind, _)| *kind != "program");
    ensure(open.is_empty(), "input", "a call of a built-in tool without its output")
}

fn call_id<'v>(item: &'v Map<String, Value>, at: &str) -> Result<&'v str, String> {
    let id = string(item.get("call_id").unwrap_or(&Value::Null), at)?;
    ensure((1..=64).contains(&id.chars().count()), at, "call id of 1 to 64 characters")?;
    Ok(id)
}

fn message(item: &Map<String, Value>, at: &str, breakpoints: &mut usize) -> Verdict {
    let body = item.get("content").unwrap_or(&Value::Null);
    match item.get("role").and_then(Value::as_str) {
        Some("user" | "system" | "developer") => content(body, at, breakpoints),
        Some("assistant") if body.is_string() => Ok(()),
        Some("assistant") => {
            let id = item.get("id").and_then(Value::as_str).unwrap_or_default();
            ensure(id.starts_with("msg"), at, "an output message has its id")?;
            ensure(item.get("status").is_some(), at, "an output message has its status")?;
            for part in array(body, at)? {
                let part = object(part, at)?;
                caching::breakpoint(part, &[], at, breakpoints)?;
                let kind = part.get("type").and_then(Value::as_str);
                match kind {
                    Some("output_text") => {
                        string(part.get("text").unwrap_or(&Value::Null), at)?;
                        array(part.get("annotations").unwrap_or(&Value::Null), at)?;
                    }
                    Some("refusal") => {}
                    _ => return Err(format!("{at}: unknown output part")),
                }
            }
            Ok(())
        }
        _ => Err(format!("{at}: unknown role")),
    }
}

fn content(body: &Value, at: &str, breakpoints: &mut usize) -> Verdict {
    if body.is_string() {
        return Ok(());
    }
    let parts = array(body, at)?;
    ensure(!parts.is_empty(), at, "content must not be an empty array")?;
    for part in parts {
        let part = object(part, at)?;
        caching::breakpoint(part, &["input_text", "input_image", "input_file"], at, breakpoints)?;
        let text = |key: &str| part.get(key).map(|value| string(value, at)).transpose();
        match part.get("type").and_then(Value::as_str) {
            Some("input_text") => string(part.get("text").unwrap_or(&Value::Null), at).map(drop)?,
            Some("input_image") => match (text("image_url")?, text("file_id")?) {
                (Some(url), None) if is_web(url) => {}
                (Some(url), None) => {
                    image_uri(url, at)?;
                }
                (None, Some(_)) => {}
                _ => return Err(format!("{at}: an image is a URL or an id")),
            },
            Some("input_file") => match (text("file_data")?, text("file_id")?, text("file_url")?) {
                (Some(data), None, None) => {
                    ensure(text("filename")?.is_some(), at, "a file's data needs a filename")?;
                    data_uri(data, at).map(drop)?;
                }
                (None, Some(_), None) => {}
                (None, None, Some(url)) => ensure(is_web(url), at, "must be a web address")?,
                _ => return Err(format!("{at}: a file is data, an id or a URL")),
            },
            _ => return Err(format!("{at}: unknown input part")),
        }
    }
    Ok(())
}

fn tools(tools: &Value) -> Verdict {
    let mut names = HashSet::new();
    for (index, tool) in array(tools, "tools")?.iter().enumerate() {
        let at = format!("tools[{index}]");
        let tool = object(tool, &at)?;
        if tool.get("type") == Some(&"namespace".into()) {
            group(tool, &at)?;
        }
        if tool.get("type") != Some(&"function".into()) {
            continue;
        }
        let name = string(tool.get("name").unwrap_or(&Value::Null), &at)?;
        ensure(is_name(name, 64) && names.insert(name), &at, "tool name")?;
        ensure(tool.contains_key("strict"), &at, "strict is required")?;
        let parameters = tool.get("parameters").unwrap_or(&Value::Null);
        schema(parameters, &at)?;
        arrays_have_items(parameters, &at)?;
        if tool.get("strict") == Some(&true.into()) {
            schemas::strict(parameters, true, &at)?;
        }
    }
    Ok(())
}

/// A group of tools: <https://developers.openai.com/api/docs/guides/function-calling>.
fn group(group: &Map<String, Value>, at: &str) -> Verdict {
    let members = array(group.get("tools").unwrap_or(&Value::Null), at)?;
    ensure(!members.is_empty(), at, "empty group")?;
    for member in members {
        let kind = string(object(member, at)?.get("type").unwrap_or(&Value::Null), at)?;
        ensure(["function", "custom"].contains(&kind), at, "no tool of a group")?;
    }
    Ok(())
}
