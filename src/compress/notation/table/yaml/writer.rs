//! Writes a tree as lines of YAML.

use super::super::tree::source;
use super::YamlLayout;
use super::quote::write_value;
use crate::json::tape::{TapeKind, TapeNode};

/// The document; `None` if it would be longer than `limit` bytes.
pub(super) fn document(root: TapeNode<'_, '_>, form: &YamlLayout, limit: usize) -> Option<String> {
    let mut writer = YamlWriter { form, out: String::new(), limit };
    writer.block(root, 0, 0)?;
    writer.out.pop();
    Some(writer.out)
}

struct YamlWriter<'f> {
    form: &'f YamlLayout,
    out: String,
    limit: usize,
}

impl YamlWriter<'_> {
    /// Writes a map or sequence; its first line is begun.
    fn block(&mut self, node: TapeNode<'_, '_>, column: usize, depth: usize) -> Option<()> {
        if !node.is_full() {
            return None;
        }
        let mut first = true;
        if node.kind() == TapeKind::Array {
            for item in node.items() {
                self.begin(column, &mut first)?;
                self.out.push('-');
                if self.is_block(item, depth + 1) {
                    self.out.push(' ');
                    self.block(item, column + 2, depth + 1)?;
                } else {
                    self.value(item)?;
                }
            }
            return Some(());
        }
        for (key, value) in node.members() {
            self.begin(column, &mut first)?;
            self.out.push_str(source(key));
            self.out.push(':');
            if !self.is_block(value, depth + 1) {
                self.value(value)?;
                continue;
            }
            let is_in = value.kind() == TapeKind::Object || self.form.dashes_in;
            let below = column + if is_in { self.form.indent } else { 0 };
            self.out.push('\n');
            self.pad(below);
            self.block(value, below, depth + 1)?;
        }
        Some(())
    }

    fn pad(&mut self, column: usize) {
        self.out.extend(std::iter::repeat_n(' ', column));
    }

    fn begin(&mut self, column: usize, first: &mut bool) -> Option<()> {
        if !std::mem::take(first) {
            self.pad(column);
        }
        (self.out.len() <= self.limit).then_some(())
    }

    fn is_block(&self, node: TapeNode<'_, '_>, depth: usize) -> bool {
        let is_flow = self.form.flow.as_ref().is_some_and(|flow| depth >= flow.depth);
        matches!(node.kind(), TapeKind::Array | TapeKind::Object) && !is_flow
    }

    /// The rest of a line.
    fn value(&mut self, node: TapeNode<'_, '_>) -> Option<()> {
        let start = self.out.len();
        self.out.push(' ');
        self.inline(node);
        // An empty value is written as nothing.
        if self.out.len() == start + 1 {
            self.out.pop();
        }
        self.out.push('\n');
        (self.out.len() <= self.limit + 1).then_some(())
    }

    /// A value as it is on a line.
    fn inline(&mut self, node: TapeNode<'_, '_>) {
        match (node.kind(), &self.form.flow) {
            (TapeKind::Array, _) => {
                self.out.push('[');
                for (index, item) in node.items().enumerate() {
                    if index > 0 {
                        self.out.push_str(", ");
                    }
                    self.inline(item);
                }
                self.out.push(']');
            }
            (TapeKind::Object, Some(flow)) if !node.is_full() => self.out.push_str(&flow.empty),
            (TapeKind::Object, flow) => {
                let pad = if flow.as_ref().is_some_and(|flow| flow.padded) { " " } else { "" };
                self.out.push('{');
                self.out.push_str(pad);
                for (index, (key, value)) in node.members().enumerate() {
                    if index > 0 {
                        self.out.push_str(", ");
                    }
                    self.out.push_str(source(key));
                    self.out.push_str(": ");
                    self.inline(value);
                }
                self.out.push_str(pad);
                self.out.push('}');
            }
            (TapeKind::String, _) if self.form.quoted => {
                self.out.push_str(&write_value(source(node)));
            }
            _ => self.out.push_str(source(node)),
        }
    }
}
