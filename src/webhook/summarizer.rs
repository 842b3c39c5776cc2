//! Asks a model for a summary, at an OpenAI-compatible endpoint of the operator.
//!
//! It uses the same client as hooks: no redirect, no proxy, bytes counted while they arrive. The
//! address comes from the operator and not from a caller, so it may be a private one. After three
//! failures in a row nothing is asked for half a minute; then one call may try.

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
use super::breaker::{BreakerKey, Breakers};
use super::client::{Client, LimitedResponse, NoResponse, SetupError};
use super::resolver::Resolver;
use crate::config::{AllowCidr, SummarizerConfig, SummarizerKey};
use crate::domain::{Clock, PromptMessage, Role};
use crate::hook::{CallFailure, FailureCause};

/// Failures in a row after which nothing is asked for a while, and for how long.
const MAX_FAILURES: u32 = 3;
const OPEN_PAUSE: Duration = Duration::from_secs(30);
/// Tries of one call, and what is waited for before the second; each time twice as long.
const MAX_ATTEMPTS: u32 = 3;
const FIRST_RETRY_WAIT: Duration = Duration::from_millis(100);
/// Bytes of an answer: a summary is a few thousand, thoughts around it some more.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Writes summaries. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Summarizer {
    client: Client,
    clock: Clock,
    breakers: Breakers,
    breaker: BreakerKey,
    url: Arc<str>,
    model: Arc<str>,
    key: Option<SummarizerKey>,
    timeout: Duration,
    max_input: usize,
}

impl Summarizer {
    /// `None` if no endpoint is configured. `own`: the addresses of this service.
    pub fn new(
        config: &SummarizerConfig,
        own: SocketAddr,
        certificates: Option<&Path>,
        resolver: Arc<dyn Resolver>,
        clock: Clock,
    ) -> Result<Option<Self>, SetupError> {
        let (Some(url), Some(model)) = (&config.summarizer_url, &config.summarizer_model) else {
            return Ok(None);
        };
        let policy = Policy { allow: AllowCidr::everywhere(), loopback: true, own: vec![own] };
        let client = Client::new(Arc::new(policy), resolver, certificates)?;
        let most = usize::try_from(config.summarizer_max_input_bytes).unwrap_or(usize::MAX);
        Ok(Some(Self {
            client,
            clock,
            breakers: Breakers::new(MAX_FAILURES, OPEN_PAUSE),
            breaker: BreakerKey::from_name("summarizer"),
            url: url.as_str().into(),
            model: model.as_str().into(),
            key: config.summarizer_key.clone(),
            timeout: Duration::from_millis(config.summarizer_timeout_ms),
            max_input: most,
        }))
    }

    /// The model that writes.
    pub fn model(&self) -> &Arc<str> {
        &self.model
    }

    /// The URL of the endpoint.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Bytes of a conversation that it is given at most.
    pub fn max_input(&self) -> usize {
        self.max_input
    }

    /// Asks the model for a summary, within the model's time limit and `allowance`.
    pub async fn write(
        &self,
        prompt: &[PromptMessage],
        max_tokens: u64,
        allowance: Duration,
    ) -> Result<String, CallFailure> {
        let deadline = Instant::now() + self.timeout.min(allowance);
        let Some(permit) = self.breakers.admit(&self.breaker, self.clock.now()) else {
            return Err(CallFailure::new(
                FailureCause::CircuitOpen,
                "it failed too often a moment ago",
            ));
        };
        let came = self.tries(&self.body(prompt, max_tokens), deadline).await;
        let is_cut = allowance < self.timeout;
        let came = came.map_err(|failure| match failure.cause {
            FailureCause::Timeout if is_cut => {
                CallFailure { cause: FailureCause::Deadline, ..failure }
            }
            _ => failure,
        });
        match &came {
            Ok(_) => permit.succeeded(),
            // The request had too little time for it.
            Err(failure) if !failure.cause.is_of_hook() => {}
            Err(failure) => {
                if permit.failed(self.clock.now()) {
                    tracing::warn!(cause = failure.cause.as_str(), "the summariser fails");
                }
            }
        }
        came
    }

    fn body(&self, prompt: &[PromptMessage], max_tokens: u64) -> Bytes {
        let message = |chat: &PromptMessage| {
            let role = if chat.role == Role::Assistant { "assistant" } else { "user" };
            json!({"role": role, "content": chat.text})
        };
        let messages: Vec<Value> = prompt.iter().map(message).collect();
        // Room for thoughts that are stripped; the prompt limits the length of the summary.
        let most = max_tokens.saturating_mul(4).saturating_add(2_048);
        let body = json!({
            "model": &*self.model, "messages": messages, "max_completion_tokens": most,
            "stream": false,
        });
        Bytes::from(body.to_string())
    }

    async fn tries(&self, body: &Bytes, deadline: Instant) -> Result<String, CallFailure> {
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
                Ok(answered) if answered.status == 200 => return read(&answered.body),
                Ok(answered) => (status_failure(&answered), answered.retry_after),
                Err(NoResponse { failure, .. }) => (failure, None),
            };
            let seconds = asked.and_then(|text| text.trim().parse::<u32>().ok());
            let pause = seconds.map_or(wait, |seconds| Duration::from_secs(seconds.into()));
            if number >= MAX_ATTEMPTS || !is_passing(&failure) || pause >= left() {
                return Err(failure);
            }
            sleep(pause).await;
            wait *= 2;
        }
        Err(CallFailure::new(FailureCause::Connect, "nothing was tried"))
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

fn status_failure(answered: &LimitedResponse) -> CallFailure {
    let status = answered.status;
    let cause =
        if (300..400).contains(&status) { FailureCause::Redirect } else { FailureCause::Status };
    CallFailure::new(cause, format!("status {status}")).with_status(status)
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
