//! What every payload is: accepted by its provider, the same every time, whole in its turns.

use std::thread;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{CASES, cases, check, merged, options};
use crate::support::compile::{compile_in, services};
use crate::support::generate::{SOURCES, TARGETS, plan, spoiled};

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn a_valid_conversation_compiles_for_every_target(
        plan in plan(7),
        options in options(),
    ) {
        let services = services();
        for source in SOURCES {
            for target in TARGETS {
                let body = merged(plan.request(source, target), &options);
                let compiled = compile_in(&services, &body);
                prop_assert!(compiled.is_ok(), "{source}: {compiled:?}\n{body}");
                let compiled = compiled.expect("an answer");
                let verdict = check(target, &compiled.payload);
                prop_assert!(verdict.is_ok(), "{source} → {target}: {verdict:?}\n{body}\n{}", compiled.text);
                // Nothing to mend, but that a cut may leave no user's message in front, and that
                // files need names.
                let repairs = compiled.codes("repairs");
                let is_ours = |code: &&str| ["opening_added", "file_named"].contains(code);
                prop_assert!(repairs.iter().all(is_ours), "{body}");
                for list in ["degraded", "warnings"] {
                    for note in compiled.report[list].as_array().expect("notes") {
                        let pointer = note["pointer"].as_str().expect("a pointer");
                        prop_assert!(pointer.starts_with('/'), "{note}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_conversation_with_a_fault_is_refused_at_its_place((body, place) in spoiled()) {
        let pointers = compile_in(&services(), &body).expect_err("a fault");
        prop_assert!(!pointers.is_empty());
        for pointer in &pointers {
            prop_assert!(pointer.starts_with(&place), "{pointer} is not below {place}\n{body}");
        }
    }

    #[test]
    fn compiling_a_payload_again_changes_nothing(
        plan in plan(9),
        window in 20u64..2000,
    ) {
        let services = services();
        let mut body = plan.request("openai", "openai");
        body["model"] = json!("bytes4");
        body["budget"] = json!({"context_window": window});
        let once = compile_in(&services, &body).expect("an answer");
        // A text that only looks like a notation of ours is escaped, and a payload that comes back
        // cannot be told from one.
        prop_assume!(!once.payload.to_string().contains('§'));
        body["messages"] = once.payload["messages"].clone();
        let twice = compile_in(&services, &body).expect("an answer");
        prop_assert_eq!(&once.text, &twice.text, "{}\n{}", once.report, twice.report);
    }

    #[test]
    fn the_same_request_gives_the_same_bytes_everywhere(
        plan in plan(6),
        options in options(),
        target in prop::sample::select(TARGETS.to_vec()),
        source in prop::sample::select(SOURCES.to_vec()),
    ) {
        let body = merged(plan.request(source, target), &options);
        let shared = services();
        let first = compile_in(&shared, &body).expect("an answer");
        let fresh = compile_in(&services(), &body).expect("an answer");
        prop_assert_eq!(&first.text, &fresh.text);
        prop_assert_eq!(&first.report, &fresh.report);
        let threads: Vec<(String, Value)> = thread::scope(|scope| {
            let compile = || {
                let compiled = compile_in(&shared, &body).expect("an answer");
                (compiled.text, compiled.report)
            };
            let running: Vec<_> = (0..3).map(|_| scope.spawn(compile)).collect();
            running.into_iter().map(|thread| thread.join().expect("a thread")).collect()
        });
        for (text, report) in threads {
            prop_assert_eq!(&first.text, &text);
            prop_assert_eq!(&first.report, &report);
        }
    }
}
