//! Compiles beside a floor measured in the same run: `cargo bench`.
//!
//! The floor is what any service must do: parse the JSON into typed messages with `serde_json`,
//! count every text with bpe-openai, serialise. *Cold* compiles a conversation never seen
//! before; *warm* compiles one whose messages but the last were compiled before, and is held
//! against the floor without the counting. After divan's table the ratios are measured again
//! in pairs, floor and compile by turns, so that a noisy machine disturbs both alike.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark, not the service"
)]

mod ratios;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use contexture::domain::Models;
use contexture::pipeline::Deadline;
use contexture::service::Services;
use contexture::service::compile::compile;
use divan::Bencher;
use ratios::Ratios;
use serde::{Deserialize, Serialize};

/// As the service has it.
#[global_allocator]
static ALLOCATOR: contexture_allocator::MiMalloc = contexture_allocator::MiMalloc;

const SIZES: &[usize] = &[4_000, 32_000, 128_000, 500_000];
const RUNS: [&str; 4] = ["-", "=", " ", "a"];

fn main() {
    bpe_openai::o200k_base().count("warm");
    divan::main();
    if std::env::args().any(|argument| argument == "--bench") {
        let mut ratios = Ratios::default();
        compiles(&mut ratios);
        records(&mut ratios);
        one_character(&mut ratios);
        ratios.finish();
    }
}

#[derive(Serialize, Deserialize)]
struct Request {
    messages: Vec<Message>,
    target: String,
    model: String,
    budget: serde_json::Value,
    record: String,
}

#[derive(Serialize, Deserialize)]
struct Message {
    role: String,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<Vec<Call>>,
}

#[derive(Serialize, Deserialize)]
struct Call {
    id: String,
    r#type: String,
    function: Function,
}

#[derive(Serialize, Deserialize)]
struct Function {
    name: String,
    arguments: String,
}

/// A small generator of its own: the same seed gives the same conversation.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap()
    }
}

const WORDS: &[&str] = &[
    "the",
    "build",
    "fails",
    "in",
    "module",
    "because",
    "a",
    "value",
    "moved",
    "into",
    "closure",
    "is",
    "used",
    "again",
    "test",
    "server",
    "returns",
    "status",
    "unexpected",
    "token",
    "where",
    "we",
    "expected",
    "configuration",
    "file",
    "path",
    "request",
    "response",
    "retry",
    "timeout",
];

fn prose(random: &mut Random, words: usize) -> String {
    let mut text = String::new();
    for _ in 0..words {
        text.push_str(WORDS[random.next(WORDS.len())]);
        text.push(if random.next(12) == 0 { '\n' } else { ' ' });
    }
    text
}

fn message(role: &str, content: String) -> Message {
    Message { role: role.to_owned(), content, tool_call_id: None, tool_calls: None }
}

/// A call and what it answered, about 1,300 tokens.
fn turn(random: &mut Random, number: usize) -> [Message; 2] {
    let id = format!("call_{number}");
    let function = Function {
        name: "run_command".to_owned(),
        arguments: format!("{{\"command\":\"cargo test module_{}\"}}", random.next(900)),
    };
    let mut call = message("assistant", prose(random, 30));
    call.tool_calls = Some(vec![Call { id: id.clone(), r#type: "function".to_owned(), function }]);
    let mut output = String::new();
    for line in 0..40 {
        let (file, row, column) = (random.next(90), line * 7 + random.next(7), random.next(80));
        let said = prose(random, 8);
        let hash = random.next(1 << 30);
        writeln!(output, "src/module_{file}.rs:{row}:{column}: {} [{hash:08x}]", said.trim_end())
            .unwrap();
    }
    let mut result = message("tool", output);
    result.tool_call_id = Some(id);
    [call, result]
}

/// An agent's conversation of about `tokens` tokens, as request text; `more`: one message more.
fn conversation(tokens: usize, seed: u64, more: bool) -> String {
    let mut random = Random(seed | 1);
    let mut messages =
        vec![message("system", prose(&mut random, 300)), message("user", prose(&mut random, 60))];
    for number in 0..tokens.saturating_sub(400).div_ceil(1_340) {
        messages.extend(turn(&mut random, number));
    }
    if more {
        messages.push(message("user", format!("And what now? {}", random.next(1 << 40))));
    }
    let budget = serde_json::json!({"context_window": 4_000_000, "reserve_output": 4096});
    let (target, model, record) = ("openai".to_owned(), "gpt-4o".to_owned(), "none".to_owned());
    serde_json::to_string(&Request { messages, target, model, budget, record }).unwrap()
}

fn floor(body: &str, counts: bool) -> (String, usize) {
    let request: Request = serde_json::from_str(body).unwrap();
    let mut tokens = 0;
    if counts {
        let tokenizer = bpe_openai::o200k_base();
        for message in &request.messages {
            tokens += tokenizer.count(message.content.as_str());
            for call in message.tool_calls.iter().flatten() {
                tokens += tokenizer.count(call.function.name.as_str());
                tokens += tokenizer.count(call.function.arguments.as_str());
            }
        }
    }
    (serde_json::to_string(&request).unwrap(), tokens)
}

fn services() -> Services {
    Services::new(Models::built_in()).expect("a store in memory")
}

fn ours(services: &Services, body: &str) -> usize {
    compile(services, body, &Deadline::default()).unwrap().body.start().len()
}

#[divan::bench(args = SIZES)]
fn floor_cold(bencher: Bencher<'_, '_>, tokens: usize) {
    let body = conversation(tokens, 7, false);
    bencher.bench(|| floor(&body, true));
}

#[divan::bench(args = SIZES)]
fn compile_cold(bencher: Bencher<'_, '_>, tokens: usize) {
    let body = conversation(tokens, 7, false);
    bencher.with_inputs(services).bench_refs(|services| ours(services, &body));
}

#[divan::bench(args = SIZES)]
fn floor_warm(bencher: Bencher<'_, '_>, tokens: usize) {
    let body = conversation(tokens, 7, true);
    bencher.bench(|| floor(&body, false));
}

#[divan::bench(args = SIZES)]
fn compile_warm(bencher: Bencher<'_, '_>, tokens: usize) {
    let services = services();
    ours(&services, &conversation(tokens, 7, false));
    let body = conversation(tokens, 7, true);
    bencher.bench(|| ours(&services, &body));
}

/// Median of pairs measured by turns.
fn pairs(
    rounds: usize,
    mut a: impl FnMut() -> Duration,
    mut b: impl FnMut() -> Duration,
) -> [f64; 3] {
    let mut ratios = Vec::new();
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (a, b) = (a().as_secs_f64(), b().as_secs_f64());
        ratios.push(b / a);
        times.0.push(a * 1e3);
        times.1.push(b * 1e3);
    }
    [ratios, times.0, times.1].map(|mut list| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    })
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    divan::black_box(work());
    start.elapsed()
}

fn compiles(ratios: &mut Ratios) {
    println!(
        "\nratios of medians measured by turns (goals: cold ≤ 1.15, 0.85 from 128,000 on; warm ≤ 1.5, 2 at 4,000)"
    );
    println!(
        "{:>8} {:>10} {:>10} {:>6} {:>10} {:>10} {:>6} {:>14}",
        "tokens", "floor ms", "cold ms", "ratio", "floor ms", "warm ms", "ratio", "warm/cold floor"
    );
    for tokens in SIZES {
        let rounds = if *tokens > 200_000 { 11 } else { 31 };
        let body = conversation(*tokens, 11, false);
        let cold = pairs(
            rounds,
            || time(|| floor(&body, true)),
            || {
                let services = services();
                time(|| ours(&services, &body))
            },
        );
        let services = services();
        ours(&services, &body);
        let grown = conversation(*tokens, 11, true);
        let warm = pairs(
            rounds * 3,
            || time(|| floor(&grown, false)),
            || time(|| ours(&services, &grown)),
        );
        println!(
            "{tokens:>8} {:>10.3} {:>10.3} {:>6.2} {:>10.3} {:>10.3} {:>6.2} {:>14.3}",
            cold[1],
            cold[2],
            cold[0],
            warm[1],
            warm[2],
            warm[0],
            warm[2] / cold[1]
        );
        ratios.note(format!("compile.cold.{tokens}"), cold[0]);
        ratios.note(format!("compile.warm.{tokens}"), warm[0]);
        let spent = compile(&services, &grown, &Deadline::default()).unwrap().timings;
        let [parse, count, stages, serialise] =
            [spent.parse, spent.count, spent.compile, spent.serialise]
                .map(|time| time.as_secs_f64() * 1e3);
        println!(
            "{:>8} parse {parse:.3}, count {count:.3}, stages {stages:.3}, serialise {serialise:.3} ms",
            "warm:"
        );
    }
}

/// What a record costs a warm compile.
fn records(ratios: &mut Ratios) {
    println!(
        "\nrecords: warm compiles by turns (goal: hashes ≤ 2 × none, and ≤ 1 ms more at 128,000)"
    );
    println!(
        "{:>8} {:>10} {:>10} {:>6} {:>10} {:>6}",
        "tokens", "none ms", "hashes", "ratio", "full", "ratio"
    );
    for tokens in SIZES {
        let rounds = if *tokens > 200_000 { 31 } else { 91 };
        let services = services();
        let none = conversation(*tokens, 11, true);
        let of =
            |level: &str| none.replace(r#""record":"none""#, &format!(r#""record":"{level}""#));
        let (hashes, full) = (of("hashes"), of("full"));
        for body in [&none, &hashes, &full] {
            ours(&services, body);
        }
        let beside = |body: &str| {
            pairs(rounds, || time(|| ours(&services, &none)), || time(|| ours(&services, body)))
        };
        let (hashes, full) = (beside(&hashes), beside(&full));
        println!(
            "{tokens:>8} {:>10.3} {:>10.3} {:>6.2} {:>10.3} {:>6.2}",
            hashes[1], hashes[2], hashes[0], full[2], full[0]
        );
        ratios.note(format!("compile.record_hashes.{tokens}"), hashes[0]);
        ratios.note(format!("compile.record_full.{tokens}"), full[0]);
    }
}

fn one_character(ratios: &mut Ratios) {
    println!("\n1 MB of one character beside 1 MB of text (goal: ≤ 5 ×)");
    let text = conversation(230_000, 3, false);
    let text: String = text.chars().take(1_000_000).collect();
    let request = |content: &str| {
        serde_json::json!({"messages": [{"role": "user", "content": content}], "target": "openai", "model": "gpt-4o"})
            .to_string()
    };
    let plain = request(&text);
    for run in RUNS {
        let body = request(&run.repeat(1_000_000));
        let [ratio, ..] =
            pairs(5, || time(|| ours(&services(), &plain)), || time(|| ours(&services(), &body)));
        println!("  {run:?}: {ratio:.2} ×");
        ratios.note(format!("compile.one_character.{run:?}"), ratio);
    }
}
