//! Keys: who is served, what a key may do, how much, and when it ends.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::wait::until_within;
use crate::support::{BOOTSTRAP_KEY, TestServer, json_of, pointers, problem};

fn hello() -> Value {
    json!({"messages": [{"role": "user", "content": "hello"}]})
}

#[tokio::test]
async fn without_a_key_anybody_is_served_until_there_is_one() {
    let server = TestServer::spawn().await;
    let with_a_header = server.call("whatever", "POST", "/compile", &hello()).await;
    assert_eq!(with_a_header.status(), 200);
    let weak = json!({"scopes": ["compile"]});
    let refused = problem(server.post("/keys", &weak).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/scopes");
    assert_eq!(server.post("/compile", &hello()).await.status(), 200);

    let made = server.post_json("/keys", 201, &json!({"scopes": ["admin"], "name": "first"})).await;
    let key = made["key"].as_str().unwrap();
    assert!(key.starts_with("cx_live_") && key.len() == 74, "{made}");
    assert_eq!(key[8..24], *made["id"].as_str().unwrap());
    let refused = server.post("/compile", &hello()).await;
    assert_eq!(refused.headers()["www-authenticate"], "Bearer realm=\"contexture\"");
    problem(refused, 401, "unauthenticated").await;
    assert_eq!(server.call(key, "POST", "/compile", &hello()).await.status(), 200);
    for path in ["/healthz", "/readyz", "/openapi.json", "/problems", "/docs/"] {
        assert_eq!(server.get(path).await.status(), 200, "{path}");
    }
    assert_eq!(server.get("/nowhere").await.status(), 404);
    assert_eq!(server.build("PUT", "/compile").send().await.unwrap().status(), 405);
}

#[tokio::test]
async fn a_key_opens_what_its_scopes_name_and_nothing_else() {
    let server = TestServer::locked(&[]).await;
    let (key, _) = server.create_key(&json!({"scopes": ["compile", "adapters:read"]})).await;
    assert_eq!(server.call(&key, "POST", "/compile", &hello()).await.status(), 200);
    assert_eq!(server.call(&key, "GET", "/models", &Value::Null).await.status(), 200);
    assert_eq!(server.call(&key, "GET", "/adapters", &Value::Null).await.status(), 200);
    let head = server.build("HEAD", "/adapters").bearer_auth(&key).send().await.unwrap();
    assert_eq!(head.status(), 200);
    for (method, path) in [
        ("POST", "/compress"),
        ("POST", "/artifacts"),
        ("PUT", "/adapters/one"),
        ("GET", "/metrics"),
        ("GET", "/keys"),
        ("POST", "/keys"),
        ("GET", "/usage"),
    ] {
        let refused = server.call(&key, method, path, &json!({})).await;
        problem(refused, 403, "forbidden").await;
    }
    let (admin, _) = server.create_key(&json!({"scopes": ["admin"]})).await;
    assert_eq!(server.call(&admin, "GET", "/metrics", &Value::Null).await.status(), 200);
}

#[tokio::test]
async fn a_turn_writes_nothing_that_its_key_may_not_write() {
    let server = TestServer::locked(&[]).await;
    let turn = |messages: Value| json!({"append": messages, "memory": true});
    let hello = json!({"role": "user", "content": "hello"});
    let wish = json!({"id": "c1", "type": "function", "function": {"name": "create_memory",
        "arguments": "{\"key\": \"k\", \"value\": \"v\"}"}});
    let wish = json!({"role": "assistant", "content": null, "tool_calls": [wish]});
    let (plain, remembering) = (turn(json!([hello])), turn(json!([hello, wish])));
    let take = async |key: &str, session: &str, body: &Value| {
        server.call(key, "POST", &format!("/sessions/{session}/turns"), body).await
    };
    for scopes in [
        json!(["compile"]),
        json!(["sessions:write"]),
        json!(["compile", "sessions:read", "tools", "memory:write"]),
    ] {
        let (key, _) = server.create_key(&json!({"scopes": scopes})).await;
        for body in [&plain, &remembering] {
            let refused = problem(take(&key, "s", body).await, 403, "forbidden").await;
            let detail = refused["detail"].as_str().unwrap();
            assert!(detail.contains("`compile` and `sessions:write`"), "{detail}");
        }
    }
    let (key, _) = server.create_key(&json!({"scopes": ["compile", "sessions:write"]})).await;
    let refused = problem(take(&key, "s", &remembering).await, 403, "forbidden").await;
    assert!(refused["detail"].as_str().unwrap().contains("`memory:write`"), "{refused}");
    let missing = server.call(BOOTSTRAP_KEY, "GET", "/sessions/s", &Value::Null).await;
    problem(missing, 404, "not_found").await;
    let stored = async || server.call_ok(BOOTSTRAP_KEY, "GET", "/memory", &Value::Null).await;
    assert_eq!(stored().await["items"], json!([]));
    assert_eq!(take(&key, "s", &plain).await.status(), 200);
    for (session, scope) in [("one", "tools"), ("two", "memory:write")] {
        let wanted = json!({"scopes": ["compile", "sessions:write", scope]});
        let (key, _) = server.create_key(&wanted).await;
        assert_eq!(take(&key, session, &remembering).await.status(), 200, "{scope}");
    }
    assert_eq!(stored().await["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn every_route_but_the_open_ones_asks_for_a_key() {
    use contexture::http::{Access, ROUTES, RouteAccess};
    let server = TestServer::locked(&[]).await;
    for RouteAccess { method, path, access } in ROUTES {
        let path = path.replace("{id}", "x").replace("{name}", "x");
        let file = match path.as_str() {
            "/docs/guide/{file}" => "guide.css",
            "/docs/{file}" => "swagger-ui.css",
            _ => "console.css",
        };
        let path = path.replace("{file}", file).replace("{code}", "deadline");
        let status = server.build(method, &path).send().await.unwrap().status().as_u16();
        match access {
            Access::Open => assert_eq!(status, 200, "{method} {path}"),
            Access::AnyCaller | Access::AnyOf(_) | Access::AllOf(_) => {
                assert_eq!(status, 401, "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_no_key_is_refused() {
    let server = TestServer::locked(&[]).await;
    let (key, _) = server.create_key(&json!({"scopes": ["compile"]})).await;
    let other_secret = {
        let (other, _) = server.create_key(&json!({"scopes": ["compile"]})).await;
        format!("{}{}", &key[..25], &other[25..])
    };
    let last = if key.ends_with('x') { 'y' } else { 'x' };
    let typo = format!("{}{last}", &key[..key.len() - 1]);
    for bad in ["", "x", &typo, &other_secret, &key.to_uppercase(), &BOOTSTRAP_KEY[1..]] {
        let refused = server.call(bad, "POST", "/compile", &hello()).await;
        problem(refused, 401, "unauthenticated").await;
    }
    for header in [key.clone(), format!("Basic {key}"), format!("Token {key}")] {
        let request = server.build("POST", "/compile").header("authorization", header);
        problem(request.json(&hello()).send().await.unwrap(), 401, "unauthenticated").await;
    }
    let basic = format!("Basic {key}");
    for (header, value, hint) in [
        ("authorization", &key, "no scheme"),
        ("authorization", &basic, "the scheme `Basic`"),
        ("x-api-key", &key, "`x-api-key`"),
        ("api-key", &key, "`api-key`"),
        ("x-goog-api-key", &key, "`x-goog-api-key`"),
        ("x-contexture-key", &key, "(the gateway) read a key from `x-contexture-key`"),
    ] {
        let request = server.build("POST", "/compile").header(header, value).json(&hello());
        let told = problem(request.send().await.unwrap(), 401, "unauthenticated").await;
        let detail = told["detail"].as_str().unwrap();
        assert!(detail.contains(hint) && detail.contains("Bearer <key>"), "{detail}");
    }
    let in_query = server.build("POST", &format!("/compile?key={key}")).json(&hello());
    problem(in_query.send().await.unwrap(), 401, "unauthenticated").await;
    let twice = server.build("POST", "/compile").bearer_auth(&key).bearer_auth(&key);
    problem(twice.json(&hello()).send().await.unwrap(), 401, "unauthenticated").await;
    let lower = server.build("POST", "/compile").header("authorization", format!("bearer  {key} "));
    assert_eq!(lower.json(&hello()).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn keys_are_listed_without_secrets_changed_and_revoked() {
    let server = TestServer::locked(&[]).await;
    let wanted = json!({
        "name": "support bot", "kind": "agent", "scopes": ["compress", "compile"],
        "roles": ["auditor", "capturer"], "limits": {"requests_per_minute": 600},
        "defaults": {"target": "anthropic", "budget": {"context_window": 64000}}
    });
    let (text, id) = server.create_key(&wanted).await;
    let list = server.call_ok(BOOTSTRAP_KEY, "GET", "/keys", &Value::Null).await;
    let shown = &list["items"][0];
    assert_eq!(shown["scopes"], json!(["compile", "compress"]));
    assert_eq!(shown["roles"], json!(["capturer", "auditor"]));
    for key in ["name", "kind", "limits", "defaults"] {
        assert_eq!(shown[key], wanted[key], "{key}");
    }
    assert!(!list.to_string().contains(&text[25..68]) && shown.get("key").is_none());

    let path = format!("/keys/{id}");
    let change = json!({"name": "bot", "limits": null, "defaults": null});
    let changed = server.call_ok(BOOTSTRAP_KEY, "PATCH", &path, &change).await;
    assert_eq!((&changed["name"], &changed["limits"]), (&json!("bot"), &json!({})));
    assert_eq!((&changed["defaults"], &changed["kind"]), (&Value::Null, &json!("agent")));

    assert_eq!(server.call(&text, "POST", "/compile", &hello()).await.status(), 200);
    let gone = server.call(BOOTSTRAP_KEY, "DELETE", &path, &Value::Null).await;
    assert_eq!(gone.status(), 204);
    let refused = server.call(&text, "POST", "/compile", &hello()).await;
    problem(refused, 401, "unauthenticated").await;
    for method in ["DELETE", "PATCH"] {
        let missing = server.call(BOOTSTRAP_KEY, method, &path, &json!({})).await;
        problem(missing, 404, "not_found").await;
    }
    let list = server.call_ok(BOOTSTRAP_KEY, "GET", "/keys", &Value::Null).await;
    assert_eq!(list["items"], json!([]));
}

#[tokio::test]
async fn the_list_goes_on_where_it_ended() {
    let server = TestServer::locked(&[]).await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(server.create_key(&json!({"scopes": ["compile"]})).await.1);
    }
    made.sort();
    let mut found = Vec::new();
    let mut path = "/keys?limit=2".to_owned();
    loop {
        let list = server.call_ok(BOOTSTRAP_KEY, "GET", &path, &Value::Null).await;
        let ids = list["items"].as_array().unwrap().iter();
        found.extend(ids.map(|key| key["id"].as_str().unwrap().to_owned()));
        let Some(cursor) = list["next_cursor"].as_str() else { break };
        path = format!("/keys?limit=2&cursor={cursor}");
    }
    assert_eq!(found, made);
}

#[tokio::test]
async fn every_fault_of_a_key_is_named_at_once() {
    let server = TestServer::locked(&[]).await;
    let wanted = json!({
        "scopes": ["compile", "fly"], "kind": "robot", "roles": ["king"], "tenant": "a b",
        "limits": {"requests_per_minute": 0, "tokens_a_day": 1}, "colour": "red",
        "defaults": {"target": "nobody", "messages": [], "budget": {"context_window": "many"}}
    });
    let refused = server.call(BOOTSTRAP_KEY, "POST", "/keys", &wanted).await;
    let refused = problem(refused, 422, "invalid_request").await;
    let faults: Vec<_> = refused["errors"].as_array().unwrap().iter().collect();
    let pointers: Vec<_> = faults.iter().map(|fault| fault["pointer"].as_str().unwrap()).collect();
    for wanted in [
        "/colour",
        "/tenant",
        "/kind",
        "/scopes/1",
        "/roles/0",
        "/limits/tokens_a_day",
        "/limits/requests_per_minute",
        "/defaults/messages",
        "/defaults/target",
        "/defaults/budget/context_window",
    ] {
        assert!(pointers.contains(&wanted), "{wanted} is not in {pointers:?}");
    }
    for bad in [json!({}), json!({"scopes": []}), json!({"scopes": "compile"}), json!([])] {
        problem(server.call(BOOTSTRAP_KEY, "POST", "/keys", &bad).await, 422, "invalid_request")
            .await;
    }
}

#[tokio::test]
async fn nobody_gives_away_a_right_that_he_lacks() {
    let server = TestServer::locked(&[]).await;
    let (admin, _) = server.create_key(&json!({"scopes": ["admin"]})).await;
    let (_, operator) = server.create_key(&json!({"scopes": ["operator"]})).await;
    let (_, plain) = server.create_key(&json!({"scopes": ["compile"]})).await;
    for wanted in [json!({"scopes": ["operator"]}), json!({"scopes": ["compile"], "tenant": "b"})] {
        let refused = server.call(&admin, "POST", "/keys", &wanted).await;
        problem(refused, 422, "invalid_request").await;
    }
    let raised = json!({"scopes": ["operator"]});
    let refused = server.call(&admin, "PATCH", &format!("/keys/{plain}"), &raised).await;
    problem(refused, 422, "invalid_request").await;
    for method in ["PATCH", "DELETE"] {
        let refused = server.call(&admin, method, &format!("/keys/{operator}"), &json!({})).await;
        problem(refused, 403, "forbidden").await;
    }
    for path in ["/keys?tenant=b", "/usage?tenant=b"] {
        let refused = server.call(&admin, "GET", path, &Value::Null).await;
        problem(refused, 403, "forbidden").await;
    }
}

#[tokio::test]
async fn an_operator_looks_after_every_tenant() {
    let server = TestServer::locked(&[]).await;
    let (key, id) = server.create_key(&json!({"scopes": ["admin"], "tenant": "b"})).await;
    let list = server.call_ok(BOOTSTRAP_KEY, "GET", "/keys?tenant=b", &Value::Null).await;
    assert_eq!(list["items"][0]["id"], id.as_str());
    let own = server.call_ok(&key, "GET", "/keys", &Value::Null).await;
    assert_eq!(own["items"], list["items"]);
    let path = format!("/keys/{id}");
    let changed = server.call(BOOTSTRAP_KEY, "PATCH", &path, &json!({"name": "x"})).await;
    assert_eq!(json_of(changed, 200).await["tenant"], "b");
    let gone = server.call(BOOTSTRAP_KEY, "DELETE", &path, &Value::Null).await;
    assert_eq!(gone.status(), 204);
}

#[tokio::test]
async fn defaults_stand_in_for_what_a_request_does_not_say() {
    let server = TestServer::locked(&[]).await;
    let defaults = json!({"target": "anthropic", "budget": {"context_window": 5000}});
    let wanted = json!({"scopes": ["compile"], "defaults": defaults});
    let (key, _) = server.create_key(&wanted).await;
    let answer = server.call_ok(&key, "POST", "/compile", &hello()).await;
    assert_eq!(answer["report"]["budget"], 5000);
    assert_eq!(answer["payload"]["messages"][0]["content"][0]["type"], "text");
    let mut own = hello();
    own["target"] = json!("openai");
    own["budget"] = json!({"context_window": 9000});
    let answer = server.call_ok(&key, "POST", "/compile", &own).await;
    assert_eq!(answer["report"]["budget"], 9000);
    assert_eq!(answer["payload"]["messages"][0]["content"], "hello");
    let mut none = hello();
    none["budget"] = Value::Null;
    let answer = server.call_ok(&key, "POST", "/compile", &none).await;
    assert_eq!(answer["report"]["budget"], 119_808, "null is something that was said");
}

#[tokio::test]
async fn what_defaults_say_of_the_gateway_is_checked_and_is_no_part_of_a_compile() {
    let server = TestServer::locked(&[]).await;
    let wanted = |gateway: Value| json!({"scopes": ["compile"], "defaults": {"gateway": gateway}});
    let (key, _) = server.create_key(&wanted(json!({"mode": "observe"}))).await;
    server.call_ok(&key, "POST", "/compile", &hello()).await;
    for (gateway, pointer) in [
        (json!({"mode": "shrink"}), "/defaults/gateway/mode"),
        (json!({"mode": 1}), "/defaults/gateway/mode"),
        (json!({"modes": "off"}), "/defaults/gateway/modes"),
        (json!("off"), "/defaults/gateway"),
    ] {
        let refused = server.call(BOOTSTRAP_KEY, "POST", "/keys", &wanted(gateway)).await;
        let body = problem(refused, 422, "invalid_request").await;
        assert_eq!(pointers(&body), [pointer]);
    }
    // A session has no say in it.
    let session = json!({"id": "s", "defaults": {"gateway": {"mode": "off"}}});
    let refused = server.call(BOOTSTRAP_KEY, "POST", "/sessions", &session).await;
    let body = problem(refused, 422, "invalid_request").await;
    assert_eq!(pointers(&body), ["/defaults/gateway"]);
}

#[tokio::test]
async fn requests_a_minute_are_counted_by_key() {
    let server = TestServer::locked(&[]).await;
    let wanted = json!({"scopes": ["compile"], "limits": {"requests_per_minute": 3}});
    let (key, id) = server.create_key(&wanted).await;
    let (other, _) = server.create_key(&wanted).await;
    for _ in 0..3 {
        assert_eq!(server.call(&key, "POST", "/compile", &hello()).await.status(), 200);
    }
    let refused = server.call(&key, "POST", "/compile", &hello()).await;
    let pause: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=20).contains(&pause), "{pause}");
    problem(refused, 429, "rate_limited").await;
    assert_eq!(server.call(&other, "POST", "/compile", &hello()).await.status(), 200);
    let more = json!({"limits": {"requests_per_minute": 60_000}});
    server.call(BOOTSTRAP_KEY, "PATCH", &format!("/keys/{id}"), &more).await;
    // A thousand a second are given back, so the next one comes before any wait could.
    until_within(Duration::from_secs(10), "it is not served", async || {
        (server.call(&key, "POST", "/compile", &hello()).await.status() == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn tokens_a_day_are_counted_by_key() {
    let server = TestServer::locked(&[]).await;
    let wanted = json!({"scopes": ["compile", "compress"], "limits": {"tokens_per_day": 20}});
    let (key, _) = server.create_key(&wanted).await;
    let text = json!({"text": "one two three four five six seven eight nine ten ".repeat(3)});
    assert_eq!(server.call(&key, "POST", "/compress", &text).await.status(), 200);
    let refused = server.call(&key, "POST", "/compile", &hello()).await;
    let pause: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&pause), "{pause}");
    let told = problem(refused, 429, "rate_limited").await;
    assert!(told["detail"].as_str().unwrap().contains("20 tokens a day"), "{told}");
}

#[tokio::test]
async fn what_is_used_is_told_by_day_key_and_model() {
    let server = TestServer::locked(&[]).await;
    let (key, id) = server.create_key(&json!({"scopes": ["compile"]})).await;
    let mut named = hello();
    for model in ["gpt-4o-2024-11-20", "my-own-model", "gpt-4o"] {
        named["model"] = json!(model);
        assert_eq!(server.call(&key, "POST", "/compile", &named).await.status(), 200);
    }
    assert_eq!(server.call(&key, "POST", "/compile", &hello()).await.status(), 200);
    assert_eq!(server.call(BOOTSTRAP_KEY, "POST", "/compile", &hello()).await.status(), 200);
    let usage = server.call_ok(BOOTSTRAP_KEY, "GET", "/usage", &Value::Null).await;
    let rows: Vec<_> = usage["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            assert_eq!(row["tenant"], "default");
            assert!(row["tokens_before"].as_u64() > Some(0), "{row}");
            (row["key"].as_str().unwrap(), row["model"].as_str(), row["requests"].as_u64().unwrap())
        })
        .collect();
    let mut wanted = [
        (id.as_str(), None, 1),
        (id.as_str(), Some("gpt-4o"), 2),
        (id.as_str(), Some("other"), 1),
        ("bootstrap", None, 1),
    ];
    wanted.sort_unstable();
    assert_eq!(rows, wanted);
    let today = usage["items"][0]["day"].as_str().unwrap();
    for (query, count) in [
        (format!("?key={id}"), 3),
        (format!("?key={id}&model=gpt-4o"), 1),
        ("?model=".to_owned(), 2),
        (format!("?from={today}&to={today}"), 4),
        ("?to=2000-01-01".to_owned(), 0),
        ("?limit=3".to_owned(), 3),
    ] {
        let path = format!("/usage{query}");
        let rows = server.call_ok(BOOTSTRAP_KEY, "GET", &path, &Value::Null).await;
        assert_eq!(rows["items"].as_array().unwrap().len(), count, "{query}: {rows}");
    }
    let first = server.call_ok(BOOTSTRAP_KEY, "GET", "/usage?limit=3", &Value::Null).await;
    let path = format!("/usage?cursor={}", first["next_cursor"].as_str().unwrap());
    let rest = server.call_ok(BOOTSTRAP_KEY, "GET", &path, &Value::Null).await;
    assert_eq!(rest["items"].as_array().unwrap().len(), 1);
    for bad in ["?from=today", "?cursor=x", "?limit=0", "?limit=1001", "?colour=red"] {
        let refused =
            server.call(BOOTSTRAP_KEY, "GET", &format!("/usage{bad}"), &Value::Null).await;
        problem(refused, 422, "invalid_request").await;
    }
}

#[tokio::test]
async fn a_stream_ends_with_its_key() {
    let server = TestServer::locked(&[]).await;
    let (key, id) = server.create_key(&json!({"scopes": ["events:read"]})).await;
    let stream = server.build("GET", "/events").bearer_auth(&key).send().await.unwrap();
    assert_eq!(stream.status(), 200);
    let gone = server.call(BOOTSTRAP_KEY, "DELETE", &format!("/keys/{id}"), &Value::Null).await;
    assert_eq!(gone.status(), 204);
    let start = Instant::now();
    let end = tokio::time::timeout(Duration::from_secs(10), stream.text()).await;
    assert!(end.is_ok(), "the stream goes on");
    assert!(start.elapsed() < Duration::from_secs(5), "it took {:?}", start.elapsed());
}
