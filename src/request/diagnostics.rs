//! What a provider's response reports about its request, in addition to usage: blocks that were
//! taken out, and why a prefix was not found in the cache.
//!
//! <https://platform.claude.com/docs/en/build-with-claude/cache-diagnostics>,
//! <https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html>

use crate::domain::{Notes, counted};
use crate::json::{Faults, Fields, Node, beginning};

/// The members of a request that have it.
pub(super) const DIAGNOSTIC_KEYS: &[&str] =
    &["input_transformations", "diagnostics", "cache_miss_reason"];
/// Blocks that may have been taken out of a request.
const MAX_TRANSFORMATIONS: usize = 10_000;
/// Blocks that a note names.
const MAX_NAMED_BLOCKS: usize = 8;

/// A provider's diagnostics of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderDiagnostics {
    /// Thinking blocks that the provider took out.
    pub dropped: Vec<DroppedThinking>,
    /// Why the cached prefix was not found.
    pub cache_miss: Option<CacheMiss>,
}

/// A thinking block that the provider took out of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedThinking {
    /// Where it was, in the provider's own notation (`messages.3.content.0`).
    pub path: String,
    /// The check that it failed, such as `prefix_binding_mismatch`.
    pub reason: String,
}

/// Why the cached prefix was not found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheMiss {
    /// Such as `system_changed` or `messages_changed`.
    pub reason: String,
    /// Tokens that were read again for it; none if the provider does not say.
    pub tokens: Option<u64>,
}

impl ProviderDiagnostics {
    pub(super) fn read(fields: &Fields<'_, '_>, faults: &mut Faults) -> Self {
        let list = fields.list("input_transformations", MAX_TRANSFORMATIONS, faults);
        let dropped = list.iter().filter_map(dropped_thinking).collect();
        let diagnostics = fields.get("diagnostics").filter(|own| !own.is_null());
        if diagnostics.is_some_and(|own| own.as_object().is_none()) {
            fields.fault("diagnostics", "must be the provider's object", faults);
        }
        let reason = fields.get("cache_miss_reason");
        let reason = reason.or_else(|| diagnostics?.get("cache_miss_reason"));
        Self { dropped, cache_miss: reason.and_then(cache_miss) }
    }

    /// Notes what they say.
    pub fn note(&self, notes: &mut Notes) {
        if let Some(first) = self.dropped.first() {
            let named: Vec<String> = self
                .dropped
                .iter()
                .take(MAX_NAMED_BLOCKS)
                .map(|block| format!("{} ({})", block.path, block.reason))
                .collect();
            let detail = format!(
                "taken out by the provider: {} from {}: {}",
                counted(self.dropped.len() as u64, "thinking block"),
                first.path,
                named.join(", ")
            );
            notes.warn("thinking_dropped_by_provider", "/input_transformations".to_owned(), detail);
        }
        if let Some(CacheMiss { reason, tokens }) = &self.cache_miss {
            let tokens =
                tokens.map_or_else(String::new, |tokens| format!(", {}", counted(tokens, "token")));
            let detail = format!("the provider did not find the cached prefix: {reason}{tokens}");
            notes.warn("cache_missed", "/diagnostics".to_owned(), detail);
        }
    }
}

fn word(node: &Node<'_>, key: &str) -> String {
    let text = node.get(key).and_then(Node::as_str).unwrap_or("unknown");
    beginning(text).to_owned()
}

fn dropped_thinking(entry: &Node<'_>) -> Option<DroppedThinking> {
    (entry.get("type")?.as_str()? == "thinking_dropped")
        .then(|| DroppedThinking { path: word(entry, "path"), reason: word(entry, "reason") })
}

fn cache_miss(reason: &Node<'_>) -> Option<CacheMiss> {
    if reason.is_null() {
        return None;
    }
    let tokens = reason.get("cache_missed_input_tokens").and_then(Node::as_u64);
    let kind = reason.as_str().map(|word| beginning(word).to_owned());
    Some(CacheMiss { reason: kind.unwrap_or_else(|| word(reason, "type")), tokens })
}
