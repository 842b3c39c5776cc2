//! Calls of `OpenAI`'s built-in tools, for targets that lack them: the shell, the computer, patches, MCP
//! calls, searches and programs that were run become calls of functions with their results.
//!
//! <https://developers.openai.com/api/docs/guides/tools-shell>,
//! <https://developers.openai.com/api/docs/guides/tools-computer-use>

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{Content, Message, Notes, Part, Role, Source, Target, ToolCall, ToolResult};
use crate::json::{self, Faults, Limits, Node, Path};
use crate::provider::read_content;

/// The kinds of calls, and the members that are their arguments.
const CALLS: &[(&str, &str)] = &[
    ("apply_patch_call", "operation"),
    ("code_interpreter_call", "code"),
    ("computer_call", "action"),
    ("file_search_call", "queries"),
    ("local_shell_call", "action"),
    ("mcp_call", "arguments"),
    ("shell_call", "action"),
    ("web_search_call", "action"),
];

/// The kinds whose result is in the call itself.
const WHOLE_CALLS: &[&str] =
    &["code_interpreter_call", "file_search_call", "mcp_call", "web_search_call"];

/// A result, and whether it was found in the item of its call.
struct FoundResult {
    content: Vec<Part>,
    is_error: bool,
}

impl ConversationAdapter<'_> {
    /// Turns the calls that have a result into calls of functions; all others stay what they are, and
    /// are removed with a note.
    pub(super) fn built_in_calls(&mut self, history: &mut Vec<Message>) {
        let lacks = !matches!(self.target, Target::OpenaiResponses | Target::Neutral);
        let may_have = matches!(self.source, Source::OpenaiResponses | Source::Neutral);
        let is_call = |part: &Part| call_of(part).is_some();
        if !lacks || !may_have || !history.iter().flat_map(|message| &message.parts).any(is_call) {
            return;
        }
        let mut results = find_results(history);
        let mut done = Vec::with_capacity(history.len());
        let mut converted = Vec::new();
        for message in std::mem::take(history) {
            if message.role == Role::Assistant && message.parts.iter().any(is_item) {
                self.split_message(message, &mut results, &mut done, &mut converted);
            } else {
                done.push(message);
            }
        }
        for at in converted {
            sort_results(&mut done, at);
        }
        *history = done;
    }

    /// Adds a message with its calls as calls of functions. Results follow the message of their calls,
    /// so what comes after an output is a message of its own.
    fn split_message(
        &mut self,
        message: Message,
        results: &mut HashMap<String, FoundResult>,
        done: &mut Vec<Message>,
        converted: &mut Vec<usize>,
    ) {
        let origin = message.origin;
        let mut open = Message { parts: Vec::new(), ..message.clone() };
        let mut answers: Vec<Message> = Vec::new();
        let mut count = 0;
        let mut ended = HashSet::new();
        let mut flush =
            |open: &mut Message, answers: &mut Vec<Message>, done: &mut Vec<Message>| {
                let mut next = Message::new(Role::Assistant, Vec::new());
                next.origin = origin;
                if !open.parts.is_empty() {
                    converted.extend((!answers.is_empty()).then_some(done.len()));
                    done.push(std::mem::replace(open, next));
                }
                done.append(answers);
            };
        for part in message.parts {
            if let Some(id) = output_id(&part)
                && ended.contains(&id)
            {
                flush(&mut open, &mut answers, done);
                continue;
            }
            let read = call_of(&part).and_then(|call| Some((results.remove(&*call.id)?, call)));
            let Some((found, call)) = read else {
                // What another message's call was answered by.
                if output_id(&part).is_some_and(|id| self.answered.remove(&id)) {
                    continue;
                }
                // The model said it after the results.
                let is_said = matches!(part.content, Content::Text(_) | Content::Thinking(_));
                if is_said && !answers.is_empty() && open.tool_calls().count() == answers.len() {
                    flush(&mut open, &mut answers, done);
                }
                open.parts.push(part);
                continue;
            };
            if !answers.is_empty() && is_whole(&part) {
                flush(&mut open, &mut answers, done);
            }
            let result = ToolResult {
                call_id: Arc::clone(&call.id),
                name: Some(Arc::clone(&call.name)),
                content: found.content,
                is_error: found.is_error.then_some(true),
            };
            ended.insert(call.id.to_string());
            self.answered.insert(call.id.to_string());
            open.parts.push(Part::new(Content::ToolCall(call)));
            let mut answer = Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]);
            answer.origin = origin;
            answers.push(answer);
            count += 1;
        }
        flush(&mut open, &mut answers, done);
        if count > 0 {
            let at = pointer(self.source, origin, MessageRegion::History);
            self.notes.degraded("built_in_call_as_function", at, super::losses::count(count));
        }
    }
}

/// A message with its calls of built-in tools as calls of functions, and a message with their results:
/// what a summary reads. None if it has neither.
pub fn built_in_as_functions(message: &Message) -> Option<[Message; 2]> {
    let is_built_in = |part: &Part| call_of(part).is_some() || output_id(part).is_some();
    if message.role != Role::Assistant || !message.parts.iter().any(is_built_in) {
        return None;
    }
    let mut calls = Message { parts: Vec::new(), ..message.clone() };
    let mut results = Message::new(Role::Tool, Vec::new());
    results.origin = message.origin;
    for part in &message.parts {
        let call = call_of(part);
        let id = match &call {
            Some(call) => is_whole(part).then(|| Arc::clone(&call.id)),
            None => output_id(part).map(Arc::from),
        };
        if let (Some(call_id), Content::Opaque { raw, .. }) = (&id, &part.content)
            && let Ok(node) = json::parse(raw.as_str(), Limits::default())
        {
            let FoundResult { content, is_error } = read_result(&node);
            let call_id = Arc::clone(call_id);
            let is_error = is_error.then_some(true);
            let result = ToolResult { call_id, name: None, content, is_error };
            results.parts.push(Part::new(Content::ToolResult(result)));
        }
        match call {
            Some(call) => calls.parts.push(Part::new(Content::ToolCall(call))),
            None if id.is_none() => calls.parts.push(part.clone()),
            None => {}
        }
    }
    Some([calls, results])
}

/// Brings the results that follow a message into the order of its calls, as Gemini wants them.
fn sort_results(history: &mut [Message], at: usize) {
    let Some((message, rest)) = history.get_mut(at..).and_then(<[Message]>::split_first_mut) else {
        return;
    };
    let places: HashMap<&str, usize> =
        message.tool_calls().enumerate().map(|(place, call)| (&*call.id, place)).collect();
    let count = rest.iter().take_while(|message| message.role == Role::Tool).count();
    let place = |message: &Message| {
        let first = message.tool_results().next();
        first.and_then(|result| places.get(&*result.call_id).copied()).unwrap_or(usize::MAX)
    };
    if let Some(results) = rest.get_mut(..count) {
        results.sort_by_key(place);
    }
}

fn is_item(part: &Part) -> bool {
    matches!(part.content, Content::Opaque { .. })
}

/// Whether the result of a call is in the call itself.
fn is_whole(part: &Part) -> bool {
    matches!(&part.content, Content::Opaque { kind, .. } if WHOLE_CALLS.contains(&&**kind))
}

/// The call of a function that an item becomes.
fn call_of(part: &Part) -> Option<ToolCall> {
    let Content::Opaque { kind, raw } = &part.content else { return None };
    let (kind, key) = CALLS.iter().find(|(known, _)| **known == **kind)?;
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let text = |key: &str| node.get(key).and_then(Node::as_str);
    let id = text("call_id").or_else(|| text("id").filter(|_| is_whole(part)))?;
    let name = text("name").filter(|_| is_whole(part)).or_else(|| kind.strip_suffix("_call"))?;
    let arguments = node.get(key).or_else(|| node.get("actions"));
    let arguments: Arc<str> = match arguments {
        Some(own) if matches!(*key, "code" | "queries") => {
            format!("{{\"{key}\":{}}}", own.raw).into()
        }
        own => own.map_or("{}", |own| own.as_str().unwrap_or(own.raw)).into(),
    };
    Some(ToolCall { id: id.into(), name: name.into(), arguments, custom: false })
}

/// The id of the call that an item is the output of.
fn output_id(part: &Part) -> Option<String> {
    let Content::Opaque { kind, raw } = &part.content else { return None };
    let call = kind.strip_suffix("_output")?;
    CALLS.iter().find(|(known, _)| *known == call)?;
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let id = node.get("call_id").or_else(|| node.get("id"))?;
    id.as_str().map(str::to_owned)
}

/// The results of the calls before them, by the ids of the calls.
fn find_results(history: &[Message]) -> HashMap<String, FoundResult> {
    let mut called = HashSet::new();
    let mut found = HashMap::new();
    let assistant = history.iter().filter(|message| message.role == Role::Assistant);
    for part in assistant.flat_map(|message| &message.parts) {
        let Content::Opaque { raw, .. } = &part.content else { continue };
        let call = call_of(part);
        let id = match &call {
            Some(call) if is_whole(part) => Some(call.id.to_string()),
            Some(call) => {
                called.insert(call.id.to_string());
                None
            }
            None => output_id(part).filter(|id| called.contains(id)),
        };
        let Some(id) = id else { continue };
        if let Ok(node) = json::parse(raw.as_str(), Limits::default()) {
            found.entry(id).or_insert_with(|| read_result(&node));
        }
    }
    found
}

fn read_result(node: &Node<'_>) -> FoundResult {
    let found = ["output", "outputs", "results"].iter().filter_map(|key| node.get(key));
    let output = found.into_iter().find(|output| !output.is_null());
    let error = node.get("error").filter(|error| !error.is_null());
    let failed = node.get("status").and_then(Node::as_str) == Some("failed");
    let is_error = error.is_some() || failed;
    let content = match output.or(error) {
        Some(output) if is_screenshot(output) => screenshot(output),
        Some(output) => match output.as_array() {
            Some(runs) => {
                vec![Part::text(runs.iter().map(run_text).collect::<Vec<_>>().join("\n"))]
            }
            None => vec![Part::text(output.as_str().unwrap_or(output.raw))],
        },
        // A patch and a search say how they went in their status alone.
        None => vec![Part::text(node.get("status").and_then(Node::as_str).unwrap_or_default())],
    };
    FoundResult { content, is_error }
}

fn is_screenshot(output: &Node<'_>) -> bool {
    ["image_url", "file_id"].iter().any(|key| output.get(key).is_some())
}

/// The image of a screenshot, in the form in which a part holds it.
fn screenshot(output: &Node<'_>) -> Vec<Part> {
    let member = |key: &str| Some(format!(",\"{key}\":{}", output.get(key)?.raw));
    let source = member("image_url").or_else(|| member("file_id")).unwrap_or_default();
    let list = format!("[{{\"type\":\"input_image\"{source}}}]");
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let node = json::parse(&list, Limits::default()).ok();
    let parts = node.and_then(|node| read_content(&node, &Path::Root, &mut faults, &mut notes));
    parts.unwrap_or_else(|| vec![Part::text("[image]")])
}

/// What one command of a shell wrote, and its exit code if that says something; what a program wrote, or
/// the name and the text of a file that was found.
fn run_text(run: &Node<'_>) -> String {
    let text = |key: &str| run.get(key).and_then(Node::as_str).unwrap_or_default();
    let mut lines: Vec<String> = ["stdout", "stderr", "logs", "filename", "text"]
        .iter()
        .map(|key| text(key).trim_end_matches('\n').to_owned())
        .filter(|text| !text.is_empty())
        .collect();
    if let Some(outcome) = run.get("outcome") {
        let code = outcome.get("exit_code").map_or("", |code| code.raw);
        match outcome.get("type").and_then(Node::as_str) {
            Some("timeout") => lines.push("[timeout]".to_owned()),
            Some("exit") if code != "0" => lines.push(format!("[exit code {code}]")),
            _ => {}
        }
    }
    lines.join("\n")
}
