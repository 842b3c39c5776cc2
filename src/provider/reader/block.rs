//! Typed parts (`{"type": …}`), as OpenAI, Anthropic and the neutral shape have them.
//!
//! Their type words do not collide, so one reader serves all of them, and a list that mixes shapes
//! is read as well. A part of an unknown type is kept unchanged.

use std::sync::Arc;

use super::context::{ReadContext, part_extra, present, unmarked};
use super::{media, resource};
use crate::domain::{Content, Part, Thinking, ToolCall, ToolResult};
use crate::json::{self, Limits, Node, Path, Value};

/// The `content` of a message: a string, null, or an array of parts. An empty string is no
/// part at all.
pub(super) fn content(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Vec<Part> {
    match &node.value {
        Value::Null => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![Part::text(cx.shared(text, path))],
        Value::Array(items) => items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| part(cx, item, &path.index(index)))
            .collect(),
        _ => {
            let detail = format!("must be a string or an array of parts, not {}", node.kind());
            cx.fault(path, detail);
            Vec::new()
        }
    }
}

/// Reads the content of a tool's result: like [`content`], but only text, media and opaque items.
pub(super) fn result_content(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    path: &Path<'_>,
) -> Vec<Part> {
    let mut parts = content(cx, node, path);
    // Only an item that is no text can differ, and each item results in exactly one part or a
    // fault.
    let items = node.as_array().unwrap_or_default();
    for (part, item) in parts.iter_mut().zip(items) {
        if matches!(
            part.content,
            Content::Thinking(_) | Content::ToolCall(_) | Content::ToolResult(_)
        ) {
            // Its mark was read with it.
            part.content = whole(cx, item, path);
            part.signature = None;
            part.extra.clear();
        }
    }
    parts
}

/// Whether a value is a block of content, as against JSON that a tool made up.
pub(super) fn is_content_block(node: &Node<'_>) -> bool {
    const KINDS: &[&str] = &[
        "audio",
        "document",
        "file",
        "image",
        "image_url",
        "input_audio",
        "input_file",
        "input_image",
        "input_text",
        "media",
        "output_text",
        "resource",
        "resource_link",
        "search_result",
        "text",
        "video_url",
    ];
    let kind = node.get("type").and_then(Node::as_str);
    kind.is_some_and(|kind| KINDS.contains(&kind) && (kind != "text" || node.get("text").is_some()))
}

/// Reads one part; returns nothing after a fault.
pub(super) fn part(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Option<Part> {
    if let Value::String(text) = &node.value {
        return Some(Part::text(cx.shared(text, path)));
    }
    if node.as_object().is_none() {
        cx.fault(path, format!("a part must be an object, not {}", node.kind()));
        return None;
    }
    let kind = match present(node, "type") {
        Some(kind) => {
            let Some(word) = kind.as_str() else {
                cx.fault(&path.key("type"), format!("must be a string, not {}", kind.kind()));
                return None;
            };
            word
        }
        None if node.get("text").is_some() => "text",
        None => {
            cx.fault(path, "a part needs a `type`");
            return None;
        }
    };
    let mut part = match kind {
        "text" | "input_text" | "output_text" => text(cx, node, path),
        "thinking" => thinking(cx, node, path),
        "redacted_thinking" => {
            let _ = cx.required(node, "data", path, "redacted thinking is its data");
            let _ = cx.raw(node, path, true);
            let opaque = Some(unmarked(node));
            Part::new(Content::Thinking(Thinking { text: Arc::from(""), opaque }))
        }
        "tool_use" => call(cx, node, path, "input"),
        "tool_call" => call(cx, node, path, "arguments"),
        "tool_result" => result(cx, node, path),
        "opaque" => read_opaque(cx, node, path),
        "resource" | "resource_link" => match resource::read(cx, node, path) {
            Some(part) => part,
            None => return Some(opaque(cx, node, path)),
        },
        _ => match media::read(cx, kind, node, path) {
            Some(part) => part,
            None => return Some(opaque(cx, node, path)),
        },
    };
    part.cache = cx.part_mark(node, path).or(part.cache);
    part.signature = cx.member(node, "signature", path);
    Some(part)
}

/// A part that is returned to its provider with its original bytes. Its cache mark belongs to the
/// part, since marks are counted and moved.
pub(super) fn opaque(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Part {
    let mut part = Part::new(whole(cx, node, path));
    part.cache = cx.cache_mark(node, path);
    part
}

fn whole(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Content {
    let kind = node.get("type").and_then(Node::as_str).unwrap_or("unknown");
    let _ = cx.raw(node, path, true);
    Content::Opaque { kind: Arc::from(kind), raw: unmarked(node) }
}

fn text(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Part {
    let text =
        cx.require_member(node, "text", path).and_then(|text| cx.string(text, &path.key("text")));
    let mut part = Part::text(text.unwrap_or_default());
    part.extra = part_extra(node, &["type", "text"]);
    part
}

fn thinking(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Part {
    let key = if node.get("thinking").is_some() { "thinking" } else { "text" };
    if present(node, "signature").is_some() {
        let _ = cx.raw(node, path, true);
    }
    // Mistral's models give their thinking as parts.
    let text = match node.get(key).and_then(Node::as_array) {
        Some(items) => {
            let text = |item| Node::get(item, "text").and_then(Node::as_str);
            let text = items.iter().filter_map(text).collect::<Vec<_>>().concat();
            cx.text(&text, &path.key(key))
        }
        None => cx.member(node, key, path).unwrap_or_default(),
    };
    let opaque = present(node, "opaque").map(|item| cx.raw(item, &path.key("opaque"), true));
    let mut part = Part::new(Content::Thinking(Thinking { text, opaque }));
    part.extra = part_extra(node, &["type", key, "opaque"]);
    part
}

/// Anthropic's `tool_use` and the neutral `tool_call`.
fn call(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>, key: &str) -> Part {
    let id = cx.required(node, "id", path, "a tool call needs an id");
    let name = cx.tool_name(node, path);
    let custom = key == "arguments" && cx.flag(node, "custom", path) == Some(true);
    let at = path.key(key);
    let streamed = present(node, "partial_json")
        .filter(|text| has_no_members(node.get(key)) && text.as_str().is_some_and(is_object));
    let arguments = match streamed.or(present(node, key)) {
        None => {
            cx.empty_arguments(path, &id);
            Arc::from("{}")
        }
        Some(text) if custom => cx.string(text, &at).unwrap_or_default(),
        Some(value) => cx.arguments(value, &at, &id, true),
    };
    let mut part = Part::new(Content::ToolCall(ToolCall { id, name, arguments, custom }));
    part.extra = part_extra(node, &["type", "id", "name", key, "custom"]);
    if streamed.is_some() {
        part.extra.retain(|(name, _)| &**name != "partial_json");
    }
    part
}

/// Whether a call's input is absent or empty: programs that collect a stream leave it so and keep the
/// arguments as the text that arrived.
fn has_no_members(input: Option<&Node<'_>>) -> bool {
    input.is_none_or(|input| match &input.value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    })
}

fn is_object(text: &str) -> bool {
    json::parse(text, Limits::default()).is_ok_and(|node| node.as_object().is_some())
}

/// Anthropic's and the neutral `tool_result`.
fn result(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Part {
    const IDS: [&str; 3] = ["tool_use_id", "call_id", "tool_call_id"];
    let key = IDS.into_iter().find(|key| node.get(key).is_some()).unwrap_or("tool_use_id");
    let call_id = cx.required(node, key, path, "a tool result needs the id of its call");
    let content = match present(node, "content") {
        Some(content) => result_content(cx, content, &path.key("content")),
        None => Vec::new(),
    };
    let name = cx.member(node, "name", path);
    let is_error = cx.flag(node, "is_error", path);
    let result = ToolResult { call_id, name, content, is_error };
    let mut part = Part::new(Content::ToolResult(result));
    part.extra = part_extra(node, &["type", key, "content", "name", "is_error"]);
    part
}

/// The neutral shape's way to carry an item: `{"type": "opaque", "kind", "raw"}`.
fn read_opaque(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Part {
    let kind = node.get("kind").and_then(Node::as_str);
    match (kind, node.get("raw")) {
        (Some(kind), Some(item)) => {
            let _ = cx.raw(item, &path.key("raw"), true);
            let raw = unmarked(item);
            let mut part = Part::new(Content::Opaque { kind: Arc::from(kind), raw });
            part.cache = cx.cache_mark(item, &path.key("raw"));
            part
        }
        _ => Part::new(whole(cx, node, path)),
    }
}
