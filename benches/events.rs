//! A thousand streams of events beside a bare broadcast, in one run: `cargo bench --bench events`.
//!
//! Both are servers in processes of their own, whose processor time and memory are read from outside;
//! the readers stand in this one. The bare one is axum's SSE over a broadcast channel: it stores
//! nothing, separates no tenants and cannot resume. What is published is a write to memory here, and the
//! same number of bytes there. Both are first written to while nobody listens: what storing costs in
//! time and memory is not what a stream costs. With `-- --bare` this program is the bare server; `scripts/load.py` uses
//! it as the floor for requests, too.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::unchecked_time_subtraction,
    reason = "a benchmark, not the service"
)]

use std::convert::Infallible;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use axum::Router;
use axum::extract::State;
use axum::response::sse::{Event, Sse};
use axum::routing::{get, post, put};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;
use tokio::time::MissedTickBehavior;

/// As the service has it.
#[global_allocator]
static ALLOCATOR: contexture_allocator::MiMalloc = contexture_allocator::MiMalloc;

const SUBSCRIBERS: u64 = 1_000;
/// Events a second, and for how long.
const RATE: u64 = 100;
const SECONDS: u64 = 10;
const EVENTS: u64 = RATE * SECONDS;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if std::env::args().any(|argument| argument == "--bare") {
        runtime.block_on(bare());
    } else if std::env::args().any(|argument| argument == "--bench") {
        runtime.block_on(compare());
    }
}

/// A server that does nothing but HTTP.
async fn bare() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("listening on http://{}", listener.local_addr().unwrap());
    let (sender, _) = broadcast::channel::<Arc<str>>(4_096);
    let app = Router::new()
        .route("/memory/{key}", put(publish))
        .route("/events", get(subscribe))
        .route("/echo", post(echo))
        .with_state(sender);
    axum::serve(listener, app).await.unwrap();
}

/// Parses a body and writes it again.
async fn echo(body: String) -> String {
    let value: Value = serde_json::from_str(&body).unwrap_or_default();
    serde_json::to_string(&value).unwrap_or_default()
}

async fn publish(State(sender): State<broadcast::Sender<Arc<str>>>, body: String) {
    let _ = sender.send(body.into());
}

async fn subscribe(
    State(sender): State<broadcast::Sender<Arc<str>>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    Sse::new(unfold(sender.subscribe(), async |mut receiver| {
        let text = receiver.recv().await.ok()?;
        Some((Ok(Event::default().id("1").event("memory:changed").data(&*text)), receiver))
    }))
}

async fn compare() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("events.db").display());
    let own = ["serve", "--listen", "127.0.0.1:0", "--database-url", url.as_str()];
    let program = std::env::current_exe().unwrap();
    println!(
        "{SUBSCRIBERS} subscribers, {RATE} events/s for {SECONDS} s\n\
         {:<12} {:>10} {:>9} {:>9} {:>12} {:>12}",
        "", "complete", "p50 ms", "p99 ms", "µs/delivery", "KiB/stream"
    );
    let bare = run("bare", Command::new(program).arg("--bare")).await;
    let ours = run("contexture", Command::new(env!("CARGO_BIN_EXE_contexture")).args(own)).await;
    println!("processor time of a delivery, ours over bare: {:.2}", ours / bare);
}

/// One server under load; gives the microseconds of processor time that a delivery costs it beyond the
/// write that it tells of.
async fn run(name: &str, command: &mut Command) -> f64 {
    let mut server = Server::start(command);
    let used = server.processor_time();
    write(&server.address).await;
    let unheard = server.processor_time() - used;
    let before = server.resident_kib();
    let heard = Arc::new(AtomicU64::new(0));
    let mut readers = Vec::new();
    for _ in 0..SUBSCRIBERS {
        readers.push(tokio::spawn(read(server.address.clone(), Arc::clone(&heard))));
    }
    // Each reader counts itself once its stream is open.
    while heard.load(Ordering::Relaxed) < SUBSCRIBERS {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let used = server.processor_time();
    write(&server.address).await;
    let mut delays = Vec::new();
    let mut complete = 0;
    for reader in readers {
        let took = reader.await.unwrap();
        complete += u64::from(took.len() as u64 == EVENTS);
        delays.extend(took);
    }
    let used = (server.processor_time() - used).saturating_sub(unheard);
    let memory = server.resident_kib().saturating_sub(before);
    server.stop();
    delays.sort_unstable();
    let at = |share: f64| {
        let index = (delays.len() as f64 * share) as usize;
        delays.get(index.min(delays.len().saturating_sub(1))).copied().unwrap_or_default()
    };
    let cost = used.as_secs_f64() * 1e6 / (SUBSCRIBERS * EVENTS) as f64;
    println!(
        "{name:<12} {:>10} {:>9.1} {:>9.1} {cost:>12.2} {:>12.1}",
        format!("{complete}/{SUBSCRIBERS}"),
        at(0.5) as f64 / 1e3,
        at(0.99) as f64 / 1e3,
        memory as f64 / SUBSCRIBERS as f64,
    );
    cost
}

/// Changes memory at an even rate. The key says when, so that readers know how late they hear of it.
async fn write(address: &str) {
    let client = reqwest::Client::new();
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / u32::try_from(RATE).unwrap());
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut writes = Vec::new();
    for _ in 0..EVENTS {
        ticks.tick().await;
        let key = format!("at_{}", now());
        // Both get the same body; the bare one sends it on, which is about as long as our event.
        let body = json!({"value": key, "description": "one of many", "tags": ["a", "b"]});
        let request = client.put(format!("http://{address}/memory/{key}")).json(&body);
        writes.push(tokio::spawn(async move {
            assert!(request.send().await.unwrap().status().is_success());
        }));
    }
    for write in writes {
        write.await.unwrap();
    }
}

/// Reads one stream until it has every event; gives the microseconds that each took.
async fn read(address: String, open: Arc<AtomicU64>) -> Vec<u64> {
    let mut link = TcpStream::connect(&address).await.unwrap();
    link.write_all(b"GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let (mut delays, mut text, mut buffer) = (Vec::new(), Vec::new(), vec![0; 16 * 1024]);
    let mut is_open = false;
    while (delays.len() as u64) < EVENTS {
        let wait = tokio::time::timeout(Duration::from_secs(20), link.read(&mut buffer)).await;
        let Ok(Ok(count @ 1..)) = wait else { break };
        if !is_open {
            is_open = true;
            open.fetch_add(1, Ordering::Relaxed);
        }
        text.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let now = now();
        // The key of an event, `at_` and microseconds, stands first in its data.
        while let Some(at) = text.windows(4).position(|four| four == b"\"at_") {
            let digits = text.get(at + 4..).unwrap_or_default();
            let Some(end) = digits.iter().position(|byte| !byte.is_ascii_digit()) else { break };
            let sent = std::str::from_utf8(digits.get(..end).unwrap_or_default()).unwrap();
            delays.push(now.saturating_sub(sent.parse().unwrap()));
            text.drain(..at + 4 + end);
        }
        // What is left of it holds no other key.
        if text.len() > 3 && !text.windows(4).any(|four| four == b"\"at_") {
            text.drain(..text.len() - 3);
        }
    }
    delays
}

/// Microseconds since 1970.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    u64::try_from(now.as_micros()).unwrap()
}

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit('/').next().unwrap().to_owned();
        let start = Instant::now();
        while std::net::TcpStream::connect(&address).is_err() {
            assert!(start.elapsed() < Duration::from_secs(10), "it does not listen");
        }
        Self { child, address }
    }

    /// Processor time so far, of all threads.
    fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // Behind the name in brackets: state is the third field, user and system time 14 and 15.
        let (_, fields) = stat.rsplit_once(')').unwrap();
        let ticks: u64 = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|field| field.parse::<u64>().unwrap())
            .sum();
        Duration::from_millis(ticks * 10)
    }

    fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
