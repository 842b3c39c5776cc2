//! The differences between two versions of a pack.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::json::Path;
use crate::limit::{Allowance, AllowanceExceeded};

/// One place at which two documents differ.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentChange {
    /// `add`, `remove` or `replace`.
    pub op: &'static str,
    /// JSON Pointer; long keys are cut.
    pub path: String,
    pub from: Option<Value>,
    pub value: Option<Value>,
}

/// The differences in one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerChange {
    pub layer: String,
    pub changes: Vec<DocumentChange>,
}

/// Keys that identify the items of lists, instead of their indices: the first of them that every
/// item has and no two share. A permission names its adapter, as other items do.
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

/// The changes that turn `before` into `after`, layer by layer. Rules, gates and the like are
/// compared by their ids: an item that moved counts as moved, not as changed.
pub fn between(
    before: &Value,
    after: &Value,
    allowance: &Allowance,
) -> Result<Vec<LayerChange>, AllowanceExceeded> {
    let mut found = DiffCollector { changes: Vec::new(), allowance };
    found.compare(before, after, &Path::Root)?;
    let mut layers: Vec<LayerChange> = Vec::new();
    for change in found.changes {
        let layer = change.path.split('/').nth(1).unwrap_or_default().to_owned();
        match layers.iter_mut().find(|known| known.layer == layer) {
            Some(known) => known.changes.push(change),
            None => layers.push(LayerChange { layer, changes: vec![change] }),
        }
    }
    Ok(layers)
}

/// Bytes that a change takes besides its pointer, in memory and as JSON.
const CHANGE_BYTES: usize = 256;

/// The differences found so far.
struct DiffCollector<'a> {
    changes: Vec<DocumentChange>,
    /// Pays for changes: a long list has one an item, and all may be under one long path.
    allowance: &'a Allowance,
}

impl DiffCollector<'_> {
    fn compare(
        &mut self,
        before: &Value,
        after: &Value,
        path: &Path<'_>,
    ) -> Result<(), AllowanceExceeded> {
        match (before, after) {
            (Value::Object(old), Value::Object(new)) => {
                for (key, value) in old {
                    let path = path.key(key);
                    match new.get(key) {
                        Some(other) => self.compare(value, other, &path)?,
                        None => self.push_change("remove", &path, Some(value), None)?,
                    }
                }
                for (key, value) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
                    self.push_change("add", &path.key(key), None, Some(value))?;
                }
                Ok(())
            }
            (Value::Array(old), Value::Array(new)) => self.compare_lists(old, new, path),
            (Value::Number(old), Value::Number(new)) if old.as_f64() == new.as_f64() => Ok(()),
            _ if before == after => Ok(()),
            _ => self.push_change("replace", path, Some(before), Some(after)),
        }
    }

    fn compare_lists(
        &mut self,
        old: &[Value],
        new: &[Value],
        path: &Path<'_>,
    ) -> Result<(), AllowanceExceeded> {
        let [old, new] = NamedItems::pair(old, new);
        for (at, item) in old.items.iter().enumerate() {
            let path = path.index(at);
            match new.find(item, at) {
                Some(other) => self.compare(item, other, &path)?,
                None => self.push_change("remove", &path, Some(item), None)?,
            }
        }
        for (at, item) in new.items.iter().enumerate() {
            if old.find(item, at).is_none() {
                self.push_change("add", &path.index(at), None, Some(item))?;
            }
        }
        let (was, is) = (old.order_in(&new), new.order_in(&old));
        if was != is {
            self.push_change("replace", path, Some(&Value::Array(was)), Some(&Value::Array(is)))?;
        }
        Ok(())
    }

    fn push_change(
        &mut self,
        op: &'static str,
        path: &Path<'_>,
        from: Option<&Value>,
        value: Option<&Value>,
    ) -> Result<(), AllowanceExceeded> {
        let path = path.pointer();
        self.allowance.take(CHANGE_BYTES + path.len())?;
        self.changes.push(DocumentChange { op, path, from: from.cloned(), value: value.cloned() });
        Ok(())
    }
}

/// A list, and the places of its items by their names if it has names.
struct NamedItems<'v> {
    items: &'v [Value],
    named: Option<ItemPlaces<'v>>,
}

struct ItemPlaces<'v> {
    key: &'static str,
    places: BTreeMap<&'v str, usize>,
}

impl<'v> NamedItems<'v> {
    /// Two lists, with the first key under which the items of both have names.
    fn pair(old: &'v [Value], new: &'v [Value]) -> [Self; 2] {
        let named = NAMES
            .iter()
            .find_map(|key| Some([ItemPlaces::new(old, key)?, ItemPlaces::new(new, key)?]));
        let [before, after] = named.map_or([None, None], |pair| pair.map(Some));
        [Self { items: old, named: before }, Self { items: new, named: after }]
    }

    /// The item of the name that another list's item has; without names, the one at its place.
    fn find(&self, item: &Value, at: usize) -> Option<&'v Value> {
        let at = match &self.named {
            Some(named) => *named.places.get(named.name(item)?)?,
            None => at,
        };
        self.items.get(at)
    }

    /// The names that the other list has too, in the order of this one.
    fn order_in(&self, other: &Self) -> Vec<Value> {
        let (Some(own), Some(others)) = (&self.named, &other.named) else { return Vec::new() };
        let names = self.items.iter().filter_map(|item| own.name(item));
        names.filter(|name| others.places.contains_key(name)).map(Value::from).collect()
    }
}

impl<'v> ItemPlaces<'v> {
    /// `None` if an item has no text under the key, or two have the same.
    fn new(items: &'v [Value], key: &'static str) -> Option<Self> {
        let mut places = BTreeMap::new();
        for (at, item) in items.iter().enumerate() {
            if places.insert(item.get(key)?.as_str()?, at).is_some() {
                return None;
            }
        }
        Some(Self { key, places })
    }

    fn name<'i>(&self, item: &'i Value) -> Option<&'i str> {
        item.get(self.key)?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn between(before: &Value, after: &Value) -> Vec<LayerChange> {
        super::between(before, after, &Allowance::default()).unwrap()
    }

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

    #[test]
    fn pointers_are_short_and_paid_for() {
        let document = |value: i32| json!({"x": {"k".repeat(10_000): vec![value; 1_000]}});
        let layers = between(&document(1), &document(2));
        assert_eq!(layers[0].changes.len(), 1_000);
        let longest = layers[0].changes.iter().map(|change| change.path.len()).max();
        assert_eq!(longest, Some("/x/".len() + 256 + "…".len() + "/999".len()));
        let little = Allowance::new(100_000);
        assert!(super::between(&document(1), &document(2), &little).is_err());
    }
}
