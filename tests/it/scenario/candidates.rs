//! Scenarios MM01 to MM13: facts on their way into memory.

use reqwest::Response;
use serde_json::{Value, json};

use crate::support::compile::{user, with};
use crate::support::{Folder, TestServer, json_of, problem};

const PATH: &str = "/memory-candidates";

fn bob() -> Value {
    json!({"id": "bob", "kind": "user"})
}

/// A fact about Ann, proposed by an agent.
fn contact(value: &str) -> Value {
    json!({"entity": "ann", "predicate": "contact", "value": value, "class": "preference",
        "by": {"id": "bot", "kind": "agent"}})
}

async fn propose(server: &TestServer, body: &Value) -> Value {
    let answer = server.post(PATH, body).await;
    assert_eq!(answer.status(), 201, "{}", answer.text().await.unwrap());
    let tag = answer.headers()["etag"].to_str().unwrap().to_owned();
    let candidate: Value = answer.json().await.unwrap();
    assert_eq!(tag, format!("\"{}\"", candidate["version"]));
    candidate
}

/// Does something to a candidate in the version that is given.
async fn act(server: &TestServer, candidate: &Value, what: &str, body: &Value) -> Response {
    let path = format!("{PATH}/{}/{what}", candidate["id"].as_str().unwrap());
    let tag = format!("\"{}\"", candidate["version"]);
    server.build("POST", &path).header("if-match", tag).json(body).send().await.unwrap()
}

async fn review(server: &TestServer, candidate: &Value, verdict: &str) -> Value {
    let body = json!({"verdict": verdict, "reason": "because", "by": bob()});
    json_of(act(server, candidate, "review", &body).await, 200).await
}

async fn promote(server: &TestServer, candidate: &Value, more: Value) -> Value {
    let body = with(json!({"by": bob()}), &more);
    json_of(act(server, candidate, "promote", &body).await, 200).await
}

/// The keys that a compile recalls, and its payload.
async fn recalled(server: &TestServer) -> (Value, String) {
    let compiled = server.compile(&json!({"messages": [user("hi")], "memory": true})).await;
    (compiled.report["memory"]["injected"].clone(), compiled.text)
}

#[tokio::test]
async fn what_is_only_captured_is_not_recalled() {
    let server = TestServer::spawn().await;
    let candidate = propose(&server, &contact("email")).await;
    assert_eq!(candidate["state"], "in_review");
    assert_eq!(candidate["capture"]["seq"], 1);
    assert_eq!(candidate["capture"]["prev_hash"], "0".repeat(64));
    let (keys, text) = recalled(&server).await;
    assert_eq!(keys, json!([]));
    assert!(!text.contains("email"));
    assert_eq!(server.get_json("/memory").await["items"], json!([]));
}

#[tokio::test]
async fn what_is_approved_and_promoted_is_recalled() {
    let server = TestServer::spawn().await;
    let candidate = propose(&server, &contact("email")).await;
    let approved = review(&server, &candidate, "approve").await;
    assert_eq!((&approved["state"], &approved["version"]), (&json!("approved"), &json!(2)));
    assert_eq!(recalled(&server).await.0, json!([]));
    let promoted = promote(&server, &approved, json!({"tier": "durable"})).await;
    assert_eq!(
        (&promoted["state"], &promoted["memory_key"]),
        (&json!("promoted"), &json!("ann.contact"))
    );
    let (keys, text) = recalled(&server).await;
    assert_eq!(keys, json!(["ann.contact"]));
    assert!(text.contains("email"));
    let entry = server.get_json("/memory/ann.contact").await;
    assert_eq!((&entry["value"], &entry["tier"]), (&json!("email"), &json!("durable")));
    assert_eq!(entry["metadata"]["candidate"], candidate["id"]);
    let versions = server.get_json("/memory/ann.contact/versions").await;
    assert_eq!(versions["items"][0]["origin"], "review");
}

#[tokio::test]
async fn what_is_not_approved_is_not_promoted() {
    let server = TestServer::spawn().await;
    let candidate = propose(&server, &contact("email")).await;
    let body = json!({"by": bob()});
    let answer = act(&server, &candidate, "promote", &body).await;
    let refused = problem(answer, 409, "memory_bad_transition").await;
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains("in_review") && detail.contains("promoted"), "{detail}");

    let pending = review(&server, &candidate, "request_changes").await;
    assert_eq!(pending["state"], "pending");
    let answer = act(&server, &pending, "promote", &body).await;
    let refused = problem(answer, 409, "memory_bad_transition").await;
    assert!(refused["detail"].as_str().unwrap().contains("pending"));
    assert_eq!(recalled(&server).await.0, json!([]));
}

#[tokio::test]
async fn nobody_reviews_what_they_proposed() {
    let server = TestServer::spawn().await;
    let body = with(contact("email"), &json!({"by": bob()}));
    let candidate = propose(&server, &body).await;
    let verdict = json!({"verdict": "approve", "reason": "mine", "by": bob()});
    let answer = act(&server, &candidate, "review", &verdict).await;
    problem(answer, 403, "memory_self_review").await;
    assert_eq!(server.get_json(&format!("{PATH}?state=in_review")).await["items"][0], candidate);
}

#[tokio::test]
async fn an_agent_decides_nothing() {
    let server = TestServer::spawn().await;
    let candidate = propose(&server, &contact("email")).await;
    let agent = json!({"id": "another", "kind": "agent"});
    let verdict = json!({"verdict": "approve", "reason": "sure", "by": agent});
    problem(act(&server, &candidate, "review", &verdict).await, 403, "memory_role").await;
    let approved = review(&server, &candidate, "approve").await;
    let body = json!({"by": agent});
    problem(act(&server, &approved, "promote", &body).await, 403, "memory_role").await;
}

#[tokio::test]
async fn the_same_fact_again_points_to_the_first() {
    let server = TestServer::spawn().await;
    let first = propose(&server, &contact("email")).await;
    let second = propose(&server, &contact("email")).await;
    assert_eq!(second["state"], "duplicate");
    assert_eq!(second["checks"]["duplicate_of"], first["id"]);
    assert_eq!(second["capture"]["prev_hash"], first["capture"]["hash"]);
    // Free text is the same where its words are.
    let free = |text: &str| json!({"value": text, "class": "preference"});
    let first = propose(&server, &free("Likes  short answers")).await;
    assert_eq!(first["checks"]["contradiction_check"], json!({"verdict": "not_applicable"}));
    let second = propose(&server, &free("likes short\nanswers")).await;
    assert_eq!(second["checks"]["duplicate_of"], first["id"]);
    assert_eq!(propose(&server, &free("likes long answers")).await["state"], "in_review");
}

#[tokio::test]
async fn what_was_rejected_is_rejected_again() {
    let server = TestServer::spawn().await;
    let first = propose(&server, &contact("fax")).await;
    let rejected = review(&server, &first, "reject").await;
    assert_eq!(rejected["review"]["reason"], "because");
    let again = propose(&server, &contact("fax")).await;
    assert_eq!(again["state"], "auto_rejected");
    assert_eq!(again["checks"]["previous"], first["id"]);
    let third = propose(&server, &contact("fax")).await;
    assert_eq!(third["state"], "auto_rejected");
    // A reviewer can open it again, and from then on it is not rejected by itself.
    let approved = review(&server, &again, "approve").await;
    assert_eq!(approved["state"], "approved");
    let fourth = propose(&server, &contact("fax")).await;
    assert_eq!(fourth["checks"]["duplicate_of"], again["id"]);
    // Opened twice it would be there twice.
    let verdict = json!({"verdict": "approve", "reason": "too", "by": bob()});
    problem(act(&server, &third, "review", &verdict).await, 409, "conflict").await;
}

#[tokio::test]
async fn a_contradiction_is_resolved_by_people() {
    let server = TestServer::spawn().await;
    let email = propose(&server, &contact("email")).await;
    let email = review(&server, &email, "approve").await;
    promote(&server, &email, json!({})).await;

    let phone = propose(&server, &contact("phone")).await;
    let check = &phone["checks"]["contradiction_check"];
    assert_eq!(check["verdict"], "conflict");
    assert_eq!(check["existing"], json!([{"key": "ann.contact", "candidate": email["id"]}]));
    let phone = review(&server, &phone, "approve").await;
    let answer = act(&server, &phone, "promote", &json!({"by": bob()})).await;
    let refused = problem(answer, 409, "memory_contradiction").await;
    assert!(refused["detail"].as_str().unwrap().contains("ann.contact"));
    assert!(recalled(&server).await.1.contains("email"));

    promote(&server, &phone, json!({"resolution": "supersede"})).await;
    let (keys, text) = recalled(&server).await;
    assert_eq!(keys, json!(["ann.contact"]));
    assert!(text.contains("phone") && !text.contains("email"), "{text}");
    let versions = server.get_json("/memory/ann.contact/versions").await;
    let said = |at: usize| {
        let version = &versions["items"][at];
        [&version["action"], &version["entry"]["status"], &version["entry"]["value"]]
            .map(|word| word.as_str().unwrap().to_owned())
    };
    assert_eq!(said(0), ["set", "promoted", "phone"]);
    assert_eq!(said(1), ["supersede", "superseded", "email"]);
    let old = server.get_json(&format!("{PATH}/{}", email["id"].as_str().unwrap())).await;
    assert_eq!((&old["state"], &old["superseded_by"]), (&json!("superseded"), &phone["id"]));
    let events = server.get_json("/events?format=json&after=0&types=memory:changed").await;
    let types: Vec<&Value> =
        events["items"].as_array().unwrap().iter().map(|one| &one["data"]["type"]).collect();
    assert_eq!(types, ["set", "supersede", "set"]);
}

#[tokio::test]
async fn both_may_stay_or_the_new_one_may_go() {
    let server = TestServer::spawn().await;
    let email = propose(&server, &contact("email")).await;
    promote(&server, &review(&server, &email, "approve").await, json!({})).await;
    let phone = propose(&server, &contact("phone")).await;
    let phone = review(&server, &phone, "approve").await;
    let both = promote(&server, &phone, json!({"resolution": "keep_both"})).await;
    let key = both["memory_key"].as_str().unwrap();
    assert!(key.starts_with("ann.contact."), "{key}");
    assert_eq!(server.get_json("/memory/ann.contact").await["value"], "email");
    assert_eq!(server.get_json(&format!("/memory/{key}")).await["value"], "phone");
    // The third contradicts the two.
    let fax = propose(&server, &contact("fax")).await;
    let existing = &fax["checks"]["contradiction_check"]["existing"];
    assert_eq!(existing.as_array().unwrap().len(), 2);
    let fax = review(&server, &fax, "approve").await;
    let gone = promote(&server, &fax, json!({"resolution": "reject"})).await;
    assert_eq!(gone["state"], "rejected");
    assert_eq!(propose(&server, &contact("fax")).await["state"], "auto_rejected");
    assert_eq!(recalled(&server).await.0.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_policy_promotes_what_is_sure_enough() {
    let server = TestServer::spawn().await;
    let policy = json!({"classes": ["correction", "decision_outcome"],
        "auto_promote_classes": ["decision_outcome"], "min_confidence": 0.8});
    let outcome = |name: &str, confidence: f64| {
        json!({"value": format!("failover of {name} took 40 s"), "class": "decision_outcome",
            "confidence": confidence, "policy": policy})
    };
    let sure = propose(&server, &outcome("db-1", 0.95)).await;
    assert_eq!(sure["state"], "promoted");
    assert_eq!(sure["checks"]["auto_promote_eligible"], true);
    let key = sure["memory_key"].as_str().unwrap();
    assert_eq!(recalled(&server).await.0, json!([key]));
    let events = server.get_json(&format!("{PATH}/events")).await;
    let last = &events["items"][1]["event"];
    assert_eq!((&last["action"], &last["by"]["kind"]), (&json!("promote"), &json!("automation")));

    for (name, confidence) in [("db-2", 0.79), ("db-3", 0.799_999)] {
        let unsure = propose(&server, &outcome(name, confidence)).await;
        assert_eq!(unsure["state"], "in_review", "{confidence}");
        assert_eq!(unsure["checks"]["auto_promote_eligible"], false);
    }
    assert_eq!(propose(&server, &outcome("db-4", 0.8)).await["state"], "promoted");
    // Without a policy, what is not meant to last is promoted.
    for (tier, state) in
        [("working", "promoted"), ("episodic", "promoted"), ("durable", "in_review")]
    {
        let body = json!({"value": tier, "class": "evidence_link", "tier": tier});
        assert_eq!(propose(&server, &body).await["state"], state, "{tier}");
    }
}

#[tokio::test]
async fn without_consent_nothing_is_promoted() {
    let server = TestServer::spawn().await;
    let policy = json!({"policy": {"consent_required": true, "auto_promote_classes": ["preference"]},
        "confidence": 1});
    let candidate = propose(&server, &with(contact("email"), &policy)).await;
    assert_eq!(
        (&candidate["state"], &candidate["checks"]["consent_check"]),
        (&json!("in_review"), &json!("missing"))
    );
    let approved = review(&server, &candidate, "approve").await;
    let answer = act(&server, &approved, "promote", &json!({"by": bob()})).await;
    problem(answer, 409, "memory_consent_missing").await;
    let given = json!({"consent": {"record": "c-17"}, "value": "letter"});
    let candidate = propose(&server, &with(with(contact(""), &policy), &given)).await;
    assert_eq!(
        (&candidate["state"], &candidate["checks"]["consent_check"]),
        (&json!("promoted"), &json!("given"))
    );
}

#[tokio::test]
async fn a_class_that_is_not_known_or_not_taken_is_refused() {
    let server = TestServer::spawn().await;
    let gossip = with(contact("email"), &json!({"class": "gossip"}));
    problem(server.post(PATH, &gossip).await, 422, "memory_class_unknown").await;
    let other = with(contact("email"), &json!({"policy": {"classes": ["correction"]}}));
    problem(server.post(PATH, &other).await, 422, "memory_class_unknown").await;
    assert_eq!(server.get_json(PATH).await["items"], json!([]));
    assert_eq!(server.get_json(&format!("{PATH}/events")).await["items"], json!([]));
}

#[tokio::test]
async fn a_version_that_is_not_the_last_is_stale() {
    let server = TestServer::spawn().await;
    let candidate = propose(&server, &contact("email")).await;
    let approved = review(&server, &candidate, "approve").await;
    let body = json!({"by": bob()});
    problem(act(&server, &candidate, "promote", &body).await, 412, "precondition_failed").await;
    let verdict = json!({"verdict": "reject", "reason": "late", "by": bob()});
    problem(act(&server, &candidate, "review", &verdict).await, 412, "precondition_failed").await;
    promote(&server, &approved, json!({})).await;
}

#[tokio::test]
async fn a_changed_line_of_the_log_is_found() {
    let folder = Folder::new();
    let (file, url) = (folder.database(), folder.url());
    let server = TestServer::with(&["--database-url", &url]).await;
    for value in ["email", "phone", "fax"] {
        propose(&server, &contact(value)).await;
    }
    let all = format!("{PATH}/events?verify=1");
    let answer = server.get_json(&all).await;
    let ok = |lines: u64| json!({"ok": true, "lines": lines, "broken_at": null});
    assert_eq!(answer["verified"], json!({"events": ok(6), "captures": ok(3)}));
    let items = answer["items"].as_array().unwrap();
    for pair in items.windows(2) {
        assert_eq!(pair[1]["prev_hash"], pair[0]["hash"]);
    }

    let database = rusqlite::Connection::open(&file).unwrap();
    let broken = async |sql: &str| {
        database.execute_batch(sql).unwrap();
        let verified = server.get_json(&all).await["verified"].clone();
        (verified["events"]["broken_at"].clone(), verified["captures"]["broken_at"].clone())
    };
    let of = |log: &str, seq: u64| format!("WHERE log = '{log}' AND seq = {seq}");
    let swap = |from: &str, to: &str| {
        format!(
            "UPDATE memory_log SET body = replace(body, '{from}', '{to}') {}",
            of("transitions", 4)
        )
    };
    let none = (Value::Null, Value::Null);
    assert_eq!(broken(&swap("in_review", "approved")).await, (json!(4), Value::Null));
    assert_eq!(broken(&swap("approved", "in_review")).await, none);
    let content = |from: &str, to: &str| {
        format!(
            "UPDATE memory_log SET content = replace(content, '{from}', '{to}') {}",
            of("captures", 2)
        )
    };
    assert_eq!(broken(&content("phone", "pager")).await, (Value::Null, json!(2)));
    assert_eq!(broken(&content("pager", "phone")).await, none);
    // A line that goes from the end is missed, too.
    let cut = format!("DELETE FROM memory_log {}", of("transitions", 6));
    assert_eq!(broken(&cut).await, (json!(6), Value::Null));
    // One that is no JSON any more is shown as null, and answers no error.
    let garbage = format!("UPDATE memory_log SET body = '(' {}", of("transitions", 1));
    assert_eq!(broken(&garbage).await, (json!(1), Value::Null));
    assert_eq!(server.get_json(&all).await["items"][0]["event"], Value::Null);
}
