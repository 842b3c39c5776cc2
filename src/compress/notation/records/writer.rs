//! Records as the rows of a table.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::cell::{CellSyntax, SEPARATORS};
use super::columns::{Leaf, OTHERS_KEY, RecordColumn, RecordColumns};
use super::form::RecordForm;
use super::record::{LineRecord, RecordItem};
use crate::compress::notation::reports_error;

/// Attributes of a record that may be in another order than the columns.
const MAX_ODD_ATTRIBUTES: usize = 16;

/// A table as text, and how many records it took.
pub(super) struct RecordTable {
    pub(super) records: usize,
    /// The columns in braces.
    pub(super) columns: String,
    pub(super) rows: Vec<String>,
}

/// The table of the first of these records; `None` if no two of them make one.
pub(super) fn write(records: &[LineRecord<'_>]) -> Option<RecordTable> {
    let first = records.first()?;
    let (form, rows) = (first.form, leaves(records));
    let mut columns = RecordColumns::default();
    let _ = rows.into_iter().take_while(|leaves| add_record(&mut columns, form, leaves)).count();
    let count = columns.rows();
    let columns = columns.finish();
    // Rows that have no column in common are no table.
    let is_shared = |column: &RecordColumn<'_>| column.cells.iter().all(Option::is_some);
    if !form.has_text() && !columns.iter().any(is_shared) {
        return None;
    }
    SEPARATORS.iter().find_map(|separator| {
        let values = form.values();
        let shown = ShownColumns { columns: &columns, values, separator: *separator };
        let constants = shown.constants(count);
        if constants.iter().all(Option::is_some) && !form.is_keyed() && !form.has_text() {
            return None;
        }
        let mut lines = Vec::with_capacity(count);
        for (index, record) in records.iter().enumerate().take(count) {
            let Some(line) = shown.row(record, index, &constants) else { break };
            lines.push(line);
        }
        // Cells that one separator cannot show, the other may.
        if lines.len() < count && (lines.len() < 2 || *separator == SEPARATORS[0]) {
            return None;
        }
        let mut list = String::from("{");
        // One column alone shows no separator.
        if columns.len() == 1 && *separator != SEPARATORS[0] {
            list.push(*separator);
        }
        shown.list(&mut list, 0..columns.len(), 0, &constants);
        list.push('}');
        Some(RecordTable { records: lines.len(), columns: list, rows: lines })
    })
}

/// Takes a record in; attributes that are in another order are shown with their names.
fn add_record<'a>(
    columns: &mut RecordColumns<'a>,
    form: RecordForm<'_>,
    leaves: &[Leaf<'a>],
) -> bool {
    if columns.add(leaves) {
        return true;
    }
    if !matches!(form, RecordForm::Attributes { .. } | RecordForm::Text { .. }) {
        return false;
    }
    let mut leaves = leaves.to_vec();
    for _ in 0..MAX_ODD_ATTRIBUTES {
        let Some(odd) = columns.misfit(&leaves).filter(|odd| *odd < leaves.len()) else { break };
        let leaf = leaves.remove(odd);
        let [key] = leaf.path.as_slice() else { break };
        if *key == OTHERS_KEY {
            break;
        }
        let mut others = format!("{key}=\"{}\"", leaf.value);
        let mut at = odd;
        if let Some(before) = odd.checked_sub(1).filter(|before| is_others(&leaves, *before)) {
            others = format!("{} {others}", leaves.remove(before).value);
            at = before;
        }
        if is_others(&leaves, at) {
            others = format!("{others} {}", leaves.remove(at).value);
        }
        leaves.insert(at, Leaf { path: vec![OTHERS_KEY], value: others.into() });
        if columns.add(&leaves) {
            return true;
        }
    }
    false
}

fn is_others(leaves: &[Leaf<'_>], at: usize) -> bool {
    leaves.get(at).is_some_and(|leaf| leaf.path == [OTHERS_KEY])
}

struct ShownColumns<'t, 'a> {
    columns: &'t [RecordColumn<'a>],
    values: CellSyntax,
    separator: char,
}

impl ShownColumns<'_, '_> {
    /// For each column the one value that all rows have and that is shown above them.
    fn constants(&self, rows: usize) -> Vec<Option<String>> {
        let constant = |column: &RecordColumn<'_>| {
            let first = column.cells.first()?.as_deref()?;
            let is_same = |cell: &Option<Cow<'_, str>>| cell.as_deref() == Some(first);
            if rows < 2 || column.path == [OTHERS_KEY] || !column.cells.iter().all(is_same) {
                return None;
            }
            let mut shown = String::new();
            self.values.write_constant(&mut shown, first)?;
            (!reports_error(first)).then_some(shown)
        };
        self.columns.iter().map(constant).collect()
    }

    fn row(
        &self,
        record: &LineRecord<'_>,
        index: usize,
        constants: &[Option<String>],
    ) -> Option<String> {
        let mut line = String::new();
        let cells = self.columns.iter().zip(constants).filter(|(_, constant)| constant.is_none());
        let cells = cells.map(|(column, _)| {
            let cell = column.cells.get(index).and_then(Option::as_deref);
            (cell, column.path == [OTHERS_KEY])
        });
        let key = record.key.map(|key| (Some(key), false));
        let text = record.text.map(|text| (Some(text), false));
        let cells: Vec<_> = key.into_iter().chain(cells).chain(text).collect();
        if let [(value, false)] = cells.as_slice() {
            self.values.write_line(&mut line, (*value)?)?;
            return Some(line);
        }
        let mut before = None;
        for (at, (value, is_others)) in cells.into_iter().enumerate() {
            if at > 0 {
                line.push(self.separator);
            }
            match value {
                Some(others) if is_others => line.push_str(others),
                Some(value) => {
                    self.values.write_after(&mut line, before, value, self.separator)?;
                }
                None => {}
            }
            before = value.filter(|_| !is_others);
        }
        Some(line)
    }

    /// Appends the columns of a range, which begin with the same keys up to a depth.
    fn list(
        &self,
        list: &mut String,
        range: std::ops::Range<usize>,
        depth: usize,
        constants: &[Option<String>],
    ) {
        let mut at = range.start;
        while at < range.end {
            if at > range.start {
                list.push(self.separator);
            }
            let path = |at: usize| self.columns.get(at).map(|column| column.path.as_slice());
            let own = path(at).unwrap_or_default();
            let key = own.get(depth).copied().unwrap_or_default();
            list.push_str(key);
            if own.len() == depth + 1 {
                if let Some(Some(value)) = constants.get(at) {
                    list.push('=');
                    list.push_str(value);
                }
                at += 1;
                continue;
            }
            let is_inside = |at: &usize| {
                path(*at)
                    .is_some_and(|path| path.len() > depth + 1 && path.get(depth) == Some(&key))
            };
            let inside = (at..range.end).take_while(is_inside).count();
            list.push('{');
            self.list(list, at..at + inside, depth + 1, constants);
            list.push('}');
            at += inside;
        }
    }
}

/// The leaves of all records, in the way that they make the best columns.
fn leaves<'a>(records: &[LineRecord<'a>]) -> Vec<Vec<Leaf<'a>>> {
    match records.first().map(|record| record.form) {
        Some(RecordForm::FlowItem | RecordForm::FlowKey) => {
            let closed = closed_maps(records);
            let is_closed = |path: &[&str]| closed.contains(path);
            records.iter().map(|record| record.leaves(&is_closed)).collect()
        }
        Some(RecordForm::Attributes { .. } | RecordForm::Text { .. }) => attributes(records),
        _ => records.iter().map(|record| record.leaves(&|_| false)).collect(),
    }
}

/// Statistics of the maps that are under one path.
#[derive(Default)]
struct MapStats<'a> {
    count: usize,
    members: usize,
    keys: BTreeSet<&'a str>,
    is_odd: bool,
}

/// Paths of maps that stay as they are: maps that share few keys, and values that are no maps in
/// some records.
fn closed_maps<'a>(records: &[LineRecord<'a>]) -> BTreeSet<Vec<&'a str>> {
    let mut found: BTreeMap<Vec<&'a str>, MapStats<'a>> = BTreeMap::new();
    for record in records {
        collect_maps(&mut found, &record.items, &mut Vec::new());
    }
    let is_closed =
        |maps: &MapStats<'_>| maps.is_odd || maps.keys.len() * maps.count > 2 * maps.members;
    found
        .into_iter()
        .filter(|(_, maps)| maps.count > 0 && is_closed(maps))
        .map(|(path, _)| path)
        .collect()
}

fn collect_maps<'a>(
    found: &mut BTreeMap<Vec<&'a str>, MapStats<'a>>,
    items: &[RecordItem<'a>],
    path: &mut Vec<&'a str>,
) {
    for item in items {
        path.push(item.key);
        let maps = match found.get_mut(path) {
            Some(maps) => maps,
            None => found.entry(path.clone()).or_default(),
        };
        if item.items.is_empty() {
            maps.is_odd = true;
        } else {
            maps.count += 1;
            maps.members += item.items.len();
            maps.keys.extend(item.items.iter().map(|item| item.key));
            collect_maps(found, &item.items, path);
        }
        path.pop();
    }
}

/// Attributes that few records have are together, with their names, where they was.
fn attributes<'a>(records: &[LineRecord<'a>]) -> Vec<Vec<Leaf<'a>>> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for item in records.iter().flat_map(|record| &record.items) {
        *counts.entry(item.key).or_default() += 1;
    }
    // A name costs about a token in three bytes, an empty cell not even one.
    let is_rare = |key: &str| {
        let count = counts.get(key).copied().unwrap_or_default();
        count * (key.len() / 3 + 2) < records.len()
    };
    let leaves = |record: &LineRecord<'a>| {
        let mut leaves: Vec<Leaf<'a>> = Vec::with_capacity(record.items.len());
        for item in &record.items {
            let Some(value) = &item.value else { continue };
            if !is_rare(item.key) {
                leaves.push(Leaf { path: vec![item.key], value: value.clone() });
                continue;
            }
            let other = format!("{}=\"{value}\"", item.key);
            match leaves.last_mut().filter(|last| last.path == [OTHERS_KEY]) {
                Some(last) => {
                    let others = last.value.to_mut();
                    others.push(' ');
                    others.push_str(&other);
                }
                None => leaves.push(Leaf { path: vec![OTHERS_KEY], value: other.into() }),
            }
        }
        leaves
    };
    records.iter().map(leaves).collect()
}
