//! Which holes share the value before: a time stamp stands in every form, a name in several.
//!
//! Columns are brought together by where a value stood last, then only those stay together for
//! which the shared value foretells more than their own.

use std::collections::HashMap;

use super::shape::{Part, Table};
use super::write::places;

/// Letters for shared values.
const NAMES: usize = 26;
/// Columns that one column's values are followed to.
const SOURCES: usize = 12;
/// The class of a column that shares nothing.
const ALONE: usize = usize::MAX;

/// A column: its table, and its place among the columns of that.
struct Member {
    table: usize,
    /// Where the value stood last, and how often.
    sources: Vec<(usize, usize)>,
    rows: usize,
    class: usize,
    own: usize,
    shared: usize,
}

/// Gives letters to the holes that should share.
pub(super) fn name(tables: &mut [Table<'_>], lines: usize) {
    let rows: Vec<(usize, usize)> =
        places(tables.iter().map(|table| table.lines.as_slice()), lines)
            .into_iter()
            .flatten()
            .collect();
    let mut starts = Vec::with_capacity(tables.len());
    let mut members = Vec::new();
    for (table, held) in tables.iter().enumerate() {
        starts.push(members.len());
        for _ in held.columns() {
            let class = members.len();
            let rows = held.lines.len();
            members.push(Member { table, sources: Vec::new(), rows, class, own: 0, shared: 0 });
        }
    }
    follow(tables, &rows, &starts, &mut members);
    unite(&mut members);
    // The first round takes out who loses, the second counts without them.
    for _ in 0..2 {
        measure(tables, &rows, &starts, &mut members);
        for member in &mut members {
            if member.shared <= member.own {
                member.class = ALONE;
            }
        }
    }
    letter(tables, &members, &starts);
}

fn follow(tables: &[Table<'_>], rows: &[(usize, usize)], starts: &[usize], members: &mut [Member]) {
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (table, row) in rows {
        let (Some(held), Some(start)) = (tables.get(*table), starts.get(*table)) else { continue };
        for (at, column) in held.columns().enumerate() {
            let Some(value) = column.values.get(*row).filter(|_| shares(column)) else { continue };
            let Some(source) = last.insert(value, start + at) else { continue };
            let Some(member) = members.get_mut(start + at) else { continue };
            if let Some((_, count)) = member.sources.iter_mut().find(|(other, _)| *other == source)
            {
                *count += 1;
            } else if member.sources.len() < SOURCES {
                member.sources.push((source, 1));
            }
        }
    }
}

/// A hole that adds to the value before, or is a width, has its own.
fn shares(column: &super::column::Column<'_>) -> bool {
    column.hole.step == 0 && column.hole.pad != super::form::Pad::Next
}

/// Brings each column together with those that often held its value last.
fn unite(members: &mut [Member]) {
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

fn root(members: &[Member], at: usize) -> usize {
    let mut at = at;
    while let Some(member) = members.get(at).filter(|member| member.class < at) {
        at = member.class;
    }
    at
}

/// Counts what each column's own value before foretells, and what its class's does.
fn measure(
    tables: &[Table<'_>],
    rows: &[(usize, usize)],
    starts: &[usize],
    members: &mut [Member],
) {
    let mut own: Vec<Option<&str>> = vec![None; members.len()];
    let mut shared = own.clone();
    for member in &mut *members {
        (member.own, member.shared) = (0, 0);
    }
    for (table, row) in rows {
        let (Some(held), Some(start)) = (tables.get(*table), starts.get(*table)) else { continue };
        for (at, column) in held.columns().enumerate() {
            let Some(value) = column.values.get(*row).map(AsRef::as_ref).filter(|_| shares(column))
            else {
                continue;
            };
            let Some(member) = members.get_mut(start + at) else { continue };
            if let Some(before) = own.get_mut(start + at) {
                member.own += usize::from(before.replace(value) == Some(value));
            }
            if let Some(before) = shared.get_mut(member.class) {
                member.shared += usize::from(before.replace(value) == Some(value));
            }
        }
    }
}

fn letter(tables: &mut [Table<'_>], members: &[Member], starts: &[usize]) {
    let mut sizes = vec![0_usize; members.len()];
    for member in members {
        if let Some(size) = sizes.get_mut(member.class) {
            *size += 1;
        }
    }
    let mut letters: Vec<Option<char>> = vec![None; members.len()];
    let large = letters.iter_mut().zip(&sizes).filter(|(_, size)| **size > 1);
    for ((letter, _), name) in large.zip('a'..='z').take(NAMES) {
        *letter = Some(name);
    }
    for (at, member) in members.iter().enumerate() {
        let Some(table) = tables.get_mut(member.table) else { continue };
        let Some(place) = starts.get(member.table).and_then(|start| at.checked_sub(*start)) else {
            continue;
        };
        let mut columns = table.parts.iter_mut().filter_map(|part| match part {
            Part::Column(column) => Some(column),
            Part::Text(_) => None,
        });
        if let Some(column) = columns.nth(place) {
            column.hole.name = letters.get(member.class).copied().flatten();
        }
    }
}
