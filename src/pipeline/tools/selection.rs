//! Selects the tools of the list that stay, by the task and by their names.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::words::WordSearch;
use crate::domain::ToolDefinition;
use crate::json::{self, Limits, Node};
use crate::pipeline::{Deadline, StopReason};
use crate::request::{PruneOptions, Strategy};

/// The tools that stay, in their order, and the names of the others.
pub(super) fn run(
    list: Vec<ToolDefinition>,
    prune: Option<&PruneOptions>,
    deadline: &Deadline,
) -> Result<(Vec<ToolDefinition>, Vec<Arc<str>>), StopReason> {
    let Some(prune) = prune else { return Ok((list, Vec::new())) };
    let by_task = match &prune.task {
        Some(task) => Some(by_task(&list, &task.to_lowercase(), deadline)?),
        None => None,
    };
    let allow: Option<BTreeSet<String>> =
        prune.allow.as_ref().map(|names| names.iter().map(|name| name.to_lowercase()).collect());
    let (mut kept, mut removed) = (Vec::with_capacity(list.len()), Vec::new());
    for (at, tool) in list.into_iter().enumerate() {
        let by_task = by_task.as_ref().map(|stays| stays.get(at) == Some(&true));
        let by_name = allow.as_ref().map(|names| names.contains(&tool.name.to_lowercase()));
        let stays = match (by_task, by_name, prune.strategy) {
            (None, None, _) => true,
            (Some(stays), None, _) | (None, Some(stays), _) => stays,
            (Some(by_task), Some(by_name), Strategy::Union) => by_task || by_name,
            (Some(by_task), Some(by_name), Strategy::Intersection) => by_task && by_name,
        };
        if stays {
            kept.push(tool);
        } else {
            removed.push(tool.name);
        }
    }
    Ok((kept, removed))
}

/// For each tool, whether it has no tags, or its name or one of them is in the task, which is in
/// lower case.
fn by_task(
    list: &[ToolDefinition],
    task: &str,
    deadline: &Deadline,
) -> Result<Vec<bool>, StopReason> {
    let mut stays = Vec::with_capacity(list.len());
    let mut words = WordSearch::default();
    for (at, tool) in list.iter().enumerate() {
        let tags = tags(tool);
        stays.push(tags.is_empty() || tool.name.is_empty());
        let all = tags.iter().map(String::as_str).chain([&*tool.name]);
        for (count, word) in all.enumerate() {
            if count.is_multiple_of(MAX_WORDS_UNASKED) {
                deadline.check()?;
            }
            // Without this, a tool with as many tags as a body has room for is one large search.
            if words.bytes() > MAX_SEARCHED_BYTES {
                search(&mut words, task, &mut stays, deadline)?;
            }
            let Some(stays) = stays.get_mut(at).filter(|stays| !**stays) else { break };
            let word = word.to_lowercase();
            if word.len() > MAX_WORD_BYTES {
                deadline.check()?;
                *stays = task.contains(&word);
            } else {
                words.add(&word, at);
            }
        }
    }
    search(&mut words, task, &mut stays, deadline)?;
    Ok(stays)
}

/// Bytes of words that are looked for in one go: their prefixes take some sixty times as many.
const MAX_SEARCHED_BYTES: usize = 512 << 10;
/// Words that are added before the deadline is asked.
const MAX_WORDS_UNASKED: usize = 1 << 10;
/// Bytes of a word that is looked for together with others; of longer ones there are few.
const MAX_WORD_BYTES: usize = 64 << 10;

/// Sets the flags of the tools that have a word in the task, and forgets the words.
fn search(
    words: &mut WordSearch,
    task: &str,
    stays: &mut [bool],
    deadline: &Deadline,
) -> Result<(), StopReason> {
    std::mem::take(words).search(task, deadline, &mut |tool| {
        if let Some(stays) = stays.get_mut(tool) {
            *stays = true;
        }
    })
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

    fn tool(name: &str, tags: &[&str]) -> ToolDefinition {
        let tags = RawJson::new(serde_json::json!(tags).to_string());
        ToolDefinition {
            name: name.into(),
            description: None,
            parameters: None,
            cache: None,
            extra: vec![("tags".into(), tags)],
            opaque: None,
            origin: "".into(),
        }
    }

    fn stay(tools: &[ToolDefinition], task: &str) -> Vec<bool> {
        by_task(tools, task, &Deadline::default()).unwrap()
    }

    #[test]
    fn looking_for_tags_ends_with_the_time() {
        let tools = [tool("zz", &["x", "y"])];
        let late = Deadline::at(Instant::now());
        assert_eq!(by_task(&tools, "a task", &late), Err(StopReason::TimeUp));
        assert_eq!(stay(&tools, "task y"), [true]);
        assert_eq!(stay(&tools, "a task"), [false]);
    }

    #[test]
    fn a_task_has_a_tag_wherever_it_is_in_it() {
        let tools = [
            tool("send", &["MAIL", "ail"]),
            tool("Mailer", &["post"]),
            tool("none", &[]),
            tool("", &["x"]),
            tool("ail", &["q"]),
            tool("long", &["an email to", "é"]),
        ];
        assert_eq!(stay(&tools, "an email"), [true, false, true, true, true, false]);
        assert_eq!(stay(&tools, "an email to the mailer"), [true; 6]);
        assert_eq!(stay(&tools, "é"), [false, false, true, true, false, true]);
    }

    #[test]
    fn many_tags_are_looked_for_in_parts() {
        let many: Vec<String> = (0..300_000).map(|at| format!("<{at}>")).collect();
        let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(many.len() > MAX_SEARCHED_BYTES / 2);
        let (first, last) = ("<0>", "<299999>");
        assert_eq!(stay(&[tool("tool", &many)], &format!("for {last}")), [true]);
        assert_eq!(stay(&[tool("tool", &many)], &format!("for {first}")), [true]);
        many.pop();
        assert_eq!(stay(&[tool("tool", &many), tool("other", &["x"])], last), [false, false]);
    }
}
