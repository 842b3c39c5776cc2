//! Rows in a state that hardly another one is in, whatever draws the columns: bars, tabs or
//! blanks.

use std::fmt;

use super::super::elision::{Outliers, StateWords};
use super::super::page::LinePage;
use crate::compress::text::hash;

/// Columns that are looked at.
pub(super) const MAX_COLUMNS: usize = 24;
/// Rows of a text that has columns.
pub(super) const MIN_ROWS: usize = 16;
/// One row in so many may be rare: if more are, none is.
const MIN_ROWS_PER_RARE: usize = 8;
/// Digits of a number that may be a state, such as a status.
const MAX_STATE_DIGITS: usize = 3;

/// Rows of a text that are unlike the others.
#[derive(Debug, Default)]
pub(crate) struct RareRows {
    /// Those with a word that their column hardly has elsewhere.
    pub(crate) states: Vec<usize>,
    /// Those with a number far from the others of its column.
    pub(crate) outliers: Vec<usize>,
    /// Whether the columns are drawn, or parted by tabs.
    pub(super) is_drawn: bool,
}

/// What is between two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnMark {
    Bar,
    Tab,
    Blank,
}

/// Rows of a text whose columns are drawn or parted.
pub(super) fn mark_rare_rows(page: &LinePage<'_>) -> RareRows {
    let rows = page.solid();
    if rows.len() < MIN_ROWS {
        return RareRows::default();
    }
    let mark = column_mark(page, rows);
    let mut columns = RareColumns::default();
    for row in rows {
        let mut column = 0;
        each_cell(page.body(*row), mark, |cell| {
            if column < MAX_COLUMNS {
                columns.add(column, *row, cell);
            }
            column += 1;
        });
    }
    let mut found = columns.find(page.len());
    found.is_drawn = mark != ColumnMark::Blank;
    found
}

/// The cells of some rows.
#[derive(Default)]
pub(crate) struct RareColumns {
    states: StateWords,
    outliers: Outliers,
}

impl fmt::Debug for RareColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RareColumns").finish_non_exhaustive()
    }
}

impl RareColumns {
    pub(crate) fn add(&mut self, column: usize, row: usize, cell: &str) {
        let digits = cell.trim_end_matches(['%', ',', ')', ']']);
        let first = digits.bytes().next();
        let is_number = first.is_some_and(|byte| byte.is_ascii_digit() || byte == b'-');
        let number: Option<f64> = if is_number { digits.parse().ok() } else { None };
        if let Some(number) = number {
            self.outliers.add_number(column, row, number);
        }
        let is_state = match number {
            Some(_) => cell.len() <= MAX_STATE_DIGITS,
            None => cell.len() <= StateWords::MAX_STATE_BYTES,
        };
        if is_state {
            self.states.add_word(column, row, hash(cell.as_bytes()));
        }
    }

    /// Takes in the value of a key, which is a state or says nothing here.
    pub(super) fn add_state(&mut self, column: usize, row: usize, value: &str) {
        if value.len() <= StateWords::MAX_STATE_BYTES {
            self.states.add_word(column, row, hash(value.as_bytes()));
        }
    }

    pub(super) fn add_number(&mut self, column: usize, row: usize, number: f64) {
        self.outliers.add_number(column, row, number);
    }

    /// The rows of so many that are unlike the others; none if that is many.
    pub(crate) fn find(self, rows: usize) -> RareRows {
        let most = rows / MIN_ROWS_PER_RARE;
        let (mut rare, mut far) = (vec![false; rows], vec![false; rows]);
        self.states.mark(&mut rare);
        self.outliers.mark(&mut far);
        RareRows { states: few(&rare, most), outliers: few(&far, most), is_drawn: false }
    }
}

/// The places of the flags that are set, if they are at most so many.
fn few(flags: &[bool], most: usize) -> Vec<usize> {
    let places = flags.iter().enumerate().filter(|(_, is_set)| **is_set).map(|(at, _)| at);
    let found: Vec<usize> = places.collect();
    if found.len() > most { Vec::new() } else { found }
}

/// The mark that most rows have.
pub(super) fn column_mark(page: &LinePage<'_>, rows: &[usize]) -> ColumnMark {
    const MIN_PERCENT: usize = 60;
    let share = |is_drawn: &dyn Fn(&str) -> bool| {
        let drawn = rows.iter().filter(|row| is_drawn(page.body(**row))).count();
        drawn * 100 >= rows.len() * MIN_PERCENT
    };
    if share(&|body| body.matches(['|', '│']).nth(1).is_some()) {
        ColumnMark::Bar
    } else if share(&|body| body.contains('\t')) {
        ColumnMark::Tab
    } else {
        ColumnMark::Blank
    }
}

pub(super) fn each_cell(body: &str, mark: ColumnMark, mut each: impl FnMut(&str)) {
    match mark {
        ColumnMark::Bar => body.split(['|', '│']).for_each(|cell| each(cell.trim())),
        ColumnMark::Tab => body.split('\t').for_each(|cell| each(cell.trim())),
        ColumnMark::Blank => body.split_ascii_whitespace().for_each(each),
    }
}
