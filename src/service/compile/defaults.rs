//! What a request leaves out and a key gives.

use std::sync::Arc;

use crate::json::{self, Limits, Node, Value};
use crate::service::StoreError;

/// Gives an object the members of `defaults` whose keys it has not: null is there, too.
pub(crate) fn add_absent<'a>(node: &mut Node<'a>, defaults: &'a str) -> Result<(), StoreError> {
    // It was checked before it was stored.
    let defaults = json::parse(defaults, Limits::default())
        .map_err(|error| StoreError::Corrupt(Arc::new(error)))?;
    if let (Value::Object(members), Value::Object(defaults)) = (&mut node.value, defaults.value) {
        for (key, value) in defaults {
            if !members.iter().any(|(given, _)| *given == key) {
                members.push((key, value));
            }
        }
    }
    Ok(())
}
