//! Refused by the request reader: JSON that is none, and JSON that is no request.

use serde_json::{Value, json};

use super::{Row, check};

fn hello() -> Value {
    json!({"messages": [{"role": "user", "content": "hi"}], "target": "openai"})
}

/// The small request with one key set.
fn with(key: &str, value: Value) -> String {
    let mut body = hello();
    body[key] = value;
    body.to_string()
}

/// A request of these messages.
fn messages(list: &Value) -> String {
    json!({"messages": list, "target": "openai"}).to_string()
}

#[rustfmt::skip]
fn not_json() -> Vec<Row> {
    let text = hello().to_string();
    let mut rows: Vec<Row> = (0..text.len())
        .step_by(9)
        .map(|end| Row::post(&format!("cut at byte {end}"), &[], &text.as_bytes()[..end], 400, "invalid_json"))
        .collect();
    let plain = |name: &str, body: &str| Row::post(name, &[], body.as_bytes(), 400, "invalid_json");
    let both = "POST /compile HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n";
    rows.extend([
        Row::raw("a length and chunks: the chunks count", both.into(), 400, "invalid_json"),
        plain("an empty body", ""),
        plain("white space", " \r\n\t "),
        plain("a byte order mark", &format!("\u{feff}{text}")),
        plain("two documents", &format!("{text}{text}")),
        plain("a comma too many", r#"{"messages":[],}"#),
        plain("single quotes", "{'messages':[]}"),
        plain("a comment", "{/* */}"),
        plain("NaN", r#"{"budget":{"context_window":NaN}}"#),
        plain("Infinity", r#"{"budget":{"context_window":Infinity}}"#),
        plain("a number with a leading zero", r#"{"a":01}"#),
        plain("a number with a plus", r#"{"a":+1}"#),
        plain("a raw line feed in a string", "{\"a\":\"\n\"}"),
        plain("a raw NUL in a string", "{\"a\":\"\0\"}"),
        plain("an unknown escape", r#"{"a":"\x41"}"#),
        plain("half a hex escape", r#"{"a":"\u12"}"#),
        plain("a key without quotes", "{messages:[]}"),
        plain("HTML", "<!doctype html>"),
        plain("a form", "messages=hi&target=openai"),
    ]);
    rows
}

#[rustfmt::skip]
fn not_accepted() -> Vec<Row> {
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let zeros = |count: usize| format!("[0{}]", ",0".repeat(count - 1));
    let keyed = format!("{}1{}", r#"{"a":"#.repeat(5000), "}".repeat(5000));
    let refused = |name: &str, body: &str| Row::post(name, &[], body.as_bytes(), 422, "invalid_request");
    let tools = json!((0..1001).map(|at| json!({"type": "function", "function": {"name": format!("t{at}")}})).collect::<Vec<_>>());
    let many = json!((0..10_001).map(|_| json!({"role": "user", "content": "x"})).collect::<Vec<_>>());
    let invalid = Row::invalid;
    vec![
        invalid("a key twice", r#"{"messages":[],"messages":[]}"#, "/messages"),
        invalid("a role twice", r#"{"messages":[{"role":"user","role":"system","content":"x"}]}"#, "/messages/0/role"),
        invalid("a key twice, once escaped", r#"{"target":"openai","t\u0061rget":"gemini"}"#, "/target"),
        invalid("a lone high surrogate in a key", r#"{"dynamic_state":{"\ud83d":1}}"#, "/dynamic_state"),
        invalid("a lone low surrogate in a key", r#"{"dynamic_state":{"\ude00":1}}"#, "/dynamic_state"),
        invalid("surrogates in the wrong order in a key", r#"{"dynamic_state":{"\ude00\ud83d":1}}"#, "/dynamic_state"),
        refused("arrays 200 deep", &deep(200)),
        refused("arrays 1,000,000 deep, never closed", &"[".repeat(1_000_000)),
        refused("objects 5,000 deep", &keyed),
        refused("a deep tool schema", &with("tools", serde_json::from_str(&deep(120)).expect("JSON"))),
        refused("2 million zeros", &zeros(2_000_000)),
        invalid("20,000 zeros as messages", &format!(r#"{{"messages":{}}}"#, zeros(20_000)), "/messages"),
        invalid("10,001 messages", &messages(&many), "/messages"),
        invalid("1,001 tools", &with("tools", tools), "/tools"),
        invalid("a number", "5", ""),
        invalid("null", "null", ""),
        invalid("a string", "\"messages\"", ""),
        invalid("a bare list", "[]", ""),
        invalid("no conversation", r#"{"target":"openai"}"#, ""),
    ]
}

/// A wrong type, or a word that is not known, for every key.
fn wrong_types() -> Vec<Row> {
    let mut rows = Vec::new();
    for key in [
        "source",
        "target",
        "model",
        "budget",
        "compression",
        "protect",
        "tools",
        "dynamic_state",
        "dynamic_state_placement",
        "implicit_context",
        "output",
        "session_id",
        "repair",
        "record",
        "explain",
        "deadline_ms",
        "on_deadline",
        "system",
        "instructions",
    ] {
        rows.push(Row::invalid(
            &format!("{key}: true"),
            &with(key, json!(true)),
            &format!("/{key}"),
        ));
    }
    // These have short forms.
    for (key, value) in [
        ("cache", json!(5)),
        ("cache", json!("yes")),
        ("cache", json!([])),
        ("compression", json!("lossles")),
        ("passthrough", json!("yes")),
    ] {
        let name = format!("{key}: {value}");
        rows.push(Row::invalid(&name, &with(key, value), &format!("/{key}")));
    }
    for key in ["source", "target", "dynamic_state_placement", "explain", "on_deadline", "repair"] {
        let body = with(key, json!("no such word"));
        rows.push(Row::invalid(&format!("{key}: an unknown word"), &body, &format!("/{key}")));
    }
    // A bare text as `contents` or `input` is what the providers' SDKs take too.
    for (key, values) in [
        ("messages", [json!(5), json!("x"), json!({})]),
        ("contents", [json!(5), json!(true), json!(0.5)]),
    ] {
        for value in values {
            let body = json!({key: value, "target": "openai"}).to_string();
            rows.push(Row::invalid(&format!("{key}: {value}"), &body, &format!("/{key}")));
        }
    }
    rows.push(Row::invalid("input: 5", r#"{"input":5,"target":"openai"}"#, "/input"));
    rows.push(Row::invalid("an unknown key", &with("targt", json!("openai")), "/targt"));
    rows.push(Row::invalid("an unknown key with a slash", &with("a/b~c", json!(1)), "/a~1b~0c"));
    rows.push(Row::invalid("a prototype key", &with("__proto__", json!({})), "/__proto__"));
    rows.push(Row::invalid(
        "an unknown budget key",
        &with("budget", json!({"contextwindow": 5})),
        "/budget/contextwindow",
    ));
    rows
}

fn numbers() -> Vec<Row> {
    let mut rows = Vec::new();
    for number in
        ["-1", "1.5", "1e400", "18446744073709551616", "\"100\"", "true", "[]", "{}", "-0"]
    {
        for key in ["context_window", "reserve_output"] {
            if number == "-0" && key == "reserve_output" {
                continue;
            }
            let body = format!(
                r#"{{"messages":[{{"role":"user","content":"hi"}}],"budget":{{"{key}":{number}}}}}"#
            );
            let name = format!("{key}: {number}");
            rows.push(Row::invalid(&name, &body, &format!("/budget/{key}")));
        }
    }
    for (key, value) in [
        ("trigger", json!(-1)),
        ("compress_to", json!(2)),
        ("keep_recent_turns", json!(-4)),
        ("level", json!("everything")),
    ] {
        let body = with("compression", json!({key: value}));
        rows.push(Row::invalid(
            &format!("compression.{key}"),
            &body,
            &format!("/compression/{key}"),
        ));
    }
    rows.push(Row::invalid(
        "a reserve larger than the window",
        &with("budget", json!({"context_window": 10, "reserve_output": 20})),
        "/budget/reserve_output",
    ));
    rows.push(Row::invalid("a deadline of 0", &with("deadline_ms", json!(0)), "/deadline_ms"));
    rows
}

#[rustfmt::skip]
fn wrong_messages() -> Vec<Row> {
    let one = |name: &str, message: Value, pointer: &str| Row::invalid(name, &messages(&json!([message])), pointer);
    let call = |arguments: Value| json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]);
    let at = "/messages/1/tool_calls/0/function/arguments";
    vec![
        one("a message that is a number", json!(5), "/messages/0"),
        one("a message that is null", Value::Null, "/messages/0"),
        one("a message that is a list", json!([]), "/messages/0"),
        one("an unknown role", json!({"role": "wizard", "content": "x"}), "/messages/0/role"),
        one("a role in capitals", json!({"role": "USER", "content": "x"}), "/messages/0/role"),
        one("a role that is a number", json!({"role": 1, "content": "x"}), "/messages/0/role"),
        one("an empty role", json!({"role": "", "content": "x"}), "/messages/0/role"),
        one("content that is a number", json!({"role": "user", "content": 5}), "/messages/0/content"),
        one("a name that is a list", json!({"role": "user", "content": "x", "name": []}), "/messages/0/name"),
        one("calls that are no list", json!({"role": "assistant", "tool_calls": 5}), "/messages/0/tool_calls"),
        one("a call that is a number", json!({"role": "assistant", "tool_calls": [5]}), "/messages/0/tool_calls/0"),
        Row::invalid("arguments cut off", &messages(&call(json!("{\"a\":"))), at),
        Row::invalid("arguments that are a list", &messages(&call(json!("[]"))), at),
        Row::invalid("arguments with a key twice", &messages(&call(json!(r#"{"a":1,"a":2}"#))), at),
        Row::invalid("arguments 1,000 deep", &messages(&call(json!(format!("{{\"a\":{}", "[".repeat(1000))))), at),
        Row::invalid("a tool that is a number", &with("tools", json!([5])), "/tools/0"),
        Row::invalid("two tools of one name", &with("tools", json!([
            {"type": "function", "function": {"name": "f"}}, {"type": "function", "function": {"name": "f"}}])),
            "/tools/1/function/name"),
    ]
}

#[tokio::test]
async fn what_the_request_reader_refuses_is_refused_well() {
    let mut rows = not_json();
    rows.extend(not_accepted());
    rows.extend(wrong_types());
    rows.extend(numbers());
    rows.extend(wrong_messages());
    check(rows).await;
}

#[tokio::test]
async fn all_faults_are_told_at_once() {
    let server = crate::support::TestServer::spawn().await;
    let body = json!({
        "messages": [{"role": "wizard", "content": "x"}],
        "target": "nowhere", "targt": 1, "budget": {"context_window": -1},
    });
    let response = server.post("/compile", &body).await;
    let problem = crate::support::problem(response, 422, "invalid_request").await;
    let errors = problem["errors"].as_array().unwrap();
    for pointer in ["/messages/0/role", "/target", "/targt", "/budget/context_window"] {
        assert!(errors.iter().any(|error| error["pointer"] == pointer), "{pointer}: {problem}");
    }
    let unknown = errors.iter().find(|error| error["pointer"] == "/targt").unwrap();
    assert_eq!(unknown["did_you_mean"], "target");
}
