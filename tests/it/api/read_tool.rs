//! `compression.read_tool`: what is cleared can be asked for.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::Compiled;

/// Turns with a tool each; the texts differ in every word, so that nothing but clearing helps.
fn messages(turns: usize) -> Vec<Value> {
    let mut messages = vec![json!({"role": "user", "content": "Look at all of it."})];
    for turn in 0..turns {
        let id = format!("call_{turn}");
        let name = if turn == 1 { "context_read" } else { "read_file" };
        let call = json!({"id": id, "type": "function",
            "function": {"name": name, "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text(turn)}));
    }
    messages
}

fn text(turn: usize) -> String {
    let word = |at: usize| format!("w{:x}", (at * 2_654_435_761 + turn * 40_503) % 999_983);
    (0..160).map(word).collect::<Vec<_>>().join(" ")
}

async fn compile(server: &TestServer, read_tool: bool) -> Compiled {
    let request = json!({
        "target": "openai", "model": "gpt-4o", "messages": messages(12),
        "compression": {"level": "reversible", "read_tool": read_tool},
        "budget": {"context_window": 6_000, "reserve_output": 0},
    });
    let answer = server.post("/compile", &request).await;
    assert_eq!(answer.status(), 200);
    Compiled::read(&answer.text().await.expect("a body"))
}

#[tokio::test]
async fn a_cleared_result_names_what_can_be_read_back() {
    let server = TestServer::spawn().await;
    let compiled = compile(&server, true).await;
    assert_eq!(compiled.report["service_tools"], json!(["context_read"]));
    assert_eq!(compiled.payload["tools"][0]["function"]["name"], "context_read");
    let mut read = 0;
    let results = compiled.list().iter().filter(|message| message["role"] == "tool");
    for (turn, result) in results.enumerate() {
        let shown = result["content"].as_str().expect("a text");
        let Some((_, id)) = shown.split_once("context_read shows it: ") else { continue };
        let path = format!("/artifacts/{}", id.trim_end_matches(']'));
        let original = server.get(&path).await.text().await.expect("a text");
        assert_eq!(original, text(turn));
        assert_ne!(turn, 1, "what was read back was cleared again");
        read += 1;
    }
    assert!(read > 3, "{}", compiled.report);
}

#[tokio::test]
async fn without_it_nothing_points_where_nobody_can_go() {
    let server = TestServer::spawn().await;
    let compiled = compile(&server, false).await;
    assert_eq!(compiled.report["service_tools"], json!([]));
    assert!(compiled.payload.get("tools").is_none_or(|tools| tools == &json!([])));
    assert!(compiled.text.contains("[Old tool result content cleared"), "{}", compiled.report);
    assert!(!compiled.text.contains("context_read shows it"));
}
