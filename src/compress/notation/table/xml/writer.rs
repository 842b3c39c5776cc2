//! Writes a tree as an element.

use super::super::tree::source;
use super::{ATTRIBUTE_SIGN, TEXT_KEY, XmlLayout};
use crate::json::tape::{TapeKind, TapeNode};

/// The element; `None` if the tree is none, or it would be longer than `limit` bytes.
pub(super) fn document(root: TapeNode<'_, '_>, form: XmlLayout, limit: usize) -> Option<String> {
    let mut members = root.members();
    let (name, value) = members.next()?;
    if members.next().is_some() || value.kind() == TapeKind::Array {
        return None;
    }
    let mut writer = XmlWriter { form, out: String::new(), limit, path: String::new() };
    writer.elements(source(name), value, 0)?;
    Some(writer.out)
}

struct XmlWriter {
    form: XmlLayout,
    out: String,
    limit: usize,
    /// The name of the attribute that is written.
    path: String,
}

impl XmlWriter {
    /// Writes the element of a member, or all of them.
    fn elements(&mut self, name: &str, value: TapeNode<'_, '_>, depth: usize) -> Option<()> {
        if value.kind() != TapeKind::Array {
            return self.element(name, value, depth);
        }
        for (index, item) in value.items().enumerate() {
            if index > 0 {
                self.break_line(depth);
            }
            self.element(name, item, depth)?;
        }
        Some(())
    }

    fn element(&mut self, name: &str, value: TapeNode<'_, '_>, depth: usize) -> Option<()> {
        self.out.push('<');
        self.out.push_str(name);
        let mut text = None;
        let mut holds_elements = false;
        match value.kind() {
            TapeKind::Array => return None,
            TapeKind::Object => {
                for (key, value) in value.members() {
                    let key = source(key);
                    if let Some(key) = key.strip_prefix(ATTRIBUTE_SIGN) {
                        self.path.clear();
                        self.attribute(key, value)?;
                    } else if key == TEXT_KEY {
                        text = Some(source(value));
                    } else {
                        if !std::mem::replace(&mut holds_elements, true) {
                            self.out.push('>');
                        }
                        self.break_line(depth + 1);
                        self.elements(key, value, depth + 1)?;
                    }
                }
            }
            _ => text = Some(source(value)),
        }
        if holds_elements {
            self.break_line(depth);
        } else if let Some(text) = text {
            self.out.push('>');
            self.out.push_str(text);
        } else {
            self.out.push_str(if self.form.spaced { " />" } else { "/>" });
            return self.check_limit();
        }
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
        self.check_limit()
    }

    /// Writes an attribute, or all that its tree represents.
    fn attribute(&mut self, name: &str, value: TapeNode<'_, '_>) -> Option<()> {
        let before = self.path.len();
        self.path.push_str(name);
        match value.kind() {
            TapeKind::Array => return None,
            TapeKind::Object => {
                self.path.push('.');
                for (key, value) in value.members() {
                    self.attribute(source(key), value)?;
                }
            }
            _ => {
                for part in [" ", &self.path, "=\"", source(value), "\""] {
                    self.out.push_str(part);
                }
            }
        }
        self.path.truncate(before);
        self.check_limit()
    }

    fn break_line(&mut self, depth: usize) {
        if self.form.indent > 0 {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(' ', self.form.indent * depth));
        }
    }

    fn check_limit(&self) -> Option<()> {
        (self.out.len() <= self.limit).then_some(())
    }
}
