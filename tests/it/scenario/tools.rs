//! Scenarios P01 to P10: which tools a model gets, and what becomes of its calls.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{Compiled, user};

fn tool(name: &str, tags: &[&str]) -> Value {
    let mut tool = json!({"name": name, "description": format!("Does {name}."),
        "parameters": {"type": "object", "properties": {"path": {"type": "string", "description": "Where"}},
                       "required": ["path"]}});
    if !tags.is_empty() {
        tool["tags"] = json!(tags);
    }
    tool
}

fn flat() -> Value {
    json!([
        tool("read_file", &["read", "disk"]),
        tool("send_mail", &["mail"]),
        tool("ask", &[]),
        tool("Delete_File", &["remove"]),
    ])
}

fn file_ops() -> Value {
    json!({"name": "file_ops", "description": "Works on files.",
           "tools": [tool("read_file", &[]), tool("delete_file", &[])]})
}

fn terminal() -> Value {
    json!({"name": "terminal", "description": "A shell.", "tools": [tool("run", &[])]})
}

fn weather() -> Value {
    json!({"name": "Weather", "description": "Forecasts for <any> \"place\" & day",
           "tools": [tool("forecast", &[]), tool("radar", &[])]})
}

fn database() -> Value {
    json!({"name": "Database", "description": "Queries.", "tools": [tool("query", &[])]})
}

async fn compile(server: &TestServer, tools: &Value) -> Compiled {
    let body = json!({"messages": [user("u")], "target": "neutral", "tools": tools});
    server.compile(&body).await
}

fn names(compiled: &Compiled) -> Vec<&str> {
    let tools = compiled.payload["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

async fn call(server: &TestServer, name: &str, arguments: &Value, tools: &Value) -> Value {
    let call =
        json!({"type": "tool_call", "id": "c1", "name": name, "arguments": arguments.to_string()});
    let answer =
        server.post_json("/tools/calls", 200, &json!({"calls": [call], "tools": tools})).await;
    answer["results"][0].clone()
}

fn is_denied(result: &Value, parts: &[&str]) {
    assert_eq!(result["decision"], "deny", "{result}");
    let reason = result["reason"].as_str().expect("a reason");
    for part in parts {
        assert!(reason.contains(part), "{part}: {reason}");
    }
    assert_eq!(result["message"]["role"], "tool");
}

#[tokio::test]
async fn a_task_keeps_what_its_words_name_and_what_has_no_tags() {
    let server = TestServer::spawn().await;
    let tools = json!({"list": flat(), "prune": {"task": "I need to read a file from DISK"}});
    let compiled = compile(&server, &tools).await;
    assert_eq!(names(&compiled), ["read_file", "ask"]);
    assert!(!compiled.text.contains("tags"), "{}", compiled.text);
    assert_eq!(compiled.codes("degraded"), Vec::<&str>::new());
}

#[tokio::test]
async fn an_allow_list_is_blind_to_case_and_counted() {
    let server = TestServer::spawn().await;
    let tools = json!({"list": flat(), "prune": {"allow": ["READ_FILE", "delete_file", "absent"]}});
    let compiled = compile(&server, &tools).await;
    assert_eq!(names(&compiled), ["read_file", "Delete_File"]);
    let told = &compiled.report["tools"];
    assert_eq!(told["total"], 4);
    assert_eq!(told["kept"], 2);
    assert_eq!(told["removed"], json!(["send_mail", "ask"]));
    let none = compile(&server, &json!({"list": flat(), "prune": {"allow": []}})).await;
    assert!(names(&none).is_empty());
    assert_eq!(none.report["tools"]["kept"], 0);
}

#[tokio::test]
async fn task_and_names_are_joined_or_met() {
    let server = TestServer::spawn().await;
    let mut tools = json!({"list": flat(),
        "prune": {"task": "read a file from disk", "allow": ["send_mail", "read_file"]}});
    assert_eq!(names(&compile(&server, &tools).await), ["read_file", "send_mail", "ask"]);
    tools["prune"]["strategy"] = json!("intersection");
    assert_eq!(names(&compile(&server, &tools).await), ["read_file"]);
}

#[tokio::test]
async fn what_is_chosen_counts_for_one_compile_only() {
    let server = TestServer::spawn().await;
    let pruned = json!({"list": flat(), "prune": {"allow": ["ask"]}});
    assert_eq!(names(&compile(&server, &pruned).await), ["ask"]);
    assert_eq!(names(&compile(&server, &flat()).await).len(), 4);
}

#[tokio::test]
async fn a_namespace_is_one_tool_and_toolkits_have_a_loader() {
    let server = TestServer::spawn().await;
    let tools = json!({"namespaces": [file_ops(), terminal()]});
    let compiled = compile(&server, &tools).await;
    assert_eq!(names(&compiled), ["file_ops", "terminal"]);
    let schema = &compiled.payload["tools"][0]["parameters"];
    assert_eq!(schema["properties"]["action"]["enum"], json!(["read_file", "delete_file"]));
    assert_eq!(schema["required"], json!(["action", "args"]));
    let about = compiled.payload["tools"][0]["description"].as_str().expect("a text");
    assert!(about.starts_with("Works on files.\n\n"), "{about}");
    assert!(about.contains("\n- read_file: Does read_file."), "{about}");
    assert!(about.contains("\n  - path (string, required): Where"), "{about}");
    assert_eq!(compiled.roles(), ["user"]);

    let tools =
        json!({"namespaces": [file_ops(), terminal()], "toolkits": [weather(), database()]});
    let compiled = compile(&server, &tools).await;
    assert_eq!(names(&compiled), ["file_ops", "terminal", "load_toolkit"]);
    let schema = &compiled.payload["tools"][2]["parameters"];
    assert_eq!(schema["properties"]["toolkit_name"]["enum"], json!(["Weather", "Database"]));
    assert_eq!(compiled.report["service_tools"], json!(["load_toolkit"]));
    let directory = compiled.said(0);
    assert_eq!(
        directory,
        "<available_toolkits>\n  <toolkit name=\"Weather\" tools=\"forecast, radar\">Forecasts for \
         &lt;any&gt; &quot;place&quot; &amp; day</toolkit>\n  <toolkit name=\"Database\" \
         tools=\"query\">Queries.</toolkit>\n</available_toolkits>"
    );
}

#[tokio::test]
async fn flat_tools_stand_beside_namespaces_and_loaded_ones_behind_all() {
    let server = TestServer::spawn().await;
    let tools = json!({"list": [tool("ask", &[])], "namespaces": [file_ops()],
                       "toolkits": [weather(), database()]});
    let before = compile(&server, &tools).await;
    assert_eq!(names(&before), ["ask", "file_ops", "load_toolkit"]);
    let loading = json!({"role": "assistant", "parts": [{"type": "tool_call", "id": "c1",
        "name": "load_toolkit", "arguments": "{\"toolkit_name\": \"weather\"}"}]});
    let loaded = json!({"role": "tool", "parts": [{"type": "tool_result", "call_id": "c1", "content": "ok"}]});
    let body = json!({"messages": [user("u"), loading, loaded], "target": "neutral",
                      "source": "neutral", "tools": tools, "memory": true});
    let mut body = body;
    body["messages"][0] = json!({"role": "user", "parts": [{"type": "text", "text": "u"}]});
    let after = server.compile(&body).await;
    assert_eq!(
        names(&after),
        ["ask", "file_ops", "load_toolkit", "create_memory", "modify_memory", "forecast", "radar"]
    );
    let tools = |compiled: &Compiled| compiled.payload["tools"].as_array().unwrap()[..3].to_vec();
    assert_eq!(tools(&before), tools(&after));
}

#[tokio::test]
async fn a_call_through_a_namespace_is_resolved() {
    let server = TestServer::spawn().await;
    let tools = json!({"namespaces": [file_ops()], "toolkits": [weather(), database()]});
    let args = json!({"action": "read_file", "args": {"path": "a"}});
    let result = call(&server, "file_ops", &args, &tools).await;
    assert_eq!(result["decision"], "allow");
    assert_eq!(result["for"], "caller");
    assert_eq!(result["namespace"], "file_ops");
    assert_eq!(result["name"], "read_file");
    assert_eq!(result["arguments"], json!({"path": "a"}));
    // The arguments that a group's tool needs are asked for like any other's.
    let none = call(&server, "file_ops", &json!({"action": "read_file"}), &tools).await;
    is_denied(&none, &["path"]);
    let bare =
        json!({"namespaces": [{"name": "n", "tools": [{"name": "go", "description": "Goes."}]}]});
    let empty = call(&server, "n", &json!({"action": "go"}), &bare).await;
    assert_eq!(empty["arguments"], json!({}));
    // What cannot be an action's arguments is not left out of them.
    let list = call(&server, "n", &json!({"action": "go", "args": [1]}), &bare).await;
    is_denied(&list, &["`args`", "an array"]);
    let unknown = call(&server, "file_ops", &json!({"action": "Read_File"}), &tools).await;
    is_denied(&unknown, &["Read_File", "read_file, delete_file"]);
    let nameless = call(&server, "file_ops", &json!({"action": 7}), &tools).await;
    is_denied(&nameless, &["read_file, delete_file"]);
    let other = call(&server, "nowhere", &json!({}), &tools).await;
    is_denied(&other, &["nowhere", "forecast", "file_ops"]);
    let kit = call(&server, "load_toolkit", &json!({"toolkit_name": "Sea"}), &tools).await;
    is_denied(&kit, &["Sea", "Weather, Database"]);
    let no_group = json!({"namespaces": [{"name": "n", "tools": []}]});
    is_denied(&call(&server, "n", &json!({"action": "a"}), &no_group).await, &["(none)"]);
}

#[tokio::test]
async fn a_toolkit_is_found_in_any_case() {
    let server = TestServer::spawn().await;
    let tools = json!({"toolkits": [weather(), database()]});
    let result = call(&server, "load_toolkit", &json!({"toolkit_name": "wEATHER"}), &tools).await;
    assert_eq!(result["for"], "service");
    assert_eq!(result["decision"], "allow");
    let text = result["message"].to_string();
    assert!(text.contains("forecast") && text.contains("radar"), "{text}");
}

#[tokio::test]
async fn a_blocked_tool_is_refused_and_the_payload_stays() {
    let server = TestServer::spawn().await;
    let list = json!([tool("delete_file", &[]), tool("read_file", &[])]);
    let blocking = json!({"list": list, "blocked": ["delete_file"]});
    let path = json!({"path": "a"});
    is_denied(&call(&server, "delete_file", &path, &blocking).await, &["delete_file", "blocked"]);
    assert_eq!(call(&server, "read_file", &path, &blocking).await["decision"], "allow");
    is_denied(&call(&server, " ", &json!({}), &blocking).await, &["name"]);
    let (blocked, free) = (compile(&server, &blocking).await, compile(&server, &list).await);
    assert_eq!(blocked.text, free.text);
    assert_eq!(call(&server, "delete_file", &path, &list).await["decision"], "allow");
    // A tool of ours is blocked like any other.
    let ours = json!({"list": [], "blocked": ["create_memory"]});
    let note = json!({"key": "k", "value": "v"});
    is_denied(&call(&server, "create_memory", &note, &ours).await, &["create_memory"]);
    assert_eq!(server.get("/memory/k").await.status(), 404);
}

#[tokio::test]
async fn a_blocked_action_is_refused_behind_its_namespace() {
    let server = TestServer::spawn().await;
    let args = json!({"action": "delete_file", "args": {"path": "a"}});
    for blocked in ["delete_file", "file_ops.delete_file", "file_ops"] {
        let tools = json!({"namespaces": [file_ops()], "blocked": [blocked]});
        is_denied(&call(&server, "file_ops", &args, &tools).await, &["blocked"]);
    }
    let tools = json!({"namespaces": [file_ops()], "blocked": ["terminal.delete_file"]});
    assert_eq!(call(&server, "file_ops", &args, &tools).await["decision"], "allow");
}

#[tokio::test]
async fn a_group_without_tools_is_no_tool() {
    let server = TestServer::spawn().await;
    let tools = json!({"namespaces": [{"name": "g", "tools": []},
        {"name": "bare", "tools": [tool("run", &[])]}]});
    let compiled = compile(&server, &tools).await;
    assert_eq!(names(&compiled), ["bare"]);
    assert_eq!(compiled.codes("warnings"), ["namespace_empty"]);
    assert_eq!(compiled.report["warnings"][0]["pointer"], "/tools/namespaces/0/tools");
    let about = compiled.payload["tools"][0]["description"].as_str().expect("a text");
    assert!(about.starts_with("Actions:\n- run"), "{about}");
}
