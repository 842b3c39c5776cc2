//! Reads lines of YAML as a tree, and how they are laid out.

use super::super::scalar;
use super::super::tree::JsonTree;
use super::{FlowStyle, MAX_INDENT_SPACES, YamlLayout, quote};
use crate::compress::text::yaml_quote_end;

/// Collections inside one another.
const MAX_DEPTH: usize = 60;

/// The tree of some lines, flow style taken apart or kept; `None` if they hold more than maps,
/// sequences and values of one line each.
pub(super) fn document(lines: &[&str], flow: bool) -> Option<(JsonTree, YamlLayout)> {
    /// Values in quotes for each that does not follow the rule of quotes.
    const MIN_QUOTED_PER_OTHER: usize = 4;
    let document = read(lines, flow, true)?;
    if document.quotes.others * MIN_QUOTED_PER_OTHER < document.quotes.quoted {
        return Some((document.tree, document.form));
    }
    read(lines, flow, false).map(|document| (document.tree, document.form))
}

/// Number of values in quotes, and of those that do not follow the rule of quotes.
#[derive(Default)]
struct QuoteCounts {
    quoted: usize,
    others: usize,
}

/// A document with its layout and the counts of its quotes.
struct YamlDocument {
    tree: JsonTree,
    form: YamlLayout,
    quotes: QuoteCounts,
}

fn read(lines: &[&str], flow: bool, quoted: bool) -> Option<YamlDocument> {
    let mut rest = Vec::with_capacity(lines.len());
    for line in lines.iter().rev() {
        let text = line.trim_start_matches(' ');
        if text.is_empty() || text.starts_with(['\t', '#']) || text.ends_with([' ', '\t', '\r']) {
            return None;
        }
        rest.push((line.len() - text.len(), text));
    }
    let (tree, form) = (JsonTree::default(), YamlLayout { quoted, ..YamlLayout::default() });
    let values = YamlValues { tree, quoted, quotes: QuoteCounts::default() };
    let mut reader = YamlReader { rest, values, form, flow, dashes: None };
    if reader.rest.last()?.0 > 0 {
        return None;
    }
    reader.node(0, 0)?;
    if let Some(flow) = reader.form.flow.as_mut().filter(|flow| flow.empty.is_empty()) {
        "{}".clone_into(&mut flow.empty);
    }
    let YamlValues { tree, quotes, .. } = reader.values;
    reader.rest.is_empty().then_some(YamlDocument { tree, form: reader.form, quotes })
}

/// The tree on its way.
struct YamlValues {
    tree: JsonTree,
    /// Whether values follow the rule of quotes.
    quoted: bool,
    quotes: QuoteCounts,
}

impl YamlValues {
    fn value(&mut self, raw: &str) {
        if !self.quoted {
            return self.tree.value(raw);
        }
        // A scalar that reads as a number is one if it is bare.
        if scalar::is_other_than_string(raw) {
            return self.tree.value(raw);
        }
        let (text, follows) = quote::show_value(raw);
        self.quotes.quoted += usize::from(raw.starts_with(['\'', '"']));
        self.quotes.others += usize::from(!follows);
        self.tree.text(&text);
    }
}

struct YamlReader<'l> {
    /// Lines, the next one last: how far in, and their text.
    rest: Vec<(usize, &'l str)>,
    values: YamlValues,
    form: YamlLayout,
    /// Whether flow style is taken apart.
    flow: bool,
    /// Whether sequences are indented from their keys, once one was met.
    dashes: Option<bool>,
}

impl<'l> YamlReader<'l> {
    /// Takes the map or sequence that begins at a column.
    fn node(&mut self, column: usize, depth: usize) -> Option<()> {
        let is_flow = self.form.flow.as_ref().is_some_and(|flow| depth >= flow.depth);
        if depth > MAX_DEPTH || is_flow {
            return None;
        }
        let is_sequence = is_item(self.rest.last()?.1);
        if is_sequence {
            self.values.tree.mark('[');
            while let Some((_, text)) =
                self.rest.last().copied().filter(|(at, text)| *at == column && is_item(text))
            {
                self.values.tree.next();
                self.rest.pop();
                match text.strip_prefix("- ") {
                    None => self.values.value(""),
                    Some(inner) if inner.starts_with(' ') => return None,
                    Some(inner) if is_item(inner) || key(inner).is_some() => {
                        self.rest.push((column + 2, inner));
                        self.node(column + 2, depth + 1)?;
                    }
                    Some(value) => self.value(value, depth + 1)?,
                }
            }
            self.values.tree.mark(']');
        } else {
            self.values.tree.mark('{');
            while let Some((_, text)) = self.rest.last().copied().filter(|(at, _)| *at == column) {
                let (key, value) = key(text)?;
                self.values.tree.key(key);
                self.rest.pop();
                match value {
                    Some(value) => self.value(value, depth + 1)?,
                    None => self.read_below(column, depth + 1)?,
                }
            }
            self.values.tree.mark('}');
        }
        // A line that is deeper than all that is open belongs to nothing; a sequence may be as far
        // in as the key after it.
        let is_over = |(at, _): &(usize, &str)| *at < column || (is_sequence && *at == column);
        self.rest.last().is_none_or(is_over).then_some(())
    }

    /// Takes what is below a key, if anything does.
    fn read_below(&mut self, column: usize, depth: usize) -> Option<()> {
        let Some((at, text)) = self.rest.last().copied() else {
            self.values.value("");
            return Some(());
        };
        if is_item(text) && at >= column {
            let is_in = at > column;
            if *self.dashes.get_or_insert(is_in) != is_in || (is_in && !self.steps(at - column)) {
                return None;
            }
            self.form.dashes_in |= is_in;
            return self.node(at, depth);
        }
        if at <= column {
            self.values.value("");
            return Some(());
        }
        self.steps(at - column).then_some(())?;
        self.node(at, depth)
    }

    /// Whether a level may be so much further in.
    fn steps(&mut self, step: usize) -> bool {
        if self.form.indent == 0 {
            self.form.indent = step;
        }
        self.form.indent == step && step <= MAX_INDENT_SPACES
    }

    fn value(&mut self, raw: &'l str, depth: usize) -> Option<()> {
        if raw.starts_with(['|', '>']) || raw.starts_with(' ') {
            return None;
        }
        if !self.flow || !raw.starts_with(['[', '{']) {
            self.values.value(raw);
            return Some(());
        }
        let flow = self.form.flow.get_or_insert_with(|| FlowStyle {
            depth,
            padded: false,
            empty: String::new(),
        });
        if flow.depth != depth {
            return None;
        }
        collection(&mut self.values, flow, raw, MAX_DEPTH)?.is_empty().then_some(())
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The key of a line, and its value if one is there.
fn key(text: &str) -> Option<(&str, Option<&str>)> {
    let (key, rest) = match text.as_bytes().first()? {
        quote @ (b'"' | b'\'') => {
            let end = memchr::memchr(*quote, text.as_bytes().get(1..)?)? + 2;
            text.split_at_checked(end)?
        }
        b'[' | b'{' | b'|' | b'>' | b'?' | b'!' | b'&' | b'*' => return None,
        _ => {
            let is_end =
                |colon: &usize| matches!(text.as_bytes().get(colon + 1), None | Some(b' '));
            let colon = memchr::memchr_iter(b':', text.as_bytes()).find(is_end)?;
            text.split_at_checked(colon)?
        }
    };
    match rest {
        ":" => Some((key, None)),
        _ => Some((key, Some(rest.strip_prefix(": ")?))),
    }
}

/// Takes a collection in flow style or a value inside one; gives what follows.
fn collection<'l>(
    values: &mut YamlValues,
    flow: &mut FlowStyle,
    text: &'l str,
    depth: usize,
) -> Option<&'l str> {
    let depth = depth.checked_sub(1)?;
    if let Some(mut rest) = text.strip_prefix('[') {
        values.tree.mark('[');
        while !rest.starts_with(']') {
            values.tree.next();
            rest = collection(values, flow, rest, depth)?;
            rest = rest.strip_prefix(", ").or_else(|| rest.starts_with(']').then_some(rest))?;
        }
        values.tree.mark(']');
        return rest.strip_prefix(']');
    }
    let Some(inner) = text.strip_prefix('{') else {
        let (raw, rest) = scalar(text, &[",", "]", " }", "}"])?;
        values.value(raw);
        return Some(rest);
    };
    let mut rest = inner.trim_start_matches(' ');
    values.tree.mark('{');
    if let Some(after) = rest.strip_prefix('}') {
        let empty = text.get(..text.len() - after.len())?;
        if flow.empty.is_empty() {
            empty.clone_into(&mut flow.empty);
        }
        values.tree.mark('}');
        return Some(after);
    }
    flow.padded |= inner.len() > rest.len();
    loop {
        let (key, after) = scalar(rest, &[":"])?;
        values.tree.key(key);
        rest = collection(values, flow, after.strip_prefix(": ")?, depth)?;
        let Some(next) = rest.strip_prefix(", ") else { break };
        rest = next;
    }
    values.tree.mark('}');
    rest.trim_start_matches(' ').strip_prefix('}')
}

/// A key or value in flow style, as it is, and what follows.
fn scalar<'l>(text: &'l str, ends: &[&str]) -> Option<(&'l str, &'l str)> {
    let bytes = text.as_bytes();
    let length = match bytes.first()? {
        b'"' | b'\'' => yaml_quote_end(bytes)?,
        _ => {
            let stops = |at: usize| {
                let rest = bytes.get(at..).unwrap_or_default();
                ends.iter().any(|end| rest.starts_with(end.as_bytes()))
            };
            (0..bytes.len()).find(|at| stops(*at))?
        }
    };
    let (raw, rest) = text.split_at_checked(length)?;
    // Nothing at all would be an empty string.
    (!raw.is_empty() && ends.iter().any(|end| rest.starts_with(end))).then_some((raw, rest))
}
