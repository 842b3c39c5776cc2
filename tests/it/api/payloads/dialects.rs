//! What models of one wire format want otherwise than others: roles, ends of lists, shapes of lists.

use serde_json::{Value, json};

use super::valid;
use crate::support::compile::{calling, result, user, words};

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
