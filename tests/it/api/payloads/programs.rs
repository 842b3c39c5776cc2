//! Programs that a model writes and its provider runs, which call tools of the caller; and tools that
//! a search loads. Sources: the pages that `support/valid/anthropic.rs` names, and
//! <https://developers.openai.com/api/docs/guides/tools-programmatic-tool-calling>.

use serde_json::{Value, json};

use super::valid;
use crate::support::TestServer;

/// A result that every other text would be shortened to less than half of.
fn rows(seed: usize) -> String {
    let rows: Vec<Value> =
        (0..60).map(|at| json!({"id": at, "name": format!("n{at}"), "v": at * seed})).collect();
    serde_json::to_string_pretty(&rows).unwrap()
}

fn caller() -> Value {
    json!({"type": "code_execution_20250825", "tool_id": "srvtoolu_a"})
}

/// A program with two calls of a tool, and what it printed.
fn anthropic_program() -> Vec<Value> {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "query", "input": {}, "caller": caller()});
    let result = |id: &str, seed| {
        json!({"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": rows(seed)}]})
    };
    vec![
        json!({"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "srvtoolu_a", "name": "code_execution",
                "input": {"code": "print(len(await query()) + len(await query()))"}},
            call("toolu_1")]}),
        result("toolu_1", 2),
        json!({"role": "assistant", "content": [call("toolu_2")]}),
        result("toolu_2", 3),
        json!({"role": "assistant", "content": [
            {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_a", "content":
                {"type": "code_execution_result", "stdout": "120", "stderr": "",
                    "return_code": 0, "content": []}},
            {"type": "text", "text": "There are 120."}]}),
    ]
}

/// The same program in the other provider's items.
fn responses_program() -> Vec<Value> {
    let caller = json!({"type": "program", "caller_id": "prog_a"});
    let call = |id: &str| {
        json!({"type": "function_call", "call_id": id, "name": "query", "arguments": "{}",
            "caller": caller})
    };
    let output = |id: &str, seed| {
        json!({"type": "function_call_output", "call_id": id, "output": rows(seed),
            "caller": caller})
    };
    vec![
        json!({"type": "program", "id": "pr_1", "call_id": "prog_a", "code": "text(1)",
            "fingerprint": "f"}),
        call("call_1"),
        output("call_1", 2),
        call("call_2"),
        output("call_2", 3),
        json!({"type": "program_output", "id": "po_1", "call_id": "prog_a", "result": "120",
            "status": "completed"}),
        json!({"role": "assistant", "content": "There are 120."}),
    ]
}

/// The target, the key of its list and a program in its shape.
fn programs() -> [(&'static str, &'static str, Vec<Value>); 2] {
    [
        ("anthropic", "messages", anthropic_program()),
        ("openai_responses", "input", responses_program()),
    ]
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// The texts of all results in a list.
fn results(list: &[Value]) -> Vec<String> {
    let blocks = list.iter().flat_map(|item| match item["content"].as_array() {
        Some(blocks) => blocks.clone(),
        None => vec![item.clone()],
    });
    let texts = blocks.filter_map(|block| match block["type"].as_str() {
        Some("tool_result") => Some(block["content"].as_str().unwrap().to_owned()),
        Some("function_call_output") => Some(block["output"].as_str().unwrap().to_owned()),
        _ => None,
    });
    texts.collect()
}

#[tokio::test]
async fn what_a_program_reads_keeps_its_bytes() {
    for (target, key, program) in programs() {
        // While it runs, and after it ended.
        for length in [2, program.len()] {
            let mut list = vec![user("sum up")];
            let running = if target == "anthropic" { length } else { length + 1 };
            list.extend(program.iter().take(running).cloned());
            let request = json!({key: list, "dynamic_state": {"step": 4},
                "implicit_context": "found before"});
            let done = valid(target, request).await;
            let expected = [rows(2), rows(3)];
            let count = if length == 2 { 1 } else { 2 };
            assert_eq!(results(done.list()), expected[..count], "{target}");
            assert!(done.text.contains("found before") && done.text.contains("step"), "{target}");
        }
    }
}

#[tokio::test]
async fn a_text_like_ours_is_not_marked_and_nothing_refers_to_it() {
    // The model does not see the program's results.
    let text = format!("§json 12\n{}", rows(2));
    let mut list = vec![user("sum up")];
    list.extend(anthropic_program());
    list[2]["content"][0]["content"] = json!(text);
    list.push(user("again, yourself"));
    list.push(json!({"role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_9", "name": "read", "input": {}}]}));
    list.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9",
        "content": format!("{}\nand more\n{}", rows(3), rows(3))}]}));
    let done = valid("anthropic", json!({"messages": list})).await;
    let shown = results(done.list());
    assert_eq!(shown[..2], [text, rows(3)]);
    assert!(shown[2].contains("n59"), "{}", shown[2]);
}

#[tokio::test]
async fn a_program_goes_whole() {
    for (target, key, program) in programs() {
        let mut list = vec![user("sum up")];
        list.extend(program);
        for at in 0..12 {
            list.push(user(&format!("question {at}: {}", "why is that so ".repeat(20))));
            list.push(json!({"role": "assistant", "content": format!("answer {at}")}));
        }
        let mut kept = 0;
        for budget in (400..8_000).step_by(400) {
            let request = json!({key: list,
                "budget": {"context_window": budget, "reserve_output": 0}});
            let done = valid(target, request).await;
            let texts = results(done.list());
            assert!(texts.is_empty() || texts == [rows(2), rows(3)], "{target} {budget}");
            kept += usize::from(!texts.is_empty());
            let has = |word: &str| done.text.contains(word);
            let ends = match target {
                "anthropic" => ["\"srvtoolu_a\"", "code_execution_tool_result"],
                _ => ["\"pr_1\"", "\"po_1\""],
            };
            assert_eq!(ends.map(has), [!texts.is_empty(); 2]);
        }
        assert!((1..19).contains(&kept), "{target}: {kept}");
    }
}

#[tokio::test]
async fn compressing_a_list_leaves_programs_alone() {
    let server = TestServer::dev().await;
    for (target, key, program) in programs() {
        let mut list = vec![user("sum up")];
        list.extend(program);
        for level in ["lossless", "reversible", "summary"] {
            let body = json!({key: list, "source": target, "level": level});
            let done = server.post_ok("/compress", &body).await;
            assert_eq!(done[key], json!(list), "{target} {level}");
        }
    }
    let mut list = vec![user("sum up")];
    list.extend(anthropic_program());
    let done =
        server.post_ok("/v1/compress", &json!({"messages": list, "model": "claude-opus-4-8"}));
    assert_eq!(done.await["messages"], json!(list));
}

#[tokio::test]
async fn results_of_a_program_are_taken_as_they_are() {
    let server = TestServer::dev().await;
    let long = format!("§json 12\n{}", rows(7).repeat(4));
    for (source, caller) in [
        ("anthropic", caller()),
        ("openai_responses", json!({"type": "program", "caller_id": "prog_a"})),
    ] {
        let body = json!({"source": source, "compression": "reversible",
            "truncate": {"threshold": 100, "tail_chars": 20},
            "results": [{"id": "c1", "name": "query", "content": long, "caller": caller}]});
        let done = server.post_ok("/tools/results", &body).await;
        assert_eq!(
            results(done["messages"].as_array().unwrap()),
            std::slice::from_ref(&long),
            "{source}"
        );
        assert_eq!(done["results"][0]["action"], "kept", "{source}");
        let shown = &done["messages"][0]["caller"];
        assert_eq!(*shown, if source == "anthropic" { Value::Null } else { caller });
    }
    // The model itself reads what it called.
    let body = json!({"source": "anthropic", "compression": "lossless",
        "results": [{"id": "c1", "name": "query", "content": rows(7), "caller": {"type": "direct"}}]});
    let done = server.post_ok("/tools/results", &body).await;
    assert_eq!(done["results"][0]["action"], "compressed");
}

#[tokio::test]
async fn a_denied_call_of_a_program_has_a_result_with_its_caller() {
    let server = TestServer::dev().await;
    let caller = json!({"type": "program", "caller_id": "prog_a"});
    let call = |id: &str, name: &str, arguments: &str, caller: &Value| {
        json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments,
            "caller": caller})
    };
    let calls = [
        call("c1", "unknown", "{}", &caller),
        call("c2", "query", "{", &caller),
        call("c3", "unknown", "{}", &json!({"type": "direct"})),
    ];
    let body = json!({"calls": calls, "tools": [tool("query", false)]});
    let done = server.post_ok("/tools/calls", &body).await;
    let message = |at: usize| &done["results"][at]["message"];
    for (at, expected) in [(0, &caller), (1, &caller), (2, &Value::Null)] {
        assert_eq!(done["results"][at]["decision"], "deny", "{done}");
        assert_eq!(message(at)["type"], "function_call_output", "{done}");
        assert_eq!(message(at)["caller"], *expected, "{done}");
    }
    // The same in a turn of a session.
    let append = [
        user("sum up"),
        json!({"type": "program", "id": "pr_1", "call_id": "prog_a",
        "code": "text(1)", "fingerprint": "f"}),
        calls[0].clone(),
    ];
    let body = json!({"append": append, "source": "openai_responses", "target": "openai_responses",
        "tools": [tool("query", false)]});
    let done = server.post_ok("/sessions/s/turns", &body).await;
    let items = done["payload"]["input"].as_array().unwrap();
    assert_eq!(items.last().unwrap()["caller"], caller, "{done}");
}

fn tool(name: &str, deferred: bool) -> Value {
    let mut tool = json!({"name": name, "description": "Reads rows. ".repeat(20),
        "input_schema": {"type": "object", "properties": {}}});
    if deferred {
        tool["defer_loading"] = json!(true);
    }
    tool
}

#[tokio::test]
async fn deferred_tools_are_not_counted_and_carry_no_mark() {
    let search = json!({"type": "tool_search_tool_regex_20251119", "name": "tool_search"});
    let request = |tools: Value| {
        json!({"messages": [user("hi")], "tools": tools, "model": "claude-opus-4-8",
            "cache": {"ttl": "5m"}})
    };
    let few = valid("anthropic", request(json!([search, tool("a", false)]))).await;
    let mut marked = tool("c", true);
    marked["cache_control"] = json!({"type": "ephemeral"});
    let tools = json!([search, tool("a", false), tool("b", true), marked]);
    let many = valid("anthropic", request(tools)).await;
    assert_eq!(many.report["parts"]["tools"], few.report["parts"]["tools"]);
    assert_eq!(many.payload["tools"][1]["cache_control"], json!({"type": "ephemeral"}));
    assert!(many.codes("degraded").contains(&"cache_marks_moved"));
    // The call of a program and its result carry none either.
    let mut list = vec![user("sum up")];
    list.extend(anthropic_program().into_iter().take(4));
    list[4]["content"][0]["cache_control"] = json!({"type": "ephemeral"});
    let request = json!({"messages": list, "model": "claude-opus-4-8", "cache": {"ttl": "5m"}});
    let done = valid("anthropic", request).await;
    assert_eq!(done.payload["messages"][1]["content"][0]["cache_control"]["type"], "ephemeral");
    assert!(done.codes("degraded").contains(&"cache_marks_moved"));
}

#[tokio::test]
async fn what_a_search_for_tools_found_stays_while_it_is_called() {
    let chat = |at: usize| {
        [
            user(&format!("question {at}: {}", "why is that so ".repeat(20))),
            json!({"role": "assistant", "content": format!("answer {at}")}),
        ]
    };
    let call = |id: &str, name: &str| {
        [
            json!({"role": "assistant",
                "content": [{"type": "tool_use", "id": id, "name": name, "input": {}}]}),
            json!({"role": "user",
                "content": [{"type": "tool_result", "tool_use_id": id, "content": "done"}]}),
        ]
    };
    let found = |id: &str, name: &str| {
        [
            json!({"role": "assistant",
                "content": [{"type": "tool_use", "id": id, "name": "search", "input": {}}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id,
                "content": [{"type": "tool_reference", "tool_name": name}]}]}),
        ]
    };
    let mut list = vec![user("start")];
    list.extend(found("s1", "alpha"));
    list.extend(found("s2", "beta"));
    list.extend((0..12).flat_map(chat));
    list.extend(call("t1", "alpha"));
    let tools = json!([tool("search", false), tool("alpha", true), tool("beta", true)]);
    let mut dropped = 0;
    for window in (400..3_000).step_by(200) {
        let request = json!({"messages": list, "tools": tools,
            "budget": {"context_window": window, "reserve_output": 0}});
        let done = valid("anthropic", request).await;
        let has = |name: &str| done.text.contains(&format!(r#""tool_name":"{name}""#));
        assert!(has("alpha"), "{window}");
        dropped += usize::from(!has("beta"));
    }
    assert!(dropped > 0);
}

/// <https://github.com/decolua/9router/issues/3685>
#[tokio::test]
async fn calls_of_server_tools_have_ids_of_the_provider_s_form() {
    let program = "srvtoolu-bad.1";
    let messages = json!([user("go"),
        {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "toolu_vrtx_1", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "toolu_vrtx_1", "content": []},
            {"type": "server_tool_use", "id": program, "name": "code_execution", "input": {"code": "f()"}},
            {"type": "server_tool_use", "id": "srvtoolu_b", "name": "web_search", "input": {"query": "y"},
                "caller": {"type": "code_execution_20260120", "tool_id": program}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_b", "content": [],
                "caller": {"type": "code_execution_20260120", "tool_id": program}},
            {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {},
                "caller": {"type": "code_execution_20260120", "tool_id": program}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "r"}]}]);
    let done = valid(
        "anthropic",
        json!({"messages": messages, "source": "anthropic",
        "tools": [{"name": "f", "input_schema": {"type": "object"}},
            {"type": "web_search_20260209", "name": "web_search"},
            {"type": "code_execution_20260120", "name": "code_execution"}]}),
    )
    .await;
    let blocks = done.list()[1]["content"].as_array().unwrap();
    let is_own = |id: &str| {
        id.strip_prefix("srvtoolu_").is_some_and(|rest| {
            rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    let id = blocks[0]["id"].as_str().unwrap();
    assert!(is_own(id), "{id}");
    assert_eq!(blocks[1]["tool_use_id"], id);
    let id = blocks[2]["id"].as_str().unwrap();
    assert!(is_own(id) && id != blocks[0]["id"], "{id}");
    for of_program in &blocks[3..6] {
        assert_eq!(of_program["caller"]["tool_id"], id);
    }
    assert_eq!(blocks[3]["id"], "srvtoolu_b");
    assert!(done.codes("repairs").contains(&"item_id_replaced"));
}
