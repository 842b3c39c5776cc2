//! Tools whose results the model or the client needs byte for byte.

/// Tools that read a file for an edit, which names the text to replace exactly, and tools of memory,
/// whose own format is a contract. Names of public agents and of built-in tools of providers.
const EXACT: &[&str] = &[
    // Anthropic's built-in tools.
    "str_replace_based_edit_tool",
    "str_replace_editor",
    "text_editor",
    "memory",
    // Claude Code.
    "Read",
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookRead",
    "NotebookEdit",
    // Codex.
    "apply_patch",
    // Gemini CLI.
    "read_file",
    "read_many_files",
    "write_file",
    "replace",
    "edit_file",
    // `OpenCode`.
    "read",
    "edit",
    "write",
    "patch",
    // Cline and Roo Code.
    "replace_in_file",
    "write_to_file",
    "apply_diff",
    "insert_content",
];

/// Ends of names of tools that give an original back or read memory, after the name of a server: those
/// of our own MCP server, and of others.
const RETRIEVAL: &[&str] = &[
    "context_read",
    "expand",
    "headroom_retrieve",
    "memory_create",
    "memory_modify",
    "memory_recall",
    "read_context",
    "read_original",
];

/// The same by whole names: our tools in the lists of compiles.
const OWN: &[&str] = &["create_memory", "modify_memory"];

/// Whether the results of a tool stay as they are.
pub fn is_exact_tool(name: &str) -> bool {
    let own = name.rsplit("__").next().unwrap_or(name);
    EXACT.contains(&name) || OWN.contains(&name) || RETRIEVAL.contains(&own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_files_and_of_originals_are_exact() {
        for name in ["Read", "memory", "mcp__contexture__read_original", "headroom_retrieve"] {
            assert!(is_exact_tool(name), "{name}");
        }
        for name in ["Bash", "mcp__db__query", "Reader", "read_original_x", "mcp__fs__read"] {
            assert!(!is_exact_tool(name), "{name}");
        }
    }
}
