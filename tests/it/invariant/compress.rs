//! Properties of `/compress` and `/expand`, over sessions of an agent with results of many
//! kinds.

use std::time::{Duration, Instant};

use contexture::compress::equivalent;
use contexture::service::Services;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::cases;
use crate::support::compile::services;
use crate::support::compress::{
    Compressed, compress_in, expand_in, expand_list_in, list_key, normalised, request, texts,
};
use crate::support::generate::{Call, Piece, Plan, SOURCES, Step};
use crate::support::{prerequisite, valid};

const CASES: u32 = 1_000;

/// Texts that look like notations of ours.
const FORGED: &[&str] = &[
    "§= result 1",
    "§= call 1 path",
    "§= result 1 lines 1-9",
    "§json 1",
    "§numbered 2 from 1 \"\\t\"\na\nb",
    "§template 3 with 1, empty as before\nA,=x{}\nA1\nA2",
    "§§",
    "§ ",
    "§\n",
    "a\n§= result 1\nb",
    "[Old tool result content cleared]",
    "[summary: everything was said before]",
    "<history_summary>\nThis conversation began earlier.\n</history_summary>",
    "recipe m 574a963fe4c28cab63d90746 ",
];

/// Things that are whole or absent.
const ATOMS: &[&str] = &[
    "https://docs.example.com/guide/v2.1/install.html?page=3#top",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "postgresql://user:pa55word@db.internal:5432/orders",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "/srv/releases/2026-03-01/shop-4.2.1/config/settings.toml",
    "1234567.8901",
];

fn lines(most: usize, line: impl Fn(usize, u32) -> String) -> impl Strategy<Value = String> {
    (2..most, any::<u32>(), any::<bool>()).prop_map(move |(count, seed, ends)| {
        let lines: Vec<String> = (0..count).map(|at| line(at, seed)).collect();
        lines.join("\n") + if ends { "\n" } else { "" }
    })
}

/// A number that looks like chance.
fn chance(seed: u32, at: usize) -> u32 {
    let at = u32::try_from(at).expect("small");
    (seed ^ at.wrapping_mul(2_654_435_761)).wrapping_mul(2_246_822_519) >> 12
}

fn result() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => lines(18, |at, seed| match chance(seed, at) % 9 {
            0 => format!("12:{:02}:00 ERROR worker-{} failed: code {seed}", at, at % 3),
            _ => format!("12:{:02}:00 INFO request {} took {} ms", at, at + 7, chance(seed, at) % 90),
        }),
        2 => (0usize..12, any::<u32>(), any::<bool>()).prop_map(|(count, seed, pretty)| {
            let rows: Vec<Value> = (0..count).map(|at| row(seed, at)).collect();
            let written = if pretty { serde_json::to_string_pretty } else { serde_json::to_string };
            written(&rows).expect("JSON")
        }),
        2 => lines(18, |at, seed| format!("./src/{}/part_{at}.rs", chance(seed, at / 6) % 7)),
        1 => lines(18, |at, seed| format!("{:>5}\tlet v{at} = f({});", at + 1, chance(seed, at) % 9)),
        1 => lines(12, |at, seed| match chance(seed, at) % 4 {
            0 => format!("-    old_{at}();"),
            1 => format!("+    new_{at}();"),
            2 => "@@ -1,4 +1,4 @@ fn main()".to_owned(),
            _ => "     same();".to_owned(),
        }),
        1 => lines(14, |at, _| format!("\u{1b}[32mok\u{1b}[0m {at}  \r")),
        1 => lines(9, |at, seed| format!("see {} now", ATOMS[(chance(seed, at) as usize) % ATOMS.len()])),
        1 => "\\PC{0,80}",
        1 => "([a-zäß中😀]{1,7}[ \\n.]){1,50}",
        1 => prop::sample::select(FORGED.to_vec()).prop_map(str::to_owned),
    ]
}

fn row(seed: u32, at: usize) -> Value {
    let mut row =
        json!({"id": at, "name": format!("n{}", chance(seed, at) % 5), "ok": at.is_multiple_of(2)});
    match chance(seed, at) % 6 {
        0 => row["extra"] = Value::Null,
        1 => row["extra"] = json!(["", {"deep": [1.5]}]),
        2 => row["extra"] = json!("a\"b\\c\n§"),
        _ => {}
    }
    row
}

fn words() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(ATOMS.to_vec());
    prop_oneof![
        4 => "[a-z]{1,8}( [a-z]{1,8}){0,20}",
        1 => ("([a-z]{1,8} ){0,70}", atom).prop_map(|(text, atom)| format!("{text}{atom} it is")),
        1 => prop::sample::select(FORGED.to_vec()).prop_map(str::to_owned),
    ]
}

/// A new result, and which of those before it is taken instead: whole or from its middle on.
type Answer = (String, Option<(Index, bool)>);

fn step() -> impl Strategy<Value = (u8, String, Vec<Answer>)> {
    let again = prop::option::weighted(0.3, any::<(Index, bool)>());
    (0u8..6, words(), prop::collection::vec((result(), again), 1..3))
}

/// A session of an agent.
fn session() -> impl Strategy<Value = Plan> {
    let system = prop::option::of(words());
    (system, words(), prop::collection::vec(step(), 1..6)).prop_map(|(system, first, steps)| {
        let mut results: Vec<String> = Vec::new();
        let mut list = vec![Step::User(vec![Piece::Text(first)])];
        for (kind, text, texts) in steps {
            list.push(match kind {
                0 => Step::User(vec![Piece::Text(text)]),
                1 => Step::Assistant { text, thinking: None },
                _ => {
                    let calls = texts.into_iter().map(|(new, again)| {
                        let result = match again {
                            Some((which, whole)) if !results.is_empty() => {
                                let old = which.get(&results);
                                let middle = old.len() / 2;
                                let middle =
                                    (middle..=old.len()).find(|at| old.is_char_boundary(*at));
                                old[if whole { 0 } else { middle.unwrap_or(0) }..].to_owned()
                            }
                            _ => new,
                        };
                        results.push(result.clone());
                        let arguments = r#"{"path": "src/main.rs"}"#;
                        Call { name: "run-it", arguments, result, is_error: false }
                    });
                    let calls = calls.collect();
                    let text = if kind == 2 { text } else { String::new() };
                    Step::Calls { text, thinking: None, calls }
                }
            });
        }
        Plan { system, steps: list, tools: false }
    })
}

fn source() -> impl Strategy<Value = &'static str> {
    prop::sample::select(SOURCES.to_vec())
}

/// Levels and budgets; what they can take is kept in the store.
fn options() -> impl Strategy<Value = Value> {
    let levels = prop::sample::select(vec!["lossless", "reversible", "summary", "drop"]);
    let protect = prop::sample::select(vec![
        json!({}),
        json!({}),
        json!({"messages": [2]}),
        json!({"roles": ["user"]}),
        json!({"recent_messages": 2}),
    ]);
    let budget = prop::option::weighted(0.6, 20u64..900);
    (levels, budget, 0u64..4, protect).prop_map(|(level, budget, turns, protect)| {
        let mut options = json!({"level": level, "keep_recent_turns": turns, "protect": protect,
            "explain": "full"});
        if let Some(budget) = budget {
            options["budget_tokens"] = json!(budget);
        }
        options
    })
}

/// A conversation as a body's list and what stands beside it.
struct List {
    key: &'static str,
    messages: Vec<String>,
    beside: Value,
}

impl List {
    fn new(plan: &Plan, source: &'static str) -> Self {
        let mut body = plan.request(source, "openai");
        let (key, messages) = (list_key(&body), texts(&body));
        let members = body.as_object_mut().expect("an object");
        members.shift_remove("target");
        members.shift_remove(key);
        Self { key, messages, beside: body }
    }

    fn body(&self, messages: &[String], options: &Value) -> String {
        let mut beside = self.beside.clone();
        for (key, value) in options.as_object().expect("an object") {
            beside[key] = value.clone();
        }
        request(self.key, messages, &beside)
    }

    fn compress(&self, services: &Services, messages: &[String], options: &Value) -> Compressed {
        compress_in(services, &self.body(messages, options)).expect("an answer")
    }

    fn payload(&self, messages: &[String]) -> Value {
        serde_json::from_str(&request(self.key, messages, &json!({}))).expect("JSON")
    }
}

fn tokens(decision: &Value, key: &str) -> u64 {
    decision[key].as_u64().expect("a number")
}

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn whatever_is_compressed_expands_to_what_came_over_any_number_of_rounds(
        plan in session(),
        source in source(),
        options in prop::collection::vec(options(), 1..4),
        cuts in prop::collection::vec(any::<Index>(), 3),
    ) {
        let (list, services) = (List::new(&plan, source), services());
        let mut ends: Vec<usize> =
            cuts.iter().map(|cut| cut.index(list.messages.len() + 1)).collect();
        ends.truncate(options.len() - 1);
        ends.sort_unstable();
        ends.push(list.messages.len());
        // Without newer messages, a list that shows no mark of ours may be the caller's own.
        ends.dedup();
        let (mut shown, mut from) = (Vec::new(), 0);
        for (end, options) in ends.into_iter().zip(&options) {
            shown.extend_from_slice(&list.messages[from..end]);
            // Cut anywhere, a list may begin with a result: then it is not a list to be sent.
            let Ok(answer) = compress_in(&services, &list.body(&shown, options)) else {
                return Ok(());
            };
            shown = answer.messages.clone();
            let back = expand_list_in(&services, list.key, &shown);
            prop_assert_eq!(&back.messages[..], &list.messages[..end]);
            prop_assert!(back.identical(), "{}", back.answer);
            let back = expand_in(&services, &json!({"id": answer.id()}).to_string());
            prop_assert_eq!(&back.messages[..], &list.messages[..end]);
            from = end;
        }
    }

    #[test]
    fn what_the_caller_keeps_or_nobody_does_expands_alike(
        plan in session(),
        source in source(),
        options in options(),
        kept in any::<bool>(),
    ) {
        let (list, services) = (List::new(&plan, source), services());
        let mut options = options;
        options["originals"] = json!(if kept { "return" } else { "none" });
        let answer = list.compress(&services, &list.messages, &options);
        let given = match answer.answer.get("originals") {
            Some(originals) => json!({"originals": originals}),
            None => json!({}),
        };
        let back = expand_in(&services, &request(list.key, &answer.messages, &given));
        prop_assert_eq!(&back.messages, &list.messages);
        if !kept {
            let back = expand_list_in(&self::services(), list.key, &answer.messages);
            prop_assert_eq!(&back.messages, &list.messages);
        }
    }

    #[test]
    fn nothing_takes_more_tokens_and_the_report_can_be_counted_again(
        plan in session(),
        source in source(),
        options in options(),
    ) {
        let (list, services) = (List::new(&plan, source), services());
        let answer = list.compress(&services, &list.messages, &options);
        let mut escapes = 0;
        let mut actions = std::collections::BTreeMap::<&str, u64>::new();
        for (at, decision) in answer.decisions().iter().enumerate() {
            // Two results in one message may both need a mark for two tokens.
            let room = if list.messages[at].contains('§') { 4 } else { 0 };
            prop_assert!(
                tokens(decision, "tokens_after") <= tokens(decision, "tokens_before") + room,
                "{decision}"
            );
            escapes += room;
            prop_assert_eq!(&decision["index"], at);
            *actions.entry(decision["action"].as_str().unwrap()).or_default() += 1;
        }
        let (before, after) = (answer.number("tokens_before"), answer.number("tokens_after"));
        prop_assert!(after <= before + escapes || options.get("budget_tokens").is_some());
        for (name, count) in answer.report()["actions"].as_object().unwrap() {
            prop_assert_eq!(count, actions.get(name.as_str()).unwrap_or(&0), "{}", name);
        }
        prop_assert_eq!(answer.decisions().len(), list.messages.len());
        // What is sent is what was counted, on a server that knows nothing of it.
        let fresh = self::services();
        let again = list.compress(&fresh, &answer.messages, &json!({}));
        prop_assert_eq!(again.number("tokens_before"), after);
        let whole = list.compress(&fresh, &list.messages, &json!({}));
        prop_assert_eq!(whole.number("tokens_before"), before);
        let budget = options.get("budget_tokens").and_then(Value::as_u64);
        prop_assert_eq!(&answer.report()["fits"], budget.is_none_or(|budget| after <= budget));
        for artifact in answer.answer["artifacts"].as_array().unwrap() {
            let back = expand_in(&services, &json!({"artifact": artifact["id"]}).to_string());
            prop_assert_eq!(&artifact["bytes"], back.answer["text"].as_str().unwrap().len());
        }
    }

    #[test]
    fn json_stays_json_with_the_same_values(
        values in prop::collection::vec(value(), 1..4),
        pretty in any::<bool>(),
    ) {
        let texts: Vec<String> = values
            .iter()
            .map(|value| if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) }.unwrap())
            .collect();
        let calls = texts.iter().map(|text| Call {
            name: "run-it", arguments: "{}", result: text.clone(), is_error: false,
        });
        let step = Step::Calls { text: String::new(), thinking: None, calls: calls.collect() };
        let plan = Plan { system: None, steps: vec![step], tools: false };
        let list = List::new(&plan, "openai");
        let answer = list.compress(&services(), &list.messages, &json!({}));
        let back = expand_list_in(&services(), list.key, &answer.messages);
        for (at, (value, text)) in values.iter().zip(&texts).enumerate() {
            let read = |messages: &[String]| {
                let message: Value = serde_json::from_str(&messages[at + 1]).unwrap();
                message["content"].as_str().unwrap().to_owned()
            };
            let (shown, back) = (read(&answer.messages), read(&back.messages));
            prop_assert_eq!(&serde_json::from_str::<Value>(&back).unwrap(), value);
            prop_assert_eq!(equivalent(&back), equivalent(text));
            if !shown.contains('§') {
                prop_assert_eq!(&serde_json::from_str::<Value>(&shown).unwrap(), value);
            }
        }
    }

    #[test]
    fn atoms_are_whole_or_absent(
        plan in session(),
        source in source(),
        options in options(),
    ) {
        /// Characters of an atom's beginning that no other text here holds.
        const HEAD: usize = 9;
        let (list, services) = (List::new(&plan, source), services());
        let answer = list.compress(&services, &list.messages, &options);
        // What is written in a notation is read by its rules first.
        let read = expand_list_in(&self::services(), list.key, &answer.messages);
        for message in read.messages {
            for atom in ATOMS {
                for (at, _) in message.match_indices(&atom[..HEAD]) {
                    prop_assert!(message[at..].starts_with(atom), "{}\n{}", atom, message);
                }
            }
        }
    }

    #[test]
    fn calls_keep_their_results_and_roles_their_places(
        plan in session(),
        source in source(),
        options in options(),
    ) {
        let (list, services) = (List::new(&plan, source), services());
        let before = list.payload(&list.messages);
        let sendable = source != "neutral" && valid::check(source, &before).is_ok();
        let answer = list.compress(&services, &list.messages, &options);
        let after = list.payload(&answer.messages);
        if sendable {
            // A summary may stand beside a user's message, which providers take as one, and it is
            // a plain string, which they take as well.
            let fault = valid::check(source, &after).err();
            let fault = fault.filter(|fault| {
                !["roles must alternate", "must be an array"].iter().any(|own| fault.contains(own))
            });
            prop_assert!(fault.is_none(), "{fault:?}\n{after}");
        }
        let mut shown = answer.messages.iter();
        for (decision, original) in answer.decisions().iter().zip(&list.messages) {
            if matches!(decision["action"].as_str(), Some("summarized" | "dropped")) {
                continue;
            }
            let original: Value = serde_json::from_str(original).unwrap();
            let same = |text: &&String| {
                let message: Value = serde_json::from_str(text).unwrap();
                ["role", "type", "tool_call_id", "call_id", "tool_calls", "id"]
                    .iter()
                    .all(|key| message[*key] == original[*key])
                    && !text.contains("<history_summary>\\nThis conversation began earlier. Its")
            };
            prop_assert!(shown.by_ref().any(|text| same(&text)), "{original} is not there");
        }
    }

    #[test]
    fn it_fits_when_it_fits_and_more_budget_shows_no_less(
        plan in session(),
        source in source(),
        options in options(),
        budgets in prop::array::uniform3(1u64..1200),
    ) {
        let (list, services) = (List::new(&plan, source), services());
        let mut budgets = budgets;
        budgets.sort_unstable();
        let mut last: Option<(Vec<u8>, bool, bool)> = None;
        for budget in budgets {
            let mut options = options.clone();
            options["budget_tokens"] = json!(budget);
            let answer = list.compress(&services, &list.messages, &options);
            let fits = answer.report()["fits"] == true;
            prop_assert_eq!(fits, answer.number("tokens_after") <= budget);
            prop_assert_eq!(fits, answer.report()["too_big"].as_array().unwrap().is_empty());
            let sights: Vec<u8> = answer.decisions().iter().map(|decision| {
                match decision["action"].as_str().unwrap() {
                    "dropped" | "summarized" => 0,
                    "cleared" => 1,
                    _ => 2,
                }
            }).collect();
            let is_summed_up =
                answer.decisions().iter().any(|decision| decision["action"] == "summarized");
            if let Some((less, fitted, was_summed_up)) = &last {
                // What no edit can meet shows as much as it does without them: only a budget that is
                // met says how much a larger one must show. And a summary may be worth its room in
                // a larger one alone: the smaller one then does without.
                let summary_begins = !was_summed_up && is_summed_up;
                let shows_less = less.iter().zip(&sights).any(|(less, more)| less > more);
                prop_assert!(!fitted || summary_begins || !shows_less,
                    "{budget}: {less:?} and then {sights:?}");
                // Of little that is covered no summary may be possible, of more it is: at the level
                // that may not drop, the smaller budget can then be met and the larger one not.
                let may_drop = options["level"] != "summary";
                prop_assert!(!fitted || fits || !may_drop, "{budget} does not fit, and less did");
            }
            last = Some((sights, fits, is_summed_up));
        }
    }

    #[test]
    fn the_same_again_is_the_same_and_what_was_not_touched_keeps_its_bytes(
        plan in session(),
        source in source(),
        options in options(),
    ) {
        let (list, services) = (List::new(&plan, source), services());
        let answer = list.compress(&services, &list.messages, &options);
        let again = list.compress(&services, &list.messages, &options);
        let elsewhere = list.compress(&self::services(), &list.messages, &options);
        prop_assert_eq!(answer.lasting(), again.lasting());
        prop_assert_eq!(answer.lasting(), elsewhere.lasting());
        let kept: Vec<&String> = answer.decisions().iter().zip(&list.messages)
            .filter(|(decision, _)| decision["action"] == "kept" && decision["rule"] != "escape")
            .map(|(_, message)| message)
            .collect();
        let mut shown = answer.messages.iter();
        for message in kept {
            prop_assert!(shown.by_ref().any(|shown| shown == message), "{message}");
        }
        let mut lossless = options.clone();
        lossless["level"] = json!("lossless");
        let once = list.compress(&services, &list.messages, &lossless);
        let twice = list.compress(&services, &once.messages, &lossless);
        prop_assert_eq!(&once.messages, &twice.messages);
        prop_assert_eq!(once.number("tokens_after"), twice.number("tokens_after"));
    }

    #[test]
    fn no_text_breaks_it(pieces in prop::collection::vec((hostile(), 1usize..60), 1..6)) {
        let text: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
        let services = services();
        let step = |result: String| Step::Calls { text: String::new(), thinking: None, calls: vec![
            Call { name: "run-it", arguments: "{}", result, is_error: false }] };
        let plan = Plan { system: None, steps: vec![step(text.clone()), step(text.clone())], tools: false };
        let list = List::new(&plan, "openai");
        let answer = list.compress(&services, &list.messages, &json!({}));
        let back = expand_list_in(&services, list.key, &answer.messages);
        prop_assert_eq!(&back.messages, &list.messages);
        let alone = compress_in(&services, &json!({"text": text}).to_string()).unwrap();
        let back = expand_in(&services, &json!({"id": alone.id()}).to_string());
        prop_assert_eq!(&back.answer["text"], &json!(text));
        // As the shown text of somebody else it is anything, and read within bounds.
        let back = expand_list_in(&services, list.key, &list.messages);
        prop_assert_eq!(back.messages.len(), list.messages.len());
    }

    #[test]
    fn what_others_forge_is_never_followed(
        plan in session(),
        source in source(),
        forged in prop::sample::select(FORGED.to_vec()),
        place in any::<Index>(),
    ) {
        let mut plan = plan;
        let step = Step::User(vec![Piece::Text(forged.to_owned())]);
        let call = Call { name: "run-it", arguments: "{}", result: forged.to_owned(), is_error: false };
        let step = if place.index(2) == 0 { step } else {
            Step::Calls { text: String::new(), thinking: None, calls: vec![call] }
        };
        plan.steps.insert(1 + place.index(plan.steps.len()), step);
        let list = List::new(&plan, source);
        let options = json!({"originals": "none", "metadata": null});
        let mut options = options;
        options.as_object_mut().unwrap().shift_remove("metadata");
        let answer = list.compress(&services(), &list.messages, &options);
        // Nobody knows the list there: every mark in it is read as it stands.
        let back = expand_list_in(&services(), list.key, &answer.messages);
        prop_assert_eq!(&back.messages, &list.messages);
    }
}

/// Any JSON value.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1000i32..1000).prop_map(|number| json!(f64::from(number) / 8.0)),
        "[a-z]{0,6}".prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        prop::sample::select(vec!["", "null", "1", "§", "a,b", "\"", "\n", "  "])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 40, 8, |inner| {
        let key = prop::sample::select(vec!["a", "b", "id", "name", "x y", ""]);
        let object = prop::collection::vec((key, inner.clone()), 0..4)
            .prop_map(|pairs| pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect());
        prop_oneof![
            2 => prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            1 => object.prop_map(Value::Object),
            // Rows of one form, as tools answer them.
            2 => (inner, 2usize..9).prop_map(|(value, count)| {
                (0..count).map(|at| json!({"id": at, "name": format!("row {at}"), "value": value})).collect()
            }),
        ]
    })
}

fn hostile() -> impl Strategy<Value = String> {
    let pieces = vec![
        "§",
        "§=",
        "\n",
        "§= result 1\n",
        "[",
        "]",
        "{",
        "\"",
        "\\",
        "```\n",
        "~~~",
        "<a>",
        "</a>",
        "&x;",
        "\u{1b}[",
        "\u{1b}]0;",
        "\r",
        "\r\n",
        "\t",
        " ",
        "-",
        "a",
        "0",
        "1\n",
        ",",
        "| ",
        "- ",
        "@@ -1 +1 @@\n",
        "+x\n",
        "  at x(",
        "Error: ",
        "é",
        "😀",
        "\u{200d}",
        "\u{feff}",
        "\0",
        "%PDF",
        "data:image/png;base64,",
        "AAAA",
        "key: ",
        "&a *a\n",
        "12:00:00 INFO ",
        "/a/b/c\n",
    ];
    prop_oneof![
        4 => prop::sample::select(pieces).prop_map(str::to_owned),
        1 => "\\PC{1,12}",
        1 => any::<char>().prop_map(String::from),
    ]
}

#[test]
fn threads_give_what_one_gives() {
    let services = services();
    let results: Vec<String> = (0..6).map(|at| crate::support::compress::log(30 + at)).collect();
    let calls = results.iter().map(|text| Call {
        name: "run-it",
        arguments: "{}",
        result: text.clone(),
        is_error: false,
    });
    let step = Step::Calls { text: String::new(), thinking: None, calls: calls.collect() };
    let list = List::new(&Plan { system: None, steps: vec![step], tools: false }, "openai");
    let alone = list.compress(&self::services(), &list.messages, &json!({}));
    std::thread::scope(|scope| {
        let work = || list.compress(&services, &list.messages, &json!({})).messages;
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone.messages);
        }
    });
}

#[test]
fn time_grows_with_the_length_of_hostile_text_not_with_its_square() {
    let services = services();
    let pieces = [
        "a",
        " ",
        "-",
        "[",
        "{\"a\":",
        "```\n",
        "<a>",
        "§= result 1\n",
        "x\n",
        "&a *a\n",
        "lamp, chair\n",
    ];
    for piece in pieces {
        let time = |bytes: usize| {
            let text = piece.repeat(bytes / piece.len());
            let start = Instant::now();
            let body = json!({"messages": [
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "c", "content": text}]});
            let answer = compress_in(&services, &body.to_string()).expect("an answer");
            expand_list_in(&services, "messages", &answer.messages);
            start.elapsed()
        };
        // Eight times the length; a square would be sixty-four times the time. What comes between is
        // forgiven, as long as it does not come each time.
        let linear =
            |(short, long): &(Duration, Duration)| *long < *short * 24 + Duration::from_millis(150);
        let mut measured = Vec::new();
        while measured.len() < 4 && !measured.last().is_some_and(linear) {
            measured.push((time(20_000), time(160_000)));
        }
        assert!(measured.last().is_some_and(linear), "{piece:?}: {measured:?}");
    }
}

#[test]
fn recorded_sessions_come_back_byte_for_byte() {
    let Some(folder) = prerequisite::variable("corpus") else { return };
    let mut shares: std::collections::BTreeMap<String, (u64, u64)> =
        std::collections::BTreeMap::new();
    let mut refused = 0;
    let sessions = recorded(std::path::Path::new(&folder));
    let count = sessions.len();
    for (name, messages) in sessions {
        let messages: Vec<String> = messages.iter().map(Value::to_string).collect();
        let services = services();
        for originals in ["store", "none"] {
            let body = request("messages", &messages, &json!({"originals": originals}));
            let Ok(answer) = compress_in(&services, &body) else {
                refused += 1;
                break;
            };
            let share = shares.entry(format!("{name}, originals {originals}")).or_default();
            share.0 += answer.number("tokens_before");
            share.1 += answer.number("tokens_after");
            assert!(answer.number("tokens_after") <= answer.number("tokens_before"), "{name}");
            let back = expand_list_in(&services, "messages", &answer.messages);
            assert!(back.messages == messages, "{name}: not what came");
            let back = expand_list_in(&self::services(), "messages", &answer.messages);
            for (at, (back, message)) in back.messages.iter().zip(&messages).enumerate() {
                let same = back == message
                    || (originals == "store" && normalised(back) == normalised(message));
                assert!(same, "{name}: message {at} does not decode");
            }
        }
    }
    for (name, (before, after)) in &shares {
        let saved = (before - after) * 1000 / before.max(&1);
        eprintln!("{name}: {}.{} % of {before} tokens saved", saved / 10, saved % 10);
    }
    eprintln!("{refused} sessions are no list to be sent");
    assert!(refused < count, "all of {count} sessions are refused");
    assert!(!shares.is_empty());
}

/// Where each session in a folder comes from, and its messages.
fn recorded(folder: &std::path::Path) -> Vec<(String, Vec<Value>)> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path| {
        let text = std::fs::read_to_string(path).expect("a session");
        let session: Value = serde_json::from_str(&text).expect("JSON");
        let source = session["source"].as_str().unwrap_or("unknown").to_owned();
        (source, session["messages"].as_array().expect("messages").clone())
    };
    paths.iter().map(read).collect()
}
