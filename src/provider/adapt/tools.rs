//! Tool definitions: names, fields and schemas in the form a target accepts.

use super::{Adapter, calls::valid_name, parts::foreign_fields, schema};
use crate::domain::{RawJson, Target, ToolDefinition};
use crate::provider::words::{listed, shown};

impl Adapter<'_> {
    pub(super) fn tools(&mut self, tools: &mut Vec<ToolDefinition>) {
        let mut index = 0;
        tools.retain_mut(|tool| {
            let at = format!("/tools/{index}");
            index += 1;
            self.tool(tool, &at)
        });
    }

    /// Adapts one definition; false takes it out.
    fn tool(&mut self, tool: &mut ToolDefinition, at: &str) -> bool {
        let own = self.target.reads_items_of(self.source);
        if tool.opaque.is_some() {
            if !own {
                self.notes.degraded("tool_dropped", at.to_owned(), &*tool.name);
            }
            return own;
        }
        if let Some(name) = valid_name(self.target, &tool.name) {
            let detail = format!("{} → {name}", shown(&tool.name));
            self.notes.degraded("tool_name_renamed", at.to_owned(), detail);
            tool.name = name;
        }
        if !own {
            let strict = self.target != Target::Gemini;
            let lost = foreign_fields(&mut tool.extra, |name| strict && name == "strict");
            if !lost.is_empty() {
                self.notes.degraded("tool_fields_dropped", at.to_owned(), listed(&lost));
            }
        }
        if tool.parameters.as_ref().is_some_and(|schema| schema.as_str() == "null") {
            tool.parameters = None;
        }
        if let Some(changed) = tool.parameters.as_ref().and_then(|schema| self.schema(schema)) {
            tool.parameters = Some(changed);
        }
        true
    }

    /// The schema in a form that the target accepts, if it is not in one.
    fn schema(&self, raw: &RawJson) -> Option<RawJson> {
        let lower = !matches!(self.target, Target::Gemini | Target::Neutral);
        let lowered = lower.then(|| schema::lower_types(raw.as_str())).flatten();
        let text = lowered.as_deref().unwrap_or(raw.as_str());
        let completed = match self.target {
            Target::Openai | Target::OpenaiResponses => schema::complete(text, true),
            Target::Anthropic | Target::Gemini => schema::complete(text, false),
            Target::Neutral => None,
        };
        completed.or(lowered).map(RawJson::new)
    }
}
