//! JSON that is carried, not interpreted.

use std::sync::Arc;

/// The text of one JSON value, as it was received. Cloning shares the text.
///
/// What a provider signed, encrypted or defined alone travels in this form, so that it leaves
/// with the bytes it came with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawJson(Arc<str>);

impl RawJson {
    /// Takes text that is known to be one JSON value, such as [`crate::json::Node::raw`].
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The shared text itself.
    pub fn text(&self) -> &Arc<str> {
        &self.0
    }
}
