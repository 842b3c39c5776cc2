//! Memory over HTTP beside the store's own floor, in one run: `cargo bench --bench memory`.
//!
//! The floor is the store alone: the same entry in the same kind of transaction, by as many threads
//! as there are clients. Clients, server and floor share this machine's cores. Then recalls over
//! 100,000 entries.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark, not the service"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use contexture::config::Config;
use contexture::domain::{
    Classification, Clock, MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryStatus,
    MemoryTier, Models, RawJson,
};
use contexture::server::Server;
use contexture::service::{Services, memory};
use contexture::store::{Error, Retention, Store, Tenant};

/// As the service has it.
#[global_allocator]
static ALLOCATOR: contexture_allocator::MiMalloc = contexture_allocator::MiMalloc;

/// Clients at once.
const CLIENTS: usize = 64;
const ROUND: Duration = Duration::from_secs(2);
const ROUNDS: usize = 3;
const ENTRIES: u64 = 100_000;

#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    config: Config,
}

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let file = |name: &str| folder.path().join(name);
    let url = format!("sqlite:{}", file("server.db").display());
    let line = ["serve", "--listen", "127.0.0.1:0", "--database-url", &url];
    let server = runtime.block_on(Server::build(Flags::parse_from(line).config)).unwrap();
    let base = format!("http://{}/memory", server.address());
    runtime.spawn(server.run_until(std::future::pending()));
    let store = Store::sqlite(&file("floor.db"), Retention::default(), Clock::system()).unwrap();
    let floor = store.tenant("default");

    println!("{CLIENTS} at once         floor/s    HTTP/s    share");
    compare("durable writes", || writes(&floor), || puts(&runtime, &base));
    compare("reads", || reads(&floor), || gets(&runtime, &base));
    recalls(&file("large.db"));
}

/// The medians of rounds that are taken by turns.
fn compare(name: &str, mut floor: impl FnMut() -> f64, mut http: impl FnMut() -> f64) {
    let (mut floors, mut https, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (floor, http) = (floor(), http());
        floors.push(floor);
        https.push(http);
        shares.push(http / floor);
    }
    let [floor, http, share] = [floors, https, shares].map(median);
    println!("{name:<20} {floor:>9.0} {http:>9.0} {share:>8.2}");
}

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or_default()
}

/// How often `work` is done in a second by so many threads.
fn by_threads(work: impl Fn(u64) + Sync) -> f64 {
    let done = AtomicU64::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                while start.elapsed() < ROUND {
                    work(done.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
    });
    done.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

fn writes(tenant: &Tenant) -> f64 {
    by_threads(|number| {
        let entry = entry(number, "a value of some words");
        let stored: Result<(), Error> = tenant.write_durable(move |tx| {
            let old = tx.memory(&entry.scope, &entry.key)?;
            let version = old.map_or(1, |old| old.version + 1);
            let entry = MemoryEntry { version, ..entry.clone() };
            tx.put_memory(&entry, MemoryAction::Set, MemoryOrigin::Direct)
        });
        stored.unwrap();
    })
}

fn reads(tenant: &Tenant) -> f64 {
    let scope = MemoryScope::default();
    by_threads(|number| {
        let key = format!("key-{}", number % 100);
        tenant.read(|tx| tx.memory(&scope, &key)).unwrap().unwrap();
    })
}

/// How often a request is answered in a second, asked by so many clients.
fn by_clients<F>(runtime: &tokio::runtime::Runtime, ask: impl Fn(u64) -> F) -> f64
where
    F: Future<Output = ()> + Send + 'static,
{
    let done = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    runtime.block_on(async {
        let mut asking = tokio::task::JoinSet::new();
        for _ in 0..CLIENTS {
            asking.spawn(ask(done.fetch_add(1, Ordering::Relaxed)));
        }
        while asking.join_next().await.is_some() {
            if start.elapsed() < ROUND {
                asking.spawn(ask(done.fetch_add(1, Ordering::Relaxed)));
            }
        }
    });
    done.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

fn puts(runtime: &tokio::runtime::Runtime, base: &str) -> f64 {
    let client = reqwest::Client::new();
    by_clients(runtime, |number| {
        let request = client
            .put(format!("{base}/key-{number}"))
            .json(&serde_json::json!({"value": "a value of some words"}));
        async move { assert!(request.send().await.unwrap().status().is_success()) }
    })
}

fn gets(runtime: &tokio::runtime::Runtime, base: &str) -> f64 {
    let client = reqwest::Client::new();
    by_clients(runtime, |number| {
        let request = client.get(format!("{base}/key-{}", number % 100));
        async move { assert!(request.send().await.unwrap().status().is_success()) }
    })
}

fn recalls(file: &std::path::Path) {
    let store = Store::sqlite(file, Retention::default(), Clock::system()).unwrap();
    let tenant = store.tenant("default");
    for first in (0..ENTRIES).step_by(1_000) {
        let stored: Result<(), Error> = tenant.write(move |tx| {
            (first..first + 1_000).try_for_each(|number| {
                let entry = entry(number, &words(number));
                tx.put_memory(&entry, MemoryAction::Set, MemoryOrigin::Direct)
            })
        });
        stored.unwrap();
    }
    let services = Services::with_store(Models::built_in(), store);
    services.warm();
    for (name, count) in [("3 words", 3_u64), ("12 words", 12)] {
        let mut times: Vec<f64> = (0..300)
            .map(|round| {
                let question: Vec<String> =
                    (0..count).map(|at| word(round * 7 + at * at * 31)).collect();
                let body = serde_json::json!({"query": question.join(" ")}).to_string();
                let start = Instant::now();
                memory::recall(&services, &body).unwrap();
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied();
        let (p50, p99) = (at(0.5).unwrap_or_default(), at(0.99).unwrap_or_default());
        println!("recall of {ENTRIES} entries, {name}: p50 {p50:.2} ms, p99 {p99:.2} ms");
    }
}

/// A vocabulary as languages have it: few words stand in many entries, most in few.
fn word(seed: u64) -> String {
    let hash = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let rank = 20_000 / (1 + hash % 20_000);
    format!("word{}", rank + hash % (1 + rank))
}

fn words(number: u64) -> String {
    let list: Vec<String> = (0..20).map(|at| word(number * 20 + at)).collect();
    list.join(" ")
}

fn entry(number: u64, value: &str) -> MemoryEntry {
    let now = Clock::system().now();
    MemoryEntry {
        scope: MemoryScope::default(),
        key: format!("key-{number}").into(),
        value: RawJson::new(serde_json::to_string(value).unwrap()),
        description: None,
        tags: Vec::new(),
        importance: (number % 100) as f64 / 100.0,
        tier: MemoryTier::Semantic,
        classification: Classification::Internal,
        status: MemoryStatus::Promoted,
        source: None,
        author: None,
        metadata: None,
        version: 1,
        update_count: 1,
        created_at: now,
        updated_at: now,
        ttl: None,
        expires_at: None,
        expires_at_turn: None,
    }
}
