//! XML and HTML: elements that begin a line, balanced, and end one. Nothing is expanded.

use super::Kind;
use super::line_bytes::contains;
use crate::compress::text::LineTable;

/// Elements inside one another.
const MAX_DEPTH: usize = 256;
/// Bytes of a tag or a comment; what is longer is none.
const MAX_TAG_BYTES: usize = 1 << 16;
/// Bytes of a page that may be looked at for tags that nothing closes.
const MAX_UNCLOSED_BYTES: usize = 1 << 22;
/// Elements that make a structure; a pair of tags around prose is a mark of a writer.
const MIN_ELEMENTS: usize = 2;

/// Bytes that so many elements take: `<html><a><a>`.
const MIN_ELEMENTS_BYTES: usize = 12;

const VOID_ELEMENTS: [&[u8]; 14] = [
    b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"param",
    b"source", b"track", b"wbr",
];
const HTML_ELEMENTS: [&[u8]; 31] = [
    b"html", b"head", b"body", b"div", b"p", b"span", b"table", b"thead", b"tbody", b"tr", b"td",
    b"th", b"ul", b"ol", b"li", b"dl", b"section", b"article", b"nav", b"header", b"footer",
    b"main", b"form", b"h1", b"h2", b"h3", b"a", b"pre", b"script", b"style", b"button",
];

/// The elements that begin at a line and the line after them. Failing over several lines spends
/// `budget`.
pub(super) fn find(lines: &LineTable<'_>, at: usize, budget: &mut usize) -> Option<(Kind, usize)> {
    let from = lines.head(at);
    let line_end = lines.end(at);
    let limit = lines.text.len().min(from.saturating_add(*budget)).max(line_end);
    if limit - from < MIN_ELEMENTS_BYTES {
        return None;
    }
    let mut scan = MarkupScan::new(lines.slice(0..limit), from);
    let mut ended = scan.run();
    // Parts of a page follow each other without an element around them.
    while let Some(end) = ended.filter(|_| scan.is_html() && scan.bytes.get(scan.at) == Some(&b'<'))
    {
        let (elements, reached) = (scan.elements, scan.reached);
        scan = MarkupScan { elements, ..MarkupScan::new(scan.bytes, end) };
        ended = scan.run();
        scan.reached = scan.reached.max(reached);
        scan.vocabulary = scan.vocabulary.max(Vocabulary::Html);
    }
    if let Some(end) = ended {
        let last = if end <= line_end { at } else { lines.at(end - 1) };
        let is_last = lines.slice(end..lines.end(last)).iter().all(u8::is_ascii_whitespace);
        if is_last && scan.elements >= MIN_ELEMENTS {
            return Some((if scan.is_html() { Kind::Html } else { Kind::Xml }, last + 1));
        }
    }
    if scan.reached > line_end {
        *budget = budget.saturating_sub(scan.reached - from);
    }
    None
}

/// Whether a line is nothing but a tag.
pub(super) fn is_tag(body: &[u8]) -> bool {
    body.starts_with(b"</") && body.len() > 3 && memchr::memchr(b' ', body).is_none()
}

struct MarkupScan<'a> {
    bytes: &'a [u8],
    at: usize,
    /// End of the text that was looked at.
    reached: usize,
    open: Vec<&'a [u8]>,
    elements: usize,
    /// Bytes that were looked at in vain, at the most.
    vain: usize,
    vocabulary: Vocabulary,
    started: bool,
}

/// Elements that a text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Vocabulary {
    Unknown,
    /// The text says that it is XML.
    Xml,
    Html,
    /// HTML of which the text says that it is a document: what it leaves open ends with the text.
    Page,
}

/// Content of two angle brackets.
enum MarkupTag<'a> {
    Open(&'a [u8]),
    Empty,
    Close(&'a [u8]),
    /// A comment, CDATA, an instruction, a declaration.
    Aside,
}

impl<'a> MarkupScan<'a> {
    fn new(bytes: &'a [u8], at: usize) -> Self {
        Self {
            bytes,
            at,
            reached: at,
            open: Vec::new(),
            elements: 0,
            vain: 0,
            vocabulary: Vocabulary::Unknown,
            started: false,
        }
    }

    fn is_html(&self) -> bool {
        self.vocabulary >= Vocabulary::Html
    }

    /// The byte after the root element.
    fn run(&mut self) -> Option<usize> {
        loop {
            let before = self.at;
            let tag = self.tag();
            match tag {
                Some(MarkupTag::Aside) => self.elements += usize::from(!self.open.is_empty()),
                Some(MarkupTag::Empty) => {
                    self.elements += 1;
                    if self.open.is_empty() {
                        return Some(self.at);
                    }
                }
                Some(MarkupTag::Open(name)) => self.enter(before, name)?,
                Some(MarkupTag::Close(name)) => {
                    self.close_element(name)?;
                    if self.open.is_empty() {
                        return Some(self.at);
                    }
                }
                // An angle bracket in the text of a page.
                None if self.is_html() && self.started => {
                    let next = self.bytes.get(self.at + 1).copied().unwrap_or(b' ');
                    if next.is_ascii_alphabetic() || b"!/?".contains(&next) {
                        self.vain += MAX_TAG_BYTES.min(self.bytes.len() - self.at);
                    }
                    if self.vain > MAX_UNCLOSED_BYTES {
                        return None;
                    }
                    self.at += 1;
                }
                None => return None,
            }
            let rest = self.bytes.get(self.at..)?;
            let Some(next) = memchr::memchr(b'<', rest) else {
                self.at = self.bytes.len();
                return (self.vocabulary == Vocabulary::Page).then_some(self.at);
            };
            if !self.started && !rest.get(..next)?.iter().all(u8::is_ascii_whitespace) {
                return None;
            }
            self.at += next;
        }
    }

    /// Goes into the element whose tag begins at a byte.
    fn enter(&mut self, start: usize, name: &'a [u8]) -> Option<()> {
        self.elements += 1;
        if !self.started {
            self.started = true;
            let is_page = name.eq_ignore_ascii_case(b"html");
            let tag = self.bytes.get(start..self.at).unwrap_or_default();
            let is_known = HTML_ELEMENTS.iter().any(|html| html.eq_ignore_ascii_case(name));
            if is_page {
                self.vocabulary = Vocabulary::Page;
            } else if self.vocabulary == Vocabulary::Unknown
                && is_known
                && !names_other_vocabulary(tag)
            {
                self.vocabulary = Vocabulary::Html;
            }
        }
        if self.is_html() && VOID_ELEMENTS.iter().any(|void| void.eq_ignore_ascii_case(name)) {
            return Some(());
        }
        if self.open.len() >= MAX_DEPTH {
            return None;
        }
        self.open.push(name);
        // The text of a script is no markup.
        if self.is_html()
            && (name.eq_ignore_ascii_case(b"script") || name.eq_ignore_ascii_case(b"style"))
        {
            let close: &[u8] = if name.len() == 6 { b"</script" } else { b"</style" };
            self.at += memchr::memmem::find(self.bytes.get(self.at..)?, close)?;
        }
        Some(())
    }

    fn close_element(&mut self, name: &[u8]) -> Option<()> {
        if !self.is_html() {
            return (self.open.pop()? == name).then_some(());
        }
        // An element that the page did not close ends with the one that holds it.
        if let Some(at) = self.open.iter().rposition(|open| open.eq_ignore_ascii_case(name)) {
            self.open.truncate(at);
        }
        Some(())
    }

    /// Reads the tag at `at` and goes after it.
    fn tag(&mut self) -> Option<MarkupTag<'a>> {
        // A tag that is not found was looked for everywhere.
        let before = self.at;
        let tag = self.read_tag();
        self.reached = match tag {
            Some(_) => self.at,
            None => self.bytes.len().min(before + MAX_TAG_BYTES),
        };
        tag
    }

    fn read_tag(&mut self) -> Option<MarkupTag<'a>> {
        let rest = self.bytes.get(self.at..)?.strip_prefix(b"<")?;
        let rest = rest.get(..rest.len().min(MAX_TAG_BYTES))?;
        let aside = |open: &[u8], close: &[u8]| {
            let inner = rest.strip_prefix(open)?;
            Some(1 + open.len() + memchr::memmem::find(inner, close)? + close.len())
        };
        let length = match rest.first()? {
            b'!' if rest.starts_with(b"!--") => aside(b"!--", b"-->")?,
            b'!' if rest.starts_with(b"![CDATA[") => aside(b"![CDATA[", b"]]>")?,
            b'!' => {
                let length = aside(b"!", b">")?;
                let inner = rest.get(..length)?;
                let is_html =
                    inner.get(..12).is_some_and(|head| head.eq_ignore_ascii_case(b"!doctype htm"));
                if is_html {
                    self.vocabulary = Vocabulary::Page;
                } else if inner.get(..9).is_some_and(is_document_type) {
                    self.vocabulary = self.vocabulary.max(Vocabulary::Xml);
                }
                // Declarations inside the document are entities: text to us.
                if contains(inner, b"[") {
                    return None;
                }
                length
            }
            b'?' => {
                let length = aside(b"?", b"?>")?;
                if !self.started && rest.starts_with(b"?xml") {
                    self.vocabulary = self.vocabulary.max(Vocabulary::Xml);
                }
                length
            }
            b'/' => {
                if let Some(name) = self.open.last()
                    && let Some([b'>', ..]) = rest.get(1..)?.strip_prefix(*name)
                {
                    self.at += name.len() + 3;
                    return Some(MarkupTag::Close(name));
                }
                let name = name(rest.get(1..)?);
                let close = memchr::memchr(b'>', rest)?;
                let is_bare = rest.get(1 + name.len()..close)?.iter().all(u8::is_ascii_whitespace);
                if name.is_empty() || !is_bare {
                    return None;
                }
                self.at += close + 2;
                return Some(MarkupTag::Close(name));
            }
            _ => return self.next_tag(),
        };
        self.at += length;
        Some(MarkupTag::Aside)
    }

    fn next_tag(&mut self) -> Option<MarkupTag<'a>> {
        let rest = self.bytes.get(self.at + 1..)?;
        let rest = rest.get(..rest.len().min(MAX_TAG_BYTES))?;
        let name = name(rest);
        if name.is_empty() {
            return None;
        }
        let mut at = name.len();
        if rest.get(at) == Some(&b'>') {
            self.at += at + 2;
            return Some(MarkupTag::Open(name));
        }
        loop {
            at += memchr::memchr3(b'>', b'"', b'\'', rest.get(at..)?)?;
            let quote = *rest.get(at)?;
            if quote == b'>' {
                break;
            }
            at += 1 + memchr::memchr(quote, rest.get(at + 1..)?)? + 1;
        }
        let attributes = rest.get(name.len()..at)?;
        let is_parted =
            attributes.first().is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'/');
        if !is_parted || memchr::memchr(b'<', attributes.get(..attributes.len().min(64))?).is_some()
        {
            return None;
        }
        self.at += at + 2;
        if attributes.ends_with(b"/") {
            return Some(MarkupTag::Empty);
        }
        Some(MarkupTag::Open(name))
    }
}

/// Whether the tag of a root says that its elements are those of a vocabulary other than HTML's.
fn names_other_vocabulary(tag: &[u8]) -> bool {
    /// Bytes that are looked at.
    const MAX_SEARCH_BYTES: usize = 4 << 10;
    let tag = tag.get(..tag.len().min(MAX_SEARCH_BYTES)).unwrap_or_default();
    let html = b"http://www.w3.org/1999/xhtml";
    contains(tag, b"xmlns") && !contains(tag, html)
}

fn is_document_type(declaration: &[u8]) -> bool {
    declaration.eq_ignore_ascii_case(b"!doctype ")
}

fn name(bytes: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | 0x80..)
    };
    let length = if bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
        bytes.iter().take(128).take_while(|byte| is_name(byte)).count()
    } else {
        0
    };
    bytes.get(..length).unwrap_or_default()
}
