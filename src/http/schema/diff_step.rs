//! A step from one JSON value to another.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::json::JsonDifference;

/// A place in which two documents differ.
#[derive(Debug, Serialize, ToSchema)]
pub struct DiffStep {
    /// `add`, `remove` or `replace`.
    pub op: &'static str,
    /// JSON Pointer into the document.
    #[schema(example = "/messages/3/content")]
    pub path: String,
    /// What was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub from: Option<Box<RawValue>>,
    /// The value there now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub value: Option<Box<RawValue>>,
}

impl From<JsonDifference> for DiffStep {
    fn from(difference: JsonDifference) -> Self {
        let op = match (&difference.from, &difference.to) {
            (None, Some(_)) => "add",
            (Some(_), None) => "remove",
            _ => "replace",
        };
        let raw = |text: String| RawValue::from_string(text).unwrap_or_default();
        Self {
            op,
            path: difference.pointer,
            from: difference.from.map(raw),
            value: difference.to.map(raw),
        }
    }
}
