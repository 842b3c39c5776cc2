//! Members of parts and tools that no reader interprets: which are leftovers, and which say something.

use std::sync::Arc;

use crate::domain::{Extra, RawJson};
use crate::json;

/// The member of a call that names its group, and the type of a group.
pub(super) const NAMESPACE: &str = "namespace";

/// Whether losing a field loses information: null and empty values do not, nor do the provider's
/// own bookkeeping fields, nor the reader's markers for where the text and the media of a response were.
pub(super) fn says_something(name: &str, raw: &RawJson) -> bool {
    let is_marker = || {
        let node = json::parse(raw.as_str(), json::Limits::default()).ok();
        let members = node.as_ref().and_then(json::Node::as_object);
        members.is_some_and(|all| all.iter().all(|(name, _)| name == "response" || name == "parts"))
    };
    if name == "functionResponse" && is_marker() {
        return false;
    }
    !matches!(raw.as_str(), "null" | "[]" | "{}")
        && !matches!(name, "id" | "status" | "type" | "index" | "object" | "tags")
}

/// The text of a JSON string.
pub(super) fn string_value(raw: &RawJson) -> Option<String> {
    let node = json::parse(raw.as_str(), json::Limits::default()).ok()?;
    node.as_str().map(str::to_owned)
}

/// A string member of a JSON object.
pub(super) fn member(raw: &RawJson, name: &str) -> Option<String> {
    let node = json::parse(raw.as_str(), json::Limits::default()).ok()?;
    node.get(name)?.as_str().map(str::to_owned)
}

/// Uninterpreted members of a tool that its new provider may not know.
pub(super) fn foreign_fields(extra: &mut Extra, keeps: impl Fn(&str) -> bool) -> Vec<Arc<str>> {
    let mut lost = Vec::new();
    extra.retain(|(name, raw)| {
        let keep = keeps(name);
        if !keep && says_something(name, raw) {
            lost.push(name.clone());
        }
        keep
    });
    lost
}
