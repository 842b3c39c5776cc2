//! Records in XML: elements with attributes on one line, and elements that hold elements of text.

use std::collections::HashSet;

use super::form::{MAX_INDENT_BYTES, RecordForm, RecordStyle};
use super::record::{LineRecord, RecordItem, is_key};
use crate::compress::text::indent;

/// Lines of the longest record.
const MAX_RECORD_LINES: usize = 24;
/// Elements inside one another.
const MAX_DEPTH: usize = 4;
/// Ends of a tag that holds nothing but attributes.
const TAG_ENDS: [&str; 3] = ["/>", " />", ">"];

/// The step of indentation of the first element that holds another on a line of its own.
pub(super) fn style(lines: &[&str]) -> RecordStyle {
    let step = lines.windows(2).find_map(|pair| {
        let [above, below] = pair else { return None };
        let is_open = above.ends_with('>')
            && tag(above.trim_start()).is_some_and(|(_, rest)| rest.is_empty());
        let step = indent(below).strip_prefix(indent(above))?;
        let is_step =
            step == "\t" || (1..=8).contains(&step.len()) && step.bytes().all(|byte| byte == b' ');
        (is_open && is_step).then_some(step)
    });
    RecordStyle { step: step.unwrap_or_default().to_owned(), ..RecordStyle::default() }
}

/// The record that begins with the first of some lines.
pub(super) fn record<'a>(lines: &[&'a str], style: &RecordStyle) -> Option<LineRecord<'a>> {
    let line = *lines.first()?;
    let indent = indent(line);
    if indent.len() > MAX_INDENT_BYTES {
        return None;
    }
    let body = line.get(indent.len()..)?;
    let made =
        |form, items, text, lines| Some(LineRecord { form, indent, key: None, items, text, lines });
    let Some((tag, rest)) = tag(body) else {
        let name = name(body.strip_prefix('<')?);
        let (items, rest) = attributes(body.get(1 + name.len()..)?)?;
        if items.is_empty() {
            return None;
        }
        if let Some(close) = TAG_ENDS.iter().find(|close| **close == rest) {
            return made(RecordForm::Attributes { tag: name, close }, items, None, 1);
        }
        let inner =
            rest.strip_prefix('>')?.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
        let is_text = !inner.contains(['<', '>', '"']);
        return if is_text {
            made(RecordForm::Text { tag: name }, items, Some(inner), 1)
        } else {
            None
        };
    };
    if !rest.is_empty() {
        let mut inner = InlineElements { rest, nested: MAX_DEPTH };
        let items = inner.elements(tag)?;
        return if inner.rest.is_empty() {
            made(RecordForm::Elements { tag }, items, None, 1)
        } else {
            None
        };
    }
    if style.step.is_empty() {
        return None;
    }
    let mut block = XmlLines { lines, style, at: 1 };
    let pad = indent.len() + style.step.len();
    let items = block.elements(tag, indent, pad, MAX_DEPTH)?;
    made(RecordForm::Lines { tag }, items, None, block.at)
}

fn name(text: &str) -> &str {
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    let length = text.bytes().take_while(|byte| is_name(byte)).count();
    text.get(..length).unwrap_or_default()
}

/// The name of a tag without attributes at the head of a text, and what follows the tag.
fn tag(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('<')?;
    let name = name(inner);
    let rest = inner.get(name.len()..)?.strip_prefix('>')?;
    (!name.is_empty()).then_some((name, rest))
}

/// The attributes at the head of a text, a space before each, and what follows them.
fn attributes(text: &str) -> Option<(Vec<RecordItem<'_>>, &str)> {
    let mut items: Vec<RecordItem<'_>> = Vec::new();
    let mut rest = text;
    while let Some(read) = rest.strip_prefix(' ').and_then(read_attribute) {
        // The first of two with one name would take the place of both.
        items.push(RecordItem::text(read.key, read.value));
        rest = read.after;
    }
    (are_distinct(&items) && items.iter().all(|item| is_key(item.key))).then_some((items, rest))
}

fn are_distinct(items: &[RecordItem<'_>]) -> bool {
    /// Items of which each is compared with each.
    const MAX_PAIRWISE_ITEMS: usize = 8;
    let mut keys = items.iter().map(|item| item.key);
    if items.len() <= MAX_PAIRWISE_ITEMS {
        return keys
            .enumerate()
            .all(|(at, key)| items.iter().skip(at + 1).all(|item| item.key != key));
    }
    let mut seen = HashSet::new();
    keys.all(|key| seen.insert(key))
}

/// An attribute at the head of a text.
struct Attribute<'a> {
    key: &'a str,
    value: &'a str,
    /// The text after it.
    after: &'a str,
}

fn read_attribute(text: &str) -> Option<Attribute<'_>> {
    let key = name(text);
    let inner = text.get(key.len()..)?.strip_prefix("=\"")?;
    let (value, after) = inner.split_at_checked(memchr::memchr(b'"', inner.as_bytes())?)?;
    let after = after.get(1..)?;
    (!key.is_empty()).then_some(Attribute { key, value, after })
}

/// End of the attributes that a cell begins with, a space between them.
pub(super) fn attributes_end(text: &str) -> usize {
    let Some(Attribute { after: mut rest, .. }) = read_attribute(text) else { return 0 };
    while let Some(read) = rest.strip_prefix(' ').and_then(read_attribute) {
        rest = read.after;
    }
    text.len() - rest.len()
}

/// The text up to the closing tag of that name, if it holds no other tag, and what follows it.
fn text<'a>(rest: &'a str, tag: &str) -> Option<(&'a str, &'a str)> {
    let (text, close) = rest.split_at_checked(memchr::memchr(b'<', rest.as_bytes())?)?;
    let after = close.strip_prefix("</")?.strip_prefix(tag)?.strip_prefix('>')?;
    (!text.is_empty() && !text.contains('"')).then_some((text, after))
}

fn is_new(items: &[RecordItem<'_>], key: &str) -> bool {
    is_key(key) && items.len() < MAX_RECORD_LINES && items.iter().all(|item| item.key != key)
}

/// Elements one after the other on one line.
struct InlineElements<'a> {
    rest: &'a str,
    nested: usize,
}

impl<'a> InlineElements<'a> {
    /// The elements up to the closing tag of that name.
    fn elements(&mut self, outer: &str) -> Option<Vec<RecordItem<'a>>> {
        self.nested = self.nested.checked_sub(1)?;
        let mut items = Vec::new();
        loop {
            if let Some(after) = self.rest.strip_prefix("</") {
                self.rest = after.strip_prefix(outer)?.strip_prefix('>')?;
                self.nested += 1;
                return (!items.is_empty()).then_some(items);
            }
            let (key, rest) = tag(self.rest)?;
            if !is_new(&items, key) {
                return None;
            }
            self.rest = rest;
            if rest.starts_with('<') {
                let inner = self.elements(key)?;
                items.push(RecordItem { key, value: None, items: inner });
            } else {
                let (text, after) = text(rest, key)?;
                self.rest = after;
                items.push(RecordItem::text(key, text));
            }
        }
    }
}

/// Elements on lines of their own.
struct XmlLines<'l, 'a> {
    lines: &'l [&'a str],
    style: &'l RecordStyle,
    at: usize,
}

impl<'a> XmlLines<'_, 'a> {
    /// The elements up to the closing tag of that name; `pad` bytes precede each.
    fn elements(
        &mut self,
        outer: &str,
        margin: &str,
        pad: usize,
        nested: usize,
    ) -> Option<Vec<RecordItem<'a>>> {
        let nested = nested.checked_sub(1)?;
        let mut items = Vec::new();
        loop {
            let line = *self.lines.get(self.at)?;
            if self.at >= MAX_RECORD_LINES {
                return None;
            }
            self.at += 1;
            if let Some(close) = line.strip_prefix(margin).and_then(|body| body.strip_prefix("</"))
            {
                (close.strip_suffix('>')? == outer).then_some(())?;
                return (!items.is_empty()).then_some(items);
            }
            let (indent, body) = line.split_at_checked(pad)?;
            (indent.strip_prefix(margin)? == self.style.step).then_some(())?;
            let (key, rest) = tag(body)?;
            if !is_new(&items, key) {
                return None;
            }
            if rest.is_empty() {
                let inner = self.elements(key, indent, pad + self.style.step.len(), nested)?;
                items.push(RecordItem { key, value: None, items: inner });
            } else {
                let (text, after) = text(rest, key)?;
                after.is_empty().then_some(())?;
                items.push(RecordItem::text(key, text));
            }
        }
    }
}
