//! Groups of tools as a model sees them: a namespace as one tool, toolkits as a loader and its
//! directory.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::domain::{RawJson, ToolDefinition};
use crate::pipeline::xml;
use crate::request::{LOAD_TOOLKIT, ToolGroup};

/// A group as one tool, whose `action` names one of its tools.
pub(super) fn namespace(group: &ToolGroup) -> ToolDefinition {
    let mut text = String::from(&*group.description);
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str("Actions:");
    let mut names = Vec::with_capacity(group.tools.len());
    for tool in &group.tools {
        let _ = write!(text, "\n- {}", tool.name);
        if let Some(description) = &tool.description {
            let _ = write!(text, ": {description}");
        }
        parameters(&mut text, tool);
        names.push(&*tool.name);
    }
    let schema = json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": names},
            "args": {"type": "object", "description": "What the action needs"},
        },
        "required": ["action", "args"],
    });
    tool(&group.name, text, &schema)
}

/// A line for each parameter of an action.
fn parameters(text: &mut String, tool: &ToolDefinition) {
    let schema = tool.parameters.as_ref();
    let schema = schema.and_then(|raw| serde_json::from_str::<Value>(raw.as_str()).ok());
    let Some(schema) = schema else { return };
    let required = schema.get("required").and_then(Value::as_array);
    for (key, about) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let kind = about.get("type").and_then(Value::as_str).unwrap_or("any");
        let needed = required.is_some_and(|keys| keys.iter().any(|one| one == key));
        let _ = write!(text, "\n  - {key} ({kind}{})", if needed { ", required" } else { "" });
        if let Some(words) = about.get("enum").and_then(Value::as_array) {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            let _ = write!(text, " one of {}", words.join(", "));
        }
        if let Some(about) = about.get("description").and_then(Value::as_str) {
            let _ = write!(text, ": {about}");
        }
    }
}

/// The tool that loads toolkits.
pub(super) fn loader(toolkits: &[ToolGroup]) -> ToolDefinition {
    let names: Vec<&str> = toolkits.iter().map(|kit| &*kit.name).collect();
    let schema = json!({
        "type": "object",
        "properties": {"toolkit_name": {
            "type": "string", "description": "One of <available_toolkits>", "enum": names}},
        "required": ["toolkit_name"],
    });
    let text = "Makes the tools of a toolkit available from the next message on.";
    tool(LOAD_TOOLKIT, text.to_owned(), &schema)
}

/// The text about toolkits before a model has loaded one. Whatever they are called, an XML parser
/// reads exactly that text back.
pub(super) fn directory(toolkits: &[ToolGroup]) -> String {
    let mut text = String::from("<available_toolkits>\n");
    for kit in toolkits {
        text.push_str("  <toolkit name=\"");
        xml::escape_attribute(&mut text, &kit.name);
        text.push_str("\" tools=\"");
        let names: Vec<&str> = kit.tools.iter().map(|tool| &*tool.name).collect();
        xml::escape_attribute(&mut text, &names.join(", "));
        text.push_str("\">");
        xml::escape(&mut text, &kit.description);
        text.push_str("</toolkit>\n");
    }
    text.push_str("</available_toolkits>");
    text
}

fn tool(name: &str, description: String, schema: &Value) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: Some(description.into()),
        parameters: Some(RawJson::new(schema.to_string())),
        cache: None,
        extra: Vec::new(),
        opaque: None,
        origin: "".into(),
    }
}
