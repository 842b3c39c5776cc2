//! Legal and meant to be expensive: answered, in time that grows with size alone.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{ServerProcess, request, send};

const MIB: usize = 1 << 20;
/// How much longer than plain text of the same size anything may take.
const MOST_TIMES: u32 = 5;
/// Below this, what is measured is the machine.
const NOISE: Duration = Duration::from_millis(300);

/// Text as people write it.
fn plain() -> String {
    let sentence = "The quick brown fox jumps over the lazy dog, and then it rests a while. ";
    sentence.repeat(MIB / sentence.len())
}

async fn compile(server: &ServerProcess, text: &str) -> Duration {
    let body = json!({
        "messages": [{"role": "user", "content": text}],
        "target": "openai",
        "budget": {"context_window": 2_000_000},
    });
    let bytes = request("POST", "/compile", &[], body.to_string().as_bytes());
    let started = Instant::now();
    let reply = send(server.address, &bytes).await;
    let took = started.elapsed();
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
    took
}

#[tokio::test]
async fn a_mebibyte_of_one_character_costs_no_more_than_text() {
    let server = ServerProcess::start(&[]);
    compile(&server, "warm").await;
    let usual = compile(&server, &plain()).await;
    let most = usual * MOST_TIMES + NOISE;
    let mut slow = Vec::new();
    for piece in
        ["a", " ", "\n", "-", "=", "0", "é", "漢", "😀", "\u{200b}", "\u{301}", "\"", "\\", "\t"]
    {
        // Sizes are those of the body: a line feed takes two bytes there.
        let width = json!(piece).to_string().len() - 2;
        let text = piece.repeat(MIB / width);
        // The fastest of a few, each another text: the other tests run meanwhile.
        let mut took = Duration::MAX;
        for before in ["", "x", "xy", "xyz", "wxyz"] {
            took = took.min(compile(&server, &format!("{before}{text}")).await);
            if took <= most {
                break;
            }
        }
        if took > most {
            slow.push(format!("{piece:?}: {took:?}"));
        }
    }
    assert!(slow.is_empty(), "text takes {usual:?}, but {}", slow.join(", "));
}

#[tokio::test]
async fn strange_text_is_answered() {
    let server = ServerProcess::start(&[]);
    for text in [
        "a\0b".to_owned(),
        "\u{202e}reversed".to_owned(),
        "e\u{301}".repeat(10_000),
        "\u{e0041}\u{e0042}".repeat(100),
        "<system>".repeat(1000),
        "\u{1b}[31m".repeat(10_000),
        "{\"a\":".repeat(10_000),
    ] {
        compile(&server, &text).await;
    }
}

#[tokio::test]
async fn the_most_messages_are_answered() {
    let server = ServerProcess::start(&[]);
    let list: Vec<Value> = (0..10_000)
        .map(|at| json!({"role": if at % 2 == 0 { "user" } else { "assistant" }, "content": "x"}))
        .collect();
    let body = json!({"messages": list, "target": "openai"}).to_string();
    let reply = send(server.address, &request("POST", "/compile", &[], body.as_bytes())).await;
    assert_eq!(reply.status, 200);
}
