//! M: what is remembered.

use serde_json::{Value, json};

use super::Run;
use super::governed_run::{column, reasons};
use crate::support::pointers;

fn record(id: &str, tier: &str) -> Value {
    json!({"id": id, "tier": tier, "text": format!("text of {id}"), "status": "promoted",
        "promoted_at": "2026-01-01T00:00:00Z", "classification": "INTERNAL",
        "tenant_id": "tenant_northwind", "subject": null, "intent_id": null, "confidence": 0.5})
}

async fn fates(run: &mut Run, records: &[Value]) -> (Vec<String>, Vec<(String, String)>) {
    run.body["pack"]["memory"] = json!(records);
    let compiled = run.compiled().await;
    (
        column(&compiled["manifests"]["memory_manifest"], "id"),
        reasons(&compiled["manifests"]["withheld"]["memory"], "id"),
    )
}

fn changed(id: &str, key: &str, value: Value) -> Value {
    let mut record = record(id, "semantic");
    record[key] = value;
    record
}

#[tokio::test]
async fn whoever_recalls_everything_is_checked_again() {
    let mut run = Run::restore().await;
    let given = [
        record("good", "semantic"),
        changed("in_review", "status", json!("in_review")),
        changed("theirs", "tenant_id", json!("tenant_other")),
        changed("nobodys", "tenant_id", Value::Null),
        changed("of_another", "subject", json!("u2")),
        changed("for_another", "intent_id", json!("ops.db.inspect")),
        changed("secret", "classification", json!("RESTRICTED")),
    ];
    let (recalled, rejected) = fates(&mut run, &given).await;
    assert_eq!(recalled, ["good"]);
    for (id, reason) in [
        ("in_review", "not_promoted"),
        ("theirs", "tenant_mismatch"),
        ("nobodys", "tenant_mismatch"),
        ("of_another", "subject_mismatch"),
        ("for_another", "intent_mismatch"),
        ("secret", "classification_above_ceiling"),
    ] {
        assert!(rejected.contains(&(id.to_owned(), reason.to_owned())), "{id}: {rejected:?}");
    }
    let answer = run.answer().await.to_string();
    assert!(answer.contains("text of good"));
    assert!(given[1..].iter().all(|one| !answer.contains(one["text"].as_str().unwrap())));
}

#[tokio::test]
async fn memory_is_about_whom_the_run_is_for() {
    let mut run = Run::restore().await;
    run.context()["on_behalf_of"] = "cust_9".into();
    let given = [
        changed("of_user", "subject", json!("u1")),
        changed("of_customer", "subject", json!("cust_9")),
        changed("of_all", "subject", Value::Null),
    ];
    assert_eq!(fates(&mut run, &given).await.0, ["of_all", "of_customer"]);
}

#[tokio::test]
async fn the_cap_takes_the_best_in_a_fixed_order() {
    let mut run = Run::restore().await;
    let mut given: Vec<Value> = [
        ("w", "working"),
        ("e", "episodic"),
        ("s1", "semantic"),
        ("d", "durable"),
        ("s2", "semantic"),
    ]
    .iter()
    .map(|(id, tier)| record(id, tier))
    .collect();
    given[1]["promoted_at"] = "2099-01-01T00:00:00Z".into();
    given[0]["promoted_at"] = "2099-01-01T00:00:00Z".into();
    given[4]["confidence"] = json!(0.9);
    given.push(record("s3", "semantic"));
    let (recalled, rejected) = fates(&mut run, &given).await;
    assert_eq!(recalled, ["d", "s2", "s1", "s3"]);
    assert_eq!(
        rejected,
        [("e".to_owned(), "recall_cap".to_owned()), ("w".to_owned(), "recall_cap".to_owned())]
    );
}

#[tokio::test]
async fn a_tier_s_time_runs_from_the_promotion() {
    let mut run = Run::restore().await;
    run.context()["as_of"] = "2026-01-03T00:00:00Z".into();
    for (promoted_at, is_there) in [("2025-12-31T23:59:59Z", false), ("2026-01-01T00:00:01Z", true)]
    {
        let mut given = record("e", "episodic");
        given["promoted_at"] = promoted_at.into();
        let (recalled, rejected) = fates(&mut run, &[given]).await;
        assert_eq!(recalled.len() == 1, is_there);
        assert_eq!(rejected.first().map(|(_, why)| why.as_str()), (!is_there).then_some("expired"));
    }
}

#[tokio::test]
async fn working_memory_is_of_its_session() {
    let mut run = Run::restore().await;
    run.context()["session_id"] = "s1".into();
    let mut given = record("w", "working");
    given["promoted_at"] = "2099-01-01T00:00:00Z".into();
    given["session_id"] = "s2".into();
    assert_eq!(fates(&mut run, &[given.clone()]).await.1[0].1, "session_mismatch");
    given["session_id"] = "s1".into();
    assert_eq!(fates(&mut run, &[given]).await.0, ["w"]);
}

#[tokio::test]
async fn the_store_s_entries_are_recalled_and_no_candidate_is() {
    let run = Run::restore().await;
    let put = |key: &str| run.server.build("PUT", &format!("/memory/{key}"));
    let entry = json!({"value": "Restores take an hour.", "tier": "semantic",
        "scope": {"pack_tenant": "tenant_northwind"}});
    assert_eq!(put("restore-time").json(&entry).send().await.unwrap().status(), 201);
    let proposal = json!({"value": "Never confirmed.", "class": "correction", "tier": "semantic"});
    assert_eq!(run.server.post("/memory-candidates", &proposal).await.status(), 201);
    let answer = run.answer().await;
    let manifest = &answer["compiled_context"]["manifests"]["memory_manifest"];
    assert_eq!(column(manifest, "id"), ["restore-time"]);
    assert!(!answer.to_string().contains("Never confirmed."));
}

#[tokio::test]
async fn a_member_of_a_record_that_cannot_be_read_is_a_fault() {
    let mut run = Run::restore().await;
    for (key, value, place) in [
        ("subject", json!(5), "subject"),
        ("intents", json!("ops.db.inspect"), "intents"),
        ("intents", json!([5]), "intents/0"),
        ("intent_id", json!(5), "intent_id"),
        ("expires_at", json!("2020-01-01"), "expires_at"),
        ("promoted_at", json!("yesterday"), "promoted_at"),
        ("tier", json!(5), "tier"),
        ("classification", json!(0), "classification"),
        ("tenant_id", json!(["tenant_northwind"]), "tenant_id"),
        ("session_id", json!(5), "session_id"),
        ("status", json!(true), "status"),
        ("confidence", json!("high"), "confidence"),
        ("confidence", json!(7), "confidence"),
        ("version", json!("2"), "version"),
        ("text", json!({}), "text"),
    ] {
        run.body["pack"]["memory"] = json!([changed("m", key, value)]);
        let refused = run.refused(422, "invalid_request").await;
        assert_eq!(pointers(&refused), [format!("/pack/memory/0/{place}").as_str()]);
    }
}

#[tokio::test]
async fn of_several_records_of_one_id_the_newest_is_recalled() {
    let mut run = Run::restore().await;
    let first = record("m", "semantic");
    let mut newer = changed("m", "version", json!(2));
    newer["text"] = "said anew".into();
    for (other, shown) in [
        (newer, Some("said anew")),
        (changed("m", "promoted_at", json!("2026-02-01T00:00:00Z")), Some("2026-02-01")),
        (changed("m", "text", json!("said otherwise")), None),
        (first.clone(), None),
    ] {
        let (recalled, rejected) = fates(&mut run, &[first.clone(), other.clone()]).await;
        assert_eq!(recalled, ["m"]);
        assert_eq!(rejected, [("m".to_owned(), "duplicate_id".to_owned())]);
        let forward = run.answer().await;
        assert!(shown.is_none_or(|text| forward["payload"].to_string().contains(text)));
        run.body["pack"]["memory"] = json!([other, first]);
        assert_eq!(run.hash().await, forward["compiled_context_hash"].as_str().unwrap());
    }
}

#[tokio::test]
async fn a_model_s_own_writes_are_not_recalled_before_a_review() {
    let mut run = Run::restore().await;
    let scope = json!({"pack_tenant": "tenant_northwind"});
    let arguments = json!({"key": "model-note", "value": "The model's own."}).to_string();
    let call = json!({"id": "c", "type": "function",
        "function": {"name": "create_memory", "arguments": arguments}});
    run.server.post_ok("/tools/calls", &json!({"calls": [call], "scope": scope})).await;
    let entry = json!({"value": "Reviewed.", "tier": "semantic", "scope": scope});
    assert_eq!(run.server.put_memory("reviewed", &entry).await.status(), 201);
    let recalled = async |run: &Run| {
        let answer = run.answer().await;
        column(&answer["compiled_context"]["manifests"]["memory_manifest"], "id")
    };
    assert_eq!(recalled(&run).await, ["reviewed"]);
    // The pack's own policy promotes a class without a review, if it is sure enough.
    let policy = |classes: Value, confidence: f64| json!({"min_confidence": confidence, "auto_promote_classes": classes});
    for (classes, confidence, consent, shown) in [
        (json!(["preference"]), 0.5, json!(false), true),
        (json!(["preference"]), 0.6, json!(false), false),
        (json!(["correction"]), 0.5, json!(false), false),
        (json!(["preference"]), 0.5, json!(true), false),
    ] {
        run.pack["memory_layer"]["promotion"] = policy(classes.clone(), confidence);
        run.pack["memory_layer"]["consent_required"] = consent;
        let found = recalled(&run).await.contains(&"model-note".to_owned());
        assert_eq!(found, shown, "{classes} {confidence}");
    }
    run.pack["memory_layer"]["promotion"] = policy(json!([]), 0.8);
    let path = "/memory/model-note/promote?pack_tenant=tenant_northwind";
    run.server.post_ok(path, &json!({})).await;
    assert_eq!(recalled(&run).await.len(), 2);
}

#[tokio::test]
async fn stored_memory_is_that_of_its_pack_tenant() {
    let run = Run::restore().await;
    for (key, scope) in [
        ("ours", json!({"pack_tenant": "tenant_northwind"})),
        ("theirs", json!({"pack_tenant": "tenant_other"})),
        // An entry without a pack tenant is that of the tenant of the API.
        ("nobodys", json!({})),
    ] {
        let entry = json!({"value": format!("text of {key}"), "tier": "semantic", "scope": scope});
        assert_eq!(run.server.put_memory(key, &entry).await.status(), 201);
    }
    let answer = run.answer().await;
    let manifest = &answer["compiled_context"]["manifests"]["memory_manifest"];
    assert_eq!(column(manifest, "id"), ["ours"]);
    assert!(!answer.to_string().contains("text of theirs"));
    // The same key in two pack tenants is two entries.
    let entry = json!({"value": "text of another", "tier": "semantic",
        "scope": {"pack_tenant": "tenant_other"}});
    assert_eq!(run.server.put_memory("ours", &entry).await.status(), 201);
    let list = run.server.get_json("/memory?prefix=ours").await;
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    let list = run.server.get_json("/memory?pack_tenant=tenant_other").await;
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    // Without a pack, an entry of a pack tenant is seen only by whom names it.
    let recall = async |scope: Value| {
        let found = run.server.post_ok("/memory/recall", &json!({"scope": scope})).await;
        let items = found["items"].as_array().unwrap().clone();
        items
            .iter()
            .map(|item| item["entry"]["key"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(recall(json!({})).await, ["nobodys"]);
    assert_eq!(recall(json!({"pack_tenant": "tenant_northwind"})).await.len(), 2);
}
