//! Inputs at the points of a compile where hooks see messages.

use serde::Serialize;

use super::{InputMember, PointInput};
use crate::domain::Actions;
use crate::json::JsonText;

/// The messages of samples.
const SAMPLE_MESSAGES: JsonText<'static> = JsonText::new(
    r#"[{"id":"m_1","role":"user","parts":[{"type":"text","text":"Where does the build fail?"}]}]"#,
);
const NO_MESSAGES: JsonText<'static> = JsonText::new("[]");

/// The input at `before_compress`.
#[derive(Debug, Clone, Serialize)]
pub struct BeforeCompressInput<'a> {
    pub history: JsonText<'a>,
    pub system: JsonText<'a>,
    pub tokens: TokenPressure,
    pub history_tokens: TokenPressure,
    pub trigger: CompressTrigger,
    pub to_compress: MessageSpan,
}

/// Tokens of the payload or of the history, as the report counts them, and the limit for them.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TokenPressure {
    pub current: u64,
    pub limit: u64,
}

/// Why a history shrinks.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompressTrigger {
    OverLimit,
    Threshold,
}

/// Messages of a history, by their indexes; `to` is not included.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct MessageSpan {
    pub from: usize,
    pub to: usize,
}

impl PointInput for BeforeCompressInput<'_> {
    const SENTENCE: &'static str =
        "before an over-long history shrinks; a guard that denies leaves it as it is";
    const MEMBERS: &'static [InputMember] = &[
        ("history", "messages"),
        ("system", "messages"),
        ("tokens", "`{current, limit}` of the payload: its budget is the limit"),
        ("history_tokens", "`{current, limit}` of the history: above its limit it shrinks"),
        ("trigger", "why the history shrinks"),
        ("to_compress", "`{from, to}`, the messages that are about to shrink"),
    ];

    fn sample() -> Self {
        Self {
            history: SAMPLE_MESSAGES,
            system: NO_MESSAGES,
            tokens: TokenPressure { current: 130_000, limit: 120_000 },
            history_tokens: TokenPressure { current: 118_000, limit: 108_000 },
            trigger: CompressTrigger::OverLimit,
            to_compress: MessageSpan { from: 0, to: 1 },
        }
    }
}

/// The input at `summarize`.
#[derive(Debug, Clone, Serialize)]
pub struct SummarizeInput<'a> {
    pub messages: JsonText<'a>,
    pub instructions: Option<&'a str>,
    pub material: Option<&'a str>,
    pub max_tokens: u64,
}

impl PointInput for SummarizeInput<'_> {
    const SENTENCE: &'static str = "writes the summary of the turns that leave the history";
    const MEMBERS: &'static [InputMember] = &[
        ("messages", "messages to summarise, media and stubbed results as lines that name them"),
        ("instructions", "what the caller asked the summary to keep, or null"),
        ("material", "what hooks at `before_compress` gave for it, or null"),
        ("max_tokens", "the most that the summary may take"),
    ];

    fn sample() -> Self {
        Self { messages: SAMPLE_MESSAGES, instructions: None, material: None, max_tokens: 2_000 }
    }
}

/// The input at `after_compress`.
#[derive(Debug, Clone, Serialize)]
pub struct AfterCompressInput<'a> {
    pub summary: Option<&'a str>,
    pub truncated_count: usize,
    pub compressed_messages: JsonText<'a>,
    pub tokens: TokenChange,
    /// As `actions` of the report.
    pub actions: Actions,
}

/// Tokens of the payload before and after a history shrank, as the report counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TokenChange {
    pub before: u64,
    pub after: u64,
}

impl PointInput for AfterCompressInput<'_> {
    const SENTENCE: &'static str = "after a history shrank";
    const MEMBERS: &'static [InputMember] = &[
        ("summary", "the summary, or null"),
        ("truncated_count", "messages that left the history"),
        ("compressed_messages", "those messages"),
        ("tokens", "`{before, after}` of the payload"),
        ("actions", "messages by what happened to them, as in the report"),
    ];

    fn sample() -> Self {
        Self {
            summary: Some("The build failed in the linker."),
            truncated_count: 1,
            compressed_messages: SAMPLE_MESSAGES,
            tokens: TokenChange { before: 130_000, after: 60_000 },
            actions: Actions {
                kept: 12,
                compressed: 2,
                cleared: 3,
                summarized: 1,
                ..Actions::default()
            },
        }
    }
}

/// The input at `before_compile`.
#[derive(Debug, Clone, Serialize)]
pub struct BeforeCompileInput<'a> {
    pub system: JsonText<'a>,
    pub history: JsonText<'a>,
    pub dynamic_state: Option<JsonText<'a>>,
    pub dynamic_state_xml: Option<&'a str>,
}

impl PointInput for BeforeCompileInput<'_> {
    const SENTENCE: &'static str =
        "adds text to the end of the last user message, such as what a search found";
    const MEMBERS: &'static [InputMember] = &[
        ("system", "messages"),
        ("history", "messages, already compressed"),
        ("dynamic_state", "as the caller gave it, or null"),
        ("dynamic_state_xml", "as the model will read it, or null"),
    ];

    fn sample() -> Self {
        Self {
            system: NO_MESSAGES,
            history: SAMPLE_MESSAGES,
            dynamic_state: Some(JsonText::new(r#"{"step":1}"#)),
            dynamic_state_xml: Some("<step>1</step>"),
        }
    }
}

/// The input at `transform_context`.
#[derive(Debug, Clone, Serialize)]
pub struct TransformContextInput<'a> {
    pub target: &'a str,
    pub model: Option<&'a str>,
    pub messages: JsonText<'a>,
}

impl PointInput for TransformContextInput<'_> {
    const SENTENCE: &'static str =
        "the complete list of messages before it becomes the provider's payload";
    const MEMBERS: &'static [InputMember] = &[
        ("target", "the shape that is written"),
        ("model", "as the caller named it, or null"),
        ("messages", "messages, the tail of the last one included"),
    ];

    fn sample() -> Self {
        Self { target: "openai", model: None, messages: SAMPLE_MESSAGES }
    }
}
