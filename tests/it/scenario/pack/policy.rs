//! Y: rules.

use serde_json::{Value, json};

use super::Run;
use super::governed_run::{column, reasons, surfaced};
use crate::support::pack::{bundle, rule};
use crate::support::pointers;

fn rules(compiled: &Value) -> Vec<(String, String)> {
    let manifest = &compiled["manifests"]["policy_manifest"];
    column(manifest, "rule_id").into_iter().zip(column(manifest, "verdict")).collect()
}

fn pair(a: &str, b: &str) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

#[tokio::test]
async fn decisions_stand_in_the_order_of_their_bundles() {
    let compiled = Run::restore().await.compiled().await;
    assert_eq!(
        rules(&compiled),
        [pair("R_PROD_RESTORE_TWO_PERSON", "require"), pair("R_LARGE_SNAPSHOT_REVIEW", "require")]
    );
}

#[tokio::test]
async fn what_only_correlates_changes_neither_ids_nor_hash() {
    let mut run = Run::restore().await;
    let first = run.answer().await;
    run.context()["run_id"] = "run_2".into();
    run.context()["trace_id"] = "t2".into();
    run.body["pack"]["request"]["request_id"] = "req_2".into();
    let second = run.answer().await;
    assert_eq!(first["compiled_context"], second["compiled_context"]);
    assert_eq!(first["compiled_context_hash"], second["compiled_context_hash"]);
    assert_ne!(first["meta"]["correlation"], second["meta"]["correlation"]);
}

#[tokio::test]
async fn another_fact_is_another_decision_of_the_rules_that_read_it() {
    let mut run = Run::restore().await;
    let before = run.compiled().await;
    run.input("context")["snapshot_gb"] = 901.into();
    let after = run.compiled().await;
    assert_eq!(rules(&before), rules(&after));
    let ids = |compiled: &Value| -> std::collections::BTreeMap<String, String> {
        let manifest = &compiled["manifests"]["policy_manifest"];
        let ids = column(manifest, "policy_decision_id");
        column(manifest, "rule_id").into_iter().zip(ids).collect()
    };
    let (before, after) = (ids(&before), ids(&after));
    let changed = before.iter().filter(|(rule, id)| after[*rule] != **id);
    let changed: Vec<&String> = changed.map(|(rule, _)| rule).collect();
    assert_eq!(changed, ["R_LARGE_SNAPSHOT_REVIEW"]);
    assert!(before.len() > 1, "{before:?}");
}

#[tokio::test]
async fn another_message_changes_no_decision() {
    let mut run = Run::restore().await;
    let first = run.answer().await;
    *run.input("message") = "Restore cluster c2".into();
    let second = run.answer().await;
    let manifest =
        |answer: &Value| answer["compiled_context"]["manifests"]["policy_manifest"].clone();
    assert_eq!(manifest(&first), manifest(&second));
    let diff = json!({"a": first["id"], "b": second["id"]});
    let diff = run.server.post_json("/compilations/diff", 200, &diff).await;
    let policy = diff["stages"].as_array().unwrap().iter().find(|row| row["stage"] == "policy");
    assert_eq!(policy.unwrap()["output_equal"], true, "{diff}");
    assert!(!diff["root_stages"].as_array().unwrap().contains(&json!("policy")), "{diff}");
}

#[tokio::test]
async fn a_denial_with_targets_takes_these_alone() {
    let mut run = Run::restore().await;
    run.input("context")["cluster_state"] = "healthy".into();
    let compiled = run.compiled().await;
    assert!(rules(&compiled).contains(&pair("R_NO_RESTORE_ON_HEALTHY", "deny")));
    let refuse = &compiled["runtime_controls"]["must_refuse"];
    assert_eq!(refuse, &json!(["R_NO_RESTORE_ON_HEALTHY"]));
    let withheld = &compiled["manifests"]["withheld"]["tools"];
    assert_eq!(reasons(withheld, "key"), [pair("adp_db.restore_snapshot", "policy_denied")]);
    assert_eq!(withheld[0]["by"], "R_NO_RESTORE_ON_HEALTHY");
    assert_eq!(surfaced(&compiled).len(), 3);
}

#[tokio::test]
async fn a_denial_without_targets_takes_everything() {
    let run = Run::refund(json!({"identity_verified": false, "refund_amount": 100})).await;
    let compiled = run.compiled().await;
    assert_eq!(surfaced(&compiled), [""; 0]);
    let withheld = &compiled["manifests"]["withheld"];
    let reasons = reasons(&withheld["tools"], "key");
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    assert!(reasons.iter().all(|(_, reason)| reason == "policy_denied"));
    assert_eq!(
        column(&withheld["rules"], "rule_id"),
        ["R_HIGH_VALUE", "R_SMALL_REFUND_AS_DELEGATED"]
    );
    assert_eq!(column(&withheld["rules"], "by"), ["R_IDV", "R_IDV"]);
}

#[tokio::test]
async fn missing_facts_take_away_and_allow_nothing() {
    let mut run = Run::refund(json!({"identity_verified": true})).await;
    let compiled = run.compiled().await;
    assert_eq!(rules(&compiled), [pair("R_HIGH_VALUE", "require")]);
    assert_eq!(compiled["manifests"]["policy_manifest"][0]["indeterminate"], true);
    let tools = &compiled["manifests"]["tool_manifest"];
    assert_eq!(column(tools, "approval_mode"), ["read_only", "destructive"]);
    assert_eq!(compiled["runtime_controls"]["approval_gates_active"], json!(["GATE_FINANCE"]));
    run.pack["policy_layer"]["evaluation"] = json!({"indeterminate": "jsonlogic"});
    let compiled = run.compiled().await;
    assert_eq!(rules(&compiled), [pair("R_SMALL_REFUND_AS_DELEGATED", "allow")]);
    let tools = &compiled["manifests"]["tool_manifest"];
    assert_eq!(column(tools, "approval_mode"), ["read_only", "delegated"]);
}

#[tokio::test]
async fn a_large_refund_needs_finance() {
    let run = Run::refund(json!({"identity_verified": true, "refund_amount": 4200})).await;
    let compiled = run.compiled().await;
    assert_eq!(rules(&compiled), [pair("R_HIGH_VALUE", "require")]);
    let controls = &compiled["runtime_controls"];
    assert_eq!(controls["must_escalate"], json!(["R_HIGH_VALUE"]));
    assert_eq!(controls["approval_gates_active"], json!(["GATE_FINANCE"]));
}

#[tokio::test]
async fn a_small_refund_is_delegated() {
    let mut run = Run::refund(json!({"identity_verified": true, "refund_amount": 300})).await;
    run.context()["safety_mode"] = "delegated".into();
    let compiled = run.compiled().await;
    let tool = &compiled["manifests"]["tool_manifest"][1];
    assert_eq!(
        (&tool["approval_mode"], &tool["ceiling"]),
        (&json!("delegated"), &json!("destructive"))
    );
}

#[tokio::test]
async fn a_rule_never_raises_a_mode() {
    let mut run = Run::restore().await;
    let raise =
        json!({"allow": true, "approval_mode": "destructive", "targets": ["adp_metrics.query"]});
    run.pack["policy_layer"]["policy_bundles"][1]["policy_dsl"]["rules"]
        .as_array_mut()
        .unwrap()
        .push(rule("R_RAISE", "", &json!(true), &raise));
    let answer = run.answer().await;
    let tool = &answer["compiled_context"]["manifests"]["tool_manifest"][0];
    assert_eq!(tool["approval_mode"], "read_only");
    let notes = &answer["meta"]["diagnostics"]["notes"];
    assert_eq!(notes[0]["code"], "policy_mode_above_ceiling");
}

#[tokio::test]
async fn a_denial_wins_at_any_priority() {
    let mut run = Run::restore().await;
    let target = json!(["adp_paging.notify"]);
    run.pack["policy_layer"]["policy_bundles"] = json!([
        bundle(
            "B",
            5,
            &[rule("DENY", "", &json!(true), &json!({"allow": false, "targets": target}))]
        ),
        bundle(
            "A",
            10,
            &[rule("ALLOW", "", &json!(true), &json!({"allow": true, "targets": target}))]
        ),
    ]);
    let compiled = run.compiled().await;
    assert_eq!(rules(&compiled), [pair("ALLOW", "allow"), pair("DENY", "deny")]);
    assert!(!surfaced(&compiled).contains(&"adp_paging.notify".to_owned()));
}

#[tokio::test]
async fn bundles_of_one_priority_stay_in_their_order() {
    let mut run = Run::restore().await;
    let one =
        |name: &str| bundle(name, 7, &[rule(name, "", &json!(true), &json!({"allow": true}))]);
    for order in [["ONE", "TWO"], ["TWO", "ONE"]] {
        run.pack["policy_layer"]["policy_bundles"] = json!([one(order[0]), one(order[1])]);
        assert_eq!(column(&run.compiled().await["manifests"]["policy_manifest"], "rule_id"), order);
    }
}

#[tokio::test]
async fn what_is_forbidden_is_withheld_by_its_rule() {
    let mut run = Run::restore().await;
    run.context()["user"]["role"] = "contractor".into();
    let compiled = run.compiled().await;
    let withheld = &compiled["manifests"]["withheld"]["tools"][0];
    assert_eq!(
        (&withheld["key"], &withheld["reason"], &withheld["by"]),
        (
            &json!("adp_paging.notify"),
            &json!("policy_forbidden"),
            &json!("R_CONTRACTORS_NO_PAGING")
        )
    );
}

/// The value is that of JavaScript; the rule is indeterminate, so that a denial holds.
#[tokio::test]
async fn equality_with_something_missing_is_as_in_javascript() {
    let mut run = Run::restore().await;
    for operator in ["===", "=="] {
        let asked = json!({operator: [{"var": "request.context.flag"}, false]});
        let rule_and_data = json!({"rule": asked, "data": {"request": {}}});
        let told = run.server.post_ok("/policy/evaluate", &rule_and_data).await;
        assert_eq!(
            (&told["value"], &told["indeterminate"]["reason"]),
            (&json!(false), &json!("missing"))
        );
        run.pack["policy_layer"]["policy_bundles"] =
            json!([bundle("B", 1, &[rule("R", "", &asked, &json!({"allow": false}))])]);
        assert_eq!(rules(&run.compiled().await), [pair("R", "deny")]);
    }
}

#[tokio::test]
async fn facts_that_comparisons_and_searches_miss_make_a_rule_indeterminate() {
    let server = crate::support::TestServer::dev().await;
    let missing = json!({"var": "a.b"});
    for (rule, is_missed) in [
        (json!({"!==": [missing, "prod"]}), true),
        (json!({"!=": ["prod", missing]}), true),
        (json!({"in": [missing, ["x", "y"]]}), true),
        (json!({"in": ["x", {"var": ["a.b"]}]}), true),
        (json!({"some": [missing, {"===": [{"var": ""}, "x"]}]}), true),
        (json!({"none": [missing, true]}), true),
        (json!({"all": [missing, true]}), true),
        (json!({"filter": [missing, true]}), true),
        (json!({"some": [{"var": "list"}, {"===": [{"var": "kind"}, "x"]}]}), true),
        // A default, a question whether a fact is there, and a truth value.
        (json!({"in": ["x", {"var": ["a.b", ["x"]]}]}), false),
        (json!({"===": [{"var": ["a.b", "dev"]}, "prod"]}), false),
        (json!({"===": [missing, null]}), false),
        (json!({"!": [missing]}), false),
        (json!({"some": [{"var": "there"}, {"===": [{"var": "kind"}, "x"]}]}), false),
    ] {
        let data = json!({"list": [{}], "there": [{"kind": "y"}], "a": {}});
        let told = server.post_ok("/policy/evaluate", &json!({"rule": rule, "data": data})).await;
        assert_eq!(told["indeterminate"]["reason"] == "missing", is_missed, "{rule}: {told}");
    }
}

#[tokio::test]
async fn a_rule_that_is_nested_too_deeply_is_indeterminate() {
    let mut run = Run::restore().await;
    let deep = (0..65).fold(json!(true), |rule, _| json!({"!": rule}));
    run.pack["policy_layer"]["policy_bundles"] =
        json!([bundle("B", 1, &[rule("DEEP", "", &deep, &json!({"allow": false}))])]);
    let answer = run.answer().await;
    let doubts = &answer["meta"]["diagnostics"]["indeterminate"];
    assert_eq!(doubts, &json!([{"rule_id": "DEEP", "reason": "depth", "treated_as": "fired"}]));
}

#[tokio::test]
async fn a_decision_s_evidence_is_asked_for_where_facts_are_missing() {
    let mut run = Run::refund(json!({"identity_verified": true})).await;
    run.pack["policy_layer"]["policy_bundles"][0]["policy_dsl"]["rules"][1]["then"] =
        json!({"allow": true});
    for (amount, verdict) in [(json!(4000), "allow"), (Value::Null, "require")] {
        run.input("context")["refund_amount"] = amount;
        let compiled = run.compiled().await;
        assert_eq!(rules(&compiled), [pair("R_HIGH_VALUE", verdict)]);
        let gates = &compiled["runtime_controls"]["evidence_gates"];
        assert_eq!(gates["required"], json!(["order_lookup"]));
        assert_eq!(gates["commit_allowed"], false);
    }
    run.input("context")["refund_amount"] = 1000.into();
    let compiled = run.compiled().await;
    assert_eq!(compiled["runtime_controls"]["evidence_gates"]["commit_allowed"], true);
}

#[tokio::test]
async fn whoever_acts_is_known_to_rules_under_either_name() {
    let mut run = Run::restore().await;
    let deny = |path: &str| {
        let is_u1 = json!({"===": [{"var": path}, "u1"]});
        json!([bundle("B", 1, &[rule("R", "", &is_u1, &json!({"allow": false}))])])
    };
    for user in [json!({"user_id": "u1"}), Value::Null, json!({"role": "engineer"})] {
        run.context()["user_id"] =
            if user.get("user_id").is_some() { Value::Null } else { json!("u1") };
        run.context()["user"] = user;
        for path in ["user.user_id", "run_context.user.user_id"] {
            run.pack["policy_layer"]["policy_bundles"] = deny(path);
            assert_eq!(rules(&run.compiled().await), [pair("R", "deny")], "{path}");
        }
    }
    for (user, pointer) in [
        (json!("u1"), "/pack/run_context/user"),
        (json!({"user_id": 5}), "/pack/run_context/user/user_id"),
    ] {
        run.context()["user"] = user;
        let refused = run.refused(422, "ctx_invalid").await;
        assert_eq!(pointers(&refused), [pointer]);
    }
}

#[tokio::test]
async fn what_only_correlates_is_left_out_of_lists_too() {
    let mut run = Run::restore().await;
    let mut hashes = Vec::new();
    for token in ["t1", "t2"] {
        run.context()["agent"]["principal_chain"] =
            json!([{"kind": "user", "id": "u1", "token_ref": token}]);
        hashes.push(run.hash().await);
    }
    assert_eq!(hashes[0], hashes[1]);
    run.context()["agent"]["principal_chain"][0]["id"] = "u2".into();
    assert_ne!(run.hash().await, hashes[0]);
}
