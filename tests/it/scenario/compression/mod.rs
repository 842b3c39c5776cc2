//! Scenarios K01 to K104: `POST /compress` and `POST /expand`, as the study of
//! context-compression-engine numbers them.
//!
//! The study's fixtures are prose that people wrote, which rung 1 leaves alone: what it does with
//! them at once happens here only to old turns, at the levels that say so.

mod adapters;
mod budget;
mod code;
mod dedup;
mod input;
mod protection;
mod safety;
mod study;
mod summary;

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compress::{Compressed, request};

const A: &str = "The storage cluster keeps three copies of every file on separate machines. However \
    the nightly job that checks them must never run while the backupWindow is open. Great. People \
    in the office often forget about it and then ask why the dashboard is red.";
const B: &str = "The migration of the customer records starts on the first weekend of the month. \
    The importWorker reads the old table in small batches and writes the rows to the new one. \
    Everyone was informed by mail last week.";
const D: &str = "The nightly report lists every order that was placed after noon and not yet \
    packed. It is sent to the warehouse by mail and printed there by the first person who arrives. \
    The paper copy is thrown away at the end of the day.";
const Q: &str = "The gardener waters the roses each evening. ";

fn message(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

fn user(text: &str) -> Value {
    message("user", text)
}

fn assistant(text: &str) -> Value {
    message("assistant", text)
}

/// An assistant's call, and what the tool answered.
fn tool(id: &str, text: &str) -> [Value; 2] {
    let function = json!({"name": "run", "arguments": "{}"});
    let calls = json!([{"id": id, "type": "function", "function": function}]);
    [
        json!({"role": "assistant", "content": null, "tool_calls": calls}),
        json!({"role": "tool", "tool_call_id": id, "content": text}),
    ]
}

/// Tools that answered these texts, one turn each.
fn tools(texts: &[&str]) -> Vec<Value> {
    texts.iter().enumerate().flat_map(|(at, text)| tool(&format!("c{at}"), text)).collect()
}

fn written(messages: &[Value]) -> Vec<String> {
    messages.iter().map(Value::to_string).collect()
}

/// A conversation on its way there and back.
struct Trip {
    shown: Compressed,
    messages: Vec<String>,
}

impl Trip {
    /// What is said in the message that is shown at `at`.
    fn said(&self, at: usize) -> String {
        self.shown.message(at)["content"].as_str().expect("a text").to_owned()
    }

    fn is_unchanged(&self) -> bool {
        self.shown.messages == self.messages
    }
}

/// Compresses and expands; what comes back is what went in.
async fn trip(messages: &[Value], options: Value) -> Trip {
    let server = TestServer::spawn().await;
    let mut options = options;
    options["explain"] = json!("full");
    let messages = written(messages);
    let shown = server.compress(&request("messages", &messages, &options)).await;
    let back = server.expand_list("messages", &shown.messages).await;
    assert_eq!(back.messages, messages, "{options}");
    assert!(back.identical(), "{}", back.answer);
    Trip { shown, messages }
}

/// A server that never saw the originals reads them from what is shown.
async fn decodes(messages: &[Value]) -> Trip {
    decodes_with(messages, "plain").await
}

/// The same with some notations.
async fn decodes_with(messages: &[Value], notations: &str) -> Trip {
    let trip = trip(messages, json!({"originals": "none", "notations": notations})).await;
    let back = TestServer::spawn().await.expand_list("messages", &trip.shown.messages).await;
    assert_eq!(back.messages, trip.messages);
    trip
}

/// The summary that stands for a long old message, with other turns behind it.
async fn summary_of(text: &str) -> String {
    let filler = "Then the talk went on about other things for a while. ".repeat(200);
    let mut messages = vec![user(text), assistant(&filler), user(&filler), assistant(&filler)];
    messages.push(user("And now?"));
    let options = json!({"level": "summary", "keep_recent_turns": 0});
    let trip = trip(&messages, options).await;
    assert!(trip.shown.action("summarized") >= 1, "{}", trip.shown.report());
    assert_eq!(trip.shown.report()["fits"], true);
    trip.said(0)
}
