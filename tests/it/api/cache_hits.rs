//! Each payload of a conversation finds what the payload before it has put into the provider's cache.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{assistant, calling, result, system, user, with, words};
use crate::support::prompt_cache::PromptCache;
use crate::support::valid::check;

const NEW: &str = "gpt-6-sol";

/// A text of more tokens than any model wants before it caches.
fn long(name: &str) -> String {
    words(name, 6_000)
}

/// Compiles every start of a conversation that is followed by an answer, and sends it; how many of them
/// found what the one before had written.
async fn hits(target: &str, model: &str, messages: &[Value], more: &Value) -> usize {
    let server = TestServer::spawn().await;
    let mut cache = PromptCache::default();
    let (mut before, mut found) = (0, 0);
    for end in 1..=messages.len() {
        if messages.get(end).is_some_and(|next| next["role"] != "assistant") {
            continue;
        }
        let own = json!({"messages": messages[..end], "target": target, "model": model,
            "cache": {"ttl": "5m"}});
        let compiled = server.compile(&with(own, more)).await;
        check(target, &compiled.payload).unwrap_or_else(|rule| panic!("{rule}: {}", compiled.text));
        let used = cache.send(&compiled.payload);
        assert!(used.marks <= 4, "{target}: {used:?}");
        assert!(used.read >= before, "{target} at {end}: {used:?}, {before} were written");
        found += usize::from(used.read > 0);
        before = used.written;
    }
    found
}

/// Rounds of a question, a turn with so many calls, and an answer.
fn rounds(calls: usize) -> Vec<Value> {
    let mut list = vec![system(&long("s"))];
    for round in 0..4 {
        list.push(user(&format!("question {round}")));
        let ids: Vec<String> = (0..calls).map(|at| format!("c{round}_{at}")).collect();
        let made: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "f")).collect();
        list.push(calling("I look.", &made));
        list.extend(ids.iter().map(|id| result(id, &format!("result {id}"))));
        list.push(assistant(&format!("answer {round}")));
    }
    list.push(user("last"));
    list
}

#[tokio::test]
async fn each_payload_finds_what_the_one_before_has_written() {
    let targets = [("openai", NEW), ("openai_responses", NEW), ("anthropic", "claude-opus-5")];
    for (target, model) in targets {
        for calls in [1, 3, 24] {
            assert_eq!(hits(target, model, &rounds(calls), &json!({})).await, 8);
        }
        // With state at the last message of the user's, which is no longer there in the next round.
        let state = json!({"dynamic_state": {"branch": "main"}});
        // Where system text can have no mark, the first round has nothing else to mark.
        let first = if target == "openai_responses" { 2 } else { 0 };
        assert_eq!(hits(target, model, &rounds(24), &state).await, 8 - first, "{target}");
    }
}
