//! Tools a model may call.

use std::sync::Arc;

use super::{CacheMark, Extra, RawJson};

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
