//! `POST /compress` and `POST /expand`, over the wire and in process, with messages as the JSON
//! text that they are.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use contexture::compress::equivalent;
use contexture::pipeline::Deadline;
use contexture::service::Services;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::TestServer;

/// The key of the list that a body holds.
pub fn list_key(body: &Value) -> &'static str {
    ["messages", "contents", "input"].into_iter().find(|key| body[*key].is_array()).expect("a list")
}

/// The JSON text of each message of a body.
pub fn texts(body: &Value) -> Vec<String> {
    let list = body[list_key(body)].as_array().expect("a list");
    list.iter().map(Value::to_string).collect()
}

/// A list of messages as JSON text, the members of `options` beside it.
pub fn request(key: &str, messages: &[String], options: &Value) -> String {
    let mut body = format!("{{\"{key}\":[{}]", messages.join(","));
    for (name, value) in options.as_object().into_iter().flatten() {
        let _ = write!(body, ",\"{name}\":{value}");
    }
    body.push('}');
    body
}

fn raws(list: &RawValue) -> Vec<String> {
    let list: Vec<&RawValue> = serde_json::from_str(list.get()).expect("a list");
    list.into_iter().map(|message| message.get().to_owned()).collect()
}

fn list(body: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct List<'b> {
        #[serde(borrow)]
        messages: Option<&'b RawValue>,
        #[serde(borrow)]
        contents: Option<&'b RawValue>,
        #[serde(borrow)]
        input: Option<&'b RawValue>,
    }
    let found: List<'_> = serde_json::from_str(body).expect("an answer");
    found.messages.or(found.contents).or(found.input).map(raws)
}

/// An answer of `POST /compress`.
#[derive(Debug, Clone)]
pub struct Compressed {
    pub body: String,
    /// The JSON text of each message, where a list was given.
    pub messages: Vec<String>,
    pub answer: Value,
}

impl Compressed {
    pub fn read(body: &str) -> Self {
        let answer = serde_json::from_str(body).expect("JSON");
        let messages = list(body).unwrap_or_default();
        Self { body: body.to_owned(), messages, answer }
    }

    pub fn id(&self) -> &str {
        self.answer["id"].as_str().expect("an id")
    }

    pub fn report(&self) -> &Value {
        &self.answer["report"]
    }

    pub fn number(&self, key: &str) -> u64 {
        self.report()[key].as_u64().expect("a number")
    }

    pub fn action(&self, name: &str) -> u64 {
        self.report()["actions"][name].as_u64().expect("a number")
    }

    pub fn text(&self) -> &str {
        self.answer["text"].as_str().expect("a text")
    }

    pub fn message(&self, at: usize) -> Value {
        serde_json::from_str(&self.messages[at]).expect("JSON")
    }

    /// The decisions, where they were asked for.
    pub fn decisions(&self) -> &[Value] {
        self.report()["decisions"].as_array().expect("decisions")
    }

    /// Everything but the id, which is the answer's own, and when artifacts expire, which a clock
    /// decides.
    pub fn lasting(&self) -> String {
        let mut lasting = self.body.replacen(self.id(), "", 1);
        for artifact in self.answer["artifacts"].as_array().expect("artifacts") {
            if let Some(date) = artifact["expires_at"].as_str() {
                lasting = lasting.replace(&format!("\"expires_at\":\"{date}\""), "");
            }
        }
        lasting
    }

    /// The ids of the artifacts.
    pub fn artifacts(&self) -> Vec<&str> {
        let list = self.answer["artifacts"].as_array().expect("artifacts");
        list.iter().map(|artifact| artifact["id"].as_str().expect("an id")).collect()
    }
}

/// An answer of `POST /expand`.
#[derive(Debug, Clone)]
pub struct Expanded {
    pub messages: Vec<String>,
    pub answer: Value,
}

impl Expanded {
    pub fn read(body: &str) -> Self {
        let answer = serde_json::from_str(body).expect("JSON");
        Self { messages: list(body).unwrap_or_default(), answer }
    }

    pub fn identical(&self) -> bool {
        self.answer["identical"].as_bool().expect("a flag")
    }

    pub fn count(&self, key: &str) -> usize {
        let value = &self.answer[key];
        let number = value.as_u64().map(|number| usize::try_from(number).expect("small"));
        number.unwrap_or_else(|| value.as_array().expect("a list").len())
    }
}

impl TestServer {
    async fn accepted(&self, path: &str, body: &str) -> String {
        let request = self.build("POST", path).header("content-type", "application/json");
        let response = request.body(body.to_owned()).send().await.expect("an answer");
        let status = response.status();
        let text = response.text().await.expect("a body");
        assert_eq!(status, 200, "{text}");
        text
    }

    /// Compresses a body that must be accepted.
    pub async fn compress(&self, body: &str) -> Compressed {
        Compressed::read(&self.accepted("/compress", body).await)
    }

    /// Expands a body that must be accepted.
    pub async fn expand(&self, body: &str) -> Expanded {
        Expanded::read(&self.accepted("/expand", body).await)
    }

    /// Expands messages.
    pub async fn expand_list(&self, key: &str, messages: &[String]) -> Expanded {
        self.expand(&request(key, messages, &json!({}))).await
    }
}

fn soon() -> Deadline {
    Deadline::at(Instant::now() + Duration::from_mins(1))
}

/// Compresses in process; the pointers of the faults where the request is refused.
pub fn compress_in(services: &Services, body: &str) -> Result<Compressed, Vec<String>> {
    use contexture::service::compile::Error;
    match contexture::service::compress::compress(services, body, &soon()) {
        Ok(answer) => Ok(Compressed::read(&answer.text())),
        Err(Error::Invalid(faults)) => Err(faults.into_iter().map(|fault| fault.pointer).collect()),
        Err(error) => panic!("{error}\n{body}"),
    }
}

/// Expands in process a body that must be accepted.
pub fn expand_in(services: &Services, body: &str) -> Expanded {
    match contexture::service::expansion::expand(services, body, &soon()) {
        Ok(answer) => Expanded::read(std::str::from_utf8(&answer).expect("text")),
        Err(error) => panic!("{error}\n{body}"),
    }
}

/// Expands messages in process.
pub fn expand_list_in(services: &Services, key: &str, messages: &[String]) -> Expanded {
    expand_in(services, &request(key, messages, &json!({})))
}

/// A log of a build: so many lines that differ in numbers and names, an error among them.
pub fn log(lines: usize) -> String {
    let mut text = String::new();
    for line in 0..lines {
        let (second, took) = (line % 60, line * 37 % 400);
        let _ = write!(text, "2026-03-01T12:00:{second:02}Z ");
        let _ = if line == lines / 2 {
            writeln!(text, "ERROR unit-{line} failed: no such column")
        } else {
            writeln!(text, "INFO compiled unit-{line} in {took} ms")
        };
    }
    text
}

/// A JSON array of rows, written with white space between its tokens.
pub fn rows(count: usize) -> String {
    let rows: Vec<Value> = (0..count)
        .map(|row| json!({"id": row, "name": format!("item {row}"), "tags": ["a", null], "ok": row % 3 == 0}))
        .collect();
    serde_json::to_string_pretty(&rows).expect("JSON")
}

/// A listing of paths below a few folders.
pub fn listing(count: usize) -> String {
    let paths =
        (0..count).map(|path| format!("./packages/core/src/module_{}/file_{path}.rs", path / 9));
    paths.collect::<Vec<_>>().join("\n")
}

/// A file with the numbers of its lines.
pub fn numbered(count: usize) -> String {
    let lines = (1..=count).map(|line| format!("{line:>6}\tlet value_{line} = compute({line});"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Every string in a message, made equal where only what says nothing differs.
pub fn normalised(message: &str) -> Value {
    fn walk(value: &mut Value) {
        match value {
            Value::String(text) => *text = equivalent(text).into_owned(),
            Value::Array(list) => list.iter_mut().for_each(walk),
            Value::Object(members) => members.values_mut().for_each(walk),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(message).expect("JSON");
    walk(&mut value);
    value
}
