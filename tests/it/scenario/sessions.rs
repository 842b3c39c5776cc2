//! Scenarios of sessions: what a provider's usage does (J07, J10, J11, J14).
//!
//! `bytes4` has no framing: a message of `words(_, 1000)` takes 1,000 tokens and stands for the
//! scenarios' message of 10, so every window is a hundred times theirs.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::{Compiled, assistant, user, words};

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
    let server = TestServer::spawn().await;
    let list = five(10_000);
    compile(&server, 200_000, &list, None).await;
    let whole = compile(&server, 200_000, &list, Some(100_000)).await;
    assert_eq!(names(&whole), ["m1", "m2", "m3", "m4", "m5"]);
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
    let shrunk = compile(&server, 10_000, &list, Some(6000)).await;
    assert!(names(&shrunk).len() < 5 && shrunk.action("summarized") > 0, "{:?}", names(&shrunk));
    assert_eq!(shrunk.report["cache"]["first_change"]["why"], "compaction");
    // Within it by our count: no point, and for what the provider counts a squeeze.
    let server = TestServer::spawn().await;
    let list = five(1000);
    compile(&server, 10_000, &list, None).await;
    let squeezed = compile(&server, 10_000, &list, Some(99_900)).await;
    assert_eq!(squeezed.report["cache"]["first_change"]["why"], "squeeze");
}

#[tokio::test]
async fn usage_above_the_window_is_heeded_where_our_count_is_well_within_it() {
    let server = TestServer::spawn().await;
    let list = five(1000);
    compile(&server, 10_000, &list, None).await;
    let shrunk = compile(&server, 10_000, &list, Some(15_000)).await;
    assert!(shrunk.action("summarized") + shrunk.action("dropped") > 0, "{}", shrunk.report);
    assert!(shrunk.number("tokens_after") <= 10_000 && shrunk.report["fits"] == true);
    // Where nothing can be done about it, that is said.
    let one = [user(&words("m1", 1000))];
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
    // A report that fits ends it.
    let raw = shrunk.number("tokens_after") * 5000 / 7500;
    let whole = compile(&server, 5000, &list, Some(raw)).await;
    assert_eq!(names(&whole), ["m1", "m2", "m3", "m4", "m5"]);
}
