//! The scenarios of the study of hooks whose rows no other test runs as they stand.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::support::compile::{user, with};
use crate::support::receiver::{Mode, Receiver, answers, hook, patient};
use crate::support::{TestServer, problem};

fn status(status: u16) -> Mode {
    Mode::Status(status, String::new(), String::new())
}

async fn order(server: &TestServer, point: &str, ids: &[&str]) {
    let body = json!({"points": {point: ids}});
    let put = server.put("/hook-order", &body).await;
    assert_eq!(put.status(), 200);
}

/// `id outcome why` of each line.
fn lines(hooks: &Value) -> Vec<String> {
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let text = |line| [word(line, "id"), word(line, "outcome"), word(line, "why")].join(" ");
    hooks.as_array().unwrap().iter().map(|line| text(line).trim_end().to_owned()).collect()
}

fn bash(id: &str, command: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "Bash",
        "arguments": json!({"command": command}).to_string()}})
}

/// A transform that writes its letter behind the command that it is shown.
async fn appends(letter: &'static str, commands: &[&str]) -> Receiver {
    let commands: Vec<String> = commands.iter().map(|one| (*one).to_owned()).collect();
    Receiver::script(move |n| {
        let payload = json!({"command": format!("{}{letter}", commands[n])});
        Mode::Answer(json!({"action": "replace", "payload": payload}).to_string())
    })
    .await
}

/// A history of 24 turns in a window.
pub fn long(window: u64) -> Value {
    let mut messages = Vec::new();
    for turn in 0..24 {
        let text = format!("Turn {turn}. {}", "Words about nothing in particular. ".repeat(8));
        messages.push(user(&text));
        messages.push(json!({"role": "assistant", "content": text}));
    }
    messages.push(user("And now?"));
    json!({"messages": messages, "model": "bytes4", "budget": {"context_window": window}})
}

/// H5, H7, H10, H11.
#[tokio::test]
async fn a_history_is_asked_about_once_it_is_one_token_too_long() {
    let server = TestServer::dev().await;
    let plain = server.compile(&long(1 << 30)).await;
    let whole = plain.number("tokens_after");
    let receiver = answers(&json!({"action": "unchanged"})).await;
    let hooks = json!([hook("t", ("before_compress", "transform"), &receiver, &json!({}))]);
    for (window, asked) in [(whole, 0), (whole - 1, 1)] {
        let mut body = long(window);
        body["hooks"] = hooks.clone();
        let done = server.compile(&body).await;
        assert_eq!(receiver.requests().len(), asked, "{window}");
        assert_eq!(done.action("summarized") > 0, asked > 0);
    }
    let mut off = long(whole - 1);
    off["compression"] = json!({"level": "off"});
    off["hooks"] = hooks;
    server.compile(&off).await;
    assert_eq!(receiver.requests().len(), 1);
    let shorter = server.compile(&long(1500)).await;
    for mode in [status(204), Mode::Answer(r#"{"content":""}"#.to_owned()), status(500)] {
        let receiver = Receiver::spawn(mode).await;
        let mut body = long(1500);
        body["hooks"] = json!([hook("p", ("before_compress", "provide"), &receiver, &json!({}))]);
        assert_eq!(server.compile(&body).await.text, shorter.text);
        assert_eq!(receiver.requests().len(), 1);
    }
}

/// H29, H31, H36.
#[tokio::test]
async fn memory_is_written_whoever_listens_and_keys_that_may_not_be_are_nobodys_question() {
    let server = TestServer::dev().await;
    let broken = Receiver::spawn(status(500)).await;
    let guard = answers(&json!({"decision": "allow"})).await;
    let sync = json!({"delivery": "sync"});
    server.register(&hook("o", ("memory_changed", "observe"), &broken, &sync)).await;
    server.register(&hook("g", ("memory_update", "guard"), &guard, &json!({}))).await;
    let added = server.post_ok("/memory", &json!({"action": "add", "content": "x"})).await;
    let id = added["memory_id"].as_str().unwrap();
    let stored = server.get_json(&format!("/memory/{id}")).await;
    assert_eq!(stored["value"], "x");
    server.post_ok("/memory", &json!({"action": "remove", "key": id})).await;
    let told = broken.inputs();
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|input| input["memory_id"] == id), "{told:?}");
    let call = json!({"id": "c1", "type": "function", "function": {"name": "create_memory",
        "arguments": "{\"key\":\"secret\",\"value\":\"v\"}"}});
    let body = json!({"calls": [call], "allowed_keys": ["name"]});
    let answer = server.post_ok("/tools/calls", &body).await;
    assert_eq!(answer["results"][0]["decision"], "deny");
    assert_eq!((guard.requests().len(), broken.requests().len()), (0, 2));
}

/// H57, H58.
#[tokio::test]
async fn the_first_denial_ends_it() {
    let server = TestServer::dev().await;
    let deny = answers(&json!({"decision": "deny", "reason": "no", "code": "c"})).await;
    let (allow, told) = (answers(&json!({"decision": "allow"})).await, answers(&json!(null)).await);
    let change = answers(&json!({"action": "replace", "payload": {"command": "pwd"}})).await;
    let at = |kind| ("tool_call", kind);
    server.register(&hook("g2", at("guard"), &allow, &json!({}))).await;
    server.register(&hook("g1", at("guard"), &deny, &json!({}))).await;
    server.register(&hook("t", at("transform"), &change, &json!({}))).await;
    server.register(&hook("o", at("observe"), &told, &json!({"delivery": "sync"}))).await;
    order(&server, "tool_call", &["g1", "g2"]).await;
    let answer = server.post_ok("/tools/calls", &json!({"calls": [bash("c1", "ls")]})).await;
    assert_eq!(
        lines(&answer["hooks"]),
        ["g1 denied no", "g2 skipped denied_earlier", "t skipped denied_earlier", "o delivered"]
    );
    assert_eq!((allow.requests().len(), change.requests().len()), (0, 0));
    let input = &told.inputs()[0];
    assert_eq!(
        (&input["decision"], &input["tool"]["arguments"]),
        (&json!("deny"), &json!({"command": "ls"}))
    );
}

/// H60.
#[tokio::test]
async fn a_guard_that_is_late_denies_when_its_time_is_up() {
    let server = TestServer::dev().await;
    let guard = Receiver::spawn(Mode::Hang).await;
    let late = json!({"timeout_ms": 100});
    server.register(&hook("g", ("tool_call", "guard"), &guard, &late)).await;
    // A pause of the whole machine is forgiven, as long as one call of several has none.
    let mut fastest = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        let answer = server.post_ok("/tools/calls", &json!({"calls": [bash("c1", "ls")]})).await;
        fastest = fastest.min(start.elapsed());
        assert_eq!(answer["results"][0]["decision"], "deny");
        assert_eq!(lines(&answer["hooks"]), ["g failed timeout"]);
    }
    assert!(fastest < Duration::from_secs(2), "{fastest:?}");
}

/// H63, H64.
#[tokio::test]
async fn transforms_work_one_on_the_other_in_their_order() {
    let server = TestServer::dev().await;
    let (a, b) = (appends("a", &["ls b"]).await, appends("b", &["ls "]).await);
    let told = answers(&json!(null)).await;
    let at = |kind| ("tool_call", kind);
    server.register(&hook("a", at("transform"), &a, &json!({}))).await;
    server.register(&hook("b", at("transform"), &b, &json!({}))).await;
    server.register(&hook("o", at("observe"), &told, &json!({"delivery": "sync"}))).await;
    order(&server, "tool_call", &["b", "a"]).await;
    let answer = server.post_ok("/tools/calls", &json!({"calls": [bash("c1", "ls ")]})).await;
    assert_eq!(answer["results"][0]["arguments"], json!({"command": "ls ba"}));
    assert_eq!(a.inputs()[0]["tool"]["arguments"], json!({"command": "ls b"}));
    assert_eq!(told.inputs()[0]["tool"]["arguments"], json!({"command": "ls ba"}));
}

/// H65, H66, H68.
#[tokio::test]
async fn one_that_fails_in_the_middle_takes_all_along_or_is_passed_over() {
    let server = TestServer::dev().await;
    let first = appends("1", &["ls ", "ls "]).await;
    let broken = Receiver::spawn(status(500)).await;
    let third = appends("3", &["ls 1"]).await;
    for (id, receiver) in [("a", &first), ("b", &broken), ("c", &third)] {
        server.register(&hook(id, ("tool_call", "transform"), receiver, &json!({}))).await;
    }
    let body = json!({"calls": [bash("c1", "ls ")]});
    problem(server.post("/tools/calls", &body).await, 502, "hook_failed").await;
    assert_eq!(third.requests().len(), 0);
    let skip = json!({"on_failure": "skip"});
    let changed = server.patch("/hooks/b", &skip).await;
    assert_eq!(changed.status(), 200);
    let answer = server.post_ok("/tools/calls", &body).await;
    assert_eq!(answer["results"][0]["arguments"], json!({"command": "ls 13"}));
    // The third one is shown what the first one made.
    assert_eq!(third.inputs()[0]["tool"]["arguments"], json!({"command": "ls 1"}));
    assert_eq!(lines(&answer["hooks"]), ["a applied", "b failed status", "c applied"]);
}

/// H67.
#[tokio::test]
async fn observers_are_told_side_by_side() {
    let server = TestServer::dev().await;
    let broken = Receiver::spawn(status(500)).await;
    let both = Arc::new(Barrier::new(2));
    let slow = |both: &Arc<Barrier>| {
        let both = Arc::clone(both);
        Receiver::script(move |_| Mode::Together(Arc::clone(&both), "null".to_owned()))
    };
    let (one, two) = (slow(&both).await, slow(&both).await);
    let sync = with(patient(), &json!({"delivery": "sync"}));
    for (id, receiver) in [("a", &broken), ("b", &one), ("c", &two)] {
        server.register(&hook(id, ("tool_call", "observe"), receiver, &sync)).await;
    }
    let answer = server.post_ok("/tools/calls", &json!({"calls": [bash("c1", "ls")]})).await;
    assert_eq!(answer["results"][0]["decision"], "allow");
    assert_eq!(lines(&answer["hooks"]), ["a failed status", "b delivered", "c delivered"]);
}

/// H80, H81.
#[tokio::test]
async fn a_guard_does_not_open_by_failing() {
    let server = TestServer::dev().await;
    let broken = Receiver::spawn(status(500)).await;
    let open = hook("g", ("tool_call", "guard"), &broken, &json!({"on_failure": "skip"}));
    let refused = problem(server.post("/hooks", &open).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/on_failure", "{refused}");
    server.register(&hook("g", ("tool_call", "guard"), &broken, &json!({}))).await;
    for at in 0..7 {
        let answer = server.post_ok("/tools/calls", &json!({"calls": [bash("c1", "ls")]})).await;
        assert_eq!(answer["results"][0]["decision"], "deny");
        let why = if at < 5 { "g failed status" } else { "g failed circuit_open" };
        assert_eq!(lines(&answer["hooks"]), [why]);
    }
    assert_eq!(broken.requests().len(), 5);
}

async fn shown(config: &Value, tool: &str, output: &str) -> String {
    let server = TestServer::dev().await;
    server
        .register(&json!({"id": "cut", "point": "tool_result", "kind": "transform",
            "builtin": "truncate", "config": config}))
        .await;
    let body = json!({"compression": "off",
        "results": [{"id": "c1", "name": tool, "content": output}]});
    let once = server.post_ok("/tools/results", &body).await;
    let shown = once["messages"][0]["content"].as_str().unwrap().to_owned();
    // H92: sent once more, under another call, it stays.
    let body = json!({"compression": "off",
        "results": [{"id": "c2", "name": tool, "content": shown}]});
    let twice = server.post_ok("/tools/results", &body).await;
    assert_eq!(twice["messages"][0]["content"], shown.as_str());
    shown
}

/// H82 to H90, H92, H93.
#[tokio::test]
async fn a_result_is_cut_between_characters_and_says_how_much_is_gone() {
    let (x, y) = ("x".repeat(8_193), "y".repeat(8_191));
    let euro = format!("{y}€zzzzzzzzzz");
    let long = "r".repeat(20_000);
    let counts = format!("{}... truncated 1836 bytes ...", "x".repeat(8_192 - 28));
    for (config, tool, output, wanted) in [
        (json!({}), "Bash", &x[..8_192], x[..8_192].to_owned()),
        (json!({}), "Bash", &x, format!("{}... truncated 1 bytes ...", &x[..8_192])),
        (json!({}), "Bash", &euro, format!("{y}... truncated 13 bytes ...")),
        (
            json!({"max_bytes": 10}),
            "Bash",
            "abcdefghi€€",
            "abcdefghi... truncated 6 bytes ...".into(),
        ),
        (json!({"max_bytes": 1}), "Bash", "€", "... truncated 3 bytes ...".into()),
        (json!({}), "Read", &long, long.clone()),
        (json!({"enabled": false}), "Bash", &long, long.clone()),
        (
            json!({"max_bytes": 3, "marker": "[cut {n}/{n}]"}),
            "Bash",
            "abcdef",
            "abc[cut 3/3]".into(),
        ),
        (json!({"max_bytes": 3, "marker": "…"}), "Bash", "abcdef", "abc…".into()),
        (json!({"marker_counts": true}), "Bash", &"x".repeat(10_000), counts),
    ] {
        assert_eq!(shown(&config, tool, output).await, wanted, "{config}");
    }
}

/// H91, H93.
#[tokio::test]
async fn settings_that_cannot_be_are_refused() {
    let server = TestServer::dev().await;
    for config in [
        json!({"max_byte": 5}),
        json!({"max_bytes": 0}),
        json!({"max_bytes": "8192"}),
        json!({"max_bytes": 10, "marker_counts": true}),
    ] {
        let hook = json!({"point": "tool_result", "kind": "transform", "builtin": "truncate",
            "config": config});
        let refused = problem(server.post("/hooks", &hook).await, 422, "invalid_request").await;
        let pointer = refused["errors"][0]["pointer"].as_str().unwrap();
        assert!(pointer.starts_with("/config"), "{config}: {refused}");
    }
}

/// H94, H95, H96.
#[tokio::test]
async fn what_is_cut_first_is_no_longer_recognised() {
    for (first, wanted) in [
        ("redact", "key=*** ta... truncated 2 bytes ..."),
        ("truncate", "key=sk-123... truncated 7 bytes ..."),
    ] {
        let server = TestServer::dev().await;
        let told = answers(&json!(null)).await;
        let built_in = |name: &str, config: Value| {
            json!({"id": name, "point": "tool_result", "kind": "transform", "builtin": name,
                "config": config})
        };
        let patterns = json!({"patterns": ["sk-[0-9]{5}"], "replacement": "***"});
        server.register(&built_in("redact", patterns)).await;
        server.register(&built_in("truncate", json!({"max_bytes": 10}))).await;
        let sync = json!({"delivery": "sync"});
        server.register(&hook("o", ("tool_result", "observe"), &told, &sync)).await;
        order(&server, "tool_result", &[first]).await;
        let body = json!({"compression": "off", "results": [
            {"id": "c1", "name": "Bash", "content": "key=sk-12345 tail"}]});
        let answer = server.post_ok("/tools/results", &body).await;
        assert_eq!(answer["messages"][0]["content"], wanted);
        assert_eq!(told.inputs()[0]["result"]["content"], wanted);
    }
    // There is no text of it to be cut.
    let server = TestServer::dev().await;
    let cut = json!({"id": "cut", "point": "tool_result", "kind": "transform",
        "builtin": "truncate", "config": {"max_bytes": 1}});
    server.register(&cut).await;
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png",
        "data": "AAAA"}});
    let body = json!({"messages": [user("Go"),
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "c1", "name": "Bash", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": [image]}]}],
        "target": "anthropic"});
    let done = server.compile(&body).await;
    assert_eq!(lines(&done.report["hooks"]), ["cut unchanged"]);
    assert!(done.text.contains("AAAA"));
}

/// H107, H108.
#[tokio::test]
async fn a_replay_has_what_was_said_and_what_was_not() {
    let server = TestServer::dev().await;
    let moody =
        Receiver::script(|n| Mode::Answer(json!({"content": format!("said {n}")}).to_string()));
    let (moody, late) = (moody.await, Receiver::spawn(Mode::Hang).await);
    let at = ("before_compile", "provide");
    let body = json!({"messages": [user("Hello")], "record": "full", "hooks": [
        hook("late", at, &late, &json!({"timeout_ms": 50})), hook("moody", at, &moody, &json!({}))]});
    let done = server.compile(&body).await;
    assert!(done.said(0).contains("said 0"));
    assert_eq!(lines(&done.report["hooks"]), ["late failed timeout", "moody applied"]);
    drop((moody, late));
    let path = format!("/compilations/{}/replay", done.id);
    let again = server.post_ok(&path, &json!({})).await;
    assert_eq!(again["status"], "equal", "{again}");
    assert!(again["payload"].to_string().contains("said 0"));
}
