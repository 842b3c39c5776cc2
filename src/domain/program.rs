//! What belongs together across messages: a provider's own call and its result, and a program that a
//! model wrote with the calls of tools that it makes while the provider runs it.
//!
//! The provider refuses one half without the other
//! (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling>,
//! <https://developers.openai.com/api/docs/guides/tools-programmatic-tool-calling>).

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::{Content, HalfRole, ItemHalf, Message, Part, RawJson, Role};
use crate::json::{self, Limits, Node};

/// The member of a call or result that says who called: the model, or a program.
const CALLER: &str = "caller";

/// The id of the program that made a call, or that gets a result; none if the model itself called.
/// Empty if the caller has no id.
pub fn program_of(part: &Part) -> Option<String> {
    match &part.content {
        Content::ToolCall(_) | Content::ToolResult(_) => {
            let (_, raw) = part.extra.iter().find(|(name, _)| **name == *CALLER)?;
            program_id(&json::parse(raw.as_str(), Limits::default()).ok()?)
        }
        // Screenshots are long: only a text that may have the member is parsed.
        Content::Opaque { raw, .. } if raw.as_str().contains("\"caller\"") => {
            let node = json::parse(raw.as_str(), Limits::default()).ok()?;
            program_id(node.get(CALLER)?)
        }
        _ => None,
    }
}

/// The `caller` of a call, which its result has too, if a program made it.
pub fn caller_of(part: &Part) -> Option<RawJson> {
    let (_, raw) = part.extra.iter().find(|(name, _)| **name == *CALLER)?;
    program_of(part).map(|_| raw.clone())
}

/// The id of the program that a `caller` names, as [`program_of`].
pub fn program_id(caller: &Node<'_>) -> Option<String> {
    let kind = caller.get("type").and_then(Node::as_str)?;
    let id = || ["tool_id", "caller_id"].iter().find_map(|key| caller.get(key)?.as_str());
    (kind != "direct").then(|| id().unwrap_or_default().to_owned())
}

/// The calls that programs made. A program reads their results, no model: their bytes stay.
#[derive(Debug, Default)]
pub struct ProgramCalls(BTreeSet<Arc<str>>);

impl ProgramCalls {
    pub fn new<'m>(messages: impl Iterator<Item = &'m Message>) -> Self {
        let calls = messages.flat_map(|message| &message.parts).filter_map(|part| {
            let Content::ToolCall(call) = &part.content else { return None };
            program_of(part).map(|_| Arc::clone(&call.id))
        });
        Self(calls.collect())
    }

    /// Whether a part is a call of a program or its result.
    pub fn has(&self, part: &Part) -> bool {
        match &part.content {
            Content::ToolCall(call) => self.0.contains(&call.id),
            Content::ToolResult(result) => {
                self.0.contains(&result.call_id) || program_of(part).is_some()
            }
            _ => false,
        }
    }

    /// Whether a message has a result that a program reads.
    pub fn holds(&self, message: &Message) -> bool {
        message.role == Role::Tool && message.parts.iter().any(|part| self.has(part))
    }
}

/// The half of a call that a part is; a call that may be whole by itself is none.
fn half_of(part: &Part) -> Option<(ItemHalf, &RawJson)> {
    ItemHalf::in_part(part).filter(|(half, _)| half.role != HalfRole::WholeCall)
}

/// The ids by which a part belongs to others.
fn links(part: &Part) -> impl Iterator<Item = String> {
    let own = half_of(part).and_then(|(half, item)| half.id(item));
    own.into_iter().chain(program_of(part))
}

/// Whether something in a message belongs to a part of another: it has a call of a program, or not
/// as many beginnings as ends.
fn is_open(message: &Message) -> bool {
    let mut balance = 0_i64;
    for part in &message.parts {
        match half_of(part).map(|(half, _)| half.role) {
            Some(HalfRole::Call) => balance += 1,
            Some(HalfRole::Output) => balance -= 1,
            Some(HalfRole::WholeCall) | None => {}
        }
    }
    balance != 0 || message.parts.iter().any(|part| program_of(part).is_some())
}

/// Joins the turns that something begins in with those that it goes on or ends in. A message of the
/// user or of the system between them ends it.
pub(super) fn join_turns(history: &[Message], turns: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if !history.iter().any(is_open) {
        return turns;
    }
    let is_break = |turn: &Range<usize>| {
        let first = history.get(turn.start);
        first.is_some_and(|message| matches!(message.role, Role::User | Role::System))
    };
    let mut segment = 0_usize;
    // The last turn of each id, by the breaks before it.
    let mut last: HashMap<(usize, String), usize> = HashMap::new();
    let mut ids: Vec<Vec<(usize, String)>> = Vec::with_capacity(turns.len());
    for (at, turn) in turns.iter().enumerate() {
        segment += usize::from(is_break(turn));
        let messages = history.get(turn.clone()).unwrap_or_default();
        let parts = messages.iter().flat_map(|message| &message.parts);
        let own: Vec<_> = parts.flat_map(links).map(|id| (segment, id)).collect();
        for id in &own {
            last.insert(id.clone(), at);
        }
        ids.push(own);
    }
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(turns.len());
    let mut end = None;
    for (at, (turn, ids)) in turns.into_iter().zip(&ids).enumerate() {
        match joined.last_mut().filter(|_| end.is_some_and(|end| end >= at)) {
            Some(open) => open.end = turn.end,
            None => joined.push(turn),
        }
        end = end.max(ids.iter().filter_map(|id| last.get(id).copied()).max());
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ToolCall, ToolResult, turns};

    fn call(id: &str, caller: Option<&str>) -> Part {
        let call =
            ToolCall { id: id.into(), name: "f".into(), arguments: "{}".into(), custom: false };
        let mut part = Part::new(Content::ToolCall(call));
        part.extra.extend(caller.map(|caller| ("caller".into(), RawJson::new(caller))));
        part
    }

    fn own(kind: &str, raw: &str) -> Part {
        Part::new(Content::Opaque { kind: kind.into(), raw: RawJson::new(raw) })
    }

    fn model(parts: Vec<Part>) -> Message {
        Message::new(Role::Assistant, parts)
    }

    fn result(id: &str) -> Message {
        let result =
            ToolResult { call_id: id.into(), name: None, content: Vec::new(), is_error: None };
        Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))])
    }

    const PROGRAM: &str = r#"{"type":"code_execution_20260120","tool_id":"s"}"#;

    #[test]
    fn a_program_is_one_turn_with_the_calls_that_it_makes() {
        let history = [
            Message::text(Role::User, "u"),
            model(vec![own("server_tool_use", r#"{"id":"s"}"#), call("a", Some(PROGRAM))]),
            result("a"),
            model(vec![call("b", Some(PROGRAM))]),
            result("b"),
            model(vec![own("code_execution_tool_result", r#"{"tool_use_id":"s"}"#)]),
            model(vec![call("c", Some(r#"{"type":"direct"}"#))]),
            result("c"),
        ];
        assert_eq!(turns(&history), [0..1, 1..6, 6..8]);
        let programs = ProgramCalls::new(history.iter());
        let held: Vec<bool> = history.iter().map(|message| programs.holds(message)).collect();
        assert_eq!(held, [false, false, true, false, true, false, false, false]);
    }

    #[test]
    fn what_a_message_of_the_user_interrupts_is_not_joined() {
        let used = || model(vec![own("server_tool_use", r#"{"id":"s"}"#)]);
        let found = || model(vec![own("web_search_tool_result", r#"{"tool_use_id":"s"}"#)]);
        let text = |role| Message::text(role, "t");
        assert_eq!(
            turns(&[used(), text(Role::Assistant), found(), text(Role::User)]),
            [0..3, 3..4]
        );
        assert_eq!(turns(&[used(), text(Role::User), found()]), [0..1, 1..2, 2..3]);
        let shell = |kind, id: &str| model(vec![own(kind, &format!(r#"{{"call_id":"{id}"}}"#))]);
        let history = [
            shell("shell_call", "x"),
            shell("shell_call", "y"),
            shell("shell_call_output", "x"),
            text(Role::User),
        ];
        assert_eq!(turns(&history), [0..3, 3..4]);
    }
}
