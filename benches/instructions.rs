//! Four small requests whose instructions `scripts/instructions.py` counts: `instructions NAME`.
//!
//! A count is the same on a busy machine as on a quiet one, so a gate can hold it, which no time can. Only
//! what runs inside of [`counted`] counts, on its own thread.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark, not the service"
)]

#[expect(dead_code, reason = "texts of other benches, too")]
#[path = "compress/texts.rs"]
mod texts;

use std::hint::black_box;

use contexture::domain::Models;
use contexture::pipeline::Deadline;
use contexture::service::Services;
use contexture::service::compile::compile;
use contexture::service::compress::compress;
use serde_json::{Value, json};
use texts::{KINDS, Random, conversation};

/// Tokens of a conversation.
const SMALL: usize = 4_000;
/// Bytes of a log.
const LOG_BYTES: usize = 8 * 1024;

/// A case: prepares a server, and returns the request whose instructions count.
type Case = fn() -> Request;

struct Request {
    services: Services,
    body: String,
    call: fn(&Services, &str) -> usize,
}

const CASES: [(&str, Case); 4] = [
    ("compile_new", compile_new),
    ("compile_again", compile_again),
    ("compress_log", compress_log),
    ("compress_list", compress_list),
];

fn main() {
    // Without a name, as tests and benches are started, the names.
    let Some(name) = std::env::args().nth(1).filter(|name| !name.starts_with('-')) else {
        for (name, _) in CASES {
            println!("{name}");
        }
        return;
    };
    let (_, case) = CASES.iter().find(|(known, _)| *known == name).unwrap();
    let Request { services, body, call } = case();
    println!("{name}: {} bytes", counted(&services, &body, call));
}

/// The name by which the tool finds where counting begins and ends.
#[inline(never)]
fn counted(services: &Services, body: &str, call: fn(&Services, &str) -> usize) -> usize {
    black_box(call(black_box(services), black_box(body)))
}

fn services() -> Services {
    Services::new(Models::built_in()).unwrap()
}

fn compiled(services: &Services, body: &str) -> usize {
    compile(services, body, &Deadline::default()).unwrap().body.start().len()
}

fn compressed(services: &Services, body: &str) -> usize {
    compress(services, body, &Deadline::default()).unwrap().body.start().len()
}

/// A conversation that has been compiled before, and a message more; a server has compiled others.
fn warm() -> (Services, Value) {
    let services = services();
    compiled(&services, &compile_body(&conversation(SMALL, 3, None)).to_string());
    let body = compile_body(&conversation(SMALL, 11, None));
    (services, body)
}

fn compile_body(list: &str) -> Value {
    let mut body: Value = serde_json::from_str(list).unwrap();
    body["target"] = "openai".into();
    body["budget"] = json!({"context_window": 400_000, "reserve_output": 4_096});
    body
}

fn compile_new() -> Request {
    let (services, body) = warm();
    Request { services, body: body.to_string(), call: compiled }
}

fn compile_again() -> Request {
    let (services, mut body) = warm();
    compiled(&services, &body.to_string());
    body["messages"]
        .as_array_mut()
        .unwrap()
        .push(json!({"role": "user", "content": "And what is to be done now?"}));
    Request { services, body: body.to_string(), call: compiled }
}

fn compress_log() -> Request {
    let services = services();
    let text = |seed| {
        let kind = KINDS.iter().find(|kind| kind.name == "log").unwrap();
        json!({"text": kind.text(LOG_BYTES, &mut Random(seed)), "model": "gpt-4o"}).to_string()
    };
    compressed(&services, &text(3));
    Request { services, body: text(11), call: compressed }
}

fn compress_list() -> Request {
    let services = services();
    compressed(&services, &conversation(SMALL, 3, Some(SMALL / 2)));
    Request { services, body: conversation(SMALL, 11, Some(SMALL / 2)), call: compressed }
}
