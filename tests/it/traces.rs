//! Traces, as a collector gets them.

use serde_json::json;

use crate::support::ServerProcess;
use crate::support::receiver::{Mode, Receiver};

/// A trace that somebody else began.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

fn parent() -> String {
    format!("00-{TRACE}-00f067aa0ba902b7-01")
}

#[tokio::test]
async fn a_request_its_job_and_its_hooks_are_one_trace_of_the_callers() {
    let collector = Receiver::spawn(Mode::Answer("{}".into())).await;
    let hook = Receiver::spawn(Mode::Answer(r#"{"content": "found"}"#.into())).await;
    let endpoint = format!("http://{}", collector.address);
    let mut server = ServerProcess::start(&["--dev", "--otlp-endpoint", &endpoint]);
    let body = json!({"messages": [{"role": "user", "content": "Hello"}], "hooks": [
        {"id": "rag", "point": "before_compile", "kind": "provide", "url": hook.url()}]});
    let client = reqwest::Client::new();
    let url = |path: &str| format!("http://{}{path}", server.address);
    let sent = client.post(url("/compile")).header("traceparent", parent()).json(&body);
    assert_eq!(sent.send().await.unwrap().status(), 200);
    let missing = client.get(url("/sessions/nobody")).send().await.unwrap();
    assert_eq!(missing.status(), 404);

    let called = hook.requests().concat();
    let passed = called.lines().find_map(|line| line.strip_prefix("traceparent: ")).unwrap();
    assert!(passed.starts_with(&format!("00-{TRACE}-")), "{passed}");
    assert_ne!(passed, parent(), "the parent is the call of the hook");

    // What waits is sent when the server stops.
    server.signal("TERM");
    server.exit().await;
    let traces = collector.requests();
    assert!(traces[0].starts_with("POST /v1/traces HTTP/1.1"), "{traces:?}");
    let traces = traces.concat();
    let told = [
        "contexture",
        "POST /compile",
        "job",
        "hook before_compile",
        "answered",
        "GET /sessions/{id}",
        "not_found",
    ];
    for told in told {
        assert!(traces.contains(told), "{told}: {traces}");
    }
}

#[tokio::test]
async fn a_collector_that_is_not_there_holds_up_nothing() {
    let gone = Receiver::spawn(Mode::Hang).await.address;
    let mut server = ServerProcess::start(&["--otlp-endpoint", &format!("http://{gone}")]);
    let answer = reqwest::get(format!("http://{}/healthz", server.address)).await.unwrap();
    assert_eq!(answer.status(), 200);
    server.signal("TERM");
    assert!(server.exit().await.success());
}
