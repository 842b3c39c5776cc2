//! Responses of `/expand`, written once: a list of messages or a text, and what was done.

use std::sync::Arc;

use bytes::Bytes;

use super::Expanded;
use crate::json;
use crate::limit::Allowance;
use crate::pipeline::Stopped;
use crate::service::compile::Error;

pub(super) fn answer(key: &str, messages: &[Arc<str>], done: &Expanded) -> Bytes {
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
pub(super) enum Shown<'t> {
    Nothing,
    /// As JSON.
    Json(&'t str),
    Text(&'t str),
}

/// Pays for the text before it is written: as JSON it may be six times as long.
pub(super) fn answer_text(
    text: &Shown<'_>,
    done: &Expanded,
    allowance: &Allowance,
) -> Result<Bytes, Error> {
    let bytes = match text {
        Shown::Nothing => 0,
        Shown::Json(json) => json.len(),
        Shown::Text(text) => json::string_bytes(text),
    };
    allowance.take(bytes).map_err(Stopped::from)?;
    let mut body = String::with_capacity(bytes + 256);
    body.push_str("{\"text\":");
    match text {
        Shown::Nothing => body.push_str("null"),
        Shown::Json(json) => body.push_str(json),
        Shown::Text(text) => json::write_string(&mut body, text),
    }
    Ok(finish(body, done))
}

fn finish(mut body: String, done: &Expanded) -> Bytes {
    // Plain data with string keys: there is nothing in it that JSON cannot hold.
    let done = serde_json::to_string(done).unwrap_or_default();
    body.push(',');
    body.push_str(done.trim_start_matches('{'));
    Bytes::from(body)
}
