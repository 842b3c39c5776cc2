//! Golden sets: compiles that a version has come to, beside what another one comes to.

use serde_json::{Value, json};

use super::Run;
use super::evidence::verified;
use crate::support::{Folder, TestServer, json_of, pointers, problem};

const SET: &str = "/packs/pack.dbops/1.4.0/golden";

/// A run under the published pack.
async fn run() -> Run {
    let mut run = Run::restore().await;
    publish(&run.server, &run.pack).await;
    run.body["evidence"] = json!([verified()]);
    run.body["pack"]["ref"] = "pack.dbops@1.4.0".into();
    run
}

async fn publish(server: &TestServer, pack: &Value) {
    let answer = server.post("/packs", pack).await;
    assert_eq!(answer.status(), 201, "{}", answer.text().await.unwrap());
}

/// The same pack under another version, changed.
async fn next(run: &Run, version: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut pack = run.pack.clone();
    pack["pack_meta"]["pack_version"] = version.into();
    change(&mut pack);
    publish(&run.server, &pack).await;
    format!("pack.dbops@{version}")
}

async fn put(server: &TestServer, ids: &Value) -> reqwest::Response {
    server.put(SET, &json!({"compilations": ids})).await
}

async fn ran(server: &TestServer, body: &Value) -> Value {
    server.post_json(&format!("{SET}/run"), 200, body).await
}

#[tokio::test]
async fn a_set_tells_for_each_compile_where_another_version_parts() {
    let mut run = run().await;
    let calm = {
        *run.input("context") = json!({"cluster_state": "degraded", "environment": "staging",
            "snapshot_gb": 10});
        run.answer().await["id"].clone()
    };
    *run.input("context") =
        json!({"cluster_state": "degraded", "environment": "production", "snapshot_gb": 900});
    let large = run.answer().await["id"].clone();
    *run.input("intent") = "ops.db.drop".into();
    let refused = run.refused(422, "intent_unknown").await["compilation_id"].clone();
    let empty = run.server.get_json(SET).await;
    assert_eq!(empty, json!({"pack_ref": "pack.dbops@1.4.0", "items": []}));
    let stored = json_of(put(&run.server, &json!([calm, large, refused])).await, 200).await;
    let read = run.server.get_json(SET).await;
    assert_eq!(stored, read);
    let statuses: Vec<&str> = read["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["compiled", "compiled", "refused"]);

    let own = ran(&run.server, &json!({})).await;
    assert_eq!(
        (&own["status"], &own["equal"], &own["against"]),
        (&json!("equal"), &json!(3), &json!("pack.dbops@1.4.0")),
        "{own}"
    );

    let rule = |pack: &mut Value| {
        pack["policy_layer"]["policy_bundles"][1]["policy_dsl"]["rules"][1]["if"] =
            json!({">": [{"var": "request.context.snapshot_gb"}, 5000]});
    };
    let against = next(&run, "1.5.0", rule).await;
    let told = ran(&run.server, &json!({"against": against})).await;
    assert_eq!((&told["status"], &told["against"]), (&json!("diverged"), &json!(against)));
    assert_eq!(
        (&told["equal"], &told["diverged"], &told["failed"]),
        (&json!(2), &json!(1), &json!(0))
    );
    let case = &told["cases"][1];
    assert_eq!((&case["compilation_id"], &case["outcome"]), (&large, &json!("diverged")));
    assert_eq!(
        (&case["first_divergent_stage"], &case["root_stages"]),
        (&json!("policy"), &json!(["policy"]))
    );
    let policy = case["stages"].as_array().unwrap().iter().find(|row| row["stage"] == "policy");
    assert_eq!(policy.unwrap()["changed_inputs"], json!(["pack.policy_layer"]));

    // An intent is dropped, and another is new: what was compiled is refused now, and the reverse.
    let against = next(&run, "2.0.0", |pack| {
        let text = pack.to_string().replace("ops.db.restore", "ops.db.drop");
        *pack = serde_json::from_str(&text).unwrap();
    })
    .await;
    let told = ran(&run.server, &json!({"against": against})).await;
    assert_eq!(told["diverged"], 3, "{told}");
    let change = |at: usize| &told["cases"][at]["outcome_change"];
    assert_eq!(*change(0), json!({"from": "compiled", "to": "refused"}));
    assert_eq!(*change(2), json!({"from": "refused", "to": "compiled"}));
    assert_eq!(told["cases"][1]["refusal"]["code"], "intent_unknown");
    assert_eq!(told["cases"][1]["root_stages"], json!(["intent"]));
}

#[tokio::test]
async fn a_set_stays_when_records_and_hooks_and_memory_are_gone() {
    let folder = Folder::new();
    let mut run = Run::restore().await;
    run.server = TestServer::with(&["--database-url", &folder.url()]).await;
    publish(&run.server, &run.pack).await;
    run.body["pack"]["ref"] = "pack.dbops@1.4.0".into();
    let entry = json!({"value": "Restores take an hour.", "tier": "semantic"});
    let stored = run.server.put("/memory/restore-time", &entry).await;
    assert_eq!(stored.status(), 201);
    let id = run.answer().await["id"].clone();
    assert_eq!(put(&run.server, &json!([id])).await.status(), 200);
    let gone = run.server.delete("/memory/restore-time").await;
    assert_eq!(gone.status(), 204);
    let database = rusqlite::Connection::open(folder.database()).unwrap();
    for table in ["compilations", "compilation_texts", "blobs"] {
        database.execute(&format!("DELETE FROM {table}"), []).unwrap();
    }
    assert_eq!(ran(&run.server, &json!({})).await["equal"], 1);
    // What is in the set may stay in it.
    assert_eq!(put(&run.server, &json!([id])).await.status(), 200);
    let body = json!({"messages": []});
    let session = run.server.post("/sessions", &json!({"id": "s"})).await;
    assert_eq!(session.status(), 201, "{body}");
    run.body["session_id"] = "s".into();
    let of_session = run.answer().await["id"].clone();
    assert_eq!(put(&run.server, &json!([id, of_session])).await.status(), 200);
    run.server.delete("/sessions/s").await;
    let left = run.server.get_json(SET).await;
    assert_eq!(left["items"].as_array().unwrap().len(), 1);
    assert_eq!(left["items"][0]["compilation_id"], id);
}

#[tokio::test]
async fn what_cannot_stand_in_a_set_is_told_and_the_set_stays() {
    let mut run = run().await;
    let good = run.answer().await["id"].clone();
    assert_eq!(put(&run.server, &json!([good])).await.status(), 200);
    let against = next(&run, "1.5.0", |_| ()).await;
    run.body["pack"]["ref"] = against.into();
    let of_another = run.answer().await["id"].clone();
    run.body["pack"]["ref"] = "pack.dbops@1.4.0".into();
    run.body["record"] = "hashes".into();
    let hashes = run.answer().await["id"].clone();
    let plain = json!({"messages": [{"role": "user", "content": "a"}], "record": "full"});
    let plain = run.server.post_ok("/compile", &plain).await;
    let ids = json!([good, "cmp_none", of_another, hashes, plain["id"]]);
    let refused = problem(put(&run.server, &ids).await, 422, "invalid_request").await;
    let places = [1, 2, 3, 4].map(|at| format!("/compilations/{at}"));
    assert_eq!(pointers(&refused), places);
    for (body, pointer) in [
        (json!({}), "/compilations"),
        (json!({"compilations": 7}), "/compilations"),
        (json!({"compilations": [7]}), "/compilations/0"),
        (json!({"compilations": [good, good]}), "/compilations/1"),
        (json!({"compilations": [], "x": 1}), "/x"),
        (json!({"compilations": vec!["c"; 101]}), "/compilations"),
    ] {
        let answer = run.server.put(SET, &body).await;
        let refused = problem(answer, 422, "invalid_request").await;
        assert_eq!(pointers(&refused), [pointer]);
    }
    let left = run.server.get_json(SET).await;
    assert_eq!(left["items"][0]["compilation_id"], good);
    assert_eq!(left["items"].as_array().unwrap().len(), 1);
    for against in [json!("pack.dbops"), json!(7)] {
        let answer = run.server.post(&format!("{SET}/run"), &json!({"against": against})).await;
        let refused = problem(answer, 422, "invalid_request").await;
        assert_eq!(pointers(&refused), ["/against"]);
    }
    let missing = json!({"against": "pack.dbops@9.9.9"});
    problem(run.server.post(&format!("{SET}/run"), &missing).await, 404, "pack_not_found").await;
    problem(run.server.get("/packs/pack.dbops/9.9.9/golden").await, 404, "pack_not_found").await;
}

#[tokio::test]
async fn a_set_is_its_tenant_s_own() {
    let mut run = Run::restore().await;
    run.server = TestServer::locked(&[]).await;
    run.body["pack"]["ref"] = "pack.dbops@1.4.0".into();
    let call = async |key: &str, method: &str, path: &str, body: &Value| -> (u16, Value) {
        let answer = run.server.call(key, method, path, body).await;
        (answer.status().as_u16(), answer.json().await.unwrap())
    };
    let mut keys = Vec::new();
    for tenant in ["a", "b"] {
        let wanted = json!({"scopes": ["admin"], "tenant": tenant});
        let (key, _) = run.server.create_key(&wanted).await;
        assert_eq!(call(&key, "POST", "/packs", &run.pack).await.0, 201);
        keys.push(key);
    }
    let (a, b) = (&keys[0], &keys[1]);
    let id = call(a, "POST", "/compile", &run.body).await.1["id"].clone();
    let set = json!({"compilations": [id]});
    assert_eq!(call(b, "PUT", SET, &set).await.0, 422);
    assert_eq!(call(a, "PUT", SET, &set).await.0, 200);
    assert_eq!(call(b, "GET", SET, &Value::Null).await.1["items"], json!([]));
    let path = format!("{SET}/run");
    assert_eq!(call(b, "POST", &path, &json!({})).await.1["cases"], json!([]));
    assert_eq!(call(a, "POST", &path, &json!({})).await.1["equal"], 1);
    // Who may only read packs may run a set, and not put one.
    let wanted = json!({"scopes": ["packs:read"], "tenant": "a"});
    let reader = call(a, "POST", "/keys", &wanted).await.1["key"].as_str().unwrap().to_owned();
    assert_eq!(call(&reader, "POST", &path, &json!({})).await.0, 200);
    assert_eq!(call(&reader, "PUT", SET, &set).await.0, 403);
}

#[tokio::test]
async fn a_set_of_another_engine_has_not_diverged() {
    let folder = Folder::new();
    let mut run = run().await;
    run.server = TestServer::with(&["--database-url", &folder.url()]).await;
    publish(&run.server, &run.pack).await;
    let id = run.answer().await["id"].clone();
    json_of(put(&run.server, &json!([id])).await, 200).await;
    let database = rusqlite::Connection::open(folder.database()).unwrap();
    let changed =
        database.execute("UPDATE golden SET packet = json_set(packet, '$.engine', '0.0.1+1')", []);
    assert_eq!(changed.unwrap(), 1);
    let told = ran(&run.server, &json!({})).await;
    assert_eq!((&told["status"], &told["engine_changed"]), (&json!("engine_changed"), &json!(1)));
    assert_eq!((&told["diverged"], &told["failed"]), (&json!(0), &json!(0)));
    assert_eq!(told["cases"][0]["outcome"], "engine_changed");
    // A new record replaces it.
    let id = run.answer().await["id"].clone();
    json_of(put(&run.server, &json!([id])).await, 200).await;
    assert_eq!(ran(&run.server, &json!({})).await["status"], "equal");
}
