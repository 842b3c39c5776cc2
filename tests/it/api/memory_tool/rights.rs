//! Where commands write, and what they may not change.

use serde_json::{Value, json};

use super::{
    command, create, delete, insert, keys, refused, rename, replace, run, run_all, said, tools,
    turn, view,
};
use crate::support::TestServer;

#[tokio::test]
async fn files_are_in_the_scope_that_a_model_writes_to() {
    for (scope, path) in [
        (json!({}), "k"),
        (json!({"subject": "ann"}), "k?subject=ann"),
        (json!({"agent": "coder"}), "k?agent=coder"),
        (json!({"subject": "ann", "session_id": "s"}), "k?subject=ann&session_id=s"),
        (Value::Null, "k?session_id=s"),
    ] {
        let server = TestServer::spawn().await;
        let defaults = json!({"id": "s", "defaults": {"memory": {"scope": scope}}});
        server.post_ok("/sessions", &defaults).await;
        let result = turn(&server, "s", create("/memories/k", "turn"), &json!({})).await;
        assert!(!said(&result).is_error, "{scope}: {result}");
        assert_eq!(server.get_json(&format!("/memory/{path}")).await["value"], "turn", "{scope}");
        let session = json!({"session_id": "s"});
        let input = replace("/memories/k", "turn", "call");
        let done = run_all(&server, &[input], &session).await;
        assert!(!done[0].is_error, "{scope}: {done:?}");
        assert_eq!(server.get_json(&format!("/memory/{path}")).await["value"], "call", "{scope}");
        assert_eq!(keys(&server).await, ["k"], "{scope}");
        // Entries of other scopes are no files of this one.
        let other = json!({"scope": {"subject": "bob"}});
        let done = run_all(&server, &[view("/memories"), delete("/memories/k")], &other).await;
        assert!(done[0].text.ends_with("\n0B\t/memories"), "{scope}: {done:?}");
        assert!(done[1].is_error, "{scope}: {done:?}");
    }
}

#[tokio::test]
async fn without_the_right_to_write_files_are_only_shown() {
    let server = TestServer::spawn().await;
    let defaults = json!({"id": "s", "defaults": {"memory": {"scope": {}, "write": false}}});
    server.post_ok("/sessions", &defaults).await;
    server.remember("d%2Ff", &json!({"value": "x"})).await;
    let inputs = [
        create("/memories/n", "x"),
        replace("/memories/d/f", "x", "y"),
        insert("/memories/d/f", 0, "y"),
        delete("/memories/d/f"),
        delete("/memories/d"),
        rename("/memories/d", "/memories/e"),
        delete("/memories/none"),
    ];
    let session = json!({"session_id": "s"});
    for said in run_all(&server, &inputs, &session).await {
        assert!(said.is_error && said.text == "Memory may not be written here.", "{said:?}");
    }
    let done = run_all(&server, &[view("/memories/d/f")], &session).await;
    assert!(done[0].text.ends_with("     1\tx"), "{done:?}");
    let result = turn(&server, "s", delete("/memories/d"), &json!({"memory": true})).await;
    assert_eq!(said(&result).text, "Memory may not be written here.");
    assert_eq!(keys(&server).await, ["d/f"]);
    let denied = server.events_of("memory:denied").await;
    assert!(!denied.is_empty());
    assert!(denied.iter().all(|data| data["reason"] == "write_off"), "{denied:?}");
}

#[tokio::test]
async fn only_allowed_keys_are_written() {
    let server = TestServer::spawn().await;
    for key in ["d%2Fa", "d%2Fb"] {
        server.remember(key, &json!({"value": "x"})).await;
    }
    let allowed = json!({"allowed_keys": ["d/a", "n"]});
    let inputs = [
        create("/memories/other", "x"),
        replace("/memories/d/b", "x", "y"),
        delete("/memories/d"),
        rename("/memories/d", "/memories/e"),
        rename("/memories/d/a", "/memories/e"),
        rename("/memories/d/b", "/memories/n"),
    ];
    for said in run_all(&server, &inputs, &allowed).await {
        assert!(said.is_error, "{said:?}");
        assert!(said.text.contains("may not be written; these keys may: d/a, n."), "{said:?}");
    }
    assert_eq!(keys(&server).await, ["d/a", "d/b"]);
    let inputs = [
        replace("/memories/d/a", "x", "y"),
        view("/memories/d/b"),
        rename("/memories/d/a", "/memories/n"),
    ];
    for said in run_all(&server, &inputs, &allowed).await {
        assert!(!said.is_error, "{said:?}");
    }
    assert_eq!(keys(&server).await, ["d/b", "n"]);
}

#[tokio::test]
async fn what_was_retracted_is_no_file_and_stays() {
    let server = TestServer::spawn().await;
    server.remember("d%2Fr", &json!({"value": "x"})).await;
    server.post_ok("/memory/d%2Fr/retract", &json!({})).await;
    run(&server, create("/memories/d/f", "y")).await;
    run(&server, create("/memories/e/r", "y")).await;
    assert!(!run(&server, view("/memories")).await.contains("d/r"));
    for input in [create("/memories/d/r", "z"), rename("/memories/d/f", "/memories/d/r")] {
        let text = refused(&server, input).await;
        assert_eq!(
            text,
            "Error: /memories/d/r is retracted and may not be written. Nothing was done."
        );
    }
    for input in
        [view("/memories/d/r"), delete("/memories/d/r"), replace("/memories/d/r", "x", "y")]
    {
        assert!(refused(&server, input).await.contains("does not exist"));
    }
    run(&server, delete("/memories/d")).await;
    // A directory is not moved over it either.
    let text = refused(&server, rename("/memories/e", "/memories/d")).await;
    assert!(text.contains("/memories/d/r is retracted"), "{text}");
    assert_eq!(server.get_json("/memory/d%2Fr").await["value"], "x");
    assert_eq!(keys(&server).await, ["d/r", "e/r"]);
}

#[tokio::test]
async fn files_expire_as_the_defaults_say() {
    let server = TestServer::spawn().await;
    let memory = json!({"scope": {}, "ttl": {"seconds": 3600}});
    server.post_ok("/sessions", &json!({"id": "s", "defaults": {"memory": memory}})).await;
    let inputs = [create("/memories/f", "x"), rename("/memories/f", "/memories/g")];
    let done = run_all(&server, &inputs, &json!({"session_id": "s"})).await;
    assert!(done.iter().all(|said| !said.is_error), "{done:?}");
    let entry = server.get_json("/memory/g").await;
    assert_eq!(entry["ttl"], json!({"seconds": 3600}));
    assert!(entry["expires_at"].is_string(), "{entry}");
}

#[tokio::test]
async fn under_review_a_text_is_proposed_and_nothing_is_deleted() {
    let server = TestServer::with(&["--memory-promotion", "review"]).await;
    server.remember("f", &json!({"value": "x"})).await;
    let text = run(&server, create("/memories/g", "y")).await;
    assert!(text.contains("Proposed"), "{text}");
    run(&server, replace("/memories/f", "x", "z")).await;
    for input in [delete("/memories/f"), rename("/memories/f", "/memories/h")] {
        assert!(refused(&server, input).await.contains("by people"));
    }
    assert_eq!(keys(&server).await, ["f"]);
    assert_eq!(server.get_json("/memory/f").await["value"], "x");
    let queue = server.get_json("/memory-candidates?state=in_review").await;
    assert_eq!(queue["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_tenant_sees_its_own_files() {
    let server = TestServer::locked(&[]).await;
    let (ours, _) = server.create_key(&json!({"scopes": ["tools"], "tenant": "a"})).await;
    let (theirs, _) = server.create_key(&json!({"scopes": ["tools"], "tenant": "b"})).await;
    let send = async |key: &str, input: Value| {
        let body = json!({"calls": [command("c", &input)], "tools": tools()});
        said(&server.call_ok(key, "POST", "/tools/calls", &body).await["results"][0])
    };
    assert!(!send(&ours, create("/memories/f", "x")).await.is_error);
    assert!(send(&theirs, view("/memories/f")).await.is_error);
    assert!(!send(&ours, view("/memories/f")).await.is_error);
}
