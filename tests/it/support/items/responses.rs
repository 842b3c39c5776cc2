//! Items of the Responses API.

use serde_json::{Value, json};

use super::{Happening, PNG, Round, data_uri};

fn reasoning(at: usize, round: &Round) -> Value {
    let text = json!({"type": "summary_text", "text": round.words(12, 3)});
    json!({"type": "reasoning", "id": format!("rs_{at}"), "summary": [text],
        "encrypted_content": round.sealed()})
}

fn message(at: usize, text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "id": format!("msg_{at}"), "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn user(parts: &Value) -> Value {
    json!({"type": "message", "role": "user", "content": parts})
}

fn shell(id: &str, round: &Round) -> [Value; 2] {
    [
        json!({"type": "shell_call", "id": format!("sh_{id}"), "call_id": id, "status": "completed",
            "action": {"commands": [format!("grep {}", round.words(2, 9))]}}),
        json!({"type": "shell_call_output", "call_id": id, "output": [
            {"stdout": round.output(11), "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
            {"stdout": "", "stderr": round.words(5, 12), "outcome": {"type": "exit", "exit_code": 1}}]}),
    ]
}

#[expect(clippy::too_many_lines, reason = "one arm for each kind of item")]
pub(super) fn write(at: usize, round: &Round) -> Vec<Value> {
    let id = format!("call_{at}");
    let mut items = Vec::new();
    let thinks = !matches!(
        round.what,
        Happening::User | Happening::UserImage | Happening::Compaction | Happening::Program
    );
    if round.thinks && thinks {
        items.push(reasoning(at, round));
    }
    match round.what {
        Happening::User => items.push(user(&json!([{"type": "input_text", "text": round.said()}]))),
        Happening::UserImage => items.push(user(&json!([
            {"type": "input_text", "text": round.said()},
            {"type": "input_image", "detail": "auto", "image_url": data_uri()}]))),
        Happening::Said => items.push(message(at, &round.said())),
        Happening::Calls(count) => {
            let id = |n: usize| format!("call_{at}_{n}");
            items.extend((0..count).map(|n| json!({"type": "function_call", "id": format!("fc_{at}_{n}"),
                "call_id": id(n), "name": "read_file", "arguments": "{\"path\":\"src/a.rs\"}"})));
            items.extend((0..count).map(|n| json!({"type": "function_call_output", "call_id": id(n),
                "output": round.output(20 + n as u64)})));
        }
        Happening::CustomCall => {
            items.push(json!({"type": "custom_tool_call", "id": format!("ctc_{at}"), "call_id": id,
                "name": "run", "input": round.words(9, 5)}));
            items.push(json!({"type": "custom_tool_call_output", "call_id": id,
                "output": round.output(6)}));
        }
        Happening::Computer => {
            items.push(json!({"type": "computer_call", "id": format!("cu_{at}"), "call_id": id,
                "status": "completed", "pending_safety_checks": [],
                "action": {"type": "click", "x": at, "y": 2, "button": "left"}}));
            items.push(json!({"type": "computer_call_output", "call_id": id,
                "output": {"type": "computer_screenshot", "image_url": data_uri()}}));
        }
        Happening::Shell => items.extend(shell(&id, round)),
        Happening::Shells => {
            let ([a, a_out], [b, b_out]) =
                (shell(&format!("{id}a"), round), shell(&format!("{id}b"), round));
            items.extend([a, b, a_out, b_out]);
        }
        Happening::LocalShell => {
            items.push(json!({"type": "local_shell_call", "id": format!("lsh_{at}"), "call_id": id,
                "status": "completed", "action": {"type": "exec", "command": ["ls", "-l"], "env": {}}}));
            items.push(json!({"type": "local_shell_call_output", "id": id, "output": round.output(7)}));
        }
        Happening::Patch => {
            let diff = format!("@@\n-{}\n+{}\n", round.words(6, 1), round.words(6, 2));
            items.push(json!({"type": "apply_patch_call", "id": format!("apc_{at}"), "call_id": id,
                "status": "completed",
                "operation": {"type": "update_file", "path": "src/a.rs", "diff": diff}}));
            items.push(json!({"type": "apply_patch_call_output", "call_id": id, "status": "completed",
                "output": round.output(8)}));
        }
        Happening::WebSearch => {
            items.push(json!({"type": "web_search_call", "id": format!("ws_{at}"),
                "status": "completed", "action": {"type": "search", "query": round.words(4, 2)}}));
            items.push(message(at, &round.said()));
        }
        Happening::Mcp => items.push(json!({"type": "mcp_call", "id": format!("mcp_{at}"),
            "server_label": "s", "name": "look", "arguments": "{\"q\":1}", "output": round.output(4)})),
        Happening::McpApproval => {
            let id = format!("mcpr_{at}");
            items.push(json!({"type": "mcp_approval_request", "id": id, "server_label": "s",
                "name": "look", "arguments": "{}"}));
            items.push(json!({"type": "mcp_approval_response", "approval_request_id": id,
                "approve": true}));
            items.push(json!({"type": "mcp_call", "id": format!("mcp_{at}"), "server_label": "s",
                "name": "look", "arguments": "{}", "output": round.output(4),
                "approval_request_id": id}));
        }
        Happening::Interpreter => {
            items.push(json!({"type": "code_interpreter_call", "id": format!("ci_{at}"),
                "status": "completed", "container_id": "cntr_1", "code": round.words(12, 2),
                "outputs": [{"type": "logs", "logs": round.output(3)}]}));
            items.push(message(at, &round.said()));
        }
        Happening::GeneratedImage => {
            items.push(json!({"type": "image_generation_call", "id": format!("ig_{at}"),
                "status": "completed", "result": PNG}));
            items.push(message(at, &round.said()));
        }
        Happening::Program => {
            let program = format!("prog_{at}");
            let caller = json!({"type": "program", "caller_id": program});
            items.push(json!({"type": "program", "id": format!("pr_{at}"), "call_id": program,
                "code": "text(1)", "fingerprint": "f"}));
            for n in 0..2 {
                let id = format!("call_{at}_{n}");
                items.push(json!({"type": "function_call", "call_id": id, "name": "query",
                    "arguments": "{}", "caller": caller}));
                items.push(json!({"type": "function_call_output", "call_id": id,
                    "output": round.output(n), "caller": caller}));
            }
            items.push(json!({"type": "program_output", "id": format!("po_{at}"), "call_id": program,
                "result": "120", "status": "completed"}));
            items.push(message(at, &round.said()));
        }
        Happening::Compaction => items.push(json!({"type": "compaction", "id": format!("cmp_{at}"),
            "encrypted_content": round.sealed()})),
    }
    items
}
