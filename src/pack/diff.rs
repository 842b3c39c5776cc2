//! What two versions of a pack differ in.

use std::collections::BTreeSet;

use serde_json::Value;

/// One place where two documents are not the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// `add`, `remove` or `replace`.
    pub op: &'static str,
    /// JSON Pointer.
    pub path: String,
    pub from: Option<Value>,
    pub value: Option<Value>,
}

/// What is not the same in one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerChange {
    pub layer: String,
    pub changes: Vec<Change>,
}

/// Keys that items of lists are told apart by, rather than by their places: the first of them that
/// every item has and no two share. A permission names its adapter, as others do.
const NAMES: &[&str] = &[
    "permission_id",
    "rule_id",
    "bundle_id",
    "gate_id",
    "adapter_id",
    "decision_key",
    "id",
    "intent",
];

/// What has to be done to `before` to make it `after`, layer by layer. Rules, gates and the like
/// are compared by their ids: one that moved is not told as changed, but for its place.
pub fn between(before: &Value, after: &Value) -> Vec<LayerChange> {
    let mut changes = Vec::new();
    compare(before, after, &mut String::new(), &mut changes);
    let mut layers: Vec<LayerChange> = Vec::new();
    for change in changes {
        let layer = change.path.split('/').nth(1).unwrap_or_default().to_owned();
        match layers.iter_mut().find(|known| known.layer == layer) {
            Some(known) => known.changes.push(change),
            None => layers.push(LayerChange { layer, changes: vec![change] }),
        }
    }
    layers
}

fn compare(before: &Value, after: &Value, path: &mut String, out: &mut Vec<Change>) {
    let length = path.len();
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old {
                step(path, key);
                match new.get(key) {
                    Some(other) => compare(value, other, path, out),
                    None => tell(out, "remove", path, Some(value), None),
                }
                path.truncate(length);
            }
            for (key, value) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
                step(path, key);
                tell(out, "add", path, None, Some(value));
                path.truncate(length);
            }
        }
        (Value::Array(old), Value::Array(new)) => lists(old, new, path, out),
        (Value::Number(old), Value::Number(new)) if old.as_f64() == new.as_f64() => {}
        _ if before == after => {}
        _ => tell(out, "replace", path, Some(before), Some(after)),
    }
}

fn lists(old: &[Value], new: &[Value], path: &mut String, out: &mut Vec<Change>) {
    let length = path.len();
    let key = NAMES.iter().find(|key| names(old, key).is_some() && names(new, key).is_some());
    let find = |items: &[Value], item: &Value, at: usize| match name(item, key) {
        Some(own) => items.iter().position(|other| name(other, key) == Some(own)),
        None => (at < items.len()).then_some(at),
    };
    for (at, item) in old.iter().enumerate() {
        step(path, &at.to_string());
        match find(new, item, at).and_then(|other| new.get(other)) {
            Some(other) => compare(item, other, path, out),
            None => tell(out, "remove", path, Some(item), None),
        }
        path.truncate(length);
    }
    for (at, item) in new.iter().enumerate() {
        if find(old, item, at).is_none() {
            step(path, &at.to_string());
            tell(out, "add", path, None, Some(item));
            path.truncate(length);
        }
    }
    let order = |items: &[Value], others: &[Value]| -> Vec<Value> {
        let kept = items.iter().filter(|item| find(others, item, others.len()).is_some());
        kept.filter_map(|item| name(item, key)).map(Value::from).collect()
    };
    let (was, is) = (order(old, new), order(new, old));
    if was != is {
        tell(out, "replace", path, Some(&Value::Array(was)), Some(&Value::Array(is)));
    }
}

/// What an item is called under a key.
fn name<'v>(item: &'v Value, key: Option<&&str>) -> Option<&'v str> {
    item.get(key?)?.as_str()
}

/// What items are called under a key; none where one has no such text, or two have the same.
fn names<'v>(items: &'v [Value], key: &str) -> Option<BTreeSet<&'v str>> {
    let names: Option<BTreeSet<&str>> = items.iter().map(|item| name(item, Some(&key))).collect();
    names.filter(|names| names.len() == items.len())
}

fn step(path: &mut String, key: &str) {
    path.push('/');
    path.push_str(&key.replace('~', "~0").replace('/', "~1"));
}

fn tell(
    out: &mut Vec<Change>,
    op: &'static str,
    path: &str,
    from: Option<&Value>,
    value: Option<&Value>,
) {
    out.push(Change { op, path: path.to_owned(), from: from.cloned(), value: value.cloned() });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_are_told_apart_by_their_ids() {
        let before = json!({"policy_layer": {"rules": [
            {"rule_id": "a", "if": 1}, {"rule_id": "b", "if": 2}]}, "x": [1, 2]});
        let after = json!({"policy_layer": {"rules": [
            {"rule_id": "b", "if": 3}, {"rule_id": "c", "if": 4}]}, "x": [1, 3]});
        let layers = between(&before, &after);
        let told: Vec<(&str, &str, &str)> = layers
            .iter()
            .flat_map(|layer| layer.changes.iter().map(|c| (&*layer.layer, c.op, &*c.path)))
            .collect();
        assert_eq!(
            told,
            [
                ("policy_layer", "remove", "/policy_layer/rules/0"),
                ("policy_layer", "replace", "/policy_layer/rules/1/if"),
                ("policy_layer", "add", "/policy_layer/rules/1"),
                ("x", "replace", "/x/1"),
            ]
        );
        assert_eq!(between(&before, &before), []);
    }

    #[test]
    fn a_key_that_two_items_share_tells_none_apart() {
        let permissions = |capability: &str| {
            json!({"tooling_layer": {"permissions": [
                {"adapter_id": "a", "capability": "read", "share": 1.0},
                {"adapter_id": "a", "capability": capability}]}})
        };
        assert_eq!(between(&permissions("write"), &permissions("write")), []);
        let layers = between(&permissions("write"), &permissions("push"));
        let [LayerChange { changes, .. }] = &layers[..] else { panic!("{layers:?}") };
        let paths: Vec<&str> = changes.iter().map(|change| &*change.path).collect();
        assert_eq!(paths, ["/tooling_layer/permissions/1/capability"]);
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(between(&read(r#"{"a": [1.0, 2e1]}"#), &read(r#"{"a": [1, 20]}"#)), []);
        assert_ne!(between(&read(r#"{"a": 1.5}"#), &read(r#"{"a": 1}"#)), []);
    }
}
