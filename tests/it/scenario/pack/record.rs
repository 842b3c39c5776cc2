//! R: what a record under a pack holds, and that a replay needs nothing else.

use serde_json::{Value, json};

use super::Run;
use super::evidence::verified;

use crate::support::receiver::{Mode, Receiver};
use crate::support::{Folder, ServerProcess, TestServer, json_of, problem};

async fn replay(server: &TestServer, id: &Value) -> reqwest::Response {
    server.post(&format!("/compilations/{}/replay", id.as_str().unwrap()), &json!({})).await
}

async fn replayed(server: &TestServer, id: &Value) -> Value {
    json_of(replay(server, id).await, 200).await
}

async fn record(server: &TestServer, id: &Value) -> Value {
    let path = format!("/compilations/{}", id.as_str().unwrap());
    server.get_json(&path).await
}

#[tokio::test]
async fn a_replay_remembers_what_was_retracted_since() {
    let run = Run::restore().await;
    let put = run.server.build("PUT", "/memory/restore-time");
    let entry = json!({"value": "Restores take an hour.", "tier": "semantic",
        "scope": {"pack_tenant": "tenant_northwind"}});
    assert_eq!(put.json(&entry).send().await.unwrap().status(), 201);
    let before = run.answer().await;
    let retract = run
        .server
        .post("/memory/restore-time/retract?pack_tenant=tenant_northwind", &json!({}))
        .await;
    assert_eq!(retract.status(), 200, "{}", retract.text().await.unwrap());
    let again = replayed(&run.server, &before["id"]).await;
    assert_eq!((&again["status"], &again["root_stages"]), (&json!("equal"), &json!([])));
    assert_eq!(again["payload"], before["payload"]);

    let fresh = run.answer().await;
    assert!(!fresh["payload"].to_string().contains("an hour"));
    let pair = json!({"a": before["id"], "b": fresh["id"]});
    let told = run.server.post_ok("/compilations/diff", &pair).await;
    assert_eq!(
        (&told["first_divergent_stage"], &told["root_stages"]),
        (&json!("memory"), &json!(["memory"]))
    );
    // What is stored today is what `verify` is about.
    let path = format!("/compilations/{}/replay", before["id"].as_str().unwrap());
    let today = run.server.post(&path, &json!({"mode": "verify"})).await;
    let today: Value = today.json().await.unwrap();
    assert_eq!(today["first_divergent_stage"], "memory", "{today}");
}

/// A server over a file, and the file.
async fn over_a_file(folder: &Folder) -> (TestServer, std::path::PathBuf) {
    (TestServer::with(&["--database-url", &folder.url()]).await, folder.database())
}

#[tokio::test]
async fn what_was_tampered_with_is_named_and_not_compared() {
    let folder = Folder::new();
    let mut run = Run::restore().await;
    let file;
    (run.server, file) = over_a_file(&folder).await;
    run.body["pack"]["ref"] = "pack.dbops@1.4.0".into();
    assert_eq!(run.server.post("/packs", &run.pack).await.status(), 201);
    let put = run.server.build("PUT", "/memory/restore-time");
    let entry = json!({"value": "Restores take an hour.", "tier": "semantic",
        "scope": {"pack_tenant": "tenant_northwind"}});
    assert_eq!(put.json(&entry).send().await.unwrap().status(), 201);
    let answer = run.answer().await;
    assert_eq!(replayed(&run.server, &answer["id"]).await["status"], "equal");
    let database = rusqlite::Connection::open(&file).unwrap();
    let swap = |from: &str, to: &str| {
        let statement = "UPDATE compilations SET body = replace(body, ?1, ?2)";
        assert_eq!(database.execute(statement, [from, to]).unwrap(), 1);
    };
    swap("an hour", "a month");
    let refused = replay(&run.server, &answer["id"]).await;
    let refused = problem(refused, 422, "replay_packet_invalid").await;
    assert!(refused["detail"].as_str().unwrap().ends_with(": store.memory"), "{refused}");
    swap("a month", "an hour");
    assert_eq!(replayed(&run.server, &answer["id"]).await["status"], "equal");

    // Members of the request stand in blobs of their own; short ones as they came.
    let mut plans = database.prepare("SELECT digest, content FROM blobs WHERE form = 0").unwrap();
    let rows = plans.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let rows: Vec<(Vec<u8>, Vec<u8>)> = rows.map(Result::unwrap).collect();
    assert!(!rows.is_empty());
    let mut altered = 0;
    for (digest, content) in rows {
        let text = String::from_utf8(content).unwrap();
        if text.contains("Restore cluster c1") {
            let text = text.replace("Restore cluster c1", "Destroy cluster c1");
            let statement = "UPDATE blobs SET content = ?1 WHERE digest = ?2";
            altered +=
                database.execute(statement, rusqlite::params![text.into_bytes(), digest]).unwrap();
        }
    }
    assert!(altered > 0);
    let refused = replay(&run.server, &answer["id"]).await;
    problem(refused, 422, "replay_packet_invalid").await;
}

#[tokio::test]
async fn a_refusal_is_recorded_and_refused_again() {
    let mut run = Run::restore().await;
    *run.input("intent") = "ops.db.drop".into();
    let refused = run.refused(422, "intent_unknown").await;
    let id = &refused["compilation_id"];
    let kept = record(&run.server, id).await;
    assert_eq!(
        (&kept["status"], &kept["record"], &kept["payload_hash"], &kept["payload"]),
        (&json!("refused"), &json!("full"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        (&kept["refusal"]["code"], &kept["refusal"]["stage"]),
        (&json!("intent_unknown"), &json!("intent"))
    );
    let list = run.server.get_json("/compilations?status=refused").await;
    assert_eq!(list["items"][0]["id"], *id);
    let again = replayed(&run.server, id).await;
    assert_eq!((&again["status"], &again["payload"]), (&json!("equal"), &Value::Null), "{again}");
    assert_eq!(again["refusal"]["code"], "intent_unknown");
    assert!(again.get("outcome_change").is_none());
    let why = kept["refusal"]["detail"].as_str().unwrap();
    assert!(why.contains("no intent of the pack is"), "{why}");
}

#[tokio::test]
async fn each_stage_that_refuses_is_the_last_of_its_record() {
    let mut run = Run::restore().await;
    run.context()["run_budget"] = json!({"bucket_tokens": 10});
    let id = run.refused(422, "budget_required_overflow").await["compilation_id"].clone();
    let kept = record(&run.server, &id).await;
    let last = |kept: &Value| kept["stages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last(&kept)["stage"], "assemble");
    assert_eq!(replayed(&run.server, &id).await["status"], "equal");

    run.context()["run_budget"] = json!({"bucket_tokens": 6000});
    run.context()["kg_snapshot_id"] = Value::Null;
    let id = run.refused(422, "evidence_snapshot_unpinned").await["compilation_id"].clone();
    assert_eq!(last(&record(&run.server, &id).await)["stage"], "evidence");
    assert_eq!(replayed(&run.server, &id).await["status"], "equal");

    // Before the first stage there is none; the refusal is what is compared.
    run.context()["tenant_id"] = "somebody_else".into();
    let id = run.refused(403, "tenant_mismatch").await["compilation_id"].clone();
    assert_eq!(record(&run.server, &id).await["stages"], json!([]));
    assert_eq!(replayed(&run.server, &id).await["status"], "equal");
}

#[tokio::test]
async fn a_compile_that_becomes_a_refusal_is_told_and_the_other_way_round() {
    let mut run = Run::restore().await;
    let compiled = run.answer().await["id"].clone();
    let granted = run.body.clone();
    *run.input("intent") = "ops.db.drop".into();
    let refused = run.refused(422, "intent_unknown").await["compilation_id"].clone();
    let sent = async |id: &Value, body: &Value| -> Value {
        let mut body = body.clone();
        body["pack"]["document"] = run.pack.clone();
        let path = format!("/compilations/{}/replay", id.as_str().unwrap());
        run.server.post_json(&path, 200, &json!({"request": body})).await
    };
    let told = sent(&compiled, &run.body).await;
    assert_eq!(told["outcome_change"], json!({"from": "compiled", "to": "refused"}));
    assert_eq!(
        (&told["first_divergent_stage"], &told["root_stages"]),
        (&json!("intent"), &json!(["intent"]))
    );
    let told = sent(&refused, &granted).await;
    assert_eq!(told["outcome_change"], json!({"from": "refused", "to": "compiled"}));
    assert_eq!(told["root_stages"], json!(["intent"]));
    assert!(told["payload"].to_string().contains("Restore cluster c1"));
}

#[tokio::test]
async fn nothing_is_recorded_of_a_refusal_where_nothing_is_to_be() {
    let mut run = Run::restore().await;
    *run.input("intent") = "ops.db.drop".into();
    run.body["record"] = "none".into();
    assert!(run.refused(422, "intent_unknown").await.get("compilation_id").is_none());
    run.body["record"] = "hashes".into();
    let id = run.refused(422, "intent_unknown").await["compilation_id"].clone();
    problem(replay(&run.server, &id).await, 409, "record_incomplete").await;
    let mut body = run.body.clone();
    body["pack"]["document"] = run.pack.clone();
    let before = run.server.get_json("/compilations").await;
    problem(run.server.post("/compile?dry_run=true", &body).await, 422, "intent_unknown").await;
    let after = run.server.get_json("/compilations").await;
    assert_eq!(after["items"].as_array().unwrap().len(), before["items"].as_array().unwrap().len());
}

#[tokio::test]
async fn a_replay_needs_no_hook_to_be_there() {
    let mut run = Run::restore().await;
    run.server = TestServer::dev().await;
    let receiver = Receiver::spawn(Mode::Answer(
        json!({"action": "json_patch", "patch": [{"op": "add", "path": "/messages/-",
            "value": {"id": "m", "role": "user", "parts": [{"type": "text", "text": "Be brief."}]}}]})
        .to_string(),
    ))
    .await;
    run.body["hooks"] = json!([{"id": "t", "point": "transform_context", "kind": "transform",
        "url": receiver.url()}]);
    let answer = run.answer().await;
    assert!(answer["payload"].to_string().contains("Be brief."), "{answer}");
    let equal = async || {
        let again = replayed(&run.server, &answer["id"]).await;
        assert_eq!((&again["status"], &again["payload"]), (&json!("equal"), &answer["payload"]));
    };
    equal().await;
    assert_eq!(receiver.requests().len(), 1);
    drop(receiver);
    equal().await;
}

#[tokio::test]
async fn a_replay_outlives_the_end_of_the_process() {
    let folder = Folder::new();
    let url = folder.url();
    let client = reqwest::Client::new();
    let mut run = Run::restore().await;
    run.body["evidence"] = json!([verified()]);
    run.body["pack"]["document"] = run.pack.clone();
    let post = async |server: &ServerProcess, path: &str, body: &Value| -> Value {
        let path = format!("http://{}{path}", server.address);
        client.post(path).json(body).send().await.unwrap().json().await.unwrap()
    };
    let mut server = ServerProcess::start(&["--database-url", &url]);
    let answer = post(&server, "/compile", &run.body).await;
    server.signal("KILL");
    server.exit().await;
    let server = ServerProcess::start(&["--database-url", &url]);
    let path = format!("/compilations/{}/replay", answer["id"].as_str().unwrap());
    let again = post(&server, &path, &json!({})).await;
    assert_eq!((&again["status"], &again["payload"]), (&json!("equal"), &answer["payload"]));
}

#[tokio::test]
async fn a_long_list_of_evidence_is_given_back_as_it_came() {
    let mut run = Run::restore().await;
    let given = (0..90).map(|at| {
        let mut one = verified();
        one["id"] = format!("kg:snapshot_verification:s{at}#snap_kg_7").into();
        one["priority"] = (at % 7).into();
        one
    });
    let mut given: Vec<Value> = given.collect();
    for _ in 0..2 {
        run.body["evidence"] = json!(given);
        let answer = run.answer().await;
        let kept = record(&run.server, &answer["id"]).await;
        assert_eq!(kept["request"]["evidence"], run.body["evidence"]);
        let again = replayed(&run.server, &answer["id"]).await;
        assert_eq!((&again["status"], &again["payload"]), (&json!("equal"), &answer["payload"]));
        // Another list of mostly the same.
        given.remove(40);
        given.rotate_left(17);
    }
}
