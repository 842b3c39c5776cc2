//! Reads an element as a tree, and how it is laid out.

use super::super::tree::JsonTree;
use super::{ATTRIBUTE_SIGN, MAX_INDENT_SPACES, TEXT_KEY, XmlLayout};

/// Elements inside one another; arrays of the tree go deeper still.
const MAX_DEPTH: usize = 28;

/// The tree of a text that is one element, its attributes with dots as trees or as they are;
/// `None` if it holds more than elements, attributes and texts.
pub(super) fn document(text: &str, dots: bool) -> Option<(JsonTree, XmlLayout)> {
    let (tree, form) = (JsonTree::default(), XmlLayout::default());
    let mut reader = XmlReader { rest: text, tree, form, dots, laid_out: false, has_empty: false };
    let name = reader.open_element()?;
    reader.tree.mark('{');
    reader.tree.key(name);
    reader.element(name, 0)?;
    reader.tree.mark('}');
    reader.rest.is_empty().then_some((reader.tree, reader.form))
}

struct XmlReader<'t> {
    rest: &'t str,
    tree: JsonTree,
    form: XmlLayout,
    /// Whether attributes with dots are as trees.
    dots: bool,
    /// Whether the indentation is known.
    laid_out: bool,
    /// Whether an empty element showed if a blank is before each `/>`.
    has_empty: bool,
}

/// Elements of one name, one after the other.
struct Siblings<'t> {
    name: &'t str,
    /// Where the value of the first begins in the tree.
    start: usize,
    /// Whether there are several, so that the tree has an array of them.
    is_array: bool,
}

impl<'t> XmlReader<'t> {
    fn eat(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    fn take(&mut self, length: usize) -> Option<&'t str> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// The name of the element that opens here.
    fn open_element(&mut self) -> Option<&'t str> {
        self.eat("<")?;
        let is_end = |byte: &u8| {
            matches!(byte, b' ' | b'>' | b'/' | b'<' | b'!' | b'?' | b'\n' | b'\t' | b'"' | b'=')
        };
        let length = self.rest.as_bytes().iter().position(is_end)?;
        let name = self.take(length)?;
        // These would be taken for an attribute, and for a text.
        let is_odd = name.is_empty() || name.starts_with(ATTRIBUTE_SIGN) || name == TEXT_KEY;
        (!is_odd).then_some(name)
    }

    /// Takes the rest of an element after its name.
    fn element(&mut self, name: &str, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        let start = self.tree.len();
        self.tree.mark('{');
        let has_attributes = self.rest.starts_with(' ') && !self.rest.starts_with(" />");
        self.attributes()?;
        let spaced = self.eat(" ").is_some();
        if self.eat("/>").is_some() {
            self.tree.mark('}');
            let is_first = !std::mem::replace(&mut self.has_empty, true);
            self.form.spaced |= is_first && spaced;
            return (self.form.spaced == spaced).then_some(());
        }
        self.eat(">")?;
        let length = memchr::memchr(b'<', self.rest.as_bytes())?;
        let text = self.take(length)?;
        if self.rest.starts_with("</") {
            if memchr::memchr2(b'\n', b'>', text.as_bytes()).is_some() {
                return None;
            }
            if has_attributes {
                self.tree.key(TEXT_KEY);
                self.tree.value(text);
                self.tree.mark('}');
            } else {
                self.tree.truncate(start);
                self.tree.value(text);
            }
        } else {
            self.children(text, depth)?;
            self.tree.mark('}');
        }
        self.eat("</")?;
        self.eat(name)?;
        self.eat(">")
    }

    /// Takes attributes, with a blank before each.
    fn attributes(&mut self) -> Option<()> {
        let mut open: Vec<&str> = Vec::new();
        while self.rest.starts_with(' ') && !self.rest.starts_with(" />") {
            self.eat(" ")?;
            let name = self.take(memchr::memchr(b'=', self.rest.as_bytes())?)?;
            self.eat("=\"")?;
            let value = self.take(memchr::memchr3(b'"', b'<', b'\n', self.rest.as_bytes())?)?;
            self.eat("\"")?;
            let (path, last): (Vec<&str>, _) = match name.rsplit_once('.') {
                Some((path, last)) if self.dots => (path.split('.').collect(), last),
                _ => (Vec::new(), name),
            };
            if name.bytes().any(|byte| matches!(byte, b' ' | b'\'' | b'<' | b'>' | b'/'))
                || path.len() > 8
                || (!path.is_empty() && path.contains(&""))
            {
                return None;
            }
            self.form.dots |= !path.is_empty();
            let same = open.iter().zip(&path).take_while(|(one, other)| one == other).count();
            for _ in same..open.len() {
                self.tree.mark('}');
                open.pop();
            }
            for part in path.get(same..)? {
                self.key(part, open.is_empty());
                self.tree.mark('{');
                open.push(part);
            }
            self.key(last, open.is_empty());
            self.tree.value(value);
        }
        for _ in open {
            self.tree.mark('}');
        }
        Some(())
    }

    fn key(&mut self, name: &str, is_first: bool) {
        if is_first {
            self.tree.marked_key(ATTRIBUTE_SIGN, name);
        } else {
            self.tree.key(name);
        }
    }

    /// Takes the elements of an element, `gap` before the first.
    fn children(&mut self, mut gap: &'t str, depth: usize) -> Option<()> {
        if !std::mem::replace(&mut self.laid_out, true) {
            self.form.indent = gap.len().saturating_sub(1) / (depth + 1);
        }
        let mut before: Option<Siblings<'_>> = None;
        loop {
            if self.rest.starts_with("</") {
                self.is_gap(gap, depth)?;
                break;
            }
            self.is_gap(gap, depth + 1)?;
            let name = self.open_element()?;
            match &mut before {
                Some(siblings) if siblings.name == name => {
                    if !std::mem::replace(&mut siblings.is_array, true) {
                        self.tree.open_at(siblings.start);
                    }
                    self.tree.next();
                }
                _ => {
                    self.close(before);
                    self.tree.key(name);
                    before = Some(Siblings { name, start: self.tree.len(), is_array: false });
                }
            }
            self.element(name, depth + 1)?;
            let length = memchr::memchr(b'<', self.rest.as_bytes())?;
            gap = self.take(length)?;
        }
        self.close(before);
        Some(())
    }

    fn close(&mut self, before: Option<Siblings<'_>>) {
        if before.is_some_and(|siblings| siblings.is_array) {
            self.tree.mark(']');
        }
    }

    /// Whether such white space precedes a node of this depth.
    fn is_gap(&self, gap: &str, depth: usize) -> Option<()> {
        let indent = self.form.indent;
        let holds = if indent == 0 {
            gap.is_empty()
        } else {
            let spaces = gap.strip_prefix('\n')?;
            spaces.len() == indent * depth && spaces.bytes().all(|byte| byte == b' ')
        };
        (holds && indent <= MAX_INDENT_SPACES).then_some(())
    }
}
