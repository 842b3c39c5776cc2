//! A JSON object of which some values can be replaced, while all others keep their bytes.

use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object in their order, each value with its original bytes. A repeated key is
/// kept.
#[derive(Debug, Clone, Default)]
pub(super) struct OrderedMembers(Vec<(String, Box<RawValue>)>);

impl OrderedMembers {
    pub(super) fn new(key: &str, value: Box<RawValue>) -> Self {
        Self(vec![(key.to_owned(), value)])
    }

    /// The value of a key, if it is an object.
    pub(super) fn object(&self, key: &str) -> Option<&RawValue> {
        self.get(key).filter(|value| value.get().starts_with('{'))
    }

    pub(super) fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }

    pub(super) fn set(&mut self, key: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, current)) => *current = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Removes the members whose key fails the test, and returns their keys.
    pub(super) fn keep(&mut self, mut is_kept: impl FnMut(&str) -> bool) -> Vec<String> {
        let removed = self.0.extract_if(.., |(key, _)| !is_kept(key));
        removed.map(|(key, _)| key).collect()
    }

    pub(super) fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut text = String::from("{");
        for (key, value) in &self.0 {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&serde_json::to_string(key)?);
            text.push(':');
            text.push_str(value.get());
        }
        text.push('}');
        Ok(text)
    }
}

impl<'de> Deserialize<'de> for OrderedMembers {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MemberVisitor;
        impl<'de> Visitor<'de> for MemberVisitor {
            type Value = OrderedMembers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OrderedMembers, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(OrderedMembers(members))
            }
        }
        deserializer.deserialize_map(MemberVisitor)
    }
}
