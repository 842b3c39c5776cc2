//! The Messages API: `system`, `messages` and `tools`.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::{
    Verdict, array, base64, caching, ensure, is_name, is_web, object, only, schema, schemas, string,
};

pub(crate) fn check(payload: &Value) -> Verdict {
    let payload = object(payload, "payload")?;
    only(payload, &["system", "messages", "tools", "cache_control"], "payload")?;
    let mut marks = Vec::new();
    if let Some(tools) = payload.get("tools") {
        self::tools(tools, &mut marks)?;
    }
    if let Some(system) = payload.get("system") {
        let blocks = array(system, "system")?;
        ensure(!blocks.is_empty(), "system", "must not be empty")?;
        for block in blocks {
            self::block(block, &["text"], "system", &mut marks)?;
        }
    }
    let messages = array(payload.get("messages").unwrap_or(&Value::Null), "messages")?;
    ensure(!messages.is_empty(), "messages", "must not be empty")?;
    programs(messages)?;
    server_tools(messages)?;
    references(payload)?;
    let mut open: Vec<&str> = Vec::new();
    let mut ids = HashSet::new();
    let mut spoken = 0;
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        let message = object(message, &at)?;
        only(message, &["role", "content"], &at)?;
        if message.get("role") == Some(&"system".into()) {
            ensure(open.is_empty(), &at, "stands between a call and its result")?;
            self::system(messages, index, &at, &mut marks)?;
            continue;
        }
        // A compaction may begin the list: what is before it is ignored.
        // <https://platform.claude.com/docs/en/build-with-claude/compaction>
        if spoken == 0 && message["content"][0]["type"] == "compaction" {
            spoken = 1;
        }
        let role = if spoken % 2 == 0 { "user" } else { "assistant" };
        spoken += 1;
        ensure(message.get("role") == Some(&role.into()), &at, "roles must alternate")?;
        let blocks = array(message.get("content").unwrap_or(&Value::Null), &at)?;
        ensure(!blocks.is_empty(), &at, "content must not be empty")?;
        if role == "user" {
            user(blocks, &mut open, &at, &mut marks)?;
        } else {
            open = assistant(blocks, &mut ids, &at, &mut marks)?;
        }
    }
    ensure(open.is_empty(), "messages", "ends with unanswered calls")?;
    caching::automatic(payload, &mut marks)?;
    ensure(marks.len() <= 4, "payload", "more than four cache marks")?;
    let short = marks.iter().position(|ttl| *ttl == "5m").unwrap_or(marks.len());
    ensure(!marks.iter().skip(short).any(|ttl| *ttl == "1h"), "payload", "1h marks come first")
}

/// The results that a program waits for stand alone in their message, and neither its calls nor their
/// results carry a cache mark.
/// <https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling>
fn programs(messages: &[Value]) -> Verdict {
    let blocks = |message: &Value| message["content"].as_array().cloned().unwrap_or_default();
    let mut called = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        let blocks = blocks(message);
        let is_program =
            |block: &&Value| block["caller"]["type"].as_str().is_some_and(|kind| kind != "direct");
        let calls: Vec<&Value> = blocks.iter().filter(is_program).collect();
        called.extend(calls.iter().map(|call| call["id"].to_string()));
        // Those of the provider's own tools are beside the calls.
        let is_result = |block: &Value| block["type"] == "tool_result";
        let results: Vec<&Value> = blocks
            .iter()
            .filter(|block| called.contains(&block["tool_use_id"].to_string()))
            .filter(|block| is_result(block))
            .collect();
        ensure(
            results.is_empty() || blocks.iter().all(is_result),
            &at,
            "a program's results stand alone",
        )?;
        let marked = calls.iter().chain(&results).any(|own| own.get("cache_control").is_some());
        ensure(!marked, &at, "a program's calls and results carry no cache mark")?;
    }
    Ok(())
}

/// What a server tool found comes after its use, and a use that something else follows has what it
/// found. <https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools>
fn server_tools(messages: &[Value]) -> Verdict {
    let mut used = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        for block in message["content"].as_array().into_iter().flatten() {
            let kind = block["type"].as_str().unwrap_or_default();
            if kind == "server_tool_use" {
                // https://github.com/decolua/9router/issues/3685
                let rest = block["id"].as_str().and_then(|id| id.strip_prefix("srvtoolu_"));
                let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                let is_own = rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_word));
                ensure(is_own, &at, "ids of server tools have a form of their own")?;
            }
            if matches!(kind, "server_tool_use" | "mcp_tool_use") {
                used.insert(block["id"].to_string());
            } else if kind.ends_with("_tool_result") {
                let is_used = used.remove(&block["tool_use_id"].to_string());
                ensure(is_used, &at, "what a server tool found has its use before it")?;
            }
        }
        if message["role"] == "user" && message["content"][0]["type"] == "text" {
            ensure(used.is_empty(), &at, "a server tool's use lacks what it found")?;
        }
    }
    Ok(())
}

/// A system message between the others: behind the user's, or behind a server tool, and last or before
/// the assistant's. <https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages>
fn system<'v>(messages: &'v [Value], index: usize, at: &str, marks: &mut Vec<&'v str>) -> Verdict {
    let before = index.checked_sub(1).and_then(|before| messages.get(before));
    let is_user = before.is_some_and(|message| message["role"] == "user");
    let last = before.and_then(|message| message["content"].as_array()?.last());
    let kind = last.and_then(|block| block["type"].as_str()).unwrap_or_default();
    let is_tool = kind == "server_tool_use" || kind.ends_with("_tool_result");
    ensure(is_user || is_tool, at, "a system message follows the user's")?;
    let behind = messages.get(index + 1);
    let precedes = behind.is_none_or(|message| message["role"] == "assistant");
    ensure(precedes, at, "a system message is last or before the assistant's")?;
    let content = messages.get(index).map_or(&Value::Null, |message| &message["content"]);
    let blocks = array(content, at)?;
    ensure(!blocks.is_empty(), at, "content must not be empty")?;
    blocks.iter().try_for_each(|each| block(each, &["text"], at, marks).map(drop))
}

fn user<'v>(
    blocks: &'v [Value],
    open: &mut Vec<&'v str>,
    at: &str,
    marks: &mut Vec<&'v str>,
) -> Verdict {
    let mut others = false;
    for block in blocks {
        let allowed =
            &["text", "image", "document", "tool_result", "search_result", "container_upload"];
        if self::block(block, allowed, at, marks)? != "tool_result" {
            others = true;
            continue;
        }
        ensure(!others, at, "results come before everything else")?;
        let id = block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
        let place = open.iter().position(|known| *known == id);
        let place = place.ok_or_else(|| format!("{at}: answers no open call"))?;
        open.remove(place);
    }
    ensure(open.is_empty(), at, "leaves calls unanswered")
}

fn assistant<'v>(
    blocks: &'v [Value],
    ids: &mut HashSet<&'v str>,
    at: &str,
    marks: &mut Vec<&'v str>,
) -> Result<Vec<&'v str>, String> {
    let mut open = Vec::new();
    for block in blocks {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        let allowed: &[&str] = match kind {
            // Its own tools answer in the assistant's message.
            "server_tool_use" | "mcp_tool_use" | "fallback" => continue,
            kind if kind.ends_with("_tool_result") => continue,
            // <https://platform.claude.com/docs/en/build-with-claude/compaction>
            "compaction" => continue,
            _ => &["text", "thinking", "redacted_thinking", "tool_use"],
        };
        if self::block(block, allowed, at, marks)? == "tool_use" {
            let id = block.get("id").and_then(Value::as_str).unwrap_or_default();
            ensure(ids.insert(id), at, "call id twice")?;
            open.push(id);
        }
    }
    Ok(open)
}

/// Checks one block; its type.
fn block<'v>(
    block: &'v Value,
    allowed: &[&str],
    at: &str,
    marks: &mut Vec<&'v str>,
) -> Result<&'v str, String> {
    let map = object(block, at)?;
    let kind = string(map.get("type").unwrap_or(&Value::Null), at)?;
    ensure(allowed.contains(&kind), at, &format!("no {kind} block here"))?;
    let text = |key: &str| string(map.get(key).unwrap_or(&Value::Null), at);
    match kind {
        "text" => {
            only(map, &["type", "text", "cache_control", "citations"], at)?;
            ensure(!text("text")?.trim().is_empty(), at, "text must not be blank")?;
        }
        "thinking" => {
            only(map, &["type", "thinking", "signature"], at)?;
            text("thinking")?;
            ensure(!text("signature")?.is_empty(), at, "thinking must be signed")?;
        }
        "redacted_thinking" => ensure(!text("data")?.is_empty(), at, "data must not be empty")?,
        "tool_use" => {
            ensure(is_name(text("id")?, usize::MAX), at, "call id")?;
            ensure(is_name(text("name")?, 128), at, "tool name")?;
            object(map.get("input").unwrap_or(&Value::Null), at)?;
        }
        "tool_result" => result(map, at, marks)?,
        "image" | "document" => media(kind, map, at)?,
        _ => {}
    }
    mark(map, kind, at, marks)?;
    Ok(kind)
}

fn result<'v>(map: &'v Map<String, Value>, at: &str, marks: &mut Vec<&'v str>) -> Verdict {
    only(map, &["type", "tool_use_id", "content", "is_error", "cache_control"], at)?;
    let is_error = map.get("is_error");
    ensure(is_error.is_none_or(Value::is_boolean), at, "is_error must be a boolean")?;
    match map.get("content") {
        Some(Value::Array(blocks)) => {
            ensure(!blocks.is_empty(), at, "content must not be an empty array")?;
            // https://github.com/ericc-ch/copilot-api/issues/196
            let is_failed = is_error == Some(&true.into());
            let any: &[&str] = &["text", "image", "document", "search_result", "tool_reference"];
            let allowed: &[&str] = if is_failed { &["text"] } else { any };
            blocks.iter().try_for_each(|each| block(each, allowed, at, marks).map(drop))
        }
        Some(Value::String(_)) => Ok(()),
        None => ensure(is_error != Some(&true.into()), at, "an error needs words"),
        Some(_) => Err(format!("{at}: content must be a string or an array")),
    }
}

fn media(kind: &str, map: &Map<String, Value>, at: &str) -> Verdict {
    let image = kind == "image";
    let source = object(map.get("source").unwrap_or(&Value::Null), at)?;
    let text = |key: &str| string(source.get(key).unwrap_or(&Value::Null), at);
    match text("type")? {
        "base64" => {
            let known: &[&str] = if image {
                &["image/jpeg", "image/png", "image/gif", "image/webp"]
            } else {
                &["application/pdf"]
            };
            ensure(known.contains(&text("media_type")?), at, "media type")?;
            ensure(!image || png_side(text("data")?) <= 8_000, at, "an image is too large")?;
            base64(source.get("data").unwrap_or(&Value::Null), at)
        }
        "url" => ensure(is_web(text("url")?), at, "must be a web address"),
        "file" => text("file_id").map(drop),
        "text" if !image => {
            ensure(text("media_type")? == "text/plain", at, "must be text/plain")?;
            ensure(!text("data")?.is_empty(), at, "text must not be empty")
        }
        "content" if !image => Ok(()),
        other => Err(format!("{at}: no {other} source here")),
    }
}

/// The longest side of a PNG: <https://platform.claude.com/docs/en/build-with-claude/vision>.
fn png_side(data: &str) -> u32 {
    let head = STANDARD.decode(data.get(..32).unwrap_or_default()).unwrap_or_default();
    let number = |at: usize| {
        let bytes = head.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_be_bytes)
    };
    if head.starts_with(b"\x89PNG") { number(16).max(number(20)) } else { 0 }
}

fn mark<'v>(
    map: &'v Map<String, Value>,
    kind: &str,
    at: &str,
    marks: &mut Vec<&'v str>,
) -> Verdict {
    let Some(mark) = map.get("cache_control") else { return Ok(()) };
    ensure(!kind.contains("thinking"), at, "thinking carries no cache mark")?;
    marks.push(caching::lifetime(mark, at)?);
    Ok(())
}

fn tools<'v>(tools: &'v Value, marks: &mut Vec<&'v str>) -> Verdict {
    let mut names = HashSet::new();
    let tools = array(tools, "tools")?;
    ensure(!tools.is_empty(), "tools", "must not be empty")?;
    for (index, tool) in tools.iter().enumerate() {
        let at = format!("tools[{index}]");
        let tool = object(tool, &at)?;
        let name = string(tool.get("name").unwrap_or(&Value::Null), &at)?;
        ensure(is_name(name, 128) && names.insert(name), &at, "tool name")?;
        mark(tool, "tool", &at, marks)?;
        // <https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool>
        let is_deferred = tool.get("defer_loading") == Some(&true.into());
        let is_marked = tool.contains_key("cache_control");
        ensure(!(is_deferred && is_marked), &at, "a deferred tool carries no cache mark")?;
        if tool.get("type").is_none_or(|kind| kind == "custom") {
            let input = tool.get("input_schema").unwrap_or(&Value::Null);
            schema(input, &at)?;
            // The pattern that the API answers with.
            let names = input["properties"].as_object().into_iter().flat_map(Map::keys);
            let is_refused = |name: &&String| !is_name(&name.replace('.', "_"), 64);
            ensure(names.filter(is_refused).count() == 0, &at, "a property's name")?;
            if tool.get("strict") == Some(&true.into()) {
                schemas::strict(input, false, &at)?;
            }
        }
    }
    let is_deferred = |tool: &Value| tool["defer_loading"] == true;
    ensure(!tools.iter().all(is_deferred), "tools", "all tools are deferred")
}

/// A tool that was found has its definition.
/// <https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool>
fn references(payload: &Map<String, Value>) -> Verdict {
    fn walk<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        if value["type"] == "tool_reference" {
            found.extend(value["tool_name"].as_str());
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            Value::Object(map) => map.values().for_each(|value| walk(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(payload.get("messages").unwrap_or(&Value::Null), &mut found);
    let Some(tools) = payload.get("tools").and_then(Value::as_array) else { return Ok(()) };
    let is_server = tools.iter().any(|tool| tool["type"] == "mcp_toolset");
    let is_defined = |name: &&str| tools.iter().any(|tool| tool["name"] == **name);
    let lost = found.iter().find(|name| !is_server && !is_defined(name));
    ensure(lost.is_none(), "messages", "a tool that was found has no definition")
}
