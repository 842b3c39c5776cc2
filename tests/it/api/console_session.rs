//! Signing in to the console: a key for a cookie, what the cookie opens, and what it does not.

use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};

use crate::support::{BOOTSTRAP_KEY, TestServer, database, json_of, problem};

/// A browser that signed in.
struct Browser {
    cookie: String,
    csrf: String,
}

impl Browser {
    async fn sign_in(server: &TestServer, key: &str) -> Self {
        let made = server.build("POST", "/console/session").bearer_auth(key).send().await.unwrap();
        let set = made.headers()["set-cookie"].to_str().unwrap().to_owned();
        assert!(set.starts_with("contexture-console="), "{set}");
        assert!(set.ends_with("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict"), "{set}");
        assert!(!set.contains(key), "{set}");
        assert_eq!(made.headers()["cache-control"], "no-store");
        let who: Value = json_of(made, 201).await;
        assert!(!who.to_string().contains(key), "{who}");
        Self {
            cookie: set.split_once(';').unwrap().0.to_owned(),
            csrf: who["csrf_token"].as_str().unwrap().to_owned(),
        }
    }

    fn build(&self, server: &TestServer, method: &str, path: &str) -> RequestBuilder {
        server.build(method, path).header("cookie", format!("theme=dark; {}", self.cookie))
    }

    async fn get(&self, server: &TestServer, path: &str) -> Response {
        self.build(server, "GET", path).send().await.unwrap()
    }

    async fn write(&self, server: &TestServer, method: &str, path: &str) -> Response {
        let request = self.build(server, method, path).header("contexture-csrf", &self.csrf);
        request.json(&json!({"value": 1})).send().await.unwrap()
    }
}

#[tokio::test]
async fn a_key_is_exchanged_for_a_cookie_that_opens_what_the_key_opens() {
    let server = TestServer::locked(&[]).await;
    let (key, id) = server.create_key(&json!({"scopes": ["memory:write", "compile"]})).await;
    let browser = Browser::sign_in(&server, &key).await;
    let who = json_of(browser.get(&server, "/console/session").await, 200).await;
    let wanted = json!({"tenant": "default", "key": id, "scopes": ["compile", "memory:write"],
        "csrf_token": browser.csrf});
    assert_eq!(who, wanted);
    assert_eq!(browser.get(&server, "/compilations").await.status(), 200);
    problem(browser.get(&server, "/hooks").await, 403, "forbidden").await;
    assert_eq!(browser.write(&server, "PUT", "/memory/one").await.status(), 201);

    // The key wins, so a program that has both is the holder of its key.
    let both = browser.build(&server, "GET", "/hooks").bearer_auth(BOOTSTRAP_KEY);
    assert_eq!(both.send().await.unwrap().status(), 200);
    for wrong in ["guess", ""] {
        let made = server.build("POST", "/console/session").bearer_auth(wrong);
        let refused = made.send().await.unwrap();
        assert!(!refused.headers().contains_key("set-cookie"));
        problem(refused, 401, "unauthenticated").await;
        let cookie = format!("contexture-console={wrong}");
        problem(server.get_with("/models", &[("cookie", &cookie)]).await, 401, "unauthenticated")
            .await;
    }
    // The cookie's token is no ticket, and a ticket no cookie.
    let token = browser.cookie.split_once('=').unwrap().1;
    problem(server.get(&format!("/events?ticket={token}")).await, 401, "unauthenticated").await;
    let ticket = server.call_ok(BOOTSTRAP_KEY, "POST", "/events/ticket", &Value::Null).await;
    let cookie = format!("contexture-console={}", ticket["ticket"].as_str().unwrap());
    problem(server.get_with("/models", &[("cookie", &cookie)]).await, 401, "unauthenticated").await;
}

#[tokio::test]
async fn a_write_with_the_cookie_needs_the_token_of_its_page() {
    let server = TestServer::locked(&[]).await;
    let browser = Browser::sign_in(&server, BOOTSTRAP_KEY).await;
    let other = Browser::sign_in(&server, BOOTSTRAP_KEY).await;
    let put = |csrf: Option<&str>| {
        let request = browser.build(&server, "PUT", "/memory/one").json(&json!({"value": 1}));
        match csrf {
            Some(csrf) => request.header("contexture-csrf", csrf),
            None => request,
        }
    };
    for wrong in [None, Some(""), Some("guess"), Some(other.csrf.as_str())] {
        let refused = problem(put(wrong).send().await.unwrap(), 403, "forbidden").await;
        assert!(refused["detail"].as_str().unwrap().contains("contexture-csrf"), "{refused}");
    }
    assert_eq!(put(Some(&browser.csrf)).send().await.unwrap().status(), 201);
    // Pages of other origins are refused before that, those of another port too.
    for origin in ["http://127.0.0.1:1", "https://evil.example", "null"] {
        let request = put(Some(&browser.csrf)).header("origin", origin);
        problem(request.send().await.unwrap(), 403, "cross_origin").await;
    }
    // A page that came over TLS gets a cookie that goes over TLS alone.
    let request = server.build("POST", "/console/session").bearer_auth(BOOTSTRAP_KEY);
    let host = server.url("");
    let origin = host.trim_end_matches('/').replace("http://", "https://");
    let made = request.header("origin", origin).send().await.unwrap();
    assert!(made.headers()["set-cookie"].to_str().unwrap().ends_with("; Secure"));
}

#[tokio::test]
async fn a_session_ends_with_a_sign_out_and_with_its_key() {
    let server = TestServer::locked(&[]).await;
    let (key, id) = server.create_key(&json!({"scopes": ["compile"]})).await;
    let (one, two) = (Browser::sign_in(&server, &key).await, Browser::sign_in(&server, &key).await);
    let out = one.write(&server, "DELETE", "/console/session").await;
    assert_eq!(out.status(), StatusCode::NO_CONTENT);
    let set = out.headers()["set-cookie"].to_str().unwrap();
    assert!(set.starts_with("contexture-console=; Path=/; Max-Age=0;"), "{set}");
    problem(one.get(&server, "/models").await, 401, "unauthenticated").await;
    assert_eq!(two.get(&server, "/compilations").await.status(), 200);
    let path = format!("/keys/{id}");
    let revoked = server.call(BOOTSTRAP_KEY, "DELETE", &path, &Value::Null).await;
    assert_eq!(revoked.status(), StatusCode::NO_CONTENT);
    problem(two.get(&server, "/compilations").await, 401, "unauthenticated").await;
}

#[tokio::test]
async fn a_server_without_keys_says_who_anyone_is() {
    let server = TestServer::spawn().await;
    let who = server.get_json("/console/session").await;
    assert_eq!((&who["key"], &who["csrf_token"]), (&Value::Null, &Value::Null));
    assert!(who["scopes"].as_array().unwrap().contains(&json!("admin")), "{who}");
    // A cookie of another server on this host does no harm.
    let cookie = [("cookie", "contexture-console=of-another-server")];
    assert_eq!(server.get_with("/compilations", &cookie).await.status(), 200);
}

#[tokio::test]
async fn a_session_is_good_at_every_node() {
    let Some(database) = database::postgres() else { return };
    let flags = ["--database-url", &database];
    let (one, two) = (TestServer::locked(&flags).await, TestServer::locked(&flags).await);
    let browser = Browser::sign_in(&one, BOOTSTRAP_KEY).await;
    assert_eq!(browser.get(&two, "/compilations").await.status(), 200);
    assert_eq!(browser.write(&two, "DELETE", "/console/session").await.status(), 204);
    problem(browser.get(&one, "/compilations").await, 401, "unauthenticated").await;
}
