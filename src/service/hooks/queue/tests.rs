//! Tests of the queue with a clock and a network that a test controls.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
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

#[tokio::test]
async fn a_call_is_made_once_and_its_content_forgotten() {
    let world = World::new(|_, _| Reply::Heard);
    world.hook("log", "delegation", &json!({}));
    world.queue("log", Some("s"), "{\"task\":\"t\"}");
    world.drain().await;
    world.drain().await;
    let sent = world.sent();
    assert_eq!((sent.len(), sent[0].attempt), (1, 1));
    assert_eq!(sent[0].input, "{\"task\":\"t\"}");
    let listed = world.listed("log");
    assert_eq!((&listed[0]["state"], &listed[0]["due_at"]), (&json!("delivered"), &Value::Null));
    assert_eq!(listed[0]["attempts"][0]["status"], 204);
    assert!(retry(&world.services, listed[0]["id"].as_str().unwrap()).is_err());
}

#[tokio::test]
async fn a_receiver_that_is_down_is_tried_twelve_times_under_one_id_and_then_given_up() {
    let world = World::new(|_, _| Reply::Refused);
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "{}");
    for _ in 0..90 * 60 {
        world.drain().await;
        world.clock.advance(Duration::from_mins(1));
        if world.sent().len() == 12 {
            break;
        }
    }
    world.drain().await;
    let sent = world.sent();
    let attempts: Vec<u32> = sent.iter().map(|sent| sent.attempt).collect();
    assert_eq!(attempts, (1..=12).collect::<Vec<_>>());
    assert!(sent.iter().all(|one| one.id == sent[0].id));
    let hours = sent[11].at.since(sent[0].at).as_secs() / 3600;
    assert!((60..92).contains(&hours), "{hours} hours");
    let listed = world.listed("log");
    assert_eq!(listed[0]["state"], "dead");
    assert_eq!(listed[0]["attempts"].as_array().unwrap().len(), 12);
    let failed = world.events().into_iter().find(|(kind, _)| *kind == EventKind::HookFailed);
    assert_eq!(failed.unwrap().1["cause"], "connect");
    // A retry by hand starts again, under the same id.
    retry(&world.services, &sent[0].id).unwrap();
    world.drain().await;
    assert_eq!((world.sent().len(), world.sent()[12].attempt), (13, 13));
    assert_eq!(world.listed("log")[0]["state"], "queued");
}

#[tokio::test]
async fn what_waits_behind_a_failure_of_its_session_waits_and_other_sessions_do_not() {
    let world = World::new(|input, count| match input {
        "1" if count < 2 => Reply::Status(500, None),
        _ => Reply::Heard,
    });
    world.hook("log", "delegation", &json!({}));
    for (session, input) in [("a", "1"), ("a", "2"), ("b", "3")] {
        world.queue("log", Some(session), input);
    }
    world.drain().await;
    let inputs =
        |world: &World| world.sent().iter().map(|sent| sent.input.clone()).collect::<Vec<_>>();
    // Deliveries of the two sessions are sent in parallel.
    let mut first = inputs(&world);
    first.sort_unstable();
    assert_eq!(first, ["1", "3"]);
    world.clock.advance(Duration::from_secs(7));
    world.drain().await;
    assert_eq!(inputs(&world)[2..], ["1", "2"]);
}

#[tokio::test]
async fn a_receiver_that_asks_for_a_pause_is_left_alone_for_so_long() {
    let world = World::new(
        |_, count| {
            if count == 0 { Reply::Status(429, Some(3600)) } else { Reply::Heard }
        },
    );
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "{}");
    world.drain().await;
    world.clock.advance(Duration::from_secs(3599));
    world.drain().await;
    assert_eq!(world.sent().len(), 1);
    world.clock.advance(Duration::from_secs(1));
    world.drain().await;
    assert_eq!(world.sent().len(), 2);
}

#[tokio::test]
async fn an_open_breaker_costs_no_attempt() {
    let world = World::new(|_, count| if count < 20 { Reply::Open } else { Reply::Heard });
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "{}");
    for _ in 0..21 {
        world.drain().await;
        world.clock.advance(Duration::from_secs(10));
    }
    let listed = world.listed("log");
    assert_eq!(listed[0]["state"], "delivered");
    assert_eq!(listed[0]["attempts"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_receiver_that_is_gone_disables_its_hook() {
    let world = World::new(|_, _| Reply::Status(410, None));
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "1");
    world.queue("log", None, "2");
    world.drain().await;
    assert_eq!(world.sent().len(), 1);
    let shown: Value =
        serde_json::from_str(&find(&world.services, "log").unwrap().write(None)).unwrap();
    assert_eq!((&shown["enabled"], &shown["disabled_because"]), (&json!(false), &json!("gone")));
    assert!(
        world
            .events()
            .contains(&(EventKind::HookDisabled, json!({"hook": "log", "because": "gone"})))
    );
    let states: Vec<Value> = world.listed("log").iter().map(|one| one["state"].clone()).collect();
    assert_eq!(states, ["dead", "dead"]);
    // The hook is enabled again: it is called again, with the same secret.
    update(&world.services, "log", "{\"enabled\":true}", None).unwrap();
    world.queue("log", None, "3");
    world.drain().await;
    assert_eq!(world.sent().len(), 2);
}

#[tokio::test]
async fn a_hook_that_does_nothing_but_fail_for_five_days_is_disabled() {
    let world = World::new(|_, _| Reply::Status(500, None));
    world.hook("log", "delegation", &json!({}));
    let is_enabled = |world: &World| find(&world.services, "log").unwrap().hook.enabled;
    for hour in 0..119 {
        world.queue("log", Some(&hour.to_string()), "{}");
        world.drain().await;
        assert!(is_enabled(&world), "in hour {hour}");
        world.clock.advance(Duration::from_hours(1));
    }
    world.clock.advance(Duration::from_hours(2));
    world.drain().await;
    assert!(!is_enabled(&world));
    let told = world.events();
    assert!(
        told.contains(&(EventKind::HookDisabled, json!({"hook": "log", "because": "failing"})))
    );
}

#[tokio::test]
async fn a_receiver_that_is_down_costs_a_call_now_and_then_however_much_is_queued() {
    let world = World::new(|_, count| if count < 40 { Reply::Refused } else { Reply::Heard });
    world.hook("log", "delegation", &json!({}));
    for number in 0..200 {
        world.queue("log", Some(&number.to_string()), &number.to_string());
    }
    for _ in 0..360 {
        world.drain().await;
        world.clock.advance(Duration::from_secs(10));
    }
    // Eight at first, and then after pauses of 10 s to five minutes.
    let hour = world.sent().len();
    assert!((20..26).contains(&hour), "{hour} calls in an hour");
    // Once it works again, everything is sent; what failed before waits for its own time.
    for _ in 0..3 * 360 {
        world.drain().await;
        world.clock.advance(Duration::from_secs(10));
    }
    let heard = world.sent().iter().filter(|sent| sent.reply == Reply::Heard).count();
    assert_eq!(heard, 200);
    let shown: Value =
        serde_json::from_str(&find(&world.services, "log").unwrap().write(None)).unwrap();
    assert_eq!(shown["queue"], json!({"queued": 0, "lost": 0}));
}

#[tokio::test]
async fn what_is_queued_for_a_hook_goes_with_it() {
    let world = World::new(|_, _| Reply::Heard);
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "{}");
    delete(&world.services, "log", None).unwrap();
    world.drain().await;
    assert_eq!(world.sent(), []);
}

#[tokio::test]
async fn a_lease_that_is_over_is_another_s_and_the_first_claim_changes_nothing() {
    let world = World::new(|_, _| Reply::Heard);
    world.hook("log", "delegation", &json!({}));
    world.queue("log", None, "{}");
    let claims = crate::store::Claims {
        calls: 9,
        retries: 9,
        lease: Duration::from_mins(1),
        per_hook: 8,
        per_tenant: 9,
        ..Default::default()
    };
    let store = &world.services.inner.store;
    let claim = || store.claim_deliveries(&claims).unwrap();
    let first = claim().remove(0);
    assert_eq!(claim().len(), 0);
    world.clock.advance(Duration::from_secs(61));
    let second = claim().remove(0);
    let settle = |claimed: crate::store::ClaimedDelivery, outcome| {
        world
            .services
            .tenant()
            .write(move |tx| tx.settle_delivery(&claimed, None, outcome, None))
            .unwrap()
    };
    assert!(!settle(first, crate::store::AttemptOutcome::Dead));
    assert!(settle(second.clone(), crate::store::AttemptOutcome::Delivered));
    assert!(!settle(second, crate::store::AttemptOutcome::Dead));
    assert_eq!(world.listed("log")[0]["state"], "delivered");
}

fn publish(world: &World, kind: EventKind, session: Option<&str>, data: &Value) {
    let event = NewEvent {
        kind,
        session_id: session.map(Into::into),
        compilation_id: None,
        data: RawJson::new(data.to_string()),
    };
    world.services.tenant().write(move |tx| tx.publish(&event).map(drop)).unwrap();
}

#[tokio::test]
async fn a_hook_hears_of_the_events_that_it_asks_for_from_its_registration_on() {
    let world = World::new(|_, _| Reply::Heard);
    publish(&world, EventKind::MemoryChanged, None, &json!({"n": 0}));
    world.hook("log", "event", &json!({"match": {"events": ["memory:*"]}}));
    for n in 1..=3 {
        publish(&world, EventKind::MemoryChanged, Some("s"), &json!({"n": n}));
        publish(&world, EventKind::CompileDone, Some("s"), &json!({"n": n}));
    }
    world.drain().await;
    let inputs: Vec<Value> =
        world.sent().iter().map(|sent| serde_json::from_str(&sent.input).unwrap()).collect();
    let numbers: Vec<&Value> = inputs.iter().map(|input| &input["data"]["n"]).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!((&inputs[0]["type"], &inputs[0]["seq"]), (&json!("memory:changed"), &json!(2)));
    assert_eq!(inputs[0]["session_id"], "s");
    // A disabled hook gets no events, and never those of the time in between.
    update(&world.services, "log", "{\"enabled\":false}", None).unwrap();
    publish(&world, EventKind::MemoryChanged, None, &json!({"n": 4}));
    update(&world.services, "log", "{\"enabled\":true}", None).unwrap();
    publish(&world, EventKind::MemoryChanged, None, &json!({"n": 5}));
    world.drain().await;
    assert!(world.sent().last().unwrap().input.contains("\"n\":5"));
    assert_eq!(world.sent().len(), 4);
}

#[tokio::test]
async fn a_hook_does_not_hear_of_its_own_failures() {
    let world = World::new(|_, _| Reply::Heard);
    world.hook("log", "event", &json!({}));
    publish(&world, EventKind::HookFailed, None, &json!({"hook": "log"}));
    publish(&world, EventKind::HookFailed, None, &json!({"hook": "other"}));
    world.drain().await;
    assert_eq!(world.sent().len(), 1);
}

/// A step of a simulation.
#[derive(Debug, Clone)]
enum Step {
    Queue(u8),
    Work,
    Crash,
    Wait(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..3_u8).prop_map(Step::Queue),
        3 => Just(Step::Work),
        1 => Just(Step::Crash),
        2 => (1..4000_u32).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever fails, all is delivered, in order within a session, and twice only if a process
    /// ended between an answer and the storing of it.
    #[test]
    fn nothing_is_lost_and_nothing_overtakes(steps in steps(), replies in prop::collection::vec(0..8_u8, 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let crashing = Arc::new(Mutex::new(false));
            let (is_crashing, healed) = (Arc::clone(&crashing), Arc::new(Mutex::new(false)));
            let is_healed = Arc::clone(&healed);
            let world = World::new(move |_, count| {
                if *is_crashing.lock().unwrap() {
                    return if count % 2 == 0 { Reply::Crash } else { Reply::HeardAndCrash };
                }
                match replies.get(count % replies.len()) {
                    _ if *is_healed.lock().unwrap() => Reply::Heard,
                    Some(0) => Reply::Status(500, None),
                    Some(1) => Reply::Refused,
                    Some(2) => Reply::Open,
                    Some(3) => Reply::Status(429, Some(30)),
                    _ => Reply::Heard,
                }
            });
            world.hook("log", "delegation", &json!({}));
            let mut queued: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Queue(session) => {
                        let session = session.to_string();
                        world.queue("log", Some(&session), &number.to_string());
                        queued.entry(session).or_default().push(number.to_string());
                    }
                    Step::Work => world.drain().await,
                    Step::Crash => {
                        *crashing.lock().unwrap() = true;
                        world.crash().await;
                        *crashing.lock().unwrap() = false;
                    }
                    Step::Wait(seconds) => world.clock.advance(Duration::from_secs(seconds.into())),
                }
            }
            *healed.lock().unwrap() = true;
            for _ in 0..30 {
                world.clock.advance(Duration::from_hours(25));
                world.drain().await;
            }
            let mut heard: BTreeMap<String, Vec<String>> = BTreeMap::new();
            let mut doubles = 0;
            for sent in world.sent().into_iter().filter(|sent| matches!(sent.reply, Reply::Heard | Reply::HeardAndCrash)) {
                let list = heard.entry(sent.session.unwrap()).or_default();
                if list.contains(&sent.input) {
                    doubles += 1;
                } else {
                    list.push(sent.input);
                }
            }
            let lost = world.sent().iter().filter(|sent| sent.reply == Reply::HeardAndCrash).count();
            assert!(doubles <= lost, "{doubles} twice, {lost} notes lost");
            // A delivery that was given up after twelve attempts is not lost: it is listed.
            let given_up = world.listed("log").iter().any(|one| one["state"] == "dead");
            assert!(given_up || heard == queued, "{heard:?} of {queued:?}");
        });
    }
}
