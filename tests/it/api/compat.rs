//! The wire of another product: what a gateway sends, and that it is never left with an error.

use reqwest::Response;
use serde_json::{Value, json};

use crate::support::compress::log;
use crate::support::{TestServer, problem};

/// A conversation as its client sends it: a long result in the middle, newer turns behind it.
fn conversation() -> Value {
    let call = |id: &str, name: &str| {
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}]})
    };
    let mut messages = vec![
        json!({"role": "system", "content": "Be brief."}),
        json!({"role": "user", "content": "Where does the build fail?"}),
        call("c0", "build"),
        json!({"role": "tool", "tool_call_id": "c0", "content": log(400)}),
    ];
    // The newest three results are not cleared.
    for id in ["c1", "c2", "c3"] {
        messages.push(call(id, "ask"));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": "It is well."}));
    }
    for turn in 0..6 {
        messages.push(json!({"role": "assistant", "content": format!("Step {turn} is done.")}));
        messages.push(json!({"role": "user", "content": format!("Go on with {turn}.")}));
    }
    messages.into()
}

async fn compress(server: &TestServer, body: &Value) -> Value {
    server.post_json("/v1/compress", 200, body).await
}

async fn answered(response: Response) -> Value {
    assert_eq!(response.status(), 200);
    response.json().await.expect("JSON")
}

#[tokio::test]
async fn what_is_left_out_is_named_by_its_hash_and_can_be_retrieved() {
    let server = TestServer::spawn().await;
    let messages = conversation();
    let answer = compress(&server, &json!({"messages": messages, "model": "gpt-4o"})).await;
    let hashes = answer["ccr_hashes"].as_array().expect("a list");
    let hash = hashes[0].as_str().expect("a hash");
    assert_eq!(hashes.len(), 1);
    let shown = answer["messages"][3]["content"].as_str().expect("a text");
    assert!(shown.contains(&format!("hash={hash}")), "{shown}");
    assert!(shown.contains("ERROR unit-200 failed"), "{shown}");
    let [before, after, saved] =
        ["tokens_before", "tokens_after", "tokens_saved"].map(|key| answer[key].as_u64().unwrap());
    assert_eq!(before - after, saved);
    assert!(saved * 2 > before, "{before} → {after}");
    let ratio = answer["compression_ratio"].as_f64().unwrap();
    let [after, before] = [after, before].map(|tokens| f64::from(u32::try_from(tokens).unwrap()));
    assert!((ratio - after / before).abs() < 1e-9);
    assert!(!answer["transforms_applied"].as_array().unwrap().is_empty());
    assert!(answer.get("compression_skipped").is_none());
    // All that people and the model wrote is as it was.
    for (at, message) in messages.as_array().unwrap().iter().enumerate().filter(|(at, _)| *at != 3)
    {
        assert_eq!(answer["messages"][at], *message);
    }

    let path = format!("/v1/retrieve/{hash}");
    let original = answered(server.get(&path).await).await;
    assert_eq!(original["original_content"], log(400));
    assert_eq!(original["original_item_count"], 400);
    assert!(original["original_tokens"].as_u64().unwrap() > 4_000);
    let part = answered(server.get(&format!("{path}?query=no+such+column")).await).await;
    let part = part["original_content"].as_str().expect("a text");
    assert_eq!(part.lines().count(), 1, "{part}");
    let by_body = json!({"hash": hash.to_uppercase(), "query": "column failed"});
    let by_body = answered(server.post("/v1/retrieve", &by_body).await).await;
    assert_eq!(by_body["original_content"], part);
}

#[tokio::test]
async fn what_is_not_there_is_a_404() {
    let server = TestServer::spawn().await;
    for hash in ["0123456789abcdef01234567", "0123456789ab", "..", "%2e%2e", "x"] {
        problem(server.get(&format!("/v1/retrieve/{hash}")).await, 404, "not_found").await;
    }
    let unknown = json!({"hash": "0123456789abcdef01234567"});
    problem(server.post("/v1/retrieve", &unknown).await, 404, "not_found").await;
    let fault = server.post("/v1/retrieve", &json!({"query": "a"})).await;
    let fault = problem(fault, 422, "invalid_request").await;
    assert_eq!(fault["errors"][0]["pointer"], "/hash");
}

#[tokio::test]
async fn what_cannot_be_done_is_answered_with_the_messages_as_they_came() {
    let server = TestServer::spawn().await;
    let odd = r#"[{"role":"nobody",  "content": 1.50}]"#;
    for (body, list, reason) in [
        (format!(r#"{{"messages":{odd},"model":7}}"#), odd, "invalid_request: /messages/0"),
        (format!(r#"{{"messages":{odd},"config":[1,"#), odd, "invalid_request"),
        (r#"{"messages":"none"}"#.to_owned(), "\"none\"", "invalid_request"),
        (r#"{"model":"gpt-4o"}"#.to_owned(), "[]", "invalid_request: /messages is missing"),
        ("not JSON at all".to_owned(), "[]", "invalid_json"),
        (String::new(), "[]", "invalid_json"),
    ] {
        let request = server.build_json("POST", "/v1/compress").body(body.clone());
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{body}");
        let text = answer.text().await.expect("a body");
        assert!(text.starts_with(&format!("{{\"messages\":{list},")), "{body}: {text}");
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(answer["compression_skipped"], true, "{text}");
        let told = answer["skip_reason"].as_str().expect("a reason");
        assert!(told.starts_with(reason), "{body}: {told}");
        assert_eq!(answer["tokens_saved"], 0);
        assert_eq!(answer["ccr_hashes"], json!([]));
    }
}

#[tokio::test]
async fn a_deadline_that_is_too_short_passes_the_messages_on() {
    let server = TestServer::spawn().await;
    let results = (0..200).map(
        |at| json!({"role": "tool", "tool_call_id": format!("c{at}"), "content": log(600 + at)}),
    );
    let messages: Vec<Value> = results.collect();
    let request = server.build("POST", "/v1/compress").header("contexture-deadline-ms", "1");
    let request = request.json(&json!({"messages": messages}));
    let answer = answered(request.send().await.expect("an answer")).await;
    assert_eq!(answer["messages"], json!(messages));
    assert!(
        answer["skip_reason"].as_str().unwrap().starts_with("deadline"),
        "{}",
        answer["skip_reason"]
    );
}

#[tokio::test]
async fn a_caller_may_pass_by() {
    let server = TestServer::spawn().await;
    let body = json!({"messages": conversation()});
    let request = server.build("POST", "/v1/compress").header("x-headroom-bypass", "True");
    let answer = answered(request.json(&body).send().await.expect("an answer")).await;
    assert_eq!(answer["messages"], conversation());
    assert_eq!(answer["skip_reason"], "bypass");
}

#[tokio::test]
async fn results_without_their_calls_stay_as_many_as_they_were() {
    let server = TestServer::spawn().await;
    // LiteLLM holds everything back that the model wrote.
    let results = (0..6).map(
        |at| json!({"role": "tool", "tool_call_id": format!("c{at}"), "content": log(200 + at)}),
    );
    let messages: Vec<Value> = results.collect();
    let body =
        json!({"messages": messages, "model": "claude-sonnet-4-5", "config": {"mode": "ccr"}});
    let answer = compress(&server, &body).await;
    let shown = answer["messages"].as_array().expect("a list");
    assert_eq!(shown.len(), messages.len());
    for (shown, message) in shown.iter().zip(&messages) {
        assert_eq!(shown["role"], "tool");
        assert_eq!(shown["tool_call_id"], message["tool_call_id"]);
    }
    assert!(answer["tokens_saved"].as_u64().unwrap() > 0, "{answer}");
    assert_eq!(compress(&server, &body).await["messages"], answer["messages"]);
}

#[tokio::test]
async fn what_was_retrieved_is_not_shortened_again() {
    let server = TestServer::spawn().await;
    let mut messages = conversation();
    messages[2]["tool_calls"][0]["function"]["name"] = json!("mcp__context__headroom_retrieve");
    let answer = compress(&server, &json!({"messages": messages})).await;
    assert_eq!(answer["messages"], messages);
    assert_eq!(answer["ccr_hashes"], json!([]));
}

#[tokio::test]
async fn the_settings_of_this_wire_are_heard() {
    let server = TestServer::spawn().await;
    let messages = conversation();
    let asked = async |extra: Value| {
        let mut body = json!({"messages": messages});
        for (key, value) in extra.as_object().unwrap() {
            body[key] = value.clone();
        }
        compress(&server, &body).await
    };
    for config in [json!({"frozen_message_count": 4}), json!({"protect_recent": 100})] {
        let kept = asked(json!({"config": config})).await;
        assert_eq!(kept["ccr_hashes"], json!([]), "{config}");
    }
    let frozen = asked(json!({"config": {"frozen_message_count": 4}})).await;
    assert_eq!(frozen["messages"], messages);
    let inline = asked(json!({"config": {"mode": "lossy_inline", "unheard_of": [1]}})).await;
    assert_eq!(inline["ccr_hashes"], json!([]));
    assert!(!inline.to_string().contains("hash="));
    assert!(inline["tokens_saved"].as_u64().unwrap() > 0);
    let tight = asked(json!({"token_budget": 300, "gateway": {}})).await;
    assert!(tight["tokens_after"].as_u64().unwrap() <= 300, "{}", tight["tokens_after"]);
}

#[tokio::test]
async fn nothing_is_cleared_if_the_config_says_so() {
    let server = TestServer::spawn().await;
    let cleared = |answer: &Value| answer["messages"].to_string().contains("content cleared");
    let body = |config: Value| json!({"messages": conversation(), "config": config});
    assert!(cleared(&compress(&server, &body(json!({}))).await));
    for config in [json!({"clear": false}), json!({"clear": {"keep": "all"}})] {
        let answer = compress(&server, &body(config)).await;
        assert!(!cleared(&answer), "{answer}");
        assert!(answer["tokens_saved"].as_u64().unwrap() > 0);
    }
}

#[tokio::test]
async fn health_is_told_in_the_words_of_this_wire() {
    let server = TestServer::spawn().await;
    let health = answered(server.get("/health").await).await;
    assert_eq!(health["status"], "healthy");
    assert_eq!(health["ready"], true);
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
}

#[tokio::test]
async fn a_key_in_the_header_of_this_wire_leaves_the_other_header_alone() {
    const TOKEN: &str = "X-Headroom-Proxy-Token";
    let server = TestServer::locked(&[]).await;
    let (key, _) = server.create_key(&json!({"scopes": ["compress"]})).await;
    let body = json!({"messages": [{"role": "user", "content": "Hello"}]});
    let send = async |path: &str, headers: &[(&str, &str)]| {
        let request = server.build("POST", path).json(&body);
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.send().await.unwrap().status().as_u16()
    };
    let of_provider = ("authorization", "Bearer sk-of-a-provider");
    assert_eq!(send("/v1/compress", &[(TOKEN, &key), of_provider]).await, 200);
    assert_eq!(send("/v1/compress", &[(TOKEN, "cx_live_unknown")]).await, 401);
    assert_eq!(send("/v1/compress", &[(TOKEN, &key), (TOKEN, &key)]).await, 401);
    // Our own API has its own header alone.
    assert_eq!(send("/compress", &[(TOKEN, &key)]).await, 401);
}

#[tokio::test]
async fn stats_are_the_sums_of_the_callers_key() {
    let server = TestServer::locked(&[]).await;
    let wanted = json!({"scopes": ["compress"]});
    let (key, _) = server.create_key(&wanted).await;
    let (other, _) = server.create_key(&wanted).await;
    let none = server.call_ok(&key, "GET", "/stats", &Value::Null).await;
    assert_eq!(none["tokens"]["savings_percent"], 0.0, "{none}");
    let rows: Vec<Value> =
        (0..60).map(|at| json!({"id": at, "name": format!("customer {at}")})).collect();
    let result = serde_json::to_string_pretty(&rows).unwrap();
    let body = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function",
            "function": {"name": "query", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": result}]});
    let answer = server.call_ok(&key, "POST", "/v1/compress", &body).await;
    server.call_ok(&other, "POST", "/v1/compress", &body).await;
    let stats = server.call_ok(&key, "GET", "/stats", &Value::Null).await;
    assert_eq!(stats["requests"], json!({"total": 1, "by_model": {"gpt-4o": 1}}));
    let tokens = &stats["tokens"];
    assert_eq!(tokens["total_before_compression"], answer["tokens_before"]);
    assert_eq!(tokens["input"], answer["tokens_after"]);
    assert_eq!(tokens["saved"], answer["tokens_saved"]);
    assert!(tokens["savings_percent"].as_f64().unwrap() > 20.0, "{stats}");
}
