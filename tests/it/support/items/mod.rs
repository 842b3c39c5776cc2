//! Conversations out of what only one provider has: calls of built-in tools, server tools, reasoning
//! with signatures and encrypted content, media, compactions, calls of programs.
//!
//! A plan says what happens, round by round; a writer for each shape says it in that provider's items.
//! A shape without something has the nearest that it has.

mod anthropic;
mod gemini;
mod responses;

use proptest::prelude::*;
use serde_json::{Value, json};

pub const SHAPES: [&str; 3] = ["openai_responses", "anthropic", "gemini"];

/// What happens in one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    User,
    UserImage,
    Said,
    /// Calls of functions at once, so many.
    Calls(usize),
    CustomCall,
    Computer,
    Shell,
    /// Calls of a shell at once.
    Shells,
    LocalShell,
    Patch,
    WebSearch,
    Mcp,
    McpApproval,
    Interpreter,
    GeneratedImage,
    Program,
    Compaction,
}

const HAPPENINGS: &[(u32, Happening)] = &[
    (3, Happening::User),
    (1, Happening::UserImage),
    (3, Happening::Said),
    (2, Happening::Calls(1)),
    (2, Happening::Calls(3)),
    (1, Happening::CustomCall),
    (2, Happening::Computer),
    (2, Happening::Shell),
    (1, Happening::Shells),
    (1, Happening::LocalShell),
    (2, Happening::Patch),
    (2, Happening::WebSearch),
    (2, Happening::Mcp),
    (1, Happening::McpApproval),
    (1, Happening::Interpreter),
    (1, Happening::GeneratedImage),
    (2, Happening::Program),
    (1, Happening::Compaction),
];

#[derive(Debug, Clone, Copy)]
pub struct Round {
    pub what: Happening,
    /// How long its texts are, from 0 to 3.
    pub length: usize,
    pub thinks: bool,
    /// Makes its words.
    pub seed: u64,
}

/// A conversation of so many rounds.
pub fn rounds(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Round>> {
    let what = prop::strategy::Union::new_weighted(
        HAPPENINGS.iter().map(|(weight, what)| (*weight, Just(*what))).collect(),
    );
    let length =
        prop_oneof![3 => Just(0usize), 3 => Just(1usize), 2 => Just(2usize), 1 => Just(3usize)];
    let round = (what, length, prop::bool::weighted(0.4), any::<u64>())
        .prop_map(|(what, length, thinks, seed)| Round { what, length, thinks, seed });
    prop::collection::vec(round, count)
}

/// The items or messages of each round, the user's first request before them.
pub fn written(shape: &str, rounds: &[Round]) -> Vec<Vec<Value>> {
    let first = Round { what: Happening::User, length: 0, thinks: false, seed: 1 };
    let write = match shape {
        "openai_responses" => responses::write,
        "anthropic" => anthropic::write,
        "gemini" => gemini::write,
        other => panic!("unknown shape {other}"),
    };
    std::iter::once(&first).chain(rounds).enumerate().map(|(at, round)| write(at, round)).collect()
}

/// The key of a shape's list.
pub fn list_key(shape: &str) -> &'static str {
    match shape {
        "openai_responses" => "input",
        "gemini" => "contents",
        _ => "messages",
    }
}

/// A body of `/compile` with a list.
pub fn body(shape: &str, list: &[Value], target: &str, budget: u64) -> Value {
    let mut body = json!({"source": shape, "target": target, "explain": "summary",
        "budget": {"context_window": budget, "reserve_output": 0}});
    body[list_key(shape)] = json!(list);
    body
}

impl Round {
    /// Numbers that look random and are the same in every run.
    fn number(&self, salt: u64) -> u64 {
        let mixed = (self.seed ^ salt.wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963);
        mixed >> 33
    }

    fn words(&self, count: u64, salt: u64) -> String {
        const WORDS: [&str; 16] = [
            "server", "request", "handler", "timeout", "cache", "index", "worker", "queue",
            "retry", "branch", "token", "value", "parser", "socket", "buffer", "thread",
        ];
        let word = |at: u64| WORDS[(self.number(salt * 1_000 + at) % 16) as usize];
        (0..count).map(word).collect::<Vec<_>>().join(" ")
    }

    /// What a person or the model says.
    fn said(&self) -> String {
        self.words([6, 40, 200, 700][self.length], 1)
    }

    /// What a tool returns.
    fn output(&self, salt: u64) -> String {
        let lines = [1, 8, 50, 300][self.length];
        match self.number(salt) % 3 {
            0 => {
                let line = |at: u64| {
                    let (words, id) = (self.words(4, salt + at), self.number(salt + at) % 99_999);
                    format!("10:00:{at:02} INFO {words} id={id}")
                };
                (0..lines).map(line).collect::<Vec<_>>().join("\n") + "\n"
            }
            1 => {
                let row = |at: u64| json!({"id": at, "name": self.words(2, salt + at), "ok": at.is_multiple_of(2)});
                json!((0..lines).map(row).collect::<Vec<_>>()).to_string()
            }
            _ => self.words(lines * 8, salt),
        }
    }

    /// Encrypted bytes.
    fn sealed(&self) -> String {
        let bytes = [40, 400, 1_200, 3_000][self.length];
        (0..bytes).map(|at| char::from(b'A' + (self.number(at) % 26) as u8)).collect::<String>()
            + "AA=="
    }
}

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

fn data_uri() -> String {
    format!("data:image/png;base64,{PNG}")
}
