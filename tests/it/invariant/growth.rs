//! A conversation that grows: the same bytes on every node, and most of them unchanged from
//! one compile to the next.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::cases;
use crate::support::compile::{
    Compiled, assistant, calling_with, compile_in, result, services, system, user, words,
};
use crate::support::generate::{TARGETS, plan};
use crate::support::prerequisite;

/// Tokens of the window that a growing session is held in.
const WINDOW: u64 = 16_384;

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn every_start_of_a_conversation_compiles_alike_on_any_node(
        plan in plan(14),
        window in 80u64..800,
        target in prop::sample::select(TARGETS.to_vec()),
        exact in any::<bool>(),
    ) {
        let mut body = plan.request("openai", target);
        body["budget"] = json!({"context_window": window});
        if exact {
            body["model"] = json!("bytes4");
        }
        let list = body["messages"].as_array().expect("a list").clone();
        let shared = services();
        for end in 1..=list.len() {
            body["messages"] = json!(list[..end]);
            let mut in_session = body.clone();
            in_session["session_id"] = json!("s");
            let known = compile_in(&shared, &in_session).expect("an answer");
            let fresh = compile_in(&services(), &body).expect("an answer");
            prop_assert_eq!(&known.text, &fresh.text, "after {} messages", end);
            // Between two points what was sent keeps its bytes. A call that was not answered
            // yet had a placeholder, which its result takes the place of.
            let change = &known.report["cache"]["first_change"];
            let open = list[end - 1]["role"] == "tool";
            // Before there was a message, the target may have been given one in its place.
            let system = ["system", "developer"].map(|role| json!(role));
            let begins = list[..end - 1].iter().all(|message| system.contains(&message["role"]));
            prop_assert!(
                change.is_null()
                    || change["why"] == "compaction"
                    || change["why"] == "squeeze"
                    || ((open || begins) && change["why"] == "message_edited"),
                "after {end} messages: {change}\n{body}"
            );
        }
    }
}

/// What a session came to.
#[derive(Default)]
struct Share {
    compiles: usize,
    /// Compiles whose last user message alone is more than the window.
    unsendable: usize,
    bytes: usize,
    cached: usize,
}

impl Share {
    fn percent(&self) -> f64 {
        // Far below the precision of a float.
        #[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
        let (cached, bytes) = (self.cached as f64, self.bytes.max(1) as f64);
        100.0 * cached / bytes
    }
}

/// Compiles a session once before every assistant message, as an agent would.
fn grow(messages: &[Value], target: &str, share: &mut Share) {
    let services = services();
    let mut before: Option<Compiled> = None;
    for end in 1..=messages.len() {
        let asks = messages.get(end).is_none_or(|next| next["role"] == "assistant");
        if !asks {
            continue;
        }
        let body = json!({
            "messages": messages[..end],
            "target": target,
            "model": "gpt-4o",
            "budget": {"context_window": WINDOW},
        });
        let compiled = compile_in(&services, &body).expect("an answer");
        if compiled.report["fits"] != true {
            let culprit = &compiled.report["too_big"][0];
            assert_eq!(culprit["part"], "message", "{}", compiled.report);
            assert!(culprit["tokens"].as_u64() > Some(WINDOW), "{culprit}");
            share.unsendable += 1;
            continue;
        }
        assert!(compiled.number("tokens_after") <= WINDOW);
        if let Some(before) = &before {
            let common = before.text.bytes().zip(compiled.text.bytes());
            share.cached += common.take_while(|(a, b)| a == b).count();
            share.bytes += compiled.text.len();
            share.compiles += 1;
        }
        before = Some(compiled);
    }
}

/// Forty rounds of a question, a call with a result of some length, and an answer.
fn session() -> Vec<Value> {
    let mut messages = vec![system("You mend programs.")];
    for round in 0..40 {
        let id = format!("c{round}");
        messages.push(user(&format!("Round {round}: what does this file do?")));
        messages.push(calling_with("", &[(&id, "read_file", r#"{"path":"a.rs"}"#)]));
        messages.push(result(&id, &words(&format!("file{round}"), 300 + round * 40)));
        messages.push(assistant(&words(&format!("answer{round}"), 80)));
    }
    messages
}

#[test]
fn a_growing_session_fits_and_keeps_most_of_its_prefix() {
    let mut share = Share::default();
    grow(&session(), "openai", &mut share);
    eprintln!("simulated cache share: {:.1} % over {} compiles", share.percent(), share.compiles);
    assert!(share.percent() >= 80.0, "{:.1} %", share.percent());
}

#[test]
fn recorded_sessions_fit_and_keep_most_of_their_prefix() {
    let Some(folder) = prerequisite::variable("corpus") else { return };
    let mut share = Share::default();
    let sessions = recorded(Path::new(&folder));
    for messages in &sessions {
        grow(messages, "openai", &mut share);
    }
    eprintln!(
        "simulated cache share: {:.1} % over {} compiles of {} sessions, {} unsendable",
        share.percent(),
        share.compiles,
        sessions.len(),
        share.unsendable
    );
    assert!(share.percent() >= 85.0, "{:.1} %", share.percent());
}

/// The messages of every session in a folder, in the order of the file names.
pub(super) fn recorded(folder: &Path) -> Vec<Vec<Value>> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path| {
        let text = fs::read_to_string(path).expect("a session");
        let session: Value = serde_json::from_str(&text).expect("JSON");
        session["messages"].as_array().expect("messages").clone()
    };
    paths.iter().map(read).collect()
}
