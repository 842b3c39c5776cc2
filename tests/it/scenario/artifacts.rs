//! V01 to V14: texts that are put aside, found again and cleaned up.

use std::time::Duration;

use contexture::domain::{Clock, Models, Timestamp};
use contexture::service::artifacts::{self, Cleanup, OffloadLimits, OffloadResult};
use contexture::service::{Error, Services};
use contexture::store::{Retention, Store};
use serde_json::{Value, json};

use crate::support::{TestServer, problem};

async fn offload(server: &TestServer, text: &str, threshold: u64, head: u64, tail: u64) -> Value {
    let body = json!(
        {"text": text, "threshold": threshold, "head_chars": head, "tail_chars": tail}
    );
    server.post_ok("/artifacts", &body).await
}

fn twenty_lines() -> String {
    (1..=20).map(|number| format!("Line {number:02}")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_text_is_offloaded_above_the_threshold_only() {
    let server = TestServer::spawn().await;
    let (at, above) = ("x".repeat(50), "x".repeat(51));
    assert_eq!(offload(&server, &at, 50, 0, 0).await, json!({"offloaded": false, "text": at}));
    assert_eq!(offload(&server, &above, 50, 0, 0).await["offloaded"], true);
    assert_eq!(offload(&server, &above, 50, 20, 31).await["offloaded"], false);
}

#[tokio::test]
async fn an_id_is_the_beginning_of_the_hash() {
    let server = TestServer::spawn().await;
    let answer = offload(&server, &"A".repeat(60), 50, 0, 0).await;
    assert_eq!(answer["id"], "c5fb235befd875b915fa6c47");
}

#[tokio::test]
async fn previews_end_at_the_borders_of_lines() {
    let server = TestServer::spawn().await;
    let answer = offload(&server, &twenty_lines(), 50, 10, 10).await;
    let marker = answer["text"].as_str().unwrap();
    assert!(marker.starts_with("Line 01\n") && marker.ends_with("\nLine 20"), "{marker}");
    for part in ["20 lines", "159 characters", "first 8 characters", "last 7 characters"] {
        assert!(marker.contains(part), "{part}: {marker}");
    }
    assert_eq!(marker.matches("Line").count(), 2, "{marker}");
    let answer = offload(&server, &twenty_lines(), 50, 0, 0).await;
    assert!(!answer["text"].as_str().unwrap().contains("Line"), "{answer}");
}

#[tokio::test]
async fn the_same_text_gives_the_same_marker() {
    let server = TestServer::spawn().await;
    let text = twenty_lines();
    let first = offload(&server, &text, 50, 0, 20).await;
    let second = offload(&server, &text, 50, 0, 20).await;
    assert_eq!((&first["text"], &first["id"]), (&second["text"], &second["id"]));
    let other = offload(&server, &format!("{text}!"), 50, 0, 20).await;
    assert_ne!(other["id"], first["id"]);
    let all = server.post_ok("/artifacts/cleanup", &json!({"max_count": 0})).await;
    assert_eq!(all["evicted_bytes"], 159 + 160);
}

#[tokio::test]
async fn an_id_leads_to_the_original_and_nothing_else_does() {
    let server = TestServer::spawn().await;
    let answer = offload(&server, &twenty_lines(), 50, 0, 0).await;
    let id = answer["id"].as_str().unwrap();
    let found = server.get(&format!("/artifacts/{id}")).await;
    assert_eq!(found.text().await.unwrap(), twenty_lines());
    for foreign in ["ffffffffffffffffffffffff", "vfs_c5fb235befd875b9.txt", "https:%2F%2Fx"] {
        problem(server.get(&format!("/artifacts/{foreign}")).await, 404, "not_found").await;
    }
}

/// Use cases over a file, with a clock that stands.
struct Kept {
    services: Services,
    clock: Clock,
    folder: tempfile::TempDir,
}

impl Kept {
    fn new() -> Self {
        let clock = Clock::standing(Timestamp::from_micros(1_800_000_000_000_000));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.db");
        let store = Store::sqlite(&file, Retention::default(), clock.clone()).unwrap();
        Self { services: Services::with_store(Models::built_in(), store), clock, folder }
    }

    /// Stores a text, a while after what was done before.
    fn put(&self, text: &str) -> String {
        self.clock.advance(Duration::from_millis(300));
        let options = OffloadLimits { threshold: 0, head: 0, tail: 0 };
        match artifacts::offload_text(&self.services, text, &options, None, |_| String::new())
            .unwrap()
        {
            OffloadResult::Stored { artifact, .. } => artifact.id.to_string(),
            OffloadResult::Kept(text) => panic!("{text} is not stored"),
        }
    }

    fn read(&self, id: &str) -> Option<String> {
        self.clock.advance(Duration::from_millis(300));
        let id = contexture::domain::ArtifactId::parse(id).unwrap();
        artifacts::find::<Error>(&self.services, id).unwrap().map(|(_, text)| text)
    }

    fn cleanup(&self, caps: &Value) -> Cleanup {
        artifacts::cleanup(&self.services, &caps.to_string()).unwrap()
    }
}

fn names(ids: &[contexture::domain::ArtifactId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_too_old_goes() {
    let kept = Kept::new();
    let first = kept.put("1");
    kept.clock.advance(Duration::from_millis(700));
    let [second, third] = ["2", "3"].map(|text| kept.put(text));
    // Just as old as may be: not older.
    kept.clock.advance(Duration::from_millis(700));
    let done = kept.cleanup(&json!({"max_age_seconds": 1}));
    assert_eq!((names(&done.evicted), done.evicted_by_age), (vec![first], 1));
    assert!(kept.read(&second).is_some() && kept.read(&third).is_some());
}

#[test]
fn the_least_recently_read_go_first() {
    let kept = Kept::new();
    let ids = ["1", "2", "3", "4", "5"].map(|text| kept.put(text));
    assert!(kept.read(&ids[0]).is_some() && kept.read(&ids[1]).is_some());
    let done = kept.cleanup(&json!({"max_count": 3}));
    assert_eq!(names(&done.evicted), ids[2..4]);
    assert_eq!(done.evicted_by_count, 2);
}

#[test]
fn count_is_named_before_bytes() {
    let kept = Kept::new();
    for name in ["1", "2", "3", "4", "5"] {
        kept.put(&name.repeat(100));
    }
    let done = kept.cleanup(&json!({"max_count": 3, "max_bytes": 200}));
    assert_eq!((done.evicted_by_count, done.evicted_by_bytes), (2, 1));
    assert_eq!(done.evicted_bytes, 300);
}

#[tokio::test]
async fn bytes_are_those_of_utf_8() {
    let server = TestServer::spawn().await;
    let answer = offload(&server, &"\u{1F600}".repeat(12), 0, 0, 0).await;
    assert_eq!(answer["bytes"], 48);
}

#[test]
fn a_failing_delete_is_told_and_the_others_go() {
    let kept = Kept::new();
    let ids = ["1", "2", "3"].map(|text| kept.put(text));
    let refuse = format!(
        "CREATE TRIGGER refuse BEFORE DELETE ON artifacts WHEN OLD.id = x'{}'
         BEGIN SELECT RAISE(ABORT, 'on purpose'); END",
        ids[1]
    );
    let file = kept.folder.path().join("store.db");
    rusqlite::Connection::open(file).unwrap().execute_batch(&refuse).unwrap();
    let done = kept.cleanup(&json!({"max_count": 0}));
    assert_eq!(names(&done.failed), [ids[1].clone()]);
    assert_eq!(names(&done.evicted), [ids[0].clone(), ids[2].clone()]);
    assert_eq!(kept.read(&ids[1]).as_deref(), Some("2"));
}
