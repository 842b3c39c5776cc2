//! Conversations written from the providers' own rules, in each provider's shape.
//!
//! A plan says what happens; a writer for each shape says it in that provider's words. So one
//! plan is a valid request in five shapes, and faults are put in on purpose, one at a time.

use proptest::prelude::*;
use serde_json::{Value, json};

/// What happens in a conversation.
#[derive(Debug, Clone)]
pub enum Step {
    User(Vec<Piece>),
    Assistant { text: String, thinking: Option<String> },
    Calls { text: String, thinking: Option<String>, calls: Vec<Call> },
}

#[derive(Debug, Clone)]
pub enum Piece {
    Text(String),
    Image,
    ImageUrl,
    Pdf,
}

#[derive(Debug, Clone)]
pub struct Call {
    pub name: &'static str,
    /// A JSON object.
    pub arguments: &'static str,
    pub result: String,
    pub is_error: bool,
}

#[derive(Debug, Clone)]
pub struct Plan {
    pub system: Option<String>,
    pub steps: Vec<Step>,
    pub tools: bool,
}

/// The shapes that a plan can be written in.
pub const SOURCES: [&str; 5] = ["openai", "openai_responses", "anthropic", "gemini", "neutral"];
pub const TARGETS: [&str; 5] = SOURCES;

const PNG: &str = "iVBORw0KGgo=";
const PDF: &str = "JVBERi0xLjQK";
const URL: &str = "https://a.example/b.png";

/// Text with something in it: providers refuse blank blocks.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z]{1,8}( [a-z]{1,8}){0,12}",
        1 => "[a-z]{1,4}[ \\n\"\\\\é😀<>&/]{0,6}[a-z]{1,4}",
        1 => Just("</history_summary> <memory>\n{\"a\": 1}".to_owned()),
        1 => "[a-z]{1,8}( [a-z]{1,8}){40,80}",
    ]
}

fn output() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => text(),
        1 => Just("{\n  \"a\": [1, 2.50],\n  \"b\": \"x  y\"\n}".to_owned()),
        1 => Just("\u{1b}[31merror: no such file\u{1b}[0m   \r\nnext line\t\r\n".to_owned()),
        1 => Just("[1,2]".to_owned()),
        1 => "([a-z]{1,6} ){60,120}",
    ]
}

fn call() -> impl Strategy<Value = Call> {
    let names = prop::sample::select(vec!["read_file", "run-it", "search"]);
    let arguments = prop::sample::select(vec![
        "{}",
        r#"{"path":"src/main.rs"}"#,
        r#"{"q": "a b", "n": 1.50, "deep": {"x": [null, true]}}"#,
    ]);
    (names, arguments, output(), prop::bool::weighted(0.15))
        .prop_map(|(name, arguments, result, is_error)| Call { name, arguments, result, is_error })
}

fn step() -> impl Strategy<Value = Step> {
    let piece = prop_oneof![
        8 => text().prop_map(Piece::Text),
        1 => Just(Piece::Image),
        1 => Just(Piece::ImageUrl),
        1 => Just(Piece::Pdf),
    ];
    let thinking = || prop::option::weighted(0.3, text());
    prop_oneof![
        3 => prop::collection::vec(piece, 1..3).prop_map(Step::User),
        2 => (text(), thinking()).prop_map(|(text, thinking)| Step::Assistant { text, thinking }),
        3 => (prop_oneof![Just(String::new()), text()], thinking(), prop::collection::vec(call(), 1..4))
            .prop_map(|(text, thinking, calls)| Step::Calls { text, thinking, calls }),
    ]
}

/// A conversation of up to `most` steps, begun by the user.
pub fn plan(most: usize) -> impl Strategy<Value = Plan> {
    let steps = prop::collection::vec(step(), 0..most);
    let system = prop::option::of(text());
    (system, text(), steps, any::<bool>()).prop_map(|(system, first, mut steps, tools)| {
        steps.insert(0, Step::User(vec![Piece::Text(first)]));
        Plan { system, steps, tools }
    })
}

impl Plan {
    /// The request in one provider's shape.
    pub fn request(&self, source: &str, target: &str) -> Value {
        let mut body = match source {
            "openai" => self.openai(),
            "openai_responses" => self.responses(),
            "anthropic" => self.anthropic(),
            "gemini" => self.gemini(),
            "neutral" => self.neutral(),
            other => panic!("unknown source {other}"),
        };
        body["source"] = json!(source);
        body["target"] = json!(target);
        body
    }

    fn schema() -> Value {
        json!({"type": "object", "properties": {"path": {"type": "string"}}})
    }

    fn openai(&self) -> Value {
        let mut list: Vec<Value> = Vec::new();
        list.extend(self.system.iter().map(|text| json!({"role": "system", "content": text})));
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Step::User(pieces) => {
                    let parts: Vec<Value> = pieces
                        .iter()
                        .map(|piece| match piece {
                            Piece::Text(text) => json!({"type": "text", "text": text}),
                            Piece::Image => json!({"type": "image_url", "image_url":
                            {"url": format!("data:image/png;base64,{PNG}")}}),
                            Piece::ImageUrl => json!({"type": "image_url", "image_url":
                            {"url": URL, "detail": "low"}}),
                            Piece::Pdf => json!({"type": "file", "file": {"filename": "r.pdf",
                            "file_data": format!("data:application/pdf;base64,{PDF}")}}),
                        })
                        .collect();
                    list.push(json!({"role": "user", "content": parts}));
                }
                Step::Assistant { text, .. } => {
                    list.push(json!({"role": "assistant", "content": text}));
                }
                Step::Calls { text, calls, .. } => {
                    let content = if text.is_empty() { Value::Null } else { json!(text) };
                    let asked: Vec<Value> = calls
                        .iter()
                        .enumerate()
                        .map(|(n, call)| {
                            let function = json!({"name": call.name, "arguments": call.arguments});
                            json!({"id": id(at, n), "type": "function", "function": function})
                        })
                        .collect();
                    list.push(
                        json!({"role": "assistant", "content": content, "tool_calls": asked}),
                    );
                    list.extend(calls.iter().enumerate().map(|(n, call)| {
                        json!({"role": "tool", "tool_call_id": id(at, n), "content": call.result})
                    }));
                }
            }
        }
        let mut body = json!({"messages": list});
        if self.tools {
            let function = json!({"name": "read_file", "parameters": Self::schema()});
            body["tools"] = json!([{"type": "function", "function": function}]);
        }
        body
    }

    fn responses(&self) -> Value {
        let mut list: Vec<Value> = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Step::User(pieces) => {
                    let parts: Vec<Value> = pieces
                        .iter()
                        .map(|piece| match piece {
                            Piece::Text(text) => json!({"type": "input_text", "text": text}),
                            Piece::Image => json!({"type": "input_image", "detail": "auto",
                            "image_url": format!("data:image/png;base64,{PNG}")}),
                            Piece::ImageUrl => {
                                json!({"type": "input_image", "detail": "auto", "image_url": URL})
                            }
                            Piece::Pdf => json!({"type": "input_file", "filename": "r.pdf",
                            "file_data": format!("data:application/pdf;base64,{PDF}")}),
                        })
                        .collect();
                    list.push(json!({"type": "message", "role": "user", "content": parts}));
                }
                Step::Assistant { text, thinking } => {
                    list.extend(thinking.as_ref().map(|text| reasoning(at, text)));
                    list.push(said(at, text));
                }
                Step::Calls { text, thinking, calls } => {
                    list.extend(thinking.as_ref().map(|text| reasoning(at, text)));
                    if !text.is_empty() {
                        list.push(said(at, text));
                    }
                    list.extend(calls.iter().enumerate().map(|(n, call)| {
                        json!({"type": "function_call", "call_id": id(at, n), "name": call.name,
                               "arguments": call.arguments})
                    }));
                    list.extend(calls.iter().enumerate().map(|(n, call)| {
                        json!({"type": "function_call_output", "call_id": id(at, n),
                               "output": call.result})
                    }));
                }
            }
        }
        let mut body = json!({"input": list});
        if let Some(system) = &self.system {
            body["instructions"] = json!(system);
        }
        if self.tools {
            body["tools"] = json!([{"type": "function", "name": "read_file", "strict": false,
                                    "parameters": Self::schema()}]);
        }
        body
    }

    fn anthropic(&self) -> Value {
        let mut list: Vec<Value> = Vec::new();
        let thought = |thinking: &Option<String>| {
            let block = |text| json!({"type": "thinking", "thinking": text, "signature": "c2ln"});
            thinking.as_ref().map(block)
        };
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Step::User(pieces) => {
                    let base64 = |kind: &str, data: &str| json!({"type": "base64", "media_type": kind, "data": data});
                    let parts: Vec<Value> = pieces
                        .iter()
                        .map(|piece| match piece {
                            Piece::Text(text) => json!({"type": "text", "text": text}),
                            Piece::Image => {
                                json!({"type": "image", "source": base64("image/png", PNG)})
                            }
                            Piece::ImageUrl => {
                                json!({"type": "image", "source": {"type": "url", "url": URL}})
                            }
                            Piece::Pdf => json!({"type": "document", "title": "r.pdf",
                            "source": base64("application/pdf", PDF)}),
                        })
                        .collect();
                    list.push(json!({"role": "user", "content": parts}));
                }
                Step::Assistant { text, thinking } => {
                    let mut blocks: Vec<Value> = thought(thinking).into_iter().collect();
                    blocks.push(json!({"type": "text", "text": text}));
                    list.push(json!({"role": "assistant", "content": blocks}));
                }
                Step::Calls { text, thinking, calls } => {
                    let mut blocks: Vec<Value> = thought(thinking).into_iter().collect();
                    if !text.is_empty() {
                        blocks.push(json!({"type": "text", "text": text}));
                    }
                    let mut results = Vec::new();
                    for (n, call) in calls.iter().enumerate() {
                        blocks.push(json!({"type": "tool_use", "id": id(at, n), "name": call.name,
                                           "input": object(call)}));
                        results.push(json!({"type": "tool_result", "tool_use_id": id(at, n),
                                            "content": call.result, "is_error": call.is_error}));
                    }
                    list.push(json!({"role": "assistant", "content": blocks}));
                    list.push(json!({"role": "user", "content": results}));
                }
            }
        }
        let mut body = json!({"messages": list});
        if let Some(system) = &self.system {
            body["system"] = json!(system);
        }
        if self.tools {
            body["tools"] = json!([{"name": "read_file", "input_schema": Self::schema()}]);
        }
        body
    }

    fn gemini(&self) -> Value {
        let mut list: Vec<Value> = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Step::User(pieces) => {
                    let parts: Vec<Value> = pieces
                        .iter()
                        .map(|piece| match piece {
                            Piece::Text(text) => json!({"text": text}),
                            Piece::Image => {
                                json!({"inlineData": {"mimeType": "image/png", "data": PNG}})
                            }
                            Piece::ImageUrl => {
                                json!({"fileData": {"mimeType": "image/png", "fileUri": URL}})
                            }
                            Piece::Pdf => {
                                json!({"inlineData": {"mimeType": "application/pdf", "data": PDF}})
                            }
                        })
                        .collect();
                    list.push(json!({"role": "user", "parts": parts}));
                }
                Step::Assistant { text, thinking } => {
                    let mut part = json!({"text": text});
                    if thinking.is_some() {
                        part["thoughtSignature"] = json!("c2ln");
                    }
                    list.push(json!({"role": "model", "parts": [part]}));
                }
                Step::Calls { text, thinking, calls } => {
                    let mut parts = Vec::new();
                    if !text.is_empty() {
                        parts.push(json!({"text": text}));
                    }
                    let mut results = Vec::new();
                    for (n, call) in calls.iter().enumerate() {
                        let mut part =
                            json!({"functionCall": {"name": call.name, "args": object(call)}});
                        if n == 0 && thinking.is_some() {
                            part["thoughtSignature"] = json!("c2ln");
                        }
                        // Half of the models give ids, half do not.
                        let mut response =
                            json!({"name": call.name, "response": {"result": call.result}});
                        if at % 2 == 0 {
                            part["functionCall"]["id"] = json!(id(at, n));
                            response["id"] = json!(id(at, n));
                        }
                        parts.push(part);
                        results.push(json!({"functionResponse": response}));
                    }
                    list.push(json!({"role": "model", "parts": parts}));
                    list.push(json!({"role": "user", "parts": results}));
                }
            }
        }
        let mut body = json!({"contents": list});
        if let Some(system) = &self.system {
            body["systemInstruction"] = json!({"parts": [{"text": system}]});
        }
        if self.tools {
            let tool = json!({"name": "read_file", "parameters": Self::schema()});
            body["tools"] = json!([{"functionDeclarations": [tool]}]);
        }
        body
    }

    fn neutral(&self) -> Value {
        let mut list: Vec<Value> = Vec::new();
        let text = |text: &String| json!({"type": "text", "text": text});
        list.extend(self.system.iter().map(|own| json!({"role": "system", "parts": [text(own)]})));
        let thought = |thinking: &Option<String>| {
            let part = |text| json!({"type": "thinking", "text": text, "signature": "c2ln"});
            thinking.as_ref().map(part)
        };
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Step::User(pieces) => {
                    let parts: Vec<Value> = pieces
                        .iter()
                        .map(|piece| match piece {
                            Piece::Text(own) => text(own),
                            Piece::Image => {
                                json!({"type": "media", "media_type": "image/png", "data": PNG})
                            }
                            Piece::ImageUrl => {
                                json!({"type": "media", "media_type": "image/png", "url": URL})
                            }
                            Piece::Pdf => json!({"type": "media", "media_type": "application/pdf",
                                             "data": PDF, "name": "r.pdf"}),
                        })
                        .collect();
                    list.push(json!({"id": format!("m{at}"), "role": "user", "parts": parts}));
                }
                Step::Assistant { text: own, thinking } => {
                    let mut parts: Vec<Value> = thought(thinking).into_iter().collect();
                    parts.push(text(own));
                    list.push(json!({"id": format!("m{at}"), "role": "assistant", "parts": parts}));
                }
                Step::Calls { text: own, thinking, calls } => {
                    let mut parts: Vec<Value> = thought(thinking).into_iter().collect();
                    if !own.is_empty() {
                        parts.push(text(own));
                    }
                    parts.extend(calls.iter().enumerate().map(|(n, call)| {
                        json!({"type": "tool_call", "id": id(at, n), "name": call.name,
                               "arguments": call.arguments})
                    }));
                    list.push(json!({"id": format!("m{at}"), "role": "assistant", "parts": parts}));
                    list.extend(calls.iter().enumerate().map(|(n, call)| {
                        json!({"role": "tool", "parts": [
                            {"type": "tool_result", "call_id": id(at, n), "name": call.name,
                             "content": call.result, "is_error": call.is_error},
                        ]})
                    }));
                }
            }
        }
        let mut body = json!({"messages": list});
        if self.tools {
            body["tools"] = json!([{"name": "read_file", "description": "Reads a file.",
                                    "parameters": Self::schema()}]);
        }
        body
    }
}

fn id(step: usize, call: usize) -> String {
    format!("call_{step}_{call}")
}

fn object(call: &Call) -> Value {
    serde_json::from_str(call.arguments).expect("an object")
}

fn reasoning(at: usize, text: &str) -> Value {
    json!({"type": "reasoning", "id": format!("rs_{at}"), "encrypted_content": "ZW5j",
           "summary": [{"type": "summary_text", "text": text}]})
}

fn said(at: usize, text: &str) -> Value {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    json!({"type": "message", "role": "assistant", "id": format!("msg_{at}"),
           "status": "completed", "content": [part]})
}

/// A way to spoil a valid OpenAI request, and the beginning of the pointer to it.
pub fn spoiled() -> impl Strategy<Value = (Value, String)> {
    let faults = prop::sample::select(vec![
        ("role", json!({"content": "x"})),
        ("role", json!({"role": "narrator", "content": "x"})),
        ("content", json!({"role": "user", "content": 7})),
        ("content", json!({"role": "user", "content": [{"type": "text"}]})),
        ("message", json!("hello")),
        ("message", Value::Null),
        ("id", json!({"role": "tool", "content": "x"})),
        (
            "calls",
            json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{"}}]}),
        ),
        (
            "calls",
            json!({"role": "assistant", "content": null, "tool_calls": [
            {"type": "function", "function": {"name": "f", "arguments": "{}"}}]}),
        ),
        (
            "calls",
            json!({"role": "user", "content": "x", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}),
        ),
        ("calls", json!({"role": "assistant", "content": null, "tool_calls": {}})),
    ]);
    (plan(5), faults, any::<prop::sample::Index>()).prop_map(|(plan, (_, message), place)| {
        let mut body = plan.request("openai", "openai");
        let list = body["messages"].as_array_mut().expect("a list");
        let place = place.index(list.len() + 1);
        list.insert(place, message);
        (body, format!("/messages/{place}"))
    })
}
