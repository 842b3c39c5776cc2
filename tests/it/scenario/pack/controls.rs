//! C: what has to be watched, and what the model was shown.

use serde_json::{Value, json};

use super::Run;
use super::evidence::verified;
use super::governed_run::column;
use super::packs::{canonical, digest};
use crate::support::problem;

#[tokio::test]
async fn an_active_gate_says_why() {
    let compiled = Run::restore().await.compiled().await;
    let controls = &compiled["runtime_controls"];
    assert_eq!(controls["approval_gates_active"], json!(["GATE_SECOND_ENGINEER"]));
    assert_eq!(
        controls["approval_gates"][0]["because"],
        json!(["destructive:adp_db.restore_snapshot", "rule:R_PROD_RESTORE_TWO_PERSON"])
    );
}

#[tokio::test]
async fn a_destructive_tool_has_its_gate_without_any_rule() {
    let mut run = Run::restore().await;
    *run.input("context") =
        json!({"cluster_state": "degraded", "environment": "development", "snapshot_gb": 1});
    let controls = run.compiled().await["runtime_controls"].clone();
    assert_eq!(controls["approval_gates_active"], json!(["GATE_SECOND_ENGINEER"]));
    assert_eq!(controls["must_escalate"], json!([]));
}

#[tokio::test]
async fn guardrails_are_always_on() {
    let mut run = Run::restore().await;
    run.pack["policy_layer"]["guardrails"]["must_refuse"] = json!(["medical_advice"]);
    run.pack["policy_layer"]["guardrails"]["must_escalate"] = json!(["legal_threat"]);
    let controls = run.compiled().await["runtime_controls"].clone();
    assert_eq!(controls["must_refuse"], json!(["medical_advice"]));
    assert_eq!(controls["must_escalate"], json!(["R_PROD_RESTORE_TWO_PERSON", "legal_threat"]));
}

#[tokio::test]
async fn a_destructive_tool_without_a_gate_is_escalated() {
    let mut run = Run::restore().await;
    *run.input("context") =
        json!({"cluster_state": "degraded", "environment": "development", "snapshot_gb": 1});
    run.pack["policy_layer"]["approval_gates"][0]["applies_to"] = json!({"capabilities": []});
    let answer = run.answer().await;
    let controls = &answer["compiled_context"]["runtime_controls"];
    assert_eq!(controls["must_escalate"], json!(["adp_db.restore_snapshot"]));
    let notes = &answer["meta"]["diagnostics"]["notes"];
    assert_eq!(column(notes, "code"), ["controls_ungated_destructive"]);
}

#[tokio::test]
async fn a_gate_signs_for_the_evidence_that_was_shown() {
    let mut run = Run::restore().await;
    let snapshot = |compiled: &Value| {
        compiled["runtime_controls"]["approval_gates"][0]["evidence_snapshot_hash"].clone()
    };
    let none = snapshot(&run.compiled().await);
    run.body["evidence"] = json!([verified()]);
    assert_ne!(snapshot(&run.compiled().await), none);
}

#[tokio::test]
async fn manifests_and_blocks_name_each_other() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    run.body["pack"]["memory"] = json!([{"id": "m1", "tier": "semantic", "text": "Remember this.",
        "status": "promoted", "promoted_at": "2026-01-01T00:00:00Z", "classification": "INTERNAL",
        "tenant_id": "tenant_northwind", "confidence": 1}]);
    for tokens in [1400, 1700, 2500, 6000] {
        run.context()["run_budget"] = json!({"bucket_tokens": tokens});
        let compiled = run.compiled().await;
        let blocks = compiled["compiled_prompt"]["context_blocks"].as_array().unwrap();
        for (bucket, manifest) in [("evidence", "evidence_manifest"), ("memory", "memory_manifest")]
        {
            let kept = blocks.iter().filter(|b| b["bucket"] == bucket && b["truncated"] == false);
            let kept: Vec<&str> = kept.map(|b| b["provenance_refs"][0].as_str().unwrap()).collect();
            assert_eq!(column(&compiled["manifests"][manifest], "id"), kept, "{tokens}");
        }
    }
}

#[tokio::test]
async fn the_published_schema_s_shape_is_to_be_had() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    run.body["pack"]["document"] = run.pack.clone();
    let whole = run.answer().await;
    let answer = run.server.post("/compile?format=contextos-v1", &run.body).await;
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["compiled_context_hash"], whole["compiled_context_hash"]);
    let compiled = &answer["compiled_context"];
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(
        keys(compiled),
        ["compiled_prompt", "manifests", "runtime_controls", "budget_report", "context_ledger"]
    );
    let manifests = &compiled["manifests"];
    assert_eq!(
        manifests["policy_manifest"],
        json!([{"bundle_id": "PB_OPS_SAFETY", "rule_ids": ["R_PROD_RESTORE_TWO_PERSON"]},
            {"bundle_id": "PB_OPS_HYGIENE", "rule_ids": ["R_LARGE_SNAPSHOT_REVIEW"]}])
    );
    assert_eq!(
        manifests["tool_manifest"][0],
        json!({"adapter_id": "adp_metrics", "capabilities": ["query"]})
    );
    assert_eq!(keys(&manifests["evidence_manifest"][0]), ["evidence_ref", "source_id", "hash"]);
    let blocks = compiled["compiled_prompt"]["context_blocks"].as_array().unwrap();
    let buckets: Vec<&str> = blocks.iter().map(|block| block["bucket"].as_str().unwrap()).collect();
    assert!(
        buckets.contains(&"business") && buckets.contains(&"tool") && !buckets.contains(&"tools")
    );
    problem(run.server.post("/compile?format=article", &run.body).await, 422, "invalid_request")
        .await;
}

#[tokio::test]
async fn the_payload_has_the_same_bytes_in_the_published_schema_s_shape() {
    let mut run = Run::restore().await;
    run.body["pack"]["document"] = run.pack.clone();
    run.body["target"] = json!("anthropic");
    run.body["messages"] = json!([
        {"role": "user", "content": "How many?"},
        {"role": "assistant",
         "content": [{"type": "tool_use", "id": "t1", "name": "count", "input": {"n": "NUMBER"}}]},
        {"role": "user",
         "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "seven"}]},
    ]);
    // Other readers of JSON would write this number as 1.5.
    let body = run.body.to_string().replace("\"NUMBER\"", "1.50");
    let payload = async |path: &str| {
        let request = run.server.build_json("POST", path).body(body.clone());
        let text = request.send().await.unwrap().text().await.unwrap();
        let (_, payload) = text.split_once("\"payload\":").expect("a payload");
        payload.split_once(",\"report\":").expect("a report").0.to_owned()
    };
    let whole = payload("/compile").await;
    assert!(whole.contains("1.50"), "{whole}");
    assert_eq!(payload("/compile?format=contextos-v1").await, whole);
}

fn piece(class: &str, n: u32) -> Value {
    let payload = json!({"n": n});
    json!({"id": format!("kg:{class}:{n}#snap_kg_7"), "class": class,
        "classification": "INTERNAL", "integrity": "verified", "freshness": "current",
        "payload_hash": digest(&canonical(&payload)), "payload": payload})
}

#[tokio::test]
async fn a_conflict_counts_whichever_of_the_two_declares_it() {
    let mut run = Run::restore().await;
    let given = [piece("snapshot_verification", 1), piece("capacity_check", 2), piece("note", 3)];
    run.body["evidence"] = json!(given);
    let gates = run.compiled().await["runtime_controls"]["evidence_gates"].clone();
    assert_eq!((&gates["commit_allowed"], &gates["conflicts"]), (&json!(true), &json!([])));
    for (own, other) in [(0, 2), (2, 0)] {
        let mut given = given.clone();
        given[own]["conflicts_with"] = json!([given[other]["id"]]);
        run.body["evidence"] = json!(given);
        let gates = run.compiled().await["runtime_controls"]["evidence_gates"].clone();
        assert_eq!(gates["commit_allowed"], false);
        assert_eq!(gates["conflicts"], json!([given[2]["id"], given[0]["id"]]));
    }
}

#[tokio::test]
async fn what_says_two_things_is_of_the_class_that_it_has() {
    let mut run = Run::restore().await;
    let mut given =
        vec![piece("snapshot_verification", 1), piece("capacity_check", 2), piece("note", 3)];
    for n in [4, 5] {
        let mut disputed = piece("capacity_check", n);
        disputed["id"] = "kg:scan:s1#snap_kg_7".into();
        given.push(disputed);
    }
    run.body["evidence"] = json!(given);
    let gates = run.compiled().await["runtime_controls"]["evidence_gates"].clone();
    assert_eq!(gates["unresolved"], json!([]));
    assert_eq!(gates["conflicts"], json!(["kg:scan:s1#snap_kg_7"]));
    assert_eq!(gates["commit_allowed"], false);
}
