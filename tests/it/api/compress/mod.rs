//! `POST /compress` and `POST /expand`: what goes in comes back, and what is shown is what the
//! report says.

mod adapter_options;
mod budget;
mod faults;
mod formats;
mod lookalike;
mod options;
mod recognition;
mod rounds;
mod sentences;
mod shapes;
mod stored_messages;
mod thinking;

use serde_json::{Value, json};

use crate::support::compile::with;
use crate::support::compress::{list_key, listing, log, numbered, rows, texts};
use crate::support::generate::{Call, Piece, Plan, Step};

fn call(name: &'static str, result: String) -> Call {
    Call { name, arguments: r#"{"path": "src/main.rs"}"#, result, is_error: false }
}

fn asked(text: &str) -> Step {
    Step::User(vec![Piece::Text(text.to_owned())])
}

fn calls(calls: Vec<Call>) -> Step {
    Step::Calls { text: String::new(), thinking: None, calls }
}

fn said(text: &str) -> Step {
    Step::Assistant { text: text.to_owned(), thinking: None }
}

/// A session of an agent with results of many kinds: several in one turn, one read twice.
fn session() -> Plan {
    let steps = vec![
        asked("Find out why the nightly build breaks."),
        calls(vec![call("search", listing(60)), call("read_file", numbered(50))]),
        said("The listing is long; the log will tell more."),
        calls(vec![call("run-it", log(80))]),
        asked("And the table?"),
        calls(vec![
            call("search", rows(24)),
            call("run-it", "ok é 😀 \"quoted\" \\ end".to_owned()),
        ]),
        said("Row 12 looks odd."),
        calls(vec![call("read_file", numbered(50))]),
        said("The file did not change."),
        calls(vec![call("run-it", log(40))]),
        said("The same error again."),
        asked("Then repair it."),
        calls(vec![call("run-it", "\u{1b}[32mok\u{1b}[0m   \r\ndone \r\n".repeat(12))]),
        said("Done."),
    ];
    Plan { system: Some("You are a careful engineer.".to_owned()), steps, tools: true }
}

/// The list's key, its messages as JSON text, and what stands beside them.
fn parts(plan: &Plan, source: &str) -> (&'static str, Vec<String>, Value) {
    let mut body = plan.request(source, "openai");
    let (key, messages) = (list_key(&body), texts(&body));
    let members = body.as_object_mut().expect("an object");
    members.shift_remove("target");
    members.shift_remove(key);
    (key, messages, body)
}

/// An `OpenAI` conversation in which tools answered these texts, one turn each.
fn answered(results: &[String]) -> Vec<String> {
    let mut messages = vec![json!({"role": "user", "content": "Look."}).to_string()];
    for (at, text) in results.iter().enumerate() {
        let id = format!("c{at}");
        let function = json!({"name": "run", "arguments": "{}"});
        let calls = json!([{"id": id, "type": "function", "function": function}]);
        messages
            .push(json!({"role": "assistant", "content": null, "tool_calls": calls}).to_string());
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}).to_string());
    }
    messages
}

/// What is said in a message of the `OpenAI` shape.
fn content(message: &str) -> String {
    let message: Value = serde_json::from_str(message).expect("JSON");
    message["content"].as_str().expect("a text").to_owned()
}
