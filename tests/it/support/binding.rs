//! A provider that binds signed thinking to everything before it, as Anthropic's newest models do:
//! <https://platform.claude.com/docs/en/build-with-claude/preserved-thinking>.

use std::collections::HashMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The provider's side of a conversation.
#[derive(Debug, Default)]
pub struct BindingProvider {
    made: HashMap<String, MadeThinking>,
}

#[derive(Debug)]
struct MadeThinking {
    /// The hash of everything that was before the block, without thinking and cache marks.
    prefix: Vec<u8>,
    /// The signature of the thinking before it.
    before: Option<String>,
}

/// What became of the thinking in a payload.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ThinkingCount {
    /// Blocks that are as they were made, with what was before them.
    pub valid: usize,
    /// Blocks that the provider refuses.
    pub refused: usize,
}

impl BindingProvider {
    /// Checks the thinking of a payload as the provider does before it answers.
    pub fn check(&self, payload: &Value) -> ThinkingCount {
        let mut count = ThinkingCount::default();
        let mut prefix = Sha256::new_with_prefix(head(payload));
        let mut last: Option<String> = None;
        for message in payload["messages"].as_array().expect("messages") {
            for signature in signatures(message) {
                let made = self.made.get(&signature).expect("a block of this provider");
                // Blocks may be left out from the first on, so the first one has none before it.
                let follows = last.is_none() || made.before == last;
                if made.prefix == prefix.clone().finalize().to_vec() && follows {
                    count.valid += 1;
                } else {
                    count.refused += 1;
                }
                last = Some(signature);
            }
            prefix.update(without_thinking(message));
        }
        count
    }

    /// A signed thinking block for a payload.
    pub fn think(&mut self, payload: &Value, text: &str) -> Value {
        let messages = payload["messages"].as_array().expect("messages");
        let mut prefix = Sha256::new_with_prefix(head(payload));
        for message in messages {
            prefix.update(without_thinking(message));
        }
        let before = messages.iter().flat_map(signatures).last();
        let signature = format!("c2lnbmF0dXJl{:06}", self.made.len());
        let made = MadeThinking { prefix: prefix.finalize().to_vec(), before };
        self.made.insert(signature.clone(), made);
        json!({"type": "thinking", "thinking": text, "signature": signature})
    }

    /// The blocks of an answer to a payload: thinking, and a call of `read_log`.
    pub fn answer(&mut self, payload: &Value, call_id: &str) -> Value {
        json!({"role": "assistant", "content": [
            self.think(payload, &format!("step {call_id}")),
            {"type": "text", "text": format!("I read log {call_id}.")},
            {"type": "tool_use", "id": call_id, "name": "read_log", "input": {"log": call_id}},
        ]})
    }
}

fn head(payload: &Value) -> String {
    let mut head = json!({"system": payload["system"], "tools": payload["tools"]});
    take_marks(&mut head);
    head.to_string()
}

fn signatures(message: &Value) -> Vec<String> {
    let blocks = message["content"].as_array().cloned().unwrap_or_default();
    blocks.iter().filter_map(|block| block["signature"].as_str().map(str::to_owned)).collect()
}

/// A message as the prefix has it.
fn without_thinking(message: &Value) -> String {
    let mut message = message.clone();
    take_marks(&mut message);
    if let Some(blocks) = message["content"].as_array_mut() {
        blocks.retain(|block| block["type"] != "thinking");
        if blocks.is_empty() {
            return String::new();
        }
    }
    message.to_string()
}

fn take_marks(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("cache_control");
            members.values_mut().for_each(take_marks);
        }
        Value::Array(items) => items.iter_mut().for_each(take_marks),
        _ => {}
    }
}
