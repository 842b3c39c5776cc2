//! JSON, and JSON Lines, as nodes.

use super::tree::{DocumentTree, GapStyle, TreeBuilder};
use crate::json::Limits;
use crate::json::tape::{Tape, TapeFormat, TapeKind, TapeNode};

const DOCUMENT_LIMITS: Limits = Limits { depth: 64, values: 1_000_000 };
/// Bytes of a string that is shown by pieces if there is no room for it, and of a piece.
const MIN_LONG_STRING_BYTES: usize = 480;
const PIECE_BYTES: usize = 120;

pub(super) fn read(text: &str) -> Option<DocumentTree> {
    let form = TapeFormat { layout: None, ascii: false, slashes: false, limits: DOCUMENT_LIMITS };
    let mut tape = Tape::default();
    let mut tree = JsonNodes { text, builder: TreeBuilder::new() };
    if let Some(root) = tape.read(text, form) {
        let root = tape.node(root)?;
        let start = tree.place(root);
        if matches!(root.kind(), TapeKind::Array | TapeKind::Object) {
            tree.value(start, root);
            let mut built = tree.builder.finish()?;
            if let Some(root) = built.nodes.first_mut() {
                (root.start, root.end) = (0, text.len());
            }
            return Some(built);
        }
        return None;
    }
    let lines = text.split('\n').filter(|line| !line.trim().is_empty());
    let roots: Option<Vec<u32>> = lines.map(|line| tape.read(line, form)).collect();
    let roots = roots.filter(|roots| roots.len() > 1)?;
    tree.builder.begin(0, GapStyle::JsonLine);
    let mut close = 0;
    for root in roots {
        let root = tape.node(root)?;
        let start = tree.place(root);
        tree.value(start, root);
        close = start + root.raw().len();
    }
    tree.builder.end(close, text.len());
    tree.builder.finish()
}

struct JsonNodes<'t> {
    text: &'t str,
    builder: TreeBuilder,
}

impl<'t> JsonNodes<'t> {
    fn place(&self, node: TapeNode<'_, 't>) -> usize {
        (node.raw().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    /// Where a key begins. Its own bytes may be those of an equal key of an object before.
    fn key_place(&self, key: TapeNode<'_, 't>, value: TapeNode<'_, 't>) -> usize {
        let before = self.text.get(..self.place(value)).unwrap_or_default();
        let before = before.trim_ascii_end();
        let before = before.strip_suffix(':').unwrap_or(before).trim_ascii_end();
        before.len().saturating_sub(key.raw().len())
    }

    /// A value; `start` is where its key begins, if it has one.
    fn value(&mut self, start: usize, node: TapeNode<'_, 't>) {
        let begin = self.place(node);
        let end = begin + node.raw().len();
        let is_flat = self.builder.depth() >= TreeBuilder::MAX_DEPTH;
        match node.kind() {
            TapeKind::Array if !is_flat && node.is_full() => {
                self.builder.begin(start, GapStyle::JsonItem);
                self.builder.open_at(begin + 1);
                let mut close = begin + 1;
                for item in node.items() {
                    let place = self.place(item);
                    self.value(place, item);
                    close = place + item.raw().len();
                }
                self.builder.end(close, end);
            }
            TapeKind::Object if !is_flat && node.is_full() => {
                self.builder.begin(start, GapStyle::JsonMember);
                self.builder.open_at(begin + 1);
                let mut close = begin + 1;
                for (key, value) in node.members() {
                    self.value(self.key_place(key, value), value);
                    close = self.place(value) + value.raw().len();
                }
                self.builder.end(close, end);
            }
            TapeKind::String if node.raw().len() >= MIN_LONG_STRING_BYTES => {
                self.long_string(start, begin, end);
            }
            _ => {
                self.builder.leaf(start, end);
            }
        }
    }

    /// A string whose words are shown by pieces. A blank is no part of an escape.
    fn long_string(&mut self, start: usize, begin: usize, end: usize) {
        self.builder.begin(start, GapStyle::Words);
        self.builder.open_at(begin + 1);
        let inner = self.text.get(begin + 1..end - 1).unwrap_or_default();
        let mut from = 0;
        for (at, _) in inner.match_indices(' ') {
            if at - from >= PIECE_BYTES {
                self.builder.leaf(begin + 1 + from, begin + 1 + at + 1);
                from = at + 1;
            }
        }
        if from < inner.len() {
            self.builder.leaf(begin + 1 + from, end - 1);
        }
        self.builder.end(end - 1, end);
    }
}
