//! Packs as small as they may be, requests without messages, and the faults of both at once.

use serde_json::{Value, json};

use super::Run;
use super::governed_run::{column, reasons};
use crate::support::compile::user;
use crate::support::pack::{bundle, minimal, rule};
use crate::support::{TestServer, pointers, problem};

/// The layers that every pack has, each with what it must have.
fn bare() -> Value {
    json!({
        "pack_meta": {"pack_id": "min", "pack_version": "1.0.0", "tenant": "tenant_min",
            "data_classification": "CONFIDENTIAL"},
        "intent_layer": {"catalog": [{"id": "x", "intent_class": "c", "task_id": "t"}]},
        "policy_layer": {"policy_bundles": []},
        "tooling_layer": {"adapter_registry": [], "permissions": []},
        "decision_layer": {},
        "memory_layer": {}
    })
}

/// The faults of a pack: severity, code and place.
async fn faults(pack: &Value) -> Vec<String> {
    let told = TestServer::spawn().await.post_ok("/packs/lint", pack).await;
    let text = |fault: &Value, key: &str| fault[key].as_str().unwrap().to_owned();
    let line = |fault| [text(fault, "severity"), text(fault, "code"), text(fault, "pointer")];
    told["faults"].as_array().unwrap().iter().map(|fault| line(fault).join(" ")).collect()
}

async fn run_of(pack: Value) -> Run {
    let mut run = Run::minimal(4_000, "Sort the invoices").await;
    run.pack = pack;
    run
}

#[tokio::test]
async fn layers_that_decide_nothing_have_defaults() {
    assert_eq!(faults(&bare()).await, [""; 0]);
    let (plain, whole) = (run_of(bare()).await, run_of(minimal()).await);
    let (plain, whole) = (plain.answer().await, whole.answer().await);
    for part in ["compiled_prompt", "manifests", "runtime_controls", "budget_report"] {
        assert_eq!(plain["compiled_context"][part], whole["compiled_context"][part], "{part}");
    }
    assert_eq!(plain["payload"], whole["payload"]);
    assert_eq!(plain["meta"]["expires_at"], Value::Null);
    assert_eq!(plain["compiled_context"]["context_ledger"]["pack"]["contract_version"], "2.0.0");
}

#[tokio::test]
async fn layers_that_decide_something_must_be_there() {
    for layer in bare().as_object().unwrap().keys() {
        let mut pack = bare();
        pack.as_object_mut().unwrap().remove(layer);
        assert_eq!(faults(&pack).await, [format!("error pack_layer_missing /{layer}")]);
    }
}

#[tokio::test]
async fn what_stands_in_a_layer_with_defaults_is_checked() {
    let mut pack = bare();
    pack["contract_meta"] = json!({"issuer": 5, "contract_version": "two"});
    pack["intelligence_refs"] = json!({"ontology": {"version": "x"}, "identity": {"ceids": []}});
    pack["business_context"] = json!({"non_negotiables": "none"});
    pack["evaluation_layer"] = json!({"eval_targets": [{"intent": "y"}]});
    pack["tone_and_comms"] = json!([]);
    pack["decision_layer"]["decision_specs"] =
        json!([{"decision_key": "d", "approval_mode": "all"}]);
    assert_eq!(
        faults(&pack).await,
        [
            "error pack_field_invalid /business_context/non_negotiables",
            "error pack_semver /contract_meta/contract_version",
            "error pack_field_invalid /contract_meta/issuer",
            "error tool_mode_unknown /decision_layer/decision_specs/0/approval_mode",
            "error pack_field_missing /decision_layer/decision_specs/0/required_evidence",
            "error eval_intent_unresolved /evaluation_layer/eval_targets/0/intent",
            "error pack_field_unknown /intelligence_refs/identity/ceids",
            "error pack_semver /intelligence_refs/ontology/version",
            "error pack_field_invalid /tone_and_comms",
        ]
    );
}

#[tokio::test]
async fn without_a_ceiling_nothing_above_public_is_shown() {
    let mut run = run_of(bare()).await;
    run.pack["pack_meta"].as_object_mut().unwrap().remove("data_classification");
    assert_eq!(faults(&run.pack).await, ["warning pack_default /pack_meta/data_classification"]);
    let entry = |id: &str, level: &str| {
        json!({"id": id, "tier": "semantic", "text": id, "classification": level,
            "promoted_at": "2026-01-01T00:00:00Z", "tenant_id": "tenant_min", "status": "promoted"})
    };
    run.body["pack"]["memory"] = json!([entry("open", "PUBLIC"), entry("own", "INTERNAL")]);
    let manifests = run.compiled().await["manifests"].take();
    assert_eq!(column(&manifests["memory_manifest"], "id"), ["open"]);
    assert_eq!(
        reasons(&manifests["withheld"]["memory"], "id"),
        [("own".to_owned(), "classification_above_ceiling".to_owned())]
    );
}

#[tokio::test]
async fn a_pack_without_a_version_has_that_of_its_contract() {
    let mut pack = bare();
    pack["pack_meta"].as_object_mut().unwrap().remove("pack_version");
    assert_eq!(faults(&pack).await, ["error pack_field_missing /pack_meta/pack_version"]);
    pack["contract_meta"] = json!({"contract_version": "3.1.4"});
    assert_eq!(faults(&pack).await, ["warning pack_default /pack_meta/pack_version"]);
    let server = TestServer::spawn().await;
    let published = server.post_json("/packs", 201, &pack).await;
    assert_eq!(published["pack_ref"], "min@3.1.4");
    pack["contract_meta"]["contract_version"] = "3.1.4-rc.1".into();
    let rejected = problem(server.post("/packs", &pack).await, 422, "pack_lint").await;
    assert_eq!(pointers(&rejected), ["/pack_meta/pack_version"]);
}

#[tokio::test]
async fn a_memory_layer_without_tiers_recalls_from_all_of_them() {
    let mut run = run_of(bare()).await;
    let entry = |tier: &str| {
        json!({"id": tier, "tier": tier, "text": tier, "classification": "INTERNAL",
            "promoted_at": "2020-01-01T00:00:00Z", "tenant_id": "tenant_min", "status": "promoted",
            "session_id": "s1"})
    };
    run.context()["session_id"] = "s1".into();
    let tiers = ["durable", "semantic", "episodic", "working"];
    run.body["pack"]["memory"] = tiers.iter().map(|tier| entry(tier)).collect();
    let recalled = column(&run.compiled().await["manifests"]["memory_manifest"], "id");
    assert_eq!(recalled, tiers);
    run.pack["memory_layer"]["tiers"] = json!({});
    assert_eq!(run.compiled().await["manifests"]["memory_manifest"], json!([]));
}

#[tokio::test]
async fn an_approval_in_a_pack_without_gates_is_escalated() {
    let mut run = run_of(bare()).await;
    let then = json!({"allow": true, "requires": ["approval"]});
    run.pack["policy_layer"]["policy_bundles"] =
        json!([bundle("B", 1, &[rule("R", "x", &json!(true), &then)])]);
    let place = "/policy_layer/policy_bundles/0/policy_dsl/rules/0/then/requires";
    assert_eq!(faults(&run.pack).await, [format!("warning policy_gate_unresolved {place}")]);
    assert_eq!(run.compiled().await["runtime_controls"]["must_escalate"], json!(["R"]));
    // Gates that are there and cover something else leave open who approves.
    run.pack["policy_layer"]["approval_gates"] =
        json!([{"gate_id": "G", "required_approver_role": "lead"}]);
    assert_eq!(faults(&run.pack).await, [format!("error policy_gate_unresolved {place}")]);
}

#[tokio::test]
async fn the_text_of_a_request_is_the_conversation_where_there_is_no_other() {
    let mut run = run_of(bare()).await;
    assert_eq!(run.body["messages"], json!([]));
    let given = run.answer().await;
    run.body.as_object_mut().unwrap().remove("messages");
    let absent = run.answer().await;
    assert_eq!(absent["payload"], given["payload"]);
    assert_eq!(absent["compiled_context_hash"], given["compiled_context_hash"]);
    let replay = format!("/compilations/{}/replay", absent["id"].as_str().unwrap());
    assert_eq!(run.server.post_ok(&replay, &json!({})).await["status"], "equal");
    // Earlier turns in the request are a conversation, too, and end with the task.
    run.body["pack"]["request"]["input"].as_object_mut().unwrap().remove("message");
    run.body["pack"]["request"]["session"] = json!({"recent_turns": [
        {"text": "Which are late?"}, {"role": "assistant", "text": "Two."}, {"text": "Sort them."}]});
    let compiled = run.compiled().await;
    assert_eq!(compiled["compiled_prompt"]["task"], "Sort them.");
    // Without a pack nothing has changed.
    let bare = problem(
        run.server.post("/compile", &json!({"model": "gpt-4o"})).await,
        422,
        "invalid_request",
    );
    assert_eq!(pointers(&bare.await), [""]);
}

#[tokio::test]
async fn a_request_without_any_text_is_refused() {
    let mut run = run_of(bare()).await;
    run.body.as_object_mut().unwrap().remove("messages");
    run.body["pack"]["request"]["input"].as_object_mut().unwrap().remove("message");
    let refused = run.refused(422, "ctx_invalid").await;
    assert_eq!(pointers(&refused), ["/pack/request/input/message"]);
}

#[tokio::test]
async fn the_faults_of_pack_and_request_come_in_one_response() {
    let mut run = run_of(bare()).await;
    run.pack.as_object_mut().unwrap().remove("intent_layer");
    run.pack["policy_layer"]["policy_bundels"] = json!([]);
    run.body.as_object_mut().unwrap().remove("messages");
    run.body["pack"]["run_context"] = json!({"run_id": "r", "user": {}, "safety_mode": "all", "run_budget": {"bucket_tokens": -1}});
    run.body["pack"]["request"] =
        json!({"input": {"channel": 5}, "session": {"recent_turns": "none"}});
    run.body["evidence"] = json!({});
    run.body["budget"] = json!({"context_window": 0});
    let refused = run.refused(422, "invalid_request").await;
    let mut found = pointers(&refused);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "/budget/context_window",
            "/evidence",
            "/pack/document/intent_layer",
            "/pack/document/policy_layer/policy_bundels",
            "/pack/request/input/channel",
            "/pack/request/input/intent",
            "/pack/request/input/message",
            "/pack/request/session/recent_turns",
            "/pack/run_context/run_budget/bucket_tokens",
            "/pack/run_context/safety_mode",
            "/pack/run_context/tenant_id",
            "/pack/run_context/user/user_id",
        ]
    );
}

#[tokio::test]
async fn all_that_is_wrong_with_a_run_has_the_code_of_the_first() {
    let mut run = run_of(bare()).await;
    run.body["pack"]["run_context"] =
        json!({"tenant_id": "tenant_min", "user": {}, "safety_mode": "all"});
    run.body["pack"]["request"] = json!({"context_pack_refs": ["a@1.0.0", "b@1.0.0"]});
    let refused = run.refused(422, "ctx_invalid").await;
    assert_eq!(
        pointers(&refused),
        [
            "/pack/run_context/user/user_id",
            "/pack/run_context/safety_mode",
            "/pack/request/context_pack_refs"
        ]
    );
}

#[tokio::test]
async fn a_missing_intent_comes_with_the_faults_of_the_document() {
    let mut run = run_of(bare()).await;
    run.pack["pack_meta"]["tenat"] = "x".into();
    run.body["pack"]["request"]["input"].as_object_mut().unwrap().remove("intent");
    let refused = run.refused(422, "invalid_request").await;
    assert_eq!(
        pointers(&refused),
        ["/pack/document/pack_meta/tenat", "/pack/request/input/intent"]
    );
    // Each of them alone keeps its own code.
    run.pack = bare();
    run.refused(422, "intent_missing").await;
}

#[tokio::test]
async fn a_turn_under_a_pack_has_its_faults_at_once_too() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    let turn = json!({"append": [user("Hello")], "budget": {"context_window": 0},
        "pack": {"document": {"pack_meta": 5}, "request": {}}});
    let refused =
        problem(server.post("/sessions/s/turns", &turn).await, 422, "invalid_request").await;
    let found = pointers(&refused);
    for place in ["/budget/context_window", "/pack/run_context", "/pack/document/pack_meta"] {
        assert!(found.contains(&place), "{place}: {found:?}");
    }
}
