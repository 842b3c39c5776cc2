//! Tests of the queue with a clock and a network that a test controls.

mod attempts;
mod events;
mod simulation;

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::domain::{Clock, EventKind, Models, NewEvent, RawJson, Timestamp};
use crate::hook::{CallFailure, FailureCause, Hook, HookAnswer, Point};
use crate::service::Services;
use crate::service::hooks::{Hooks, create, delete, find, update};
use crate::service::pool::Pool;
use crate::store::{Retention, Store};
use crate::webhook::Keyring;

/// The reply to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    Heard,
    Status(u16, Option<u64>),
    Refused,
    Open,
    /// The process ends before there is an answer.
    Crash,
    /// The call succeeds, and the process ends before that is stored.
    HeardAndCrash,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Sent {
    hook: String,
    session: Option<String>,
    id: String,
    attempt: u32,
    input: String,
    at: Timestamp,
    reply: Reply,
}

/// The reply to a call with this input, after so many calls.
type Script = Box<dyn Fn(&str, usize) -> Reply + Send + Sync>;

struct Network {
    clock: Clock,
    sent: Mutex<Vec<Sent>>,
    script: Script,
}

impl DeliverySender for Network {
    fn send<'c>(&'c self, call: Call<'c>, delivery: CallContext) -> ExchangeFuture<'c> {
        let id = delivery.id.clone().unwrap();
        let reply = {
            let mut sent = self.sent.lock().unwrap();
            let reply = (self.script)(call.input, sent.len());
            sent.push(Sent {
                hook: call.hook.id.to_string(),
                session: call.scope.session_id.as_deref().map(str::to_owned),
                id: id.to_string(),
                attempt: delivery.earlier + 1,
                input: call.input.to_owned(),
                at: self.clock.now(),
                reply,
            });
            reply
        };
        let failed = |cause| Err(CallFailure::new(cause, "as told"));
        let (answer, status, asked) = match reply {
            Reply::Heard => (Ok(HookAnswer::Observed), Some(204), None),
            Reply::Status(status, asked) => {
                let failure = CallFailure::new(FailureCause::Status, "as told").with_status(status);
                (Err(failure), Some(status), asked)
            }
            Reply::Refused => (failed(FailureCause::Connect), None, None),
            Reply::Open => (failed(FailureCause::CircuitOpen), None, None),
            Reply::Crash | Reply::HeardAndCrash => return Box::pin(pending()),
        };
        Box::pin(async move {
            Exchange {
                id,
                headers: Vec::new(),
                sent: "".into(),
                status,
                retry_after: asked.map(Duration::from_secs),
                body: None,
                answer,
                took: Duration::from_millis(3),
                attempts: 1,
            }
        })
    }
}

struct World {
    services: Services,
    clock: Clock,
    network: Arc<Network>,
}

impl World {
    fn new(script: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> Self {
        let clock = Clock::standing(Timestamp::default().after(Duration::from_hours(400_000)));
        let store = Store::memory(Retention::default(), clock.clone()).unwrap();
        let hooks = Hooks { keys: Keyring::generate().unwrap(), ..Hooks::default() };
        let services = Services::with_store(Models::built_in(), store).with_hooks(hooks);
        let sent = Mutex::default();
        let network = Network { clock: clock.clone(), sent, script: Box::new(script) };
        Self { services, clock, network: Arc::new(network) }
    }

    fn hook(&self, id: &str, point: &str, more: &Value) {
        let mut hook = json!({"id": id, "point": point, "kind": "observe",
                              "url": "https://h.example.com/"});
        hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        create(&self.services, &hook.to_string(), None, |_| String::new()).unwrap();
    }

    fn queue(&self, hook: &str, session: Option<&str>, input: &str) {
        let hook: Arc<Hook> = self.services.hook_of(hook).unwrap().unwrap();
        let call = QueuedCall {
            hook,
            point: Point::Delegation,
            occurrence: 0,
            input: input.into(),
            digest: "".into(),
        };
        let scope = CallScope { session_id: session.map(Into::into), ..CallScope::default() };
        let write = move |tx: &Tx<'_>| enqueue(tx, &scope, std::slice::from_ref(&call));
        self.services.tenant().write(write).unwrap();
    }

    fn worker(&self) -> Worker {
        let sender: Arc<dyn DeliverySender> = Arc::clone(&self.network) as _;
        Worker::new(self.services.clone(), Pool::new(2), sender)
    }

    async fn drain(&self) {
        self.worker().drain().await;
    }

    /// Ends a worker while a call is under way that never ends.
    async fn crash(&self) {
        let mut worker = self.worker();
        let quiet = Duration::from_millis(20);
        let _ = tokio::time::timeout(quiet, worker.drain()).await;
    }

    fn sent(&self) -> Vec<Sent> {
        self.network.sent.lock().unwrap().clone()
    }

    fn listed(&self, hook: &str) -> Vec<Value> {
        let (found, _) = list_deliveries(&self.services, hook, None, None, 1000).unwrap();
        found.iter().map(ListedDelivery::write).collect()
    }

    fn events(&self) -> Vec<(EventKind, Value)> {
        let events = self.services.tenant().read(|tx| tx.events(0, 1000)).unwrap();
        let data = |data: &RawJson| serde_json::from_str(data.as_str()).unwrap();
        events.iter().map(|event| (event.kind, data(&event.data))).collect()
    }
}
