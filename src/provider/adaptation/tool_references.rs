//! Names of tools in what a search for tools found: they follow tools that are renamed, and tools that
//! are not sent are named no longer.
//!
//! Anthropic refuses a reference to a tool without a definition:
//! <https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool>.

use std::collections::HashSet;
use std::sync::Arc;

use super::calls::valid_name;
use super::{ConversationAdapter, MessageRegion, is_tool_change, pointer};
use crate::domain::{Content, Message, Part, RawJson, Target, ToolDefinition};
use crate::json::{self, Limits, Node, ObjectText, write_string};
use crate::provider::words::{list_distinct, shown};

const REFERENCE: &str = "tool_reference";
const SEARCH_RESULT: &str = "tool_search_tool_result";

/// What is sent for a reference.
enum NewReference {
    Same,
    Renamed(Arc<str>),
    Dropped,
}

impl ConversationAdapter<'_> {
    /// Brings the references of a history up to date with the tools that are sent.
    pub(super) fn tool_references(&mut self, history: &mut [Message], tools: &[ToolDefinition]) {
        if self.target != Target::Anthropic || !history.iter().any(has_references) {
            return;
        }
        // The tools of a server, and those that a message adds, have no definition in the list. Without
        // any list the caller has one of its own.
        let is_server = |tool: &ToolDefinition| {
            tool.opaque.as_ref().is_some_and(|raw| raw.as_str().contains("\"mcp_toolset\""))
        };
        let adds = |part: &Part| matches!(&part.content, Content::Opaque { kind, .. } if is_tool_change(kind));
        let is_whole = !tools.is_empty()
            && !tools.iter().any(is_server)
            && !history.iter().flat_map(|message| &message.parts).any(adds);
        let sent: Option<HashSet<&str>> =
            is_whole.then(|| tools.iter().map(|tool| &*tool.name).collect());
        let new = |name: &str| {
            let renamed = valid_name(Target::Anthropic, name);
            let now = renamed.as_deref().unwrap_or(name);
            if sent.as_ref().is_some_and(|sent| !sent.contains(now)) {
                return NewReference::Dropped;
            }
            renamed.map_or(NewReference::Same, NewReference::Renamed)
        };
        for message in history {
            let mut dropped: Vec<Arc<str>> = Vec::new();
            for part in &mut message.parts {
                match &mut part.content {
                    Content::ToolResult(result) => {
                        in_result(&mut result.content, &new, &mut dropped);
                    }
                    Content::Opaque { kind, raw } if **kind == *SEARCH_RESULT => {
                        if let Some(text) = in_search_result(raw, &new, &mut dropped) {
                            *raw = RawJson::new(text);
                        }
                    }
                    _ => {}
                }
            }
            if !dropped.is_empty() {
                let at = pointer(self.source, message.origin, MessageRegion::History);
                self.notes.degraded("tool_reference_dropped", at, list_distinct(&dropped));
            }
        }
    }
}

fn has_references(message: &Message) -> bool {
    let is_one = |part: &Part| matches!(&part.content, Content::Opaque { kind, .. } if **kind == *REFERENCE || **kind == *SEARCH_RESULT);
    message.parts.iter().any(|part| match &part.content {
        Content::ToolResult(result) => result.content.iter().any(is_one),
        _ => is_one(part),
    })
}

/// The references in the result of a tool that searches.
fn in_result(
    content: &mut Vec<Part>,
    new: &impl Fn(&str) -> NewReference,
    dropped: &mut Vec<Arc<str>>,
) {
    let mut names: Vec<Arc<str>> = Vec::new();
    content.retain_mut(|part| {
        let Content::Opaque { kind, raw } = &mut part.content else { return true };
        if **kind != *REFERENCE {
            return true;
        }
        let Ok(node) = json::parse(raw.as_str(), Limits::default()) else { return true };
        let Some(name) = node.get("tool_name").and_then(Node::as_str) else { return true };
        match new(name) {
            NewReference::Same => {}
            NewReference::Renamed(name) => {
                let text = renamed(&node, &name);
                *raw = RawJson::new(text);
            }
            NewReference::Dropped => {
                names.push(name.into());
                return false;
            }
        }
        true
    });
    if content.is_empty() && !names.is_empty() {
        let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
        content.push(Part::text(format!("[tools that are no longer there: {}]", names.join(", "))));
    }
    dropped.extend(names);
}

/// The references in what the provider's own search found; none if they stay.
fn in_search_result(
    raw: &RawJson,
    new: &impl Fn(&str) -> NewReference,
    dropped: &mut Vec<Arc<str>>,
) -> Option<String> {
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let references = node.get("content")?.get("tool_references")?.as_array()?;
    let mut is_changed = false;
    let mut left: Vec<String> = Vec::with_capacity(references.len());
    for reference in references {
        let name = reference.get("tool_name").and_then(Node::as_str).unwrap_or_default();
        match new(name) {
            NewReference::Same => left.push(reference.raw.to_owned()),
            NewReference::Renamed(name) => {
                is_changed = true;
                left.push(renamed(reference, &name));
            }
            NewReference::Dropped => {
                is_changed = true;
                dropped.push(name.into());
            }
        }
    }
    let list = format!("[{}]", left.join(","));
    let content = with_member(node.get("content")?, "tool_references", &list);
    is_changed.then(|| with_member(&node, "content", &content))
}

fn renamed(reference: &Node<'_>, name: &str) -> String {
    let mut text = String::new();
    write_string(&mut text, name);
    with_member(reference, "tool_name", &text)
}

/// An object with another value of one member.
fn with_member(node: &Node<'_>, key: &str, text: &str) -> String {
    let mut out = ObjectText::default();
    for (name, value) in node.as_object().into_iter().flatten() {
        out.member(name, if name == key { text } else { value.raw });
    }
    out.finish()
}
