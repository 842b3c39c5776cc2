//! Long outputs of built-in tools: they are shortened, cleared and summarised like results of functions.

use serde_json::{Value, json};

use super::valid;

/// A log of about 500 tokens.
fn log(step: usize) -> String {
    let words = ["server", "request", "handler", "timeout", "cache", "index", "worker", "queue"];
    let line = |at: usize| {
        let word = |shift: usize| words[(step * 5 + at * 7 + shift * at + shift) % words.len()];
        format!(
            "10:{:02}:{:02} INFO {} {} {} id={}\n",
            step % 60,
            at % 60,
            word(1),
            word(2),
            word(3),
            (step * 7_919 + at * 104_729) % 90_000
        )
    };
    (0..27).map(line).collect()
}

/// One round of a built-in tool: its call and its output.
fn round(kind: &str, at: usize, output: &str) -> Vec<Value> {
    let id = format!("c{at}");
    let own = match kind {
        "shell" => json!({"action": {"commands": [format!("grep -rn handler src/part{at}")]}}),
        "local_shell" => json!({"action": {"type": "exec", "env": {},
            "command": ["grep", "-rn", format!("src/part{at}")]}}),
        "apply_patch" => {
            json!({"operation": {"type": "update_file", "path": format!("src/p{at}.rs"),
            "diff": "@@\n-a\n+b\n"}})
        }
        _ => {
            return vec![
                json!({"type": "mcp_call", "id": format!("mcp_{at}"), "server_label": "s",
                "name": "look", "arguments": format!("{{\"q\":{at}}}"), "output": output}),
            ];
        }
    };
    let mut call = json!({"type": format!("{kind}_call"), "id": format!("i{at}"), "call_id": id,
        "status": "completed"});
    call.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    let output = match kind {
        "shell" => json!({"type": "shell_call_output", "call_id": id, "output": [
            {"stdout": output, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]}),
        "local_shell" => json!({"type": "local_shell_call_output", "id": id, "output": output}),
        _ => json!({"type": "apply_patch_call_output", "call_id": id, "status": "completed",
            "output": output}),
    };
    vec![call, output]
}

fn session(kind: &str, rounds: usize) -> Vec<Value> {
    let mut input = vec![json!({"role": "user", "content": "Find the slow handler"})];
    input.extend((0..rounds).flat_map(|at| round(kind, at, &log(at))));
    input
}

fn request(input: &[Value], window: u64) -> Value {
    json!({"model": "gpt-5", "input": input, "explain": "full",
        "budget": {"context_window": window, "reserve_output": 0}})
}

/// Hundredths of the least target of a point that the history takes.
fn share(done: &crate::support::compile::Compiled) -> u64 {
    done.report["parts"]["history"].as_u64().unwrap() * 100 / (done.number("budget") * 6 / 10)
}

#[tokio::test]
async fn outputs_of_built_in_tools_fill_the_budget() {
    for kind in ["shell", "local_shell", "apply_patch", "mcp"] {
        let input = session(kind, 16);
        for window in [2_000, 4_000] {
            let done = valid("openai_responses", request(&input, window)).await;
            let case = format!("{kind} in {window}: {}", done.report["summary"]);
            assert_eq!(done.report["fits"], true, "{case}");
            assert!(share(&done) >= 85, "{} %, {case}", share(&done));
        }
    }
}

#[tokio::test]
async fn a_newest_output_that_is_too_long_is_cut_to_the_room_beside_the_other_turns() {
    let error = "10:07:07 ERROR disk /dev/sdq7 is full, job 4711 failed\n";
    for kind in ["shell", "local_shell", "apply_patch", "mcp"] {
        let mut input = session(kind, 0);
        input.extend((0..4).flat_map(|at| round(kind, at, &format!("OLD-{at}"))));
        let long: String = (0..40).map(log).collect();
        let middle = long.match_indices('\n').nth(500).unwrap().0 + 1;
        let long = format!("{}{error}{}", &long[..middle], &long[middle..]);
        input.extend(round(kind, 4, &long));
        let done = valid("openai_responses", request(&input, 3_000)).await;
        let case = format!("{kind}: {}", done.report["summary"]);
        assert_eq!(done.report["fits"], true, "{case}");
        assert!(share(&done) >= 85, "{} %, {case}", share(&done));
        for at in 0..4 {
            assert!(done.text.contains(&format!("OLD-{at}")), "{case}");
        }
        assert!(done.text.contains("job 4711 failed"), "{case}");
        // All else in the items stays.
        let items = done.payload["input"].as_array().unwrap();
        assert_eq!(items.len(), input.len(), "{case}");
        let last = items.last().unwrap();
        assert_eq!(last["type"], input.last().unwrap()["type"]);
        if kind == "shell" {
            assert_eq!(last["output"][0]["outcome"], json!({"type": "exit", "exit_code": 0}));
        }
        let decisions = done.report["decisions"].as_array().unwrap();
        let rule = |decision: &Value| decision["rule"].as_str().unwrap().starts_with("excerpt");
        assert!(decisions.iter().any(rule), "{decisions:?}");
    }
}

#[tokio::test]
async fn old_outputs_of_built_in_tools_are_cleared_and_summarised() {
    let input = session("shell", 14);
    let mut body = request(&input, 4_000);
    body["compression"] = json!({"level": "reversible"});
    let done = valid("openai_responses", body.clone()).await;
    assert!(
        done.text.contains("[Old tool result content cleared: shell, 27 lines]"),
        "{}",
        done.text
    );
    assert!(done.action("cleared") > 0 && done.action("summarized") == 0);
    body["compression"] = json!({"clear": {"exclude_tools": ["shell"]}, "level": "reversible"});
    let kept = valid("openai_responses", body.clone()).await;
    assert_eq!(kept.action("cleared"), 0);
    // The summary quotes the calls.
    body["compression"] = json!({"level": "summary"});
    let done = valid("openai_responses", body).await;
    let summary =
        done.list().iter().map(Value::to_string).find(|item| item.contains("history_summary"));
    assert!(
        summary.is_some_and(|text| text.contains("shell(") && text.contains("grep -rn handler"))
    );
}

#[tokio::test]
async fn outputs_that_fit_keep_their_bytes() {
    let input = session("shell", 4);
    let done = valid("openai_responses", request(&input, 50_000)).await;
    assert_eq!(done.payload["input"].as_array().unwrap()[1..], input[1..]);
}

#[tokio::test]
async fn searches_and_programs_that_were_run_become_calls_of_functions() {
    let said = |at: usize, text: &str| {
        json!({"type": "message", "role": "assistant",
        "id": format!("msg_{at}"), "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
    };
    let input = [
        json!({"role": "user", "content": "How many?"}),
        json!({"type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "search", "query": "rows of the table"}}),
        said(1, "The page says 120"),
        json!({"type": "code_interpreter_call", "id": "ci_1", "status": "completed",
            "container_id": "cntr_1", "code": "print(60 * 2)",
            "outputs": [{"type": "logs", "logs": "120 counted"}]}),
        json!({"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["rows"],
            "results": [{"filename": "rows.md", "text": "there are 120", "score": 1}]}),
        said(2, "It is 120"),
        json!({"role": "user", "content": "Sure?"}),
    ];
    for target in ["openai", "anthropic", "gemini"] {
        let done = valid(target, json!({"source": "openai_responses", "input": input})).await;
        let place =
            |word: &str| done.text.find(word).unwrap_or_else(|| panic!("{word} in {}", done.text));
        let places = [
            "rows of the table",
            "The page says",
            "print(60 * 2)",
            "120 counted",
            "rows.md",
            "there are 120",
            "It is 120",
            "Sure?",
        ]
        .map(place);
        assert!(places.is_sorted(), "{target}: {}", done.text);
        assert!(!done.codes("degraded").contains(&"opaque_dropped"), "{target}");
    }
    // Their own provider gets the items back.
    let own = valid("openai_responses", json!({"input": input})).await;
    for at in [1, 3, 4] {
        assert_eq!(own.payload["input"][at], input[at]);
    }
}

/// What follows a call with its output in it is another message, whatever comes next: the list keeps
/// its beginning.
#[tokio::test]
async fn a_call_after_one_with_its_output_in_it_begins_a_message() {
    let mut input = vec![json!({"role": "user", "content": "Look"})];
    input.extend(round("mcp", 1, "found it"));
    let function = [
        json!({"type": "function_call", "call_id": "f", "name": "f", "arguments": "{}"}),
        json!({"type": "function_call_output", "call_id": "f", "output": "out f"}),
    ];
    let mut program = function.to_vec();
    program.insert(
        0,
        json!({"type": "program", "id": "pr", "call_id": "prog", "code": "text(1)",
        "fingerprint": "f"}),
    );
    for item in &mut program[1..] {
        item["caller"] = json!({"type": "program", "caller_id": "prog"});
    }
    let own = ["shell", "mcp"].map(|kind| round(kind, 2, "out f"));
    for next in own.into_iter().chain([function.to_vec(), program]) {
        let longer = [input.clone(), next].concat();
        for target in ["openai", "anthropic", "gemini"] {
            let request = |input: &[Value]| json!({"source": "openai_responses", "input": input});
            let before = valid(target, request(&input)).await;
            let done = valid(target, request(&longer)).await;
            assert_eq!(done.list()[..before.list().len()], *before.list(), "{target}");
            assert!(done.text.contains("out f"), "{target}: {}", done.text);
        }
    }
}
