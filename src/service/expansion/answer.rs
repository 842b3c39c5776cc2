//! Responses of `/expand`, written once: a list of messages or a text, and what was done.

use std::sync::Arc;

use bytes::Bytes;

use super::ExpandReport;
use crate::json;
use crate::limit::Allowance;
use crate::pipeline::StopReason;
use crate::service::compile::Error;

pub(super) fn write_list(key: &str, messages: &[Arc<str>], done: &ExpandReport) -> Bytes {
    let bytes: usize = messages.iter().map(|message| message.len() + 1).sum();
    let mut body = String::with_capacity(bytes + 256);
    body.push_str("{\"");
    body.push_str(key);
    body.push_str("\":[");
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            body.push(',');
        }
        body.push_str(message);
    }
    body.push(']');
    finish(body, done)
}

/// The text of a response.
pub(super) enum ResponseText<'t> {
    Nothing,
    /// A string in JSON.
    Json(&'t str),
    Text(&'t str),
}

/// Writes a text, and takes its bytes from the allowance first: as JSON it may be six times as
/// long.
pub(super) fn write_text(
    text: &ResponseText<'_>,
    done: &ExpandReport,
    allowance: &Allowance,
) -> Result<Bytes, Error> {
    let bytes = match text {
        ResponseText::Nothing => 0,
        ResponseText::Json(json) => json.len(),
        ResponseText::Text(text) => json::string_bytes(text),
    };
    allowance.take(bytes).map_err(StopReason::from)?;
    let mut body = String::with_capacity(bytes + 256);
    body.push_str("{\"text\":");
    match text {
        ResponseText::Nothing => body.push_str("null"),
        ResponseText::Json(json) => body.push_str(json),
        ResponseText::Text(text) => json::write_string(&mut body, text),
    }
    Ok(finish(body, done))
}

fn finish(mut body: String, done: &ExpandReport) -> Bytes {
    // Plain data with string keys: serialising it cannot fail.
    let done = serde_json::to_string(done).unwrap_or_default();
    body.push(',');
    body.push_str(done.trim_start_matches('{'));
    Bytes::from(body)
}
