//! The law of the HTTP API: a request costs what its size gives it, and is never a fault of ours.
//!
//! An input is a short sequence of requests to one server with an empty store. Bytes steer a
//! generator that walks the OpenAPI description; an input that begins with [`script::MARK`] is a
//! script instead, so that a seed can be written by hand. `CONTEXTURE_FUZZ_OUT` names a file that
//! the requests of an input are written to before they are sent, in full.

mod description;
mod distort;
mod generate;
mod known;
mod leaf;
mod script;
mod server;

use std::cell::RefCell;
use std::fmt::Write as _;

use arbitrary::Unstructured;
pub use peak_alloc::PeakAlloc;
use serde_json::Value;

use self::description::Description;
use self::generate::Generator;
use self::known::Known;
use self::server::{Reply, Server};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// Requests of an input.
const MAX_REQUESTS: usize = 6;
/// Separates the bytes of one request from those of the next, so that a change to one leaves the
/// others as they are.
const SEPARATOR: u8 = 0xfe;
/// Processor time that a body of [`USUAL_BYTES`] may take in the instrumented build; larger bodies
/// may take longer in proportion.
const MAX_MS: u128 = 8_000;
const USUAL_BYTES: usize = 256 * KIB;

/// A request as it is sent.
#[derive(Debug)]
struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// Sends the requests of an input, and holds each to the law.
pub fn run(data: &[u8]) {
    thread_local! {
        static DESCRIPTION: Description = Description::of_the_server();
        static RUNTIME: tokio::runtime::Runtime = server::runtime();
        static SENT: RefCell<String> = const { RefCell::new(String::new()) };
    }
    SENT.take();
    let send = |server: &Server, known: &mut Known, request: Request| {
        SENT.with_borrow_mut(|sent| describe(sent, &request));
        server::write_out(&request);
        let reply = RUNTIME.with(|runtime| runtime.block_on(server.send(&request)));
        server::write_status(&reply);
        let broken = broken(&request, &reply);
        if !broken.is_empty() {
            panic!("{}\n{}", broken.join("\n"), SENT.take());
        }
        known.learn(&request, &reply);
    };
    let server = RUNTIME.with(|runtime| runtime.block_on(Server::start()));
    let mut known = Known::default();
    if let Some(text) = data.strip_prefix(script::MARK) {
        for step in script::steps(&String::from_utf8_lossy(text)) {
            let Some(request) = step.request(&known) else { return };
            send(&server, &mut known, request);
        }
        return;
    }
    DESCRIPTION.with(|description| {
        for bytes in data.split(|byte| *byte == SEPARATOR).take(MAX_REQUESTS) {
            let request = Generator::new(description, &known, Unstructured::new(bytes)).request();
            let Ok(Some(request)) = request else { continue };
            send(&server, &mut known, request);
        }
    });
}

/// What of the law does not hold.
fn broken(request: &Request, reply: &Reply) -> Vec<String> {
    let sent = request.body.len();
    let mut broken = Vec::new();
    let mut hold = |what: &str, took: usize, most: usize| {
        if took > most {
            broken.push(format!("{took} {what} for a body of {sent} bytes, {most} are allowed"));
        } else if took > most / 3 {
            eprintln!("near: {took} {what} for {sent} bytes: {} {}", request.method, request.path);
        }
    };
    hold("bytes of answer", reply.body.len(), 8 * sent + 64 * MIB);
    hold("bytes of memory", reply.peak_bytes, 24 * sent + 128 * MIB);
    let ms = usize::try_from(MAX_MS).unwrap_or(usize::MAX);
    let most_ms = if sent > USUAL_BYTES { ms / 16 * (sent * 16 / USUAL_BYTES) } else { ms };
    hold("ms of processor time", usize::try_from(reply.cpu.as_millis()).unwrap(), most_ms);
    // Hooks and stores that fail, work that is too much or takes too long.
    let is_documented = matches!(reply.status, 502 | 503 | 504)
        && reply.media == "application/problem+json"
        && serde_json::from_slice::<Value>(&reply.body).is_ok_and(|body| body["code"].is_string());
    if reply.status >= 500 && !is_documented {
        let said = String::from_utf8_lossy(&reply.body[..reply.body.len().min(1_000)]);
        broken.push(format!("status {}: {said}", reply.status));
    }
    broken
}

/// A request as a finding shows it.
fn describe(out: &mut String, request: &Request) {
    const SHOWN: usize = 1_500;
    let Request { method, path, headers, body } = request;
    let text = String::from_utf8_lossy(&body[..body.len().min(SHOWN)]);
    let _ = writeln!(out, "{method} {path} {headers:?} {} bytes\n{text}", body.len());
}
