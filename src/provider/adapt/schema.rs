//! Schemas of tools: what providers ask of the outermost object.

use crate::json::{self, Node};

/// Adds the missing members of a schema's outermost object: `type`, and `properties` if asked for.
/// A value that is no object becomes the empty schema. `None`: nothing is missing.
pub(super) fn complete(schema: &str, properties: bool) -> Option<String> {
    let node = json::parse(schema, json::Limits::default()).ok();
    let Some(members) = node.as_ref().and_then(Node::as_object) else {
        return Some(r#"{"type":"object","properties":{}}"#.to_owned());
    };
    let has = |name: &str| members.iter().any(|(key, _)| key == name);
    let mut head = String::from("{");
    if !has("type") {
        head.push_str(r#""type":"object","#);
    }
    if properties && !has("properties") {
        head.push_str(r#""properties":{},"#);
    }
    if head.len() == 1 {
        return None;
    }
    if members.is_empty() {
        head.pop();
    }
    let rest = schema.trim_start().strip_prefix('{').unwrap_or_default();
    Some(head + rest)
}
