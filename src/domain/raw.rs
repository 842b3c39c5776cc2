//! JSON that is carried, not interpreted.

use std::sync::Arc;

use crate::json::JsonText;

/// The text of one JSON value, as it was received. Cloning shares the text.
///
/// Values that a provider signed, encrypted or alone defines have this form, so that they are
/// returned with the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RawJson(Arc<str>);

impl RawJson {
    /// Takes text that is one JSON value, such as [`crate::json::Node::raw`].
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value as a member of what [`crate::json::to_text`] writes.
    pub fn as_json(&self) -> JsonText<'_> {
        JsonText::new(&self.0)
    }

    /// The shared text itself.
    pub fn text(&self) -> &Arc<str> {
        &self.0
    }
}
