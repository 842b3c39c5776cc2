//! Patterns of callers: too large ones are refused wherever they are given, and none holds a thread
//! past the deadline.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Folder, TestServer, pack, pointers, problem};

/// Of this, each byte of a text would visit tens of thousands of states.
const COSTLY: &str = "(a|b)*a(a|b){10000}z";

fn hello(more: Value) -> Value {
    let mut body = json!({"messages": [{"role": "user", "content": "Hello"}], "target": "openai"});
    let Value::Object(more) = more else { panic!("an object") };
    body.as_object_mut().unwrap().extend(more);
    body
}

fn redact(id: &str, patterns: &[&str]) -> Value {
    json!({"id": id, "point": "transform_context", "kind": "transform", "builtin": "redact",
        "config": {"patterns": patterns}})
}

#[tokio::test]
async fn a_pattern_of_many_states_is_refused_wherever_it_is_given() {
    let server = TestServer::spawn().await;
    let matching = json!({"id": "m", "point": "tool_call", "kind": "guard", "builtin": "deny_command",
        "match": {"args": [{"path": "/command", "op": "regex", "value": COSTLY}]}});
    let glob = json!({"id": "g", "point": "tool_call", "kind": "guard", "builtin": "deny_command",
        "match": {"args": [{"path": "/command", "op": "glob", "value": "*".repeat(512)}]}});
    let adapter = json!({"name": "own", "detect": {"regex": COSTLY}});
    let share = json!({"detect": {"min_share_of_lines": {"regex": COSTLY, "share": 0.5}},
        "keep": [{"regex": COSTLY}], "shrink": [{"regex": COSTLY}]});
    let in_list = json!({"protect": {"patterns": [{"regex": "a"}, {"regex": COSTLY}]}});
    for (method, path, body, wanted) in [
        ("POST", "/compile", hello(in_list.clone()), vec!["/protect/patterns/1/regex"]),
        (
            "POST",
            "/compile",
            hello(json!({"compression": {"adapters": [adapter]}})),
            vec!["/compression/adapters/0/detect/regex"],
        ),
        (
            "POST",
            "/compile",
            hello(json!({"hooks": [redact("r", &["a", COSTLY]), matching]})),
            vec!["/hooks/0/config/patterns/1", "/hooks/1/match/args/0/value"],
        ),
        ("POST", "/hooks", redact("r", &[COSTLY]), vec!["/config/patterns/0"]),
        ("POST", "/hooks", matching.clone(), vec!["/match/args/0/value"]),
        ("POST", "/hooks", glob, vec!["/match/args/0/value"]),
        (
            "PUT",
            "/adapters/own",
            share,
            vec!["/detect/min_share_of_lines/regex", "/keep/0/regex", "/shrink/0/regex"],
        ),
    ] {
        let response = server.build(method, path).json(&body).send().await.unwrap();
        let refused = problem(response, 422, "invalid_request").await;
        assert_eq!(pointers(&refused), wanted, "{method} {path}: {refused}");
        let detail = refused["errors"][0]["detail"].as_str().unwrap();
        assert!(detail.contains("it may have 1024 states"), "{detail}");
    }
    let mut with_rule = pack::minimal();
    with_rule["policy_layer"]["guardrails"] =
        json!({"redaction_rules": [{"id": "x", "regex": COSTLY}]});
    let lint = server.post_json("/packs/lint", 200, &with_rule).await;
    let found = lint["faults"].as_array().unwrap();
    let rule = found.iter().find(|fault| fault["code"] == "redaction_rule_unknown");
    let rule = &rule.unwrap_or_else(|| panic!("{lint}"))["pointer"];
    assert_eq!(*rule, "/policy_layer/guardrails/redaction_rules/0/regex");
    let tool = json!({"type": "function", "function": {"name": "t", "parameters":
        {"type": "object", "properties": {"a": {"pattern": COSTLY}}}}});
    let call = json!({"id": "c", "type": "function",
        "function": {"name": "t", "arguments": "{\"a\": \"z\"}"}});
    let body = json!({"source": "openai", "calls": [call], "tools": [tool]});
    problem(server.post("/tools/calls", &body).await, 422, "invalid_request").await;
}

#[tokio::test]
async fn ordinary_patterns_of_hooks_still_find_what_they_are_for() {
    let server = TestServer::spawn().await;
    let patterns = [
        r"(?i)\b[A-Z0-9._%+-]+@[A-Z0-9.-]+\.[A-Z]{2,}\b",
        r"eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}",
        r"\bsk-\w{20,48}\b",
    ];
    server.register(&redact("r", &patterns)).await;
    let text = "Grüße an Bob@Example.com: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY.SflKxwRJSMeKKF2QT \
                und sk-abcdefghijklmnopqrstuvwx.";
    let body = json!({"messages": [{"role": "user", "content": text}], "target": "openai"});
    let compiled = server.post_ok("/compile", &body).await;
    assert_eq!(
        compiled["payload"]["messages"][0]["content"],
        "Grüße an [REDACTED]: [REDACTED] und [REDACTED]."
    );
}

#[tokio::test]
async fn the_stored_hooks_of_a_tenant_share_what_patterns_may_take() {
    let server = TestServer::spawn().await;
    // A hundredth and a tenth of what all may have.
    let large = vec![r"\w{10}"; 8];
    server.register(&redact("one", &large)).await;
    let refused = server.post("/hooks", &redact("two", &large)).await;
    let refused = problem(refused, 422, "invalid_request").await;
    let detail = refused["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("all of them may take 2097152 bytes"), "{detail}");
    // A hook can be changed within its own part, and another one has the room that it leaves.
    let change = json!({"config": {"patterns": large}});
    assert_eq!(server.patch("/hooks/one", &change).await.status(), 200);
    let change = json!({"config": {"patterns": ["a"]}});
    assert_eq!(server.patch("/hooks/one", &change).await.status(), 200);
    server.register(&redact("two", &large)).await;
    let many = vec!["a"; 32];
    for number in 0..7 {
        server.register(&redact(&format!("many-{number}"), &many)).await;
    }
    let refused =
        problem(server.post("/hooks", &redact("last", &many)).await, 422, "invalid_request");
    let refused = refused.await;
    let detail = refused["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("there may be 256"), "{detail}");
}

#[tokio::test]
async fn a_hook_that_was_stored_with_a_larger_pattern_fails_closed() {
    let files = Folder::new();
    let file = files.write("db", "");
    let url = format!("sqlite:{file}");
    let server = TestServer::with(&["--database-url", &url]).await;
    server.register(&redact("old", &["sk-[a-z]+"])).await;
    let csv = json!({"detect": {"regex": "stored-before"}});
    assert!(server.put("/adapters/csv", &csv).await.status().is_success());
    server.stop().await;
    let database = rusqlite::Connection::open(&file).unwrap();
    let put = |table: &str, old: &str| {
        let update =
            format!("UPDATE {table} SET definition = replace(definition, '{old}', '{COSTLY}')");
        assert_eq!(database.execute(&update, []).unwrap(), 1, "{table}");
    };
    put("hooks", "sk-[a-z]+");
    put("adapters", "stored-before");
    drop(database);

    let server = TestServer::with(&["--database-url", &url]).await;
    let failed =
        problem(server.post("/compile", &hello(json!({}))).await, 502, "hook_failed").await;
    let detail = failed["detail"].as_str().unwrap();
    assert!(detail.contains("hook `old` failed") && detail.contains("pattern_limit"), "{detail}");
    // It is shown, and can be switched off.
    let shown = server.get_json("/hooks/old").await;
    assert_eq!(shown["config"]["patterns"][0]["regex"], COSTLY);
    let off = server.patch("/hooks/old", &json!({"enabled": false})).await;
    assert_eq!(off.status(), 200);
    // A stored adapter beyond the limits is left out, with a warning; who names it is told why.
    let compiled = server.post_ok("/compile", &hello(json!({}))).await;
    let warnings = compiled["report"]["warnings"].as_array().unwrap();
    let warned = warnings.iter().find(|warning| warning["code"] == "adapter_unusable");
    assert!(warned.unwrap()["detail"].as_str().unwrap().contains("`csv`"), "{warnings:?}");
    let named = hello(json!({"compression": {"adapters": ["csv"]}}));
    let refused = problem(server.post("/compile", &named).await, 422, "invalid_request").await;
    assert_eq!(pointers(&refused), ["/compression/adapters/0"]);
}

#[tokio::test]
async fn a_search_ends_with_the_deadline_in_the_middle_of_a_text() {
    let server = TestServer::spawn().await;
    // A match may contain any character, so the text cannot be cut; all states are in use.
    let pattern = "[ab]*a(?s:.){300}z";
    let text = "abba".repeat(1 << 19);
    let body = json!({"target": "openai", "messages": [{"role": "user", "content": text}],
        "protect": {"patterns": [{"regex": pattern}]}});
    let request = server.build("POST", "/compile").header("contexture-deadline-ms", "2000");
    let started = Instant::now();
    let late = problem(request.json(&body).send().await.unwrap(), 504, "deadline").await;
    // Said by the work itself: it was not given up by the one that waited for it.
    assert_eq!(late["detail"], "the deadline has passed");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_search_that_takes_too_long_at_worst_is_refused_before_it_starts() {
    let server = TestServer::spawn().await;
    let text = "abba".repeat(5 << 19);
    let body = json!({"target": "openai", "messages": [{"role": "user", "content": text}],
        "protect": {"patterns": [{"regex": "[ab]*a[ab]{500}z"}]}});
    let refused = problem(server.post("/compile", &body).await, 422, "text_limit").await;
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains("the bytes of the text times the states"), "{detail}");
}

#[tokio::test]
async fn a_long_list_of_values_is_compared_by_hashes() {
    let server = TestServer::spawn().await;
    let known: Vec<String> = (0..20_000).map(|number| format!("value-{number}")).collect();
    let mut given: Vec<&str> = known.iter().map(String::as_str).take(10_000).collect();
    let schema = json!({"type": "object",
        "properties": {"list": {"type": "array", "items": {"enum": known}}}});
    let decide = async |given: &[&str]| {
        let arguments = json!({"list": given}).to_string();
        let call = json!({"id": "c", "type": "function",
            "function": {"name": "t", "arguments": arguments}});
        let tool = json!({"type": "function", "function": {"name": "t", "parameters": schema}});
        let body = json!({"source": "openai", "calls": [call], "tools": [tool]});
        server.post_json("/tools/calls", 200, &body).await["results"][0].clone()
    };
    assert_eq!(decide(&given).await["decision"], "allow");
    given.push("value-20000");
    let denied = decide(&given).await;
    assert_eq!(denied["decision"], "deny");
    assert!(denied["reason"].as_str().unwrap().contains("/list/10000 must be one of"), "{denied}");
}
