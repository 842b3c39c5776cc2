//! Values with members that are JSON text already, and keep its bytes.

use std::io;

use serde::{Serialize, Serializer};
use serde_json::ser::{Formatter, Serializer as JsonSerializer};

/// JSON text in a value that [`to_text`] writes.
///
/// Unlike `RawValue` of `serde_json`, it is not read again to be written, and white space around
/// the text stays. Other serializers write it as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonText<'a>(&'a str);

impl<'a> JsonText<'a> {
    /// Takes text that is one JSON value.
    pub const fn new(text: &'a str) -> Self {
        Self(text)
    }
}

impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0.as_bytes())
    }
}

/// Writes a value as JSON without white space; each [`JsonText`] in it is copied.
pub fn to_text<T: Serialize + ?Sized>(value: &T) -> String {
    let mut out = Vec::new();
    // Only maps whose keys are no texts fail: nothing here has any.
    let _ = value.serialize(&mut JsonSerializer::with_formatter(&mut out, VerbatimFormatter));
    String::from_utf8(out).unwrap_or_default()
}

/// Writes compact JSON, and bytes as they are: only [`JsonText`] is serialised as bytes.
struct VerbatimFormatter;

impl Formatter for VerbatimFormatter {
    fn write_byte_array<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        text: &[u8],
    ) -> io::Result<()> {
        writer.write_all(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Sample<'a> {
        text: &'a str,
        raw: Option<JsonText<'a>>,
        list: Vec<JsonText<'a>>,
        none: Option<JsonText<'a>>,
    }

    #[test]
    fn json_text_keeps_every_byte_and_members_their_order() {
        let raw = " {\"n\": 1.50, \"a\":\"\\u00e9\u{2028}\"}\n";
        let list = vec![JsonText::new("1e3"), JsonText::new("null")];
        let sample =
            Sample { text: "\"/\u{7f}\u{1}", raw: Some(JsonText::new(raw)), list, none: None };
        let wanted = format!(
            "{{\"text\":\"\\\"/\u{7f}\\u0001\",\"raw\":{raw},\"list\":[1e3,null],\"none\":null}}"
        );
        assert_eq!(to_text(&sample), wanted);
    }
}
