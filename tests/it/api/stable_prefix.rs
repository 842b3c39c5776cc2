//! What a provider reads before the first place that changes with every compile, and our marks there.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, assistant, compile, system, user, with, words};

/// System text of 200 tokens, messages of 30, 20 and 10.
fn request(target: &str, more: &Value) -> Value {
    let messages = [
        system(&words("s", 200)),
        user(&words("u", 30)),
        assistant(&words("a", 20)),
        user(&words("v", 10)),
    ];
    let own = json!({"messages": messages, "target": target, "model": "bytes4"});
    with(own, more)
}

fn stable(compiled: &Compiled) -> u64 {
    compiled.report["cache"]["stable_tokens"].as_u64().expect("a number")
}

const TARGETS: [&str; 5] = ["openai", "neutral", "openai_responses", "anthropic", "gemini"];

/// Whether the target has system text before all messages.
fn hoists(target: &str) -> bool {
    ["anthropic", "gemini"].contains(&target)
}

#[tokio::test]
async fn state_in_a_system_message_stands_before_the_history_where_the_target_has_it_so() {
    let state = json!({"dynamic_state": {"branch": "main"}, "dynamic_state_placement": "system"});
    for target in TARGETS {
        let compiled = compile(&request(target, &state)).await;
        let wanted = if hoists(target) { 200 } else { 260 };
        assert_eq!(stable(&compiled), wanted, "{target}: {}", compiled.text);
        // With an output block, which shares the message of the state.
        let more = with(state.clone(), &json!({"output": {"tag": "answer"}}));
        assert_eq!(stable(&compile(&request(target, &more)).await), wanted, "{target}");
        let more = with(state.clone(), &json!({"implicit_context": "The build is red."}));
        assert_eq!(stable(&compile(&request(target, &more)).await), wanted, "{target}");
    }
}

#[tokio::test]
async fn an_output_block_stays_where_system_text_is_hoisted() {
    let more = json!({"output": {"tag": "answer"}});
    for target in TARGETS {
        let compiled = compile(&request(target, &more)).await;
        let all = compiled.number("tokens_after");
        assert_eq!(stable(&compiled), if hoists(target) { all } else { 260 }, "{target}");
    }
}

#[tokio::test]
async fn state_at_the_end_leaves_everything_before_it() {
    let state = json!({"dynamic_state": {"branch": "main"}});
    for target in TARGETS {
        assert_eq!(stable(&compile(&request(target, &state)).await), 260, "{target}");
        assert_eq!(stable(&compile(&request(target, &json!({}))).await), 260, "{target}");
    }
}

#[tokio::test]
async fn memory_in_system_text_is_the_same_until_memory_changes() {
    let memory = |placement: &str| {
        json!({"memory": {"placement": placement, "write": false,
            "entries": [{"key": "k", "value": "v"}]}})
    };
    for target in TARGETS {
        let top = compile(&request(target, &memory("system"))).await;
        assert_eq!(stable(&top), top.number("tokens_after"), "{target}");
        let last = compile(&request(target, &memory("last_user"))).await;
        let tail = last.report["parts"]["memory"].as_u64().unwrap();
        assert!(stable(&last) < last.number("tokens_after") && tail > 0, "{target}");
        // State after it is what ends the stable part.
        let state =
            json!({"dynamic_state": {"branch": "main"}, "dynamic_state_placement": "system"});
        let both = compile(&request(target, &with(memory("system"), &state))).await;
        let head = 200 + both.report["parts"]["memory"].as_u64().unwrap();
        assert_eq!(stable(&both), if hoists(target) { head } else { head + 60 }, "{target}");
    }
}

#[tokio::test]
async fn no_mark_of_ours_stands_after_what_changes_with_every_compile() {
    let tools = json!([{"type": "function", "function": {"name": "t", "description": "does t",
        "parameters": {"type": "object"}}}]);
    let marked = |more: Value| with(more, &json!({"cache": {"ttl": "5m"}, "tools": tools}));
    let marks = async |more: Value| {
        let compiled = compile(&request("anthropic", &marked(more))).await;
        compiled.report["cache"]["breakpoints"].clone()
    };
    let usual = json!(["/system/0", "/messages/1/content/0", "/tools/0"]);
    let whole = json!(["/system/0", "/messages/2/content/0", "/tools/0"]);
    assert_eq!(marks(json!({})).await, whole);
    assert_eq!(marks(json!({"output": {"tag": "answer"}})).await, whole);
    assert_eq!(marks(json!({"dynamic_state": {"branch": "main"}})).await, usual);
    let mut state =
        json!({"dynamic_state": {"branch": "main"}, "dynamic_state_placement": "system"});
    let before = json!(["/system/0", "/tools/0"]);
    assert_eq!(marks(state.clone()).await, before);
    state["output"] = json!({"tag": "answer"});
    assert_eq!(marks(state.clone()).await, before);
    // Not where a summary stands at the head of the history, either.
    let long: Vec<Value> = (0..12).map(|at| user(&words(&format!("m{at}"), 300))).collect();
    let mut body = marked(state);
    body["messages"] = json!(long);
    body["budget"] = json!({"context_window": 2_500});
    let compiled = compile(&request("anthropic", &body)).await;
    assert!(compiled.action("summarized") > 0, "{}", compiled.report);
    assert_eq!(compiled.report["cache"]["breakpoints"], json!(["/tools/0"]));
}
