//! Health, figures, pages and what every answer carries.

use serde_json::{Value, json};

use crate::support::{Folder, TestServer, problem};

#[tokio::test]
async fn a_listening_server_is_healthy_and_ready() {
    let server = TestServer::spawn().await;
    for path in ["/healthz", "/readyz"] {
        let response = server.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.text().await.unwrap(), r#"{"status":"ok"}"#);
    }
}

#[tokio::test]
async fn every_answer_has_an_id_and_safe_headers() {
    let server = TestServer::spawn().await;
    for path in ["/healthz", "/nowhere", "/docs/", "/problems", "/models"] {
        let response = server.get(path).await;
        let headers = response.headers();
        assert!(headers["x-request-id"].to_str().unwrap().starts_with("req_"), "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["x-frame-options"], "DENY", "{path}");
        assert!(headers.contains_key("content-security-policy"), "{path}");
    }
    let one = server.get("/healthz").await.headers()["x-request-id"].clone();
    let other = server.get("/healthz").await.headers()["x-request-id"].clone();
    assert_ne!(one, other);
}

#[tokio::test]
async fn a_sane_id_of_the_caller_is_kept() {
    let server = TestServer::spawn().await;
    let with = |id: &'static str| server.build("GET", "/nowhere").header("x-request-id", id).send();
    let kept = problem(with("trace-7.a").await.unwrap(), 404, "not_found").await;
    assert_eq!(kept["request_id"], "trace-7.a");
    let made = problem(with("<script>").await.unwrap(), 404, "not_found").await;
    assert!(made["request_id"].as_str().unwrap().starts_with("req_"));
}

#[tokio::test]
async fn a_wrong_method_names_the_right_ones() {
    let server = TestServer::spawn().await;
    let response = server.get("/compile").await;
    assert_eq!(response.headers()["allow"], "POST");
    let refused = problem(response, 405, "method_not_allowed").await;
    assert_eq!(refused["detail"], "use `POST /compile`; `GET /docs` has an example for each path");
    for (path, hint) in [
        ("/compile/", "use `POST /compile`"),
        ("/v1/compile", "use `POST /compile`"),
        ("/v1/memory", "use `POST /memory` or `GET /memory`"),
        ("/v1/models", "forwarded with `--upstream openai`"),
        ("/nowhere/", "paths have no slash at the end"),
        ("/chat/completions", "end the base URL in `/v1`"),
        ("/v1/chat/completions", "start it with `--upstream openai`"),
    ] {
        let refused = problem(server.post(path, &json!({})).await, 404, "not_found").await;
        assert!(refused["detail"].as_str().unwrap().contains(hint), "{path}: {refused}");
    }
    let response = server.delete("/models").await;
    assert!(response.headers()["allow"].to_str().unwrap().contains("GET"));
    problem(response, 405, "method_not_allowed").await;
}

#[tokio::test]
async fn figures_count_requests_by_route() {
    let server = TestServer::spawn().await;
    server.get("/models").await;
    server.get("/nowhere/secret-path").await;
    let response = server.get("/metrics").await;
    assert_eq!(response.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let text = response.text().await.unwrap();
    for line in [
        r#"contexture_http_requests_total{method="GET",route="/models",status="200"} 1"#,
        r#"contexture_http_requests_total{method="GET",route="unmatched",status="404"} 1"#,
        "contexture_http_requests_in_flight 1",
        r#"contexture_http_request_duration_seconds_count{route="/models",status="200"} 1"#,
    ] {
        assert!(text.contains(line), "{line} is missing in:\n{text}");
    }
    assert!(!text.contains("secret-path"), "labels hold nothing that a caller chooses");
}

#[tokio::test]
async fn the_reference_needs_nothing_from_elsewhere() {
    let server = TestServer::spawn().await;
    let document = server.get_json("/openapi.json").await;
    assert!(document["paths"]["/compile"]["post"].is_object());
    let page = server.get("/docs").await;
    assert_eq!(page.url().path(), "/docs/");
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    let page = page.text().await.unwrap();
    assert!(!page.contains("http://") && !page.contains("https://"), "{page}");
    for file in ["swagger-ui.css", "swagger-ui-bundle.js", "swagger-initializer.js"] {
        let plain = server.get(&format!("/docs/{file}")).await;
        assert_eq!(plain.status(), 200, "{file}");
        // Held as gzip, and expanded for a caller that does not take it.
        let plain = plain.bytes().await.unwrap();
        assert!(!plain.starts_with(&[0x1f, 0x8b]), "{file}");
        let request = server.build("GET", &format!("/docs/{file}"));
        let packed = request.header("accept-encoding", "gzip").send().await.unwrap();
        let coding = packed.headers().get("content-encoding").cloned();
        let mut body = packed.bytes().await.unwrap().to_vec();
        if coding.is_some_and(|coding| coding == "gzip") {
            let packed = std::mem::take(&mut body);
            let mut reader = flate2::read::GzDecoder::new(&packed[..]);
            std::io::Read::read_to_end(&mut reader, &mut body).unwrap();
        }
        assert!(body == plain, "{file}: other bytes as gzip");
    }
    problem(server.get("/docs/none.js").await, 404, "not_found").await;
}

#[tokio::test]
async fn answers_are_compressed_where_that_is_asked_for() {
    let server = TestServer::spawn().await;
    for encoding in ["gzip", "zstd"] {
        let request = server.build("GET", "/openapi.json").header("accept-encoding", encoding);
        let response = request.send().await.unwrap();
        assert_eq!(response.headers()["content-encoding"], encoding);
        let bytes = response.bytes().await.unwrap();
        let plain = match encoding {
            "gzip" => {
                let mut text = String::new();
                let mut reader = flate2::read::GzDecoder::new(&bytes[..]);
                std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
                text
            }
            _ => String::from_utf8(zstd::decode_all(&bytes[..]).unwrap()).unwrap(),
        };
        assert!(serde_json::from_str::<Value>(&plain).is_ok());
    }
}

#[tokio::test]
async fn a_server_that_has_stopped_has_closed_its_database() {
    let folder = Folder::new();
    let url = folder.url();
    // Each start is refused while the one before has the file.
    for turn in 0..20 {
        let server = TestServer::with(&["--database-url", &url]).await;
        let path = format!("/memory/turn{turn}");
        let put = server.put(&path, &json!({"value": "v"})).await;
        assert_eq!(put.status(), 201);
        let body = json!({"messages": [{"role": "user", "content": "hi"}], "record": "full"});
        assert_eq!(server.post("/compile", &body).await.status(), 200);
        server.stop().await;
    }
}
