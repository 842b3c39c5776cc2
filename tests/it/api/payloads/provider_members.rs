//! Members of the provider's own request: given back with `passthrough`, refused without; and options as
//! one word.

use serde_json::{Value, json};

use crate::support::compile::{compile, user};
use crate::support::valid::check;
use crate::support::{TestServer, problem};

/// The members of a payload that are not its conversation.
fn given_back(payload: &Value) -> Value {
    let mut members = payload.as_object().unwrap().clone();
    for own in ["messages", "input", "contents", "tools", "system"] {
        members.remove(own);
    }
    Value::Object(members)
}

fn detail_at(problem: &Value, pointer: &str) -> String {
    let faults = problem["errors"].as_array().unwrap();
    let fault = faults.iter().find(|fault| fault["pointer"] == pointer);
    fault.unwrap_or_else(|| panic!("{pointer} in {problem}"))["detail"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn each_target_gives_back_its_own_members() {
    let chat = json!({"temperature": 0.2, "top_p": 0.9, "stream": true, "max_completion_tokens": 300,
        "stream_options": {"include_usage": true}, "tool_choice": "auto", "stop": ["END"], "n": 1,
        "response_format": {"type": "json_object"}});
    let responses = json!({"max_output_tokens": 300, "reasoning": {"effort": "low"}, "store": false,
        "text": {"verbosity": "low"}, "tool_choice": {"type": "function", "name": "f"}});
    let anthropic = json!({"max_tokens": 300, "stop_sequences": ["END"], "top_k": 5, "stream": false,
        "thinking": {"type": "enabled", "budget_tokens": 1024}, "tool_choice": {"type": "auto"}});
    let gemini = json!({"generationConfig": {"maxOutputTokens": 300, "temperature": 0.2},
        "safetySettings": [], "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}});
    for (target, members) in [
        ("openai", chat),
        ("openai_responses", responses),
        ("anthropic", anthropic),
        ("gemini", gemini),
    ] {
        let mut body = json!({"messages": [user("hi")], "passthrough": true, "target": target});
        body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let done = compile(&body).await;
        assert_eq!(given_back(&done.payload), members, "{target}");
        let mut conversation = done.payload.clone();
        conversation.as_object_mut().unwrap().retain(|key, _| members.get(key).is_none());
        check(target, &conversation).unwrap();
        assert_eq!(done.codes("degraded"), Vec::<&str>::new(), "{target}");
        assert_eq!(done.report["parts"]["reserve"], 300, "{target}");
    }
}

#[tokio::test]
async fn members_come_last_and_in_the_order_of_their_names() {
    let body = json!({"top_p": 0.5, "messages": [user("hi")], "passthrough": true, "max_tokens": 9,
        "stream": true});
    assert_eq!(
        compile(&body).await.text,
        r#"{"messages":[{"content":"hi","role":"user"}],"max_tokens":9,"stream":true,"top_p":0.5}"#
    );
}

#[tokio::test]
async fn a_member_of_another_api_is_left_out_with_a_note() {
    let ask = async |target: &str, model: &str, member: Value| {
        let mut body = json!({"messages": [user("hi")], "passthrough": true, "target": target,
            "model": model});
        body.as_object_mut().unwrap().extend(member.as_object().unwrap().clone());
        let done = compile(&body).await;
        let is_left_out = done.codes("degraded") == ["member_left_out"];
        assert_eq!(given_back(&done.payload) == json!({}), is_left_out, "{}", done.report);
        is_left_out
    };
    for (target, model, member, wanted) in [
        ("openai", "gpt-5", json!({"stop_sequences": ["END"]}), true),
        ("openai", "gpt-5", json!({"top_k": 5}), true),
        // Other services on the same wire know it.
        ("openai", "mistral-large-latest", json!({"top_k": 5}), false),
        ("openai", "openai/gpt-5", json!({"top_k": 5}), false),
        ("anthropic", "claude-sonnet-4-5", json!({"max_completion_tokens": 5}), true),
        ("anthropic", "claude-sonnet-4-5", json!({"tool_choice": "auto"}), true),
        ("anthropic", "claude-sonnet-4-5", json!({"temperature": 1.5}), true),
        ("anthropic", "claude-sonnet-4-5", json!({"metadata": {"team": "a"}}), true),
        ("anthropic", "claude-sonnet-4-5", json!({"metadata": {"user_id": "a"}}), false),
        ("gemini", "gemini-2.5-pro", json!({"temperature": 0.1}), true),
        ("openai_responses", "gpt-5", json!({"max_tokens": 5}), true),
        ("neutral", "gpt-5", json!({"top_k": 5}), false),
    ] {
        assert_eq!(ask(target, model, member.clone()).await, wanted, "{target} {model} {member}");
    }
    // Gemini refuses it next to stored content, which has it.
    let stored = json!({"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        "cachedContent": "cachedContents/1", "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "target": "gemini", "passthrough": true});
    let done = compile(&stored).await;
    assert_eq!(given_back(&done.payload), json!({"cachedContent": "cachedContents/1"}));
    assert_eq!(done.codes("degraded"), ["member_left_out"]);
}

#[tokio::test]
async fn without_passthrough_a_member_is_refused_with_what_to_do() {
    let server = TestServer::spawn().await;
    for given in [Value::Null, json!(false)] {
        let body = json!({"messages": [user("hi")], "temperature": 0.2, "max_tokens": 300,
            "budgett": {}, "passthrough": given});
        let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
        assert_eq!(
            detail_at(&refused, "/temperature"),
            "`temperature` belongs in the provider's request: with `passthrough: true` it is given back \
             in `payload`, else add it there yourself, as you add `model`: the payload has only what \
             Contexture makes of the conversation"
        );
        assert!(detail_at(&refused, "/max_tokens").ends_with("`budget.reserve_output`"));
        assert_eq!(detail_at(&refused, "/budgett"), "unknown key `budgett`");
    }
    let body = json!({"messages": [user("hi")], "temperature": 0.2});
    let refused = problem(server.post("/compress", &body).await, 422, "invalid_request").await;
    assert_eq!(
        detail_at(&refused, "/temperature"),
        "`temperature` belongs in the provider's request, next to the messages"
    );
}

#[tokio::test]
async fn values_that_no_provider_takes_are_faults() {
    let server = TestServer::spawn().await;
    let body = json!({"messages": [user("hi")], "passthrough": true, "temperature": "hot",
        "stream": 1, "max_tokens": -3, "top_q": 1, "n": null});
    let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    assert_eq!(detail_at(&refused, "/temperature"), "must be a number from 0 to 2");
    assert_eq!(detail_at(&refused, "/stream"), "must be true or false");
    assert_eq!(detail_at(&refused, "/max_tokens"), "must be a whole number");
    let faults = refused["errors"].as_array().unwrap();
    let unknown = faults.iter().find(|fault| fault["pointer"] == "/top_q").unwrap();
    assert!(unknown["did_you_mean"].as_str().is_some_and(|name| name.starts_with("top_")));
    assert_eq!(faults.len(), 4, "{refused}");
}

#[tokio::test]
async fn the_limit_of_the_response_is_the_reserve_unless_another_is_given() {
    let server = TestServer::spawn().await;
    let mut body = json!({"messages": [user("hi")], "passthrough": true, "max_tokens": 700,
        "budget": {"context_window": 1000}});
    let done = server.compile(&body).await;
    assert_eq!(
        (&done.report["budget"], &done.report["parts"]["reserve"]),
        (&json!(300), &json!(700))
    );
    body["budget"]["reserve_output"] = json!(100);
    let done = server.compile(&body).await;
    assert_eq!((&done.report["budget"], &done.payload["max_tokens"]), (&json!(900), &json!(700)));
    let body = json!({"messages": [user("hi")], "passthrough": true, "max_tokens": 1000,
        "budget": {"context_window": 1000}});
    let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    let detail = detail_at(&refused, "/max_tokens");
    assert!(detail.contains("1000 tokens") && detail.contains("budget.reserve_output"), "{detail}");
}

#[tokio::test]
async fn a_session_s_turns_give_members_back_too() {
    let server = TestServer::spawn().await;
    let session = json!({"id": "s", "defaults": {"passthrough": true, "compression": "summary",
        "cache": true, "target": "anthropic"}});
    assert_eq!(server.post("/sessions", &session).await.status(), 201);
    let turn = json!({"append": [user("hi")], "max_tokens": 50});
    let done = server.post_ok("/sessions/s/turns", &turn).await;
    assert_eq!(given_back(&done["payload"]), json!({"max_tokens": 50}));
    assert_eq!(done["report"]["parts"]["reserve"], 50);
    let turn = json!({"append": [user("more")], "max_tokens": 50, "passthrough": false});
    let refused = server.post("/sessions/s/turns", &turn).await;
    problem(refused, 422, "invalid_request").await;
}

#[tokio::test]
async fn a_word_or_a_flag_stands_for_an_object() {
    let messages = [user(&"long text ".repeat(900)), user("go")];
    for (word, object) in [
        (json!({"compression": "off"}), json!({"compression": {"level": "off"}})),
        (json!({"compression": "lossless"}), json!({"compression": {"level": "lossless"}})),
        (json!({"compression": "summary"}), json!({"compression": {"level": "summary"}})),
        (json!({"cache": true}), json!({"cache": {}})),
        (json!({"cache": false}), json!({"cache": null})),
        (json!({"budget": 900}), json!({"budget": {"context_window": 900}})),
    ] {
        let ask = async |more: &Value| {
            let mut body = json!({"messages": messages, "target": "anthropic",
                "model": "claude-sonnet-4-5", "explain": "full"});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let done = compile(&body).await;
            (done.text, done.report)
        };
        let (short, long) = (ask(&word).await, ask(&object).await);
        assert_eq!(short.0, long.0, "{word}");
        assert_eq!(short.1["cache"]["breakpoints"], long.1["cache"]["breakpoints"], "{word}");
        let is_marked = short.1["cache"]["breakpoints"] != json!([]);
        assert_eq!(is_marked, word == json!({"cache": true}), "{word}");
    }
    let server = TestServer::spawn().await;
    let done = compile(&json!({"messages": [user("hi")], "budget": 4000})).await;
    assert_eq!(
        (&done.report["budget"], &done.report["parts"]["reserve"]),
        (&json!(4000), &json!(0))
    );
    for (budget, what) in
        [(json!(0), "0"), (json!(-5), "-5"), (json!(1.5), "1.5"), (json!("4k"), "a string")]
    {
        let body = json!({"messages": [user("hi")], "budget": budget});
        let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
        assert_eq!(
            detail_at(&refused, "/budget"),
            format!(
                "must be an object such as {{\"context_window\": 4000}}, or the number of its tokens, not {what}"
            )
        );
    }
    let body = json!({"messages": [user("hi")], "compression": "lossles", "cache": "yes"});
    let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    assert_eq!(
        detail_at(&refused, "/compression"),
        "must be an object, or one of off, lossless, reversible, summary, drop"
    );
    assert_eq!(detail_at(&refused, "/cache"), "must be an object, true or false, not a string");
}

#[tokio::test]
async fn a_key_s_defaults_take_the_short_forms() {
    let secret = "s".repeat(32);
    let server = TestServer::with(&["--bootstrap-key", &secret]).await;
    let key = json!({"scopes": ["compile"], "defaults": {"cache": true, "compression": "lossless", "budget": 9000}});
    let made =
        server.build_json("POST", "/keys").bearer_auth(&secret).json(&key).send().await.unwrap();
    assert_eq!(made.status(), 201);
    let wrong = json!({"scopes": ["compile"], "defaults": {"cache": 1, "compression": true}});
    let made = server.build_json("POST", "/keys").bearer_auth(&secret).json(&wrong).send();
    let refused = problem(made.await.unwrap(), 422, "invalid_request").await;
    assert_eq!(
        detail_at(&refused, "/defaults/cache"),
        "must be an object, true or false, not a number"
    );
    assert!(
        detail_at(&refused, "/defaults/compression").starts_with("must be an object, or one of")
    );
}

#[tokio::test]
async fn an_empty_list_is_refused_unless_other_text_is_there() {
    let server = TestServer::spawn().await;
    for (key, word) in [("messages", "content"), ("input", "content"), ("contents", "parts")] {
        let refused = server.post("/compile", &json!({key: []})).await;
        let refused = problem(refused, 422, "invalid_request").await;
        let detail = detail_at(&refused, &format!("/{key}"));
        assert!(detail.contains("give a message") && detail.contains(word), "{detail}");
    }
    for more in [
        json!({"system": "You help."}),
        json!({"dynamic_state": {"a": 1}}),
        json!({"implicit_context": "red"}),
        json!({"memory": true}),
        json!({"output": {"prefill": "P"}}),
        json!({"skill": {"name": "a", "instructions": "do"}}),
        json!({"session_id": "s"}),
    ] {
        let mut body = more.clone();
        body["messages"] = json!([]);
        let response = server.post("/compile", &body).await;
        assert_eq!(response.status(), 200, "{more}");
    }
}
