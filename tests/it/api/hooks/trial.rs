//! Trying hooks: one call, told in full, and nothing comes of it.

use serde_json::{Value, json};

use super::server;
use crate::support::receiver::{Mode, Receiver};
use crate::support::{TestServer, problem};

/// The secrets of the hook are not in what is shown.
#[tokio::test]
async fn a_registered_hook_is_called_once_and_signed_and_says_that_it_is_a_test() {
    let receiver = Receiver::spawn(Mode::Answer(
        r#"{"action":"merge_patch","patch":{"result":{"content":"short"}}}"#.to_owned(),
    ))
    .await;
    let server = TestServer::dev().await;
    let hook = json!({"id": "cut", "point": "tool_result", "kind": "transform",
        "url": receiver.url(), "headers": {"x-token": "hush-hush-hush"}, "enabled": false});
    let made = server.post_ok("/hooks", &hook).await;
    let secret = made["secret"].as_str().unwrap();
    let tried = server.post_json("/hooks/cut/test", 200, &json!({})).await;
    assert_eq!((&tried["outcome"], &tried["response"]["status"]), (&json!("applied"), &json!(200)));
    assert_eq!(tried["effect"]["payload"], json!({"content": "short", "is_error": true}));
    assert_eq!(tried["request"]["body"]["delivery"]["test"], true);
    assert_eq!(tried["request"]["headers"]["x-token"], "(hidden)");
    let signature = tried["request"]["headers"]["webhook-signature"].as_str().unwrap();
    assert!(signature.starts_with("v1,"), "{signature}");
    let shown = tried.to_string();
    assert!(!shown.contains(secret) && !shown.contains("hush-hush-hush"), "{shown}");
    let requests = receiver.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].contains("hush-hush-hush") && requests[0].contains(signature));
    let after = server.get_json("/hooks/cut").await;
    assert_eq!((&after["revision"], &after["enabled"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn a_hook_is_tried_before_it_is_registered() {
    let server = TestServer::spawn().await;
    let redact = json!({"point": "tool_result", "kind": "transform", "builtin": "redact",
                        "config": {"patterns": ["key-[0-9]+"]}});
    let input = json!({"tool": {"name": "Bash", "call_id": "c", "arguments": {}},
                       "result": {"content": "key-12345", "is_error": false}});
    let tried =
        server.post_json("/hooks/test", 200, &json!({"hook": redact, "input": input})).await;
    assert_eq!(tried["effect"]["payload"]["content"], "[REDACTED]");
    assert_eq!((&tried["request"], &tried["secret"]), (&Value::Null, &Value::Null));
    let none = server.get_json("/hooks").await;
    assert_eq!(none["items"], json!([]));

    let bad = json!({"hook": {"point": "tool_result", "kind": "guard", "url": "http://10.0.0.1/"},
                     "secret": "x", "inptu": {}});
    let refused = problem(server.post("/hooks/test", &bad).await, 422, "invalid_request").await;
    let faults: Vec<&str> = refused["errors"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["pointer"].as_str())
        .collect();
    for pointer in ["/inptu", "/hook/point", "/hook/url", "/secret"] {
        assert!(faults.contains(&pointer), "{pointer}: {faults:?}");
    }
    let wrong = json!({"hook": redact, "point": "event"});
    problem(server.post("/hooks/test", &wrong).await, 422, "invalid_request").await;
    problem(server.post("/hooks/none/test", &json!({})).await, 404, "not_found").await;
}

#[tokio::test]
async fn what_a_guard_and_a_provide_hook_say_is_told() {
    let server = TestServer::dev().await;
    let try_ = async |kind: &str, point: &str, answer: &str| {
        let receiver = Receiver::spawn(Mode::Answer(answer.to_owned())).await;
        let hook = json!({"point": point, "kind": kind, "url": receiver.url()});
        server.post_json("/hooks/test", 200, &json!({"hook": hook})).await
    };
    let denied =
        try_("guard", "tool_call", r#"{"decision":"deny","reason":"no","code":"c"}"#).await;
    assert_eq!(denied["outcome"], "denied");
    assert_eq!(denied["effect"], json!({"decision": "deny", "reason": "no", "code": "c"}));
    assert!(denied["secret"].as_str().unwrap().starts_with("whsec_"));
    let allowed = try_("guard", "tool_call", r#"{"decision":"allow"}"#).await;
    assert_eq!((&allowed["outcome"], &allowed["effect"]), (&json!("allowed"), &Value::Null));
    let given = try_("provide", "before_compile", r#"{"content":"FACT-7"}"#).await;
    assert_eq!(given["effect"]["fragments"][0]["content"], "FACT-7");
    let wrong = try_("guard", "tool_call", r#"{"ok":true}"#).await;
    assert_eq!((&wrong["outcome"], &wrong["why"]), (&json!("failed"), &json!("bad_shape")));
    let heard = try_("observe", "delegation", "whatever").await;
    assert_eq!(heard["outcome"], "delivered");
}

/// No address that hooks may not call is reached, by registration, by trial, or by name.
#[tokio::test]
async fn a_canary_on_this_machine_hears_nothing() {
    let canary = Receiver::spawn(Mode::Answer("null".to_owned())).await;
    let server = server(&[]).await;
    let port = canary.address.port();
    let spellings = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "a.localhost",
        "0.0.0.0",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
        "%31%32%37.0.0.1",
        "[fe80::1]",
        "[fd00::1]",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.0.1",
        "172.16.0.1",
        "100.64.0.1",
    ];
    for host in spellings {
        for scheme in ["http", "https"] {
            let hook = json!({"point": "delegation", "kind": "observe",
                              "url": format!("{scheme}://{host}:{port}/")});
            for (path, body) in [("/hooks", hook.clone()), ("/hooks/test", json!({"hook": hook}))] {
                let refused = problem(server.post(path, &body).await, 422, "invalid_request").await;
                let pointer = refused["errors"][0]["pointer"].as_str().unwrap();
                assert!(pointer.ends_with("/url"), "{scheme}://{host}: {refused}");
            }
        }
    }
    assert_eq!(canary.connections(), 0);
}
