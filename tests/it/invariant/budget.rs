//! What the report says of tokens holds, and what can fit fits.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{CASES, cases, merged, options};
use crate::support::compile::{Compiled, compile_in, services};
use crate::support::generate::{TARGETS, plan};

/// Tokens of the longest marker, of an opening, and of a placeholder for a missing result.
const MARKER: u64 = 60;
/// Tokens that joining texts and rounding parts may add.
const SEAMS: u64 = 8;

fn part(compiled: &Compiled, name: &str) -> u64 {
    compiled.report["parts"][name].as_u64().expect("a number")
}

/// The system text and the last user message of an `OpenAI` request, and one protected by
/// index: what no compile may take out.
fn kept_alone(body: &Value, protected: Option<usize>) -> Value {
    let mut alone = body.clone();
    let list = body["messages"].as_array().expect("a list");
    let asked = list.iter().rposition(|message| message["role"] == "user");
    let kept = list.iter().enumerate().filter(|(at, message)| {
        message["role"] == "system" || Some(*at) == asked || Some(*at) == protected
    });
    alone["messages"] = kept.map(|(_, message)| message.clone()).collect();
    alone["protect"] = json!({"roles": ["user"]});
    alone
}

/// Puts a full stop behind every text of a payload, so that a compile takes no block of ours out
/// of it; says how many it put.
fn made_foreign(messages: &mut Value) -> u64 {
    let mut stops = 0;
    let mut put = |text: Option<&mut Value>| {
        let Some(Value::String(text)) = text else { return };
        text.push('.');
        stops += 1;
    };
    for message in messages.as_array_mut().expect("a list") {
        let key = if message.get("parts").is_some() { "parts" } else { "content" };
        match message.get_mut(key) {
            Some(Value::Array(parts)) => {
                for part in parts {
                    put(part.get_mut("text"));
                }
            }
            content => put(content),
        }
    }
    stops
}

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn no_more_tokens_than_came_and_were_added(
        plan in plan(7),
        options in options(),
        target in prop::sample::select(TARGETS.to_vec()),
    ) {
        let body = merged(plan.request("openai", target), &options);
        let compiled = compile_in(&services(), &body).expect("an answer");
        let added: u64 = ["skill", "memory", "tail"].iter().map(|name| part(&compiled, name)).sum();
        let gone = compiled.action("dropped") + compiled.action("summarized") > 0;
        let repairs = compiled.codes("repairs").len() as u64 * MARKER;
        let marker = if gone { MARKER } else { 0 };
        let most = compiled.number("tokens_before") + added + repairs + marker + SEAMS;
        prop_assert!(compiled.number("tokens_after") <= most, "{}\n{body}", compiled.report);
        let parts = ["system", "skill", "tools", "memory", "history", "tail", "media"];
        let sum: u64 = parts.iter().map(|name| part(&compiled, name)).sum();
        prop_assert_eq!(sum, compiled.number("tokens_after"));
    }

    #[test]
    fn what_the_payload_takes_is_what_the_report_says(
        plan in plan(6),
        options in options(),
        target in prop::sample::select(vec!["openai", "neutral"]),
    ) {
        // Counted anew, as a request of its own, without anything taken off.
        let services = services();
        let body = merged(plan.request("openai", target), &options);
        let compiled = compile_in(&services, &body).expect("an answer");
        let mut messages = compiled.payload["messages"].clone();
        let stops = made_foreign(&mut messages);
        let mut again = json!({
            "messages": messages,
            "source": target,
            "target": target,
            "compression": {"level": "off"},
        });
        for key in ["tools", "model"] {
            let value = if key == "tools" { &compiled.payload[key] } else { &body[key] };
            again[key] = value.clone();
        }
        let counted = compile_in(&services, &again).expect("an answer");
        let (said, found) = (compiled.number("tokens_after"), counted.number("tokens_after"));
        prop_assert!(found <= said + SEAMS + stops, "{said} and {found}\n{body}");
        prop_assert!(said <= found + SEAMS, "{said} and {found}\n{body}");
    }

    #[test]
    fn fits_says_what_is_so_and_what_does_not_fit_is_named(
        plan in plan(7),
        options in options(),
        target in prop::sample::select(TARGETS.to_vec()),
    ) {
        let body = merged(plan.request("openai", target), &options);
        let compiled = compile_in(&services(), &body).expect("an answer");
        let fits = compiled.number("tokens_after") <= compiled.number("budget");
        prop_assert_eq!(&compiled.report["fits"], &json!(fits));
        let too_big = compiled.report["too_big"].as_array().expect("a list");
        prop_assert_eq!(too_big.is_empty(), fits, "{}", compiled.report);
        prop_assert!(too_big.iter().all(|each| each["tokens"].as_u64() > Some(0)));
    }

    #[test]
    fn what_may_not_go_fits_whenever_it_can(
        plan in plan(8),
        options in options(),
        target in prop::sample::select(TARGETS.to_vec()),
        pick in any::<prop::sample::Index>(),
        protects in any::<bool>(),
    ) {
        let services = services();
        let mut body = merged(plan.request("openai", target), &options);
        let list = body["messages"].as_array().expect("a list");
        let users: Vec<usize> =
            (0..list.len()).filter(|at| list[*at]["role"] == "user").collect();
        let protected = protects.then(|| users[pick.index(users.len())]);
        if let Some(at) = protected {
            body["protect"] = json!({"messages": [at]});
        }
        let alone = compile_in(&services, &kept_alone(&body, protected)).expect("an answer");
        let whole = compile_in(&services, &body).expect("an answer");
        prop_assume!(alone.report["fits"] == true);
        prop_assert_eq!(
            &whole.report["fits"], &json!(true),
            "alone {}\nwhole {}\n{}", alone.report, whole.report, body
        );
    }
}
