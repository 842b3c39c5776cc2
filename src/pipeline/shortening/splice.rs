//! Edits inside the JSON text of one message: everything around them keeps its bytes.

use std::ops::Range;
use std::sync::Arc;

use crate::json;
use crate::provider::ContentWrap;

/// A text in the place of some bytes of a message's JSON text.
#[derive(Debug, Clone)]
pub struct Edit {
    pub at: Range<usize>,
    pub text: Arc<str>,
    pub wrap: ContentWrap,
}

/// The JSON text with its edits, which are disjoint and in order.
pub fn splice(raw: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut copied = 0;
    for edit in edits {
        out.push_str(raw.get(copied..edit.at.start).unwrap_or_default());
        match edit.wrap {
            ContentWrap::Text => json::write_string(&mut out, &edit.text),
            ContentWrap::Raw => out.push_str(&edit.text),
            ContentWrap::Object => {
                out.push_str("{\"result\":");
                json::write_string(&mut out, &edit.text);
                out.push('}');
            }
        }
        copied = edit.at.end;
    }
    out.push_str(raw.get(copied..).unwrap_or_default());
    out
}
