//! What one tenant does at the cost of the machine, and what another notices of it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Response;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, hook};
use crate::support::{TestServer, json_of, problem};

/// Longest time of a request of the tenant that does little, on a machine that runs other tests.
const MAX_DELAY: Duration = Duration::from_secs(8);
/// Entries of one import: several groups of the writer, and few enough to end within their deadline on a
/// busy machine.
const IMPORT_LINES: u32 = 250;
/// Imports beside which the calm tenant sends its requests.
const MIN_IMPORTS: u32 = 24;

/// A server with two tenants, of which one does much.
struct Neighbours {
    server: TestServer,
    busy: String,
    calm: String,
}

impl Neighbours {
    async fn with(flags: &[&str]) -> Self {
        let server = TestServer::locked(flags).await;
        let make = async |tenant: &str| {
            server.create_key(&json!({"scopes": ["admin"], "tenant": tenant})).await.0
        };
        let (busy, calm) = (make("busy").await, make("calm").await);
        Self { server, busy, calm }
    }

    /// Sends one request of the calm tenant, which must succeed soon.
    async fn calm_send(&self, send: impl AsyncFn(&Self) -> Response) {
        let start = Instant::now();
        let response = send(self).await;
        let status = response.status().as_u16();
        assert!(status < 300, "{status}: {}", response.text().await.unwrap());
        assert!(start.elapsed() < MAX_DELAY, "{:?}", start.elapsed());
    }

    /// Repeats a request of the calm tenant until `work` of the other one ends. Returns how many
    /// there were.
    async fn calm_meanwhile(
        &self,
        work: impl Future<Output = ()>,
        send: impl AsyncFn(&Self) -> Response,
    ) -> u32 {
        let mut work = std::pin::pin!(work);
        let mut count = 0;
        loop {
            let mut calm = std::pin::pin!(self.calm_send(&send));
            tokio::select! {
                biased;
                () = &mut work => return count,
                () = &mut calm => count += 1,
            }
        }
    }

    /// Sends six streams of imports of the busy tenant that do not end, and counts the imports.
    async fn import_on(&self, imported: &Cell<u32>) {
        let import = async |stream: u32| {
            loop {
                let line = |entry: u32| {
                    format!("{{\"key\":\"k{stream}-{entry}\",\"value\":\"words of {entry}\"}}\n")
                };
                let lines: String = (0..IMPORT_LINES).map(line).collect();
                let request = self.server.build("POST", "/memory/import").bearer_auth(&self.busy);
                let request = request.header("contexture-deadline-ms", "60000");
                let request = request.header("content-type", "application/x-ndjson").body(lines);
                let response = request.send().await.unwrap();
                let status = response.status();
                assert_eq!(status, 200, "{}", response.text().await.unwrap());
                imported.set(imported.get() + 1);
            }
        };
        join_all((0..6).map(import)).await;
    }

    async fn compile(&self, key: &str, text: &str, deadline_ms: u32) -> Response {
        let body = json!({"messages": [user(text)], "target": "openai"});
        let request = self.server.build("POST", "/compile").bearer_auth(key);
        let request = request.header("contexture-deadline-ms", deadline_ms.to_string());
        request.json(&body).send().await.expect("a response")
    }
}

#[tokio::test]
async fn a_tenant_compiles_while_another_has_all_threads() {
    let neighbours = Neighbours::with(&["--workers", "2"]).await;
    let words: Vec<String> = (0..1_000_000).map(|word: u32| (word * 8).to_string()).collect();
    let body = json!({"messages": [user(&words.join(" "))], "target": "openai", "record": "full"});
    let compiled = neighbours.server.build("POST", "/compile").bearer_auth(&neighbours.busy);
    let compiled = compiled.header("contexture-deadline-ms", "60000").json(&body).send().await;
    let compiled: Value = json_of(compiled.unwrap(), 200).await;
    let path = format!("/compilations/{}/replay", compiled["id"].as_str().unwrap());
    let mode = json!({"mode": "strict"});
    let work = async {
        let replays =
            (0..40).map(|_| neighbours.server.call(&neighbours.busy, "POST", &path, &mode));
        join_all(replays).await;
    };
    let compile = async |own: &Neighbours| own.compile(&own.calm, "hi", 10_000).await;
    assert!(neighbours.calm_meanwhile(work, compile).await > 0);
}

#[tokio::test]
async fn a_tenant_compiles_while_many_compiles_of_another_wait_for_its_hook() {
    let neighbours = Neighbours::with(&["--workers", "2", "--dev"]).await;
    let receiver = Receiver::spawn(Mode::Hang).await;
    let guard =
        hook("slow", ("before_compile", "provide"), &receiver, &json!({"timeout_ms": 7000}));
    neighbours.server.call_ok(&neighbours.busy, "POST", "/hooks", &guard).await;
    let work = async {
        let compiles = (0..400).map(|_| neighbours.compile(&neighbours.busy, "hi", 7_000));
        join_all(compiles).await;
    };
    let compile = async |own: &Neighbours| own.compile(&own.calm, "hi", 10_000).await;
    assert!(neighbours.calm_meanwhile(work, compile).await > 0);
}

#[tokio::test]
async fn a_tenant_writes_while_another_imports() {
    let neighbours = Neighbours::with(&[]).await;
    let imported = Cell::new(0);
    let put = async |own: &Neighbours| {
        own.server.call(&own.calm, "PUT", "/memory/a", &json!({"value": 1})).await
    };
    let writes = async {
        let mut count = 0;
        while imported.get() < MIN_IMPORTS || count < 3 {
            neighbours.calm_send(&put).await;
            count += 1;
        }
    };
    tokio::select! {
        () = neighbours.import_on(&imported) => unreachable!("imports go on"),
        () = writes => {}
    }
}

#[tokio::test]
async fn a_tenant_s_hooks_are_called_while_another_imports() {
    let neighbours = Neighbours::with(&["--dev"]).await;
    let receiver = Receiver::spawn(Mode::Answer("{}".to_owned())).await;
    let observer = hook(
        "watch",
        ("event", "observe"),
        &receiver,
        &json!({"match": {"events": ["memory:changed"]}}),
    );
    neighbours.server.call_ok(&neighbours.calm, "POST", "/hooks", &observer).await;
    let imported = Cell::new(0);
    let put = async |own: &Neighbours| {
        own.server.call(&own.calm, "PUT", "/memory/a", &json!({"value": 1})).await
    };
    let calls = async {
        let mut count = 0;
        while imported.get() < MIN_IMPORTS || count < 3 {
            let start = Instant::now();
            neighbours.calm_send(&put).await;
            count += 1;
            receiver.reached(count).await;
            assert!(start.elapsed() < MAX_DELAY, "{:?}", start.elapsed());
        }
    };
    tokio::select! {
        () = neighbours.import_on(&imported) => unreachable!("imports go on"),
        () = calls => {}
    }
}

/// A filter that finds nothing looks at some rows and says where the list goes on.
#[tokio::test]
async fn a_filter_without_a_hit_ends_its_page_early() {
    let server = TestServer::spawn().await;
    let line = |entry: u32| {
        format!("{{\"key\":\"{entry:04}\",\"value\":1,\"tags\":[\"t{}\"]}}\n", entry / 5_400)
    };
    let lines: String = (0..5_500).map(line).collect();
    let import = server.build("POST", "/memory/import").header("contexture-deadline-ms", "60000");
    let import = import.header("content-type", "application/x-ndjson").body(lines);
    assert_eq!(import.send().await.unwrap().status(), 200);
    let first = server.get_json("/memory?tag=t1&limit=10").await;
    assert_eq!(first["items"], json!([]));
    let cursor = first["next_cursor"].as_str().expect("the list goes on");
    let second = server.get_json(&format!("/memory?tag=t1&limit=10&cursor={cursor}")).await;
    let keys: Vec<&str> = second["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["key"].as_str().unwrap())
        .collect();
    assert_eq!((keys[0], keys.len()), ("5400", 10));
    assert!(second["next_cursor"].is_string());
    let all = server.get("/memory?tag=t1&format=jsonl").await.text().await.unwrap();
    assert_eq!(all.lines().count(), 100, "an export has all of them");
    // So do events, of which each entry is one.
    let path = |after: &Value| format!("/events?format=json&types=compile:done&after={after}");
    let first = server.get_json(&path(&json!(0))).await;
    assert_eq!((&first["items"], &first["has_more"]), (&json!([]), &json!(true)));
    let second = server.get_json(&path(&first["next_after"])).await;
    assert_eq!((&second["items"], &second["has_more"]), (&json!([]), &json!(false)));
}

async fn ask_for_health(stream: &mut TcpStream) -> String {
    ask(stream, "/healthz", "").await
}

/// Sends a request and reads the beginning of its response.
async fn ask(stream: &mut TcpStream, path: &str, headers: &str) -> String {
    let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut read = vec![0; 4096];
    let count = stream.read(&mut read).await.unwrap();
    String::from_utf8_lossy(&read[..count]).into_owned()
}

#[tokio::test]
async fn readers_without_a_key_have_a_quarter_of_the_connections() {
    let server = TestServer::locked(&["--max-connections", "8"]).await;
    let (key, _) = server.create_key(&json!({"scopes": ["compile"]})).await;
    let key = format!("authorization: Bearer {key}\r\n");
    let connect = async || TcpStream::connect(server.address).await.unwrap();
    let mut strangers = vec![connect().await, connect().await];
    for stream in &mut strangers {
        // The rest of the description is left unread.
        assert!(ask(stream, "/openapi.json", "").await.starts_with("HTTP/1.1 200"));
    }
    let refused = ask(&mut connect().await, "/openapi.json", "").await;
    assert!(
        refused.starts_with("HTTP/1.1 503") && refused.contains("connection: close"),
        "{refused}"
    );
    let locked = ask(&mut connect().await, "/models", "").await;
    assert!(locked.starts_with("HTTP/1.1 401") && locked.contains("connection: close"), "{locked}");
    let mut caller = connect().await;
    let listed = ask(&mut caller, "/compilations", &key).await;
    assert!(
        listed.starts_with("HTTP/1.1 200") && !listed.contains("connection: close"),
        "{listed}"
    );
    let described = ask(&mut caller, "/openapi.json", "").await;
    assert!(described.starts_with("HTTP/1.1 200"), "{described}");
}

#[tokio::test]
async fn connections_that_only_ask_for_health_shut_nobody_out() {
    let server = TestServer::with(&["--max-connections", "4"]).await;
    let mut watching = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        assert!(ask_for_health(&mut stream).await.starts_with("HTTP/1.1 200"));
        watching.push(stream);
    }
    let body = json!({"messages": [user("hi")], "target": "openai"});
    assert_eq!(server.post("/compile", &body).await.status(), 200);
    for stream in &mut watching {
        assert!(ask_for_health(stream).await.starts_with("HTTP/1.1 200"), "they stay open");
    }
}

#[tokio::test]
async fn stored_responses_count_towards_a_quota() {
    let server = TestServer::with(&["--tenant-max-reply-bytes", "3000"]).await;
    let used = async || {
        let usage = server.get_json("/usage").await;
        let rows = usage["quotas"].as_array().unwrap().clone();
        let row: Value = rows.into_iter().find(|row| row["quota"] == "reply_bytes").unwrap();
        (row["used"].as_u64().unwrap(), row["max"].as_u64().unwrap())
    };
    assert_eq!(used().await, (0, 3000));
    let body = json!({"action": "add", "content": "x".repeat(900)}).to_string();
    assert_eq!(server.post_once("/memory", "k1", &body).await.status(), 201);
    let (first, _) = used().await;
    assert!((900..3000).contains(&first), "{first}");
    let mut refused = None;
    for number in 0..4 {
        let response = server.post_once("/memory", &format!("n{number}"), &body).await;
        if response.status() != 201 {
            refused = Some(response);
            break;
        }
    }
    let refused = problem(refused.expect("a refusal"), 507, "quota_exceeded").await;
    assert_eq!(refused["details"]["quota"], "reply_bytes");
    // A stored response is replayed, and a request without a key needs no room.
    assert_eq!(server.post_once("/memory", "k1", &body).await.status(), 201);
    let plain = json!({"action": "add", "content": "x"});
    assert_eq!(server.post("/memory", &plain).await.status(), 201);
}
