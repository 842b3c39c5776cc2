//! Contents of Gemini.

use serde_json::{Value, json};

use super::{Happening, PNG, Round};

fn content(role: &str, parts: &[Value]) -> Value {
    json!({"role": role, "parts": parts})
}

fn text(round: &Round) -> Value {
    json!({"text": round.said()})
}

fn image() -> Value {
    json!({"inlineData": {"mimeType": "image/png", "data": PNG}})
}

pub(super) fn write(at: usize, round: &Round) -> Vec<Value> {
    let has_ids = round.number(50).is_multiple_of(2);
    let mut results: Vec<Value> = Vec::new();
    let mut call = |n: usize, name: &str, output: Value, media: bool| {
        let mut call = json!({"functionCall": {"name": name, "args": {"path": "src/a.rs"}}});
        let mut response = json!({"name": name, "response": {"result": output}});
        if has_ids {
            call["functionCall"]["id"] = json!(format!("fc_{at}_{n}"));
            response["id"] = json!(format!("fc_{at}_{n}"));
        }
        if media {
            response["parts"] = json!([image()]);
        }
        results.push(json!({"functionResponse": response}));
        call
    };
    let output = |salt: u64| json!(round.output(salt));
    let mut parts = match round.what {
        Happening::User => return vec![content("user", &[text(round)])],
        Happening::UserImage => return vec![content("user", &[text(round), image()])],
        Happening::Said | Happening::Compaction => vec![text(round)],
        Happening::Calls(count) => {
            (0..count).map(|n| call(n, "read_file", output(n as u64), false)).collect()
        }
        Happening::Computer => vec![call(0, "computer", output(1), true)],
        Happening::Shells => (0..2).map(|n| call(n, "bash", output(n as u64), false)).collect(),
        Happening::CustomCall
        | Happening::Shell
        | Happening::LocalShell
        | Happening::Patch
        | Happening::Mcp => vec![text(round), call(0, "bash", output(3), false)],
        Happening::McpApproval | Happening::Program => {
            vec![call(0, "bash", json!({"rows": [1, 2, {"a": round.words(4, 4)}]}), false)]
        }
        Happening::WebSearch | Happening::Interpreter => vec![
            json!({"executableCode": {"language": "PYTHON", "code": "print(1)"}}),
            json!({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": round.output(4)}}),
            text(round),
        ],
        Happening::GeneratedImage => vec![text(round), image()],
    };
    if round.thinks {
        parts[0]["thoughtSignature"] = json!(round.sealed());
        if round.number(51).is_multiple_of(2) {
            parts.insert(0, json!({"text": round.words(10, 3), "thought": true}));
        }
    }
    let mut contents = vec![content("model", &parts)];
    if !results.is_empty() {
        contents.push(content("user", &results));
    }
    contents
}
