//! What models of one wire format want otherwise than others: roles, ends of lists, shapes of lists.

use serde_json::{Value, json};

use super::valid;
use crate::support::compile::{Compiled, assistant, calling, result, user, words};

#[tokio::test]
async fn the_role_developer_is_for_openai_s_models_alone() {
    let messages = json!([{"role": "developer", "content": "Be brief."}, user("hi")]);
    for (model, role) in [
        ("gpt-5", "developer"),
        ("deepseek-v4-flash", "system"),
        ("qwen3-max", "system"),
        ("mistral-large", "system"),
    ] {
        let done = valid("openai", json!({"model": model, "messages": messages})).await;
        assert_eq!(done.payload["messages"][0]["role"], role, "{model}");
        let is_said = done.codes("degraded").contains(&"role_generalised");
        assert_eq!(is_said, role == "system", "{model}");
    }
}

#[tokio::test]
async fn items_that_begin_with_the_developer_are_those_of_the_responses_api() {
    let text = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    let items = [
        text("developer", "input_text", "Be brief."),
        text("user", "input_text", "hi"),
        json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}),
        json!({"type": "function_call_output", "call_id": "c", "output": "r"}),
        json!({"type": "message", "role": "assistant", "status": "completed", "id": "msg_1",
            "content": [{"type": "output_text", "text": "yes", "annotations": []}]}),
        text("user", "input_text", "go on"),
    ];
    let plain = [
        json!({"role": "developer", "content": "Be brief."}),
        json!({"role": "user", "content": "hi"}),
        items[2].clone(),
        items[3].clone(),
        json!({"role": "user", "content": "go on"}),
    ];
    for list in [&items[..], &plain] {
        for target in ["openai", "openai_responses", "anthropic", "gemini"] {
            let done = valid(target, json!({"messages": list})).await;
            assert!(!done.text.contains("annotations") || target == "openai_responses");
            assert!(
                done.text.contains("Be brief.") && done.text.contains("\"r\""),
                "{}",
                done.text
            );
        }
    }
    // Words of the developer and the user alone are Chat's.
    let done = valid("openai", json!({"messages": [plain[0], plain[1]]})).await;
    assert_eq!(done.payload["messages"], json!([plain[0], plain[1]]));
}

#[tokio::test]
async fn a_compaction_of_anthropic_s_makes_the_list_its_own() {
    for block in [
        json!({"type": "compaction", "content": "What was said before."}),
        json!({"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}),
    ] {
        let list = json!([user("hi"),
            {"role": "assistant", "content": [block, {"type": "text", "text": "Yes."}]}, user("go")]);
        let done = valid("anthropic", json!({"messages": list})).await;
        assert!(!done.codes("degraded").contains(&"opaque_dropped"), "{}", done.report);
        assert!(done.text.contains(&block.to_string()), "{}", done.text);
        let done = valid("openai", json!({"messages": list})).await;
        assert!(!done.text.contains("\"compaction\"") && !done.text.contains("\"fallback\""));
    }
}

/// A compaction that failed contains nothing, and replaces nothing; members that a program's dump has as
/// null go.
#[tokio::test]
async fn a_compaction_that_failed_replaces_nothing() {
    let list = |block: Value| {
        json!([user("the task"),
            {"role": "assistant", "content": [block, {"type": "text", "text": "Yes."}]}, user("go")])
    };
    let failed = json!({"type": "compaction", "content": null, "encrypted_content": null});
    let done = valid("anthropic", json!({"source": "anthropic", "messages": list(failed)})).await;
    assert_eq!(done.said(0), "the task");
    assert!(!done.text.contains("compaction"), "{}", done.text);
    assert_eq!((done.codes("repairs"), done.codes("degraded")), (vec!["leftover_removed"], vec![]));
    let dump = json!({"type": "compaction", "content": "All of it.", "encrypted_content": null});
    let done = valid("anthropic", json!({"source": "anthropic", "messages": list(dump)})).await;
    let first = json!({"type": "compaction", "content": "All of it."});
    assert_eq!(done.list()[0]["content"][0], first);
}

#[tokio::test]
async fn contents_with_responses_have_nothing_else() {
    let image = json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{}", super::PNG)}});
    let list = json!([user("look"), calling("", &[("a", "f"), ("b", "f")]), result("a", "one"),
        {"role": "tool", "tool_call_id": "b", "content": [image, {"type": "text", "text": "two"}]},
        user("You must respond.")]);
    let done = valid("gemini", json!({"messages": list})).await;
    let contents = done.payload["contents"].as_array().unwrap();
    assert_eq!(contents.len(), 4);
    assert_eq!(contents[2]["parts"].as_array().unwrap().len(), 2);
    assert!(contents[3]["parts"][0].get("inlineData").is_some());
    assert_eq!(contents[3]["parts"][1]["text"], "You must respond.");
    // What comes back is the same.
    let again = valid("gemini", json!({"contents": contents})).await;
    assert_eq!(again.payload["contents"], done.payload["contents"]);
    // A result alone is one content, as before.
    let alone = json!([user("look"), calling("", &[("a", "f")]), result("a", "one")]);
    let done = valid("gemini", json!({"messages": alone})).await;
    assert_eq!(done.payload["contents"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn newer_models_of_gemini_get_the_user_s_message_last() {
    let list = json!([user("hi"), {"role": "assistant", "content": "yes"}]);
    let end_role =
        |done: &Value| done["contents"].as_array().unwrap().last().unwrap()["role"].clone();
    for (model, role) in [
        ("gemini-2.5-pro", "model"),
        ("gemini-3.1-pro", "model"),
        ("gemini-3.5-flash", "model"),
        ("gemini-3.5-flash-lite", "user"),
        ("gemini-3.6-flash", "user"),
        ("gemini-4-argon", "user"),
    ] {
        let done = valid("gemini", json!({"model": model, "messages": list})).await;
        assert_eq!(end_role(&done.payload), role, "{model}");
        let is_said = done.codes("repairs").contains(&"ending_added");
        assert_eq!(is_said, role == "user", "{model}");
    }
}

#[tokio::test]
async fn a_long_text_without_blanks_is_shortened_to_its_room() {
    let japanese = (0..900)
        .map(|at| format!("第{at}回の会議で決めたことを次に書く。"))
        .collect::<Vec<_>>()
        .concat();
    let chinese: String =
        (0..6_000).map(|at| ["数据", "服务", "请求", "问题"][at * 7 % 4]).collect();
    let hex = (0..4_000u32)
        .map(|at| format!("{:08x}", at.wrapping_mul(2_654_435_761)))
        .collect::<Vec<_>>()
        .concat();
    let urls = (0..400)
        .map(|at| format!("https://a.example/{at}/{},", at * 31))
        .collect::<Vec<_>>()
        .concat();
    let page = format!("<p>{}</p>", words("x", 400).replace(' ', ""));
    for (name, text) in [
        ("japanese", japanese),
        ("chinese", chinese),
        ("hex", hex),
        ("urls", urls),
        ("page", page.repeat(40)),
    ] {
        let list = json!([user("read"), calling("", &[("a", "read")]), result("a", &text)]);
        let request =
            json!({"messages": list, "model": "gpt-4o", "budget": {"context_window": 2_300}});
        let done = valid("openai", request).await;
        let used = done.number("tokens_after");
        assert!(used >= 1_200 && done.report["fits"] == true, "{name}: {used}, {}", done.text);
    }
}

#[tokio::test]
async fn messages_without_a_role_are_a_fault_whatever_type_they_name() {
    let server = crate::support::TestServer::spawn().await;
    let dumps = [
        json!([{"type": "human", "content": "hi"}, {"type": "ai", "content": "yo"}]),
        json!([{"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": {"content": "hi"}}]),
    ];
    for messages in dumps {
        for target in ["openai", "openai_responses", "anthropic", "gemini"] {
            let response =
                server.post("/compile", &json!({"messages": messages, "target": target})).await;
            let problem = crate::support::problem(response, 422, "invalid_request").await;
            let at = crate::support::pointers(&problem)[0];
            assert!(at.starts_with("/messages/0"), "{problem}");
        }
    }
}

#[tokio::test]
async fn deepseek_s_v4_gets_reasoning_in_each_message_of_the_assistant() {
    let own = json!({"role": "assistant", "content": "four", "reasoning_content": "2 and 2"});
    let messages = json!([user("add"), own, user("look"), calling("", &[("a", "f")]), result("a", "r"),
        {"role": "assistant", "content": "done", "reasoning_content": ""}, user("go on")]);
    let reasoning = |done: &crate::support::compile::Compiled| -> Vec<Value> {
        let is_assistant = |message: &&Value| message["role"] == "assistant";
        done.list()
            .iter()
            .filter(is_assistant)
            .map(|own| own["reasoning_content"].clone())
            .collect()
    };
    for model in ["deepseek-v4-pro", "deepseek/deepseek-v4-flash"] {
        let done = valid("openai", json!({"model": model, "messages": messages})).await;
        assert_eq!(reasoning(&done), ["2 and 2", " ", " "], "{model}");
        assert_eq!(done.codes("repairs"), ["reasoning_content_added"]);
    }
    // Servers of other models may read it; OpenAI's own refuses it.
    let done = sent("openai", json!({"model": "qwen3-32b", "messages": messages})).await;
    assert_eq!(reasoning(&done), [json!("2 and 2"), json!(null), json!("")]);
    let done = valid("openai", json!({"model": "gpt-4o", "messages": messages})).await;
    assert_eq!(reasoning(&done), [json!(null), json!(null), json!(null)]);
    assert_eq!(done.codes("degraded"), ["extra_dropped", "extra_dropped"]);
}

/// Compiles a request for a server that is not the language's own, whose rules the validators have.
async fn sent(target: &str, mut request: Value) -> crate::support::compile::Compiled {
    request["target"] = json!(target);
    crate::support::compile::compile(&request).await
}

/// On Anthropic's wire, `DeepSeek` wants thinking back with the calls that it led to, signed or not:
/// <https://api-docs.deepseek.com/guides/anthropic_api>.
#[tokio::test]
async fn deepseek_s_thinking_goes_back_on_anthropic_s_wire() {
    let block = |kind: &str, key: &str| json!({"type": kind, key: "2 and 2"});
    let used =
        |at: usize| json!({"type": "tool_use", "id": format!("c{at}"), "name": "f", "input": {}});
    let read = |at: usize| {
        json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": format!("c{at}"), "content": "r"}]})
    };
    let say = |blocks: Value| json!({"role": "assistant", "content": blocks});
    let messages = json!([
        user("add"),
        say(json!([block("thinking", "thinking"), used(0)])),
        read(0),
        say(json!([block("redacted_thinking", "data"), used(1)])),
        read(1),
        say(json!([{"type": "text", "text": "four"}])),
        user("go on")
    ]);
    let request =
        |model: &str| json!({"model": model, "source": "anthropic", "messages": messages});
    let done = sent("anthropic", request("deepseek-v4-pro")).await;
    let thinking = |at: usize| done.list()[at]["content"][0]["thinking"].clone();
    assert_eq!([1, 3, 5].map(thinking), [json!("2 and 2"), json!(""), json!(null)]);
    assert_eq!(done.codes("repairs"), ["reasoning_content_added"]);
    assert_eq!(done.codes("degraded"), ["thinking_dropped"]);
    let done = valid("anthropic", request("claude-sonnet-4-5")).await;
    assert!(
        !done.text.contains("2 and 2\",\"signature") && done.text.contains("redacted_thinking")
    );
    // The same from Chat Completions, at every budget: thinking stays as long as its call.
    let mut list = vec![user("add")];
    for at in 0..12 {
        let id = format!("c{at}");
        let mut call = calling("", &[(&id, "f")]);
        call["reasoning_content"] = json!(format!("thought {at}: {}", "and so on ".repeat(20)));
        list.extend([call, result(&id, &"some text ".repeat(60))]);
    }
    list.push(user("go on"));
    for window in (600..4_000).step_by(400) {
        let done = sent(
            "anthropic",
            json!({"model": "deepseek-v4-flash", "messages": list, "source": "openai",
                "budget": {"context_window": window, "reserve_output": 0}}),
        )
        .await;
        let blocks = done.list().iter().filter(|message| message["role"] == "assistant");
        for message in blocks {
            assert_eq!(message["content"][0]["type"], "thinking", "{window}: {message}");
            assert!(message["content"][0]["thinking"].as_str().unwrap().starts_with("thought"));
        }
        assert_eq!(done.report["fits"], true, "{window}");
    }
}

/// OpenAI's own API refuses members that it does not know, those of items too; servers that speak its
/// language may know them.
#[tokio::test]
async fn openai_s_own_models_get_no_unknown_members() {
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "x"}}});
    let chat = json!([
        {"role": "user", "content": [{"type": "text", "text": "q", "origin": "paste"}], "timestamp": 1},
        {"role": "assistant", "content": null, "tool_calls": [call], "reasoning": "r",
            "refusal": null, "annotations": []},
        {"role": "tool", "tool_call_id": "c", "content": "r", "artifact": {"a": 1}},
        {"role": "assistant", "content": "a", "provider_specific_fields": {"b": 2}},
        {"role": "user", "content": "next"}]);
    let items = json!([
        {"type": "message", "role": "user", "content": "q", "timestamp": 1},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "QUJD", "status": "completed"},
        {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}",
            "status": "completed", "thought": "x"},
        {"type": "function_call_output", "call_id": "c", "output": "r", "artifact": {"a": 1}},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "next", "origin": "paste"}]}]);
    let unknown = [
        "timestamp",
        "origin",
        "extra_content",
        "\"reasoning\":",
        "artifact",
        "provider_specific_fields",
        "thought",
        "\"status\":\"completed\",\"type\":\"reasoning",
    ];
    for (target, key, list) in
        [("openai", "messages", &chat), ("openai_responses", "input", &items)]
    {
        let request = |model: Value| json!({"model": model, "source": target, key: list});
        let done = valid(target, request(json!("gpt-5.1"))).await;
        for member in unknown {
            assert!(!done.text.contains(member), "{member} in {}", done.text);
        }
        let told: Vec<&str> = done.codes("degraded");
        for code in ["extra_dropped", "part_fields_dropped"] {
            assert!(told.contains(&code), "{target}: {told:?}");
        }
        for model in
            [json!("qwen3-32b"), json!("openai/gpt-5.1"), json!("gpt-oss-120b"), json!(null)]
        {
            let done = sent(target, request(model.clone())).await;
            for member in ["timestamp", "artifact"] {
                assert!(done.text.contains(member), "{model} {member} in {}", done.text);
            }
        }
    }
    let done = valid("openai_responses", json!({"model": "gpt-5.1", "input": items})).await;
    let reasoning = &done.list()[1];
    assert_eq!((&reasoning["type"], reasoning.get("status")), (&json!("reasoning"), None));
    assert_eq!(done.list()[2]["status"], "completed");
}

#[tokio::test]
async fn mistral_gets_no_member_that_it_does_not_know() {
    let call = json!({"id": "abcdefghi", "type": "function", "name": null,
        "function": {"name": "f", "arguments": "{}"}});
    let messages = json!([user("q"),
        {"role": "assistant", "content": "done", "reasoning_content": "x", "annotations": [], "metadata": {"a": 1}},
        {"role": "user", "name": "jo", "content": "y"},
        {"role": "assistant", "content": null, "tool_calls": [call]}, result("abcdefghi", "r"),
        {"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]},
            {"type": "text", "text": "42"}]}, user("go on")]);
    let done =
        valid("openai", json!({"model": "mistral-large-latest", "messages": messages})).await;
    for member in
        ["reasoning_content", "annotations", "metadata", "jo", "\"name\":null", "thinking"]
    {
        assert!(!done.text.contains(member), "{member}: {}", done.text);
    }
    assert!(done.said(5).contains("42"), "{}", done.text);
    assert!(done.codes("degraded").contains(&"extra_dropped"), "{}", done.report["degraded"]);
}

#[tokio::test]
async fn system_text_after_an_answer_or_a_result_is_the_user_s_for_mistral() {
    let call = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_1",
        "type": "function", "function": {"name": "f", "arguments": "{}"}}]});
    let found = json!({"role": "tool", "tool_call_id": "call_1", "content": "r"});
    let note = |text: &str| json!({"role": "system", "content": text});
    let body = json!({"model": "mistral-large-latest", "dynamic_state": {"step": 2},
        "dynamic_state_placement": "system", "messages": [note("a"), user("q"), note("b"), assistant("x"), note("c"),
        note("d"), user("y"), call, found]});
    let roles = |done: &Compiled| -> Vec<String> {
        let role = |message: &Value| message["role"].as_str().unwrap().to_owned();
        done.list().iter().map(role).collect()
    };
    let done = valid("openai", body.clone()).await;
    let wanted = ["system", "user", "system", "assistant", "user", "system", "user", "assistant"];
    assert_eq!(roles(&done)[..8], wanted);
    assert_eq!(roles(&done)[8..], ["tool", "user"], "{}", done.payload);
    let notes = done.report["degraded"].as_array().unwrap();
    let moved: Vec<&Value> = notes.iter().filter(|note| note["code"] == "system_as_user").collect();
    assert_eq!(moved.len(), 1, "{notes:?}");
    assert_eq!(moved[0]["pointer"], "/messages/4");
    let mut other = body;
    other["model"] = json!("deepseek-chat");
    assert_eq!(roles(&valid("openai", other).await)[8..], ["tool", "system"]);
}

#[tokio::test]
async fn mistral_gets_the_user_s_message_last() {
    let list =
        |last: Value| json!({"model": "mistral-large-latest", "messages": [user("q"), last]});
    let done = valid("openai", list(json!({"role": "assistant", "content": "a"}))).await;
    assert_eq!(
        (done.roles(), done.codes("repairs")),
        (vec!["user", "assistant", "user"], vec!["ending_added"])
    );
    let prefix = json!({"role": "assistant", "content": "a", "prefix": true});
    let done = valid("openai", list(prefix.clone())).await;
    assert_eq!(done.list()[1], prefix);
    assert_eq!(done.list().len(), 2);
}

#[tokio::test]
async fn the_role_developer_is_for_openai_s_models_in_the_responses_api_too() {
    let input = json!([{"role": "developer", "content": "d"}, user("q"), {"role": "developer", "content": "d2"}, user("r")]);
    for (model, is_known) in [("gpt-5", true), ("deepseek-v4-pro", false)] {
        let done = valid("openai_responses", json!({"model": model, "messages": input})).await;
        assert_eq!(done.text.contains("developer"), is_known, "{model}: {}", done.text);
    }
}

/// <https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model>
#[tokio::test]
async fn kimi_s_models_that_think_get_reasoning_with_calls() {
    let messages = json!([user("add"), {"role": "assistant", "content": "four"}, user("look"),
        calling("", &[("a", "f")]), result("a", "r"), user("go on")]);
    for (model, wanted) in [
        ("kimi-k2.6", json!(" ")),
        ("moonshotai/kimi-k2.5", json!(" ")),
        ("kimi-k3", json!(" ")),
        ("kimi-k2-thinking", json!(" ")),
        ("kimi-k2-0905-preview", json!(null)),
        ("kimi-k2.1", json!(null)),
    ] {
        let done = sent("openai", json!({"model": model, "messages": messages})).await;
        let list = done.list();
        assert_eq!(list[3]["reasoning_content"], wanted, "{model}");
        assert_eq!(list[1]["reasoning_content"], json!(null), "{model}");
    }
    let done = sent("anthropic", json!({"model": "kimi-k2.6", "messages": messages})).await;
    let first = &done.list()[3]["content"][0];
    assert_eq!((&first["type"], &first["thinking"]), (&json!("thinking"), &json!("")));
}

/// <https://ai.google.dev/gemini-api/docs/thought-signatures>
#[tokio::test]
async fn gemini_3_gets_signed_calls_in_chat_completions_too() {
    let signed = json!({"google": {"thought_signature": "own"}});
    let mut first = calling("", &[("a", "f")]);
    first["tool_calls"][0]["extra_content"] = signed.clone();
    let messages = json!([
        user("look"),
        first,
        result("a", "r"),
        calling("", &[("b", "f"), ("c", "f")]),
        result("b", "r"),
        result("c", "r")
    ]);
    let done = sent("openai", json!({"model": "gemini-3-flash", "messages": messages})).await;
    let list = done.list();
    assert_eq!(list[1]["tool_calls"][0]["extra_content"], signed);
    let placeholder = json!({"google": {"thought_signature": "skip_thought_signature_validator"}});
    assert_eq!(list[3]["tool_calls"][0]["extra_content"], placeholder);
    assert_eq!(list[3]["tool_calls"][1].get("extra_content"), None);
    assert_eq!(done.codes("degraded"), ["call_signed"]);
    for model in ["gemini-2.5-flash", "gpt-5"] {
        let done = sent("openai", json!({"model": model, "messages": messages})).await;
        assert_eq!(done.list()[3]["tool_calls"][0].get("extra_content"), None, "{model}");
    }
}
