//! XML and HTML as elements inside one another.
//!
//! A small element that has text next to child elements is one node: its sentences run through
//! them.

use super::tree::{DocumentTree, GapStyle, TreeBuilder};

/// Elements of HTML that have no end tag.
const VOID_ELEMENTS: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
/// Elements of HTML whose text is no markup.
const RAW_ELEMENTS: [&str; 4] = ["script", "style", "textarea", "title"];
/// Elements of HTML whose end tag may be left out.
const IMPLIED_ENDS: [&str; 12] =
    ["li", "p", "td", "th", "tr", "dt", "dd", "option", "thead", "tbody", "tfoot", "colgroup"];
/// Elements of HTML that say nothing to a reader.
const UNSEEN_ELEMENTS: [&str; 6] = ["script", "style", "svg", "noscript", "template", "nav"];
/// Bytes of an element with text next to child elements whose parts may be left out.
const MIN_MIXED_BYTES: usize = 320;
/// Bytes of an element's text that is shown by pieces if there is no room for it, and of a piece.
const MIN_LONG_TEXT_BYTES: usize = 480;
const PIECE_BYTES: usize = 120;

/// The elements of a text; none if it is not well-formed, or not one tree.
pub(super) fn read(text: &str, is_xml: bool) -> Option<DocumentTree> {
    let mut reader =
        MarkupReader { text, is_xml, at: 0, builder: TreeBuilder::new(), open: Vec::new() };
    reader.builder.begin(0, GapStyle::MarkupComment);
    reader.open.push(UnclosedElement::root());
    reader.read()?;
    while reader.open.len() > 1 {
        if is_xml || !reader.top_is_implied() {
            return None;
        }
        reader.close_top(text.len(), text.len());
    }
    let root = reader.open.pop()?;
    reader.builder.end(root.close, text.len());
    reader.builder.finish()
}

/// An element that has not ended.
#[derive(Debug)]
struct UnclosedElement<'t> {
    name: &'t str,
    /// Its node; none if it is inside a node that is shown as a whole.
    node: Option<usize>,
    /// The end of its start tag, and of its last child.
    open: usize,
    close: usize,
    has_text: bool,
    has_elements: bool,
}

impl UnclosedElement<'_> {
    fn root() -> Self {
        Self { name: "", node: Some(0), open: 0, close: 0, has_text: false, has_elements: false }
    }
}

struct MarkupReader<'t> {
    text: &'t str,
    is_xml: bool,
    at: usize,
    builder: TreeBuilder,
    open: Vec<UnclosedElement<'t>>,
}

impl<'t> MarkupReader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn read(&mut self) -> Option<()> {
        while !self.rest().is_empty() {
            let rest = self.rest();
            let length = memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
            if length > 0 {
                let start = self.at;
                self.at += length;
                if !rest.get(..length)?.trim_ascii().is_empty() {
                    self.add_text(start);
                }
                continue;
            }
            let start = self.at;
            let pinned = [("<!--", "-->"), ("<?", "?>"), ("<!DOCTYPE", ">"), ("<!doctype", ">")];
            if let Some(inner) = rest.strip_prefix("<![CDATA[") {
                self.at += "<![CDATA[".len() + inner.find("]]>")? + 3;
                self.add_text(start);
            } else if let Some((head, end)) = pinned.iter().find(|(head, _)| rest.starts_with(head))
            {
                let length = head.len() + rest.get(head.len()..)?.find(end)? + end.len();
                // What a document type declares could mean anything.
                if rest.get(..length)?.contains('[') && head.starts_with("<!D") {
                    return None;
                }
                self.at += length;
                let is_comment = head.starts_with("<!--");
                let leaf = self.add_leaf(start, self.at, !is_comment);
                if let Some(leaf) = leaf.filter(|_| is_comment) {
                    self.builder.set_remark(leaf);
                }
            } else if rest.starts_with("</") {
                let length = memchr::memchr(b'>', rest.as_bytes())? + 1;
                let name = rest.get(2..length - 1)?.trim_ascii();
                self.at += length;
                self.end_element(name, start)?;
            } else {
                self.start_element(start)?;
            }
        }
        Some(())
    }

    fn start_element(&mut self, start: usize) -> Option<()> {
        let rest = self.rest();
        let length = tag_length(rest)?;
        let tag = rest.get(1..length - 1)?;
        let is_empty = tag.ends_with('/');
        let end = tag.find(|letter: char| letter.is_ascii_whitespace() || letter == '/');
        let name = tag.get(..end.unwrap_or(tag.len()))?;
        if !name.bytes().next()?.is_ascii_alphabetic() && !name.starts_with('_') {
            return None;
        }
        self.at += length;
        let is_html = !self.is_xml;
        let is =
            |names: &[&str]| is_html && names.iter().any(|other| other.eq_ignore_ascii_case(name));
        if is_empty || is(&VOID_ELEMENTS) {
            self.add_leaf(start, self.at, false);
            return Some(());
        }
        if is(&IMPLIED_ENDS) && self.open.last()?.name.eq_ignore_ascii_case(name) {
            self.close_top(start, start);
        }
        if is(&RAW_ELEMENTS) {
            let inner = self.rest();
            let length = find_end_tag(inner, name)?;
            self.at += length + memchr::memchr(b'>', inner.get(length..)?.as_bytes())? + 1;
            let leaf = self.add_leaf(start, self.at, false);
            if let Some(leaf) = leaf.filter(|_| is(&UNSEEN_ELEMENTS)) {
                self.builder.show_last(leaf);
            }
            return Some(());
        }
        let is_last = is(&UNSEEN_ELEMENTS);
        let parent = self.open.last_mut()?;
        parent.has_elements = true;
        let has_node = parent.node.is_some() && self.builder.depth() < TreeBuilder::MAX_DEPTH;
        let node = has_node.then(|| self.builder.begin(start, GapStyle::MarkupComment));
        if let Some(node) = node {
            self.builder.open_at(self.at);
            if is_last {
                self.builder.show_last(node);
            }
        }
        let open = self.at;
        self.open.push(UnclosedElement {
            name,
            node,
            open,
            close: open,
            has_text: false,
            has_elements: false,
        });
        Some(())
    }

    /// Text up to here, which may stand next to elements.
    fn add_text(&mut self, start: usize) {
        let Some(parent) = self.open.last_mut() else { return };
        parent.has_text = true;
        parent.close = self.at;
        if parent.node.is_some() {
            self.builder.leaf(start, self.at);
        }
    }

    /// A node without elements in it.
    fn add_leaf(&mut self, start: usize, end: usize, is_pinned: bool) -> Option<usize> {
        let parent = self.open.last_mut()?;
        parent.close = end;
        parent.has_elements = true;
        parent.node?;
        let leaf = self.builder.leaf(start, end);
        if is_pinned {
            self.builder.pin(leaf);
        }
        Some(leaf)
    }

    fn top_is_implied(&self) -> bool {
        let top = self.open.last().map_or("", |own| own.name);
        IMPLIED_ENDS.iter().any(|name| name.eq_ignore_ascii_case(top))
    }

    /// Ends an element whose end tag begins at `start`.
    fn end_element(&mut self, name: &str, start: usize) -> Option<()> {
        while self.open.len() > 1 {
            let top = self.open.last()?.name;
            let is_own = if self.is_xml { top == name } else { top.eq_ignore_ascii_case(name) };
            if is_own {
                self.close_top(start, self.at);
                return Some(());
            }
            if self.is_xml || !self.top_is_implied() {
                return None;
            }
            self.close_top(start, start);
        }
        None
    }

    /// Ends the innermost element. `inner`: the end of what is inside it.
    fn close_top(&mut self, inner: usize, end: usize) {
        let Some(own) = self.open.pop() else { return };
        if let Some(node) = own.node {
            let is_mixed = own.has_text && own.has_elements;
            if !own.has_elements || is_mixed && inner - own.open < MIN_MIXED_BYTES {
                // Its text is shown with what is inside it, or by pieces if that is words alone.
                self.builder.drop_children(node);
                let is_long = !own.has_elements && inner - own.open >= MIN_LONG_TEXT_BYTES;
                if is_long {
                    self.builder.set_style(node, GapStyle::Words);
                    self.add_pieces(own.open, inner);
                    self.builder.end(inner, end);
                } else {
                    self.builder.open_at(end);
                    self.builder.end(end, end);
                }
            } else {
                self.builder.end(own.close, end);
            }
        }
        if let Some(parent) = self.open.last_mut() {
            parent.close = end;
        }
    }

    fn add_pieces(&mut self, start: usize, end: usize) {
        let inner = self.text.get(start..end).unwrap_or_default();
        let mut from = 0;
        // A section is not cut.
        if !inner.contains("<![CDATA[") {
            for (at, _) in inner.match_indices(' ') {
                if at - from >= PIECE_BYTES {
                    self.builder.leaf(start + from, start + at + 1);
                    from = at + 1;
                }
            }
        }
        if from < inner.len() {
            self.builder.leaf(start + from, end);
        }
    }
}

/// Bytes of the tag at the beginning: its end is no `>` in quotes.
fn tag_length(rest: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            (None, b'>') => return Some(at + 1),
            (None, b'<') => return None,
            _ => {}
        }
    }
    None
}

/// Where the end tag of an element begins whose text is no markup.
fn find_end_tag(inner: &str, name: &str) -> Option<usize> {
    let ends = memchr::memmem::find_iter(inner.as_bytes(), "</");
    ends.into_iter().find(|at| {
        let own = inner.get(at + 2..at + 2 + name.len());
        own.is_some_and(|own| own.eq_ignore_ascii_case(name))
    })
}
