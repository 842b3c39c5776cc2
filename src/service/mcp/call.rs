//! Runs calls of the MCP tools.

use std::fmt::Write as _;

use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::domain::{MemoryScope, ToolCall};
use crate::json::{Fault, string_bytes};
use crate::pipeline::{CREATE_MEMORY, Deadline, MODIFY_MEMORY};
use crate::request::{ModelReader, ReferenceStyle};
use crate::service::compile::Error as CompileError;
use crate::service::compress::{CompressJob, CompressOutcome, carry_out as compress};
use crate::service::tools::{ToolAnswer, own_call};
use crate::service::{Error, Services, StoreError, expansion, memory};

/// The text of a tool's result, for a model.
pub(super) struct ToolText {
    text: String,
    is_error: bool,
}

/// Errors that a model cannot correct.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallFault {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Other(String),
}

impl ToolText {
    fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: false }
    }

    fn refused(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }
}

impl From<ToolText> for CallToolResponse {
    fn from(ToolText { text, is_error }: ToolText) -> Self {
        let content = vec![ContentBlock::text(text)];
        let result = if is_error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.into()
    }
}

pub(super) fn carry_out(
    services: &Services,
    name: &str,
    arguments: &Value,
    deadline: &Deadline,
) -> Result<ToolText, CallFault> {
    let result = call(services, name, arguments, deadline)?;
    // The text becomes a string in the protocol's JSON.
    Ok(match deadline.allowance().take(string_bytes(&result.text)) {
        Ok(()) => result,
        Err(error) => ToolText::refused(error.to_string()),
    })
}

fn call(
    services: &Services,
    name: &str,
    arguments: &Value,
    deadline: &Deadline,
) -> Result<ToolText, CallFault> {
    match name {
        "memory_create" => call_own_tool(services, CREATE_MEMORY, arguments),
        "memory_modify" => call_own_tool(services, MODIFY_MEMORY, arguments),
        "memory_recall" => recall(services, arguments),
        "compress" => {
            let body = arguments.to_string();
            let reader =
                ModelReader { reference: Some(ReferenceStyle::Tool), ..ModelReader::default() };
            compile_result(
                {
                    let job = CompressJob { body: &body, reader, asked: None };
                    compress(services, job, deadline, &compression_text)
                }
                .map(|answer| answer.text().into_owned()),
            )
        }
        "expand" => {
            let answer = expansion::expand(services, &arguments.to_string(), deadline);
            compile_result(answer.map(|body| expansion_text(&body)))
        }
        name => call_own_tool(services, name, arguments),
    }
}

/// Runs a tool that compiles offer too.
fn call_own_tool(
    services: &Services,
    name: &str,
    arguments: &Value,
) -> Result<ToolText, CallFault> {
    let arguments = arguments.to_string().into();
    let call = ToolCall { id: "mcp".into(), name: name.into(), arguments, custom: false };
    match own_call(services, MemoryScope::default(), call) {
        Ok(ToolAnswer::Done(text)) => Ok(ToolText::done(text)),
        Ok(ToolAnswer::Refused(text)) => Ok(ToolText::refused(text)),
        Err(error) => call_error(error),
    }
}

fn recall(services: &Services, arguments: &Value) -> Result<ToolText, CallFault> {
    let found = match memory::recall(services, &arguments.to_string()) {
        Ok(found) => found,
        Err(error) => return call_error(error),
    };
    let entries = found.ranked.iter().filter(|(_, shown)| *shown);
    let entry = |(ranked, _): &(crate::pipeline::RankedMemory, bool)| {
        let entry = &ranked.entry;
        json!({"key": entry.key, "value": entry.text(), "description": entry.description})
    };
    let entries: Vec<Value> = entries.map(entry).collect();
    Ok(ToolText::done(Value::from(entries).to_string()))
}

/// The result of a compression for a model: the list or the text, and the report's sentence.
fn compression_text(done: &CompressOutcome<'_>) -> bytes::Bytes {
    let summary = &done.report.summary;
    let text = done.shortened.text.as_deref().unwrap_or(done.list);
    bytes::Bytes::from(format!("{text}\n\n[{summary}]"))
}

/// The result of an expansion for a model, with the number of parts that could not be restored.
fn expansion_text(body: &[u8]) -> String {
    let mut answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let list = ["messages", "input", "contents"].iter().find_map(|key| answer.get(*key));
    let list = list.map(Value::to_string);
    let mut text = match answer.get_mut("text") {
        // The text may be long: it is moved, not copied.
        Some(Value::String(text)) => std::mem::take(text),
        _ => list.unwrap_or_default(),
    };
    let missing = answer.get("missing").and_then(Value::as_array).map_or(0, Vec::len);
    if missing > 0 {
        let _ = write!(text, "\n\n[{missing} no longer available]");
    }
    text
}

fn compile_result(answer: Result<String, CompileError>) -> Result<ToolText, CallFault> {
    match answer {
        Ok(text) => Ok(ToolText::done(text)),
        Err(CompileError::Store(error)) => Err(error.into()),
        Err(CompileError::Invalid(faults)) => Ok(ToolText::refused(list_faults(&faults))),
        Err(error) => Ok(ToolText::refused(error.to_string())),
    }
}

fn call_error(error: Error) -> Result<ToolText, CallFault> {
    match error {
        Error::Invalid(faults) => Ok(ToolText::refused(list_faults(&faults))),
        Error::Store(error) => Err(error.into()),
        error => Err(CallFault::Other(error.to_string())),
    }
}

fn list_faults(faults: &[Fault]) -> String {
    let lines: Vec<String> =
        faults.iter().map(|fault| format!("{} {}", fault.pointer, fault.detail)).collect();
    lines.join("\n")
}
