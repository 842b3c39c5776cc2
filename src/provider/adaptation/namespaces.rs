//! Functions that the Responses API has in groups (tools of type `namespace`), for targets without
//! groups: each becomes a function whose name begins with that of its group.
//!
//! <https://developers.openai.com/api/docs/guides/function-calling>

use std::collections::HashSet;
use std::sync::Arc;

use super::ConversationAdapter;
use super::custom;
use super::fields::string_value;
use crate::domain::{Content, Conversation, Notes, RawJson, Target, ToolDefinition};
use crate::json::{self, Faults, Limits, Node, Path};
use crate::provider::read_tools;
use crate::provider::words::shown;

/// The member of a call that names its group.
const NAMESPACE: &str = "namespace";
/// Between the name of a group and that of its function.
const SEPARATOR: &str = "__";

impl ConversationAdapter<'_> {
    /// Brings functions out of their groups, and names calls as they are named then.
    pub(super) fn namespaces(&mut self, conversation: &mut Conversation) {
        match self.target {
            Target::Neutral => return,
            Target::OpenaiResponses => {
                for tool in &mut conversation.tools {
                    self.namespace_schemas(tool);
                }
                return;
            }
            Target::Openai | Target::Anthropic | Target::Gemini => {}
        }
        let mut tools = Vec::with_capacity(conversation.tools.len());
        let own = conversation.tools.iter().map(|tool| Arc::clone(&tool.name));
        let mut names: HashSet<Arc<str>> = own.collect();
        for tool in std::mem::take(&mut conversation.tools) {
            let Some(members) = namespace_members(&tool) else {
                tools.push(tool);
                continue;
            };
            let (functions, others): (Vec<_>, Vec<_>) =
                members.into_iter().partition(is_called_by_name);
            let detail = format!("{}: {} functions", tool.name, functions.len());
            self.notes.degraded("namespace_as_functions", tool.origin.to_string(), detail);
            for function in functions {
                // No provider takes two tools of one name.
                if names.insert(Arc::clone(&function.name)) {
                    tools.push(function);
                } else {
                    self.dropped_member(&function);
                }
            }
            for other in &others {
                self.dropped_member(other);
            }
        }
        conversation.tools = tools;
        for part in conversation.history.iter_mut().flat_map(|message| &mut message.parts) {
            let Content::ToolCall(call) = &mut part.content else { continue };
            let group = part.extra.iter().position(|(name, _)| &**name == NAMESPACE);
            let group = group.map(|at| part.extra.remove(at).1);
            if let Some(group) = group.and_then(|raw| string_value(&raw)) {
                call.name = full_name(&group, &call.name);
            }
        }
    }

    fn dropped_member(&mut self, tool: &ToolDefinition) {
        self.notes.degraded("tool_dropped", tool.origin.to_string(), shown(&tool.name));
    }

    /// Rewrites schemas inside a group that the target refuses; all else keeps its bytes.
    fn namespace_schemas(&mut self, group: &mut ToolDefinition) {
        let Some(raw) = &group.opaque else { return };
        let Ok(node) = json::parse(raw.as_str(), Limits::default()) else { return };
        let Some(list) = namespace_list(&node).and_then(Node::as_array) else { return };
        let mut is_changed = false;
        let mut texts = Vec::with_capacity(list.len());
        for (index, member) in list.iter().enumerate() {
            let rewritten = member.get("parameters").and_then(|schema| {
                let name = member.get("name").and_then(Node::as_str).unwrap_or_default();
                let at = || format!("{}/tools/{index}", group.origin);
                self.function_schema(&RawJson::new(schema.raw), name, at)
            });
            let text = rewritten.and_then(|schema| {
                let schema = |key: &str| (key == "parameters").then(|| schema.as_str().to_owned());
                json::with_members(member, |key, _| schema(key))
            });
            is_changed |= text.is_some();
            texts.push(text.unwrap_or_else(|| member.raw.to_owned()));
        }
        if is_changed {
            let list = format!("[{}]", texts.join(","));
            let text = json::with_members(&node, |key, _| (key == "tools").then(|| list.clone()));
            if let Some(text) = text {
                group.opaque = Some(RawJson::new(text));
            }
        }
    }
}

fn full_name(group: &str, function: &str) -> Arc<str> {
    format!("{group}{SEPARATOR}{function}").into()
}

/// The list of tools of a group; none if the definition is no group.
fn namespace_list<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let is_group = node.get("type").and_then(Node::as_str) == Some(NAMESPACE);
    node.get("tools").filter(|_| is_group)
}

/// Whether a member of a group is called by its name: a function, or a free-form tool.
fn is_called_by_name(tool: &ToolDefinition) -> bool {
    tool.opaque.as_ref().is_none_or(|raw| custom::fits(raw, Target::OpenaiResponses))
}

/// The tools of a group that are called by their name, under their full names; none if the tool is no
/// group.
pub fn namespace_functions(tool: &ToolDefinition) -> Option<Vec<ToolDefinition>> {
    let mut members = namespace_members(tool)?;
    members.retain(is_called_by_name);
    Some(members)
}

/// All tools of a group, those that are called by a name under their full names.
fn namespace_members(tool: &ToolDefinition) -> Option<Vec<ToolDefinition>> {
    let raw = tool.opaque.as_ref()?;
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let list = namespace_list(&node)?;
    let group = node.get("name")?.as_str()?;
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let mut members = read_tools(list, &Path::Root, &mut faults, &mut notes);
    for member in &mut members {
        if is_called_by_name(member) {
            member.name = full_name(group, &member.name);
        }
        member.origin = format!("{}/tools{}", tool.origin, member.origin).into();
    }
    Some(members)
}
