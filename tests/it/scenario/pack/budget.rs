//! B: how tokens are shared.

use serde_json::{Value, json};

use super::Run;

/// What the eight buckets get, in the order in which they are filled.
fn shares(compiled: &Value) -> Vec<u64> {
    let allocations = &compiled["budget_report"]["allocations"];
    ["system", "developer", "task", "policy", "tools", "evidence", "memory", "session"]
        .iter()
        .map(|name| allocations[name].as_u64().unwrap())
        .collect()
}

#[tokio::test]
async fn shares_are_whole_tokens_and_come_to_the_total() {
    let run = Run::minimal(1001, "x").await;
    assert_eq!(shares(&run.compiled().await), [50, 50, 100, 100, 150, 301, 150, 100]);
    let mut run = Run::restore().await;
    assert_eq!(shares(&run.compiled().await), [300, 300, 600, 900, 900, 1800, 600, 600]);
    run.context()["run_budget"] = json!({"bucket_tokens": 1003});
    assert_eq!(shares(&run.compiled().await), [50, 50, 100, 151, 151, 301, 100, 100]);
}

#[tokio::test]
async fn the_pack_says_how_much_where_the_run_does_not() {
    let mut run = Run::restore().await;
    run.context()["run_budget"] = json!({});
    let report = run.compiled().await["budget_report"].clone();
    assert_eq!(
        (&report["total_tokens"], &report["source"]),
        (&json!(6000), &json!("pack_default"))
    );
    run.pack.as_object_mut().unwrap().remove("budget_layer");
    let report = run.compiled().await["budget_report"].clone();
    assert_eq!((&report["total_tokens"], &report["source"]), (&json!(8000), &json!("builtin")));
    run.body["budget"] = json!({"context_window": 3000, "reserve_output": 0});
    let report = run.compiled().await["budget_report"].clone();
    assert_eq!((&report["total_tokens"], &report["source"]), (&json!(3000), &json!("budget")));
}

#[tokio::test]
async fn nothing_is_a_budget_too() {
    let run = Run::minimal(0, "x").await;
    let refused = run.refused(422, "budget_required_overflow").await;
    assert_eq!(
        (&refused["details"]["bucket"], &refused["details"]["have"]),
        (&json!("task"), &json!(0))
    );
}

#[tokio::test]
async fn a_budget_is_a_whole_number() {
    let mut run = Run::minimal(10, "x").await;
    for bad in [json!(-1), json!(1.5), json!("8000")] {
        run.context()["run_budget"] = json!({"bucket_tokens": bad});
        run.refused(422, "budget_total_invalid").await;
    }
}

#[tokio::test]
async fn an_intent_without_a_split_has_the_default_one() {
    let mut run = Run::restore().await;
    let split = run.pack["budget_layer"]["splits"]["ops.db.restore"].clone();
    for (name, source) in
        [("default", "default"), ("class:ops_high_risk", "class"), ("ops.db.inspect", "builtin")]
    {
        run.pack["budget_layer"]["splits"] = json!({name: split});
        assert_eq!(run.compiled().await["budget_report"]["split_source"], source);
    }
}

#[tokio::test]
async fn every_total_is_shared_whole() {
    let mut run = Run::minimal(40, "x").await;
    for total in (40..200).step_by(7).chain([1999, 2000]) {
        run.context()["run_budget"] = json!({"bucket_tokens": total});
        assert_eq!(shares(&run.compiled().await).iter().sum::<u64>(), total);
    }
}
