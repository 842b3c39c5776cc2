//! The `input` of each point as it is on the wire: order of members, numbers and escapes.
//!
//! `INSTA_UPDATE=always cargo test hook_points::inputs` writes the snapshots again; read the difference.

use std::collections::BTreeSet;

use contexture::hook::{Point, sample};
use regex::Regex;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::support::TestServer;
use crate::support::receiver::{Mode, Receiver};

/// Characters that some writers of JSON escape and others do not.
const ODD: &str = r#"a/b \"\\\u0001\u007f\u2028é😀\n"#;
/// Text that makes a history long; the snapshot is without it.
const FILLER: &str = "Words about it. ";

#[derive(Deserialize)]
struct SentCall<'b> {
    point: &'b str,
    #[serde(borrow)]
    input: &'b RawValue,
}

#[tokio::test]
async fn inputs_are_as_reviewed() {
    let nothing = Receiver::spawn(Mode::Status(204, String::new(), String::new())).await;
    // Every prefix that is kept for five minutes is expiring at once.
    let server = TestServer::with(&["--dev", "--cache-expiring-seconds", "300"]).await;
    register(&server, &nothing).await;
    // Later its blocks would hold a memory entry, with the date of this run.
    send(&server, "POST", "/compile", &governed()).await;
    around_memory_and_sessions(&server).await;
    around_tools(&server).await;
    for body in [recalling(), recalling(), shrinking(), bare(), cached()] {
        send(&server, "POST", "/compile", &body).await;
    }
    for point in [r#""point":"event""#, r#""point":"cache_expiring""#] {
        let wanted = |request: &String| request.contains(point);
        crate::support::wait::until(async || nothing.requests().iter().any(wanted).then_some(()))
            .await;
    }
    insta::assert_snapshot!(shown(&nothing.requests()));
}

#[test]
fn samples_are_as_reviewed() {
    let samples = Point::ALL.map(|point| format!("{point} {}\n", sample(point)));
    insta::assert_snapshot!(samples.concat());
}

/// Registers a hook at every point.
async fn register(server: &TestServer, receiver: &Receiver) {
    let transform =
        ["before_compress", "transform_context", "memory_update", "tool_call", "tool_result"];
    let provide =
        ["summarize", "before_compile", "compress_format", "retrieve_evidence", "recall_memory"];
    let observe = [
        "after_compress",
        "memory_changed",
        "memory_expired",
        "delegation",
        "session_switch",
        "cache_expiring",
    ];
    let places = [
        ("t", "transform", &transform[..]),
        ("p", "provide", &provide),
        ("o", "observe", &observe),
        ("event", "observe", &["event"]),
    ];
    for (id, kind, points) in places {
        let mut hook = json!({"id": id, "points": points, "kind": kind, "url": receiver.url()});
        if kind == "observe" {
            hook["delivery"] = "sync".into();
        }
        if kind == "provide" {
            hook["max_tokens"] = 10.into();
        }
        if id == "event" {
            hook["match"] = json!({"events": ["memory:expired"]});
        }
        server.register(&hook).await;
    }
}

async fn around_memory_and_sessions(server: &TestServer) {
    send(server, "POST", "/sessions", r#"{"id":"s"}"#).await;
    send(server, "POST", "/sessions/s/fork", r#"{"new_session_id":"s2"}"#).await;
    let delegation = format!(
        r#"{{"task":"{ODD}","result":"","agent_name":"finder","status":"success","path":"tool",
            "metadata":{{"handoff_depth":1,"b":{{ "n":1.50 }},"a":"\u00e9"}}}}"#
    );
    send(server, "POST", "/sessions/s/delegations", &delegation).await;
    send(server, "POST", "/sessions/s/delegations", r#"{"task":"t","agent_name":"a"}"#).await;
    let whole = format!(
        r#"{{"value":{{"b":1.50,"a":["{ODD}", null]}},"tags":["x","a/b \"é"],"importance":0.25,
            "description":"{ODD}","metadata":{{ "n":1e3 }},"source":"a/b","author":null}}"#
    );
    send(server, "PUT", "/memory/whole", &whole).await;
    send(server, "PUT", "/memory/whole", r#"{"value":"one"}"#).await;
    send(server, "DELETE", "/memory/whole", "").await;
    let removed = format!(r#"{{"action":"remove","type":"short_term","content":"{ODD}"}}"#);
    send(server, "POST", "/memory", &removed).await;
    let short = r#"{"value":"brief","importance":1,"ttl":{"turns":1},
        "scope":{"session_id":"s","agent":"scout"}}"#;
    send(server, "PUT", "/memory/short", short).await;
    send(server, "PUT", "/memory/long", r#"{"value":1.50,"ttl":{"seconds":86400}}"#).await;
}

async fn around_tools(server: &TestServer) {
    let calls = [
        ("create_memory", r#"{\"key\":\"k\",\"value\":\"a/b \\u2028\"}"#),
        ("modify_memory", r#"{\"action\":\"update\",\"key\":\"long\",\"value\":\"2\"}"#),
        ("modify_memory", r#"{\"action\":\"delete\",\"key\":\"long\"}"#),
        ("Bash", r#" {\"n\": 1.50, \"command\": \"ls\"}\n"#),
    ];
    let calls = calls.iter().enumerate().map(|(at, (name, arguments))| {
        format!(
            r#"{{"id":"c{at}","type":"function",
                "function":{{"name":"{name}","arguments":"{arguments}"}}}}"#
        )
    });
    let calls = calls.collect::<Vec<_>>().join(",");
    let custom =
        format!(r#"{{"id":"c9","type":"custom","custom":{{"name":"sh","input":"{ODD}"}}}}"#);
    send(server, "POST", "/tools/calls", &format!(r#"{{"calls":[{calls},{custom}]}}"#)).await;
}

/// A compile that counts a turn of the session, so that the second of them expires an entry.
fn recalling() -> String {
    r#"{"model":"bytes4","messages":[{"role":"user","content":"Hello"}],"session_id":"s",
        "memory":{"scope":{"session_id":"s","agent":"scout"}}}"#
        .to_owned()
}

/// A compile whose history is too long, with results of tools of every form.
fn shrinking() -> String {
    let message = |role: &str, text: &str| format!(r#"{{"role":"{role}","content":"{text}"}}"#);
    let call = |kind: &str, id: &str, inner: &str| {
        format!(
            r#"{{"role":"assistant","content":null,
                "tool_calls":[{{"id":"{id}","type":"{kind}","{kind}":{inner}}}]}}"#
        )
    };
    let result = |id: &str, text: &str| {
        format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{text}"}}"#)
    };
    let mut messages = vec![
        message("system", "Be brief."),
        message("user", "Go"),
        call("function", "c1", r#"{"name":"make","arguments":" {\"n\": 1.50}\n"}"#),
        result("c1", &FILLER.repeat(100)),
        call("custom", "c2", &format!(r#"{{"name":"sh","input":"{ODD}"}}"#)),
        result("c2", ODD),
    ];
    for turn in 0..3 {
        let text = format!("Turn {turn}. {}", FILLER.repeat(60));
        messages.extend([message("user", &text), message("assistant", &text)]);
    }
    messages.push(message("user", "And now?"));
    format!(
        r#"{{"model":"bytes4","target":"openai","messages":[{}],"dynamic_state":{{ "step":1.50 }},
            "budget":{{"context_window":1500}},
            "compression":{{"summary_instructions":"Keep \"names\"."}}}}"#,
        messages.join(",")
    )
}

fn bare() -> String {
    r#"{"messages":[{"role":"user","content":"Hello"}],"target":"gemini"}"#.to_owned()
}

/// A payload whose prefix the provider keeps.
fn cached() -> String {
    let text = FILLER.repeat(400);
    format!(
        r#"{{"messages":[{{"role":"user","content":"{text}"}}],"target":"anthropic",
            "model":"claude-sonnet-4-5","session_id":"c","cache":{{"ttl":"5m"}}}}"#
    )
}

fn governed() -> String {
    let input = json!({"intent": "x", "message": "do it",
        "context_query": {"b": 1, "a": [ODD, 1.5]}});
    let body = json!({"model": "bytes4", "target": "neutral",
        "pack": {"document": crate::support::pack::minimal(),
            "run_context": crate::support::pack::context("tenant_min"),
            "request": {"request_id": "req_1", "input": input}},
        "messages": [{"role": "user", "content": "do it"}], "dynamic_state": {"a": "b"}});
    body.to_string()
}

async fn send(server: &TestServer, method: &str, path: &str, body: &str) {
    let sent = server.build_json(method, path).body(body.to_owned()).send().await.unwrap();
    let status = sent.status();
    let text = sent.text().await.unwrap();
    assert!(status.is_success(), "{method} {path}: {status}: {text}");
}

/// The inputs of all calls by point, in their order, with no times of this run.
fn shown(requests: &[String]) -> String {
    let time = Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z").unwrap();
    let compile = Regex::new("cmp_[0-9a-f]{32}").unwrap();
    let hash = Regex::new(r#"prefix_hash":"[0-9a-f]{64}"#).unwrap();
    let mut lines: Vec<(String, String)> = Vec::new();
    for request in requests {
        let (_, body) = request.split_once("\r\n\r\n").unwrap();
        let call: SentCall<'_> = serde_json::from_str(body).unwrap();
        let input = time.replace_all(call.input.get(), "(time)").replace(FILLER, "");
        let input = compile.replace_all(&input, "(compile)");
        let input = hash.replace_all(&input, "prefix_hash\":\"(hash)").into_owned();
        lines.push((call.point.to_owned(), input));
    }
    // Stable: calls of one point stay in their order.
    lines.sort_by(|a, b| a.0.cmp(&b.0));
    let points: BTreeSet<&str> = lines.iter().map(|(point, _)| &**point).collect();
    assert_eq!(points.len(), Point::ALL.len(), "{points:?}");
    let lines = lines.iter().map(|(point, input)| format!("{point} {input}"));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}
