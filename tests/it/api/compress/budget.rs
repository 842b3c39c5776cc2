//! A budget is met where it can be, and a larger one never shows less.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{parts, session, with};
use crate::support::TestServer;
use crate::support::compress::{Compressed, request};
use crate::support::generate::SOURCES;

/// Budgets from none that helps to more than is there.
fn ladder(whole: u64) -> Vec<u64> {
    (0..=24).map(|step| (whole * step / 22).max(1)).collect()
}

/// What is in sight of each message: nothing, one line, or all that it says.
fn sights(shown: &Compressed) -> Vec<u8> {
    let sight = |decision: &Value| match decision["action"].as_str().expect("a word") {
        "dropped" | "summarized" => 0,
        "cleared" => 1,
        _ => 2,
    };
    shown.decisions().iter().map(sight).collect()
}

#[tokio::test]
async fn it_fits_exactly_when_it_fits_and_more_budget_shows_no_less() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        let whole =
            server.compress(&request(key, &messages, &options)).await.number("tokens_before");
        for level in ["lossless", "reversible", "summary", "drop"] {
            let mut last: Option<Compressed> = None;
            let mut distinct = BTreeSet::new();
            for budget in ladder(whole) {
                let more = json!({"level": level, "budget_tokens": budget, "explain": "full"});
                let shown =
                    server.compress(&request(key, &messages, &with(options.clone(), &more))).await;
                let (after, report) = (shown.number("tokens_after"), shown.report());
                assert_eq!(report["fits"], after <= budget, "{source} {level} {budget}");
                assert_eq!(report["budget"], budget);
                assert!(after <= shown.number("tokens_before"));
                let too_big = report["too_big"].as_array().unwrap();
                assert_eq!(too_big.is_empty(), after <= budget, "{source} {level} {budget}");
                for decision in shown.decisions() {
                    let tokens = |key: &str| decision[key].as_u64().unwrap();
                    assert!(tokens("tokens_after") <= tokens("tokens_before"), "{decision}");
                }
                let seen = sights(&shown);
                if let Some(last) = &last {
                    let less = sights(last).iter().zip(&seen).any(|(less, more)| less > more);
                    assert!(!less, "{source} {level}: {budget} shows less than a smaller budget");
                    if last.report()["fits"] == true {
                        assert_eq!(report["fits"], true, "{source} {level} {budget}");
                    }
                }
                distinct.insert(seen);
                let back = server.expand_list(key, &shown.messages).await;
                assert_eq!(back.messages, messages, "{source} {level} {budget}");
                last = Some(shown);
            }
            assert_eq!(distinct.len() == 1, level == "lossless", "{source} {level}");
        }
    }
}

/// Two turns of calls, both of which are kept whole as long as they can be. The newer one has words
/// and two results to shorten, the older one a result that can only be cleared.
fn two_live_turns() -> Value {
    let call = |id: &str| {
        json!({"id": id, "type": "function",
        "function": {"name": "run", "arguments": "{\"path\":\"src\"}"}})
    };
    let result =
        |id: &str, text: String| json!({"role": "tool", "tool_call_id": id, "content": text});
    let lines = |line: &dyn Fn(usize) -> String| (0..12).map(line).collect::<Vec<_>>().join("\n");
    let files = lines(&|at| format!("./src/{}/part_{at}.rs", at * at % 7));
    let rows: Vec<Value> = (0..12)
        .map(|at| json!({"id": at, "name": format!("n{}", at % 5), "deep": [at, {"more": at * 7}]}))
        .collect();
    let log = lines(&|at| match at % 4 {
        0 => format!("12:{at:02}:00 ERROR worker-{} failed: code {}", at % 3, at * 3),
        _ => format!("12:{at:02}:00 INFO request {at} took {} ms", at * 37 % 90),
    });
    let said =
        "the build of the third module waits for the lock that the second one holds ".repeat(12);
    json!([
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b", "tool_calls": [call("1")]},
        result("1", files),
        {"role": "assistant", "content": said, "tool_calls": [call("2"), call("3")]},
        result("2", json!(rows).to_string()),
        result("3", log),
    ])
}

#[tokio::test]
async fn no_room_goes_to_a_cleared_result_that_a_larger_budget_leaves_cleared() {
    let server = TestServer::spawn().await;
    let messages = two_live_turns();
    let body = |level: &str, budget: u64| {
        json!({"messages": messages, "model": "gpt-4o", "level": level, "budget_tokens": budget,
            "keep_recent_turns": 2, "protect": {}, "explain": "full"})
        .to_string()
    };
    for level in ["summary", "drop"] {
        let whole = server.compress(&body(level, 4_000)).await.number("tokens_before");
        let mut last: Option<Compressed> = None;
        let mut distinct = BTreeSet::new();
        for budget in (0..=whole).step_by(6) {
            let shown = server.compress(&body(level, budget.max(1))).await;
            let seen = sights(&shown);
            if let Some(last) = last.filter(|last| last.report()["fits"] == true) {
                let less = sights(&last).iter().zip(&seen).any(|(less, more)| less > more);
                assert!(!less, "{level} {budget}: {:?} and then {seen:?}", sights(&last));
            }
            distinct.insert(seen);
            last = Some(shown);
        }
        assert!(distinct.len() > 1, "{level}: {distinct:?}");
    }
}

#[tokio::test]
async fn every_budget_down_to_what_may_not_go_is_met() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        let more = json!({"level": "drop", "budget_tokens": 1});
        let least = server.compress(&request(key, &messages, &with(options.clone(), &more))).await;
        assert_eq!(least.report()["fits"], false);
        let floor = least.number("tokens_after");
        for budget in [floor, floor + 1, floor + 40, floor + 200] {
            let more = json!({"level": "drop", "budget_tokens": budget});
            let shown =
                server.compress(&request(key, &messages, &with(options.clone(), &more))).await;
            assert_eq!(shown.report()["fits"], true, "{source}: {budget}, at least {floor}");
        }
    }
}

#[tokio::test]
async fn what_fits_after_rung_one_is_left_at_rung_one() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        let lossless = server.compress(&request(key, &messages, &options)).await;
        let enough = lossless.number("tokens_after");
        for (budget, same) in [(enough, true), (enough - 1, false)] {
            let more = json!({"budget_tokens": budget});
            let shown =
                server.compress(&request(key, &messages, &with(options.clone(), &more))).await;
            assert_eq!(shown.messages == lossless.messages, same, "{source} {budget}");
            assert_eq!(shown.report()["fits"], true, "{source} {budget}");
        }
    }
}

#[tokio::test]
async fn the_tokens_told_are_those_of_what_is_sent() {
    let server = TestServer::spawn().await;
    for source in SOURCES {
        let (key, messages, options) = parts(&session(), source);
        for more in [json!({}), json!({"budget_tokens": 900}), json!({"level": "reversible"})] {
            let body = request(key, &messages, &with(options.clone(), &more));
            let shown = server.compress(&body).await;
            let count = async |messages: &[String]| {
                let options = with(options.clone(), &json!({"originals": "return"}));
                server.compress(&request(key, messages, &options)).await.number("tokens_before")
            };
            assert_eq!(shown.number("tokens_before"), count(&messages).await, "{source} {more}");
            assert_eq!(
                shown.number("tokens_after"),
                count(&shown.messages).await,
                "{source} {more}"
            );
        }
    }
}
