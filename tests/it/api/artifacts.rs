//! Artifacts over HTTP: stored, read in parts, removed.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::support::wait::until;
use crate::support::{Folder, TestServer, problem};

/// Twenty lines, 159 units.
fn lines() -> String {
    (1..=20).map(|number| format!("Line {number:02}")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn an_offloaded_text_leaves_head_tail_and_a_handle() {
    let server = TestServer::spawn().await;
    let body = json!({"text": lines(), "threshold": 50, "head_chars": 10, "tail_chars": 10});
    let first = server.post_json("/artifacts", 201, &body).await;
    let marker = first["text"].as_str().unwrap();
    assert!(marker.starts_with("Line 01\n") && marker.ends_with("\nLine 20"), "{marker}");
    for part in ["20 lines", "159 characters", "first 8 ", "last 7 ", "<persisted-output>"] {
        assert!(marker.contains(part), "{part}: {marker}");
    }
    assert_eq!(first["offloaded"], true);
    assert_eq!(first["id"], "574a963fe4c28cab63d90746");
    assert!(marker.contains(first["id"].as_str().unwrap()));
    assert_eq!((&first["bytes"], &first["lines"]), (&json!(159), &json!(20)));
    assert!(first["expires_at"].as_str().unwrap().ends_with('Z'));

    let second = server.post_ok("/artifacts", &body).await;
    assert_eq!(second["text"], first["text"]);
    let path = format!("/artifacts/{}", first["id"].as_str().unwrap());
    assert_eq!(server.get_text(&path).await, lines());
}

#[tokio::test]
async fn a_short_text_stays_and_is_not_stored() {
    let server = TestServer::spawn().await;
    for (text, threshold, status) in [("x".repeat(50), 50, 200), ("x".repeat(51), 50, 201)] {
        let body = json!({"text": text, "threshold": threshold, "tail_chars": 0});
        let answer = server.post("/artifacts", &body).await;
        assert_eq!(answer.status(), status);
    }
    let body = json!({"text": "short"});
    let answer = server.post_ok("/artifacts", &body).await;
    assert_eq!(answer, json!({"offloaded": false, "text": "short"}));
    let none = json!({"max_count": 0});
    let gone = server.post_ok("/artifacts/cleanup", &none).await;
    assert_eq!(gone["evicted_bytes"], 51);
}

#[tokio::test]
async fn a_text_may_be_sent_as_it_is() {
    let server = TestServer::spawn().await;
    let text = "a \"quoted\" line\r\n\u{1F600}\n".repeat(500);
    let request = server.build("POST", "/artifacts?threshold=100&tail_chars=30");
    let answer = request.header("content-type", "text/plain").body(text.clone()).send().await;
    let answer = answer.unwrap();
    assert_eq!(answer.status(), 201);
    let answer: Value = answer.json().await.unwrap();
    let path = format!("/artifacts/{}", answer["id"].as_str().unwrap());
    assert_eq!(server.get_text(&path).await, text);
}

#[tokio::test]
async fn an_answer_has_the_headers_of_a_text_that_can_be_asked_for_in_parts() {
    let server = TestServer::spawn().await;
    let path = format!("/artifacts/{}", server.put_artifact(&lines()).await);
    let whole = server.get(&path).await;
    let headers = whole.headers();
    assert_eq!(headers["content-type"], "text/plain; charset=utf-8");
    assert_eq!(headers["accept-ranges"], "bytes");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    let tag = headers["etag"].to_str().unwrap().to_owned();

    let part = server.get_with(&path, &[("range", "bytes=8-14")]).await;
    assert_eq!(part.status(), 206);
    assert_eq!(part.headers()["content-range"], "bytes 8-14/159");
    assert_eq!(part.text().await.unwrap(), "Line 02");
    let last = server.get_with(&path, &[("range", "bytes=-7"), ("if-range", &tag)]).await;
    assert_eq!(last.status(), 206);
    assert_eq!(last.text().await.unwrap(), "Line 20");

    // What its tag names is these bytes, whatever else would be understood.
    let gzip = server.get_with(&path, &[("accept-encoding", "gzip")]).await;
    assert!(!gzip.headers().contains_key("content-encoding"));
    assert_eq!(gzip.headers()["content-length"], "159");

    let stale = server.get_with(&path, &[("range", "bytes=0-1"), ("if-range", "\"old\"")]).await;
    assert_eq!((stale.status().as_u16(), stale.text().await.unwrap()), (200, lines()));
    let two = server.get_with(&path, &[("range", "bytes=0-1,5-6")]).await;
    assert_eq!(two.status(), 200);
    let known = server.get_with(&path, &[("if-none-match", &tag)]).await;
    assert_eq!((known.status().as_u16(), known.bytes().await.unwrap().len()), (304, 0));

    let outside = server.get_with(&path, &[("range", "bytes=159-")]).await;
    assert_eq!(outside.headers()["content-range"], "bytes */159");
    problem(outside, 416, "range_not_satisfiable").await;
}

#[tokio::test]
async fn lines_and_words_pick_out_what_is_read() {
    let server = TestServer::spawn().await;
    let path = format!("/artifacts/{}", server.put_artifact(&lines()).await);
    assert_eq!(server.get_text(&format!("{path}?lines=2-3")).await, "Line 02\nLine 03\n");
    assert_eq!(server.get_text(&format!("{path}?lines=20-99")).await, "Line 20");
    assert_eq!(server.get_text(&format!("{path}?lines=19-")).await, "Line 19\nLine 20");
    let found = server.get_text(&format!("{path}?query=LINE%201")).await;
    assert!(found.starts_with("10:Line 10\n11:Line 11\n"), "{found}");
    assert_eq!(found.lines().count(), 10);
    let found = server.get_text(&format!("{path}?query=line+1&lines=12-13")).await;
    assert_eq!(found, "12:Line 12\n13:Line 13\n");
    assert_eq!(server.get_text(&format!("{path}?query=nothing")).await, "");
    let part = server.get_with(&format!("{path}?lines=2-3"), &[("range", "bytes=0-3")]).await;
    assert_eq!((part.status().as_u16(), part.text().await.unwrap()), (206, "Line".to_owned()));
    for bad in ["lines=0-1", "lines=3-2", "lines=x", "lines=21-22", "line=1", "query=%ff"] {
        problem(server.get(&format!("{path}?{bad}")).await, 422, "invalid_request").await;
    }
}

#[tokio::test]
async fn nothing_but_an_id_leads_to_a_text() {
    let server = TestServer::spawn().await;
    let id = server.put_artifact(&lines()).await;
    for bad in [
        "000000000000000000000000",
        &id.to_uppercase(),
        &id[..23],
        "..%2F..%2Fetc%2Fpasswd",
        "%2e%2e%2fsecret",
        "vfs_574a963fe4c28cab.txt",
    ] {
        for method in ["GET", "DELETE"] {
            let answer = server.build(method, &format!("/artifacts/{bad}")).send().await.unwrap();
            problem(answer, 404, "not_found").await;
        }
    }
    assert_eq!(server.get_text(&format!("/artifacts/{id}")).await, lines());
}

#[tokio::test]
async fn a_deleted_artifact_is_gone() {
    let server = TestServer::spawn().await;
    let path = format!("/artifacts/{}", server.put_artifact(&lines()).await);
    let gone = server.delete(&path).await;
    assert_eq!((gone.status().as_u16(), gone.bytes().await.unwrap().len()), (204, 0));
    problem(server.get(&path).await, 404, "not_found").await;
    problem(server.delete(&path).await, 404, "not_found").await;
}

#[tokio::test]
async fn every_fault_of_a_body_is_named() {
    let server = TestServer::spawn().await;
    let body = json!({"text": 1, "threshold": -1, "head_chars": "x", "tail": 2});
    let told = problem(server.post("/artifacts", &body).await, 422, "invalid_request").await;
    let mut pointers: Vec<_> =
        told["errors"].as_array().unwrap().iter().map(|fault| fault["pointer"].clone()).collect();
    pointers.sort_by_key(ToString::to_string);
    assert_eq!(pointers, ["/head_chars", "/tail", "/text", "/threshold"]);
    problem(server.post("/artifacts", &json!({})).await, 422, "invalid_request").await;
    problem(server.post("/artifacts", &json!([])).await, 422, "invalid_request").await;
    let options = server.post("/artifacts?threshold=1", &json!({"text": "x"})).await;
    problem(options, 422, "invalid_request").await;
    let caps = json!({"max_count": -1, "max_age": 3});
    let told =
        problem(server.post("/artifacts/cleanup", &caps).await, 422, "invalid_request").await;
    assert_eq!(told["errors"].as_array().unwrap().len(), 2, "{told}");
    let html = server.build("POST", "/artifacts").header("content-type", "text/html").body("x");
    problem(html.send().await.unwrap(), 415, "unsupported_media_type").await;
    let plain = server.build("POST", "/artifacts").header("content-type", "text/plain");
    let latin = plain.body(b"caf\xe9".to_vec()).send().await.unwrap();
    problem(latin, 422, "invalid_request").await;
    let broken = server.build_json("POST", "/artifacts").body("{").send().await.unwrap();
    problem(broken, 400, "invalid_json").await;
}

#[tokio::test]
async fn a_cleanup_evicts_the_least_recently_read_and_tells_why() {
    let server = TestServer::spawn().await;
    let mut ids = Vec::new();
    for name in ["1", "2", "3", "4", "5"] {
        ids.push(server.put_artifact(&name.repeat(100)).await);
    }
    for id in &ids[..2] {
        server.get_text(&format!("/artifacts/{id}")).await;
    }
    let caps = json!({"max_count": 3, "max_bytes": 200});
    let done = server.post_ok("/artifacts/cleanup", &caps).await;
    assert_eq!(
        done,
        json!({
            "evicted": [ids[2], ids[3], ids[4]], "evicted_bytes": 300, "evicted_by_age": 0,
            "evicted_by_count": 2, "evicted_by_bytes": 1, "failed": []
        })
    );
    problem(server.get(&format!("/artifacts/{}", ids[2])).await, 404, "not_found").await;
    assert_eq!(server.get_text(&format!("/artifacts/{}", ids[0])).await, "1".repeat(100));

    let age = json!({"max_age_seconds": 0});
    let done = server.post_ok("/artifacts/cleanup", &age).await;
    assert_eq!(done["evicted_by_age"], 2);
    let empty = server.build("POST", "/artifacts/cleanup").send().await.unwrap();
    assert_eq!(empty.json::<Value>().await.unwrap()["evicted"], json!([]));
}

#[tokio::test]
async fn the_server_cleans_up_by_itself() {
    let flags = ["--artifacts-max-count", "0", "--cleanup-interval-ms", "20"];
    let server = TestServer::with(&flags).await;
    let path = format!("/artifacts/{}", server.put_artifact("text").await);
    until(async || (server.get(&path).await.status() == 404).then_some(())).await;
}

#[tokio::test]
async fn many_callers_read_what_they_have_put_in_a_file() {
    let folder = Folder::new();
    let url = folder.url();
    let server = Arc::new(TestServer::with(&["--database-url", &url]).await);
    let callers: Vec<_> = (0..8)
        .map(|caller| {
            let server = Arc::clone(&server);
            tokio::spawn(async move {
                for round in 0..20 {
                    let text = format!("{}/{round} ", caller % 4).repeat(50);
                    let id = server.put_artifact(&text).await;
                    assert_eq!(server.get_text(&format!("/artifacts/{id}")).await, text);
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
    let none = json!({"max_count": 0});
    let gone = server.post_ok("/artifacts/cleanup", &none).await;
    assert_eq!(gone["evicted_by_count"], 80);
}
