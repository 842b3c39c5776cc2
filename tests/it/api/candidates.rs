//! Candidates for memory over HTTP: bad input, lists, revisions, and what models propose.

use serde_json::{Value, json};

use crate::support::compile::user;
use crate::support::{BOOTSTRAP_KEY, TestServer, json_of, pointers, problem};

const PATH: &str = "/memory-candidates";

async fn propose(server: &TestServer, body: Value) -> Value {
    server.post_json(PATH, 201, &body).await
}

fn approve() -> Value {
    json!({"verdict": "approve", "reason": "fine", "by": {"id": "bob", "kind": "user"}})
}

#[tokio::test]
async fn a_proposal_keeps_all_that_was_said() {
    let server = TestServer::spawn().await;
    let body = json!({"entity": "ann", "predicate": "contact", "value": {"by": ["email", 1.50]},
        "class": "correction", "key": "anns_contact", "description": "how to reach her",
        "scope": {"subject": "ann"}, "tier": "durable", "classification": "confidential",
        "intents": ["refund", "refund"], "confidence": 0.5, "evidence_refs": [{"doc": 7}, "x"],
        "consent": "c-17", "ttl": {"seconds": 60}});
    let candidate = propose(&server, body.clone()).await;
    for key in [
        "value",
        "entity",
        "predicate",
        "class",
        "key",
        "description",
        "scope",
        "tier",
        "classification",
        "confidence",
        "evidence_refs",
        "consent",
        "ttl",
    ] {
        assert_eq!(candidate[key], body[key], "{key}");
    }
    assert_eq!(candidate["intents"], json!(["refund"]));
    assert_eq!(candidate["proposed_by"], json!([{"id": "application", "kind": "service"}]));
    assert_eq!(
        candidate["checks"],
        json!({"contradiction_check": {"verdict": "none"},
        "consent_check": "given", "auto_promote_eligible": false})
    );
    let path = format!("{PATH}/{}", candidate["id"].as_str().unwrap());
    assert_eq!(server.get_json(&path).await, candidate);

    // A promotion says how it is kept, and the entry has the rest.
    let answer =
        server.send_if_match("POST", &format!("{path}/review"), Some("\"1\""), &approve()).await;
    assert_eq!(answer.status(), 200);
    let body = json!({"key": "reach", "scope": {}, "intents": [], "ttl": null, "tier": "semantic",
        "classification": "public", "by": {"id": "bob", "kind": "user"}});
    let answer =
        server.send_if_match("POST", &format!("{path}/promote"), Some("\"2\""), &body).await;
    assert_eq!(answer.headers()["etag"], "\"3\"");
    let promoted: Value = answer.json().await.unwrap();
    assert_eq!(promoted["memory_key"], "reach");
    let entry = server.get_json("/memory/reach").await;
    let said = json!({"value": {"by": ["email", 1.50]}, "description": "how to reach her",
        "scope": {}, "tier": "semantic", "classification": "public", "ttl": null,
        "author": "application"});
    for (key, value) in said.as_object().unwrap() {
        assert_eq!(entry[key], *value, "{key}");
    }
    assert_eq!(entry["metadata"]["predicate"], "contact");
}

#[tokio::test]
async fn faults_are_named_all_at_once_and_nothing_is_stored() {
    let server = TestServer::spawn().await;
    let body = json!({"vlue": 1, "class": "preference", "entity": "ann", "confidence": 1.1,
        "tier": "forever", "intents": ["", 7], "scope": {"subject": ""}, "evidence_refs": {},
        "consent": 5, "ttl": {"turns": 1}, "by": {"id": "x", "kind": "robot"}, "key": "import",
        "policy": {"classes": ["gossip"], "min_confidence": -1, "consent_required": "yes"}});
    let refused = problem(server.post(PATH, &body).await, 422, "invalid_request").await;
    let found = pointers(&refused);
    for pointer in [
        "/vlue",
        "/value",
        "/predicate",
        "/confidence",
        "/tier",
        "/intents/0",
        "/intents/1",
        "/scope/subject",
        "/evidence_refs",
        "/consent",
        "/ttl",
        "/by/kind",
        "/key",
        "/policy/classes/0",
        "/policy/min_confidence",
        "/policy/consent_required",
    ] {
        // A class that the policy does not take is told first, so it is left out below.
        assert!(found.contains(&pointer), "{pointer} is not in {found:?}");
    }
    for body in [
        json!([]),
        json!({}),
        json!({"value": 1}),
        json!({"value": 1, "class": 7}),
        json!({"value": "x".repeat(70_000), "class": "preference"}),
        json!({"value": 1, "class": "preference", "predicate": "p"}),
        json!({"value": 1, "class": "preference", "entity": "e".repeat(257), "predicate": "p"}),
        json!({"value": 1, "class": "preference", "consent": ""}),
        json!({"value": 1, "class": "preference", "by": "ann"}),
        json!({"value": 1, "class": "preference", "policy": []}),
    ] {
        problem(server.post(PATH, &body).await, 422, "invalid_request").await;
    }
    assert_eq!(server.get_json(PATH).await["items"], json!([]));
    assert_eq!(server.get_json(&format!("{PATH}/events")).await["items"], json!([]));
}

#[tokio::test]
async fn a_decision_needs_a_version_a_reason_and_somebody() {
    let server = TestServer::spawn().await;
    let candidate = propose(&server, json!({"value": "x", "class": "preference"})).await;
    let path = format!("{PATH}/{}", candidate["id"].as_str().unwrap());
    let (review, promote) = (format!("{path}/review"), format!("{path}/promote"));
    let refused = problem(
        server.send_if_match("POST", &review, None, &approve()).await,
        422,
        "invalid_request",
    )
    .await;
    assert!(refused["detail"].as_str().is_some() && pointers(&refused) == [""]);
    let by = json!({"by": {"id": "bob", "kind": "user"}});
    problem(server.send_if_match("POST", &promote, None, &by).await, 422, "invalid_request").await;
    for tag in ["*", "x", "\"1\", \"2\"", "W/\"1\""] {
        problem(
            server.send_if_match("POST", &review, Some(tag), &approve()).await,
            422,
            "invalid_request",
        )
        .await;
    }
    let empty = server
        .send_if_match("POST", &review, Some("\"1\""), &json!({"reason": " ", "by": {}}))
        .await;
    let refused = problem(empty, 422, "invalid_request").await;
    for pointer in ["/verdict", "/reason", "/by/id", "/by/kind"] {
        assert!(pointers(&refused).contains(&pointer), "{pointer}");
    }
    let bad = json!({"resolution": "both", "ttl": {}, "key": "", "tier": 1, "x": 1});
    let refused = problem(
        server.send_if_match("POST", &promote, Some("\"1\""), &bad).await,
        422,
        "invalid_request",
    )
    .await;
    for pointer in ["/by", "/x"] {
        assert!(pointers(&refused).contains(&pointer), "{pointer}");
    }
    for id in ["mcd_none", "%ff", "x"] {
        problem(server.get(&format!("{PATH}/{id}")).await, 404, "not_found").await;
        let none = server
            .send_if_match("POST", &format!("{PATH}/{id}/review"), Some("\"1\""), &approve())
            .await;
        problem(none, 404, "not_found").await;
    }
    assert_eq!(server.get_json(&path).await, candidate);

    // Turns are a session's, also where the promotion takes the session away.
    assert_eq!(
        server.send_if_match("POST", &review, Some("\"1\""), &approve()).await.status(),
        200
    );
    let turns = json!({"ttl": {"turns": 2}, "by": {"id": "bob", "kind": "user"}});
    let refused = problem(
        server.send_if_match("POST", &promote, Some("\"2\""), &turns).await,
        422,
        "invalid_request",
    )
    .await;
    assert_eq!(pointers(&refused), ["/ttl"]);
    assert_eq!(server.get_json("/memory").await["items"], json!([]));
}

#[tokio::test]
async fn what_was_sent_back_is_revised_and_reviewed_again() {
    let server = TestServer::spawn().await;
    let body = json!({"value": "x", "class": "preference", "tier": "durable"});
    let first = propose(&server, body).await;
    let id = first["id"].as_str().unwrap();
    let better = json!({"value": "y", "class": "preference", "tier": "working", "revises": id,
        "by": {"id": "carl", "kind": "user"}});
    let early = server.send_if_match("POST", PATH, Some("\"1\""), &better).await;
    problem(early, 409, "memory_bad_transition").await;
    let back = json!({"verdict": "request_changes", "reason": "why?", "by": {"id": "bob", "kind": "user"}});
    let path = format!("{PATH}/{id}/review");
    assert_eq!(server.send_if_match("POST", &path, Some("\"1\""), &back).await.status(), 200);
    problem(server.send_if_match("POST", PATH, None, &better).await, 422, "invalid_request").await;
    problem(
        server.send_if_match("POST", PATH, Some("\"1\""), &better).await,
        412,
        "precondition_failed",
    )
    .await;
    let revised =
        json_of(server.send_if_match("POST", PATH, Some("\"2\""), &better).await, 200).await;
    // The tier would need no review, but a reviewer has asked for it.
    assert_eq!((&revised["state"], &revised["version"]), (&json!("in_review"), &json!(3)));
    assert_eq!((&revised["id"], &revised["value"]), (&first["id"], &json!("y")));
    assert_eq!(revised["capture"]["seq"], 2);
    // Who revised it has proposed it, too.
    let mut verdict = approve();
    verdict["by"]["id"] = json!("carl");
    problem(
        server.send_if_match("POST", &path, Some("\"3\""), &verdict).await,
        403,
        "memory_self_review",
    )
    .await;
    let unknown = json!({"value": "y", "class": "preference", "revises": "mcd_none"});
    problem(server.send_if_match("POST", PATH, Some("\"1\""), &unknown).await, 404, "not_found")
        .await;
}

#[tokio::test]
async fn a_list_goes_on_where_it_stopped() {
    let server = TestServer::spawn().await;
    for at in 0..7 {
        let tier = if at % 2 == 0 { "working" } else { "durable" };
        propose(&server, json!({"value": at, "class": "preference", "tier": tier})).await;
    }
    let values = async |query: &str| {
        let mut found = Vec::new();
        let mut path = format!("{PATH}?limit=2{query}");
        loop {
            let page = server.get_json(&path).await;
            found.extend(page["items"].as_array().unwrap().iter().map(|one| one["value"].clone()));
            let Some(next) = page["next_cursor"].as_str() else { break };
            path = format!("{PATH}?limit=2{query}&cursor={next}");
        }
        found
    };
    assert_eq!(values("").await, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(values("&state=in_review").await, [1, 3, 5]);
    assert_eq!(values("&state=promoted").await, [0, 2, 4, 6]);
    assert_eq!(values("&state=rejected").await, [0; 0]);
    for bad in ["?limit=0", "?state=x", "?who=x", "/events?verify=2", "/events?cursor=x"] {
        problem(server.get(&format!("{PATH}{bad}")).await, 422, "invalid_request").await;
    }
    let mut seen = Vec::new();
    let mut path = format!("{PATH}/events?limit=5");
    loop {
        let page = server.get_json(&path).await;
        seen.extend(
            page["items"].as_array().unwrap().iter().map(|one| one["seq"].as_u64().unwrap()),
        );
        let Some(next) = page["next_cursor"].as_str() else { break };
        path = format!("{PATH}/events?limit=5&cursor={next}");
    }
    assert_eq!(seen, (1..=14).collect::<Vec<u64>>());
}

#[tokio::test]
async fn what_stands_is_told_from_what_stood() {
    let server = TestServer::spawn().await;
    let fact = |value: &str| {
        json!({"entity": "ann", "predicate": "contact", "value": value,
        "class": "preference", "tier": "working"})
    };
    assert_eq!(propose(&server, fact("email")).await["state"], "promoted");
    assert_eq!(propose(&server, fact("email")).await["state"], "duplicate");
    // An entry that an application wrote contradicts, too, though no candidate was it.
    let direct = server.build("PUT", "/memory/ann.contact").json(&json!({"value": "fax"}));
    assert_eq!(direct.send().await.unwrap().status(), 200);
    let email = propose(&server, fact("email")).await;
    assert_eq!(email["state"], "in_review");
    assert_eq!(email["checks"]["contradiction_check"]["verdict"], "conflict");
    // One that is retracted contradicts nothing, and its value may come again.
    assert_eq!(server.post("/memory/ann.contact/retract", &json!({})).await.status(), 200);
    let phone = propose(&server, fact("phone")).await;
    assert_eq!(phone["state"], "promoted", "{phone}");
    // In another scope it is another fact.
    let mut hers = fact("letter");
    hers["scope"] = json!({"subject": "ann"});
    assert_eq!(propose(&server, hers).await["state"], "promoted");
    let entry = server.get_json("/memory/ann.contact").await;
    assert_eq!((&entry["value"], &entry["status"]), (&json!("phone"), &json!("promoted")));
}

#[tokio::test]
async fn under_review_nothing_is_remembered_by_itself() {
    let server = TestServer::with(&["--memory-promotion", "review"]).await;
    let policy = json!({"auto_promote_classes": ["preference"], "min_confidence": 0});
    let body = json!({"value": "x", "class": "preference", "tier": "working", "policy": policy,
        "confidence": 1});
    let candidate = propose(&server, body).await;
    assert_eq!(candidate["state"], "in_review");
    assert_eq!(candidate["checks"]["auto_promote_eligible"], false);

    let call = async |name: &str, arguments: Value| {
        let body = json!({"scope": {"agent": "coder"}, "calls": [{"id": "1", "type": "function",
            "function": {"name": name, "arguments": arguments.to_string()}}]});
        let answer = server.post_ok("/tools/calls", &body).await;
        let result = &answer["results"][0];
        (result["decision"] == "allow", result["message"]["content"].as_str().unwrap().to_owned())
    };
    let write = json!({"key": "lang", "value": "Rust", "description": "the language"});
    let (done, said) = call("create_memory", write.clone()).await;
    assert!(done && said.contains("Proposed") && said.contains("review"), "{said}");
    let (done, said) = call("create_memory", write.clone()).await;
    assert!(done && said.contains("before"), "{said}");
    let (done, _) =
        call("modify_memory", json!({"action": "update", "key": "lang", "value": "Go"})).await;
    assert!(!done, "nothing is remembered yet");
    problem(server.get("/memory/lang?agent=coder").await, 404, "not_found").await;
    let compiled = server.compile(&json!({"messages": [user("hi")], "memory": true})).await;
    assert_eq!(compiled.report["memory"]["injected"], json!([]));

    let queue = server.get_json(&format!("{PATH}?state=in_review")).await;
    let proposed = &queue["items"][1];
    assert_eq!((&proposed["class"], &proposed["tier"]), (&json!("preference"), &json!("working")));
    assert_eq!(proposed["proposed_by"], json!([{"id": "coder", "kind": "agent"}]));
    let path = format!("{PATH}/{}", proposed["id"].as_str().unwrap());
    assert_eq!(
        server
            .send_if_match("POST", &format!("{path}/review"), Some("\"1\""), &approve())
            .await
            .status(),
        200
    );
    let by = json!({"by": {"id": "bob", "kind": "user"}});
    assert_eq!(
        server.send_if_match("POST", &format!("{path}/promote"), Some("\"2\""), &by).await.status(),
        200
    );
    let entry = server.get_json("/memory/lang?agent=coder").await;
    assert_eq!((&entry["value"], &entry["description"]), (&json!("Rust"), &json!("the language")));
    // From then on a model may propose another value, and may not forget it.
    let (done, _) =
        call("modify_memory", json!({"action": "update", "key": "lang", "value": "Go"})).await;
    assert!(done);
    let (done, said) = call("modify_memory", json!({"action": "delete", "key": "lang"})).await;
    assert!(!done && said.contains("people"), "{said}");
    assert_eq!(server.get_json("/memory/lang?agent=coder").await["value"], "Rust");
    // What the application writes is not asked.
    let direct = server.build("PUT", "/memory/direct").json(&json!({"value": 1}));
    assert_eq!(direct.send().await.unwrap().status(), 201);
}

/// A key speaks for itself unless it is a service's, and each step needs its role.
#[tokio::test]
async fn a_key_acts_in_its_roles_and_for_itself() {
    let server = TestServer::locked(&[]).await;
    let make = async |kind: &str, roles: Option<&[&str]>| {
        let mut body = json!({"kind": kind, "scopes": ["memory:read", "memory:write"]});
        if let Some(roles) = roles {
            body["roles"] = json!(roles);
        }
        let (key, id) = server.create_key(&body).await;
        (id, key)
    };
    let send = async |key: &str, path: &str, tag: Option<&str>, body: &Value| {
        let mut request = server.build("POST", path).bearer_auth(key).json(body);
        if let Some(tag) = tag {
            request = request.header("if-match", tag);
        }
        request.send().await.unwrap()
    };
    let (agent, agents) = make("agent", Some(&["capturer", "reviewer"])).await;
    let (_, services) = make("service", None).await;
    let (person, persons) = make("user", Some(&["reviewer", "promoter"])).await;
    let proposal = json!({"value": "tea", "class": "correction",
        "by": {"id": "ann", "kind": "user"}});

    let by_agent = send(&agents, PATH, None, &proposal).await;
    let candidate: Value = by_agent.json().await.unwrap();
    assert_eq!(candidate["proposed_by"], json!([{"id": agent, "kind": "agent"}]));
    let other =
        json!({"value": "milk", "class": "correction", "by": {"id": "ann", "kind": "user"}});
    let by_service: Value = send(&services, PATH, None, &other).await.json().await.unwrap();
    assert_eq!(by_service["proposed_by"], json!([{"id": "ann", "kind": "user"}]));
    problem(send(&persons, PATH, None, &proposal).await, 403, "memory_role").await;

    let path = format!("{PATH}/{}", candidate["id"].as_str().unwrap());
    let review = format!("{path}/review");
    for key in [&agents, &services] {
        problem(send(key, &review, Some("\"1\""), &approve()).await, 403, "memory_role").await;
    }
    let reviewed = json_of(send(&persons, &review, Some("\"1\""), &approve()).await, 200).await;
    assert_eq!(reviewed["review"]["by"], json!({"id": person, "kind": "user"}));
    let promote = json!({"by": {"id": "bob", "kind": "user"}});
    let promoted = send(BOOTSTRAP_KEY, &format!("{path}/promote"), Some("\"2\""), &promote).await;
    assert_eq!(promoted.status(), 200, "`admin` holds every role");
}
