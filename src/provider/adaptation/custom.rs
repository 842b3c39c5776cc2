//! `OpenAI`'s free-form tools (`"type": "custom"`): one definition in the two shapes of its
//! provider, a function with one text for all others.
//!
//! Chat Completions has the definition under `custom` and a grammar under `grammar`; the Responses
//! API has the members of both next to `type`.

use super::{ConversationAdapter, calls::valid_name};
use crate::domain::{RawJson, Target, ToolDefinition};
use crate::json::{self, Node, write_string};
use crate::provider::words::{list_names, shown};

/// Describes the arguments of a wrapped call: see `custom_call_wrapped`.
const WRAPPED: &str =
    r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;

impl ConversationAdapter<'_> {
    /// Brings a free-form tool into the target's shape. The neutral shape keeps it whole, as it
    /// keeps its calls.
    pub(super) fn custom_tool(&mut self, tool: &mut ToolDefinition) {
        let Some(raw) = tool.opaque.clone().filter(|raw| !fits(raw, self.target)) else { return };
        let Ok(node) = json::parse(raw.as_str(), json::Limits::default()) else { return };
        let Some(free) = FreeForm::read(&node) else { return };
        let at = || tool.origin.to_string();
        match self.target {
            Target::Neutral => return,
            Target::Openai | Target::OpenaiResponses => {
                if let Some(name) = valid_name(self.target, &tool.name) {
                    let detail = format!("{} → {name}", shown(&tool.name));
                    self.notes.degraded("tool_name_renamed", at(), detail);
                    tool.name = name;
                }
                tool.opaque = Some(RawJson::new(free.written(&tool.name, self.target)));
            }
            Target::Anthropic | Target::Gemini => {
                self.notes.degraded("custom_tool_wrapped", at(), shown(&tool.name));
                tool.description = free.description.and_then(Node::as_str).map(Into::into);
                tool.parameters = Some(RawJson::new(WRAPPED));
                tool.opaque = None;
            }
        }
        let mut lost = free.others;
        if tool.opaque.is_none() && free.format.is_some() {
            lost.insert(0, "format");
        }
        if !lost.is_empty() {
            let at = tool.origin.to_string();
            self.notes.degraded("tool_fields_dropped", at, list_names(&lost));
        }
    }
}

/// Whether a provider's own definition is a free-form tool in the shape of this target.
pub(super) fn fits(raw: &RawJson, target: Target) -> bool {
    let shape = json::parse(raw.as_str(), json::Limits::default())
        .ok()
        .and_then(|node| FreeForm::read(&node).map(|free| free.shape));
    shape == Some(target)
}

/// A free-form tool, read from either shape.
struct FreeForm<'n, 'a> {
    shape: Target,
    description: Option<&'n Node<'a>>,
    format: Option<&'n Node<'a>>,
    /// Names of members that only its own shape has.
    others: Vec<&'n str>,
}

impl<'n, 'a> FreeForm<'n, 'a> {
    fn read(node: &'n Node<'a>) -> Option<Self> {
        const KNOWN: &[&str] = &["type", "custom", "name", "description", "format"];
        if node.get("type")?.as_str()? != "custom" {
            return None;
        }
        let inner = node.get("custom").filter(|inner| inner.as_object().is_some());
        let (shape, inner) = match inner {
            Some(inner) => (Target::Openai, inner),
            None => (Target::OpenaiResponses, node),
        };
        inner.get("name")?.as_str()?;
        let given = |name| inner.get(name).filter(|value| !value.is_null());
        let others = inner.as_object()?.iter().map(|(name, _)| &**name);
        Some(Self {
            shape,
            description: given("description"),
            format: given("format"),
            others: others.filter(|name| !KNOWN.contains(name)).collect(),
        })
    }

    fn written(&self, name: &str, target: Target) -> String {
        let nested = target == Target::Openai;
        let mut out = String::from(r#"{"type":"custom","#);
        if nested {
            out.push_str(r#""custom":{"#);
        }
        out.push_str(r#""name":"#);
        write_string(&mut out, name);
        if let Some(description) = self.description {
            out.push_str(r#","description":"#);
            out.push_str(description.raw);
        }
        if let Some(format) = self.format {
            out.push_str(r#","format":"#);
            grammar(&mut out, format, nested);
        }
        out.push_str(if nested { "}}" } else { "}" });
        out
    }
}

/// The format of a tool's input: a grammar is an object of its own in one shape and next to `type`
/// in the other.
fn grammar(out: &mut String, format: &Node<'_>, nested: bool) {
    let inner = format.get("grammar").filter(|inner| inner.as_object().is_some());
    let is_grammar = format.get("type").and_then(Node::as_str) == Some("grammar");
    if !is_grammar || nested == inner.is_some() {
        return out.push_str(format.raw);
    }
    out.push_str(r#"{"type":"grammar""#);
    out.push_str(if nested { r#","grammar":{"# } else { "," });
    let members = inner.unwrap_or(format).as_object().map(Vec::as_slice).unwrap_or_default();
    let members = members.iter().filter(|(name, _)| name != "type");
    for (index, (name, value)) in members.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(out, name);
        out.push(':');
        out.push_str(value.raw);
    }
    out.push_str(if nested { "}}" } else { "}" });
}
