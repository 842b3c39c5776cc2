//! Bad input of every kind: the right status and a problem document, in bounded time and memory.
//!
//! `amplified` holds small requests that ask for much, `wire` what is refused before a body is read
//! as a request, `reader` what the request reader refuses, `cost` what is legal and meant to be
//! expensive.

mod amplification;
mod cost;
mod reader;
mod wire;

use std::time::{Duration, Instant};

use crate::support::{Reply, ServerProcess, request, send};

/// No bad request may hold a thread for longer, on a busy machine and without optimisation.
const MOST_TIME: Duration = Duration::from_secs(10);
/// How far the server's memory may grow over a whole table, in KiB.
const MOST_GROWTH_KIB: u64 = 160 * 1024;

/// One bad request.
pub struct Row {
    name: String,
    /// The whole request as it goes over the wire.
    bytes: Vec<u8>,
    status: u16,
    /// The problem's code; empty where the connection's own layer answers without a document.
    code: &'static str,
    /// A pointer that must be among the faults.
    pointer: Option<String>,
}

impl Row {
    /// A body posted to `/compile` with these headers.
    fn post(
        name: &str,
        headers: &[(&str, &str)],
        body: &[u8],
        status: u16,
        code: &'static str,
    ) -> Self {
        Self::raw(name, request("POST", "/compile", headers, body), status, code)
    }

    fn raw(name: &str, bytes: Vec<u8>, status: u16, code: &'static str) -> Self {
        Self { name: name.to_owned(), bytes, status, code, pointer: None }
    }

    /// A faulty request: a 422 with this pointer.
    fn invalid(name: &str, body: &str, pointer: &str) -> Self {
        let mut row = Self::post(name, &[], body.as_bytes(), 422, "invalid_request");
        row.pointer = Some(pointer.to_owned());
        row
    }

    fn differs(&self, reply: &Reply, took: Duration) -> Option<String> {
        let pointers = reply.pointers();
        let is_document = self.code.is_empty()
            || reply.header("content-type") == Some("application/problem+json");
        let has_pointer = self.pointer.as_ref().is_none_or(|pointer| pointers.contains(pointer));
        let same = reply.status == self.status && reply.code() == self.code;
        if same && is_document && has_pointer && took < MOST_TIME {
            return None;
        }
        Some(format!(
            "{}: wanted {} {} {:?}, got {} {} {pointers:?} in {took:?}",
            self.name,
            self.status,
            self.code,
            self.pointer,
            reply.status,
            reply.code(),
        ))
    }
}

/// Sends every row to one server; all rows that differ are told at once.
async fn check(rows: Vec<Row>) {
    let mut server = ServerProcess::start(&[]);
    let warm = br#"{"messages":[{"role":"user","content":"hi"}],"target":"openai"}"#;
    assert_eq!(send(server.address, &request("POST", "/compile", &[], warm)).await.status, 200);
    let before = server.resident_kib();
    let mut wrong = Vec::new();
    for row in rows {
        let started = Instant::now();
        let reply = send(server.address, &row.bytes).await;
        wrong.extend(row.differs(&reply, started.elapsed()));
        let ended = server.child.try_wait().expect("a child");
        assert!(ended.is_none(), "{} ended the server", row.name);
    }
    let growth = server.resident_kib().saturating_sub(before);
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(growth < MOST_GROWTH_KIB, "memory grew by {growth} KiB");
    let alive = send(server.address, &request("GET", "/healthz", &[], b"")).await;
    assert_eq!(alive.status, 200);
}
