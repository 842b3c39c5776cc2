//! Format adapters over HTTP: listed, stored, tried, and used by name.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::compress::{Compressed, request as list_request};
use crate::support::wait::until;
use crate::support::{
    Folder, ServerProcess, TestServer, database, json_of, problem, request as http, send,
};

/// A ledger: its first line stays, the rest is shown by some of its rows.
fn ledger() -> Value {
    json!({
        "detect": {
            "min_lines": 3,
            "line_matches": {"1": ","},
            "min_share_of_lines": {"regex": ",", "share": 0.9}
        },
        "keep": [{"lines": "1"}],
        "shrink": "rest",
        "join": "{kept}\n[{summary}]"
    })
}

fn named(name: &str) -> Value {
    let mut definition = ledger();
    definition["name"] = name.into();
    definition
}

/// The ledger itself. Its rows differ in words, so that no notation shortens them much.
fn rows() -> String {
    let words = ["lamp", "chair", "table", "clock", "mirror", "carpet", "kettle"];
    let ways = ["paid in cash at the counter", "sent by post", "the customer will call again"];
    let row = |n: usize| {
        let (what, way) = (words[n * 5 % 7], ways[n * 7 % 3]);
        format!("{n},{what} number {},{way} on day {}\n", n * 37 % 101, n * 13 % 28)
    };
    std::iter::once("id,item,note\n".to_owned()).chain((1..80).map(row)).collect()
}

/// The names in a list, each with whether it is one of ours.
fn listed(list: &Value) -> Vec<(String, bool)> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|row| (row["name"].as_str().unwrap().to_owned(), row["builtin"] == true)).collect()
}

async fn built_in(server: &TestServer) -> Vec<String> {
    let list = server.get_json("/adapters?limit=1000").await;
    listed(&list).into_iter().filter(|(_, ours)| *ours).map(|(name, _)| name).collect()
}

fn pointers(problem: &Value) -> Vec<String> {
    let faults = problem["errors"].as_array().unwrap().iter();
    let mut pointers: Vec<String> =
        faults.map(|fault| fault["pointer"].as_str().unwrap().to_owned()).collect();
    pointers.sort();
    pointers
}

#[tokio::test]
async fn a_definition_is_stored_as_it_was_given_replaced_and_deleted() {
    let server = TestServer::spawn().await;
    let text = "{ \"detect\" : {\"min_lines\":3},\n  \"keep\":[{\"lines\": \"1\"}] }";
    let request =
        server.build("PUT", "/adapters/ledger").header("content-type", "application/json");
    let first = request.body(format!(" {text}\n")).send().await.unwrap();
    assert_eq!(first.status(), 201);
    let first: Value = first.json().await.unwrap();
    assert_eq!((&first["name"], &first["builtin"]), (&json!("ledger"), &json!(false)));
    assert_eq!(first["version"], 1);
    assert_eq!(first["created_at"], first["updated_at"]);
    assert!(first["created_at"].as_str().unwrap().ends_with('Z'));
    let answer = server.get("/adapters/ledger").await.text().await.unwrap();
    assert!(answer.contains(text), "{answer}");

    let second = json_of(server.put_adapter("ledger", &named("ledger")).await, 200).await;
    assert_eq!((&second["version"], &second["definition"]), (&json!(2), &named("ledger")));
    let same = server.put_adapter("ledger", &named("ledger")).await;
    assert_eq!(same.status(), 200);
    assert_eq!(same.json::<Value>().await.unwrap(), second);
    assert_eq!(server.get_json("/adapters/ledger").await, second);

    let gone = server.delete_adapter("ledger").await;
    assert_eq!((gone.status().as_u16(), gone.bytes().await.unwrap().len()), (204, 0));
    problem(server.get("/adapters/ledger").await, 404, "not_found").await;
    problem(server.delete_adapter("ledger").await, 404, "not_found").await;
}

#[tokio::test]
async fn every_fault_of_a_definition_is_named_and_nothing_is_stored() {
    let server = TestServer::spawn().await;
    let bad = json!({
        "name": "book",
        "detect": {"regex": "(", "min_line": 2, "line_matches": {"0": ","}},
        "keep": [{"lines": "5-2"}, {"lines": "1", "regex": "a"}],
        "shrink": "all", "join": "{kept}", "joins": 1
    });
    let told = problem(server.put_adapter("ledger", &bad).await, 422, "invalid_request").await;
    let wanted = [
        "/detect/line_matches/0",
        "/detect/min_line",
        "/detect/regex",
        "/join",
        "/joins",
        "/keep/0/lines",
        "/keep/1",
        "/name",
        "/shrink",
    ];
    assert_eq!(pointers(&told), wanted);
    let near = |pointer: &str| {
        let faults = told["errors"].as_array().unwrap();
        faults.iter().find(|fault| fault["pointer"] == pointer).unwrap()["did_you_mean"].clone()
    };
    assert_eq!((near("/joins"), near("/detect/min_line")), (json!("join"), json!("min_lines")));

    let long = json!({"detect": {"min_lines": 1}, "join": format!("{{kept}}{{summary}}{}", " ".repeat(70_000))});
    let told = problem(server.put_adapter("ledger", &long).await, 422, "invalid_request").await;
    assert_eq!(pointers(&told), [""]);
    for name in ["1st", "a%20b", "%C3%A4", &"a".repeat(65)] {
        let told = problem(server.put_adapter(name, &ledger()).await, 422, "invalid_request").await;
        assert_eq!(pointers(&told), [""], "{name}");
    }
    problem(server.put_adapter("ledger", &json!([])).await, 422, "invalid_request").await;
    problem(server.put_adapter("ledger", &json!({})).await, 422, "invalid_request").await;
    let broken = server.build_json("PUT", "/adapters/ledger").body("{").send().await.unwrap();
    problem(broken, 400, "invalid_json").await;
    let twice = r#"{"detect": {"min_lines": 1}, "detect": {"min_lines": 2}}"#;
    let twice = server.build_json("PUT", "/adapters/ledger").body(twice).send().await.unwrap();
    problem(twice, 422, "invalid_request").await;
    let plain = server.build("PUT", "/adapters/ledger").header("content-type", "text/plain");
    problem(plain.body("{}").send().await.unwrap(), 415, "unsupported_media_type").await;
    problem(server.post("/adapters/ledger", &ledger()).await, 405, "method_not_allowed").await;
    problem(server.get("/adapters/ledger").await, 404, "not_found").await;
}

#[tokio::test]
async fn the_list_has_ours_first_and_goes_on_where_it_ended() {
    let server = TestServer::spawn().await;
    let ours = built_in(&server).await;
    assert!(ours.contains(&"csv".to_owned()), "{ours:?}");
    for name in ["b", "ledger", "B", "csv"] {
        assert_eq!(server.put_adapter(name, &ledger()).await.status(), 201);
    }
    let whole = server.get_json("/adapters").await;
    assert_eq!(whole["next_cursor"], Value::Null);
    let own = ["B", "b", "csv", "ledger"].map(|name| (name.to_owned(), false));
    let wanted: Vec<_> = ours.iter().map(|name| (name.clone(), true)).chain(own).collect();
    assert_eq!(listed(&whole), wanted);
    for row in whole["items"].as_array().unwrap() {
        let is_ours = row["builtin"] == true;
        let replaced = if is_ours { json!(row["name"] == "csv") } else { Value::Null };
        assert_eq!(row["replaced"], replaced, "{row}");
        assert_eq!(row["version"].is_u64(), !is_ours, "{row}");
        assert_eq!(row["definition"], Value::Null, "{row}");
    }

    for limit in [1, 2, ours.len(), wanted.len() - 1, wanted.len()] {
        let mut found = Vec::new();
        let mut path = format!("/adapters?limit={limit}");
        loop {
            let part = server.get_json(&path).await;
            let rows = listed(&part);
            assert!(!rows.is_empty() && rows.len() <= limit, "{limit}: {part}");
            found.extend(rows);
            let Some(cursor) = part["next_cursor"].as_str() else { break };
            path = format!("/adapters?limit={limit}&cursor={cursor}");
        }
        assert_eq!(found, wanted, "{limit}");
    }
    for bad in ["limit=0", "limit=1001", "limit=x", "cursor=", "cursor=ledger", "page=2"] {
        problem(server.get(&format!("/adapters?{bad}")).await, 422, "invalid_request").await;
    }
}

#[tokio::test]
async fn the_document_has_a_paragraph_for_each_of_ours_in_their_order() {
    let document = include_str!("../../../docs/adapters.md");
    let paragraphs =
        document.lines().filter_map(|line| line.strip_prefix("**`")?.split('`').next());
    let ours = built_in(&TestServer::spawn().await).await;
    assert_eq!(paragraphs.collect::<Vec<_>>(), ours);
}

#[tokio::test]
async fn every_answer_that_shows_adapters_has_a_tag() {
    async fn tag(server: &TestServer, path: &str) -> String {
        server.get(path).await.headers()["etag"].to_str().unwrap().to_owned()
    }
    let server = TestServer::spawn().await;
    assert_eq!(tag(&server, "/adapters/csv").await, "\"0\"");
    let list = tag(&server, "/adapters").await;
    assert_eq!(tag(&server, "/adapters").await, list);
    assert_eq!(server.put_adapter("csv", &named("csv")).await.headers()["etag"], "\"1\"");
    assert_eq!(server.put_adapter("csv", &ledger()).await.headers()["etag"], "\"2\"");
    assert_eq!(tag(&server, "/adapters/csv").await, "\"2\"");
    assert_ne!(tag(&server, "/adapters").await, list);
    assert_eq!(server.delete_adapter("csv").await.status(), 204);
    assert_eq!(tag(&server, "/adapters").await, list);
}

#[tokio::test]
async fn one_of_ours_is_read_replaced_and_comes_back() {
    let server = TestServer::spawn().await;
    let ours = json!({"name": "csv", "builtin": true});
    assert_eq!(server.get_json("/adapters/csv").await, ours);
    problem(server.delete_adapter("csv").await, 404, "not_found").await;
    let body = json!({"text": rows(), "level": "reversible", "explain": "full"}).to_string();
    let by_name = json!({"text": rows(), "level": "reversible", "explain": "full",
        "adapters": ["csv"]})
    .to_string();
    let shown = server.compress(&body).await;
    assert!(!shown.text().starts_with("id,item,note\n["), "{}", shown.text());

    assert_eq!(server.put_adapter("csv", &ledger()).await.status(), 201);
    assert_eq!(server.get_json("/adapters/csv").await["definition"], ledger());
    for body in [&body, &by_name] {
        let replaced = server.compress(body).await;
        assert!(replaced.text().starts_with("id,item,note\n["), "{}", replaced.text());
        assert_eq!(replaced.decisions()[0]["rule"], "adapter:csv");
    }

    assert_eq!(server.delete_adapter("csv").await.status(), 204);
    assert_eq!(server.get_json("/adapters/csv").await, ours);
    assert_eq!(server.compress(&body).await.lasting(), shown.lasting());
}

#[tokio::test]
async fn an_adapter_in_the_place_of_ours_counts_at_once_here_and_soon_at_another_node() {
    let Some(url) = database::postgres() else { return };
    let flags = ["--database-url", &*url];
    let (here, other) = (TestServer::with(&flags).await, TestServer::with(&flags).await);
    let body = json!({"text": rows(), "level": "reversible", "explain": "full"}).to_string();
    let is_replaced = async |server: &TestServer| {
        server.compress(&body).await.text().starts_with("id,item,note\n[")
    };
    for server in [&here, &other] {
        assert!(!is_replaced(server).await);
    }
    assert_eq!(here.put_adapter("csv", &ledger()).await.status(), 201);
    assert!(is_replaced(&here).await);
    until(async || is_replaced(&other).await.then_some(())).await;
    assert_eq!(other.delete_adapter("csv").await.status(), 204);
    assert!(!is_replaced(&other).await);
    until(async || (!is_replaced(&here).await).then_some(())).await;
}

fn assert_ledger(shown: &Compressed) {
    assert!(shown.text().starts_with("id,item,note\n["), "{}", shown.text());
    assert!(shown.text().ends_with(']'), "{}", shown.text());
    assert!(shown.number("tokens_after") * 2 < shown.number("tokens_before"));
    assert_eq!(shown.decisions()[0]["rule"], "adapter:ledger");
    assert_eq!(shown.decisions()[0]["class"], "reversible");
}

#[tokio::test]
async fn a_ledger_written_as_data_shortens_a_text() {
    let server = TestServer::spawn().await;
    let options = |adapters: Value| {
        json!({"text": rows(), "level": "reversible", "explain": "full", "adapters": adapters})
            .to_string()
    };
    let inline = server.compress(&options(json!([named("ledger")]))).await;
    assert_ledger(&inline);
    let back = server.expand(&json!({"id": inline.id()}).to_string()).await;
    assert_eq!(back.answer["text"], rows());

    assert_eq!(server.put_adapter("ledger", &ledger()).await.status(), 201);
    let stored = server.compress(&options(json!(["xml", "ledger", "csv"]))).await;
    assert_ledger(&stored);
    assert_eq!(stored.text(), inline.text());
    // The one in the list wins over the one that is stored.
    let mut other = named("ledger");
    other["join"] = "{kept}\n<{summary}>".into();
    for list in [json!([other]), json!(["ledger", other]), json!([other, "ledger"])] {
        let shown = server.compress(&options(list)).await;
        assert!(shown.text().starts_with("id,item,note\n<"), "{}", shown.text());
    }
    // It applies where it is named, and nowhere else.
    let body = json!({"text": rows(), "level": "reversible", "explain": "full"}).to_string();
    let usual = server.compress(&body).await;
    assert!(!usual.report().to_string().contains("ledger"), "{}", usual.report());
    let none = server.compress(&options(json!([]))).await;
    assert!(!none.report().to_string().contains("adapter:"), "{}", none.report());
}

/// Turns with a tool's result each; the first is the ledger.
fn messages() -> Vec<String> {
    let mut messages = vec![json!({"role": "user", "content": "Look."}).to_string()];
    for turn in 0..8 {
        let id = format!("call_{turn}");
        let call = json!({"id": id, "type": "function",
            "function": {"name": "read", "arguments": "{}"}});
        let text = if turn == 0 { rows() } else { format!("Nothing in drawer {turn}.") };
        messages
            .push(json!({"role": "assistant", "content": null, "tool_calls": [call]}).to_string());
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}).to_string());
    }
    messages
}

#[tokio::test]
async fn a_stored_adapter_shortens_results_in_lists_and_compiles() {
    let server = TestServer::spawn().await;
    assert_eq!(server.put_adapter("ledger", &ledger()).await.status(), 201);
    let clear = json!({"exclude_tools": ["read"]});
    let options = json!({"level": "reversible", "explain": "full", "adapters": ["ledger"],
        "clear": clear, "keep_recent_turns": 1});
    let shown = server.compress(&list_request("messages", &messages(), &options)).await;
    assert_eq!(shown.decisions()[2]["rule"], "adapter:ledger", "{}", shown.report());
    let content = shown.message(2)["content"].as_str().unwrap().to_owned();
    assert!(content.starts_with("id,item,note\n["), "{content}");

    let list: Vec<Value> =
        messages().iter().map(|message| serde_json::from_str(message).unwrap()).collect();
    let body = json!({"target": "openai", "messages": list, "explain": "full",
        "compression": {"on_arrival": "reversible", "adapters": ["ledger"], "keep_recent_turns": 1}});
    let compiled = server.post_ok("/compile", &body).await;
    let content = compiled["payload"]["messages"][2]["content"].as_str().unwrap();
    assert!(content.starts_with("id,item,note\n["), "{content}");
    assert!(compiled["report"]["decisions"].to_string().contains("adapter:ledger"));
}

#[tokio::test]
async fn an_unknown_name_is_told_where_it_stands_with_all_other_faults() {
    let server = TestServer::spawn().await;
    assert_eq!(server.put_adapter("ledger", &ledger()).await.status(), 201);
    let list =
        json!(["xml", "legder", {"name": "own", "detect": {}}, "markdwn", "nobody-knows-this"]);
    let body = json!({"text": "x", "adapters": list, "level": "most"});
    let told = problem(server.post("/compress", &body).await, 422, "invalid_request").await;
    let wanted = ["/adapters/1", "/adapters/2/detect", "/adapters/3", "/adapters/4", "/level"];
    assert_eq!(pointers(&told), wanted);
    let near = |pointer: &str| {
        let faults = told["errors"].as_array().unwrap();
        faults.iter().find(|fault| fault["pointer"] == pointer).unwrap()["did_you_mean"].clone()
    };
    assert_eq!(near("/adapters/1"), "ledger");
    assert_eq!(near("/adapters/3"), "markdown");
    assert_eq!(near("/adapters/4"), Value::Null);

    let body = json!({"messages": [{"role": "user", "content": "x"}],
        "compression": {"adapters": ["legder"], "trigger": 7}});
    let told = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
    assert_eq!(pointers(&told), ["/compression/adapters/0", "/compression/trigger"]);
}

#[tokio::test]
async fn patterns_that_would_take_too_long_to_compile_are_refused() {
    let server = TestServer::spawn().await;
    let keep: Vec<Value> = (0..32).map(|at| json!({"regex": format!("row {at}")})).collect();
    let definition = json!({"detect": {"line_matches": {"1": "^id,"}}, "keep": keep});
    let told =
        problem(server.put_adapter("large", &definition).await, 422, "invalid_request").await;
    assert_eq!(pointers(&told), [""]);
    let definition = json!({"detect": {"min_lines": 9}, "keep": keep});
    for name in ["one", "two", "three"] {
        assert_eq!(server.put_adapter(name, &definition).await.status(), 201);
    }
    let body = |list: Value| json!({"text": "x", "adapters": list});
    let two = server.post("/compress", &body(json!(["one", "two"]))).await;
    assert_eq!(two.status(), 200);
    let all = server.post("/compress", &body(json!(["one", "two", "three"]))).await;
    assert_eq!(pointers(&problem(all, 422, "invalid_request").await), ["/adapters"]);
    let mixed = server.post("/compress", &body(json!(["one", "two", named("own")]))).await;
    assert_eq!(pointers(&problem(mixed, 422, "invalid_request").await), ["/adapters"]);
}

#[tokio::test]
async fn an_adapter_is_tried_on_a_text() {
    let server = TestServer::spawn().await;
    let try_it =
        async |name: &str, body: Value| server.post(&format!("/adapters/{name}/test"), &body).await;
    let tried = async |name: &str, body: Value| json_of(try_it(name, body).await, 200).await;
    // A definition is tried without being stored, and in the place of what is stored.
    let inline = tried("ledger", json!({"text": rows(), "definition": ledger()})).await;
    problem(server.get("/adapters/ledger").await, 404, "not_found").await;
    problem(try_it("ledger", json!({"text": rows()})).await, 404, "not_found").await;
    assert_eq!((&inline["detects"], &inline["changed"]), (&json!(true), &json!(true)));
    assert_eq!((&inline["reverted"], &inline["kept_lines"]), (&json!(false), &json!(1)));
    assert!(inline["text"].as_str().unwrap().starts_with("id,item,note\n["));
    let count = async |text: &Value| {
        let body = json!({"text": text});
        server.post("/tokens", &body).await.json::<Value>().await.unwrap()["tokens"].clone()
    };
    assert_eq!(inline["tokens_before"], count(&json!(rows())).await);
    assert_eq!(inline["tokens_after"], count(&inline["text"]).await);

    let mut longer = ledger();
    longer["join"] = format!("{}{{kept}}{{summary}}", "a word and another ".repeat(500)).into();
    assert_eq!(server.put_adapter("ledger", &longer).await.status(), 201);
    let stored = tried("ledger", json!({"text": rows()})).await;
    assert_eq!((&stored["detects"], &stored["changed"]), (&json!(true), &json!(false)));
    assert_eq!(
        (&stored["text"], &stored["tokens_after"]),
        (&json!(rows()), &stored["tokens_before"])
    );
    assert_eq!(tried("ledger", json!({"text": rows(), "definition": ledger()})).await, inline);
    let other = tried("ledger", json!({"text": "No ledger at all."})).await;
    assert_eq!((&other["detects"], &other["changed"]), (&json!(false), &json!(false)));
    assert_eq!(other["kept_lines"], Value::Null);

    let ours = tried("csv", json!({"text": rows()})).await;
    assert_eq!((&ours["detects"], &ours["changed"]), (&json!(true), &json!(true)));
    assert_eq!(ours["kept_lines"], Value::Null);

    let bad =
        json!({"text": 1, "definition": {"name": "book", "detect": {"regex": "("}}, "txt": 1});
    let told = problem(try_it("ledger", bad).await, 422, "invalid_request").await;
    let wanted = ["/definition/detect/regex", "/definition/name", "/text", "/txt"];
    assert_eq!(pointers(&told), wanted);
    problem(try_it("ledger", json!({})).await, 422, "invalid_request").await;
    problem(try_it("ledger", json!([])).await, 422, "invalid_request").await;
    problem(try_it("nobody", json!({"text": "x"})).await, 404, "not_found").await;
    problem(server.get("/adapters/ledger/test").await, 405, "method_not_allowed").await;
}

#[tokio::test]
async fn a_thousand_adapters_are_stored_and_no_more() {
    let server = TestServer::spawn().await;
    for number in 0..1_000 {
        assert_eq!(server.put_adapter(&format!("a{number}"), &ledger()).await.status(), 201);
    }
    let told = problem(server.put_adapter("more", &ledger()).await, 409, "conflict").await;
    assert!(told["detail"].as_str().unwrap().contains("1000"), "{told}");
    assert_eq!(server.put_adapter("a7", &named("a7")).await.status(), 200);
    assert_eq!(server.delete_adapter("a7").await.status(), 204);
    assert_eq!(server.put_adapter("more", &ledger()).await.status(), 201);
}

#[tokio::test]
async fn an_adapter_outlives_kill_9() {
    let folder = Folder::new();
    let url = folder.url();
    let start = || ServerProcess::start(&["--database-url", &url]);
    let json = [("content-type", "application/json")];
    let mut server = start();
    let body = ledger().to_string();
    let reply =
        send(server.address, &http("PUT", "/adapters/ledger", &json, body.as_bytes())).await;
    assert_eq!(reply.status, 201);
    server.signal("KILL");
    assert!(!server.exit().await.success());

    let server = start();
    let body = json!({"text": rows(), "level": "reversible", "explain": "full",
        "adapters": ["ledger"]})
    .to_string();
    let reply = send(server.address, &http("POST", "/compress", &json, body.as_bytes())).await;
    assert_ledger(&Compressed::read(&String::from_utf8(reply.body).unwrap()));
}

#[tokio::test]
async fn a_compile_that_names_nothing_stored_goes_on_without_the_store() {
    let folder = Folder::new();
    let (file, url) = (folder.database(), folder.url());
    let server = TestServer::with(&["--database-url", &url]).await;
    assert_eq!(server.put_adapter("ledger", &ledger()).await.status(), 201);
    rusqlite::Connection::open(&file).unwrap().execute_batch("DROP TABLE adapters").unwrap();
    let mut body = json!({"messages": [{"role": "user", "content": "Hello"}]});
    let compiled = server.post_json("/compile", 200, &body).await;
    assert_eq!(compiled["report"]["degraded"][0]["code"], "adapters_unread");
    body["compression"] = json!({"adapters": ["ledger"]});
    problem(server.post("/compile", &body).await, 503, "store_unavailable").await;
    for path in ["/adapters", "/adapters/ledger"] {
        problem(server.get(path).await, 503, "store_unavailable").await;
    }
}

/// What level `reversible` leaves of a result of a tool, and the rule.
async fn reversible(result: &str) -> (String, String) {
    let call = json!({"id": "c1", "type": "function",
        "function": {"name": "run", "arguments": "{}"}});
    let mut messages = vec![
        json!({"role": "user", "content": "Run it"}),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "c1", "content": result}),
    ];
    for at in 0..8 {
        messages.push(json!({"role": "user", "content": format!("Step {at}")}));
        messages.push(json!({"role": "assistant", "content": format!("Done {at}")}));
    }
    let body = json!({"messages": messages, "level": "reversible", "explain": "full"});
    let server = TestServer::spawn().await;
    let answer = server.post_ok("/compress", &body).await;
    let text = answer["messages"][2]["content"].as_str().unwrap().to_owned();
    (text, answer["report"]["decisions"][2]["rule"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_format_is_known_behind_its_colours() {
    let mut diff = String::from(
        "\u{1b}[1mdiff --git a/app.py b/app.py\u{1b}[m\n\u{1b}[1m--- a/app.py\u{1b}[m\n\u{1b}[1m+++ b/app.py\u{1b}[m\n",
    );
    for hunk in 0..8 {
        let around = format!(" a context line {hunk} of the file\n").repeat(4);
        let _ = write!(
            diff,
            "\u{1b}[36m@@ -{0},9 +{0},9 @@\u{1b}[m\n{around}\u{1b}[31m-    retries = {hunk}\u{1b}[m\n\
             \u{1b}[32m+    retries = {1}\u{1b}[m\n{around}",
            hunk * 20 + 1,
            hunk + 50
        );
    }
    let (shown, rule) = reversible(&diff).await;
    assert!(rule.contains("adapter:diff"), "{rule}");
    for hunk in 0..8 {
        for line in [format!("\n-    retries = {hunk}"), format!("\n+    retries = {}", hunk + 50)]
        {
            assert!(shown.contains(&line), "{line}{shown}");
        }
    }
}

#[tokio::test]
async fn the_one_item_in_another_state_stays() {
    let items: Vec<Value> = (0..100)
        .map(|at| json!({"name": format!("node-{at}"), "zone": "a", "healthy": at != 57}))
        .collect();
    let (shown, rule) = reversible(&json!({"nodes": items}).to_string()).await;
    assert!(rule.contains("adapter:json"), "{rule}");
    assert!(shown.contains("node-57") && !shown.contains("node-58"), "{shown}");
    let row =
        |at: usize| format!("node-{at},rack {},{}\n", at % 7, if at == 57 { "DOWN" } else { "UP" });
    let table: String =
        std::iter::once("name,place,state\n".to_owned()).chain((0..100).map(row)).collect();
    let (shown, rule) = reversible(&table).await;
    assert!(!rule.contains("adapter:csv") || shown.contains("DOWN"), "{rule}: {shown}");
}

#[tokio::test]
async fn a_document_with_declarations_of_its_own_stays() {
    let note = "The build keeps a cache of its layers. It is kept for a week. Nobody reads it. ";
    let item = format!("  <item><note>{}</note></item>\n", note.repeat(4));
    let text = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE root [\n  <!ENTITY e \"v\">\n]>\n<root>\n{}</root>\n",
        item.repeat(4)
    );
    let (shown, rule) = reversible(&text).await;
    assert!(!rule.contains("adapter:"), "{rule}: {shown}");
}
