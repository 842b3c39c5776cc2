//! Finds the messages that stay verbatim because the caller protects them.

use std::collections::BTreeSet;

use super::compress::ResultTools;
use super::tool_references::needed_references;
use crate::domain::{Content, Message, Notes, Part};
use crate::limit::{Deadline, SearchError, StopReason};
use crate::provider::has_compaction;
use crate::request::ProtectOptions;

/// One flag for each message of the history. Names that match nothing give a warning: a misspelt
/// one would protect nothing in silence.
pub(super) fn run(
    protect: &ProtectOptions,
    history: &[Message],
    system: &[Message],
    notes: &mut Notes,
    deadline: &Deadline,
) -> Result<Vec<bool>, StopReason> {
    let idle = protect.ids.is_empty()
        && protect.indexes.is_empty()
        && protect.roles.is_empty()
        && protect.tools.is_empty()
        && protect.patterns.is_empty();
    let mut flags = needed_references(history);
    for (flag, message) in flags.iter_mut().zip(history) {
        // What came before is in it alone: no budget removes it.
        *flag |= has_compaction(message);
    }
    if idle {
        return Ok(flags);
    }
    if let Some((place, names)) = unmatched(protect, || system.iter().chain(history)) {
        notes.warn("protect_unmatched", place, names);
    }
    let tools = ResultTools::new(history);
    for (flag, message) in flags.iter_mut().zip(history) {
        *flag = *flag || is_protected(protect, &tools, message, deadline)?;
    }
    Ok(flags)
}

/// An entry of `protect` that names nothing in the request.
struct UnmatchedName {
    /// The key of its list.
    list: &'static str,
    /// Its index in the list.
    index: usize,
    name: String,
}

impl UnmatchedName {
    fn new(list: &'static str, index: usize, name: &impl ToString) -> Self {
        Self { list, index, name: name.to_string() }
    }
}

/// The pointer to the first name that matches nothing, and the first few of these names.
fn unmatched<'m, I: Iterator<Item = &'m Message>>(
    protect: &ProtectOptions,
    messages: impl Fn() -> I,
) -> Option<(String, String)> {
    /// The most names in a warning: a list of thousands is not readable.
    const MAX_NAMES: usize = 8;
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
    let ids = protect.ids.iter().filter(|(id, _)| !ids.contains(&***id));
    let ids = ids.map(|(id, place)| UnmatchedName::new("messages", *place, id));
    let indexes = protect.indexes.iter().filter(|(at, _)| !indexes.contains(*at));
    let indexes = indexes.map(|(at, place)| UnmatchedName::new("messages", *place, at));
    let tools = protect.tools.iter().filter(|(name, _)| !tools.contains(&***name));
    let tools = tools.map(|(name, place)| UnmatchedName::new("tools", *place, name));
    let mut missing: Vec<UnmatchedName> = ids.chain(indexes).chain(tools).collect();
    // In the order of the request.
    missing.sort_unstable_by_key(|missing| (missing.list, missing.index));
    let UnmatchedName { list, index, .. } = missing.first()?;
    let pointer = format!("/protect/{list}/{index}");
    let short = missing.iter().map(|missing| missing.name.chars().take(60).collect::<String>());
    let names: Vec<String> = short.take(MAX_NAMES).collect();
    Some((pointer, names.join(", ")))
}

fn is_protected(
    protect: &ProtectOptions,
    tools: &ResultTools,
    message: &Message,
    deadline: &Deadline,
) -> Result<bool, StopReason> {
    let is_named = message.id.as_ref().is_some_and(|id| protect.ids.contains_key(id))
        || message.origin.is_some_and(|at| protect.indexes.contains_key(&at))
        || protect.roles.contains(&message.role)
        || message.parts.iter().any(|part| names_tool(protect, tools, part));
    Ok(is_named || any(&message.parts, |part| matches(protect, part, deadline))?)
}

/// Whether one of some holds; the first error ends it.
fn any<T>(items: &[T], holds: impl Fn(&T) -> Result<bool, StopReason>) -> Result<bool, StopReason> {
    for item in items {
        if holds(item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn names_tool(protect: &ProtectOptions, tools: &ResultTools, part: &Part) -> bool {
    match &part.content {
        Content::ToolCall(call) => protect.tools.contains_key(&call.name),
        Content::ToolResult(result) => {
            tools.tool_name(result).is_some_and(|name| protect.tools.contains_key(name))
        }
        _ => false,
    }
}

fn matches(protect: &ProtectOptions, part: &Part, deadline: &Deadline) -> Result<bool, StopReason> {
    let text = match &part.content {
        Content::Text(text) => text,
        Content::ToolCall(call) => &call.arguments,
        Content::ToolResult(result) => {
            return any(&result.content, |part| matches(protect, part, deadline));
        }
        _ => return Ok(false),
    };
    any(&protect.patterns, |own| match own.pattern.is_match(text, deadline) {
        Ok(is_match) => Ok(is_match),
        Err(SearchError::Stopped(stop)) => Err(stop),
        // A request with such a pattern is not read; a text that may be protected stays.
        Err(SearchError::Unusable(_)) => Ok(true),
    })
}
