//! Ids of items for the Responses API.

use std::collections::HashSet;

use serde_json::json;

use super::valid;
use crate::support::compile::user;

#[tokio::test]
async fn ids_of_items_are_short_and_each_is_there_once() {
    let long = format!("sh_{}", "x".repeat(80));
    let shell = |id: &str, call: &str| {
        json!({"type": "shell_call", "id": id, "call_id": call,
        "status": "completed", "action": {"commands": ["ls"]}})
    };
    let output = |call: &str| {
        json!({"type": "shell_call_output", "call_id": call, "max_output_length": 1_000,
        "output": [{"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]})
    };
    let reasoning =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"});
    let function = |id: &str, call: &str| {
        json!({"type": "function_call", "id": id, "call_id": call,
        "name": "f", "arguments": "{}"})
    };
    let result =
        |call: &str| json!({"type": "function_call_output", "call_id": call, "output": "r"});
    let input = json!([
        user("go"),
        reasoning,
        shell(&long, "c1"),
        output("c1"),
        shell("sh_2", "c2"),
        output("c2"),
        shell("sh_2", "c3"),
        output("c3"),
        function("fc_1", "c4"),
        result("c4"),
        function("fc_1", "c5"),
        result("c5"),
        user("next")
    ]);
    let done = valid("openai_responses", json!({"input": input})).await;
    let ids: Vec<&str> = done.list().iter().filter_map(|item| item["id"].as_str()).collect();
    assert!(ids.iter().all(|id| id.len() <= 64), "{ids:?}");
    let distinct: HashSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    assert_eq!((ids[2], ids[3]), ("sh_2", "sh_2_2"));
    assert!(ids[1].starts_with("sh_xxx"), "{ids:?}");
    let repaired = done.codes("repairs");
    assert!(
        !repaired.is_empty() && repaired.iter().all(|code| *code == "item_id_replaced"),
        "{repaired:?}"
    );
}

/// Gateways and switches between models leave ids that the API refuses by their beginnings.
#[tokio::test]
async fn ids_with_another_beginning_go() {
    let function = |id: &str, call: &str| json!({"type": "function_call", "id": id, "call_id": call, "name": "f", "arguments": "{}"});
    let result =
        |call: &str| json!({"type": "function_call_output", "call_id": call, "output": "r"});
    let said = |id: &str| {
        json!({"type": "message", "id": id, "role": "assistant",
            "content": [{"type": "output_text", "text": "x", "annotations": []}]})
    };
    let thought =
        |id: &str| json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "e"});
    let input = json!([
        user("go"),
        thought("rs_1"),
        function("item_A9v", "c1"),
        result("c1"),
        thought("rs_2"),
        function("msg_1", "c2"),
        result("c2"),
        thought("rs_3"),
        function("fc_3", "c3"),
        result("c3"),
        thought("rs_4"),
        said("__fake_id__"),
        thought("rs_5"),
        said("msg_5"),
        user("next")
    ]);
    let done = valid("openai_responses", json!({"input": input})).await;
    let ids: Vec<&str> = done.list().iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!(ids, ["rs_1", "rs_2", "rs_3", "fc_3", "rs_4", "rs_5", "msg_5"]);
    assert!(done.codes("repairs").iter().all(|code| *code == "item_id_replaced"));
    assert_eq!(done.list().len(), input.as_array().unwrap().len());
}

#[tokio::test]
async fn openai_s_models_get_no_text_of_reasoning() {
    let input = json!([user("q"),
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e",
            "content": [{"type": "reasoning_text", "text": "We need"}]},
        {"type": "function_call", "id": "fc_1", "call_id": "z", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "z", "output": "1"}, user("next")]);
    for (model, is_sent) in [("gpt-5", false), ("qwen3-max", true)] {
        let done = valid("openai_responses", json!({"model": model, "input": input})).await;
        assert_eq!(done.text.contains("We need"), is_sent, "{model}: {}", done.text);
        assert!(done.text.contains("rs_1"), "{model}");
    }
}

#[tokio::test]
async fn compactions_and_screenshots_are_estimated() {
    let sealed = json!([{"type": "compaction", "id": "cmp_1", "encrypted_content": "QUJD".repeat(4_000)}, user("next")]);
    let done = valid("openai_responses", json!({"input": sealed})).await;
    let tokens = done.number("tokens_after");
    assert!((2_000..4_000).contains(&tokens), "{tokens}");
    assert_eq!(done.report["exact"], false);
    for output in [json!({"image_url": "https://a.example/b.png"}), json!({"file_id": "file-1"})] {
        let mut output = output;
        output["type"] = json!("computer_screenshot");
        let input = json!([user("go"), {"type": "computer_call", "id": "cu_1", "call_id": "c", "status": "completed",
            "pending_safety_checks": [], "action": {"type": "screenshot"}},
            {"type": "computer_call_output", "call_id": "c", "output": output}, user("next")]);
        let done = valid("openai_responses", json!({"input": input})).await;
        assert_eq!(done.report["parts"]["media"], 1_100, "{}", done.report["parts"]);
    }
}

/// <https://github.com/langchain-ai/langchainjs/issues/11044>
#[tokio::test]
async fn ids_that_the_api_did_not_make_go_or_get_its_form() {
    let thought =
        |id: &str| json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "e"});
    let searched = |id: &str| {
        json!({"type": "web_search_call", "id": id, "status": "completed",
            "action": {"type": "search", "query": "x"}})
    };
    let said = json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": "a", "annotations": []}]});
    let function = json!({"type": "function_call", "id": "fc_1:2", "call_id": "c1", "name": "f", "arguments": "{}"});
    let result = json!({"type": "function_call_output", "call_id": "c1", "output": "1"});
    let input = json!([
        user("go"),
        thought("reasoning-1"),
        searched("search-1"),
        thought("rs_0:4"),
        function,
        result,
        thought(""),
        searched("ws_2"),
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "t"}]},
        said,
        user("next")
    ]);
    let done = valid("openai_responses", json!({"model": "gpt-5", "input": input})).await;
    let ids: Vec<_> = done.list().iter().map(|item| (&item["type"], &item["id"])).collect();
    let none = json!(null);
    // State names the id that it was made for, so it goes back without another one.
    assert_eq!(ids[1], (&json!("reasoning"), &none));
    assert_eq!(ids[2], (&json!("web_search_call"), &json!("ws_search-1")));
    assert_eq!(ids[3], (&json!("reasoning"), &none));
    assert_eq!(ids[4], (&json!("function_call"), &none));
    assert_eq!(ids[6], (&json!("reasoning"), &none));
    assert_eq!(ids[7], (&json!("web_search_call"), &json!("ws_2")));
    // Without state it is nothing to the provider.
    assert_eq!(ids[8].0, "message");
    assert_eq!(done.codes("degraded"), ["thinking_dropped"]);
    // Servers of other models have ids of their own.
    let other = valid("openai_responses", json!({"model": "qwen3-max", "input": input})).await;
    assert_eq!(other.list()[1]["id"], "reasoning-1");
}

/// <https://github.com/openai/openai-python/issues/3008>
#[tokio::test]
async fn members_that_an_item_does_not_have_are_not_null() {
    let input = json!([
        user("go"),
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": null, "encrypted_content": null, "status": null},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}",
            "namespace": null, "parsed_arguments": null, "status": "completed"},
        {"type": "function_call_output", "call_id": "c1", "output": "1"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "open_page", "url": "https://e.example", "query": null, "sources": null}},
        {"type": "code_interpreter_call", "id": "ci_1", "container_id": "cntr_1", "status": "completed",
            "code": null, "outputs": null},
        user("next")
    ]);
    let done = valid("openai_responses", json!({"model": "gpt-5", "input": input})).await;
    let list = done.list();
    assert!(list[2].get("namespace").is_none() && list[2]["status"] == "completed", "{}", list[2]);
    let action = json!({"type": "open_page", "url": "https://e.example"});
    assert_eq!(list[4]["action"], action);
    // These are null where there is nothing.
    assert_eq!((&list[5]["code"], &list[5]["outputs"]), (&json!(null), &json!(null)));
    assert!(done.codes("repairs").contains(&"leftover_removed"), "{:?}", done.codes("repairs"));
}

/// <https://github.com/continuedev/continue/issues/11721>
#[tokio::test]
async fn no_empty_message_stands_between_reasoning_and_its_call() {
    for text in ["", " "] {
        let input = json!([user("q"),
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
            {"type": "message", "role": "assistant", "content": text},
            {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "1"}]);
        let done = valid("openai_responses", json!({"input": input})).await;
        let types: Vec<_> = done.list().iter().filter_map(|item| item["type"].as_str()).collect();
        assert_eq!(
            types[types.len() - 3..],
            ["reasoning", "function_call", "function_call_output"]
        );
        assert!(types.len() <= 4, "{types:?}");
    }
}
