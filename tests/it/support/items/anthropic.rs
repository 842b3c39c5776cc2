//! Messages of Anthropic.

use serde_json::{Value, json};

use super::{Happening, PNG, Round};

fn thinking(round: &Round) -> Value {
    match round.number(40) % 3 {
        0 => json!({"type": "redacted_thinking", "data": round.sealed()}),
        1 => json!({"type": "thinking", "thinking": "", "signature": round.sealed()}),
        _ => json!({"type": "thinking", "thinking": round.words(20, 3), "signature": "c2ln"}),
    }
}

fn text(round: &Round) -> Value {
    json!({"type": "text", "text": round.said()})
}

fn image() -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}})
}

fn user(blocks: &[Value]) -> Value {
    json!({"role": "user", "content": blocks})
}

fn answer(id: &str, content: &Value) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": content})
}

/// A call of a server tool, what it found, and what the model says of it.
fn server(at: usize, round: &Round, name: &str, found: Value) -> Vec<Value> {
    let id = format!("srvtoolu_{at}");
    let mut found = found;
    found["tool_use_id"] = json!(id);
    vec![
        json!({"type": "server_tool_use", "id": id, "name": name, "input": {"query": round.words(3, 2)}}),
        found,
        text(round),
    ]
}

pub(super) fn write(at: usize, round: &Round) -> Vec<Value> {
    let id = |n: usize| format!("toolu_{at}_{n}");
    let call = |n: usize, name: &str| json!({"type": "tool_use", "id": id(n), "name": name, "input": {"path": "src/a.rs"}});
    let mut results: Vec<Value> = Vec::new();
    let mut blocks = match round.what {
        Happening::User => return vec![user(&[text(round)])],
        Happening::UserImage => return vec![user(&[text(round), image()])],
        Happening::Program => return program(at, round),
        Happening::Said => vec![text(round)],
        Happening::Calls(count) => {
            results.extend((0..count).map(|n| answer(&id(n), &json!(round.output(n as u64)))));
            (0..count).map(|n| call(n, "read_file")).collect()
        }
        Happening::CustomCall => {
            let found = json!([{"type": "search_result", "source": "s", "title": "T",
                "content": [{"type": "text", "text": round.output(4)}]}]);
            results.push(answer(&id(0), &found));
            vec![call(0, "search")]
        }
        Happening::Computer => {
            results.push(answer(
                &id(0),
                &json!([{"type": "text", "text": round.words(4, 4)}, image()]),
            ));
            vec![call(0, "computer")]
        }
        Happening::Shell | Happening::LocalShell => {
            results.push(answer(&id(0), &json!(round.output(5))));
            vec![text(round), call(0, "bash")]
        }
        Happening::Shells => {
            results.extend((0..2).map(|n| answer(&id(n), &json!(round.output(n as u64)))));
            (0..2).map(|n| call(n, "bash")).collect()
        }
        Happening::Patch => {
            results.push(answer(&id(0), &json!(round.output(5))));
            vec![call(0, "str_replace_based_edit_tool")]
        }
        Happening::WebSearch | Happening::GeneratedImage => {
            let page = json!({"type": "web_search_result", "url": "https://a.example", "title": "T",
                "encrypted_content": round.sealed()});
            server(
                at,
                round,
                "web_search",
                json!({"type": "web_search_tool_result", "content": [page]}),
            )
        }
        Happening::Interpreter => {
            let ran = json!({"type": "bash_code_execution_result", "stdout": round.output(4),
                "stderr": "", "return_code": 0, "content": []});
            let found = json!({"type": "bash_code_execution_tool_result", "content": ran});
            server(at, round, "bash_code_execution", found)
        }
        Happening::Mcp | Happening::McpApproval => vec![
            json!({"type": "mcp_tool_use", "id": format!("mcptoolu_{at}"), "name": "look",
                "server_name": "s", "input": {}}),
            json!({"type": "mcp_tool_result", "tool_use_id": format!("mcptoolu_{at}"),
                "is_error": false, "content": [{"type": "text", "text": round.output(4)}]}),
            text(round),
        ],
        Happening::Compaction => {
            vec![
                json!({"type": "compaction", "content": format!("cmp_{at} {}", round.said())}),
                text(round),
            ]
        }
    };
    if round.thinks && round.what != Happening::Compaction {
        blocks.insert(0, thinking(round));
    }
    let mut messages = vec![json!({"role": "assistant", "content": blocks})];
    if !results.is_empty() {
        messages.push(user(&results));
    }
    messages
}

/// A program with two calls of a tool, and what it printed.
fn program(at: usize, round: &Round) -> Vec<Value> {
    let id = format!("srvtoolu_{at}");
    let caller = json!({"type": "code_execution_20250825", "tool_id": id});
    let call = |n: usize| {
        json!({"type": "tool_use", "id": format!("toolu_{at}_{n}"), "name": "query", "input": {},
            "caller": caller})
    };
    let result =
        |n: usize| user(&[answer(&format!("toolu_{at}_{n}"), &json!(round.output(n as u64)))]);
    vec![
        json!({"role": "assistant", "content": [
            {"type": "server_tool_use", "id": id, "name": "code_execution", "input": {"code": "run()"}},
            call(0)]}),
        result(0),
        json!({"role": "assistant", "content": [call(1)]}),
        result(1),
        json!({"role": "assistant", "content": [
            {"type": "code_execution_tool_result", "tool_use_id": id, "content":
                {"type": "code_execution_result", "stdout": "120", "stderr": "", "return_code": 0,
                    "content": []}},
            text(round)]}),
    ]
}
