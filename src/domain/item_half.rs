//! Items of a provider's own that are one half of something: a call, or its output. A provider refuses
//! one half without the other.

use super::{Content, Part, RawJson};
use crate::json::{self, Limits, Node};

/// What a kind of item is one half of, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemHalf {
    pub family: HalfFamily,
    pub role: HalfRole,
    /// The members that may have the id of the call, the first that is there.
    id_keys: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HalfFamily {
    /// A call of a tool that Anthropic's API runs.
    ServerTool,
    /// A request for leave to call a tool of an MCP server.
    Approval,
    /// A call of a built-in tool of `OpenAI`'s Responses API, or a program that calls tools there.
    BuiltInTool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HalfRole {
    Call,
    /// A call that is whole by itself, unless it has the id of a call.
    WholeCall,
    Output,
}

impl ItemHalf {
    pub fn new(kind: &str) -> Option<Self> {
        use HalfFamily::{Approval, BuiltInTool, ServerTool};
        use HalfRole::{Call, Output, WholeCall};
        let (family, role, id_keys): (_, _, &[&str]) = match kind {
            "server_tool_use" | "mcp_tool_use" => (ServerTool, Call, &["id"]),
            kind if kind.ends_with("_tool_result") => (ServerTool, Output, &["tool_use_id"]),
            "mcp_approval_request" => (Approval, Call, &["id"]),
            "mcp_approval_response" => (Approval, Output, &["approval_request_id"]),
            "program" | "computer_call" | "shell_call" | "local_shell_call"
            | "apply_patch_call" | "tool_search_call" => (BuiltInTool, Call, &["call_id"]),
            kind if kind.ends_with("_call") => (BuiltInTool, WholeCall, &["call_id"]),
            // Clients name its call in either member.
            "local_shell_call_output" => (BuiltInTool, Output, &["call_id", "id"]),
            kind if kind.ends_with("_output") => (BuiltInTool, Output, &["call_id"]),
            _ => return None,
        };
        Some(Self { family, role, id_keys })
    }

    /// The half that a part is, and its item.
    pub fn in_part(part: &Part) -> Option<(Self, &RawJson)> {
        let Content::Opaque { kind, raw } = &part.content else { return None };
        Some((Self::new(kind)?, raw))
    }

    /// The id of the call.
    pub fn id(self, item: &RawJson) -> Option<String> {
        let node = json::parse(item.as_str(), Limits::default()).ok()?;
        let text = |key: &&str| node.get(key).and_then(Node::as_str);
        self.id_keys.iter().find_map(text).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(kind: &str, item: &str) -> Option<String> {
        ItemHalf::new(kind)?.id(&RawJson::new(item))
    }

    #[test]
    fn halves_have_the_id_of_their_call() {
        for (call, item, output, other) in [
            (
                "server_tool_use",
                r#"{"id":"x"}"#,
                "web_search_tool_result",
                r#"{"tool_use_id":"x"}"#,
            ),
            ("mcp_tool_use", r#"{"id":"x"}"#, "mcp_tool_result", r#"{"tool_use_id":"x"}"#),
            (
                "mcp_approval_request",
                r#"{"id":"x"}"#,
                "mcp_approval_response",
                r#"{"id":"y","approval_request_id":"x"}"#,
            ),
            ("program", r#"{"id":"y","call_id":"x"}"#, "program_output", r#"{"call_id":"x"}"#),
            (
                "shell_call",
                r#"{"call_id":"x"}"#,
                "shell_call_output",
                r#"{"id":"y","call_id":"x"}"#,
            ),
            ("local_shell_call", r#"{"call_id":"x"}"#, "local_shell_call_output", r#"{"id":"x"}"#),
        ] {
            let (first, last) = (ItemHalf::new(call).unwrap(), ItemHalf::new(output).unwrap());
            assert_eq!((first.role, last.role), (HalfRole::Call, HalfRole::Output), "{call}");
            assert_eq!(first.family, last.family, "{call}");
            assert_eq!((id(call, item), id(output, other)), (Some("x".into()), Some("x".into())));
        }
        assert_eq!(id("shell_call_output", r#"{"id":"y"}"#), None);
    }

    #[test]
    fn a_call_with_its_output_in_it_is_whole() {
        for kind in ["web_search_call", "mcp_call", "image_generation_call"] {
            assert_eq!(ItemHalf::new(kind).unwrap().role, HalfRole::WholeCall, "{kind}");
            assert_eq!(id(kind, r#"{"id":"x"}"#), None);
        }
        assert_eq!(ItemHalf::new("reasoning"), None);
    }
}
