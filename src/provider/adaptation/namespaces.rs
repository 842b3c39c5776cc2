//! Functions that the Responses API has in groups (tools of type `namespace`), for targets without
//! groups: each becomes a function whose name begins with that of its group.
//!
//! <https://developers.openai.com/api/docs/guides/function-calling>

use std::collections::HashSet;
use std::sync::Arc;

use super::ConversationAdapter;
use super::fields::string_value;
use crate::domain::{Content, Conversation, Target, ToolDefinition};
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
        if matches!(self.target, Target::OpenaiResponses | Target::Neutral) {
            return;
        }
        let mut tools = Vec::with_capacity(conversation.tools.len());
        let own = conversation.tools.iter().map(|tool| Arc::clone(&tool.name));
        let mut names: HashSet<Arc<str>> = own.collect();
        for tool in std::mem::take(&mut conversation.tools) {
            let Some(functions) = namespace_functions(&tool) else {
                tools.push(tool);
                continue;
            };
            let detail = format!("{}: {} functions", tool.name, functions.len());
            self.notes.degraded("namespace_as_functions", tool.origin.to_string(), detail);
            for function in functions {
                // No provider takes two tools of one name.
                if names.insert(Arc::clone(&function.name)) {
                    tools.push(function);
                } else {
                    let at = function.origin.to_string();
                    self.notes.degraded("tool_dropped", at, shown(&function.name));
                }
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
}

fn full_name(group: &str, function: &str) -> Arc<str> {
    format!("{group}{SEPARATOR}{function}").into()
}

/// The functions of a group, under their full names; none if the tool is no group.
pub fn namespace_functions(tool: &ToolDefinition) -> Option<Vec<ToolDefinition>> {
    let raw = tool.opaque.as_ref()?;
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    if node.get("type").and_then(Node::as_str) != Some(NAMESPACE) {
        return None;
    }
    let group = node.get("name")?.as_str()?;
    // What is no function there is left out, as it is without a group.
    let (mut faults, mut notes) = (Faults::default(), crate::domain::Notes::default());
    let mut functions = read_tools(node.get("tools")?, &Path::Root, &mut faults, &mut notes);
    functions.retain(|function| function.opaque.is_none());
    for function in &mut functions {
        function.name = full_name(group, &function.name);
        function.origin = format!("{}/tools{}", tool.origin, function.origin).into();
    }
    Some(functions)
}
