//! The columns that records share, each a path of keys.
//!
//! Columns are in an order in which every record keeps its own, and those that begin with the
//! same keys are together. A record that has another order ends the table.

use std::borrow::Cow;

/// Most columns of a table.
const MAX_COLUMNS: usize = 128;
/// Cells that a small table may leave empty.
const MAX_EMPTY_CELLS: usize = 6;

/// The name of the column of members that have no column of their own.
pub(super) const OTHERS_KEY: &str = "*";

/// A value and the keys that lead to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf<'a> {
    pub(super) path: Vec<&'a str>,
    pub(super) value: Cow<'a, str>,
}

/// A column, and the value of each row, if it has one.
#[derive(Debug)]
pub(super) struct RecordColumn<'a> {
    pub(super) path: Vec<&'a str>,
    pub(super) cells: Vec<Option<Cow<'a, str>>>,
}

/// Takes in records one by one.
#[derive(Debug, Default)]
pub(super) struct RecordColumns<'a> {
    paths: Vec<Vec<&'a str>>,
    /// The numbers of paths, in the order of the columns.
    order: Vec<usize>,
    rows: Vec<Vec<(usize, Cow<'a, str>)>>,
    present: usize,
}

impl<'a> RecordColumns<'a> {
    /// Takes a record in; `false`, and nothing is changed, if it does not fit.
    pub(super) fn add(&mut self, leaves: &[Leaf<'a>]) -> bool {
        let known = self.paths.len();
        let order = self.order.clone();
        let row = self.place(leaves);
        let present = self.present + leaves.len();
        let cells = self.paths.len() * (self.rows.len() + 1);
        // Records that share little make a table of holes.
        let Some(row) = row.filter(|_| cells <= 2 * present + MAX_EMPTY_CELLS) else {
            self.paths.truncate(known);
            self.order = order;
            return false;
        };
        self.rows.push(row);
        self.present = present;
        true
    }

    fn place(&mut self, leaves: &[Leaf<'a>]) -> Option<Vec<(usize, Cow<'a, str>)>> {
        let mut row = Vec::with_capacity(leaves.len());
        let mut next = 0;
        for leaf in leaves {
            let at = self.at(&leaf.path, next)?;
            row.push((*self.order.get(at)?, leaf.value.clone()));
            next = at + 1;
        }
        Some(row)
    }

    /// The first value that has no place after those before it.
    pub(super) fn misfit(&mut self, leaves: &[Leaf<'a>]) -> Option<usize> {
        let (known, order) = (self.paths.len(), self.order.clone());
        let mut next = 0;
        let misfit = leaves.iter().position(|leaf| match self.at(&leaf.path, next) {
            Some(at) => {
                next = at + 1;
                false
            }
            None => true,
        });
        self.paths.truncate(known);
        self.order = order;
        misfit
    }

    fn at(&mut self, path: &[&'a str], next: usize) -> Option<usize> {
        self.find(path, next).or_else(|| self.insert(path, next))
    }

    fn path(&self, at: usize) -> &[&'a str] {
        let path = self.order.get(at).and_then(|number| self.paths.get(*number));
        path.map(Vec::as_slice).unwrap_or_default()
    }

    fn find(&self, path: &[&str], next: usize) -> Option<usize> {
        if path == [OTHERS_KEY] {
            return (self.path(next) == path).then_some(next);
        }
        (next..self.order.len()).find(|at| self.path(*at) == path)
    }

    /// Makes room for a new path, not before `next`.
    fn insert(&mut self, path: &[&'a str], next: usize) -> Option<usize> {
        if self.order.len() >= MAX_COLUMNS {
            return None;
        }
        let mut at = next;
        if path != [OTHERS_KEY] {
            let shared = |one: usize| common(self.path(one), path);
            let most = (0..self.order.len()).map(shared).max().unwrap_or(0);
            // A value here and members there, or the same path in another order.
            let is_odd = (0..self.order.len())
                .any(|one| shared(one) == path.len().min(self.path(one).len()));
            if is_odd {
                return None;
            }
            let group = |one: &usize| shared(*one) >= most;
            let first = (0..self.order.len()).find(group).unwrap_or(0);
            let last = (0..self.order.len()).rev().find(group).map_or(0, |last| last + 1);
            at = at.max(first);
            let splits = |at: usize| {
                at > 0 && at < self.order.len() && common(self.path(at - 1), self.path(at)) > most
            };
            while splits(at) {
                at += 1;
            }
            if at > last {
                return None;
            }
        }
        self.order.insert(at, self.paths.len());
        self.paths.push(path.to_vec());
        Some(at)
    }

    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The columns, in their order.
    pub(super) fn finish(self) -> Vec<RecordColumn<'a>> {
        let count = self.rows.len();
        let mut columns: Vec<RecordColumn<'a>> = self
            .paths
            .into_iter()
            .map(|path| RecordColumn { path, cells: vec![None; count] })
            .collect();
        for (index, row) in self.rows.into_iter().enumerate() {
            for (number, value) in row {
                let cell = columns.get_mut(number).and_then(|column| column.cells.get_mut(index));
                if let Some(cell) = cell {
                    *cell = Some(value);
                }
            }
        }
        let mut columns: Vec<Option<RecordColumn<'a>>> = columns.into_iter().map(Some).collect();
        let in_order = |number: &usize| columns.get_mut(*number).and_then(Option::take);
        self.order.iter().filter_map(in_order).collect()
    }
}

/// Number of keys that two paths begin with alike.
pub(super) fn common(one: &[&str], other: &[&str]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}
