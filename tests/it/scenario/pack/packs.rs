//! P: documents.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::Run;
use crate::support::pack::{bundle, dbops, minimal, rule};
use crate::support::{TestServer, pointers, problem};

async fn lint(pack: &Value) -> Vec<Value> {
    let server = TestServer::spawn().await;
    let told = server.post_ok("/packs/lint", pack).await;
    told["faults"].as_array().unwrap().clone()
}

fn has(faults: &[Value], code: &str) -> bool {
    faults.iter().any(|fault| fault["code"] == code && fault["severity"] == "error")
}

/// Canonical JSON of a document whose numbers are written as ECMAScript does.
pub(super) fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
            let members: Vec<String> = keys
                .iter()
                .map(|key| format!("{}:{}", json!(key), canonical(&members[*key])))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        // What serde_json writes as 1.0 is 1 there.
        Value::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn digest(text: &str) -> String {
    let hash = Sha256::digest(text);
    hash.iter().fold("sha256:".to_owned(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[tokio::test]
async fn a_pack_has_the_digest_of_its_canonical_json() {
    let server = TestServer::spawn().await;
    let published = server.post_json("/packs", 201, &dbops()).await;
    assert_eq!(published["pack_ref"], "pack.dbops@1.4.0");
    assert_eq!(published["digest"], digest(&canonical(&dbops())));
    let read = server.get_json("/packs/pack.dbops/1.4.0").await;
    assert_eq!(read["digest"], published["digest"]);
}

#[tokio::test]
async fn keys_in_another_order_are_the_same_pack() {
    let server = TestServer::spawn().await;
    let first = server.post_ok("/packs", &dbops()).await;
    let mut turned = serde_json::Map::new();
    for (key, value) in dbops().as_object().unwrap().iter().rev() {
        turned.insert(key.clone(), value.clone());
    }
    let text = serde_json::to_string_pretty(&turned).unwrap();
    let again = server.build("POST", "/packs").header("content-type", "application/json");
    let again = again.body(text).send().await.unwrap();
    assert_eq!(again.status(), 200);
    let again: Value = again.json().await.unwrap();
    assert_eq!(again["digest"], first["digest"]);
}

#[tokio::test]
async fn another_document_of_the_same_version_is_a_conflict() {
    let server = TestServer::spawn().await;
    assert_eq!(server.post("/packs", &dbops()).await.status(), 201);
    let mut other = dbops();
    other["policy_layer"]["policy_bundles"][0]["policy_dsl"]["rules"][0]["rationale"] =
        "No.".into();
    problem(server.post("/packs", &other).await, 409, "pack_version_exists").await;
    let read = server.get_json("/packs/pack.dbops/1.4.0").await;
    assert_eq!(read["document"], dbops());
}

#[tokio::test]
async fn a_layer_that_is_missing_is_named() {
    let mut pack = dbops();
    pack.as_object_mut().unwrap().remove("decision_layer");
    let faults = lint(&pack).await;
    let fault = faults.iter().find(|fault| fault["code"] == "pack_layer_missing").unwrap();
    assert_eq!(fault["pointer"], "/decision_layer");
}

#[tokio::test]
async fn weights_that_do_not_come_to_one_are_told_with_their_sum() {
    let mut pack = dbops();
    pack["budget_layer"]["splits"]["ops.db.restore"]["evidence"] = json!(0.29);
    let faults = lint(&pack).await;
    let fault = faults.iter().find(|fault| fault["code"] == "budget_split_sum").unwrap();
    assert_eq!(fault["sum"], "0.99");
}

#[tokio::test]
async fn a_bucket_that_there_is_not_is_named() {
    let mut pack = dbops();
    pack["budget_layer"]["splits"]["ops.db.restore"]["evidense"] = json!(0);
    assert!(has(&lint(&pack).await, "budget_bucket_unknown"));
}

#[tokio::test]
async fn an_operator_that_would_never_run_is_named_too() {
    let mut pack = minimal();
    let never = json!({"and": [false, {"nope": [1]}]});
    pack["policy_layer"]["policy_bundles"] =
        json!([bundle("B", 1, &[rule("R", "", &never, &json!({"allow": false}))])]);
    assert!(has(&lint(&pack).await, "policy_operator_unknown"));
}

#[tokio::test]
async fn an_intent_is_named_whole_or_with_a_star() {
    for (intent, is_found) in [("ops.db", false), ("ops.db.*", true), ("ops.d.*", false)] {
        let mut pack = dbops();
        pack["policy_layer"]["policy_bundles"][0]["policy_dsl"]["rules"][0]["applies_to"]["intent"] =
            intent.into();
        assert_eq!(!has(&lint(&pack).await, "policy_intent_unresolved"), is_found, "{intent}");
    }
}

#[tokio::test]
async fn a_mode_that_there_is_not_is_named() {
    let mut pack = dbops();
    pack["tooling_layer"]["adapter_registry"][3]["capabilities"][0]["approval_mode"] =
        "destructve".into();
    assert!(has(&lint(&pack).await, "tool_mode_unknown"));
}

#[tokio::test]
async fn a_gate_that_is_not_declared_is_named() {
    let mut pack = dbops();
    pack["policy_layer"]["policy_bundles"][0]["policy_dsl"]["rules"][1]["then"]["requires_approval_gate"] =
        "GATE_X".into();
    assert!(has(&lint(&pack).await, "policy_gate_unresolved"));
}

#[tokio::test]
async fn a_detector_that_there_is_not_is_named() {
    let mut pack = dbops();
    pack["policy_layer"]["guardrails"]["redaction_rules"] = json!(["ssn_magic"]);
    assert!(has(&lint(&pack).await, "redaction_rule_unknown"));
}

#[tokio::test]
async fn a_key_that_stands_twice_is_refused() {
    let server = TestServer::spawn().await;
    let text = "{\"pack_meta\": {\"priority\": 1, \"priority\": 2}}";
    let request = server.build("POST", "/packs").header("content-type", "application/json");
    problem(request.body(text).send().await.unwrap(), 422, "invalid_request").await;
}

#[tokio::test]
async fn a_pack_that_needs_another_runtime_compiles_nothing() {
    let mut run = Run::restore().await;
    run.pack["contract_meta"]["compatibility"]["requires"] = json!({"runtime": ">=99.0.0"});
    let refused = run.refused(422, "pack_incompatible").await;
    assert!(refused["detail"].as_str().unwrap().contains("1.0.0"));
    run.pack["contract_meta"]["compatibility"]["requires"] = json!({"moon": ">=1.0.0"});
    run.refused(422, "pack_incompatible").await;
}

/// The severity and the places of what is told under a code.
fn told<'f>(faults: &'f [Value], code: &str) -> Vec<(&'f str, &'f str)> {
    let text = |fault: &'f Value, key: &str| fault[key].as_str().unwrap();
    let own = faults.iter().filter(|fault| fault["code"] == code);
    own.map(|fault| (text(fault, "severity"), text(fault, "pointer"))).collect()
}

#[tokio::test]
async fn a_pack_that_needs_another_runtime_is_published_with_a_warning() {
    let mut pack = dbops();
    pack["contract_meta"]["compatibility"]["requires"] =
        json!({"runtime": ">=99.0.0", "ontology": ">=3.1.0", "a/b": ">=1.0.0"});
    let faults = lint(&pack).await;
    assert_eq!(
        told(&faults, "pack_incompatible"),
        [
            ("warning", "/contract_meta/compatibility/requires/a~1b"),
            ("warning", "/contract_meta/compatibility/requires/runtime"),
        ]
    );
    let server = TestServer::spawn().await;
    let published = server.post_json("/packs", 201, &pack).await;
    assert_eq!(published["warnings"].as_array().unwrap().len(), faults.len());
}

#[tokio::test]
async fn an_extension_bucket_has_a_plain_name_that_stands_once() {
    let mut pack = dbops();
    pack["budget_layer"]["extension_buckets"] = json!(["x1", "a b", "x1", "x".repeat(65), ""]);
    let faults = lint(&pack).await;
    let at = |at: usize| format!("/budget_layer/extension_buckets/{at}");
    assert_eq!(told(&faults, "budget_bucket_duplicate"), [("error", at(2).as_str())]);
    let forms = [1, 3, 4].map(at);
    let forms: Vec<(&str, &str)> = forms.iter().map(|at| ("error", at.as_str())).collect();
    assert_eq!(told(&faults, "budget_bucket_form"), forms);
}

#[tokio::test]
async fn a_rule_that_stands_twice_is_named_where_it_stands_again() {
    let mut pack = minimal();
    let one = rule("R", "", &json!(true), &json!({"allow": true}));
    let rules = "/policy_layer/policy_bundles";
    let (a, b) = (bundle("A", 1, &[one.clone(), one.clone()]), bundle("B", 9, &[one]));
    pack["policy_layer"]["policy_bundles"] = json!([a, b]);
    let again = format!("{rules}/0/policy_dsl/rules/1/rule_id");
    let elsewhere = format!("{rules}/1/policy_dsl/rules/0/rule_id");
    assert_eq!(
        told(&lint(&pack).await, "policy_rule_duplicate"),
        [("error", again.as_str()), ("error", elsewhere.as_str())]
    );
}

#[tokio::test]
async fn what_always_holds_and_what_constrains_nothing_is_told() {
    let mut pack = dbops();
    let constraints = json!({"amount": {"max": 10}});
    let then =
        |targets: Value| json!({"allow": true, "targets": targets, "arg_constraints": constraints});
    pack["policy_layer"]["policy_bundles"] = json!([bundle(
        "B",
        1,
        &[
            rule("ALWAYS", "", &json!({}), &then(json!(["adp_metrics.query"]))),
            rule("NOWHERE", "", &json!(true), &then(json!([]))),
        ]
    )]);
    let faults = lint(&pack).await;
    let rules = "/policy_layer/policy_bundles/0/policy_dsl/rules";
    assert_eq!(
        told(&faults, "policy_literal_object"),
        [("warning", format!("{rules}/0/if").as_str())]
    );
    assert_eq!(
        told(&faults, "policy_constraints_untargeted"),
        [("error", format!("{rules}/1/then/arg_constraints").as_str())]
    );
}

#[tokio::test]
async fn the_request_s_own_tenant_is_blamed_where_it_is_another() {
    let mut run = Run::restore().await;
    for tenant in [json!("somebody_else"), json!(5)] {
        run.body["pack"]["request"]["tenant_id"] = tenant;
        let refused = run.refused(403, "tenant_mismatch").await;
        assert_eq!(pointers(&refused), ["/pack/request/tenant_id"]);
    }
    run.context()["tenant_id"] = "somebody_else".into();
    let refused = run.refused(403, "tenant_mismatch").await;
    assert_eq!(pointers(&refused), ["/pack/run_context/tenant_id"]);
}

#[tokio::test]
async fn faults_of_a_request_and_of_its_pack_are_told_together() {
    let mut run = Run::minimal(6_000, "x").await;
    run.body["target"] = json!("openia");
    run.body["pack"]["request"]["input"]["channel"] = json!(7);
    run.body["pack"]["run_context"] = Value::Null;
    run.pack["pack_meta"]["pack_version"] = json!("1.4");
    let invalid = problem(run.send().await, 422, "invalid_request").await;
    let told = pointers(&invalid);
    for expected in [
        "/target",
        "/pack/request/input/channel",
        "/pack/run_context",
        "/pack/document/pack_meta/pack_version",
    ] {
        assert!(told.contains(&expected), "{expected}: {invalid}");
    }

    // So are those of the pack's members and of its document.
    for (member, value) in [("run_context", Value::Null), ("evidence", json!(7))] {
        let mut run = Run::minimal(6_000, "x").await;
        run.body["pack"][member] = value;
        run.pack["pack_meta"]["pack_version"] = json!("1.4");
        let invalid = problem(run.send().await, 422, "invalid_request").await;
        let told = pointers(&invalid);
        let member = format!("/pack/{member}");
        for expected in [&*member, "/pack/document/pack_meta/pack_version"] {
            assert!(told.contains(&expected), "{expected}: {invalid}");
        }
    }

    // Without other faults, the refusal and the lint keep their own problems.
    let mut run = Run::minimal(6_000, "x").await;
    run.body["pack"]["run_context"] = Value::Null;
    run.refused(422, "ctx_invalid").await;
    let mut run = Run::minimal(6_000, "x").await;
    run.pack["pack_meta"]["pack_version"] = json!("1.4");
    problem(run.send().await, 422, "pack_lint").await;
}
