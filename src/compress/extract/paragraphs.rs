//! The paragraphs of a prose text: what blank lines part, and each item of a list by itself.

use std::ops::Range;

use super::sentences::places;

/// A paragraph or an item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paragraph {
    /// With the marks of the quote and of the list before it.
    pub(crate) outer: Range<usize>,
    /// The words alone.
    pub(crate) inner: Range<usize>,
}

/// The paragraphs of a text, in order.
pub(crate) fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut scan =
        ParagraphScan { open: None, found: vec![], in_list: false, depth: 0, data: false };
    // Blank lines and dashes of a key part nothing.
    let keys_end = places(text, "-----END ").last().unwrap_or_default();
    let mut in_key = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if in_key {
            scan.continue_paragraph(start, line);
        } else {
            scan.line(start, line);
        }
        start += line.len();
        // Most texts hold no key at all.
        in_key = start <= keys_end
            && (in_key || line.contains("-----BEGIN "))
            && !line.contains("-----END ");
    }
    scan.close();
    scan.found
}

struct ParagraphScan {
    open: Option<Paragraph>,
    found: Vec<Paragraph>,
    in_list: bool,
    /// Marks of a quote before the lines of the open paragraph.
    depth: usize,
    /// Whether its last line was one of data.
    data: bool,
}

impl ParagraphScan {
    fn line(&mut self, start: usize, line: &str) {
        let is_mark = |letter: char| letter == '>' || letter.is_whitespace();
        let body = line.trim_start_matches(is_mark);
        let head = line.len() - body.len();
        let body = body.trim_end();
        let depth = line.bytes().take(head).filter(|byte| *byte == b'>').count();
        if body.is_empty() {
            self.close();
            return;
        }
        let marker = marker(body, self.in_list || self.open.is_none());
        // A line without its mark goes on with the quote.
        let is_other = depth != self.depth && depth > 0;
        // A sentence is not wrapped at a bracket.
        let data = is_data(body);
        let is_apart = std::mem::replace(&mut self.data, data) || data;
        if marker > 0 || is_other || is_apart || self.open.is_none() {
            self.close();
            let blanks = line.len() - line.trim_start().len();
            let outer = start + blanks..start + head + body.len();
            let inner = start + head + marker..outer.end;
            self.open = Some(Paragraph { outer, inner });
            self.in_list = marker > 0 || (self.in_list && head > 0);
            self.depth = depth;
        } else {
            self.continue_paragraph(start, line);
        }
    }

    fn continue_paragraph(&mut self, start: usize, line: &str) {
        if let Some(open) = &mut self.open {
            let end = start + line.trim_end().len();
            open.outer.end = end.max(open.outer.end);
            open.inner.end = open.outer.end;
        }
    }

    fn close(&mut self) {
        self.found.extend(self.open.take());
    }
}

/// Whether a line is one of data or code that is among words: it opens or closes brackets, or
/// is a quoted member of something.
fn is_data(line: &str) -> bool {
    line.starts_with(['{', '}', '[', ']'])
        || line.ends_with(['{', '[', '(', ';'])
        || (line.starts_with('"') && line.ends_with(['"', ',']))
}

/// Bytes of the marker of a list's item with the blanks after it; none if there is none. A
/// number in the middle of a paragraph begins no item, it is at the start of a wrapped line.
fn marker(body: &str, may_be_number: bool) -> usize {
    let digits = body.bytes().take(10).take_while(u8::is_ascii_digit).count();
    let rest = body.get(digits..).unwrap_or_default();
    let marks: &[char] = if digits > 0 { &['.', ')'] } else { &['-', '*', '+', '•', '–'] };
    let Some(after) = rest.strip_prefix(marks) else { return 0 };
    let words = after.trim_start();
    let is_marker = words.len() < after.len() && !words.is_empty();
    if is_marker && (digits == 0 || may_be_number) { body.len() - words.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<(&str, &str)> {
        let parts = |Paragraph { outer, inner }: Paragraph| (&text[outer], &text[inner]);
        paragraphs(text).into_iter().map(parts).collect()
    }

    #[test]
    fn blank_lines_and_markers_part_paragraphs() {
        assert_eq!(
            of(
                "One is\nhere.\n\n - two\n   and more\n - three\n\n> four\n> five\n\n1. six\n2. seven\n\nin\n3. eight"
            ),
            [
                ("One is\nhere.", "One is\nhere."),
                ("- two\n   and more", "two\n   and more"),
                ("- three", "three"),
                ("> four\n> five", "four\n> five"),
                ("1. six", "six"),
                ("2. seven", "seven"),
                ("in\n3. eight", "in\n3. eight"),
            ]
        );
        assert_eq!(of(" \n\n"), []);
    }

    #[test]
    fn lines_of_data_stand_by_themselves() {
        let lines = ["It failed: {", "\"a\": 1,", "}", "and so\non"];
        assert_eq!(of(&lines.join("\n")), lines.map(|line| (line, line)));
    }

    #[test]
    fn a_key_is_one_paragraph() {
        let key = "The key:\n-----BEGIN X-----\n- a\n\n- b\n-----END X-----";
        assert_eq!(of(&format!("{key}\n\nb")), [(key, key), ("b", "b")]);
        assert_eq!(of("-----BEGIN X-----\n\nb").len(), 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn paragraphs_follow_each_other_and_leave_only_blanks(
            text in "([a-z]{1,3}|[ \\n>*.)-]|[0-9]|•|中|\\n\\n){0,60}"
        ) {
            let mut from = 0;
            for Paragraph { outer, inner } in paragraphs(&text) {
                prop_assert!(outer.start >= from && inner.start >= outer.start && inner.end == outer.end);
                prop_assert!(!text[inner.clone()].is_empty() && !text[inner.clone()].starts_with(' '));
                prop_assert!(text[from..outer.start].chars().all(|c| c.is_whitespace() || c == '>'));
                from = outer.end;
            }
            prop_assert!(text[from..].chars().all(|c| c.is_whitespace() || c == '>'));
        }
    }
}
