//! Events over SSE and in pages.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, answers, hook, patient};
use crate::support::{TestServer, problem};

/// A stream of events, read frame by frame.
struct Stream {
    response: reqwest::Response,
    text: String,
}

/// One frame: id, event, data.
#[derive(Debug, PartialEq)]
struct Frame {
    id: Option<u64>,
    event: Option<String>,
    data: Value,
}

impl Stream {
    async fn open(server: &TestServer, path: &str, last: Option<u64>) -> Self {
        let mut request = server.build("GET", path);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut stream = Self { response, text: String::new() };
        // The first frame has no data; with it the stream is open.
        assert!(stream.raw().await.unwrap().contains("retry:"));
        stream
    }

    /// The next frame's text; none at the end of the stream.
    async fn raw(&mut self) -> Option<String> {
        loop {
            if let Some((frame, rest)) = self.text.split_once("\n\n") {
                let frame = frame.to_owned();
                let rest = rest.to_owned();
                self.text = rest;
                return Some(frame);
            }
            let chunk = tokio::time::timeout(Duration::from_secs(20), self.response.chunk());
            let chunk = chunk.await.expect("an event in time").unwrap()?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// The next event. A busy machine may send heartbeats before it.
    async fn next(&mut self) -> Frame {
        let text = loop {
            let text = self.raw().await.expect("an event");
            if !text.starts_with(": heartbeat") && !text.starts_with(":heartbeat") {
                break text;
            }
        };
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.map(|value| value.trim().to_owned())
        };
        Frame {
            id: field("id:").map(|id| id.parse().unwrap()),
            event: field("event:"),
            data: serde_json::from_str(&field("data:").unwrap()).unwrap(),
        }
    }

    async fn types(&mut self, count: usize) -> Vec<String> {
        let mut types = Vec::new();
        for _ in 0..count {
            types.push(self.next().await.event.unwrap());
        }
        types
    }
}

async fn page(server: &TestServer, query: &str) -> Value {
    server.get_json(&format!("/events?format=json{query}")).await
}

/// A burst of more events than the feed of a tenant holds is no reason to cut a reader that keeps up.
#[tokio::test]
async fn an_import_of_many_entries_cuts_no_reader() {
    let server = TestServer::spawn().await;
    let mut stream = Stream::open(&server, "/events", None).await;
    let import = async {
        for first in (0..5_000).step_by(500) {
            let lines: Vec<String> = (first..first + 500)
                .map(|at| format!("{{\"key\":\"k{at}\",\"value\":{at}}}\n"))
                .collect();
            let import = server.build("POST", "/memory/import");
            let import = import.header("content-type", "application/x-ndjson").body(lines.concat());
            assert_eq!(import.send().await.unwrap().status(), 200);
        }
    };
    let read = async {
        for seq in 1..=5_000 {
            let frame = stream.next().await;
            let kind = frame.event.as_deref();
            assert_eq!((frame.id, kind), (Some(seq), Some("memory:changed")));
        }
    };
    tokio::join!(import, read);
}

#[tokio::test]
async fn what_happens_is_told_as_it_happens() {
    let server = TestServer::spawn().await;
    server.remember("before", &json!({"value": 1})).await;
    let mut stream = Stream::open(&server, "/events", None).await;
    server.remember("k", &json!({"value": "secret"})).await;
    let frame = stream.next().await;
    assert_eq!((frame.id, frame.event.as_deref()), (Some(2), Some("memory:changed")));
    assert_eq!((&frame.data["seq"], &frame.data["type"]), (&json!(2), &json!("memory:changed")));
    assert_eq!(frame.data["data"]["key"], "k");
    assert!(!frame.data.to_string().contains("secret"), "no content");

    let body = json!({"messages": [user("hi")], "memory": true, "session_id": "s"});
    let compiled = server.compile(&body).await;
    assert_eq!(stream.types(2).await, ["compile:start", "context:injected"]);
    let done = stream.next().await;
    assert_eq!(done.event.as_deref(), Some("compile:done"));
    assert_eq!(
        (&done.data["session_id"], &done.data["data"]["tokens_after"]),
        (&json!("s"), &compiled.report["tokens_after"])
    );
    assert!(done.data["compilation_id"].as_str().unwrap().starts_with("cmp_"));
    for key in [
        "target",
        "model",
        "tokens_before",
        "fits",
        "parts",
        "actions",
        "payload_hash",
        "first_change",
    ] {
        assert!(done.data["data"].get(key).is_some(), "{key}");
    }
    assert!(done.data["data"]["duration_ms"].is_u64(), "{}", done.data);
    let bad = json!({"messages": [{"role": "nobody"}], "session_id": "s"});
    problem(server.post("/compile", &bad).await, 422, "invalid_request").await;
    let start = stream.next().await;
    assert_eq!(start.event.as_deref(), Some("compile:start"));
    let unknown = json!({"target": null, "model": null, "messages": null});
    assert_eq!((&start.data["data"], &start.data["session_id"]), (&unknown, &json!("s")));
    let failed = stream.next().await;
    assert_eq!(
        (failed.event.as_deref(), &failed.data["data"]["code"]),
        (Some("compile:failed"), &json!("invalid_request"))
    );
    assert!(failed.data["data"]["duration_ms"].is_u64(), "{}", failed.data);
    assert!(failed.data["compilation_id"].as_str().unwrap().starts_with("cmp_"));
    assert_eq!(failed.data["compilation_id"], start.data["compilation_id"]);
    let small = json!({"messages": [user("many words")],
        "budget": {"context_window": 2, "on_overflow": "fail"}});
    problem(server.post("/compile", &small).await, 422, "over_budget").await;
    assert_eq!(stream.types(2).await, ["compile:start", "compile:failed"]);
}

/// A hook of which the compile waits, until the barrier opens.
async fn slow() -> (Receiver, std::sync::Arc<Barrier>) {
    let gate = std::sync::Arc::new(Barrier::new(2));
    let mode = Mode::Together(std::sync::Arc::clone(&gate), "null".to_owned());
    (Receiver::spawn(mode).await, gate)
}

fn has_millis(at: &Value) -> bool {
    let at = at.as_str().unwrap();
    at.len() == "2026-12-31T23:59:59.123Z".len() && &at[19..20] == "." && at.ends_with('Z')
}

#[tokio::test]
async fn the_start_of_a_compile_is_told_while_it_runs() {
    let server = TestServer::dev().await;
    let (receiver, gate) = slow().await;
    let body = json!({"messages": [user("hi")],
        "hooks": [hook("h", ("before_compile", "provide"), &receiver, &patient())]});
    let mut stream = Stream::open(&server, "/events", None).await;
    let compile = async { server.compile(&body).await };
    let watch = async {
        let start = stream.next().await;
        assert_eq!(start.event.as_deref(), Some("compile:start"));
        receiver.reached(1).await;
        gate.wait().await;
        (start, stream.next().await)
    };
    let (compiled, (start, done)) = tokio::join!(compile, watch);
    assert_eq!(done.event.as_deref(), Some("compile:done"));
    assert_eq!((start.id, done.id), (Some(1), Some(2)));
    for frame in [&start, &done] {
        assert_eq!(frame.data["compilation_id"], compiled.id);
        assert!(has_millis(&frame.data["at"]), "{}", frame.data);
    }
}

#[tokio::test]
async fn a_hook_hears_of_the_start_of_a_compile_while_it_runs() {
    let server = TestServer::dev().await;
    let told = answers(&json!(null)).await;
    let watch = json!({"match": {"events": ["compile:start"]}});
    server.register(&hook("w", ("event", "observe"), &told, &watch)).await;
    let (receiver, gate) = slow().await;
    let body = json!({"messages": [user("hi")],
        "hooks": [hook("h", ("before_compile", "provide"), &receiver, &patient())]});
    let compile = async { server.compile(&body).await };
    let wait = async {
        told.reached(1).await;
        gate.wait().await;
    };
    let (compiled, ()) = tokio::join!(compile, wait);
    let input = &told.inputs()[0];
    assert_eq!(
        (&input["type"], &input["compilation_id"]),
        (&json!("compile:start"), &json!(compiled.id))
    );
    assert!(has_millis(&input["at"]), "{input}");
}

#[tokio::test]
async fn without_readers_a_start_is_stored_with_its_end_and_has_its_own_time() {
    let server = TestServer::dev().await;
    let pause = Duration::from_millis(120);
    let receiver = Receiver::spawn(Mode::Interim(1, pause, "null".to_owned())).await;
    let body = json!({"messages": [user("hi")], "memory": true, "session_id": "s",
        "hooks": [hook("h", ("before_compile", "provide"), &receiver, &patient())]});
    let expired = json!({"value": 1, "ttl": {"turns": 0}, "scope": {"session_id": "s"}});
    server.remember("a", &expired).await;
    let compiled = server.compile(&body).await;
    let all = server.events().await;
    let events: Vec<&Value> = all.iter().skip(1).collect();
    let kinds: Vec<&str> = events.iter().map(|row| row["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["compile:start", "memory:expired", "memory:changed", "compile:done"]);
    for event in &events {
        assert_eq!(event["compilation_id"], compiled.id, "{event}");
    }
    let millis = |row: &Value| -> u64 {
        let at = row["at"].as_str().unwrap();
        let number = |from: usize, to: usize| at[from..to].parse::<u64>().unwrap();
        ((number(11, 13) * 60 + number(14, 16)) * 60 + number(17, 19)) * 1000 + number(20, 23)
    };
    let took = (millis(events[3]) + 86_400_000 - millis(events[0])) % 86_400_000;
    let told = events[3]["data"]["duration_ms"].as_u64().unwrap();
    assert!((120..60_000).contains(&told) && took + 1 >= told, "{took} {told}");
}

#[tokio::test]
async fn who_comes_back_misses_nothing_and_gets_nothing_twice() {
    let server = TestServer::spawn().await;
    for at in 0..1_200 {
        server.remember(&format!("k{}", at % 7), &json!({"value": at})).await;
    }
    let mut seen = Vec::new();
    let mut last = 0;
    // Cut again and again, at any frame; more happens meanwhile.
    for round in 0..8 {
        let mut stream = Stream::open(&server, "/events?after=0", (last > 0).then_some(last)).await;
        for _ in 0..=(round * 37) % 150 {
            let frame = stream.next().await;
            last = frame.id.unwrap();
            seen.push(last);
        }
        server.remember("more", &json!({"value": round})).await;
    }
    let mut stream = Stream::open(&server, "/events", Some(last)).await;
    while last < 1_208 {
        last = stream.next().await.id.unwrap();
        seen.push(last);
    }
    assert_eq!(seen, (1..=1_208).collect::<Vec<u64>>());
    server.remember("live", &json!({"value": 1})).await;
    assert_eq!(stream.next().await.id, Some(1_209));
}

#[tokio::test]
async fn what_expires_in_a_compile_is_told_in_order() {
    let server = TestServer::spawn().await;
    for key in ["a", "b"] {
        let body = json!({"value": 1, "ttl": {"turns": 0}, "scope": {"session_id": "s"}});
        server.remember(key, &body).await;
    }
    let mut stream = Stream::open(&server, "/events", None).await;
    server.compile(&json!({"messages": [user("hi")], "memory": true, "session_id": "s"})).await;
    let mut told = Vec::new();
    for _ in 0..6 {
        let frame = stream.next().await;
        let data = &frame.data["data"];
        told.push(format!("{} {}", frame.event.unwrap(), data["key"].as_str().unwrap_or("")));
    }
    assert_eq!(
        told,
        [
            "compile:start ",
            "memory:expired a",
            "memory:changed a",
            "memory:expired b",
            "memory:changed b",
            "compile:done ",
        ]
    );
}

#[tokio::test]
async fn a_reader_gets_what_it_asks_for() {
    let server = TestServer::spawn().await;
    server.remember("a", &json!({"value": 1})).await;
    server.remember("b", &json!({"value": 1, "scope": {"session_id": "s"}})).await;
    server.compile(&json!({"messages": [user("hi")], "session_id": "s"})).await;
    server.compile(&json!({"messages": [user("hi")]})).await;

    let seqs = |page: &Value| -> Vec<u64> {
        page["items"].as_array().unwrap().iter().map(|one| one["seq"].as_u64().unwrap()).collect()
    };
    let all = page(&server, "").await;
    assert_eq!(
        (seqs(&all), &all["next_after"], &all["has_more"]),
        (vec![1, 2, 3, 4, 5, 6], &json!(6), &json!(false))
    );
    assert_eq!(seqs(&page(&server, "&after=2&limit=2").await), [3, 4]);
    assert_eq!(seqs(&page(&server, "&session_id=s").await), [2, 3, 4]);
    assert_eq!(seqs(&page(&server, "&types=compile:done,compile:failed").await), [4, 6]);
    let first = page(&server, "&types=compile:done&limit=1").await;
    assert_eq!((seqs(&first), &first["next_after"]), (vec![4], &json!(4)));
    let ahead = page(&server, "&after=99").await;
    assert_eq!((seqs(&ahead), &ahead["next_after"]), (vec![], &json!(6)));

    let mut stream =
        Stream::open(&server, "/events?after=0&types=memory:changed&as=message", None).await;
    for id in [1, 2] {
        let frame = stream.next().await;
        assert_eq!(
            (frame.id, frame.event, &frame.data["type"]),
            (Some(id), None, &json!("memory:changed"))
        );
    }
    for bad in ["after=x", "types=nothing", "as=x", "format=xml", "limit=0&format=json", "what=1"] {
        problem(server.get(&format!("/events?{bad}")).await, 422, "invalid_request").await;
    }
    let header = server.build("GET", "/events").header("last-event-id", "x").send().await.unwrap();
    problem(header, 422, "invalid_request").await;
}

#[tokio::test]
async fn readers_change_no_byte_of_an_answer() {
    let body =
        json!({"messages": [user("hi")], "memory": {"entries": [{"key": "k", "value": "v"}]}});
    let (alone, watched) = (TestServer::spawn().await, TestServer::spawn().await);
    let mut streams = Vec::new();
    for _ in 0..20 {
        streams.push(Stream::open(&watched, "/events", None).await);
    }
    assert_eq!(watched.compile(&body).await.text, alone.compile(&body).await.text);
    for stream in &mut streams {
        assert_eq!(stream.types(3).await, ["compile:start", "context:injected", "compile:done"]);
    }
}

#[tokio::test]
async fn a_stop_ends_the_streams() {
    let server = TestServer::spawn().await;
    let mut stream = Stream::open(&server, "/events", None).await;
    drop(server);
    assert_eq!(stream.raw().await, None);
}
