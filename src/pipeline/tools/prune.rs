//! Which tools of the list stay, by the task and by their names.

use std::sync::Arc;

use crate::domain::ToolDefinition;
use crate::json::{self, Limits, Node};
use crate::pipeline::{Deadline, StopReason};
use crate::request::{Prune, Strategy};

/// The tools that stay, in their order, and the names of the others.
pub(super) fn run(
    list: Vec<ToolDefinition>,
    prune: Option<&Prune>,
    deadline: &Deadline,
) -> Result<(Vec<ToolDefinition>, Vec<Arc<str>>), StopReason> {
    let Some(prune) = prune else { return Ok((list, Vec::new())) };
    let task = prune.task.as_ref().map(|task| task.to_lowercase());
    let allow: Option<Vec<String>> =
        prune.allow.as_ref().map(|names| names.iter().map(|name| name.to_lowercase()).collect());
    let stays = |tool: &ToolDefinition| -> Result<bool, StopReason> {
        let by_task = task.as_ref().map(|task| is_for(tool, task, deadline)).transpose()?;
        let by_name = allow.as_ref().map(|names| names.contains(&tool.name.to_lowercase()));
        Ok(match (by_task, by_name, prune.strategy) {
            (None, None, _) => true,
            (Some(stays), None, _) | (None, Some(stays), _) => stays,
            (Some(by_task), Some(by_name), Strategy::Union) => by_task || by_name,
            (Some(by_task), Some(by_name), Strategy::Intersection) => by_task && by_name,
        })
    };
    let (mut kept, mut removed) = (Vec::with_capacity(list.len()), Vec::new());
    for tool in list {
        if stays(&tool)? {
            kept.push(tool);
        } else {
            removed.push(tool.name);
        }
    }
    Ok((kept, removed))
}

/// Whether a tool has no tags, or its name or one of them is in the task, which is in lower case.
fn is_for(tool: &ToolDefinition, task: &str, deadline: &Deadline) -> Result<bool, StopReason> {
    let tags = tags(tool);
    if tags.is_empty() || task.contains(&tool.name.to_lowercase()) {
        return Ok(true);
    }
    for tag in &tags {
        // Each looks through the whole task, and there may be as many as a body holds.
        deadline.check()?;
        if task.contains(&tag.to_lowercase()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn tags(tool: &ToolDefinition) -> Vec<String> {
    let raw = tool.extra.iter().find(|(key, _)| &**key == "tags").map(|(_, raw)| raw.as_str());
    let node = raw.and_then(|raw| json::parse(raw, Limits::default()).ok());
    let tags = node.as_ref().and_then(Node::as_array).unwrap_or_default().iter();
    tags.filter_map(Node::as_str).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::domain::RawJson;

    #[test]
    fn looking_for_tags_ends_with_the_time() {
        let tool = ToolDefinition {
            name: "zz".into(),
            description: None,
            parameters: None,
            cache: None,
            extra: vec![("tags".into(), RawJson::new("[\"x\",\"y\"]"))],
            opaque: None,
            origin: "".into(),
        };
        let late = Deadline::at(Instant::now());
        assert_eq!(is_for(&tool, "a task", &late), Err(StopReason::TimeUp));
        assert_eq!(is_for(&tool, "task y", &Deadline::default()), Ok(true));
        assert_eq!(is_for(&tool, "a task", &Deadline::default()), Ok(false));
    }
}
