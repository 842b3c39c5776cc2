//! Requests to a test server that assert the status of their response.

use std::panic::Location;

use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use super::TestServer;
use super::compile::Compiled;

/// The bootstrap key of [`TestServer::locked`].
pub const BOOTSTRAP_KEY: &str = "bootstrap-secret-of-at-least-32-characters";

/// Asserts the status, and reads the body as JSON.
#[track_caller]
pub fn json_of(response: Response, status: u16) -> impl Future<Output = Value> {
    read(response, move |found| found == status, Location::caller())
}

/// Sends a request, asserts a status of 2xx, and reads the body as JSON.
#[track_caller]
fn send_ok(request: RequestBuilder) -> impl Future<Output = Value> {
    let at = Location::caller();
    async move { read(request.send().await.expect("a response"), is_success, at).await }
}

fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

async fn read(
    response: Response,
    is_expected: impl Fn(u16) -> bool,
    at: &'static Location<'static>,
) -> Value {
    let (status, url) = (response.status(), response.url().clone());
    let text = response.text().await.expect("a body");
    assert!(is_expected(status.as_u16()), "{at}: {url}: {status}: {text}");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{at}: {url}: {error}: {text}"))
}

impl TestServer {
    /// Starts a server that requires keys and has [`BOOTSTRAP_KEY`], with more flags.
    pub async fn locked(flags: &[&str]) -> Self {
        Self::with(&[&["--bootstrap-key", BOOTSTRAP_KEY], flags].concat()).await
    }

    /// Starts a server whose hooks may call receivers on this machine.
    pub async fn dev() -> Self {
        Self::with(&["--dev"]).await
    }

    /// Reads with more headers.
    pub async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        let request = headers
            .iter()
            .fold(self.build("GET", path), |request, (name, value)| request.header(*name, *value));
        request.send().await.expect("a response")
    }

    /// Reads text, and asserts the status 200.
    pub async fn get_text(&self, path: &str) -> String {
        let response = self.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        response.text().await.expect("a body")
    }

    /// Stores a text as an artifact, and returns its id.
    pub async fn put_artifact(&self, text: &str) -> String {
        let body = json!({"text": text, "threshold": 0, "tail_chars": 0});
        let answer = self.post_json("/artifacts", 201, &body).await;
        answer["id"].as_str().expect("an id").to_owned()
    }

    pub async fn put(&self, path: &str, body: &Value) -> Response {
        self.build("PUT", path).json(body).send().await.expect("a response")
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Response {
        self.build("PATCH", path).json(body).send().await.expect("a response")
    }

    pub async fn delete(&self, path: &str) -> Response {
        self.build("DELETE", path).send().await.expect("a response")
    }

    pub async fn send(&self, method: &str, path: &str, body: &Value) -> Response {
        self.build(method, path).json(body).send().await.expect("a response")
    }

    /// Sends a request with the header `If-Match`, if there is a tag.
    pub async fn send_if_match(
        &self,
        method: &str,
        path: &str,
        tag: Option<&str>,
        body: &Value,
    ) -> Response {
        let request = self.build(method, path).json(body);
        let request = match tag {
            Some(tag) => request.header("if-match", tag),
            None => request,
        };
        request.send().await.expect("a response")
    }

    /// Posts a body with an idempotency key.
    pub async fn post_once(&self, path: &str, key: &str, body: &str) -> Response {
        let request = self.build_json("POST", path).header("idempotency-key", key);
        request.body(body.to_owned()).send().await.expect("a response")
    }

    /// Posts a body, and returns the status and the JSON of the response.
    pub async fn post_any(&self, path: &str, body: &Value) -> (u16, Value) {
        let response = self.post(path, body).await;
        (response.status().as_u16(), response.json().await.expect("a response of JSON"))
    }

    /// Deletes, and asserts the status 204.
    pub async fn delete_ok(&self, path: &str) {
        assert_eq!(self.delete(path).await.status(), 204, "{path}");
    }

    pub async fn put_adapter(&self, name: &str, definition: &Value) -> Response {
        self.put(&format!("/adapters/{name}"), definition).await
    }

    pub async fn delete_adapter(&self, name: &str) -> Response {
        self.delete(&format!("/adapters/{name}")).await
    }

    pub async fn put_skill(&self, name: &str, skill: &Value) -> Response {
        self.put(&format!("/skills/{name}"), skill).await
    }

    /// Sends a request with a key. `GET` has no body.
    pub async fn call(&self, key: &str, method: &str, path: &str, body: &Value) -> Response {
        let request = self.build(method, path).bearer_auth(key);
        let request = if method == "GET" { request } else { request.json(body) };
        request.send().await.expect("a response")
    }

    /// Sends a request with a key, and asserts a status of 2xx.
    #[track_caller]
    pub fn call_ok(
        &self,
        key: &str,
        method: &str,
        path: &str,
        body: &Value,
    ) -> impl Future<Output = Value> + use<> {
        let request = self.build(method, path).bearer_auth(key);
        send_ok(if method == "GET" { request } else { request.json(body) })
    }

    /// Reads JSON, and asserts the status 200.
    #[track_caller]
    pub fn get_json(&self, path: &str) -> impl Future<Output = Value> + use<> {
        let (request, at) = (self.build("GET", path), Location::caller());
        async move { read(request.send().await.expect("a response"), |found| found == 200, at).await }
    }

    /// Posts a body, and asserts this status.
    #[track_caller]
    pub fn post_json(
        &self,
        path: &str,
        status: u16,
        body: &Value,
    ) -> impl Future<Output = Value> + use<> {
        let (request, at) = (self.build("POST", path).json(body), Location::caller());
        async move {
            let response = request.send().await.expect("a response");
            read(response, move |found| found == status, at).await
        }
    }

    /// Posts a body, and asserts a status of 2xx.
    #[track_caller]
    pub fn post_ok(&self, path: &str, body: &Value) -> impl Future<Output = Value> + use<> {
        send_ok(self.build("POST", path).json(body))
    }

    /// Creates a key with the bootstrap key, and returns its text and its id.
    pub async fn create_key(&self, wanted: &Value) -> (String, String) {
        let made = json_of(self.call(BOOTSTRAP_KEY, "POST", "/keys", wanted).await, 201).await;
        (made["key"].as_str().unwrap().to_owned(), made["id"].as_str().unwrap().to_owned())
    }

    /// Registers a hook, and returns it with its secret. Asserts the status 201.
    #[track_caller]
    pub fn register(&self, hook: &Value) -> impl Future<Output = Value> + use<> {
        self.post_json("/hooks", 201, hook)
    }

    /// Changes a hook, and returns it. Asserts a status of 2xx.
    #[track_caller]
    pub fn change_hook(&self, id: &str, change: &Value) -> impl Future<Output = Value> + use<> {
        send_ok(self.build("PATCH", &format!("/hooks/{id}")).json(change))
    }

    /// Puts an entry of memory, with no assertion.
    pub async fn put_memory(&self, key: &str, body: &Value) -> Response {
        self.put(&format!("/memory/{key}"), body).await
    }

    /// Puts an entry of memory, and asserts a status of 2xx.
    #[track_caller]
    pub fn remember(&self, key: &str, body: &Value) -> impl Future<Output = Value> + use<> {
        send_ok(self.build("PUT", &format!("/memory/{key}")).json(body))
    }

    /// Puts an entry of memory in the scope of a session, and asserts a status of 2xx.
    #[track_caller]
    pub fn remember_in(
        &self,
        session: &str,
        key: &str,
        value: &str,
    ) -> impl Future<Output = Value> + use<> {
        self.remember(key, &json!({"value": value, "scope": {"session_id": session}}))
    }

    /// Compiles in a session.
    pub async fn compile_in(&self, session: &str, mut body: Value) -> Compiled {
        body["session_id"] = json!(session);
        self.compile(&body).await
    }

    /// Returns all events so far, in order.
    pub async fn events(&self) -> Vec<Value> {
        let mut page = self.get_json("/events?format=json&after=0&limit=1000").await;
        let Value::Array(items) = page["items"].take() else { panic!("no list in {page}") };
        items
    }

    /// Returns the data of all events of one type, in order.
    pub async fn events_of(&self, kind: &str) -> Vec<Value> {
        let events = self.events().await.into_iter();
        events.filter(|event| event["type"] == kind).map(|mut event| event["data"].take()).collect()
    }
}
