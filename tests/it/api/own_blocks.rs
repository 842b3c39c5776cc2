//! A caller that keeps the payload's messages in the place of its own gets no block twice.

use serde_json::{Value, json};

use crate::support::compile::{compile_in, services};
use crate::support::generate::TARGETS;

/// The request that a caller makes of a payload: its messages, with the same options.
fn again(first: &Value, payload: &Value, target: &str) -> Value {
    let mut body = first.clone();
    body.as_object_mut().unwrap().remove("messages");
    body["source"] = json!(target);
    let lists = ["messages", "contents", "input", "system", "systemInstruction", "instructions"];
    for key in lists {
        if let Some(list) = payload.get(key) {
            body[key] = list.clone();
        }
    }
    body
}

#[test]
fn a_payload_that_comes_back_holds_each_block_once() {
    let services = services();
    for target in TARGETS {
        for (state, memory) in [
            ("last_user", "last_user"),
            ("last_user", "system"),
            ("system", "last_user"),
            ("system", "system"),
        ] {
            let first = json!({
                "target": target, "source": "openai",
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "Where are we?"},
                    {"role": "assistant", "content": "At the start."},
                    {"role": "user", "content": "Go on."}],
                "skill": {"name": "review", "instructions": "Review like a lawyer."},
                "dynamic_state": {"step": 2, "notes": ["a < b"]},
                "dynamic_state_placement": state,
                "implicit_context": "The build is red.",
                "memory": {"entries": [{"key": "os", "value": "Linux"}], "placement": memory},
                "output": {"tag": "answer"}});
            let once = compile_in(&services, &first).unwrap();
            let mut second = again(&first, &once.payload, target);
            let twice = compile_in(&services, &second).unwrap();
            assert_eq!(once.text, twice.text, "{target} {state} {memory}");
            assert!(twice.codes("repairs").contains(&"own_block_returned"), "{}", twice.report);
            // What holds now takes the place of what held then.
            second["dynamic_state"] = json!({"step": 3});
            let third = compile_in(&services, &second).unwrap();
            assert!(
                third.text.contains("<step>3</step>") && !third.text.contains("<step>2</step>")
            );
            assert_eq!(third.text.matches("Review like a lawyer.").count(), 1, "{}", third.text);
        }
    }
}
