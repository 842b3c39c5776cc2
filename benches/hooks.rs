//! What synchronous hooks cost beside a bare HTTP round trip to the same receiver, in one run:
//! `cargo bench --bench hooks`.
//!
//! Four servers: without a hook, with one transform at `transform_context`, with three of them, which run
//! one after another, and with three hooks that provide at `before_compile`, which are called side by
//! side. All are asked by turns, one request at a time; the bare round trip sends the receiver what a
//! hook's call sends, over a connection that is kept. What hooks add to a compile is held against it.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark, not the service"
)]

mod ratios;

use std::net::SocketAddr;
use std::time::Instant;

use clap::Parser;
use contexture::config::Config;
use contexture::server::Server;
use ratios::Ratios;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// As the service has it.
#[global_allocator]
static ALLOCATOR: contexture_allocator::MiMalloc = contexture_allocator::MiMalloc;

const WARM: usize = 50;
const ROUNDS: usize = 600;

/// The hooks of a server.
struct Setup {
    name: &'static str,
    hooks: usize,
    point: &'static str,
    kind: &'static str,
    /// Round trips that all of them may add to a compile.
    goal: f64,
}

const SETUPS: [Setup; 4] = [
    Setup { name: "none", hooks: 0, point: "", kind: "", goal: 0.0 },
    Setup { name: "one", hooks: 1, point: "transform_context", kind: "transform", goal: 1.3 },
    Setup {
        name: "three in a row",
        hooks: 3,
        point: "transform_context",
        kind: "transform",
        goal: 3.9,
    },
    Setup {
        name: "three side by side",
        hooks: 3,
        point: "before_compile",
        kind: "provide",
        goal: 1.5,
    },
];

#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    config: Config,
}

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(run());
}

async fn run() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = receiver().await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut servers = Vec::new();
    for (nth, setup) in SETUPS.iter().enumerate() {
        let url = format!("sqlite:{}", folder.path().join(format!("{nth}.db")).display());
        let line = ["serve", "--listen", "127.0.0.1:0", "--dev", "--database-url", &url];
        let server = Server::build(Flags::parse_from(line).config).await.unwrap();
        let base = format!("http://{}", server.address());
        tokio::spawn(server.run_until(std::future::pending()));
        for at in 0..setup.hooks {
            let hook = json!({"id": format!("h{at}"), "point": setup.point, "kind": setup.kind,
                "url": format!("http://{receiver}/")});
            let made = client.post(format!("{base}/hooks")).json(&hook).send().await.unwrap();
            assert_eq!(made.status(), 201);
        }
        servers.push(format!("{base}/compile"));
    }
    let body = conversation();
    let call = json!({"spec": "hooks/1", "point": "transform_context", "kind": "transform",
        "input": {"target": "openai", "model": "gpt-4o", "messages": body.get("messages")}});
    let bare_url = format!("http://{receiver}/");
    let mut bare = Vec::new();
    let mut compiles: Vec<Vec<f64>> = servers.iter().map(|_| Vec::new()).collect();
    for round in 0..WARM + ROUNDS {
        let took = ask(&client, &bare_url, &call).await;
        if round >= WARM {
            bare.push(took);
        }
        for (url, times) in servers.iter().zip(&mut compiles) {
            let took = ask(&client, url, &body).await;
            if round >= WARM {
                times.push(took);
            }
        }
    }
    let bare = median(bare);
    println!("bare round trip   {bare:>8.3} ms");
    println!("{:<20} compile ms   hooks ms   round trips   goal", "hooks");
    let (mut none, mut ratios) = (0.0, Ratios::default());
    for (setup, times) in SETUPS.iter().zip(compiles) {
        let (name, took) = (setup.name, median(times));
        if setup.hooks == 0 {
            none = took;
            println!("{name:<20} {took:>10.3}");
            continue;
        }
        let added = took - none;
        let trips = added / bare;
        let verdict = if trips <= setup.goal { "" } else { "   missed" };
        println!(
            "{name:<20} {took:>10.3} {added:>10.3} {trips:>13.2} {:>6.1}{verdict}",
            setup.goal
        );
        ratios.note(format!("hooks.{}", name.replace(' ', "_")), trips);
    }
    ratios.finish();
}

/// Forty turns: what a hook is sent has the size of a conversation.
fn conversation() -> Value {
    let text = "A sentence of some words, as people and models write them. ".repeat(4);
    let turn = |at: usize| {
        let role = if at.is_multiple_of(2) { "user" } else { "assistant" };
        json!({"role": role, "content": format!("{at}. {text}")})
    };
    let messages: Vec<Value> = (0..41).map(turn).collect();
    json!({"messages": messages, "model": "gpt-4o", "record": "none"})
}

/// Milliseconds until an answer is there, whole.
async fn ask(client: &reqwest::Client, url: &str, body: &Value) -> f64 {
    let start = Instant::now();
    let answer = client.post(url).json(body).send().await.unwrap();
    assert!(answer.status().is_success());
    answer.bytes().await.unwrap();
    start.elapsed().as_secs_f64() * 1e3
}

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or_default()
}

/// A server that changes nothing, on connections that it keeps.
async fn receiver() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    address
}

async fn serve(mut stream: TcpStream) {
    const BODY: &str = "null";
    stream.set_nodelay(true).unwrap();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(read) => bytes.extend_from_slice(buffer.get(..read).unwrap_or_default()),
        }
        if is_whole(&bytes) {
            bytes.clear();
            if stream.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

fn is_whole(bytes: &[u8]) -> bool {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    bytes.len() >= end + 4 + length
}
