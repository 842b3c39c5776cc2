//! The pack of `examples/packs`, as its walk-through goes; and packs that others wrote.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::governed_run::{column, surfaced};
use crate::support::{TestServer, prerequisite};

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[tokio::test]
async fn the_walk_through_shows_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/packs");
    let (pack, request) = (read(&folder.join("deploy.json")), read(&folder.join("compile.json")));
    let server = TestServer::spawn().await;
    let lint = server.post_ok("/packs/lint", &pack).await;
    assert_eq!(lint, json!({"ok": true, "faults": []}));
    assert_eq!(server.post("/packs", &pack).await.status(), 201);
    let compile = async |body: &Value| -> Value { server.post_json("/compile", 200, body).await };
    let mut whole = compile(&request).await;
    let (id, before) = (whole["id"].clone(), whole["compiled_context"].take());
    let rules = &before["manifests"]["policy_manifest"];
    assert_eq!(column(rules, "rule_id"), ["R_PRODUCTION_NEEDS_APPROVAL", "R_LARGE_CHANGE_REVIEW"]);
    let controls = &before["runtime_controls"];
    assert_eq!(controls["approval_gates_active"], json!(["GATE_RELEASE"]));
    assert_eq!(controls["evidence_gates"]["unresolved"], json!(["review_record"]));
    assert_eq!(controls["evidence_gates"]["commit_allowed"], false);
    assert!(before["compiled_prompt"]["task"].as_str().unwrap().contains("[REDACTED:email]"));

    let mut missing = request.clone();
    missing["pack"]["request"]["input"]["context"]
        .as_object_mut()
        .unwrap()
        .shift_remove("tests_passed");
    let withheld = compile(&missing).await["compiled_context"].take();
    assert!(!surfaced(&withheld).contains(&"adp_deploy.release".to_owned()));
    assert_eq!(
        withheld["runtime_controls"]["must_refuse"],
        json!(["R_TESTS_MUST_PASS", "credentials_in_code"])
    );

    let golden = "/packs/pack.coding-agent/1.0.0/golden";
    let put = server.build("PUT", golden).json(&json!({"compilations": [id]}));
    assert_eq!(put.send().await.unwrap().status(), 200);

    let mut next = pack.clone();
    next["pack_meta"]["pack_version"] = "1.1.0".into();
    next["policy_layer"]["policy_bundles"][0]["policy_dsl"]["rules"][2]["if"][">"][1] = 600.into();
    assert_eq!(server.post("/packs", &next).await.status(), 201);
    let post =
        async |path: &str, body: &Value| -> Value { server.post_json(path, 200, body).await };
    let ran = post(&format!("{golden}/run"), &json!({"against": "pack.coding-agent@1.1.0"})).await;
    let case = &ran["cases"][0];
    assert_eq!(
        (&case["outcome"], &case["first_divergent_stage"], &case["root_stages"]),
        (&json!("diverged"), &json!("policy"), &json!(["policy"]))
    );
    let own = post(&format!("{golden}/run"), &json!({})).await;
    assert_eq!((&own["status"], &own["equal"]), (&json!("equal"), &json!(1)));
    let replay = format!("/compilations/{}/replay", id.as_str().unwrap());
    let again = post(&replay, &json!({})).await;
    assert_eq!((&again["status"], &again["root_stages"]), (&json!("equal"), &json!([])));

    let mut later = request.clone();
    later["pack"]["ref"] = "pack.coding-agent@1.1.0".into();
    let mut after = compile(&later).await;
    let pair = json!({"a": id, "b": after["id"]});
    let parted = post("/compilations/diff", &pair).await;
    assert_eq!(parted["first_divergent_stage"], "policy");
    assert_eq!(parted["root_stages"], json!(["policy"]));
    let after = after["compiled_context"].take();
    let stages =
        |compiled: &Value| compiled["context_ledger"]["stages"].as_array().unwrap().clone();
    let first = stages(&before)
        .into_iter()
        .zip(stages(&after))
        .find(|(a, b)| a["output_hash"] != b["output_hash"]);
    assert_eq!(first.unwrap().0["name"], "policy");
}

/// The packs of a folder that `CONTEXTURE_PACKS` names compile, each with its first intent.
#[tokio::test]
async fn packs_that_others_wrote_compile() {
    let Some(folder) = prerequisite::variable("packs") else { return };
    let server = TestServer::spawn().await;
    let mut compiled = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.file_name().unwrap().to_string_lossy().starts_with("pack_") {
            continue;
        }
        let pack = read(&path);
        let lint = server.post_ok("/packs/lint", &pack).await;
        assert_eq!(lint["ok"], true, "{lint}");
        for intent in pack["intent_layer"]["catalog"].as_array().unwrap() {
            let tenant = pack["pack_meta"]["tenant"].as_str().unwrap();
            let body = json!({"messages": [], "pack": {"document": pack,
                "run_context": crate::support::pack::context(tenant),
                "request": {"input": {"intent": intent["id"], "channel": "cli", "message": "Do it."}}}});
            let answer = server.post("/compile", &body).await;
            assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
            compiled += 1;
        }
    }
    assert!(compiled >= 4, "{compiled}");
}
