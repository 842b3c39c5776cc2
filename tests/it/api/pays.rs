//! `compression.pays`: a compaction point waits until the rewrite of the prefix pays.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, assistant, user, with, words};
use crate::support::{TestServer, pointers, problem};

/// So many messages of 1,000 tokens in a room of 10,000, shrunk from 5,000 to 4,500. Each token costs
/// 2.5 to write and 0.2 to read.
fn asked(count: usize, more: &Value) -> Value {
    let message = |at: usize| {
        let text = words(&format!("m{at}"), 1_000);
        if at.is_multiple_of(2) { user(&text) } else { assistant(&text) }
    };
    let list: Vec<Value> = (0..count).map(message).collect();
    let compression = json!({"trigger": 0.5, "compress_to": 0.45, "keep_recent_turns": 1});
    json!({"messages": list, "model": "house", "target": "neutral", "record": "full",
        "budget": {"context_window": 10_000}, "compression": with(compression, more)})
}

async fn compiled(server: &TestServer, count: usize, more: &Value) -> Compiled {
    server.compile(&asked(count, more)).await
}

fn put_off(compiled: &Compiled) -> Option<&Value> {
    compiled.report.get("put_off")
}

#[tokio::test]
async fn a_compaction_waits_until_its_break_even_is_near() {
    let server = TestServer::with_prices(&[]).await;
    let pays = json!({"pays": true});
    let plain = compiled(&server, 6, &json!({})).await;
    assert!(plain.number("tokens_after") <= 4_500);
    assert_eq!(put_off(&plain), None);
    // 2.3 × 3,500 / (0.2 × 1,500), and so on.
    for (count, saved, break_even) in [(6, 1_500, 27), (7, 2_500, 17), (8, 3_500, 12)] {
        let waits = compiled(&server, count, &pays).await;
        assert_eq!(waits.number("tokens_after"), count as u64 * 1_000);
        let wanted = json!({"why": "break_even", "break_even_turns": break_even,
            "expected_turns": 10, "rewritten_tokens": 3_500, "saved_tokens": saved});
        assert_eq!(put_off(&waits), Some(&wanted));
        let path = format!("/compilations/{}/replay", waits.id);
        assert_eq!(server.post_ok(&path, &json!({})).await["status"], "equal");
    }
    let done = compiled(&server, 9, &pays).await;
    assert!(done.number("tokens_after") <= 4_500, "{}", done.report);
    assert_eq!(put_off(&done), None);
    // A longer list decides as the shorter one did.
    let longer = compiled(&server, 10, &pays).await;
    assert_eq!(longer.list()[..done.list().len()], done.list()[..]);
}

#[tokio::test]
async fn the_expected_turns_decide_and_the_room_is_the_end() {
    let server = TestServer::with_prices(&[]).await;
    let expecting = |turns: u64| json!({"pays": true, "expected_turns": turns});
    let plain = compiled(&server, 6, &json!({})).await;
    assert_eq!(compiled(&server, 6, &expecting(27)).await.text, plain.text);
    assert!(put_off(&compiled(&server, 6, &expecting(26)).await).is_some());
    let last = compiled(&server, 10, &expecting(1)).await;
    assert_eq!(
        (last.number("tokens_after"), &put_off(&last).unwrap()["expected_turns"]),
        (10_000, &json!(1))
    );
    let full = compiled(&server, 11, &expecting(1)).await;
    assert!(full.number("tokens_after") <= 4_500);
    assert_eq!((put_off(&full), &full.report["fits"]), (None, &json!(true)));
    // Nothing is rewritten if the cache is cold.
    let cold = with(asked(6, &expecting(1)), &json!({"cache": {"state": "cold"}}));
    let cold = server.compile_in("s", cold).await;
    assert!(cold.number("tokens_after") <= 4_500);
    assert_eq!(put_off(&cold), None);
}

#[tokio::test]
async fn unknown_prices_are_a_note_and_no_turns_a_fault() {
    let server = TestServer::with_prices(&[]).await;
    let unknown = with(asked(6, &json!({"pays": true})), &json!({"model": "bytes4"}));
    let unknown = server.compile(&unknown).await;
    assert_eq!(unknown.codes("warnings"), ["pays_unknown"]);
    assert_eq!(unknown.text, compiled(&server, 6, &json!({})).await.text);
    let none = asked(6, &json!({"pays": "yes", "expected_turns": 0}));
    let refused = problem(server.post("/compile", &none).await, 422, "invalid_request").await;
    assert_eq!(pointers(&refused), ["/compression/pays", "/compression/expected_turns"]);
}
