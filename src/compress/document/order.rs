//! The order in which the units of a document are shown as its room grows.

use std::cmp::Reverse;

use foldhash::{HashMap, HashMapExt as _};

use super::tree::{DocumentTree, GapStyle};
use crate::compress::adapter::{
    RareColumns, ReportStrength, line_kind, names_bad_state, report_of,
};
use crate::compress::extract::{ExtractUnit, Selection, UnitFacts};
use crate::compress::notation::reports_error;
use crate::compress::text::{hash, mix};

/// Weights of units, by why they are asked for.
const ANCHOR: u8 = 250;
const ERROR: u8 = 100;
const WEAK_ERROR: u8 = 92;
const RARE: u8 = 90;
/// A member of the document itself, of few.
const ROOT_MEMBER: u8 = 91;
const NAME: u8 = 88;
const OUTLIER: u8 = 72;
const BAD_STATE: u8 = 86;
const RARE_KIND: u8 = 70;
const FIRST_ITEM: u8 = 56;
const LAST_ITEM: u8 = 48;
const LAST_UNIT: u8 = 79;
/// A member of an object of few, and what each level less.
const MEMBER: u8 = 80;
const LEVEL_DISCOUNT: usize = 14;
const MIN_MEMBER: u8 = 24;

/// Children of which a node is a list.
const MIN_LIST_ITEMS: usize = 8;
/// Units of a kind that are hardly any.
const MAX_RARE_UNITS: usize = 2;
/// Units of one kind that are raised for an error.
const MAX_ERRORS_OF_KIND: usize = 3;
/// Bytes of a mark, about.
const MARK_BYTES: usize = 24;
/// Words of a unit whose columns are looked at.
const MAX_WORDS: usize = 48;

/// Units in the order in which they are shown.
#[derive(Debug)]
pub(super) struct NodeOrder {
    units: Vec<usize>,
    /// Bytes of each with all before it, and of what is around them.
    bytes: Vec<usize>,
}

impl NodeOrder {
    pub(super) fn new(text: &str, tree: &DocumentTree) -> Self {
        let work = UnitWork::new(text, tree);
        let weights = work.weights();
        let texts = work.texts.iter();
        let units: Vec<ExtractUnit<'_>> =
            texts.map(|text| ExtractUnit { text, weight: 0, must: false }).collect();
        let shows = UnitFacts::collect_words(units.iter().copied());
        let mut selection = Selection::new(&units, &shows);
        let weight = |at: usize| weights.get(at).copied().unwrap_or_default();
        let is_seen = |at: &usize| work.is_seen(*at);
        let mut asked: Vec<usize> = (0..units.len()).filter(|at| weight(*at) > 0).collect();
        asked.sort_by_key(|at| (Reverse(weight(*at)), *at));
        for at in &asked {
            selection.choose(*at);
        }
        let mut order = asked;
        order.extend(selection.drain(&is_seen));
        let (seen, unseen): (Vec<usize>, Vec<usize>) = (0..units.len()).partition(is_seen);
        for at in seen.into_iter().chain(unseen) {
            if !selection.has(at) {
                selection.choose(at);
                order.push(at);
            }
        }
        let nodes: Vec<usize> =
            order.iter().filter_map(|at| work.units.get(*at).copied()).collect();
        let bytes = sum_bytes(tree, &nodes);
        Self { units: nodes, bytes }
    }

    /// Flags of the nodes that are shown if the first units take at most so many bytes; one unit
    /// at least.
    pub(super) fn first(&self, tree: &DocumentTree, bytes: usize) -> Vec<bool> {
        let mut kept = vec![false; tree.nodes.len()];
        kept.iter_mut().take(1).for_each(|root| *root = true);
        let count = self.bytes.partition_point(|end| *end <= bytes).max(1);
        for at in self.units.iter().take(count) {
            show(tree, &mut kept, *at);
        }
        for (at, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.is_pinned) {
            if kept.get(node.parent) == Some(&true) {
                show(tree, &mut kept, at);
            }
        }
        kept
    }
}

/// Shows a node with all that is inside it, and the nodes around it.
fn show(tree: &DocumentTree, kept: &mut [bool], at: usize) {
    let Some(node) = tree.nodes.get(at) else { return };
    if let Some(own) = kept.get_mut(at..node.next) {
        own.fill(true);
    }
    let mut outer = node.parent;
    while let Some(kept) = kept.get_mut(outer).filter(|kept| !**kept) {
        *kept = true;
        outer = tree.nodes.get(outer).map_or(0, |node| node.parent);
    }
}

/// The bytes of each unit with all before it, and of the nodes that open for them.
fn sum_bytes(tree: &DocumentTree, units: &[usize]) -> Vec<usize> {
    let mut is_open = vec![false; tree.nodes.len()];
    let mut sum = 0;
    let mut sums = Vec::with_capacity(units.len());
    for at in units {
        let Some(node) = tree.nodes.get(*at) else { continue };
        sum += node.end - node.start + 2;
        let mut outer = node.parent;
        while let Some(open) = is_open.get_mut(outer).filter(|open| !**open) {
            *open = true;
            let Some(node) = tree.nodes.get(outer) else { break };
            sum += node.open - node.start + (node.end - node.close) + MARK_BYTES;
            outer = node.parent;
        }
        sums.push(sum);
    }
    sums
}

/// The units of a document and their texts.
struct UnitWork<'t> {
    tree: &'t DocumentTree,
    units: Vec<usize>,
    texts: Vec<&'t str>,
}

impl<'t> UnitWork<'t> {
    fn new(text: &'t str, tree: &'t DocumentTree) -> Self {
        // What is shown with its parent has no place in the order.
        let is_pinned = |at: usize| tree.nodes.get(at).is_some_and(|node| node.is_pinned);
        let is_unit = |at: &usize| tree.units.get(*at) == Some(&true) && !is_pinned(*at);
        let units: Vec<usize> = (0..tree.nodes.len()).filter(is_unit).collect();
        let own = |at: &usize| {
            let node = tree.nodes.get(*at)?;
            text.get(node.start..node.end)
        };
        let texts = units.iter().map(|at| own(at).unwrap_or_default()).collect();
        Self { tree, units, texts }
    }

    /// Whether a unit, and what is around it, says something to a reader. Comments of markup say less
    /// than its elements.
    fn is_seen(&self, at: usize) -> bool {
        let mut node = self.units.get(at).copied().unwrap_or_default();
        let is_comment = self.tree.nodes.get(node).is_some_and(|own| own.is_remark)
            && self.texts.get(at).is_some_and(|text| text.starts_with("<!--"));
        if is_comment {
            return false;
        }
        while let Some(own) = self.tree.nodes.get(node) {
            if own.is_last {
                return false;
            }
            if node == 0 {
                break;
            }
            node = own.parent;
        }
        true
    }

    /// What each unit is asked for.
    fn weights(&self) -> Vec<u8> {
        let mut weights = vec![0_u8; self.units.len()];
        let kinds: Vec<u64> = self.texts.iter().map(|text| line_kind(text)).collect();
        let mut raise = |at: usize, weight: u8| {
            if let Some(own) = weights.get_mut(at).filter(|_| self.is_seen(at)) {
                *own = weight.max(*own);
            }
        };
        self.weigh_places(&mut raise);
        self.weigh_reports(&kinds, &mut raise);
        self.weigh_rare(&kinds, &mut raise);
        self.weigh_names(&mut weights);
        weights
    }

    /// Members of small objects say what a document is; of a list, the first items and the last.
    fn weigh_places(&self, raise: &mut dyn FnMut(usize, u8)) {
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for node in self.tree.nodes.iter().skip(1) {
            *counts.entry(node.parent).or_insert(0) += 1;
        }
        let mut seen: HashMap<usize, usize> = HashMap::new();
        for (at, unit) in self.units.iter().enumerate() {
            let Some(node) = self.tree.nodes.get(*unit) else { continue };
            let count = counts.get(&node.parent).copied().unwrap_or_default();
            let nth = seen.entry(node.parent).or_insert(0);
            let is_last = self.tree.nodes.get(node.parent).is_some_and(|own| own.next == node.next);
            if count < MIN_LIST_ITEMS {
                let less = (node.depth.saturating_sub(1) * LEVEL_DISCOUNT).min(MEMBER.into());
                let weight = MEMBER.saturating_sub(u8::try_from(less).unwrap_or(MEMBER));
                let weight = if node.depth == 1 { ROOT_MEMBER } else { weight.max(MIN_MEMBER) };
                raise(at, weight);
            } else if *nth == 0 {
                raise(at, FIRST_ITEM);
            } else if is_last {
                raise(at, LAST_ITEM);
            }
            *nth += 1;
        }
        // The end of a document says as much as its beginning, unless it is the end of a page.
        let last = self.units.len().checked_sub(1);
        let is_page = |style| style == GapStyle::MarkupComment;
        let is_one = |at: &usize| {
            let parent = self.units.get(*at).and_then(|unit| self.tree.nodes.get(*unit));
            let parent = parent.map_or(0, |node| node.parent);
            self.tree.nodes.get(parent).is_some_and(|own| !is_page(own.style))
                && counts.get(&parent).is_some_and(|count| *count < MIN_LIST_ITEMS)
        };
        if let Some(last) = last.filter(is_one) {
            raise(last, LAST_UNIT);
        }
    }

    fn weigh_reports(&self, kinds: &[u64], raise: &mut dyn FnMut(usize, u8)) {
        let mut raised: HashMap<(u64, u8), u8> = HashMap::new();
        for (at, (text, kind)) in self.texts.iter().zip(kinds).enumerate() {
            if has_anchor(text) {
                raise(at, ANCHOR);
            }
            let report = if reports_error(text) { report_of(text) } else { ReportStrength::None };
            let weight = match report {
                ReportStrength::Strong => ERROR,
                ReportStrength::Weak => WEAK_ERROR,
                _ if names_bad_state(text) => BAD_STATE,
                _ => continue,
            };
            let before = raised.entry((*kind, weight)).or_insert(0);
            if usize::from(*before) < MAX_ERRORS_OF_KIND {
                raise(at, weight - *before * 4);
                *before += 1;
            }
        }
    }

    /// Units whose values or whose words hardly another one at their depth has.
    fn weigh_rare(&self, kinds: &[u64], raise: &mut dyn FnMut(usize, u8)) {
        let mut depths: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, unit) in self.units.iter().enumerate() {
            let depth = self.tree.nodes.get(*unit).map_or(0, |node| node.depth);
            depths.entry(depth).or_default().push(at);
        }
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for kind in kinds {
            *counts.entry(*kind).or_insert(0) += 1;
        }
        let mut levels: Vec<Vec<usize>> = depths.into_values().collect();
        levels.sort_unstable();
        for units in levels.iter().filter(|units| units.len() >= MIN_LIST_ITEMS * 2) {
            let mut columns = WordColumns::default();
            for (row, at) in units.iter().enumerate() {
                columns.add_unit(row, self.texts.get(*at).copied().unwrap_or_default());
            }
            let rare = columns.cells.find(units.len());
            for (rows, weight) in [(rare.states, RARE), (rare.outliers, OUTLIER)] {
                for at in rows.iter().filter_map(|row| units.get(*row)) {
                    raise(*at, weight);
                }
            }
            let count = |at: &usize| {
                kinds.get(*at).and_then(|kind| counts.get(kind)).copied().unwrap_or_default()
            };
            let rare: Vec<usize> =
                units.iter().copied().filter(|at| count(at) <= MAX_RARE_UNITS).collect();
            if rare.len() * 4 < units.len() {
                for at in rare {
                    raise(at, RARE_KIND);
                }
            }
        }
    }

    /// What names the item of a list in which a unit is asked for.
    fn weigh_names(&self, weights: &mut [u8]) {
        let mut items: Vec<usize> = Vec::new();
        for (unit, weight) in self.units.iter().zip(weights.iter()) {
            if *weight < RARE_KIND.min(BAD_STATE) {
                continue;
            }
            let mut at = *unit;
            while let Some(node) = self.tree.nodes.get(at).filter(|_| at != 0) {
                let parent = node.parent;
                let is_item = self.tree.children(parent).nth(MIN_LIST_ITEMS - 1).is_some();
                if is_item && at != *unit {
                    items.push(at);
                }
                at = parent;
            }
        }
        items.sort_unstable();
        items.dedup();
        for item in items {
            let Some(node) = self.tree.nodes.get(item) else { continue };
            let from = self.units.partition_point(|unit| *unit < item);
            let to = self.units.partition_point(|unit| *unit < node.next);
            for at in from..to {
                let text = self.texts.get(at).copied().unwrap_or_default();
                if is_name(text)
                    && self.is_seen(at)
                    && let Some(weight) = weights.get_mut(at)
                {
                    *weight = NAME.max(*weight);
                }
            }
        }
    }
}

/// Whether the first line of a unit has an anchor of YAML: what points at it would be wrong without
/// it.
fn has_anchor(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    [": &", "- &"].iter().any(|mark| {
        line.split_once(mark)
            .is_some_and(|(_, name)| name.starts_with(|letter: char| letter.is_alphanumeric()))
    })
}

/// Whether a unit says which of several things it belongs to.
fn is_name(text: &str) -> bool {
    const NAME_KEYS: [&str; 8] = ["name", "id", "title", "key", "sku", "path", "uid", "slug"];
    let body = text.trim_start_matches(|letter: char| !letter.is_ascii_alphanumeric());
    let letters = body.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let key = body.get(..letters).unwrap_or_default();
    NAME_KEYS.iter().any(|name| name.eq_ignore_ascii_case(key))
}

/// The words of units as columns: by their places, and by the words before them.
#[derive(Debug, Default)]
struct WordColumns {
    cells: RareColumns,
    known: HashMap<u64, usize>,
}

impl WordColumns {
    fn add_unit(&mut self, row: usize, text: &str) {
        let is_mark = |letter: char| {
            !(letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-' | '@' | '%'))
        };
        let (mut count, mut before) = (0, 0);
        let mut words = text.split(is_mark).filter(|word| !word.is_empty());
        for word in words.by_ref().take(MAX_WORDS) {
            self.add_word(mix(1, count), row, word);
            self.add_word(mix(2, before), row, word);
            count += 1;
            before = hash(word.as_bytes());
        }
        if words.next().is_some() {
            return;
        }
        // A value may be rare because it is missing, or because it is not.
        self.add_word(mix(2, before), row, "");
        if text.trim_end_matches(['\r', '\n']).ends_with([',', ';', '\t', '|']) {
            self.add_word(mix(1, count), row, "");
        }
    }

    fn add_word(&mut self, column: u64, row: usize, word: &str) {
        let next = self.known.len();
        let column = *self.known.entry(column).or_insert(next);
        self.cells.add(column, row, word);
    }
}
