//! What a record in full has of its hooks: what they were sent, and what queued calls returned.

use serde_json::{Value, json};

use super::MASTER;
use crate::support::compile::user;
use crate::support::receiver::{Mode, Receiver, hook};
use crate::support::wait::until;
use crate::support::{Folder, TestServer};

const SECRET: &str = "Bearer hush-hush-hush";

/// A server on a file, with a guard and an observe hook, whose receiver repeats its secret if it is to leak.
struct Place {
    server: TestServer,
    guard: Receiver,
    log: Receiver,
    file: std::path::PathBuf,
    _files: Folder,
}

impl Place {
    async fn new(logged: &str) -> Self {
        let files = Folder::new();
        let keys = files.write("keys", MASTER);
        let (file, url) = (files.database(), files.url());
        let flags = ["--dev", "--database-url", &url, "--master-key-file", &keys];
        let server = TestServer::with(&flags).await;
        let guard = Receiver::spawn(Mode::Answer(r#"{"decision":"allow"}"#.to_owned())).await;
        let log = Receiver::spawn(Mode::Answer(logged.to_owned())).await;
        let place = ("transform_context", "guard");
        server.post_json("/hooks", 201, &hook("guard", place, &guard, &json!({}))).await;
        let headers = json!({"headers": {"authorization": SECRET}});
        let place = ("transform_context", "observe");
        server.post_json("/hooks", 201, &hook("log", place, &log, &headers)).await;
        Self { server, guard, log, file, _files: files }
    }

    async fn compile(&self, level: &str) -> Value {
        let body = json!({"messages": [user("hello")], "session_id": "s", "record": level});
        let id = self.server.post_ok("/compile", &body).await["id"].clone();
        json!(format!("/compilations/{}", id.as_str().unwrap()))
    }

    /// The record, once the queued call was made.
    async fn record(&self, path: &Value) -> Value {
        let delivered = || async {
            let list = self.server.get_json("/hooks/log/deliveries").await;
            let id = path.as_str().unwrap().trim_start_matches("/compilations/");
            let mut items = list["items"].as_array().unwrap().clone();
            items.retain(|item| item["compilation_id"] == id);
            (!items[0]["attempts"].as_array().unwrap().is_empty()).then_some(())
        };
        until(async || delivered().await).await;
        self.server.get_json(path.as_str().unwrap()).await
    }

    fn count(&self, sql: &str) -> i64 {
        let database = rusqlite::Connection::open(&self.file).unwrap();
        database.query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

#[tokio::test]
async fn a_record_in_full_has_what_hooks_were_sent_and_what_queued_calls_returned() {
    let place = Place::new(r#"{"noted":true}"#).await;
    let path = place.compile("full").await;
    let record = place.record(&path).await;
    let [guard, log] = &record["hooks"].as_array().unwrap()[..] else { panic!("{record}") };
    for (run, receiver) in [(guard, &place.guard), (log, &place.log)] {
        let input: Value = serde_json::from_str(run["input"].as_str().unwrap()).unwrap();
        assert_eq!(input, receiver.inputs()[0]);
        assert_eq!(input["messages"][0]["parts"][0]["text"], "hello");
    }
    assert_eq!(
        (&guard["answer"], &guard["delivery"]),
        (&json!(r#"{"decision":"allow"}"#), &Value::Null)
    );
    assert_eq!((&log["answer"], &log["outcome"]), (&Value::Null, &json!("queued")));
    assert_eq!(
        (&log["delivery"]["attempt"], &log["delivery"]["status"], &log["delivery"]["response"]),
        (&json!(1), &json!(200), &json!(r#"{"noted":true}"#))
    );
    let list = place.server.get_json("/hooks/log/deliveries").await;
    assert_eq!(log["delivery"]["id"], list["items"][0]["id"]);
    let explained = format!("{}?explain=full", path.as_str().unwrap());
    assert_eq!(place.server.get_json(&explained).await["hooks"], record["hooks"]);
    let again =
        place.server.post_ok(&format!("{}/replay", path.as_str().unwrap()), &json!({})).await;
    assert_eq!(again["status"], "equal");

    // It goes with the session.
    assert_eq!(place.count("SELECT count(*) FROM hook_responses"), 1);
    place.server.delete_ok("/sessions/s").await;
    assert_eq!(place.count("SELECT count(*) FROM hook_responses"), 0);
    assert_eq!(place.count("SELECT count(*) FROM blobs"), 0);
}

#[tokio::test]
async fn a_record_of_hashes_has_no_text_of_its_hooks() {
    let place = Place::new(r#"{"noted":true}"#).await;
    let path = place.compile("hashes").await;
    let record = place.record(&path).await;
    let hooks = record["hooks"].as_array().unwrap();
    assert_eq!(hooks.len(), 2);
    for hook in hooks {
        assert!(hook.get("input").is_none() && hook.get("delivery").is_none(), "{hook}");
    }
    assert_eq!(place.count("SELECT count(*) FROM hook_responses"), 0);
    assert_eq!(place.count("SELECT count(*) FROM blobs"), 0);
}

#[tokio::test]
async fn a_response_that_repeats_a_secret_is_not_kept() {
    let place = Place::new(r#"{"got":"hush-hush-hush"}"#).await;
    let path = place.compile("full").await;
    let record = place.record(&path).await;
    let log = &record["hooks"][1];
    assert_eq!(
        (&log["delivery"]["status"], &log["delivery"]["response"]),
        (&json!(200), &Value::Null)
    );
    assert!(!record.to_string().contains("hush-hush"), "{record}");
}

#[tokio::test]
async fn a_compile_that_fails_keeps_nothing_of_its_hooks() {
    let place = Place::new("{}").await;
    let failing =
        Receiver::spawn(Mode::Answer(r#"{"decision":"deny","reason":"no"}"#.to_owned())).await;
    let deny = hook("last", ("transform_context", "guard"), &failing, &json!({"priority": -1000}));
    place.server.post_json("/hooks", 201, &deny).await;
    let body = json!({"messages": [user("hello")], "session_id": "s", "record": "full"});
    assert_eq!(place.server.post("/compile", &body).await.status(), 403);
    assert!(!place.guard.inputs().is_empty() && !failing.inputs().is_empty());
    assert_eq!(place.count("SELECT count(*) FROM blobs"), 0);
    assert_eq!(place.count("SELECT count(*) FROM compilations"), 0);
}
