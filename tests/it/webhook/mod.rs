//! Hooks that call out, against servers on real sockets.

mod calls;
mod credentials;
mod dns;
mod examples;
mod hostile;
mod limits;
mod signatures;
mod summarizer;
mod tls;

pub use tls::serve_tls;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use contexture::config::HooksConfig;
use contexture::domain::Clock;
use contexture::hook::{
    Call, CallReply, CallScope, FailureCause, GivenId, Hook, HookAction, HookSecret, Point,
    Secrets, read_hook,
};
use contexture::json::{Faults, Limits, Path, parse};
use contexture::webhook::{CallContext, LookupFuture, Policy, Resolver, Webhooks};
use serde_json::Value;

/// A resolver with one list of addresses for every name.
#[derive(Debug)]
struct Fixed(Vec<IpAddr>);

impl Resolver for Fixed {
    fn resolve<'r>(&'r self, _: &'r str) -> LookupFuture<'r> {
        let addresses = self.0.clone();
        Box::pin(async move { Ok(addresses) })
    }
}

/// Loopback may be called, as with `--dev`.
fn dev() -> Policy {
    Policy { loopback: true, ..Policy::default() }
}

fn webhooks(policy: Policy) -> Webhooks {
    with(policy, Arc::new(Fixed(Vec::new())), Clock::system())
}

fn with(policy: Policy, resolver: Arc<dyn Resolver>, clock: Clock) -> Webhooks {
    Webhooks::new(&HooksConfig::default(), policy, resolver, clock).expect("a client")
}

/// A guard at `tool_call`, a transform at `tool_result` and so on, that calls `url`. What `more`
/// says goes before.
fn hook(kind: &str, url: &str, more: &Value) -> Hook {
    let point = match kind {
        "guard" => "tool_call",
        "transform" => "tool_result",
        "provide" => "before_compile",
        _ => "after_compress",
    };
    let mut given = serde_json::json!({"id": "h", "point": point, "kind": kind, "url": url});
    for (key, value) in more.as_object().expect("an object") {
        given[key] = value.clone();
    }
    let text = given.to_string();
    let mut faults = Faults::default();
    let node = parse(&text, Limits::default()).expect("JSON");
    let any_url = |url: &str| Ok(url.to_owned());
    let hook = read_hook(&node, Path::Root, GivenId::Made("h"), &any_url, &mut faults);
    assert_eq!(faults.into_vec(), []);
    let mut hook = hook.expect("a hook");
    if let HookAction::Call(endpoint) = &mut hook.does {
        endpoint.secrets = Secrets::new(HookSecret::generate().expect("random bytes"));
    }
    hook
}

fn guard(address: SocketAddr) -> Hook {
    hook("guard", &format!("http://{address}/hook"), &serde_json::json!({}))
}

/// Calls a hook once with `{"n":1.50}`.
async fn call(webhooks: &Webhooks, hook: &Hook) -> CallReply {
    call_within(webhooks, hook, hook.timeout()).await
}

async fn call_within(webhooks: &Webhooks, hook: &Hook, allowance: Duration) -> CallReply {
    let scope = CallScope { tenant: "t".into(), turn: Some(3), hops: 1, ..CallScope::default() };
    // With the cause as it is, which a round of hooks is not told.
    let done = webhooks.exchange(to(hook, &scope, allowance), CallContext::default()).await;
    CallReply { answer: done.answer, body: done.body, took: done.took, attempts: done.attempts }
}

const INPUT: &str = r#"{"n":1.50}"#;

fn to<'c>(hook: &'c Hook, scope: &'c CallScope, allowance: Duration) -> Call<'c> {
    let point: Point = hook.points[0];
    let timeout_cause = FailureCause::Timeout;
    Call { hook, point, occurrence: 0, scope, input: INPUT, allowance, timeout_cause }
}

/// What a call came to, in a word.
fn cause(called: &CallReply) -> &'static str {
    match &called.answer {
        Ok(_) => "answered",
        Err(failure) => failure.cause.as_str(),
    }
}
