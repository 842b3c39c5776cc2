//! `tool_result`: the results of tools, before any other stage.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{Content, Message, Notes, Part, ReplacedResult, Source, ToolCall, ToolResult};
use crate::hook::{
    AnswerReader, ChangeResult, CheckedInput, HookedCall, HookedResult, MatchContext, Point,
    PointInput as _, ToolArguments, ToolResultInput,
};
use crate::json::{Faults, JsonText, Limits, Node, parse};
use crate::pack::Redactor;
use crate::pipeline::governance::redact_message;
use crate::pipeline::{Error, HookPort};
use crate::provider;
use crate::provider::MISSING_RESULT;

const RESULT_LIMITS: Limits = Limits { depth: 160, values: 2_000_000 };

/// A result, and what hooks are shown of it.
struct ShownResult {
    /// Index of its message in the history.
    index: usize,
    input: String,
    result: ToolResult,
}

/// Calls the hooks for results, before any other stage, and returns the results that they replaced.
/// `fits` validates a new result in its place.
pub fn ask_results_of(
    asks: &mut dyn HookPort,
    history: &mut [Message],
    fits: ResultCheck<'_>,
) -> Result<Vec<ReplacedResult>, Error> {
    let calls = calls_of(history);
    let shown: Vec<ShownResult> = history
        .iter()
        .enumerate()
        .filter_map(|(index, message)| {
            let result = message.tool_results().next()?.clone();
            Some(ShownResult { index, input: input(message, &calls)?, result })
        })
        .collect();
    let asked: Vec<ResultInput<'_>> = shown
        .iter()
        .map(|ShownResult { input, result: old, .. }| {
            let call = calls.get(&old.call_id).map(|call| &*call.name);
            ResultInput { input, tool: old.name.as_deref().or(call), old, fits }
        })
        .collect();
    let changed = ask_each(asks, &asked)?;
    let mut replaced = Vec::new();
    for (ShownResult { index, result, .. }, new) in shown.into_iter().zip(changed) {
        let new = new.filter(|new| *new != result);
        if let (Some(message), Some(new)) = (history.get_mut(index), new) {
            put(message, new.clone());
            replaced.push(ReplacedResult { old: result, new });
        }
    }
    Ok(replaced)
}

/// The same under a pack: hooks are shown redacted results, and an unchanged one keeps its
/// original text, so that later stages count what they redact in it.
pub fn ask_governed_results(
    asks: &mut dyn HookPort,
    history: &mut [Message],
    redactor: Redactor<'_>,
) -> Result<Vec<ReplacedResult>, Error> {
    if !asks.has_any(Point::ToolResult) {
        return Ok(Vec::new());
    }
    let clean = |own: &Message| redact_message(own.clone(), redactor);
    let before: Vec<Message> = history.iter().map(clean).collect();
    let mut after = before.clone();
    ask_results_of(asks, &mut after, &|_| Ok(()))?;
    let mut replaced = Vec::new();
    for ((own, before), after) in history.iter_mut().zip(&before).zip(&after) {
        let new =
            after.tool_results().next().filter(|new| before.tool_results().next() != Some(new));
        let old = own.tool_results().next().cloned();
        if let (Some(old), Some(new)) = (old, new) {
            put(own, new.clone());
            replaced.push(ReplacedResult { old, new: new.clone() });
        }
    }
    Ok(replaced)
}

/// The input of hooks for each result of a conversation.
pub fn result_inputs(node: &Node<'_>, source: Source) -> Vec<String> {
    // It was read before, or written by us.
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let history = provider::read(node, source, &mut faults, &mut notes).history;
    let calls = calls_of(&history);
    history.iter().filter_map(|message| input(message, &calls)).collect()
}

/// Validates a new result in the place of an old one.
pub type ResultCheck<'f> = &'f (dyn Fn(&ToolResult) -> Result<(), String> + Send + Sync);

/// A result that hooks are asked about.
pub(crate) struct ResultInput<'a> {
    /// The input of the hook.
    pub(crate) input: &'a str,
    /// The tool that it is of.
    pub(crate) tool: Option<&'a str>,
    pub(crate) old: &'a ToolResult,
    pub(crate) fits: ResultCheck<'a>,
}

/// Calls hooks for results; none for each that is unchanged.
pub(crate) fn ask_each(
    asks: &mut dyn HookPort,
    results: &[ResultInput<'_>],
) -> Result<Vec<Option<ToolResult>>, Error> {
    let readers: Vec<_> = results
        .iter()
        .map(|asked| {
            AnswerReader::new(move |payload: &str| {
                let new = read(payload, asked.old)?;
                (asked.fits)(&new).map(|()| new)
            })
        })
        .collect();
    let checks: Vec<_> =
        readers.iter().map(|reader| move |payload: &str| reader.check(payload)).collect();
    let items: Vec<CheckedInput<'_>> = results
        .iter()
        .zip(&checks)
        .map(|(asked, check)| {
            let facts = MatchContext { tool: asked.tool, ..MatchContext::default() };
            CheckedInput { input: asked.input, facts, check }
        })
        .collect();
    let changed = asks.each(Point::ToolResult, &items)?;
    let new =
        |(changed, reader): (ChangeResult, &AnswerReader<_, _>)| reader.take(&changed.payload?);
    Ok(changed.into_iter().zip(&readers).map(new).collect())
}

/// Calls by their ids.
pub(crate) fn calls_of(history: &[Message]) -> HashMap<Arc<str>, ToolCall> {
    let calls = history.iter().flat_map(Message::tool_calls);
    calls.map(|call| (Arc::clone(&call.id), call.clone())).collect()
}

/// The input of hooks. None for a message without a result, or with the text that stands for a
/// missing one: no tool returned it.
pub(crate) fn input(message: &Message, calls: &HashMap<Arc<str>, ToolCall>) -> Option<String> {
    let result = message.tool_results().next().filter(|result| !is_stand_in(result))?;
    let call = calls.get(&result.call_id);
    let name = result.name.as_ref().or(call.map(|call| &call.name));
    let content = provider::write_result_content(&result.content);
    let input = ToolResultInput {
        tool: HookedCall {
            name: name.map(|name| &**name),
            call_id: &result.call_id,
            arguments: call.map(arguments),
        },
        result: HookedResult {
            content: JsonText::new(&content),
            is_error: result.is_error == Some(true),
        },
    };
    Some(input.to_json())
}

fn is_stand_in(result: &ToolResult) -> bool {
    let [part] = result.content.as_slice() else { return false };
    part.as_text().is_some_and(|text| **text == *MISSING_RESULT)
}

fn arguments(call: &ToolCall) -> ToolArguments<'_> {
    let is_object = !call.custom
        && parse(&call.arguments, RESULT_LIMITS).is_ok_and(|node| node.as_object().is_some());
    if is_object {
        ToolArguments::Json(JsonText::new(&call.arguments))
    } else {
        ToolArguments::Text(&call.arguments)
    }
}

/// The new result in a payload `{"content", "is_error"?, …}`, or what is wrong with it.
pub(crate) fn read(payload: &str, old: &ToolResult) -> Result<ToolResult, String> {
    let node = parse(payload, RESULT_LIMITS).map_err(|error| error.to_string())?;
    if node.as_object().is_none() {
        return Err(format!("/result: must be an object, not {}", node.kind()));
    }
    let content = node.get("content").ok_or("/result/content: is missing")?;
    let is_error = match node.get("is_error") {
        None => old.is_error,
        Some(flag) if flag.is_null() => None,
        Some(flag) => Some(flag.as_bool().ok_or("/result/is_error: must be true or false")?),
    };
    let body = format!(
        "{{\"messages\":[{{\"role\":\"tool\",\"parts\":[{{\"type\":\"tool_result\",\"call_id\":\"c\",\
         \"content\":{}}}]}}]}}",
        content.raw
    );
    let body = parse(&body, RESULT_LIMITS).map_err(|error| error.to_string())?;
    let mut faults = Faults::default();
    let read = provider::read(&body, Source::Neutral, &mut faults, &mut Notes::default());
    if let Some(fault) = faults.into_vec().first() {
        let place = fault.pointer.strip_prefix("/messages/0/parts/0").unwrap_or_default();
        return Err(format!("/result{place}: {}", fault.detail));
    }
    let new = read.history.iter().flat_map(Message::tool_results).next().cloned();
    let new = new.ok_or("/result/content: is no content of a tool's result")?;
    let is_sealed = |part: &&Part| matches!(part.content, Content::Opaque { .. });
    let known = |part: &Part| old.content.iter().any(|own| own.content == part.content);
    if new.content.iter().filter(is_sealed).any(|part| !known(part)) {
        return Err("/result/content: an item of a provider's own is whole or absent".to_owned());
    }
    let (call_id, name) = (Arc::clone(&old.call_id), old.name.clone());
    Ok(ToolResult { call_id, name, content: new.content, is_error })
}

/// A message with another result in the place of its own.
pub(crate) fn put(message: &mut Message, new: ToolResult) {
    for part in &mut message.parts {
        if let Content::ToolResult(result) = &mut part.content {
            *result = new;
            return;
        }
    }
}
