//! Definitions that a search for tools found: a later call of such a tool needs them.
//!
//! A deferred tool is in the prompt from the place on at which the search names it
//! (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool>,
//! <https://developers.openai.com/api/docs/guides/tools-tool-search>).

use std::collections::{HashMap, HashSet};

use crate::domain::{Content, Message, Part};
use crate::json::{self, Limits, Node};

/// One flag for each message: whether it is the first that names a tool which a later message calls.
pub(super) fn needed_references(history: &[Message]) -> Vec<bool> {
    let mut flags = vec![false; history.len()];
    let named: Vec<Vec<String>> = history.iter().map(names).collect();
    if named.iter().all(Vec::is_empty) {
        return flags;
    }
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (at, message) in history.iter().enumerate() {
        last.extend(message.tool_calls().map(|call| (&*call.name, at)));
    }
    let mut seen = HashSet::new();
    for (at, (flag, names)) in flags.iter_mut().zip(&named).enumerate() {
        for name in names {
            let is_called = last.get(name.as_str()).is_some_and(|last| *last > at);
            *flag |= is_called && seen.insert(name);
        }
    }
    flags
}

/// The tools that a message names as found.
fn names(message: &Message) -> Vec<String> {
    let mut found = Vec::new();
    for part in &message.parts {
        match &part.content {
            Content::ToolResult(result) => {
                result.content.iter().for_each(|part| add_names(part, &mut found));
            }
            _ => add_names(part, &mut found),
        }
    }
    found
}

fn add_names(part: &Part, found: &mut Vec<String>) {
    let Content::Opaque { kind, raw } = &part.content else { return };
    if !matches!(&**kind, "tool_reference" | "tool_search_tool_result" | "tool_search_output") {
        return;
    }
    let Ok(node) = json::parse(raw.as_str(), Limits::default()) else { return };
    let add = |node: &Node<'_>, key: &str, found: &mut Vec<String>| {
        found.extend(node.get(key).and_then(Node::as_str).map(str::to_owned));
    };
    let list = |node: &Node<'_>, key: &str, each: &mut dyn FnMut(&Node<'_>)| {
        node.get(key).and_then(Node::as_array).unwrap_or_default().iter().for_each(each);
    };
    add(&node, "tool_name", found);
    if let Some(content) = node.get("content") {
        list(content, "tool_references", &mut |own| add(own, "tool_name", found));
    }
    list(&node, "tools", &mut |own| {
        add(own, "name", found);
        // A namespace has tools of its own.
        list(own, "tools", &mut |own| add(own, "name", found));
    });
}
