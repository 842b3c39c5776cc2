//! Trying a hook: one call, told in full, of which nothing is applied or stored.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::find;
use crate::domain::TokenizerName;
use crate::hook::{
    Answering, At, Call, Called, Caller, Changed, Decision, Delivery, Does, Endpoint, Facts,
    Failure, GivenId, Hook, HookSet, Include, Kind, Manifest, Point, Provided, Round, Run, Scope,
    Secret, Secrets, read_hook, sample,
};
use crate::json::{self, Faults, Fields, Limits, Node, Path};
use crate::service::{Error, Services};
use crate::webhook::{self, Exchange, SealError, Webhooks};

const KEYS: &[&str] = &["point", "input"];
const NEW_KEYS: &[&str] = &["hook", "secret", "point", "input"];

/// A hook that is to be tried.
#[derive(Debug)]
pub struct Trial {
    hook: Hook,
    /// Whether its address may be shown.
    shows_url: bool,
    point: Point,
    /// JSON text.
    input: String,
    /// What its call is signed with, where that was made up for it.
    secret: Option<Secret>,
}

/// Reads what is to be tried: a hook that is registered, or one that the body holds.
pub fn prepare(services: &Services, id: Option<&str>, body: &str) -> Result<Trial, Error> {
    let node = json::parse_or_empty(body)?;
    let mut faults = Faults::default();
    let known = if id.is_some() { KEYS } else { NEW_KEYS };
    let Some(fields) = Fields::of(&node, Path::Root, known, &mut faults) else {
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
            Ok(Trial { hook: ready(hook), shows_url, point, input, secret })
        }
        _ => Err(Error::Invalid(faults.into_vec())),
    }
}

/// A hook as it is tried: at once, whether it is enabled or not, and in any session.
fn ready(hook: Hook) -> Hook {
    Hook { enabled: true, disabled_because: None, delivery: Delivery::Sync, session: None, ..hook }
}

fn read_new(
    services: &Services,
    fields: &Fields<'_, '_>,
    faults: &mut Faults,
) -> Result<(Option<Hook>, Option<Secret>), Error> {
    let Some(node) = fields.get("hook") else {
        fields.fault("hook", "is missing", faults);
        return Ok((None, None));
    };
    let check = |url: &str| services.hooks().check_url(url);
    let path = fields.path().key("hook");
    let mut hook = read_hook(node, path, GivenId::Made("trial"), &check, faults);
    let given = fields.text("secret", faults).map(|text| {
        let secret = Secret::parse(text);
        if secret.is_none() {
            fields.fault("secret", "must be `whsec_` and the base64 of 24 to 64 bytes", faults);
        }
        secret
    });
    let mut made = None;
    if let Some(Does::Call(endpoint)) = hook.as_mut().map(|hook| &mut hook.does) {
        let secret = match given.flatten() {
            Some(secret) => secret,
            None => made.insert(Secret::generate().ok_or(SealError::NoRandom)?).clone(),
        };
        endpoint.secrets = Secrets::of(secret);
    }
    Ok((hook, made))
}

fn read_point(fields: &Fields<'_, '_>, points: &[Point], faults: &mut Faults) -> Option<Point> {
    let words: Vec<(&str, Point)> = points.iter().map(|point| (point.as_str(), *point)).collect();
    match fields.get("point") {
        None => points.first().copied(),
        // What is wrong with the hook is told already.
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
        None => point.map_or("", sample).to_owned(),
    }
}

/// Makes the call and tells of it.
pub async fn try_out(services: &Services, trial: Trial) -> Value {
    let Trial { hook, shows_url, point, input, secret } = trial;
    let watched = Watched { webhooks: services.webhooks(), seen: Mutex::default() };
    let scope = Scope {
        tenant: Arc::clone(&services.caller().tenant),
        hops: services.hops(),
        ..Scope::default()
    };
    let hook = Arc::new(hook);
    let set = Arc::new(HookSet::new(&[Arc::clone(&hook)], &Manifest::default(), None));
    let mut round = Round::new(set, &watched, scope).allowing(services.allowance());
    let node = json::parse(&input, Limits::default()).ok();
    let at = At { point, input: &input, facts: node.as_ref().map(facts).unwrap_or_default() };
    let effect = effect(services, &mut round, at, hook.kind).await;
    let run = round.into_runs().pop();
    let exchange = watched.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    let url = hook.endpoint().filter(|_| shows_url).map(Endpoint::redacted_url);
    told(&hook, point, url.as_deref(), run.as_ref(), exchange.as_ref(), &effect, secret.as_ref())
}

/// What a real call would know beside its input.
fn facts<'f>(input: &'f Node<'_>) -> Facts<'f> {
    let text = |name: &str| input.get(name).and_then(Node::as_str);
    Facts {
        tool: input.get("tool").and_then(|tool| tool.get("name")).and_then(Node::as_str),
        event: text("type"),
        status: text("status"),
        ..Facts::default()
    }
}

/// What would have come of it; null where nothing.
async fn effect(services: &Services, round: &mut Round<'_>, at: At<'_>, kind: Kind) -> Value {
    let anything = |_: &str| Ok(());
    let counter = &services.pipeline().counter;
    let count = |text: &str| {
        u32::try_from(counter.count_once(TokenizerName::O200kBase, text)).unwrap_or(u32::MAX)
    };
    match kind {
        Kind::Guard | Kind::Transform => {
            round.change(at, &anything).await.map_or(Value::Null, |changed| of_change(&changed))
        }
        Kind::Provide => {
            let provided = round.provide(at, &count, &anything).await;
            provided.map_or(Value::Null, |provided| of_provided(&provided))
        }
        Kind::Observe => {
            round.observe(at, Decision::None).await;
            Value::Null
        }
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn of_change(changed: &Changed) -> Value {
    match (&changed.denied, &changed.payload) {
        (Some(denial), _) => {
            json!({"decision": "deny", "reason": denial.reason, "code": denial.code})
        }
        (None, Some(payload)) => json!({"payload": parsed(payload)}),
        (None, None) => Value::Null,
    }
}

fn of_provided(provided: &Provided) -> Value {
    let fragments = provided.fragments.iter().map(|fragment| {
        let include = match fragment.include {
            Include::SummaryInput => "summary_input",
            Include::Verbatim => "verbatim",
        };
        json!({"content": fragment.content, "include": include, "tokens": fragment.tokens,
               "clipped": fragment.clipped})
    });
    let answers = provided.answers.iter().map(|(_, answer)| parsed(answer));
    json!({"fragments": fragments.collect::<Vec<_>>(), "answers": answers.collect::<Vec<_>>()})
}

fn told(
    hook: &Hook,
    point: Point,
    url: Option<&str>,
    run: Option<&Run>,
    exchange: Option<&Exchange>,
    effect: &Value,
    secret: Option<&Secret>,
) -> Value {
    let request = exchange.map(|exchange| {
        let headers: Map<String, Value> = exchange
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), Value::from(&**value)))
            .collect();
        json!({"method": "POST", "url": url, "headers": headers, "body": parsed(&exchange.sent)})
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
        "outcome": run.map(Run::word),
        "why": run.and_then(Run::why),
        "detail": run.and_then(Run::failure).map(|failure| &*failure.detail),
        "effect": effect,
        "request": request,
        "response": response,
        "ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "attempts": run.map_or(0, |run| run.attempts),
        "secret": secret.map(Secret::reveal),
    })
}

/// Calls as usual, says that it is a test, and keeps what went over the wire.
#[derive(Debug)]
struct Watched<'w> {
    webhooks: Option<&'w Webhooks>,
    seen: Mutex<Option<Exchange>>,
}

impl Caller for Watched<'_> {
    fn call<'c>(&'c self, call: Call<'c>) -> Answering<'c> {
        Box::pin(async move {
            let Some(webhooks) = self.webhooks else {
                let why = "this program calls no hooks";
                let answer = Err(Failure::new(crate::hook::Cause::Connect, why));
                return Called { answer, body: None, took: Duration::ZERO, attempts: 0 };
            };
            let delivery = webhook::Delivery { test: true, ..webhook::Delivery::default() };
            let exchange = webhooks.exchange(call, delivery).await;
            let Exchange { answer, body, took, attempts, .. } = exchange.clone();
            *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(exchange);
            Called { answer, body, took, attempts }
        })
    }
}
