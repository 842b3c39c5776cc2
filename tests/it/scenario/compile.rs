//! Scenarios C01 to C20: the sandwich and what stands in it.

use serde_json::{Value, json};

use crate::support::compile::{assistant, calling, compile, result, system, user, words};
use crate::support::{TestServer, problem};

const STATE: &str = "<dynamic_state>\n  <a>1</a>\n</dynamic_state>";

/// The text that closes a tail: whatever stands behind `text` and an empty line.
fn anchor_behind<'t>(whole: &'t str, text: &str) -> &'t str {
    let anchor = whole.strip_prefix(text).expect("the text first").strip_prefix("\n\n");
    let anchor = anchor.expect("an empty line");
    assert!(!anchor.is_empty() && !anchor.contains('\n') && !anchor.contains('<'), "{anchor}");
    anchor
}

#[tokio::test]
async fn an_empty_conversation_is_the_user_s_opening() {
    // A session may begin so; without one, there is nothing to compile.
    let compiled = compile(&json!({"messages": [], "session_id": "s"})).await;
    // Providers refuse an empty list.
    let opening = json!({"role": "user", "content": "[Conversation continues]"});
    assert_eq!(compiled.payload, json!({"messages": [opening]}));
    assert_eq!(compiled.report["memory"], json!({"injected": [], "expired": []}));
}

#[tokio::test]
async fn openai_messages_come_back_byte_for_byte() {
    let body = json!({"messages": [system("S"), user("hi")], "target": "openai"});
    assert_eq!(
        compile(&body).await.text,
        r#"{"messages":[{"content":"S","role":"system"},{"content":"hi","role":"user"}]}"#
    );
}

#[tokio::test]
async fn the_order_of_members_changes_no_byte() {
    let one = json!({"messages": [{"role": "user", "content": "t", "name": "A"}]});
    let other = json!({"messages": [{"name": "A", "content": "t", "role": "user"}]});
    assert_eq!(compile(&one).await.text, compile(&other).await.text);
}

#[tokio::test]
async fn the_whole_sandwich_stands_in_its_order() {
    let compiled = compile(&json!({
        "messages": [system("SYS"), user("hi")],
        "target": "neutral",
        "model": "bytes4",
        "skill": {"name": "s", "instructions": "SKILL"},
        "memory": {"entries": [{"key": "lang", "value": "TS"}], "placement": "last_user"},
        "dynamic_state": {"a": 1},
        "implicit_context": "RAG",
        "output": {"tag": "o", "prefill": "P"},
    }))
    .await;
    assert_eq!(compiled.roles(), ["system", "system", "system", "user", "system", "assistant"]);
    assert_eq!((compiled.said(0).as_str(), compiled.said(1).as_str()), ("SYS", "SKILL"));
    assert!(compiled.said(2).len() > 40 && !compiled.said(2).contains("<entry"));
    assert!(compiled.said(4).contains("<o>"));
    assert_eq!(compiled.said(5), "P");
    let tail = compiled.said(3);
    assert!(tail.starts_with("hi\n\n"), "{tail}");
    let places =
        ["<memory>", "<dynamic_state>", "</dynamic_state>\n\nTake", "\n\n<implicit_context>"];
    let places: Vec<usize> = places.iter().map(|tag| tail.find(tag).expect("a block")).collect();
    assert!(places.is_sorted(), "{tail}");
    assert!(tail.ends_with("\n</implicit_context>"), "{tail}");
    assert_eq!(compiled.report["skill"], "s");
    assert_eq!(compiled.report["memory"]["injected"], json!(["lang"]));
}

#[tokio::test]
async fn state_stands_behind_the_last_user_message() {
    let compiled =
        compile(&json!({"messages": [user("u")], "target": "openai", "dynamic_state": {"a": 1}}))
            .await;
    assert_eq!(compiled.list().len(), 1);
    anchor_behind(&compiled.said(0), &format!("u\n\n{STATE}"));
}

#[tokio::test]
async fn state_without_a_user_message_is_one() {
    let compiled = compile(&json!({"messages": [], "dynamic_state": {"a": 1}})).await;
    assert_eq!(compiled.roles(), ["user"]);
    anchor_behind(&compiled.said(0), STATE);
}

#[tokio::test]
async fn in_a_tool_loop_the_tail_stays_on_the_message_that_began_it() {
    let messages = [user("u"), calling("", &[("a", "f")]), result("a", "r")];
    let compiled = compile(&json!({"messages": messages, "dynamic_state": {"a": 1}})).await;
    assert_eq!(compiled.roles(), ["user", "assistant", "tool"]);
    assert!(compiled.said(0).contains("<dynamic_state>"));
    assert_eq!(compiled.said(2), "r");
}

#[tokio::test]
async fn implicit_context_goes_in_unescaped() {
    let body = json!({"messages": [user("u")], "implicit_context": "C<T>X"});
    let compiled = compile(&body).await;
    assert_eq!(compiled.said(0), "u\n\n<implicit_context>\nC<T>X\n</implicit_context>");
}

#[tokio::test]
async fn no_implicit_context_changes_nothing() {
    for nothing in [Value::Null, json!("")] {
        let body = json!({"messages": [user("u")], "implicit_context": nothing});
        assert_eq!(compile(&body).await.text, r#"{"messages":[{"content":"u","role":"user"}]}"#);
    }
}

#[tokio::test]
async fn state_in_a_system_message_takes_the_context_with_it() {
    let compiled = compile(&json!({
        "messages": [user("u")],
        "target": "neutral",
        "dynamic_state": {"a": 1},
        "dynamic_state_placement": "system",
        "implicit_context": "CTX",
    }))
    .await;
    assert_eq!(compiled.roles(), ["user", "system"]);
    assert_eq!(compiled.said(0), "u");
    let state = compiled.said(1);
    assert!(state.starts_with("CURRENT TASK STATE:\n<dynamic_state>"), "{state}");
    assert!(state.ends_with("\n<implicit_context>\nCTX\n</implicit_context>"), "{state}");
}

#[tokio::test]
async fn memory_alone_needs_no_anchor() {
    let compiled = compile(&json!({
        "messages": [user("u")],
        "target": "neutral",
        "dynamic_state": {"a": 1},
        "dynamic_state_placement": "system",
        "memory": {"entries": [{"key": "k", "value": "v"}], "placement": "last_user"},
    }))
    .await;
    assert_eq!(compiled.roles(), ["system", "user", "system"]);
    assert!(compiled.said(1).starts_with("u\n\n<memory>"));
    assert!(compiled.said(1).ends_with("</memory>"));
}

#[tokio::test]
async fn an_empty_memory_still_has_its_instruction() {
    let memory = json!({"entries": [], "placement": "last_user"});
    let compiled = compile(&json!({"messages": [user("u")], "memory": memory})).await;
    assert_eq!(compiled.roles(), ["system", "user"]);
    assert!(compiled.said(0).len() > 40);
    assert_eq!(compiled.said(1), "u");
}

#[tokio::test]
async fn memory_changes_only_the_message_that_it_is_placed_in() {
    let server = TestServer::spawn().await;
    let ask = |placement: &str, value: &str| {
        json!({
            "messages": [system("SYS"), user("u")],
            "target": "neutral",
            "memory": {"entries": [{"key": "lang", "value": value}], "placement": placement},
        })
    };
    let one = server.compile(&ask("system", "TypeScript")).await;
    let other = server.compile(&ask("system", "Python")).await;
    assert_eq!(one.list()[0], other.list()[0]);
    assert_ne!(one.list()[1], other.list()[1]);
    assert_eq!(one.list()[2], other.list()[2]);
    let one = server.compile(&ask("last_user", "TypeScript")).await;
    let other = server.compile(&ask("last_user", "Python")).await;
    assert_eq!(one.list()[..2], other.list()[..2]);
    assert_ne!(one.list()[2], other.list()[2]);
}

#[tokio::test]
async fn the_target_is_openai_unless_a_call_names_another() {
    let server = TestServer::spawn().await;
    let mut body = json!({"messages": [user("u")]});
    assert!(server.compile(&body).await.payload["messages"][0]["content"].is_string());
    body["target"] = json!("anthropic");
    assert!(server.compile(&body).await.payload["messages"][0]["content"].is_array());
    body["target"] = json!("gemini");
    assert!(server.compile(&body).await.payload["contents"].is_array());
}

#[tokio::test]
async fn a_model_whose_maker_has_an_api_of_its_own_says_which_shape_it_got() {
    let server = TestServer::spawn().await;
    for (model, target, is_told) in [
        ("claude-sonnet-4-5", None, true),
        ("gemini-2.5-pro", None, true),
        // A gateway's name, OpenAI's own models, and a request that says which shape it wants.
        ("anthropic/claude-sonnet-4-5", None, false),
        ("gpt-5.5", None, false),
        ("claude-sonnet-4-5", Some("openai"), false),
        ("claude-sonnet-4-5", Some("anthropic"), false),
    ] {
        let mut body = json!({"messages": [user("u")], "model": model});
        if let Some(target) = target {
            body["target"] = json!(target);
        }
        let compiled = server.compile(&body).await;
        let codes = compiled.codes("warnings");
        assert_eq!(codes.contains(&"target_assumed"), is_told, "{model} {target:?}: {codes:?}");
        assert_eq!(
            compiled.payload["messages"][0]["content"].is_string(),
            target != Some("anthropic")
        );
    }
}

#[tokio::test]
async fn an_unknown_target_is_refused_with_the_known_ones() {
    let server = TestServer::spawn().await;
    let answer = server.post("/compile", &json!({"messages": [user("u")], "target": "nope"})).await;
    let problem = problem(answer, 422, "invalid_request").await;
    assert_eq!(problem["errors"][0]["pointer"], "/target");
    let detail = problem["errors"][0]["detail"].as_str().expect("a detail");
    for target in ["openai", "openai_responses", "anthropic", "gemini", "neutral"] {
        assert!(detail.contains(target), "{detail}");
    }
}

#[tokio::test]
async fn a_custom_field_stays_where_it_may() {
    let server = TestServer::spawn().await;
    for (target, stays) in
        [("openai", true), ("neutral", true), ("anthropic", false), ("gemini", false)]
    {
        let message = json!({"role": "user", "content": "u", "zz": 1});
        let compiled = server.compile(&json!({"messages": [message], "target": target})).await;
        assert_eq!(compiled.text.contains(r#""zz":1"#), stays, "{target}");
        assert_eq!(compiled.codes("degraded").contains(&"extra_dropped"), !stays, "{target}");
    }
}

#[tokio::test]
async fn the_same_request_gives_the_same_bytes() {
    let server = TestServer::spawn().await;
    let body = json!({
        "messages": [system("S"), user("u"), calling("", &[("a", "f")]), result("a", "r")],
        "target": "anthropic",
        "dynamic_state": {"b": 1, "a": [true, null]},
    });
    assert_eq!(server.compile(&body).await.text, server.compile(&body).await.text);
}

#[tokio::test]
async fn the_tail_stays_on_the_last_user_message_which_no_summary_takes() {
    let messages = [
        user(&words("one", 1500)),
        assistant(&words("two", 1500)),
        user("the question"),
        assistant(&words("three", 1500)),
        assistant("d"),
    ];
    let compiled = compile(&json!({
        "messages": messages,
        "target": "neutral",
        "model": "bytes4",
        "budget": {"context_window": 5000},
        "compression": {"keep_recent_turns": 1},
        "dynamic_state": {"a": 1},
    }))
    .await;
    assert_eq!(compiled.roles(), ["user", "user", "assistant", "assistant"]);
    assert!(compiled.said(0).starts_with("<history_summary>"));
    assert!(compiled.said(0).ends_with("</history_summary>"));
    assert!(compiled.said(1).starts_with("the question\n\n<dynamic_state>"));
    assert_eq!(compiled.said(3), "d");
}

#[tokio::test]
async fn a_genuine_last_answer_is_no_prefill() {
    let body = json!({"messages": [user("u"), assistant("done")], "target": "openai"});
    let compiled = compile(&body).await;
    assert_eq!(compiled.roles(), ["user", "assistant"]);
    assert_eq!(compiled.said(1), "done");
    assert_eq!(compiled.report["degraded"], json!([]));
}
