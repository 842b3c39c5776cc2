//! Tools, each provider's way. The order is the caller's and the bytes of a schema stay.

use super::{PayloadWriter, SortedObject};
use crate::domain::{Target, ToolDefinition};
use crate::json::{self, Node, Value};

/// The schema if the provider requires one and there is none.
pub(crate) const EMPTY_SCHEMA: &str = r#"{"type":"object","properties":{}}"#;

/// Writes `tools`, if there are any.
pub(super) fn write(out: &mut PayloadWriter, target: Target, tools: &[ToolDefinition]) {
    if tools.is_empty() {
        return;
    }
    out.key("tools");
    out.open_list("tools");
    match target {
        Target::Gemini => gemini(out, tools),
        _ => tools.iter().for_each(|tool| write_tool(out, target, tool)),
    }
    out.close_list();
}

fn write_tool(out: &mut PayloadWriter, target: Target, tool: &ToolDefinition) {
    out.item();
    if let Some(raw) = &tool.opaque {
        // The other targets' marks were taken off.
        return out.marked_object(raw.as_str(), tool.cache);
    }
    match target {
        Target::Openai => openai(out, tool),
        Target::OpenaiResponses => responses(out, tool),
        Target::Anthropic => anthropic(out, tool),
        Target::Gemini | Target::Neutral => neutral(out, tool),
    }
}

const OURS: &[&str] = &[
    "cache_control",
    "description",
    "function",
    "input_schema",
    "name",
    "parameters",
    "tags",
    "type",
];

fn openai(out: &mut PayloadWriter, tool: &ToolDefinition) {
    out.push('{');
    out.member("type", "function");
    out.key("function");
    out.push('{');
    write_name_and_description(out, tool);
    if let Some(parameters) = &tool.parameters {
        out.raw_member("parameters", parameters.as_str());
    }
    out.extra_members(&tool.extra, OURS);
    out.push_str("}}");
}

fn responses(out: &mut PayloadWriter, tool: &ToolDefinition) {
    out.push('{');
    out.member("type", "function");
    write_name_and_description(out, tool);
    let parameters = tool.parameters.as_ref().map_or(EMPTY_SCHEMA, |raw| raw.as_str());
    out.raw_member("parameters", parameters);
    // Absent means strict here and not strict everywhere else.
    if !tool.extra.iter().any(|(name, _)| &**name == "strict") {
        out.raw_member("strict", "false");
    }
    out.extra_members(&tool.extra, OURS);
    out.push('}');
}

fn anthropic(out: &mut PayloadWriter, tool: &ToolDefinition) {
    out.push('{');
    write_name_and_description(out, tool);
    let schema = tool.parameters.as_ref().map_or(EMPTY_SCHEMA, |raw| raw.as_str());
    out.raw_member("input_schema", schema);
    out.extra_members(&tool.extra, OURS);
    if let Some(mark) = tool.cache {
        out.cache_control(mark);
    }
    out.push('}');
}

/// `{cache_control, name, description, parameters}` in byte order, without `tags`.
fn neutral(out: &mut PayloadWriter, tool: &ToolDefinition) {
    let mut object = SortedObject::open(out, &tool.extra, OURS);
    if let Some(mark) = tool.cache {
        object.key(out, "cache_control");
        out.mark_value(mark);
    }
    if let Some(description) = &tool.description {
        object.member(out, "description", description);
    }
    object.member(out, "name", &tool.name);
    if let Some(parameters) = &tool.parameters {
        object.key(out, "parameters");
        out.push_str(parameters.as_str());
    }
    object.close(out);
}

fn write_name_and_description(out: &mut PayloadWriter, tool: &ToolDefinition) {
    out.member("name", &tool.name);
    if let Some(description) = &tool.description {
        out.member("description", description);
    }
}

/// All functions in one entry, at the place of the first; the provider's own tools next to it.
fn gemini(out: &mut PayloadWriter, tools: &[ToolDefinition]) {
    let mut declared = false;
    for tool in tools {
        if let Some(raw) = &tool.opaque {
            out.item();
            out.push_str(raw.as_str());
        } else if !declared {
            declared = true;
            out.item();
            out.push('{');
            out.key("functionDeclarations");
            out.push('[');
            tools.iter().filter(|tool| tool.opaque.is_none()).for_each(|tool| declare(out, tool));
            out.push_str("]}");
        }
    }
}

fn declare(out: &mut PayloadWriter, tool: &ToolDefinition) {
    out.comma();
    out.push('{');
    write_name_and_description(out, tool);
    if let Some(parameters) = &tool.parameters {
        let name = if is_gemini_schema(parameters.as_str()) {
            "parameters"
        } else {
            "parametersJsonSchema"
        };
        out.raw_member(name, parameters.as_str());
    }
    out.extra_members(&tool.extra, &["parameters", "parametersJsonSchema", "tags", "type"]);
    out.push('}');
}

/// Whether a schema keeps to the subset of `OpenAPI` that Gemini reads as `parameters` (`Schema` of
/// its API reference); any other JSON Schema is sent as `parametersJsonSchema`.
pub(crate) fn is_gemini_schema(schema: &str) -> bool {
    let node = json::parse(schema, json::Limits::default());
    node.is_ok_and(|node| {
        let kind = node.get("type").and_then(Node::as_str);
        kind.is_some_and(|kind| kind.eq_ignore_ascii_case("object")) && in_subset(&node)
    })
}

fn in_subset(schema: &Node<'_>) -> bool {
    let Some(members) = schema.as_object() else { return false };
    let Some(kind) = schema.get("type").and_then(Node::as_str) else { return false };
    let is = |name: &str| kind.eq_ignore_ascii_case(name);
    let shape = if is("object") {
        schema.get("properties").is_some_and(|node| node.as_object().is_some_and(|p| !p.is_empty()))
    } else if is("array") {
        schema.get("items").is_some()
    } else {
        ["string", "number", "integer", "boolean"].into_iter().any(is)
    };
    shape && members.iter().all(|(name, value)| keyword(kind, name, value))
}

fn keyword(kind: &str, name: &str, value: &Node<'_>) -> bool {
    match name {
        "type" => true,
        "title" | "description" | "pattern" => value.as_str().is_some(),
        "nullable" => value.as_bool().is_some(),
        "required" | "propertyOrdering" => {
            value.as_array().is_some_and(|names| names.iter().all(|name| name.as_str().is_some()))
        }
        "minimum" | "maximum" => value.as_f64().is_some(),
        // Its protocol writes numbers of 64 bits as strings.
        "minItems" | "maxItems" | "minLength" | "maxLength" => {
            let text = value.as_str().unwrap_or(value.raw);
            text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty()
        }
        "format" => match value.as_str() {
            Some("enum" | "date-time") => kind.eq_ignore_ascii_case("string"),
            Some("float" | "double") => kind.eq_ignore_ascii_case("number"),
            Some("int32" | "int64") => kind.eq_ignore_ascii_case("integer"),
            _ => false,
        },
        "enum" => {
            kind.eq_ignore_ascii_case("string")
                && value.as_array().is_some_and(|all| {
                    all.iter().all(|one| one.as_str().is_some_and(|text| !text.is_empty()))
                })
        }
        "items" => in_subset(value),
        "properties" => match &value.value {
            Value::Object(properties) => properties.iter().all(|(_, each)| in_subset(each)),
            _ => false,
        },
        _ => false,
    }
}
