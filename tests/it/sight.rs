//! What stays in sight of texts of many kinds under a budget: answers that were written down first,
//! next to random lines and to the head and the tail of the text at the same tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use contexture::compress::{DecodedText, Decoder};
use contexture::domain::TokenizerName;
use contexture::service::Services;
use contexture::tokenizer::Counter;
use serde_json::{Value, json};

use crate::support::compile::services;
use crate::support::compress::compress_in;

const PERCENTS: [u64; 3] = [50, 25, 10];
/// Means that the three sizes hold, in thousandths.
const LEAST_MEANS: [usize; 3] = [980, 925, 715];

/// A text, and what an operator asks of it.
struct Case {
    name: String,
    text: String,
    answers: Vec<String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/sight");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a fixture");
    let entries = std::fs::read_dir(&folder).expect("the fixtures");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().unwrap());
    let names: BTreeSet<String> = names.filter(|name| name.ends_with(".answers")).collect();
    let case = |answers: String| {
        let name = answers.strip_suffix(".answers").unwrap().to_owned();
        let text = read(&name);
        let answers: Vec<String> = read(&answers).lines().map(str::to_owned).collect();
        Case { name, text, answers }
    };
    let cases: Vec<Case> = names.into_iter().map(case).collect();
    assert!(cases.len() >= 193, "{}", cases.len());
    cases
}

fn squash(text: &str) -> String {
    text.split_whitespace().collect()
}

impl Case {
    /// Answers in sight in a text, in thousandths.
    fn share(&self, shown: &str) -> usize {
        let shown = squash(shown);
        let found = self.answers.iter().filter(|answer| shown.contains(&squash(answer))).count();
        found * 1000 / self.answers.len()
    }
}

/// The text that is shown in so many tokens, and how many it takes.
struct Shown {
    text: String,
    tokens: u64,
}

fn shown(services: &Services, text: &str, options: &Value) -> Shown {
    let mut body = json!({"text": text, "level": "summary"});
    for (key, value) in options.as_object().unwrap() {
        body[key] = value.clone();
    }
    let answer = compress_in(services, &body.to_string()).unwrap();
    let text: Arc<str> = answer.text().into();
    // What a notation says in fewer tokens is in sight.
    let decoded = Decoder::new(text.len()).decode_result(&[Arc::clone(&text)]).pop();
    let decoded = match decoded {
        Some(DecodedText::Text(text)) => text,
        _ => text.to_string(),
    };
    Shown { text: decoded, tokens: answer.number("tokens_after") }
}

fn count(counter: &Counter, text: &str) -> u64 {
    counter.count(TokenizerName::O200kBase, text)
}

/// Lines chosen at random, always the same, as many as fit.
fn random_lines(counter: &Counter, text: &str, budget: u64) -> String {
    let lines: Vec<&str> = text.split(['\n', '\r']).collect();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let mut state: u64 = 5;
    for at in (1..order.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        order.swap(at, usize::try_from((state >> 33) % (at as u64 + 1)).unwrap());
    }
    let mut left = budget;
    let mut kept = BTreeSet::new();
    for at in order {
        let tokens = count(counter, &format!("{}\n", lines[at]));
        if tokens <= left {
            left -= tokens;
            kept.insert(at);
        }
    }
    kept.into_iter().map(|at| lines[at]).collect::<Vec<_>>().join("\n")
}

/// The beginning and the end of a text, half of the budget each.
fn head_and_tail(counter: &Counter, text: &str, budget: u64) -> String {
    let letters: Vec<char> = text.chars().collect();
    let fits = |bytes: usize| {
        let head: String = letters[..bytes].iter().collect();
        let tail: String = letters[letters.len() - bytes..].iter().collect();
        (count(counter, &head) + count(counter, &tail) <= budget).then(|| head + "\n" + &tail)
    };
    let (mut low, mut high) = (0, letters.len() / 2);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle).is_some() {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    fits(low).unwrap_or_default()
}

#[test]
fn answers_stay_in_sight() {
    let (services, counter) = (services(), Counter::new());
    let mut sums: BTreeMap<u64, [usize; 4]> = BTreeMap::new();
    let mut table = String::new();
    let mut worse = Vec::new();
    let cases = cases();
    for case in &cases {
        let tokens = count(&counter, &case.text);
        let _ = write!(table, "| {} | {tokens}", case.name);
        for percent in PERCENTS {
            let budget = tokens * percent / 100;
            let ours = shown(&services, &case.text, &json!({"budget_tokens": budget}));
            assert!(ours.tokens <= budget, "{} at {percent} %: {}", case.name, ours.tokens);
            let row = [
                case.share(&ours.text),
                case.share(&random_lines(&counter, &case.text, budget)),
                case.share(&head_and_tail(&counter, &case.text, budget)),
                usize::try_from(ours.tokens * 1000 / budget).unwrap(),
            ];
            let sums = sums.entry(percent).or_default();
            sums.iter_mut().zip(row).for_each(|(sum, own)| *sum += own);
            if row[0] < row[1].max(row[2]) {
                worse.push(format!("{} at {percent} %: {row:?}", case.name));
            }
            let _ = write!(table, " | {} | {} | {}", row[0], row[1], row[2]);
        }
        table.push_str(" |\n");
    }
    for (percent, sums) in &sums {
        let _ = writeln!(table, "{percent} %: {:?}", sums.map(|sum| sum / cases.len()));
    }
    // The published table: run with `--nocapture`.
    eprintln!("{table}");
    assert!(worse.is_empty(), "{worse:#?}");
    for (percent, least) in PERCENTS.iter().zip(LEAST_MEANS) {
        assert!(sums[percent][0] / cases.len() >= least, "{percent} %\n{table}");
        assert!(sums[percent][3] / cases.len() >= 900, "{percent} % filled\n{table}");
    }
}

/// The lines of a shown text that are lines of the text itself.
fn own_lines<'s>(text: &BTreeSet<&str>, shown: &'s str) -> BTreeSet<&'s str> {
    let lines = shown.split(['\n', '\r']).map(str::trim_end);
    lines.filter(|line| line.len() > 3 && text.contains(line)).collect()
}

#[test]
fn a_bigger_budget_never_shows_less() {
    let (services, counter) = (services(), Counter::new());
    for case in cases() {
        let tokens = count(&counter, &case.text);
        let text: BTreeSet<&str> = case.text.split(['\n', '\r']).map(str::trim_end).collect();
        let (mut before, mut share) = (BTreeSet::new(), 0);
        for step in 1..=20 {
            let budget = tokens * step / 20;
            let options = json!({"budget_tokens": budget, "notations": "none"});
            let shown = shown(&services, &case.text, &options);
            let lines: BTreeSet<String> =
                own_lines(&text, &shown.text).into_iter().map(str::to_owned).collect();
            let lost: Vec<&String> = before.difference(&lines).collect();
            let own = case.share(&shown.text);
            assert!(lost.is_empty() && own >= share, "{} at {budget}: {lost:?}", case.name);
            (before, share) = (lines, own);
        }
    }
}

/// Whether an independent parser takes a text.
fn parses(name: &str, text: &str) -> Result<(), String> {
    let fails = |error: &dyn std::fmt::Display| Err(error.to_string());
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "json" => match serde_json::from_str::<Value>(text) {
            Ok(_) => Ok(()),
            Err(error) => fails(&error),
        },
        "xml" => match roxmltree::Document::parse(text) {
            Ok(_) => Ok(()),
            Err(error) => fails(&error),
        },
        "yaml" => match yaml_serde::from_str::<yaml_serde::Value>(text) {
            Ok(_) => Ok(()),
            Err(error) => fails(&error),
        },
        "csv" | "tsv" => {
            let separator = if extension == "csv" { ',' } else { '\t' };
            let mut widths = text.lines().map(|row| row.split(separator).count());
            let first = widths.next();
            if widths.all(|width| Some(width) == first) { Ok(()) } else { fails(&"uneven rows") }
        }
        "html" => {
            // Each element of these names is closed where it was opened.
            let mut open: Vec<&str> = Vec::new();
            for tag in text.split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
                let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
                if tag.starts_with('!') {
                    continue;
                }
                if !tag.starts_with('/') {
                    open.push(name);
                } else if open.pop() != Some(name) {
                    return fails(&format!("</{name}>"));
                }
            }
            if open.is_empty() { Ok(()) } else { fails(&format!("{open:?}")) }
        }
        _ => match text.lines().find(|line| serde_json::from_str::<Value>(line).is_err()) {
            None => Ok(()),
            Some(line) => fails(&line),
        },
    }
}

#[test]
fn structure_is_valid_at_every_budget() {
    let (services, counter) = (services(), Counter::new());
    let structured = ["json", "xml", "yaml", "csv", "tsv", "html"];
    let is_structured = |case: &Case| {
        let extension = case.name.rsplit_once('.').map_or("", |(_, extension)| extension);
        structured.contains(&extension) || case.name == "json_logs.txt"
    };
    let cases: Vec<Case> = cases().into_iter().filter(is_structured).collect();
    assert!(cases.len() >= 10, "{}", cases.len());
    for case in cases {
        parses(&case.name, &case.text).unwrap();
        let tokens = count(&counter, &case.text);
        for percent in (10..100).step_by(4) {
            let budget = tokens * percent / 100;
            let options = json!({"budget_tokens": budget, "notations": "none"});
            let shown = shown(&services, &case.text, &options);
            assert!(shown.tokens <= budget, "{} at {percent} %", case.name);
            if let Err(error) = parses(&case.name, &shown.text) {
                panic!("{} at {percent} %: {error}\n{}", case.name, shown.text);
            }
        }
    }
}

#[test]
fn a_text_without_lines_gives_pieces() {
    let services = services();
    let fields: Vec<String> = (0..300).map(|at| format!("field{at}={at}")).collect();
    for text in [fields.join("&"), fields.join(","), fields.join("\r"), "é".repeat(4_000)] {
        let shown = shown(&services, &text, &json!({"budget_tokens": 200}));
        assert!((160..=200).contains(&shown.tokens), "{}\n{}", shown.tokens, shown.text);
    }
}

#[test]
fn a_result_fills_the_room_that_the_ladder_leaves_over() {
    let (services, counter) = (services(), Counter::new());
    let cases = cases();
    for case in cases
        .iter()
        .filter(|case| ["errors_only.txt", "jest.txt", "orders.csv"].contains(&case.name.as_str()))
    {
        let call =
            json!({"id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}});
        let messages = json!([
            {"role": "user", "content": "Look at it."},
            {"role": "assistant", "content": null, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": case.text},
        ]);
        let tokens = count(&counter, &case.text);
        for percent in PERCENTS {
            let budget = tokens * percent / 100;
            let body = json!({"messages": messages, "budget_tokens": budget, "explain": "full"});
            let answer = compress_in(&services, &body.to_string()).unwrap();
            let (after, shown) = (answer.number("tokens_after"), answer.message(2));
            let shown = shown["content"].as_str().unwrap();
            assert!(answer.report()["fits"] == true, "{} at {percent} %", case.name);
            assert!(
                after * 10 >= budget * 8,
                "{} at {percent} %: {after} of {budget}\n{shown}",
                case.name
            );
            assert!(!shown.contains("content cleared"), "{} at {percent} %\n{shown}", case.name);
        }
    }
}

#[test]
fn errors_alone_too_many_show_one_of_each_kind_and_their_counts() {
    let services = services();
    let kinds = ["certificate of user_{} expired", "no row with id={}", "pool {} is empty"];
    let line = |at: usize| {
        let kind = kinds[at % 3].replace("{}", &at.to_string());
        format!("2026-03-01T10:00:{:02}Z [ERROR] {kind}\n", at % 60)
    };
    let text: String = (0..240).map(line).collect();
    let shown = shown(&services, &text, &json!({"budget_tokens": 500}));
    assert!(shown.tokens >= 450, "{}", shown.text);
    for kind in ["certificate of", "no row with", "is empty"] {
        assert!(shown.text.contains(kind), "{}", shown.text);
    }
    assert!(shown.text.contains("errors of each kind: 80×, 80×, 80×]"), "{}", shown.text);
}
