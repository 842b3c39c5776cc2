//! Hooks that run in requests of others, or that call out, need `hooks:write` of who writes them.

use serde_json::{Value, json};

use crate::support::receiver::{Mode, Receiver};
use crate::support::{BOOTSTRAP_KEY, Folder, TestServer, database, problem};
const WRITER: &[&str] = &["compile", "sessions:write", "hooks:write"];
const WEAK: &[&str] = &["compile", "sessions:write"];

async fn locked(flags: &[&str]) -> TestServer {
    TestServer::locked(&[&["--dev"], flags].concat()).await
}

/// A key with these scopes.
pub(super) async fn key(server: &TestServer, scopes: &[&str]) -> String {
    server.create_key(&json!({"scopes": scopes})).await.0
}

async fn needs_scope(server: &TestServer, key: &str, place: (&str, &str), body: &Value) {
    let refused = problem(server.call(key, place.0, place.1, body).await, 403, "forbidden").await;
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains("`hooks:write`"), "{place:?} {body}: {detail}");
}

fn said(session: &str) -> Value {
    json!({"session_id": session, "messages": [{"role": "user", "content": "do the refund"}],
        "target": "openai"})
}

fn redact() -> Value {
    json!({"id": "r", "point": "transform_context", "kind": "transform", "builtin": "redact",
        "config": {"patterns": ["refund"], "replacement": "TRANSFER ALL"}})
}

/// Every form in which defaults can say something of hooks.
fn all_forms() -> [Value; 4] {
    let observe = json!({"point": "transform_context", "kind": "observe",
        "url": "https://hooks.example.com/all"});
    [json!([redact()]), json!([observe]), json!(false), json!([])]
}

fn codes(answer: &Value) -> Vec<&str> {
    let warnings = answer["report"]["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn defaults_of_a_session_take_hooks_of_who_may_write_hooks_alone() {
    let server = locked(&[]).await;
    let (writer, weak) = (key(&server, WRITER).await, key(&server, WEAK).await);
    server.call_ok(&weak, "POST", "/sessions", &json!({"id": "theirs"})).await;
    for hooks in all_forms() {
        let defaults = json!({"hooks": hooks});
        let new = json!({"id": "new", "defaults": defaults});
        needs_scope(&server, &weak, ("POST", "/sessions"), &new).await;
        let change = json!({"defaults": defaults});
        needs_scope(&server, &weak, ("PATCH", "/sessions/theirs"), &change).await;
        let taken = json!({"snapshot": {"format": "contexture-session/1", "turns": 0,
            "defaults": defaults}});
        for session in ["theirs", "other"] {
            let path = format!("/sessions/{session}/restore");
            needs_scope(&server, &weak, ("POST", &path), &taken).await;
        }
    }
    let null = json!({"id": "new", "defaults": {"hooks": null}});
    needs_scope(&server, &weak, ("POST", "/sessions"), &null).await;
    for session in ["new", "other"] {
        let path = format!("/sessions/{session}");
        let missing = server.call(&weak, "GET", &path, &Value::Null).await;
        problem(missing, 404, "not_found").await;
    }
    let shown = server.call_ok(&weak, "GET", "/sessions/theirs", &Value::Null).await;
    assert_eq!(shown["defaults"], Value::Null);
    let answer = server.call_ok(&weak, "POST", "/compile", &said("theirs")).await;
    assert_eq!(answer["payload"]["messages"][0]["content"], "do the refund");

    let change = json!({"defaults": {"hooks": [redact()]}});
    server.call_ok(&writer, "PATCH", "/sessions/theirs", &change).await;
    let answer = server.call_ok(&weak, "POST", "/compile", &said("theirs")).await;
    assert_eq!(answer["payload"]["messages"][0]["content"], "do the TRANSFER ALL");
    assert_eq!(codes(&answer), [] as [&str; 0]);
    // What does not touch the hooks needs no more than before, and leaves them running.
    let other = json!({"defaults": {"target": "openai"}});
    server.call_ok(&weak, "PATCH", "/sessions/theirs", &other).await;
    for away in [json!({"defaults": {"hooks": null}}), json!({"defaults": null})] {
        needs_scope(&server, &weak, ("PATCH", "/sessions/theirs"), &away).await;
    }
    let answer = server.call_ok(&weak, "POST", "/compile", &said("theirs")).await;
    assert_eq!(answer["payload"]["messages"][0]["content"], "do the TRANSFER ALL");
    server.call_ok(&writer, "PATCH", "/sessions/theirs", &json!({"defaults": null})).await;
    let answer = server.call_ok(&weak, "POST", "/compile", &said("theirs")).await;
    assert_eq!(answer["payload"]["messages"][0]["content"], "do the refund");
}

#[tokio::test]
async fn hooks_go_with_a_session_and_into_no_other_without_the_scope() {
    let server = locked(&[]).await;
    let (writer, weak) = (key(&server, WRITER).await, key(&server, WEAK).await);
    let made = json!({"id": "a", "defaults": {"hooks": [redact()]}});
    server.call_ok(&writer, "POST", "/sessions", &made).await;
    server.call_ok(&weak, "POST", "/sessions", &json!({"id": "b"})).await;
    let of = async |session: &str| {
        let path = format!("/sessions/{session}/snapshots");
        let taken = server.call_ok(&weak, "POST", &path, &json!({})).await;
        json!({"snapshot_id": taken["id"]})
    };
    let (with, without) = (of("a").await, of("b").await);
    // Neither into a session that has none, nor out of one that has some.
    needs_scope(&server, &weak, ("POST", "/sessions/b/restore"), &with).await;
    needs_scope(&server, &weak, ("POST", "/sessions/a/restore"), &without).await;
    // A session that goes on from another goes on with its hooks.
    server.call_ok(&weak, "POST", "/sessions/a/restore", &with).await;
    server.call_ok(&weak, "POST", "/sessions/a/fork", &json!({"new_session_id": "c"})).await;
    server.call_ok(&weak, "POST", "/sessions/a/switch", &json!({"new_session_id": "d"})).await;
    for session in ["a", "c", "d"] {
        let answer = server.call_ok(&weak, "POST", "/compile", &said(session)).await;
        assert_eq!(answer["payload"]["messages"][0]["content"], "do the TRANSFER ALL", "{session}");
        assert_eq!(codes(&answer), [] as [&str; 0], "{session}");
    }
    server.call_ok(&writer, "POST", "/sessions/b/restore", &with).await;
    let answer = server.call_ok(&weak, "POST", "/compile", &said("b")).await;
    assert_eq!(answer["payload"]["messages"][0]["content"], "do the TRANSFER ALL");
    server.call_ok(&writer, "POST", "/sessions/a/restore", &without).await;
    let answer = server.call_ok(&weak, "POST", "/compile", &said("a")).await;
    assert_eq!(answer["payload"]["messages"][0]["content"], "do the refund");
}

#[tokio::test]
async fn a_hook_of_a_request_that_calls_out_needs_the_scope() {
    let receiver = Receiver::spawn(Mode::Answer("{}".to_owned())).await;
    let server = locked(&[]).await;
    let (writer, weak) = (key(&server, WRITER).await, key(&server, WEAK).await);
    let out = json!({"point": "transform_context", "kind": "observe", "url": receiver.url()});
    let mut body = said("s");
    body["hooks"] = json!([redact(), out]);
    for path in ["/compile", "/compile?dry_run=true"] {
        needs_scope(&server, &weak, ("POST", path), &body).await;
    }
    let turn = json!({"append": body["messages"], "hooks": body["hooks"]});
    needs_scope(&server, &weak, ("POST", "/sessions/s/turns"), &turn).await;
    let missing = server.call(&weak, "GET", "/sessions/s", &Value::Null).await;
    problem(missing, 404, "not_found").await;
    assert_eq!(receiver.requests().len(), 0);
    server.call_ok(&writer, "POST", "/compile", &body).await;
    assert_eq!(receiver.requests().len(), 1);
    body["hooks"] = json!([redact()]);
    let answer = server.call_ok(&weak, "POST", "/compile", &body).await;
    assert_eq!(answer["payload"]["messages"][0]["content"], "do the TRANSFER ALL");
}

/// What the server of before has written: no row says who wrote the hooks of defaults, or whether a
/// hook is mandatory.
async fn stored_before(url: &str, forget: impl Fn()) {
    let files = Folder::new();
    let master = files.write("keys", super::MASTER);
    let flags = ["--database-url", url, "--master-key-file", &master];
    let server = locked(&flags).await;
    let weak = key(&server, WEAK).await;
    let made = json!({"id": "old", "defaults": {"hooks": [redact()], "target": "openai"}});
    server.call_ok(BOOTSTRAP_KEY, "POST", "/sessions", &made).await;
    let taken = server.call_ok(BOOTSTRAP_KEY, "POST", "/sessions/old/snapshots", &json!({})).await;
    let hook = |id: &str, kind: &str, builtin: &str| {
        json!({"id": id, "point": "transform_context", "kind": kind, "builtin": builtin,
            "config": if builtin == "redact" { json!({"patterns": ["do"]}) } else { json!({}) },
            "mandatory": false})
    };
    for hook in [hook("scan", "guard", "secret_scan"), hook("cut", "transform", "redact")] {
        server.call_ok(BOOTSTRAP_KEY, "POST", "/hooks", &hook).await;
    }
    server.stop().await;
    forget();
    let server = locked(&flags).await;
    let mut body = json!({"session_id": "old",
        "messages": [{"role": "user", "content": "do the refund"}], "hooks": false});
    let answer = server.call_ok(&weak, "POST", "/compile", &body).await;
    assert_eq!(answer["payload"]["messages"][0]["content"], "do the refund");
    assert_eq!(codes(&answer), ["mandatory_hooks", "hooks_need_scope"]);
    assert_eq!(answer["report"]["hooks"][0]["id"], "scan");
    for (id, mandatory) in [("scan", true), ("cut", false)] {
        let shown =
            server.call_ok(BOOTSTRAP_KEY, "GET", &format!("/hooks/{id}"), &Value::Null).await;
        assert_eq!(shown["mandatory"], mandatory, "{id}");
    }
    body.as_object_mut().unwrap().remove("hooks");
    // A snapshot of then proves no more than the session, and a change of something else proves nothing.
    server
        .call_ok(&weak, "POST", "/sessions/old/restore", &json!({"snapshot_id": taken["id"]}))
        .await;
    let change = json!({"defaults": {"budget": {"context_window": 10_000}}});
    server.call_ok(BOOTSTRAP_KEY, "PATCH", "/sessions/old", &change).await;
    let answer = server.call_ok(&weak, "POST", "/compile", &body).await;
    assert_eq!(answer["payload"]["messages"][0]["content"], "[REDACTED] the refund");
    assert_eq!(codes(&answer), ["hooks_need_scope"]);
    let again = json!({"defaults": {"hooks": [redact()]}});
    server.call_ok(BOOTSTRAP_KEY, "PATCH", "/sessions/old", &again).await;
    let answer = server.call_ok(&weak, "POST", "/compile", &body).await;
    let text = &answer["payload"]["messages"][0]["content"];
    assert_eq!(*text, "[REDACTED] the TRANSFER ALL");
    assert_eq!(codes(&answer), [] as [&str; 0]);
}

const FORGET: &str = "UPDATE sessions SET hooks_scoped = 0; UPDATE snapshots SET hooks_scoped = 0;
    UPDATE hooks SET mandatory = NULL";

#[tokio::test]
async fn hooks_in_defaults_whose_writer_is_not_known_do_not_run() {
    let files = Folder::new();
    let file = files.write("db", "");
    let forget = || rusqlite::Connection::open(&file).unwrap().execute_batch(FORGET).unwrap();
    stored_before(&format!("sqlite:{file}"), forget).await;
}

#[tokio::test]
async fn the_same_holds_on_postgresql() {
    let Some(url) = database::postgres() else { return };
    let forget =
        || drop(database::run(&url, &FORGET.split(';').map(str::to_owned).collect::<Vec<_>>()));
    stored_before(&url, forget).await;
}

#[tokio::test]
async fn no_request_switches_off_what_is_mandatory() {
    let files = Folder::new();
    let operator = json!({"hooks": [
        {"id": "op", "point": "transform_context", "kind": "guard", "builtin": "secret_scan"},
        {"id": "may", "point": "transform_context", "kind": "guard", "builtin": "secret_scan",
         "mandatory": false}]});
    let path = files.write("hooks.json", operator.to_string());
    let server = locked(&["--hooks-file", &path]).await;
    let weak = key(&server, WEAK).await;
    let guard = |id: &str, more: &Value| {
        let mut hook = json!({"id": id, "point": "transform_context", "kind": "guard",
            "builtin": "secret_scan", "config": {"prefixes": ["tok_"]}});
        hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        hook
    };
    let made = server.call_ok(BOOTSTRAP_KEY, "POST", "/hooks", &guard("usual", &json!({}))).await;
    assert_eq!(made["mandatory"], true);
    let secret = json!([{"role": "user", "content": "tok_0123456789abcdefghijklmnopqrstuvwxyz"}]);
    let mut body = said("s");
    body["messages"] = secret.clone();
    body["hooks"] = json!(false);
    for path in ["/compile", "/compile?dry_run=true"] {
        let denied = server.call(&weak, "POST", path, &body).await;
        let denied = problem(denied, 403, "hook_denied").await;
        assert!(denied["detail"].as_str().unwrap().contains("`usual`"), "{denied}");
    }
    // A session's default of false does no more than the request's own.
    let made = json!({"id": "off", "defaults": {"hooks": false}});
    server.call_ok(BOOTSTRAP_KEY, "POST", "/sessions", &made).await;
    let off = json!({"session_id": "off", "messages": secret});
    problem(server.call(&weak, "POST", "/compile", &off).await, 403, "hook_denied").await;

    let change = json!({"config": {"prefixes": ["sk-"]}});
    let shown = server.call_ok(BOOTSTRAP_KEY, "PATCH", "/hooks/usual", &change).await;
    assert_eq!(shown["mandatory"], true);
    let answer = server.call_ok(&weak, "POST", "/compile", &body).await;
    let ran: Vec<&str> = answer["report"]["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["id"].as_str().unwrap())
        .collect();
    assert_eq!((ran, codes(&answer)), (vec!["op", "usual"], vec!["mandatory_hooks"]));
    let detail = answer["report"]["warnings"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("`op`, `usual`"), "{detail}");
    let all: Value = server.call_ok(BOOTSTRAP_KEY, "GET", "/hooks", &Value::Null).await;
    let shown: Vec<(&str, bool)> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| (hook["id"].as_str().unwrap(), hook["mandatory"].as_bool().unwrap()))
        .collect();
    assert_eq!(shown, [("may", false), ("op", true), ("usual", true)]);

    let off = json!({"mandatory": false});
    server.call_ok(BOOTSTRAP_KEY, "PATCH", "/hooks/usual", &off).await;
    let answer = server.call_ok(&weak, "POST", "/compile", &body).await;
    assert_eq!(answer["report"]["hooks"].as_array().unwrap().len(), 1);
    let null = json!({"mandatory": null});
    let shown = server.call_ok(BOOTSTRAP_KEY, "PATCH", "/hooks/usual", &null).await;
    assert_eq!(shown["mandatory"], true);
    body["hooks"] = json!([guard("mine", &json!({"mandatory": true}))]);
    let refused = server.call(&weak, "POST", "/compile", &body).await;
    let refused = problem(refused, 422, "invalid_request").await;
    assert_eq!(refused["errors"][0]["pointer"], "/hooks/0/mandatory");
}

#[tokio::test]
async fn without_keys_a_hook_is_mandatory_where_it_says_so() {
    let server = TestServer::spawn().await;
    let hook = |id: &str, more: Value| {
        let mut hook = json!({"id": id, "point": "transform_context", "kind": "guard",
            "builtin": "secret_scan"});
        hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        hook
    };
    for (hook, mandatory) in
        [(hook("a", json!({})), false), (hook("b", json!({"mandatory": true})), true)]
    {
        let made = server.post_ok("/hooks", &hook).await;
        assert_eq!(made["mandatory"], mandatory, "{made}");
    }
    let mut body = said("s");
    body["hooks"] = json!(false);
    let answer = server.post_ok("/compile", &body).await;
    assert_eq!(answer["report"]["hooks"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(codes(&answer), ["mandatory_hooks"]);
}

/// The same id and URL, brought by two keys: the failures of one's calls are not the other's.
#[tokio::test]
async fn a_hook_that_one_key_brings_and_that_fails_stops_no_other_key() {
    let receiver = Receiver::spawn(Mode::Status(500, String::new(), String::new())).await;
    let server = locked(&[]).await;
    let (one, two) = (key(&server, WRITER).await, key(&server, WRITER).await);
    let hook = json!({"id": "mine", "point": "transform_context", "kind": "guard",
        "url": receiver.url()});
    let mut body = said("s");
    body["hooks"] = json!([hook]);
    let why = async |key: &str, body: &Value| {
        let denied = server.call(key, "POST", "/compile", body).await;
        let denied = problem(denied, 403, "hook_denied").await;
        let detail = denied["detail"].as_str().unwrap();
        detail[detail.rfind('(').unwrap()..].to_owned()
    };
    for _ in 0..5 {
        assert_eq!(why(&one, &body).await, "(status)");
    }
    assert_eq!(
        (why(&one, &body).await, why(&two, &body).await),
        ("(circuit_open)".into(), "(status)".into())
    );
    server.call_ok(BOOTSTRAP_KEY, "POST", "/hooks", &hook).await;
    let shown = server.call_ok(BOOTSTRAP_KEY, "GET", "/hooks/mine", &Value::Null).await;
    assert_eq!(shown["circuit"], "closed");
    // A trial says what the call comes to, whatever the breaker says.
    body.as_object_mut().unwrap().remove("hooks");
    for _ in 0..5 {
        assert_eq!(why(&two, &body).await, "(status)");
    }
    let shown = server.call_ok(BOOTSTRAP_KEY, "GET", "/hooks/mine", &Value::Null).await;
    assert_eq!(shown["circuit"], "open");
    let tried = server.call_ok(BOOTSTRAP_KEY, "POST", "/hooks/mine/test", &json!({})).await;
    assert_eq!(tried["why"], "status");
}

#[tokio::test]
async fn where_the_hooks_of_defaults_call_is_shown_to_writers_of_hooks_alone() {
    const TOKEN: &str = "t0ken-of-the-path";
    let server = locked(&[]).await;
    let (writer, weak) = (key(&server, WRITER).await, key(&server, WEAK).await);
    let hook = json!({"point": "transform_context", "kind": "observe", "priority": 1,
        "url": format!("https://hooks.example.com/{TOKEN}?key={TOKEN}"),
        "headers": {"Authorization": format!("Bearer {TOKEN}")}});
    let made = json!({"id": "a", "defaults": {"target": "openai", "hooks": [hook, redact()]}});
    let made = server.call_ok(&writer, "POST", "/sessions", &made).await;
    assert_eq!(made["defaults"]["hooks"][0], hook);
    let taken = server.call_ok(&weak, "POST", "/sessions/a/snapshots", &json!({})).await;
    let snapshot = format!("/snapshots/{}", taken["id"].as_str().unwrap());
    let restore = json!({"snapshot_id": taken["id"]});
    for (place, body) in [
        (("GET", "/sessions/a"), Value::Null),
        (("GET", "/sessions"), Value::Null),
        (("GET", snapshot.as_str()), Value::Null),
        (("POST", "/sessions"), json!({"id": "a"})),
        (("PATCH", "/sessions/a"), json!({"ttl": {"seconds": 9999}})),
        (("POST", "/sessions/a/restore"), restore),
        (("POST", "/sessions/a/fork"), json!({"new_session_id": "b"})),
        (("POST", "/sessions/a/switch"), json!({"new_session_id": "c"})),
    ] {
        let shown = server.call_ok(&weak, place.0, place.1, &body).await;
        let text = shown.to_string();
        assert!(!text.contains(TOKEN), "{place:?}: {text}");
        assert!(text.contains("https://hooks.example.com/\u{2026}"), "{place:?}: {text}");
        let one = if shown["items"].is_array() { &shown["items"][0] } else { &shown };
        let hooks = &one["defaults"]["hooks"];
        assert_eq!((&hooks[0]["headers"], &hooks[1]), (&json!(["Authorization"]), &redact()));
        assert_eq!(one["defaults"]["target"], "openai");
    }
    // What is shown is not what is stored.
    for session in ["a", "b", "c"] {
        let path = format!("/sessions/{session}");
        let whole = server.call_ok(&writer, "GET", &path, &Value::Null).await;
        assert_eq!(whole["defaults"]["hooks"][0], hook, "{session}");
    }
    let whole = server.call_ok(&writer, "GET", &snapshot, &Value::Null).await;
    assert_eq!(whole["defaults"]["hooks"][0], hook);
}

#[tokio::test]
async fn a_response_for_writers_of_hooks_is_not_replayed_to_others() {
    let server = locked(&[]).await;
    let (writer, weak) = (key(&server, WRITER).await, key(&server, WEAK).await);
    let other_writer = key(&server, WRITER).await;
    let hook = json!({"id": "h", "point": "before_compile", "kind": "provide",
        "url": "https://hooks.example.com/tok3n", "headers": {"x-api-key": "hdrSecret"}});
    let session = json!({"id": "s", "defaults": {"hooks": [hook]}});
    for (path, body) in [
        ("/sessions", &session),
        ("/sessions/s/fork", &json!({"new_session_id": "f"})),
        ("/sessions/s/switch", &json!({"new_session_id": "t"})),
    ] {
        let ask = |key: &str| {
            let named =
                server.build("POST", path).header("idempotency-key", path.replace('/', "-"));
            named.bearer_auth(key).json(body).send()
        };
        let first = ask(&writer).await.unwrap();
        assert!(first.status().is_success(), "{path}: {}", first.status());
        let first = first.text().await.unwrap();
        let again = ask(&other_writer).await.unwrap();
        assert_eq!(again.headers()["idempotency-replayed"], "true");
        assert_eq!(again.text().await.unwrap(), first);
        let refused = problem(ask(&weak).await.unwrap(), 422, "idempotency_mismatch").await;
        assert!(!refused.to_string().contains("tok3n"), "{refused}");
    }
}
