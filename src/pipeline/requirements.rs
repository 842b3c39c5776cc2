//! What the request that carries a payload needs in addition: headers that turn on features of the
//! provider's API, and parameters next to the payload's own members.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::{Content, Message, Notes, Role, Target, ToolDefinition};
use crate::provider::{self, has_compaction};
use crate::request::{CompileRequest, Compression, Level, ThinkingPolicy};

/// The header that names features of Anthropic's API which are in beta:
/// <https://platform.claude.com/docs/en/api/beta-headers>
const BETA_HEADER: &str = "anthropic-beta";

// <https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages>
const SYSTEM_MESSAGES_BETA: &str = "mid-conversation-system-2026-04-07";
const TURN_SCOPE_BETA: &str = "mid-conversation-system-clear-at-2026-08-21";
const OUTPUT_CONFIG_BETA: &str = "mid-conversation-output-config-2026-07-01";
const TOOL_CHANGES_BETA: &str = "mid-conversation-tool-changes-2026-07-01";
const INLINE_TOOLS_BETA: &str = "inline-tools-2026-09-15";
/// <https://platform.claude.com/docs/en/build-with-claude/compaction>
const COMPACTION_BETA: &str = "compact-2026-01-12";
/// <https://platform.claude.com/docs/en/build-with-claude/context-editing>
const CONTEXT_EDITING_BETA: &str = "context-management-2025-06-27";

/// Tokens of the smallest trigger that Anthropic's compaction accepts.
const MIN_COMPACTION_TRIGGER_TOKENS: u64 = 50_000;
/// The parameter of both providers that compact by themselves.
const CONTEXT_MANAGEMENT: &str = "context_management";

/// Gemini's parameter without which a model refuses functions next to built-in tools:
/// <https://ai.google.dev/gemini-api/docs/tool-combination>
const TOOL_CONFIG: &str = "toolConfig";

/// What a payload needs of its request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = ProviderRequirements)]
pub struct Requirements {
    /// Headers by their name, several values joined by commas.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    pub headers: BTreeMap<&'static str, String>,
    /// Members of the request that belong next to those of the payload.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    pub parameters: BTreeMap<&'static str, Value>,
}

impl Requirements {
    /// Finds what a payload of these messages and tools needs; none if nothing.
    pub(super) fn find(
        request: &CompileRequest,
        messages: &[Message],
        tools: &[ToolDefinition],
    ) -> Option<Self> {
        let mut found = Self::default();
        let mut betas = BTreeSet::new();
        if request.target == Target::Anthropic {
            for message in messages {
                message_betas(message, &mut betas);
            }
            // The memory tool came with context editing.
            if tools.iter().any(ToolDefinition::is_memory_tool) {
                betas.insert(CONTEXT_EDITING_BETA);
            }
        }
        if mixes_tools(request.target, tools) && !request.model.is_before_gemini(3) {
            found.parameters.insert(TOOL_CONFIG, json!({"includeServerSideToolInvocations": true}));
        }
        if let Some(level) = request.compression.provider_level {
            found.let_provider_compress(request, level, &mut betas);
        }
        if !betas.is_empty() {
            let values: Vec<&str> = betas.into_iter().collect();
            found.headers.insert(BETA_HEADER, values.join(","));
        }
        (found != Self::default()).then_some(found)
    }

    /// Adds the provider's own clearing and compaction, up to a level.
    fn let_provider_compress(
        &mut self,
        request: &CompileRequest,
        level: Level,
        betas: &mut BTreeSet<&'static str>,
    ) {
        let trigger = request.compression.trigger(request.budget());
        let value = if request.target == Target::OpenaiResponses {
            // <https://platform.openai.com/docs/guides/compaction>
            json!([{"type": "compaction", "compact_threshold": trigger}])
        } else {
            let mut edits = clearing(&request.compression, trigger);
            if level >= Level::Summary {
                betas.insert(COMPACTION_BETA);
                let value = trigger.max(MIN_COMPACTION_TRIGGER_TOKENS);
                edits.push(json!({"type": "compact_20260112",
                    "trigger": {"type": "input_tokens", "value": value}}));
            }
            betas.extend((!edits.is_empty()).then_some(CONTEXT_EDITING_BETA));
            if edits.is_empty() {
                return;
            }
            json!({"edits": edits})
        };
        self.parameters.insert(CONTEXT_MANAGEMENT, value);
    }
}

/// Whether Gemini gets functions next to built-in tools.
fn mixes_tools(target: Target, tools: &[ToolDefinition]) -> bool {
    let is_built_in = |tool: &ToolDefinition| tool.opaque.is_some();
    target == Target::Gemini
        && tools.iter().any(is_built_in)
        && tools.iter().any(|tool| !is_built_in(tool))
}

/// Warns of functions next to built-in tools for a model that refuses both in one request, whatever its
/// parameters.
pub(super) fn warn_of_mixed_tools(
    request: &CompileRequest,
    tools: &[ToolDefinition],
    notes: &mut Notes,
) {
    if mixes_tools(request.target, tools) && request.model.is_before_gemini(3) {
        let detail = "models before Gemini 3 take built-in tools or functions, not both";
        notes.warn("tools_mixed", "/tools".to_owned(), detail);
    }
}

/// The edits by which Anthropic clears old thinking and old results; thinking must be first.
fn clearing(compression: &Compression, trigger: u64) -> Vec<Value> {
    let mut edits = Vec::new();
    if compression.thinking == ThinkingPolicy::ClearOld {
        edits.push(json!({"type": "clear_thinking_20251015"}));
    }
    if !compression.clear.is_on {
        return edits;
    }
    let mut results = json!({"type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": trigger},
        "keep": {"type": "tool_uses", "value": compression.clear.keep}});
    if !compression.clear.exclude_tools.is_empty() {
        let tools: Vec<&str> = compression.clear.exclude_tools.iter().map(|tool| &**tool).collect();
        if let Some(members) = results.as_object_mut() {
            members.insert("exclude_tools".to_owned(), json!(tools));
        }
    }
    edits.push(results);
    edits
}

fn message_betas(message: &Message, betas: &mut BTreeSet<&'static str>) {
    if has_compaction(message) {
        betas.insert(COMPACTION_BETA);
    }
    if message.role != Role::System || message.is_hoisted() {
        return;
    }
    betas.insert(SYSTEM_MESSAGES_BETA);
    for (name, _) in &message.extra {
        match &**name {
            provider::CLEAR_AT => drop(betas.insert(TURN_SCOPE_BETA)),
            provider::OUTPUT_CONFIG => drop(betas.insert(OUTPUT_CONFIG_BETA)),
            _ => {}
        }
    }
    for part in &message.parts {
        let Content::Opaque { kind, raw } = &part.content else { continue };
        if provider::is_tool_change(kind) {
            betas.insert(TOOL_CHANGES_BETA);
            // A tool that is defined there, not one of the list.
            if raw.as_str().contains("\"tool_definition\"") {
                betas.insert(INLINE_TOOLS_BETA);
            }
        }
    }
}
