//! E: which evidence counts.

use serde_json::{Value, json};

use super::Run;
use super::governed_run::{column, reasons};
use super::packs::{canonical, digest};
use crate::support::pointers;

/// Evidence of a verified snapshot, as a retriever hands it over.
pub(super) fn verified() -> Value {
    let payload = json!({"snapshot": "s1", "size_gb": 900, "verified": true});
    let hash = digest(&canonical(&payload));
    assert_eq!(hash, "sha256:5a0ce202404a6761dca6c53d16aaf33ebfa77616b0c901a51c6c0bca6afeffb2");
    json!({"id": "kg:snapshot_verification:s1#snap_kg_7", "class": "snapshot_verification",
        "classification": "INTERNAL", "integrity": "verified", "freshness": "current",
        "payload": payload, "payload_hash": hash})
}

/// What became of one piece of evidence: whether it was admitted, why not, and the gates.
async fn fate(run: &mut Run, given: &[Value]) -> (Vec<String>, Vec<String>, Value) {
    run.body["evidence"] = json!(given);
    let compiled = run.compiled().await;
    let admitted = column(&compiled["manifests"]["evidence_manifest"], "id");
    let rejected = column(&compiled["manifests"]["withheld"]["evidence"], "reason");
    (admitted, rejected, compiled["runtime_controls"]["evidence_gates"].clone())
}

#[tokio::test]
async fn what_is_verified_meets_the_rule_that_asks_for_it() {
    let mut run = Run::restore().await;
    let (admitted, _, gates) = fate(&mut run, &[verified()]).await;
    assert_eq!(admitted, ["kg:snapshot_verification:s1#snap_kg_7"]);
    assert_eq!(gates["satisfied"], json!(["snapshot_verification"]));
    let mut unknown = verified();
    unknown.as_object_mut().unwrap().remove("integrity");
    unknown.as_object_mut().unwrap().remove("freshness");
    let (admitted, _, gates) = fate(&mut run, &[unknown]).await;
    assert_eq!(admitted.len(), 1);
    assert_eq!(gates["unresolved"], json!(["capacity_check", "snapshot_verification"]));
}

#[tokio::test]
async fn a_snapshot_is_compared_whole_behind_the_last_mark() {
    let mut run = Run::restore().await;
    for id in ["kg:x:s1#snap_kg_70", "kg:x:s1#snap_kg_", "kg:x:snap_kg_7#snap_kg_8"] {
        let mut given = verified();
        given["id"] = id.into();
        let (admitted, rejected, _) = fate(&mut run, &[given]).await;
        assert_eq!((admitted.len(), rejected), (0, vec!["snapshot_mismatch".to_owned()]), "{id}");
    }
}

#[tokio::test]
async fn a_run_must_name_the_snapshot_that_the_pack_wants() {
    let mut run = Run::restore().await;
    run.context()["kg_snapshot_id"] = Value::Null;
    run.refused(422, "evidence_snapshot_unpinned").await;
    run.context()["kg_snapshot_id"] = "".into();
    run.refused(422, "ctx_invalid").await;
}

#[tokio::test]
async fn what_was_altered_is_nowhere() {
    let mut run = Run::restore().await;
    let mut given = verified();
    given["payload"]["snapshot"] = "zebra".into();
    run.body["evidence"] = json!([given]);
    let answer = run.answer().await;
    let withheld = &answer["compiled_context"]["manifests"]["withheld"]["evidence"];
    assert_eq!(reasons(withheld, "id")[0].1, "hash_mismatch");
    assert!(!answer.to_string().contains("zebra"));
}

#[tokio::test]
async fn nothing_above_the_ceiling_is_admitted() {
    let mut run = Run::restore().await;
    let mut given = verified();
    given["classification"] = "RESTRICTED".into();
    let (_, rejected, _) = fate(&mut run, &[given.clone()]).await;
    assert_eq!(rejected, ["classification_above_ceiling"]);
    given["classification"] = "SECRET".into();
    let (_, rejected, _) = fate(&mut run, &[given]).await;
    assert_eq!(rejected, ["classification_unknown"]);
}

#[tokio::test]
async fn personal_data_is_restricted_and_keeps_its_word() {
    let mut run = Run::refund(json!({"identity_verified": true, "refund_amount": 1})).await;
    let mut given = verified();
    given["classification"] = "PII".into();
    run.body["evidence"] = json!([given]);
    let compiled = run.compiled().await;
    let row = &compiled["manifests"]["evidence_manifest"][0];
    assert_eq!(
        (&row["classification"], &row["classification_given"]),
        (&json!("RESTRICTED"), &json!("PII"))
    );
}

#[tokio::test]
async fn the_order_of_candidates_changes_nothing() {
    let mut run = Run::restore().await;
    let other = |n: usize| {
        let payload = json!({"n": n});
        json!({"id": format!("kg:note:{n}#snap_kg_7"), "class": "note", "classification": "PUBLIC",
            "payload_hash": digest(&canonical(&payload)), "payload": payload})
    };
    let mut given = vec![verified(), other(1), other(2), other(3)];
    run.body["evidence"] = json!(given);
    let forward = run.hash().await;
    given.reverse();
    run.body["evidence"] = json!(given);
    assert_eq!(run.hash().await, forward);
}

#[tokio::test]
async fn without_evidence_nothing_may_be_committed() {
    let mut run = Run::restore().await;
    let (_, _, gates) = fate(&mut run, &[]).await;
    let both = json!(["capacity_check", "snapshot_verification"]);
    assert_eq!((&gates["required"], &gates["unresolved"]), (&both, &both));
    assert_eq!(gates["commit_allowed"], false);
}

#[tokio::test]
async fn what_is_stale_meets_no_rule() {
    let mut run = Run::restore().await;
    let mut given = verified();
    given["freshness"] = "stale".into();
    let (admitted, _, gates) = fate(&mut run, &[given]).await;
    assert_eq!((admitted.len(), &gates["satisfied"]), (1, &json!([])));
}

#[tokio::test]
async fn another_tenant_s_evidence_is_rejected() {
    let mut run = Run::restore().await;
    let mut given = verified();
    given["tenant_id"] = "tenant_other".into();
    assert_eq!(fate(&mut run, &[given]).await.1, ["tenant_mismatch"]);
}

#[tokio::test]
async fn what_had_no_room_is_not_in_the_prompt_and_meets_no_rule() {
    let mut run = Run::restore().await;
    let payload = json!({"text": "x".repeat(9000)});
    let mut given = verified();
    given["payload_hash"] = digest(&canonical(&payload)).into();
    given["payload"] = payload;
    run.body["evidence"] = json!([given]);
    let compiled = run.compiled().await;
    let rows = compiled["manifests"]["evidence_manifest"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["in_prompt"]), (1, &json!(false)));
    let omissions = &compiled["budget_report"]["omissions"];
    assert!(reasons(omissions, "bucket").contains(&("evidence".to_owned(), "budget".to_owned())));
    let gates = &compiled["runtime_controls"]["evidence_gates"];
    assert_eq!(gates["satisfied"], json!([]));
}

#[tokio::test]
async fn evidence_by_its_hash_alone_is_in_the_manifest_and_not_in_the_prompt() {
    let mut run = Run::restore().await;
    let mut given = verified();
    given
        .as_object_mut()
        .unwrap()
        .retain(|key, _| ["id", "class", "classification", "payload_hash"].contains(&key.as_str()));
    run.body["evidence"] = json!([given]);
    let compiled = run.compiled().await;
    assert_eq!(
        compiled["manifests"]["evidence_manifest"],
        json!([{"id": given["id"], "class": given["class"], "classification": "INTERNAL",
            "payload_hash": given["payload_hash"], "in_prompt": false}])
    );
    assert_eq!(compiled["manifests"]["withheld"]["evidence"], json!([]));
    let gates = &compiled["runtime_controls"]["evidence_gates"];
    assert_eq!(gates["satisfied"], json!([]));
    // The published shape has the evidence of the prompt alone.
    let published = run.server.post("/compile?format=contextos-v1", &run.whole()).await;
    let published: Value = published.json().await.unwrap();
    assert_eq!(published["compiled_context"]["manifests"]["evidence_manifest"], json!([]));
}

#[tokio::test]
async fn a_member_of_evidence_that_cannot_be_read_is_a_fault() {
    let mut run = Run::restore().await;
    for (key, value, place) in [
        ("expires_at", json!("2020-01-01"), "expires_at"),
        ("expires_at", json!("garbage"), "expires_at"),
        ("expires_at", json!(1_577_836_800), "expires_at"),
        ("tenant_id", json!(5), "tenant_id"),
        ("conflicts_with", json!("kg:note:1#snap_kg_7"), "conflicts_with"),
        ("conflicts_with", json!(["kg:note:1#snap_kg_7", 5]), "conflicts_with/1"),
        ("priority", json!("high"), "priority"),
        ("priority", json!(-1), "priority"),
        ("integrity", json!(true), "integrity"),
        ("freshness", json!(["current"]), "freshness"),
        ("class", json!(5), "class"),
        ("text", json!(5), "text"),
    ] {
        let mut given = verified();
        given[key] = value;
        run.body["evidence"] = json!([verified(), given]);
        let refused = run.refused(422, "invalid_request").await;
        assert_eq!(pointers(&refused), [format!("/evidence/1/{place}").as_str()]);
    }
    run.body["evidence"] = json!([5]);
    let refused = run.refused(422, "invalid_request").await;
    assert_eq!(pointers(&refused), ["/evidence/0"]);
    let mut given = verified();
    for key in ["expires_at", "tenant_id", "conflicts_with", "priority"] {
        given[key] = Value::Null;
    }
    assert_eq!(fate(&mut run, &[given]).await.0.len(), 1);
}

#[tokio::test]
async fn of_one_piece_that_is_there_twice_the_order_changes_nothing() {
    let mut run = Run::restore().await;
    let with = |key: &str, value: Value| {
        let mut given = verified();
        given[key] = value;
        given
    };
    for (a, b, reason) in [
        (with("priority", json!(3)), with("priority", json!(90)), None),
        (with("freshness", json!("stale")), with("priority", json!(7)), None),
        (with("class", json!("note")), verified(), Some("conflict_same_id")),
        (with("classification", json!("PUBLIC")), verified(), Some("conflict_same_id")),
    ] {
        let (_, rejected, _) = fate(&mut run, &[a.clone(), b.clone()]).await;
        assert_eq!(rejected.first().map(String::as_str), reason);
        let forward = run.hash().await;
        run.body["evidence"] = json!([b, a]);
        assert_eq!(run.hash().await, forward);
    }
}
