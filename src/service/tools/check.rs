//! What may be run of what a model calls: names are resolved first, then the block-list is asked
//! for both of them, then the arguments are held to the tool's schema.

use std::sync::Arc;

use serde_json::Value;

use super::schema::{self, Verdict};
use super::wire;
use crate::domain::{RawJson, ToolCall, ToolDefinition};
use crate::json::Fault;
use crate::provider::means;
use crate::request::{LOAD_TOOLKIT, ToolGroup, ToolOptions};

/// The tools that a call is judged by.
#[derive(Debug, Default)]
pub(in crate::service) struct Tools {
    pub(in crate::service) list: Vec<ToolDefinition>,
    pub(in crate::service) options: ToolOptions,
    /// Whether they were given: without them nothing is known of any schema.
    pub(in crate::service) known: bool,
}

/// What a call stands for.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::service) struct Resolved {
    pub(super) name: Arc<str>,
    /// The group that the tool was called through.
    pub(super) namespace: Option<Arc<str>>,
    pub(super) arguments: RawJson,
}

/// Whether a call may be run.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::service) enum Judged {
    Allowed(Resolved),
    /// It is ours to run.
    Ours,
    Denied(String),
}

impl Tools {
    /// Judges a call; a fault where its tool's schema cannot be used.
    pub(super) fn judge(&self, call: &ToolCall, ours: &[&str]) -> Result<Judged, Fault> {
        if call.name.trim().is_empty() {
            return Ok(Judged::Denied("A call must name its tool.".to_owned()));
        }
        if let Some(reason) = self.blocked(&call.name, None) {
            return Ok(Judged::Denied(reason));
        }
        let loads = &*call.name == LOAD_TOOLKIT && !self.options.toolkits.is_empty();
        if loads || ours.contains(&&*call.name) {
            return Ok(Judged::Ours);
        }
        let group = self.options.namespaces.iter().find(|group| means(&call.name, &group.name));
        let (tool, resolved) = if let Some(group) = group {
            match through(group, call) {
                Ok((tool, resolved)) => (Some(tool), resolved),
                Err(reason) => return Ok(Judged::Denied(reason)),
            }
        } else {
            let tool = self.tool(&call.name);
            (tool, plain(call, tool.map_or(&call.name, |tool| &tool.name)))
        };
        if let Some(reason) = self.blocked(&resolved.name, resolved.namespace.as_deref()) {
            return Ok(Judged::Denied(reason));
        }
        match tool {
            None if self.known => Ok(Judged::Denied(self.unknown(&call.name))),
            // A provider's own tool has no schema of ours to read.
            Some(tool) if tool.opaque.is_none() && !call.custom => {
                match schema::check(tool, &resolved.arguments)? {
                    Verdict::Valid => Ok(Judged::Allowed(resolved)),
                    Verdict::Invalid(reason) => Ok(Judged::Denied(reason)),
                }
            }
            _ => Ok(Judged::Allowed(resolved)),
        }
    }

    /// The tool that a call stands for, where it is known.
    pub(super) fn meant(&self, resolved: &Resolved) -> Option<&ToolDefinition> {
        let Some(group) = &resolved.namespace else { return self.tool(&resolved.name) };
        let group = self.options.namespaces.iter().find(|known| known.name == *group)?;
        group.tools.iter().find(|tool| tool.name == resolved.name)
    }

    /// A tool of the list or of a toolkit, loaded or not, by its own name or by the one that a
    /// provider lets it have.
    fn tool(&self, name: &str) -> Option<&ToolDefinition> {
        let kits = self.options.toolkits.iter().flat_map(|kit| &kit.tools);
        let mut all = self.list.iter().chain(kits);
        let own = all.clone().find(|tool| *tool.name == *name);
        own.or_else(|| all.find(|tool| tool.opaque.is_none() && means(name, &tool.name)))
    }

    fn blocked(&self, name: &str, group: Option<&str>) -> Option<String> {
        let whole = group.map(|group| format!("{group}.{name}"));
        let is_blocked =
            |blocked: &Arc<str>| **blocked == *name || whole.as_deref() == Some(blocked);
        let blocked = self.options.blocked.iter().any(is_blocked);
        blocked.then(|| format!("The tool \"{name}\" is blocked. Nothing was done."))
    }

    fn unknown(&self, name: &str) -> String {
        let kits = self.options.toolkits.iter().flat_map(|kit| &kit.tools);
        let groups = self.options.namespaces.iter().map(|group| &group.name);
        let names = self.list.iter().chain(kits).map(|tool| &tool.name).chain(groups);
        format!("There is no tool \"{name}\"; these are there: {}.", listed(names))
    }
}

/// A call of a tool by itself.
fn plain(call: &ToolCall, name: &Arc<str>) -> Resolved {
    Resolved { name: Arc::clone(name), namespace: None, arguments: wire::arguments(call) }
}

/// The tool of a group that a call means, and the call as if it had named it.
fn through<'g>(
    group: &'g ToolGroup,
    call: &ToolCall,
) -> Result<(&'g ToolDefinition, Resolved), String> {
    let arguments = match serde_json::from_str::<Value>(&call.arguments) {
        Ok(Value::Object(arguments)) => arguments,
        Ok(_) => return Err(format!("The arguments of {} must be a JSON object.", call.name)),
        Err(error) => return Err(format!("The arguments of {} are not JSON: {error}.", call.name)),
    };
    let action = arguments.get("action").and_then(Value::as_str).unwrap_or_default();
    let tool = group.tools.iter().find(|tool| &*tool.name == action).ok_or_else(|| {
        let names = listed(group.tools.iter().map(|tool| &tool.name));
        format!("{} has no action \"{action}\"; these are there: {names}.", group.name)
    })?;
    let args = arguments.get("args").filter(|args| args.is_object());
    let args = args.map_or_else(|| "{}".to_owned(), ToString::to_string);
    let resolved = Resolved {
        name: Arc::clone(&tool.name),
        namespace: Some(Arc::clone(&group.name)),
        arguments: RawJson::new(args),
    };
    Ok((tool, resolved))
}

/// Names for a model to read; `(none)` where there are none.
pub(super) fn listed<'n>(names: impl Iterator<Item = &'n Arc<str>>) -> String {
    /// Names that are told.
    const MOST: usize = 50;
    let names: Vec<&str> = names.map(AsRef::as_ref).collect();
    match names.len() {
        0 => "(none)".to_owned(),
        count if count > MOST => {
            format!(
                "{} and {} more",
                names.get(..MOST).unwrap_or_default().join(", "),
                count - MOST
            )
        }
        _ => names.join(", "),
    }
}
