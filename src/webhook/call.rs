//! Calls hooks: signed, within their time, and no longer once they fail again and again.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::http::HeaderValue;
use secrecy::ExposeSecret as _;
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;
use uuid::Uuid;

use super::address::Policy;
use super::breaker::{BreakerKey, Breakers};
use super::client::{Client, LimitedResponse, NoResponse};
use super::gate::Gates;
use super::leak::leaks;
use super::resolver::Resolver;
use super::signature::sign;
use super::tls::SetupError;
use crate::config::HooksConfig;
use crate::domain::{Clock, Timestamp};
use crate::hook::{
    Attempt, Call, CallFailure, CallFuture, CallReply, Caller, Endpoint, FailureCause, Hook,
    HookAnswer, HookKind, envelope,
};
use crate::telemetry::{Metrics, trace};

/// The header with the number of instances of this service that a request passed through.
pub const HOP_HEADER: &str = "contexture-hop";
/// The limit of that number: a request with more is a loop, and is refused (508).
pub const MAX_HOPS: u8 = 3;
/// Replaces a header's value where it is displayed.
const HIDDEN_VALUE: &str = "(hidden)";
/// Attempts of one call: a second one if no connection was made.
const MAX_ATTEMPTS: u32 = 2;

/// Calls webhooks over the network. One for the whole process; cheap to clone.
#[derive(Debug, Clone)]
pub struct Webhooks {
    client: Client,
    clock: Clock,
    breakers: Breakers,
    gates: Gates,
    policy: Arc<Policy>,
    metrics: Option<Metrics>,
}

/// The circumstances of a call that are not in its input.
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    /// The same for every attempt; `None`: a new one.
    pub id: Option<Arc<str>>,
    /// Tries before this one.
    pub earlier: u32,
    pub replay: bool,
    pub test: bool,
}

/// A call as it was sent, for a trial of a hook or the list of its deliveries.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub id: Arc<str>,
    /// As sent; values of the hook's own headers are hidden.
    pub headers: Vec<(Arc<str>, Arc<str>)>,
    pub sent: Arc<str>,
    /// Status of the response, if there was one.
    pub status: Option<u16>,
    /// Time in which the receiver asks not to be called, from the response on.
    pub retry_after: Option<Duration>,
    /// The response's text, if it arrived completely and is text.
    pub body: Option<Arc<str>>,
    pub answer: Result<HookAnswer, CallFailure>,
    pub took: Duration,
    pub attempts: u32,
}

/// A call with its signature among the headers, ready to be sent.
struct SignedCall<'c> {
    call: &'c Call<'c>,
    endpoint: &'c Endpoint,
    key: &'c BreakerKey,
    headers: &'c [(&'c str, String)],
    deadline: Instant,
}

impl Webhooks {
    /// `policy` decides which URLs hooks may call.
    pub fn new(
        config: &HooksConfig,
        policy: Policy,
        resolver: Arc<dyn Resolver>,
        clock: Clock,
    ) -> Result<Self, SetupError> {
        let policy = Arc::new(policy);
        let client = Client::new(Arc::clone(&policy), resolver, config.hooks_ca_file.as_deref())?;
        let (breakers, gates) = (Breakers::default(), Gates::default());
        Ok(Self { client, clock, breakers, gates, policy, metrics: None })
    }

    /// Counts calls in `metrics`.
    #[must_use]
    pub fn measured(self, metrics: Metrics) -> Self {
        Self { metrics: Some(metrics), ..self }
    }

    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether a hook failed so often that it is not called for a while.
    pub fn is_open(&self, tenant: &Arc<str>, hook: &Hook) -> bool {
        self.breakers.is_open(&BreakerKey::new(tenant, hook))
    }

    /// Makes a call and returns all of its details. The time limit, the breaker and the other
    /// limits apply.
    pub async fn exchange(&self, call: Call<'_>, delivery: CallContext) -> Exchange {
        let start = Instant::now();
        let id = delivery.id.clone().unwrap_or_else(new_id);
        let now = self.clock.now();
        let number = delivery.earlier.saturating_add(1);
        let (replay, test) = (delivery.replay, delivery.test);
        let sent: Arc<str> = envelope(&call, Attempt { number, sent_at: now, replay, test }).into();
        let mut exchange = Exchange {
            id: Arc::clone(&id),
            headers: Vec::new(),
            sent: Arc::clone(&sent),
            status: None,
            retry_after: None,
            body: None,
            answer: Err(CallFailure::new(FailureCause::Connect, "a built-in hook is not called")),
            took: Duration::ZERO,
            attempts: 0,
        };
        let Some(endpoint) = call.hook.endpoint() else { return exchange };
        let seconds = now.micros().div_euclid(1_000_000);
        let signature = sign(endpoint.secrets.live(now), &id, seconds, sent.as_bytes());
        let mut own = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json".to_owned()),
            ("user-agent", concat!("contexture/", env!("CARGO_PKG_VERSION")).to_owned()),
            (HOP_HEADER, call.scope.hops.saturating_add(1).to_string()),
            ("webhook-id", id.to_string()),
            ("webhook-timestamp", seconds.to_string()),
        ];
        if !signature.is_empty() {
            own.push(("webhook-signature", signature));
        }
        let hidden =
            endpoint.headers.iter().map(|(name, _)| (Arc::clone(name), HIDDEN_VALUE.into()));
        let shown = own.iter().map(|(name, value)| (Arc::from(*name), value.as_str().into()));
        exchange.headers = shown.chain(hidden).collect();

        let span = trace::hook(&call.hook.id, call.point.as_str());
        // Not among the headers that are shown: it is another one in each call.
        own.extend(trace::parent_of(&span).map(|value| ("traceparent", value)));
        let key = BreakerKey::new(&call.scope.tenant, call.hook);
        let key = if test { key.for_trial() } else { key };
        let deadline = start + call.allowance;
        let request = SignedCall { call: &call, endpoint, key: &key, headers: &own, deadline };
        let answering = self.send(&request, &mut exchange);
        exchange.answer = answering.instrument(span.clone()).await;
        exchange.took = start.elapsed();
        let result = match &exchange.answer {
            Ok(_) => "answered",
            Err(failure) => {
                if failure.cause == FailureCause::BlockedAddress {
                    let (hook, tenant) = (&*call.hook.id, &*call.scope.tenant);
                    let why = &*failure.detail;
                    tracing::warn!(
                        hook.id = hook,
                        tenant,
                        why,
                        "the address of a hook is not allowed; it was not called"
                    );
                }
                failure.cause.public().as_str()
            }
        };
        trace::record_call(&span, result, exchange.status);
        if let Some(metrics) = &self.metrics {
            metrics.record_hook_call(call.point.as_str(), result, exchange.took);
        }
        exchange
    }

    /// Sends a call, a second time if no connection was made, and reads the answer.
    async fn send(
        &self,
        signed: &SignedCall<'_>,
        exchange: &mut Exchange,
    ) -> Result<HookAnswer, CallFailure> {
        let SignedCall { call, endpoint, key, headers, deadline } = *signed;
        if endpoint.secrets.is_locked() {
            let why = "the secrets of this hook cannot be read";
            return Err(CallFailure::new(FailureCause::SecretsUnavailable, why));
        }
        let left = || deadline.saturating_duration_since(Instant::now());
        let Ok(Some(_under_way)) = timeout(left(), self.gates.pass(key)).await else {
            return Err(CallFailure::new(
                FailureCause::Overloaded,
                "too many calls of it are under way",
            ));
        };
        // A trial reports what a call results in: it asks no breaker, and trips none.
        let permit = match self.breakers.admit(key, self.clock.now()) {
            _ if key.is_trial() => None,
            None => {
                return Err(CallFailure::new(
                    FailureCause::CircuitOpen,
                    "it failed too often a moment ago",
                ));
            }
            permit => permit,
        };
        let answer = loop {
            exchange.attempts += 1;
            let request = request(endpoint, headers, &exchange.sent)?;
            let observes = call.hook.kind == HookKind::Observe;
            let most = call.hook.kind.longest_answer();
            let sent = timeout(left(), self.client.send(request, most, observes)).await;
            let sent = sent.unwrap_or_else(|_| {
                let failure = CallFailure::new(call.timeout_cause, "no complete answer in time");
                Err(NoResponse { failure, is_unsent: false })
            });
            match sent {
                Ok(answered) => {
                    let asked = answered.retry_after.as_deref();
                    exchange.retry_after = asked.and_then(|text| pause(text, self.clock.now()));
                    break judge(call, endpoint, answered, exchange);
                }
                Err(NoResponse { failure, is_unsent }) => {
                    let again = is_unsent && failure.cause == FailureCause::Connect;
                    if !again || exchange.attempts >= MAX_ATTEMPTS || left().is_zero() {
                        break Err(failure);
                    }
                }
            }
        };
        if let Err(failure) = &answer {
            exchange.status = exchange.status.or(failure.status);
        }
        match (permit, &answer) {
            (Some(permit), Ok(_)) => permit.succeeded(),
            (Some(permit), Err(failure)) if failure.cause.is_of_hook() => {
                permit.failed(self.clock.now());
            }
            (Some(_) | None, _) => {}
        }
        answer
    }
}

impl Caller for Webhooks {
    fn call<'c>(&'c self, call: Call<'c>) -> CallFuture<'c> {
        Box::pin(async move {
            let exchange = self.exchange(call, CallContext::default()).await;
            let Exchange { answer, body, took, attempts, .. } = exchange;
            let answer = answer.map_err(CallFailure::public);
            // An address that is not allowed is tried once, others twice.
            let unreached =
                matches!(&answer, Err(failure) if failure.cause == FailureCause::Connect);
            let attempts = if unreached { attempts.min(1) } else { attempts };
            CallReply { answer, body, took, attempts }
        })
    }
}

/// A new name for a message: in the order of time, and without a dot, which parts what is signed.
pub fn new_id() -> Arc<str> {
    format!("msg_{}", Uuid::now_v7().simple()).into()
}

fn request(
    endpoint: &Endpoint,
    headers: &[(&str, String)],
    body: &Arc<str>,
) -> Result<Request<Full<Bytes>>, CallFailure> {
    let mut request = Request::post(&*endpoint.url);
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    for (name, value) in &endpoint.headers {
        let mut value = HeaderValue::from_str(value.expose_secret())
            .map_err(|_| CallFailure::new(FailureCause::Connect, "a header that cannot be sent"))?;
        value.set_sensitive(true);
        request = request.header(&**name, value);
    }
    let body = Bytes::from_owner(SharedText(Arc::clone(body)));
    let request = request.body(Full::new(body));
    request.map_err(|_| CallFailure::new(FailureCause::Connect, "a URL that cannot be called"))
}

/// A body that is sent again without being copied.
struct SharedText(Arc<str>);

impl AsRef<[u8]> for SharedText {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Interprets a complete response.
fn judge(
    call: &Call<'_>,
    endpoint: &Endpoint,
    answered: LimitedResponse,
    exchange: &mut Exchange,
) -> Result<HookAnswer, CallFailure> {
    let LimitedResponse { status, media_type, body, .. } = answered;
    exchange.status = Some(status);
    let fail = |cause, why: &str| Err(CallFailure::new(cause, why).with_status(status));
    match status {
        200..=299 => {}
        300..=399 => {
            return fail(FailureCause::Redirect, &format!("status {status}: not followed"));
        }
        _ => return fail(FailureCause::Status, &format!("status {status}")),
    }
    let hook: &Hook = call.hook;
    let Ok(body) = String::from_utf8(body) else {
        if hook.kind == HookKind::Observe {
            return Ok(HookAnswer::Observed);
        }
        return fail(FailureCause::BadJson, "the answer is not UTF-8");
    };
    if leaks(endpoint, &body) {
        return fail(FailureCause::SecretLeak, "the answer repeats a secret of the hook");
    }
    exchange.body = Some(body.as_str().into());
    let has_body = status != 204 && !body.is_empty() && hook.kind != HookKind::Observe;
    if has_body && !media_type.as_deref().is_some_and(is_json) {
        return fail(FailureCause::MediaType, "the answer is not `application/json`");
    }
    HookAnswer::read(call.point, hook.kind, &body).map_err(|failure| failure.with_status(status))
}

/// The pause that `Retry-After` asks for: seconds, or a date.
fn pause(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let date = httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp::default().after(date).since(now))
}

fn is_json(media_type: &str) -> bool {
    let kind = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_seconds_or_a_date() {
        let now = Timestamp::default().after(Duration::from_secs(784_111_777));
        let of = |text| pause(text, now).map(|pause| pause.as_secs());
        assert_eq!(of(" 120 "), Some(120));
        assert_eq!(of("Sun, 06 Nov 1994 08:50:37 GMT"), Some(60));
        assert_eq!(of("Sun, 06 Nov 1994 08:40:00 GMT"), Some(0));
        for text in ["", "-1", "1.5", "99999999999999999999", "soon"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
