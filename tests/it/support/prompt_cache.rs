//! A provider's prompt cache: what it keeps of a payload, and what it finds of the next one.
//!
//! Anthropic looks for an entry at each mark and at the 20 blocks before it; `OpenAI` at marks alone.
//! <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>,
//! <https://developers.openai.com/api/docs/guides/prompt-caching>

use std::collections::HashSet;

use serde_json::{Value, json};

/// A block of a payload in the order in which its provider reads it.
#[derive(Debug)]
struct Block {
    text: String,
    is_marked: bool,
}

/// What a provider keeps between requests.
#[derive(Debug, Default)]
pub struct PromptCache {
    entries: HashSet<String>,
}

/// What came of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheUse {
    /// Blocks that were in the cache.
    pub read: usize,
    /// Blocks up to the last mark, which the cache has from then on.
    pub written: usize,
    /// Marks of the payload.
    pub marks: usize,
}

impl PromptCache {
    /// Reads a payload as its provider does, then keeps its prefixes.
    pub fn send(&mut self, payload: &Value) -> CacheUse {
        let is_openai = payload.get("system").is_none();
        let lookback = if is_openai { 0 } else { 20 };
        let blocks = blocks(payload);
        let mut prefixes = Vec::new();
        let mut text = String::new();
        for block in &blocks {
            text.push_str(&block.text);
            text.push('\n');
            prefixes.push(text.clone());
        }
        let marked: Vec<usize> = (0..blocks.len()).filter(|at| blocks[*at].is_marked).collect();
        let found = marked.iter().filter_map(|at| {
            let mut places = (at.saturating_sub(lookback)..=*at).rev();
            places.find(|place| self.entries.contains(&prefixes[*place]))
        });
        let read = found.max().map_or(0, |at| at + 1);
        self.entries.extend(marked.iter().map(|at| prefixes[*at].clone()));
        let written = marked.last().map_or(0, |at| at + 1);
        CacheUse { read, written, marks: marked.len() }
    }
}

fn blocks(payload: &Value) -> Vec<Block> {
    let list = |key: &str| payload[key].as_array().cloned().unwrap_or_default();
    let mut found: Vec<Block> = list("tools").iter().map(|tool| block("", tool)).collect();
    found.extend(list("system").iter().map(|part| block("", part)));
    found.extend(payload.get("instructions").map(|text| block("", text)));
    for message in list("messages").into_iter().chain(list("input")) {
        let mut head = message.clone();
        let members = head.as_object_mut().expect("a message");
        let content = members.shift_remove("content").or_else(|| members.shift_remove("output"));
        let head = head.to_string();
        match content {
            Some(Value::Array(parts)) => found.extend(parts.iter().map(|part| block(&head, part))),
            Some(part) => found.push(block(&head, &part)),
            None => found.push(block(&head, &Value::Null)),
        }
    }
    // The provider itself marks the last block.
    if payload.get("cache_control").is_some() {
        found.last_mut().expect("a block").is_marked = true;
    }
    found
}

/// A block without its mark; a text alone is read as a list of it is.
fn block(head: &str, part: &Value) -> Block {
    let mut part = part.clone();
    let mut is_marked = false;
    if let Some(members) = part.as_object_mut() {
        for key in ["cache_control", "prompt_cache_breakpoint"] {
            is_marked |= members.shift_remove(key).is_some();
        }
        if members.len() == 2 && members.contains_key("text") {
            part = members["text"].clone();
        }
    }
    let text = json!([head, part]).to_string();
    Block { text, is_marked }
}
