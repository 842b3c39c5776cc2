//! What stands last in a list, lists without messages, and system messages in the middle.

use serde_json::{Value, json};

use super::valid;
use crate::support::compile::{assistant, compile, system, user};
use crate::support::{Folder, TestServer};

const ENDING: &str = "[Conversation continues]";

#[tokio::test]
async fn the_user_s_message_is_last_for_models_that_refuse_another_end() {
    let messages = json!([user("q"), assistant("a")]);
    let hoisted = json!([user("q"), assistant("a"), {"role": "developer", "content": "Go on."}]);
    for (model, messages, is_added) in [
        ("claude-opus-4-6", &messages, true),
        ("claude-opus-4-6", &hoisted, true),
        ("claude-sonnet-5", &hoisted, true),
        ("claude-sonnet-4-5", &messages, false),
        ("claude-sonnet-4-5", &hoisted, false),
    ] {
        let compiled = valid("anthropic", json!({"messages": messages, "model": model})).await;
        let last = compiled.list().len() - 1;
        assert_eq!(compiled.said(last) == ENDING, is_added, "{model}");
        assert_eq!(compiled.codes("repairs").contains(&"ending_added"), is_added);
    }
    for target in ["openai", "openai_responses", "gemini"] {
        let compiled = compile(&json!({"messages": messages, "target": target})).await;
        assert!(compiled.codes("repairs").is_empty(), "{target}");
    }
}

#[tokio::test]
async fn a_server_tool_that_still_works_is_continued() {
    let messages = json!([user("q"), {"role": "assistant", "content": [
        {"type": "text", "text": "I look."},
        {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search", "input": {}}]}]);
    let request = json!({"messages": messages, "model": "claude-opus-5", "target": "anthropic"});
    let compiled = compile(&request).await;
    assert_eq!(compiled.roles(), ["user", "assistant"]);
    assert!(compiled.codes("repairs").is_empty());
}

#[tokio::test]
async fn no_list_is_sent_empty() {
    let only_system = json!({"messages": [system("Say hello.")]});
    for (target, request, said) in [
        ("openai_responses", only_system.clone(), ENDING),
        ("anthropic", only_system.clone(), ENDING),
        ("gemini", only_system.clone(), ENDING),
        ("openai", only_system, "Say hello."),
        ("openai", json!({"messages": [], "session_id": "s"}), ENDING),
        ("openai_responses", json!({"input": [], "session_id": "s"}), ENDING),
        ("anthropic", json!({"messages": [], "session_id": "s"}), ENDING),
        ("gemini", json!({"contents": [], "session_id": "s"}), ENDING),
    ] {
        let compiled = valid(target, request).await;
        assert_eq!((compiled.list().len(), compiled.said(0)), (1, said.to_owned()), "{target}");
        let is_added = said == ENDING;
        assert_eq!(compiled.codes("repairs").contains(&"opening_added"), is_added, "{target}");
    }
}

fn used_tool() -> [Value; 3] {
    [
        user("q"),
        json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "f", "input": {}}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": "r"}]}),
    ]
}

#[tokio::test]
async fn system_messages_stay_in_their_place_for_models_that_take_them() {
    let mut messages = used_tool().to_vec();
    messages.extend([
        system("Plan only."),
        system("Be brief."),
        assistant("Done."),
        user("next"),
        system("Act."),
    ]);
    let request = json!({"messages": messages, "system": "S", "model": "claude-opus-5"});
    let compiled = valid("anthropic", request.clone()).await;
    assert_eq!(
        compiled.roles(),
        ["user", "assistant", "user", "system", "assistant", "user", "system"]
    );
    assert_eq!(compiled.said(3), "Plan only.\n\nBe brief.");
    assert_eq!(compiled.payload["system"], json!([{"type": "text", "text": "S"}]));
    assert!(compiled.codes("degraded").is_empty());
    // Elsewhere they are hoisted, as before.
    let mut older = request;
    older["model"] = json!("claude-sonnet-4-6");
    let compiled = valid("anthropic", older).await;
    assert_eq!(compiled.roles(), ["user", "assistant", "user", "assistant", "user"]);
    assert_eq!(compiled.codes("degraded"), ["system_hoisted"; 3]);
}

#[tokio::test]
async fn a_system_message_in_a_place_that_is_refused_is_hoisted() {
    let messages = json!([
        user("q"),
        system("before the user"),
        user("r"),
        assistant("a"),
        system("behind the answer"),
        user("s")
    ]);
    let compiled =
        valid("anthropic", json!({"messages": messages, "model": "claude-opus-4-8"})).await;
    assert_eq!(compiled.roles(), ["user", "assistant", "user"]);
    assert_eq!(compiled.codes("degraded"), ["system_hoisted"; 2]);
    assert_eq!(compiled.payload["system"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn changes_of_tools_stay_in_system_messages_alone() {
    let mut messages = used_tool().to_vec();
    let change = json!({"type": "tool_removal", "tool": {"type": "tool_reference", "name": "f"}});
    messages
        .push(json!({"role": "system", "content": [{"type": "text", "text": "No more."}, change]}));
    let request = json!({"messages": messages, "model": "claude-opus-5", "target": "anthropic"});
    let compiled = compile(&request).await;
    assert_eq!(compiled.list()[3]["content"][1], change);
    // The message stays in place, but the model takes no changes of tools in it.
    let folder = Folder::new();
    let file = folder.file("models.json");
    let row = json!([{"name": "claude-own", "family": "anthropic", "context_window": 9_000,
        "max_output": 500, "system_messages": true}]);
    std::fs::write(&file, row.to_string()).unwrap();
    let server = TestServer::with(&["--models-file", &file]).await;
    let other = json!({"messages": messages, "model": "claude-own", "target": "anthropic"});
    let compiled = server.compile(&other).await;
    assert_eq!(compiled.roles(), ["user", "assistant", "user", "system"]);
    assert_eq!(compiled.codes("degraded"), ["opaque_dropped"]);
    let older = json!({"messages": messages, "model": "claude-sonnet-4-5", "target": "anthropic"});
    let compiled = compile(&older).await;
    assert!(!compiled.text.contains("tool_removal"));
    assert_eq!(compiled.codes("degraded"), ["system_hoisted", "opaque_dropped"]);
}

#[tokio::test]
async fn system_messages_keep_their_place_while_the_history_shrinks() {
    let words = "lorem ipsum dolor sit amet ".repeat(60);
    let mut messages = Vec::new();
    for turn in 0..30 {
        messages.push(user(&format!("{turn} {words}")));
        if turn % 5 == 0 {
            messages.push(system(&format!("mode {turn}")));
        }
        messages.push(assistant(&format!("{turn} {words}")));
    }
    messages.push(user("last"));
    for window in [1_000, 2_000, 4_000, 8_000, 16_000] {
        let request = json!({"messages": messages, "model": "claude-opus-5",
            "budget": {"context_window": window}});
        let compiled = valid("anthropic", request).await;
        assert!(compiled.text.contains("mode 25"), "{window}");
    }
}

/// The end of a message that begins with the provider's own compaction is summarised: the note for it
/// stands behind the compaction.
#[tokio::test]
async fn a_note_behind_a_provider_s_compaction_is_told_of_as_one() {
    let say = |blocks: Value| json!({"role": "assistant", "content": blocks});
    let text = |text: &str| json!({"type": "text", "text": text});
    let image = json!({"type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": super::PNG}});
    let mut messages = vec![
        json!({"role": "user", "content": "The first task"}),
        say(json!([{"type": "compaction", "content": "The user wants a report."}, text("Yes")])),
        say(json!([text(&"some words to read ".repeat(20))])),
    ];
    let request = |messages: &[Value], previous: Value| {
        json!({"source": "anthropic", "messages": messages, "cache": {"previous": previous},
            "budget": {"context_window": 300, "reserve_output": 0}})
    };
    let before = valid("anthropic", request(&messages, Value::Null)).await;
    messages.extend([
        json!({"role": "user", "content": "Look at it"}),
        say(json!([{"type": "tool_use", "id": "t", "name": "look", "input": {}}])),
        json!({"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "content": [image]}]}),
        json!({"role": "user", "content": "And now?"}),
    ]);
    let done = valid("anthropic", request(&messages, before.payload)).await;
    assert!(done.text.contains("history_summary"), "{}", done.text);
    let why = done.report["cache"]["first_change"]["why"].as_str().unwrap_or_default();
    assert!(["compaction", "squeeze"].contains(&why), "{why}: {}", done.text);
}
