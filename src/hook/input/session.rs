//! Inputs at the points around sessions, and of events.

use serde::Serialize;

use super::{InputMember, PointInput};
use crate::json::JsonText;

/// The input at `delegation`.
#[derive(Debug, Clone, Serialize)]
pub struct DelegationInput<'a> {
    pub task: &'a str,
    pub result: &'a str,
    pub agent_name: &'a str,
    pub metadata: JsonText<'a>,
    pub status: &'static str,
    pub path: &'static str,
}

impl PointInput for DelegationInput<'_> {
    const SENTENCE: &'static str = "after an agent handed a task to another one";
    const MEMBERS: &'static [InputMember] = &[
        ("task", "what was asked"),
        ("result", "what came back; may be empty"),
        ("agent_name", "who did it"),
        ("metadata", "`{handoff_depth, …}`"),
        ("status", "`success`, `failed`, `timeout`, `cycle` or `depth`"),
        ("path", "how it was handed over"),
    ];

    fn sample() -> Self {
        Self {
            task: "Find the fault",
            result: "It is the linker",
            agent_name: "finder",
            metadata: JsonText::new(r#"{"handoff_depth":1}"#),
            status: "success",
            path: "sync",
        }
    }
}

/// The input at `session_switch`.
#[derive(Debug, Clone, Serialize)]
pub struct SessionSwitchInput<'a> {
    pub new_session_id: &'a str,
    pub parent_session_id: &'a str,
    pub reset: bool,
    pub reason: &'a str,
}

impl PointInput for SessionSwitchInput<'_> {
    const SENTENCE: &'static str = "when a conversation goes on in another session";
    const MEMBERS: &'static [InputMember] = &[
        ("new_session_id", "where it goes on"),
        ("parent_session_id", "where it comes from; empty for a first session"),
        ("reset", "whether it starts empty"),
        ("reason", "`new`, `fork`, `reset`, `rotation` or `resume`"),
    ];

    fn sample() -> Self {
        Self { new_session_id: "s_2", parent_session_id: "s_1", reset: false, reason: "fork" }
    }
}

/// The input at `cache_expiring`.
#[derive(Debug, Clone, Serialize)]
pub struct CacheExpiringInput<'a> {
    pub model: &'a str,
    pub compilation_id: &'a str,
    pub prefix_hash: &'a str,
    pub prefix_tokens: u64,
    pub rewrite_micros: Option<u64>,
    pub expires_at: &'a str,
}

impl PointInput for CacheExpiringInput<'_> {
    const SENTENCE: &'static str = "before a session's prefix runs out in its provider's cache";
    const MEMBERS: &'static [InputMember] = &[
        ("model", "the model of the session's last payload"),
        ("compilation_id", "the compile of that payload"),
        ("prefix_hash", "SHA-256 of the payload's text up to the end of its last marked block"),
        ("prefix_tokens", "tokens of the prefix"),
        (
            "rewrite_micros",
            "micro-dollars that writing it again costs more than reading it, or null",
        ),
        ("expires_at", "when it runs out"),
    ];

    fn sample() -> Self {
        Self {
            model: "claude-sonnet-4-5",
            compilation_id: "cmp_0198c4f2b7c07d53a1d2c3b4a5968778",
            prefix_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            prefix_tokens: 18_000,
            rewrite_micros: Some(62_100),
            expires_at: "2026-12-31T23:59:59Z",
        }
    }
}

/// The input at `event`.
#[derive(Debug, Clone, Serialize)]
pub struct EventInput<'a> {
    pub seq: u64,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub at: &'a str,
    pub session_id: Option<&'a str>,
    pub compilation_id: Option<&'a str>,
    pub data: JsonText<'a>,
}

impl PointInput for EventInput<'_> {
    const SENTENCE: &'static str = "any event of the feed";
    const MEMBERS: &'static [InputMember] = &[
        ("seq", "the event's number"),
        ("type", "the event's name"),
        ("at", "when it happened"),
        ("session_id", "the session, or null"),
        ("compilation_id", "the compilation, or null"),
        ("data", "what the event tells"),
    ];

    fn sample() -> Self {
        Self {
            seq: 7,
            kind: "memory:changed",
            at: "2026-12-31T23:59:59Z",
            session_id: None,
            compilation_id: None,
            data: JsonText::new(r#"{"key":"language"}"#),
        }
    }
}
