//! White space between the elements of a text that is one XML document.
//!
//! Only runs of white space that hold a line break and are in an element that holds nothing but
//! elements, comments and instructions go: indentation. A scanner reads the document once and
//! keeps account of what is open; a text that is not balanced, is nested too deeply, or has a
//! document type stays, so an entity is never looked at and nothing can be expanded. HTML stays:
//! between its elements white space is shown.

use std::ops::Range;

/// Elements inside one another, and tags, comments and instructions, of a document that is read.
pub(crate) const MAX_XML_DEPTH: usize = 256;
pub(crate) const MAX_XML_EVENTS: usize = 500_000;

/// Roots whose white space is shown: HTML, and what is drawn within it.
const VISIBLE_SPACE_ROOTS: [&str; 40] = [
    "a",
    "abbr",
    "article",
    "aside",
    "b",
    "blockquote",
    "body",
    "button",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "header",
    "html",
    "i",
    "label",
    "li",
    "main",
    "math",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "select",
    "span",
    "strong",
    "svg",
    "table",
    "template",
    "ul",
    "td",
];

/// The document without its indentation, if it is one and has any.
pub(super) fn minified(text: &str) -> Option<String> {
    let bare = text.trim_matches([' ', '\t', '\r', '\n']);
    // The text between an escape and its end may be what keeps it from being a terminal code.
    if !bare.starts_with('<') || !bare.ends_with('>') || bare.contains('\u{1b}') {
        return None;
    }
    if bare.len() == text.len() && !has_gaps(bare) {
        return None;
    }
    let gaps = Scanner::new(bare).gaps()?;
    let mut short = String::with_capacity(bare.len());
    let mut copied = 0;
    for gap in gaps {
        short.push_str(bare.get(copied..gap.start)?);
        copied = gap.end;
    }
    short.push_str(bare.get(copied..)?);
    (short.len() < text.len()).then_some(short)
}

/// Indentation that says nothing in a text that is one document, in order; none if it is no
/// document, or one whose white space is shown.
pub(crate) fn indentation(text: &str) -> Vec<Range<usize>> {
    let space = [' ', '\t', '\r', '\n'];
    let head = text.len() - text.trim_start_matches(space).len();
    let gaps = Scanner::new(text.trim_matches(space)).gaps().unwrap_or_default();
    gaps.into_iter().map(|gap| head + gap.start..head + gap.end).collect()
}

/// Whether white space that holds a line break is between a `>` and a `<` at all.
fn has_gaps(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes).any(|end| {
        let before = bytes.get(..end).unwrap_or_default();
        let blank = before.iter().rev().take_while(|byte| is_space(**byte)).count();
        blank > 0 && {
            let (text, blank) = before.split_at_checked(end - blank).unwrap_or_default();
            text.ends_with(b">") && blank.contains(&b'\n')
        }
    })
}

/// An element that is open; the first of them is the document itself.
struct OpenElement<'a> {
    name: &'a str,
    /// `xml:space="preserve"` holds.
    preserve: bool,
    /// There is text, or white space that is no indentation.
    mixed: bool,
    /// There is an element.
    parent: bool,
    /// Its place in the list of verdicts.
    id: usize,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    open: Vec<OpenElement<'a>>,
    /// White space between tags, and the element that it is in.
    gaps: Vec<(Range<usize>, usize)>,
    /// For each element, whether its white space goes.
    verdicts: Vec<bool>,
    declared: bool,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        let root = OpenElement { name: "", preserve: false, mixed: false, parent: false, id: 0 };
        let (open, verdicts) = (vec![root], vec![true]);
        Self { text, at: 0, open, gaps: Vec::new(), verdicts, declared: false }
    }

    /// The white space that goes, in order.
    fn gaps(mut self) -> Option<Vec<Range<usize>>> {
        self.declared = self.text.starts_with("<?xml ");
        let mut events = 0;
        while self.at < self.text.len() {
            events += 1;
            if events > MAX_XML_EVENTS {
                return None;
            }
            self.space_or_text()?;
            self.markup()?;
        }
        let document = self.open.pop().filter(|_| self.open.is_empty())?;
        if document.mixed || !document.parent {
            return None;
        }
        let verdicts = self.verdicts;
        let goes = |id: usize| verdicts.get(id) == Some(&true);
        Some(self.gaps.into_iter().filter(|(_, id)| goes(*id)).map(|(gap, _)| gap).collect())
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Takes what is before the next `<`.
    fn space_or_text(&mut self) -> Option<()> {
        let length = memchr::memchr(b'<', self.rest().as_bytes())?;
        let text = self.rest().get(..length)?;
        let element = self.open.last_mut()?;
        if !text.is_empty() {
            let blank = text.bytes().all(is_space);
            if blank && text.contains('\n') {
                self.gaps.push((self.at..self.at + length, element.id));
            } else if !blank || element.id > 0 {
                element.mixed = true;
            }
        }
        self.at += length;
        Some(())
    }

    /// Takes what the next `<` opens.
    fn markup(&mut self) -> Option<()> {
        let rest = self.rest();
        if let Some(inner) = rest.strip_prefix("<!--") {
            let end = memchr::memmem::find(inner.as_bytes(), b"--")?;
            inner.get(end..)?.starts_with("-->").then_some(())?;
            self.at += "<!--".len() + end + "-->".len();
        } else if let Some(inner) = rest.strip_prefix("<![CDATA[") {
            let end = memchr::memmem::find(inner.as_bytes(), b"]]>")?;
            self.open.last_mut()?.mixed = true;
            self.at += "<![CDATA[".len() + end + "]]>".len();
        } else if let Some(inner) = rest.strip_prefix("<?") {
            self.at += "<?".len() + memchr::memmem::find(inner.as_bytes(), b"?>")? + "?>".len();
        } else if let Some(inner) = rest.strip_prefix("</") {
            let name = name(inner)?;
            let after = inner.get(name.len()..)?;
            let spaces = after.bytes().take_while(|byte| is_space(*byte)).count();
            after.get(spaces..)?.starts_with('>').then_some(())?;
            self.at += "</".len() + name.len() + spaces + ">".len();
            self.close(name)?;
        } else {
            self.element(rest.strip_prefix('<')?)?;
        }
        Some(())
    }

    /// Takes a start tag or an empty element; `inner` is what follows its `<`.
    fn element(&mut self, inner: &'a str) -> Option<()> {
        let name = name(inner)?;
        let above = self.open.last_mut()?;
        let is_root = above.id == 0;
        // A second root, and a root whose white space is shown.
        if is_root && (above.parent || !self.declared && is_shown(name)) {
            return None;
        }
        above.parent = true;
        let mut preserve = above.preserve;
        let mut rest = inner.get(name.len()..)?;
        loop {
            let spaces = rest.bytes().take_while(|byte| is_space(*byte)).count();
            rest = rest.get(spaces..)?;
            let empty = rest.starts_with("/>");
            if empty || rest.starts_with('>') {
                let length = inner.len() - rest.len() + usize::from(empty);
                self.at += "<".len() + length + ">".len();
                if !empty {
                    self.push(name, preserve)?;
                }
                return Some(());
            }
            if spaces == 0 {
                return None;
            }
            let attribute = XmlAttribute::first(rest)?;
            if attribute.key == "xml:space" {
                preserve = attribute.value == "preserve";
            }
            rest = attribute.rest;
        }
    }

    fn push(&mut self, name: &'a str, preserve: bool) -> Option<()> {
        let id = self.verdicts.len();
        self.verdicts.push(false);
        self.open.push(OpenElement { name, preserve, mixed: false, parent: false, id });
        (self.open.len() <= MAX_XML_DEPTH + 1).then_some(())
    }

    fn close(&mut self, name: &str) -> Option<()> {
        let element = self.open.pop().filter(|element| element.id > 0 && element.name == name)?;
        let goes = element.parent && !element.mixed && !element.preserve;
        *self.verdicts.get_mut(element.id)? = goes;
        Some(())
    }
}

/// The name at the head of a text.
fn name(text: &str) -> Option<&str> {
    // Most names are plain.
    let plain =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-' | b'.');
    let bytes = text.as_bytes();
    if bytes.first().is_some_and(u8::is_ascii_alphabetic) {
        let end = bytes.iter().copied().take_while(plain).count();
        if bytes.get(end).is_none_or(u8::is_ascii) {
            return text.get(..end);
        }
    }
    let first = text.chars().next()?;
    if !(first.is_alphabetic() || matches!(first, '_' | ':')) {
        return None;
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-' | '.' | '·');
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    text.get(..end)
}

/// An attribute of an element.
struct XmlAttribute<'a> {
    key: &'a str,
    value: &'a str,
    /// The text after it.
    rest: &'a str,
}

impl<'a> XmlAttribute<'a> {
    /// Reads the attribute at the head of a text.
    fn first(text: &'a str) -> Option<Self> {
        let key = name(text)?;
        let space = |text: &'a str| {
            let spaces = text.bytes().take_while(|byte| is_space(*byte)).count();
            text.get(spaces..)
        };
        let rest = space(space(text.get(key.len()..)?)?.strip_prefix('=')?)?;
        let quote = *rest.as_bytes().first().filter(|byte| matches!(byte, b'"' | b'\''))?;
        let rest = rest.get(1..)?;
        let end = memchr::memchr2(quote, b'<', rest.as_bytes())?;
        let (value, rest) = rest.split_at_checked(end)?;
        Some(Self { key, value, rest: rest.strip_prefix(char::from(quote))? })
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_shown(name: &str) -> bool {
    VISIBLE_SPACE_ROOTS.iter().any(|shown| name.eq_ignore_ascii_case(shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_goes() {
        let text = "<?xml version=\"1.0\"?>\n<project a = '1 > 0'>\n  <!-- one\n  two -->\n  <id>x</id>\n  <list>\n    <item/>\n  </list>\n</project>\n";
        let short = "<?xml version=\"1.0\"?><project a = '1 > 0'><!-- one\n  two --><id>x</id><list><item/></list></project>";
        assert_eq!(minified(text).as_deref(), Some(short));
        let text = "<?xml version=\"1.0\"?> <a>\n<b/>\n</a>";
        assert_eq!(minified(text).as_deref(), Some("<?xml version=\"1.0\"?> <a><b/></a>"));
    }

    #[test]
    fn what_may_be_text_stays() {
        let kept = |inner: &str| {
            let text = format!("<r><x>{inner}</x></r>");
            assert_eq!(minified(&text), None, "{text}");
        };
        // Words, entities, a section, white space within a line, no element at all.
        for inner in [
            "\n <b/>\n words",
            "\n <b/>&#32;\n",
            "\n<b/><![CDATA[ ]]>\n",
            "\n<b/> <b/>\n",
            "\n \n",
            "\n<!-- -->\n",
        ] {
            kept(inner);
        }
    }

    #[test]
    fn preserved_space_stays_until_the_default_is_back() {
        let text = "<r xml:space=\"preserve\">\n<a>\n<b/>\n</a>\n<c xml:space='default'>\n<d/>\n</c>\n</r>";
        let short =
            "<r xml:space=\"preserve\">\n<a>\n<b/>\n</a>\n<c xml:space='default'><d/></c>\n</r>";
        assert_eq!(minified(text).as_deref(), Some(short));
    }

    #[test]
    fn what_is_not_well_formed_or_not_xml_stays() {
        for text in [
            "<a>\n<b>\n</a>\n</b>",
            "<a>\n<b/>\n",
            "<a>\n<b/>\n</a>\n<c/>",
            "<a>\n<b/>\n</a> text",
            "<a>\n<b x=1/>\n</a>",
            "<a>\n<b x='<'/>\n</a>",
            "<a>\n<b x='1'y='2'/>\n</a>",
            "<a>\n<!-- a -- b -->\n<b/>\n</a>",
            "<!DOCTYPE r [<!ENTITY x \"y\">]>\n<r>\n<b/>\n</r>",
            "<html>\n<b/>\n</html>",
            "<DIV>\n<b/>\n</DIV>",
            "<1>\n<b/>\n</1>",
            "<>",
            "<",
        ] {
            assert_eq!(minified(text), None, "{text}");
        }
        let declared = "<?xml version='1.0'?>\n<html>\n<b/>\n</html>";
        assert_eq!(minified(declared).as_deref(), Some("<?xml version='1.0'?><html><b/></html>"));
    }

    #[test]
    fn hostile_documents_are_read_once() {
        for bit in
            ["<r>\n", "<r", "<!--", "<![CDATA[", "<?", "</r>", "<r a='", "<r/>\n", "<", "<r a=''\n"]
        {
            let text = format!("<r>{}>", bit.repeat(200_000));
            assert_eq!(minified(&text), None, "{bit}");
        }
        let deep = |depth: usize| format!("{}\n<x/>{}", "<r>".repeat(depth), "</r>".repeat(depth));
        assert!(minified(&deep(MAX_XML_DEPTH)).is_some());
        assert_eq!(minified(&deep(MAX_XML_DEPTH + 1)), None);
    }
}
