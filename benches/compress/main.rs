//! The compression engine beside what any service must do, in one run:
//! `cargo bench --bench compress`.
//!
//! A text is *without counting* where tokens are a quarter of its bytes (`bytes4`), which costs
//! nothing; *counting alone* is an exact count of every text as it came, by bpe-openai. What is compared is
//! measured by turns, in time on the processor where the system tells it, and the fastest rounds
//! are compared: a noisy machine only ever adds. Every iteration of a text has an engine and a
//! counter that know nothing; that of a conversation, a server that has seen another one.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark, not the service"
)]

mod formats;
#[path = "../ratios/mod.rs"]
mod ratios;
mod texts;

use std::sync::Arc;
use std::time::{Duration, Instant};

use contexture::compress::{
    AdapterSet, Depth, EditLimit, Encoder, Engine, Lossless, ReducedSize, Reducer, ShownForm,
    built_in_names,
};
use contexture::domain::{AdapterChoice, AdapterChoices, Models, TokenizerName};
use contexture::pipeline::Deadline;
use contexture::service::Services;
use contexture::service::compress::compress;
use contexture::tokenizer::Counter;
use divan::Bencher;
use divan::counter::BytesCount;
use formats::FORMATS;
use ratios::Ratios;
use texts::{KINDS, Random, conversation, hostile};

/// As the service has it.
#[global_allocator]
static ALLOCATOR: contexture_allocator::MiMalloc = contexture_allocator::MiMalloc;

const O200K: TokenizerName = TokenizerName::O200kBase;
const FREE: TokenizerName = TokenizerName::Bytes4;
/// Bytes of a text of one kind: a tool result.
const TEXT: usize = 32 * 1024;
const SIZES: &[usize] = &[4_000, 32_000, 128_000, 500_000];

fn main() {
    bpe_openai::o200k_base().count("warm");
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    if is_bench {
        // First, while no memory is left over that could be used again.
        memory();
    }
    divan::main();
    if is_bench {
        kinds();
        adapters();
        let mut ratios = Ratios::default();
        conversations(&mut ratios);
        ratios.finish();
        hostiles();
    }
}

fn text(kind: &str) -> Arc<str> {
    let kind = KINDS.iter().find(|known| known.name == kind).unwrap();
    kind.text(TEXT, &mut Random(7)).into()
}

#[divan::bench(args = KINDS.iter().map(|kind| kind.name), sample_count = 20)]
fn without_counting(bencher: Bencher<'_, '_>, kind: &str) {
    let text = text(kind);
    bencher
        .counter(BytesCount::of_str(&text))
        .with_inputs(|| (Engine::new(), Counter::new()))
        .bench_refs(|(engine, counter)| form(engine, counter, FREE, &text));
}

/// The form of a text by itself.
fn form(engine: &Engine, counter: &Counter, name: TokenizerName, text: &Arc<str>) -> ShownForm {
    let mut encoder = Encoder::new(engine, counter, name, Lossless::Equivalent);
    encoder.encode_result(&[Arc::clone(text)], EditLimit::Free).remove(0)
}

/// How long a form takes that nobody has asked for before.
fn cold(name: TokenizerName, text: &Arc<str>) -> Duration {
    let (engine, counter) = (Engine::new(), Counter::new());
    time(|| form(&engine, &counter, name, text))
}

fn floor(text: &str) -> Duration {
    time(|| bpe_openai::o200k_base().count(text))
}

/// The same by our counter, for what the dictionary takes minutes for.
fn counting(text: &str) -> Duration {
    let counter = Counter::new();
    time(|| counter.count(O200K, text))
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = (Instant::now(), on_processor());
    let made = divan::black_box(work());
    let spent = match (start.1, on_processor()) {
        (Some(start), Some(end)) => end.saturating_sub(start),
        _ => start.0.elapsed(),
    };
    drop(made);
    spent
}

/// How long this thread has run, without the time that others had the processor; Linux only.
fn on_processor() -> Option<Duration> {
    #[cfg(target_os = "linux")]
    {
        use rustix::time::{ClockId, clock_gettime};
        clock_gettime(ClockId::ThreadCPUTime).try_into().ok()
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The fastest of what is measured by turns, in seconds, and the second by the first.
fn pairs(
    rounds: usize,
    mut a: impl FnMut() -> Duration,
    mut b: impl FnMut() -> Duration,
) -> [f64; 3] {
    let mut fastest = [f64::MAX; 2];
    for _ in 0..rounds {
        fastest = [fastest[0].min(a().as_secs_f64()), fastest[1].min(b().as_secs_f64())];
    }
    [fastest[0], fastest[1], fastest[1] / fastest[0]]
}

fn verdict(met: bool) -> &'static str {
    if met { "" } else { "  missed" }
}

#[expect(clippy::cast_precision_loss, reason = "sizes of texts")]
fn kinds() {
    println!(
        "\nMB/s of text by kind, {TEXT} bytes each (goals: with counts ≤ 1.5 × counting alone); \
         by counting: how many times as fast as counting alone it is without counts"
    );
    println!(
        "{:>13} {:>7} {:>6} {:>9} {:>11} {:>9} {:>9} {:>6} {:>9}  rules",
        "kind", "no cnt", "goal", "counting", "by counting", "with cnt", "ratio", "goal", "tokens"
    );
    for kind in KINDS {
        let text = text(kind.name);
        let speed = |seconds: f64| text.len() as f64 / seconds / 1e6;
        let [free, ..] = pairs(400, || cold(FREE, &text), Duration::default);
        let [.., by_counting] = pairs(25, || cold(FREE, &text), || floor(&text));
        let [alone, whole, ratio] = pairs(25, || floor(&text), || cold(O200K, &text));
        let shown = form(&Engine::new(), &Counter::new(), O200K, &text);
        println!(
            "{:>13} {:>7.0} {:>6} {:>9.0} {by_counting:>11.1} {:>9.0} {ratio:>9.2} {:>6} {:>8.1}%  {}{}{}",
            kind.name,
            speed(free),
            kind.goal.map_or("-".to_owned(), |goal| format!("{goal:.0}")),
            speed(alone),
            speed(whole),
            "1.5",
            shown.tokens_after as f64 / shown.tokens_before as f64 * 100.0,
            shown.rules.join("+"),
            verdict(kind.goal.is_none_or(|goal| speed(free) >= goal)),
            verdict(ratio <= 1.5)
        );
    }
}

/// All adapters in their order, the one of prose too.
fn all() -> AdapterSet {
    let names = built_in_names().map(|name| AdapterChoice::Named(name.into()));
    AdapterSet::new(&AdapterChoices::Chosen(names.collect()), &Deadline::default())
}

/// What adapters leave of a text, without any notation.
fn reduced(
    engine: &Engine,
    counter: &Counter,
    adapters: &AdapterSet,
    text: &Arc<str>,
) -> ShownForm {
    Encoder::new(engine, counter, FREE, Lossless::Equivalent)
        .with_reducer(Reducer { adapters, pointer: None })
        .encode_reply(text, ReducedSize::To(Depth::Reduced))
}

#[expect(clippy::cast_precision_loss, reason = "sizes of texts")]
fn adapters() {
    println!(
        "\nMB/s of text by adapter, {TEXT} bytes each, without counting: to find the adapter, to \
         cut, to read again (goals: words ≥ 60, structure ≥ 40)"
    );
    println!("{:>18} {:>16} {:>7} {:>6} {:>8}  rules", "adapter", "text", "MB/s", "goal", "bytes");
    let all = all();
    for format in FORMATS {
        let text: Arc<str> = format.text(TEXT, &mut Random(7)).into();
        let own = format!("adapter:{}", format.adapter);
        let is_own = |adapters: &AdapterSet| {
            reduced(&Engine::new(), &Counter::new(), adapters, &text).rules == [own.as_str()]
        };
        // Of a text that one before it takes, it is asked by itself.
        let by_itself = AdapterSet::new(
            &AdapterChoices::Chosen(vec![AdapterChoice::Named(format.adapter.into())]),
            &Deadline::default(),
        );
        let is_alone = !is_own(&all) && is_own(&by_itself);
        let adapters = if is_alone { &by_itself } else { &all };
        let cold = || {
            let (engine, counter) = (Engine::new(), Counter::new());
            time(|| reduced(&engine, &counter, adapters, &text))
        };
        let [fastest, ..] = pairs(25, cold, Duration::default);
        let speed = text.len() as f64 / fastest / 1e6;
        let shown = reduced(&Engine::new(), &Counter::new(), adapters, &text);
        let left = shown.text.as_ref().map_or(text.len(), |shown| shown.len());
        println!(
            "{:>18} {:>16} {speed:>7.0} {:>6.0} {:>7.1}%  {}{}{}",
            format.adapter,
            format.name,
            format.goal,
            left as f64 / text.len() as f64 * 100.0,
            shown.rules.join("+"),
            match (is_alone, shown.rules == [own.as_str()]) {
                (true, _) => "  by itself",
                (false, true) => "",
                (false, false) => "  not by it",
            },
            verdict(speed >= format.goal)
        );
    }
}

/// A server that runs: its store is open, and it has compressed another conversation before.
fn running() -> Services {
    let services = Services::new(Models::built_in()).unwrap();
    let other = conversation(4_000, 5, None);
    compress(&services, &other, &Deadline::default()).unwrap();
    services
}

/// One compress of a conversation that nobody has seen before, on a server that runs.
fn service(body: &str) -> Duration {
    let services = running();
    time(|| compress(&services, body, &Deadline::default()).unwrap())
}

/// What of one such call is the engine's: to count and to compress, without reading the request,
/// storing the originals and writing the answer.
fn engine(body: &str) -> Duration {
    let timings = compress(&running(), body, &Deadline::default()).unwrap().timings;
    timings.count + timings.compile
}

/// The texts of a request's messages and their exact tokens.
fn contents(body: &str) -> (Vec<String>, u64) {
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    let mut texts = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        texts.extend(message["content"].as_str().map(str::to_owned));
        let arguments = message["tool_calls"][0]["function"]["arguments"].as_str();
        texts.extend(arguments.map(str::to_owned));
    }
    let tokens =
        texts.iter().map(|text| bpe_openai::o200k_base().count(text.as_str()) as u64).sum();
    (texts, tokens)
}

#[expect(clippy::cast_precision_loss, reason = "numbers of tokens")]
fn conversations(ratios: &mut Ratios) {
    println!(
        "\nconversations that a running server has not seen: the engine's part and the whole call by \
         counting alone (goals: the engine ≤ 1.5 × counting, a budget ≤ 1.5 × none, 500 k ≤ 1.2 × \
         32 k a token)"
    );
    println!(
        "{:>8} {:>9} {:>9} {:>8} {:>6} {:>6} {:>10} {:>12} {:>6}",
        "tokens",
        "count ms",
        "ms",
        "ns/token",
        "engine",
        "call",
        "budget ms",
        "to no budget",
        "kept"
    );
    for size in SIZES {
        let body = conversation(*size, 11, None);
        let (texts, tokens) = contents(&body);
        let half = conversation(*size, 11, Some(usize::try_from(tokens).unwrap() / 2));
        // What takes less is disturbed more.
        let rounds = match size {
            ..10_000 => 100,
            10_000..200_000 => 25,
            _ => 15,
        };
        let count = || {
            let tokens = |text: &String| bpe_openai::o200k_base().count(text.as_str());
            time(|| texts.iter().map(tokens).sum::<usize>())
        };
        let [_, _, own] = pairs(rounds, count, || engine(&body));
        let [alone, whole, ratio] = pairs(rounds, count, || service(&body));
        let [_, budget, to_none] = pairs(rounds, || service(&body), || service(&half));
        let services = Services::new(Models::built_in()).unwrap();
        let report = compress(&services, &body, &Deadline::default()).unwrap().report;
        println!(
            "{tokens:>8} {:>9.2} {:>9.2} {:>8.0} {own:>6.2} {ratio:>6.2} {:>10.2} {to_none:>12.2} {:>5.1}%{}{}",
            alone * 1e3,
            whole * 1e3,
            whole * 1e9 / tokens as f64,
            budget * 1e3,
            report.tokens_after as f64 / report.tokens_before as f64 * 100.0,
            verdict(own <= 1.5),
            verdict(to_none <= 1.5)
        );
        ratios.note(format!("compress.engine.{size}"), own);
        ratios.note(format!("compress.call.{size}"), ratio);
        ratios.note(format!("compress.budget.{size}"), to_none);
    }
    let (small, large) = (conversation(32_000, 13, None), conversation(500_000, 13, None));
    let (few, many) = (contents(&small).1, contents(&large).1);
    let [_, _, ratio] = pairs(7, || service(&small), || service(&large));
    let ratio = ratio * few as f64 / many as f64;
    println!("a token of {many} beside one of {few}: {ratio:.2} ×{}", verdict(ratio <= 1.2));
}

/// A line of the kernel's account of this process, in KiB.
fn status(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim_matches([':', '\t', ' ']).split(' ').next()?.parse().ok()
}

fn memory() {
    println!("\npeak memory of one compress beyond what was there before");
    for size in SIZES {
        let body = conversation(*size, 17, None);
        // Begins the peak anew.
        let is_reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
        let (true, Some(before)) = (is_reset, status("VmRSS")) else {
            println!("  not known: this is not Linux");
            return;
        };
        service(&body);
        let peak = status("VmHWM").unwrap_or_default();
        println!(
            "{size:>8} tokens, body of {} KiB: {} KiB more, {peak} KiB in all",
            body.len() >> 10,
            peak.saturating_sub(before)
        );
    }
}

fn hostiles() {
    println!("\n1 MB of hostile text beside 1 MB of plain text (goal: ≤ 5 ×)");
    let mut plain = String::new();
    let mut random = Random(3);
    while plain.len() < 1_000_000 {
        let kind = &KINDS[random.next(KINDS.len())];
        plain.push_str(&kind.text(4_000, &mut random));
        plain.push('\n');
    }
    let plain: Arc<str> = plain.into();
    println!(
        "{:>20} {:>9} {:>9} {:>9} {:>14}",
        "text", "no count", "counted", "adapters", "counting alone"
    );
    let adapters = all();
    let rung_2 = |text: &Arc<str>| {
        let (engine, counter) = (Engine::new(), Counter::new());
        time(|| reduced(&engine, &counter, &adapters, text))
    };
    for (name, text) in hostile() {
        let text: Arc<str> = text.into();
        let [_, _, shorter] = pairs(3, || rung_2(&plain), || rung_2(&text));
        let [_, _, free] = pairs(3, || cold(FREE, &plain), || cold(FREE, &text));
        let [_, _, whole] = pairs(3, || cold(O200K, &plain), || cold(O200K, &text));
        let [_, _, alone] = pairs(3, || counting(&plain), || counting(&text));
        let met = free <= 5.0 && whole <= 5.0 && shorter <= 5.0;
        println!(
            "{name:>20} {free:>8.2}× {whole:>8.2}× {shorter:>8.2}× {alone:>13.2}×{}",
            verdict(met)
        );
    }
}
