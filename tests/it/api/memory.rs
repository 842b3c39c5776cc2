//! Memory over HTTP: entries by key, versions, import, recall, and what a power cut leaves.

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::{TestServer, json_of, pointers, problem};

fn keys(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_entry_is_put_read_patched_and_deleted() {
    let server = TestServer::spawn().await;
    let body = json!({"value": "TypeScript", "description": "the language", "importance": 0.8,
        "tags": ["project", "project"], "tier": "durable", "classification": "public",
        "source": "readme", "author": "ci", "metadata": {"n": {"m": [1, null]}}});
    let answer = server.put_memory("lang", &body).await;
    assert_eq!(
        (answer.status(), &answer.headers()["etag"]),
        (201.try_into().unwrap(), &"\"1\"".parse().unwrap())
    );
    let entry: Value = answer.json().await.unwrap();
    for key in [
        "value",
        "description",
        "importance",
        "tier",
        "classification",
        "source",
        "author",
        "metadata",
    ] {
        assert_eq!(entry[key], body[key], "{key}");
    }
    assert_eq!(entry["tags"], json!(["project"]));
    assert_eq!((&entry["version"], &entry["update_count"]), (&json!(1), &json!(1)));
    assert_eq!(entry["created_at"], entry["updated_at"]);
    assert_eq!(server.get_json("/memory/lang").await, entry);

    let entry =
        json_of(server.put_memory("lang", &json!({"value": {"any": ["JSON", 1.50]}})).await, 200)
            .await;
    assert_eq!(entry["value"], json!({"any": ["JSON", 1.50]}));
    assert_eq!(
        (&entry["description"], &entry["importance"]),
        (&json!("the language"), &json!(0.8))
    );
    assert_eq!((&entry["version"], &entry["update_count"]), (&json!(2), &json!(2)));

    let patch = |body: Value| server.build("PATCH", "/memory/lang").json(&body).send();
    let entry: Value = patch(json!({"importance": 0})).await.unwrap().json().await.unwrap();
    assert_eq!((&entry["importance"], &entry["update_count"]), (&json!(0.0), &json!(2)));
    assert_eq!(entry["version"], 3);

    let delete = || server.build("DELETE", "/memory/lang").send();
    assert_eq!(delete().await.unwrap().status(), 204);
    problem(delete().await.unwrap(), 404, "not_found").await;
    problem(server.get("/memory/lang").await, 404, "not_found").await;
    problem(patch(json!({"importance": 1})).await.unwrap(), 404, "not_found").await;
}

#[tokio::test]
async fn a_version_that_is_not_stored_is_not_written_over() {
    let server = TestServer::spawn().await;
    server.remember("k", &json!({"value": 1})).await;
    let with = |method: &str, tag: &str| {
        server.build(method, "/memory/k").header("if-match", tag.to_owned())
    };
    let answer = with("PUT", "\"1\"").json(&json!({"value": 2})).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let stale = with("PUT", "\"1\"").json(&json!({"value": 3})).send().await.unwrap();
    problem(stale, 412, "precondition_failed").await;
    problem(with("DELETE", "\"1\"").send().await.unwrap(), 412, "precondition_failed").await;
    problem(with("DELETE", "x").send().await.unwrap(), 422, "invalid_request").await;
    assert_eq!(server.get_json("/memory/k").await["value"], 2);
    assert_eq!(with("DELETE", "\"2\"").send().await.unwrap().status(), 204);
}

#[tokio::test]
async fn faults_are_named_all_at_once_and_nothing_is_stored() {
    let server = TestServer::spawn().await;
    let body = json!({"vlue": 1, "importance": 2, "tier": "forever", "ttl": {"turns": 1},
        "tags": ["", 7], "scope": {"subject": ""}, "metadata": []});
    let refused = problem(server.put_memory("k", &body).await, 422, "invalid_request").await;
    let pointers = pointers(&refused);
    for pointer in [
        "/vlue",
        "/value",
        "/importance",
        "/tier",
        "/ttl",
        "/tags/1",
        "/scope/subject",
        "/metadata",
    ] {
        assert!(pointers.contains(&pointer), "{pointer} is not in {pointers:?}");
    }
    assert_eq!(refused["errors"][0]["did_you_mean"], "value");
    for ttl in [json!({}), json!({"turns": 1, "seconds": 1}), json!({"seconds": -1}), json!(5)] {
        problem(
            server.put_memory("k", &json!({"value": 1, "ttl": ttl})).await,
            422,
            "invalid_request",
        )
        .await;
    }
    let long = "x".repeat(257);
    for key in [long.as_str(), "a%00b", "a%01b", "%ff"] {
        problem(server.put_memory(key, &json!({"value": 1})).await, 422, "invalid_request").await;
    }
    problem(
        server.put_memory("k", &json!({"value": "x".repeat(70_000)})).await,
        422,
        "invalid_request",
    )
    .await;
    assert_eq!(keys(&server.get_json("/memory").await), [""; 0]);
}

#[tokio::test]
async fn scopes_are_entries_of_their_own() {
    let server = TestServer::spawn().await;
    server.remember("k", &json!({"value": "all"})).await;
    for (subject, value) in [("ann", "hers"), ("bob", "his")] {
        server.remember("k", &json!({"value": value, "scope": {"subject": subject}})).await;
    }
    assert_eq!(server.get_json("/memory/k").await["value"], "all");
    assert_eq!(server.get_json("/memory/k?subject=bob").await["value"], "his");
    problem(server.get("/memory/k?subject=eve").await, 404, "not_found").await;
    assert_eq!(server.get_json("/memory?subject=").await["items"].as_array().unwrap().len(), 1);
    assert_eq!(server.get_json("/memory").await["items"].as_array().unwrap().len(), 3);

    let seen = async |scope: Value| {
        let body =
            json!({"messages": [user("hi")], "target": "neutral", "memory": {"scope": scope}});
        let compiled = server.compile(&body).await;
        assert_eq!(compiled.report["memory"]["injected"], json!(["k"]), "the narrowest alone");
        compiled.text
    };
    assert!(seen(json!({})).await.contains(">all<"));
    let anns = seen(json!({"subject": "ann"})).await;
    assert!(
        anns.contains(">hers<") && !anns.contains(">his<") && !anns.contains(">all<"),
        "{anns}"
    );
}

#[tokio::test]
async fn a_list_is_filtered_and_goes_on_where_it_stopped() {
    let server = TestServer::spawn().await;
    for at in 0..7 {
        let tags = if at % 2 == 0 { json!(["even", "a%b_c"]) } else { json!(["odd"]) };
        let tier = if at < 3 { "episodic" } else { "semantic" };
        server.remember(&format!("k{at}"), &json!({"value": at, "tags": tags, "tier": tier})).await;
    }
    let mut found = Vec::new();
    let mut path = "/memory?limit=3".to_owned();
    loop {
        let page = server.get_json(&path).await;
        found.extend(keys(&page).into_iter().map(str::to_owned));
        let Some(next) = page["next_cursor"].as_str() else { break };
        path = format!("/memory?limit=3&cursor={next}");
    }
    assert_eq!(found, ["k0", "k1", "k2", "k3", "k4", "k5", "k6"]);
    for (query, expected) in [
        ("tag=odd", vec!["k1", "k3", "k5"]),
        ("tag=a%25b_c&prefix=k4", vec!["k4"]),
        ("tag=a%25", vec![]),
        ("tier=episodic", vec!["k0", "k1", "k2"]),
        ("status=retracted", vec![]),
        ("prefix=k6", vec!["k6"]),
    ] {
        assert_eq!(keys(&server.get_json(&format!("/memory?{query}")).await), expected, "{query}");
    }
    for bad in ["limit=0", "limit=1001", "cursor=x", "tier=x", "who=x"] {
        problem(server.get(&format!("/memory?{bad}")).await, 422, "invalid_request").await;
    }
}

#[tokio::test]
async fn a_page_ends_at_four_mebibytes_and_the_list_goes_on() {
    let server = TestServer::spawn().await;
    let value = "v".repeat(60_000);
    for at in 0..150 {
        let body = json!({"value": value});
        assert_eq!(server.put_memory(&format!("k{at:03}"), &body).await.status(), 201);
    }
    let (mut path, mut keys, mut pages) = ("/memory?limit=1000".to_owned(), Vec::new(), 0);
    loop {
        let page = server.get_json(&path).await;
        keys.extend(page["items"].as_array().unwrap().iter().map(|item| item["key"].clone()));
        pages += 1;
        let Some(next) = page["next_cursor"].as_str() else { break };
        path = format!("/memory?limit=1000&cursor={next}");
    }
    let all: Vec<String> = (0..150).map(|at| format!("k{at:03}")).collect();
    // 4 MiB have room for 69 entries.
    assert_eq!((json!(keys), pages), (json!(all), 3));
    let lines = server.get("/memory?format=jsonl").await.text().await.unwrap();
    assert_eq!(lines.lines().count(), 150);
}

#[tokio::test]
async fn versions_are_kept_and_one_of_them_can_be_again() {
    let server = TestServer::spawn().await;
    for value in ["one", "two", "three"] {
        server.remember("k", &json!({"value": value})).await;
    }
    let versions = server.get_json("/memory/k/versions?limit=2").await;
    assert_eq!(versions["items"][0]["entry"]["value"], "three");
    assert_eq!(versions["next_cursor"], "2");
    let rest = server.get_json("/memory/k/versions?cursor=2").await;
    assert_eq!(rest["items"][0]["entry"]["value"], "one");

    let post = |path: &str, body: Value| server.build("POST", path).json(&body).send();
    let entry: Value = post("/memory/k/retract", json!({})).await.unwrap().json().await.unwrap();
    assert_eq!((&entry["status"], &entry["version"]), (&json!("retracted"), &json!(4)));
    let compiled = server.compile(&json!({"messages": [user("hi")], "memory": true})).await;
    assert_eq!(compiled.report["memory"]["injected"], json!([]));
    assert_eq!(server.get_json("/memory/k").await["value"], "three");

    let restored = post("/memory/k/restore", json!({"version": 1})).await.unwrap();
    let entry: Value = restored.json().await.unwrap();
    assert_eq!((&entry["value"], &entry["version"]), (&json!("one"), &json!(5)));
    assert_eq!((&entry["status"], &entry["update_count"]), (&json!("promoted"), &json!(4)));
    problem(post("/memory/k/restore", json!({"version": 9})).await.unwrap(), 404, "not_found")
        .await;
    problem(post("/memory/x/restore", json!({"version": 1})).await.unwrap(), 404, "not_found")
        .await;
    problem(server.get("/memory/x/versions").await, 404, "not_found").await;
}

#[tokio::test]
async fn what_is_exported_can_be_imported_elsewhere() {
    let (from, to) = (TestServer::spawn().await, TestServer::spawn().await);
    from.remember("a", &json!({"value": "line\nbreak \"§\"", "tags": ["t"], "importance": 0.9}))
        .await;
    from.remember(
        "b",
        &json!({"value": {"deep": [1.50]}, "scope": {"subject": "ann"}, "ttl": {"seconds": 3600}}),
    )
    .await;
    let answer = from.get("/memory?format=jsonl").await;
    assert_eq!(answer.headers()["content-type"], "application/x-ndjson");
    let lines = answer.text().await.unwrap();
    let import = async |text: String| {
        let request =
            to.build("POST", "/memory/import").header("content-type", "application/x-ndjson");
        request.body(text).send().await.unwrap()
    };
    let done: Value = import(lines.clone()).await.json().await.unwrap();
    assert_eq!(done, json!({"created": 2, "updated": 0}));
    let bare = |mut list: Value| {
        for item in list["items"].as_array_mut().unwrap() {
            for time in ["created_at", "updated_at", "expires_at"] {
                item[time].take();
            }
        }
        list
    };
    assert_eq!(bare(to.get_json("/memory").await), bare(from.get_json("/memory").await));
    let done: Value = import(lines).await.json().await.unwrap();
    assert_eq!(done, json!({"created": 0, "updated": 2}));

    let bad = "{\"key\":\"c\",\"value\":1}\n{\"key\":\"d\"}\nnot JSON\n".to_owned();
    let refused = problem(import(bad).await, 422, "invalid_request").await;
    let pointers = pointers(&refused);
    assert_eq!(pointers, ["/1/value", "/2"]);
    problem(to.get("/memory/c").await, 404, "not_found").await;
}

#[tokio::test]
async fn what_answers_the_question_is_recalled_first_and_says_why() {
    let server = TestServer::spawn().await;
    for (key, value, importance) in [
        ("deploy_target", "production runs in eu-west-1 on three nodes", 0.2),
        ("coffee", "Ann drinks it black", 0.9),
        ("style", "short answers, no emoji", 0.5),
    ] {
        server.remember(key, &json!({"value": value, "importance": importance})).await;
    }
    let recall = async |body: Value| server.post_json("/memory/recall", 200, &body).await;
    let found = recall(json!({"query": "where do we deploy to, which nodes?"})).await;
    let first = &found["items"][0];
    assert_eq!(first["entry"]["key"], "deploy_target");
    assert_eq!((&first["relevance"], &first["shown"]), (&json!(1.0), &json!(true)));
    let score = |one: &Value| {
        let number = |key: &str| one[key].as_f64().unwrap();
        0.6 * number("relevance") + 0.25 * number("importance") + 0.15 * number("recency")
    };
    for one in found["items"].as_array().unwrap() {
        assert!((one["score"].as_f64().unwrap() - score(one)).abs() < 1e-9, "{one}");
    }
    assert_eq!(found["store_revision"], 3);
    // Without a question, weight decides.
    assert_eq!(recall(json!({})).await["items"][0]["entry"]["key"], "coffee");
    let narrow = recall(json!({"query": "nodes", "max_tokens": 40})).await;
    assert_eq!(narrow["items"][0]["shown"], true);
    assert_eq!(narrow["items"][2]["shown"], false);

    // A compile shows the same, in the order in which they were stored.
    let compiled = server
        .compile(&json!({"messages": [user("deploy the nodes")], "memory": {"max_tokens": 40}}))
        .await;
    assert_eq!(compiled.report["memory"]["injected"], json!(["deploy_target"]));
    let all = server.compile(&json!({"messages": [user("nodes?")], "memory": true})).await;
    assert_eq!(all.report["memory"]["injected"], json!(["deploy_target", "coffee", "style"]));
}

#[tokio::test]
async fn in_the_head_memory_keeps_its_bytes_whatever_is_asked() {
    let server = TestServer::spawn().await;
    for at in 0..40 {
        server
            .remember(
                &format!("k{at}"),
                &json!({"value": format!("about topic{at} and more words")}),
            )
            .await;
    }
    let head = async |text: &str| {
        let body = json!({"messages": [user(text)], "target": "neutral",
            "memory": {"placement": "system", "max_tokens": 300}});
        let compiled = server.compile(&body).await;
        compiled.said(0)
    };
    let first = head("topic3").await;
    assert!(first.contains("<memory>"));
    assert_eq!(head("topic30").await, first);
    server.remember("k7", &json!({"value": "about topic7 and more words"})).await;
    assert_eq!(head("topic7").await.matches("<entry").count(), first.matches("<entry").count());
}

#[tokio::test]
async fn a_model_writes_with_its_tools_in_every_shape() {
    let server = TestServer::spawn().await;
    let compiled = server.compile(&json!({"messages": [user("hi")], "memory": true})).await;
    assert_eq!(compiled.report["service_tools"], json!(["create_memory", "modify_memory"]));
    let quiet =
        server.compile(&json!({"messages": [user("hi")], "memory": {"write": false}})).await;
    assert_eq!(quiet.report["service_tools"], json!([]));

    let arguments = json!({"key": "k", "value": "v"});
    let text = arguments.to_string();
    let shapes = [
        json!({"id": "1", "type": "function", "function": {"name": "create_memory", "arguments": text}}),
        json!({"type": "tool_use", "id": "1", "name": "create_memory", "input": arguments}),
        json!({"functionCall": {"name": "create_memory", "args": arguments}}),
        json!({"type": "function_call", "call_id": "1", "name": "create_memory", "arguments": text}),
        json!({"type": "tool_call", "id": "1", "name": "create_memory", "arguments": arguments}),
    ];
    for (count, call) in shapes.iter().enumerate() {
        let answer = server.post_json("/tools/calls", 200, &json!({"calls": [call]})).await;
        let result = &answer["results"][0];
        assert_eq!((&result["for"], &result["decision"]), (&json!("service"), &json!("allow")));
        assert_eq!(server.get_json("/memory/k").await["update_count"], count + 1);
        // The message, sent on as the caller would, is accepted.
        let key = ["messages", "messages", "contents", "input", "messages"][count];
        let said = [
            json!({"role": "assistant", "content": null, "tool_calls": [call]}),
            json!({"role": "assistant", "content": [call]}),
            json!({"role": "model", "parts": [call]}),
            call.clone(),
            json!({"role": "assistant", "parts": [call]}),
        ];
        let hello = [
            user("hi"),
            user("hi"),
            json!({"role": "user", "parts": [{"text": "hi"}]}),
            user("hi"),
            json!({"role": "user", "parts": [{"type": "text", "text": "hi"}]}),
        ];
        let body = json!({key: [hello[count], said[count], result["message"]], "target": "openai"});
        let compiled = server.compile(&body).await;
        assert_eq!(compiled.report["repairs"], json!([]), "{body}");
        assert!(compiled.text.contains("emembered under"), "{}", compiled.text);
    }
}

#[tokio::test]
async fn calls_are_answered_one_each_in_their_order() {
    let server = TestServer::spawn().await;
    let lines: Vec<String> = (1..400).map(|n| format!("line {n}\n")).collect();
    let lines = lines.concat();
    let stored = server.post_ok("/artifacts", &json!({"text": lines, "threshold": 100})).await;
    let id = stored["id"].as_str().unwrap();
    let call = |id: &str, name: &str, arguments: Value| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}});
    let body = json!({"calls": [
        call("a", "modify_memory", json!({"action": "update", "key": "k", "value": "v"})),
        call("b", "run_tests", json!({"path": "src"})),
        call("c", "create_memory", json!({"key": "k", "value": "v"})),
        call("d", "modify_memory", json!({"action": "delete", "key": "k"})),
        call("e", "create_memory", json!({"key": "k"})),
        call("f", "context_read", json!({"id": id, "lines": "2-3"})),
        call("g", "context_read", json!({"id": "000000000000000000000000"})),
    ]});
    let answer = server.post_ok("/tools/calls", &body).await;
    let results = answer["results"].as_array().unwrap();
    let row = |at: usize| {
        let text = |key: &str| results[at][key].as_str().unwrap().to_owned();
        (text("id"), text("for"), text("decision"))
    };
    for (at, (id, whose, decision)) in [
        ("a", "service", "deny"),
        ("b", "caller", "allow"),
        ("c", "service", "allow"),
        ("d", "service", "allow"),
        ("e", "service", "deny"),
        ("f", "service", "allow"),
        ("g", "service", "deny"),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(row(at), (id.to_owned(), whose.to_owned(), decision.to_owned()));
    }
    assert_eq!(results[1]["arguments"], json!({"path": "src"}));
    assert_eq!(results[5]["message"]["content"], "line 2\nline 3\n");
    assert!(results[4]["reason"].as_str().unwrap().contains("`value`"));
    problem(server.get("/memory/k").await, 404, "not_found").await;

    let mixed = json!({"calls": [{"type": "text", "text": "no call"}], "source": "anthropic"});
    problem(server.post("/tools/calls", &mixed).await, 422, "invalid_request").await;
    let bad = json!({"calls": [{"type": "tool_use", "name": "x", "input": {}}]});
    let refused = problem(server.post("/tools/calls", &bad).await, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/calls/0");
}

#[tokio::test]
async fn the_scope_of_a_write_may_stand_in_the_query() {
    let server = TestServer::spawn().await;
    server.remember("k", &json!({"value": "all"})).await;
    let entry = server.remember("k?subject=ann", &json!({"value": "hers"})).await;
    assert_eq!(entry["scope"], json!({"subject": "ann"}));
    let entry = server.remember("t?session_id=s", &json!({"value": 1, "ttl": {"turns": 2}})).await;
    assert_eq!(entry["scope"], json!({"session_id": "s"}));

    let send = async |method: &str, path: &str, body: Value| {
        server.build(method, path).json(&body).send().await.unwrap()
    };
    let both = json!({"importance": 0.9, "scope": {"subject": "ann"}});
    assert_eq!(send("PATCH", "/memory/k?subject=ann", both).await.status(), 200);
    assert_eq!(server.get_json("/memory/k?subject=ann").await["importance"], 0.9);
    let retracted = send("POST", "/memory/k/retract?subject=ann", json!({})).await;
    let retracted: Value = retracted.json().await.unwrap();
    assert_eq!(retracted["scope"], json!({"subject": "ann"}));
    let restored = send("POST", "/memory/k/restore?subject=ann", json!({"version": 1})).await;
    assert_eq!(restored.json::<Value>().await.unwrap()["value"], "hers");
    let all = server.get_json("/memory/k").await;
    assert_eq!((&all["value"], &all["version"]), (&json!("all"), &json!(1)));

    let bob = json!({"value": 1, "scope": {"subject": "bob"}});
    let scope = json!({"scope": {"subject": "bob"}});
    for (method, path, body) in [
        ("PUT", "/memory/k?subject=ann", bob),
        ("PATCH", "/memory/k?subject=ann", scope.clone()),
        ("POST", "/memory/k/retract?subject=ann", scope),
        ("POST", "/memory/k/restore?subject=ann", json!({"version": 1, "scope": {"agent": "x"}})),
    ] {
        let refused = problem(send(method, path, body).await, 422, "invalid_request").await;
        assert_eq!(pointers(&refused), ["/scope"], "{method} {path}");
    }
    for (method, path) in [("PUT", "/memory/k"), ("PATCH", "/memory/k"), ("POST", "/memory")] {
        let refused = send(method, &format!("{path}?who=ann"), json!({"value": 1})).await;
        problem(refused, 422, "invalid_request").await;
    }
    assert_eq!(server.get_json("/memory/k").await, all);
}

#[tokio::test]
async fn null_takes_a_member_away_and_an_empty_description_is_none() {
    let server = TestServer::spawn().await;
    let whole = json!({"value": "v", "description": "d", "importance": 0.9, "tags": ["t"],
        "tier": "durable", "classification": "public", "source": "readme", "author": "ci",
        "metadata": {"a": 1}});
    server.remember("k", &whole).await;
    let kept = server.remember("k", &json!({"value": "v", "source": null})).await;
    assert_eq!(kept["source"], "readme", "a `PUT` leaves what it does not say");
    let nothing = json!({"description": null, "importance": null, "tags": null, "tier": null,
        "classification": null, "source": null, "author": null, "metadata": null, "ttl": null});
    let entry = json_of(server.patch("/memory/k", &nothing).await, 200).await;
    for member in ["description", "source", "author", "metadata"] {
        assert_eq!(entry[member], Value::Null, "{member}");
    }
    for (member, usual) in [
        ("value", json!("v")),
        ("importance", json!(0.5)),
        ("tags", json!([])),
        ("tier", json!("semantic")),
        ("classification", json!("internal")),
    ] {
        assert_eq!(entry[member], usual, "{member}");
    }
    assert_eq!(server.get_json("/memory/k").await, entry);

    let entry = server.remember("k", &json!({"value": "v", "description": ""})).await;
    assert_eq!(entry["description"], Value::Null);
    let compiled = server.compile(&json!({"messages": [user("hi")], "memory": true})).await;
    assert_eq!(compiled.report["memory"]["injected"], json!(["k"]));
    assert!(!compiled.text.contains("description="), "{}", compiled.text);
}

#[tokio::test]
async fn a_star_asks_whether_there_is_an_entry() {
    let server = TestServer::spawn().await;
    let with = async |method: &str, name: &str, value: &str| {
        let request = server.build(method, "/memory/k").header(name, value);
        request.json(&json!({"value": value})).send().await.unwrap()
    };
    problem(with("PUT", "if-match", "*").await, 412, "precondition_failed").await;
    assert_eq!(with("PUT", "if-none-match", "*").await.status(), 201);
    let again = server.build("PUT", "/memory/k").header("if-none-match", "*");
    let again = again.json(&json!({"value": "other"})).send().await.unwrap();
    problem(again, 412, "precondition_failed").await;
    let entry = server.get_json("/memory/k").await;
    assert_eq!((&entry["value"], &entry["version"]), (&json!("*"), &json!(1)));
    assert_eq!(with("PUT", "if-match", "*").await.status(), 200);
    problem(with("PUT", "if-none-match", "\"1\"").await, 422, "invalid_request").await;
    assert_eq!(with("DELETE", "if-match", "*").await.status(), 204);
}

#[tokio::test]
async fn an_export_has_every_entry_unless_it_is_limited() {
    let server = TestServer::with(&["--cors-origin", "https://app.example.com"]).await;
    let lines: Vec<String> =
        (0..250).map(|at| format!("{{\"key\":\"k{at:03}\",\"value\":{at}}}\n")).collect();
    let import = server.build("POST", "/memory/import");
    let import = import.header("content-type", "application/x-ndjson").body(lines.concat());
    assert_eq!(import.send().await.unwrap().status(), 200);
    let exported = async |query: &str| {
        let request = server.build("GET", &format!("/memory?format=jsonl{query}"));
        let answer = request.header("origin", "https://app.example.com").send().await.unwrap();
        let headers = answer.headers().clone();
        let text = answer.text().await.unwrap();
        let keys: Vec<String> = text
            .lines()
            .map(|line| {
                let entry: Value = serde_json::from_str(line).unwrap();
                entry["key"].as_str().unwrap().to_owned()
            })
            .collect();
        (headers, keys)
    };
    let keys = |places: std::ops::Range<u32>| -> Vec<String> {
        places.map(|at| format!("k{at:03}")).collect()
    };
    let (headers, found) = exported("").await;
    assert_eq!(found, keys(0..250));
    assert!(headers.get("contexture-next-cursor").is_none());
    let exposed = headers["access-control-expose-headers"].to_str().unwrap();
    assert!(exposed.contains("contexture-next-cursor"), "{exposed}");

    let (headers, found) = exported("&limit=3").await;
    assert_eq!(found, keys(0..3));
    let cursor = headers["contexture-next-cursor"].to_str().unwrap();
    assert_eq!(exported(&format!("&cursor={cursor}")).await.1, keys(3..250));
    assert_eq!(exported("&prefix=k24").await.1, keys(240..250));
    assert_eq!(exported("&prefix=none").await.1, keys(0..0));
}

#[tokio::test]
async fn words_that_are_not_known_are_pointed_to() {
    let server = TestServer::spawn().await;
    for (path, body, code, pointer) in [
        (
            "/memory",
            json!({"action": "frob", "content": "x"}),
            "memory_action_unsupported",
            "/action",
        ),
        ("/memory", json!({"action": "frob", "type": "zz"}), "memory_type_unsupported", "/type"),
        ("/memory-candidates", json!({"value": 1, "class": "x"}), "memory_class_unknown", "/class"),
    ] {
        let refused = problem(server.post(path, &body).await, 422, code).await;
        assert_eq!(pointers(&refused), [pointer], "{refused}");
    }
}
