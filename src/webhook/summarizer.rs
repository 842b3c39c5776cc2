//! Asks a model for a summary, at an OpenAI-compatible endpoint of the operator.
//!
//! It uses the same client as hooks: no redirect, no proxy, bytes counted while they arrive. The
//! address comes from the operator and not from a caller, so it may be a private one. After three
//! failures in a row nothing is asked for half a minute; then one call may try.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::breaker::{BreakerKey, Breakers};
use super::chat::{ChatEndpoint, ChatRequest};
use super::resolver::Resolver;
use super::tls::SetupError;
use crate::config::SummarizerConfig;
use crate::domain::{Clock, PromptMessage};
use crate::hook::{CallFailure, FailureCause};

/// Failures in a row after which nothing is asked for a while, and for how long.
const MAX_FAILURES: u32 = 3;
const OPEN_PAUSE: Duration = Duration::from_secs(30);

/// Writes summaries. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Summarizer {
    endpoint: ChatEndpoint,
    clock: Clock,
    breakers: Breakers,
    breaker: BreakerKey,
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
        let endpoint = ChatEndpoint::new(url, model, vec![own], certificates, resolver)?
            .with_key(config.summarizer_key.clone());
        let most = usize::try_from(config.summarizer_max_input_bytes).unwrap_or(usize::MAX);
        Ok(Some(Self {
            endpoint,
            clock,
            breakers: Breakers::new(MAX_FAILURES, OPEN_PAUSE),
            breaker: BreakerKey::from_name("summarizer"),
            timeout: Duration::from_millis(config.summarizer_timeout_ms),
            max_input: most,
        }))
    }

    /// The model that writes.
    pub fn model(&self) -> &Arc<str> {
        self.endpoint.model()
    }

    /// The URL of the endpoint.
    pub fn url(&self) -> &str {
        self.endpoint.url()
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
        let Some(permit) = self.breakers.admit(&self.breaker, self.clock.now()) else {
            return Err(CallFailure::new(
                FailureCause::CircuitOpen,
                "it failed too often a moment ago",
            ));
        };
        // Room for thoughts that are stripped; the prompt limits the length of the summary.
        let max_tokens = max_tokens.saturating_mul(4).saturating_add(2_048);
        let request = ChatRequest { messages: prompt, max_tokens, temperature: None };
        let came = self.endpoint.ask(&request, self.timeout.min(allowance)).await;
        let is_cut = allowance < self.timeout;
        let came = came.map_err(|chat| match chat.failure.cause {
            FailureCause::Timeout if is_cut => {
                CallFailure { cause: FailureCause::Deadline, ..chat.failure }
            }
            _ => chat.failure,
        });
        match &came {
            Ok(_) => permit.succeeded(),
            // The request had too little time for it.
            Err(failure) if !failure.cause.is_of_hook() => {}
            Err(failure) => {
                if permit.failed(self.clock.now()) {
                    tracing::warn!(
                        cause = failure.cause.as_str(),
                        "the model that summarises failed; summaries are made without it"
                    );
                }
            }
        }
        came
    }
}
