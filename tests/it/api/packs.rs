//! Packs over HTTP: published, linted, listed, compared; and rules by themselves.

use std::fs;

use serde_json::{Value, json};

use crate::support::pack::{dbops, minimal, refunds};
use crate::support::{TestServer, prerequisite, problem};

async fn answer(server: &TestServer, path: &str, body: &Value) -> (u16, Value) {
    let answer = server.post(path, body).await;
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// The codes and places of a lint, errors alone.
async fn errors(server: &TestServer, pack: &Value) -> Vec<(String, String)> {
    let (status, told) = answer(server, "/packs/lint", pack).await;
    assert_eq!(status, 200, "{told}");
    let faults = told["faults"].as_array().unwrap().iter();
    let errors: Vec<(String, String)> = faults
        .filter(|fault| fault["severity"] == "error")
        .map(|fault| {
            let text = |key: &str| fault[key].as_str().unwrap().to_owned();
            (text("code"), text("pointer"))
        })
        .collect();
    assert_eq!(told["ok"], errors.is_empty());
    errors
}

#[tokio::test]
async fn a_version_is_published_once_and_read_back() {
    let server = TestServer::spawn().await;
    let (status, first) = answer(&server, "/packs", &dbops()).await;
    assert_eq!(status, 201, "{first}");
    assert_eq!(first["pack_ref"], "pack.dbops@1.4.0");
    let (status, again) = answer(&server, "/packs", &dbops()).await;
    assert_eq!((status, &again["digest"]), (200, &first["digest"]));
    let read = server.get_json("/packs/pack.dbops/1.4.0").await;
    assert_eq!((&read["digest"], &read["document"]), (&first["digest"], &dbops()));
    for missing in ["/packs/pack.dbops/1.4.1", "/packs/none", "/packs/pack.dbops/x"] {
        problem(server.get(missing).await, 404, "pack_not_found").await;
    }
}

#[tokio::test]
async fn lists_go_by_id_and_version() {
    let server = TestServer::spawn().await;
    for version in ["1.10.0", "1.9.0", "2.0.0"] {
        let mut pack = minimal();
        pack["pack_meta"]["pack_version"] = version.into();
        assert_eq!(answer(&server, "/packs", &pack).await.0, 201);
    }
    assert_eq!(answer(&server, "/packs", &dbops()).await.0, 201);
    let mut found = Vec::new();
    let mut path = "/packs?limit=3".to_owned();
    loop {
        let page = server.get_json(&path).await;
        let rows = page["items"].as_array().unwrap().iter();
        found.extend(rows.map(|row| row["pack_ref"].as_str().unwrap().to_owned()));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/packs?limit=3&cursor={cursor}");
    }
    assert_eq!(found, ["min@1.9.0", "min@1.10.0", "min@2.0.0", "pack.dbops@1.4.0"]);
    let versions = server.get_json("/packs/min").await;
    assert_eq!(versions["versions"][0]["version"], "2.0.0");
}

#[tokio::test]
async fn faults_come_all_at_once_with_their_places() {
    let server = TestServer::spawn().await;
    assert_eq!(errors(&server, &dbops()).await, []);
    assert_eq!(errors(&server, &refunds()).await, []);
    assert_eq!(errors(&server, &minimal()).await, []);
    let mut pack = dbops();
    pack["pack_meta"]["tenat"] = "x".into();
    pack["pack_meta"]["pack_version"] = "1.4".into();
    pack["contract_meta"]["issuer"] = 5.into();
    pack["decision_layer"]["decision_specs"][0]
        .as_object_mut()
        .unwrap()
        .remove("required_evidence");
    pack["tooling_layer"]["permissions"][0]["capability"] = "none".into();
    pack["tooling_layer"]["adapter_registry"][1]["adapter_id"] = "a.b".into();
    let found = errors(&server, &pack).await;
    for (code, pointer) in [
        ("pack_field_unknown", "/pack_meta/tenat"),
        ("pack_semver", "/pack_meta/pack_version"),
        ("pack_field_invalid", "/contract_meta/issuer"),
        ("pack_field_missing", "/decision_layer/decision_specs/0/required_evidence"),
        ("tool_permission_unresolved", "/tooling_layer/permissions/0"),
        ("tool_adapter_id_form", "/tooling_layer/adapter_registry/1/adapter_id"),
    ] {
        assert!(found.contains(&(code.to_owned(), pointer.to_owned())), "{code}: {found:?}");
    }
    let refused = problem(server.post("/packs", &pack).await, 422, "pack_lint").await;
    assert_eq!(refused["errors"].as_array().unwrap().len(), found.len());
    assert_eq!(server.get("/packs/pack.dbops").await.status(), 404);
}

#[tokio::test]
async fn two_versions_are_compared_by_what_things_are_called() {
    let server = TestServer::spawn().await;
    let mut next = dbops();
    next["pack_meta"]["pack_version"] = "1.5.0".into();
    let rules = "/policy_layer/policy_bundles/1/policy_dsl/rules";
    *next.pointer_mut(&format!("{rules}/1/if")).unwrap() =
        json!({">": [{"var": "request.context.snapshot_gb"}, 400]});
    for pack in [dbops(), next] {
        assert_eq!(answer(&server, "/packs", &pack).await.0, 201);
    }
    let named = json!({"from": "pack.dbops@1.4.0", "to": "pack.dbops@1.5.0"});
    let (status, diff) = answer(&server, "/packs/diff", &named).await;
    assert_eq!((status, &diff["equal"]), (200, &json!(false)));
    let layers: Vec<&str> =
        diff["layers"].as_array().unwrap().iter().map(|l| l["layer"].as_str().unwrap()).collect();
    assert_eq!(layers, ["pack_meta", "policy_layer"]);
    assert_eq!(
        diff["layers"][1]["changes"],
        json!([{"op": "replace", "path": format!("{rules}/1/if/>/1"), "from": 500, "value": 400}])
    );
    let same = json!({"from": "pack.dbops@1.4.0", "to": "pack.dbops@1.4.0"});
    assert_eq!(answer(&server, "/packs/diff", &same).await.1["equal"], true);
    let none = json!({"from": "pack.dbops@1.4.0", "to": "pack.dbops@9.0.0"});
    problem(server.post("/packs/diff", &none).await, 404, "pack_not_found").await;
    problem(server.post("/packs/diff", &json!({"to": 1})).await, 422, "invalid_request").await;
}

/// What a rule comes to, in the words of the fixtures.
async fn value(server: &TestServer, rule: &Value, data: &Value) -> String {
    let (status, told) =
        answer(server, "/policy/evaluate", &json!({"rule": rule, "data": data})).await;
    match (status, &told["special"], &told["indeterminate"]["reason"]) {
        (200, Value::String(special), _) => special.clone(),
        (200, _, Value::String(reason)) if reason == "error" => "ERR".to_owned(),
        (200, ..) => told["value"].to_string(),
        _ => "ERR".to_owned(),
    }
}

/// Whether two values are the same, however their numbers are written.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        _ => a == b,
    }
}

/// Whether two texts are the same JSON, or the same.
fn same(a: &str, b: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (read(a), read(b)) {
        (Some(a), Some(b)) => alike(&a, &b),
        _ => a == b,
    }
}

#[tokio::test]
async fn rules_come_to_what_json_logic_js_says() {
    let server = TestServer::spawn().await;
    let fixture: Value = serde_json::from_str(include_str!("../fixtures/jsonlogic.json")).unwrap();
    let cases = fixture["cases"].as_array().unwrap();
    assert!(cases.len() > 500);
    let mut wrong = Vec::new();
    for case in cases {
        let wanted = case["value"].as_str().unwrap();
        let found = value(&server, &case["rule"], &fixture["data"]).await;
        if !same(wanted, &found) {
            wrong.push(format!("{}: {found}, not {wanted}", case["rule"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// The file of a prerequisite. If there is none, the caller skips.
fn given(name: &str) -> Option<Value> {
    let path = prerequisite::variable(name)?;
    Some(serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
}

#[tokio::test]
async fn the_official_cases_come_to_what_they_say() {
    let Some(suite) = given("jsonlogic_suite") else { return };
    let server = TestServer::spawn().await;
    let mut graded = 0;
    for case in suite.as_array().unwrap().iter().filter(|case| case.is_array()) {
        let found = value(&server, &case[0], &case[1]).await;
        assert!(same(&case[2].to_string(), &found), "{case}: {found}");
        graded += 1;
    }
    assert!(graded >= 275, "{graded}");
}

#[tokio::test]
async fn other_libraries_differences_are_settled_as_the_first_one_does() {
    let Some(cases) = given("jsonlogic_divergence") else { return };
    let server = TestServer::spawn().await;
    assert!(!cases.as_array().unwrap().is_empty());
    for case in cases.as_array().unwrap() {
        let wanted = case["json_logic_js_2_0_5"].as_str().unwrap();
        let wanted = if wanted.starts_with("ERR") { "ERR" } else { wanted };
        let found = value(&server, &case["rule"], &case["data"]).await;
        assert!(same(wanted, &found), "{}: {found}, not {wanted}", case["rule"]);
    }
}

#[tokio::test]
async fn missing_facts_and_limits_are_told() {
    let server = TestServer::spawn().await;
    let ask = async |rule: &Value| {
        let body = json!({"rule": rule, "data": {"a": "x", "n": 5}});
        answer(&server, "/policy/evaluate", &body).await.1
    };
    let told = ask(&json!({"<=": [{"var": "amount"}, 500]})).await;
    assert_eq!(told["value"], true);
    assert_eq!(told["indeterminate"], json!({"reason": "missing", "path": "amount"}));
    let told = ask(&json!({">": [{"var": ["a"]}, 1]})).await;
    assert_eq!(told["indeterminate"], json!({"reason": "not_a_number", "path": "a"}));
    for sure in [json!({">": [{"var": "n"}, 1]}), json!({"<": ["2026-01-01", "2026-02-01"]})] {
        assert_eq!(ask(&sure).await["indeterminate"], Value::Null);
    }
    let deep = |depth: usize| (0..depth).fold(json!(true), |rule, _| json!({"!": rule}));
    assert_eq!(ask(&deep(64)).await["value"], true);
    assert_eq!(ask(&deep(65)).await["indeterminate"]["reason"], "depth");
    let doubled = json!({"cat": [{"var": "accumulator"}, {"var": "accumulator"}]});
    let list: Vec<u32> = (0..60).collect();
    let told = ask(&json!({"reduce": [list, doubled, "xx"]})).await;
    assert_eq!(told["indeterminate"]["reason"], "budget");
    let unknown = json!({"rule": {"if": [true, 1, {"nope": []}]}});
    assert_eq!(answer(&server, "/policy/evaluate", &unknown).await.1["value"], 1);
    let unknown = json!({"rule": {"and": [true, {"nope": []}]}});
    let refused =
        problem(server.post("/policy/evaluate", &unknown).await, 422, "policy_operator_unknown");
    assert_eq!(refused.await["errors"][0]["pointer"], "/rule/and/1");
    problem(server.post("/policy/evaluate", &json!({})).await, 422, "invalid_request").await;
}
