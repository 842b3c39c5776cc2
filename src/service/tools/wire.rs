//! Reads tool calls in a provider's shape, and writes their results in it.

use std::sync::Arc;

use super::ToolAnswer;
use crate::domain::{
    Content, Message, Notes, Part, RawJson, Role, Source, Target, ToolCall, ToolResult,
};
use crate::json::{self, Fault, Faults, Limits, Node};
use crate::provider::{self, PayloadInput};
use crate::request::{CallsRequest, RawResult};
use crate::service::Error;

/// Reads the calls, each in the shape of its provider's assistant message.
pub(super) fn read(request: &CallsRequest<'_>) -> Result<(Source, Vec<ToolCall>), Error> {
    let source = request.source.unwrap_or_else(|| detect(request.calls));
    // Calls are read as part of an assistant message, so one is written around them.
    let list: Vec<&str> = request.calls.iter().map(|call| call.raw).collect();
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
    let conversation = provider::read(&node, source, &mut faults, &mut notes);
    let mut found = faults.into_vec();
    for fault in &mut found {
        if let Some(rest) = fault.pointer.strip_prefix(place) {
            fault.pointer = format!("/calls{rest}");
        }
    }
    if !found.is_empty() {
        return Err(Error::Invalid(found));
    }
    let calls: Vec<ToolCall> =
        conversation.history.iter().flat_map(Message::tool_calls).cloned().collect();
    if calls.len() != request.calls.len() {
        return Err(Error::Invalid(vec![Fault {
            pointer: "/calls".to_owned(),
            detail: "must hold nothing but tool calls".to_owned(),
            did_you_mean: None,
        }]));
    }
    Ok((source, calls))
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

/// Writes a result in the shape of its call.
pub(super) fn result(source: Source, call: &ToolCall, answer: &ToolAnswer) -> RawJson {
    let refused = matches!(answer, ToolAnswer::Refused(_));
    let result = ToolResult {
        call_id: Arc::clone(&call.id),
        name: Some(Arc::clone(&call.name)),
        content: vec![Part::text(answer.text())],
        is_error: refused.then_some(true),
    };
    let list = list(source, vec![result]);
    let message = json::parse(&list, Limits::default())
        .ok()
        .and_then(|node| node.as_array()?.first().map(|message| RawJson::new(message.raw)));
    message.unwrap_or_else(|| RawJson::new("null"))
}

/// Writes raw results as messages of a shape, as a JSON list. `texts` are the shown texts of the
/// results.
pub(super) fn results(source: Source, results: &[RawResult], texts: &[String]) -> String {
    let result = |(result, text): (&RawResult, &String)| ToolResult {
        call_id: Arc::clone(&result.id),
        name: (!result.name.is_empty()).then(|| Arc::clone(&result.name)),
        content: vec![Part::text(text.as_str())],
        is_error: result.is_error,
    };
    list(source, results.iter().zip(texts).map(result).collect())
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

fn list(source: Source, results: Vec<ToolResult>) -> String {
    let message = |result| Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]);
    let messages: Vec<Message> = results.into_iter().map(message).collect();
    let target = match source {
        Source::Openai => Target::Openai,
        Source::OpenaiResponses => Target::OpenaiResponses,
        Source::Anthropic => Target::Anthropic,
        Source::Gemini => Target::Gemini,
        Source::Neutral => Target::Neutral,
    };
    let input = PayloadInput { messages: &messages, tools: &[] };
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
