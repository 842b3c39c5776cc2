//! Recorded sessions with signed thinking in each answer, against a provider that refuses thinking if
//! anything before it has changed.
//!
//! State changes with every turn, and memory with every fifth. `CONTEXTURE_CORPUS_WHOLE` plays all
//! sessions at all windows, instead of a share that is fast enough for each change.

use std::path::Path;

use serde_json::{Value, json};

use super::growth::recorded;
use crate::support::binding::{BindingProvider, ThinkingCount};
use crate::support::{TestServer, prerequisite};

/// Windows in tokens: the model's own, in which nothing is compacted, and smaller ones.
const WINDOWS: [u64; 4] = [1_000_000, 16_384, 128_000, 32_768];
/// The windows of the share.
const SHARE_WINDOWS: usize = 2;
/// One of so many sessions is in the share.
const SHARE_STEP: usize = 26;
/// The first session of the share: none of the two longest.
const SHARE_START: usize = 3;

/// A model that binds its thinking.
const BINDING_MODEL: &str = "claude-fable-5-1";
/// A model that does not, so that state is at the end of the last message of the user only.
const OTHER_MODEL: &str = "claude-opus-5";

/// The share by which a report may differ from `POST /tokens`, in thousandths: messages that are blocks
/// of one message in the payload have the framing of messages.
const MAX_COUNT_ERROR_MILLI: u64 = 12;

/// How a conversation is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// By turns of a session, which remembers what was sent.
    Session,
    /// With all messages in each request, by which nothing is remembered.
    Stateless,
}

/// Figures of all payloads.
#[derive(Debug, Default, Clone, Copy)]
struct Figures {
    payloads: usize,
    thinking: ThinkingCount,
    /// Blocks that were left out of messages that were sent.
    left_out: usize,
    /// Blocks of messages that were not sent.
    gone: usize,
    /// Payloads that the provider refuses.
    refused_payloads: usize,
    /// The largest share by which a report differs from `POST /tokens`, in thousandths.
    count_error_milli: u64,
}

/// The sessions and windows of this run.
struct Plan {
    sessions: Vec<Vec<Value>>,
    windows: &'static [u64],
}

fn plan() -> Option<Plan> {
    let folder = prerequisite::variable("corpus")?;
    let sessions = recorded(Path::new(&folder));
    if std::env::var_os("CONTEXTURE_CORPUS_WHOLE").is_some() {
        return Some(Plan { sessions, windows: &WINDOWS });
    }
    let start = SHARE_START.min(sessions.len() - 1);
    let sessions = sessions.into_iter().skip(start).step_by(SHARE_STEP).collect();
    Some(Plan { sessions, windows: &WINDOWS[..SHARE_WINDOWS] })
}

/// The blocks of a recorded answer.
fn answer_blocks(message: &Value) -> Vec<Value> {
    let text = message["content"].as_str().unwrap_or_default();
    let mut blocks = Vec::new();
    if !text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": text}));
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let function = &call["function"];
        let arguments = function["arguments"].as_str().unwrap_or_default();
        let input: Value = serde_json::from_str(arguments).unwrap_or_default();
        let input = if input.is_object() { input } else { json!({"arguments": arguments}) };
        blocks.push(json!({"type": "tool_use", "id": call["id"], "name": function["name"],
            "input": input}));
    }
    blocks
}

/// A recorded message of the user or of a tool.
fn asked(message: &Value) -> Value {
    if message["role"] == "tool" {
        return json!({"role": "user", "content": [{"type": "tool_result",
            "tool_use_id": message["tool_call_id"], "content": message["content"]}]});
    }
    json!({"role": "user", "content": message["content"]})
}

/// One conversation with the provider.
struct Play<'p> {
    server: &'p TestServer,
    mode: Mode,
    model: &'static str,
    window: u64,
    id: String,
    system: String,
    provider: BindingProvider,
    /// Thinking blocks so far.
    made: usize,
    /// Messages so far, and how many of them the session has.
    messages: Vec<Value>,
    stored: usize,
}

impl Play<'_> {
    async fn compile(&mut self, round: usize) -> Value {
        if round % 5 == 2 {
            let key = format!("fact-{}", round % 3);
            let value = format!("Step {round} is done.");
            self.server.remember_in(&self.id, &key, &value).await;
        }
        let mut body = json!({"source": "anthropic", "target": "anthropic", "model": self.model,
            "budget": {"context_window": self.window}, "memory": true,
            "dynamic_state": {"step": round, "open": ["review", format!("task {}", round % 4)]}});
        if !self.system.is_empty() {
            body["system"] = json!(self.system);
        }
        if self.mode == Mode::Stateless {
            body["messages"] = json!(self.messages);
            return self.server.post_ok("/compile", &body).await;
        }
        body["append"] = json!(self.messages[self.stored..]);
        self.stored = self.messages.len();
        self.server.post_ok(&format!("/sessions/{}/turns", self.id), &body).await
    }

    /// Sends the messages so far, checks the payload as the provider does, and returns the thinking of
    /// its answer.
    async fn ask(&mut self, round: usize, figures: &mut Figures) -> Value {
        let compiled = self.compile(round).await;
        let (payload, report) = (&compiled["payload"], &compiled["report"]);
        let count = self.provider.check(payload);
        let left_out = left_out(report);
        figures.payloads += 1;
        figures.thinking.valid += count.valid;
        figures.thinking.refused += count.refused;
        figures.refused_payloads += usize::from(count.refused > 0);
        figures.left_out += left_out;
        figures.gone += self.made - count.valid - count.refused - left_out;
        let counted = self.server.post_ok("/tokens", &counting(payload, self.model)).await;
        let counted = counted["tokens"].as_u64().expect("a number");
        let reported = report["tokens_after"].as_u64().expect("a number");
        let error = counted.abs_diff(reported) * 1_000 / counted;
        figures.count_error_milli = figures.count_error_milli.max(error);
        self.made += 1;
        self.provider.think(payload, &format!("Step {round} needs a look at what came before."))
    }
}

/// The request that counts a payload.
fn counting(payload: &Value, model: &str) -> Value {
    let mut body = json!({"source": "anthropic", "target": "anthropic", "model": model});
    for key in ["system", "messages", "tools"] {
        if let Some(value) = payload.get(key) {
            body[key] = value.clone();
        }
    }
    body
}

/// The number of blocks that the warning `thinking_unbound` names.
fn left_out(report: &Value) -> usize {
    let warnings = report["warnings"].as_array().expect("a list");
    let detail = warnings.iter().find(|own| own["code"] == "thinking_unbound");
    let Some(detail) = detail.map(|own| own["detail"].as_str().expect("a text")) else { return 0 };
    let number = detail.split_once(": ").and_then(|(_, rest)| rest.split_once(';'));
    number.expect("a number").0.parse().expect("a number")
}

/// Plays sessions turn by turn: each answer that is recorded gets thinking for the payload before it.
async fn play(sessions: &[Vec<Value>], model: &'static str, window: u64, mode: Mode) -> Figures {
    let server = TestServer::spawn().await;
    let mut figures = Figures::default();
    for (number, recording) in sessions.iter().enumerate() {
        let is_system = |message: &&Value| message["role"] == "system";
        let head: Vec<&Value> = recording.iter().take_while(is_system).collect();
        let system: Vec<&str> = head.iter().filter_map(|own| own["content"].as_str()).collect();
        let mut play = Play {
            server: &server,
            mode,
            model,
            window,
            id: format!("s{number}"),
            system: system.join("\n\n"),
            provider: BindingProvider::default(),
            made: 0,
            messages: Vec::new(),
            stored: 0,
        };
        let is_answer = |message: &Value| message["role"] == "assistant";
        // Two recorded messages of the model in a row are one answer.
        let runs = recording[head.len()..].chunk_by(|one, next| is_answer(one) && is_answer(next));
        let mut round = 0;
        for run in runs {
            if !is_answer(&run[0]) {
                play.messages.extend(run.iter().map(asked));
                continue;
            }
            let mut blocks = vec![play.ask(round, &mut figures).await];
            blocks.extend(run.iter().flat_map(answer_blocks));
            play.messages.push(json!({"role": "assistant", "content": blocks}));
            round += 1;
        }
    }
    eprintln!("{model}, {mode:?}, {window} tokens, {} sessions: {figures:?}", sessions.len());
    figures
}

#[tokio::test]
async fn recorded_sessions_send_no_thinking_that_its_provider_refuses() {
    let Some(plan) = plan() else { return };
    for window in plan.windows {
        let figures = play(&plan.sessions, BINDING_MODEL, *window, Mode::Session).await;
        assert_eq!(figures.thinking.refused, 0, "at {window} tokens: {figures:?}");
        assert!(figures.thinking.valid > 0, "at {window} tokens: {figures:?}");
        if *window == WINDOWS[0] {
            assert_eq!(figures.left_out + figures.gone, 0, "{figures:?}");
        }
        let error = figures.count_error_milli;
        assert!(error <= MAX_COUNT_ERROR_MILLI, "at {window} tokens: {figures:?}");
    }
}

#[tokio::test]
async fn recorded_sessions_lose_all_thinking_if_blocks_do_not_stay() {
    let Some(plan) = plan() else { return };
    let moved = play(&plan.sessions, OTHER_MODEL, WINDOWS[0], Mode::Session).await;
    assert_eq!(moved.thinking.valid, 0, "{moved:?}");
    // Every payload but the first of a session.
    assert_eq!(moved.refused_payloads, moved.payloads - plan.sessions.len(), "{moved:?}");
    let forgotten = play(&plan.sessions, BINDING_MODEL, WINDOWS[0], Mode::Stateless).await;
    assert_eq!(forgotten.thinking, ThinkingCount::default(), "{forgotten:?}");
    assert_eq!(forgotten.left_out, moved.thinking.refused, "{forgotten:?}");
}
