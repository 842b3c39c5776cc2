//! Conversations of what only one provider has, at every budget and for every target: nothing is cut
//! in half, nothing that must stay is lost, and what was sent stays a prefix of what is sent next.
//!
//! `PROPTEST_CASES` says how many conversations, with [`BUDGETS`] each.

use contexture::service::Services;
use proptest::prelude::*;
use serde_json::Value;

use super::cases;
use crate::support::compile::{Compiled, compile_in, services};
use crate::support::items::{Happening, Round, SHAPES, body, rounds, written};
use crate::support::valid;

/// Conversations of each property: the code under test is not optimised here.
const CASES: u32 = 40;
const BUDGETS: [u64; 12] =
    [300, 500, 800, 1_200, 2_000, 3_500, 6_000, 10_000, 20_000, 35_000, 60_000, 100_000];
const TARGETS: [&str; 4] = ["openai", "openai_responses", "anthropic", "gemini"];

/// The target of a budget: the conversation's own for every second, then each of the others.
fn target(shape: &'static str, at: usize) -> &'static str {
    if at.is_multiple_of(2) { shape } else { TARGETS[at / 2 % 4] }
}

fn compile(services: &Services, request: &Value) -> Compiled {
    compile_in(services, request).unwrap_or_else(|faults| panic!("{faults:?}\n{request}"))
}

fn name(item: &Value) -> String {
    let id = ["id", "call_id"].iter().find_map(|key| item[*key].as_str());
    format!("{} {}", item["type"].as_str().unwrap_or("message"), id.unwrap_or_default())
}

/// What the validators leave out: reasoning is followed by what it led to, and a request for approval
/// and its answer are both there or neither.
fn check_items(list: &[Value], payload: &[Value]) -> Result<(), String> {
    for pair in payload.windows(2).filter(|pair| pair[0]["type"] == "reasoning") {
        let at = list.iter().position(|item| name(item) == name(&pair[0]));
        let led_to = at.and_then(|at| list.get(at + 1)).map(name).unwrap_or_default();
        if led_to != name(&pair[1]) {
            return Err(format!("{} led to {led_to}, not to {}", name(&pair[0]), name(&pair[1])));
        }
    }
    let all = |kind: &str, key: &str| -> Vec<String> {
        let found = payload.iter().filter(|item| item["type"] == kind);
        found.map(|item| item[key].to_string()).collect()
    };
    let requests = all("mcp_approval_request", "id");
    let answers = all("mcp_approval_response", "approval_request_id");
    if requests != answers {
        return Err(format!("approvals {requests:?}, answered {answers:?}"));
    }
    Ok(())
}

/// The beginning of a text, for messages of failures.
fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(4_000)]
}

/// The payload without cache marks, which move.
fn unmarked(done: &Compiled) -> String {
    done.text.replace(r#","cache_control":{"type":"ephemeral"}"#, "")
}

/// The mark of the newest compaction in a list.
fn newest_compaction(rounds: &[Round]) -> Option<String> {
    let at = rounds.iter().rposition(|round| round.what == Happening::Compaction)?;
    Some(format!("cmp_{}", at + 1))
}

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn items_are_whole_and_the_same_again(
        rounds in rounds(3..22),
        shape in prop::sample::select(SHAPES.to_vec()),
    ) {
        let shared = services();
        let list = written(shape, &rounds).concat();
        let mark = newest_compaction(&rounds).filter(|_| shape != "gemini");
        for (at, budget) in BUDGETS.into_iter().enumerate() {
            let target = target(shape, at);
            let request = body(shape, &list, target, budget);
            let done = compile(&shared, &request);
            let case = || {
                let (request, text) = (request.to_string(), head(&done.text));
                format!("{shape} → {target} in {budget}: {}\n{text}\n{}", done.report, head(&request))
            };
            let verdict = valid::check(target, &done.payload);
            prop_assert!(verdict.is_ok(), "{verdict:?} {}", case());
            if shape == target && target == "openai_responses" {
                let verdict = check_items(&list, done.list());
                prop_assert!(verdict.is_ok(), "{verdict:?} {}", case());
            }
            if let Some(mark) = mark.as_ref().filter(|_| shape == target) {
                prop_assert!(done.text.contains(mark), "{mark} is gone, {}", case());
            }
            if at % 3 == rounds.len() % 3 {
                let again = compile(&services(), &request);
                prop_assert!(done.text == again.text, "{}\n{}", case(), head(&again.text));
            }
            // A text that only looks like a notation of ours is escaped, and a payload that comes
            // back cannot be told from one.
            if !done.text.contains('§') {
                let back = compile(&shared, &body(target, done.list(), target, budget));
                let is_same = done.list() == back.list();
                prop_assert!(is_same, "{}\n{}\n{}", case(), back.report, head(&back.text));
            }
        }
    }

    #[test]
    fn what_was_sent_begins_what_is_sent_next(
        rounds in rounds(6..22),
        shape in prop::sample::select(SHAPES.to_vec()),
    ) {
        let shared = services();
        let parts = written(shape, &rounds);
        for (at, budget) in BUDGETS.into_iter().enumerate() {
            let target = target(shape, at);
            let mut before: Option<(usize, Compiled)> = None;
            for end in [parts.len() * 3 / 4, parts.len()] {
                let list = parts[..end].concat();
                let mut request = body(shape, &list, target, budget);
                if let Some((_, before)) = &before {
                    request["cache"] = serde_json::json!({"previous": before.payload});
                }
                let done = compile(&shared, &request);
                if let Some((known, before)) = &before {
                    let change = &done.report["cache"]["first_change"];
                    let added = &rounds[known - 1..end - 1];
                    let compacts = added.iter().any(|round| round.what == Happening::Compaction);
                    let begins = unmarked(before);
                    let is_prefix = unmarked(&done).starts_with(begins.trim_end_matches([']', '}']));
                    let why = change["why"].as_str().unwrap_or_default();
                    let case = || {
                        let texts = [head(&before.text), head(&done.text)].join("\n");
                        format!("{shape} → {target} in {budget}, {known} to {end}: {change}\n{texts}")
                    };
                    prop_assert!(is_prefix || !change.is_null(), "{}", case());
                    let allowed = ["compaction", "squeeze", "tail_moved"].contains(&why);
                    prop_assert!(is_prefix || allowed || compacts, "{}", case());
                }
                before = Some((end, done));
            }
        }
    }
}
