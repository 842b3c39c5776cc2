//! I: what is wanted.

use serde_json::json;

use super::Run;
use crate::support::problem;

#[tokio::test]
async fn an_intent_is_the_row_of_the_catalogue() {
    let compiled = Run::restore().await.compiled().await;
    assert_eq!(
        compiled["intent"],
        json!({"id": "ops.db.restore", "class": "ops_high_risk", "task": "task_restore_snapshot",
            "risk_class": "destructive"})
    );
}

#[tokio::test]
async fn an_intent_that_is_not_there_is_refused_with_those_that_are() {
    let mut run = Run::restore().await;
    for intent in ["ops.db.delete", "OPS.DB.RESTORE"] {
        *run.input("intent") = intent.into();
        let refused = run.refused(422, "intent_unknown").await;
        assert_eq!(refused["details"]["allowed"], json!(["ops.db.inspect", "ops.db.restore"]));
        assert_eq!(refused["stage"], "intent");
        assert!(refused.get("compiled_context").is_none() && refused.get("payload").is_none());
    }
}

#[tokio::test]
async fn a_refusal_points_to_where_the_body_has_it() {
    let mut run = Run::restore().await;
    *run.input("intent") = "x".into();
    let inside = run.refused(422, "intent_unknown").await;
    assert_eq!(inside["errors"][0]["pointer"], "/pack/request/input/intent");
    let mut beside = run.body.clone();
    beside["request"] = beside["pack"]["request"].take();
    beside["run_context"] = beside["pack"]["run_context"].take();
    beside["pack"] = run.pack.clone();
    let refused = problem(run.server.post("/compile", &beside).await, 422, "intent_unknown").await;
    assert_eq!(refused["errors"][0]["pointer"], "/request/input/intent");
}

#[tokio::test]
async fn an_intent_is_never_guessed() {
    let mut run = Run::restore().await;
    *run.input("intent") = serde_json::Value::Null;
    run.refused(422, "intent_missing").await;
}

#[tokio::test]
async fn a_run_for_another_intent_is_refused() {
    let mut run = Run::restore().await;
    run.context()["intent"] = "ops.db.inspect".into();
    run.refused(422, "intent_mismatch").await;
}

#[tokio::test]
async fn a_channel_that_is_not_listed_is_refused() {
    let mut run = Run::restore().await;
    *run.input("channel") = "chat".into();
    run.refused(422, "intent_channel_unsupported").await;
}

#[tokio::test]
async fn a_run_of_another_tenant_is_refused() {
    let mut run = Run::restore().await;
    run.context()["tenant_id"] = "tenant_other".into();
    run.refused(403, "tenant_mismatch").await;
}

#[tokio::test]
async fn a_run_that_is_pinned_to_another_version_is_refused() {
    let mut run = Run::restore().await;
    run.context()["pack_version"] = "pack.dbops@1.3.0".into();
    run.refused(422, "pack_pin_mismatch").await;
}

#[tokio::test]
async fn a_locale_that_is_not_listed_is_refused() {
    let mut run = Run::restore().await;
    run.pack["intent_layer"]["catalog"][1]["locale_support"] = json!(["en-GB", "da-DK"]);
    *run.input("locale") = "fr-FR".into();
    let refused = run.refused(422, "intent_locale_unsupported").await;
    assert_eq!(refused["details"]["allowed"], json!(["en-GB", "da-DK"]));
    *run.input("locale") = "da-DK".into();
    run.compiled().await;
}
