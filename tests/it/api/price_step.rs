//! `budget.price_step`: below the size above which a model charges other prices.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, user, with, words};
use crate::support::{TestServer, pointers, problem};

/// Sixty messages of 1,000 tokens: more than the 50,000 of the step.
fn asked(budget: &Value) -> Value {
    let list: Vec<Value> = (0..60).map(|at| user(&words(&format!("m{at}"), 1_000))).collect();
    json!({"messages": list, "model": "house", "target": "neutral", "budget": budget,
        "record": "full"})
}

fn step(compiled: &Compiled) -> &Value {
    &compiled.report["price_step"]
}

#[tokio::test]
async fn a_payload_stays_below_the_step_as_in_a_smaller_window() {
    let server = TestServer::with_prices(&[]).await;
    let window = json!({"context_window": 100_000});
    let plain = server.compile(&asked(&window)).await;
    assert_eq!((plain.number("tokens_after"), plain.report.get("price_step")), (60_000, None));
    let ignored = with(window.clone(), &json!({"price_step": "ignore"}));
    assert_eq!(server.compile(&asked(&ignored)).await.text, plain.text);

    let stay = with(window, &json!({"price_step": "stay"}));
    let below = server.compile(&asked(&stay)).await;
    assert!(below.number("tokens_after") <= 50_000);
    assert_eq!((below.number("budget"), &below.report["fits"]), (100_000, &json!(true)));
    let wanted = json!({"above_tokens": 50_000, "lowered_room": true, "stayed": true});
    assert_eq!(*step(&below), wanted);
    let small = server.compile(&asked(&json!({"context_window": 50_000}))).await;
    assert_eq!(below.text, small.text);
    let replayed = server.post_ok(&format!("/compilations/{}/replay", below.id), &json!({})).await;
    assert_eq!(replayed["status"], "equal");
    // A budget below the step is as it was.
    let smaller = json!({"context_window": 40_000, "price_step": "stay"});
    let smaller = server.compile(&asked(&smaller)).await;
    assert_eq!(step(&smaller)["lowered_room"], false);
}

#[tokio::test]
async fn a_payload_that_cannot_stay_below_the_step_still_fits() {
    let server = TestServer::with_prices(&[]).await;
    let budget = json!({"context_window": 100_000, "price_step": "stay", "on_overflow": "fail"});
    let body = with(asked(&budget), &json!({"messages": [user(&words("whole", 60_000))]}));
    let above = server.compile(&body).await;
    assert_eq!((above.number("tokens_after"), &above.report["fits"]), (60_000, &json!(true)));
    assert_eq!(step(&above)["stayed"], false);
}

#[tokio::test]
async fn an_unknown_step_is_a_note_and_a_wrong_word_a_fault() {
    let server = TestServer::with_prices(&[]).await;
    let body = json!({"messages": [user("Hi")], "model": "bytes4", "target": "neutral",
        "budget": {"price_step": "stay"}});
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.codes("warnings"), ["price_step_unknown"]);
    assert_eq!(compiled.report.get("price_step"), None);
    let body = with(body, &json!({"budget": {"price_step": "below"}}));
    let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    assert_eq!(pointers(&refused), ["/budget/price_step"]);
}
