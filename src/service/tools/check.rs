//! Judges the calls of a model. The block-list is checked for the called and the resolved name,
//! then the arguments are checked against the tool's schema.

use std::sync::Arc;

use super::schema::{CheckFailure, SchemaVerdict, Schemas};
use super::wire;
use crate::domain::{MEMORY_TOOL, RawJson, ToolCall, ToolDefinition};
use crate::json::{self, Limits, Node, ObjectText, beginning};
use crate::limit::Deadline;
use crate::provider::{UNNAMED_TOOL, grouped_name, means, shown_properties};
use crate::request::{LOAD_TOOLKIT, ToolGroup, ToolOptions};

/// The tools and options by which calls are judged.
#[derive(Debug, Default)]
pub(crate) struct JudgedTools {
    pub(crate) list: Vec<ToolDefinition>,
    pub(crate) options: ToolOptions,
    /// Whether the request lists its tools. Without a list, a call of an unknown tool is allowed.
    pub(crate) is_complete: bool,
    /// Whether calls of Anthropic's memory tool are carried out here, if the list has it.
    pub(crate) runs_memory_tool: bool,
    pub(crate) schemas: Schemas,
}

/// The tool and the arguments that a call resolves to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResolvedCall {
    pub(super) name: Arc<str>,
    /// The group that the tool was called through.
    pub(super) namespace: Option<Arc<str>>,
    pub(super) arguments: RawJson,
}

/// Whether a call may be run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallJudgement {
    Allowed(ResolvedCall),
    /// The service runs it.
    Ours,
    Denied(String),
}

impl CallJudgement {
    /// Bytes of the names and reasons that the response repeats.
    pub(super) fn text_bytes(&self) -> usize {
        match self {
            Self::Allowed(resolved) => {
                resolved.name.len() + resolved.namespace.as_ref().map_or(0, |group| group.len())
            }
            Self::Ours => 0,
            Self::Denied(reason) => reason.len(),
        }
    }
}

impl JudgedTools {
    /// Judges a call. Returns a fault if the schema of its tool cannot be used.
    pub(super) fn judge(
        &self,
        call: &ToolCall,
        ours: &[&str],
        deadline: &Deadline,
    ) -> Result<CallJudgement, CheckFailure> {
        if call.name.trim().is_empty() || *call.name == *UNNAMED_TOOL {
            return Ok(CallJudgement::Denied("A call must name its tool.".to_owned()));
        }
        if let Some(reason) = self.block_reason(&call.name, None) {
            return Ok(CallJudgement::Denied(reason));
        }
        if let Some(reason) = malformed_reason(call) {
            return Ok(CallJudgement::Denied(reason));
        }
        let loads = &*call.name == LOAD_TOOLKIT && !self.options.toolkits.is_empty();
        let is_ours = ours.contains(&&*call.name) && !self.has_own(&call.name);
        if loads || is_ours || self.is_own_memory_tool(&call.name) {
            return Ok(CallJudgement::Ours);
        }
        let group = self.options.namespaces.iter().find(|group| means(&call.name, &group.name));
        let (tool, resolved) = if let Some(group) = group {
            match resolve_action(group, call) {
                Ok((tool, resolved)) => (Some(tool), resolved),
                Err(reason) => return Ok(CallJudgement::Denied(reason)),
            }
        } else {
            let tool = self.find_tool(&call.name);
            let mut resolved = resolve_plain(call, tool);
            if let Some(arguments) = tool.and_then(|tool| own_properties(tool, &resolved.arguments))
            {
                resolved.arguments = arguments;
            }
            (tool, resolved)
        };
        if let Some(reason) = self.block_reason(&resolved.name, resolved.namespace.as_deref()) {
            return Ok(CallJudgement::Denied(reason));
        }
        match tool {
            None if self.is_complete => Ok(CallJudgement::Denied(self.unknown_reason(&call.name))),
            // A provider's own tool has no schema to check.
            Some(tool) if tool.opaque.is_none() && !call.custom => {
                match self.schemas.check(tool, &resolved.arguments, deadline)? {
                    SchemaVerdict::Valid => Ok(CallJudgement::Allowed(resolved)),
                    SchemaVerdict::Invalid(reason) => Ok(CallJudgement::Denied(reason)),
                }
            }
            _ => Ok(CallJudgement::Allowed(resolved)),
        }
    }

    /// The definition of a resolved call's tool, if it is known.
    pub(super) fn definition_of(&self, resolved: &ResolvedCall) -> Option<&ToolDefinition> {
        let Some(group) = &resolved.namespace else { return self.find_tool(&resolved.name) };
        let own = self.options.namespaces.iter().find(|known| known.name == *group);
        let Some(own) = own else {
            let is_it = |tool: &&ToolDefinition| {
                let name = grouped_name(tool);
                name.is_some_and(|own| own.group == *group && own.name == resolved.name)
            };
            return self.list.iter().find(is_it);
        };
        own.tools.iter().find(|tool| tool.name == resolved.name)
    }

    /// Finds a tool of the list or of a toolkit, loaded or not: by its own name, or by the name
    /// that a provider's rules give it.
    fn find_tool(&self, name: &str) -> Option<&ToolDefinition> {
        let kits = self.options.toolkits.iter().flat_map(|kit| &kit.tools);
        let mut all = self.list.iter().chain(kits);
        let own = all.clone().find(|tool| *tool.name == *name);
        own.or_else(|| all.find(|tool| tool.opaque.is_none() && means(name, &tool.name)))
    }

    /// Whether a call of this name is one of Anthropic's memory tool, which is carried out here.
    pub(crate) fn is_own_memory_tool(&self, name: &str) -> bool {
        self.runs_memory_tool
            && name == MEMORY_TOOL
            && self.list.iter().any(ToolDefinition::is_memory_tool)
    }

    /// Whether the caller has a tool with the name of one of ours. Calls of it are then the
    /// caller's.
    fn has_own(&self, name: &str) -> bool {
        self.options.find_own_tool(&self.list, name).is_some()
    }

    fn block_reason(&self, name: &str, group: Option<&str>) -> Option<String> {
        let whole = group.map(|group| format!("{group}.{name}"));
        let is_blocked =
            |blocked: &Arc<str>| **blocked == *name || whole.as_deref() == Some(blocked);
        let blocked = self.options.blocked.iter().any(is_blocked);
        let name = beginning(name);
        blocked.then(|| format!("The tool \"{name}\" is blocked. Nothing was done."))
    }

    fn unknown_reason(&self, name: &str) -> String {
        let kits = self.options.toolkits.iter().flat_map(|kit| &kit.tools);
        let groups = self.options.namespaces.iter().map(|group| &group.name);
        let names = self.list.iter().chain(kits).map(|tool| &tool.name).chain(groups);
        format!("There is no tool \"{}\"; these are there: {}.", beginning(name), list_names(names))
    }
}

/// Why the arguments of a call cannot be read, in the parser's words: the model can mend them.
fn malformed_reason(call: &ToolCall) -> Option<String> {
    if call.custom {
        return None;
    }
    let wrong = match json::parse(&call.arguments, Limits::default()) {
        Ok(node) if node.as_object().is_some() => return None,
        Ok(node) => format!("they are {}", node.kind()),
        Err(error) => error.to_string(),
    };
    let name = beginning(&call.name);
    Some(format!("The arguments of {name} are not a JSON object: {wrong}. Nothing was done."))
}

/// Resolves a call of a tool outside of our namespaces: its own name, and the group that it has at
/// `OpenAI`.
fn resolve_plain(call: &ToolCall, tool: Option<&ToolDefinition>) -> ResolvedCall {
    let arguments = wire::arguments(call);
    if let Some(own) = tool.and_then(grouped_name) {
        return ResolvedCall { name: own.name, namespace: Some(own.group), arguments };
    }
    let name = Arc::clone(tool.map_or(&call.name, |tool| &tool.name));
    ResolvedCall { name, namespace: None, arguments }
}

/// The arguments with the names of the tool's own properties, if the model was shown others.
fn own_properties(tool: &ToolDefinition, arguments: &RawJson) -> Option<RawJson> {
    let schema = json::parse(tool.parameters.as_ref()?.as_str(), Limits::default()).ok()?;
    let shown = shown_properties(&schema);
    if shown.is_empty() {
        return None;
    }
    let given = json::parse(arguments.as_str(), Limits::default()).ok()?;
    let mut own = ObjectText::default();
    for (name, value) in given.as_object()? {
        own.member(shown.get(&**name).map_or(&**name, String::as_str), value.raw);
    }
    Some(RawJson::new(own.finish()))
}

/// Resolves a call of a namespace to the tool and the arguments that it names.
fn resolve_action<'g>(
    group: &'g ToolGroup,
    call: &ToolCall,
) -> Result<(&'g ToolDefinition, ResolvedCall), String> {
    let node = json::parse(&call.arguments, Limits::default())
        .map_err(|error| format!("The arguments of {} are not JSON: {error}.", call.name))?;
    if node.as_object().is_none() {
        return Err(format!("The arguments of {} must be a JSON object.", call.name));
    }
    let action = node.get("action").and_then(Node::as_str).unwrap_or_default();
    let tool = group.tools.iter().find(|tool| &*tool.name == action).ok_or_else(|| {
        let names = list_names(group.tools.iter().map(|tool| &tool.name));
        let (group, action) = (beginning(&group.name), beginning(action));
        format!("{group} has no action \"{action}\"; these are there: {names}.")
    })?;
    let arguments = args_of(&node).map_err(|wrong| {
        let action = beginning(action);
        format!("The arguments of {action} cannot be read: {wrong}. Nothing was done.")
    })?;
    let resolved = ResolvedCall {
        name: Arc::clone(&tool.name),
        namespace: Some(Arc::clone(&group.name)),
        arguments,
    };
    Ok((tool, resolved))
}

/// The arguments of an action: the object in `args`, or an object in a string there. Other members
/// would be lost, so they are refused.
fn args_of(call: &Node<'_>) -> Result<RawJson, String> {
    /// Members that a refusal lists.
    const MAX_LISTED_MEMBERS: usize = 8;
    let members = call.as_object().into_iter().flatten();
    let strays: Vec<String> = members
        .filter(|(key, value)| key != "action" && key != "args" && !value.is_null())
        .map(|(key, _)| format!("`{}`", key.chars().take(60).collect::<String>()))
        .take(MAX_LISTED_MEMBERS)
        .collect();
    if !strays.is_empty() {
        return Err(format!("{} must be in the object `args`", strays.join(", ")));
    }
    let nothing = || RawJson::new("{}");
    let Some(args) = call.get("args").filter(|args| !args.is_null()) else { return Ok(nothing()) };
    let Some(text) = args.as_str() else {
        return match args.as_object() {
            Some(_) => Ok(RawJson::new(args.raw)),
            None => Err(format!("`args` must be an object, not {}", args.kind())),
        };
    };
    if text.trim().is_empty() {
        return Ok(nothing());
    }
    match json::parse(text, Limits::default()) {
        Ok(parsed) if parsed.as_object().is_some() => Ok(RawJson::new(parsed.raw)),
        Ok(parsed) => {
            Err(format!("`args` must be an object, not a string that holds {}", parsed.kind()))
        }
        Err(_) => Err("`args` must be an object, not a string".to_owned()),
    }
}

/// Lists names for a model to read; `(none)` if there are none.
pub(super) fn list_names<'n>(names: impl Iterator<Item = &'n Arc<str>>) -> String {
    /// Names in a list.
    const MAX_NAMES: usize = 50;
    let names: Vec<&str> = names.map(|name| beginning(name)).collect();
    match names.len() {
        0 => "(none)".to_owned(),
        count if count > MAX_NAMES => {
            format!(
                "{} and {} more",
                names.get(..MAX_NAMES).unwrap_or_default().join(", "),
                count - MAX_NAMES
            )
        }
        _ => names.join(", "),
    }
}
