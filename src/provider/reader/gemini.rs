//! Contents of Gemini's `generateContent`, with the names of its protocol or of its SDKs.
//!
//! Calls there need no ids. A call without one gets `gemini-fc-<name>-<n>`, n counting the calls of
//! that name from 0; a response without one belongs to the oldest open call of its name.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::block;
use super::context::{ReadContext, either, extra, present, shown};
use super::{data_uri, message};
use crate::domain::{
    Content, Extra, Media, MediaSource, Message, Part, RawJson, Role, Thinking, ToolCall,
    ToolResult,
};
use crate::json::{self, Limits, Node, ObjectText, Path};

/// Reads a list of contents.
pub(super) fn list(cx: &mut ReadContext<'_>, items: &[Node<'_>], path: &Path<'_>) -> Vec<Message> {
    let mut calls = GeminiCallIds::default();
    let mut messages = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        if let Some(message) = read_content(cx, item, index, &mut calls, &path.index(index)) {
            message::push_message(message, &mut messages);
        }
    }
    messages
}

/// The text of a `systemInstruction`: a string, parts, or a content.
pub(super) fn instruction(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Vec<Part> {
    let mut calls = GeminiCallIds::default();
    if let Some(content) = node.get("parts") {
        cx.report_lost(node, &["parts", "role"], path);
        return parts(cx, content, &mut calls, &path.key("parts"));
    }
    parts(cx, node, &mut calls, path)
}

/// The calls met so far.
#[derive(Debug, Default)]
struct GeminiCallIds {
    /// Calls without ids, by name.
    made: HashMap<Arc<str>, usize>,
    /// Ids of the calls of a name, oldest first; those with a result are skipped when met.
    waiting: HashMap<Arc<str>, VecDeque<Arc<str>>>,
    answered: HashSet<Arc<str>>,
    /// Ids that calls came with.
    given: HashSet<Arc<str>>,
    /// As `waiting`, of the calls without ids alone.
    unnamed: HashMap<Arc<str>, VecDeque<Arc<str>>>,
}

impl GeminiCallIds {
    fn add_call(&mut self, name: &Arc<str>, id: Option<Arc<str>>) -> Arc<str> {
        let is_named = id.is_some();
        self.given.extend(id.clone());
        let id = id.unwrap_or_else(|| {
            let count = self.made.entry(Arc::clone(name)).or_default();
            let id = format!("gemini-fc-{name}-{count}");
            *count += 1;
            id.into()
        });
        self.waiting.entry(Arc::clone(name)).or_default().push_back(Arc::clone(&id));
        if !is_named {
            self.unnamed.entry(Arc::clone(name)).or_default().push_back(Arc::clone(&id));
        }
        id
    }

    fn take_call(&mut self, name: &Arc<str>, id: Option<Arc<str>>) -> Arc<str> {
        if let Some(id) = id.as_ref().filter(|id| self.given.contains(*id)) {
            self.answered.insert(Arc::clone(id));
            return Arc::clone(id);
        }
        // A client that numbers responses alone answers calls without ids, in their order.
        let waiting = if id.is_some() { &mut self.unnamed } else { &mut self.waiting };
        let open = waiting.get_mut(name).and_then(|waiting| {
            std::iter::from_fn(|| waiting.pop_front()).find(|own| !self.answered.contains(own))
        });
        self.answered.extend(open.clone());
        // Matches no call, so that it is reported as an orphan.
        open.or(id).unwrap_or_else(|| format!("gemini-fc-{name}-none").into())
    }
}

fn read_content(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    index: usize,
    calls: &mut GeminiCallIds,
    path: &Path<'_>,
) -> Option<Message> {
    const ALLOWED: &str = "user, model or function";
    if node.as_object().is_none() {
        if node.as_str().is_some() {
            let mut message = Message::new(Role::User, parts(cx, node, calls, path));
            message.origin = Some(index);
            return Some(message);
        }
        cx.fault(path, format!("a content must be an object, not {}", node.kind()));
        return None;
    }
    let role = match cx.member(node, "role", path).as_deref() {
        None | Some("user" | "function" | "tool") => Role::User,
        Some("model" | "assistant") => Role::Assistant,
        Some("system") => Role::System,
        Some(other) => {
            let detail = format!("unknown role `{}`: use {ALLOWED}", shown(other));
            cx.fault(&path.key("role"), detail);
            return None;
        }
    };
    let mut message = Message::new(role, Vec::new());
    message.origin = Some(index);
    message.id = cx.member(node, "id", path).filter(|id| !id.is_empty());
    message.extra = extra(node, &["id", "role", "parts", "content"]);
    match node.get("parts") {
        Some(content) => message.parts = parts(cx, content, calls, &path.key("parts")),
        // A message that several shapes have, such as one of a session whose shape is decided later.
        None => match present(node, "content") {
            Some(content) => message.parts = block::content(cx, content, &path.key("content")),
            None => cx.fault(path, "`parts` is missing"),
        },
    }
    if role != Role::Assistant && message.has_tool_calls() {
        cx.fault(path, "only a model content calls functions");
    }
    Some(message)
}

fn parts(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    calls: &mut GeminiCallIds,
    path: &Path<'_>,
) -> Vec<Part> {
    if let Some(text) = node.as_str() {
        return vec![Part::text(cx.text(text, path))];
    }
    if let Some(items) = node.as_array() {
        let read = |(index, item)| part(cx, item, calls, &path.index(index));
        return items.iter().enumerate().filter_map(read).collect();
    }
    if node.get("text").is_some() {
        return part(cx, node, calls, path).into_iter().collect();
    }
    cx.fault(path, format!("must be a string or an array of parts, not {}", node.kind()));
    Vec::new()
}

/// The members that hold a part's content, by the names of the protocol and of the SDKs.
const PART_KEYS: &[(&str, &str)] = &[
    ("functionCall", "function_call"),
    ("functionResponse", "function_response"),
    ("inlineData", "inline_data"),
    ("fileData", "file_data"),
    ("text", "text"),
];

/// Members that describe how to read a part rather than its content.
const THOUGHT_KEYS: &[&str] = &["thought", "thoughtSignature", "thought_signature"];

fn part(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    calls: &mut GeminiCallIds,
    path: &Path<'_>,
) -> Option<Part> {
    if node.as_str().is_some() {
        return Some(Part::text(cx.string(node, path).unwrap_or_default()));
    }
    let Some(members) = node.as_object() else {
        cx.fault(path, format!("a part must be an object, not {}", node.kind()));
        return None;
    };
    let found = PART_KEYS.iter().find_map(|(name, alias)| {
        let key = if present(node, name).is_some() { name } else { alias };
        Some((*name, *key, present(node, key)?))
    });
    let Some((kind, key, inner)) = found else {
        let own = members.iter().find(|(key, _)| !THOUGHT_KEYS.contains(&&**key));
        let Some((key, _)) = own else {
            if either(node, "thoughtSignature", "thought_signature").is_some() {
                let mut part = Part::text("");
                part.signature = signature(cx, node, path);
                return Some(part);
            }
            cx.fault(path, "a part must not be empty");
            return None;
        };
        // `executableCode` and whatever else only this provider knows.
        let (kind, raw) = (Arc::from(&**key), cx.raw(node, path, true));
        return Some(Part::new(Content::Opaque { kind, raw }));
    };
    let at = path.key(key);
    let mut extra = extra(node, &[key, "thought", "thoughtSignature", "thought_signature"]);
    let content = match kind {
        "text" => {
            let text = cx.string(inner, &at).unwrap_or_default();
            if cx.flag(node, "thought", path) == Some(true) {
                Content::Thinking(Thinking { text, opaque: None })
            } else {
                Content::Text(text)
            }
        }
        "functionCall" => function_call(cx, inner, calls, &at, &mut extra),
        "functionResponse" => function_response(cx, inner, calls, &at, &mut extra),
        _ => Content::Media(media(cx, kind, inner, &at)),
    };
    let mut part = Part::new(content);
    part.signature = signature(cx, node, path);
    part.extra = extra;
    Some(part)
}

fn signature(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Option<Arc<str>> {
    let signature = either(node, "thoughtSignature", "thought_signature")?;
    cx.string(signature, &path.key("thoughtSignature"))
}

fn function_call(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    calls: &mut GeminiCallIds,
    path: &Path<'_>,
    kept: &mut Extra,
) -> Content {
    let name = cx.tool_name(node, path);
    let id = cx.member(node, "id", path).filter(|id| !id.is_empty());
    let id = calls.add_call(&name, id);
    let arguments = match present(node, "args") {
        Some(args) => cx.arguments(args, &path.key("args"), &id, true),
        None => Arc::from("{}"),
    };
    keep(kept, "functionCall", &extra(node, &["id", "name", "args"]));
    Content::ToolCall(ToolCall { id, name, arguments, custom: false })
}

/// A response's text is the string under `result` or `output` if that is its only member, else the
/// response itself.
fn function_response(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    calls: &mut GeminiCallIds,
    path: &Path<'_>,
    kept: &mut Extra,
) -> Content {
    let name = cx.tool_name(node, path);
    let id = cx.member(node, "id", path).filter(|id| !id.is_empty());
    let call_id = calls.take_call(&name, id);
    let mut others = extra(node, &["id", "name", "response", "parts"]);
    let at = path.key("response");
    let mut content = Vec::new();
    match present(node, "response") {
        None => {}
        // It is written back under `result`, as results of other shapes are.
        Some(response) if response.as_object().is_none() => {
            let detail = format!("{} is no object: it is under `result`", response.kind());
            cx.notes.repaired("response_wrapped", at.pointer(), detail);
            content.push(Part::text(match response.as_str() {
                Some(_) => cx.string(response, &at).unwrap_or_default(),
                None => cx.raw(response, &at, false).as_str().into(),
            }));
        }
        Some(response) => match lone_text(response) {
            Some((key, text)) => {
                let text = cx.string(text, &at).unwrap_or_default();
                let is_object = is_object(&text);
                content.push(Part::text(text));
                // Without a marker, a text is written back under `result`.
                if key != "result" || is_object {
                    let key = RawJson::new(format!("\"{key}\""));
                    others.insert(0, (Arc::from("response"), key));
                }
            }
            None => content.push(Part::text(cx.raw(response, &at, false).as_str())),
        },
    }
    if let Some(inner) = present(node, "parts") {
        response_parts(cx, inner, &path.key("parts"), &mut content);
        others.push((Arc::from("parts"), RawJson::new("true")));
    }
    keep(kept, "functionResponse", &others);
    Content::ToolResult(ToolResult { call_id, name: Some(name), content, is_error: None })
}

/// Reads the media of a function response: it holds nothing else.
fn response_parts(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    path: &Path<'_>,
    content: &mut Vec<Part>,
) {
    let Some(items) = node.as_array() else {
        return cx.fault(path, format!("must be an array of parts, not {}", node.kind()));
    };
    for (index, item) in items.iter().enumerate() {
        let path = path.index(index);
        let read = part(cx, item, &mut GeminiCallIds::default(), &path);
        let is_medium = |part: &Part| matches!(part.content, Content::Media(_));
        if let Some(part) = read.filter(is_medium) {
            content.push(part);
        } else {
            let detail = "the parts of a function response are `inlineData` or `fileData`";
            cx.fault(&path, detail);
        }
    }
}

fn lone_text<'n, 'a>(response: &'n Node<'a>) -> Option<(&'n str, &'n Node<'a>)> {
    let [(key, value)] = response.as_object()?.as_slice() else { return None };
    let is_text = matches!(&**key, "result" | "output") && value.as_str().is_some();
    is_text.then_some((&**key, value))
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && json::parse(text, Limits::default()).is_ok_and(|node| node.as_object().is_some())
}

/// Keeps the uninterpreted members of a call or a response, as one object.
fn keep(kept: &mut Extra, key: &str, others: &Extra) {
    if others.is_empty() {
        return;
    }
    let mut object = ObjectText::default();
    for (name, value) in others {
        object.member(name, value.as_str());
    }
    kept.push((Arc::from(key), RawJson::new(object.finish())));
}

const MEDIA_KEYS: [&str; 7] =
    ["data", "mimeType", "mime_type", "fileUri", "file_uri", "displayName", "display_name"];

fn media(cx: &mut ReadContext<'_>, kind: &str, node: &Node<'_>, path: &Path<'_>) -> Media {
    let mime = either(node, "mimeType", "mime_type").and_then(Node::as_str).unwrap_or("*/*");
    let source = if kind == "inlineData" {
        MediaSource::Base64(data_uri::standard(&cx.media_data(node, "data", path)))
    } else {
        let key = if node.get("fileUri").is_some() { "fileUri" } else { "file_uri" };
        let key = if node.get(key).is_some() { key } else { "fileUri" };
        MediaSource::Url(cx.required(node, key, path, "media needs its address"))
    };
    cx.report_lost(node, &MEDIA_KEYS, path);
    let key = if node.get("display_name").is_some() { "display_name" } else { "displayName" };
    Media { media_type: Arc::from(mime), source, name: cx.member(node, key, path) }
}
