//! Finds the places of the cache marks in a payload.

use crate::json::{self, Node};

/// JSON Pointers of the blocks that carry a cache mark.
pub(super) fn find(payload: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !payload.contains("\"cache_control\"") {
        return found;
    }
    if let Ok(node) = json::parse(payload, json::Limits::default()) {
        marked(&node, &json::Path::Root, &mut found);
    }
    found
}

fn marked(node: &Node<'_>, path: &json::Path<'_>, found: &mut Vec<String>) {
    if let Some(members) = node.as_object() {
        if members.iter().any(|(key, value)| key == "cache_control" && value.as_object().is_some())
        {
            found.push(path.pointer());
        }
        for (key, value) in members {
            // The texts of a model or a tool are content, whatever their keys are.
            if !matches!(key.as_ref(), "input" | "arguments" | "input_schema" | "parameters") {
                marked(value, &path.key(key), found);
            }
        }
    }
    for (index, item) in node.as_array().unwrap_or_default().iter().enumerate() {
        marked(item, &path.index(index), found);
    }
}
