//! Puts edits into the bytes of a body. All other bytes stay the very bytes that came.

use std::ops::Range;

use crate::json::write_string;

/// Other bytes in the place of some bytes of a body.
#[derive(Debug, Clone, Copy)]
pub struct BodyEdit<'t> {
    /// The bytes in the body; those of a string with its quotes.
    pub start: usize,
    pub end: usize,
    pub replacement: Replacement<'t>,
}

/// What takes the place of bytes of a body.
#[derive(Debug, Clone, Copy)]
pub enum Replacement<'t> {
    Nothing,
    /// A text, as a JSON string.
    Text(&'t str),
    /// JSON, as it is.
    Json(&'t str),
}

impl Replacement<'_> {
    fn bytes(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Text(text) | Self::Json(text) => text.len(),
        }
    }
}

/// Returns the body with the edits, which must be in order and must not overlap; none if they are not.
pub fn splice(body: &str, edits: &[BodyEdit<'_>]) -> Option<String> {
    let added: usize = edits.iter().map(|edit| edit.replacement.bytes()).sum();
    let mut out = String::with_capacity(body.len() + added);
    let mut at = 0;
    for edit in edits {
        let Range { start, end } = edit.start..edit.end;
        out.push_str(body.get(at..start)?);
        body.get(start..end)?;
        match edit.replacement {
            Replacement::Nothing => {}
            Replacement::Text(text) => write_string(&mut out, text),
            Replacement::Json(text) => out.push_str(text),
        }
        at = end;
    }
    out.push_str(body.get(at..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> BodyEdit<'_> {
        BodyEdit { start, end, replacement: Replacement::Text(text) }
    }

    #[test]
    fn bytes_outside_of_edits_stay() {
        let body = "{ \"a\" :\"x\\u0041\" , \"b\":\"y\"}\n";
        let edited = splice(body, &[edit(7, 16, "é\"\n"), edit(23, 26, "")]).unwrap();
        assert_eq!(edited, "{ \"a\" :\"é\\\"\\n\" , \"b\":\"\"}\n");
        assert_eq!(splice(body, &[]).unwrap(), body);
        let gone = BodyEdit { replacement: Replacement::Nothing, ..edit(17, 26, "") };
        assert_eq!(splice(body, &[gone]).unwrap(), "{ \"a\" :\"x\\u0041\" }\n");
        let more = BodyEdit { replacement: Replacement::Json(",\"c\":1"), ..edit(26, 26, "") };
        let longer = splice(body, &[more]).unwrap();
        assert_eq!(longer, "{ \"a\" :\"x\\u0041\" , \"b\":\"y\",\"c\":1}\n");
    }

    #[test]
    fn edits_that_overlap_or_are_outside_are_refused() {
        let body = "\"é\" \"b\"";
        for edits in [
            vec![edit(0, 4, ""), edit(2, 5, "")],
            vec![edit(5, 8, ""), edit(0, 4, "")],
            vec![edit(0, 99, "")],
            vec![edit(4, 2, "")],
            vec![edit(0, 2, "")],
        ] {
            assert_eq!(splice(body, &edits), None, "{edits:?}");
        }
    }
}
