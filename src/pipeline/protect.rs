//! Which messages stay verbatim because the caller says so.

use crate::domain::{Content, Message, Part};
use crate::request::Protect;

/// One flag a message of the history.
pub(super) fn run(protect: &Protect, history: &[Message]) -> Vec<bool> {
    let idle = protect.ids.is_empty()
        && protect.indexes.is_empty()
        && protect.roles.is_empty()
        && protect.tools.is_empty()
        && protect.matcher.is_none();
    if idle {
        return vec![false; history.len()];
    }
    history.iter().map(|message| is_protected(protect, message)).collect()
}

fn is_protected(protect: &Protect, message: &Message) -> bool {
    message.id.as_ref().is_some_and(|id| protect.ids.contains(id))
        || message.origin.is_some_and(|at| protect.indexes.contains(&at))
        || protect.roles.contains(&message.role)
        || message.parts.iter().any(|part| names_tool(protect, part))
        || message.parts.iter().any(|part| matches(protect, part))
}

fn names_tool(protect: &Protect, part: &Part) -> bool {
    match &part.content {
        Content::ToolCall(call) => protect.tools.contains(&call.name),
        Content::ToolResult(result) => {
            result.name.as_ref().is_some_and(|name| protect.tools.contains(name))
        }
        _ => false,
    }
}

fn matches(protect: &Protect, part: &Part) -> bool {
    let Some(matcher) = &protect.matcher else { return false };
    match &part.content {
        Content::Text(text) => matcher.is_match(text),
        Content::ToolCall(call) => matcher.is_match(&call.arguments),
        Content::ToolResult(result) => result.content.iter().any(|part| matches(protect, part)),
        _ => false,
    }
}
