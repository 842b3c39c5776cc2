//! Writes the parts of a text that are shown, with a count in the place of the others.

use std::fmt::Write as _;

use super::tree::{DocumentNode, DocumentTree, GapStyle};
use crate::compress::adapter::gap_mark;

/// The key of the member that counts those which were left out.
const GAP_KEY: &str = "…";

/// The text of the nodes that are kept; the root is.
pub(super) fn write(text: &str, tree: &DocumentTree, kept: &[bool]) -> String {
    let mut sums = Vec::with_capacity(kept.len() + 1);
    let mut sum = 0;
    sums.push(0);
    sums.extend(kept.iter().map(|kept| {
        sum += usize::from(*kept);
        sum
    }));
    let mut writer = DocumentWriter { text, tree, kept, sums, out: String::new() };
    writer.node(0);
    writer.out
}

struct DocumentWriter<'w> {
    text: &'w str,
    tree: &'w DocumentTree,
    kept: &'w [bool],
    /// How many nodes before each are kept.
    sums: Vec<usize>,
    out: String,
}

/// Children that are left out, one after the other.
#[derive(Debug, Default)]
struct Gap {
    /// Comments and blank lines aside.
    count: usize,
    has_comments: bool,
    /// White space before the first of them that is counted.
    lead: (usize, usize),
    start: usize,
}

impl Gap {
    /// Adds a child; its mark stands in the place of the first that it counts.
    fn add(&mut self, child: DocumentNode, text: &str, lead: (usize, usize)) {
        if self.count == 0 && !(child.is_remark && self.has_comments) {
            (self.lead, self.start) = (lead, child.start);
        }
        if child.is_remark {
            self.has_comments |= !text.trim_ascii().is_empty();
        } else {
            self.count += 1;
        }
    }

    /// Whether a mark has to say that something is left out.
    fn is_open(&self) -> bool {
        self.count > 0 || self.has_comments
    }
}

impl DocumentWriter<'_> {
    fn node(&mut self, at: usize) {
        let Some(node) = self.tree.nodes.get(at).copied() else { return };
        let kept = |at: usize| self.sums.get(at).copied().unwrap_or_default();
        if kept(node.next) - kept(at) == node.next - at {
            self.push(node.start, node.end);
            return;
        }
        self.push(node.start, node.open);
        let (mut gap, mut is_first, mut before) = (Gap::default(), true, node.open);
        let children: Vec<usize> = self.tree.children(at).collect();
        for child in children {
            let Some(own) = self.tree.nodes.get(child).copied() else { continue };
            let lead = (before, own.start);
            before = own.end;
            if self.kept.get(child) != Some(&true) {
                gap.add(own, self.text.get(own.start..own.end).unwrap_or_default(), lead);
                continue;
            }
            if node.style != GapStyle::JsonMember {
                self.gap(node, &mut gap, &mut is_first);
            }
            self.lead(node, lead, &mut is_first);
            self.node(child);
        }
        self.gap(node, &mut gap, &mut is_first);
        self.push(node.close, node.end);
    }

    fn push(&mut self, from: usize, to: usize) {
        self.out.push_str(self.text.get(from..to).unwrap_or_default());
    }

    /// The separator and the white space before a child.
    fn lead(&mut self, node: DocumentNode, lead: (usize, usize), is_first: &mut bool) {
        let is_list = matches!(node.style, GapStyle::JsonItem | GapStyle::JsonMember);
        if is_list && !std::mem::take(is_first) {
            self.out.push(',');
        }
        let own = self.text.get(lead.0..lead.1).unwrap_or_default();
        if is_list {
            self.out.extend(own.chars().filter(|letter| letter.is_ascii_whitespace()));
        } else if node.style == GapStyle::JsonLine && self.out.is_empty() {
        } else {
            self.out.push_str(own);
        }
    }

    /// The count of what was left out.
    fn gap(&mut self, node: DocumentNode, gap: &mut Gap, is_first: &mut bool) {
        let is_open = gap.is_open();
        let Gap { count, lead, start, .. } = std::mem::take(gap);
        if !is_open {
            return;
        }
        let mark = |noun| if count == 0 { "…".to_owned() } else { gap_mark(count, noun) };
        match node.style {
            GapStyle::JsonItem | GapStyle::JsonLine => {
                self.lead(node, lead, is_first);
                let noun = if node.style == GapStyle::JsonItem { "item" } else { "line" };
                let _ = write!(self.out, "\"{}\"", gap_mark(count, noun));
            }
            GapStyle::JsonMember => {
                self.lead(node, lead, is_first);
                let own = self.text.get(node.start..node.end).unwrap_or_default();
                let mut key = GAP_KEY.to_owned();
                while own.contains(&format!("\"{key}\"")) {
                    key.push_str(GAP_KEY);
                }
                let space = if own.contains("\": ") { " " } else { "" };
                let _ = write!(self.out, "\"{key}\":{space}\"{}\"", gap_mark(count, "member"));
            }
            GapStyle::MarkupComment => {
                self.lead(node, lead, is_first);
                let _ = write!(self.out, "<!-- {} -->", mark("element"));
            }
            GapStyle::YamlComment | GapStyle::Lines => {
                let line = self.text.get(start..).unwrap_or_default();
                let indent = line.len() - line.trim_start_matches(' ').len();
                self.out.extend(std::iter::repeat_n(' ', indent));
                match node.style {
                    GapStyle::YamlComment => {
                        let _ = write!(self.out, "# {}", mark("entry"));
                    }
                    _ => self.out.push('…'),
                }
                self.out.push('\n');
            }
            GapStyle::CsvRow { separator, width } => {
                self.lead(node, lead, is_first);
                self.out.push_str(&gap_mark(count, "row"));
                let cells = width.saturating_sub(1);
                self.out.extend(std::iter::repeat_n(char::from(separator), cells));
            }
            GapStyle::Words => {
                if !self.out.ends_with([' ', '"', '\'', '>']) {
                    self.out.push(' ');
                }
                self.out.push_str("[…] ");
            }
        }
    }
}
