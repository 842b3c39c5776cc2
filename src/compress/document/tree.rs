//! A text as nodes in the order in which they begin, each before what is inside it.

/// What stands in the place of parts that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GapStyle {
    /// A string among the items of an array, or a line among JSON Lines.
    JsonItem,
    JsonLine,
    /// One member at the end of an object.
    JsonMember,
    /// A comment of XML or HTML.
    MarkupComment,
    /// A comment on a line of its own.
    YamlComment,
    /// A row with the count in its first cell.
    CsvRow {
        separator: u8,
        width: usize,
    },
    /// `…` between words.
    Words,
    /// `…` on a line of its own.
    Lines,
}

/// A part of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentNode {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where its first child's lead begins, and where its last child ends.
    pub(super) open: usize,
    pub(super) close: usize,
    /// The node after it and all that is inside it.
    pub(super) next: usize,
    pub(super) parent: usize,
    pub(super) depth: usize,
    /// What stands in the place of children.
    pub(super) style: GapStyle,
    /// It is shown with its parent.
    pub(super) is_pinned: bool,
    /// It says nothing to a reader: a script, a style.
    pub(super) is_last: bool,
    /// It is no part of its parent: a comment, a blank line. No mark counts it.
    pub(super) is_remark: bool,
}

/// The nodes of a text, the root first.
#[derive(Debug)]
pub(super) struct DocumentTree {
    pub(super) nodes: Vec<DocumentNode>,
    /// Flags of the nodes that are shown or left out as a whole; nodes inside them have none.
    pub(super) units: Vec<bool>,
}

impl DocumentTree {
    pub(super) fn children(&self, at: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes.get(at).map_or(0, |node| node.next);
        let next = |at: &usize| self.nodes.get(*at).map(|node| node.next);
        std::iter::successors(Some(at + 1), next).take_while(move |at| *at < end)
    }

    /// Makes units of the nodes that take at most so many bytes.
    pub(super) fn join_small(&mut self, bytes: usize) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at).copied() {
            let is_small = at > 0 && node.end - node.start <= bytes;
            // What says nothing to a reader is left out by itself.
            let is_seen = |inner: &[DocumentNode]| inner.iter().all(|node| !node.is_last);
            let is_unit = node.next == at + 1
                || is_small && self.nodes.get(at + 1..node.next).is_some_and(is_seen);
            if let Some(unit) = self.units.get_mut(at).filter(|_| is_unit) {
                *unit = true;
            }
            at = if is_unit { node.next } else { at + 1 };
        }
    }
}

/// Nodes while a text is read.
#[derive(Debug)]
pub(super) struct TreeBuilder {
    nodes: Vec<DocumentNode>,
    open: Vec<usize>,
}

impl TreeBuilder {
    /// Levels that have nodes of their own.
    pub(super) const MAX_DEPTH: usize = 48;

    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), open: Vec::new() }
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Begins a node whose children are left out in this style.
    pub(super) fn begin(&mut self, start: usize, style: GapStyle) -> usize {
        let at = self.nodes.len();
        self.nodes.push(DocumentNode {
            start,
            end: start,
            open: start,
            close: start,
            next: at + 1,
            parent: self.open.last().copied().unwrap_or_default(),
            depth: self.open.len(),
            style,
            is_pinned: false,
            is_last: false,
            is_remark: false,
        });
        self.open.push(at);
        at
    }

    /// Sets where the first child's lead begins.
    pub(super) fn open_at(&mut self, open: usize) {
        if let Some(node) = self.open.last().and_then(|at| self.nodes.get_mut(*at)) {
            node.open = open;
        }
    }

    /// Ends the node that was begun last. `close`: the end of its last child.
    pub(super) fn end(&mut self, close: usize, end: usize) {
        let next = self.nodes.len();
        if let Some(node) = self.open.pop().and_then(|at| self.nodes.get_mut(at)) {
            (node.close, node.end, node.next) = (close.max(node.open), end, next);
        }
    }

    /// A node without children.
    pub(super) fn leaf(&mut self, start: usize, end: usize) -> usize {
        let at = self.begin(start, GapStyle::Words);
        self.open_at(end);
        self.end(end, end);
        at
    }

    pub(super) fn set_style(&mut self, at: usize, style: GapStyle) {
        if let Some(node) = self.nodes.get_mut(at) {
            node.style = style;
        }
    }

    pub(super) fn pin(&mut self, at: usize) {
        if let Some(node) = self.nodes.get_mut(at) {
            node.is_pinned = true;
        }
    }

    pub(super) fn set_remark(&mut self, at: usize) {
        if let Some(node) = self.nodes.get_mut(at) {
            node.is_remark = true;
        }
    }

    pub(super) fn show_last(&mut self, at: usize) {
        if let Some(node) = self.nodes.get_mut(at) {
            node.is_last = true;
        }
    }

    /// Takes back the nodes inside one that is open: it is shown as a whole.
    pub(super) fn drop_children(&mut self, at: usize) {
        self.nodes.truncate(at + 1);
    }

    /// The nodes, if each that was begun has ended.
    pub(super) fn finish(self) -> Option<DocumentTree> {
        let units = vec![false; self.nodes.len()];
        (self.open.is_empty() && self.nodes.len() > 1)
            .then_some(DocumentTree { nodes: self.nodes, units })
    }
}
