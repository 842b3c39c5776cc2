//! What payloads tell the prompt caches of OpenAI, Anthropic and Gemini.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{
    Compiled, assistant, calling, compile, result, system, user, with, words,
};
use crate::support::valid::check;

const NEW: &str = "gpt-6-sol";
const OLD: &str = "gpt-5.5";
const BREAKPOINT: &str = "prompt_cache_breakpoint";

/// A text of more tokens than any model wants before it caches.
fn long(name: &str) -> String {
    words(name, 6_000)
}

fn request(target: &str, model: &str, more: &Value) -> Value {
    let messages = [system(&long("s")), user("u"), assistant("a"), user("v")];
    let own = json!({"messages": messages, "target": target, "model": model});
    with(own, more)
}

/// Compiles a request, whose payload its provider must take.
async fn valid(request: &Value) -> Compiled {
    let compiled = compile(request).await;
    let target = request["target"].as_str().expect("a target");
    check(target, &compiled.payload).unwrap_or_else(|rule| panic!("{rule}: {}", compiled.payload));
    compiled
}

fn marks(compiled: &Compiled) -> Vec<&str> {
    let marks = compiled.report["cache"]["breakpoints"].as_array().expect("a list");
    marks.iter().map(|mark| mark.as_str().expect("a pointer")).collect()
}

fn code_of<'c>(compiled: &'c Compiled, list: &str, code: &str) -> Option<&'c Value> {
    let notes = compiled.report[list].as_array().expect("notes");
    notes.iter().find(|note| note["code"] == code)
}

#[tokio::test]
async fn openai_gets_breakpoints_from_gpt_5_6_on() {
    let ours = json!({"cache": {"ttl": "5m"}});
    let chat = valid(&request("openai", NEW, &ours)).await;
    assert_eq!(
        marks(&chat),
        ["/messages/0/content/0", "/messages/1/content/0", "/messages/3/content/0"]
    );
    let content = &chat.payload["messages"][3]["content"];
    let marked = json!({BREAKPOINT: {"mode": "explicit"}, "text": "v", "type": "text"});
    assert_eq!(*content, json!([marked]));
    assert_eq!(chat.payload["prompt_cache_options"], json!({"mode": "explicit"}));
    assert!(chat.payload.get("prompt_cache_key").is_none());
    // Instructions can have none.
    let items = valid(&request("openai_responses", NEW, &ours)).await;
    assert_eq!(marks(&items), ["/input/0/content/0", "/input/2/content/0"]);
    assert!(items.payload["instructions"].is_string());
    assert_eq!(items.payload["prompt_cache_options"], json!({"mode": "explicit"}));
    for target in ["openai", "openai_responses"] {
        // Unasked, and for a model that refuses them.
        for (model, more) in [(NEW, json!({})), (OLD, ours.clone())] {
            let plain = valid(&request(target, model, &more)).await;
            assert_eq!(marks(&plain), [""; 0]);
            assert!(!plain.text.contains("prompt_cache"), "{model}: {}", plain.text);
        }
    }
}

#[tokio::test]
async fn a_longer_lifetime_is_twelve_hours_at_openai() {
    let chat = valid(&request("openai", NEW, &json!({"cache": {"ttl": "1h"}}))).await;
    let mark = &chat.payload["messages"][3]["content"][0][BREAKPOINT];
    assert_eq!(*mark, json!({"mode": "explicit", "ttl": "12h"}));
}

#[tokio::test]
async fn a_session_has_one_key_that_does_not_show_its_id() {
    let server = TestServer::spawn().await;
    let key = async |session: &str, more: Value| {
        let body = with(more, &json!({"session_id": session}));
        server.compile(&request("openai", NEW, &body)).await.payload["prompt_cache_key"].clone()
    };
    let cache = json!({"cache": {"ttl": "5m"}});
    let first = key("ticket-4711", cache.clone()).await;
    let text = first.as_str().expect("a key");
    assert!(text.starts_with("ctx-") && text.len() == 36 && !text.contains("4711"), "{text}");
    assert_eq!(key("ticket-4711", cache.clone()).await, first);
    assert_ne!(key("ticket-4712", cache.clone()).await, first);
    assert_eq!(key("ticket-4711", json!({})).await, Value::Null);
    let own = with(cache, &json!({"prompt_cache_key": "mine"}));
    assert_eq!(key("ticket-4711", own).await, "mine");
}

#[tokio::test]
async fn the_callers_own_members_are_kept_for_their_provider() {
    let own = json!({"prompt_cache_key": "k", "prompt_cache_retention": "24h"});
    let old = valid(&request("openai", OLD, &own)).await;
    assert_eq!(old.payload["prompt_cache_key"], "k");
    assert_eq!(old.payload["prompt_cache_retention"], "24h");
    let options = json!({"prompt_cache_options": {"mode": "implicit", "ttl": "30m"}});
    let old = valid(&request("openai", OLD, &options)).await;
    assert!(old.payload.get("prompt_cache_options").is_none());
    let note = code_of(&old, "degraded", "cache_member_dropped").expect("a note");
    assert_eq!(note["pointer"], "/prompt_cache_options");
    let all = with(own, &options);
    let new = valid(&request("openai_responses", NEW, &options)).await;
    assert_eq!(new.payload["prompt_cache_options"], options["prompt_cache_options"]);
    let anthropic = valid(&request("anthropic", "claude-opus-5", &all)).await;
    assert!(!anthropic.text.contains("prompt_cache"));
    let lost = anthropic.codes("degraded");
    assert_eq!(lost.iter().filter(|code| **code == "cache_member_dropped").count(), 3);
    let neutral = compile(&request("neutral", NEW, &all)).await;
    assert_eq!(neutral.payload["prompt_cache_options"], options["prompt_cache_options"]);
}

#[tokio::test]
async fn what_is_no_member_of_a_provider_is_a_fault() {
    let server = TestServer::spawn().await;
    for (key, value, place) in [
        ("cache_control", json!(true), "/cache_control"),
        ("cache_control", json!({"type": "ephemeral", "ttl": "1d"}), "/cache_control/ttl"),
        ("prompt_cache_key", json!(1), "/prompt_cache_key"),
        ("prompt_cache_options", json!("explicit"), "/prompt_cache_options"),
        ("prompt_cache_retention", json!([]), "/prompt_cache_retention"),
        ("cachedContent", json!({}), "/cachedContent"),
        ("cached_content", json!(1), "/cached_content"),
    ] {
        let body = request("openai", NEW, &json!({key: value}));
        let response = server.post("/compile", &body).await;
        assert_eq!(response.status(), 422, "{key}");
        let problem = response.text().await.expect("a body");
        assert!(problem.contains(&format!("\"{place}\"")), "{key}: {problem}");
    }
    let mark = json!({"mode": "explicit", "ttl": "1h"});
    let content = json!([{"type": "text", "text": "t", BREAKPOINT: mark}]);
    let body = json!({"messages": [{"role": "user", "content": content}]});
    assert_eq!(server.post("/compile", &body).await.status(), 422);
}

/// A message with a mark of the caller's on its text.
fn broken_at(role: &str, text: &str) -> Value {
    json!({"role": role, "content": [
        {"type": "text", "text": text, BREAKPOINT: {"mode": "explicit"}}]})
}

#[tokio::test]
async fn four_breakpoints_are_explicit_and_three_stand_beside_an_implicit_one() {
    let texts: Vec<Value> = (0..6).map(|at| broken_at("user", &long(&format!("m{at}")))).collect();
    let body = |more: Value| {
        let own = json!({"messages": texts, "target": "openai", "model": NEW});
        with(own, &more)
    };
    let implicit = valid(&body(json!({}))).await;
    assert_eq!(marks(&implicit).len(), 3);
    assert!(implicit.payload.get("prompt_cache_options").is_none());
    assert_eq!(implicit.codes("warnings"), ["cache_marks_dropped"]);
    let options = json!({"prompt_cache_options": {"mode": "explicit"}});
    let explicit = valid(&body(options)).await;
    assert_eq!(marks(&explicit).len(), 4);
    assert_eq!(marks(&explicit)[0], "/messages/2/content/0");
    let ours = valid(&body(json!({"cache": {"ttl": "5m"}}))).await;
    assert_eq!(marks(&ours).len(), 4);
    assert_eq!(ours.payload["prompt_cache_options"], json!({"mode": "explicit"}));
    // A retention and options are refused together, so the default stays.
    let retention = json!({"cache": {"ttl": "5m"}, "prompt_cache_retention": "24h"});
    let kept = valid(&body(retention)).await;
    assert_eq!((marks(&kept).len(), kept.payload.get("prompt_cache_options")), (3, None));
}

#[tokio::test]
async fn breakpoints_of_the_callers_go_where_they_are_taken() {
    let messages =
        [broken_at("user", &long("u")), user("between"), broken_at("assistant", "a"), user("v")];
    let body = |target: &str, model: Value| json!({"messages": messages, "target": target, "model": model});
    let new = valid(&body("openai", json!(NEW))).await;
    assert_eq!(marks(&new), ["/messages/0/content/0", "/messages/1/content/0"]);
    assert!(new.codes("degraded").contains(&"cache_marks_moved"));
    let old = valid(&body("openai", json!(OLD))).await;
    assert!(!old.text.contains(BREAKPOINT));
    assert_eq!(old.codes("degraded"), ["cache_marks_dropped"]);
    // A model that is not known gets those that are of its own kind.
    let unknown = valid(&body("openai", Value::Null)).await;
    assert_eq!(marks(&unknown).len(), 2);
    let anthropic = valid(&body("anthropic", json!("claude-opus-5"))).await;
    assert_eq!(marks(&anthropic), ["/messages/0/content/0", "/messages/1/content/0"]);
    assert!(!anthropic.text.contains(BREAKPOINT));
    // And the other way round.
    let mark = json!({"type": "ephemeral"});
    let text = json!([{"type": "text", "text": long("u"), "cache_control": mark}]);
    let body = |model: Value| json!({"messages": [{"role": "user", "content": text}], "target": "openai", "model": model});
    let new = valid(&body(json!(NEW))).await;
    assert_eq!(new.text.matches(BREAKPOINT).count(), 1);
    let unknown = valid(&body(Value::Null)).await;
    assert!(!unknown.text.contains(BREAKPOINT));
    assert_eq!(unknown.codes("degraded"), ["cache_marks_dropped"]);
}

#[tokio::test]
async fn results_carry_breakpoints() {
    let messages = [
        user(&long("u")),
        calling("", &[("a", "f"), ("b", "f")]),
        result("a", "first"),
        result("b", "second"),
    ];
    for (target, place) in
        [("openai", "/messages/3/content/0"), ("openai_responses", "/input/4/output/0")]
    {
        let body = json!({"messages": messages, "target": target, "model": NEW,
            "cache": {"ttl": "5m"}});
        let compiled = valid(&body).await;
        assert_eq!(marks(&compiled).last(), Some(&place), "{}", compiled.text);
    }
}

#[tokio::test]
async fn the_mark_of_the_request_counts_as_one_of_anthropics_four() {
    let mark = |ttl: &str| json!({"type": "ephemeral", "ttl": ttl});
    let marked = |at: usize| {
        json!({"role": if at.is_multiple_of(2) { "user" } else { "assistant" }, "content": [
            {"type": "text", "text": format!("m{at}"), "cache_control": {"type": "ephemeral"}}]})
    };
    let list: Vec<Value> = (0..5).map(marked).collect();
    let body =
        |list: &[Value], more: Value| with(json!({"messages": list, "target": "anthropic"}), &more);
    let automatic = json!({"cache_control": {"type": "ephemeral"}});
    let compiled = valid(&body(&list, automatic.clone())).await;
    assert_eq!(compiled.payload["cache_control"], automatic["cache_control"]);
    assert_eq!(marks(&compiled).len(), 4);
    assert_eq!(marks(&compiled).last(), Some(&""));
    assert_eq!(compiled.codes("warnings"), ["cache_marks_dropped"]);
    // Ours are three beside it, and none of them is on the last block.
    let ours = with(automatic, &json!({"cache": {"ttl": "5m"}}));
    let plain = [system(&long("s")), user("u"), assistant("a"), user("v")];
    let compiled = valid(&body(&plain, ours)).await;
    assert_eq!(marks(&compiled), ["/system/0", ""]);
    // A mark on the last block with another lifetime is refused.
    let hour = json!({"cache_control": mark("1h")});
    let compiled = valid(&body(&[marked(0)], hour.clone())).await;
    assert_eq!(marks(&compiled), [""]);
    assert_eq!(compiled.codes("warnings"), ["cache_marks_dropped"]);
    let early = compile(&body(&[marked(0), assistant("a"), user("u")], hour.clone())).await;
    assert_eq!(early.codes("warnings"), ["cache_ttl_order"]);
    let first = &early.payload["messages"][0]["content"][0];
    assert_eq!(first["cache_control"]["ttl"], "1h");
    // Ours are as long as what comes after them.
    let compiled = valid(&body(&plain, with(hour, &json!({"cache": {"ttl": "5m"}})))).await;
    assert_eq!(compiled.payload["system"][0]["cache_control"]["ttl"], "1h");
    let gemini = valid(&json!({"messages": [user("u")], "target": "gemini",
        "cache_control": mark("5m")}))
    .await;
    assert_eq!(gemini.codes("degraded"), ["cache_member_dropped"]);
    // OpenAI's own mark on the newest message is what it asks for.
    let more = json!({"cache": {"ttl": "5m"}, "cache_control": mark("5m")});
    let chat = valid(&request("openai", NEW, &more)).await;
    assert_eq!(chat.payload["prompt_cache_options"], json!({"mode": "implicit"}));
    assert_eq!((marks(&chat).len(), chat.codes("degraded").len()), (3, 0));
}

#[tokio::test]
async fn no_mark_of_ours_stands_where_the_prefix_is_too_short() {
    let short = |tokens: usize| {
        let text = words("s", tokens);
        json!({"messages": [system(&text), user("u"), assistant("a"), user(&long("v"))],
            "cache": {"ttl": "5m"}, "tools": [{"name": "t", "input_schema": {"type": "object"}}]})
    };
    for (target, model, tokens, wanted) in [
        ("anthropic", "claude-opus-5", 200, vec!["/messages/2/content/0"]),
        ("anthropic", "claude-opus-5", 2_000, vec!["/system/0", "/messages/2/content/0"]),
        ("openai", NEW, 200, vec!["/messages/3/content/0"]),
        (
            "openai",
            NEW,
            4_000,
            vec!["/messages/0/content/0", "/messages/1/content/0", "/messages/3/content/0"],
        ),
    ] {
        let body = with(short(tokens), &json!({"target": target, "model": model}));
        assert_eq!(marks(&valid(&body).await), wanted, "{model} {tokens}");
    }
    // Not even at the end, and then nothing else is said of caches.
    let body = json!({"messages": [user("u")], "cache": {"ttl": "5m"}, "model": NEW});
    let small = compile(&body).await;
    assert_eq!(small.text, r#"{"messages":[{"content":"u","role":"user"}]}"#);
}

#[tokio::test]
async fn a_mark_of_the_callers_that_is_too_early_is_reported() {
    let mark = json!({"type": "ephemeral"});
    let text = |text: &str| json!([{"type": "text", "text": text, "cache_control": mark}]);
    let body = json!({"system": text("short"), "messages": [
        {"role": "user", "content": text(&long("u"))}],
        "tools": [{"name": "t", "input_schema": {"type": "object"}, "cache_control": mark}],
        "target": "anthropic", "model": "claude-opus-5"});
    let compiled = valid(&body).await;
    assert_eq!(marks(&compiled).len(), 3);
    assert_eq!(compiled.codes("warnings"), ["mark_too_early"]);
    let note = code_of(&compiled, "warnings", "mark_too_early").expect("a note");
    assert_eq!(note["pointer"], "/tools/0");
    let detail = note["detail"].as_str().expect("a detail");
    assert!(detail.ends_with(": 2") && detail.contains("512"), "{detail}");
    let enough = with(body, &json!({"system": text(&long("s")), "tools": []}));
    assert_eq!(valid(&enough).await.codes("warnings"), [""; 0]);
}

#[tokio::test]
async fn a_mark_that_moves_on_is_no_change() {
    let server = TestServer::spawn().await;
    for target in ["openai", "openai_responses"] {
        let session = json!({"session_id": format!("s-{target}"), "cache": {"ttl": "5m"}});
        let body = request(target, NEW, &session);
        let first = server.compile(&body).await;
        let mut longer = body.clone();
        let list = longer["messages"].as_array_mut().expect("messages");
        list.extend([assistant("b"), user("w")]);
        let second = server.compile(&longer).await;
        assert_eq!(second.report["cache"]["first_change"], Value::Null, "{}", second.report);
        assert_ne!(marks(&first), marks(&second));
        // Without marks, texts are no lists.
        let plain = json!({"cache": {"ttl": "off", "previous": second.payload}});
        let third = server.compile(&with(longer, &plain)).await;
        assert!(!third.text.contains(BREAKPOINT));
        assert_eq!(third.report["cache"]["first_change"], Value::Null, "{}", third.report);
    }
}

#[tokio::test]
async fn a_mark_of_the_callers_that_moves_on_is_no_change() {
    let server = TestServer::spawn().await;
    let body = |messages: &[Value], previous: &Value| {
        json!({"messages": messages, "target": "openai", "model": NEW,
            "cache": {"ttl": "off", "previous": previous}})
    };
    let before = [broken_at("user", &long("u"))];
    let first = server.compile(&body(&before, &json!({}))).await;
    assert_eq!(marks(&first), ["/messages/0/content/0"]);
    let after = [user(&long("u")), assistant("a"), broken_at("user", "v")];
    let second = server.compile(&body(&after, &first.payload)).await;
    assert_eq!(marks(&second), ["/messages/2/content/0"]);
    assert_eq!(second.report["cache"]["first_change"], Value::Null, "{}", second.report);
    let edited = [user(&long("w")), assistant("a"), broken_at("user", "v")];
    let third = server.compile(&body(&edited, &first.payload)).await;
    assert_eq!(third.report["cache"]["first_change"]["why"], "message_edited");
}

#[tokio::test]
async fn what_gemini_has_stored_stands_for_system_text_and_tools() {
    let tools = json!([{"name": "t", "input_schema": {"type": "object"}}]);
    let more = json!({"cachedContent": "cachedContents/a1", "tools": tools});
    let stored = valid(&request("gemini", "gemini-3-flash", &more)).await;
    assert_eq!(stored.payload["cachedContent"], "cachedContents/a1");
    let keys: Vec<&String> = stored.payload.as_object().expect("members").keys().collect();
    assert_eq!(keys, ["contents", "cachedContent"]);
    let note = code_of(&stored, "degraded", "stored_head_left_out").expect("a note");
    assert_eq!(note["pointer"], "/cachedContent");
    // As Gemini's Python library names it, and with nothing to leave out.
    let own = json!({"contents": [{"role": "user", "parts": [{"text": "u"}]}],
        "cached_content": "cachedContents/a1", "target": "gemini"});
    let plain = valid(&own).await;
    assert_eq!(plain.payload["cachedContent"], "cachedContents/a1");
    assert_eq!(plain.codes("degraded"), [""; 0]);
    for target in ["openai", "openai_responses", "anthropic"] {
        let other = valid(&with(own.clone(), &json!({"target": target}))).await;
        assert_eq!(other.codes("degraded"), ["cache_member_dropped"], "{target}");
    }
    let late = with(own.clone(), &json!({"deadline_ms": 1, "on_deadline": "pass"}));
    assert_eq!(valid(&late).await.payload["cachedContent"], "cachedContents/a1");
}

#[tokio::test]
async fn gemini_takes_no_lifetime() {
    let body = |cache: Value| request("gemini", "gemini-3-flash", &json!({"cache": cache}));
    assert_eq!(valid(&body(json!({"ttl": "1h"}))).await.codes("warnings"), ["cache_ttl_unused"]);
    assert_eq!(valid(&body(json!({"state": "unknown"}))).await.codes("warnings"), [""; 0]);
    assert_eq!(valid(&body(json!({"ttl": "off"}))).await.codes("warnings"), [""; 0]);
}
