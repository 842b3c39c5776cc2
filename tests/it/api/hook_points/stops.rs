//! What hooks cannot do: hold others up, outlast a deadline, or be anything but hooks.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, answers, hook};
use crate::support::{ServerProcess, TestServer, problem};

#[tokio::test]
async fn hooks_that_hang_do_not_keep_other_compiles_from_running() {
    let hanging = Receiver::spawn(Mode::Hang).await;
    let server = TestServer::with(&["--dev", "--workers", "1"]).await;
    let slow = json!({"messages": [user("Hello")], "hooks": [
        hook("h", ("before_compile", "provide"), &hanging, &json!({"timeout_ms": 20_000}))]});
    let plain = json!({"messages": [user("Hello")]});
    // More than may run and wait where none gives its place away.
    let waiting: Vec<_> = (0..24).map(|_| server.build("POST", "/compile").json(&slow)).collect();
    let waiting: Vec<_> = waiting.into_iter().map(|call| tokio::spawn(call.send())).collect();
    hanging.reached(8).await;
    let done = tokio::time::timeout(Duration::from_secs(15), server.compile(&plain)).await;
    assert_eq!(done.expect("an answer at once").said(0), "Hello");
    for call in waiting {
        call.abort();
    }
}

/// The deadline of the calls below, and what may be added to it.
const IN_TIME: Duration = Duration::from_millis(400 + 50);

#[tokio::test]
async fn a_hostile_receiver_takes_no_more_time_than_there_is() {
    let modes = [
        Mode::Hang,
        Mode::HeadOnly,
        Mode::Announce,
        Mode::Drip(Duration::from_millis(10)),
        Mode::Huge,
        Mode::EndlessChunks(1),
        Mode::EndlessHeaders,
        Mode::Close,
        Mode::CloseAtOnce,
    ];
    let server = TestServer::dev().await;
    let warm = json!({"messages": [user("Hello")]});
    server.compile(&warm).await;
    for mode in modes {
        let receiver = Receiver::spawn(mode.clone()).await;
        let body = json!({"messages": [user("Hello")], "deadline_ms": 400, "hooks": [
            hook("h", ("transform_context", "transform"), &receiver, &json!({}))]});
        // A pause of the whole machine is forgiven, as long as one call of several has none.
        let mut fastest = Duration::MAX;
        for _ in 0..5 {
            let start = Instant::now();
            let status = server.post("/compile", &body).await.status();
            fastest = fastest.min(start.elapsed());
            assert!(status == 502 || status == 504, "{mode:?}: {status}");
            if fastest <= IN_TIME {
                break;
            }
        }
        assert!(fastest <= IN_TIME, "{mode:?}: {fastest:?}");
    }
}

#[tokio::test]
async fn time_that_a_hook_takes_is_its_own_or_the_requests() {
    let receiver = Receiver::spawn(Mode::Hang).await;
    let server = TestServer::dev().await;
    let at = ("before_compile", "provide");
    let mut body = json!({"messages": [user("Hello")], "hooks": [
        hook("h", at, &receiver, &json!({"timeout_ms": 100, "on_failure": "fail"}))]});
    problem(server.post("/compile", &body).await, 504, "hook_timeout").await;
    body["hooks"][0]["on_failure"] = "skip".into();
    server.compile(&body).await;
    // The request's time is up while a hook is waited for that may fail.
    body["hooks"][0]["timeout_ms"] = 5_000.into();
    body["deadline_ms"] = 100.into();
    problem(server.post("/compile", &body).await, 504, "deadline").await;
}

#[tokio::test]
async fn a_hook_that_gets_the_end_of_a_deadline_is_not_at_fault() {
    // More calls than failures open a circuit.
    let receiver = Receiver::script(|at| match at {
        0..8 => Mode::Hang,
        _ => Mode::Status(204, String::new(), String::new()),
    })
    .await;
    let server = TestServer::dev().await;
    let mut body = json!({"messages": [user("Hello")], "deadline_ms": 99, "hooks": [
        hook("h", ("before_compile", "provide"), &receiver, &json!({"timeout_ms": 5_000}))]});
    // On a busy machine, the time is up before some of the calls are made.
    while receiver.requests().len() < 8 {
        problem(server.post("/compile", &body).await, 504, "deadline").await;
    }
    let failures = server.events_of("hook:failed").await;
    assert!(failures.len() >= 8, "{failures:?}");
    assert!(failures.iter().all(|event| event["cause"] == "deadline"), "{failures:?}");
    body["deadline_ms"] = 5_000.into();
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.report["hooks"][0]["outcome"], "unchanged", "{}", compiled.report);
}

#[tokio::test]
async fn a_longer_deadline_holds_without_the_header() {
    let receiver = Receiver::spawn(Mode::Hang).await;
    let server = TestServer::dev().await;
    let body = json!({"messages": [user("Hello")], "deadline_ms": 20_000, "hooks": [
        hook("h", ("before_compile", "provide"), &receiver,
            &json!({"timeout_ms": 30_000, "on_failure": "skip"}))]});
    // All hooks together have ten seconds, as a request has without a deadline of its own.
    let long = server.compile(&body);
    let capped = async {
        let request = server.build("POST", "/compile").header("contexture-deadline-ms", "500");
        problem(request.json(&body).send().await.unwrap(), 504, "deadline").await
    };
    let turn = async {
        let mut body = body.clone();
        body["append"] = json!([user("Hello")]);
        body.as_object_mut().unwrap().remove("messages");
        server.post_ok("/sessions/s/turns", &body).await
    };
    let defaults = async {
        let defaults = json!({"deadline_ms": 20_000});
        server.post_ok("/sessions", &json!({"id": "t", "defaults": defaults})).await;
        let body = json!({"messages": [user("Hello")], "hooks": body["hooks"]});
        server.compile_in("t", body).await
    };
    let (long, _, turn, defaults) = tokio::join!(long, capped, turn, defaults);
    for report in [&long.report, &turn["report"], &defaults.report] {
        assert_eq!(report["hooks"][0]["outcome"], "failed", "{report}");
        assert_eq!(report["hooks"][0]["why"], "budget_exhausted", "{report}");
    }
}

#[tokio::test]
async fn nothing_is_passed_on_that_a_guard_has_not_seen() {
    let receiver = Receiver::spawn(Mode::Hang).await;
    let server = TestServer::dev().await;
    let mut body = json!({"messages": [user("Hello")], "on_deadline": "pass", "deadline_ms": 100,
        "hooks": [hook("h", ("before_compile", "provide"), &receiver, &json!({}))]});
    let passed = server.compile(&body).await;
    assert_eq!(passed.codes("degraded"), ["deadline"]);
    for kind in ["guard", "transform"] {
        body["hooks"] = json!([hook("h", ("transform_context", kind), &receiver, &json!({}))]);
        let status = server.post("/compile", &body).await.status();
        assert!(status == 504 || status == 403, "{kind}: {status}");
    }
}

#[tokio::test]
async fn a_caller_who_goes_away_ends_the_call() {
    let receiver = Receiver::spawn(Mode::Hang).await;
    let server = TestServer::with(&["--dev", "--workers", "1"]).await;
    let body = json!({"messages": [user("Hello")], "hooks": [
        hook("h", ("before_compile", "provide"), &receiver, &json!({"timeout_ms": 20_000}))]});
    let call = tokio::spawn(server.build("POST", "/compile").json(&body).send());
    receiver.reached(1).await;
    call.abort();
    let events = async {
        // A hook that failed would be told of; one that was given up is not.
        server.compile(&json!({"messages": [user("Hello")]})).await;
        server.get_json("/events?format=json&after=0").await
    };
    let events = tokio::time::timeout(Duration::from_secs(15), events).await.unwrap();
    let types: Vec<&str> =
        events["items"].as_array().unwrap().iter().filter_map(|row| row["type"].as_str()).collect();
    assert!(!types.contains(&"hook:failed"), "{types:?}");
}

#[tokio::test]
async fn a_hook_that_is_none_is_refused_with_its_place() {
    let server = TestServer::dev().await;
    let body = json!({"messages": [user("Hello")], "hooks": [
        {"point": "before_compile", "kind": "guard", "url": "https://hooks.example.com/a"},
        {"id": "x", "point": "transform_context", "kind": "guard", "url": "http://10.0.0.1/"},
        {"id": "y", "point": "event", "kind": "observe", "url": "https://hooks.example.com/",
            "delivery": "async"},
        {"pont": "before_compile", "kind": "provide", "builtin": "truncate"},
        {"id": "y", "point": "before_compile", "kind": "provide",
            "url": "https://hooks.example.com/"}]});
    let told = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    let pointers: Vec<&str> = told["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["pointer"].as_str().unwrap())
        .collect();
    for place in
        ["/hooks/0/point", "/hooks/1/url", "/hooks/2/delivery", "/hooks/3/pont", "/hooks/4/id"]
    {
        assert!(pointers.contains(&place), "{place}: {pointers:?}");
    }
    let body = json!({"messages": [user("Hello")], "hooks": true});
    problem(server.post("/compile", &body).await, 422, "invalid_request").await;
}

#[tokio::test]
async fn failures_and_denials_are_told() {
    let broken = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    let guard = answers(&json!({"decision": "deny", "reason": "a reason"})).await;
    let server = TestServer::dev().await;
    let body = json!({"messages": [user("Hello")], "hooks": [
        hook("b", ("before_compile", "provide"), &broken, &json!({})),
        hook("g", ("transform_context", "guard"), &guard, &json!({}))]});
    problem(server.post("/compile", &body).await, 403, "hook_denied").await;
    let events = server.get_json("/events?format=json&after=0").await;
    let rows = events["items"].as_array().unwrap();
    let types: Vec<&str> = rows.iter().filter_map(|row| row["type"].as_str()).collect();
    assert_eq!(types, ["compile:start", "hook:failed", "hook:denied", "compile:failed"]);
    assert_eq!(rows[1]["data"]["cause"], "status");
    assert_eq!((&rows[2]["data"]["hook"], &rows[2]["data"]["reason"]), (&json!("g"), &json!(null)));
    assert_eq!(rows[3]["data"]["code"], "hook_denied");
    assert_eq!(guard.bodies().len(), 1);
}

#[tokio::test]
async fn a_hook_that_fails_is_one_line_of_the_log_without_content() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = ServerProcess::command();
    command.args(["serve", "--listen", "127.0.0.1:0", "--dev", "--log-format", "json"]);
    let server = ServerProcess::logging_to(command, Stdio::from(log.reopen().unwrap()));
    let broken = Receiver::spawn(Mode::Answer(r#"{"content":"hush","hush":1}"#.to_owned())).await;
    let body = json!({"messages": [user("Hello")],
        "hooks": [hook("b", ("before_compile", "provide"), &broken, &json!({}))]});
    let url = format!("http://{}/compile", server.address);
    let response = reqwest::Client::new().post(url).json(&body).send().await.unwrap();
    assert_eq!(response.status(), 200);
    drop(server);
    let text = std::fs::read_to_string(log.path()).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("a hook failed")).collect();
    assert_eq!(lines.len(), 1, "{text}");
    for part in ["WARN", r#""hook.id":"b""#, "before_compile", "bad_shape"] {
        assert!(lines[0].contains(part), "{part}: {}", lines[0]);
    }
    assert!(!text.contains("hush"), "{text}");
}
