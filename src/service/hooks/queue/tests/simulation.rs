//! Random failures, crashes and pauses.

use proptest::prelude::*;

use super::*;

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
