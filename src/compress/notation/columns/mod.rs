//! Comma-separated values (RFC 4180, and with tabs, semicolons or bars): `§csv`.
//!
//! ```text
//! §csv 5 comma, quoted 2, ^ as above
//! id,"name",day,country=DE
//! 1,Ann,2024-05-01
//! 2,"Lee, Bo",^
//! 3,Cy,^
//! 4,"error",2024-05-02,US
//! ```
//!
//! - The first line is the first row, as it is. `=DE` after a field is a value that all rows
//!   below have in this place and none shows.
//! - `quoted 2` names the columns in which every field below the first row was in quotes. They
//!   are put back around a field that shows none; one that does is as it was.
//! - `^` is the field of the row above, if values may be computed.
//! - `1 counts by 1 day`: rows do not show the first column, but for every eighth. It is that of
//!   the row above and a day more; there are also `month` and `min`.
//! - A row of all columns is a row as it was: rows that report errors are, and rows that have
//!   another value than the header has.
//!
//! Nothing is left out: every row has its line.

mod count;
mod report;
mod style;

use std::collections::BTreeSet;
use std::ops::Range;

use self::count::CountStep;
use self::report::report;
use self::style::{ColumnSet, ColumnStyle, RowFields, fields, first_row};
use super::{BlockBody, FoundBlock, Notation, NotationBlock, NotationKind};
use crate::compress::text::is_same;
use crate::domain::ValueClass;

/// Rows of the shortest table, the first one counted.
const MIN_ROWS: usize = 4;
/// Bytes from which on a field may be written as a ditto.
const MIN_DITTO_BYTES: usize = 5;
const DITTO: &str = "^";
const DITTO_WORDS: &str = "^ as above";
const COUNTS_WORDS: &str = " counts by ";
/// One row of so many is written whole if a column counts, so that a reader does not have to count
/// far.
const WHOLE_ROW_INTERVAL: usize = 8;
/// One row of so many may be written whole because a value or a count does not hold in it.
const MIN_ROWS_PER_ODD_ROW: usize = 16;
/// Bytes of the longest field of a first row.
const MAX_NAME_BYTES: usize = 64;
/// Columns of the widest table.
const MAX_COLUMNS: usize = 200;

const SEPARATORS: [(char, &str); 4] =
    [('\t', "tab"), (',', "comma"), (';', "semicolon"), ('|', "bar")];

/// The notation of this module.
pub(crate) struct ColumnsNotation;

impl Notation for ColumnsNotation {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn encode(&self, lines: &[&str], values: ValueClass) -> Vec<FoundBlock> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(table) = CsvRows::detect(rest) else {
                at += 1;
                continue;
            };
            let taken = table.count();
            if let Some(block) = table.block(rest, values) {
                found.push(FoundBlock { lines: at..at + taken, block });
            }
            at += taken;
        }
        found
    }

    fn kind(&self, args: &str, _: &[&str]) -> NotationKind {
        if args.contains(COUNTS_WORDS) {
            NotationKind::CountedCsv
        } else if args.contains(DITTO_WORDS) {
            NotationKind::DittoCsv
        } else {
            NotationKind::Csv
        }
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        let style = ColumnStyle::read(args)?;
        let (first, rows) = body.split_first()?;
        let (mut out, constants) = first_row(first, style.separator)?;
        out.reserve(body.iter().map(|line| line.len() + 1).sum::<usize>().min(limit));
        let (mut above, mut now) =
            (Vec::<Range<usize>>::new(), Vec::with_capacity(constants.len()));
        let mut shown = Vec::with_capacity(constants.len());
        for row in rows {
            shown.clear();
            fields(row, style.separator, &mut shown)?;
            let whole = shown.len() == constants.len();
            let mut fields = shown.iter();
            out.push('\n');
            for (index, constant) in constants.iter().enumerate() {
                if index > 0 {
                    out.push(style.separator);
                }
                let start = out.len();
                match constant {
                    Some(value) if !whole => out.push_str(value),
                    None if !whole && let Some(step) = style.step(index) => {
                        step.write_next(&mut out, above.get(index)?.clone())?;
                    }
                    _ => style.field(&mut out, fields.next()?, index, above.get(index))?,
                }
                if out.len() > limit {
                    return None;
                }
                now.push(start..out.len());
            }
            if fields.next().is_some() {
                return None;
            }
            std::mem::swap(&mut above, &mut now);
            now.clear();
        }
        (out.len() <= limit).then_some(out)
    }
}

/// Rows of one width, and the names above them.
struct CsvRows<'a> {
    separator: char,
    width: usize,
    /// The fields of the first row, then those of the next one, and so on.
    fields: Vec<&'a str>,
}

impl<'a> CsvRows<'a> {
    /// The table that begins with the first of these lines.
    fn detect(lines: &[&'a str]) -> Option<Self> {
        let (first, second) = (lines.first()?, lines.get(1)?);
        let mut found = Vec::new();
        let is_table = |(separator, _): &&(char, &str)| {
            found.clear();
            let named = first.contains(*separator)
                && fields(first, *separator, &mut found).is_some()
                && are_names(&found);
            let width = found.len();
            named && fields(second, *separator, &mut found).is_some() && found.len() == 2 * width
        };
        let (separator, _) = SEPARATORS.iter().find(is_table)?;
        let width = found.len() / 2;
        for line in lines.iter().skip(2) {
            let before = found.len();
            let read = fields(line, *separator, &mut found);
            if read.is_none() || found.len() != before + width {
                found.truncate(before);
                break;
            }
        }
        let rows = Self { separator: *separator, width, fields: found };
        (rows.count() >= MIN_ROWS).then_some(rows)
    }

    fn count(&self) -> usize {
        self.fields.len() / self.width.max(1)
    }

    /// The block of this table, whose lines are at the head of `lines`.
    fn block(&self, lines: &[&str], values: ValueClass) -> Option<NotationBlock> {
        let (names, below) = self.fields.split_at_checked(self.width)?;
        let lines = lines.get(1..self.count())?;
        let width = self.width;
        let mut verdicts = vec![("", false); width];
        let rows = below.chunks(width).zip(lines);
        let reports: Vec<bool> = rows.map(|(row, line)| report(row, line, &mut verdicts)).collect();
        let constants = self.constants(&reports);
        let counts = match values {
            ValueClass::Plain => Vec::new(),
            ValueClass::Computed => self.counts(&constants),
        };
        let is_shown = |column: usize| {
            constants.get(column) == Some(&None) && counts.iter().all(|(one, _)| *one != column)
        };
        let dittos = match values {
            ValueClass::Plain => ColumnSet::default(),
            ValueClass::Computed => self.dittos(&is_shown),
        };
        let quoted = |column: usize| {
            let mut fields = below.iter().skip(column).step_by(width);
            is_shown(column) && fields.all(|field| field.starts_with('"'))
        };
        let quoted = ColumnSet::new(width, quoted);
        let shown: Vec<bool> = (0..width).map(is_shown).collect();
        let ditto = !dittos.is_empty();
        let style = ColumnStyle { separator: self.separator, quoted, ditto, counts };
        let plain = !shown.contains(&false) && style.quoted.is_empty() && dittos.is_empty();
        if !shown.contains(&true) || plain {
            return None;
        }
        let mut body = BlockBody::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
        body.push(&write_names(names, &constants, self.separator));
        let mut above: &[&str] = &[];
        let rows = below.chunks(width).zip(lines).zip(&reports);
        for (index, ((row, line), report)) in rows.enumerate() {
            let fields = RowFields { row, above };
            let is_whole = *report
                || !style.counts.is_empty() && index % WHOLE_ROW_INTERVAL == 0
                || !is_told(fields, &constants, &style.counts);
            if is_whole {
                body.push(line);
            } else {
                write_row(body.line(), fields, &shown, &dittos, &style);
            }
            above = row;
        }
        Some(NotationBlock { args: style.words(), body })
    }

    /// For each column the one field of nearly all rows that report no error.
    fn constants(&self, reports: &[bool]) -> Vec<Option<&'a str>> {
        let none = vec![None; self.width];
        let below = self.fields.get(self.width..).unwrap_or_default();
        let rows =
            || below.chunks(self.width).zip(reports).filter(|(_, is)| !**is).map(|(row, _)| row);
        let count = rows().count();
        if count < 2 {
            return none;
        }
        // A field that more than half of the rows have outlasts all others.
        let mut lead: Vec<(&'a str, usize)> = vec![("", 0); self.width];
        for row in rows() {
            for (field, (value, votes)) in row.iter().zip(&mut lead) {
                match *votes {
                    0 => (*value, *votes) = (field, 1),
                    _ if is_same(value, field) => *votes += 1,
                    _ => *votes -= 1,
                }
            }
        }
        let odd = |column: usize, value: &str| {
            rows().filter(|row| row.get(column).is_none_or(|field| !is_same(field, value))).count()
        };
        // Each vote less than rows is half a row that has another field.
        let is_far = |votes: usize| (count - votes) / 2 * MIN_ROWS_PER_ODD_ROW > count;
        let odd: Vec<usize> = lead
            .iter()
            .enumerate()
            .map(
                |(column, (value, votes))| {
                    if *votes == 0 || is_far(*votes) { count } else { odd(column, value) }
                },
            )
            .collect();
        let most = if odd.iter().filter(|odd| **odd * MIN_ROWS_PER_ODD_ROW <= count).sum::<usize>()
            * MIN_ROWS_PER_ODD_ROW
            <= 2 * count
        {
            count / MIN_ROWS_PER_ODD_ROW
        } else {
            0
        };
        let constant = |((value, _), odd): (&(&'a str, usize), &usize)| {
            (*odd == 0 || *odd <= most && value.len() > 1).then_some(*value)
        };
        lead.iter().zip(&odd).map(constant).collect()
    }

    /// The columns that count, nearly always by the same.
    fn counts(&self, constants: &[Option<&str>]) -> Vec<(usize, CountStep)> {
        let below = self.fields.get(self.width..).unwrap_or_default();
        let rows = self.count() - 1;
        if rows < WHOLE_ROW_INTERVAL {
            return Vec::new();
        }
        let step = |column: usize| {
            if constants.get(column) != Some(&None) {
                return None;
            }
            let fields = || below.iter().skip(column).step_by(self.width).copied();
            let pairs = || fields().zip(fields().skip(1));
            let step =
                pairs().take(2).find_map(|(above, below)| CountStep::between(above, below))?;
            let leads = pairs().filter(|(above, below)| step.leads(above, below));
            ((rows - 1 - leads.count()) * MIN_ROWS_PER_ODD_ROW <= rows).then_some((column, step))
        };
        (0..self.width).filter_map(step).collect()
    }

    /// The columns in which a good part of the fields repeats the one above.
    fn dittos(&self, is_shown: &dyn Fn(usize) -> bool) -> ColumnSet {
        let below = self.fields.get(self.width..).unwrap_or_default();
        if below.contains(&DITTO) {
            return ColumnSet::default();
        }
        let mut repeats = vec![0; self.width];
        let mut rows = below.chunks(self.width);
        let mut above = rows.next().unwrap_or_default();
        for row in rows {
            for ((field, above), count) in row.iter().zip(above).zip(&mut repeats) {
                *count += usize::from(field.len() >= MIN_DITTO_BYTES && is_same(field, above));
            }
            above = row;
        }
        let rows = self.count() - 1;
        ColumnSet::new(self.width, |column| {
            is_shown(column) && repeats.get(column).is_some_and(|count| 3 * count >= rows)
        })
    }
}

/// Whether a row can be the first one: short names, each another.
fn are_names(names: &[&str]) -> bool {
    let is_name = |name: &&str| {
        name.len() <= MAX_NAME_BYTES
            && name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '_' | '#' | '$'))
            && !name.ends_with(char::is_whitespace)
            && !name.contains('=')
    };
    (2..=MAX_COLUMNS).contains(&names.len())
        && names.iter().all(is_name)
        && names.iter().collect::<BTreeSet<_>>().len() == names.len()
}

fn write_names(names: &[&str], constants: &[Option<&str>], separator: char) -> String {
    let mut line = String::new();
    for (index, (name, constant)) in names.iter().zip(constants).enumerate() {
        if index > 0 {
            line.push(separator);
        }
        line.push_str(name);
        if let Some(value) = constant {
            line.push('=');
            line.push_str(value);
        }
    }
    line
}

/// Whether a row has the values that the header and the first line give for its hidden columns.
fn is_told(
    RowFields { row, above }: RowFields<'_>,
    constants: &[Option<&str>],
    counts: &[(usize, CountStep)],
) -> bool {
    let mut fields = row.iter().zip(constants);
    fields.all(|(field, constant)| constant.is_none_or(|value| value == *field))
        && counts.iter().all(|(column, step)| {
            matches!((above.get(*column), row.get(*column)), (Some(above), Some(row)) if step.leads(above, row))
        })
}

fn write_row(
    line: &mut String,
    RowFields { row, above }: RowFields<'_>,
    shown: &[bool],
    dittos: &ColumnSet,
    style: &ColumnStyle,
) {
    let mut first = true;
    for (column, (field, is_shown)) in row.iter().zip(shown).enumerate() {
        if !is_shown {
            continue;
        }
        if !std::mem::take(&mut first) {
            line.push(style.separator);
        }
        let same = dittos.contains(column) && above.get(column) == Some(field);
        if same && field.len() >= MIN_DITTO_BYTES {
            line.push_str(DITTO);
        } else {
            line.push_str(unquoted(field, column, style));
        }
    }
}

/// The field without its quotes, if they are put back.
fn unquoted<'a>(field: &'a str, column: usize, style: &ColumnStyle) -> &'a str {
    let inner = field.strip_prefix('"').and_then(|field| field.strip_suffix('"'));
    inner
        .filter(|_| style.quoted.contains(column))
        .filter(|inner| !inner.contains(['"', style.separator]))
        // Alone it would read as a ditto.
        .filter(|inner| !style.ditto || *inner != DITTO)
        .unwrap_or(field)
}

#[cfg(test)]
mod tests;
