//! `Idempotency-Key`: done once, answered each time.

use reqwest::Response;
use serde_json::{Value, json};

use crate::support::receiver::{answers, hook};
use crate::support::{TestServer, json_of, problem};

fn is_again(response: &Response) -> bool {
    response.headers().get("idempotency-replayed").is_some_and(|value| value == "true")
}

#[tokio::test]
async fn a_request_that_comes_again_is_answered_again_and_done_once() {
    let server = TestServer::spawn().await;
    let long = json!({"text": "line\n".repeat(2000)}).to_string();
    let first = server.post_once("/artifacts", "k1", &long).await;
    assert_eq!((first.status().as_u16(), is_again(&first)), (201, false));
    let first: Value = first.json().await.unwrap();
    let path = format!("/artifacts/{}", first["id"].as_str().unwrap());
    assert_eq!(server.delete(&path).await.status(), 204);

    // The same request, written otherwise.
    let spaced = long.replacen(':', " : ", 1);
    let second = server.post_once("/artifacts", "k1", &spaced).await;
    assert_eq!((second.status().as_u16(), is_again(&second)), (201, true));
    assert_eq!(second.json::<Value>().await.unwrap(), first);
    assert_eq!(server.get(&path).await.status(), 404, "it was not stored again");

    let other = server.post_once("/artifacts", "k2", &long).await;
    assert_eq!((other.status().as_u16(), is_again(&other)), (201, false));
}

#[tokio::test]
async fn a_pack_is_published_once_under_a_key() {
    let server = TestServer::spawn().await;
    let pack = crate::support::pack::dbops();
    let first = server.post_once("/packs", "k", &pack.to_string()).await;
    assert_eq!((first.status().as_u16(), is_again(&first)), (201, false));
    let first: Value = first.json().await.unwrap();
    let again = server.post_once("/packs", "k", &pack.to_string()).await;
    assert_eq!((again.status().as_u16(), is_again(&again)), (201, true), "as it was answered");
    assert_eq!(again.json::<Value>().await.unwrap(), first);
    let without = server.post("/packs", &pack).await;
    assert_eq!((without.status().as_u16(), is_again(&without)), (200, false));
    let mut other = pack;
    other["pack_meta"]["pack_version"] = "9.0.0".into();
    let other = server.post_once("/packs", "k", &other.to_string()).await;
    problem(other, 422, "idempotency_mismatch").await;
}

#[tokio::test]
async fn another_request_under_the_same_key_is_refused() {
    let server = TestServer::spawn().await;
    let short = server.post_once("/artifacts", "k", r#"{"text": "short"}"#).await;
    assert_eq!(short.status(), 200);
    let other = server.post_once("/artifacts", "k", r#"{"text": "other"}"#).await;
    problem(other, 422, "idempotency_mismatch").await;
    let query = server.build("POST", "/artifacts?threshold=1").header("idempotency-key", "k");
    let query = query.header("content-type", "text/plain").body("short");
    problem(query.send().await.unwrap(), 422, "idempotency_mismatch").await;
    let again = server.post_once("/artifacts", "k", r#"{"text": "short"}"#).await;
    assert!(is_again(&again));
    // On another route the key is another one.
    let key = server.post_once("/keys", "k", r#"{"scopes": ["admin"]}"#).await;
    assert_eq!(key.status(), 201);
}

#[tokio::test]
async fn what_failed_is_not_remembered() {
    let server = TestServer::spawn().await;
    problem(server.post_once("/artifacts", "k", "{}").await, 422, "invalid_request").await;
    let right = server.post_once("/artifacts", "k", r#"{"text": "short"}"#).await;
    assert_eq!((right.status().as_u16(), is_again(&right)), (200, false));
}

#[tokio::test]
async fn a_key_is_made_once_and_its_text_is_told_once() {
    let server = TestServer::with(&["--bootstrap-key", &"b".repeat(32)]).await;
    let send = async || {
        let request = server.build("POST", "/keys").bearer_auth("b".repeat(32));
        let request = request.header("idempotency-key", "k");
        request.json(&json!({"scopes": ["compile"]})).send().await.unwrap()
    };
    let mut first = json_of(send().await, 201).await;
    let again = send().await;
    assert!(again.status() == 201 && is_again(&again));
    let again: Value = again.json().await.unwrap();
    assert!(first.as_object_mut().unwrap().shift_remove("key").is_some());
    assert_eq!(again, first);
    let list = server.build("GET", "/keys").bearer_auth("b".repeat(32)).send().await.unwrap();
    assert_eq!(list.json::<Value>().await.unwrap()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn requests_at_the_same_time_have_one_effect() {
    let server = TestServer::with(&["--bootstrap-key", &"b".repeat(32)]).await;
    let send = || {
        let request = server.build("POST", "/keys").bearer_auth("b".repeat(32));
        let request = request.header("idempotency-key", "k");
        let request = request.json(&json!({"scopes": ["compile"]}));
        tokio::spawn(async move { request.send().await.unwrap() })
    };
    let answers: Vec<_> = (0..16).map(|_| send()).collect();
    let mut made = 0;
    for answer in answers {
        let answer = answer.await.unwrap();
        match answer.status().as_u16() {
            201 if is_again(&answer) => {}
            201 => made += 1,
            _ => {
                assert_eq!(answer.headers()["retry-after"], "1");
                problem(answer, 409, "in_flight").await;
            }
        }
    }
    assert_eq!(made, 1);
}

#[tokio::test]
async fn a_key_that_is_none_is_a_fault() {
    let server = TestServer::spawn().await;
    for bad in ["", "a b", &"x".repeat(256)] {
        let refused = server.post_once("/artifacts", bad, r#"{"text": "short"}"#).await;
        problem(refused, 422, "invalid_request").await;
    }
}

/// Every other POST that stores something: an answer, given twice, and one effect.
#[tokio::test]
async fn a_change_of_memory_is_done_once() {
    let server = TestServer::spawn().await;
    let entry = server.build("PUT", "/memory/tone").json(&json!({"value": "kind"}));
    assert_eq!(entry.send().await.unwrap().status(), 201);
    let steps = [
        ("/memory", json!({"action": "add", "content": "likes tea"}).to_string(), 201),
        ("/memory/import", json!({"key": "a", "value": 1}).to_string(), 200),
        ("/memory/tone/retract", "{}".to_owned(), 200),
        ("/memory/tone/restore", json!({"version": 1}).to_string(), 200),
        ("/memory-candidates", json!({"value": "tea", "class": "preference"}).to_string(), 201),
    ];
    for (path, body, status) in &steps {
        let first = server.post_once(path, "k", body).await;
        assert_eq!((first.status().as_u16(), is_again(&first)), (*status, false), "{path}");
        let tag = first.headers().get("etag").cloned();
        let first: Value = first.json().await.unwrap();
        let events = events(&server).await;
        let second = server.post_once(path, "k", body).await;
        assert_eq!((second.status().as_u16(), is_again(&second)), (*status, true), "{path}");
        assert_eq!(second.headers().get("etag").cloned(), tag, "{path}");
        assert_eq!(second.json::<Value>().await.unwrap(), first, "{path}");
        assert_eq!(self::events(&server).await, events, "{path}");
    }
}

#[tokio::test]
async fn a_decision_that_is_sent_again_is_not_stale() {
    let server = TestServer::spawn().await;
    let proposal = json!({"value": "tea", "class": "correction"});
    let candidate = server.post_ok("/memory-candidates", &proposal).await;
    let path = format!("/memory-candidates/{}", candidate["id"].as_str().unwrap());
    let by = json!({"id": "bob", "kind": "user"});
    let approve = json!({"verdict": "approve", "reason": "fine", "by": by});
    for (step, body, tag) in [("review", approve, "\"1\""), ("promote", json!({"by": by}), "\"2\"")]
    {
        let decide = || {
            let request = server.build("POST", &format!("{path}/{step}")).json(&body);
            request.header("idempotency-key", "k").header("if-match", tag).send()
        };
        let first = decide().await.unwrap();
        assert_eq!((first.status().as_u16(), is_again(&first)), (200, false), "{step}");
        let first: Value = first.json().await.unwrap();
        let second = decide().await.unwrap();
        assert_eq!((second.status().as_u16(), is_again(&second)), (200, true), "{step}");
        assert_eq!(second.json::<Value>().await.unwrap(), first);
    }
}

async fn events(server: &TestServer) -> Value {
    server.get_json("/events?format=json&after=0&limit=1000").await
}

#[tokio::test]
async fn a_models_call_that_comes_again_writes_memory_once() {
    let server = TestServer::spawn().await;
    let call = |name: &str, arguments: &Value| {
        json!({"id": name, "type": "function",
            "function": {"name": name, "arguments": arguments.to_string()}})
    };
    let written = call("create_memory", &json!({"key": "k", "value": "Ada"}));
    let body = json!({"calls": [written, call("other", &json!({"a": 1}))]}).to_string();
    let first = server.post_once("/tools/calls", "k", &body).await;
    assert_eq!((first.status().as_u16(), is_again(&first)), (200, false));
    let first = first.text().await.unwrap();
    assert!(first.contains("Remembered under"), "{first}");
    let again = server.post_once("/tools/calls", "k", &body).await;
    assert_eq!((again.status().as_u16(), is_again(&again)), (200, true));
    assert_eq!(again.text().await.unwrap(), first);
    let versions = server.get_json("/memory/k").await;
    assert_eq!(versions["version"], 1);
    // Without a key it is another write.
    let later = server.post_json("/tools/calls", 200, &serde_json::from_str(&body).unwrap()).await;
    assert!(!later.to_string().contains("Remembered under"), "{later}");
    // Calls that write nothing are answered again, too.
    let read = json!({"calls": [call("other", &json!({"a": 1}))]}).to_string();
    server.post_once("/tools/calls", "r", &read).await;
    assert!(is_again(&server.post_once("/tools/calls", "r", &read).await));
    let other = server.post_once("/tools/calls", "r", &body).await;
    problem(other, 422, "idempotency_mismatch").await;
}

#[tokio::test]
async fn an_entry_that_is_put_again_under_a_key_is_put_once() {
    let server = TestServer::spawn().await;
    for (method, status) in [("PUT", 201), ("PATCH", 200)] {
        let put = async |key: &str| {
            let request = server.build(method, "/memory/a").header("idempotency-key", key);
            request.json(&json!({"value": method})).send().await.unwrap()
        };
        let first = put("k").await;
        assert_eq!((first.status().as_u16(), is_again(&first)), (status, false));
        let (tag, first) = (first.headers()["etag"].clone(), first.text().await.unwrap());
        let again = put("k").await;
        assert_eq!((again.status().as_u16(), is_again(&again)), (status, true));
        assert_eq!(again.headers()["etag"], tag);
        assert_eq!(again.text().await.unwrap(), first);
    }
    assert_eq!(server.get_json("/memory/a").await["version"], 2);
    // A hook, whose secret is not shown again.
    let hook = json!({"point": "tool_result", "kind": "transform", "builtin": "truncate"});
    let put = async || {
        let request = server.build("PUT", "/hooks/cut").header("idempotency-key", "h");
        request.json(&hook).send().await.unwrap()
    };
    let statuses = [put().await.status().as_u16(), put().await.status().as_u16()];
    assert_eq!(statuses, [201, 201]);
}

#[tokio::test]
async fn a_compile_that_comes_again_is_answered_again_and_counts_once() {
    let server = TestServer::dev().await;
    let told = answers(&json!(null)).await;
    server.register(&hook("m", ("memory_expired", "observe"), &told, &json!({}))).await;
    let entry = json!({"value": 1, "ttl": {"turns": 2}, "scope": {"session_id": "s"}});
    server.remember("a", &entry).await;
    let body = json!({"messages": [{"role": "user", "content": "hi"}], "session_id": "s",
        "memory": true})
    .to_string();
    let first = server.post_once("/compile", "k", &body).await;
    assert_eq!((first.status().as_u16(), is_again(&first)), (200, false));
    let first = first.text().await.unwrap();
    for _ in 0..3 {
        let again = server.post_once("/compile", "k", &body).await;
        assert_eq!((again.status().as_u16(), is_again(&again)), (200, true));
        assert_eq!(again.text().await.unwrap(), first);
    }
    assert_eq!(server.get("/memory/a?session_id=s").await.status(), 200);
    assert_eq!(server.events_of("compile:done").await.len(), 1);
    let page = server.get_json("/compilations").await;
    assert_eq!(page["items"].as_array().unwrap().len(), 1);
    // The next one is another turn, in which the entry expires.
    let next = server.post_once("/compile", "k2", &body).await;
    assert_eq!((next.status().as_u16(), is_again(&next)), (200, false));
    let next = server.post_once("/compile", "k3", &body).await;
    assert_eq!(next.status(), 200);
    assert_eq!(server.events_of("memory:expired").await.len(), 1);
    let other = body.replace("hi", "ho");
    problem(server.post_once("/compile", "k", &other).await, 422, "idempotency_mismatch").await;
    // A dry run stores nothing, and so no answer.
    let dry = server.post_once("/compile?dry_run=true", "d", &body).await;
    assert_eq!((dry.status().as_u16(), is_again(&dry)), (200, false));
    assert!(!is_again(&server.post_once("/compile?dry_run=true", "d", &body).await));
    // What failed was not carried out.
    let bad = json!({"messages": [{"role": "nobody"}]}).to_string();
    for _ in 0..2 {
        let refused = server.post_once("/compile", "bad", &bad).await;
        problem(refused, 422, "invalid_request").await;
    }
}
