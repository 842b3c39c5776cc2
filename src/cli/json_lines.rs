//! JSON Lines: one document in each line. The last one may be cut off, because a program still writes
//! it or was ended in the middle.

use serde::de::IgnoredAny;

/// Removes the byte order mark that some editors write at the beginning of a file. It is not part
/// of JSON, but of any other text, where `expand` restores it.
pub(super) fn strip_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The lines of a file with one JSON document in each.
#[derive(Debug)]
pub(super) struct JsonLines<'t> {
    /// The documents, each with the number of its line, from 1.
    pub(super) documents: Vec<(usize, &'t str)>,
    /// The number of a last line that ends in the middle of its document, which is left out.
    pub(super) cut_line: Option<usize>,
}

impl<'t> JsonLines<'t> {
    /// Reads the lines; the number of the first one that is no JSON is the error.
    pub(super) fn read(text: &'t str) -> Result<Self, usize> {
        let lines = strip_byte_order_mark(text).lines().map(str::trim).enumerate();
        let mut lines = lines.filter(|(_, line)| !line.is_empty()).peekable();
        let (mut documents, mut cut_line) = (Vec::new(), None);
        while let Some((index, line)) = lines.next() {
            let number = index + 1;
            match serde_json::from_str::<IgnoredAny>(line) {
                Ok(_) => documents.push((number, line)),
                Err(error) if error.is_eof() && !documents.is_empty() && lines.peek().is_none() => {
                    cut_line = Some(number);
                }
                Err(_) => return Err(number),
            }
        }
        Ok(Self { documents, cut_line })
    }
}

/// Whether a text is two or more lines of JSON objects, and so no document.
pub(super) fn is_json_lines(text: &str) -> bool {
    let begins = |lines: &JsonLines<'_>| {
        lines.documents.len() + usize::from(lines.cut_line.is_some()) > 1
            && lines.documents.iter().all(|(_, line)| line.starts_with('{'))
    };
    // A document over several lines, which nearly all are, ends this at its first line.
    JsonLines::read(text).is_ok_and(|lines| begins(&lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_line_that_is_cut_off_is_left_out() {
        let lines = JsonLines::read("\u{feff}{\"a\": 1}\r\n\n{\"b\": 2}\n{\"c\": [3, \n").unwrap();
        assert_eq!(lines.documents, [(1, "{\"a\": 1}"), (3, "{\"b\": 2}")]);
        assert_eq!(lines.cut_line, Some(4));
        assert_eq!(JsonLines::read("{\"a\": 1}\n{\"b\": \n{\"c\": 3}").unwrap_err(), 2);
        assert_eq!(JsonLines::read("{\"a\": 1}\n12:00 done").unwrap_err(), 2);
        assert_eq!(JsonLines::read("{\"a\": ").unwrap_err(), 1);
    }

    #[test]
    fn a_document_is_not_lines_of_them() {
        assert!(is_json_lines("{}\n{}"));
        for text in ["", "{}", "{\n}", "[\n1\n]", "1\n2", "{\"a\": 1}\nwords"] {
            assert!(!is_json_lines(text), "{text}");
        }
    }
}
