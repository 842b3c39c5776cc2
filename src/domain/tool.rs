//! Tools a model may call.

use std::sync::Arc;

use super::{CacheMark, Extra, RawJson};
use crate::json::{self, Node};

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    /// JSON Schema of the arguments.
    pub parameters: Option<RawJson>,
    pub cache: Option<CacheMark>,
    /// Uninterpreted members (`strict`, …).
    pub extra: Extra,
    /// The whole definition if it is a provider's own tool (`web_search_20250305`,
    /// `computer_use_preview`, Gemini's `googleSearch`, …); only its provider can interpret it.
    /// Without its cache mark, which is `cache`.
    pub opaque: Option<RawJson>,
    /// JSON Pointer to it in the request; notes about it lead there.
    pub origin: Arc<str>,
}

/// The name of Anthropic's memory tool, which its definition must have.
pub const MEMORY_TOOL: &str = "memory";
/// Its type. Later types may have other commands.
const MEMORY_TOOL_TYPE: &str = "memory_20250818";

impl ToolDefinition {
    /// Whether it is Anthropic's memory tool, whose commands are carried out here
    /// (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool>).
    pub fn is_memory_tool(&self) -> bool {
        let own = self.opaque.as_ref().filter(|_| *self.name == *MEMORY_TOOL);
        let node = own.and_then(|raw| json::parse(raw.as_str(), json::Limits::default()).ok());
        node.is_some_and(|node| node.get("type").and_then(Node::as_str) == Some(MEMORY_TOOL_TYPE))
    }

    /// Whether the provider keeps the definition out of the prompt until the model has searched for
    /// it: it costs nothing there, and a cache mark on it is refused
    /// (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool>).
    pub fn is_deferred(&self) -> bool {
        const DEFERS: &str = "defer_loading";
        let own = self.opaque.as_ref().map(RawJson::as_str);
        own.is_some_and(|raw| {
            let node = || json::parse(raw, json::Limits::default()).ok();
            raw.contains(DEFERS)
                && node().is_some_and(|node| node.get(DEFERS).and_then(Node::as_bool) == Some(true))
        }) || self.extra.iter().any(|(name, raw)| **name == *DEFERS && raw.as_str() == "true")
    }
}
