//! Messages with a `role`: OpenAI Chat, Anthropic and the neutral shape.
//!
//! The three differ in the members next to `content`, not in their meaning, so one reader accepts
//! them all, together with the members of ContextChef's messages.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::block;
use super::context::{ReadContext, extra, present, shown};
use super::media;
use crate::domain::{
    CacheMark, Content, Message, Part, RawJson, Role, Thinking, ToolCall, ToolResult,
};
use crate::json::{Node, Path};
use crate::provider::GENERATED_IMAGE;

/// Reads a list of messages. A message with tool results and other parts becomes several, all with
/// its id and origin.
pub(super) fn read_list(
    cx: &mut ReadContext<'_>,
    items: &[Node<'_>],
    path: &Path<'_>,
) -> Vec<Message> {
    let mut legacy = LegacyIds::default();
    let mut messages = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let item = ListedItem { node: item, index, path: &path.index(index) };
        if let Some(message) = read_message(cx, item, &mut legacy) {
            push_message(message, &mut messages);
        }
    }
    messages
}

/// An item of the list that is read.
#[derive(Clone, Copy)]
pub(super) struct ListedItem<'i, 'a> {
    pub(super) node: &'i Node<'a>,
    pub(super) index: usize,
    pub(super) path: &'i Path<'i>,
}

/// Ids for the calls of the time before calls had any: `function_call` and the `function` role.
#[derive(Debug, Default)]
pub(super) struct LegacyIds {
    unanswered: HashMap<Arc<str>, VecDeque<Arc<str>>>,
}

/// Appends a message with its tool results in messages of their own: the results in a user message
/// come before its other parts, since they belong to the calls of the message before.
pub(super) fn push_message(message: Message, messages: &mut Vec<Message>) {
    let is_result = |part: &Part| matches!(part.content, Content::ToolResult(_));
    let alone = message.role == Role::Tool && message.parts.len() <= 1;
    if alone || !message.parts.iter().any(is_result) {
        messages.push(message);
        return;
    }
    let Message { id, role, role_word, name, parts, extra, origin, stays } = message;
    let (results, parts): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_result);
    let results = results.into_iter().map(|part| {
        let mut result = Message::new(Role::Tool, vec![part]);
        result.id.clone_from(&id);
        result.origin = origin;
        result
    });
    let rest = !parts.is_empty() || !extra.is_empty();
    let rest = rest.then(|| {
        let id = id.clone();
        Message { id, role, role_word, name, parts, extra, origin, stays }
    });
    if role == Role::Assistant {
        messages.extend(rest);
        messages.extend(results);
    } else {
        messages.extend(results);
        messages.extend(rest);
    }
}

/// Members of a message that are interpreted; all others are passed through.
const KNOWN: &[&str] = &[
    "_cache_breakpoint",
    "attachments",
    "cache_control",
    "content",
    "function_call",
    "id",
    "images",
    "name",
    "parts",
    "redacted_thinking",
    "role",
    "thinking",
    "tool_calls",
];

/// Reads one message; returns nothing after a fault that leaves nothing to read.
pub(super) fn read_message(
    cx: &mut ReadContext<'_>,
    item: ListedItem<'_, '_>,
    legacy: &mut LegacyIds,
) -> Option<Message> {
    let ListedItem { node, index, path } = item;
    if node.as_object().is_none() {
        cx.fault(path, format!("a message must be an object, not {}", node.kind()));
        return None;
    }
    let (role, role_word) = role(cx, node, path)?;
    let mut message = Message::new(role, thoughts(cx, node, path));
    message.role_word = (role_word == "developer").then_some("developer");
    message.origin = Some(index);
    message.id = cx.member(node, "id", path).filter(|id| !id.is_empty());
    message.name = cx.member(node, "name", path);
    message.extra = extra(node, KNOWN);
    // SDKs that dump every field of a response write these; null has no meaning.
    message.extra.retain(|(key, value)| {
        value.as_str() != "null" || !matches!(&**key, "audio" | "refusal" | "tool_call_id")
    });
    for key in ["content", "parts"] {
        if let Some(content) = node.get(key) {
            message.parts.extend(block::content(cx, content, &path.key(key)));
        }
    }
    message.parts.extend(attachments(cx, node, path));
    message.parts.extend(images(cx, node, path));
    if role == Role::Assistant {
        calls(cx, node, path, &mut message);
        read_function_call(cx, item, legacy, &mut message);
    } else {
        refuse_calls(cx, node, path, &message);
    }
    if role == Role::Tool {
        read_tool_result(cx, item, role_word, legacy, &mut message);
    }
    mark(cx, node, path, &mut message);
    Some(message)
}

fn role<'n>(
    cx: &mut ReadContext<'_>,
    node: &'n Node<'_>,
    path: &Path<'_>,
) -> Option<(Role, &'n str)> {
    const ALLOWED: &str = "system, developer, user, assistant, tool or function";
    let Some(role) = node.get("role") else {
        cx.fault(path, format!("`role` is missing: {ALLOWED}"));
        return None;
    };
    let Some(word) = role.as_str() else {
        let detail = format!("must be a string ({ALLOWED}), not {}", role.kind());
        cx.fault(&path.key("role"), detail);
        return None;
    };
    let role = match word {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => {
            let detail = format!("unknown role `{}`: use {ALLOWED}", shown(word));
            cx.fault(&path.key("role"), detail);
            return None;
        }
    };
    Some((role, word))
}

/// ContextChef's `thinking` and `redacted_thinking`; they come first, as models write them.
fn thoughts(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    if let Some(thinking) = present(node, "thinking") {
        let at = path.key("thinking");
        let text = match thinking.as_object() {
            Some(_) => cx.member(thinking, "thinking", &at).unwrap_or_default(),
            None => cx.string(thinking, &at).unwrap_or_default(),
        };
        let mut part = Part::new(Content::Thinking(Thinking { text, opaque: None }));
        part.signature = cx.member(thinking, "signature", &at);
        cx.report_lost(thinking, &["thinking", "signature"], &at);
        parts.push(part);
    }
    if let Some(redacted) = present(node, "redacted_thinking") {
        let at = path.key("redacted_thinking");
        let _ = cx.required(redacted, "data", &at, "redacted thinking is its data");
        cx.report_lost(redacted, &["data"], &at);
        let data = redacted.get("data").map_or("\"\"", |data| data.raw);
        let item = format!("{{\"type\":\"redacted_thinking\",\"data\":{data}}}");
        let opaque = Some(RawJson::new(item));
        parts.push(Part::new(Content::Thinking(Thinking { text: Arc::from(""), opaque })));
    }
    parts
}

fn attachments(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Vec<Part> {
    let Some(list) = present(node, "attachments") else { return Vec::new() };
    let path = path.key("attachments");
    let Some(items) = list.as_array() else {
        cx.fault(&path, format!("must be an array, not {}", list.kind()));
        return Vec::new();
    };
    let read = |(index, item)| media::attachment(cx, item, &path.index(index));
    items.iter().enumerate().map(read).collect()
}

/// The images that a model made, next to the content of its message as `OpenRouter` has them.
fn images(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Vec<Part> {
    let Some(list) = present(node, "images") else { return Vec::new() };
    let path = path.key("images");
    let Some(items) = list.as_array() else {
        cx.fault(&path, format!("must be an array, not {}", list.kind()));
        return Vec::new();
    };
    let read = |(index, item)| block::part(cx, item, &path.index(index));
    let mut parts: Vec<Part> = items.iter().enumerate().filter_map(read).collect();
    for part in parts.iter_mut().filter(|part| matches!(part.content, Content::Media(_))) {
        part.extra.push((Arc::from(GENERATED_IMAGE), RawJson::new("true")));
    }
    parts
}

fn calls(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>, message: &mut Message) {
    let Some(list) = present(node, "tool_calls") else { return };
    let path = path.key("tool_calls");
    let Some(items) = list.as_array() else {
        cx.fault(&path, format!("must be an array, not {}", list.kind()));
        return;
    };
    let mut places: HashMap<Arc<str>, usize> = HashMap::new();
    for (at, part) in message.parts.iter().enumerate() {
        if let Content::ToolCall(call) = &part.content {
            places.insert(Arc::clone(&call.id), at);
        }
    }
    for (index, item) in items.iter().enumerate() {
        let path = path.index(index);
        if item.as_object().is_none() {
            cx.fault(&path, format!("a tool call must be an object, not {}", item.kind()));
            continue;
        }
        let call = call(cx, item, &path);
        // Frameworks write a call both in the content, as the model's own, and in the list of calls,
        // which has the arguments that they ran it with.
        if let Some(at) = places.remove(&call.id)
            && let Some(Part { content: Content::ToolCall(own), .. }) = message.parts.get_mut(at)
            && own.name == call.name
        {
            let detail = format!("call `{}` is in `content`, too: it is one call", shown(&call.id));
            cx.notes.repaired("call_merged", path.pointer(), detail);
            *own = call;
            continue;
        }
        let mut part = Part::new(Content::ToolCall(call));
        part.extra = extra(item, &["id", "type", "function", "custom"]);
        message.parts.push(part);
    }
}

fn call(cx: &mut ReadContext<'_>, item: &Node<'_>, path: &Path<'_>) -> ToolCall {
    let id = cx.required(item, "id", path, "a tool call needs an id");
    let custom = match cx.member(item, "type", path).as_deref() {
        Some("custom") => true,
        Some("function") => false,
        Some(other) => {
            let detail = format!("unknown kind of call `{}`: function or custom", shown(other));
            cx.fault(&path.key("type"), detail);
            false
        }
        None => item.get("custom").is_some(),
    };
    let (key, input) = if custom { ("custom", "input") } else { ("function", "arguments") };
    let at = path.key(key);
    let Some(inner) = present(item, key).filter(|inner| inner.as_object().is_some()) else {
        cx.fault(&at, format!("a tool call needs an object `{key}` with `name` and `{input}`"));
        return ToolCall { id, name: Arc::from(""), arguments: Arc::from("{}"), custom };
    };
    cx.report_lost(inner, &["name", input], &at);
    let name = cx.tool_name(inner, &at);
    let arguments = match inner.get(input) {
        None => {
            let detail = format!("`{input}` is missing in call `{}`", shown(&id));
            cx.fault(&at, detail);
            Arc::from("{}")
        }
        Some(text) if custom => cx.string(text, &at.key(input)).unwrap_or_default(),
        // Ollama's API has the object itself.
        Some(text) => cx.arguments(text, &at.key(input), &id, true),
    };
    ToolCall { id, name, arguments, custom }
}

/// The call of an assistant before there were several at once.
fn read_function_call(
    cx: &mut ReadContext<'_>,
    item: ListedItem<'_, '_>,
    legacy: &mut LegacyIds,
    message: &mut Message,
) {
    let ListedItem { node, index, path } = item;
    let Some(call) = present(node, "function_call") else { return };
    let path = path.key("function_call");
    let name = cx.required(call, "name", &path, "a function call names its function");
    cx.report_lost(call, &["name", "arguments"], &path);
    let id: Arc<str> = format!("call_{index}_{name}").into();
    let arguments = if let Some(text) = present(call, "arguments") {
        cx.arguments(text, &path.key("arguments"), &id, false)
    } else {
        cx.empty_arguments(&path, &id);
        Arc::from("{}")
    };
    let detail = format!("`function_call` became the tool call `{}`", shown(&id));
    cx.notes.repaired("function_call_upgraded", path.pointer(), detail);
    legacy.unanswered.entry(Arc::clone(&name)).or_default().push_back(Arc::clone(&id));
    let call = ToolCall { id, name, arguments, custom: false };
    message.parts.push(Part::new(Content::ToolCall(call)));
}

fn refuse_calls(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>, message: &Message) {
    const DETAIL: &str = "only an assistant message calls tools";
    for key in ["tool_calls", "function_call"] {
        if present(node, key)
            .is_some_and(|list| list.as_array().is_none_or(|list| !list.is_empty()))
        {
            cx.fault(&path.key(key), DETAIL);
        }
    }
    if message.has_tool_calls() {
        cx.fault(path, DETAIL);
    }
}

/// Turns the content of a tool message into the result of its call.
fn read_tool_result(
    cx: &mut ReadContext<'_>,
    item: ListedItem<'_, '_>,
    role_word: &str,
    legacy: &mut LegacyIds,
    message: &mut Message,
) {
    let ListedItem { node, index, path } = item;
    message.extra.retain(|(key, _)| !matches!(&**key, "tool_call_id" | "call_id" | "is_error"));
    let is_result = |part: &&Part| matches!(part.content, Content::ToolResult(_));
    let results = message.parts.iter().filter(is_result).count();
    if results > 0 {
        if results < message.parts.len() {
            cx.fault(path, "a tool message contains tool results and nothing else");
        }
        return;
    }
    let named = ["tool_call_id", "call_id"].into_iter().find(|key| present(node, key).is_some());
    let call_id = if role_word == "function" && named.is_none() {
        let name = cx.required(node, "name", path, "a function's answer names the function");
        let waiting = legacy.unanswered.get_mut(&name).and_then(VecDeque::pop_front);
        let id = waiting.unwrap_or_else(|| format!("call_{index}_{name}").into());
        let detail = format!("the role `function` became `tool`, answering `{}`", shown(&id));
        cx.notes.repaired("function_role_upgraded", path.pointer(), detail);
        id
    } else {
        let key = named.unwrap_or("tool_call_id");
        cx.required(node, key, path, "a tool result needs the id of its call")
    };
    let content = std::mem::take(&mut message.parts);
    let is_error = cx.flag(node, "is_error", path);
    let result = ToolResult { call_id, name: message.name.clone(), content, is_error };
    message.parts.push(Part::new(Content::ToolResult(result)));
}

/// Puts a mark on the whole message onto its last part.
fn mark(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>, message: &mut Message) {
    let asked = cx.flag(node, "_cache_breakpoint", path) == Some(true);
    let mark = cx.cache_mark(node, path).or(asked.then_some(CacheMark::block(None)));
    let Some(mark) = mark else { return };
    if let Some(part) = message.parts.last_mut() {
        part.cache = part.cache.or(Some(mark));
    } else {
        let detail = "an empty message holds no cache mark";
        cx.notes.degraded("cache_mark_lost", path.pointer(), detail);
    }
}
