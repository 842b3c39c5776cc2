//! Key paths of the items of a list, and the items that must stay for them.

use foldhash::HashMap;

use super::super::elision::{Outliers, StateWords};
use super::hash;
use crate::compress::notation::reports_error;
use crate::json::tape::{TapeKind, TapeNode};

/// Keys inside one another that are looked at.
const MAX_DEPTH: usize = 8;
/// Items that stay because they show a path first.
const MAX_FIRST_ITEMS: usize = 24;

pub(super) struct Paths {
    /// Key paths that were seen, and the number of each.
    known: HashMap<u64, usize>,
    /// The paths of the item that was seen last, in its order, and their numbers: most items have
    /// the same as the one before. And how many the item at hand has so far.
    before: Vec<(u64, usize)>,
    items: usize,
    outliers: Outliers,
    states: StateWords,
    must: Vec<bool>,
    firsts: usize,
}

impl Paths {
    /// For a list of so many items.
    pub(super) fn new(items: usize) -> Self {
        let (known, outliers) = (HashMap::default(), Outliers::default());
        let (states, before) = (StateWords::default(), Vec::new());
        Self { known, before, items: 0, outliers, states, must: vec![false; items], firsts: 0 }
    }

    pub(super) fn add_item(&mut self, at: usize, item: TapeNode<'_, '_>) {
        let known = self.known.len();
        self.items = 0;
        let reports = self.value(at, item, 0, MAX_DEPTH);
        let is_first = self.known.len() > known && self.firsts < MAX_FIRST_ITEMS;
        self.firsts += usize::from(is_first);
        if let Some(must) = self.must.get_mut(at) {
            *must = is_first || reports;
        }
    }

    /// The number of the path of the next value.
    fn column(&mut self, path: u64) -> usize {
        let place = self.items;
        self.items += 1;
        match self.before.get_mut(place) {
            Some((known, column)) if *known == path => *column,
            before => {
                let next = self.known.len();
                let column = *self.known.entry(path).or_insert(next);
                match before {
                    Some(before) => *before = (path, column),
                    None => self.before.push((path, column)),
                }
                column
            }
        }
    }

    /// Takes in a value at a path; says whether it reports an error.
    fn value(&mut self, at: usize, node: TapeNode<'_, '_>, path: u64, depth: usize) -> bool {
        let column = self.column(path);
        match node.kind() {
            TapeKind::String => {
                if node.raw().len() <= StateWords::MAX_STATE_BYTES {
                    self.states.add_word(column, at, hash(0, node.raw()));
                }
                node.text().is_some_and(reports_error)
            }
            TapeKind::Number => {
                if let Ok(number) = node.raw().parse() {
                    self.outliers.add_number(column, at, number);
                }
                false
            }
            TapeKind::Other => {
                self.states.add_word(column, at, hash(0, node.raw()));
                false
            }
            _ if depth == 0 => false,
            TapeKind::Array => {
                let path = hash(path, "[");
                let items = node.items();
                items.fold(false, |reports, item| self.value(at, item, path, depth - 1) | reports)
            }
            TapeKind::Object => node.members().fold(false, |reports, (key, value)| {
                let is_told = is_error_value(value) && key.text().is_some_and(reports_error);
                self.value(at, value, hash(path, key.raw()), depth - 1) | is_told | reports
            }),
        }
    }

    /// Flags of the items that must stay.
    pub(super) fn must(mut self) -> Vec<bool> {
        self.outliers.mark(&mut self.must);
        self.states.mark(&mut self.must);
        self.must
    }
}

/// Whether a value under a key such as `error` says that there was one.
fn is_error_value(value: TapeNode<'_, '_>) -> bool {
    match value.kind() {
        TapeKind::Array | TapeKind::Object => value.is_full(),
        _ => !matches!(value.raw(), "null" | "false" | "0" | "\"\""),
    }
}
