//! The key `tools` if it is an object: which of the tools a model gets, and how.
//!
//! The tools of `list` belong to the conversation, and are read with it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::options::{Compression, MemoryOptions, MemoryWriteAccess};
use crate::domain::{Notes, ToolDefinition};
use crate::json::{self, Faults, Fields, Limits, Node, Path};
use crate::provider;

/// The members of the object.
pub const TOOLS: &[&str] = &["list", "prune", "namespaces", "toolkits", "blocked", "minify"];
const PRUNE_KEYS: &[&str] = &["task", "allow", "strategy"];
const GROUP_KEYS: &[&str] = &["name", "description", "tools"];

/// Groups of one kind.
const MAX_GROUPS: usize = 256;
const MAX_NAMES: usize = 1_000;

/// The tool with which a model gets the tools of a toolkit.
pub const LOAD_TOOLKIT: &str = "load_toolkit";

/// The tool with which a model reads cleared results. Its calls are carried out with
/// `GET /artifacts/{id}`.
pub const READ_TOOL: &str = "context_read";
const MEMORY_TOOLS: [&str; 2] = ["create_memory", "modify_memory"];
/// The parameters of the service's tools, which identify one that comes back with a payload.
const TOOL_PARAMETERS: [(&str, &[&str]); 3] = [
    (READ_TOOL, &["id", "lines", "query"]),
    ("create_memory", &["key", "value", "description"]),
    ("modify_memory", &["action", "key", "value", "description"]),
];

/// The options next to `list`.
#[derive(Debug, Clone, Default)]
pub struct ToolOptions {
    pub prune: Option<PruneOptions>,
    /// Groups that a model sees as one tool each.
    pub namespaces: Vec<ToolGroup>,
    /// Groups that a model sees when it has asked for them.
    pub toolkits: Vec<ToolGroup>,
    /// Names whose calls are refused. The tools stay in the payload, so its cached prefix is kept.
    pub blocked: Vec<Arc<str>>,
    /// Whether redundant parts of schemas are removed.
    pub minify: bool,
}

/// Tools that belong together.
#[derive(Debug, Clone)]
pub struct ToolGroup {
    pub name: Arc<str>,
    pub description: Arc<str>,
    pub tools: Vec<ToolDefinition>,
}

/// Options of the tools of the list that are kept; all of them by default.
#[derive(Debug, Clone, Default)]
pub struct PruneOptions {
    /// Keeps a tool that has no tags, or whose name or a tag of which is in this text.
    pub task: Option<Arc<str>>,
    /// Stays what is named, in any case of its letters.
    pub allow: Option<Vec<Arc<str>>>,
    pub strategy: Strategy,
}

/// Choice of the tools that are kept if both a task and names are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Tools that either selects.
    #[default]
    Union,
    /// Tools that both select.
    Intersection,
}

impl ToolOptions {
    /// Reads the options; `list` are the tools that were read from the same place.
    pub(super) fn read(
        fields: &Fields<'_, '_>,
        list: &[ToolDefinition],
        faults: &mut Faults,
        notes: &mut Notes,
    ) -> Self {
        let Some(node) = fields.get("tools").filter(|node| node.as_object().is_some()) else {
            return Self::default();
        };
        let path = fields.path().key("tools");
        let Some(given) = Fields::read(node, path, TOOLS, faults) else { return Self::default() };
        let read = Self {
            prune: PruneOptions::read(&given, faults),
            namespaces: groups(&given, "namespaces", faults, notes),
            toolkits: groups(&given, "toolkits", faults, notes),
            blocked: names(&given, "blocked", faults),
            minify: given.flag("minify", faults).unwrap_or(false),
        };
        read.check_names(list, &given, faults);
        let empty = read.namespaces.iter().enumerate().filter(|(_, group)| group.tools.is_empty());
        for (at, _) in empty {
            let place = given.path().key("namespaces").index(at).key("tools").pointer();
            notes.warn("namespace_empty", place, "it has no tools, and is left out");
        }
        read
    }

    /// The place of a tool of the caller that has the name of one of the service's tools; the
    /// service's own definition that came back with a payload does not count. `list`: the tools
    /// that were read from the same place.
    pub fn find_own_tool(&self, list: &[ToolDefinition], name: &str) -> Option<String> {
        let kits = self.toolkits.iter().flat_map(|kit| &kit.tools);
        let mut tools = list.iter().chain(kits);
        let tool = tools.find(|tool| *tool.name == *name && !is_ours(tool));
        tool.map(|tool| tool.origin.to_string()).or_else(|| {
            let at = self.namespaces.iter().position(|group| *group.name == *name)?;
            Some(format!("/tools/namespaces/{at}/name"))
        })
    }

    /// Withdraws the service's tools if the caller has tools of the same names: one name stands for
    /// one tool, and the model's calls of it are for the caller.
    pub(super) fn withdraw_taken_tools(
        &self,
        list: &[ToolDefinition],
        memory: Option<&mut MemoryOptions>,
        compression: &mut Compression,
        notes: &mut Notes,
    ) {
        const CODE: &str = "tool_name_taken";
        let own =
            MEMORY_TOOLS.into_iter().find_map(|name| Some((name, self.find_own_tool(list, name)?)));
        let memory = memory.filter(|memory| memory.has_tools());
        if let (Some((name, place)), Some(memory)) = (own, memory) {
            memory.write = MemoryWriteAccess::Off;
            let detail =
                format!("`{name}` is the caller's own: the model gets no tools to write memory");
            notes.warn(CODE, place, detail);
        }
        if compression.read_tool
            && let Some(place) = self.find_own_tool(list, READ_TOOL)
        {
            compression.read_tool = false;
            let detail = format!("`{READ_TOOL}` is the caller's own: nothing can be read back");
            notes.warn(CODE, place, detail);
        }
    }

    /// Tools that a model may see together must have different names.
    fn check_names(&self, list: &[ToolDefinition], given: &Fields<'_, '_>, faults: &mut Faults) {
        let mut names: BTreeSet<&str> = list.iter().map(|tool| &*tool.name).collect();
        if !self.toolkits.is_empty() && !names.insert(LOAD_TOOLKIT) {
            let detail = format!("`{LOAD_TOOLKIT}` is the tool of ours that loads toolkits");
            given.fault("list", detail, faults);
        }
        let key = given.path().key("namespaces");
        for (at, group) in self.namespaces.iter().enumerate() {
            if !names.insert(&group.name) {
                let detail = format!("a second tool is called `{}`", group.name);
                faults.add(&key.index(at).key("name"), detail);
            }
        }
        let key = given.path().key("toolkits");
        let mut kits = BTreeSet::new();
        for (at, group) in self.toolkits.iter().enumerate() {
            if !kits.insert(group.name.to_lowercase()) {
                let detail = format!("a second toolkit is called `{}`", group.name);
                faults.add(&key.index(at).key("name"), detail);
            }
            for (nth, tool) in group.tools.iter().enumerate() {
                if !names.insert(&tool.name) {
                    let detail = format!("a second tool is called `{}`", tool.name);
                    faults.add(&key.index(at).key("tools").index(nth).key("name"), detail);
                }
            }
        }
    }

    /// The toolkit of this name, in any case of its letters.
    pub fn toolkit(&self, name: &str) -> Option<&ToolGroup> {
        let name = name.to_lowercase();
        self.toolkits.iter().find(|kit| kit.name.to_lowercase() == name)
    }
}

/// Whether a definition is the one that the service adds for a model.
fn is_ours(tool: &ToolDefinition) -> bool {
    let Some((_, ours)) = TOOL_PARAMETERS.iter().find(|(name, _)| **name == *tool.name) else {
        return false;
    };
    let schema = tool.parameters.as_ref();
    let schema = schema.and_then(|raw| json::parse(raw.as_str(), Limits::default()).ok());
    let given = schema.as_ref().and_then(|schema| schema.get("properties")?.as_object());
    given.is_some_and(|given| {
        given.len() == ours.len() && given.iter().all(|(key, _)| ours.contains(&&**key))
    })
}

impl PruneOptions {
    fn read(given: &Fields<'_, '_>, faults: &mut Faults) -> Option<Self> {
        let node = given.get("prune")?;
        let given = Fields::read(node, given.path().key("prune"), PRUNE_KEYS, faults)?;
        let words = [("union", Strategy::Union), ("intersection", Strategy::Intersection)];
        let allow = given.get("allow").map(|_| names(&given, "allow", faults));
        Some(Self {
            task: given.text("task", faults).map(Into::into),
            allow,
            strategy: given.choice("strategy", &words, faults).unwrap_or_default(),
        })
    }
}

fn names(given: &Fields<'_, '_>, key: &str, faults: &mut Faults) -> Vec<Arc<str>> {
    given.texts(key, MAX_NAMES, faults).into_iter().map(Into::into).collect()
}

fn groups(
    given: &Fields<'_, '_>,
    key: &str,
    faults: &mut Faults,
    notes: &mut Notes,
) -> Vec<ToolGroup> {
    let list = given.path().key(key);
    let mut groups = Vec::new();
    for (at, node) in given.list(key, MAX_GROUPS, faults).iter().enumerate() {
        groups.extend(group(node, list.index(at), faults, notes));
    }
    groups
}

fn group(
    node: &Node<'_>,
    path: Path<'_>,
    faults: &mut Faults,
    notes: &mut Notes,
) -> Option<ToolGroup> {
    let given = Fields::read(node, path, GROUP_KEYS, faults)?;
    let name = given.text("name", faults);
    match name {
        Some("") => given.fault("name", "must not be empty", faults),
        None if given.get("name").is_none() => given.fault("name", "is missing", faults),
        _ => {}
    }
    let mut shown =
        |key: &str, text: &str| provider::without_nul(text, &given.path().key(key), notes);
    let name = name.map(|name| shown("name", name));
    let description = shown("description", given.text("description", faults).unwrap_or_default());
    let tools = if let Some(tools) = given.get("tools") {
        provider::read_tools(tools, &given.path().key("tools"), faults, notes)
    } else {
        given.fault("tools", "is missing", faults);
        Vec::new()
    };
    let own = tools.iter().enumerate().filter(|(_, tool)| tool.opaque.is_some());
    for (at, _) in own {
        let detail = "a provider's own tool belongs in `list`, not in a group";
        faults.add(&given.path().key("tools").index(at), detail);
    }
    Some(ToolGroup { name: name?, description, tools })
}
