//! The values of `enum`, by their hashes: a list of thousands is gone through once, however many
//! values are compared with it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use serde_json::Value;

use super::value::key;

/// The lists of one schema that were compared with, by the address of their first value. The schema
/// does not change meanwhile.
#[derive(Debug, Default)]
pub(super) struct Choices {
    lists: RefCell<BTreeMap<usize, Rc<HashedList>>>,
}

/// Places of the values of a list, by hash.
#[derive(Debug)]
pub(super) struct HashedList {
    places: BTreeMap<u64, Vec<usize>>,
    /// Cost of what was looked at.
    cost: usize,
}

impl Choices {
    /// The list by its hashes, and the cost if it was hashed now.
    pub(super) fn hashed(&self, list: &[Value]) -> (Rc<HashedList>, usize) {
        let address = list.as_ptr() as usize;
        if let Some(known) = self.lists.borrow().get(&address) {
            return (Rc::clone(known), 0);
        }
        let mut hashed = HashedList { places: BTreeMap::new(), cost: 0 };
        for (at, value) in list.iter().enumerate() {
            let hash = hash(value, &mut hashed.cost);
            hashed.places.entry(hash).or_default().push(at);
        }
        let cost = hashed.cost;
        let hashed = Rc::new(hashed);
        self.lists.borrow_mut().insert(address, Rc::clone(&hashed));
        (hashed, cost)
    }
}

impl HashedList {
    /// The places at which an equal value may be.
    pub(super) fn places(&self, hash: u64) -> &[usize] {
        self.places.get(&hash).map_or(&[], Vec::as_slice)
    }
}

/// A hash that is the same for values that are: 1 and 1.0, and members in any order. Adds to `cost`
/// what it looks at.
pub(super) fn hash(value: &Value, cost: &mut usize) -> u64 {
    *cost = cost.saturating_add(1);
    let mut hasher = DefaultHasher::new();
    match value {
        Value::String(text) => {
            *cost = cost.saturating_add(text.len());
            (0_u8, text).hash(&mut hasher);
        }
        Value::Array(items) => {
            (1_u8, items.len()).hash(&mut hasher);
            for item in items {
                hash(item, cost).hash(&mut hasher);
            }
        }
        Value::Object(members) => {
            (2_u8, members.len()).hash(&mut hasher);
            let mut sum = 0_u64;
            for (name, member) in members {
                *cost = cost.saturating_add(name.len());
                let mut own = DefaultHasher::new();
                (name, hash(member, cost)).hash(&mut own);
                sum = sum.wrapping_add(own.finish());
            }
            sum.hash(&mut hasher);
        }
        plain => (3_u8, key(plain)).hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_values_have_one_hash() {
        let of = |value: Value| hash(&value, &mut 0);
        assert_eq!(of(json!({"a": 1, "b": [1.0]})), of(json!({"b": [1], "a": 1.0})));
        for other in [json!({"a": 1}), json!({"b": [1], "a": "1"}), json!([["a", 1], ["b", [1]]])] {
            assert_ne!(of(other), of(json!({"a": 1, "b": [1]})));
        }
        assert_ne!(of(json!(["ab", "c"])), of(json!(["a", "bc"])));
        assert_ne!(of(json!(null)), of(json!("null")));
    }

    #[test]
    fn a_list_is_hashed_once() {
        let list: Vec<Value> = (0..100).map(Value::from).collect();
        let choices = Choices::default();
        assert_eq!(choices.hashed(&list).1, 100);
        let (hashed, cost) = choices.hashed(&list);
        assert_eq!((hashed.places(hash(&json!(7.0), &mut 0)), cost), (&[7][..], 0));
    }
}
