//! Which names the server serves, and which web pages may use it: by the headers that a browser
//! sends and a page cannot choose.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2;
use hyper::{Request, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::openapi::ROUTES;
use crate::support::{BOOTSTRAP_KEY, Reply, TestServer, problem, send};
const SITE: &str = "sec-fetch-site";

/// Sends a request with this version, these lines of a head, and no `host` but one of them.
async fn raw(server: &TestServer, line: &str, head: &[&str]) -> Reply {
    let mut text = format!("{line}\r\n");
    for header in head {
        text.push_str(header);
        text.push_str("\r\n");
    }
    text.push_str("connection: close\r\n\r\n");
    send(server.address, text.as_bytes()).await
}

async fn under(server: &TestServer, host: &str, path: &str) -> (u16, String) {
    let reply = raw(server, &format!("GET {path} HTTP/1.1"), &[&format!("host: {host}")]).await;
    (reply.status, reply.code())
}

/// A route as its description has it, with something in the place of each name.
fn concrete(path: &str) -> String {
    let pieces = path.split('/').map(|piece| if piece.starts_with('{') { "x" } else { piece });
    pieces.collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn without_keys_names_that_others_could_point_here_are_refused() {
    let server = TestServer::with(&["--allow-host", "Contexture.internal,other.example"]).await;
    for host in [
        "127.0.0.1",
        "127.0.0.1:1",
        "[::1]:8080",
        "192.0.2.7",
        "localhost",
        "LOCALHOST:9",
        "localhost.",
        "contexture.internal:8080",
        "other.example",
    ] {
        assert_eq!(under(&server, host, "/models").await.0, 200, "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "x.contexture.internal",
    ] {
        for path in ["/models", "/", "/openapi.json", "/health", "/metrics", "/none"] {
            let refused = under(&server, host, path).await;
            assert_eq!(refused, (403, "host_not_allowed".to_owned()), "{host} {path}");
        }
        for path in ["/healthz", "/readyz"] {
            assert_eq!(under(&server, host, path).await.0, 200, "{host} {path}");
        }
    }
    let stranger = server.build("GET", "/models").header("host", "evil.example:8080");
    let told = problem(stranger.send().await.unwrap(), 403, "host_not_allowed").await;
    let detail = told["detail"].as_str().unwrap();
    assert!(detail.contains("`evil.example`") && detail.contains("--allow-host"), "{detail}");
    let any = TestServer::with(&["--allow-host", "*"]).await;
    assert_eq!(under(&any, "evil.example", "/models").await.0, 200);
}

#[tokio::test]
async fn every_route_but_those_of_health_asks_for_the_name_and_for_the_origin() {
    let server = TestServer::spawn().await;
    let is_health = |path: &str| matches!(path, "/healthz" | "/readyz");
    for (method, path) in ROUTES.iter().filter(|(_, path)| !is_health(path)) {
        let at = concrete(path);
        let stranger = server.build(method, &at).header("host", "evil.example").body("{}");
        problem(stranger.send().await.unwrap(), 403, "host_not_allowed").await;
        for (name, value) in [
            ("origin", "http://evil.example"),
            ("origin", "null"),
            (SITE, "cross-site"),
            (SITE, "same-site"),
        ] {
            let page = server.build(method, &at).header(name, value);
            let page = page.header("content-type", "text/plain").body("{}");
            problem(page.send().await.unwrap(), 403, "cross_origin").await;
        }
    }
}

#[tokio::test]
async fn with_keys_any_name_is_served_and_foreign_pages_are_not() {
    let server = TestServer::locked(&[]).await;
    assert_eq!(under(&server, "contexture", "/models").await, (401, "unauthenticated".to_owned()));
    let asked = server.build("GET", "/models").bearer_auth(BOOTSTRAP_KEY);
    assert_eq!(asked.header("host", "contexture").send().await.unwrap().status(), 200);
    let page = server.build("POST", "/keys").bearer_auth(BOOTSTRAP_KEY);
    let page = page.header("origin", "http://evil.example").json(&json!({"scopes": ["admin"]}));
    problem(page.send().await.unwrap(), 403, "cross_origin").await;
}

#[tokio::test]
async fn from_the_first_key_on_any_name_is_served() {
    let server = TestServer::spawn().await;
    assert_eq!(under(&server, "contexture", "/models").await.0, 403);
    let made = server.post("/keys", &json!({"scopes": ["admin"]})).await;
    assert_eq!(made.status(), 201);
    assert_eq!(under(&server, "contexture", "/models").await, (401, "unauthenticated".to_owned()));
}

#[tokio::test]
async fn a_page_is_ours_by_its_origin_and_the_site_that_the_browser_tells() {
    let named = "https://app.example.com";
    let server = TestServer::with(&["--cors-origin", named]).await;
    let own = format!("http://{}", server.address);
    let secure = format!("https://{}", server.address);
    let put = async |headers: &[(&str, &str)]| -> u16 {
        let mut request = server.build("PUT", "/memory/k");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.json(&json!({"value": 1})).send().await.unwrap().status().as_u16()
    };
    let other_port = format!("http://127.0.0.1:{}", server.address.port() ^ 1);
    let localhost = format!("http://localhost:{}", server.address.port());
    for allowed in [
        &[("origin", own.as_str()), (SITE, "same-origin")][..],
        &[("origin", own.as_str())],
        &[("origin", secure.as_str())],
        &[(SITE, "same-origin")],
        &[(SITE, "none")],
        &[("origin", named), (SITE, "cross-site")],
        &[("sec-fetch-mode", "cors")],
    ] {
        assert!([200, 201].contains(&put(allowed).await), "{allowed:?}");
    }
    for refused in [
        &[("origin", own.as_str()), (SITE, "cross-site")][..],
        &[("origin", other_port.as_str()), (SITE, "same-site")],
        &[("origin", localhost.as_str())],
        &[("origin", "https://app.example.com.evil.example")],
        &[("origin", "http://app.example.com")],
        &[("origin", named), ("origin", "http://evil.example")],
        &[("origin", "null"), (SITE, "same-origin")],
        &[("origin", "")],
        &[(SITE, "anything")],
        // A page is opened by GET.
        &[(SITE, "cross-site"), ("sec-fetch-mode", "navigate")],
    ] {
        assert_eq!(put(refused).await, 403, "{refused:?}");
    }
}

#[tokio::test]
async fn a_link_on_another_site_leads_to_pages_and_to_nothing_else() {
    let server = TestServer::spawn().await;
    let compiled = json!({"messages": [{"role": "user", "content": "hi"}], "record": "full"});
    let compiled = server.post_ok("/compile", &compiled).await;
    let record = format!("/compilations/{}", compiled["id"].as_str().unwrap());
    let follow = async |path: &str, dest: &str| {
        let request = server.build("GET", path).header(SITE, "cross-site");
        let request = request.header("sec-fetch-mode", "navigate").header("sec-fetch-dest", dest);
        request.header("accept", "text/html").send().await.unwrap().status().as_u16()
    };
    for page in [
        "/",
        "/docs",
        "/docs/",
        "/docs/guide/",
        "/docs/guide/cache.html",
        "/problems",
        "/problems/deadline",
        &record,
    ] {
        assert_eq!(follow(page, "document").await, 200, "{page}");
        assert_eq!(follow(page, "iframe").await, 403, "{page}");
    }
    for other in ["/memory", "/events", "/metrics", "/models", "/openapi.json", "/compilations"] {
        assert_eq!(follow(other, "document").await, 403, "{other}");
    }
}

#[tokio::test]
async fn a_body_says_what_it_is() {
    let server = TestServer::spawn().await;
    let unlabelled =
        |path: &str, body: &str| server.build("POST", path).body(body.to_owned()).send();
    for (method, path) in ROUTES {
        let reads_body = ["POST", "PUT", "PATCH"].contains(method)
            && !["/artifacts/cleanup", "/console/session"].contains(path)
            && !path.ends_with("/ticket");
        if !reads_body {
            continue;
        }
        for media in [None, Some("application/x-www-form-urlencoded"), Some("text/html")] {
            let mut request = server.build(method, &concrete(path)).body("{\"a\":1}");
            if let Some(media) = media {
                request = request.header("content-type", media);
            }
            let answer = request.send().await.unwrap();
            let told = problem(answer, 415, "unsupported_media_type").await;
            let detail = told["detail"].as_str().unwrap();
            assert!(detail.contains("content-type: application/json"), "{method} {path}: {detail}");
            assert!(media.is_none_or(|media| detail.contains(media)), "{method} {path}: {detail}");
        }
    }
    // A body without a byte needs no label.
    problem(unlabelled("/compile", "").await.unwrap(), 400, "invalid_json").await;
    // Nor is one chosen where a chunked body turns out to have none.
    let chunked = "POST /compile HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                   transfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(send(server.address, chunked.as_bytes()).await.code(), "invalid_json");
    let chunked = chunked.replace("0\r\n\r\n", "2\r\n{}\r\n0\r\n\r\n");
    let refused = send(server.address, chunked.as_bytes()).await;
    assert_eq!(refused.code(), "unsupported_media_type");
}

#[tokio::test]
async fn a_request_names_one_host() {
    let server = TestServer::locked(&[]).await;
    let get = "GET /openapi.json HTTP/1.1";
    let old = "GET /openapi.json HTTP/1.0";
    for (line, head) in [
        (get, &["host: localhost"][..]),
        (old, &["host: localhost"]),
        ("GET http://localhost:80/openapi.json HTTP/1.1", &["host: localhost:80"]),
        ("GET /healthz HTTP/1.0", &[]),
        ("GET /readyz HTTP/1.0", &[]),
    ] {
        assert_eq!(raw(&server, line, head).await.status, 200, "{line} {head:?}");
    }
    for (line, head) in [
        (get, &[][..]),
        (old, &[]),
        ("GET /healthz HTTP/1.1", &[]),
        ("POST /none HTTP/1.1", &[]),
        ("OPTIONS /models HTTP/1.1", &[]),
        (get, &["host: localhost", "host: localhost"]),
        ("GET /healthz HTTP/1.1", &["host: localhost", "host: evil.example"]),
        (get, &["host:"]),
        (get, &["host: a b"]),
        (get, &["host: a/b"]),
        (get, &["host: user@localhost"]),
        (get, &["host: localhost:port"]),
        (get, &["host: localhost:65536"]),
        (get, &["host: [::1"]),
        (get, &["host: a, b"]),
        (get, &["host: \u{e4}.example"]),
        ("GET http://evil.example/openapi.json HTTP/1.1", &["host: localhost"]),
        ("GET http://localhost/openapi.json HTTP/1.1", &[]),
    ] {
        let reply = raw(&server, line, head).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "invalid_host"), "{line} {head:?}");
        assert_eq!(reply.header("content-type"), Some("application/problem+json"));
    }
}

/// Asks over HTTP/2, and answers status and code.
async fn over_h2(server: &TestServer, uri: &str, host: Option<&str>) -> (u16, String) {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let (executor, io) = (TokioExecutor::new(), TokioIo::new(stream));
    let (mut sender, connection) = http2::handshake(executor, io).await.unwrap();
    tokio::spawn(connection);
    let mut request = Request::get(uri);
    if let Some(host) = host {
        request = request.header("host", host);
    }
    let request = request.body(Empty::<Bytes>::new()).unwrap();
    let answer = sender.send_request(request).await.unwrap();
    assert_eq!(answer.version(), Version::HTTP_2);
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    (status, body["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn http_2_names_the_host_in_its_target() {
    let server = TestServer::spawn().await;
    let refused = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(over_h2(&server, "http://localhost:1/models", None).await, refused(200, ""));
    assert_eq!(
        over_h2(&server, "http://localhost/models", Some("localhost")).await,
        refused(200, "")
    );
    assert_eq!(
        over_h2(&server, "http://evil.example/models", None).await,
        refused(403, "host_not_allowed")
    );
    assert_eq!(
        over_h2(&server, "http://localhost/models", Some("evil.example")).await,
        refused(400, "invalid_host")
    );
}
