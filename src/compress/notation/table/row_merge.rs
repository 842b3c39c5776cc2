//! The columns that rows of objects share.
//!
//! Columns are in an order in which every row keeps its own; rows that disagree about the order
//! of two keys have no such order, and make no table.

use crate::json::tape::TapeNode;

/// Most columns on one level of a table.
const MAX_COLUMNS: usize = 96;
/// Columns of a table that may be moved: each move looks at all rows so far.
const MAX_MOVES: usize = 8;

/// A column: its key, and what its rows hold.
pub(super) struct TableColumn<'n, 'a> {
    pub(super) key: TapeNode<'n, 'a>,
    pub(super) cells: ColumnCells<'n, 'a>,
}

pub(super) enum ColumnCells<'n, 'a> {
    /// A value each row, or none if the row has no such key.
    Leaf(Vec<Option<TapeNode<'n, 'a>>>),
    /// The columns of the objects that this column holds; a row without any of them has none.
    Nested { columns: Vec<TableColumn<'n, 'a>>, objects: Vec<Option<TapeNode<'n, 'a>>> },
}

/// A key, and the value that each row so far has under it; rows at the end may be left out.
type SparseColumn<'n, 'a> = (TapeNode<'n, 'a>, Vec<Option<TapeNode<'n, 'a>>>);

/// Takes in rows one by one.
#[derive(Default)]
pub(super) struct RowMerge<'n, 'a> {
    columns: Vec<SparseColumn<'n, 'a>>,
    rows: usize,
    present: usize,
    moves: usize,
}

impl<'n, 'a> RowMerge<'n, 'a> {
    /// Takes a row in. `false`, and nothing is changed, if it does not fit.
    pub(super) fn add(&mut self, row: TapeNode<'n, 'a>) -> bool {
        // Rows that share little make a table of holes, which would cost more room than the rows.
        let sparse = self.columns.len() * self.rows > 4 * self.present + 1024;
        if sparse || !self.place(row) {
            for (_, cells) in &mut self.columns {
                cells.truncate(self.rows);
            }
            self.columns.retain(|(_, cells)| cells.iter().any(Option::is_some));
            return false;
        }
        self.rows += 1;
        self.present += row.len();
        true
    }

    /// A row that has no object at all.
    fn skip(&mut self) {
        self.rows += 1;
    }

    fn place(&mut self, row: TapeNode<'n, 'a>) -> bool {
        let mut next = 0;
        for (key, value) in row.members() {
            // All keys are written in the same way, so their bytes tell them apart.
            let same = |(name, _): &SparseColumn<'n, 'a>| is_same(name.raw(), key.raw());
            let ahead = self.columns.get(next..).unwrap_or_default();
            let at = match ahead.iter().position(same) {
                Some(step) => next + step,
                None => match self.columns.iter().take(next).position(same) {
                    Some(before) if self.move_column(before, next) => next - 1,
                    Some(_) => return false,
                    None if self.columns.len() >= MAX_COLUMNS => return false,
                    None => {
                        self.columns.insert(next, (key, Vec::new()));
                        next
                    }
                },
            };
            let Some((_, cells)) = self.columns.get_mut(at) else { return false };
            if cells.len() < self.rows {
                cells.resize(self.rows, None);
            }
            cells.push(Some(value));
            next = at + 1;
        }
        true
    }

    /// Moves a column behind others that a row has before it. `false`, and nothing is changed, if
    /// another row has one of them after it: then the rows disagree about the order.
    fn move_column(&mut self, from: usize, to: usize) -> bool {
        let Some((_, own)) = self.columns.get(from) else { return false };
        let follows = |(_, cells): &SparseColumn<'n, 'a>| {
            let mut both = own.iter().zip(cells).take(self.rows);
            both.any(|(own, other)| own.is_some() && other.is_some())
        };
        let others = self.columns.get(from + 1..to).unwrap_or_default();
        let is_twice = own.len() > self.rows;
        if is_twice || self.moves >= MAX_MOVES || others.iter().any(follows) {
            return false;
        }
        self.moves += 1;
        self.columns.get_mut(from..to).unwrap_or_default().rotate_left(1);
        true
    }

    /// Whether all rows have a column in common.
    pub(super) fn is_shared(&self) -> bool {
        let is_full = |(_, cells): &SparseColumn<'n, 'a>| {
            cells.len() == self.rows && cells.iter().all(Option::is_some)
        };
        self.columns.iter().any(is_full)
    }

    /// The columns, if at least half of the cells hold something.
    pub(super) fn finish(mut self) -> Option<Vec<TableColumn<'n, 'a>>> {
        if self.columns.is_empty() || 2 * self.present < self.columns.len() * self.rows {
            return None;
        }
        let rows = self.rows;
        Some(self.columns.drain(..).map(|(key, cells)| column(key, cells, rows)).collect())
    }
}

/// Keys of alike rows are mostly the very same bytes.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && (std::ptr::eq(one.as_ptr(), other.as_ptr()) || one == other)
}

fn column<'n, 'a>(
    key: TapeNode<'n, 'a>,
    mut cells: Vec<Option<TapeNode<'n, 'a>>>,
    rows: usize,
) -> TableColumn<'n, 'a> {
    cells.resize(rows, None);
    let cells = match nested(&cells) {
        Some(columns) => ColumnCells::Nested { columns, objects: cells },
        None => ColumnCells::Leaf(cells),
    };
    TableColumn { key, cells }
}

/// The columns of a column in which every value is an object that is not empty.
fn nested<'n, 'a>(cells: &[Option<TapeNode<'n, 'a>>]) -> Option<Vec<TableColumn<'n, 'a>>> {
    if !cells.iter().flatten().all(|node| node.is_full_object()) {
        return None;
    }
    let mut merge = RowMerge::default();
    for cell in cells {
        match cell {
            Some(object) if !merge.add(*object) => return None,
            Some(_) => {}
            None => merge.skip(),
        }
    }
    // A member that is missing as a whole costs a cell a column, so it counts.
    merge.finish()
}
