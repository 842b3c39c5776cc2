//! Tool definitions in any provider's shape, whatever shape the messages have.

use std::collections::HashSet;
use std::sync::Arc;

use super::context::{ReadContext, either, extra, present, shown, unmarked};
use crate::domain::{Extra, RawJson, ToolDefinition};
use crate::json::{Node, ObjectText, Path};
use crate::provider::schema::lower_types;

/// Most tools of one request.
pub(super) const MAX_TOOLS: usize = 1_000;

/// Reads an array of tools, or an object with one under `list`.
pub(super) fn list(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    path: &Path<'_>,
) -> Vec<ToolDefinition> {
    if node.as_object().is_some() {
        let path = path.key("list");
        return match present(node, "list") {
            Some(inner) => items(cx, inner, &path),
            None => Vec::new(),
        };
    }
    items(cx, node, path)
}

fn items(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Vec<ToolDefinition> {
    let Some(items) = node.as_array() else {
        cx.fault(path, format!("must be an array of tools, not {}", node.kind()));
        return Vec::new();
    };
    let mut found = ToolCollector::default();
    for (index, item) in items.iter().enumerate() {
        tool(cx, item, &path.index(index), &mut found);
        if found.tools.len() > MAX_TOOLS {
            cx.fault(path, format!("more than {MAX_TOOLS} tools"));
            break;
        }
    }
    found.tools
}

#[derive(Debug, Default)]
struct ToolCollector {
    tools: Vec<ToolDefinition>,
    names: HashSet<Arc<str>>,
}

impl ToolCollector {
    fn add(&mut self, cx: &mut ReadContext<'_>, tool: ToolDefinition, path: &Path<'_>) {
        if !tool.name.is_empty() && !self.names.insert(Arc::clone(&tool.name)) {
            let detail = format!("a second tool is called `{}`", shown(&tool.name));
            cx.fault(&path.key("name"), detail);
        }
        self.tools.push(tool);
    }

    /// A provider's own tool, with the name in `node`, if it has one. Several may be of one kind,
    /// so only an explicit name counts.
    fn add_opaque(
        &mut self,
        cx: &mut ReadContext<'_>,
        mut tool: ToolDefinition,
        node: &Node<'_>,
        path: &Path<'_>,
    ) {
        match cx.member(node, "name", path) {
            Some(name) => {
                tool.name = name;
                self.add(cx, tool, path);
            }
            None => self.tools.push(tool),
        }
    }
}

fn bare(name: Arc<str>, path: &Path<'_>) -> ToolDefinition {
    ToolDefinition {
        name,
        description: None,
        parameters: None,
        cache: None,
        extra: Extra::new(),
        opaque: None,
        origin: path.pointer().into(),
    }
}

/// A provider's own tool, but for its name.
fn whole(cx: &mut ReadContext<'_>, kind: &str, node: &Node<'_>, path: &Path<'_>) -> ToolDefinition {
    let mut tool = bare(Arc::from(kind), path);
    tool.cache = cx.cache_mark(node, path);
    tool.opaque = Some(unmarked(node));
    tool
}

fn tool(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>, found: &mut ToolCollector) {
    let Some(members) = node.as_object() else {
        cx.fault(path, format!("a tool must be an object, not {}", node.kind()));
        return;
    };
    if either(node, "functionDeclarations", "function_declarations").is_some() {
        declarations(cx, node, path, found);
        return;
    }
    let kind = cx.member(node, "type", path);
    if let Some(inner) = present(node, "function").filter(|inner| inner.as_object().is_some()) {
        let mut tool = function(cx, inner, &path.key("function"), &[]);
        tool.cache = tool.cache.or(cx.cache_mark(node, path));
        tool.origin = path.pointer().into();
        check_tags(cx, node, path);
        tool.extra.extend(extra(node, &["type", "function", "cache_control"]));
        found.add(cx, tool, &path.key("function"));
        return;
    }
    let plain = ["parameters", "input_schema", "inputSchema", "description"]
        .iter()
        .any(|key| node.get(key).is_some());
    match kind.as_deref() {
        Some("function") => {}
        // A free-form tool of OpenAI's, unless it is Anthropic's word for an ordinary one.
        Some("custom") if node.get("input_schema").is_some() => {}
        None if plain || node.get("name").is_some() => {}
        Some(kind) => {
            let custom = node.get("custom").filter(|inner| inner.as_object().is_some());
            let named = custom.unwrap_or(node);
            let tool = whole(cx, kind, node, path);
            found.add_opaque(cx, tool, named, path);
            return;
        }
        None => {
            match members.first() {
                Some((key, _)) => {
                    let tool = whole(cx, key, node, path);
                    found.add_opaque(cx, tool, node, path);
                }
                None => cx.fault(path, "a tool must not be empty"),
            }
            return;
        }
    }
    let tool = function(cx, node, path, &["type"]);
    found.add(cx, tool, path);
}

/// A function's name, description and schema, under any of the names for the schema.
fn function(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    path: &Path<'_>,
    known: &[&str],
) -> ToolDefinition {
    const SCHEMA_KEYS: [&str; 4] =
        ["parameters", "input_schema", "inputSchema", "parametersJsonSchema"];
    let mut tool = bare(cx.required(node, "name", path, "a tool needs a name"), path);
    tool.description = cx.member(node, "description", path);
    tool.cache = cx.cache_mark(node, path);
    check_tags(cx, node, path);
    tool.extra = extra(node, &["name", "description", "cache_control"]);
    tool.extra.retain(|(key, _)| !known.contains(&&**key) && !SCHEMA_KEYS.contains(&&**key));
    for key in SCHEMA_KEYS {
        let Some(schema) = present(node, key) else { continue };
        if schema.as_object().is_none() {
            let detail = format!("must be a JSON Schema object, not {}", schema.kind());
            cx.fault(&path.key(key), detail);
        } else if tool.parameters.is_some() {
            cx.fault(&path.key(key), "a tool has one schema");
        } else {
            tool.parameters = Some(RawJson::new(schema.raw));
        }
    }
    tool
}

/// Reports tags that are no list of texts: without tags a tool is never left out.
fn check_tags(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) {
    let Some(tags) = present(node, "tags") else { return };
    let path = path.key("tags");
    let Some(items) = tags.as_array() else {
        cx.fault(&path, format!("must be an array of strings, not {}", tags.kind()));
        return;
    };
    for (index, item) in items.iter().enumerate().filter(|(_, item)| item.as_str().is_none()) {
        cx.fault(&path.index(index), format!("must be a string, not {}", item.kind()));
    }
}

/// Gemini's entry: functions, and Gemini's own tools next to them.
fn declarations(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    path: &Path<'_>,
    found: &mut ToolCollector,
) {
    for (key, member) in node.as_object().map(Vec::as_slice).unwrap_or_default() {
        let at = path.key(key);
        if !matches!(&**key, "functionDeclarations" | "function_declarations") {
            let mut own = ObjectText::default();
            own.member(key, member.raw);
            let mut tool = bare(Arc::from(&**key), &at);
            tool.opaque = Some(RawJson::new(own.finish()));
            found.add_opaque(cx, tool, member, &at);
            continue;
        }
        let Some(items) = member.as_array() else {
            cx.fault(&at, format!("must be an array, not {}", member.kind()));
            continue;
        };
        for (index, item) in items.iter().enumerate() {
            let at = at.index(index);
            if item.as_object().is_none() {
                cx.fault(&at, format!("a function must be an object, not {}", item.kind()));
                continue;
            }
            let mut tool = function(cx, item, &at, &[]);
            // Types in capitals are no JSON Schema anywhere else; Gemini takes both.
            if let Some(lower) = present(item, "parameters").and_then(lower_types) {
                tool.parameters = Some(RawJson::new(lower));
            }
            found.add(cx, tool, &at);
            if found.tools.len() > MAX_TOOLS {
                return;
            }
        }
    }
}
