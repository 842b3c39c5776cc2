//! The tool of a request with which the model can read what was shortened: that of our MCP server, or
//! that of headroom's clients.

use super::str_of;
use crate::json::Node;

/// A tool that reads an original by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadTool {
    /// `context_read` of our MCP server.
    ContextRead,
    /// `headroom_retrieve`, which takes a hash.
    HeadroomRetrieve,
}

impl ReadTool {
    /// The tool of a name, which clients put after the name of its server.
    fn of_name(name: &str) -> Option<Self> {
        match name.rsplit(['.', '/']).next()?.rsplit("__").next()? {
            "context_read" => Some(Self::ContextRead),
            "headroom_retrieve" => Some(Self::HeadroomRetrieve),
            _ => None,
        }
    }
}

/// Finds the tool among those that the model can call at once: one that it has to search for first is
/// none.
pub(super) fn find(node: &Node<'_>) -> Option<ReadTool> {
    let tools = node.get("tools").and_then(Node::as_array).unwrap_or_default();
    let is_deferred =
        |tool: &Node<'_>| tool.get("defer_loading").and_then(Node::as_bool) == Some(true);
    let mut names = tools.iter().filter(|tool| !is_deferred(tool)).flat_map(names);
    names.find_map(ReadTool::of_name)
}

/// The names of a tool, in the shapes of all wire formats.
fn names<'n>(tool: &'n Node<'_>) -> Vec<&'n str> {
    let declared = ["functionDeclarations", "function_declarations"]
        .iter()
        .find_map(|key| tool.get(key)?.as_array())
        .unwrap_or_default();
    let own = std::iter::once(tool.get("function").unwrap_or(tool));
    own.chain(declared).map(|named| str_of(named, "name")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    #[test]
    fn the_tool_is_found_in_each_shape_under_the_name_of_its_server() {
        let found = |tools: &str| {
            let body = format!("{{\"tools\":[{{\"name\":\"Bash\"}},{tools}]}}");
            find(&parse(&body, Limits::default()).unwrap())
        };
        let own = Some(ReadTool::ContextRead);
        assert_eq!(found(r#"{"name":"mcp__contexture__context_read","input_schema":{}}"#), own);
        assert_eq!(found(r#"{"type":"function","function":{"name":"context_read"}}"#), own);
        assert_eq!(
            found(r#"{"functionDeclarations":[{"name":"a"},{"name":"context_read"}]}"#),
            own
        );
        let hash = Some(ReadTool::HeadroomRetrieve);
        assert_eq!(found(r#"{"type":"function","name":"headroom_retrieve"}"#), hash);
        for none in [
            r#"{"name":"mcp__contexture__context_read","defer_loading":true}"#,
            r#"{"name":"context_read_all"}"#,
            "1",
        ] {
            assert_eq!(found(none), None, "{none}");
        }
    }
}
