//! One session: opened, used, changed, gone.

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::{TestServer, pointers, problem};

fn hello() -> Value {
    json!({"messages": [user("hello")]})
}

fn ids(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_session_is_opened_read_listed_changed_and_deleted() {
    let server = TestServer::spawn().await;
    let body = json!({"id": "chat/17 ä", "ttl": {"seconds": 60}, "defaults": {
        "target": "anthropic", "system": "Be brief.", "budget": {"context_window": 9000}}});
    let session = server.post_json("/sessions", 201, &body).await;
    assert_eq!(session["defaults"], body["defaults"]);
    for (key, wanted) in [
        ("id", json!("chat/17 ä")),
        ("version", json!(1)),
        ("parent_session_id", Value::Null),
        ("ttl", json!({"seconds": 60})),
        ("turns", json!(0)),
        ("compaction_points", json!([])),
        ("calibration", json!([])),
        ("last_compilation_id", Value::Null),
    ] {
        assert_eq!(session[key], wanted, "{key}");
    }
    let path = "/sessions/chat%2F17%20%C3%A4";
    let answer = server.get(path).await;
    assert_eq!(answer.headers()["etag"], "\"1\"");
    assert_eq!(answer.json::<Value>().await.unwrap(), session);
    // What is there is answered as it is.
    let again = server.post("/sessions", &json!({"id": "chat/17 ä", "defaults": {}})).await;
    assert_eq!(again.status(), 200);
    assert_eq!(again.json::<Value>().await.unwrap(), session);

    let made = server.post_ok("/sessions", &json!({})).await;
    assert!(made["id"].as_str().unwrap().starts_with("ses_"), "{made}");
    server.post_ok("/sessions", &json!({"id": "b"})).await;
    let list = server.get_json("/sessions?limit=2").await;
    assert_eq!(ids(&list), ["b", "chat/17 ä"]);
    let next = list["next_cursor"].as_str().unwrap();
    let rest = server.get_json(&format!("/sessions?cursor={next}")).await;
    assert_eq!(
        (ids(&rest), &rest["next_cursor"]),
        (vec![made["id"].as_str().unwrap()], &json!(null))
    );
    problem(server.get("/sessions?cursor=%00").await, 422, "invalid_request").await;

    assert_eq!(server.delete(path).await.status(), 204);
    problem(server.get(path).await, 404, "not_found").await;
    problem(server.delete(path).await, 404, "not_found").await;
}

#[tokio::test]
async fn a_session_begins_with_its_first_use_and_counts_its_compiles() {
    let server = TestServer::spawn().await;
    problem(server.get("/sessions/s").await, 404, "not_found").await;
    let first = server.compile_in("s", hello()).await;
    let session = server.get_json("/sessions/s").await;
    assert_eq!((&session["turns"], &session["version"]), (&json!(1), &json!(1)));
    assert_eq!(session["last_compilation_id"], first.id.as_str());
    let second = server.compile_in("s", hello()).await;
    let session = server.get_json("/sessions/s").await;
    assert_eq!((&session["turns"], &session["version"]), (&json!(2), &json!(1)));
    assert_eq!(session["last_compilation_id"], second.id.as_str());
    // What fails begins nothing.
    let bad = json!({"messages": [user("hello")], "session_id": "t", "target": "nobody"});
    problem(server.post("/compile", &bad).await, 422, "invalid_request").await;
    problem(server.get("/sessions/t").await, 404, "not_found").await;
}

#[tokio::test]
async fn a_session_s_defaults_stand_in_for_what_a_request_does_not_say() {
    let server = TestServer::spawn().await;
    let defaults = json!({"target": "anthropic", "system": "Be brief.",
        "budget": {"context_window": 9000}});
    server.post_ok("/sessions", &json!({"id": "s", "defaults": defaults})).await;
    let compiled = server.compile_in("s", hello()).await;
    assert_eq!(
        compiled.payload["system"][0]["text"].as_str().or(compiled.payload["system"].as_str()),
        Some("Be brief."),
        "{}",
        compiled.text
    );
    assert_eq!(compiled.number("budget"), 9000);
    // The request wins, key by key; null is given, too.
    let mut own = hello();
    own["budget"] = json!({"context_window": 7000});
    own["system"] = Value::Null;
    let compiled = server.compile_in("s", own).await;
    assert_eq!(compiled.number("budget"), 7000);
    assert!(compiled.payload.get("system").is_none(), "{}", compiled.text);
}

#[tokio::test]
async fn the_session_s_defaults_win_over_the_key_s() {
    let server = TestServer::locked(&[]).await;
    let wanted = json!({"scopes": ["compile", "sessions:write"],
        "defaults": {"budget": {"context_window": 5000}, "target": "gemini", "session_id": "s"}});
    let (key, _) = server.create_key(&wanted).await;
    let session = json!({"id": "s", "defaults": {"target": "anthropic"}});
    assert_eq!(server.call(&key, "POST", "/sessions", &session).await.status(), 201);
    let compiled = server.call_ok(&key, "POST", "/compile", &hello()).await;
    assert_eq!(compiled["report"]["budget"], 5000);
    assert!(compiled["payload"].get("messages").is_some(), "{compiled}");
}

#[tokio::test]
async fn a_patch_merges_and_takes_away() {
    let server = TestServer::spawn().await;
    let defaults = json!({"target": "anthropic", "budget": {"context_window": 9000,
        "reserve_output": 10}, "explain": "full"});
    server.post_ok("/sessions", &json!({"id": "s", "defaults": defaults})).await;
    let change = json!({"ttl": {"seconds": 5}, "defaults": {"explain": null,
        "budget": {"reserve_output": null, "on_overflow": "fail"}, "model": "gpt-4o"}});
    let answer = server.patch("/sessions/s", &change).await;
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["etag"]),
        (200, &"\"2\"".parse().unwrap())
    );
    let session: Value = answer.json().await.unwrap();
    assert_eq!(
        session["defaults"].to_string(),
        json!({"target": "anthropic",
        "budget": {"context_window": 9000, "on_overflow": "fail"}, "model": "gpt-4o"})
        .to_string()
    );
    assert_eq!(session["ttl"], json!({"seconds": 5}));
    // What does not hold together is refused whole.
    let bad = json!({"ttl": null, "defaults": {"budget": {"reserve_output": 9000}}});
    let refused = problem(server.patch("/sessions/s", &bad).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/defaults/budget/reserve_output");
    assert_eq!(server.get_json("/sessions/s").await, session);
    let all: Value = server
        .patch("/sessions/s", &json!({"ttl": null, "defaults": null}))
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(
        (&all["ttl"], &all["defaults"], &all["version"]),
        (&json!(null), &json!(null), &json!(3))
    );
    problem(server.patch("/sessions/t", &json!({})).await, 404, "not_found").await;
}

#[tokio::test]
async fn a_version_that_is_not_stored_is_not_changed() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    let with = |method: &str, tag: &str| {
        server.build(method, "/sessions/s").header("if-match", tag.to_owned())
    };
    let change = json!({"defaults": {"explain": "full"}});
    assert_eq!(with("PATCH", "\"1\"").json(&change).send().await.unwrap().status(), 200);
    // Compiles change no version.
    server.compile_in("s", hello()).await;
    problem(with("PATCH", "\"1\"").json(&change).send().await.unwrap(), 412, "precondition_failed")
        .await;
    problem(with("DELETE", "\"1\"").send().await.unwrap(), 412, "precondition_failed").await;
    assert_eq!(with("DELETE", "\"2\"").send().await.unwrap().status(), 204);
}

#[tokio::test]
async fn faults_are_named_all_at_once_and_nothing_is_opened() {
    let server = TestServer::spawn().await;
    let body = json!({"id": "", "ttl": {"turns": 3}, "parent": "x", "defaults": {
        "target": "nobody", "messages": [], "session_id": "t", "modle": "x"}});
    let refused = problem(server.post("/sessions", &body).await, 422, "invalid_request").await;
    let pointers = pointers(&refused);
    for pointer in [
        "/id",
        "/parent",
        "/ttl/turns",
        "/ttl/seconds",
        "/defaults/target",
        "/defaults/messages",
        "/defaults/session_id",
        "/defaults/modle",
    ] {
        assert!(pointers.contains(&pointer), "{pointer} is not in {pointers:?}");
    }
    assert_eq!(ids(&server.get_json("/sessions").await), [""; 0]);
}

#[tokio::test]
async fn a_request_that_comes_again_opens_one_session() {
    let server = TestServer::spawn().await;
    let open = || server.build("POST", "/sessions").header("idempotency-key", "k").json(&json!({}));
    let first = open().send().await.unwrap();
    assert_eq!(first.status(), 201);
    let first: Value = first.json().await.unwrap();
    let second = open().send().await.unwrap();
    assert_eq!(second.headers()["idempotency-replayed"], "true");
    assert_eq!(second.json::<Value>().await.unwrap(), first);
    assert_eq!(ids(&server.get_json("/sessions").await).len(), 1);
    let events = server.get_json("/events?format=json&after=0").await;
    assert_eq!(events["items"].as_array().unwrap().len(), 1, "{events}");
    assert_eq!(events["items"][0]["type"], "session:switched");
    assert_eq!(
        events["items"][0]["data"],
        json!({"new_session_id": first["id"],
        "parent_session_id": "", "reset": false, "reason": "new"})
    );
}

#[tokio::test]
async fn what_is_deleted_takes_its_memory_and_its_turns_along() {
    let server = TestServer::spawn().await;
    for session in ["s", "t"] {
        let entry =
            json!({"value": format!("a secret of {session}"), "scope": {"session_id": session}});
        let put = server.put("/memory/k", &entry).await;
        assert_eq!(put.status(), 201);
        let mut body = hello();
        body["memory"] = json!(true);
        let compiled = server.compile_in(session, body).await;
        assert!(compiled.text.contains(&format!("a secret of {session}")), "{}", compiled.text);
    }
    assert_eq!(server.delete("/sessions/s").await.status(), 204);
    problem(server.get("/memory/k?session_id=s").await, 404, "not_found").await;
    problem(server.get("/memory/k/versions?session_id=s").await, 404, "not_found").await;
    assert_eq!(server.get_json("/memory/k?session_id=t").await["value"], "a secret of t");
    let found = server
        .post_ok("/memory/recall", &json!({"query": "secret", "scope": {"session_id": "s"}}))
        .await;
    assert_eq!(found["items"], json!([]), "{found}");
    // Under the same name another one begins from nothing.
    let mut body = hello();
    body["memory"] = json!(true);
    let compiled = server.compile_in("s", body).await;
    assert!(!compiled.text.contains("a secret"), "{}", compiled.text);
    assert!(compiled.report["cache"]["first_change"].is_null(), "{}", compiled.report);
    assert_eq!(server.get_json("/sessions/s").await["turns"], 1);
}

#[tokio::test]
async fn compiles_at_once_are_all_counted() {
    let server = TestServer::spawn().await;
    let compiles = (0..12).map(|_| server.compile_in("s", hello()));
    let all = futures_util::future::join_all(compiles).await;
    let session = server.get_json("/sessions/s").await;
    assert_eq!(session["turns"], 12);
    let last = session["last_compilation_id"].as_str().unwrap();
    assert!(all.iter().any(|one| one.id == last));
    assert!(all.iter().all(|one| one.text == all[0].text));
}

#[tokio::test]
async fn segments_that_clients_take_out_of_a_path_name_nothing() {
    let server = TestServer::spawn().await;
    for name in [".", ".."] {
        let mut compile = hello();
        compile["session_id"] = json!(name);
        for (path, body, pointer) in
            [("/sessions", json!({"id": name}), "/id"), ("/compile", compile, "/session_id")]
        {
            let refused = problem(server.post(path, &body).await, 422, "invalid_request").await;
            assert_eq!(pointers(&refused), [pointer], "{path} {name}");
            let detail = refused["errors"][0]["detail"].as_str().unwrap();
            assert!(detail.contains("`..`"), "{detail}");
        }
    }
}
