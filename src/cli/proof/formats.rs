//! Counts the texts of tool results that a parser accepts: JSON, XML, tables and diffs.
//!
//! A text counts if all of it is one document. YAML is not counted, because nearly every text is
//! YAML.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::visible_text::{has_tool_result, visit_texts};

/// Names of formats, in the order of [`FormatCounts::counts`].
pub(super) const FORMAT_NAMES: [&str; 4] = ["JSON", "XML", "CSV and TSV", "diffs"];

/// The number of texts that parse, by format.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct FormatCounts {
    pub(super) counts: [usize; 4],
}

impl FormatCounts {
    pub(super) fn new(items: &[Value]) -> Self {
        let mut found = Self::default();
        for item in items.iter().filter(|item| has_tool_result(item)) {
            visit_texts(item, &mut |text| {
                let parses = [is_json, is_xml, is_table, is_diff];
                if let Some(at) = parses.iter().position(|parses| parses(text))
                    && let Some(count) = found.counts.get_mut(at)
                {
                    *count += 1;
                }
            });
        }
        found
    }
}

/// Checks for a JSON object or list.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Checks for XML: elements that are nested correctly below one root.
fn is_xml(text: &str) -> bool {
    let mut rest = text.trim();
    let mut open: Vec<&str> = Vec::new();
    let mut roots = 0;
    if !rest.starts_with('<') {
        return false;
    }
    while let Some((before, after)) = rest.split_once('<') {
        if open.is_empty() && !before.trim().is_empty() {
            return false;
        }
        let markup = [("?", "?>"), ("!--", "-->"), ("![CDATA[", "]]>"), ("!", ">")];
        if let Some((begin, end)) = markup.iter().find(|(begin, _)| after.starts_with(begin)) {
            let after = after.get(begin.len()..).unwrap_or_default();
            let Some((_, after)) = after.split_once(end) else { return false };
            rest = after;
            continue;
        }
        let Some((tag, after)) = split_tag(after) else { return false };
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name.trim_end()) {
                return false;
            }
            continue;
        }
        let name = tag.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or_default();
        if !name.starts_with(|sign: char| sign.is_alphabetic() || sign == '_') {
            return false;
        }
        roots += usize::from(open.is_empty());
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    open.is_empty() && roots == 1 && rest.trim().is_empty()
}

/// Splits a text at the end of its first tag, which is not inside a quoted attribute.
fn split_tag(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some((text.get(..at)?, text.get(at + 1..)?)),
            (None, b'<') => return None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(sign), byte) if sign == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// Checks for a table: a row of names, and two rows or more with the same number of fields, which
/// is two or more. Lines that begin with a line number are not a table.
fn is_table(text: &str) -> bool {
    [',', '\t'].into_iter().any(|separator| {
        let mut lines = text.lines();
        let Some(head) = lines.next() else { return false };
        let Some(columns) = count_fields(head, separator) else { return false };
        let is_name = |name: &str| name.contains(|sign: char| sign.is_alphabetic());
        if !head.split(separator).all(is_name) {
            return false;
        }
        let mut rows = 1;
        columns > 1
            && lines.all(|line| {
                rows += 1;
                count_fields(line, separator) == Some(columns)
            })
            && rows > 2
    })
}

/// Counts the fields of a row; `None` if a quote is not closed.
fn count_fields(line: &str, separator: char) -> Option<usize> {
    let mut quoted = false;
    let mut count = 1;
    for sign in line.chars() {
        if sign == '"' {
            quoted = !quoted;
        } else if sign == separator && !quoted {
            count += 1;
        }
    }
    (!quoted).then_some(count)
}

/// Checks for a diff: all hunks have as many lines as their headers declare.
fn is_diff(text: &str) -> bool {
    let mut hunks = 0;
    let mut left = (0_usize, 0_usize);
    for line in text.lines() {
        if left != (0, 0) {
            let taken = match line.as_bytes().first() {
                Some(b'-') => (1, 0),
                Some(b'+') => (0, 1),
                Some(b' ') | None => (1, 1),
                Some(b'\\') => (0, 0),
                Some(_) => return false,
            };
            match (left.0.checked_sub(taken.0), left.1.checked_sub(taken.1)) {
                (Some(old), Some(new)) => left = (old, new),
                _ => return false,
            }
        } else if let Some(head) = line.strip_prefix("@@ -") {
            let Some(lines) = parse_hunk(head) else { return false };
            left = lines;
            hunks += 1;
        }
    }
    hunks > 0 && left == (0, 0)
}

/// Reads the numbers of old and new lines of a hunk from `88,7 +88,8 @@`.
fn parse_hunk(head: &str) -> Option<(usize, usize)> {
    let (ranges, _) = head.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let lines = |range: &str| range.split_once(',').map_or("1", |(_, lines)| lines).parse().ok();
    Some((lines(old)?, lines(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_format_is_recognised_by_parsing() {
        let parses = [is_json, is_xml, is_table, is_diff];
        let good = [
            "{\"a\": [1]}\n",
            "<?xml version=\"1.0\"?>\n<a b=\">\"><c/><!-- < --><d>x</d></a>\n",
            "a,b\n1,\"2,3\"\n4,5\n",
            "--- a\n+++ b\n@@ -1,2 +1 @@\n x\n-y\n",
        ];
        for (at, text) in good.iter().enumerate() {
            let found = parses.iter().position(|parses| parses(text));
            assert_eq!(found, Some(at), "{text}");
        }
    }

    #[test]
    fn incomplete_texts_do_not_count() {
        for text in [
            "{\"a\": [1",
            "12",
            "<a><b></a></b>",
            "<a>x",
            "<a/><b/>",
            "a < b > c",
            "a,b\n1,2,3\n4,5\n",
            "a,b\n1,2\n",
            "     1\tuse std::fmt;\n     2\tuse std::io;\n     3\t\n",
            "@@ -1,2 +1 @@\n x\n",
            "one line",
        ] {
            assert_eq!(FormatCounts::new(&[json!(text)]), FormatCounts::default(), "{text}");
        }
    }
}
