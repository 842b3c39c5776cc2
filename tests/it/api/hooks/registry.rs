//! What is registered, and what is not.

use serde_json::{Value, json};

use super::{MASTER, server};
use crate::support::{Folder, TestServer, json_of, problem};

fn guard() -> Value {
    json!({"id": "pii", "point": "memory_update", "kind": "guard",
           "url": "https://hooks.example.com/pii", "headers": {"Authorization": "Bearer hush-hush"},
           "timeout_ms": 800})
}

fn scan(id: &str) -> Value {
    json!({"id": id, "point": "transform_context", "kind": "guard", "builtin": "secret_scan"})
}

#[tokio::test]
async fn a_hook_is_registered_with_every_default_and_its_secret_is_shown_once() {
    let server = server(&[]).await;
    let made = server.register(&guard()).await;
    let secret = made["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    assert_eq!(made["revision"], 1);
    assert_eq!(made["points"], json!(["memory_update"]));
    assert_eq!(made["headers"], json!(["authorization"]));
    assert_eq!((&made["mode"], &made["enabled"]), (&json!("enforce"), &json!(true)));
    assert_eq!((&made["on_failure"], &made["source"]), (&json!("deny"), &json!("api")));
    assert_eq!(made["circuit"], "closed");
    assert_eq!(made["queue"], json!({"queued": 0, "lost": 0}));

    let read = server.get("/hooks/pii").await;
    assert_eq!(read.headers()["etag"], "\"1\"");
    let text = read.text().await.unwrap();
    for hidden in [secret, "hush-hush", "secret\":"] {
        assert!(!text.contains(hidden), "{text}");
    }
    let list = server.get_json("/hooks").await;
    assert_eq!(list["items"][0], serde_json::from_str::<Value>(&text).unwrap());
    assert_eq!(list["next_cursor"], Value::Null);
    problem(server.post("/hooks", &guard()).await, 409, "conflict").await;
}

#[tokio::test]
async fn a_secret_of_the_callers_own_may_sign_for_several_hooks() {
    let server = server(&[]).await;
    let own = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let with = |id: &str, secret: &str| {
        let mut hook = guard();
        (hook["id"], hook["secret"]) = (json!(id), json!(secret));
        hook
    };
    for id in ["one", "two"] {
        let made = server.register(&with(id, own)).await;
        assert_eq!(made.get("secret"), None, "{made}");
    }
    let long = format!("whsec_{}", "A".repeat(88));
    for bad in
        ["", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8I", &long, "whsec_!"]
    {
        let refused = server.post("/hooks", &with("bad", bad)).await;
        let refused = problem(refused, 422, "invalid_request").await;
        assert_eq!(refused["errors"][0]["pointer"], "/secret");
        assert!(bad.is_empty() || !refused.to_string().contains(bad), "{refused}");
    }
    let mut builtin = scan("scan");
    builtin["secret"] = own.into();
    let refused = problem(server.post("/hooks", &builtin).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/secret");
    let path = "/hooks/one/rotate-secret";
    let again = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    let rotated = server.post_json(path, 200, &json!({"secret": again})).await;
    assert_eq!(rotated.get("secret"), None);
    let refused = server.post(path, &json!({"secret": "short"})).await;
    problem(refused, 422, "invalid_request").await;
}

#[tokio::test]
async fn a_hook_is_put_under_its_id_whether_it_is_there_or_not() {
    let server = server(&[]).await;
    let mut hook = guard();
    hook.as_object_mut().unwrap().remove("id");
    let put = async |hook: &Value, tag: Option<&str>, status: u16| {
        json_of(server.send_if_match("PUT", "/hooks/pii", tag, hook).await, status).await
    };
    let made = put(&hook, None, 201).await;
    assert_eq!((&made["id"], &made["revision"]), (&json!("pii"), &json!(1)));
    assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
    // Put again as it is, it stays as it is, with its secret and its revision.
    let same = put(&hook, None, 200).await;
    assert_eq!((same.get("secret"), &same["revision"]), (None, &json!(1)));
    // All of it is replaced but the secret.
    let small = json!({"point": "memory_update", "kind": "guard", "priority": 3,
        "url": "https://hooks.example.com/pii"});
    let changed = put(&small, Some("\"1\""), 200).await;
    assert_eq!((&changed["revision"], &changed["headers"]), (&json!(2), &json!([])));
    assert_eq!((&changed["timeout_ms"], &changed["priority"]), (&json!(3000), &json!(3)));
    assert_eq!(changed.get("secret"), None);
    let stale = server.send_if_match("PUT", "/hooks/pii", Some("\"1\""), &small).await;
    problem(stale, 412, "precondition_failed").await;
    for tag in ["\"1\"", "*"] {
        let missing = server.send_if_match("PUT", "/hooks/new", Some(tag), &small).await;
        problem(missing, 412, "precondition_failed").await;
    }
    let there = server.send_if_match("PUT", "/hooks/pii", Some("*"), &small).await;
    assert_eq!(there.status(), 200);
    // A secret that is given takes the place of the one of before; the same again changes nothing.
    let mut own = small.clone();
    own["secret"] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".into();
    assert_eq!(put(&own, None, 200).await["revision"], 3);
    assert_eq!(put(&own, None, 200).await["revision"], 3);
    assert_eq!(put(&small, None, 200).await["revision"], 3);
    own["id"] = "other".into();
    let refused = server.put("/hooks/pii", &own).await;
    problem(refused, 422, "invalid_request").await;
    for path in ["/hooks/UPPER", "/hooks/test"] {
        let status = server.put(path, &small).await.status().as_u16();
        assert!([404, 405, 422].contains(&status), "{path}: {status}");
    }
}

#[tokio::test]
async fn every_fault_of_a_hook_is_named_and_nothing_is_stored() {
    let server = server(&[]).await;
    let bad = json!({"id": "UPPER", "point": "tool_cal", "kind": "gard", "url": "http://10.0.0.1/x",
                     "tiemout_ms": 5});
    let refused = problem(server.post("/hooks", &bad).await, 422, "invalid_request").await;
    let faults: Vec<(&str, &Value)> = refused["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| (fault["pointer"].as_str().unwrap(), &fault["did_you_mean"]))
        .collect();
    for (pointer, near) in [
        ("/id", Value::Null),
        ("/point", json!("tool_call")),
        ("/kind", Value::Null),
        ("/url", Value::Null),
        ("/tiemout_ms", json!("timeout_ms")),
    ] {
        assert!(faults.contains(&(pointer, &near)), "{pointer}: {faults:?}");
    }
    let none = server.get_json("/hooks").await;
    assert_eq!(none["items"], json!([]));
}

/// Every pair of point and kind: those that are in the table of points, and no others.
#[tokio::test]
async fn a_kind_stands_where_the_points_say_and_nowhere_else() {
    let server = server(&[]).await;
    let points = server.get_json("/hook-points").await;
    let mut legal = 0;
    for point in points["items"].as_array().unwrap() {
        let kinds: Vec<&str> = point["kinds"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|kind| kind["kind"].as_str())
            .collect();
        for kind in ["guard", "transform", "provide", "observe"] {
            let hook =
                json!({"point": point["point"], "kind": kind, "url": "https://h.example.com/"});
            let answer = server.post("/hooks", &hook).await;
            if kinds.contains(&kind) {
                legal += 1;
                assert_eq!(answer.status(), 201, "{hook}");
            } else {
                let refused = problem(answer, 422, "invalid_request").await;
                assert_eq!(refused["errors"][0]["pointer"], "/point", "{hook}");
            }
        }
    }
    assert_eq!(legal, 27);
    let all = server.get_json("/hooks?limit=20").await;
    let cursor = all["next_cursor"].as_str().unwrap();
    let rest = server.get_json(&format!("/hooks?limit=20&cursor={cursor}")).await;
    assert_eq!(rest["items"].as_array().unwrap().len(), 7);
    let some = server.get_json("/hooks?point=tool_call").await;
    assert_eq!(some["items"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_change_leaves_what_it_does_not_name() {
    let server = server(&[]).await;
    server.register(&guard()).await;
    let changed = server
        .send_if_match(
            "PATCH",
            "/hooks/pii",
            Some("\"1\""),
            &json!({"enabled": false, "priority": 7}),
        )
        .await;
    assert_eq!(
        (changed.status(), &changed.headers()["etag"]),
        (200.try_into().unwrap(), &"\"2\"".parse().unwrap())
    );
    let changed = json_of(changed, 200).await;
    assert_eq!((&changed["enabled"], &changed["priority"]), (&json!(false), &json!(7)));
    assert_eq!(
        (&changed["timeout_ms"], &changed["headers"]),
        (&json!(800), &json!(["authorization"]))
    );
    // Null is the default again.
    let changed =
        json_of(server.patch("/hooks/pii", &json!({"timeout_ms": null})).await, 200).await;
    assert_eq!(changed["timeout_ms"], 3000);
    problem(
        server.send_if_match("PATCH", "/hooks/pii", Some("\"1\""), &json!({})).await,
        412,
        "precondition_failed",
    )
    .await;
    let wrong = server.patch("/hooks/pii", &json!({"point": "event"})).await;
    let wrong = problem(wrong, 422, "invalid_request").await;
    assert_eq!(wrong["errors"][0]["pointer"], "/point");
    problem(server.patch("/hooks/none", &json!({})).await, 404, "not_found").await;

    let gone =
        server.build("DELETE", "/hooks/pii").header("if-match", "\"1\"").send().await.unwrap();
    problem(gone, 412, "precondition_failed").await;
    let gone =
        server.build("DELETE", "/hooks/pii").header("if-match", "\"3\"").send().await.unwrap();
    assert_eq!(gone.status(), 204);
    problem(server.get("/hooks/pii").await, 404, "not_found").await;
}

#[tokio::test]
async fn headers_do_not_follow_a_hook_to_another_server() {
    let server = server(&[]).await;
    server.register(&guard()).await;
    let same = json!({"url": "https://hooks.example.com/other"});
    assert_eq!(server.patch("/hooks/pii", &same).await.status(), 200);
    let other = json!({"url": "https://elsewhere.example.com/pii"});
    let refused = problem(server.patch("/hooks/pii", &other).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/headers");
    let bare = json!({"url": "https://elsewhere.example.com/pii", "headers": null});
    let changed = json_of(server.patch("/hooks/pii", &bare).await, 200).await;
    assert_eq!(changed["headers"], json!([]));
}

#[tokio::test]
async fn a_secret_is_rotated_and_a_repetition_shows_none() {
    let server = server(&[]).await;
    let first = server.register(&guard()).await;
    let rotate = async |key: &str, wanted: &str| {
        let request =
            server.build_json("POST", "/hooks/pii/rotate-secret").header("idempotency-key", key);
        request.body(wanted.to_owned()).send().await.unwrap()
    };
    let second = json_of(rotate("a", "").await, 200).await;
    assert_ne!(second["secret"], first["secret"]);
    assert_eq!(second["revision"], 2);
    let again = rotate("a", "").await;
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    let again = json_of(again, 200).await;
    assert_eq!((&again["secret"], &again["revision"]), (&Value::Null, &json!(2)));
    let wrong =
        problem(rotate("b", "{\"overlap_seconds\":-1}").await, 422, "invalid_request").await;
    assert_eq!(wrong["errors"][0]["pointer"], "/overlap_seconds");
    server.register(&scan("scan")).await;
    problem(server.post("/hooks/scan/rotate-secret", &json!({})).await, 409, "conflict").await;
}

#[tokio::test]
async fn a_request_that_comes_again_registers_no_other_hook() {
    let server = server(&[]).await;
    let hook = json!({"point": "delegation", "kind": "observe", "url": "https://h.example.com/"});
    let send = async || {
        let request = server.build("POST", "/hooks").header("idempotency-key", "k").json(&hook);
        json_of(request.send().await.unwrap(), 201).await
    };
    let (first, second) = (send().await, send().await);
    assert_eq!(first["id"], second["id"]);
    assert!(first["secret"].is_string() && second["secret"].is_null());
    assert_eq!(server.get_json("/hooks").await["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn without_a_master_key_built_in_hooks_work_and_others_are_refused() {
    let server = TestServer::spawn().await;
    let refused = server.post("/hooks", &guard()).await;
    assert!(refused.headers().get("retry-after").is_none());
    problem(refused, 503, "secrets_unavailable").await;
    server.register(&scan("scan")).await;
    let dev = TestServer::dev().await;
    dev.register(&guard()).await;
    let local = json!({"point": "delegation", "kind": "observe", "url": "http://127.0.0.1:9000/"});
    dev.register(&local).await;
    // Its own address is no hook, and without --dev nothing of this machine is.
    let own = json!({"point": "delegation", "kind": "observe", "url": dev.url("/compile")});
    problem(dev.post("/hooks", &own).await, 422, "invalid_request").await;
    let refused = problem(server.post("/hooks", &local).await, 422, "invalid_request").await;
    let detail = refused["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("`--dev` allows this machine"), "{detail}");
}

#[tokio::test]
async fn hooks_outlive_the_server_and_their_secrets_need_its_key() {
    let files = Folder::new();
    let keys = files.write("keys", MASTER);
    let url = format!("sqlite:{}", files.write("db", ""));
    let flags = ["--database-url", &url, "--master-key-file", &keys];
    let first = TestServer::with(&flags).await;
    first.register(&guard()).await;
    first.stop().await;
    let second = TestServer::with(&flags[..2]).await;
    assert_eq!(second.get_json("/hooks/pii").await["revision"], 1);
    let locked = second.post("/hooks/pii/rotate-secret", &json!({})).await;
    problem(locked, 503, "secrets_unavailable").await;
    // What needs no secret works, and loses none.
    assert_eq!(second.patch("/hooks/pii", &json!({"enabled": false})).await.status(), 200);
    second.stop().await;
    let third = TestServer::with(&flags).await;
    assert_eq!(third.post("/hooks/pii/rotate-secret", &json!({})).await.status(), 200);
}

#[tokio::test]
async fn the_operators_hooks_are_shown_without_their_address_and_stay() {
    let files = Folder::new();
    let hooks = json!({"hooks": [scan("scan"), {"id": "log", "point": "delegation",
        "kind": "observe", "url": "https://inside.example.com/x"}]});
    let path = files.write("hooks.json", hooks.to_string());
    let server = server(&["--hooks-file", &path]).await;
    let list = server.get_json("/hooks").await;
    let ids: Vec<&str> =
        list["items"].as_array().unwrap().iter().filter_map(|hook| hook["id"].as_str()).collect();
    assert_eq!(ids, ["log", "scan"]);
    assert_eq!(list["items"][0]["source"], "file");
    assert!(!list.to_string().contains("inside"), "{list}");
    problem(server.patch("/hooks/scan", &json!({"enabled": false})).await, 403, "forbidden").await;
    let gone = server.delete("/hooks/scan").await;
    problem(gone, 403, "forbidden").await;
    problem(server.post("/hooks", &scan("scan")).await, 409, "conflict").await;
}

#[tokio::test]
async fn keys_need_the_scope_of_hooks() {
    let bootstrap = "bootstrap-secret-of-at-least-32-characters";
    let server = TestServer::with(&["--bootstrap-key", bootstrap]).await;
    let make = async |scope: &str| {
        let request = server.build("POST", "/keys").bearer_auth(bootstrap);
        let made =
            json_of(request.json(&json!({"scopes": [scope]})).send().await.unwrap(), 201).await;
        made["key"].as_str().unwrap().to_owned()
    };
    let (reader, writer, other) =
        (make("hooks:read").await, make("hooks:write").await, make("compile").await);
    let call = async |key: &str, method: &str| {
        let request = server.build(method, "/hooks").bearer_auth(key);
        let request = if method == "POST" { request.json(&scan("a")) } else { request };
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!((call(&reader, "GET").await, call(&reader, "POST").await), (200, 403));
    assert_eq!((call(&writer, "POST").await, call(&writer, "GET").await), (201, 200));
    assert_eq!(call(&other, "GET").await, 403);
}

#[tokio::test]
async fn a_request_that_goes_round_is_stopped() {
    let server = TestServer::spawn().await;
    let hop = async |hops: &str| {
        server.build("GET", "/hooks").header("contexture-hop", hops).send().await.unwrap()
    };
    assert_eq!(hop("3").await.status(), 200);
    problem(hop("4").await, 508, "loop_detected").await;
    problem(hop("x").await, 422, "invalid_request").await;
}

#[tokio::test]
async fn headers_that_the_service_sets_are_refused() {
    let server = server(&[]).await;
    let own = ["Host", "contexture-hop", "Content-Length", "transfer-encoding", "Webhook-Id", "te"];
    for name in own {
        let mut hook = guard();
        hook["headers"] = json!({name: "1"});
        let refused = problem(server.post("/hooks", &hook).await, 422, "invalid_request").await;
        let fault =
            json!({"pointer": format!("/headers/{name}"), "detail": "is set by the service"});
        assert_eq!(refused["errors"], json!([fault]), "{name}");
    }
    let mut hook = guard();
    hook["headers"] = json!({"x-host": "1"});
    assert_eq!(server.register(&hook).await["headers"], json!(["x-host"]));
}
