//! Which messages stay verbatim because the caller says so.

use std::collections::BTreeSet;

use super::compress::Tools;
use crate::domain::{Content, Message, Notes, Part};
use crate::request::Protect;

/// One flag a message of the history. Names that nothing answers to are warned of: a misspelt
/// one would protect nothing in silence.
pub(super) fn run(
    protect: &Protect,
    history: &[Message],
    system: &[Message],
    notes: &mut Notes,
) -> Vec<bool> {
    let idle = protect.ids.is_empty()
        && protect.indexes.is_empty()
        && protect.roles.is_empty()
        && protect.tools.is_empty()
        && protect.matcher.is_none();
    if idle {
        return vec![false; history.len()];
    }
    let unmatched = unmatched(protect, || system.iter().chain(history));
    if !unmatched.is_empty() {
        notes.warn("protect_unmatched", "/protect".to_owned(), unmatched);
    }
    let tools = Tools::of_calls(history);
    history.iter().map(|message| is_protected(protect, &tools, message)).collect()
}

/// What is named and not there, the first few of it.
fn unmatched<'m, I: Iterator<Item = &'m Message>>(
    protect: &Protect,
    messages: impl Fn() -> I,
) -> String {
    /// Names told; a list of thousands is no reading.
    const MOST: usize = 8;
    let ids: BTreeSet<&str> = messages().filter_map(|message| message.id.as_deref()).collect();
    let indexes: BTreeSet<usize> = messages().filter_map(|message| message.origin).collect();
    let parts = || messages().flat_map(|message| &message.parts);
    let tools: BTreeSet<&str> = parts()
        .filter_map(|part| match &part.content {
            Content::ToolCall(call) => Some(&*call.name),
            Content::ToolResult(result) => result.name.as_deref(),
            _ => None,
        })
        .collect();
    let short = |name: &str| name.chars().take(60).collect::<String>();
    let ids = protect.ids.iter().filter(|id| !ids.contains(&***id)).map(|id| short(id));
    let indexes = protect.indexes.iter().filter(|at| !indexes.contains(at)).map(usize::to_string);
    let tools =
        protect.tools.iter().filter(|name| !tools.contains(&***name)).map(|name| short(name));
    let names: Vec<String> = ids.chain(indexes).chain(tools).take(MOST).collect();
    names.join(", ")
}

fn is_protected(protect: &Protect, tools: &Tools, message: &Message) -> bool {
    message.id.as_ref().is_some_and(|id| protect.ids.contains(id))
        || message.origin.is_some_and(|at| protect.indexes.contains(&at))
        || protect.roles.contains(&message.role)
        || message.parts.iter().any(|part| names_tool(protect, tools, part))
        || message.parts.iter().any(|part| matches(protect, part))
}

fn names_tool(protect: &Protect, tools: &Tools, part: &Part) -> bool {
    match &part.content {
        Content::ToolCall(call) => protect.tools.contains(&call.name),
        Content::ToolResult(result) => {
            tools.of(result).is_some_and(|name| protect.tools.contains(name))
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
