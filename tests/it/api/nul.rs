//! The character NUL in paths, queries and bodies: PostgreSQL holds none in a text, so both stores
//! refuse it in names, and keep it in values.

use serde_json::{Value, json};

use crate::support::{TestServer, database, pointers, problem};

const NUL: &str = "a\0b";

fn document() -> Value {
    serde_json::to_value(contexture::http::openapi()).expect("the document serialises")
}

/// Every operation: method, path and description.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            found.push((method.to_uppercase(), path.clone(), operation));
        }
    }
    assert!(found.len() > 100, "{}", found.len());
    found
}

/// A server on each store that there is to test with.
async fn servers() -> Vec<TestServer> {
    let mut servers = vec![TestServer::with(&["--database-url", "memory:", "--dev"]).await];
    if let Some(url) = database::postgres() {
        servers.push(TestServer::with(&["--database-url", &url, "--dev"]).await);
    }
    servers
}

/// The schema that a reference leads to.
fn resolve<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str().and_then(|to| to.strip_prefix('#')) {
        Some(to) => resolve(document, document.pointer(to).expect("a schema")),
        None => schema,
    }
}

/// Bodies that hold a NUL at one place that the schema describes, laid over `base`.
fn variants(document: &Value, schema: &Value, depth: usize) -> Vec<Value> {
    let schema = resolve(document, schema);
    let mut found = Vec::new();
    for one in ["oneOf", "anyOf", "allOf"] {
        for inner in schema[one].as_array().into_iter().flatten() {
            found.extend(variants(document, inner, depth));
        }
    }
    let is = |kind: &str| {
        schema["type"] == kind
            || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&json!(kind)))
    };
    if is("string") || schema["type"].is_null() {
        found.push(json!(NUL));
    }
    if depth < 5 {
        if is("array") {
            let items = variants(document, &schema["items"], depth + 1);
            found.extend(items.into_iter().map(|item| json!([item])));
        }
        for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
            let inner = variants(document, inner, depth + 1);
            found.extend(inner.into_iter().map(|value| json!({key: value})));
        }
        if is("object") {
            found.extend([json!({NUL: 1}), json!({"k": NUL})]);
        }
    }
    found
}

fn merged(base: &Value, over: &Value) -> Value {
    let (Value::Object(base), Value::Object(over)) = (base, over) else { return over.clone() };
    let mut all = base.clone();
    for (key, value) in over {
        let value = base.get(key).map_or_else(|| value.clone(), |below| merged(below, value));
        all.insert(key.clone(), value);
    }
    Value::Object(all)
}

/// `value` with NUL in the place of each of its texts, one after the other.
fn leaves(value: &Value) -> Vec<Value> {
    match value {
        Value::String(_) => vec![json!(NUL)],
        Value::Array(items) => {
            let all = items.iter().enumerate();
            all.flat_map(|(at, item)| {
                leaves(item).into_iter().map(move |new| {
                    let mut items = items.clone();
                    items[at] = new;
                    Value::Array(items)
                })
            })
            .collect()
        }
        Value::Object(members) => {
            let all = members.iter();
            all.flat_map(|(key, item)| {
                leaves(item).into_iter().map(move |new| {
                    let mut members = members.clone();
                    members.insert(key.clone(), new);
                    Value::Object(members)
                })
            })
            .collect()
        }
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn a_nul_in_a_path_or_query_is_refused_on_every_route() {
    let document = document();
    for server in servers().await {
        for (method, path, operation) in operations(&document) {
            let plain: Vec<&str> = path
                .split('/')
                .map(|piece| if piece.starts_with('{') { "x" } else { piece })
                .collect();
            for (at, name) in path.split('/').enumerate().filter(|(_, name)| name.starts_with('{'))
            {
                let mut pieces = plain.clone();
                pieces[at] = "a%00b";
                let answer = server.build_json(&method, &pieces.join("/")).body("{}").send().await;
                let told = problem(answer.unwrap(), 422, "invalid_request").await;
                let detail = told["detail"].as_str().unwrap();
                assert!(detail.contains(&format!("`{name}`")), "{method} {path}: {detail}");
            }
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                if parameter["in"] != "query" {
                    continue;
                }
                let name = parameter["name"].as_str().unwrap();
                let at = format!("{}?{name}=a%00b", plain.join("/"));
                let answer = server.build(&method, &at).send().await.unwrap();
                if path == "/events" && name == "ticket" {
                    // A ticket is looked for before anything else is read.
                    problem(answer, 401, "unauthenticated").await;
                    continue;
                }
                let told = problem(answer, 422, "invalid_request").await;
                let detail = told["detail"].as_str().unwrap();
                assert!(detail.contains(&format!("`{name}`")), "{method} {path}: {detail}");
            }
        }
        let twice = server.get("/memory?prefix=a%2500b").await;
        assert_eq!(twice.status(), 200, "an encoded percent sign is no NUL");
        // What encodes a NUL in a cursor is no cursor.
        problem(server.get("/memory?cursor=YQBi").await, 422, "invalid_request").await;
    }
}

/// What each body with a NUL came to, as method, path, body and status.
async fn outcomes(server: &TestServer, document: &Value) -> Vec<String> {
    let send = async |method: &str, path: &str, body: &Value| {
        server.build(method, path).json(body).send().await.expect("an answer")
    };
    send("PUT", "/memory/language", &json!({"value": 1})).await;
    send("POST", "/sessions", &json!({"id": "chat-17"})).await;
    send("PUT", "/skills/one", &json!({"description": "d", "instructions": "i"})).await;
    let hook = json!({"id": "scan", "point": "transform_context", "kind": "guard",
        "builtin": "secret_scan"});
    send("POST", "/hooks", &hook).await;
    let proposed = json!({"value": 1, "class": "preference"});
    let candidate: Value =
        send("POST", "/memory-candidates", &proposed).await.json().await.expect("a candidate");
    let candidate = candidate["id"].as_str().expect("an id");
    let mut rows = Vec::new();
    for (method, path, operation) in operations(document) {
        let media = &operation["requestBody"]["content"]["application/json"];
        // From the first key on all others would be refused.
        if media.is_null() || path.starts_with("/keys") {
            continue;
        }
        let base = match &media["example"] {
            Value::Null => resolve(document, &media["schema"])["example"].clone(),
            example => example.clone(),
        };
        let at = path
            .replace("/sessions/{id}", "/sessions/chat-17")
            .replace("/hooks/{id}", "/hooks/scan")
            .replace("/memory-candidates/{id}", &format!("/memory-candidates/{candidate}"))
            .replace("{key}", "language")
            .replace("{name}", "one")
            .replace("{version}", "1.0.0")
            .replace("{id}", "x");
        let over = variants(document, &media["schema"], 0);
        let mut bodies: Vec<Value> = over.iter().map(|over| merged(&base, over)).collect();
        bodies.extend(leaves(&base));
        bodies.dedup();
        for body in bodies {
            let status = send(&method, &at, &body).await.status().as_u16();
            assert!(status < 500, "{method} {at} {body}: {status}");
            rows.push(format!("{method} {path} {body}: {status}"));
        }
    }
    rows
}

#[tokio::test]
async fn a_nul_in_a_body_is_served_or_refused_alike_on_every_store() {
    let document = document();
    let mut before: Option<Vec<String>> = None;
    for server in servers().await {
        let rows = outcomes(&server, &document).await;
        assert!(rows.len() > 400, "{}", rows.len());
        if let Some(before) = &before {
            let differing: Vec<_> = before.iter().zip(&rows).filter(|(a, b)| a != b).collect();
            assert!(differing.is_empty() && before.len() == rows.len(), "{differing:#?}");
        }
        before = Some(rows);
    }
}

#[tokio::test]
async fn names_and_descriptions_hold_no_nul_and_values_do() {
    for server in servers().await {
        server.post("/sessions", &json!({"id": "s"})).await;
        let conversation = json!([{"role": "user", "content": "hi"}]);
        for (method, path, body, pointer) in [
            ("PUT", "/memory/k", json!({"value": 1, "description": NUL}), "/description"),
            ("PATCH", "/memory/k", json!({"description": NUL}), "/description"),
            (
                "POST",
                "/memory-candidates",
                json!({"value": 1, "class": "preference", "description": NUL}),
                "/description",
            ),
            ("POST", "/compile", json!({"messages": conversation, "model": NUL}), "/model"),
            ("POST", "/compress", json!({"messages": conversation, "model": NUL}), "/model"),
            ("POST", "/compile", json!({"messages": conversation, "skill": NUL}), "/skill"),
            (
                "POST",
                "/compile",
                json!({"messages": conversation, "skill": {"name": NUL}}),
                "/skill/name",
            ),
            ("POST", "/sessions/s/restore", json!({"snapshot_id": NUL}), "/snapshot_id"),
            ("POST", "/sessions", json!({"defaults": {"model": NUL}}), "/defaults/model"),
            ("POST", "/tools/calls", json!({"calls": [], "session_id": NUL}), "/session_id"),
            ("POST", "/keys", json!({"scopes": ["admin"], "tenant": NUL}), "/tenant"),
            ("POST", "/keys", json!({"scopes": ["admin"], "name": NUL}), "/name"),
        ] {
            let answer = server.build(method, path).json(&body).send().await.unwrap();
            let told = problem(answer, 422, "invalid_request").await;
            assert_eq!(pointers(&told), [pointer], "{method} {path} {body}");
        }
        let value = json!({"text": NUL, NUL: [NUL]});
        let put = server.build("PUT", "/memory/value").json(&json!({"value": value})).send().await;
        assert!(put.unwrap().status().is_success());
        let kept = server.get_json("/memory/value").await;
        assert_eq!(kept["value"], value);
        let stored = json!({"text": NUL.repeat(3_000), "threshold": 1});
        let stored = server.post_ok("/artifacts", &stored).await;
        let path = format!("/artifacts/{}", stored["id"].as_str().unwrap());
        assert_eq!(server.get(&path).await.text().await.unwrap(), NUL.repeat(3_000));
    }
}
