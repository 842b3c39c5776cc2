//! Which messages stay verbatim because the caller says so.

use std::collections::{BTreeMap, BTreeSet};

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
    let calls = history.iter().flat_map(Message::tool_calls);
    let names: BTreeMap<&str, &str> = calls.map(|call| (&*call.id, &*call.name)).collect();
    history.iter().map(|message| is_protected(protect, &names, message)).collect()
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

/// `names`: the tools' names by the ids of their calls; most results bear only the id.
fn is_protected(protect: &Protect, names: &BTreeMap<&str, &str>, message: &Message) -> bool {
    message.id.as_ref().is_some_and(|id| protect.ids.contains(id))
        || message.origin.is_some_and(|at| protect.indexes.contains(&at))
        || protect.roles.contains(&message.role)
        || message.parts.iter().any(|part| names_tool(protect, names, part))
        || message.parts.iter().any(|part| matches(protect, part))
}

fn names_tool(protect: &Protect, names: &BTreeMap<&str, &str>, part: &Part) -> bool {
    match &part.content {
        Content::ToolCall(call) => protect.tools.contains(&call.name),
        Content::ToolResult(result) => {
            let name = result.name.as_deref().or_else(|| names.get(&*result.call_id).copied());
            name.is_some_and(|name| protect.tools.contains(name))
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
