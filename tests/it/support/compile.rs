//! `POST /compile` and what it answers, over the wire and in process.

use std::time::{Duration, Instant};

use contexture::domain::Models;
use contexture::pipeline::Deadline;
use contexture::service::Services;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::TestServer;

/// An answer of `POST /compile`.
#[derive(Debug)]
pub struct Compiled {
    pub id: String,
    /// The payload's bytes as they stand in the answer.
    pub text: String,
    pub payload: Value,
    pub report: Value,
}

#[derive(Deserialize)]
struct Answer<'b> {
    id: String,
    #[serde(borrow)]
    payload: &'b RawValue,
    report: Value,
}

impl Compiled {
    pub fn read(body: &str) -> Self {
        let answer: Answer<'_> = serde_json::from_str(body).expect("an answer");
        let text = answer.payload.get().to_owned();
        let payload = serde_json::from_str(&text).expect("a payload");
        Self { id: answer.id, text, payload, report: answer.report }
    }

    /// The payload's list: `messages`, `contents` or `input`.
    pub fn list(&self) -> &[Value] {
        ["messages", "contents", "input"]
            .iter()
            .find_map(|key| self.payload[*key].as_array())
            .expect("a list")
    }

    pub fn roles(&self) -> Vec<&str> {
        self.list().iter().map(|message| message["role"].as_str().expect("a role")).collect()
    }

    /// Everything that can be read in one message of the list.
    pub fn said(&self, at: usize) -> String {
        read(&self.list()[at])
    }

    /// The codes of one of the report's lists of notes.
    pub fn codes(&self, list: &str) -> Vec<&str> {
        let notes = self.report[list].as_array().expect("a list of notes");
        notes.iter().map(|note| note["code"].as_str().expect("a code")).collect()
    }

    pub fn action(&self, name: &str) -> u64 {
        self.report["actions"][name].as_u64().expect("a number")
    }

    pub fn number(&self, key: &str) -> u64 {
        self.report[key].as_u64().expect("a number")
    }
}

/// The texts in a message's content or parts, joined.
pub fn read(message: &Value) -> String {
    let content = ["content", "parts"].iter().find_map(|key| message.get(key));
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| {
                let text = part.get("text").or_else(|| part.get("content"))?;
                Some(text.as_str()?.to_owned())
            });
            texts.collect::<Vec<_>>().join("\n\n")
        }
        _ => String::new(),
    }
}

impl TestServer {
    /// Compiles a request that must be accepted.
    pub async fn compile(&self, body: &Value) -> Compiled {
        let response = self.post("/compile", body).await;
        let status = response.status();
        let text = response.text().await.expect("a body");
        assert_eq!(status, 200, "{text}");
        Compiled::read(&text)
    }
}

/// Compiles a request that must be accepted, on a server of its own.
pub async fn compile(body: &Value) -> Compiled {
    TestServer::spawn().await.compile(body).await
}

/// The use cases without a server around them.
pub fn services() -> Services {
    Services::new(Models::built_in()).expect("a store in memory")
}

/// Compiles in process; the pointers of the faults where the request is refused.
pub fn compile_in(services: &Services, body: &Value) -> Result<Compiled, Vec<String>> {
    use contexture::service::compile::Error;
    let deadline = Deadline::at(Instant::now() + Duration::from_mins(1));
    match contexture::service::compile::compile(services, &body.to_string(), &deadline) {
        Ok(answer) => Ok(Compiled::read(&answer.text())),
        Err(Error::Invalid(faults)) => Err(faults.into_iter().map(|fault| fault.pointer).collect()),
        Err(error) => panic!("{error}\n{body}"),
    }
}

/// Returns a body with more keys, which replace its own.
pub fn with(mut body: Value, more: &Value) -> Value {
    let more = more.as_object().expect("an object").clone();
    body.as_object_mut().expect("an object").extend(more);
    body
}

/// A text of this many tokens of `bytes4`, told from others by its first word.
pub fn words(name: &str, tokens: usize) -> String {
    let mut text = format!("{name} ");
    while text.len() < tokens * 4 {
        text.push_str("lorem ipsum ");
    }
    text.truncate(tokens * 4);
    text
}

pub fn system(text: &str) -> Value {
    json!({"role": "system", "content": text})
}

pub fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

pub fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// An assistant message that calls one tool a pair of id and name.
pub fn calling(text: &str, calls: &[(&str, &str)]) -> Value {
    calling_with(text, &calls.iter().map(|(id, name)| (*id, *name, "{}")).collect::<Vec<_>>())
}

/// The same with arguments.
pub fn calling_with(text: &str, calls: &[(&str, &str, &str)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, arguments)| {
            let function = json!({"name": name, "arguments": arguments});
            json!({"id": id, "type": "function", "function": function})
        })
        .collect();
    json!({"role": "assistant", "content": text, "tool_calls": calls})
}

pub fn result(id: &str, text: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": text})
}
