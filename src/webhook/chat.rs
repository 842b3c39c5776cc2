//! Asks a model at an OpenAI-compatible endpoint.
//!
//! It uses the same client as hooks: no redirect, no proxy, bytes counted while they arrive. The
//! address comes from the operator and not from a caller, so it may be a private one.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::http::HeaderValue;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::address::Policy;
use super::client::{Client, LimitedResponse, NoResponse};
use super::resolver::Resolver;
use super::tls::SetupError;
use crate::config::{AllowCidr, ChatKey, ChatUrl};
use crate::domain::{PromptMessage, Role};
use crate::hook::{CallFailure, FailureCause};

/// Tries of one call, and what is waited for before the second; each time twice as long.
const MAX_ATTEMPTS: u32 = 3;
const FIRST_RETRY_WAIT: Duration = Duration::from_millis(100);
/// Bytes of an answer: a summary is a few thousand, thoughts around it some more.
const MAX_ANSWER_BYTES: usize = 1 << 20;
/// Characters of an endpoint's words about an error that are kept.
const MAX_COMPLAINT_CHARS: usize = 300;

/// A model at an endpoint. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ChatEndpoint {
    client: Client,
    url: Arc<str>,
    model: Arc<str>,
    key: Option<ChatKey>,
}

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct ChatRequest<'m> {
    pub messages: &'m [PromptMessage],
    /// Tokens of the answer, thoughts included.
    pub max_tokens: u64,
    /// The endpoint's own if absent.
    pub temperature: Option<u8>,
}

/// Why there is no answer, and what the endpoint says about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{failure}{}", complaint.as_ref().map(|text| format!(": {text}")).unwrap_or_default())]
pub struct ChatFailure {
    pub failure: CallFailure,
    /// The message of the endpoint's error; it may quote what was asked.
    pub complaint: Option<String>,
}

impl From<CallFailure> for ChatFailure {
    fn from(failure: CallFailure) -> Self {
        Self { failure, complaint: None }
    }
}

impl ChatEndpoint {
    /// `own`: the addresses of this service, which are not asked.
    pub fn new(
        url: &ChatUrl,
        model: &str,
        own: Vec<SocketAddr>,
        certificates: Option<&Path>,
        resolver: Arc<dyn Resolver>,
    ) -> Result<Self, SetupError> {
        let policy = Policy { allow: AllowCidr::everywhere(), loopback: true, own };
        let client = Client::new(Arc::new(policy), resolver, certificates)?;
        Ok(Self { client, url: url.as_str().into(), model: model.into(), key: None })
    }

    #[must_use]
    pub fn with_key(mut self, key: Option<ChatKey>) -> Self {
        self.key = key;
        self
    }

    /// The model that is asked.
    pub fn model(&self) -> &Arc<str> {
        &self.model
    }

    /// The URL of the endpoint.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Asks, and again where the failure may pass, all within `allowance`.
    pub async fn ask(
        &self,
        request: &ChatRequest<'_>,
        allowance: Duration,
    ) -> Result<String, ChatFailure> {
        self.tries(&self.body(request), Instant::now() + allowance).await
    }

    fn body(&self, request: &ChatRequest<'_>) -> Bytes {
        let message = |chat: &PromptMessage| {
            let role = if chat.role == Role::Assistant { "assistant" } else { "user" };
            json!({"role": role, "content": chat.text})
        };
        let messages: Vec<Value> = request.messages.iter().map(message).collect();
        let mut body = json!({
            "model": &*self.model, "messages": messages,
            "max_completion_tokens": request.max_tokens, "stream": false,
        });
        if let (Some(temperature), Some(members)) = (request.temperature, body.as_object_mut()) {
            members.insert("temperature".to_owned(), temperature.into());
        }
        Bytes::from(body.to_string())
    }

    async fn tries(&self, body: &Bytes, deadline: Instant) -> Result<String, ChatFailure> {
        let left = || deadline.saturating_duration_since(Instant::now());
        let mut wait = FIRST_RETRY_WAIT;
        for number in 1.. {
            let request = self.request(body)?;
            let sent = timeout(left(), self.client.send(request, MAX_ANSWER_BYTES, false)).await;
            let sent = sent.unwrap_or_else(|_| {
                let failure = CallFailure::new(FailureCause::Timeout, "no complete answer in time");
                Err(NoResponse { failure, is_unsent: false })
            });
            let (failure, asked) = match sent {
                Ok(answered) if answered.status == 200 => return Ok(read(&answered.body)?),
                Ok(answered) => (status_failure(&answered), answered.retry_after),
                Err(NoResponse { failure, .. }) => (failure.into(), None),
            };
            let seconds = asked.and_then(|text| text.trim().parse::<u32>().ok());
            let pause = seconds.map_or(wait, |seconds| Duration::from_secs(seconds.into()));
            if number >= MAX_ATTEMPTS || !is_passing(&failure.failure) || pause >= left() {
                return Err(failure);
            }
            sleep(pause).await;
            wait *= 2;
        }
        Err(CallFailure::new(FailureCause::Connect, "nothing was tried").into())
    }

    fn request(&self, body: &Bytes) -> Result<Request<Full<Bytes>>, CallFailure> {
        let bad = |_| CallFailure::new(FailureCause::Connect, "a request that cannot be sent");
        let mut request = Request::post(&*self.url)
            .header("content-type", "application/json")
            .header("accept", "application/json")
            .header("user-agent", concat!("contexture/", env!("CARGO_PKG_VERSION")));
        if let Some(key) = &self.key {
            let mut value =
                HeaderValue::from_str(&format!("Bearer {}", key.reveal())).map_err(|_| {
                    CallFailure::new(FailureCause::Connect, "a key that cannot be sent")
                })?;
            value.set_sensitive(true);
            request = request.header("authorization", value);
        }
        request.body(Full::new(body.clone())).map_err(bad)
    }
}

fn status_failure(answered: &LimitedResponse) -> ChatFailure {
    let status = answered.status;
    let cause =
        if (300..400).contains(&status) { FailureCause::Redirect } else { FailureCause::Status };
    let failure = CallFailure::new(cause, format!("status {status}")).with_status(status);
    ChatFailure { failure, complaint: complaint(&answered.body) }
}

/// The message of an error in the shape of OpenAI's.
fn complaint(body: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let message = answer.pointer("/error/message").or_else(|| answer.get("message"))?.as_str()?;
    Some(message.chars().take(MAX_COMPLAINT_CHARS).collect())
}

/// Whether the same request may succeed a moment later.
fn is_passing(failure: &CallFailure) -> bool {
    match failure.status {
        Some(status) => matches!(status, 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504),
        None => failure.cause == FailureCause::Connect,
    }
}

/// The text of the first choice, in one piece or in parts.
fn read(body: &[u8]) -> Result<String, CallFailure> {
    let bad = |why: &str| CallFailure::new(FailureCause::BadShape, why);
    let answer: Value = serde_json::from_slice(body)
        .map_err(|_| CallFailure::new(FailureCause::BadJson, "the answer is not JSON"))?;
    let choice = answer.pointer("/choices/0").ok_or_else(|| bad("the answer has no choice"))?;
    if let Some(word @ ("length" | "content_filter")) =
        choice.get("finish_reason").and_then(Value::as_str)
    {
        return Err(bad(&format!("the answer ended early: {word}")));
    }
    let refusal = choice.pointer("/message/refusal").and_then(Value::as_str);
    if refusal.is_some_and(|text| !text.is_empty()) {
        return Err(bad("the model refused"));
    }
    match choice.pointer("/message/content") {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => {
            Ok(parts.iter().filter_map(|part| part.get("text")?.as_str()).collect())
        }
        _ => Err(bad("the choice has no text")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_error_are_kept() {
        let of = |text: &str| complaint(text.as_bytes());
        assert_eq!(
            of(r#"{"error":{"message":"no such model"}}"#),
            Some("no such model".to_owned())
        );
        assert_eq!(of(r#"{"message":"slow down"}"#), Some("slow down".to_owned()));
        assert_eq!((of("<html>"), of(r#"{"error":7}"#)), (None, None));
        let long = format!(r#"{{"error":{{"message":"{}"}}}}"#, "é".repeat(400));
        assert_eq!(of(&long).map(|text| text.chars().count()), Some(MAX_COMPLAINT_CHARS));
    }

    #[test]
    fn the_text_of_the_first_choice_is_the_answer() {
        let of = |text: &str| read(text.as_bytes()).map_err(|failure| failure.cause);
        let whole = r#"{"choices":[{"finish_reason":"stop","message":{"content":"a"}},{"x":1}]}"#;
        assert_eq!(of(whole), Ok("a".to_owned()));
        let parts =
            r#"{"choices":[{"message":{"content":[{"text":"a"},{"type":"x"},{"text":"b"}]}}]}"#;
        assert_eq!(of(parts), Ok("ab".to_owned()));
        for bad in [
            "{}",
            r#"{"choices":[]}"#,
            r#"{"choices":[{"message":{"content":null}}]}"#,
            r#"{"choices":[{"finish_reason":"length","message":{"content":"a"}}]}"#,
            r#"{"choices":[{"message":{"content":"a","refusal":"I cannot"}}]}"#,
        ] {
            assert_eq!(of(bad), Err(FailureCause::BadShape), "{bad}");
        }
        assert_eq!(of("<html>"), Err(FailureCause::BadJson));
    }
}
