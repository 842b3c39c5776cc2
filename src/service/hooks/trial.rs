//! Tries a hook: makes one call and reports it in full. Nothing is applied or stored.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Map, Value, json};

use super::find;
use super::registry::SECRET_RULE;
use crate::domain::TokenizerName;
use crate::hook::{
    Call, CallFailure, CallFuture, CallReply, CallScope, Caller, ChangeResult, DeliveryMode,
    Endpoint, GivenId, GuardDecision, Hook, HookAction, HookInput, HookKind, HookRound, HookRun,
    HookSecret, HookSet, IncludePlace, Manifest, MatchContext, Point, ProvideResult, Secrets,
    read_hook, sample,
};
use crate::json::{self, Faults, Fields, Limits, Node, Path};
use crate::limit::StopReason;
use crate::service::{Error, Services};
use crate::webhook::{self, Exchange, SealError, Webhooks};

const KEYS: &[&str] = &["point", "input"];
const NEW_KEYS: &[&str] = &["hook", "secret", "point", "input"];

/// A hook to be tried, with its input.
#[derive(Debug)]
pub struct HookTrial {
    hook: Hook,
    /// Whether its address may be shown.
    shows_url: bool,
    point: Point,
    /// JSON text.
    input: String,
    /// The secret that signs the call, if it was generated for the trial.
    secret: Option<HookSecret>,
}

/// Reads a trial of a registered hook, or of a hook in the body.
pub fn prepare(services: &Services, id: Option<&str>, body: &str) -> Result<HookTrial, Error> {
    let node = json::parse_or_empty(body)?;
    let mut faults = Faults::default();
    let known = if id.is_some() { KEYS } else { NEW_KEYS };
    let Some(fields) = Fields::read(&node, Path::Root, known, &mut faults) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let (found, secret) = if let Some(id) = id {
        let registered = find(services, id)?;
        let shows_url = registered.stored.is_some();
        (Some(((*registered.hook).clone(), shows_url)), None)
    } else {
        let (hook, secret) = read_new(services, &fields, &mut faults)?;
        (hook.map(|hook| (hook, true)), secret)
    };
    let points = found.as_ref().map_or(&[][..], |(hook, _)| &hook.points);
    let point = read_point(&fields, points, &mut faults);
    let input = read_input(&fields, point, &mut faults);
    match (found, point) {
        (Some((hook, shows_url)), Some(point)) if faults.is_empty() => {
            Ok(HookTrial { hook: ready(hook), shows_url, point, input, secret })
        }
        _ => Err(Error::Invalid(faults.into_vec())),
    }
}

/// Makes a hook ready for its trial: enabled, called at once, and for any session.
fn ready(hook: Hook) -> Hook {
    Hook {
        enabled: true,
        disabled_because: None,
        delivery: DeliveryMode::Sync,
        session: None,
        ..hook
    }
}

fn read_new(
    services: &Services,
    fields: &Fields<'_, '_>,
    faults: &mut Faults,
) -> Result<(Option<Hook>, Option<HookSecret>), Error> {
    let Some(node) = fields.get("hook") else {
        fields.fault("hook", "is missing", faults);
        return Ok((None, None));
    };
    let check = |url: &str| services.hooks().check_url(url);
    let path = fields.path().key("hook");
    let mut hook = read_hook(node, path, GivenId::Made("trial"), &check, faults);
    let given = fields.text("secret", faults).map(|text| {
        let secret = HookSecret::parse(text);
        if secret.is_none() {
            fields.fault("secret", SECRET_RULE, faults);
        }
        secret
    });
    let mut generated = None;
    if let Some(HookAction::Call(endpoint)) = hook.as_mut().map(|hook| &mut hook.does) {
        let secret = match given.flatten() {
            Some(secret) => secret,
            None => generated.insert(HookSecret::generate().ok_or(SealError::NoRandom)?).clone(),
        };
        endpoint.secrets = Secrets::new(secret);
    }
    Ok((hook, generated))
}

fn read_point(fields: &Fields<'_, '_>, points: &[Point], faults: &mut Faults) -> Option<Point> {
    let words: Vec<(&str, Point)> = points.iter().map(|point| (point.as_str(), *point)).collect();
    match fields.get("point") {
        None => points.first().copied(),
        // The faults of the hook are reported already.
        Some(_) if points.is_empty() => None,
        Some(_) => fields.choice("point", &words, faults),
    }
}

fn read_input(fields: &Fields<'_, '_>, point: Option<Point>, faults: &mut Faults) -> String {
    match fields.get("input") {
        Some(node) if node.as_object().is_some() => node.raw.to_owned(),
        Some(node) => {
            fields.fault("input", format!("must be an object, not {}", node.kind()), faults);
            String::new()
        }
        None => point.map(sample).unwrap_or_default(),
    }
}

/// Makes the call and reports it. The job gives its place away while it waits for a webhook.
pub fn try_out(services: &Services, trial: HookTrial) -> Result<Value, Error> {
    let (deadline, called) = (services.deadline(), call(services, trial));
    Ok(match services.seat() {
        Some(seat) => seat.wait_within(deadline, called)?,
        // Without a place nothing can wait.
        None => called.now_or_never().ok_or(StopReason::TimeUp)?,
    })
}

async fn call(services: &Services, trial: HookTrial) -> Value {
    let HookTrial { hook, shows_url, point, input, secret } = trial;
    let caller = TrialCaller { webhooks: services.webhooks(), exchange: Mutex::default() };
    let scope = CallScope {
        tenant: Arc::clone(&services.caller().tenant),
        hops: services.hops(),
        ..CallScope::default()
    };
    let hook = Arc::new(hook);
    let set = Arc::new(HookSet::new(&[Arc::clone(&hook)], &Manifest::default(), None));
    let mut round = HookRound::new(set, &caller, scope).until(services.deadline());
    let node = json::parse(&input, Limits::default()).ok();
    let at =
        HookInput { point, input: &input, facts: node.as_ref().map(facts).unwrap_or_default() };
    let effect = effect(services, &mut round, at, hook.kind).await;
    let run = round.take_runs().pop();
    let exchange = caller.exchange.into_inner().unwrap_or_else(PoisonError::into_inner);
    let url = hook.endpoint().filter(|_| shows_url).map(Endpoint::redacted_url);
    let report = TrialReport {
        hook: &hook,
        point,
        url,
        run: run.as_ref(),
        exchange: exchange.as_ref(),
        effect,
        secret: secret.as_ref(),
    };
    report.into_json()
}

/// Values for matching, which a real call would have besides its input.
fn facts<'f>(input: &'f Node<'_>) -> MatchContext<'f> {
    let text = |name: &str| input.get(name).and_then(Node::as_str);
    MatchContext {
        tool: input.get("tool").and_then(|tool| tool.get("name")).and_then(Node::as_str),
        event: text("type"),
        status: text("status"),
        ..MatchContext::default()
    }
}

/// The effect that the call would have had; null if none.
async fn effect(
    services: &Services,
    round: &mut HookRound<'_>,
    at: HookInput<'_>,
    kind: HookKind,
) -> Value {
    let anything = |_: &str| Ok(());
    let counter = &services.pipeline().counter;
    let count = |text: &str| {
        u32::try_from(counter.count_once(TokenizerName::O200kBase, text)).unwrap_or(u32::MAX)
    };
    match kind {
        HookKind::Guard | HookKind::Transform => {
            round.change(at, &anything).await.map_or(Value::Null, |changed| change_effect(&changed))
        }
        HookKind::Provide => {
            let provided = round.provide(at, &count, &anything).await;
            provided.map_or(Value::Null, |provided| provided_effect(&provided))
        }
        HookKind::Observe => {
            round.observe(at, GuardDecision::None).await;
            Value::Null
        }
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn change_effect(changed: &ChangeResult) -> Value {
    match (&changed.denied, &changed.payload) {
        (Some(denial), _) => {
            json!({"decision": "deny", "reason": denial.reason, "code": denial.code})
        }
        (None, Some(payload)) => json!({"payload": parsed(payload)}),
        (None, None) => Value::Null,
    }
}

fn provided_effect(provided: &ProvideResult) -> Value {
    let fragments = provided.fragments.iter().map(|fragment| {
        let include = match fragment.include {
            IncludePlace::SummaryInput => "summary_input",
            IncludePlace::Verbatim => "verbatim",
        };
        json!({"content": fragment.content, "include": include, "tokens": fragment.tokens,
               "clipped": fragment.clipped})
    });
    let answers = provided.answers.iter().map(|(_, answer)| parsed(answer));
    json!({"fragments": fragments.collect::<Vec<_>>(), "answers": answers.collect::<Vec<_>>()})
}

/// A trial that was made.
#[derive(Debug)]
struct TrialReport<'r> {
    hook: &'r Hook,
    point: Point,
    /// The address of the hook, without secrets; none if the caller must not see it.
    url: Option<String>,
    run: Option<&'r HookRun>,
    exchange: Option<&'r Exchange>,
    effect: Value,
    /// The secret that was generated for the trial.
    secret: Option<&'r HookSecret>,
}

impl TrialReport<'_> {
    fn into_json(self) -> Value {
        let Self { hook, point, url, run, exchange, effect, secret } = self;
        let request = exchange.map(|exchange| {
            let headers: Map<String, Value> = exchange
                .headers
                .iter()
                .map(|(name, value)| (name.to_string(), Value::from(&**value)))
                .collect();
            let body = parsed(&exchange.sent);
            json!({"method": "POST", "url": url, "headers": headers, "body": body})
        });
        let response = exchange.and_then(|exchange| {
            let status = exchange.status?;
            Some(json!({"status": status, "body": exchange.body}))
        });
        let took = run.map_or(Duration::ZERO, |run| run.took);
        json!({
            "hook": hook.id,
            "point": point.as_str(),
            "kind": hook.kind.as_str(),
            "outcome": run.map(HookRun::word),
            "why": run.and_then(HookRun::why),
            "detail": run.and_then(HookRun::failure).map(|failure| &*failure.detail),
            "effect": effect,
            "request": request,
            "response": response,
            "ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "attempts": run.map_or(0, |run| run.attempts),
            "secret": secret.map(HookSecret::reveal),
        })
    }
}

/// Calls a hook with the mark of a test, and keeps the exchange.
#[derive(Debug)]
struct TrialCaller<'w> {
    webhooks: Option<&'w Webhooks>,
    exchange: Mutex<Option<Exchange>>,
}

impl Caller for TrialCaller<'_> {
    fn call<'c>(&'c self, call: Call<'c>) -> CallFuture<'c> {
        Box::pin(async move {
            let Some(webhooks) = self.webhooks else {
                let why = "this program calls no hooks";
                let answer = Err(CallFailure::new(crate::hook::FailureCause::Connect, why));
                return CallReply { answer, body: None, took: Duration::ZERO, attempts: 0 };
            };
            let delivery = webhook::CallContext { test: true, ..webhook::CallContext::default() };
            let exchange = webhooks.exchange(call, delivery).await;
            let Exchange { answer, body, took, attempts, .. } = exchange.clone();
            *self.exchange.lock().unwrap_or_else(PoisonError::into_inner) = Some(exchange);
            CallReply { answer, body, took, attempts }
        })
    }
}
