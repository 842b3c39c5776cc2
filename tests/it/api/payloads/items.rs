//! Items of the Responses API: calls of built-in tools, their outputs, reasoning.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::valid;

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn reasoning(at: usize) -> Value {
    json!({"type": "reasoning", "id": format!("rs_{at}"), "summary": []})
}

/// A step of a computer's loop: reasoning, the call, its output.
fn step(at: usize) -> Vec<Value> {
    vec![
        reasoning(at),
        json!({"type": "computer_call", "id": format!("cu_{at}"), "call_id": format!("c{at}"),
            "action": {"type": "click", "x": at, "y": 2, "button": "left"},
            "pending_safety_checks": [], "status": "completed"}),
        json!({"type": "computer_call_output", "call_id": format!("c{at}"),
            "output": {"type": "computer_screenshot",
                "image_url": "https://images.example/screen.png"}}),
    ]
}

fn ids(payload: &Value, kind: &str) -> Vec<String> {
    let items = payload["input"].as_array().unwrap().iter().filter(|item| item["type"] == kind);
    items.map(|item| item["call_id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_call_of_a_built_in_tool_and_its_output_are_a_turn() {
    let mut input = vec![user("Book the flight")];
    input.extend((0..60).flat_map(step));
    for window in [1_500, 3_000, 5_000] {
        let request = json!({"model": "gpt-5", "input": input,
            "budget": {"context_window": window, "reserve_output": 0}});
        let done = valid("openai_responses", request).await;
        assert_eq!(done.report["fits"], true, "{window}");
        let calls = ids(&done.payload, "computer_call");
        assert_eq!(calls, ids(&done.payload, "computer_call_output"), "{window}");
        // The newest ones, as many as there is room for.
        let first = 60 - calls.len();
        let newest: Vec<String> = (first..60).map(|at| format!("c{at}")).collect();
        assert_eq!(calls, newest, "{window}");
        assert!(done.number("tokens_after") * 2 > window, "{window}: {}", done.report["summary"]);
        // Each with its own reasoning, and none alone.
        let items = done.payload["input"].as_array().unwrap();
        let thoughts: BTreeSet<&str> = items
            .iter()
            .filter(|item| item["type"] == "reasoning")
            .map(|item| item["id"].as_str().unwrap())
            .collect();
        assert_eq!(thoughts.len(), calls.len());
        assert!(calls.iter().all(|id| thoughts.contains(id.replace('c', "rs_").as_str())));
    }
    let whole = valid("openai_responses", json!({"model": "gpt-5", "input": input})).await;
    let items = whole.payload["input"].as_array().unwrap();
    assert_eq!(items[1..], input[1..], "without a budget nothing is changed");
}

#[tokio::test]
async fn calls_at_once_stay_together() {
    let pair = |kind: &str, id: &str| {
        [
            json!({"type": format!("{kind}_call"), "id": format!("i_{id}"), "call_id": id,
                "status": "completed", "action": {"commands": ["ls"]}}),
            json!({"type": format!("{kind}_call_output"), "call_id": id, "output": []}),
        ]
    };
    let ([a, a_out], [b, b_out]) = (pair("shell", "a"), pair("shell", "b"));
    let mut input = vec![user("ls"), reasoning(1), a, b, a_out, b_out];
    input.extend((0..40).flat_map(step));
    for window in (800..4_000).step_by(200) {
        let request = json!({"model": "gpt-5", "input": input,
            "budget": {"context_window": window, "reserve_output": 0}});
        let done = valid("openai_responses", request).await;
        let calls = ids(&done.payload, "shell_call");
        assert_eq!(calls, ids(&done.payload, "shell_call_output"), "{window}");
        assert!(calls.len() != 1, "{window}");
    }
}

#[tokio::test]
async fn half_a_call_and_reasoning_with_nothing_after_it_are_left_out() {
    let shell = json!({"type": "shell_call", "id": "sh_1", "call_id": "s1", "status": "completed",
        "action": {"commands": ["ls"]}});
    let said = json!({"type": "message", "role": "assistant", "content": "Done"});
    let output = json!({"type": "computer_call_output", "call_id": "c9",
        "output": {"type": "computer_screenshot", "image_url": "https://images.example/a.png"}});
    let input = json!([
        user("ls"),
        shell,
        said,
        user("and?"),
        output,
        user("then?"),
        reasoning(7),
        user("go on"),
        reasoning(8),
        said
    ]);
    let done = valid("openai_responses", json!({"model": "gpt-5", "input": input})).await;
    let kinds: Vec<&str> = done.payload["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["type"].as_str().or(item["role"].as_str()).unwrap())
        .collect();
    assert_eq!(
        kinds.iter().filter(|kind| !["message", "user"].contains(*kind)).collect::<Vec<_>>(),
        [&"shell_call", &"shell_call_output", &"reasoning"],
        "{kinds:?}"
    );
    let repairs = done.report["repairs"].as_array().unwrap();
    let codes: Vec<&str> = repairs.iter().map(|own| own["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["unanswered_call", "orphan_result", "reasoning_alone_dropped"]);
}

/// A conversation in which the provider has compacted what came first, and much after it.
fn compacted(compaction: Value) -> Vec<Value> {
    let mut list = vec![user("The first task"), compaction];
    for at in 0..30 {
        list.push(user(&format!("Question {at}: {}", "some words to read ".repeat(20))));
        list.push(json!({"role": "assistant", "content": format!("Answer {at}")}));
    }
    list.push(user("And now?"));
    list
}

#[tokio::test]
async fn the_provider_s_own_compaction_stays_at_every_budget() {
    let sealed =
        json!({"type": "compaction", "id": "cmp_1", "encrypted_content": "QUJD".repeat(200)});
    let block = json!({"role": "assistant", "content": [
        {"type": "compaction", "content": "The user wants a report."}, {"type": "text", "text": "Yes"}]});
    for (target, key, compaction) in
        [("openai_responses", "input", &sealed), ("anthropic", "messages", &block)]
    {
        let list = compacted(compaction.clone());
        for window in (700..6_000).step_by(500) {
            let request = json!({key: list, "source": target,
                "budget": {"context_window": window, "reserve_output": 0}});
            let done = valid(target, request).await;
            let text = done.payload.to_string();
            assert_eq!(text.matches("\"compaction\"").count(), 1, "{target} {window}");
            assert!(!text.contains("The first task"), "{target} {window}");
            assert!(text.contains("And now?"), "{target} {window}");
            // Nothing is put in front of it: it would be ignored.
            let first = &done.list()[0];
            let begins =
                first["type"] == "compaction" || first["content"][0]["type"] == "compaction";
            assert!(begins, "{target} {window}: {first}");
            assert_eq!(done.report["fits"], true, "{target} {window}");
            let notes = done.report["degraded"].as_array().unwrap();
            let found = notes.iter().any(|own| own["code"] == "superseded_by_compaction");
            assert!(found, "{target} {window}: {notes:?}");
        }
    }
    // Another provider cannot read it: what came before stays.
    let request = json!({"input": compacted(sealed.clone()), "source": "openai_responses"});
    for target in ["openai", "anthropic", "gemini"] {
        let done = valid(target, request.clone()).await;
        let text = done.payload.to_string();
        assert!(text.contains("The first task") && !text.contains("QUJD"), "{target}");
    }
}

/// In a neutral conversation, each provider's compaction goes to its own provider.
#[tokio::test]
async fn a_compaction_in_a_neutral_conversation_keeps_its_owner() {
    let sealed = json!({"type": "compaction", "id": "cmp_1", "encrypted_content": "QUJD"});
    let block = json!({"type": "compaction", "content": "The user wants a report."});
    for (item, own, other) in
        [(&sealed, "openai_responses", "anthropic"), (&block, "anthropic", "openai_responses")]
    {
        let part = json!({"type": "opaque", "kind": "compaction", "raw": item});
        let request = json!({"source": "neutral", "messages": [
            {"role": "user", "parts": [{"type": "text", "text": "The first task"}]},
            {"role": "assistant", "parts": [part, {"type": "text", "text": "Yes"}]},
            {"role": "user", "parts": [{"type": "text", "text": "Go on"}]}]});
        let to_own = valid(own, request.clone()).await.payload.to_string();
        assert!(to_own.contains("compaction") && !to_own.contains("The first task"), "{to_own}");
        let to_other = valid(other, request).await.payload.to_string();
        assert!(!to_other.contains("compaction") && to_other.contains("The first task"));
    }
}

/// Items of built-in tools that run at the client, and one whose result is in its call.
fn client_items() -> Vec<Value> {
    vec![
        user("go"),
        reasoning(1),
        json!({"type": "shell_call", "id": "i1", "call_id": "sh1", "status": "completed",
            "action": {"commands": ["ls", "false"]}}),
        json!({"type": "shell_call_output", "call_id": "sh1", "output": [
            {"stdout": "a.txt\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
            {"stdout": "", "stderr": "bad", "outcome": {"type": "exit", "exit_code": 3}}]}),
        json!({"type": "local_shell_call", "id": "lsh", "call_id": "l1", "status": "completed",
            "action": {"type": "exec", "command": ["ls"], "env": {}}}),
        json!({"type": "local_shell_call_output", "id": "l1", "output": "b.txt"}),
        json!({"type": "computer_call", "id": "cu", "call_id": "c1", "status": "completed",
            "action": {"type": "screenshot"}, "pending_safety_checks": []}),
        json!({"type": "computer_call_output", "call_id": "c1", "output":
            {"type": "computer_screenshot", "image_url": format!("data:image/png;base64,{}", super::PNG)}}),
        json!({"type": "mcp_call", "id": "mcp_1", "server_label": "s", "name": "look",
            "arguments": "{\"q\":1}", "output": "found it"}),
        json!({"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
            "content": [{"type": "output_text", "text": "done", "annotations": []}]}),
        user("and now"),
    ]
}

#[tokio::test]
async fn calls_of_built_in_tools_become_calls_of_functions_where_they_are_unknown() {
    for target in ["openai", "anthropic", "gemini"] {
        let done =
            valid(target, json!({"source": "openai_responses", "input": client_items()})).await;
        for word in [
            "shell",
            "local_shell",
            "computer",
            "look",
            "a.txt",
            "bad",
            "[exit code 3]",
            "b.txt",
            "found it",
            "done",
            super::PNG,
        ] {
            assert!(done.text.contains(word), "{target}: {word} in {}", done.text);
        }
        assert!(done.codes("degraded").contains(&"built_in_call_as_function"), "{target}");
        assert!(!done.codes("degraded").contains(&"opaque_dropped"), "{target}");
    }
    let own = valid("openai_responses", json!({"input": client_items()})).await;
    let items = own.payload["input"].as_array().unwrap();
    assert_eq!(items[1..9], client_items()[1..9]);
}

#[tokio::test]
async fn parallel_calls_of_built_in_tools_become_one_message_with_its_results() {
    let call = |id: &str| {
        json!({"type": "shell_call", "id": format!("i{id}"), "call_id": id, "status": "completed",
            "action": {"commands": ["ls"]}})
    };
    let output = |id: &str| {
        json!({"type": "shell_call_output", "call_id": id, "output":
            [{"stdout": format!("out {id}"), "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]})
    };
    let function = json!({"type": "function_call", "call_id": "f", "name": "f", "arguments": "{}"});
    let answer = json!({"type": "function_call_output", "call_id": "f", "output": "out f"});
    let input = [
        user("go"),
        call("a"),
        function,
        call("b"),
        output("a"),
        answer,
        output("b"),
        call("c"),
        user("next"),
    ];
    let request = json!({"source": "openai_responses", "input": input});
    let done = valid("anthropic", request.clone()).await;
    let calls = done.payload["messages"][1]["content"].as_array().unwrap();
    let ids: Vec<&Value> = calls.iter().map(|call| &call["id"]).collect();
    assert_eq!(ids, ["a", "f", "b"]);
    assert!(
        ["out a", "out f", "out b"].iter().all(|text| done.text.contains(text)),
        "{}",
        done.text
    );
    // One without a result gets one, as for its own provider.
    assert_eq!(done.codes("repairs"), ["unanswered_call"]);
    assert_eq!(done.payload["messages"][3]["content"][0]["id"], "c");
    for target in ["openai", "gemini"] {
        valid(target, request.clone()).await;
    }
    let own = valid("openai_responses", request).await;
    assert!(own.text.contains("\"ic\""), "{}", own.text);
}

#[tokio::test]
async fn an_output_is_kept_whichever_member_names_its_call() {
    let input = [
        user("go"),
        json!({"type": "local_shell_call", "id": "lsh", "call_id": "l1", "status": "completed",
            "action": {"type": "exec", "command": ["ls"], "env": {}}}),
        json!({"type": "local_shell_call_output", "id": "l1", "output": "b.txt"}),
        json!({"type": "tool_search_call", "call_id": "ts", "arguments": {"q": 1},
            "execution": "client", "status": "completed"}),
        json!({"type": "tool_search_output", "call_id": "ts", "execution": "client",
            "status": "completed", "tools": []}),
        user("next"),
    ];
    let done = valid("openai_responses", json!({"input": input})).await;
    assert_eq!(done.payload["input"].as_array().unwrap()[1..5], input[1..5]);
    assert_eq!(done.report["repairs"], json!([]));
}

#[tokio::test]
async fn what_a_server_tool_found_stands_behind_its_call() {
    let used = |id: &str| json!({"type": "server_tool_use", "id": format!("srvtoolu_{id}"), "name": "web_search", "input": {}});
    let found = |id: &str| json!({"type": "web_search_tool_result", "tool_use_id": format!("srvtoolu_{id}"), "content": []});
    let text = |text: &str| json!({"type": "text", "text": text});
    let model = |parts: Vec<Value>| json!({"role": "assistant", "content": parts});
    let blocks = |message: &Value| -> Vec<String> {
        let blocks = message["content"].as_array().unwrap().iter();
        blocks.map(|block| block["type"].as_str().unwrap().to_owned()).collect()
    };
    for (between, codes) in [
        (vec![model(vec![used("s"), text("t")])], vec!["unanswered_call"]),
        (vec![model(vec![found("s"), text("t")])], vec!["orphan_result"]),
        (vec![model(vec![used("s"), found("s"), found("s"), text("t")])], vec!["orphan_result"]),
    ] {
        let mut messages = vec![user("a")];
        messages.extend(between);
        messages.push(user("b"));
        let done = valid("anthropic", json!({"messages": messages})).await;
        assert_eq!(done.codes("repairs"), codes);
        assert_eq!(blocks(&done.list()[1]).last().unwrap(), "text");
    }
    for later in [
        vec![user("b"), model(vec![found("s"), text("t")])],
        vec![json!({"role": "user", "content": [found("s"), text("b")]}), model(vec![text("t")])],
    ] {
        let mut messages = vec![user("a"), model(vec![used("s")])];
        messages.extend(later);
        messages.push(user("c"));
        let done = valid("anthropic", json!({"messages": messages})).await;
        assert_eq!(blocks(&done.list()[1]), ["server_tool_use", "web_search_tool_result"]);
        assert_eq!(done.codes("repairs"), ["late_result"]);
        assert_eq!(done.list().len(), 5);
    }
    // What the provider still has to answer stays.
    for end in [
        vec![],
        vec![json!({"role": "user", "content": [{"type": "tool_result",
        "tool_use_id": "t", "content": "r"}]})],
    ] {
        let mut call = vec![used("s")];
        if !end.is_empty() {
            call.push(json!({"type": "tool_use", "id": "t", "name": "f", "input": {}}));
        }
        let mut messages = vec![user("a"), model(call)];
        messages.extend(end);
        let done =
            valid("anthropic", json!({"messages": messages, "model": "claude-opus-5"})).await;
        assert_eq!(done.report["repairs"], json!([]));
        assert!(done.text.contains("server_tool_use"));
    }
}

#[tokio::test]
async fn blocks_of_one_provider_are_texts_in_the_messages_of_another() {
    let block = json!({"type": "search_result", "source": "s", "title": "T",
        "content": [{"type": "text", "text": "found it"}]});
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let messages = json!([user("q"),
        {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "a"}],
            "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": [block]}]);
    let done = valid("openai", json!({"messages": messages})).await;
    assert!(done.said(2).contains("found it"));
    assert!(
        !done.text.contains("search_result") && !done.text.contains("reasoning"),
        "{}",
        done.text
    );
    let input = json!([user("q"), {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": [block]}]);
    let done = valid("openai_responses", json!({"input": input})).await;
    assert!(
        done.text.contains("found it") && !done.text.contains("search_result"),
        "{}",
        done.text
    );
}
