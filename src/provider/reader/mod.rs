//! Reads a request's body into neutral messages.
//!
//! Nothing is dropped without a note. Uninterpreted members are kept in the extra members of their
//! message, part or tool; an item that only its provider knows is kept unchanged, byte for byte.
//! Tool results are in `tool` messages of their own, one each.

mod block;
mod cache;
mod context;
mod data_uri;
mod detection;
mod gemini;
mod media;
mod message;
mod resource;
mod responses;
mod tools;

#[cfg(test)]
mod tests;

pub use context::{SURROGATE_REPLACED, note_replaced, without_nul};
pub use detection::{detect, detect_in};

use context::{ReadContext, present};

use crate::domain::{
    CacheMembers, Conversation, Message, Notes, Part, Role, Source, ToolDefinition,
};
use crate::json::{Faults, Node, Path};

/// The request keys of a conversation, in any provider's shape.
pub const CONVERSATION_KEYS: &[&str] = &[
    "messages",
    "contents",
    "input",
    "system",
    "systemInstruction",
    "system_instruction",
    "instructions",
];

/// Most messages of one request.
pub const MAX_MESSAGES: usize = 10_000;

/// The key of the body's list of messages, as pointers into the request name it.
pub fn list_key(body: &Node<'_>) -> &'static str {
    Source::LIST_KEYS.into_iter().find(|key| present(body, key).is_some()).unwrap_or("messages")
}

/// Values of `repair`, and whether each keeps malformed tool arguments as they are.
pub const REPAIR_MODES: &[(&str, bool)] = &[("strict", false), ("lenient", true)];

/// Whether the value of `repair` asks for malformed tool arguments to be kept; `None` if it does not
/// say.
pub fn keeps_malformed(repair: Option<&Node<'_>>) -> Option<bool> {
    let word = repair?.as_str()?;
    REPAIR_MODES.iter().find(|(known, _)| *known == word).map(|(_, lenient)| *lenient)
}

/// Reads the conversation of a request body.
///
/// Never panics. If `faults` is not empty afterwards, the result must not be used. With `"repair":
/// "lenient"` in the body malformed tool arguments are kept as they are.
pub fn read(
    body: &Node<'_>,
    source: Source,
    faults: &mut Faults,
    notes: &mut Notes,
) -> Conversation {
    let mut cx = ReadContext {
        faults,
        notes,
        lenient: keeps_malformed(body.get("repair")).unwrap_or(false),
    };
    let root = Path::Root;
    if !CONVERSATION_KEYS.iter().any(|key| present(body, key).is_some()) {
        cx.fault(&root, "there is no conversation: give `messages`, `input` or `contents`");
    }
    let mut system = instructions(&mut cx, body);
    let mut history = messages(&mut cx, body, source);
    let leading = history.iter().take_while(|message| message.role == Role::System).count();
    system.extend(history.drain(..leading));
    let tools = tools_in(&mut cx, body);
    Conversation { source, system, history, tools }
}

/// Reads the content of a tool's result that is a list of content blocks, or the result of an MCP tool
/// with one: its parts. `None`: it is JSON of the tool's own.
///
/// All members of an MCP result but `content` may be absent: `CallToolResult` in
/// <https://modelcontextprotocol.io/specification/2025-06-18/schema#calltoolresult>.
pub fn read_content(
    node: &Node<'_>,
    path: &Path<'_>,
    faults: &mut Faults,
    notes: &mut Notes,
) -> Option<Vec<Part>> {
    let has = |key: &str| present(node, key).is_some();
    let (list, path) = match (node.get("content"), node.as_object()) {
        (Some(inner), Some(members)) => {
            let is_mcp = has("isError") || has("structuredContent");
            let only = ["content", "isError", "structuredContent", "_meta", "resultType"];
            if !is_mcp && !members.iter().all(|(key, _)| only.contains(&&**key)) {
                return None;
            }
            (inner, path.key("content"))
        }
        _ => (node, *path),
    };
    let items = list.as_array()?;
    if items.is_empty() {
        // Structured content replaces the blocks.
        let is_mcp = has("isError") || has("_meta") || has("resultType");
        return match present(node, "structuredContent") {
            Some(structured) => Some(vec![Part::text(structured.raw)]),
            None => is_mcp.then(Vec::new),
        };
    }
    if !items.iter().all(block::is_content_block) {
        return None;
    }
    let mut cx = ReadContext { faults, notes, lenient: true };
    Some(block::result_content(&mut cx, list, &path))
}

/// Reads the messages of a conversation, without system text and tools. If `is_lenient`, malformed
/// tool arguments are kept as they are.
pub fn read_messages(
    list: &Node<'_>,
    source: Source,
    is_lenient: bool,
    faults: &mut Faults,
    notes: &mut Notes,
) -> Vec<Message> {
    messages(&mut ReadContext { faults, notes, lenient: is_lenient }, list, source)
}

/// Reads the conversation of a request body whose messages are not known yet: system text outside of
/// the list, and tools.
pub fn read_without_messages(
    body: &Node<'_>,
    source: Source,
    faults: &mut Faults,
    notes: &mut Notes,
) -> Conversation {
    let mut cx = ReadContext { faults, notes, lenient: false };
    let system = instructions(&mut cx, body);
    let tools = tools_in(&mut cx, body);
    Conversation { system, tools, ..Conversation::empty(source) }
}

fn tools_in(cx: &mut ReadContext<'_>, body: &Node<'_>) -> Vec<ToolDefinition> {
    match present(body, "tools") {
        Some(tools) => tools::list(cx, tools, &Path::Root.key("tools")),
        None => Vec::new(),
    }
}

/// Reads tool definitions: an array in any provider's shape, or an object with it as `list`.
pub fn read_tools(
    node: &Node<'_>,
    path: &Path<'_>,
    faults: &mut Faults,
    notes: &mut Notes,
) -> Vec<ToolDefinition> {
    tools::list(&mut ReadContext { faults, notes, lenient: false }, node, path)
}

/// Reads the members of a request body that direct its provider's cache.
pub fn read_cache_members(body: &Node<'_>, faults: &mut Faults, notes: &mut Notes) -> CacheMembers {
    cache::members(&mut ReadContext { faults, notes, lenient: false }, body)
}

/// System text outside of the list.
fn instructions(cx: &mut ReadContext<'_>, body: &Node<'_>) -> Vec<Message> {
    let mut system = Vec::new();
    let mut add = |parts: Vec<Part>| {
        if !parts.is_empty() {
            system.push(Message::new(Role::System, parts));
        }
    };
    let root = Path::Root;
    for key in ["system", "instructions"] {
        if let Some(node) = present(body, key) {
            add(block::content(cx, node, &root.key(key)));
        }
    }
    for key in ["systemInstruction", "system_instruction"] {
        if let Some(node) = present(body, key) {
            add(gemini::instruction(cx, node, &root.key(key)));
        }
    }
    system
}

fn messages(cx: &mut ReadContext<'_>, body: &Node<'_>, source: Source) -> Vec<Message> {
    let root = Path::Root;
    let mut given =
        Source::LIST_KEYS.into_iter().filter_map(|key| Some((key, present(body, key)?)));
    let Some((key, node)) = given.next() else { return Vec::new() };
    for (other, _) in given {
        let detail = format!("the conversation is already given as `{key}`");
        cx.fault(&root.key(other), detail);
    }
    let path = root.key(key);
    if key != "messages" && node.as_str().is_some() {
        let text = cx.string(node, &path).unwrap_or_default();
        let mut message = Message::text(Role::User, text);
        message.origin = Some(0);
        return vec![message];
    }
    let one;
    let items = match node.as_array() {
        Some(items) => items,
        // Gemini's SDKs take a single content for a list of one.
        None if key == "contents" && node.as_object().is_some() => {
            one = [node.clone()];
            &one
        }
        None => {
            cx.fault(&path, format!("must be an array of messages, not {}", node.kind()));
            return Vec::new();
        }
    };
    if items.len() > MAX_MESSAGES {
        let detail = format!("{} messages are more than {MAX_MESSAGES}", items.len());
        cx.fault(&path, detail);
        return Vec::new();
    }
    match source {
        Source::Openai | Source::Anthropic | Source::Neutral => {
            message::read_list(cx, items, &path)
        }
        Source::OpenaiResponses => responses::read_list(cx, items, &path),
        Source::Gemini => gemini::list(cx, items, &path),
    }
}
