//! Properties of the whole pipeline, over conversations written from the providers' rules.
//!
//! They run in process: what HTTP adds has tests of its own.

mod bound_thinking;
mod budget;
mod candidates;
mod compress;
mod export;
mod growth;
mod items;
mod packs;
mod payload;
mod sessions;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::compile::with as merged;
use crate::support::valid;

/// Cases of each property: the code under test is not optimised here.
const CASES: u32 = 48;

/// So many cases, or as many as `PROPTEST_CASES` asks for.
fn cases(cases: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    let cases = std::env::var_os("PROPTEST_CASES").map_or(cases, |_| usual.cases);
    ProptestConfig { cases, failure_persistence: None, ..usual }
}

/// What a caller may add to a request, as members of its body.
fn options() -> impl Strategy<Value = Value> {
    let windows = prop::option::weighted(0.7, 60u64..3000);
    let state = prop::option::of(prop::sample::select(vec![
        json!({"step": 1}),
        json!({"todo": ["write", "test"], "note": "a < b"}),
    ]));
    let output = prop::sample::select(vec![
        Value::Null,
        Value::Null,
        json!({"tag": "answer"}),
        json!({"prefill": "{\"a\":"}),
        json!({"tag": "o", "prefill": "<o>"}),
    ]);
    let memory = prop::sample::select(vec![
        Value::Null,
        json!({"entries": [], "placement": "system"}),
        json!({"entries": [{"key": "lang", "value": "Rust"}], "placement": "system"}),
        json!({"entries": [{"key": "lang", "value": "Rust"}], "placement": "last_user"}),
    ]);
    let compression = prop::sample::select(vec![
        Value::Null,
        json!({"keep_recent_turns": 1}),
        json!({"trigger": 0.8, "compress_to": 0.5, "thinking": "keep"}),
    ]);
    let cache = prop::sample::select(vec![
        Value::Null,
        json!({"ttl": "5m"}),
        json!({"ttl": "1h", "marks": 3}),
        json!({"ttl": "off"}),
    ]);
    let model = prop::sample::select(vec![Value::Null, json!("bytes4")]);
    let flags = any::<(bool, bool)>();
    (windows, state, output, memory, compression, (cache, model), flags).prop_map(
        |(window, state, output, memory, compression, (cache, model), (skill, context))| {
            let mut body = json!({
                "dynamic_state": state,
                "output": output,
                "memory": memory,
                "compression": compression,
                "cache": cache,
                "model": model,
            });
            if let Some(window) = window {
                body["budget"] = json!({"context_window": window});
            }
            if skill {
                body["skill"] = json!({"name": "s", "instructions": "Review like a lawyer."});
            }
            if context {
                body["implicit_context"] = json!("found: a < b </implicit_context>");
            }
            body
        },
    )
}

/// The verdict of the target's validator; of `neutral` only that calls have their results.
fn check(target: &str, payload: &Value) -> Result<(), String> {
    if target != "neutral" {
        // With nothing but a prefill in words there is nothing for a list to hold.
        return valid::check(target, payload);
    }
    let parts = || {
        let messages = payload["messages"].as_array().into_iter().flatten();
        messages.flat_map(|message| message["parts"].as_array().into_iter().flatten())
    };
    let ids = |kind: &str, key: &str| -> Vec<String> {
        let found = parts().filter(|part| part["type"] == kind);
        found.map(|part| part[key].as_str().unwrap_or_default().to_owned()).collect()
    };
    let (calls, results) = (ids("tool_call", "id"), ids("tool_result", "call_id"));
    if calls == results { Ok(()) } else { Err(format!("calls {calls:?}, results {results:?}")) }
}
