//! T: which tools may be shown.

use serde_json::{Value, json};

use super::Run;
use super::governed_run::{reasons, surfaced};
use crate::support::pack::{bundle, rule};
use crate::support::pointers;

#[tokio::test]
async fn tools_stand_in_the_order_of_the_registry() {
    let compiled = Run::restore().await.compiled().await;
    assert_eq!(
        surfaced(&compiled),
        [
            "adp_metrics.query",
            "adp_runbook.annotate",
            "adp_paging.notify",
            "adp_db.restore_snapshot"
        ]
    );
}

#[tokio::test]
async fn each_mode_is_a_ceiling() {
    let mut run = Run::restore().await;
    for (mode, count) in
        [("read_only", 1), ("local_write", 2), ("network", 3), ("delegated", 3), ("destructive", 4)]
    {
        run.context()["safety_mode"] = mode.into();
        let compiled = run.compiled().await;
        assert_eq!(surfaced(&compiled).len(), count, "{mode}");
        let withheld = reasons(&compiled["manifests"]["withheld"]["tools"], "key");
        assert_eq!(withheld.len(), 4 - count);
        assert!(withheld.iter().all(|(_, reason)| reason == "above_safety_mode"));
    }
}

#[tokio::test]
async fn without_a_mode_nothing_is_compiled() {
    let mut run = Run::restore().await;
    for mode in [json!("Destructive"), Value::Null, json!(4)] {
        run.context()["safety_mode"] = mode;
        run.refused(422, "ctx_safety_mode_invalid").await;
    }
}

#[tokio::test]
async fn what_the_run_prohibits_is_withheld() {
    let mut run = Run::restore().await;
    for capability in ["notify", "*"] {
        run.context()["prohibitions"] =
            json!([{"adapter_id": "adp_paging", "capability": capability}]);
        let withheld = &run.compiled().await["manifests"]["withheld"]["tools"].clone();
        assert_eq!(
            reasons(withheld, "key"),
            [("adp_paging.notify".to_owned(), "prohibited".to_owned())]
        );
    }
}

#[tokio::test]
async fn a_star_prohibits_of_all_adapters_and_a_misspelt_prohibition_is_refused() {
    let mut run = Run::restore().await;
    let prohibit = |adapter: &str, capability: &str| json!([{"adapter_id": adapter, "capability": capability}]);
    let all = surfaced(&run.compiled().await);
    assert!(all.len() > 1, "{all:?}");
    run.context()["prohibitions"] = prohibit("*", "notify");
    let left: Vec<String> = all.iter().filter(|key| !key.ends_with(".notify")).cloned().collect();
    assert!(left.len() < all.len());
    assert_eq!(surfaced(&run.compiled().await), left);
    run.context()["prohibitions"] = prohibit("*", "*");
    assert_eq!(surfaced(&run.compiled().await), [] as [String; 0]);
    for (adapter, capability) in
        [("adp_pagin", "notify"), ("adp_paging", "notfy"), ("*", "notfy"), ("adp_pagin", "*")]
    {
        run.context()["prohibitions"] = prohibit(adapter, capability);
        let refused = run.refused(422, "ctx_invalid").await;
        assert_eq!(pointers(&refused), ["/pack/run_context/prohibitions/0"]);
        assert!(refused["detail"].as_str().unwrap().contains("adp_paging.notify"), "{refused}");
    }
}

#[tokio::test]
async fn the_run_s_permissions_are_a_second_sieve() {
    let mut run = Run::restore().await;
    run.context()["permissions"] =
        json!([{"adapter_id": "adp_metrics", "capability": "query", "allow": true}]);
    let compiled = run.compiled().await;
    assert_eq!(surfaced(&compiled), ["adp_metrics.query"]);
    let withheld = reasons(&compiled["manifests"]["withheld"]["tools"], "key");
    assert!(withheld.len() == 3 && withheld.iter().all(|(_, why)| why == "run_not_permitted"));
}

#[tokio::test]
async fn what_is_allowed_and_denied_is_denied() {
    let mut run = Run::restore().await;
    run.pack["tooling_layer"]["permissions"]
        .as_array_mut()
        .unwrap()
        .push(json!({"adapter_id": "adp_metrics", "capability": "query", "allow": false}));
    let withheld = &run.compiled().await["manifests"]["withheld"]["tools"].clone();
    assert_eq!(
        reasons(withheld, "key"),
        [("adp_metrics.query".to_owned(), "permission_denied".to_owned())]
    );
}

#[tokio::test]
async fn a_capability_may_be_its_name_alone() {
    let mut run = Run::restore().await;
    let whole = run.compiled().await["manifests"]["tool_manifest"].clone();
    let adapter = &mut run.pack["tooling_layer"]["adapter_registry"][0];
    adapter["capabilities"] = json!(["query"]);
    adapter["approval_mode"] = "read_only".into();
    assert_eq!(run.compiled().await["manifests"]["tool_manifest"], whole);
}

#[tokio::test]
async fn a_capability_without_a_schema_has_its_adapter_s() {
    let compiled = Run::restore().await.compiled().await;
    assert_eq!(compiled["manifests"]["tool_manifest"][0]["schema_ref"], "schema://metrics.v2");
}

#[tokio::test]
async fn constraints_of_arguments_only_ever_tighten() {
    let mut run = Run::restore().await;
    run.pack["tooling_layer"]["permissions"][0]["arg_constraints"] = json!({
        "amount": {"max": 100, "min": 1, "pattern": "^a", "unless_approved": true},
        "unit": {"enum": ["a", "b", "c"]}});
    let asks = |id: &str, condition: Value, constraints: Value| {
        let then = json!({"allow": true, "targets": ["adp_metrics.query"],
            "arg_constraints": constraints});
        rule(id, "", &condition, &then)
    };
    let tier = json!({">": [{"var": "request.context.tier"}, 5]});
    let wide = json!({"amount": {"max": 100_000, "min": 5, "pattern": "^b"},
        "unit": {"enum": ["b", "c", "d"], "required": true}});
    let narrow = json!({"amount": {"max": 10, "min": 0}, "unit": {"required": false}});
    run.pack["policy_layer"]["policy_bundles"] = json!([
        bundle("LOW", 1, &[asks("WIDE", tier, wide)]),
        bundle("HIGH", 9, &[asks("NARROW", json!(true), narrow)]),
    ]);
    let tightest = json!({"amount": {"max": 10, "min": 5, "pattern": "^a"},
        "unit": {"enum": ["b", "c"], "required": true}});
    for context in [json!({}), json!({"tier": 6})] {
        *run.input("context") = context;
        let tool = run.compiled().await["manifests"]["tool_manifest"][0].clone();
        assert_eq!(tool["arg_constraints"], tightest);
    }
}

#[tokio::test]
async fn an_approval_lifts_a_limit_where_all_say_so() {
    let mut run = Run::restore().await;
    let exempt = json!({"amount": {"max": 100, "unless_approved": true}});
    run.pack["tooling_layer"]["permissions"][0]["arg_constraints"] = exempt.clone();
    for (asked, is_lifted) in [(exempt, true), (json!({"amount": {"max": 200}}), false)] {
        let then =
            json!({"allow": true, "targets": ["adp_metrics.query"], "arg_constraints": asked});
        run.pack["policy_layer"]["policy_bundles"] =
            json!([bundle("B", 1, &[rule("R", "", &json!(true), &then)])]);
        let tool = run.compiled().await["manifests"]["tool_manifest"][0].clone();
        let amount = &tool["arg_constraints"]["amount"];
        assert_eq!(amount["max"], 100);
        assert_eq!(amount.get("unless_approved").is_some(), is_lifted);
    }
}

/// For targets that allow no dot in a name, the tool has the name of the pack's own tools.
#[tokio::test]
async fn a_tool_that_is_named_by_its_key_is_sent_for_every_target() {
    let mut run = Run::restore().await;
    let tool = json!({"name": "adp_metrics.query", "description": "Reads metrics",
        "parameters": {"type": "object", "properties": {}}});
    run.body["tools"] = json!([tool]);
    for (target, pointer, name) in [
        ("openai", "/tools/0/function/name", "adp_metrics__query"),
        ("openai_responses", "/tools/0/name", "adp_metrics__query"),
        ("anthropic", "/tools/0/name", "adp_metrics__query"),
        ("gemini", "/tools/0/functionDeclarations/0/name", "adp_metrics.query"),
        ("neutral", "/tools/0/name", "adp_metrics.query"),
    ] {
        run.body["target"] = target.into();
        let answer = run.answer().await;
        let payload = &answer["payload"];
        assert_eq!(payload.pointer(pointer), Some(&json!(name)), "{target}: {payload}");
        let manifest = &answer["compiled_context"]["manifests"]["tool_manifest"];
        let row = manifest.as_array().unwrap().iter().find(|row| row["capability_id"] == "query");
        assert_eq!(row.unwrap()["in_prompt"], true);
    }
}
