//! Tools that a model finds by a search (`defer_loading`): without anything that searches, nothing
//! would ever load them, and the provider refuses the request.

use super::ConversationAdapter;
use super::fields::member;
use crate::domain::{RawJson, Target, ToolDefinition};
use crate::json::{self, Limits};
use crate::provider::words::list_distinct;

pub(super) const DEFERS: &str = "defer_loading";

impl ConversationAdapter<'_> {
    /// Takes the marks off tools that nothing could load.
    ///
    /// "At least one tool must have `defer_loading=false`":
    /// <https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool>. "Deferred tools
    /// require `tools.tool_search`": <https://github.com/pydantic/pydantic-ai/pull/6080>.
    pub(super) fn deferred_tools(&mut self, tools: &mut [ToolDefinition]) {
        if !tools.iter().any(ToolDefinition::is_deferred) {
            return;
        }
        // A tool of the caller's own may search for Anthropic; one that searches cannot be found.
        let searches = |tool: &ToolDefinition| is_search(tool, self.target);
        let goes: fn(&ToolDefinition, Target) -> bool = match self.target {
            Target::Anthropic if !tools.iter().all(ToolDefinition::is_deferred) => return,
            Target::OpenaiResponses if tools.iter().any(searches) => return,
            Target::Anthropic if tools.iter().any(searches) => is_search,
            Target::Anthropic | Target::OpenaiResponses => |_, _| true,
            Target::Openai | Target::Gemini | Target::Neutral => return,
        };
        let mut names = Vec::new();
        for tool in tools.iter_mut().filter(|tool| tool.is_deferred() && goes(tool, self.target)) {
            tool.extra.retain(|(name, _)| &**name != DEFERS);
            if let Some(raw) = tool.opaque.as_ref().and_then(without_mark) {
                tool.opaque = Some(raw);
            }
            names.push(tool.name.clone());
        }
        let detail = list_distinct(&names);
        self.notes.degraded("defer_loading_dropped", "/tools".to_owned(), detail);
    }
}

/// Whether a tool is the provider's own search for tools.
fn is_search(tool: &ToolDefinition, target: Target) -> bool {
    let kind = tool.opaque.as_ref().and_then(|raw| member(raw, "type")).unwrap_or_default();
    match target {
        Target::Anthropic => kind.starts_with("tool_search_tool"),
        _ => kind == "tool_search",
    }
}

fn without_mark(raw: &RawJson) -> Option<RawJson> {
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    json::without_members(&node, |name, _| name == DEFERS).map(RawJson::new)
}
