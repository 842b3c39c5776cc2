//! An agent that sends a growing list, and what a provider must see of it.

use reqwest::Response;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::provider::ProviderRequest;

/// Rows of a table, as tools of databases return them.
pub fn rows(seed: u64, count: u64) -> String {
    let row = |at: u64| {
        let number = at * 7919 + seed;
        json!({"id": number, "name": format!("customer {number}"), "state": "active",
            "region": format!("region-{}", number % 7), "total": number * 31})
    };
    serde_json::to_string_pretty(&(0..count).map(row).collect::<Vec<_>>()).expect("JSON")
}

/// A log that is long enough to be referred to.
pub fn log() -> String {
    let line = |at: u32| format!("step {at}: wrote unit_{}.o\n", at * 37);
    (0..80).map(line).collect::<Vec<_>>().concat()
}

/// Words of a report.
const WORDS: &str = "pump hall valve slow steam gauge north crew shift broken sealed pressure after \
    noon report the of and was seen near old pipe rust leak drain open shut again while engine ran \
    warm oil smell two men went down to look found nothing wrote it up left before dark rain fell";

/// Prose that no form on arrival makes shorter.
pub fn prose(seed: u64, lines: u64) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut state = seed * 7919 + 17;
    let mut word = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        words[(state >> 33) as usize % words.len()]
    };
    let mut line = |_| (0..12).map(|_| word()).collect::<Vec<_>>().join(" ") + ".\n";
    (0..lines).map(&mut line).collect::<Vec<_>>().concat()
}

/// A wire format of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentWire {
    Anthropic,
    Chat,
    Responses,
    Gemini,
}

impl AgentWire {
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Chat, Self::Responses, Self::Gemini];

    /// The names of upstreams for all of them.
    pub const UPSTREAMS: [&str; 3] = ["anthropic", "openai", "gemini"];

    pub fn path(self) -> &'static str {
        match self {
            Self::Anthropic => "/v1/messages?beta=true",
            Self::Chat => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Gemini => "/v1beta/models/gemini-2.5-pro:generateContent",
        }
    }

    pub fn list(self) -> &'static str {
        match self {
            Self::Anthropic | Self::Chat => "messages",
            Self::Responses => "input",
            Self::Gemini => "contents",
        }
    }

    /// A message of the user.
    pub fn words(self, text: &str) -> Value {
        match self {
            Self::Gemini => json!({"role": "user", "parts": [{"text": text}]}),
            _ => json!({"role": "user", "content": text}),
        }
    }

    /// The messages of a call and its result.
    pub fn turn(self, id: &str, tool: &str, result: &str) -> Vec<Value> {
        match self {
            Self::Anthropic => vec![
                json!({"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "…", "signature": "c2lnbmVk"},
                    {"type": "tool_use", "id": id, "name": tool, "input": {"n": 1.50}}]}),
                json!({"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": id, "content": result}]}),
            ],
            Self::Chat => vec![
                json!({"role": "assistant", "content": null, "tool_calls": [{"id": id,
                    "type": "function", "function": {"name": tool, "arguments": "{}"}}]}),
                json!({"role": "tool", "tool_call_id": id, "content": result}),
            ],
            Self::Responses => vec![
                json!({"type": "reasoning", "id": format!("rs_{id}"), "summary": [],
                    "encrypted_content": "c2VhbGVk"}),
                json!({"type": "function_call", "call_id": id, "name": tool, "arguments": "{}"}),
                json!({"type": "function_call_output", "call_id": id, "output": result}),
            ],
            Self::Gemini => vec![
                json!({"role": "model", "parts": [{"functionCall": {"name": tool, "args": {}},
                    "thoughtSignature": "c2lnbmVk"}]}),
                json!({"role": "user", "parts": [{"functionResponse":
                    {"name": tool, "response": {"output": result}}}]}),
            ],
        }
    }
}

/// An agent with its list of messages.
#[derive(Debug, Clone)]
pub struct Agent {
    pub wire: AgentWire,
    pub messages: Vec<Value>,
    pub system: String,
    turns: usize,
}

impl Agent {
    pub fn new(wire: AgentWire) -> Self {
        let messages = vec![wire.words("Look at the customers.")];
        Self { wire, messages, system: "Be brief.".to_owned(), turns: 0 }
    }

    /// One that has done so many turns already, with a table in each.
    pub fn after(wire: AgentWire, turns: u64) -> Self {
        let mut agent = Self::new(wire);
        (0..turns).for_each(|turn| agent.query(&rows(turn, 40)));
        agent
    }

    /// Adds a call of a database and its result.
    pub fn query(&mut self, result: &str) {
        self.call("mcp__db__query", result);
    }

    pub fn call(&mut self, tool: &str, result: &str) {
        self.turns += 1;
        self.messages.extend(self.wire.turn(&format!("call_{}", self.turns), tool, result));
    }

    pub fn body(&self) -> String {
        let mut body = json!({"model": "claude-sonnet-4-5", "stream": false});
        let system = match self.wire {
            AgentWire::Anthropic => "system",
            AgentWire::Chat => "user",
            AgentWire::Responses => "instructions",
            AgentWire::Gemini => "systemInstruction",
        };
        body[system] = self.system.as_str().into();
        body[self.wire.list()] = self.messages.clone().into();
        // Space and order that no serializer of this program would write.
        body.to_string().replacen(',', " ,\t", 3).replacen('{', "{ ", 1) + "\n"
    }

    /// Sends the list, with more headers, and expects a response of the provider.
    pub async fn send(&self, server: &TestServer, headers: &[(&str, &str)]) -> Response {
        let response = self.post(server, headers).await;
        assert_eq!(response.status(), 200);
        response
    }

    /// Sends the list, with more headers.
    pub async fn post(&self, server: &TestServer, headers: &[(&str, &str)]) -> Response {
        // A busy machine may take longer than the deadline of the settings.
        let patient = [("contexture-deadline-ms", "60000")];
        let is_given = headers.iter().any(|(name, _)| *name == patient[0].0);
        let request = server.build_json("POST", self.wire.path()).body(self.body());
        let all = headers.iter().chain(patient.iter().filter(|_| !is_given));
        let request = all.fold(request, |request, (name, value)| request.header(*name, *value));
        request.send().await.expect("a response")
    }
}

/// The messages that a provider saw, each in its own bytes.
pub fn seen_messages(wire: AgentWire, request: &ProviderRequest) -> Vec<String> {
    let members: serde_json::Map<String, Value> =
        serde_json::from_slice(&request.body).expect("JSON");
    assert!(members.contains_key(wire.list()));
    let lists: std::collections::BTreeMap<String, Box<RawValue>> =
        serde_json::from_slice(&request.body).expect("JSON");
    let list: Vec<Box<RawValue>> = serde_json::from_str(lists[wire.list()].get()).expect("a list");
    list.iter().map(|message| message.get().to_owned()).collect()
}

/// Asserts that no message of an earlier request changed. Returns how many there were.
pub fn assert_prefix(wire: AgentWire, requests: &[ProviderRequest]) -> usize {
    let mut compared = 0;
    for pair in requests.windows(2) {
        let [before, after] = [&pair[0], &pair[1]].map(|request| seen_messages(wire, request));
        for (index, (before, after)) in before.iter().zip(&after).enumerate() {
            assert_eq!(before, after, "message {index} of {wire:?}");
            compared += 1;
        }
    }
    compared
}
