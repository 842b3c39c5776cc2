//! In which order hooks run.

use serde_json::{Value, json};

use crate::support::{TestServer, json_of, problem};

async fn redact(server: &TestServer, id: &str) {
    let hook = json!({"id": id, "points": ["tool_result", "transform_context"],
                      "kind": "transform", "builtin": "redact", "config": {"patterns": ["x"]}});
    assert_eq!(server.post("/hooks", &hook).await.status(), 201, "{id}");
}

async fn order(server: &TestServer, query: &str) -> Value {
    server.get_json(&format!("/hook-order{query}")).await
}

#[tokio::test]
async fn those_that_are_listed_come_first_and_the_others_by_the_bytes_of_their_ids() {
    let server = TestServer::spawn().await;
    for id in ["a", "z", "m", "10", "9", "alpha", "zeta"] {
        redact(&server, id).await;
    }
    let before = order(&server, "").await;
    assert_eq!((&before["revision"], &before["manifest"]), (&json!(0), &json!({"points": {}})));
    let manifest = json!({"points": {"tool_result": ["z", "a"]}});
    let set = server.send_if_match("PUT", "/hook-order", Some("\"0\""), &manifest).await;
    assert_eq!(set.headers()["etag"], "\"1\"");
    let set: Value = set.json().await.unwrap();
    assert_eq!(
        set["order"]["tool_result"]["transform"],
        json!(["z", "a", "10", "9", "alpha", "m", "zeta"])
    );
    let others = json!(["10", "9", "a", "alpha", "m", "z", "zeta"]);
    assert_eq!(set["order"]["transform_context"]["transform"], others);
    assert_eq!(set["changes"]["tool_result"]["added"], json!(["z", "a"]));
    assert_ne!(set["order_hash"], before["order_hash"]);
    let turned = json!({"points": {"tool_result": ["a", "z"]}});
    let set: Value = server
        .send_if_match("PUT", "/hook-order", Some("\"1\""), &turned)
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(
        set["changes"],
        json!({"tool_result":
        {"added": [], "removed": [], "reordered": ["a", "z"]}})
    );
    problem(
        server.send_if_match("PUT", "/hook-order", Some("\"1\""), &manifest).await,
        412,
        "precondition_failed",
    )
    .await;
}

#[tokio::test]
async fn what_a_session_says_of_a_point_stands_in_the_place_of_what_is_said_for_all() {
    let server = TestServer::spawn().await;
    for id in ["a", "b"] {
        redact(&server, id).await;
    }
    let both = json!({"points": {"tool_result": ["b"], "transform_context": ["b"]}});
    server.send_if_match("PUT", "/hook-order", None, &both).await;
    let narrow = json!({"points": {"tool_result": ["a"]}});
    server.send_if_match("PUT", "/hook-order?session_id=s", None, &narrow).await;
    let of_session = order(&server, "?session_id=s").await["order"].clone();
    assert_eq!(of_session["tool_result"]["transform"], json!(["a", "b"]));
    assert_eq!(of_session["transform_context"]["transform"], json!(["b", "a"]));
    for query in ["", "?session_id=other"] {
        let of_all = order(&server, query).await["order"].clone();
        assert_eq!(of_all["tool_result"]["transform"], json!(["b", "a"]), "{query}");
    }
}

#[tokio::test]
async fn a_faulty_order_is_refused_and_the_one_before_stands() {
    let server = TestServer::spawn().await;
    server
        .send_if_match("PUT", "/hook-order", None, &json!({"points": {"tool_result": ["a"]}}))
        .await;
    let before = order(&server, "").await;
    for (bad, pointer) in [
        (json!({"points": {"tool_result": []}}), "/points/tool_result"),
        (json!({"points": {"tool_result": ["a", "a"]}}), "/points/tool_result/1"),
        (json!({"points": {"tool_resutl": ["a"]}}), "/points/tool_resutl"),
        (json!({"points": {}, "version": 1}), "/version"),
        (json!({"points": {"tool_result": [1]}}), "/points/tool_result/0"),
    ] {
        let refused = problem(
            server.send_if_match("PUT", "/hook-order", None, &bad).await,
            422,
            "invalid_request",
        )
        .await;
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{bad}");
    }
    assert_eq!(order(&server, "").await, before);
}

#[tokio::test]
async fn ids_that_no_hook_has_are_taken_and_told() {
    let server = TestServer::spawn().await;
    redact(&server, "a").await;
    let manifest = json!({"points": {"tool_result": ["ghost", "a"]}});
    let set = json_of(server.send_if_match("PUT", "/hook-order", None, &manifest).await, 200).await;
    assert_eq!(set["unknown_ids"], json!(["ghost"]));
    assert_eq!(set["order"]["tool_result"]["transform"], json!(["a"]));
}

#[tokio::test]
async fn the_kind_comes_before_what_is_listed_and_priority_too() {
    let server = TestServer::dev().await;
    for (id, kind, priority) in [
        ("watch", "observe", 9),
        ("check", "guard", 0),
        ("first", "guard", 5),
        ("second", "guard", 5),
    ] {
        let hook = json!({"id": id, "point": "tool_call", "kind": kind, "priority": priority,
                          "url": "https://h.example.com/"});
        assert_eq!(server.post("/hooks", &hook).await.status(), 201);
    }
    let manifest = json!({"points": {"tool_call": ["watch", "check", "second"]}});
    let set: Value =
        server.send_if_match("PUT", "/hook-order", None, &manifest).await.json().await.unwrap();
    let guards = json!({"guard": ["second", "first", "check"], "observe": ["watch"]});
    assert_eq!(set["order"]["tool_call"], guards);
}
