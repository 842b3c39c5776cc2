//! Finds holes that share the value before: a time stamp is in every form, a name in several.
//!
//! Columns are brought together by where a value was last, then only those stay together for
//! which the shared value foretells more than their own.

use super::column::HoleColumn;
use super::form::{PadSide, fold};
use super::keys::KeyTable;
use super::shape::{RowPlace, ShapePart, ShapeTable};
use crate::compress::text::hash;

/// Letters for shared values.
const MAX_NAMES: usize = 26;
/// Columns that one column's values are followed to.
const MAX_SOURCES: usize = 12;
/// Rows that are looked at: so many in a row, at so many places, one for each hundred rows.
const STRETCH_ROWS: usize = 11;
const STRETCH_COUNTS: std::ops::RangeInclusive<usize> = 6..=16;
/// The class of a column that shares nothing.
const NO_CLASS: usize = usize::MAX;

/// A column: its table, and its place among the columns of that.
struct SharedColumn {
    table: usize,
    /// Whether the values are paths, of which the folders count, too.
    is_path: bool,
    /// A hole that adds to the value before, or is a width, has its own.
    may_share: bool,
    /// Last places of the value, and how often.
    sources: Vec<(usize, usize)>,
    rows: usize,
    class: usize,
    own: usize,
    shared: usize,
}

impl SharedColumn {
    fn new(table: usize, class: usize, column: &HoleColumn<'_>) -> Self {
        let hole = &column.hole;
        Self {
            table,
            is_path: hole.path,
            may_share: hole.step == 0 && hole.pad != PadSide::Next,
            sources: Vec::new(),
            rows: 0,
            class,
            own: 0,
            shared: 0,
        }
    }
}

/// A value of a row that is looked at. Values of the same hash are taken for the same.
struct RowValue<'a> {
    member: usize,
    text: &'a str,
    hash: u64,
}

/// Gives letters to the holes that should share.
pub(super) fn name(tables: &mut [ShapeTable<'_>], places: &[RowPlace]) {
    let mut starts = Vec::with_capacity(tables.len());
    let mut members = Vec::new();
    for (table, held) in tables.iter().enumerate() {
        starts.push(members.len());
        for column in held.columns() {
            members.push(SharedColumn::new(table, members.len(), column));
        }
    }
    let values = values(tables, places, &starts, &members);
    follow(&values, &mut members);
    unite(&mut members);
    leave_singles(&mut members);
    if members.iter().all(|member| member.class == NO_CLASS) {
        return;
    }
    own_hits(&values, &mut members);
    // The first round takes out the losers, the second counts without them. A column that neither
    // wins nor loses may be where the others have their values from.
    for round in 0..3 {
        shared_hits(&values, &mut members);
        let losers = members.iter_mut().filter(|member| member.shared < member.own);
        let mut some = false;
        for member in losers.filter(|member| round < 2 && member.class != NO_CLASS) {
            member.class = NO_CLASS;
            some = true;
        }
        if !some {
            break;
        }
    }
    dissolve(&mut members);
    letter(tables, &members, &starts);
}

/// The values that may be shared, row by row, of the rows that are looked at.
fn values<'a>(
    tables: &'a [ShapeTable<'_>],
    places: &[RowPlace],
    starts: &[usize],
    members: &[SharedColumn],
) -> Vec<RowValue<'a>> {
    let columns: Vec<Vec<&HoleColumn<'_>>> =
        tables.iter().map(|table| table.columns().collect()).collect();
    let mut values = Vec::new();
    let stretches = (places.len() / 100).clamp(*STRETCH_COUNTS.start(), *STRETCH_COUNTS.end());
    let apart = (places.len() / stretches).max(STRETCH_ROWS);
    let seen = places.chunks(apart).flat_map(|stretch| stretch.iter().take(STRETCH_ROWS));
    for (table, row) in seen.flatten() {
        let (Some(held), Some(start)) = (columns.get(*table), starts.get(*table)) else { continue };
        for ((member, known), column) in members.iter().enumerate().skip(*start).zip(held) {
            if let Some(text) = column.values.get(*row).filter(|_| known.may_share) {
                values.push(RowValue { member, text, hash: hash(text.as_bytes()) });
            }
        }
    }
    values
}

/// Records the last place of each value.
fn follow(values: &[RowValue<'_>], members: &mut [SharedColumn]) {
    let mut keys = KeyTable::new(values.len());
    let mut last: Vec<usize> = Vec::new();
    for value in values {
        let Some(member) = members.get_mut(value.member) else { continue };
        member.rows += 1;
        let key = if member.is_path { hash(folder(value.text).as_bytes()) } else { value.hash };
        let Some(place) = keys.place(key.max(1)) else { continue };
        let Some(before) = last.get_mut(place) else {
            last.push(value.member);
            continue;
        };
        let source = std::mem::replace(before, value.member);
        if let Some((_, count)) = member.sources.iter_mut().find(|(other, _)| *other == source) {
            *count += 1;
        } else if member.sources.len() < MAX_SOURCES {
            member.sources.push((source, 1));
        }
    }
}

/// The remembered part of a path: its folder, whose other files follow.
fn folder(path: &str) -> &str {
    memchr::memrchr(b'/', path.as_bytes()).and_then(|at| path.get(..at)).unwrap_or(path)
}

/// Part of a value that the one before foretells: all, its folders, nothing.
#[inline]
fn hits(is_path: bool, before: Option<&RowValue<'_>>, value: &RowValue<'_>) -> usize {
    match before {
        Some(before) if before.hash == value.hash => 2,
        Some(before) if is_path => usize::from(fold(value.text, before.text).is_some()),
        _ => 0,
    }
}

/// Joins each column with the columns that often had its value last.
fn unite(members: &mut [SharedColumn]) {
    for at in 0..members.len() {
        let Some(member) = members.get(at) else { continue };
        let often = (member.rows / 8).max(2);
        let sources: Vec<usize> = member
            .sources
            .iter()
            .filter(|(_, count)| *count >= often)
            .map(|(other, _)| *other)
            .collect();
        for other in sources {
            let (a, b) = (root(members, at), root(members, other));
            if let Some(member) = members.get_mut(a.max(b)) {
                member.class = a.min(b);
            }
        }
    }
    for at in 0..members.len() {
        let root = root(members, at);
        if let Some(member) = members.get_mut(at) {
            member.class = root;
        }
    }
}

fn root(members: &[SharedColumn], at: usize) -> usize {
    let mut at = at;
    while let Some(member) = members.get(at).filter(|member| member.class < at) {
        at = member.class;
    }
    at
}

/// A column in a class of its own shares nothing.
fn leave_singles(members: &mut [SharedColumn]) {
    let sizes = sizes(members);
    for member in members {
        if sizes.get(member.class) == Some(&1) {
            member.class = NO_CLASS;
        }
    }
}

/// Number of columns of each class.
fn sizes(members: &[SharedColumn]) -> Vec<usize> {
    let mut sizes = vec![0; members.len()];
    for member in members {
        if let Some(size) = sizes.get_mut(member.class) {
            *size += 1;
        }
    }
    sizes
}

/// Counts what each column's own value before foretells.
fn own_hits(values: &[RowValue<'_>], members: &mut [SharedColumn]) {
    let mut own = vec![None; members.len()];
    for value in values {
        let (Some(member), Some(before)) =
            (members.get_mut(value.member), own.get_mut(value.member))
        else {
            continue;
        };
        if member.class != NO_CLASS {
            member.own += hits(member.is_path, before.replace(value), value);
        }
    }
}

/// Counts what the value before of each column's class foretells.
fn shared_hits(values: &[RowValue<'_>], members: &mut [SharedColumn]) {
    let mut shared = vec![None; members.len()];
    for member in &mut *members {
        member.shared = 0;
    }
    for value in values {
        let Some(member) = members.get_mut(value.member) else { continue };
        if let Some(before) = shared.get_mut(member.class) {
            member.shared += hits(member.is_path, before.replace(value), value);
        }
    }
}

/// Parts the classes that foretell no more than their members would alone.
fn dissolve(members: &mut [SharedColumn]) {
    let mut gains = vec![(0, 0); members.len()];
    for member in &*members {
        if let Some((own, shared)) = gains.get_mut(member.class) {
            *own += member.own;
            *shared += member.shared;
        }
    }
    for member in members {
        if gains.get(member.class).is_some_and(|(own, shared)| shared <= own) {
            member.class = NO_CLASS;
        }
    }
}

fn letter(tables: &mut [ShapeTable<'_>], members: &[SharedColumn], starts: &[usize]) {
    let sizes = sizes(members);
    let mut letters: Vec<Option<char>> = vec![None; members.len()];
    let large = letters.iter_mut().zip(&sizes).filter(|(_, size)| **size > 1);
    for ((letter, _), name) in large.zip('a'..='z').take(MAX_NAMES) {
        *letter = Some(name);
    }
    for (at, member) in members.iter().enumerate() {
        let Some(table) = tables.get_mut(member.table) else { continue };
        let Some(place) = starts.get(member.table).and_then(|start| at.checked_sub(*start)) else {
            continue;
        };
        let mut columns = table.parts.iter_mut().filter_map(|part| match part {
            ShapePart::Column(column) => Some(column),
            ShapePart::Text(_) => None,
        });
        if let Some(column) = columns.nth(place) {
            column.hole.name = letters.get(member.class).copied().flatten();
        }
    }
}
