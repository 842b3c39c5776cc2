//! Calls of hooks at `event`.

use super::*;

fn publish(world: &World, kind: EventKind, session: Option<&str>, data: &Value) {
    let event = NewEvent {
        kind,
        session_id: session.map(Into::into),
        compilation_id: None,
        data: RawJson::new(data.to_string()),
        at: None,
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
