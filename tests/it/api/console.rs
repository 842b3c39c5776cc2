//! The console, tickets for its stream, and which pages may read answers.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{BOOTSTRAP_KEY, TestServer, database, json_of, problem};

#[tokio::test]
async fn the_console_needs_nothing_from_elsewhere_and_runs_no_script_of_others() {
    let server = TestServer::locked(&[]).await;
    for (path, media) in [
        ("/", "text/html; charset=utf-8"),
        ("/console/console.js", "text/javascript; charset=utf-8"),
        ("/console/console.css", "text/css; charset=utf-8"),
    ] {
        let answer = server.get(path).await;
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["content-type"]),
            (200, &media.parse().unwrap())
        );
        let policy = answer.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        // A text that a script sets as markup is refused, whatever the script is.
        assert!(policy.contains("require-trusted-types-for 'script'; trusted-types 'none'"));
        let text = answer.text().await.unwrap();
        for elsewhere in ["https://", "src=\"//", "onclick=", "style=\"", "eval(", "<script>"] {
            assert!(!text.contains(elsewhere), "{path}: {elsewhere}");
        }
    }
    problem(server.get("/console/none.js").await, 404, "not_found").await;
}

#[tokio::test]
async fn who_looks_for_the_console_at_its_name_is_sent_to_it() {
    let server = TestServer::locked(&[]).await;
    for path in ["/console", "/console/"] {
        let page = server.get(path).await;
        assert_eq!((page.status().as_u16(), page.url().path()), (200, "/"), "{path}");
    }
    problem(server.build("POST", "/console").send().await.unwrap(), 404, "not_found").await;
}

/// The first piece of a stream.
async fn begins(mut stream: reqwest::Response) -> String {
    assert_eq!(stream.status(), 200);
    let piece = tokio::time::timeout(Duration::from_secs(10), stream.chunk()).await;
    String::from_utf8(piece.unwrap().unwrap().unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn a_ticket_opens_one_stream_of_its_tenant_and_no_other() {
    let server = TestServer::locked(&[]).await;
    let as_admin = |method: &str, path: &str| server.build(method, path).bearer_auth(BOOTSTRAP_KEY);
    let ticket = async || -> Value {
        let given = as_admin("POST", "/events/ticket").send().await.unwrap();
        assert_eq!(given.status(), 201);
        given.json().await.unwrap()
    };
    let given = ticket().await;
    assert_eq!(given["expires_in_seconds"], 30);
    let path = |given: &Value| format!("/events?ticket={}", given["ticket"].as_str().unwrap());
    assert!(begins(server.get(&path(&given)).await).await.contains("retry: 2000"));
    problem(server.get(&path(&given)).await, 401, "unauthenticated").await;
    problem(server.get("/events?ticket=guess").await, 401, "unauthenticated").await;
    // It opens nothing else.
    let other = format!("/hooks?ticket={}", ticket().await["ticket"].as_str().unwrap());
    problem(server.get(&other).await, 401, "unauthenticated").await;
    problem(server.post("/events/ticket", &json!({})).await, 401, "unauthenticated").await;
    let (weak, _) = server.create_key(&json!({"scopes": ["compile"]})).await;
    let refused = server.build("POST", "/events/ticket").bearer_auth(weak);
    problem(refused.send().await.unwrap(), 403, "forbidden").await;
}

#[tokio::test]
async fn a_ticket_is_good_once_at_any_node_and_as_long_as_its_key() {
    let Some(database) = database::postgres() else { return };
    let flags = ["--database-url", &database];
    let (one, other) = (TestServer::locked(&flags).await, TestServer::locked(&flags).await);
    let (key, id) = one.create_key(&json!({"scopes": ["events:read"]})).await;
    let ticket = async || -> String {
        let given = one.build("POST", "/events/ticket").bearer_auth(&key).send().await.unwrap();
        let given = json_of(given, 201).await;
        format!("/events?ticket={}", given["ticket"].as_str().unwrap())
    };
    let path = ticket().await;
    assert!(begins(other.get(&path).await).await.contains("retry: 2000"));
    problem(one.get(&path).await, 401, "unauthenticated").await;
    let path = ticket().await;
    let revoked = one.call(BOOTSTRAP_KEY, "DELETE", &format!("/keys/{id}"), &Value::Null).await;
    assert_eq!(revoked.status(), 204);
    problem(other.get(&path).await, 401, "unauthenticated").await;
}

#[tokio::test]
async fn pages_of_the_origins_that_are_named_may_read_and_no_others() {
    let named = "https://app.example.com";
    let server =
        TestServer::with(&["--cors-origin", "https://app.example.com,http://localhost:3000"]).await;
    let ask = async |method: &str, origin: &str| {
        let request = server.build(method, "/models").header("origin", origin);
        let request = request.header("access-control-request-method", "POST");
        request.header("access-control-request-headers", "authorization").send().await.unwrap()
    };
    let preflight = ask("OPTIONS", named).await;
    assert_eq!(
        (preflight.status().as_u16(), &preflight.headers()["access-control-allow-origin"]),
        (200, &named.parse().unwrap())
    );
    let headers = preflight.headers()["access-control-allow-headers"].to_str().unwrap();
    assert!(headers.contains("authorization") && headers.contains("last-event-id"), "{headers}");
    let answer = ask("GET", named).await;
    assert_eq!(answer.headers()["access-control-allow-origin"], named);
    assert!(!answer.headers().contains_key("access-control-allow-credentials"));
    for stranger in ["https://app.example.com.evil.example", "http://app.example.com", "null"] {
        for method in ["OPTIONS", "GET"] {
            let answer = ask(method, stranger).await;
            assert!(!answer.headers().contains_key("access-control-allow-origin"), "{stranger}");
        }
    }
    let plain = TestServer::spawn().await;
    let answer = plain.build("GET", "/models").header("origin", named).send().await.unwrap();
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
    problem(answer, 403, "cross_origin").await;
}
