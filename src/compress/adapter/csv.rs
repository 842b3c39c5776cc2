//! Separated values: long tables lose rows, long cells of prose are shortened.
//!
//! Every row that is shown has as many cells as the first, which always stays. In the place of
//! rows that were left out, one row counts them in its first cell and has empty cells otherwise.

use std::borrow::Cow;
use std::ops::Range;

use super::elision::{self, Outliers, StateWords};
use super::progress::names_places;
use super::words::is_prose;
use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, KeepRatio, Part};
use crate::compress::notation::reports_error;
use crate::compress::segment::{Kind, Span, segment};
use crate::compress::text::{doubled_quote_end, hash};

const ROW_NOUN: &str = "row";
/// Bytes of a cell that is looked into.
const MIN_CELL_BYTES: usize = 120;

/// The adapter of this module.
#[derive(Debug)]
pub(crate) struct CsvAdapter;

impl FormatAdapter for CsvAdapter {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn finds_prose(&self) -> bool {
        true
    }

    fn detects(&self, part: Part<'_>) -> bool {
        // A blank line inside a cell parts what is one table.
        let is_table = part.is_all(|kind| matches!(kind, Kind::Csv { .. }))
            || separator(part.spans)
                .is_some_and(|separator| CsvTable::read(part.text, separator).is_some());
        is_table && !names_places(part.text)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        let separator = separator(&segment(before));
        let table = separator.and_then(|separator| CsvTable::read(before, separator));
        table.is_some_and(|table| table.holds(after))
    }

    fn attempt<'p>(&'p self, part: Part<'p>, inside: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let separator = separator(part.spans);
        match separator.and_then(|separator| CsvTable::read(part.text, separator)) {
            Some(table) => {
                AdapterAttempt::new(table.cuts(inside, part.ratio), move |after| table.holds(after))
            }
            None => AdapterAttempt::none(),
        }
    }
}

fn separator(spans: &[Span]) -> Option<u8> {
    spans.iter().find_map(|span| match span.kind {
        Kind::Csv { separator } => Some(separator),
        _ => None,
    })
}

/// A table by RFC 4180, every row as wide as the first.
#[derive(Debug)]
pub(crate) struct CsvTable<'t> {
    text: &'t str,
    separator: u8,
    width: usize,
    /// Row by row, quotes included.
    cells: Vec<Range<usize>>,
}

impl<'t> CsvTable<'t> {
    pub(crate) fn read(text: &'t str, separator: u8) -> Option<Self> {
        /// Bytes of a cell, about.
        const DEFAULT_CELL_BYTES: usize = 8;
        let cells = Vec::with_capacity(text.len() / DEFAULT_CELL_BYTES);
        let mut table = Self { text, separator, width: 0, cells };
        let end = text.trim_end_matches(['\n', '\r']).len();
        let mut at = 0;
        while at < end {
            let first = table.cells.len();
            at = table.row(at)?;
            let width = table.cells.len() - first;
            if first == 0 {
                table.width = width;
            } else if width != table.width {
                return None;
            }
        }
        (table.width > 1).then_some(table)
    }

    /// Takes a row; gives the byte at which the next begins.
    fn row(&mut self, at: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(at..)?;
        match memchr::memchr2(b'\n', b'"', rest) {
            Some(end) if rest.get(end) == Some(&b'\n') => {
                let line = rest.get(..end)?;
                self.read_plain_row(at, line.strip_suffix(b"\r").unwrap_or(line));
                Some(at + end + 1)
            }
            None if !rest.ends_with(b"\r") => {
                self.read_plain_row(at, rest);
                Some(self.text.len())
            }
            _ => self.read_quoted_row(at),
        }
    }

    /// Takes the cells of a row that has no quotes.
    fn read_plain_row(&mut self, at: usize, line: &[u8]) {
        let mut begin = at;
        for (end, byte) in (at..).zip(line) {
            if *byte == self.separator {
                self.cells.push(begin..end);
                begin = end + 1;
            }
        }
        self.cells.push(begin..at + line.len());
    }

    /// Takes a row that may have quotes.
    fn read_quoted_row(&mut self, mut at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let start = at;
        loop {
            let rest = bytes.get(at..)?;
            let blanks = if at == start { 0 } else { count_blanks(rest) };
            let length = if rest.get(blanks) == Some(&b'"') {
                let end = blanks + doubled_quote_end(rest.get(blanks..)?)?;
                end + count_blanks(rest.get(end..)?)
            } else {
                let ends = memchr::memchr3(self.separator, b'\n', b'"', rest);
                let length = ends.unwrap_or(rest.len());
                if rest.get(length) == Some(&b'"') {
                    return None;
                }
                let line = rest.get(..length)?;
                let is_last = rest.get(length) != Some(&self.separator);
                length - usize::from(is_last && line.ends_with(b"\r"))
            };
            self.cells.push(at..at + length);
            at += length;
            let rest = bytes.get(at..)?;
            match rest {
                [] => return Some(at),
                [b'\n', ..] => return Some(at + 1),
                [b'\r', b'\n', ..] => return Some(at + 2),
                [next, ..] if *next == self.separator => at += 1,
                _ => return None,
            }
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn rows(&self) -> usize {
        self.cells.len() / self.width.max(1)
    }

    fn cells_of(&self, row: usize) -> &[Range<usize>] {
        self.cells.get(row * self.width..(row + 1) * self.width).unwrap_or_default()
    }

    fn raw(&self, cell: &Range<usize>) -> &'t str {
        self.text.get(cell.clone()).unwrap_or_default()
    }

    /// The bytes of some rows, the break after the last aside.
    pub(crate) fn span(&self, rows: &Range<usize>) -> Option<Range<usize>> {
        let first = self.cells_of(rows.start).first()?;
        let last = self.cells_of(rows.end.checked_sub(1)?).last()?;
        Some(first.start..last.end)
    }

    fn row_of(&self, row: usize) -> &'t str {
        self.span(&(row..row + 1)).map_or("", |span| self.raw(&span))
    }

    /// Number of rows that a row represents, if it is a mark.
    fn mark_rows(&self, row: usize) -> Option<usize> {
        let (first, others) = self.cells_of(row).split_first()?;
        let count = elision::mark_items(&text_of(self.raw(first)), ROW_NOUN)?;
        others.iter().all(|cell| text_of(self.raw(cell)).is_empty()).then_some(count)
    }

    fn cuts(&self, inside: &mut dyn InnerTexts, ratio: KeepRatio) -> Vec<Cut> {
        let mut cuts = Vec::new();
        let mut at = 0;
        for gap in self.gaps(ratio) {
            (at..gap.start).for_each(|row| self.shorten(row, inside, &mut cuts));
            cuts.extend(self.cut(&gap));
            at = gap.end;
        }
        (at..self.rows()).for_each(|row| self.shorten(row, inside, &mut cuts));
        cuts
    }

    /// Whether a text is a table of these rows, with marks in the place of some and shorter prose.
    fn holds(&self, after: &str) -> bool {
        let shown = CsvTable::read(after, self.separator);
        shown.is_some_and(|shown| self.width == shown.width && self.is_kept(&shown))
    }

    /// The rows that go.
    fn gaps(&self, ratio: KeepRatio) -> Vec<Range<usize>> {
        let rows = self.rows();
        // A table that contains such a row would look like one that lost rows.
        let may_have_marks =
            memchr::memmem::find(self.text.as_bytes(), elision::MARK_START.as_bytes());
        let is_marked = |row| may_have_marks.is_some() && self.mark_rows(row).is_some();
        if rows <= elision::MAX_WHOLE_ITEMS || (0..rows).any(is_marked) {
            return Vec::new();
        }
        let (mut outliers, mut states) = (Outliers::default(), StateWords::default());
        let mut must = vec![false; rows];
        let mut raw = Vec::with_capacity(rows);
        for (row, must) in must.iter_mut().enumerate() {
            let text = self.row_of(row);
            // The names of the columns report nothing.
            *must = row > 0 && reports_error(text);
            raw.push(text);
            for (column, cell) in self.cells_of(row).iter().enumerate() {
                let cell = self.raw(cell);
                let cell = cell.trim_matches(' ');
                let is_quoted = cell.starts_with('"');
                let cell = if is_quoted { cell.trim_matches('"') } else { cell };
                let is_number = matches!(cell.bytes().next(), Some(b'0'..=b'9' | b'-'));
                if let Some(number) = is_number.then(|| cell.parse().ok()).flatten() {
                    outliers.add_number(column, row, number);
                } else if row > 0 && cell.len() <= StateWords::MAX_STATE_BYTES {
                    states.add_word(column, row, hash(cell.as_bytes()));
                }
            }
        }
        outliers.mark(&mut must);
        states.mark(&mut must);
        elision::gaps(&raw, &must, ratio)
    }

    /// One row in the place of some.
    fn cut(&self, gap: &Range<usize>) -> Option<Cut> {
        let range = self.span(gap)?;
        let mark = elision::mark(gap.len(), ROW_NOUN);
        let mut with = String::new();
        for (column, cell) in self.cells_of(gap.start).iter().enumerate() {
            let text = if column == 0 { mark.as_str() } else { "" };
            if column > 0 {
                with.push(char::from(self.separator));
            }
            if is_quoted(self.raw(cell)) {
                with.push('"');
                with.push_str(text);
                with.push('"');
            } else {
                with.push_str(text);
            }
        }
        (with.len() < range.len()).then_some(Cut { range, with })
    }

    /// Shortens the long cells of a row.
    fn shorten(&self, row: usize, inside: &mut dyn InnerTexts, cuts: &mut Vec<Cut>) {
        for cell in self.cells_of(row).iter().filter(|cell| cell.len() >= MIN_CELL_BYTES) {
            let raw = self.raw(cell);
            let text = text_of(raw);
            let Some(short) = is_prose(&text).then(|| inside.shorten(&text)).flatten() else {
                continue;
            };
            let marks = [char::from(self.separator), '"', '\n', '\r'];
            let with = if is_quoted(raw) || short.contains(marks) {
                format!("\"{}\"", short.replace('"', "\"\""))
            } else {
                short
            };
            if with.len() < raw.len() {
                cuts.push(Cut { range: cell.clone(), with });
            }
        }
    }

    /// Whether `shown` has these rows, with marks in the place of some and shorter prose.
    fn is_kept(&self, shown: &CsvTable<'_>) -> bool {
        let mut own = 0;
        for row in 0..shown.rows() {
            let mut cells = self.cells_of(own).iter().zip(shown.cells_of(row));
            // Most rows are as they were.
            let same = self.row_of(own) == shown.row_of(row)
                || cells.all(|(cell, other)| {
                    let (cell, other) = (self.raw(cell), shown.raw(other));
                    cell == other
                        || cell.len() >= MIN_CELL_BYTES
                            && other.len() < cell.len()
                            && is_prose(&text_of(cell))
                            && !text_of(other).is_empty()
                });
            let count = if same && own < self.rows() { Some(1) } else { shown.mark_rows(row) };
            let Some(count) = count.filter(|count| *count > 0) else { return false };
            own += count;
        }
        own == self.rows()
    }
}

/// Whether a cell is in quotes; blanks may be before them.
fn is_quoted(cell: &str) -> bool {
    cell.trim_start_matches(' ').starts_with('"')
}

/// Blanks at the beginning of some bytes.
fn count_blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == b' ').count()
}

/// The text of a cell, without the blanks and the quotes around it.
fn text_of(cell: &str) -> Cow<'_, str> {
    let cell = cell.trim_matches(' ');
    match cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')) {
        Some(inner) if inner.contains('"') => inner.replace("\"\"", "\"").into(),
        Some(inner) => inner.into(),
        None => cell.into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{PROSE, SHORT_PROSE, any_prose, shortened, shown};
    use super::*;

    fn table(rows: usize) -> String {
        let row = |n: usize| format!("{n},\"lamp, no {n}\",{}.50,open\n", n % 7);
        format!("id,name,price,state\n{}", (1..=rows).map(row).collect::<String>())
    }

    #[track_caller]
    fn checked(text: &str, separator: u8) -> String {
        let short = shown(&CsvAdapter, text);
        let (own, shown) =
            (CsvTable::read(text, separator).unwrap(), CsvTable::read(&short, separator).unwrap());
        assert_eq!(own.width, shown.width);
        let stands_for = |row| shown.mark_rows(row).unwrap_or(1);
        assert_eq!((0..shown.rows()).map(stands_for).sum::<usize>(), own.rows());
        assert_eq!(
            own.raw(own.cells_of(0).first().unwrap()),
            shown.raw(shown.cells_of(0).first().unwrap())
        );
        short
    }

    #[test]
    fn long_tables_lose_rows_that_are_counted() {
        let text = table(212);
        let short = checked(&text, b',');
        assert!(short.len() * 2 < text.len() && short.contains(" more rows,\"\",,\n"), "{short}");
        assert!(
            short.starts_with("id,name,price,state\n1,")
                && short.ends_with("212,\"lamp, no 212\",2.50,open\n")
        );
        let tabs = text.replace("lamp, no", "lamp no").replace(',', "\t").replace('\n', "\r\n");
        let short = checked(&tabs, b'\t');
        assert!(short.contains(" more rows\t\"\"\t\t\r\n"), "{short}");
    }

    #[test]
    fn padded_tables_are_tables() {
        let row = |n: usize| {
            format!(
                "{n:<4}, \"lamp, no {n}\" , {:>7}, {}\n",
                n % 7,
                if n == 77 { "lost" } else { "open" }
            )
        };
        let text =
            format!("id  , name, price  , state\n{}", (1..=120).map(row).collect::<String>());
        let short = checked(&text, b',');
        assert!(
            short.len() * 2 < text.len() && short.contains("\n77  , \"lamp, no 77\" ,"),
            "{short}"
        );
        let row = |n: usize| format!("part-{n}, {}\n", if n == 77 { 99_999 } else { n % 9 });
        let text = format!("name, count\n{}", (1..=120).map(row).collect::<String>());
        assert!(CsvAdapter.detects(Part::new(&text, &segment(&text))));
        let short = checked(&text, b',');
        assert!(short.len() * 2 < text.len() && short.contains("\npart-77, 99999\n"), "{short}");
    }

    #[test]
    fn rows_that_differ_stay() {
        let text = table(300)
            .replace("150,\"lamp, no 150\",3.50,open", "150,\"lamp, no 150\",3.50,request failed")
            .replace("\n170,", "\n999999,")
            .replace("200,\"lamp, no 200\"", "200,\"lamp\nno \"\"200\"\"\"");
        let short = checked(&text, b',');
        for kept in ["request failed", "999999,"] {
            assert!(short.contains(kept), "{kept} not in {short}");
        }
    }

    #[test]
    fn long_cells_are_shortened_and_short_tables_stay() {
        let text =
            |note: &str| format!("id,note\n1,\"{note} \"\"Quite so.\"\"\"\n2,none\n3,none\n");
        let (first, _) = SHORT_PROSE.split_once(" The keys").unwrap();
        assert_eq!(checked(&text(PROSE), b','), text(first));
        assert_eq!(shown(&CsvAdapter, &table(7)), table(7));
    }

    #[test]
    fn what_says_something_else_does_not_hold() {
        let text = table(60);
        let good = checked(&text, b',');
        assert!(CsvAdapter.holds(&text, &good));
        let read = CsvTable::read(&good, b',').unwrap();
        let count = (0..read.rows()).find_map(|row| read.mark_rows(row)).unwrap();
        for bad in [
            good.replace(&format!("… {count} "), &format!("… {} ", count + 1)),
            good.replace("id,name", "id,names"),
            good.replace("\n1,", "\n7,"),
            good.replace("rows,\"\",,", "rows,\"\","),
            text.replace("2,\"lamp, no 2\",2.50,open\n", ""),
        ] {
            assert!(bad != good && !CsvAdapter.holds(&text, &bad), "{bad}");
        }
    }

    #[test]
    fn hostile_tables_are_read_once() {
        for bit in ["a,b\n", ",", "\"", "\"\",", "\"\"\"", "1,\"\n", "\n"] {
            let text = format!("a,b\n1,2\n3,4\n{}", bit.repeat((1 << 20) / bit.len()));
            let _ = shortened(&CsvAdapter, &text);
            let _ = CsvTable::read(&text, b',').map(|table| table.gaps(KeepRatio::default()));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn what_is_shown_has_the_same_width_and_counts_its_rows(
            rows in prop::collection::vec(("[a-z0-9]{0,6}", prop_oneof![3 => "[a-z0-9 ]{0,30}".boxed(), 1 => any_prose().boxed()], -9..9_i32), 3..60),
            separator in prop::sample::select(vec![b',', b';', b'\t']),
        ) {
            let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            let by = char::from(separator);
            let row = |(id, note, n): &(String, String, i32)| format!("{id}{by}{}{by}{n}\n", quote(note));
            let text = format!("id{by}note{by}n\n{}", rows.iter().map(row).collect::<String>());
            let shortened = shortened(&CsvAdapter, &text);
            prop_assert!(shortened.reverted.is_empty());
            if let Some(short) = shortened.text.filter(|_| shortened.used.iter().any(|name| name == "csv")) {
                let shown = CsvTable::read(&short, separator).expect("a table");
                prop_assert_eq!(shown.width, 3);
                let all: usize = (0..shown.rows()).map(|row| shown.mark_rows(row).unwrap_or(1)).sum();
                prop_assert_eq!(all, rows.len() + 1);
            }
        }

        #[test]
        fn any_text_may_come(text in "([a-c0-9]|[,;\"\t\r\n]|… 2 more rows){0,120}") {
            let _ = shortened(&CsvAdapter, &format!("id,name\n1,a\n2,b\n{text}"));
        }
    }
}
