//! Rows of cells as lines: columns of figures to the right, the first one and columns of words to the
//! left.

use std::fmt::Write as _;

/// Returns a line for each row, with columns as wide as their longest cell and no blanks at its end. All
/// columns but the first are figures.
pub(super) fn lines<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> Vec<String> {
    align(rows, |column| column == 0)
}

/// The same, for columns of words.
pub(super) fn lines_of_words<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> Vec<String> {
    align(rows, |_| true)
}

fn align<const COLUMNS: usize>(
    rows: &[[String; COLUMNS]],
    is_left: impl Fn(usize) -> bool,
) -> Vec<String> {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &[String; COLUMNS]| {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
            let gap = if at == 0 { "" } else { "  " };
            let _ = if is_left(at) {
                write!(line, "{gap}{cell:<width$}")
            } else {
                write!(line, "{gap}{cell:>width$}")
            };
        }
        line.truncate(line.trim_end().len());
        line
    };
    rows.iter().map(line).collect()
}
