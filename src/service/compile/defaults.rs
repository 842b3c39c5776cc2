//! Adds defaults to a request.

use std::sync::Arc;

use crate::json::{self, Limits, Node, Value};
use crate::service::StoreError;

/// Adds the members of `defaults` that an object lacks. A member that is null is not lacking.
pub(crate) fn add_absent<'a>(node: &mut Node<'a>, defaults: &'a str) -> Result<(), StoreError> {
    // Defaults are checked before they are stored, so a fault here means damage.
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
