//! Rows of cells as lines: the first column to the left, all others to the right.

use std::fmt::Write as _;

/// Returns a line for each row, with columns as wide as their longest cell and no blanks at its end.
pub(super) fn lines<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> Vec<String> {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &[String; COLUMNS]| {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
            let _ = match at {
                0 => write!(line, "{cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        line.truncate(line.trim_end().len());
        line
    };
    rows.iter().map(line).collect()
}
