//! Finds results that later results replace: of the same call, made again.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{Message, ToolCall, Turn};

/// For each turn the turn that replaces it: by then, each of its calls was made again, with the same
/// arguments, and succeeded. None if a call of the turn was not, or if the turn has no calls.
///
/// The first repetition counts, so that a longer list finds the same of the turns that it has in
/// common with a shorter one.
pub(super) fn find_superseded(history: &[Message], spans: &[Turn]) -> Vec<Option<usize>> {
    let mut found = vec![None; spans.len()];
    let mut next: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (turn, span) in spans.iter().enumerate().rev() {
        let messages = history.get(span.clone()).unwrap_or_default();
        let calls: Vec<&ToolCall> = messages.iter().flat_map(Message::tool_calls).collect();
        if calls.is_empty() {
            continue;
        }
        let again = |call: &&ToolCall| next.get(&(&*call.name, &*call.arguments)).copied();
        let again: Option<Vec<usize>> = calls.iter().map(again).collect();
        if let Some(found) = found.get_mut(turn) {
            *found = again.and_then(|again| again.into_iter().max());
        }
        let succeeded: BTreeSet<&str> = messages
            .iter()
            .flat_map(Message::tool_results)
            .filter(|result| result.is_error != Some(true) && !result.content.is_empty())
            .map(|result| &*result.call_id)
            .collect();
        for call in calls.into_iter().filter(|call| succeeded.contains(&*call.id)) {
            next.insert((&call.name, &call.arguments), turn);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Content, Part, Role, ToolResult, turns};

    /// A turn of calls: tool, arguments, whether it failed.
    fn calls(history: &mut Vec<Message>, list: &[(&str, &str, bool)]) {
        let first = history.len();
        let id = |at: usize| format!("c{first}_{at}");
        let calls = list.iter().enumerate().map(|(at, (name, arguments, _))| {
            Part::new(Content::ToolCall(ToolCall {
                id: id(at).into(),
                name: (*name).into(),
                arguments: (*arguments).into(),
                custom: false,
            }))
        });
        history.push(Message::new(Role::Assistant, calls.collect()));
        for (at, (_, _, failed)) in list.iter().enumerate() {
            let result = ToolResult {
                call_id: id(at).into(),
                name: None,
                content: vec![Part::text("text")],
                is_error: Some(*failed),
            };
            history.push(Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]));
        }
    }

    #[test]
    fn a_turn_is_replaced_once_each_of_its_calls_was_made_again() {
        let mut history = vec![Message::text(Role::User, "go")];
        calls(&mut history, &[("read", "a", false), ("read", "b", false)]);
        calls(&mut history, &[("read", "a", false)]);
        calls(&mut history, &[("read", "c", false)]);
        calls(&mut history, &[("read", "b", false), ("run", "c", false)]);
        calls(&mut history, &[("read", "a", true)]);
        let spans = turns(&history);
        let found = find_superseded(&history, &spans);
        assert_eq!(found, [None, Some(4), None, None, None, None]);
        // A shorter list knows of no turn that is replaced later.
        let shorter = history.get(..spans[3].end).unwrap();
        assert_eq!(find_superseded(shorter, &spans[..4]), [None; 4]);
        calls(&mut history, &[("read", "a", false)]);
        let found = find_superseded(&history, &turns(&history));
        assert_eq!(found, [None, Some(4), Some(6), None, None, Some(6), None]);
    }
}
