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
    // The mean of 1.25 and 2.
    assert_eq!(
        session["calibration"][0],
        json!({"model": "bytes4", "factor": 1.625, "reports": 2})
    );
}

#[tokio::test]
async fn the_usage_in_a_compile_is_of_the_payload_before() {
    let server = TestServer::spawn().await;
    server.compile_in("s", asked(1000, 9000)).await;
    let mut body = asked(2000, 9000);
    body["usage"] = json!({"promptTokenCount": 1500, "totalTokenCount": 1510});
    let compiled = server.compile_in("s", body.clone()).await;
    assert_eq!(compiled.number("tokens_after"), 3000);
    assert!(compiled.codes("warnings").is_empty());
    assert_eq!(server.compile_in("s", asked(1000, 9000)).await.number("tokens_after"), 1500);
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
    // With two reports of less, the median is that of the table.
    for session in ["s", "s"] {
        let sent = server.compile_in(session, body(4)).await;
        assert_eq!(sent.action("kept"), 4);
        server.post_ok("/sessions/s/usage", &json!({"usage": {"prompt_tokens": 4000}})).await;
    }
    assert_eq!(server.compile_in("s", body(8)).await.text, free.text);
}

/// The calibration of the first model of a session, as `[factor, reports]`.
async fn calibration(server: &TestServer, session: &str) -> Value {
    let shown = server.get_json(&format!("/sessions/{session}")).await;
    let first = &shown["calibration"][0];
    json!([first["factor"], first["reports"]])
}

#[tokio::test]
async fn an_implausible_report_changes_nothing_and_is_warned_of() {
    let server = TestServer::spawn().await;
    let whole = server.compile_in("s", asked(2000, 9000)).await;
    let before = server.get_json("/sessions/s").await;
    for tokens in [1, 999, 4001, 18_050, 1_u64 << 40] {
        let usage = json!({"usage": {"prompt_tokens": tokens}});
        let reported = server.post_ok("/sessions/s/usage", &usage).await;
        assert_eq!(reported["warnings"][0]["code"], "usage_implausible", "{tokens}");
        assert_eq!(reported["warnings"][0]["pointer"], "/usage");
        assert_eq!(reported["calibration"], before["calibration"], "{tokens}");
        let mut body = asked(2000, 9000);
        body["usage"] = usage["usage"].clone();
        let compiled = server.compile_in("s", body.clone()).await;
        assert_eq!(compiled.codes("warnings"), ["usage_implausible"], "{tokens}");
        assert_eq!((compiled.number("tokens_after"), &compiled.text), (2000, &whole.text));
        assert_eq!(calibration(&server, "s").await, json!([null, 0]));
        // A turn warns as a compile does.
        let turn = json!({"append": [user(&words("t", 2000))], "model": "bytes4", "target": "neutral",
            "usage": {"prompt_tokens": tokens}});
        let first = json!({"append": [user(&words("u", 2000))], "model": "bytes4",
            "target": "neutral"});
        server.post_ok("/sessions/t/turns", &first).await;
        let turn = server.post_ok("/sessions/t/turns", &turn).await;
        assert_eq!(turn["report"]["warnings"][0]["code"], "usage_implausible", "{turn}");
        server.delete("/sessions/t").await;
    }
    // The bounds themselves are plausible.
    for (tokens, factor) in [(4000, 2.0), (1000, 1.25)] {
        let usage = json!({"usage": {"prompt_tokens": tokens}});
        let reported = server.post_ok("/sessions/s/usage", &usage).await;
        assert_eq!(reported["warnings"], json!([]));
        assert_eq!(reported["calibration"][0]["factor"], factor);
    }
    // Compiles count as they are counted, not as was reported.
    let used = server.get_json("/usage").await;
    let rows = used["items"].as_array().unwrap();
    let tokens: u64 = rows.iter().map(|row| row["tokens_after"].as_u64().unwrap()).sum();
    assert_eq!(tokens, 6 * 2000 + 5 * (2000 + 4000));
}

#[tokio::test]
async fn a_short_report_is_not_learnt_from() {
    let server = TestServer::spawn().await;
    server.compile_in("s", asked(900, 5000)).await;
    for tokens in [450, 900, 999] {
        let usage = json!({"usage": {"prompt_tokens": tokens}});
        let reported = server.post_ok("/sessions/s/usage", &usage).await;
        assert_eq!(reported["warnings"], json!([]), "{tokens}");
        assert_eq!(calibration(&server, "s").await, json!([null, 0]));
    }
    server.post_ok("/sessions/s/usage", &json!({"usage": {"prompt_tokens": 1000}})).await;
    assert_eq!(calibration(&server, "s").await, json!([1.111, 1]));
}

#[tokio::test]
async fn the_factor_is_the_median_of_the_last_five_reports() {
    let server = TestServer::spawn().await;
    server.compile_in("s", asked(1000, 9000)).await;
    let reports = [
        (1100, 1.1),
        (2000, 1.55),
        (1200, 1.2),
        (1300, 1.25),
        (1000, 1.2),
        (1900, 1.3),
        (1900, 1.3),
        (1900, 1.9),
    ];
    for (at, (tokens, factor)) in (1..).zip(reports) {
        let usage = json!({"usage": {"prompt_tokens": tokens}});
        let session = server.post_ok("/sessions/s/usage", &usage).await;
        assert_eq!(session["calibration"][0]["factor"], factor, "report {at}");
        assert_eq!(session["calibration"][0]["reports"], at);
    }
    // A fork and a snapshot go on from the same reports.
    server.post_ok("/sessions/s/fork", &json!({"new_session_id": "fork"})).await;
    let taken = server.post_ok("/sessions/s/snapshots", &json!({})).await;
    let path = format!("/snapshots/{}", taken["id"].as_str().unwrap());
    let snapshot = server.get_json(&path).await;
    assert_eq!(snapshot["calibration"][0]["factors"], json!([1.3, 1.0, 1.9, 1.9, 1.9]));
    server.post_ok("/sessions/kept/restore", &json!({"snapshot_id": taken["id"]})).await;
    server.post_ok("/sessions/given/restore", &json!({"snapshot": snapshot})).await;
    for session in ["s", "fork", "kept", "given"] {
        let path = format!("/sessions/{session}/usage");
        server.post_ok(&path, &json!({"usage": {"prompt_tokens": 1000}})).await;
        server.post_ok(&path, &json!({"usage": {"prompt_tokens": 1000}})).await;
        assert_eq!(calibration(&server, session).await, json!([1.9, 10]), "{session}");
        server.post_ok(&path, &json!({"usage": {"prompt_tokens": 1000}})).await;
        assert_eq!(calibration(&server, session).await, json!([1.0, 11]), "{session}");
    }
}

#[tokio::test]
async fn one_report_alone_drops_nothing() {
    let server = TestServer::spawn().await;
    // The summary has no room: what leaves the history is dropped.
    let list: Vec<Value> = (0..5).map(|at| user(&words(&format!("m{at}"), 300))).collect();
    let body = |count: usize| {
        json!({"messages": list[..count], "model": "bytes4", "target": "neutral",
            "budget": {"context_window": 760}, "compression": {"keep_recent_turns": 1}})
    };
    let long = asked(1000, 9000);
    server.compile_in("s", long.clone()).await;
    server.post_ok("/sessions/s/usage", &json!({"usage": {"prompt_tokens": 2000}})).await;
    let once = server.compile_in("s", body(2)).await;
    assert_eq!((once.action("kept"), once.action("dropped")), (2, 0), "{}", once.report);
    assert_eq!((once.number("tokens_after"), &once.report["fits"]), (1200, &json!(false)));
    // Above the window by the table's count, too: dropped until that count fits.
    let over = server.compile_in("s", body(5)).await;
    assert!(over.action("dropped") > 0, "{}", over.report);
    let free = server.compile(&body(5)).await;
    assert_eq!(over.action("dropped"), free.action("dropped"), "{}", over.report);

    server.compile_in("s", long).await;
    server.post_ok("/sessions/s/usage", &json!({"usage": {"prompt_tokens": 2000}})).await;
    let twice = server.compile_in("s", body(2)).await;
    assert_eq!((twice.action("dropped"), &twice.report["fits"]), (1, &json!(true)));
}

#[tokio::test]
async fn one_report_alone_shortens_down_to_a_summary() {
    let server = TestServer::spawn().await;
    let list: Vec<Value> = (0..4).map(|at| user(&words(&format!("m{at}"), 2000))).collect();
    let body = |window: u64| {
        json!({"messages": list, "model": "bytes4", "target": "neutral",
            "budget": {"context_window": window}, "record": "full"})
    };
    server.compile_in("s", body(16_000)).await;
    server.post_ok("/sessions/s/usage", &json!({"usage": {"prompt_tokens": 16_000}})).await;
    let once = server.compile_in("s", body(9000)).await;
    assert!(once.action("summarized") > 0, "{}", once.report);
    assert_eq!((once.action("dropped"), &once.report["fits"]), (0, &json!(true)));
    let spares = server.compile_in("s", body(8000)).await;
    // Replays go by the same factor, and by how sure it was.
    server.post_ok("/sessions/s/usage", &json!({"usage": {"prompt_tokens": 5000}})).await;
    for compiled in [once, spares] {
        let path = format!("/compilations/{}/replay", compiled.id);
        let replayed = server.post_ok(&path, &json!({})).await;
        assert_eq!(replayed["status"], "equal", "{replayed}");
    }
}

#[tokio::test]
async fn a_snapshot_with_an_implausible_factor_loads_without_it() {
    let server = TestServer::spawn().await;
    let calibration = json!([
        {"model": "claude-sonnet-4-5", "factor": 59.97, "reports": 2, "tokens": 301},
        {"model": "claude-opus-4-1", "factor": 2.4, "reports": 3, "tokens": 7},
        {"model": "gpt-4o", "factor": 1.5, "factors": [1.5, 10_000.0], "reports": 2, "tokens": 7},
    ]);
    let snapshot = json!({"format": "contexture-session/1", "calibration": calibration});
    let restored = server.post_ok("/sessions/s/restore", &json!({"snapshot": snapshot})).await;
    let wanted = json!([
        {"model": "claude-sonnet-4-5", "factor": null, "reports": 0},
        {"model": "claude-opus-4-1", "factor": 2.4, "reports": 3},
        {"model": "gpt-4o", "factor": 1.5, "reports": 2},
    ]);
    assert_eq!(restored["calibration"], wanted);
    let taken = server.post_ok("/sessions/s/snapshots", &json!({})).await;
    let again = server.get_json(&format!("/snapshots/{}", taken["id"].as_str().unwrap())).await;
    assert_eq!(again["calibration"][2]["factors"], json!([1.5]));
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

#[tokio::test]
async fn what_the_provider_says_of_the_request_is_a_warning() {
    let server = TestServer::spawn().await;
    let body =
        json!({"messages": [user("hi")], "target": "anthropic", "model": "claude-fable-5-1"});
    server.compile_in("s", body).await;
    let mut report = json!({"usage": {"input_tokens": 20},
        "input_transformations": [
            {"type": "thinking_dropped", "path": "messages.3.content.0", "reason": "prefix_binding_mismatch"},
            {"type": "something_new", "path": "messages.4"}],
        "diagnostics": {"cache_miss_reason": {"type": "system_changed", "cache_missed_input_tokens": 900}}});
    let answer = server.post_json("/sessions/s/usage", 200, &report).await;
    let notes: Vec<(&str, &str)> = answer["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| (note["code"].as_str().unwrap(), note["detail"].as_str().unwrap()))
        .collect();
    let thinking = notes.iter().find(|note| note.0 == "thinking_dropped_by_provider").unwrap();
    assert!(
        thinking.1.contains(": 1 thinking block from messages.3")
            && thinking.1.contains("messages.3.content.0 (prefix_binding_mismatch)")
    );
    let cache = notes.iter().find(|note| note.0 == "cache_missed").unwrap();
    assert!(cache.1.ends_with("system_changed, 900 tokens"), "{}", cache.1);
    // Nothing was missed.
    report["input_transformations"] = json!([]);
    report["diagnostics"] = json!({"cache_miss_reason": null});
    let answer = server.post_json("/sessions/s/usage", 200, &report).await;
    assert!(!answer["warnings"].to_string().contains("cache_missed"), "{answer}");
    report["diagnostics"] = json!([1]);
    let refused = server.post("/sessions/s/usage", &report).await;
    crate::support::problem(refused, 422, "invalid_request").await;
}
