//! A tool result that hooks replaced: [`ReplacedResult`].

use super::ToolResult;

/// A tool result before and after the hooks at `tool_result`.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplacedResult {
    pub old: ToolResult,
    pub new: ToolResult,
}
