//! Payloads as JSON Lines, for `scripts/check_payloads.py`.

use std::fs;
use std::path::Path;

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::json;

use super::growth::recorded;
use super::{merged, options};
use crate::support::compile::{compile_in, services};
use crate::support::generate::{SOURCES, TARGETS, plan};

/// Generated conversations, each in every shape and for every target.
const PLANS: usize = 30;

#[test]
fn payloads_are_written_where_asked() {
    let Some(path) = std::env::var_os("CONTEXTURE_PAYLOADS_OUT") else {
        eprintln!("nothing is written: CONTEXTURE_PAYLOADS_OUT names no file");
        return;
    };
    let services = services();
    let mut lines = String::new();
    let mut write = |target: &str, body| {
        let compiled = compile_in(&services, &body).expect("an answer");
        lines.push_str(&json!({"target": target, "payload": compiled.payload}).to_string());
        lines.push('\n');
    };
    let mut runner = TestRunner::deterministic();
    for _ in 0..PLANS {
        let plan = plan(9).new_tree(&mut runner).expect("a plan").current();
        let options = options().new_tree(&mut runner).expect("options").current();
        for source in SOURCES {
            for target in TARGETS {
                write(target, merged(plan.request(source, target), &options));
            }
        }
    }
    if let Some(folder) = std::env::var_os("CONTEXTURE_CORPUS") {
        for messages in recorded(Path::new(&folder)) {
            for target in TARGETS {
                let budget = json!({"context_window": 16_384});
                write(target, json!({"messages": messages, "target": target, "budget": budget}));
            }
        }
    }
    fs::write(path, lines).expect("a writable file");
}
