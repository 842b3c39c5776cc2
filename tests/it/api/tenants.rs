//! Tenants: what belongs to one is not there for another, on any route of the description.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Response;
use serde_json::{Value, json};

use crate::support::{TestServer, pack};

struct Tenants {
    server: TestServer,
    a: String,
    b: String,
}

impl Tenants {
    async fn two() -> Self {
        let server = TestServer::locked(&["--dev"]).await;
        let make = async |tenant: &str| {
            server.create_key(&json!({"scopes": ["admin"], "tenant": tenant})).await.0
        };
        let (a, b) = (make("a").await, make("b").await);
        Self { server, a, b }
    }

    async fn call(&self, key: &str, method: &str, path: &str, body: Option<&Value>) -> Response {
        let request = self.server.build(method, path).bearer_auth(key);
        // A decision asks for a version before it looks for what it is about.
        let request = if path.starts_with("/memory-candidates/") {
            request.header("if-match", "\"1\"")
        } else {
            request
        };
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        request.send().await.expect("an answer")
    }

    async fn json(&self, key: &str, method: &str, path: &str, body: Option<&Value>) -> Value {
        self.call(key, method, path, body).await.json().await.expect("a body of JSON")
    }

    /// Makes one of each thing that has a name in a path, for tenant `a`: what the path calls it,
    /// and its name.
    async fn fill(&self) -> BTreeMap<&'static str, String> {
        let long = json!({"text": "a secret line\n".repeat(2000)});
        let artifact = self.json(&self.a, "POST", "/artifacts", Some(&long)).await;
        let adapter = json!({"detect": {"min_lines": 1}});
        self.call(&self.a, "PUT", "/adapters/ledger", Some(&adapter)).await;
        let skill = json!({"description": "a secret", "instructions": "i"});
        self.call(&self.a, "PUT", "/skills/ledger", Some(&skill)).await;
        self.call(&self.a, "PUT", "/memory/language", Some(&json!({"value": "a secret"}))).await;
        let key = self.json(&self.a, "POST", "/keys", Some(&json!({"scopes": ["compile"]}))).await;
        let proposal = json!({"value": "a secret", "class": "preference"});
        let candidate = self.json(&self.a, "POST", "/memory-candidates", Some(&proposal)).await;
        let hook = json!({"id": "scan", "point": "transform_context", "kind": "guard",
            "builtin": "secret_scan"});
        self.call(&self.a, "POST", "/hooks", Some(&hook)).await;
        let session = json!({"id": "chat-17", "defaults": {"system": "a secret"}});
        self.json(&self.a, "POST", "/sessions", Some(&session)).await;
        // Nobody answers there, so its calls wait.
        let deaf = json!({"id": "deaf", "point": "event", "kind": "observe",
            "url": "http://127.0.0.1:65535/"});
        self.call(&self.a, "POST", "/hooks", Some(&deaf)).await;
        self.call(&self.a, "PUT", "/memory/colour", Some(&json!({"value": "a secret"}))).await;
        let delivery = loop {
            let queued = self.json(&self.a, "GET", "/hooks/deaf/deliveries", None).await;
            if let Some(first) = queued["items"].get(0) {
                break first.clone();
            }
        };
        self.call(&self.a, "POST", "/packs", Some(&pack::minimal())).await;
        let compile = json!({"messages": [{"role": "user", "content": "a secret"}]});
        let compilation = self.json(&self.a, "POST", "/compile", Some(&compile)).await;
        let (path, label) = ("/sessions/chat-17/snapshots", json!({"label": "a secret"}));
        let snapshot = self.json(&self.a, "POST", path, Some(&label)).await;
        let id = |value: &Value| value["id"].as_str().expect("an id").to_owned();
        BTreeMap::from([
            ("/artifacts/{id}", id(&artifact)),
            ("/compilations/{id}", id(&compilation)),
            ("/v1/retrieve/{hash}", id(&artifact)),
            ("/adapters/{name}", "ledger".to_owned()),
            ("/skills/{name}", "ledger".to_owned()),
            ("/memory/{key}", "language".to_owned()),
            ("/keys/{id}", id(&key)),
            ("/hooks/{id}", "scan".to_owned()),
            ("/deliveries/{id}", id(&delivery)),
            ("/packs/{id}", "min".to_owned()),
            ("/memory-candidates/{id}", id(&candidate)),
            ("/sessions/{id}", "chat-17".to_owned()),
            ("/snapshots/{id}", id(&snapshot)),
        ])
    }
}

/// A body that the route takes where what its path names is there.
fn body_of(method: &str, path: &str) -> Option<Value> {
    match (method, path) {
        ("POST", "/adapters/{name}/test") => Some(json!({"text": "a\nb"})),
        ("POST", "/memory/{key}/restore") => Some(json!({"version": 1})),
        ("PATCH", "/memory/{key}") => Some(json!({"value": "b"})),
        ("POST", "/memory-candidates/{id}/review") => {
            Some(json!({"verdict": "approve", "reason": "r", "by": {"id": "x", "kind": "user"}}))
        }
        ("POST", "/memory-candidates/{id}/promote") => {
            Some(json!({"by": {"id": "x", "kind": "user"}}))
        }
        ("POST", "/sessions/{id}/usage") => Some(json!({"usage": {"prompt_tokens": 5}})),
        ("POST", "/sessions/{id}/restore") => Some(json!({"snapshot_id": "x"})),
        ("POST", "/sessions/{id}/delegations") => Some(json!({"agent_name": "a", "task": "t"})),
        ("POST", "/hooks/{id}/diff") => Some(json!({
            "point": "transform_context", "kind": "guard", "builtin": "secret_scan"
        })),
        ("POST" | "PATCH", _) => Some(json!({})),
        _ => None,
    }
}

/// A name of the same form that was never given to anything.
fn never(path: &str, name: &str) -> String {
    match path {
        "/artifacts/{id}" | "/v1/retrieve/{hash}" | "/keys/{id}" => name.chars().rev().collect(),
        _ => "never".to_owned(),
    }
}

/// What an answer tells, but for what differs from request to request.
async fn told(response: Response) -> (u16, String) {
    let status = response.status().as_u16();
    let text = response.text().await.expect("a body");
    let Ok(mut body) = serde_json::from_str::<Value>(&text) else { return (status, text) };
    if let Some(body) = body.as_object_mut() {
        body.shift_remove("request_id");
    }
    (status, body.to_string())
}

#[tokio::test]
async fn another_tenant_s_things_are_as_if_they_never_were() {
    let tenants = Tenants::two().await;
    let names = tenants.fill().await;
    let document = serde_json::to_value(contexture::http::openapi()).unwrap();
    // What these name is everybody's.
    let open = BTreeSet::from([
        "/docs/{file}",
        "/docs/guide/{file}",
        "/console/{file}",
        "/problems/{code}",
    ]);
    let mut tried = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some(end) = path.find('}').filter(|_| !open.contains(path.as_str())) else { continue };
        let noun = &path[..=end];
        let name = names.get(noun).unwrap_or_else(|| panic!("`fill` makes nothing for {noun}"));
        for method in methods.as_object().unwrap().keys() {
            let method = method.to_uppercase();
            // It makes what its path names.
            if method == "PUT" || path.ends_with("/turns") {
                continue;
            }
            let start = path.find('{').unwrap();
            let at = |name: &str| format!("{}{name}{}", &path[..start], &path[end + 1..]);
            let body = body_of(&method, path);
            let theirs = tenants.call(&tenants.b, &method, &at(name), body.as_ref()).await;
            let missing = at(&never(noun, name));
            let missing = tenants.call(&tenants.b, &method, &missing, body.as_ref()).await;
            let (theirs, missing) = (told(theirs).await, told(missing).await);
            // What would change in a hook that is not there yet is all of it.
            let expected = if path == "/hooks/{id}/diff" { 200 } else { 404 };
            assert_eq!(theirs.0, expected, "{method} {path}: {}", theirs.1);
            assert_eq!(theirs, missing, "{method} {path}");
            tried += 1;
        }
    }
    assert!(tried >= 10, "only {tried} routes were tried");
    // All of it is still there, and was there all the time.
    for (path, method) in [
        ("/artifacts/{id}", "GET"),
        ("/adapters/{name}", "GET"),
        ("/memory/{key}", "GET"),
        ("/keys/{id}", "PATCH"),
    ] {
        let start = path.find('{').unwrap();
        let path = format!("{}{}", &path[..start], names[path]);
        let body = (method == "PATCH").then(|| json!({}));
        let found = tenants.call(&tenants.a, method, &path, body.as_ref()).await;
        assert_eq!(found.status(), 200, "{path}");
    }
}

#[tokio::test]
async fn lists_and_sums_hold_what_is_one_s_own() {
    let tenants = Tenants::two().await;
    tenants.fill().await;
    let hello = json!({"messages": [{"role": "user", "content": "hello"}]});
    tenants.call(&tenants.a, "POST", "/compile", Some(&hello)).await;
    let document = serde_json::to_value(contexture::http::openapi()).unwrap();
    let shared = BTreeSet::from(["/hook-points", "/models"]);
    for (path, methods) in document["paths"].as_object().unwrap() {
        let is_list = methods["get"].to_string().contains("next_cursor")
            || methods["get"]["parameters"].to_string().contains("\"cursor\"");
        if !is_list || path.contains('{') || shared.contains(path.as_str()) {
            continue;
        }
        let theirs = tenants.json(&tenants.b, "GET", path, None).await;
        let own = tenants.json(&tenants.a, "GET", path, None).await;
        let text = theirs.to_string();
        let items = own["items"].as_array().unwrap();
        let is_built_in = |item: &&Value| item["builtin"] == true;
        let own: Vec<_> = items.iter().filter(|item| !is_built_in(item)).collect();
        assert!(!own.is_empty(), "{path} lists nothing for whom it should");
        for item in own {
            assert!(!text.contains(&item.to_string()), "{path} shows {item}");
        }
    }
    let cleaned = json!({"max_count": 0});
    let cleaned = tenants.json(&tenants.b, "POST", "/artifacts/cleanup", Some(&cleaned)).await;
    assert_eq!(cleaned["evicted"], json!([]));
}

#[tokio::test]
async fn what_is_remembered_of_one_is_unknown_to_another() {
    let tenants = Tenants::two().await;
    let compress = json!({"text": "the same line\n".repeat(300), "level": "lossless"});
    let answer = tenants.json(&tenants.a, "POST", "/compress", Some(&compress)).await;
    let id = json!({"id": answer["id"]});
    let own = tenants.json(&tenants.a, "POST", "/expand", Some(&id)).await;
    assert_eq!(own["text"], compress["text"]);
    let theirs = tenants.json(&tenants.b, "POST", "/expand", Some(&id)).await;
    assert!(!theirs.to_string().contains("the same line"), "{theirs}");

    let mut hello = json!({"messages": [{"role": "user", "content": "hello"}]});
    hello["session_id"] = json!("one");
    tenants.call(&tenants.a, "POST", "/compile", Some(&hello)).await;
    hello["messages"][0]["content"] = json!("another beginning");
    let theirs = tenants.json(&tenants.b, "POST", "/compile", Some(&hello)).await;
    assert_eq!(theirs["report"]["cache"]["first_change"], Value::Null);
    let own = tenants.json(&tenants.a, "POST", "/compile", Some(&hello)).await;
    assert_ne!(own["report"]["cache"]["first_change"], Value::Null);
}

#[tokio::test]
async fn an_idempotency_key_is_one_s_own() {
    let tenants = Tenants::two().await;
    for (key, text) in [(&tenants.a, "one"), (&tenants.b, "two")] {
        let request = tenants.server.build("POST", "/artifacts").bearer_auth(key);
        let request = request.header("idempotency-key", "k").json(&json!({"text": text}));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.json::<Value>().await.unwrap()["text"], text);
    }
}
