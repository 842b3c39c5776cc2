//! `notations`: how lossless forms may show values, and the legends that explain them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::compile::{calling, read, result, user, with};
use crate::support::compress::{Compressed, Expanded, request};
use crate::support::{Folder, TestServer, pointers, problem};

/// A log whose numbers can be counted.
fn log(from: usize) -> String {
    let line = |at: usize| {
        format!("2031-03-04 09:{:02}:00 INFO shelf-{} stored box {at}", at % 60, at * 7 % 5)
    };
    (from..from + 40).map(line).collect::<Vec<_>>().join("\n")
}

fn numbered() -> String {
    let line = |at: usize| format!("{}\tlet shelf_{at} = shelves.open({at});", at + 1);
    (0..40).map(line).collect::<Vec<_>>().join("\n")
}

/// A list in which tools returned these texts.
fn list(texts: &[String]) -> Vec<Value> {
    let mut messages = vec![user("Look at the depot.")];
    for (at, text) in texts.iter().enumerate() {
        let id = format!("c{at}");
        messages.push(calling("", &[(&id, "read")]));
        messages.push(result(&id, text));
    }
    messages
}

fn compile_body(messages: &[Value], compression: &Value) -> Value {
    json!({"messages": messages, "target": "openai", "model": "gpt-4o", "explain": "full",
        "compression": compression})
}

/// The text of a tool result in a payload.
fn shown(compiled: &Value, at: usize) -> String {
    read(&compiled["payload"]["messages"][at])
}

async fn compress(server: &TestServer, text: &str, options: &Value) -> Compressed {
    let body = with(json!({"text": text, "model": "gpt-4o", "explain": "full"}), options);
    server.compress(&body.to_string()).await
}

#[tokio::test]
async fn values_are_plain_unless_the_request_says_otherwise() {
    let server = TestServer::spawn().await;
    let messages = list(&[log(0), numbered()]);
    let compile = async |compression: Value| {
        server.post_json("/compile", 200, &compile_body(&messages, &compression)).await
    };
    let plain = compile(json!({})).await;
    assert_eq!(compile(json!({"notations": "plain"})).await["payload"], plain["payload"]);
    let computed = compile(json!({"notations": "computed"})).await;
    let none = compile(json!({"notations": "none"})).await;
    for (compiled, values) in
        [(&plain, json!("plain")), (&computed, json!("computed")), (&none, Value::Null)]
    {
        let decisions = compiled["report"]["decisions"].as_array().unwrap();
        assert_eq!(decisions[2]["values"], values, "{}", shown(compiled, 2));
        assert!(decisions[0].get("values").is_some_and(Value::is_null), "{}", decisions[0]);
        let decoded = server
            .post_json("/expand", 200, &json!({"messages": compiled["payload"]["messages"]}))
            .await;
        assert_eq!(decoded["messages"][2]["content"], json!(log(0)));
        assert_eq!(decoded["messages"][4]["content"], json!(numbered()));
    }
    assert_eq!(shown(&none, 2), log(0));
    let tokens = |compiled: &Value| compiled["report"]["tokens_after"].as_u64().unwrap();
    assert!(tokens(&computed) < tokens(&plain) && tokens(&plain) < tokens(&none));
    // Each number of each line is in its row, and each tenth line has its own.
    let rows = shown(&plain, 2);
    for (row, at) in rows.lines().skip(2).zip(0..40) {
        assert!(row.ends_with(&format!("{at}")) && row.contains(&format!("{at:02}")), "{row}");
    }
    let lines = shown(&plain, 4);
    assert!(lines.contains("\n10\t") && lines.contains("\n40\t"), "{lines}");
}

#[tokio::test]
async fn a_word_that_is_no_choice_is_a_fault_that_names_the_choices() {
    let server = TestServer::spawn().await;
    for (path, body, pointer) in [
        ("/compress", json!({"text": "a", "notations": "all"}), "/notations"),
        (
            "/compile",
            compile_body(&[user("a")], &json!({"notations": "all"})),
            "/compression/notations",
        ),
        ("/tools/results", json!({"results": [], "notations": "all"}), "/notations"),
    ] {
        let fault = problem(server.post(path, &body).await, 422, "invalid_request").await;
        assert!(pointers(&fault).contains(&pointer), "{fault}");
        let detail = fault["errors"].to_string();
        for word in ["plain", "computed", "none"] {
            assert!(detail.contains(word), "{detail}");
        }
    }
}

#[tokio::test]
async fn defaults_of_a_session_and_of_a_key_say_which() {
    let server = TestServer::spawn().await;
    let defaults = json!({"compression": {"notations": "computed"}});
    server.post_json("/sessions", 201, &json!({"id": "s", "defaults": defaults})).await;
    let mut body = compile_body(&list(&[log(0)]), &json!({}));
    body.as_object_mut().unwrap().remove("compression");
    body["session_id"] = json!("s");
    let compiled = server.post_json("/compile", 200, &body).await;
    assert_eq!(compiled["report"]["decisions"][2]["values"], "computed");
    let locked = TestServer::locked(&[]).await;
    let (key, _) = locked.create_key(&json!({"scopes": ["compile"], "defaults": defaults})).await;
    body.as_object_mut().unwrap().remove("session_id");
    let compiled = locked.call_ok(&key, "POST", "/compile", &body).await;
    assert_eq!(compiled["report"]["decisions"][2]["values"], "computed");
}

#[tokio::test]
async fn results_take_the_notations_of_their_session_and_key() {
    let server = TestServer::spawn().await;
    let defaults = |notations: &str| json!({"compression": {"notations": notations}});
    let session = json!({"id": "s", "defaults": defaults("computed")});
    server.post_json("/sessions", 201, &session).await;
    let results =
        json!({"results": [{"id": "c1", "name": "read", "content": log(0)}], "model": "gpt-4o"});
    let shown = |taken: &Value| read(&taken["messages"][0]);
    let taken = async |more: Value| {
        shown(&server.post_ok("/tools/results", &with(results.clone(), &more)).await)
    };
    let computed = taken(json!({"notations": "computed"})).await;
    let plain = taken(json!({})).await;
    assert!(computed.len() < plain.len(), "{computed}");
    assert_eq!(taken(json!({"session_id": "s"})).await, computed);
    assert_eq!(taken(json!({"session_id": "other"})).await, plain);
    // The request's own counts first.
    assert_eq!(taken(json!({"session_id": "s", "notations": "none"})).await, log(0));
    assert_eq!(taken(json!({"session_id": "s", "notations": null})).await, plain);

    let locked = TestServer::locked(&[]).await;
    let wanted = json!({"scopes": ["compile", "tools"], "defaults": defaults("none")});
    let (key, _) = locked.create_key(&wanted).await;
    let taken = async |more: Value| {
        let body = with(results.clone(), &more);
        shown(&locked.call_ok(&key, "POST", "/tools/results", &body).await)
    };
    assert_eq!(taken(json!({})).await, log(0));
    let body = with(results.clone(), &json!({"session_id": "s"}));
    let session = json!({"messages": list(&[log(0)]), "session_id": "s", "model": "gpt-4o"});
    locked.call_ok(&key, "POST", "/compile", &session).await;
    assert_eq!(shown(&locked.call_ok(&key, "POST", "/tools/results", &body).await), log(0));
}

#[tokio::test]
async fn compress_shows_the_figures_of_both_classes() {
    let server = TestServer::spawn().await;
    for (notations, values) in [("plain", "plain"), ("computed", "computed")] {
        let done = compress(&server, &log(0), &json!({"notations": notations})).await;
        let figures = &done.report()["notations"];
        assert_eq!(figures[notations], done.report()["tokens_after"], "{figures}");
        assert!(figures["computed"].as_u64() < figures["plain"].as_u64(), "{figures}");
        assert_eq!(done.decisions()[0]["values"], values);
        let back = server.expand(&json!({"text": done.text()}).to_string()).await;
        assert_eq!(back.answer["text"], log(0));
    }
    let messages: Vec<String> = list(&[log(0)]).iter().map(Value::to_string).collect();
    let done = server.compress(&request("messages", &messages, &json!({"explain": "full"}))).await;
    assert_eq!(done.report()["notations"]["plain"], done.report()["tokens_after"]);
    let done = server.compress(&request("messages", &messages, &json!({}))).await;
    assert!(done.report().get("notations").is_none());
}

#[tokio::test]
async fn results_and_the_gateway_take_the_choice() {
    let server = TestServer::spawn().await;
    let results = json!([{"id": "c1", "name": "read", "content": log(0)}]);
    let taken = async |notations: &str| {
        let body = json!({"results": results, "notations": notations, "model": "gpt-4o"});
        let taken = server.post_json("/tools/results", 200, &body).await;
        read(&taken["messages"][0])
    };
    let (plain, computed) = (taken("plain").await, taken("computed").await);
    assert!(plain.starts_with("§lines") && computed.len() < plain.len(), "{computed}");
    assert_eq!(taken("none").await, log(0));
    let gateway = async |config: Value| {
        let messages = list(&[log(0)]);
        let config = with(json!({"protect_recent": 50}), &config);
        let body = json!({"messages": messages, "model": "gpt-4o", "config": config});
        let done = server.post_json("/v1/compress", 200, &body).await;
        read(&done["messages"][2])
    };
    assert_eq!(gateway(json!({})).await, plain);
    assert_eq!(gateway(json!({"notations": "computed"})).await, computed);
    assert_eq!(gateway(json!({"notations": "none"})).await, log(0));
}

#[tokio::test]
async fn what_earlier_releases_showed_still_decodes() {
    let fixture: Value =
        serde_json::from_str(include_str!("../fixtures/shown_by_0_1_0.json")).unwrap();
    let shown = fixture["shown"].to_string();
    for name in contexture::compress::notations().filter(|name| *name != "lines") {
        assert!(shown.contains(&format!("§{name} ")), "the fixture has no {name}");
    }
    assert!(shown.contains("§= result ") && shown.contains("counts by"));
    let server = TestServer::spawn().await;
    let back = server.post_json("/expand", 200, &json!({"messages": fixture["shown"]})).await;
    assert_eq!(back["messages"], fixture["original"]);
    assert_eq!(back["missing"], json!([]));
    // What was shown without being asked for, and is not any more.
    let fixture: Value =
        serde_json::from_str(include_str!("../fixtures/shown_by_engine_17.json")).unwrap();
    let shown = fixture["shown"].to_string();
    for mark in
        ["with 2\\n", "§csv", "§xml", " cut 2", "*1 repeats &1", "§json 9 repr", "\\\"json "]
    {
        assert!(shown.contains(mark), "the fixture has no {mark}");
    }
    let back = server.post_json("/expand", 200, &json!({"messages": fixture["shown"]})).await;
    assert_eq!(back["messages"], fixture["original"]);
}

/// The legends of a payload, each with the index of its message.
fn legends(compiled: &Value) -> Vec<(usize, String)> {
    let messages = compiled["payload"]["messages"].as_array().unwrap().iter().enumerate();
    let lines = messages.flat_map(|(at, message)| {
        let text = read(message);
        text.lines().map(|line| (at, line.to_owned())).collect::<Vec<_>>()
    });
    lines.filter(|(_, line)| line.starts_with("§:")).collect()
}

#[tokio::test]
async fn a_legend_is_on_the_first_of_its_kind_and_stays_there() {
    let server = TestServer::spawn().await;
    let texts = [log(0), log(100), numbered(), log(200), log(0), log(300)];
    let mut before: Vec<Value> = Vec::new();
    for count in 1..=texts.len() {
        let body = compile_body(&list(&texts[..count]), &json!({}));
        let compiled = server.post_json("/compile", 200, &body).await;
        let now = compiled["payload"]["messages"].as_array().unwrap().clone();
        assert_eq!(now[..before.len()], before, "an earlier message has changed");
        let found = legends(&compiled);
        let lines: BTreeSet<&str> = found.iter().map(|(_, line)| &**line).collect();
        assert_eq!(lines.len(), found.len(), "{found:?}");
        assert_eq!(found[0], (2, "§: each line begins with the quoted text".to_owned()));
        before = now;
    }
    let compiled = json!({"payload": {"messages": before}});
    let found = legends(&compiled);
    assert!(found.contains(&(6, "§: line numbers go on by one".to_owned())), "{found:?}");
    assert!(found.iter().any(|(_, line)| line == "§: the same lines as there"), "{found:?}");
    let decoded = server.post_json("/expand", 200, &json!({"messages": before})).await;
    for (at, text) in texts.iter().enumerate() {
        assert_eq!(decoded["messages"][2 + 2 * at]["content"], json!(text));
    }
}

#[tokio::test]
async fn a_compaction_point_moves_a_legend_to_the_next_of_its_kind() {
    let server = TestServer::spawn().await;
    let texts: Vec<String> = (0..8).map(|at| log(at * 100)).collect();
    let mut body = compile_body(
        &list(&texts),
        &json!({"keep_recent_turns": 2, "level": "reversible", "clear": {"keep": 2}}),
    );
    body["budget"] = json!({"context_window": 1800, "reserve_output": 0});
    let compiled = server.post_json("/compile", 200, &body).await;
    let actions = &compiled["report"]["actions"];
    assert!(actions["cleared"].as_u64() > Some(0), "{actions}");
    let found = legends(&compiled);
    let own =
        || found.iter().filter(|(_, line)| line == "§: each line begins with the quoted text");
    assert_eq!(own().count(), 1, "{found:?}");
    let first = compiled["payload"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .position(|message| read(message).starts_with("§lines"));
    assert_eq!(own().map(|(at, _)| *at).next(), first, "{found:?}");
    assert!(first > Some(2), "{first:?}");
}

#[tokio::test]
async fn another_engine_breaks_the_prefix_of_a_session_once() {
    let folder = Folder::new();
    let flags = ["--database-url", &folder.url()];
    let server = TestServer::with(&flags).await;
    let body = |texts: &[String], notations: &str| {
        let mut body = compile_body(&list(texts), &json!({"notations": notations}));
        body["session_id"] = json!("s");
        body
    };
    // Forms of another engine: here, of the other class.
    server.post_json("/compile", 200, &body(&[log(0)], "computed")).await;
    server.stop().await;
    let database = rusqlite::Connection::open(folder.database()).unwrap();
    let changed = database.execute("UPDATE compilations SET engine = '0.1.0+13'", []).unwrap();
    assert_eq!(changed, 1);
    drop(database);
    let server = TestServer::with(&flags).await;
    let second = server.post_json("/compile", 200, &body(&[log(0), log(5)], "plain")).await;
    let change = &second["report"]["cache"]["first_change"];
    assert_eq!(change["why"], "engine_changed", "{change}");
    assert_eq!(change["pointer"], "/messages/2");
    let third = server.post_json("/compile", 200, &body(&[log(0), log(5), log(9)], "plain")).await;
    assert_eq!(third["report"]["cache"]["first_change"], Value::Null);
    server.stop().await;
    // The same engine is no reason.
    let server = TestServer::with(&flags).await;
    let fourth = server.post_json("/compile", 200, &body(&[log(0), log(5)], "computed")).await;
    assert_eq!(fourth["report"]["cache"]["first_change"]["why"], "message_edited");
}

#[tokio::test]
async fn a_header_says_what_its_cells_mean() {
    let server = TestServer::spawn().await;
    let value = |n: usize| 774 - 81 * (n % 5);
    let line = |n: usize| format!("│ {n:<2} │ 2031-07-27 20:29:{n:02} │ {} │", value(n));
    let text = (1..=30).map(line).collect::<Vec<_>>().join("\n");
    let computed = compress(&server, &text, &json!({"notations": "computed"})).await;
    let head = computed.text().lines().next().unwrap();
    let form = computed.text().lines().nth(2).unwrap();
    assert_eq!(head.contains("{=n+1} counts"), form.contains("{<2=1+1}"), "{head}\n{form}");
    assert_eq!(head.contains("in {+n} n more"), form.contains("{-81}"), "{head}\n{form}");
    assert!(form.contains("{-81}"), "{form}");
}

#[tokio::test]
async fn rows_stand_apart_from_their_letters_and_marks_apart_from_rows() {
    let server = TestServer::spawn().await;
    let line = |n: usize| match n % 8 {
        7 => "[… 6 lines]".to_owned(),
        2 => {
            format!("The eastern gate, number {}, let nobody in at {}", n * 31 % 17, 10_000 + n * n)
        }
        _ => {
            format!("The eastern gate, number {}, was opened by porter {}", 10_758 + n, n * 37 % 11)
        }
    };
    let text = (0..60).map(line).collect::<Vec<_>>().join("\n");
    for (notations, mark) in [("plain", "§lines"), ("computed", "§template")] {
        let done = compress(&server, &text, &json!({"notations": notations})).await;
        assert!(done.text().contains(mark), "{}", done.text());
        assert_eq!(done.text().matches("[… 6 lines]").count(), 7, "{}", done.text());
        for row in done.text().lines() {
            let mut bytes = row.bytes();
            let glued = bytes.next().is_some_and(|tag| tag.is_ascii_uppercase())
                && bytes.next().is_some_and(|next| next.is_ascii_alphanumeric());
            assert!(!glued, "{row}");
        }
        let back: Expanded = server.expand(&json!({"text": done.text()}).to_string()).await;
        assert_eq!(back.answer["text"], text);
    }
}

#[tokio::test]
async fn maps_that_share_no_key_are_no_table() {
    let server = TestServer::spawn().await;
    let row = |n: usize| {
        format!("    - row \"{n} porter\":\n      - cell \"{n}\"\n      - cell \"porter\"\n")
    };
    let text = format!("- page:\n  - rows:\n{}", (0..14).map(row).collect::<String>());
    let done = compress(&server, &text, &json!({"notations": "computed"})).await;
    let tables = done.text().lines().filter(|line| !line.starts_with("§:") && line.contains("} ×"));
    assert_eq!(tables.count(), 0, "{}", done.text());
    let rows: Vec<Value> = (0..12).map(|n| json!({format!("key_{n}"): n * 7})).collect();
    let text = serde_json::to_string_pretty(&json!({"rows": rows})).unwrap();
    let done = compress(&server, &text, &json!({})).await;
    assert!(!done.text().contains("]{"), "{}", done.text());
}
