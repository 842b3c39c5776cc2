//! Scenarios D01 to D05 and W01 to W10 of the study of ContextChef: state as XML, and what its
//! middlewares do to results on the wire.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::compile::{assistant, calling, compile, result, system, user, words};
use crate::support::{TestServer, problem};

async fn state(value: &Value) -> String {
    let compiled =
        compile(&json!({"messages": [user("u")], "target": "neutral", "dynamic_state": value}))
            .await;
    let said = compiled.said(0);
    let from = said.find("<dynamic_state>").expect("state");
    let end = said.find("</dynamic_state>").expect("an end");
    said[from..end + "</dynamic_state>".len()].to_owned()
}

#[tokio::test]
async fn state_is_xml_without_lines_for_what_is_empty() {
    let value = json!({"a": {"b": 1, "c": [1, {"d": "x<y"}]}, "n": null, "e": [], "my-key": true});
    assert_eq!(
        state(&value).await,
        "<dynamic_state>\n  <a>\n  <b>1</b>\n  <c>\n  <item>1</item>\n  <item>\n  <d>x&lt;y</d>\n\
         </item>\n</c>\n</a>\n  <my_key>true</my_key>\n</dynamic_state>"
    );
}

#[tokio::test]
async fn texts_in_state_are_escaped() {
    let shown = state(&json!({"t": "a < b & c > d \"e\" 'f'"})).await;
    assert!(
        shown.contains("<t>a &lt; b &amp; c &gt; d &quot;e&quot; &apos;f&apos;</t>"),
        "{shown}"
    );
}

#[tokio::test]
async fn empty_objects_and_lists_have_their_forms() {
    let shown = state(&json!({"empty": {}, "none": [], "null": null, "list": ["a", "b"]})).await;
    assert!(shown.contains("<empty>\n</empty>"), "{shown}");
    assert!(shown.contains("<list>\n  <item>a</item>\n  <item>b</item>\n</list>"), "{shown}");
    assert!(!shown.contains("none") && !shown.contains("null"), "{shown}");
}

#[tokio::test]
async fn state_that_is_no_object_is_refused() {
    let server = TestServer::spawn().await;
    for bad in [json!([1]), json!("text"), json!(1)] {
        let body = json!({"messages": [user("u")], "dynamic_state": bad});
        let refused = problem(server.post("/compile", &body).await, 422, "invalid_request").await;
        assert_eq!(refused["errors"][0]["pointer"], "/dynamic_state");
    }
}

#[tokio::test]
async fn state_is_shown_as_it_is_given() {
    let shown = state(&json!({"z": 1, "extra": {"b": 2, "a": 3}})).await;
    assert_eq!(
        shown,
        "<dynamic_state>\n  <z>1</z>\n  <extra>\n  <b>2</b>\n  <a>3</a>\n</extra>\n</dynamic_state>"
    );
}

async fn take(server: &TestServer, results: &Value, truncate: &Value) -> Value {
    let body = json!({"results": results, "truncate": truncate, "compression": "off"});
    server.post_json("/tools/results", 200, &body).await
}

fn raw(id: &str, name: &str, content: &str) -> Value {
    json!({"id": id, "name": name, "content": content})
}

/// Two hundred letters that no notation makes shorter.
fn letters() -> String {
    let mut text = String::new();
    for at in 0..200_u32 {
        let letter = char::from(b'a' + u8::try_from((at * at * 7 + at * 3) % 26).unwrap());
        let _ = write!(text, "{letter}");
    }
    text
}

#[tokio::test]
async fn a_long_result_is_cut_to_its_ends() {
    let server = TestServer::spawn().await;
    let truncate = json!({"threshold": 50, "head_chars": 10, "tail_chars": 10});
    let long = letters();
    let answer = take(&server, &json!([raw("a", "t", &long)]), &truncate).await;
    let shown = answer["messages"][0]["content"].as_str().expect("a text");
    assert!(shown.starts_with(&long[..10]) && shown.ends_with(&long[190..]), "{shown}");
    assert!(shown.contains("(1 lines, 200 chars total)"), "{shown}");
    assert!(shown.len() < 200);
    assert_eq!(answer["messages"][0]["role"], "tool");
    assert_eq!(answer["messages"][0]["tool_call_id"], "a");
    assert_eq!(answer["results"][0]["action"], "truncated");
    let short = take(&server, &json!([raw("a", "t", &long[..50])]), &truncate).await;
    assert_eq!(short["messages"][0]["content"], long[..50]);
    let whole = json!({"threshold": 50, "head_chars": 100, "tail_chars": 100});
    let whole = take(&server, &json!([raw("a", "t", &long)]), &whole).await;
    assert_eq!(whole["messages"][0]["content"], long);
    assert_eq!(whole["results"][0]["action"], "kept");
}

#[tokio::test]
async fn tools_may_have_lengths_of_their_own_or_none() {
    let server = TestServer::spawn().await;
    let truncate = json!({"threshold": 50, "head_chars": 10, "tail_chars": 10, "store": true,
        "per_tool": ["never", {"name": "more", "threshold": 60}, {"name": "more", "threshold": 500}]});
    let long = letters();
    let results =
        json!([raw("a", "never", &long), raw("b", "more", &long), raw("c", "other", &long)]);
    let answer = take(&server, &results, &truncate).await;
    let told: Vec<&Value> =
        answer["results"].as_array().unwrap().iter().map(|one| &one["action"]).collect();
    assert_eq!(told, ["kept", "kept", "offloaded"]);
    assert_eq!(answer["messages"][0]["content"], long);
    assert!(answer["results"][0].get("artifact").is_none());
    let id = answer["results"][2]["artifact"].as_str().expect("an id");
    assert!(answer["messages"][2]["content"].as_str().unwrap().contains(id));
    let kept = server.get(&format!("/artifacts/{id}")).await.text().await.unwrap();
    assert_eq!(kept, long);
}

#[tokio::test]
async fn of_two_results_one_may_be_exempt() {
    let server = TestServer::spawn().await;
    let truncate = json!({"threshold": 50, "tail_chars": 10, "per_tool": ["never"]});
    let long = letters();
    let body = json!({"results": [raw("a", "never", &long), raw("b", "t", &long)], "truncate": truncate,
                      "source": "anthropic", "compression": "off"});
    let answer = server.post_ok("/tools/results", &body).await;
    let blocks = answer["messages"][0]["content"].as_array().expect("one message of both");
    assert_eq!(answer["messages"].as_array().unwrap().len(), 1);
    assert!(blocks[0].to_string().contains(&long));
    assert!(!blocks[1].to_string().contains(&long));
    assert_eq!(blocks[1]["tool_use_id"], "b");
}

#[tokio::test]
async fn only_the_newest_results_stay_where_one_is_to_be_kept() {
    let text = |name: &str| words(name, 400);
    let mut messages = vec![user("u")];
    for turn in 0..8 {
        messages.push(calling("", &[(&format!("c{turn}"), "t")]));
        messages.push(result(&format!("c{turn}"), &text(&format!("r{turn}"))));
    }
    let count = messages.len();
    let compiled = compile(&json!({"messages": messages, "target": "openai", "model": "bytes4",
        "compression": {"level": "reversible", "keep_recent_turns": 0, "clear": {"keep": 1}},
        "budget": {"context_window": 2_000, "reserve_output": 0}}))
    .await;
    assert_eq!(compiled.list().len(), count);
    assert!(
        compiled.said(2).starts_with("[Old tool result content cleared"),
        "{}",
        compiled.said(2)
    );
    assert_eq!(compiled.said(count - 1), text("r7"));
    assert!(compiled.action("cleared") > 0);
}

fn long_conversation() -> Vec<Value> {
    let mut messages = vec![system("Stay as you are.")];
    for turn in 0..20 {
        messages.push(user(&words(&format!("q{turn}"), 100)));
        messages.push(assistant(&words(&format!("a{turn}"), 100)));
    }
    messages.push(user("And now?"));
    messages
}

#[tokio::test]
async fn system_text_survives_every_summary() {
    let compiled =
        compile(&json!({"messages": long_conversation(), "target": "openai", "model": "bytes4",
        "budget": {"context_window": 1_500, "reserve_output": 0}}))
        .await;
    assert_eq!(compiled.said(0), "Stay as you are.");
    assert!(compiled.action("summarized") + compiled.action("dropped") > 0);
    assert_eq!(compiled.said(compiled.list().len() - 1), "And now?");
}

#[tokio::test]
async fn a_skill_stands_before_the_summary() {
    let compiled =
        compile(&json!({"messages": long_conversation(), "target": "openai", "model": "bytes4",
        "skill": {"name": "s", "instructions": "Answer in verse."},
        "budget": {"context_window": 1_500, "reserve_output": 0}}))
        .await;
    assert_eq!(compiled.said(1), "Answer in verse.");
    assert!(compiled.said(2).contains("<history_summary>"), "{}", compiled.said(2));
}

#[tokio::test]
async fn without_a_window_the_table_has_one_and_an_unknown_model_is_a_warning() {
    let body = json!({"messages": [user("u")], "model": "nobody-s-model"});
    let compiled = compile(&body).await;
    assert!(compiled.codes("warnings").contains(&"unknown_model"));
    assert!(compiled.number("budget") > 100_000);
}

#[tokio::test]
async fn what_is_not_stored_is_compacted_the_same_each_time() {
    let server = TestServer::spawn().await;
    let body = json!({"messages": long_conversation(), "target": "openai", "model": "bytes4",
        "budget": {"context_window": 1_500, "reserve_output": 0}});
    let first = server.compile(&body).await;
    for _ in 0..3 {
        let again = server.compile(&body).await;
        assert_eq!(again.text, first.text);
        assert_eq!(again.report["warnings"], json!([]));
    }
}
