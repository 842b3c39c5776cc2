//! Calls of `OpenAI`'s built-in tools, for targets that lack them: the shell, the computer, patches, MCP
//! calls, searches and programs that were run become calls of functions with their results.
//!
//! <https://developers.openai.com/api/docs/guides/tools-shell>,
//! <https://developers.openai.com/api/docs/guides/tools-computer-use>

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::{MessageRegion, pointer};
use crate::domain::{
    CallIds, Content, Conversation, Message, Notes, Part, Role, Source, Target, ToolCall,
    ToolResult,
};
use crate::json::{self, Faults, Limits, Node, Path};
use crate::provider::words::shown;
use crate::provider::{Destination, read_content};

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

/// What came out of a call.
struct FoundResult {
    content: Vec<Part>,
    is_error: bool,
}

/// Turns calls of built-in tools and their outputs into calls of functions and their results, for
/// targets that lack these tools. They stay where they are: the repair of pairs, which comes after it,
/// moves results to their calls, gives each call an id of its own and one without an output its result.
pub fn convert_built_in_calls(
    conversation: &mut Conversation,
    destination: Destination,
    notes: &mut Notes,
) {
    let source = conversation.source;
    let lacks = !matches!(destination.target, Target::OpenaiResponses | Target::Neutral);
    let may_have = matches!(source, Source::OpenaiResponses | Source::Neutral);
    let history = &mut conversation.history;
    let is_call = |part: &Part| call_of(part).is_some();
    if !lacks || !may_have || !history.iter().flat_map(|message| &message.parts).any(is_call) {
        return;
    }
    let mut ids = BuiltInIds::default();
    let mut done = Vec::with_capacity(history.len());
    for message in std::mem::take(history) {
        if message.role != Role::Assistant || !message.parts.iter().any(is_item) {
            for call in message.tool_calls() {
                ids.taken.take(Arc::clone(&call.id));
            }
            done.push(message);
            continue;
        }
        let at = pointer(source, message.origin, MessageRegion::History);
        let converted = StepSplitter::new(message, &mut done).split(&mut ids);
        for id in ids.renamed.drain(..) {
            let detail = format!("a second call has the id `{}`", shown(&id));
            notes.repaired("duplicate_call_id", at.clone(), detail);
        }
        if converted > 0 {
            let detail = super::losses::count(converted);
            notes.degraded("built_in_call_as_function", at, detail);
        }
    }
    *history = done;
}

/// A call of a built-in tool, as its output names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct CallName {
    /// The kind of its item.
    kind: &'static str,
    id: Arc<str>,
}

/// The kinds of the calls before a place, by their ids.
#[derive(Default)]
struct CalledKinds(HashMap<Arc<str>, Vec<&'static str>>);

impl CalledKinds {
    fn add(&mut self, CallName { kind, id }: CallName) {
        let kinds = self.0.entry(id).or_default();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }

    /// Whether a call of another kind has the id.
    fn has_other(&self, name: &CallName) -> bool {
        self.0.get(&name.id).is_some_and(|kinds| kinds.iter().any(|kind| *kind != name.kind))
    }

    /// The call that an output is of: of its own kind, or else of another with its id.
    fn call_of_output(&self, mut named: CallName) -> Option<CallName> {
        let kinds = self.0.get(&named.id)?;
        if !kinds.contains(&named.kind) {
            named.kind = kinds.first()?;
        }
        Some(named)
    }
}

/// The ids of the calls before a place.
#[derive(Default)]
struct BuiltInIds {
    kinds: CalledKinds,
    /// Ids of calls of functions, and those that were found in the place of others.
    taken: CallIds,
    /// Ids in the place of those that a call of something else has too, oldest first.
    replaced: HashMap<CallName, VecDeque<Arc<str>>>,
    /// Ids that were replaced and not reported yet.
    renamed: Vec<Arc<str>>,
}

impl BuiltInIds {
    /// The id of a call of a built-in tool. The output of one tool must not become the result of
    /// another, so the id of a function, or of another built-in tool, is taken.
    fn own(&mut self, name: CallName) -> Arc<str> {
        let is_taken = self.taken.has(&name.id) || self.kinds.has_other(&name);
        self.kinds.add(name.clone());
        if !is_taken {
            return name.id;
        }
        let own = self.taken.find_free(&name.id);
        self.taken.take(Arc::clone(&own));
        self.renamed.push(Arc::clone(&name.id));
        self.replaced.entry(name).or_default().push_back(Arc::clone(&own));
        own
    }

    /// The id of the call that an output is of. The last one stays, so that a second output of it is
    /// known for one.
    fn of_output(&mut self, name: CallName) -> Arc<str> {
        let Some(own) = self.replaced.get_mut(&name) else { return name.id };
        let first = if own.len() > 1 { own.pop_front() } else { own.front().map(Arc::clone) };
        first.unwrap_or(name.id)
    }
}

/// Splits a message of the assistant into steps: calls, then their results.
struct StepSplitter<'d> {
    done: &'d mut Vec<Message>,
    /// Parts of the message that the present step has so far, and the rest of the whole message.
    open: Message,
    parts: Vec<Part>,
    results: Vec<Message>,
    /// Ids of calls of the step that have no result yet.
    unanswered: HashSet<Arc<str>>,
}

impl<'d> StepSplitter<'d> {
    fn new(message: Message, done: &'d mut Vec<Message>) -> Self {
        let mut open = message;
        let parts = std::mem::take(&mut open.parts);
        Self { done, open, parts, results: Vec::new(), unanswered: HashSet::new() }
    }

    /// Adds the steps to the history; returns how many calls became calls of functions.
    fn split(mut self, ids: &mut BuiltInIds) -> usize {
        let mut count = 0;
        for part in std::mem::take(&mut self.parts) {
            if let Some(named) = output_name(&part) {
                match ids.kinds.call_of_output(named) {
                    Some(call) => self.add_result(ids.of_output(call), &part),
                    None => self.open.parts.push(part),
                }
                continue;
            }
            let Some(mut call) = call_of(&part) else {
                if !is_item(&part) {
                    self.begin_step();
                }
                if let Content::ToolCall(call) = &part.content {
                    self.unanswered.insert(Arc::clone(&call.id));
                    ids.taken.take(Arc::clone(&call.id));
                }
                self.open.parts.push(part);
                continue;
            };
            let name = CallName { kind: kind_of(&part), id: Arc::clone(&call.id) };
            self.begin_step();
            call.id = ids.own(name);
            let id = Arc::clone(&call.id);
            self.unanswered.insert(Arc::clone(&id));
            self.open.parts.push(Part::new(Content::ToolCall(call)));
            if is_whole(&part) {
                self.add_result(id, &part);
            }
            count += 1;
        }
        self.flush();
        count
    }

    /// What the model said or called after it had all results is a message of its own.
    fn begin_step(&mut self) {
        if !self.results.is_empty() && self.unanswered.is_empty() {
            self.flush();
        }
    }

    fn add_result(&mut self, id: Arc<str>, part: &Part) {
        self.unanswered.remove(&id);
        let Some(result) = result_message(part, id, self.open.origin) else { return };
        // An output of another message's call.
        if self.open.parts.is_empty() {
            self.done.push(result);
        } else {
            self.results.push(result);
        }
    }

    fn flush(&mut self) {
        if !self.open.parts.is_empty() {
            let mut next = Message::new(Role::Assistant, Vec::new());
            next.origin = self.open.origin;
            self.done.push(std::mem::replace(&mut self.open, next));
        }
        self.done.append(&mut self.results);
        self.unanswered.clear();
    }
}

/// The message with what an item says of the result of a call.
fn result_message(part: &Part, call_id: Arc<str>, origin: Option<usize>) -> Option<Message> {
    let Content::Opaque { raw, .. } = &part.content else { return None };
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let FoundResult { content, is_error } = read_result(&node);
    let is_error = is_error.then_some(true);
    let result = ToolResult { call_id, name: None, content, is_error };
    let mut message = Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]);
    message.origin = origin;
    Some(message)
}

/// A message with its calls of built-in tools as calls of functions, and a message with their results:
/// what a summary reads. None if it has neither.
pub fn built_in_as_functions(message: &Message) -> Option<[Message; 2]> {
    let is_built_in = |part: &Part| call_of(part).is_some() || output_name(part).is_some();
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
            None => output_name(part).map(|named| named.id),
        };
        let result = id.clone().and_then(|id| result_message(part, id, message.origin));
        results.parts.extend(result.into_iter().flat_map(|result| result.parts));
        match call {
            Some(call) => calls.parts.push(Part::new(Content::ToolCall(call))),
            None if id.is_none() => calls.parts.push(part.clone()),
            None => {}
        }
    }
    Some([calls, results])
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
    // Newer models give several actions of the computer at once.
    let key = if node.get(key).is_none() { "actions" } else { *key };
    let arguments: Arc<str> = match node.get(key) {
        Some(own) if key == "code" || own.as_array().is_some() => {
            format!("{{\"{key}\":{}}}", own.raw).into()
        }
        own => own.map_or("{}", |own| own.as_str().unwrap_or(own.raw)).into(),
    };
    Some(ToolCall { id: id.into(), name: name.into(), arguments, custom: false })
}

/// The kind of a call's item, as [`CALLS`] has it.
fn kind_of(part: &Part) -> &'static str {
    let Content::Opaque { kind, .. } = &part.content else { return "" };
    CALLS.iter().find(|(known, _)| **known == **kind).map_or("", |(known, _)| *known)
}

/// The call that an item is the output of, by the item.
fn output_name(part: &Part) -> Option<CallName> {
    let Content::Opaque { kind, raw } = &part.content else { return None };
    let call = kind.strip_suffix("_output")?;
    let (kind, _) = CALLS.iter().find(|(known, _)| *known == call)?;
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let id = node.get("call_id").or_else(|| node.get("id"))?;
    Some(CallName { kind, id: id.as_str()?.into() })
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
