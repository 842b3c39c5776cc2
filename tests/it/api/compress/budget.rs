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
