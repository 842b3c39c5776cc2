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
    let entry = "<entry key=\"style\">short sentences</entry>\n";
    let entry = server.post_ok("/tokens", &json!({"text": entry, "model": "gpt-4o"})).await;
    assert_eq!(
        found["memory"],
        json!([{"name": "style", "records": 4, "tokens": entry["tokens"], "uses": 0,
            "turns_since_use": null}])
    );
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

#[tokio::test]
async fn an_entry_is_used_by_a_call_of_its_key_or_a_text_with_its_value() {
    let server = TestServer::spawn().await;
    for (key, value) in [
        ("build", "cargo build --release"),
        ("never", "a value that no message has"),
        ("quiet", "cargo test --quiet"),
        ("short", "cargo"),
        ("town", "Lyon"),
    ] {
        server.put_memory(key, &json!({"value": value})).await;
    }
    let skill = |tools: Value| json!({"description": "d", "instructions": "Follow the rules.", "allowed_tools": tools});
    let tools = [tool("Bash", "Runs."), tool("note", "Notes.")];
    server.put_skill("rules", &skill(json!(["Bash(git *)", "unknown"]))).await;
    let defaults = json!({"tools": tools, "memory": true, "record": "full", "model": "gpt-4o",
        "skill": "rules"});
    server.post("/sessions", &json!({"id": "s", "defaults": defaults})).await;
    let turn = async |messages: Vec<Value>| {
        let body = json!({"source": "openai", "append": messages});
        server.post_ok("/sessions/s/turns", &body).await
    };
    turn(vec![user("Build it, in Lyon, with cargo test --quiet.")]).await;
    let call = |id: &str, name: &str, arguments: Value| {
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function",
            "function": {"name": name, "arguments": arguments.to_string()}}]})
    };
    let command = json!({"commands": [{"line": "cd /src && cargo build --release"}]});
    turn(vec![call("c1", "Bash", command), result("c1", "done")]).await;
    let write = json!({"action": "update", "key": "town", "value": "Nice"});
    turn(vec![call("c2", "modify_memory", write)]).await;
    turn(vec![
        json!({"role": "assistant", "content": "cargo is done: cargo build --release."}),
        user("Thanks."),
    ])
    .await;

    let found = server.get_json("/inventory?session_id=s").await;
    let used = |found: &Value, list: &str| -> Vec<(String, Value, Value)> {
        let items = found[list].as_array().unwrap().iter();
        let used = items.map(|item| {
            let name = item["name"].as_str().unwrap().to_owned();
            (name, item["uses"].clone(), item["turns_since_use"].clone())
        });
        used.collect()
    };
    let row = |name: &str, uses: Value, since: Value| (name.to_owned(), uses, since);
    assert_eq!(
        used(&found, "memory"),
        [
            row("build", json!(2), json!(0)),
            row("never", json!(0), Value::Null),
            // What the user says is no use.
            row("quiet", json!(0), Value::Null),
            row("short", Value::Null, Value::Null),
            row("town", json!(1), json!(1)),
        ]
    );
    assert_eq!(used(&found, "skills"), [row("rules", json!(1), json!(2))]);
    let parts = server.get_json("/sessions/s/timeline?limit=1").await;
    assert_eq!(found["skills"][0]["tokens"], parts["items"][0]["parts"]["skill"]);
    assert!(found["skills"][0]["tokens"].as_u64() > Some(0), "{found}");
    assert!(
        found["memory"].as_array().unwrap().iter().all(|item| item["tokens"].as_u64() > Some(5))
    );

    let found = server.get_json("/inventory?session_id=s&turns=1").await;
    assert_eq!(used(&found, "memory")[0], row("build", json!(1), json!(0)));
    assert_eq!(used(&found, "memory")[4], row("town", json!(0), json!(1)));
    assert_eq!(used(&found, "skills"), [row("rules", json!(0), json!(2))]);
    // A skill without tools leaves no trace of its use.
    let plain = json!({"description": "d", "instructions": "Follow the rules."});
    server.put_skill("rules", &plain).await;
    let found = server.get_json("/inventory?session_id=s").await;
    assert_eq!(used(&found, "skills"), [row("rules", Value::Null, Value::Null)]);
}

#[tokio::test]
async fn entries_of_the_request_have_tokens_and_a_record_of_hashes_has_none() {
    let server = TestServer::spawn().await;
    let memory = json!({"entries": [{"key": "style", "value": "short sentences"}]});
    let mut body = json!({"session_id": "s", "memory": memory, "model": "gpt-4o",
        "messages": [user("Hi"), {"role": "assistant", "content": "I write short sentences."}, user("Go on.")]});
    server.post_ok("/compile", &body).await;
    let found = server.get_json("/inventory?session_id=s").await;
    let unknown = json!([{"name": "style", "records": 1, "tokens": null, "uses": null, "turns_since_use": null}]);
    assert_eq!(found["memory"], unknown);
    body["record"] = json!("full");
    server.post_ok("/compile", &body).await;
    let found = server.get_json("/inventory?session_id=s").await;
    assert_eq!(
        (&found["memory"][0]["records"], &found["memory"][0]["uses"]),
        (&json!(2), &json!(1))
    );
    assert!(found["memory"][0]["tokens"].as_u64() > Some(5), "{found}");
}

#[tokio::test]
async fn a_part_of_a_word_is_no_use_and_a_skill_of_the_request_is_none_that_is_stored() {
    let server = TestServer::spawn().await;
    let stored = json!({"description": "d", "instructions": "i", "allowed_tools": ["Bash"]});
    server.put_skill("review", &stored).await;
    let entries = json!([{"key": "word", "value": "function"}, {"key": "id", "value": "12345678"},
        {"key": "path", "value": "/src/main"}]);
    let call =
        json!({"id": "c", "type": "function", "function": {"name": "Bash", "arguments": "{}"}});
    let said = "The malfunctions of 912345678 are in ./src/main.rs.";
    let body = json!({"session_id": "s", "record": "full", "model": "gpt-4o", "memory": {"entries": entries},
        "skill": {"name": "review", "instructions": "Look twice."},
        "messages": [user("Hi"), {"role": "assistant", "content": said, "tool_calls": [call]}, result("c", "ok")]});
    server.post_ok("/compile", &body).await;
    let found = server.get_json("/inventory?session_id=s").await;
    let uses: Vec<(&str, &Value)> = found["memory"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["name"].as_str().unwrap(), &item["uses"]))
        .collect();
    assert_eq!(uses, [("id", &json!(0)), ("path", &json!(1)), ("word", &json!(0))]);
    assert_eq!(found["skills"][0]["uses"], Value::Null, "{found}");
}

#[tokio::test]
async fn tokens_are_counted_as_those_of_the_payload() {
    let server = TestServer::spawn().await;
    let long = "Deploys a branch, after all checks have passed and someone has agreed. ".repeat(8);
    let body = json!({"session_id": "s", "record": "full", "model": "claude-sonnet-4-5",
        "target": "anthropic", "tools": [tool("deploy", &long)],
        "messages": [user(&"Which of the branches is next? ".repeat(300))]});
    let compiled = async || {
        let report = server.post_ok("/compile", &body).await["report"].clone();
        let found = server.get_json("/inventory?session_id=s").await;
        let carried = found["tools"][0]["tokens"].as_u64().unwrap();
        assert_eq!(carried, report["parts"]["tools"], "{report}");
        (carried, report["tokens_after"].as_u64().unwrap())
    };
    let (before, tokens) = compiled().await;
    let usage = json!({"usage": {"input_tokens": tokens * 3 / 4, "output_tokens": 5}});
    server.post_ok("/sessions/s/usage", &usage).await;
    // The session has learnt that the model counts fewer tokens than was assumed.
    let (after, _) = compiled().await;
    assert!(after < before, "{after} {before}");
}
