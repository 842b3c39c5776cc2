//! Rows of tables: those inside of a text that has other lines, too, and those without a value.

use super::super::page::LinePage;
use super::columns::{ColumnMark, MAX_COLUMNS, MIN_ROWS, RareColumns, column_mark, each_cell};
use super::rankings::measured;
use crate::compress::segment::is_entry;

/// Calls `each` with the rows of the tables inside of a text that are in a rare state.
pub(super) fn mark_inner_rows(page: &LinePage<'_>, mut each: impl FnMut(usize)) {
    let mut from = 0;
    for to in 0..=page.len() {
        if to < page.len() && !page.is_blank(to) {
            continue;
        }
        let rows: Vec<usize> = (from..to).collect();
        from = to + 1;
        if (MIN_ROWS..page.len()).contains(&rows.len()) {
            let mark = column_mark(page, &rows);
            find_rare(page, &EvenRows::find(page, &rows, mark), mark).for_each(&mut each);
        }
    }
}

/// The rows of a table with a word that its column hardly has elsewhere.
fn find_rare(
    page: &LinePage<'_>,
    even: &EvenRows,
    mark: ColumnMark,
) -> impl Iterator<Item = usize> + use<> {
    let first = even.rows.first().map_or(0, |row| row.at);
    let last = even.rows.last().map_or(0, |row| row.at);
    let mut columns = RareColumns::default();
    // The first row is the head. The last cell of others may have several words.
    for row in even.rows.iter().skip(1) {
        let mut column = 0;
        each_cell(page.body(row.at), mark, |cell| {
            if column < MAX_COLUMNS && !is_number(cell) {
                columns.add_state(column, row.at - first, cell);
            }
            column += 1;
        });
    }
    let found = columns.find(last + 1 - first).states;
    // A wider line may be one after the table.
    let exact: Vec<usize> = even.exact().collect();
    found
        .into_iter()
        .map(move |row| first + row)
        .filter(move |row| exact.binary_search(row).is_ok())
}

fn is_number(cell: &str) -> bool {
    let begins = cell.starts_with(|own: char| own.is_ascii_digit() || "+-.(".contains(own));
    begins && cell.bytes().any(|byte| byte.is_ascii_digit())
}

/// Rows of a text that is one table, and no log.
#[derive(Debug, Default)]
pub(super) struct TableRareRows {
    /// Those that lack a value which nearly all rows have: `-`, `<none>`.
    pub(super) lacking: Vec<usize>,
    /// Those with an amount far from the others of its column: `15872Mi`.
    pub(super) outliers: Vec<usize>,
}

impl TableRareRows {
    pub(super) fn find(page: &LinePage<'_>) -> Self {
        const MISSING: [&str; 7] = ["-", "--", "<none>", "<unset>", "N/A", "NULL", "null"];
        const MAX_ROWS: usize = 2;
        let rows = page.solid();
        if rows.len() < MIN_ROWS {
            return Self::default();
        }
        let mark = column_mark(page, rows);
        let even = EvenRows::find(page, rows, mark);
        let entries = even.exact().filter(|row| is_entry(page.body(*row).as_bytes())).count();
        let count = even.exact().count();
        if count < MIN_ROWS || entries * 2 > count {
            return Self::default();
        }
        let mut columns = RareColumns::default();
        let mut lacking: Vec<Vec<usize>> = vec![Vec::new(); MAX_COLUMNS];
        for row in even.exact() {
            let mut column = 0;
            each_cell(page.body(row), mark, |cell| {
                // One more than there may be tells that there are too many.
                if let Some(lacking) = lacking.get_mut(column).filter(|own| own.len() <= MAX_ROWS)
                    && MISSING.contains(&cell)
                {
                    lacking.push(row);
                }
                let has_unit = cell.ends_with(|letter: char| letter.is_ascii_alphabetic());
                if let Some(number) = Some(cell).filter(|_| has_unit).and_then(measured) {
                    columns.add_number(column, row, number);
                }
                column += 1;
            });
        }
        let mut found: Vec<usize> =
            lacking.into_iter().filter(|rows| rows.len() <= MAX_ROWS).flatten().collect();
        found.sort_unstable();
        found.dedup();
        let lacking = if found.len() > MAX_ROWS { Vec::new() } else { found };
        Self { lacking, outliers: columns.find(page.len()).outliers }
    }
}

/// The rows that have as many cells as most have, or more, if these are most of all.
#[derive(Debug, Default)]
struct EvenRows {
    rows: Vec<TableRow>,
    usual: usize,
}

#[derive(Debug, Clone, Copy)]
struct TableRow {
    at: usize,
    cells: usize,
}

impl EvenRows {
    fn find(page: &LinePage<'_>, rows: &[usize], mark: ColumnMark) -> Self {
        const MIN_CELLS: usize = 3;
        const MAX_CELLS: usize = 64;
        const MIN_PERCENT: usize = 70;
        let mut known = [0_usize; MAX_CELLS];
        let mut row = |at: &usize| {
            let mut cells = 0;
            each_cell(page.body(*at), mark, |_| cells += 1);
            if let Some(known) = known.get_mut(cells) {
                *known += 1;
            }
            TableRow { at: *at, cells }
        };
        let mut all: Vec<TableRow> = rows.iter().map(&mut row).collect();
        let counted = known.iter().enumerate().skip(MIN_CELLS);
        let Some((usual, count)) = counted.max_by_key(|(_, count)| **count) else {
            return Self::default();
        };
        if count * 100 < rows.len() * MIN_PERCENT {
            return Self::default();
        }
        all.retain(|row| row.cells >= usual);
        Self { rows: all, usual }
    }

    /// The rows that have just as many cells.
    fn exact(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().filter(|row| row.cells == self.usual).map(|row| row.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(special: &str) -> String {
        let row = |at: usize| match at {
            11 => format!("{at} disk{at} 0x33 {special}\n"),
            _ => format!("{at} disk{at} 0x33 Always 10.2.0.{at}\n"),
        };
        "ID NAME FLAG UPDATED HOST\n".to_owned() + &(0..24).map(row).collect::<String>()
    }

    #[test]
    fn a_rare_state_is_found_in_a_table_inside_of_a_text() {
        let text = format!("Model: ST14\n\n{}\nLog Version: 1\n", table("Never 10.2.0.11"));
        let mut found = Vec::new();
        mark_inner_rows(&LinePage::new(&text), |at| found.push(at));
        assert_eq!(found, [14]);
    }

    #[test]
    fn a_row_without_a_value_is_found() {
        let text = table("Always -");
        let lacking = |text: &str| TableRareRows::find(&LinePage::new(text)).lacking;
        assert_eq!(lacking(&text), [12]);
        assert!(
            lacking(&text.replace("10.2.0.1", "-").replace("-0", "-").replace("-1", "-"))
                .is_empty()
        );
    }

    #[test]
    fn an_amount_far_from_the_others_is_found() {
        let row = |at: usize| match at {
            11 => "pod-11 3m 15Gi\n".to_owned(),
            _ => format!("pod-{at} 3m {}Mi\n", 100 + at),
        };
        let text: String = (0..30).map(row).collect();
        assert_eq!(TableRareRows::find(&LinePage::new(&text)).outliers, [11]);
    }
}
