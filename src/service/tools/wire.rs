//! Reads tool calls in a provider's shape, and writes their results in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ToolAnswer;
use crate::domain::{
    Content, Message, Notes, Part, RawJson, Role, Source, Target, ToolCall, ToolResult, program_id,
};
use crate::json::{self, Fault, Faults, Limits, Node};
use crate::provider::{self, PayloadInput};
use crate::request::{CallsRequest, RawResult};
use crate::service::Error;

/// The calls of a request.
#[derive(Debug)]
pub(super) struct ReadCalls {
    pub(super) source: Source,
    pub(super) calls: Vec<ToolCall>,
    /// Why a call cannot be read, by its place among the calls.
    pub(super) malformed: BTreeMap<usize, String>,
    /// The `caller` of the calls that programs made, by their ids.
    pub(super) callers: BTreeMap<Arc<str>, RawJson>,
}

/// Reads the calls, each in the shape of its provider's assistant message. Calls of a provider's own
/// tools are left out: their provider runs them. A call that cannot be read stops no other, if it has
/// the id that its result needs.
pub(super) fn read(request: &CallsRequest<'_>) -> Result<ReadCalls, Error> {
    let source = request.source.unwrap_or_else(|| detect(request.calls));
    let own: Vec<(usize, &Node<'_>)> =
        request.calls.iter().enumerate().filter(|(_, call)| !is_server_call(call)).collect();
    let callers = own.iter().filter_map(|(_, call)| read_caller(call)).collect();
    let (calls, faults) = read_list(request, source, own.iter().map(|(_, call)| *call))?;
    if faults.is_empty() && calls.len() == own.len() {
        return Ok(ReadCalls { source, calls, malformed: BTreeMap::new(), callers });
    }
    let mut reasons: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut faults: Vec<Fault> = faults;
    for fault in &mut faults {
        let (nth, rest) = split_place(&fault.pointer);
        let Some((place, _)) = nth.and_then(|nth| own.get(nth)) else { continue };
        let at = rest.trim_start_matches('/');
        let words = if at.is_empty() { String::new() } else { format!("{at}: ") };
        reasons.entry(nth.unwrap_or_default()).or_default().push(words + &fault.detail);
        fault.pointer = format!("/calls/{place}{rest}");
    }
    let named: Option<BTreeMap<usize, ToolCall>> =
        reasons.keys().map(|nth| Some((*nth, unread_call(own.get(*nth)?.1)?))).collect();
    let Some(mut named) = named.filter(|_| !reasons.is_empty()) else {
        if faults.is_empty() {
            faults.push(Fault {
                pointer: "/calls".to_owned(),
                detail: "must hold nothing but tool calls".to_owned(),
                did_you_mean: None,
            });
        }
        return Err(Error::Invalid(faults));
    };
    let rest = own.iter().enumerate().filter(|(nth, _)| !reasons.contains_key(nth));
    let (read, _) = read_list(request, source, rest.map(|(_, (_, call))| *call))?;
    let mut read = read.into_iter();
    let (mut calls, mut malformed) = (Vec::with_capacity(own.len()), BTreeMap::new());
    for nth in 0..own.len() {
        let Some(call) = named.remove(&nth).or_else(|| read.next()) else { continue };
        if let Some(reasons) = reasons.remove(&nth) {
            let why = reasons.join("; ");
            malformed
                .insert(calls.len(), format!("The call cannot be read: {why}. Nothing was done."));
        }
        calls.push(call);
    }
    Ok(ReadCalls { source, calls, malformed, callers })
}

/// The id of a call and its `caller`, if a program made it.
fn read_caller(call: &Node<'_>) -> Option<(Arc<str>, RawJson)> {
    let caller = call.get("caller").filter(|caller| program_id(caller).is_some())?;
    Some((call.get("call_id")?.as_str()?.into(), RawJson::new(caller.raw)))
}

/// Reads calls with one assistant message written around them, and returns faults by pointers below
/// their list.
fn read_list<'n, 'a: 'n>(
    request: &CallsRequest<'_>,
    source: Source,
    calls: impl Iterator<Item = &'n Node<'a>>,
) -> Result<(Vec<ToolCall>, Vec<Fault>), Error> {
    let list: Vec<&str> = calls.map(|call| call.raw).collect();
    let list = list.join(",");
    let (text, place) = match source {
        Source::Openai => (
            format!(
                r#"{{"messages":[{{"role":"assistant","content":null,"tool_calls":[{list}]}}]}}"#
            ),
            "/messages/0/tool_calls",
        ),
        Source::OpenaiResponses => (format!(r#"{{"input":[{list}]}}"#), "/input"),
        Source::Anthropic => (
            format!(r#"{{"messages":[{{"role":"assistant","content":[{list}]}}]}}"#),
            "/messages/0/content",
        ),
        Source::Gemini => (
            format!(r#"{{"contents":[{{"role":"model","parts":[{list}]}}]}}"#),
            "/contents/0/parts",
        ),
        Source::Neutral => (
            format!(r#"{{"messages":[{{"role":"assistant","parts":[{list}]}}]}}"#),
            "/messages/0/parts",
        ),
    };
    let node = json::parse(&text, Limits::default())?;
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let history = provider::read_messages(&node, source, true, &mut faults, &mut notes);
    let mut found = faults.into_vec();
    for fault in &mut found {
        if let Some(rest) = fault.pointer.strip_prefix(place) {
            fault.pointer = rest.to_owned();
        }
    }
    let parts = history.iter().flat_map(|message| &message.parts);
    let calls = parts.filter_map(|part| {
        let Content::ToolCall(call) = &part.content else { return None };
        let mut call = call.clone();
        if let Some(group) = provider::call_namespace(part) {
            call.name = provider::called_name(&group, &call.name, &request.tools);
        }
        Some(call)
    });
    Ok((calls.collect(), found))
}

/// The index at the head of a pointer, and the rest of it.
fn split_place(pointer: &str) -> (Option<usize>, &str) {
    let below = pointer.strip_prefix('/').unwrap_or_default();
    let end = below.find('/').unwrap_or(below.len());
    let (head, rest) = below.split_at_checked(end).unwrap_or((below, ""));
    (head.parse().ok(), rest)
}

/// Whether the call is one that its provider runs.
fn is_server_call(call: &Node<'_>) -> bool {
    let kind = call.get("type").and_then(Node::as_str).unwrap_or_default();
    matches!(kind, "server_tool_use" | "mcp_tool_use")
        || (kind.ends_with("_call")
            && !matches!(kind, "function_call" | "custom_tool_call" | "tool_call"))
        || ["executableCode", "executable_code"].iter().any(|key| call.get(key).is_some())
}

/// What is known of a call that cannot be read: its id, and its name if it has one.
fn unread_call(call: &Node<'_>) -> Option<ToolCall> {
    let word = |node: &Node<'_>, key: &str| {
        node.get(key).and_then(Node::as_str).filter(|text| !text.is_empty()).map(Arc::from)
    };
    let inner = ["function", "custom", "functionCall", "function_call"];
    let inner = inner.iter().find_map(|key| call.get(key)).unwrap_or(call);
    let id = word(call, "call_id").or_else(|| word(call, "id")).or_else(|| word(inner, "id"))?;
    let name = word(inner, "name").unwrap_or_else(|| Arc::from(""));
    Some(ToolCall { id, name, arguments: Arc::from("{}"), custom: false })
}

/// Detects the shape by the first call.
fn detect(calls: &[Node<'_>]) -> Source {
    let Some(first) = calls.first() else { return Source::Openai };
    let has = |key: &str| first.get(key).is_some();
    if has("functionCall") || has("function_call") {
        return Source::Gemini;
    }
    match first.get("type").and_then(Node::as_str) {
        Some("tool_use") => Source::Anthropic,
        Some("function_call" | "custom_tool_call") => Source::OpenaiResponses,
        Some("tool_call") => Source::Neutral,
        _ => Source::Openai,
    }
}

/// Writes a result in the shape of its call. `caller`: what the call says of the program that made it.
pub(super) fn result(
    source: Source,
    call: &ToolCall,
    caller: Option<&RawJson>,
    answer: &ToolAnswer,
) -> RawJson {
    let refused = matches!(answer, ToolAnswer::Refused(_));
    let result = ToolResult {
        call_id: Arc::clone(&call.id),
        name: Some(Arc::clone(&call.name)),
        content: vec![Part::text(answer.text())],
        is_error: refused.then_some(true),
    };
    let mut messages = messages_of([result].into_iter());
    add_callers(source, &mut messages, [caller.cloned()].into_iter());
    let list = list(source, &messages);
    let message = json::parse(&list, Limits::default())
        .ok()
        .and_then(|node| node.as_array()?.first().map(|message| RawJson::new(message.raw)));
    message.unwrap_or_else(|| RawJson::new("null"))
}

/// Writes raw results as messages of a shape, as a JSON list. `texts` are the shown texts of the
/// results; what is no text in them is brought into the shape.
pub(super) fn results(
    source: Source,
    results: &[RawResult],
    texts: &[String],
    notes: &mut Notes,
) -> String {
    let result = |(result, text): (&RawResult, &String)| {
        let text = (!text.is_empty() || result.parts.is_empty()).then(|| Part::text(text.as_str()));
        ToolResult {
            call_id: Arc::clone(&result.id),
            name: (!result.name.is_empty()).then(|| Arc::clone(&result.name)),
            content: text.into_iter().chain(result.parts.iter().cloned()).collect(),
            is_error: result.is_error,
        }
    };
    let mut messages = messages_of(results.iter().zip(texts).map(result));
    add_callers(source, &mut messages, results.iter().map(|result| result.program.clone()));
    let is_adapted = |(result, text): (&RawResult, &String)| {
        let is_silent = result.is_error == Some(true) && text.trim_start().is_empty();
        !result.parts.is_empty() || (is_silent && source == Source::Anthropic)
    };
    if results.iter().zip(texts).any(is_adapted) {
        provider::adapt_results(&mut messages, Target::from(source), notes);
    }
    list(source, &messages)
}

/// The output of a program's call names the program, as the call does.
fn add_callers(
    source: Source,
    messages: &mut [Message],
    callers: impl Iterator<Item = Option<RawJson>>,
) {
    if source != Source::OpenaiResponses {
        return;
    }
    for (message, caller) in messages.iter_mut().zip(callers) {
        let caller = caller.map(|raw| (Arc::from("caller"), raw));
        message.parts.iter_mut().for_each(|part| part.extra.extend(caller.clone()));
    }
}

/// Lengths of the results in a JSON list of messages, in bytes of text.
pub(super) fn result_lengths(source: Source, list: &str) -> Vec<usize> {
    let body = format!("{{\"{}\":{list}}}", source.list_key());
    let Ok(node) = json::parse(&body, Limits::default()) else { return Vec::new() };
    // It was written by us.
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let history = provider::read(&node, source, &mut faults, &mut notes).history;
    let length = |result: &ToolResult| {
        result.content.iter().filter_map(Part::as_text).map(|text| text.len()).sum()
    };
    history.iter().flat_map(Message::tool_results).map(length).collect()
}

fn messages_of(results: impl Iterator<Item = ToolResult>) -> Vec<Message> {
    let message = |result| Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]);
    results.map(message).collect()
}

fn list(source: Source, messages: &[Message]) -> String {
    let target = Target::from(source);
    let input = PayloadInput { messages, tools: &[], caching: None, returned: &[] };
    let written = provider::write(String::new(), target, input);
    let list = written.blocks.iter().find(|member| member.name == source.list_key());
    let items: Vec<&str> =
        list.into_iter().flat_map(|list| list.texts(written.payload())).collect();
    format!("[{}]", items.join(","))
}

/// The arguments of a call as JSON; free text of a custom call is a string.
pub(crate) fn arguments(call: &ToolCall) -> RawJson {
    if call.custom || json::parse(&call.arguments, Limits::default()).is_err() {
        return RawJson::new(serde_json::to_string(&*call.arguments).unwrap_or_default());
    }
    RawJson::new(Arc::clone(&call.arguments))
}
