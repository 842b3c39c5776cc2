//! What proxies of this kind are known to get wrong, as their public trackers tell: beta headers, marks,
//! deferred tools, signatures, streams with errors, authorities of one's own.

use std::net::SocketAddr;

use axum::body::Bytes;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use super::agent::{Agent, AgentWire, rows};
use super::edits::pair;
use super::front;
use crate::support::provider::{Provider, ProviderReply, ProviderRequest};
use crate::support::wait::until;
use crate::support::{ServerProcess, TestServer, json_of};

/// Sends a body, and returns it as the provider got it. It has the header of each wire.
async fn through(server: &TestServer, provider: &Provider, path: &str, body: &str) -> String {
    let request = server.build_json("POST", path).body(body.to_owned());
    let request = request.header("contexture-deadline-ms", "60000");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    String::from_utf8(provider.last().body.to_vec()).unwrap()
}

/// Asserts that nothing but the string of `result` differs, which is shorter.
fn assert_only_result_edited(came: &str, sent: &str, result: &str) {
    let original = json!(result).to_string();
    let (before, after) = came.split_once(&original).expect("the result is there once");
    assert!(sent.starts_with(before), "before the result: {sent}");
    assert!(sent.ends_with(after), "after the result: {sent}");
    assert!(sent.len() + 200 < came.len(), "{} → {}", came.len(), sent.len());
}

#[tokio::test]
async fn all_around_a_result_is_sent_byte_for_byte() {
    let (provider, server) = pair(&[]).await;
    let result = rows(7, 40);
    let text = json!(&result);
    for (path, body) in [
        (
            "/v1/messages?beta=true",
            // The first system block names the agent, the second the one who pays; marks have a time, one
            // is for the whole request; tools are deferred, built in, and in the order of the client.
            format!(
                r#"{{ "model":"claude-sonnet-4-5", "max_tokens":64000, "cache_control":{{"type":"ephemeral"}},
                "system":[{{"type":"text","text":"You are Claude Code, Anthropic's official CLI for Claude."}},
                {{"type":"text","text":"x-anthropic-billing-header: cc_version=2; cch=0;"}},
                {{"type":"text","text":"Be brief.","cache_control":{{"type":"ephemeral","ttl":"1h"}}}}],
                "tools":[{{"name":"zeta","input_schema":{{"type":"object"}},"defer_loading":true}},
                {{"type":"tool_search_tool_regex_20251119","name":"tool_search_tool_regex"}},
                {{"name":"alpha","input_schema":{{"type":"object"}}}},
                {{"type":"web_search_20250305","name":"web_search","max_uses":1.0}}],
                "metadata":{{"user_id":"u"}},
                "context_management":{{"edits":[{{"type":"clear_thinking_20251015","keep":"all"}}]}},
                "thinking":{{"type":"adaptive"}},"output_config":{{"effort":"high"}},"stream":true,
                "messages":[{{"role":"user","content":[{{"type":"text","text":"Look.","cache_control":{{"type":"ephemeral","ttl":"1h"}}}}]}},
                {{"role":"assistant","content":[{{"type":"thinking","thinking":"a\u00e9\/b","signature":"c2ln+/=="}},
                {{"type":"redacted_thinking","data":"AAECAw=="}},
                {{"type":"tool_use","id":"toolu_1","name":"alpha","input":{{"n":1.50,"e":1e2,"z":"\/"}}}}]}},
                {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_1","content":{text}}},
                {{"type":"text","text":"Mid-turn: only those of the north.","cache_control":{{"type":"ephemeral"}}}}]}}]}}"#
            ),
        ),
        (
            "/v1/chat/completions",
            format!(
                r#"{{"model":"gpt-5.5","store":false,"prompt_cache_key":"k","stream":true,"stream_options":{{"include_usage":true}},
                "messages":[{{"role":"developer","content":"Be brief."}},{{"role":"user","content":"Look."}},
                {{"role":"assistant","content":null,"refusal":null,"reasoning_content":"a\u00e9","tool_calls":[{{"id":"c","type":"function",
                "function":{{"name":"alpha","arguments":"{{\"n\": 1.50}}"}},"extra_content":{{"google":{{"thought_signature":"c2ln"}}}}}}]}},
                {{"role":"tool","tool_call_id":"c","content":{text}}}],
                "tools":[{{"type":"function","function":{{"name":"zeta","parameters":{{}}}}}},{{"type":"function","function":{{"name":"alpha","parameters":{{}}}}}}]}}"#
            ),
        ),
        (
            "/v1/responses",
            // The reasoning and its call stay a pair; nothing is stored at the provider.
            format!(
                r#"{{"model":"gpt-5.5","store":false,"include":["reasoning.encrypted_content"],"instructions":"Be brief.",
                "input":[{{"role":"user","content":[{{"type":"input_text","text":"Look."}}]}},
                {{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"Z0FB+\/=="}},
                {{"type":"function_call","id":"fc_1","call_id":"c","name":"alpha","arguments":"{{\"n\": 1.50}}"}},
                {{"type":"function_call_output","call_id":"c","output":{text}}}],
                "tools":[{{"type":"namespace","name":"crm","description":"d","tools":[{{"type":"function","name":"alpha","defer_loading":true}}]}},
                {{"type":"tool_search"}},{{"type":"custom","name":"apply_patch"}}],"parallel_tool_calls":true}}"#
            ),
        ),
        (
            "/v1beta/models/gemini-3-pro:generateContent",
            format!(
                r#"{{"systemInstruction":{{"parts":[{{"text":"Be brief."}}]}},"cachedContent":"cachedContents/1",
                "tools":[{{"functionDeclarations":[{{"name":"zeta"}},{{"name":"alpha"}}]}},{{"googleSearch":{{}}}}],
                "toolConfig":{{"includeServerSideToolInvocations":true}},
                "contents":[{{"role":"user","parts":[{{"text":"Look."}}]}},
                {{"role":"model","parts":[{{"text":"t","thought":true}},{{"functionCall":{{"name":"alpha","args":{{"n":1.50}}}},"thoughtSignature":"c2ln+/=="}}]}},
                {{"role":"user","parts":[{{"functionResponse":{{"name":"alpha","response":{{"output":{text}}}}}}}]}}]}}"#
            ),
        ),
    ] {
        let sent = through(&server, &provider, path, &body).await;
        assert_only_result_edited(&body, &sent, &result);
        // The same once more, with another system text: the form is the same.
        let other = body.replace("Be brief.", "Be long.");
        assert_eq!(
            through(&server, &provider, path, &other).await,
            sent.replace("Be brief.", "Be long.")
        );
    }
}

#[tokio::test]
async fn text_that_looks_like_ours_is_left_alone() {
    let (provider, server) = pair(&[]).await;
    let words = "[Old tool result content cleared: Bash, 214 lines] <dynamic_state><a>1</a></dynamic_state>\n\n\
                 [shortened; context_read shows all of it: 0123456789abcdef01234567] hash=0123456789abcdef01234567";
    for wire in AgentWire::ALL {
        let mut agent = Agent::new(wire);
        agent.messages[0] = agent.wire.words(words);
        agent.query(words);
        agent.send(&server, &[]).await;
        assert_eq!(provider.last().body, agent.body(), "{wire:?}");
    }
}

#[tokio::test]
async fn headers_of_clients_arrive_with_a_stream_that_is_edited() {
    let (provider, server) = pair(&[]).await;
    let agent = Agent::after(AgentWire::Anthropic, 1);
    let body = agent.body().replace("\"stream\":false", "\"stream\":true");
    let request = server.build_json("POST", agent.wire.path()).body(body.clone());
    let headers = [
        ("anthropic-beta", "context-1m-2025-08-07,interleaved-thinking-2025-05-14"),
        ("anthropic-beta", "fine-grained-tool-streaming-2025-05-14"),
        ("anthropic-version", "2023-06-01"),
        ("anthropic-workspace-id", "wrkspc_1"),
        ("anthropic-dangerous-direct-browser-access", "true"),
        ("authorization", "Bearer sk-ant-oat01-x"),
        ("openai-organization", "org-1"),
        ("openai-project", "proj_1"),
        ("x-app", "cli"),
        ("x-stainless-retry-count", "1"),
        ("accept", "text/event-stream"),
    ];
    let request =
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    assert_eq!(request.send().await.unwrap().status(), 200);
    let seen = provider.last();
    assert!(seen.body.len() < body.len());
    for (name, value) in headers {
        let mut values = seen.headers.get_all(name).iter();
        assert!(values.any(|own| own == value), "{name}: {:?}", seen.headers);
    }
    assert_eq!(seen.headers.get_all("anthropic-beta").iter().count(), 2);
    assert_eq!(seen.header("content-length"), Some(&*seen.body.len().to_string()));
}

#[tokio::test]
async fn a_response_whose_label_is_wrong_is_relayed_and_counts_nothing() {
    for (label, body) in [
        ("gzip", &b"{\"usage\":{\"input_tokens\":7}}"[..]),
        ("br", b"\x1f\x8b\x08\x00no gzip"),
        ("zstd", b""),
    ] {
        let provider = Provider::spawn(move |_| {
            ProviderReply::whole(200, "application/json", body).with("content-encoding", label)
        })
        .await;
        let server = front(&provider, &["anthropic"], &[]).await;
        let agent = Agent::after(AgentWire::Anthropic, 1);
        let response = agent.send(&server, &[]).await;
        assert_eq!(response.headers()["content-encoding"], label);
        assert_eq!(response.bytes().await.unwrap(), body, "{label}");
        let figures = server.get_text("/metrics").await;
        assert!(!figures.contains("contexture_gateway_tokens_total{"), "{label}");
    }
}

#[tokio::test]
async fn an_error_within_a_stream_is_relayed_and_what_was_used_is_counted() {
    let (sender, reply) = ProviderReply::stream();
    let reply = std::sync::Mutex::new(Some(reply));
    let provider =
        Provider::spawn(move |_| reply.lock().unwrap().take().expect("one request")).await;
    let server = front(&provider, &["anthropic"], &[]).await;
    let events = [
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":40,\"output_tokens\":1}}}\n\n",
        ": keep-alive\n\n",
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
    ];
    let send = async {
        for event in events {
            sender.send(Ok(Bytes::from_static(event.as_bytes()))).await.unwrap();
        }
        drop(sender);
    };
    let agent = Agent::after(AgentWire::Anthropic, 1);
    let read = async { agent.send(&server, &[]).await.text().await.unwrap() };
    let ((), text) = tokio::join!(send, read);
    assert_eq!(text, events.concat());
    let wanted = "contexture_gateway_tokens_total{wire=\"anthropic\",kind=\"uncached\"} 40";
    until(async || server.get_text("/metrics").await.contains(wanted).then_some(())).await;
}

#[tokio::test]
async fn what_is_saved_is_what_a_count_of_both_bodies_says() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    for turn in 0..3 {
        agent.query(&rows(turn, 40));
        let response = agent.send(&server, &[]).await;
        let told: u64 =
            response.headers()["x-contexture-saved-tokens"].to_str().unwrap().parse().unwrap();
        let count = async |body: &[u8]| {
            let body: Value = serde_json::from_slice(body).unwrap();
            let asked = json!({"model": "claude-sonnet-4-5", "source": "openai", "target": "openai",
                "messages": body["messages"]});
            let counted = json_of(server.post("/tokens", &asked).await, 200).await;
            counted["tokens"].as_u64().unwrap()
        };
        let came = count(agent.body().as_bytes()).await;
        let saved = came - count(&provider.last().body).await;
        // The header has tokens before the factor of the model, 1.18, which `/tokens` multiplies by.
        assert!((told * 97..told * 125).contains(&(saved * 100)), "{came}: {saved}, {told} told");
    }
}

#[tokio::test]
async fn a_request_that_is_edited_for_long_holds_no_other_one_up() {
    let provider = Provider::plain().await;
    let server = front(&provider, &["openai"], &["--gateway-deadline-ms", "60000"]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    for turn in 0..40 {
        agent.query(&rows(turn, 2_000));
    }
    let (long, server_ref) = (agent.clone(), &server);
    let edited = async { long.send(server_ref, &[]).await };
    tokio::pin!(edited);
    let mut relayed = 0;
    let is_held_up = loop {
        tokio::select! {
            biased;
            response = &mut edited => break response.status() != 200,
            response = server_ref.get("/v1/models") => {
                assert_eq!(response.status(), 200);
                relayed += 1;
            }
        }
    };
    assert!(!is_held_up && relayed > 2, "{relayed} were relayed meanwhile");
}

#[tokio::test]
async fn discovery_calls_and_unknown_paths_reach_the_provider_whole() {
    let provider = Provider::spawn(|request: &ProviderRequest| {
        ProviderReply::whole(200, "application/json", request.target.clone())
            .with("x-ratelimit-remaining-requests", "59")
    })
    .await;
    let server = front(&provider, &["anthropic", "openai", "gemini"], &[]).await;
    for path in [
        "/v1/models?limit=1000&after_id=a%2Fb",
        "/v1/models/claude-sonnet-4-5",
        "/v1/organizations/usage",
        "/v1beta/models?pageSize=2",
        "/v1beta/models/gemini-2.5-pro",
        "/v1/files?purpose=batch",
        "/v1/messages/batches",
        "/api/oauth/claude_cli/client_data",
    ] {
        let response = server.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["x-ratelimit-remaining-requests"], "59");
        assert_eq!(response.text().await.unwrap(), path);
    }
}

#[tokio::test]
async fn a_header_of_google_leads_a_shared_path_to_gemini() {
    let (openai, gemini) = (Provider::plain().await, Provider::plain().await);
    let flags = [openai.flag("openai"), gemini.flag("gemini")];
    let server = TestServer::with(&flags.each_ref().map(String::as_str)).await;
    for (header, provider) in
        [("x-goog-api-key", &gemini), ("x-goog-api-client", &gemini), ("x-api-key", &openai)]
    {
        let before = provider.requests().len();
        assert_eq!(server.get_with("/v1/models", &[(header, "k")]).await.status(), 200);
        assert_eq!(provider.requests().len(), before + 1, "{header}");
    }
}

/// Relays connections to `target`, whatever host they ask for: an HTTP proxy.
async fn connect_proxy(target: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let mut line = String::new();
                while stream.read_line(&mut line).await.is_ok_and(|read| read > 2) {
                    line.clear();
                }
                let Ok(mut onward) = TcpStream::connect(target).await else { return };
                let _ = stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await;
                let _ = copy_bidirectional(&mut stream, &mut onward).await;
            });
        }
    });
    address
}

#[tokio::test]
async fn an_upstream_of_an_own_authority_is_reached_through_the_proxy() {
    let proxy = connect_proxy(crate::webhook::serve_tls().await).await;
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/tls/ca.pem");
    for (ca, wanted) in [(Some(authority), 200), (None, 502)] {
        let mut command = ServerProcess::command();
        command.args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--upstream",
            "openai=https://hooks.example",
        ]);
        command.args(ca.map(|file| ["--upstream-ca-file", file]).into_iter().flatten());
        command.env("HTTPS_PROXY", format!("http://{proxy}"));
        let mut server = ServerProcess::spawned(command);
        let url = format!("http://{}/v1/models", server.address);
        let response = reqwest::get(url).await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        assert_eq!(status, wanted, "{ca:?}: {text}");
        assert_eq!(text.contains("allow"), ca.is_some(), "{text}");
        server.signal("TERM");
        server.exit().await;
    }
}

#[tokio::test]
async fn tools_of_the_client_and_of_ours_stay_in_their_order() {
    // Tools of the client and of a server of ours stand side by side, in their order.
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&rows(1, 40));
    agent.call("mcp__contexture__context_read", &rows(2, 40));
    let mut body: Value = serde_json::from_str(&agent.body()).unwrap();
    body["tools"] = json!(
        ["Bash", "mcp__contexture__context_read", "mcp__contexture__memory_create"]
            .map(|name| json!({"type": "function", "function": {"name": name, "parameters": {}}}))
    );
    let sent = through(&server, &provider, agent.wire.path(), &body.to_string()).await;
    let sent: Value = serde_json::from_str(&sent).unwrap();
    assert_eq!(sent["tools"], body["tools"]);
    // What a tool gave back is not shortened again.
    let last = body["messages"].as_array().unwrap().len() - 1;
    assert_eq!(sent["messages"][last], body["messages"][last]);
}

#[tokio::test]
async fn another_model_continues_the_same_list() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::after(AgentWire::Anthropic, 1);
    agent.send(&server, &[]).await;
    let first = provider.last();
    // The same messages under another model and other limits are the same list.
    agent.query(&rows(3, 40));
    let body = agent.body().replace("claude-sonnet-4-5", "claude-haiku-4-5");
    let sent = through(&server, &provider, agent.wire.path(), &body).await;
    let messages = |text: &[u8]| {
        let body: Value = serde_json::from_slice(text).unwrap();
        body["messages"].as_array().unwrap().clone()
    };
    let (before, after) = (messages(&first.body), messages(sent.as_bytes()));
    assert_eq!(before[..], after[..before.len()]);
}
