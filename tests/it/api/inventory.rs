//! What a session carries, and what of it was used.

use serde_json::{Value, json};

use crate::support::compile::{calling, result, user};
use crate::support::{TestServer, problem};

fn tool(name: &str, description: &str) -> Value {
    json!({"type": "function", "function": {"name": name, "description": description,
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}})
}

#[tokio::test]
async fn an_inventory_tells_which_tools_are_carried_for_nothing() {
    let server = TestServer::spawn().await;
    server.put_memory("style", &json!({"value": "short sentences"})).await;
    let long = "Deploys a branch, after all checks have passed and someone has agreed. ".repeat(8);
    let tools = [tool("ls", "Lists."), tool("read", "Reads."), tool("deploy", &long)];
    let defaults = json!({"tools": tools, "memory": true, "record": "full", "model": "gpt-4o"});
    server.post("/sessions", &json!({"id": "s", "defaults": defaults})).await;
    let turn = async |messages: Vec<Value>| {
        let body = json!({"source": "openai", "append": messages});
        server.post_ok("/sessions/s/turns", &body).await["id"].clone()
    };
    turn(vec![user("Look.")]).await;
    turn(vec![calling("", &[("c1", "ls")]), result("c1", "a b")]).await;
    turn(vec![
        calling("", &[("c2", "read"), ("c3", "read")]),
        result("c2", "x"),
        result("c3", "y"),
    ])
    .await;
    let newest = turn(vec![calling("", &[("c4", "read")]), result("c4", "z")]).await;

    let found = server.get_json("/inventory?session_id=s").await;
    assert_eq!((&found["records"], &found["compilation_id"]), (&json!(4), &newest));
    let tools: Vec<_> = found["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["name"].as_str().unwrap(), &tool["calls"], &tool["turns_since_call"]))
        .collect();
    assert_eq!(
        tools,
        [
            ("ls", &json!(1), &json!(2)),
            ("read", &json!(3), &json!(0)),
            ("deploy", &json!(0), &Value::Null)
        ]
    );
    let tokens = |at: usize| found["tools"][at]["tokens"].as_u64().unwrap();
    assert!(tokens(0) > 0 && tokens(2) > tokens(0) + 60, "{found}");
    assert_eq!(found["memory"], json!([{"name": "style", "records": 4}]));
    assert_eq!(found["skills"], json!([]));

    // Of the newest two turns, which is two records, too.
    let found = server.get_json("/inventory?session_id=s&turns=2").await;
    assert_eq!(found["records"], 2);
    assert_eq!((&found["tools"][0]["calls"], &found["tools"][1]["calls"]), (&json!(0), &json!(3)));

    problem(server.get("/inventory?session_id=none").await, 404, "not_found").await;
    for wrong in ["", "?session_id=s&turns=0", "?session_id=s&turns=201", "?session_id=s&turns=x"] {
        problem(server.get(&format!("/inventory{wrong}")).await, 422, "invalid_request").await;
    }
}

#[tokio::test]
async fn tools_need_a_record_in_full() {
    let server = TestServer::spawn().await;
    let body =
        json!({"messages": [user("Hi")], "tools": [tool("ls", "Lists.")], "session_id": "s"});
    server.post_ok("/compile", &body).await;
    let found = server.get_json("/inventory?session_id=s").await;
    let wanted =
        json!({"records": 1, "compilation_id": null, "tools": [], "skills": [], "memory": []});
    assert_eq!(found, wanted);
}
