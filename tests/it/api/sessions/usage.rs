//! What providers count, and what is done about it.

use serde_json::{Value, json};

use crate::support::compile::{user, words};
use crate::support::{TestServer, problem};

/// One message of so many tokens within a window.
fn asked(tokens: usize, window: u64) -> Value {
    json!({"messages": [user(&words("m", tokens))], "model": "bytes4", "target": "neutral",
        "budget": {"context_window": window}})
}

#[tokio::test]
async fn a_report_calibrates_the_counts_of_its_session_and_model() {
    let server = TestServer::spawn().await;
    let before = server.compile_in("s", asked(1000, 5000)).await;
    assert_eq!((before.number("tokens_after"), &before.report["exact"]), (1000, &json!(true)));
    let usage = json!({"usage": {"prompt_tokens": 1250, "completion_tokens": 7}});
    let session = server.post_ok("/sessions/s/usage", &usage).await;
    assert_eq!(session["calibration"], json!([{"model": "bytes4", "factor": 1.25, "reports": 1}]));
    assert_eq!(session["version"], 1);

    let after = server.compile_in("s", asked(2000, 5000)).await;
    assert_eq!((after.number("tokens_after"), &after.report["exact"]), (2500, &json!(false)));
    assert_eq!((after.number("tokens_before"), &after.report["fits"]), (2500, &json!(true)));
    // Neither another session nor another model has heard of it.
    assert_eq!(server.compile_in("t", asked(2000, 5000)).await.number("tokens_after"), 2000);
    let mut other = asked(2000, 5000);
    other["model"] = json!("gpt-4o");
    assert_eq!(server.compile_in("s", other).await.report["exact"], true);
    let session = server.get_json("/sessions/s").await;
    assert_eq!(session["calibration"][1], json!({"model": "gpt-4o", "factor": null, "reports": 0}));
    // A model is named where it was not the last.
    let usage = json!({"usage": {"input_tokens": 1000, "cache_read_input_tokens": 3000},
        "model": "bytes4"});
    let session = server.post_ok("/sessions/s/usage", &usage).await;
    assert_eq!(session["calibration"][0], json!({"model": "bytes4", "factor": 2.0, "reports": 2}));
}

#[tokio::test]
async fn the_usage_in_a_compile_is_of_the_payload_before() {
    let server = TestServer::spawn().await;
    server.compile_in("s", asked(1000, 9000)).await;
    let mut body = asked(2000, 9000);
    body["usage"] = json!({"promptTokenCount": 3000, "totalTokenCount": 3010});
    let compiled = server.compile_in("s", body.clone()).await;
    assert_eq!(compiled.number("tokens_after"), 6000);
    assert!(compiled.codes("warnings").is_empty());
    assert_eq!(server.compile_in("s", asked(1000, 9000)).await.number("tokens_after"), 3000);
    // Of what was never sent nothing can be counted.
    let compiled = server.compile_in("new", body.clone()).await;
    assert_eq!(compiled.codes("warnings"), ["usage_unmatched"]);
    assert_eq!(compiled.number("tokens_after"), 2000);
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.codes("warnings"), ["usage_needs_session"]);
}

#[tokio::test]
async fn what_the_provider_counts_decides_what_fits_and_moves_no_point() {
    let server = TestServer::spawn().await;
    let list: Vec<Value> = (0..8).map(|at| user(&words(&format!("m{at}"), 1000))).collect();
    let body = |count: usize| {
        json!({"messages": list[..count], "model": "bytes4", "target": "neutral",
            "budget": {"context_window": 10_000}})
    };
    server.compile_in("s", body(4)).await;
    server.post_ok("/sessions/s/usage", &json!({"usage": {"prompt_tokens": 8000}})).await;
    // Eight thousand by our count are no compaction point, and sixteen by the provider's are too
    // much: for this payload alone it is shortened.
    let squeezed = server.compile_in("s", body(8)).await;
    assert_eq!((&squeezed.report["fits"], squeezed.number("budget")), (&json!(true), 10_000));
    assert!(squeezed.number("tokens_after") <= 10_000);
    assert!(squeezed.action("summarized") + squeezed.action("dropped") > 0);
    assert_eq!(squeezed.report["cache"]["first_change"]["why"], "squeeze");
    let free = server.compile_in("t", body(8)).await;
    assert_eq!(free.action("kept"), 8);
    server
        .post_ok("/sessions/s/usage", &json!({"usage": {"prompt_tokens": 1}, "model": "bytes4"}))
        .await;
    assert_eq!(server.compile_in("s", body(8)).await.text, free.text);
}

#[tokio::test]
async fn a_report_of_nothing_is_refused() {
    let server = TestServer::spawn().await;
    let usage = json!({"usage": {"prompt_tokens": 5}});
    problem(server.post("/sessions/s/usage", &usage).await, 404, "not_found").await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    problem(server.post("/sessions/s/usage", &usage).await, 409, "conflict").await;
    for (bad, pointer) in [
        (json!({}), "/usage"),
        (json!({"usage": 5}), "/usage"),
        (json!({"usage": {}}), "/usage"),
        (json!({"usage": {"prompt_tokens": "5"}}), "/usage"),
        (json!({"usage": {"prompt_tokens": 5}, "modle": "x"}), "/modle"),
    ] {
        let refused = problem(server.post("/sessions/s/usage", &bad).await, 422, "invalid_request");
        assert_eq!(refused.await["errors"][0]["pointer"], pointer, "{bad}");
    }
    let body =
        json!({"messages": [user("x")], "usage": {"completion_tokens": 1}, "session_id": "s"});
    let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/usage");
}
