//! Calls of the Responses API's built-in tools among calls of functions, with ids that programs use
//! again, and with outputs that come late.

use serde_json::{Value, json};

use super::valid;
use crate::support::compile::Compiled;

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn said(text: &str) -> Value {
    json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn function(id: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "read", "arguments": "{}"})
}

fn result(id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": format!("result of {id}")})
}

fn search(id: &str) -> Value {
    json!({"type": "web_search_call", "id": id, "status": "completed",
        "action": {"type": "search", "query": "q"}})
}

fn shell(id: &str) -> Value {
    json!({"type": "shell_call", "id": format!("sh_{id}"), "call_id": id, "status": "completed",
        "action": {"commands": ["ls"]}})
}

fn output(id: &str, text: &str) -> Value {
    json!({"type": "shell_call_output", "call_id": id, "output":
        [{"stdout": text, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]})
}

async fn sent(target: &str, items: &[Value]) -> Compiled {
    valid(target, json!({"source": "openai_responses", "input": items})).await
}

const OTHERS: [&str; 3] = ["openai", "anthropic", "gemini"];

/// Steps in which a function's result and those of built-in tools come in every order: no pair breaks,
/// and nothing is lost.
#[tokio::test]
async fn steps_of_functions_and_built_in_tools_stay_whole() {
    let steps = [
        vec![function("f"), search("ws_1"), search("ws_2"), result("f")],
        vec![
            function("f"),
            function("g"),
            search("ws_1"),
            search("ws_2"),
            result("f"),
            result("g"),
        ],
        vec![function("f"), shell("s"), search("ws_1"), output("s", "out s"), result("f")],
        vec![
            function("f"),
            shell("s"),
            output("s", "out s"),
            shell("t"),
            output("t", "out t"),
            result("f"),
        ],
        vec![shell("s"), function("f"), output("s", "out s"), said("hm"), result("f")],
        vec![search("ws_1"), search("ws_2"), function("f"), result("f")],
        vec![
            shell("s"),
            shell("t"),
            function("f"),
            output("s", "out s"),
            output("t", "out t"),
            result("f"),
        ],
    ];
    for (at, step) in steps.into_iter().enumerate() {
        let items = [vec![user("go")], step, vec![user("next")]].concat();
        for target in OTHERS {
            let done = sent(target, &items).await;
            assert!(done.text.contains("result of f"), "{at} to {target}: {}", done.text);
            for text in
                ["out s", "out t"].iter().filter(|text| json!(items).to_string().contains(**text))
            {
                assert!(done.text.contains(text), "{at} to {target}: {}", done.text);
            }
            assert!(!done.codes("repairs").contains(&"unanswered_call"), "{at}: {}", done.report);
        }
    }
}

#[tokio::test]
async fn a_function_without_a_result_does_not_break_the_tool_next_to_it() {
    let items =
        [user("a"), function("c1"), shell("c2"), output("c2", "x"), said("stopped"), user("b")];
    for target in OTHERS {
        let done = sent(target, &items).await;
        assert_eq!(done.codes("repairs"), ["unanswered_call"], "{target}");
        assert!(done.text.contains("stopped") && done.text.contains("[No tool result available]"));
    }
}

#[tokio::test]
async fn ids_that_are_used_again_lose_no_call() {
    let two = [
        user("a"),
        shell("call_0"),
        output("call_0", "AAA"),
        user("b"),
        shell("call_0"),
        output("call_0", "BBB"),
        user("c"),
    ];
    let shared = [
        user("a"),
        function("call_0"),
        result("call_0"),
        user("b"),
        shell("call_0"),
        output("call_0", "BBB"),
        user("c"),
    ];
    let beside = [
        user("a"),
        function("call_0"),
        shell("call_0"),
        output("call_0", "BBB"),
        result("call_0"),
        user("c"),
    ];
    let before = [
        user("a"),
        shell("call_0"),
        output("call_0", "BBB"),
        user("b"),
        function("call_0"),
        result("call_0"),
        user("c"),
    ];
    for target in ["openai", "anthropic", "gemini", "openai_responses"] {
        let done = sent(target, &two).await;
        assert!(done.text.contains("AAA") && done.text.contains("BBB"), "{target}: {}", done.text);
        for items in [&shared[..], &beside, &before] {
            let done = sent(target, items).await;
            let (function, shell) = ("result of call_0", "BBB");
            assert!(done.text.contains(function) && done.text.contains(shell), "{target}");
            assert!(done.codes("repairs").contains(&"duplicate_call_id"), "{target}");
        }
    }
    // Each result is that of its own call.
    let done = sent("openai", &beside).await;
    let messages = done.payload["messages"].as_array().unwrap();
    let name = |id: &Value| {
        let calls = messages[1]["tool_calls"].as_array().unwrap();
        calls.iter().find(|call| call["id"] == *id).unwrap()["function"]["name"].clone()
    };
    for message in &messages[2..4] {
        let is_shell = message["content"] == "BBB";
        let tool = if is_shell { "shell" } else { "read" };
        assert_eq!(name(&message["tool_call_id"]), tool);
    }
}

#[tokio::test]
async fn the_responses_api_gets_its_items_as_it_wants_them() {
    let twice = [user("a"), shell("c1"), output("c1", "x"), output("c1", "y"), user("b")];
    let done = sent("openai_responses", &twice).await;
    assert_eq!(done.payload["input"][2], twice[2]);
    assert_eq!(done.codes("repairs"), ["duplicate_result"]);
    let long = "l".repeat(90);
    let done =
        sent("openai_responses", &[user("a"), shell(&long), output(&long, "x"), user("b")]).await;
    assert_eq!(done.payload["input"][1]["call_id"], done.payload["input"][2]["call_id"]);
    // An output behind the user's next message moves to its call.
    let late = [user("a"), shell("c1"), user("z"), output("c1", "x"), said("done"), user("b")];
    let done = sent("openai_responses", &late).await;
    let kinds: Vec<&str> = done.payload["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["type"].as_str().unwrap())
        .collect();
    let wanted = ["message", "shell_call", "shell_call_output", "message", "message", "message"];
    assert_eq!(kinds, wanted);
    assert_eq!(done.codes("repairs"), ["late_result"]);
}

#[tokio::test]
async fn the_output_of_a_call_that_the_provider_keeps_stays() {
    let reference = |id: &str| json!({"type": "item_reference", "id": id});
    let items = [user("q"), reference("rs_1"), reference("fc_1"), result("call_1")];
    let done = sent("openai_responses", &items).await;
    assert_eq!(done.payload["input"].as_array().unwrap()[1..], items[1..]);
    // Without the items, other providers have no call for it.
    for target in OTHERS {
        let done = sent(target, &items).await;
        assert!(done.codes("repairs").contains(&"orphan_result"), "{target}");
    }
}

/// A turn of reasoning, a search, reasoning and an answer, each with its provider's id.
fn turn(at: usize) -> Vec<Value> {
    let reasoning = |id: String| {
        json!({"type": "reasoning", "id": id, "encrypted_content": "QUJD".repeat(40),
            "summary": [{"type": "summary_text", "text": "because ".repeat(30)}]})
    };
    let mut answer = said("text");
    answer["id"] = json!(format!("msg_{at}"));
    answer["status"] = json!("completed");
    vec![
        user("go on"),
        reasoning(format!("rs_{at}a")),
        search(&format!("ws_{at}")),
        reasoning(format!("rs_{at}b")),
        answer,
    ]
}

#[tokio::test]
async fn an_item_whose_reasoning_is_cleared_loses_its_id() {
    let mut items: Vec<Value> = (0..6).flat_map(turn).collect();
    items.push(user("end"));
    let mut cleared = 0;
    for window in [200, 400, 600, 800, 1_000, 1_500] {
        let request = json!({"source": "openai_responses", "input": items, "model": "gpt-5",
            "budget": {"context_window": window}});
        let done = valid("openai_responses", request).await;
        let list = done.payload["input"].as_array().unwrap();
        for (at, item) in list.iter().enumerate() {
            let Some(id) = item["id"].as_str().filter(|id| id.starts_with("msg_")) else {
                continue;
            };
            let own = id.replace("msg_", "rs_") + "b";
            assert!(list[..at].iter().any(|other| other["id"] == own), "{window}: {id} alone");
        }
        cleared += list.iter().filter(|item| item["content"] == "text").count();
    }
    assert!(cleared > 0, "reasoning was cleared somewhere");
}

#[tokio::test]
async fn an_id_of_three_calls_becomes_three_ids() {
    let items = [
        user("a"),
        function("call_1"),
        result("call_1"),
        shell("call_1"),
        output("call_1", "AAA"),
        function("call_1"),
        result("call_1"),
        user("b"),
    ];
    for target in ["openai", "anthropic", "gemini", "openai_responses"] {
        let done = sent(target, &items).await;
        assert!(done.text.contains("AAA"), "{target}");
        assert_eq!(done.text.matches("result of call_1").count(), 2, "{target}");
    }
}

#[tokio::test]
async fn reasoning_leaves_with_the_call_that_it_led_to() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let click = json!({"type": "computer_call", "id": "cu_1", "call_id": "c1", "status": "completed",
        "pending_safety_checks": [], "action": {"type": "wait"}});
    let items = [user("a"), shell("s1"), reasoning, click, output("s1", "x"), user("b")];
    let done = sent("openai_responses", &items).await;
    assert!(!done.text.contains("rs_1"), "{}", done.text);
    let mut codes = done.codes("repairs");
    codes.sort_unstable();
    assert_eq!(codes, ["reasoning_alone_dropped", "unanswered_call"]);
}

#[tokio::test]
async fn several_actions_at_once_are_an_object() {
    let call = json!({"type": "computer_call", "id": "cu_1", "call_id": "c", "status": "completed",
        "pending_safety_checks": [], "actions": [{"type": "click", "x": 1, "y": 2}, {"type": "wait"}]});
    let shot = json!({"type": "computer_call_output", "call_id": "c", "output":
        {"type": "computer_screenshot", "image_url": format!("data:image/png;base64,{}", super::PNG)}});
    let items = [user("go"), call.clone(), shot, user("next")];
    let arguments = json!({"actions": call["actions"]});
    let done = sent("anthropic", &items).await;
    assert_eq!(done.list()[1]["content"][0]["input"], arguments);
    let done = sent("gemini", &items).await;
    assert_eq!(done.list()[1]["parts"][0]["functionCall"]["args"], arguments);
    let done = sent("openai", &items).await;
    let own = done.list()[1]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(own).unwrap(), arguments);
}

/// Calls of the shell and of patches that share an id, with both outputs after the user's next message:
/// each output stays that of its own call, in either order.
#[tokio::test]
async fn late_outputs_of_calls_that_share_an_id_stay_with_their_own_calls() {
    let patch = json!({"type": "apply_patch_call", "id": "ap_1", "call_id": "c1",
        "status": "completed",
        "operation": {"type": "update_file", "path": "a.rs", "diff": "@@\n-a\n+b"}});
    let patched = json!({"type": "apply_patch_call_output", "call_id": "c1",
        "status": "completed", "output": "patched a.rs"});
    let listed = output("c1", "a.rs b.rs");
    let said_between = || said("one moment");
    for apart in [false, true] {
        for outputs in [[&listed, &patched], [&patched, &listed]] {
            let mut items = vec![user("a"), shell("c1")];
            items.extend(apart.then(said_between));
            items.extend([patch.clone(), user("z"), outputs[0].clone(), outputs[1].clone()]);
            items.extend([said("done"), user("b")]);
            for target in OTHERS.into_iter().chain(["openai_responses"]) {
                let done = sent(target, &items).await;
                let at = |text: &str| {
                    done.text.find(text).unwrap_or_else(|| panic!("{text} in {}", done.text))
                };
                let results = match target {
                    "openai" => pairs_of_openai(&done.payload["messages"]),
                    "anthropic" => pairs_of_anthropic(&done.payload["messages"]),
                    "gemini" => pairs_of_gemini(&done.payload["contents"]),
                    _ => {
                        let list = done.payload["input"].as_array().unwrap();
                        let id_of = |kind: &str| {
                            let item = list.iter().find(|item| item["type"] == kind);
                            item.unwrap_or_else(|| panic!("{list:?}"))["call_id"].clone()
                        };
                        assert_eq!(id_of("shell_call"), id_of("shell_call_output"));
                        assert_eq!(id_of("apply_patch_call"), id_of("apply_patch_call_output"));
                        assert!(at("a.rs b.rs") > 0 && at("patched a.rs") > 0);
                        continue;
                    }
                };
                let expected = [("shell", "a.rs b.rs"), ("apply_patch", "patched a.rs")];
                for (tool, text) in expected {
                    let own = results.iter().find(|(name, _)| name == tool);
                    let own = own.unwrap_or_else(|| panic!("{tool} for {target}: {results:?}"));
                    assert!(own.1.contains(text), "{target}, apart {apart}: {results:?}");
                }
            }
        }
    }
}

/// Names of calls with the texts of their results.
type CalledResults = Vec<(String, String)>;

fn joined(calls: Vec<(Value, String)>, results: &[(Value, String)]) -> CalledResults {
    let result =
        |id: &Value| results.iter().find(|(own, _)| own == id).map(|(_, text)| text.clone());
    calls.into_iter().map(|(id, name)| (name, result(&id).unwrap_or_default())).collect()
}

fn pairs_of_openai(list: &Value) -> CalledResults {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for message in list.as_array().unwrap() {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let name = call["function"]["name"].as_str().unwrap().to_owned();
            calls.push((call["id"].clone(), name));
        }
        if message["role"] == "tool" {
            results.push((message["tool_call_id"].clone(), message["content"].to_string()));
        }
    }
    joined(calls, &results)
}

fn pairs_of_anthropic(list: &Value) -> CalledResults {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    let blocks =
        list.as_array().unwrap().iter().filter_map(|message| message["content"].as_array());
    for block in blocks.flatten() {
        match block["type"].as_str() {
            Some("tool_use") => {
                calls.push((block["id"].clone(), block["name"].as_str().unwrap().to_owned()));
            }
            Some("tool_result") => {
                results.push((block["tool_use_id"].clone(), block["content"].to_string()));
            }
            _ => {}
        }
    }
    joined(calls, &results)
}

/// Gemini joins calls and responses by their names.
fn pairs_of_gemini(list: &Value) -> CalledResults {
    let parts = list.as_array().unwrap().iter().filter_map(|content| content["parts"].as_array());
    let responses = parts.flatten().filter_map(|part| part.get("functionResponse"));
    responses
        .map(|own| (own["name"].as_str().unwrap().to_owned(), own["response"].to_string()))
        .collect()
}
