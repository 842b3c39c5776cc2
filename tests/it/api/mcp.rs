//! `/mcp`: the Model Context Protocol over HTTP.

use reqwest::Response;
use serde_json::{Value, json};

use crate::support::{TestServer, problem};

async fn send(server: &TestServer, message: &Value) -> Response {
    let request =
        server.build("POST", "/mcp").header("accept", "application/json, text/event-stream");
    request.json(message).send().await.expect("an answer")
}

async fn ask(server: &TestServer, method: &str, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": "a1", "method": method, "params": params});
    let answer = send(server, &message).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/json");
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!(answer["jsonrpc"], "2.0");
    assert_eq!(answer["id"], "a1");
    answer
}

/// What a tool said, and whether it is an error.
async fn call(server: &TestServer, name: &str, arguments: Value) -> (String, bool) {
    let answer = ask(server, "tools/call", json!({"name": name, "arguments": arguments})).await;
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    (text.to_owned(), result["isError"].as_bool().expect("a flag"))
}

#[tokio::test]
async fn a_host_is_greeted_in_the_version_it_speaks() {
    let server = TestServer::spawn().await;
    for (asked, given) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2024-11-05", "2024-11-05"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let hello = json!({"protocolVersion": asked, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        let answer = ask(&server, "initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], given);
        assert_eq!(answer["result"]["serverInfo"]["name"], "contexture");
        assert!(answer["result"]["capabilities"]["tools"].is_object());
        assert!(answer["result"]["instructions"].as_str().unwrap().contains("context_read"));
    }
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = send(&server, &notification).await;
    assert_eq!(answer.status(), 202);
    assert_eq!(answer.text().await.unwrap(), "");
    assert_eq!(ask(&server, "ping", json!({})).await["result"], json!({}));
    problem(server.get("/mcp").await, 405, "method_not_allowed").await;
}

#[tokio::test]
async fn a_host_that_shakes_no_hands_is_answered() {
    let server = TestServer::spawn().await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let ask = async |method: &str, mut params: Value| -> Value {
        params["_meta"] = meta.clone();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut request = server.build("POST", "/mcp").header("mcp-method", method);
        request = request.header("mcp-protocol-version", "2026-07-28");
        if let Some(name) = params["name"].as_str() {
            request = request.header("mcp-name", name);
        }
        let answer = request.json(&message).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
        answer.json().await.expect("JSON")
    };
    let found = ask("server/discover", json!({})).await;
    let versions = found["result"]["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let list = ask("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"].as_array().expect("tools").len(), 7);
    let call = json!({"name": "memory_recall", "arguments": {"query": "x"}});
    let said = ask("tools/call", call).await;
    assert_eq!(said["result"]["content"][0]["text"], "[]", "{said}");
}

#[tokio::test]
async fn the_tools_do_what_the_routes_do() {
    let server = TestServer::spawn().await;
    let list = ask(&server, "tools/list", json!({})).await;
    let tools = list["result"]["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "context_read",
            "memory_create",
            "memory_modify",
            "memory",
            "memory_recall",
            "compress",
            "expand"
        ]
    );
    assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object"));

    let (_, failed) =
        call(&server, "memory_create", json!({"key": "language", "value": "Rust"})).await;
    assert!(!failed);
    let entry = server.get_json("/memory/language").await;
    assert_eq!(entry["value"], "Rust");
    let (found, _) = call(&server, "memory_recall", json!({"query": "Rust"})).await;
    assert!(found.contains("language"), "{found}");
    let (_, failed) =
        call(&server, "memory_modify", json!({"action": "delete", "key": "language"})).await;
    assert!(!failed);
    let (_, failed) =
        call(&server, "memory_modify", json!({"action": "delete", "key": "language"})).await;
    assert!(failed);

    let text = "the same line\n".repeat(300);
    let (shown, _) = call(&server, "compress", json!({"text": text})).await;
    assert!(shown.len() * 4 < text.len(), "{shown}");
    let shown = shown.rsplit_once("\n\n[").expect("a sentence").0.to_owned();
    assert_eq!(call(&server, "expand", json!({"text": shown})).await.0, text);

    let stored = json!({"text": "a\nb\nc", "threshold": 1, "tail_chars": 0});
    let stored = server.post_ok("/artifacts", &stored).await;
    let read = json!({"id": stored["id"], "lines": "2-2"});
    assert_eq!(call(&server, "context_read", read).await, ("b\n".to_owned(), false));
    assert!(call(&server, "context_read", json!({"id": "none"})).await.1);
    let (told, failed) = call(&server, "compress", json!({"txt": "a"})).await;
    assert!(failed && told.contains("/txt"), "{told}");
}

#[tokio::test]
async fn what_is_left_out_is_named_for_the_tool_that_reads_it() {
    let server = TestServer::spawn().await;
    let word =
        |at: usize, turn: usize| format!("w{:x}", (at * 2_654_435_761 + turn * 40_503) % 999_983);
    let mut messages = vec![json!({"role": "user", "content": "Look."})];
    for turn in 0..12 {
        let id = format!("c{turn}");
        let call =
            json!({"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        let text: Vec<String> = (0..160).map(|at| word(at, turn)).collect();
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text.join(" ")}));
    }
    let asked = json!({"messages": messages, "level": "reversible"});
    let (shown, _) = call(&server, "compress", asked).await;
    let id = &shown.split_once("context_read shows it: ").expect("a name").1[..24];
    let (text, failed) = call(&server, "context_read", json!({"id": id})).await;
    assert!(!failed);
    assert_eq!(text, messages[2]["content"]);
}

#[tokio::test]
async fn messages_that_are_none_are_told_so() {
    let server = TestServer::spawn().await;
    for (message, code) in [
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "a:b"}}),
            -32_601,
        ),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "what/ever"}), -32_601),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm"}}),
            -32_602,
        ),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "expand", "arguments": 1}}),
            -32_602,
        ),
    ] {
        let answer: Value = send(&server, &message).await.json().await.unwrap();
        assert_eq!(answer["error"]["code"], code, "{message}: {answer}");
    }
    for message in [json!([]), json!({"jsonrpc": "2.0", "id": 1}), json!(7)] {
        problem(send(&server, &message).await, 422, "invalid_request").await;
    }
    let broken = server.build_json("POST", "/mcp").body("{").send().await.unwrap();
    problem(broken, 400, "invalid_json").await;
    // An answer to what nobody asked.
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    let answer = send(&server, &answer).await;
    assert_eq!(answer.status(), 400);
    assert_eq!(answer.json::<Value>().await.unwrap()["error"]["code"], -32_600);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let odd = server.build("POST", "/mcp").header("mcp-protocol-version", "1999-01-01");
    let odd = problem(odd.json(&ping).send().await.unwrap(), 422, "invalid_request").await;
    assert!(odd["detail"].as_str().unwrap().contains("1999-01-01"), "{odd}");
}

#[tokio::test]
async fn a_message_that_is_too_large_or_late_is_a_problem() {
    let server =
        TestServer::with(&["--max-body-bytes", "10000", "--max-decoded-bytes", "10000"]).await;
    let text = "x".repeat(20_000);
    let large = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "compress", "arguments": {"text": text}}});
    problem(send(&server, &large).await, 413, "body_too_large").await;
    let late = server.build("POST", "/mcp").header("contexture-deadline-ms", "0");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    problem(late.json(&ping).send().await.unwrap(), 422, "invalid_request").await;
}

#[tokio::test]
async fn a_page_of_another_origin_is_refused() {
    let server = TestServer::spawn().await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let from = async |origin: &str| {
        let request = server.build("POST", "/mcp").header("origin", origin).json(&ping);
        request.send().await.expect("an answer")
    };
    problem(from("http://evil.example").await, 403, "cross_origin").await;
    problem(from("null").await, 403, "cross_origin").await;
    assert_eq!(from(&format!("http://{}", server.address)).await.status(), 200);
}

#[tokio::test]
async fn a_key_sees_the_tools_of_its_scopes() {
    let secret = "s".repeat(32);
    let server = TestServer::with(&["--bootstrap-key", &secret]).await;
    let made = server
        .build("POST", "/keys")
        .bearer_auth(&secret)
        .json(&json!({"scopes": ["memory:read"]}));
    let made: Value = made.send().await.unwrap().json().await.unwrap();
    let key = made["key"].as_str().unwrap();
    let ask = async |method: &str, params: Value| -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = server.build("POST", "/mcp").bearer_auth(key).json(&message);
        request.send().await.unwrap().json().await.unwrap()
    };
    let list = ask("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 1);
    assert_eq!(list["result"]["tools"][0]["name"], "memory_recall");
    let refused = ask(
        "tools/call",
        json!({"name": "memory_create", "arguments": {"key": "a", "value": "b"}}),
    )
    .await;
    assert_eq!(refused["error"]["code"], -32_602);
    let bare = server.post("/mcp", &json!({})).await;
    assert_eq!(bare.status(), 401);
}

#[tokio::test]
async fn the_memory_tool_of_anthropic_edits_what_is_remembered() {
    let server = TestServer::spawn().await;
    let memory = async |arguments: Value| call(&server, "memory", arguments).await;
    let path = "/memories/plan/steps.md";
    let create = json!({"command": "create", "path": path, "file_text": "one\ntwo\n"});
    assert!(!memory(create).await.1);
    let entry = server.get_json("/memory/plan%2Fsteps.md").await;
    assert_eq!((&entry["value"], &entry["status"]), (&json!("one\ntwo\n"), &json!("captured")));
    let edit =
        json!({"command": "str_replace", "path": path, "old_str": "two", "new_str": "three"});
    assert!(!memory(edit).await.1);
    let insert =
        json!({"command": "insert", "path": path, "insert_line": 0, "insert_text": "zero\n"});
    assert!(!memory(insert).await.1);
    let (seen, failed) = memory(json!({"command": "view", "path": path})).await;
    assert!(!failed && seen.contains("zero") && seen.contains("three"), "{seen}");
    let listed = memory(json!({"command": "view", "path": "/memories"})).await.0;
    assert!(listed.contains(path), "{listed}");
    let to = "/memories/done.md";
    assert!(!memory(json!({"command": "rename", "old_path": path, "new_path": to})).await.1);
    let outside = json!({"command": "view", "path": "/memories/../etc/passwd"});
    assert!(memory(outside).await.1);
    assert!(memory(json!({"command": "drop", "path": to})).await.1);
    assert!(!memory(json!({"command": "delete", "path": to})).await.1);
    assert!(memory(json!({"command": "view", "path": to})).await.1);
}
