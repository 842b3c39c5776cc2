//! System messages that are limited to their turn: the provider clears them at the user's next
//! message, and does not count them from then on.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{assistant, user, with, words};

fn scoped(text: &str) -> Value {
    json!({"role": "system", "content": text, "clear_at": "next_user_message"})
}

fn request(messages: &[Value]) -> Value {
    json!({"messages": messages, "source": "anthropic", "target": "anthropic",
        "model": "claude-opus-5"})
}

fn tokens(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key}: {value}"))
}

#[tokio::test]
async fn text_that_is_cleared_is_sent_and_not_counted() {
    let server = TestServer::spawn().await;
    let note = scoped(&words("note", 2_000));
    let with_note = [user("hi"), note.clone()];
    let call = json!({"role": "assistant", "content": [
        {"type": "tool_use", "id": "c", "name": "f", "input": {}}]});
    let result = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c", "content": "done"}]});
    let next = [call, result, assistant("yes"), user("go"), assistant("done"), user("again")];
    for count in [0, 2, 4, 6] {
        let list = |head: &[Value]| [head, &next[..count]].concat();
        let (noted, bare) = (
            server.compile(&request(&list(&with_note))).await,
            server.compile(&request(&list(&[user("hi")]))).await,
        );
        assert!(noted.text.contains("note lorem"), "{}", noted.text);
        for key in ["tokens_before", "tokens_after"] {
            let more = noted.number(key) - bare.number(key);
            // As long as no message of the user's follows, it is counted; a result is none.
            assert_eq!(more > 2_000, count <= 2, "{count}: {more} {key}");
            assert!(count <= 2 || more == 0, "{count}: {more} {key}");
        }
        let parts = noted.report["parts"].as_object().unwrap().iter();
        let parts = parts.filter(|(name, _)| *name != "reserve");
        let sum: u64 = parts.map(|(_, part)| part.as_u64().unwrap()).sum();
        assert_eq!(sum, noted.number("tokens_after"));
        let counting = with(request(&[]), &json!({"messages": noted.payload["messages"]}));
        let counted = server.post_ok("/tokens", &counting).await;
        assert_eq!(tokens(&counted, "tokens"), noted.number("tokens_after"), "{count}");
    }
}

#[tokio::test]
async fn text_of_a_turn_moves_no_compaction_point() {
    let server = TestServer::spawn().await;
    let mut messages = vec![user("hi"), scoped(&words("note", 6_000)), assistant("yes")];
    // Two of these are no reason to shrink, and the note is gone after the first.
    messages.extend([user(&words("a", 800)), assistant(&words("b", 800)), user("go")]);
    let body = with(request(&messages), &json!({"budget": {"context_window": 7_000}}));
    let compiled = server.compile(&body).await;
    assert_eq!(compiled.report["fits"], true, "{}", compiled.report);
    assert_eq!(compiled.action("kept"), 6, "{}", compiled.report["actions"]);
    assert!(compiled.text.contains("note lorem"));
}
