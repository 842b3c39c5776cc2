//! Scenarios M01 to M21: memory of an application and of a model.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, user};
use crate::support::{TestServer, problem};

/// A call of one of the tools, and whether it was allowed.
async fn call(server: &TestServer, name: &str, arguments: Value, also: Value) -> (bool, Value) {
    let mut body = json!({"calls": [{"id": "1", "type": "function",
        "function": {"name": name, "arguments": arguments.to_string()}}]});
    body.as_object_mut().unwrap().extend(also.as_object().unwrap().clone());
    let answer = server.post_ok("/tools/calls", &body).await;
    let result = answer["results"][0].clone();
    (result["decision"] == "allow", result)
}

async fn create(server: &TestServer, key: &str, value: &str) -> bool {
    call(server, "create_memory", json!({"key": key, "value": value}), json!({})).await.0
}

async fn compile(server: &TestServer, session: &str) -> Compiled {
    let body = json!({"messages": [user("hi")], "target": "neutral", "memory": true,
        "session_id": session});
    server.compile(&body).await
}

fn turns(session: &str, count: u64, value: &str) -> Value {
    json!({"value": value, "ttl": {"turns": count}, "scope": {"session_id": session}})
}

#[tokio::test]
async fn what_a_model_creates_is_there_once() {
    let server = TestServer::spawn().await;
    assert!(create(&server, "lang", "TS").await);
    let entry = server.get_json("/memory/lang").await;
    assert_eq!((&entry["value"], &entry["update_count"]), (&json!("TS"), &json!(1)));
    assert_eq!(entry["created_at"], entry["updated_at"]);
    let versions = server.get_json("/memory/lang/versions").await;
    assert_eq!(versions["items"][0]["origin"], "model");
}

#[tokio::test]
async fn what_is_created_again_is_written_over() {
    let server = TestServer::spawn().await;
    let about = json!({"key": "lang", "value": "TS", "description": "the language"});
    assert!(call(&server, "create_memory", about, json!({})).await.0);
    assert!(create(&server, "lang", "Rust").await);
    let entry = server.get_json("/memory/lang").await;
    assert_eq!((&entry["value"], &entry["update_count"]), (&json!("Rust"), &json!(2)));
    assert_eq!(entry["description"], "the language");
}

#[tokio::test]
async fn what_is_not_there_is_neither_updated_nor_deleted() {
    let server = TestServer::spawn().await;
    for action in ["update", "delete"] {
        let arguments = json!({"action": action, "key": "lang", "value": "v"});
        assert!(!call(&server, "modify_memory", arguments, json!({})).await.0);
    }
    problem(server.get("/memory/lang").await, 404, "not_found").await;
}

#[tokio::test]
async fn a_key_that_is_not_allowed_is_for_the_application_alone() {
    let server = TestServer::spawn().await;
    let only = json!({"allowed_keys": ["lang"]});
    let rogue = json!({"key": "rogue", "value": "v"});
    let (allowed, result) = call(&server, "create_memory", rogue, only.clone()).await;
    assert!(!allowed && result["reason"].as_str().unwrap().contains("lang"));
    problem(server.get("/memory/rogue").await, 404, "not_found").await;
    let lang = json!({"key": "lang", "value": "v"});
    assert!(call(&server, "create_memory", lang.clone(), only).await.0);
    assert!(!call(&server, "create_memory", lang, json!({"allowed_keys": []})).await.0);
    server.remember("rogue", &json!({"value": "v"})).await;
}

#[tokio::test]
async fn the_block_holds_each_entry_and_no_time() {
    let server = TestServer::spawn().await;
    server.remember("lang", &json!({"value": "TS"})).await;
    server.remember("db", &json!({"value": "pg", "description": "the database"})).await;
    let text = compile(&server, "s").await.said(1);
    let entries = "<entry key=\"lang\">TS</entry>\n<entry key=\"db\" description=\"the database\">pg</entry>\n</memory>";
    assert!(text.ends_with(entries), "{text}");
    server.remember("lang", &json!({"value": "TS"})).await;
    assert_eq!(compile(&server, "s").await.said(1), text, "a write of the same changes no byte");
}

#[tokio::test]
async fn the_tools_name_the_keys_that_are_allowed_and_never_those_that_are_stored() {
    let server = TestServer::spawn().await;
    let tools = async |memory: Value| {
        let compiled = server.compile(&json!({"messages": [user("hi")], "memory": memory})).await;
        compiled.payload["tools"].clone()
    };
    let before = tools(json!(true)).await;
    let names: Vec<&str> = before
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["create_memory", "modify_memory"]);
    let parameters = &before[1]["function"]["parameters"];
    assert_eq!(parameters["properties"]["action"]["enum"], json!(["update", "delete"]));
    assert_eq!(parameters["properties"]["key"].get("enum"), None);
    server.remember("lang", &json!({"value": "TS"})).await;
    assert_eq!(tools(json!(true)).await, before);
    let some = tools(json!({"allowed_keys": ["lang", "db"]})).await;
    assert_eq!(some.as_array().unwrap().len(), 2, "{some}");
    for tool in some.as_array().unwrap() {
        let keys = &tool["function"]["parameters"]["properties"]["key"]["enum"];
        assert_eq!(keys, &json!(["lang", "db"]));
    }
    assert_eq!(tools(json!({"allowed_keys": []})).await, Value::Null);
}

#[tokio::test]
async fn a_turn_lives_one_compile_of_its_session() {
    let server = TestServer::spawn().await;
    server.remember("k", &turns("s", 1, "v")).await;
    compile(&server, "another").await;
    let first = compile(&server, "s").await.report["memory"].clone();
    assert_eq!(first, json!({"injected": ["k"], "expired": []}));
    problem(server.get("/memory/k?session_id=s").await, 404, "not_found").await;
    let second = compile(&server, "s").await.report["memory"].clone();
    assert_eq!(second, json!({"injected": [], "expired": ["k"]}));
    let third = compile(&server, "s").await.report["memory"].clone();
    assert_eq!(third, json!({"injected": [], "expired": []}));
}

#[tokio::test]
async fn a_time_to_live_is_counted_from_the_write() {
    let server = TestServer::spawn().await;
    server.remember("none", &turns("s", 0, "v")).await;
    let expired = compile(&server, "s").await.report["memory"].clone();
    assert_eq!(expired, json!({"injected": [], "expired": ["none"]}));
    let entry = server.remember("five", &turns("s", 5, "v")).await;
    assert_eq!(entry["expires_at_turn"], 6);
    server.remember("gone", &json!({"value": 1, "ttl": {"seconds": 0}})).await;
    problem(server.get("/memory/gone").await, 404, "not_found").await;
    let entry = server.remember("stays", &json!({"value": 1, "ttl": null})).await;
    assert_eq!((&entry["expires_at"], &entry["expires_at_turn"]), (&Value::Null, &Value::Null));
    assert_eq!(compile(&server, "s").await.report["memory"]["expired"], json!(["gone"]));
}

#[tokio::test]
async fn another_ttl_takes_the_place_of_the_one_before() {
    let server = TestServer::spawn().await;
    let scope = json!({"session_id": "s"});
    server.remember("k", &turns("s", 5, "v")).await;
    let entry =
        server.remember("k", &json!({"value": 1, "ttl": {"seconds": 60}, "scope": scope})).await;
    assert!(entry["expires_at"].is_string() && entry["expires_at_turn"].is_null());
    let entry = server.remember("k", &json!({"value": 1, "ttl": null, "scope": scope})).await;
    assert!(entry["expires_at"].is_null() && entry["expires_at_turn"].is_null());
    assert_eq!(entry["ttl"], Value::Null);
}

#[tokio::test]
async fn an_update_begins_the_ttl_anew() {
    let server = TestServer::spawn().await;
    server.remember("k", &turns("s", 2, "one")).await;
    compile(&server, "s").await;
    server.remember("k", &json!({"value": "two", "scope": {"session_id": "s"}})).await;
    compile(&server, "s").await;
    assert_eq!(server.get_json("/memory/k?session_id=s").await["value"], "two");
    compile(&server, "s").await;
    assert_eq!(compile(&server, "s").await.report["memory"]["injected"], json!([]));
}

#[tokio::test]
async fn what_would_break_out_of_the_block_stays_a_value() {
    let server = TestServer::spawn().await;
    let key = "a\"b</entry>";
    let path = "a%22b%3C%2Fentry%3E";
    server
        .remember(path, &json!({"value": "</value></entry></memory><x>", "description": "\"><y>"}))
        .await;
    let text = compile(&server, "s").await.said(1);
    let at = text.find("<memory>").unwrap();
    let document = roxmltree::Document::parse(&text[at..]).unwrap();
    let entry = document.root_element().first_element_child().unwrap();
    assert_eq!(entry.attribute("key"), Some(key));
    assert_eq!(entry.text(), Some("</value></entry></memory><x>"));
}

#[tokio::test]
async fn only_a_compile_that_succeeds_counts_a_turn() {
    let server = TestServer::spawn().await;
    server.remember("k", &turns("s", 1, "v")).await;
    let bad = json!({"messages": [{"role": "nobody"}], "memory": true, "session_id": "s"});
    problem(server.post("/compile", &bad).await, 422, "invalid_request").await;
    let small = json!({"messages": [user("a long message of many words")], "memory": true,
        "session_id": "s", "budget": {"context_window": 3, "on_overflow": "fail"}});
    problem(server.post("/compile", &small).await, 422, "over_budget").await;
    assert_eq!(compile(&server, "s").await.report["memory"]["injected"], json!(["k"]));
}

#[tokio::test]
async fn an_equal_value_is_a_write_all_the_same() {
    let server = TestServer::spawn().await;
    server.remember("k", &json!({"value": "v"})).await;
    assert_eq!(server.remember("k", &json!({"value": "v"})).await["update_count"], 2);
    let delete = server.delete("/memory/nothing").await;
    problem(delete, 404, "not_found").await;
}

#[tokio::test]
async fn memory_stands_behind_the_skill() {
    let server = TestServer::spawn().await;
    server.remember("k", &json!({"value": "v"})).await;
    let body = json!({"target": "neutral", "memory": {"placement": "system"},
        "skill": {"name": "s", "instructions": "SKILL"},
        "messages": [{"role": "system", "content": "SYSTEM"}, user("hi")]});
    let compiled = server.compile(&body).await;
    let said: Vec<String> = (0..3).map(|at| compiled.said(at)).collect();
    assert!(
        said[0].contains("SYSTEM") && said[1].contains("SKILL") && said[2].contains("<memory>")
    );
}

#[tokio::test]
async fn store_memory_adds_replaces_and_removes() {
    let server = TestServer::spawn().await;
    let act = async |body: Value| {
        let answer = server.post("/memory", &body).await;
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let metadata = json!({"k": {"n": 1}});
    let (status, added) =
        act(json!({"type": "long_term", "content": "x", "metadata": metadata})).await;
    assert_eq!(
        (status, &added["target"], &added["affected"]),
        (201, &json!("long_term"), &json!(1))
    );
    assert_eq!(
        (&added["entry"]["tier"], &added["entry"]["metadata"]),
        (&json!("durable"), &metadata)
    );
    let id = added["memory_id"].as_str().unwrap().to_owned();
    assert_eq!(server.get_json(&format!("/memory/{id}")).await["value"], "x");

    let (status, replaced) =
        act(json!({"action": "replace", "type": "long_term", "match": "x", "content": "y"})).await;
    assert_eq!((status, &replaced["memory_id"]), (200, &added["memory_id"]));
    let (status, gone) = act(json!({"action": "remove", "type": "long_term", "key": id})).await;
    assert_eq!(
        (status, &gone["memory_id"], &gone["affected"]),
        (200, &added["memory_id"], &json!(1))
    );
    let (status, none) = act(json!({"action": "remove", "key": id})).await;
    assert_eq!((status, &none["affected"]), (200, &json!(0)));
}

#[tokio::test]
async fn store_memory_refuses_what_it_does_not_know() {
    let server = TestServer::spawn().await;
    let act = async |body: Value| server.post("/memory", &body).await;
    let merge = act(json!({"action": "merge", "content": "x"})).await;
    let refused = problem(merge, 422, "memory_action_unsupported").await;
    for word in ["add", "replace", "remove"] {
        assert!(refused["detail"].as_str().unwrap().contains(word));
    }
    let kind = act(json!({"type": "working", "content": "x"})).await;
    problem(kind, 422, "memory_type_unsupported").await;
    problem(act(json!({"content": 7})).await, 422, "invalid_request").await;
    problem(act(json!({})).await, 422, "invalid_request").await;
    let replace = act(json!({"action": "replace", "key": "k", "content": "x"})).await;
    problem(replace, 404, "not_found").await;
    for content in ["same one", "same two"] {
        act(json!({"content": content})).await;
    }
    let both = act(json!({"action": "replace", "match": "same", "content": "x"})).await;
    problem(both, 409, "conflict").await;
    act(json!({"key": "k", "content": "x"})).await;
    problem(act(json!({"key": "k", "content": "y"})).await, 409, "conflict").await;
    assert_eq!(server.get_json("/memory?limit=9").await["items"].as_array().unwrap().len(), 3);
}
