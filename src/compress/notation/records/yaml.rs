//! Records in YAML: maps whose values are on one line each, and maps that are on one line.
//!
//! Only a part of YAML is read here: lines that are written otherwise stay as they are.

use super::cell::{CellSyntax, flow_end};
use super::form::{MAX_INDENT_BYTES, RecordForm, RecordStyle};
use super::record::{LineRecord, RecordItem, is_key};
use crate::compress::text::yaml_quote_end;

/// Lines of the longest record.
const MAX_RECORD_LINES: usize = 24;
/// Maps inside one another on lines of their own: columns that nest deeper are hard to read.
const MAX_DEPTH: usize = 4;
/// Maps inside one another on one line.
const MAX_FLOW_DEPTH: usize = 12;

/// The steps of indentation in which most of the lines are written.
pub(super) fn style(lines: &[&str]) -> RecordStyle {
    let mut step = None;
    let mut dashes = None;
    for pair in lines.windows(2) {
        let [above, below] = pair else { continue };
        if !above.ends_with(':') || is_dashed(above.trim_start_matches(' ')) {
            continue;
        }
        let wide = indent(below).wrapping_sub(indent(above));
        if is_dashed(below.trim_start_matches(' ')) {
            dashes = dashes.or(Some(wide).filter(|wide| *wide <= 8));
        } else {
            step = step.or(Some(wide).filter(|wide| (1..=8).contains(wide)));
        }
        if step.is_some() && dashes.is_some() {
            break;
        }
    }
    RecordStyle {
        step: " ".repeat(step.unwrap_or(2)),
        dashes: dashes.unwrap_or(0),
        ..RecordStyle::default()
    }
}

/// The record that begins with the first of some lines.
pub(super) fn record<'a>(lines: &[&'a str], style: &RecordStyle) -> Option<LineRecord<'a>> {
    let line = *lines.first()?;
    let wide = indent(line);
    if wide > MAX_INDENT_BYTES {
        return None;
    }
    let (indent, body) = line.split_at_checked(wide)?;
    let (form, key, items, lines) = if let Some(inner) = body.strip_prefix("- ") {
        if inner.starts_with('{') {
            (RecordForm::FlowItem, None, whole_map(inner)?, 1)
        } else {
            let mut block = YamlLines { lines, style, at: 0, first: Some(inner) };
            let items = block.members(wide + 2, MAX_DEPTH)?;
            (RecordForm::Item, None, items, block.at)
        }
    } else {
        let (key, value) = member(body)?;
        if value.is_empty() {
            let mut block = YamlLines { lines, style, at: 1, first: None };
            let items = block.members(wide + style.step.len(), MAX_DEPTH)?;
            (RecordForm::Key, Some(key), items, block.at)
        } else {
            (RecordForm::FlowKey, Some(key), whole_map(value)?, 1)
        }
    };
    Some(LineRecord { form, indent, key, items, text: None, lines })
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

fn is_dashed(body: &str) -> bool {
    body == "-" || body.starts_with("- ")
}

/// The key of a line, and its value as it is.
fn member(body: &str) -> Option<(&str, &str)> {
    let bytes = body.as_bytes();
    let key = match bytes.first()? {
        b'"' | b'\'' => yaml_quote_end(bytes)?,
        b'#' | b'&' | b'!' | b'?' | b'[' | b'{' | b'-' if !is_word(bytes) => return None,
        _ => memchr::memchr(b':', bytes)?,
    };
    let (key, rest) = body.split_at_checked(key)?;
    let rest = rest.strip_prefix(':')?;
    match rest.strip_prefix(' ') {
        Some(value) => Some((key, value)).filter(|_| !value.is_empty()),
        None => rest.is_empty().then_some((key, "")),
    }
}

/// Whether a dash opens a key.
fn is_word(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'-') && bytes.get(1).is_some_and(u8::is_ascii_alphanumeric)
}

/// Members on lines of their own.
struct YamlLines<'l, 'a> {
    lines: &'l [&'a str],
    style: &'l RecordStyle,
    at: usize,
    /// The text after a dash.
    first: Option<&'a str>,
}

impl<'a> YamlLines<'_, 'a> {
    /// The members that are `wide` deep; nothing deeper may be left between them.
    fn members(&mut self, wide: usize, nested: usize) -> Option<Vec<RecordItem<'a>>> {
        let nested = nested.checked_sub(1)?;
        let mut items: Vec<RecordItem<'a>> = Vec::new();
        loop {
            let body = self.body(wide)?;
            if body.is_empty() {
                break;
            }
            let (key, value) = member(body)?;
            if !is_key(key)
                || self.at >= MAX_RECORD_LINES
                || items.iter().any(|item| item.key == key)
            {
                return None;
            }
            self.at += 1;
            if !value.is_empty() {
                // A list in brackets after a dash represents one on lines of its own.
                if value.starts_with(['|', '>', '&']) || value.starts_with("-[") {
                    return None;
                }
                items.push(RecordItem::text(key, value));
                continue;
            }
            let list = self.list(wide + self.style.dashes)?;
            if list.is_empty() {
                let inner = self.members(wide + self.style.step.len(), nested)?;
                items.push(RecordItem { key, value: None, items: inner });
            } else {
                items.push(RecordItem::text(key, list));
            }
        }
        (!items.is_empty()).then_some(items)
    }

    /// Reads the next line after so many spaces: nothing if it has fewer, and an error if it has
    /// more.
    fn body(&mut self, wide: usize) -> Option<&'a str> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let Some(line) = self.lines.get(self.at) else { return Some("") };
        let stands = indent(line);
        if line.trim().is_empty() || stands < wide {
            return Some("");
        }
        let body = line.get(wide..)?;
        // A list that is no deeper than its key ends the map around it.
        (stands == wide).then_some(if is_dashed(body) { "" } else { body })
    }

    /// Values with a dash before each, written as `-[a,b]`; nothing if none are here.
    fn list(&mut self, wide: usize) -> Option<String> {
        let mut list = String::from("-[");
        let is_item =
            |line: &&str| indent(line) == wide && is_dashed(line.get(wide..).unwrap_or_default());
        while let Some(line) = self.lines.get(self.at).filter(|line| is_item(line)) {
            let item = line.get(wide + 2..).filter(|item| !item.is_empty())?;
            let is_value = !item.starts_with(['{', '-', '|', '>', '&', '?', '#', ' '])
                && member(item).is_none()
                && CellSyntax::Yaml.split_item(item)?.1.is_empty();
            if !is_value || self.at >= MAX_RECORD_LINES {
                return None;
            }
            if list.len() > 2 {
                list.push(',');
            }
            list.push_str(item);
            self.at += 1;
        }
        if list.len() == 2 {
            return Some(String::new());
        }
        list.push(']');
        // A value that goes on belongs to no row.
        let goes_on = self
            .lines
            .get(self.at)
            .is_some_and(|line| !line.trim().is_empty() && indent(line) > wide);
        (!goes_on).then_some(list)
    }
}

/// The members of a map that is the whole text.
fn whole_map(text: &str) -> Option<Vec<RecordItem<'_>>> {
    let (items, end) = map(text, MAX_FLOW_DEPTH)?;
    (end == text.len()).then_some(items)
}

/// The members of the map at the head of a text, written as `{ a: 1, b: 2 }`, and where it ends.
fn map(text: &str, nested: usize) -> Option<(Vec<RecordItem<'_>>, usize)> {
    let nested = nested.checked_sub(1)?;
    let mut at = "{ ".len();
    text.starts_with("{ ").then_some(())?;
    let mut items: Vec<RecordItem<'_>> = Vec::new();
    loop {
        let rest = text.get(at..)?;
        let bytes = rest.as_bytes();
        let end = match bytes.first()? {
            b'"' | b'\'' => yaml_quote_end(bytes)?,
            _ => memchr::memchr3(b':', b',', b'}', bytes)?,
        };
        let (key, rest) = rest.split_at_checked(end)?;
        let rest = rest.strip_prefix(": ")?;
        if !is_key(key) {
            return None;
        }
        at += end + 2;
        let (inner, wide) = match map(rest, nested) {
            Some((inner, wide)) => (inner, wide),
            None => (Vec::new(), value_end(rest)?),
        };
        items.push(RecordItem { key, value: Some(rest.get(..wide)?.into()), items: inner });
        at += wide;
        let after = text.get(at..)?;
        if after.starts_with(" }") {
            // Two under one key would be read as one.
            let mut keys: Vec<&str> = items.iter().map(|item| item.key).collect();
            keys.sort_unstable();
            let is_twice = keys.windows(2).any(|pair| pair.first() == pair.get(1));
            return (!is_twice).then_some((items, at + 2));
        }
        after.starts_with(", ").then_some(())?;
        at += 2;
    }
}

/// End of a value inside of a map.
fn value_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = match bytes.first()? {
        b'"' | b'\'' => yaml_quote_end(bytes)?,
        b'[' | b'{' => flow_end(bytes)?,
        _ => {
            let end = bytes.iter().position(|byte| b",{}[]".contains(byte))?;
            text.get(..end)?.trim_end_matches(' ').len()
        }
    };
    (end > 0).then_some(end)
}
