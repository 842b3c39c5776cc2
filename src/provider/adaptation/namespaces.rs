//! Functions that the Responses API has in groups (tools of type `namespace`), for targets without
//! groups: each becomes a function whose name begins with that of its group.
//!
//! <https://developers.openai.com/api/docs/guides/function-calling>

use std::collections::HashSet;
use std::sync::Arc;

use super::calls::{means, valid_name};
use super::custom;
use super::deferred_tools::DEFERS;
use super::fields::{NAMESPACE, string_value};
use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{Content, Conversation, Notes, Part, RawJson, Source, Target, ToolDefinition};
use crate::json::{self, Faults, Limits, Node, Path, to_text};
use crate::provider::read_tools;
use crate::provider::words::shown;

/// The items that add tools in the middle of a conversation:
/// <https://developers.openai.com/api/docs/guides/tools-tool-search>.
const TOOL_ITEMS: [&str; 2] = ["additional_tools", "tool_search_output"];
/// Types of what the Responses API takes in a group.
const CALLED_BY_NAME: [&str; 2] = ["function", "custom"];
/// Between the name of a group and that of its function.
const SEPARATOR: &str = "__";

/// What [`ConversationAdapter::mend_group`] leaves of a group.
#[derive(Debug, Default)]
struct MendedGroup {
    /// Members that are in the group no more.
    moved: Vec<ToolDefinition>,
    is_empty: bool,
}

impl ConversationAdapter<'_> {
    /// Brings functions out of their groups, and names calls as they are named then.
    pub(super) fn namespaces(&mut self, conversation: &mut Conversation) {
        match self.target {
            Target::Neutral => return,
            Target::OpenaiResponses => return self.own_groups(conversation),
            Target::Openai | Target::Anthropic | Target::Gemini => {}
        }
        let found = self.tools_of_items(conversation);
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
        // A search finds the same tool again.
        tools.extend(found.into_iter().filter(|tool| names.insert(Arc::clone(&tool.name))));
        conversation.tools = tools;
        for part in conversation.history.iter_mut().flat_map(|message| &mut message.parts) {
            let group = call_namespace(part);
            let Content::ToolCall(call) = &mut part.content else { continue };
            part.extra.retain(|(name, _)| &**name != NAMESPACE);
            if let Some(group) = group {
                call.name = full_name(&group, &call.name);
            }
        }
    }

    /// The tools that items of the Responses API add to those of the list, for targets that have them in
    /// the list alone.
    fn tools_of_items(&mut self, conversation: &Conversation) -> Vec<ToolDefinition> {
        let mut found = Vec::new();
        if !matches!(self.source, Source::OpenaiResponses | Source::Neutral) {
            return found;
        }
        for message in &conversation.history {
            let at = pointer(self.source, message.origin, MessageRegion::History);
            for part in &message.parts {
                let Content::Opaque { kind, raw } = &part.content else { continue };
                if !TOOL_ITEMS.contains(&&**kind) {
                    continue;
                }
                let tools = tools_of_item(raw, &at);
                if !tools.is_empty() {
                    let detail = format!("{kind}: {} tools", tools.len());
                    self.notes.degraded("item_tools_listed", at.clone(), detail);
                }
                found.extend(tools);
            }
        }
        found
    }

    fn dropped_member(&mut self, tool: &ToolDefinition) {
        self.notes.degraded("tool_dropped", tool.origin.to_string(), shown(&tool.name));
    }

    /// Groups of the provider's own: functions and free-form tools stay in them. What else is in one goes to
    /// the list after its group, because the provider takes it there alone.
    fn own_groups(&mut self, conversation: &mut Conversation) {
        let mut tools = Vec::with_capacity(conversation.tools.len());
        // The newest last, so that a group in a group follows the one that it was in.
        let mut waiting = std::mem::take(&mut conversation.tools);
        waiting.reverse();
        let own = waiting.iter().filter_map(|tool| tool.opaque.clone());
        let mut built_in: HashSet<RawJson> = own.collect();
        while let Some(mut tool) = waiting.pop() {
            let MendedGroup { mut moved, is_empty } = self.mend_group(&mut tool);
            moved.retain(|tool| tool.opaque.clone().is_none_or(|raw| built_in.insert(raw)));
            if !is_empty {
                tools.push(tool);
            }
            waiting.extend(moved.into_iter().rev());
        }
        conversation.tools = tools;
    }

    /// The members of a group that are not called by a name, each with a note.
    fn members_to_move(&mut self, group: &ToolDefinition) -> Vec<ToolDefinition> {
        let mut moved = namespace_members(group).unwrap_or_default();
        moved.retain(|member| !is_called_by_name(member));
        for member in &moved {
            let detail = format!("{} of {}", shown(&member.name), shown(&group.name));
            self.notes.degraded("namespace_member_moved", member.origin.to_string(), detail);
        }
        moved
    }

    /// Rewrites schemas and names inside a group that the target refuses, and the group's own name, and takes
    /// out what the provider does not take in a group; all else keeps its bytes.
    fn mend_group(&mut self, group: &mut ToolDefinition) -> MendedGroup {
        let mut mended = MendedGroup::default();
        let Some(raw) = &group.opaque else { return mended };
        let Ok(node) = json::parse(raw.as_str(), Limits::default()) else { return mended };
        let Some(list) = namespace_list(&node).and_then(Node::as_array) else { return mended };
        if !list.iter().all(may_be_in_group) {
            mended.moved = self.members_to_move(group);
        }
        let is_shorter = !mended.moved.is_empty();
        let origin = Arc::clone(&group.origin);
        let own = self.renamed_member(&node, &origin);
        let mut is_changed = own.is_some() || is_shorter;
        let mut texts = Vec::with_capacity(list.len());
        let members = list.iter().enumerate();
        for (index, member) in members.filter(|(_, member)| !is_shorter || may_be_in_group(member))
        {
            let at = || format!("{origin}/tools/{index}");
            let name = self.renamed_member(member, &at());
            let schema = member.get("parameters").and_then(|schema| {
                let shown = member.get("name").and_then(Node::as_str).unwrap_or_default();
                self.function_schema(&RawJson::new(schema.raw), shown, at)
            });
            is_changed |= name.is_some() || schema.is_some();
            let new = |key: &str| match key {
                "name" => name.as_deref().map(to_text),
                "parameters" => schema.as_ref().map(|schema| schema.as_str().to_owned()),
                _ => None,
            };
            let text = json::with_members(member, |key, _| new(key));
            texts.push(text.unwrap_or_else(|| member.raw.to_owned()));
        }
        mended.is_empty = texts.is_empty();
        if is_changed {
            let list = format!("[{}]", texts.join(","));
            let new = |key: &str| match key {
                "name" => own.as_deref().map(to_text),
                "tools" => Some(list.clone()),
                _ => None,
            };
            if let Some(text) = json::with_members(&node, |key, _| new(key)) {
                group.opaque = Some(RawJson::new(text));
            }
        }
        if let Some(own) = own {
            group.name = own;
        }
        mended
    }

    /// The name that a group or a member of one gets, with a note; none if it keeps its own.
    fn renamed_member(&mut self, node: &Node<'_>, at: &str) -> Option<Arc<str>> {
        let name = node.get("name").and_then(Node::as_str)?;
        let new = valid_name(self.target, name)?;
        let detail = format!("{} → {new}", shown(name));
        self.notes.degraded("tool_name_renamed", at.to_owned(), detail);
        Some(new)
    }
}

/// The tools of an item, with those of groups under their full names, ready to be sent.
fn tools_of_item(raw: &RawJson, at: &str) -> Vec<ToolDefinition> {
    let Ok(node) = json::parse(raw.as_str(), Limits::default()) else { return Vec::new() };
    let Some(list) = node.get("tools").filter(|list| list.as_array().is_some()) else {
        return Vec::new();
    };
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let tools = read_tools(list, &Path::Root, &mut faults, &mut notes);
    let mut found = Vec::with_capacity(tools.len());
    for tool in tools {
        match namespace_members(&tool) {
            Some(members) => found.extend(members.into_iter().filter(is_called_by_name)),
            None => found.push(tool),
        }
    }
    for tool in &mut found {
        // Nothing has to be found that was.
        tool.extra.retain(|(name, _)| &**name != DEFERS);
        tool.origin = format!("{at}/tools{}", tool.origin).into();
    }
    found
}

/// The group that a call names.
pub fn call_namespace(part: &Part) -> Option<String> {
    let (_, raw) = part.extra.iter().find(|(name, _)| &**name == NAMESPACE)?;
    string_value(raw)
}

fn full_name(group: &str, function: &str) -> Arc<str> {
    format!("{group}{SEPARATOR}{function}").into()
}

/// The list of tools of a group; none if the definition is no group.
fn namespace_list<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let is_group = node.get("type").and_then(Node::as_str) == Some(NAMESPACE);
    node.get("tools").filter(|_| is_group)
}

/// Whether the provider takes a tool in a group, by its type.
fn may_be_in_group(member: &Node<'_>) -> bool {
    let kind = member.get("type").and_then(Node::as_str);
    kind.is_none_or(|kind| CALLED_BY_NAME.contains(&kind))
}

/// Whether a member of a group is called by its name: a function, or a free-form tool.
fn is_called_by_name(tool: &ToolDefinition) -> bool {
    tool.opaque.as_ref().is_none_or(|raw| custom::fits(raw, Target::OpenaiResponses))
}

/// The list with the tools of its groups that are called by their name after it, under their full names
/// and with a member that names their group.
pub fn with_namespace_functions(mut list: Vec<ToolDefinition>) -> Vec<ToolDefinition> {
    let mut functions = Vec::new();
    for group in &list {
        let Some(mut members) = namespace_members(group) else { continue };
        members.retain(is_called_by_name);
        for member in &mut members {
            member.extra.push((NAMESPACE.into(), RawJson::new(to_text(&group.name))));
        }
        functions.append(&mut members);
    }
    list.append(&mut functions);
    list
}

/// A function of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupedName {
    pub group: Arc<str>,
    /// Its name in the group.
    pub name: Arc<str>,
}

/// The group and the name there of a tool that [`with_namespace_functions`] added.
pub fn grouped_name(tool: &ToolDefinition) -> Option<GroupedName> {
    let (_, raw) = tool.extra.iter().find(|(name, _)| &**name == NAMESPACE)?;
    let group = string_value(raw)?;
    let name = tool.name.strip_prefix(&group)?.strip_prefix(SEPARATOR)?;
    Some(GroupedName { name: name.into(), group: group.into() })
}

/// The full name of the function that a model calls by a name in a group.
pub fn called_name(group: &str, name: &str, tools: &[ToolDefinition]) -> Arc<str> {
    let is_it = |tool: &&ToolDefinition| {
        grouped_name(tool).is_some_and(|own| means(group, &own.group) && means(name, &own.name))
    };
    let own = tools.iter().find(is_it);
    own.map_or_else(|| full_name(group, name), |tool| Arc::clone(&tool.name))
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
