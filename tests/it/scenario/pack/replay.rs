//! R and U: the same comes out again, and it is what is sent.

use serde_json::{Value, json};

use super::Run;
use super::evidence::verified;
use super::packs::{canonical, digest};
use crate::support::problem;

#[tokio::test]
async fn a_hundred_compiles_have_one_hash() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    let mut hashes = std::collections::BTreeSet::new();
    for _ in 0..13 {
        let eight = (0..8).map(|_| run.answer());
        for answer in futures_util::future::join_all(eight).await {
            let rendered = &answer["compiled_context"]["compiled_prompt"]["rendered_hash"];
            hashes.insert((answer["compiled_context_hash"].to_string(), rendered.to_string()));
        }
    }
    assert_eq!(hashes.len(), 1);
}

#[tokio::test]
async fn hashes_are_those_that_were_written_down() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    let answer = run.answer().await;
    let compiled = &answer["compiled_context"];
    assert_eq!(
        (
            answer["compiled_context_hash"].as_str().unwrap(),
            compiled["compiled_prompt"]["rendered_hash"].as_str().unwrap(),
            compiled["pack_digest"].as_str().unwrap(),
        ),
        (
            "sha256:a856931b042d376e982b57922719918c62144e081c40f40f5fb4c40092556ccf",
            "sha256:2adf1808e26e02137f8b4fa11cca177b463b646fda4a2e1ad7b85ccf77ba2ec0",
            "sha256:4b4c306a89959bd1ac4f9c0cf7575889258dee7b04b77757cc643b1e5878f200"
        )
    );
}

#[tokio::test]
async fn everybody_can_compute_the_hashes() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    let answer = run.answer().await;
    let compiled = &answer["compiled_context"];
    assert_eq!(answer["compiled_context_hash"], digest(&canonical(compiled)));
    let mut ledger = compiled["context_ledger"].clone();
    let own = ledger.as_object_mut().unwrap().shift_remove("hash").unwrap();
    assert_eq!(own, digest(&canonical(&ledger)));
    let rendered = compiled["compiled_prompt"]["rendered"].as_str().unwrap();
    assert_eq!(compiled["compiled_prompt"]["rendered_hash"], digest(rendered));
    let mut chain: Vec<u8> = Vec::new();
    let stages = ledger["stages"].as_array().unwrap();
    let names: Vec<&str> = stages.iter().map(|stage| stage["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["intent", "policy", "tools", "evidence", "memory", "budget", "buckets", "manifests"]
    );
    for stage in stages {
        chain.extend(bytes(&stage["output_hash"]));
        assert_eq!(
            bytes(&stage["chain_hash"]),
            <sha2::Sha256 as sha2::Digest>::digest(&chain).to_vec()
        );
        chain = bytes(&stage["chain_hash"]);
        assert_eq!(stage["input_hash"], digest(&canonical(&stage["input_parts"])));
    }
}

fn bytes(hash: &Value) -> Vec<u8> {
    let digits = hash.as_str().unwrap().strip_prefix("sha256:").unwrap();
    (0..32).map(|at| u8::from_str_radix(&digits[at * 2..at * 2 + 2], 16).unwrap()).collect()
}

/// The same with the members of every object the other way round.
fn turned(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            members.iter().rev().map(|(key, value)| (key.clone(), turned(value))).collect()
        }
        Value::Array(items) => items.iter().map(turned).collect(),
        other => other.clone(),
    }
}

#[tokio::test]
async fn the_order_of_keys_changes_nothing() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    let before = run.hash().await;
    run.body = turned(&run.body);
    run.pack = turned(&run.pack);
    assert_eq!(run.hash().await, before);
}

/// The names of the stages whose outputs are not the same.
fn differing(a: &Value, b: &Value) -> Vec<String> {
    let stages =
        |compiled: &Value| compiled["context_ledger"]["stages"].as_array().unwrap().clone();
    stages(a)
        .into_iter()
        .zip(stages(b))
        .filter(|(a, b)| a["output_hash"] != b["output_hash"])
        .map(|(a, _)| a["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn the_ledger_tells_where_two_packs_part() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    let before = run.compiled().await;
    let mut other = Run::restore().await;
    other.body = run.body.clone();
    other.pack["policy_layer"]["policy_bundles"][1]["policy_dsl"]["rules"][1]["if"] =
        json!({">": [{"var": "request.context.snapshot_gb"}, 5000]});
    let after = other.compiled().await;
    assert_eq!(differing(&before, &after)[0], "policy");
    let mut other = Run::restore().await;
    other.body = run.body.clone();
    other.pack["tone_and_comms"]["developer_blocks"][0]["text"] = "Number every step.".into();
    assert_eq!(differing(&before, &other.compiled().await), ["buckets"]);
    run.body["evidence"] = json!([]);
    assert_eq!(differing(&before, &run.compiled().await)[0], "evidence");
}

#[tokio::test]
async fn time_counts_only_where_something_expires() {
    let mut run = Run::restore().await;
    let first = run.answer().await;
    run.context()["as_of"] = "2026-01-01T00:00:00Z".into();
    let told = run.answer().await;
    assert_eq!(first["meta"]["as_of_source"], "server");
    assert_eq!(
        (&told["meta"]["as_of_source"], &told["meta"]["as_of"]),
        (&json!("request"), &json!("2026-01-01T00:00:00Z"))
    );
    assert_eq!(told["meta"]["expires_at"], "2026-01-01T00:15:00Z");
}

#[tokio::test]
async fn a_number_that_others_would_round_is_refused() {
    let mut run = Run::restore().await;
    run.input("context")["snapshot_gb"] = json!(9_007_199_254_740_993_u64);
    let refused = run.refused(422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/pack/request/input/context/snapshot_gb");
}

#[tokio::test]
async fn every_target_is_sent_the_same_texts() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    run.body["messages"] = json!([{"role": "user", "content": "Earlier."}]);
    let mut hashes = Vec::new();
    for target in ["openai", "anthropic", "gemini", "neutral"] {
        run.body["target"] = target.into();
        let answer = run.answer().await;
        hashes.push(answer["compiled_context_hash"].clone());
        let payload = answer["payload"].to_string();
        for text in
            ["Restore cluster c1", "Earlier.", "snapshot_verification", "R_PROD_RESTORE_TWO_PERSON"]
        {
            assert!(payload.contains(text), "{target}: {text}");
        }
    }
    hashes.dedup();
    assert_eq!(hashes.len(), 1);
}

#[tokio::test]
async fn a_tool_that_the_registry_does_not_know_is_withheld() {
    let mut run = Run::restore().await;
    let tool = |name: &str| {
        json!({"type": "function", "function": {"name": name, "description": "d",
            "parameters": {"type": "object", "properties": {}}}})
    };
    run.body["target"] = "openai".into();
    run.body["tools"] = json!([tool("adp_metrics__query"), tool("shell")]);
    let answer = run.answer().await;
    let tools = answer["payload"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["function"]["name"], "adp_metrics__query");
    let withheld = answer["compiled_context"]["manifests"]["withheld"]["tools"].as_array().unwrap();
    assert_eq!(
        (&withheld[0]["key"], &withheld[0]["reason"]),
        (&json!("shell"), &json!("not_in_registry"))
    );
}

#[tokio::test]
async fn several_packs_govern_nothing() {
    let mut run = Run::restore().await;
    run.body["pack"]["request"]["context_pack_refs"] = json!(["a@1.0.0", "b@1.0.0"]);
    run.refused(422, "pack_multiple_unsupported").await;
}

#[tokio::test]
async fn a_published_pack_is_named_by_its_reference() {
    let mut run = Run::restore().await;
    let inline = run.hash().await;
    run.body["pack"]["ref"] = "pack.dbops@1.4.0".into();
    run.refused(404, "pack_not_found").await;
    assert_eq!(run.server.post("/packs", &run.pack).await.status(), 201);
    assert_eq!(run.hash().await, inline);
}

#[tokio::test]
async fn without_a_pack_nothing_is_governed() {
    let run = Run::restore().await;
    let body = json!({"model": "bytes4", "target": "openai",
        "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]});
    let answer = run.server.post_ok("/compile", &body).await;
    assert_eq!(answer["payload"]["messages"], body["messages"]);
    assert!(answer.get("compiled_context").is_none());
    let path = format!("/compilations/{}", answer["id"].as_str().unwrap());
    let record = run.server.get_json(&path).await;
    let first: Vec<&str> = record["stages"].as_array().unwrap()[..5]
        .iter()
        .map(|row| row["stage"].as_str().unwrap())
        .collect();
    assert_eq!(first, ["ingest", "intent", "policy", "tools", "evidence"]);
    let mut alone = body;
    alone["run_context"] = json!({});
    let refused = problem(run.server.post("/compile", &alone).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/run_context");
}

#[tokio::test]
async fn a_compile_under_a_pack_is_replayed_from_its_record() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    let id = run.answer().await["id"].as_str().unwrap().to_owned();
    let replayed =
        run.server.post_json(&format!("/compilations/{id}/replay"), 200, &json!({})).await;
    assert_eq!((&replayed["status"], &replayed["root_stages"]), (&json!("equal"), &json!([])));
    assert!(replayed["payload"].to_string().contains("Restore cluster c1"));
}

#[tokio::test]
async fn a_replay_names_the_stage_of_the_pack_that_parts() {
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    run.body["pack"]["ref"] = "pack.dbops@1.4.0".into();
    assert_eq!(run.server.post("/packs", &run.pack).await.status(), 201);
    let recorded = run.answer().await;
    let replay = async |request: &Value| -> Value {
        let path = format!("/compilations/{}/replay", recorded["id"].as_str().unwrap());
        run.server.post_json(&path, 200, &json!({"request": request})).await
    };
    let publish = async |version: &str, change: &dyn Fn(&mut Value)| -> Value {
        let mut pack = run.pack.clone();
        pack["pack_meta"]["pack_version"] = version.into();
        change(&mut pack);
        let published = run.server.post("/packs", &pack).await;
        let status = published.status();
        assert_eq!(status, 201, "{}", published.text().await.unwrap());
        let mut request = run.body.clone();
        request["pack"]["ref"] = format!("pack.dbops@{version}").into();
        request
    };
    let same = replay(&run.body).await;
    assert_eq!((&same["status"], &same["root_stages"]), (&json!("equal"), &json!([])));
    let names: Vec<&str> = same["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| stage["stage"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "intent",
            "policy",
            "tools",
            "evidence",
            "memory",
            "budget",
            "assemble",
            "transform",
            "manifest",
            "format"
        ]
    );
    let threshold = publish("1.5.0", &|pack| {
        pack["policy_layer"]["policy_bundles"][1]["policy_dsl"]["rules"][1]["if"] =
            json!({">": [{"var": "request.context.snapshot_gb"}, 5000]});
    });
    let parted = replay(&threshold.await).await;
    assert_eq!(parted["status"], "diverged");
    assert_eq!(parted["first_divergent_stage"], "policy");
    assert_eq!(parted["root_stages"], json!(["policy"]));
    let mut stages = parted["stages"].as_array().unwrap().iter();
    let policy = stages.find(|stage| stage["stage"] == "policy").unwrap();
    assert_eq!(policy["changed_inputs"], json!(["pack.policy_layer"]));
    assert_ne!(parted["diff"], json!([]));
    let worded = publish("1.6.0", &|pack| {
        pack["tone_and_comms"]["developer_blocks"][0]["text"] = "Number every step.".into();
    });
    assert_eq!(replay(&worded.await).await["first_divergent_stage"], "assemble");
    let mut request = run.body.clone();
    request["evidence"] = json!([]);
    let parted = replay(&request).await;
    assert_eq!(parted["first_divergent_stage"], "evidence");
}
