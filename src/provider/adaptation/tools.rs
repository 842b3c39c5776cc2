//! Tool definitions: names, fields and schemas in the form a target accepts.

use super::{
    ConversationAdapter, calls::valid_name, custom, fields::foreign_fields, schema, tool_owner,
};
use crate::domain::{RawJson, Target, ToolDefinition};
use crate::json::{self, Node};
use crate::provider::schema::as_json_schema;
use crate::provider::words::{list_names, shown};
use crate::provider::writer::{EMPTY_SCHEMA, is_gemini_schema};

impl ConversationAdapter<'_> {
    pub(super) fn tools(&mut self, tools: &mut Vec<ToolDefinition>) {
        tools.retain_mut(|tool| self.tool(tool));
        self.deferred_tools(tools);
        self.warn_of_limits(tools);
    }

    /// Warns of what the target refuses and the service cannot mend.
    fn warn_of_limits(&mut self, tools: &[ToolDefinition]) {
        // OpenAI's reference of functions.
        const MAX_DESCRIPTION_CHARS: usize = 1_024;
        // OpenAI's reference of `tools`; Gemini's of function declarations.
        let most = match self.target {
            Target::Openai | Target::OpenaiResponses => 128,
            Target::Gemini => 512,
            Target::Anthropic | Target::Neutral => usize::MAX,
        };
        if tools.len() > most {
            let detail = format!("{} tools; the target takes {most}", tools.len());
            self.notes.warn("too_many_tools", "/tools".to_owned(), detail);
        }
        if !matches!(self.target, Target::Openai | Target::OpenaiResponses) {
            return;
        }
        for tool in tools {
            let chars = tool.description.as_deref().map_or(0, |text| text.chars().count());
            if chars > MAX_DESCRIPTION_CHARS {
                let detail = format!(
                    "{}: {chars} characters; the target takes {MAX_DESCRIPTION_CHARS}",
                    shown(&tool.name)
                );
                self.notes.warn("tool_description_long", tool.origin.to_string(), detail);
            }
        }
    }

    /// Adapts one definition; false takes it out.
    fn tool(&mut self, tool: &mut ToolDefinition) -> bool {
        let own = self.target.reads_items_of(self.source);
        self.custom_tool(tool);
        if let Some(raw) = &tool.opaque {
            let owner = tool_owner::owner(raw.as_str());
            // Chat Completions has the shape of many messages that are not its own.
            let is_foreign = self.target == Target::Openai
                && matches!(owner, Some(Target::Anthropic | Target::Gemini));
            let keep = (own && !is_foreign)
                || custom::fits(raw, self.target)
                || owner == Some(self.target);
            if !keep {
                self.notes.degraded("tool_dropped", tool.origin.to_string(), shown(&tool.name));
            }
            return keep;
        }
        let at = || tool.origin.to_string();
        if let Some(name) = valid_name(self.target, &tool.name) {
            let detail = format!("{} → {name}", shown(&tool.name));
            self.notes.degraded("tool_name_renamed", at(), detail);
            tool.name = name;
        }
        if !own {
            let strict = self.target != Target::Gemini;
            let lost = foreign_fields(&mut tool.extra, |name| strict && name == "strict");
            if !lost.is_empty() {
                self.notes.degraded("tool_fields_dropped", at(), list_names(&lost));
            }
        }
        if tool.parameters.as_ref().is_some_and(|schema| schema.as_str() == "null") {
            tool.parameters = None;
        }
        if let Some(schema) = &tool.parameters
            && let Some(changed) = self.function_schema(schema, &tool.name, at)
        {
            tool.parameters = Some(changed);
        }
        if !own {
            self.strict_tool(tool);
        }
        true
    }

    /// Takes `strict` off a tool of another provider whose schema is none that the target takes with
    /// it.
    fn strict_tool(&mut self, tool: &mut ToolDefinition) {
        let is_strict = |name: &str, raw: &RawJson| name == "strict" && raw.as_str() == "true";
        if !tool.extra.iter().any(|(name, raw)| is_strict(name, raw)) {
            return;
        }
        let schema = tool.parameters.as_ref().map_or(EMPTY_SCHEMA, RawJson::as_str);
        if let Some(misfit) = schema::strict_misfit(schema, self.target) {
            tool.extra.retain(|(name, _)| &**name != "strict");
            let detail = format!("{}: {misfit}", shown(&tool.name));
            self.notes.degraded("strict_dropped", tool.origin.to_string(), detail);
        }
    }

    /// The schema of a function's arguments in a form that the target accepts, if it is not in one.
    pub(super) fn function_schema(
        &mut self,
        schema: &RawJson,
        name: &str,
        at: impl Fn() -> String,
    ) -> Option<RawJson> {
        let completed = self.schema(schema);
        let text = completed.as_ref().unwrap_or(schema).as_str();
        let Some(rewritten) = schema::rewrite(text, self.target) else { return completed };
        let detail = format!("{}: {}", shown(name), rewritten.changes.join(", "));
        self.notes.degraded("schema_rewritten", at(), detail);
        Some(RawJson::new(rewritten.text))
    }

    /// The schema in a form that the target accepts, if it is not in one.
    fn schema(&self, raw: &RawJson) -> Option<RawJson> {
        let plain = as_json_schema(raw.as_str()).filter(|_| match self.target {
            Target::Openai | Target::OpenaiResponses | Target::Anthropic => true,
            // Gemini accepts its own keywords, but not in a field for JSON Schema.
            Target::Gemini => !is_gemini_schema(raw.as_str()),
            Target::Neutral => false,
        });
        let text = plain.as_deref().unwrap_or(raw.as_str());
        let completed = match self.target {
            Target::Openai | Target::OpenaiResponses => complete_schema(text, true),
            Target::Anthropic | Target::Gemini => complete_schema(text, false),
            Target::Neutral => None,
        };
        completed.or(plain).map(RawJson::new)
    }
}

/// Adds the missing members of a schema's outermost object: `type`, and `properties` if asked for.
/// A value that is no object becomes the empty schema. `None`: nothing is missing.
pub(super) fn complete_schema(schema: &str, properties: bool) -> Option<String> {
    let node = json::parse(schema, json::Limits::default()).ok();
    let Some(members) = node.as_ref().and_then(Node::as_object) else {
        return Some(r#"{"type":"object","properties":{}}"#.to_owned());
    };
    let has = |name: &str| members.iter().any(|(key, _)| key == name);
    let mut head = String::from("{");
    if !has("type") {
        head.push_str(r#""type":"object","#);
    }
    if properties && !has("properties") {
        head.push_str(r#""properties":{},"#);
    }
    if head.len() == 1 {
        return None;
    }
    if members.is_empty() {
        head.pop();
    }
    let rest = schema.trim_start().strip_prefix('{').unwrap_or_default();
    Some(head + rest)
}
