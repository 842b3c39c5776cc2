//! K57 to K61: what is there twice.

use serde_json::{Value, json};

use super::{A, B, D, decodes, tools, trip, user};
use crate::support::compress::log;

#[tokio::test]
async fn what_people_wrote_twice_stands_twice() {
    let messages = [user(D), user("ok"), user(D), user("fine")];
    assert!(trip(&messages, json!({})).await.is_unchanged());
}

#[tokio::test]
async fn a_later_result_names_the_earlier_one_that_stays_in_sight() {
    let text = format!("{D}\n{A}\n{B}");
    let messages = tools(&[&text, "ok", &text, "fine"]);
    let trip = decodes(&messages).await;
    assert_eq!(trip.said(1), text);
    assert_eq!(trip.said(5), "§= result 1\n§: the same lines as there");
    assert_eq!(trip.shown.action("deduplicated"), 1);
    assert_eq!(trip.shown.decisions()[5]["action"], "deduplicated");
}

#[tokio::test]
async fn when_the_earlier_one_goes_the_text_moves_to_the_later_one() {
    let text = log(60).replace("ERROR", "INFO").replace("failed: no such column", "has a view");
    let messages = tools(&[&text, "ok", &text, "fine", &text]);
    let options = json!({"level": "reversible", "keep_recent_turns": 3, "notations": "computed"});
    let trip = trip(&messages, options).await;
    assert_eq!(trip.shown.decisions()[1]["action"], "cleared");
    assert!(trip.said(5).contains("has a view"), "{}", trip.said(5));
    assert!(trip.said(9).contains("§= result 3"), "{}", trip.said(9));
}

#[tokio::test]
async fn a_reference_is_written_only_where_it_is_shorter() {
    for (text, named) in [("ok, done", false), ("one two three four", false), (D, true)] {
        let trip = decodes(&tools(&[text, text])).await;
        assert_eq!(trip.said(3) != text, named, "{}", trip.said(3));
    }
}

/// Fourteen lines, some of them changed.
fn inventory(changed: &[usize]) -> String {
    let line = |at: usize| {
        if changed.contains(&at) {
            return format!("line {at} was changed by hand after the count");
        }
        format!("line {at} of the inventory report lists shelf {} with its boxes", at * 3)
    };
    (0..14).map(line).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn what_differs_in_a_near_duplicate_is_in_sight() {
    let other: Vec<usize> = vec![2, 9];
    for changed in [&other[1..], &other[..]] {
        let trip = decodes(&tools(&[&inventory(&[]), &inventory(changed)])).await;
        for at in changed {
            let line = format!("line {at} was changed by hand after the count");
            assert!(trip.said(3).lines().any(|shown| shown == line), "{}", trip.said(3));
        }
        let decision: &Value = &trip.shown.decisions()[3];
        assert!(
            decision["tokens_after"].as_u64() < decision["tokens_before"].as_u64(),
            "{decision}"
        );
    }
}
