//! Costs by the provider's usage, and their sums by day, key, model and session.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{Compiled, user, words};

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key}: {value}"))
}

/// The only row of a list of usage.
async fn only_row(server: &TestServer, query: &str) -> Value {
    let page = server.get_json(&format!("/usage{query}")).await;
    let items = page["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{page}");
    items[0].clone()
}

/// The costs of the only row.
async fn cost_of(server: &TestServer) -> Value {
    only_row(server, "").await["cost"].clone()
}

/// So many messages of 1,000 tokens.
fn list(count: usize) -> Vec<Value> {
    (0..count).map(|at| user(&words(&format!("m{at}"), 1_000))).collect()
}

fn asked(messages: &[Value]) -> Value {
    json!({"messages": messages, "model": "house", "target": "neutral",
        "budget": {"context_window": 10_000}})
}

async fn in_session(server: &TestServer, session: &str, count: usize) -> Compiled {
    server.compile_in(session, asked(&list(count))).await
}

#[tokio::test]
async fn reported_usage_replaces_the_assumed_cost() {
    let server = TestServer::with_prices(&[]).await;
    let cold = in_session(&server, "s", 8).await;
    let assumed = &cold.report["cost"];
    assert_eq!((number(assumed, "payload_micros"), number(assumed, "saved_micros")), (20_000, 0));
    assert_eq!(
        (&assumed["output_micros"], &assumed["cache"]["assumed"]),
        (&Value::Null, &json!("cold"))
    );
    let shown = server.get_json("/sessions/s").await;
    assert_eq!(shown["last_cost"], *assumed);

    let usage = json!({"usage": {"input_tokens": 100, "cache_creation_input_tokens": 7_900,
        "cache_read_input_tokens": 0, "output_tokens": 50,
        "cache_creation": {"ephemeral_5m_input_tokens": 3_900, "ephemeral_1h_input_tokens": 4_000}}});
    let reported = server.post_ok("/sessions/s/usage", &usage).await;
    let cost = json!({"payload_micros": 200 + 9_750 + 16_000, "output_micros": 500,
        "unshortened_micros": 25_950, "saved_micros": 0, "unique_saved_micros": 0,
        "cache": {"read_tokens": 0, "write_tokens": 7_900, "assumed": "reported"}});
    assert_eq!(reported["cost"], cost);
    assert_eq!(reported["last_cost"], cost);
    assert_eq!(server.get_json("/sessions/s").await["last_cost"], cost);
    let row = only_row(&server, "").await;
    let sums = json!({"priced_requests": 1, "reported_requests": 1, "payload_micros": 25_950,
        "output_micros": 500, "unshortened_micros": 25_950, "saved_micros": 0,
        "unique_saved_micros": 0, "cache_read_tokens": 0, "cache_write_tokens": 7_900,
        "payload_tokens": row["tokens_after"]});
    assert_eq!(row["cost"], sums);

    // A later report of the same payload replaces the earlier one.
    let usage = json!({"usage": {"prompt_tokens": 8_000, "completion_tokens": 7}});
    let reported = server.post_ok("/sessions/s/usage", &usage).await;
    assert_eq!(number(&reported["cost"], "payload_micros"), 16_000);
    let cost = cost_of(&server).await;
    assert_eq!((number(&cost, "payload_micros"), number(&cost, "output_micros")), (16_000, 70));
    assert_eq!((number(&cost, "priced_requests"), number(&cost, "reported_requests")), (1, 1));
}

#[tokio::test]
async fn usage_in_the_next_compile_is_of_the_payload_before() {
    let server = TestServer::with_prices(&[]).await;
    in_session(&server, "s", 4).await;
    let mut body = asked(&list(5));
    body["usage"] = json!({"input_tokens": 4_000, "input_tokens_details": {"cached_tokens": 1_000},
        "output_tokens": 30});
    let next = server.compile_in("s", body).await;
    let reported = &next.report["reported_cost"];
    assert_eq!(number(reported, "payload_micros"), 6_000 + 200);
    assert_eq!(reported["cache"]["assumed"], "reported");
    // Four messages are read, one is written.
    assert_eq!(number(&next.report["cost"], "payload_micros"), 800 + 2_500);
    assert_eq!(next.report["cost"]["cache"]["assumed"], "warm");
    let cost = cost_of(&server).await;
    assert_eq!(number(&cost, "payload_micros"), 6_200 + 3_300);
    assert_eq!((number(&cost, "priced_requests"), number(&cost, "reported_requests")), (2, 1));
    // A turn that is not compiled reports, too.
    server
        .post_ok(
            "/sessions/t/turns",
            &json!({"append": [user(&words("t", 2_000))],
        "model": "house", "target": "neutral"}),
        )
        .await;
    let appended = json!({"append": [{"role": "assistant", "content": "Yes."}], "compile": false,
        "model": "house", "target": "neutral",
        "usage": {"prompt_tokens": 2_000, "completion_tokens": 10}});
    server.post_ok("/sessions/t/turns", &appended).await;
    let of_turn = only_row(&server, "?session_id=t").await;
    assert_eq!(number(&of_turn["cost"], "payload_micros"), 4_000);
    assert_eq!(number(&of_turn["cost"], "output_micros"), 100);
}

#[tokio::test]
async fn a_long_request_is_billed_by_the_step() {
    let server = TestServer::with_prices(&[]).await;
    in_session(&server, "s", 8).await;
    let mut body = asked(&[user(&words("long", 40_000))]);
    body["budget"] = json!({});
    server.compile_in("s", body).await;
    for (input, rate) in [(50_000, 2), (50_001, 4)] {
        let usage = json!({"usage": {"prompt_tokens": input, "completion_tokens": 1}});
        let reported = server.post_ok("/sessions/s/usage", &usage).await;
        assert_eq!(number(&reported["cost"], "payload_micros"), input * rate);
        assert_eq!(number(&reported["cost"], "output_micros"), rate * 5);
    }
}

#[tokio::test]
async fn unknown_prices_and_implausible_reports_change_no_cost() {
    let server = TestServer::with_prices(&[]).await;
    let mut body = asked(&list(2));
    body["model"] = json!("bytes4");
    server.compile_in("u", body).await;
    let usage = json!({"usage": {"prompt_tokens": 2_000, "completion_tokens": 7}});
    let reported = server.post_ok("/sessions/u/usage", &usage).await;
    assert_eq!((&reported["cost"], &reported["last_cost"]), (&Value::Null, &Value::Null));
    let row = only_row(&server, "?model=bytes4").await;
    assert_eq!((&row["cost"], number(&row, "requests")), (&Value::Null, 1));

    let before = in_session(&server, "s", 2).await.report["cost"].clone();
    let usage = json!({"usage": {"prompt_tokens": 9_000, "completion_tokens": 7}});
    let reported = server.post_ok("/sessions/s/usage", &usage).await;
    assert_eq!(reported["warnings"][0]["code"], "usage_implausible");
    assert_eq!((&reported["cost"], &reported["last_cost"]), (&Value::Null, &before));
    let row = only_row(&server, "?model=house").await;
    assert_eq!(row["cost"]["reported_requests"], 0);
    assert_eq!(row["cost"]["output_micros"], Value::Null);
}

#[tokio::test]
async fn text_that_a_session_left_out_before_is_not_saved_again() {
    let server = TestServer::with_prices(&[]).await;
    let mut left_out = Vec::new();
    for count in [12, 13, 14, 30] {
        let compiled = in_session(&server, "s", count).await;
        let removed = compiled.number("tokens_before") - compiled.number("tokens_after");
        let known = left_out.iter().copied().max().unwrap_or(0);
        assert!(removed > 0);
        assert_eq!(compiled.number("unique_saved_tokens"), removed.saturating_sub(known));
        left_out.push(removed);
        let cost = &compiled.report["cost"];
        let share = number(cost, "unshortened_micros") * compiled.number("unique_saved_tokens")
            / compiled.number("tokens_before");
        assert_eq!(number(cost, "unique_saved_micros"), share);
    }
    let row = only_row(&server, "?session_id=s").await;
    let (gross, most) = (left_out.iter().sum::<u64>(), *left_out.iter().max().unwrap());
    assert_eq!(number(&row, "tokens_before") - number(&row, "tokens_after"), gross);
    assert_eq!(number(&row, "unique_saved_tokens"), most);
    assert!(gross > most);
    // A fork and a restored snapshot go on from there; another session begins.
    server.post_ok("/sessions/s/fork", &json!({"new_session_id": "fork"})).await;
    let taken = server.post_ok("/sessions/s/snapshots", &json!({})).await;
    let restored = json!({"snapshot_id": taken["id"]});
    server.post_ok("/sessions/restored/restore", &restored).await;
    for (session, unique) in [("fork", 0), ("restored", 0), ("other", left_out[3])] {
        let compiled = in_session(&server, session, 30).await;
        assert_eq!(compiled.number("unique_saved_tokens"), unique, "{session}");
    }
}

#[tokio::test]
async fn sums_are_listed_by_session_and_go_with_it() {
    let server = TestServer::with_prices(&[]).await;
    for (session, count) in [("a.b", 2), ("a.b", 3), ("ä", 1)] {
        in_session(&server, session, count).await;
    }
    server.compile(&asked(&list(1))).await;
    let all = only_row(&server, "").await;
    assert_eq!((number(&all, "requests"), all.get("session_id")), (4, None));
    let page = server.get_json("/usage?by=session&limit=1").await;
    let first = &page["items"][0];
    assert_eq!((&first["session_id"], number(first, "requests")), (&json!("a.b"), 2));
    assert_eq!(number(&first["cost"], "payload_micros"), 5_000 + 400 + 2_500);
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = server.get_json(&format!("/usage?by=session&cursor={cursor}")).await;
    assert_eq!(rest["items"][0]["session_id"], "ä");
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next_cursor"]), (1, &Value::Null));
    assert_eq!(only_row(&server, "?session_id=%C3%A4").await, rest["items"][0]);

    server.delete("/sessions/a.b").await;
    // Counts that come late do not bring it back.
    let left = server.get_json("/usage?by=session").await;
    assert_eq!(left["items"].as_array().unwrap().len(), 1);
    assert_eq!(only_row(&server, "").await, all);
}

#[tokio::test]
async fn the_event_of_a_compile_has_its_cost() {
    let server = TestServer::with_prices(&[]).await;
    let compiled = in_session(&server, "s", 12).await;
    let page = server.get_json("/events?format=json&types=compile:done").await;
    let done = &page["items"][0];
    assert_eq!(done["session_id"], "s");
    let data = &done["data"];
    assert_eq!((&data["cost"], &data["model"]), (&compiled.report["cost"], &json!("house")));
    assert_eq!(data["unique_saved_tokens"], compiled.report["unique_saved_tokens"]);
    assert_eq!((&data["key"], &data["reported_cost"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn a_cache_that_kept_nothing_is_taken_to_be_cold() {
    let server = TestServer::with_prices(&[]).await;
    let body = json!({"messages": list(2), "model": "house-marks", "target": "anthropic",
        "cache": {"ttl": "5m"}});
    for (read, written, assumed) in [(0, 2_000, "warm"), (0, 0, "cold"), (2_000, 0, "warm")] {
        server.compile_in("s", body.clone()).await;
        let usage = json!({"input_tokens": 2_010 - read - written,
            "cache_read_input_tokens": read, "cache_creation_input_tokens": written});
        server.post_ok("/sessions/s/usage", &json!({"usage": usage})).await;
        let next = server.compile_in("s", body.clone()).await;
        assert_eq!(next.report["cost"]["cache"]["assumed"], assumed, "{read} {written}");
    }
    // The same with the usage in the request.
    let usage = json!({"input_tokens": 2_010, "cache_read_input_tokens": 0});
    let mut body = body;
    body["usage"] = usage;
    let next = server.compile_in("s", body).await;
    assert_eq!(next.report["cost"]["cache"]["assumed"], "cold");
}

#[tokio::test]
async fn a_record_has_the_reported_cost() {
    let server = TestServer::with_prices(&[]).await;
    let usage = json!({"usage": {"input_tokens": 100, "cache_read_input_tokens": 7_900,
        "output_tokens": 50}});
    let (first, other) = (in_session(&server, "s", 8).await, in_session(&server, "t", 8).await);
    let record = async |id: &str| server.get_json(&format!("/compilations/{id}")).await;
    assert_eq!(record(&first.id).await["reported_cost"], Value::Null);
    let reported = server.post_ok("/sessions/s/usage", &usage).await;
    let stored = record(&first.id).await;
    assert_eq!(stored["reported_cost"], reported["cost"]);
    assert_eq!(number(&stored["reported_cost"], "payload_micros"), 200 + 1_580);
    // The report is as it was answered.
    assert_eq!(stored["report"]["cost"], first.report["cost"]);
    assert_eq!(record(&other.id).await["reported_cost"], Value::Null);
    // With the next compile, too.
    let mut next = asked(&list(9));
    next["usage"] = usage["usage"].clone();
    let second = server.compile_in("t", next).await;
    assert_eq!(record(&other.id).await["reported_cost"], second.report["reported_cost"]);
    assert_eq!(number(&second.report["reported_cost"], "payload_micros"), 1_780);
}
