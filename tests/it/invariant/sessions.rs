//! Recorded sessions turn by turn: in a session on a server that is killed in the middle, in one that
//! is not, and without any.

use std::path::Path;

use serde_json::{Value, json};

use super::growth::recorded;
use crate::support::compile::{Compiled, compile_in, services};
use crate::support::{Folder, ServerProcess, prerequisite};

/// Tokens of the window.
const WINDOW: u64 = 16_384;
/// Messages that remain where old ones are merely cut off.
const LAST: usize = 40;

/// How much of what was sent stood at the beginning of what was sent before.
#[derive(Default)]
struct Share {
    bytes: usize,
    cached: usize,
    before: Option<String>,
}

impl Share {
    fn sent(&mut self, text: &str) {
        if let Some(before) = &self.before {
            let common = before.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
            self.cached += common;
            self.bytes += text.len();
        }
        self.before = Some(text.to_owned());
    }

    fn percent(&self) -> f64 {
        // Far below the precision of a float.
        #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
        let (cached, bytes) = (self.cached as f64, self.bytes.max(1) as f64);
        100.0 * cached / bytes
    }
}

fn options() -> Value {
    json!({"target": "openai", "model": "gpt-4o", "budget": {"context_window": WINDOW}})
}

/// The system text and the newest messages, cut where a turn begins.
fn last(messages: &[Value]) -> String {
    let from = messages.len().saturating_sub(LAST);
    let from = (from..messages.len()).find(|at| messages[*at]["role"] != "tool").unwrap_or(from);
    let head = messages.iter().take_while(|message| message["role"] == "system").count();
    let kept: Vec<&Value> =
        messages[..head.min(from)].iter().chain(&messages[from.max(head.min(from))..]).collect();
    serde_json::to_string(&kept).expect("JSON")
}

async fn turn(process: &ServerProcess, id: &str, append: &[Value]) -> Compiled {
    let mut body = options();
    body["append"] = json!(append);
    let url = format!("http://{}/sessions/{id}/turns", process.address);
    let request = reqwest::Client::new().post(url).header("contexture-deadline-ms", "60000");
    let answer = request.json(&body).send().await.expect("an answer");
    let status = answer.status();
    let text = answer.text().await.expect("a body");
    assert_eq!(status, 200, "{text}");
    Compiled::read(&text)
}

/// Plays sessions; gives the shares of session mode, of stateless mode, of cutting off, and how
/// many payloads could not fit.
async fn play(sessions: &[Vec<Value>]) -> ([Share; 3], usize, usize) {
    let folder = Folder::new();
    let url = folder.url();
    let flags = ["--database-url", url.as_str()];
    let mut process = ServerProcess::start(&flags);
    let kept = services();
    let mut shares: [Share; 3] = Default::default();
    let (mut compiles, mut unsendable) = (0, 0);
    for (number, messages) in sessions.iter().enumerate() {
        let id = format!("recorded-{number}");
        let asks = |end: &usize| messages.get(*end).is_none_or(|next| next["role"] == "assistant");
        let ends: Vec<usize> = (1..=messages.len()).filter(asks).collect();
        for share in &mut shares {
            share.before = None;
        }
        let mut sent = 0;
        for (at, end) in ends.iter().enumerate() {
            if at == ends.len() / 2 {
                process.signal("KILL");
                process.exit().await;
                process = ServerProcess::start(&flags);
            }
            let found = turn(&process, &id, &messages[sent..*end]).await;
            sent = *end;
            let mut body = options();
            body["messages"] = json!(messages[..*end]);
            let alone = compile_in(&kept, &body).expect("an answer");
            body["session_id"] = json!(id);
            let whole = compile_in(&kept, &body).expect("an answer");
            assert_eq!(found.text, whole.text, "session {number}, after {end} messages");
            assert_eq!(found.text, alone.text, "session {number}, after {end} messages");
            assert_eq!(found.report["cache"], whole.report["cache"], "session {number}, {end}");
            compiles += 1;
            if found.report["fits"] != true {
                let culprit = &found.report["too_big"][0];
                assert_eq!(culprit["part"], "message", "{}", found.report);
                unsendable += 1;
            }
            shares[0].sent(&found.text);
            shares[1].sent(&alone.text);
            shares[2].sent(&last(&messages[..*end]));
        }
    }
    (shares, compiles, unsendable)
}

fn tell(([session, stateless, last], compiles, unsendable): &([Share; 3], usize, usize)) {
    eprintln!(
        "{compiles} turns at {WINDOW} tokens, killed in the middle of each session, {unsendable} \
         unsendable: cache share {:.1} % in sessions, {:.1} % stateless, {:.1} % with the last \
         {LAST} messages",
        session.percent(),
        stateless.percent(),
        last.percent()
    );
}

#[tokio::test]
async fn a_session_on_a_server_that_is_killed_is_as_if_it_were_not() {
    let message = |at: usize| match at % 4 {
        0 => json!({"role": "user", "content": format!("Round {at}: what does this file do?")}),
        1 => json!({"role": "assistant", "content": null, "tool_calls": [{"id": format!("c{at}"),
            "type": "function", "function": {"name": "read_file", "arguments": "{}"}}]}),
        2 => json!({"role": "tool", "tool_call_id": format!("c{}", at - 1),
            "content": format!("line {at} of the file\n").repeat(400)}),
        _ => json!({"role": "assistant", "content": format!("It adds up numbers, {at} of them.")}),
    };
    let played = play(&[(0..60).map(message).collect()]).await;
    tell(&played);
    assert!(played.0[0].percent() >= 80.0);
}

#[tokio::test]
async fn recorded_sessions_go_on_after_a_kill_as_without_one() {
    let Some(folder) = prerequisite::variable("corpus") else { return };
    let played = play(&recorded(Path::new(&folder))).await;
    tell(&played);
    assert!(played.0[0].percent() >= 85.0);
}
