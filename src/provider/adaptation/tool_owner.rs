//! The provider that owns a built-in tool, by the names in its reference.

use crate::domain::Target;
use crate::json::{self, Node};

/// `OpenAI`'s, by the beginning of their type: some have a date after it.
const OPENAI_TYPES: &[&str] = &[
    "apply_patch",
    "code_interpreter",
    "computer",
    "file_search",
    "image_generation",
    "local_shell",
    "mcp",
    "shell",
    "tool_search",
    "web_search",
];

/// Gemini's, which are members without a type.
const GEMINI_KEYS: &[&str] = &[
    "codeExecution",
    "code_execution",
    "computerUse",
    "computer_use",
    "enterpriseWebSearch",
    "enterprise_web_search",
    "fileSearch",
    "file_search",
    "googleMaps",
    "google_maps",
    "googleSearch",
    "googleSearchRetrieval",
    "google_search",
    "google_search_retrieval",
    "urlContext",
    "url_context",
];

/// The target that takes a built-in tool, if it is known.
pub(super) fn owner(raw: &str) -> Option<Target> {
    let node = json::parse(raw, json::Limits::default()).ok()?;
    let Some(kind) = node.get("type").and_then(Node::as_str) else {
        let has = |key: &&str| node.get(key).is_some();
        return GEMINI_KEYS.iter().any(has).then_some(Target::Gemini);
    };
    if kind == "mcp_toolset" || has_version(kind) {
        return Some(Target::Anthropic);
    }
    let is_it = |known: &&str| {
        kind.strip_prefix(*known).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with("_preview") || rest.starts_with("_use_preview")
        })
    };
    OPENAI_TYPES.iter().any(is_it).then_some(Target::OpenaiResponses)
}

/// Whether a type ends in a date of eight digits, as those of Anthropic's tools do.
fn has_version(kind: &str) -> bool {
    kind.rsplit_once('_')
        .is_some_and(|(_, date)| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_tools_have_one_owner() {
        for (raw, target) in [
            (r#"{"type":"web_search_20250305","name":"web_search"}"#, Some(Target::Anthropic)),
            (r#"{"type":"mcp_toolset","mcp_server_name":"a"}"#, Some(Target::Anthropic)),
            (r#"{"type":"web_search_preview_2025_03_11"}"#, Some(Target::OpenaiResponses)),
            (r#"{"type":"computer_use_preview"}"#, Some(Target::OpenaiResponses)),
            (r#"{"type":"mcp","server_label":"a"}"#, Some(Target::OpenaiResponses)),
            (r#"{"googleSearch":{}}"#, Some(Target::Gemini)),
            (r#"{"type":"something"}"#, None),
            (r#"{"other":{}}"#, None),
        ] {
            assert_eq!(owner(raw), target, "{raw}");
        }
    }
}
