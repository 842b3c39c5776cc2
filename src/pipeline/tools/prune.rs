//! Which tools of the list stay, by the task and by their names.

use std::sync::Arc;

use crate::domain::ToolDefinition;
use crate::json::{self, Limits, Node};
use crate::request::{Prune, Strategy};

/// The tools that stay, in their order, and the names of the others.
pub(super) fn run(
    list: Vec<ToolDefinition>,
    prune: Option<&Prune>,
) -> (Vec<ToolDefinition>, Vec<Arc<str>>) {
    let Some(prune) = prune else { return (list, Vec::new()) };
    let task = prune.task.as_ref().map(|task| task.to_lowercase());
    let allow: Option<Vec<String>> =
        prune.allow.as_ref().map(|names| names.iter().map(|name| name.to_lowercase()).collect());
    let stays = |tool: &ToolDefinition| {
        let by_task = task.as_ref().map(|task| is_for(tool, task));
        let by_name = allow.as_ref().map(|names| names.contains(&tool.name.to_lowercase()));
        match (by_task, by_name, prune.strategy) {
            (None, None, _) => true,
            (Some(stays), None, _) | (None, Some(stays), _) => stays,
            (Some(by_task), Some(by_name), Strategy::Union) => by_task || by_name,
            (Some(by_task), Some(by_name), Strategy::Intersection) => by_task && by_name,
        }
    };
    let (kept, removed): (Vec<_>, Vec<_>) = list.into_iter().partition(stays);
    (kept, removed.into_iter().map(|tool| tool.name).collect())
}

/// Whether a tool has no tags, or its name or one of them stands in the task, which is in small
/// letters.
fn is_for(tool: &ToolDefinition, task: &str) -> bool {
    let tags = tags(tool);
    tags.is_empty()
        || task.contains(&tool.name.to_lowercase())
        || tags.iter().any(|tag| task.contains(&tag.to_lowercase()))
}

fn tags(tool: &ToolDefinition) -> Vec<String> {
    let raw = tool.extra.iter().find(|(key, _)| &**key == "tags").map(|(_, raw)| raw.as_str());
    let node = raw.and_then(|raw| json::parse(raw, Limits::default()).ok());
    let tags = node.as_ref().and_then(Node::as_array).unwrap_or_default().iter();
    tags.filter_map(Node::as_str).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}
