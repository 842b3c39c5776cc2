//! What passes through: methods, paths, headers, bodies, errors.

use contexture::server::Server;
use reqwest::Response;
use serde_json::{Value, json};

use super::front;
use crate::support::provider::{Provider, ProviderReply};
use crate::support::receiver::{Mode, Receiver};
use crate::support::{BOOTSTRAP_KEY, TestServer, config, problem};

/// The error in a response of the gateway itself, in a provider's format.
async fn error(response: Response, status: u16, pointer: &str) -> String {
    assert_eq!(response.status(), status);
    assert_eq!(response.headers()["content-type"], "application/json");
    let body: Value = response.json().await.expect("JSON");
    body.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{body}")).to_owned()
}

#[tokio::test]
async fn without_an_upstream_nothing_is_forwarded() {
    let server = TestServer::spawn().await;
    for (path, upstream) in [
        ("/v1/messages", "anthropic"),
        ("/v1/chat/completions", "openai"),
        ("/v1beta/models/gemini-2.5-flash:generateContent", "gemini"),
    ] {
        let refused = problem(server.post(path, &json!({})).await, 404, "not_found").await;
        let detail = refused["detail"].as_str().expect("what to do");
        assert!(detail.contains(&format!("`--upstream {upstream}`")), "{path}: {detail}");
    }
    problem(server.get("/u/openai/v1/models").await, 404, "not_found").await;
}

#[tokio::test]
async fn a_request_arrives_as_it_was_sent() {
    let provider = Provider::plain().await;
    let server = front(&provider, &["anthropic"], &[]).await;
    let body = "{ \"model\":\"m\",\"messages\" : [ ] }\n";
    let request = server.build("POST", "/v1/messages?beta=true&x=%2F").body(body);
    let request = request
        .header("content-type", "application/json; charset=utf-8")
        .header("authorization", "Bearer sk-ant-oat-1")
        .header("x-api-key", "sk-ant-2")
        .header("anthropic-version", "2023-06-01")
        .header("anthropic-beta", "oauth-2025-04-20,claude-code-20250219")
        .header("user-agent", "claude-cli/2")
        .header("x-contexture-session", "s")
        .header("x-contexture-key", "k");
    assert_eq!(request.send().await.unwrap().status(), 200);
    let seen = provider.last();
    assert_eq!(
        (seen.method.as_str(), seen.target.as_str()),
        ("POST", "/v1/messages?beta=true&x=%2F")
    );
    assert_eq!(seen.body, body);
    for (name, value) in [
        ("content-type", "application/json; charset=utf-8"),
        ("authorization", "Bearer sk-ant-oat-1"),
        ("x-api-key", "sk-ant-2"),
        ("anthropic-version", "2023-06-01"),
        ("anthropic-beta", "oauth-2025-04-20,claude-code-20250219"),
        ("user-agent", "claude-cli/2"),
        ("content-length", &body.len().to_string()),
    ] {
        assert_eq!(seen.header(name), Some(value), "{name}");
    }
    assert_eq!(seen.header("host"), Some(provider.address.to_string().as_str()));
    let own = seen.headers.keys().any(|name| name.as_str().starts_with("x-contexture"));
    assert!(!own, "{:?}", seen.headers);
}

#[tokio::test]
async fn a_response_comes_back_as_it_was_sent() {
    let provider = Provider::spawn(|_| {
        ProviderReply::whole(200, "application/json", "{ \"a\" :1}\n")
            .with("x-request-id", "req_of_provider")
            .with("anthropic-ratelimit-tokens-remaining", "7")
            .with("set-cookie", "a=1")
            .with("set-cookie", "b=2")
    })
    .await;
    let server = front(&provider, &["openai"], &[]).await;
    let response = server.get("/v1/models").await;
    let headers = response.headers().clone();
    assert_eq!(headers["x-request-id"], "req_of_provider");
    assert_eq!(headers["anthropic-ratelimit-tokens-remaining"], "7");
    assert_eq!(headers.get_all("set-cookie").iter().count(), 2);
    assert_eq!(headers["content-length"], "10");
    assert!(!headers.contains_key("content-security-policy"), "{headers:?}");
    assert!(headers["x-contexture-id"].to_str().unwrap().starts_with("cmp_"));
    assert_eq!(response.bytes().await.unwrap(), "{ \"a\" :1}\n");
}

#[tokio::test]
async fn errors_of_a_provider_are_its_own() {
    let envelope = json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}});
    for status in [400_u16, 401, 404, 413, 429, 500, 503, 529] {
        let body = envelope.clone();
        let provider = Provider::spawn(move |_| {
            ProviderReply::json(status, &body)
                .with("retry-after", "17")
                .with("x-should-retry", "false")
        })
        .await;
        let server = front(&provider, &["anthropic"], &[]).await;
        let response = server.post("/v1/messages", &json!({"messages": []})).await;
        assert_eq!(response.status(), status);
        assert_eq!(response.headers()["retry-after"], "17");
        assert_eq!(response.headers()["x-should-retry"], "false");
        assert_eq!(response.text().await.unwrap(), envelope.to_string());
        assert_eq!(provider.requests().len(), 1, "nothing is tried again");
    }
}

#[tokio::test]
async fn paths_find_their_upstream() {
    let (anthropic, openai, gemini) =
        (Provider::plain().await, Provider::plain().await, Provider::plain().await);
    let flags = [anthropic.flag("anthropic"), openai.flag("openai"), gemini.flag("gemini")];
    let server = TestServer::with(&flags.each_ref().map(String::as_str)).await;
    for (method, path, provider) in [
        ("POST", "/v1/messages", &anthropic),
        ("POST", "/v1/messages/count_tokens?beta=true", &anthropic),
        ("HEAD", "/api/hello", &anthropic),
        ("POST", "/v1/chat/completions", &openai),
        ("POST", "/v1/embeddings", &openai),
        ("GET", "/v1/models", &openai),
        ("DELETE", "/v1/files/f1", &openai),
        ("POST", "/v1beta/models/g:generateContent", &gemini),
        ("POST", "/v1beta/models/g:streamGenerateContent?alt=sse", &gemini),
        ("POST", "/v1beta/models/g:countTokens", &gemini),
        ("PATCH", "/u/gemini/any/thing?x", &gemini),
    ] {
        let response = server.build(method, path).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let path = path.strip_prefix("/u/gemini").unwrap_or(path);
        assert_eq!((provider.last().method.as_str(), &*provider.last().target), (method, path));
    }
    let models = server.build("GET", "/v1/models").header("anthropic-version", "2023-06-01");
    assert_eq!(models.send().await.unwrap().status(), 200);
    assert_eq!(anthropic.last().target, "/v1/models");
    let counts = [&anthropic, &openai, &gemini].map(|provider| provider.requests().len());
    assert_eq!(counts, [4, 4, 4]);
}

#[tokio::test]
async fn routes_of_this_server_stay() {
    let provider = Provider::plain().await;
    let server = front(&provider, &["openai"], &[]).await;
    let body = json!({"messages": [{"role": "user", "content": "Hello."}]});
    let answer = server.post_json("/v1/compress", 200, &body).await;
    assert_eq!(answer["messages"], body["messages"]);
    problem(server.get("/v1/compress").await, 405, "method_not_allowed").await;
    problem(server.get("/v1/retrieve/00").await, 404, "not_found").await;
    problem(server.get("/nothing").await, 404, "not_found").await;
    assert_eq!(server.get("/models").await.status(), 200);
    assert!(provider.requests().is_empty());
}

#[tokio::test]
async fn no_header_chooses_a_host() {
    let (provider, other) = (Provider::plain().await, Provider::plain().await);
    let server = front(&provider, &["openai"], &[]).await;
    let url = format!("http://{}", other.address);
    let request = server
        .build("GET", "/v1/models")
        .header("x-upstream", &url)
        .header("x-contexture-upstream", &url)
        .header("x-forwarded-host", other.address.to_string())
        .header("forwarded", format!("host={}", other.address));
    assert_eq!(request.send().await.unwrap().status(), 200);
    let response = server.get("/u/other/v1/models").await;
    assert!(error(response, 404, "/error/message").await.contains("--upstream"));
    let response = server.get(&format!("//{}/v1/models", other.address)).await;
    assert_eq!(response.status(), 404);
    assert_eq!((provider.requests().len(), other.requests().len()), (1, 0));
}

#[tokio::test]
async fn a_path_cannot_leave_the_folder_of_its_upstream() {
    let provider = Provider::plain().await;
    let flag = format!("--upstream=near=http://{}/tenant-a", provider.address);
    let server = TestServer::with(&[&flag]).await;
    let line = "GET /u/near/x/%2e%2e/%2e%2e/tenant-b HTTP/1.1\r\nhost: localhost\r\n\
                connection: close\r\n\r\n";
    let reply = crate::support::send(server.address, line.as_bytes()).await;
    assert_eq!(reply.status, 400);
    assert_eq!(server.get("/u/near/v1/models").await.status(), 200);
    assert_eq!(provider.last().target, "/tenant-a/v1/models");
    assert_eq!(provider.requests().len(), 1);
}

#[tokio::test]
async fn a_wire_without_an_upstream_gets_an_error_of_that_wire() {
    let provider = Provider::plain().await;
    let server = front(&provider, &["openai"], &[]).await;
    let body = json!({"messages": []});
    let message = error(server.post("/v1/messages", &body).await, 404, "/error/message").await;
    assert!(message.contains("--upstream anthropic"), "{message}");
    let kind = error(server.post("/v1/messages", &body).await, 404, "/error/type").await;
    assert_eq!(kind, "not_found_error");
    let path = "/v1beta/models/g:generateContent";
    let word = error(server.post(path, &body).await, 404, "/error/status").await;
    assert_eq!(word, "NOT_FOUND");
}

#[tokio::test]
async fn a_dead_upstream_is_a_502_in_the_format_of_the_wire() {
    let provider = Provider::plain().await;
    let server = front(&provider, &["anthropic", "openai", "gemini"], &[]).await;
    let address = provider.address;
    drop(provider);
    // Its port is free once its task has ended.
    crate::support::wait::until(async || {
        tokio::net::TcpStream::connect(address).await.err().map(|_| ())
    })
    .await;
    let body = json!({"messages": []});
    let kind = error(server.post("/v1/messages", &body).await, 502, "/error/type").await;
    assert_eq!(kind, "api_error");
    let code = error(server.post("/v1/responses", &body).await, 502, "/error/code").await;
    assert_eq!(code, "upstream_failed");
    let path = "/v1beta/models/g:generateContent";
    assert_eq!(error(server.post(path, &body).await, 502, "/error/status").await, "UNAVAILABLE");
}

#[tokio::test]
async fn an_upstream_that_is_no_http_or_hangs_up_is_a_502() {
    for mode in [Mode::Bytes(b"SSH-2.0-x\r\n".to_vec()), Mode::CloseAtOnce] {
        let receiver = Receiver::spawn(mode).await;
        let flag = format!("--upstream=openai=http://{}", receiver.address);
        let server = TestServer::with(&[&flag]).await;
        let response = server.post("/v1/chat/completions", &json!({"messages": []})).await;
        assert_eq!(error(response, 502, "/error/type").await, "server_error");
    }
}

#[tokio::test]
async fn an_upstream_that_is_this_server_is_a_508() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut config = config(&[&format!("--upstream=openai=http://{address}")]);
    config.server.listen = address;
    let server = Server::build(config).await.unwrap();
    let running = tokio::spawn(server.run_until(std::future::pending()));
    let response = reqwest::get(format!("http://{address}/v1/models")).await.unwrap();
    running.abort();
    assert_eq!(error(response, 508, "/error/code").await, "loop_detected");
}

#[tokio::test]
async fn redirects_are_relayed_and_not_followed() {
    let other = Provider::plain().await;
    let target = format!("http://{}/x", other.address);
    let location = target.clone();
    let provider =
        Provider::spawn(move |_| ProviderReply::json(307, &json!({})).with("location", &location))
            .await;
    let server = front(&provider, &["openai"], &[]).await;
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let response = client.build().unwrap().get(server.url("/v1/models")).send().await.unwrap();
    assert_eq!(response.status(), 307);
    assert_eq!(response.headers()["location"], target.as_str());
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_websocket_is_a_426() {
    let provider = Provider::plain().await;
    let server = front(&provider, &["openai"], &[]).await;
    let request = server
        .build("GET", "/v1/responses")
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 426);
    assert!(response.headers().contains_key("upgrade"));
    assert!(provider.requests().is_empty());
    let offer = server
        .build("GET", "/v1/models")
        .header("connection", "Upgrade, HTTP2-Settings")
        .header("upgrade", "h2c")
        .header("http2-settings", "AAEAAEAA");
    assert_eq!(offer.send().await.unwrap().status(), 200);
    assert_eq!(provider.last().header("http2-settings"), None);
}

#[tokio::test]
async fn a_key_of_ours_is_in_a_header_of_its_own() {
    let provider = Provider::plain().await;
    let flag = provider.flag("anthropic");
    let server = TestServer::locked(&[&flag]).await;
    let body = json!({"messages": []});
    let ask = |key: Option<&str>| {
        let request = server.build("POST", "/v1/messages").json(&body);
        let request = request.header("authorization", "Bearer sk-ant-oat-1");
        key.into_iter().fold(request, |request, key| request.header("x-contexture-key", key)).send()
    };
    let kind = error(ask(None).await.unwrap(), 401, "/error/type").await;
    assert_eq!(kind, "authentication_error");
    let kind = error(ask(Some("wrong")).await.unwrap(), 401, "/error/type").await;
    assert_eq!(kind, "authentication_error");
    assert_eq!(ask(Some(BOOTSTRAP_KEY)).await.unwrap().status(), 200);
    let seen = provider.last();
    assert_eq!(seen.header("authorization"), Some("Bearer sk-ant-oat-1"));
    assert_eq!(seen.header("x-contexture-key"), None);
    // A key of ours where the provider's belongs opens nothing.
    let request = server.build("POST", "/v1/messages").bearer_auth(BOOTSTRAP_KEY).json(&body);
    assert_eq!(request.send().await.unwrap().status(), 401);
    let (key, _) = server.create_key(&json!({"name": "reader", "scopes": ["memory:read"]})).await;
    let kind = error(ask(Some(&key)).await.unwrap(), 403, "/error/type").await;
    assert_eq!(kind, "permission_error");
    assert_eq!(provider.requests().len(), 1);
}

#[tokio::test]
async fn pages_of_other_origins_and_rebound_names_are_refused() {
    let provider = Provider::plain().await;
    let server = front(&provider, &["openai"], &[]).await;
    let page = server.build("GET", "/v1/models").header("origin", "https://evil.example");
    assert_eq!(error(page.send().await.unwrap(), 403, "/error/code").await, "cross_origin");
    let name = server.build("GET", "/v1/models").header("host", "evil.example");
    assert_eq!(error(name.send().await.unwrap(), 403, "/error/code").await, "host_not_allowed");
    assert!(provider.requests().is_empty());
}

#[tokio::test]
async fn a_kept_connection_that_died_costs_no_request() {
    let reply = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}".to_vec();
    let receiver = Receiver::spawn(Mode::Bytes(reply)).await;
    let flag = format!("--upstream=openai=http://{}", receiver.address);
    let server = TestServer::with(&[&flag]).await;
    for _ in 0..5 {
        let response = server.post("/v1/chat/completions", &json!({"messages": []})).await;
        assert_eq!(response.status(), 200);
        receiver.closed().await;
    }
    assert_eq!(receiver.requests().len(), 5);
}

#[tokio::test]
async fn bodies_have_no_limit_where_nothing_reads_them() {
    let provider = Provider::plain().await;
    let flags = ["--max-body-bytes", "1000", "--max-decoded-bytes", "1000"];
    let server = front(&provider, &["openai"], &flags).await;
    let body = vec![b'x'; 5_000_000];
    let response = server.build("POST", "/v1/files").body(body.clone()).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(provider.last().body == body);
}

#[tokio::test]
async fn readiness_and_figures_know_the_gateway() {
    let provider = Provider::plain().await;
    let server = front(&provider, &["openai"], &[]).await;
    assert_eq!(server.get("/v1/models").await.status(), 200);
    let figures = server.get_text("/metrics").await;
    assert!(figures.contains("route=\"gateway:openai:other\""), "{figures}");
    assert_eq!(server.get_json("/readyz").await["upstreams"], json!(["openai"]));
}
