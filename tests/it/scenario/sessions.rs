//! Scenarios of sessions: what a provider's usage does (J07, J10, J11, J14).
//!
//! `bytes4` has no framing: a message of `words(_, 1000)` takes 1,000 tokens and stands for the
//! scenarios' message of 10, so every window is a hundred times theirs.

use serde_json::{Value, json};

use crate::support::compile::{Compiled, assistant, user, words};
use crate::support::{TestServer, pointers, problem};

fn five(tokens: usize) -> Vec<Value> {
    let message = |at: usize| {
        let text = words(&format!("m{at}"), tokens);
        if at % 2 == 1 { user(&text) } else { assistant(&text) }
    };
    (1..=5).map(message).collect()
}

async fn compile(
    server: &TestServer,
    window: u64,
    messages: &[Value],
    fed: Option<u64>,
) -> Compiled {
    let mut body = json!({"messages": messages, "target": "neutral", "model": "bytes4",
        "budget": {"context_window": window}, "compression": {"keep_recent_turns": 1},
        "session_id": "s"});
    if let Some(fed) = fed {
        body["usage"] = json!({"prompt_tokens": fed});
    }
    server.compile(&body).await
}

/// The first word of every message; `summary` for what stands for older ones.
fn names(compiled: &Compiled) -> Vec<String> {
    let name = |at| {
        let text = compiled.said(at);
        if text.starts_with("<history_summary>") {
            return "summary".to_owned();
        }
        text.split(' ').next().unwrap_or_default().to_owned()
    };
    (0..compiled.list().len()).map(name).collect()
}

#[tokio::test]
async fn usage_above_the_window_shrinks_the_history_and_usage_below_does_not() {
    let list = five(25_000);
    let server = TestServer::spawn().await;
    compile(&server, 200_000, &list, None).await;
    let whole = compile(&server, 200_000, &list, Some(180_000)).await;
    assert_eq!(names(&whole), ["m1", "m2", "m3", "m4", "m5"]);
    let server = TestServer::spawn().await;
    compile(&server, 200_000, &list, None).await;
    let shrunk = compile(&server, 200_000, &list, Some(250_000)).await;
    assert_eq!(names(&shrunk), ["summary", "m3", "m4", "m5"]);
    assert!(shrunk.number("tokens_after") <= 200_000);
    assert_eq!(shrunk.report["fits"], true);
}

#[tokio::test]
async fn our_count_alone_moves_points_whatever_is_reported() {
    // More than the window by our count: shrunk, though the provider has told less.
    let server = TestServer::spawn().await;
    let list = five(4000);
    compile(&server, 100_000, &list, None).await;
    let shrunk = compile(&server, 10_000, &list, Some(10_000)).await;
    assert!(names(&shrunk).len() < 5 && shrunk.action("summarized") > 0, "{:?}", names(&shrunk));
    assert_eq!(shrunk.report["cache"]["first_change"]["why"], "compaction");
    // Within it by our count: no point, and for what the provider counts a squeeze.
    let server = TestServer::spawn().await;
    let list = five(1500);
    compile(&server, 10_000, &list, None).await;
    let squeezed = compile(&server, 10_000, &list, Some(15_000)).await;
    assert_eq!(squeezed.report["cache"]["first_change"]["why"], "squeeze");
}

#[tokio::test]
async fn usage_above_the_window_is_heeded_where_our_count_is_well_within_it() {
    let server = TestServer::spawn().await;
    let list = five(1500);
    compile(&server, 10_000, &list, None).await;
    let shrunk = compile(&server, 10_000, &list, Some(15_000)).await;
    assert!(shrunk.action("summarized") + shrunk.action("dropped") > 0, "{}", shrunk.report);
    assert!(shrunk.number("tokens_after") <= 10_000 && shrunk.report["fits"] == true);
    // Where nothing can be done about it, that is said.
    let one = [user(&words("m1", 7500))];
    compile(&server, 10_000, &one, None).await;
    let over = compile(&server, 10_000, &one, Some(15_000)).await;
    assert_eq!((&over.report["fits"], names(&over)), (&json!(false), vec!["m1".to_owned()]));
}

#[tokio::test]
async fn usage_is_heeded_at_once_and_never_fires_late() {
    let server = TestServer::spawn().await;
    let list = five(1000);
    compile(&server, 5000, &list, None).await;
    let shrunk = compile(&server, 5000, &list, Some(7500)).await;
    assert!(names(&shrunk).len() < 5, "{:?}", names(&shrunk));
    // What was sent is what the next report is of: the factor holds, and the same list gives the
    // same payload for as long as it does.
    let fed = shrunk.number("tokens_after");
    let again = compile(&server, 5000, &list, Some(fed)).await;
    assert_eq!(again.text, shrunk.text);
    assert_eq!(compile(&server, 5000, &list, None).await.text, shrunk.text);
    // Reports that fit end it, once they are most of the last.
    let raw = shrunk.number("tokens_after") * 5000 / 7500;
    assert_eq!(compile(&server, 5000, &list, Some(raw)).await.text, shrunk.text);
    let eased = compile(&server, 5000, &list, Some(raw)).await;
    assert!(names(&eased).len() < 5, "{:?}", names(&eased));
    let whole = compile(&server, 5000, &list, Some(raw)).await;
    assert_eq!(names(&whole), ["m1", "m2", "m3", "m4", "m5"]);
}

/// Keys and values of the entries of a session, `key=value`.
async fn entries(server: &TestServer, session: &str) -> Vec<String> {
    let list = server.get(&format!("/memory?session_id={session}")).await;
    let list: Value = list.json().await.unwrap();
    let text = |one: &Value| {
        format!("{}={}", one["key"].as_str().unwrap(), one["value"].as_str().unwrap())
    };
    list["items"].as_array().unwrap().iter().map(text).collect()
}

#[tokio::test]
async fn a_cleared_history_is_not_held_to_what_was_reported_before() {
    let server = TestServer::spawn().await;
    let list = five(1000);
    compile(&server, 10_000, &list, None).await;
    let squeezed = compile(&server, 10_000, &list, Some(10_000)).await;
    assert_eq!(squeezed.number("tokens_after"), 10_000);
    server.post_ok("/sessions/s/switch", &json!({"new_session_id": "s2", "reset": true})).await;
    let body = json!({"messages": [list[0]], "target": "neutral", "model": "bytes4",
        "budget": {"context_window": 10_000}, "session_id": "s2"});
    let compiled = server.compile(&body).await;
    assert_eq!((names(&compiled), compiled.number("tokens_after")), (vec!["m1".to_owned()], 1000));
}

#[tokio::test]
async fn a_restored_memory_is_the_old_one_and_each_entry_is_told() {
    let server = TestServer::spawn().await;
    server.remember_in("s", "k", "old").await;
    let body = json!({"messages": [user("x")], "memory": true, "session_id": "s"});
    server.compile(&body).await;
    let snapshot = server.post_ok("/sessions/s/snapshots", &json!({})).await;
    server.remember_in("s", "k", "new").await;
    server.remember_in("s", "added", "one").await;
    server.compile(&body).await;
    let before = server.events_of("memory:changed").await.len();
    let restore = json!({"snapshot_id": snapshot["id"]});
    let session = server.post_ok("/sessions/s/restore", &restore).await;
    assert_eq!(
        (entries(&server, "s").await, &session["turns"]),
        (vec!["k=old".to_owned()], &json!(1))
    );
    let events = server.events_of("memory:changed").await;
    let told = events.iter().skip(before);
    let told: Vec<_> = told.map(|data| [&data["key"], &data["type"], &data["origin"]]).collect();
    assert_eq!(
        told,
        [
            [&json!("added"), &json!("delete"), &json!("session")],
            [&json!("k"), &json!("restore"), &json!("session")],
        ]
    );
}

#[tokio::test]
async fn a_snapshot_in_a_new_context_gives_the_same_next_compile() {
    let (here, there) = (TestServer::spawn().await, TestServer::spawn().await);
    let defaults = json!({"system": "Be brief.", "dynamic_state": {"branch": "main"}, "memory": true,
        "model": "bytes4", "target": "anthropic"});
    here.post_ok("/sessions", &json!({"id": "s", "defaults": defaults})).await;
    here.remember_in("s", "language", "Rust").await;
    let body = json!({"messages": [user("x")], "session_id": "s"});
    here.compile(&body).await;
    let taken = here.post_ok("/sessions/s/snapshots", &json!({})).await;
    let path = format!("/snapshots/{}", taken["id"].as_str().unwrap());
    let snapshot = here.get_json(&path).await;
    let text = serde_json::to_string(&snapshot).unwrap();
    let snapshot: Value = serde_json::from_str(&text).unwrap();
    there.post_ok("/sessions/s/restore", &json!({"snapshot": snapshot})).await;
    assert_eq!(there.compile(&body).await.text, here.compile(&body).await.text);
}

#[tokio::test]
async fn a_snapshot_stays_what_it_was_and_is_restored_more_than_once() {
    let server = TestServer::spawn().await;
    server.remember_in("s", "k", "old").await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    let taken = server.post_ok("/sessions/s/snapshots", &json!({})).await;
    let path = format!("/snapshots/{}", taken["id"].as_str().unwrap());
    let before = server.get_json(&path).await;
    for value in ["new", "newer"] {
        server.remember_in("s", "k", value).await;
        let after = server.get_json(&path).await;
        assert_eq!(after, before);
        server.post_ok("/sessions/s/restore", &json!({"snapshot_id": taken["id"]})).await;
        assert_eq!(entries(&server, "s").await, ["k=old"]);
    }
}

#[tokio::test]
async fn what_was_fed_survives_a_snapshot() {
    let server = TestServer::spawn().await;
    compile(&server, 10_000, &five(200), None).await;
    let usage = json!({"usage": {"prompt_tokens": 1998}});
    let session = server.post_ok("/sessions/s/usage", &usage).await;
    let taken = server.post_ok("/sessions/s/snapshots", &json!({})).await;
    server.post_ok("/sessions/s/usage", &json!({"usage": {"prompt_tokens": 1005}})).await;
    let restored =
        server.post_ok("/sessions/s/restore", &json!({"snapshot_id": taken["id"]})).await;
    assert_eq!(restored["calibration"], session["calibration"]);
    assert_eq!(restored["calibration"][0]["factor"], 1.998);
}

#[tokio::test]
async fn tools_of_the_defaults_roll_back() {
    let server = TestServer::spawn().await;
    let tool = |name: &str| {
        json!([{"type": "function", "function": {"name": name,
        "parameters": {"type": "object", "properties": {}}}}])
    };
    server.post_ok("/sessions", &json!({"id": "s", "defaults": {"tools": tool("old")}})).await;
    let taken = server.post_ok("/sessions/s/snapshots", &json!({})).await;
    let change = json!({"defaults": {"tools": tool("new")}});
    server.patch("/sessions/s", &change).await;
    server.post_ok("/sessions/s/restore", &json!({"snapshot_id": taken["id"]})).await;
    let compiled = server.compile(&json!({"messages": [user("x")], "session_id": "s"})).await;
    assert_eq!(compiled.payload["tools"], tool("old"));
}

#[tokio::test]
async fn two_compiles_at_once_are_two_turns_and_see_one_history() {
    let server = TestServer::spawn().await;
    let body = json!({"messages": five(100), "session_id": "s", "target": "neutral"});
    let (first, second) = tokio::join!(server.compile(&body), server.compile(&body));
    assert_eq!(first.text, second.text);
    let session = server.get_json("/sessions/s").await;
    assert_eq!(session["turns"], 2);
}

fn delegation(agent: &str) -> Value {
    json!({"agent_name": agent, "task": "[Handoff from a] do it", "result": "done"})
}

#[tokio::test]
async fn a_delegation_without_a_result_is_told() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    let mut report = delegation("b");
    report["result"] = json!("");
    let answer = server.post_json("/sessions/s/delegations", 201, &report).await;
    let told = server.events_of("delegation:recorded").await;
    assert_eq!(
        told,
        [json!({"delegation_id": answer["id"], "agent_name": "b", "status": "success",
        "path": "sync", "handoff_depth": null, "task_bytes": 22, "result_bytes": 0})]
    );
}

#[tokio::test]
async fn a_delegation_is_told_alike_on_every_path() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    for path in ["sync", "async", "tool", "parallel", "typed"] {
        let mut report = delegation("b");
        report["path"] = json!(path);
        server.post_ok("/sessions/s/delegations", &report).await;
    }
    let mut told = server.events_of("delegation:recorded").await;
    let paths: Vec<Value> = told.iter_mut().map(|one| one["path"].take()).collect();
    assert_eq!(paths, ["sync", "async", "tool", "parallel", "typed"]);
    for one in &mut told {
        one["delegation_id"] = Value::Null;
    }
    assert!(told.iter().all(|one| *one == told[0]), "{told:?}");
}

#[tokio::test]
async fn the_depth_of_a_hand_off_is_told() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    let mut report = delegation("b");
    report["metadata"] = json!({"handoff_depth": 1});
    server.post_ok("/sessions/s/delegations", &report).await;
    assert_eq!(server.events_of("delegation:recorded").await[0]["handoff_depth"], 1);
}

#[tokio::test]
async fn delegations_in_parallel_are_told_one_by_one() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    let (b, c, d) = (delegation("b"), delegation("c"), delegation("d"));
    let path = "/sessions/s/delegations";
    tokio::join!(server.post_ok(path, &b), server.post_ok(path, &c), server.post_ok(path, &d));
    let mut names: Vec<String> = server
        .events_of("delegation:recorded")
        .await
        .iter()
        .map(|one| one["agent_name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["b", "c", "d"]);
}

#[tokio::test]
async fn a_delegation_that_is_reported_again_is_told_once() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s"})).await;
    for _ in 0..2 {
        let request = server.build("POST", "/sessions/s/delegations");
        let answer = request.header("idempotency-key", "k").json(&delegation("b")).send().await;
        assert_eq!(answer.unwrap().status(), 201);
    }
    assert_eq!(server.events_of("delegation:recorded").await.len(), 1);
}

#[tokio::test]
async fn a_switch_takes_the_memory_along() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s1"})).await;
    server.remember_in("s1", "k", "v").await;
    let to = json!({"new_session_id": "s2"});
    assert_eq!(server.post("/sessions/s1/switch", &to).await.status(), 201);
    let told = server.events_of("session:switched").await;
    assert_eq!(
        told[1..],
        [json!({"new_session_id": "s2", "parent_session_id": "s1", "reset": false,
        "reason": "new"})]
    );
    server.remember_in("s2", "later", "v").await;
    assert_eq!(entries(&server, "s2").await, ["k=v", "later=v"]);
    assert_eq!(entries(&server, "s1").await, [""; 0]);
}

#[tokio::test]
async fn a_switch_with_a_reset_begins_from_nothing_and_leaves_the_parent_as_it_was() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s1"})).await;
    server.remember_in("s1", "k", "v").await;
    server.compile(&json!({"messages": [user("x")], "session_id": "s1"})).await;
    let before = server.get_json("/sessions/s1").await;
    let session = json!({"new_session_id": "s2", "reset": true});
    let session = server.post_ok("/sessions/s1/switch", &session).await;
    assert_eq!((&session["turns"], &session["parent_session_id"]), (&json!(0), &json!("s1")));
    assert_eq!(server.events_of("session:switched").await[1]["reset"], true);
    assert_eq!(entries(&server, "s2").await, [""; 0]);
    assert_eq!(entries(&server, "s1").await, ["k=v"]);
    let after = server.get_json("/sessions/s1").await;
    assert_eq!(after, before);
    server.compile(&json!({"messages": [user("x")], "session_id": "s1"})).await;
}

#[tokio::test]
async fn the_first_session_has_an_empty_parent() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s1"})).await;
    let told = server.events_of("session:switched").await;
    assert_eq!(told[0]["parent_session_id"], "");
}

#[tokio::test]
async fn a_fork_is_told_as_a_switch() {
    let server = TestServer::spawn().await;
    server.post_ok("/sessions", &json!({"id": "s1"})).await;
    server.post_ok("/sessions/s1/fork", &json!({"new_session_id": "s2"})).await;
    let told = server.events_of("session:switched").await;
    assert_eq!(
        told[1],
        json!({"new_session_id": "s2", "parent_session_id": "s1", "reset": false,
        "reason": "fork"})
    );
}

#[tokio::test]
async fn what_one_session_was_fed_is_no_matter_of_another() {
    let server = TestServer::spawn().await;
    let list = five(10_000);
    let plain = compile(&server, 200_000, &list, None).await;
    compile(&server, 200_000, &list, Some(250_000)).await;
    let mut body = json!({"messages": list, "target": "neutral", "model": "bytes4",
        "budget": {"context_window": 200_000}, "compression": {"keep_recent_turns": 1},
        "session_id": "other"});
    assert_eq!(server.compile(&body).await.text, plain.text);
    // There is no session without a name that others could share.
    body["session_id"] = json!("");
    let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    assert_eq!(pointers(&refused), ["/session_id"]);
}

#[tokio::test]
async fn a_snapshot_keeps_the_instructions_of_its_skill_where_there_is_no_such_skill() {
    let server = TestServer::spawn().await;
    let skill = json!({"name": "haiku", "instructions": "Answer in a haiku."});
    server.post_ok("/sessions", &json!({"id": "s", "defaults": {"skill": skill}})).await;
    let body = json!({"messages": [user("x")], "session_id": "s"});
    let before = server.compile(&body).await;
    assert_eq!(before.report["skill"], "haiku");
    let taken = server.post_ok("/sessions/s/snapshots", &json!({})).await;
    let path = format!("/snapshots/{}", taken["id"].as_str().unwrap());
    let snapshot = server.get_json(&path).await;
    // In another place, that has no skills at all.
    let elsewhere = TestServer::spawn().await;
    elsewhere.post_ok("/sessions", &json!({"id": "s"})).await;
    elsewhere.post_ok("/sessions/s/restore", &json!({"snapshot": snapshot})).await;
    let after = elsewhere.compile(&body).await;
    assert_eq!((&after.text, &after.report["skill"]), (&before.text, &json!("haiku")));
    assert!(after.text.contains("Answer in a haiku."));
}
