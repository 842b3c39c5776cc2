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
//! - The first line is the first row, as it stands. `=DE` after a field is a value that all rows
//!   below have in this place and none shows.
//! - `quoted 2` names the columns in which every field below the first row stood in quotes. They
//!   are put back around a field that shows none; one that does is as it was.
//! - `^` is the field of the row above.
//! - A row of all columns is a row as it stands: rows that report errors are.
//!
//! Nothing is left out: every row has its line.

mod style;

use std::collections::BTreeSet;

use self::style::{Set, Style, fields, first_row};
use super::{Block, Found, Notation, reports_error};

/// Rows of the shortest table, the first one counted.
const FEWEST: usize = 4;
/// Bytes from which on a field may stand as a ditto.
const DITTO_BYTES: usize = 5;
const DITTO: &str = "^";
const DITTO_WORDS: &str = "^ as above";
/// Bytes of the longest field of a first row.
const LONGEST_NAME: usize = 64;
/// Columns of the widest table.
const WIDEST: usize = 200;

const SEPARATORS: [(char, &str); 4] =
    [('\t', "tab"), (',', "comma"), (';', "semicolon"), ('|', "bar")];

/// The notation of this module.
pub(crate) struct Columns;

impl Notation for Columns {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn encode(&self, lines: &[&str]) -> Vec<Found> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(table) = Rows::first(rest) else {
                at += 1;
                continue;
            };
            let taken = table.count();
            if let Some(block) = table.block(rest) {
                found.push(Found { lines: at..at + taken, block });
            }
            at += taken;
        }
        found
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        let style = Style::read(args)?;
        let (first, rows) = body.split_first()?;
        let (mut out, constants) = first_row(first, style.separator)?;
        out.reserve(body.iter().map(|line| line.len() + 1).sum::<usize>().min(limit));
        let (mut above, mut now) = (Vec::new(), Vec::with_capacity(constants.len()));
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
struct Rows<'a> {
    separator: char,
    width: usize,
    /// The fields of the first row, then those of the next one, and so on.
    fields: Vec<&'a str>,
}

impl<'a> Rows<'a> {
    /// The table that begins with the first of these lines.
    fn first(lines: &[&'a str]) -> Option<Self> {
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
        (rows.count() >= FEWEST).then_some(rows)
    }

    fn count(&self) -> usize {
        self.fields.len() / self.width.max(1)
    }

    /// The block of this table, whose lines are at the head of `lines`.
    fn block(&self, lines: &[&str]) -> Option<Block> {
        let (names, below) = self.fields.split_at_checked(self.width)?;
        let lines = lines.get(1..self.count())?;
        let width = self.width;
        let mut verdicts = vec![("", false); width];
        let reports: Vec<bool> =
            below.chunks(width).map(|row| report(row, &mut verdicts)).collect();
        let constants = self.constants(&reports);
        let dittos = self.dittos(&constants);
        let quoted = |column: usize| {
            let mut fields = below.iter().skip(column).step_by(width);
            constants.get(column) == Some(&None) && fields.all(|field| field.starts_with('"'))
        };
        let quoted = Set::of(width, quoted);
        let shown = constants.iter().filter(|constant| constant.is_none()).count();
        let style = Style { separator: self.separator, quoted, ditto: !dittos.is_empty() };
        let plain = shown == width && style.quoted.is_empty() && dittos.is_empty();
        if shown == 0 || plain {
            return None;
        }
        let mut body = Vec::with_capacity(lines.len() + 1);
        body.push(write_names(names, &constants, self.separator));
        let mut above: &[&str] = &[];
        for ((row, line), report) in below.chunks(width).zip(lines).zip(&reports) {
            let shown = if *report {
                (*line).to_owned()
            } else {
                let mut shown = String::with_capacity(line.len());
                write_row(&mut shown, (row, above), &constants, &dittos, &style);
                shown
            };
            body.push(shown);
            above = row;
        }
        Some(Block { args: style.words(), body })
    }

    /// For each column the one field of all rows that report no error.
    fn constants(&self, reports: &[bool]) -> Vec<Option<&'a str>> {
        let below = self.fields.get(self.width..).unwrap_or_default();
        let mut rows = below.chunks(self.width).zip(reports).filter(|(_, report)| !**report);
        let first = rows.next().map(|(row, _)| row).unwrap_or_default();
        let mut constants: Vec<_> = first.iter().map(|field| Some(*field)).collect();
        let (mut some, mut open) = (false, constants.len());
        for (row, _) in rows {
            some = true;
            for (field, constant) in row.iter().zip(&mut constants) {
                if constant.is_some_and(|constant| constant != *field) {
                    *constant = None;
                    open -= 1;
                }
            }
            if open == 0 {
                break;
            }
        }
        if some { constants } else { vec![None; self.width] }
    }

    /// The columns in which a good part of the fields repeats the one above.
    fn dittos(&self, constants: &[Option<&str>]) -> Set {
        let below = self.fields.get(self.width..).unwrap_or_default();
        if below.contains(&DITTO) {
            return Set::default();
        }
        let mut repeats = vec![0; self.width];
        let mut rows = below.chunks(self.width);
        let mut above = rows.next().unwrap_or_default();
        for row in rows {
            for ((field, above), count) in row.iter().zip(above).zip(&mut repeats) {
                *count += usize::from(field.len() >= DITTO_BYTES && field == above);
            }
            above = row;
        }
        let rows = self.count() - 1;
        Set::of(self.width, |column| {
            let open = constants.get(column) == Some(&None);
            open && repeats.get(column).is_some_and(|count| 3 * count >= rows)
        })
    }
}

/// Whether a row reports an error: one of its fields does. `verdicts` holds the fields of the row
/// above and what they do; many are the same.
fn report<'a>(row: &[&'a str], verdicts: &mut [(&'a str, bool)]) -> bool {
    let mut reports = false;
    for (field, (above, verdict)) in row.iter().zip(verdicts) {
        if field != above {
            let has_word = field.bytes().any(|byte| byte.is_ascii_alphabetic());
            (*above, *verdict) = (field, has_word && reports_error(field));
        }
        reports |= *verdict;
    }
    reports
}

/// Whether a row can be the first one: short names, each another.
fn are_names(names: &[&str]) -> bool {
    let is_name = |name: &&str| {
        name.len() <= LONGEST_NAME
            && name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '_' | '#' | '$'))
            && !name.ends_with(char::is_whitespace)
            && !name.contains('=')
    };
    (2..=WIDEST).contains(&names.len())
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

fn write_row(
    line: &mut String,
    (row, above): (&[&str], &[&str]),
    constants: &[Option<&str>],
    dittos: &Set,
    style: &Style,
) {
    let mut first = true;
    for (column, (field, constant)) in row.iter().zip(constants).enumerate() {
        if constant.is_some() {
            continue;
        }
        if !std::mem::take(&mut first) {
            line.push(style.separator);
        }
        let same = dittos.contains(column) && above.get(column) == Some(field);
        if same && field.len() >= DITTO_BYTES {
            line.push_str(DITTO);
        } else {
            line.push_str(unquoted(field, column, style));
        }
    }
}

/// The field without its quotes, where they are put back.
fn unquoted<'a>(field: &'a str, column: usize, style: &Style) -> &'a str {
    let inner = field.strip_prefix('"').and_then(|field| field.strip_suffix('"'));
    inner
        .filter(|_| style.quoted.contains(column))
        .filter(|inner| !inner.contains(['"', style.separator]))
        // Alone it would read as a ditto.
        .filter(|inner| !style.ditto || *inner != DITTO)
        .unwrap_or(field)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str) -> Vec<Found> {
        let lines: Vec<&str> = text.split('\n').collect();
        let found = Columns.encode(&lines);
        for one in &found {
            let body: Vec<&str> = one.block.body.iter().map(String::as_str).collect();
            let original = lines[one.lines.clone()].join("\n");
            let decoded = Columns.decode(&one.block.args, &body, original.len());
            assert_eq!(decoded.as_deref(), Some(original.as_str()), "{:#?}", one.block);
            assert_eq!(body.len(), one.lines.len());
        }
        found
    }

    fn shown(text: &str) -> String {
        let found = check(text);
        assert_eq!(found.len(), 1, "{found:?}");
        format!("{}\n{}", found[0].block.args, found[0].block.body.join("\n"))
    }

    #[test]
    fn what_all_rows_have_stands_above_them() {
        let text = "id,state,land\n1,open,DE\n2,open,DE\n3,,DE\n";
        assert_eq!(shown(text), "comma\nid,state,land=DE\n1,open\n2,open\n3,");
    }

    #[test]
    fn quotes_that_a_whole_column_has_go() {
        let text = "\"id\"\t\"na\"\n1\t\"a b\"\n2\t\"c\"\"d\"\n3\t\"\"\n4\t\"x\ty\"";
        assert_eq!(
            shown(text),
            "tab, quoted 2\n\"id\"\t\"na\"\n1\ta b\n2\t\"c\"\"d\"\n3\t\n4\t\"x\ty\""
        );
    }

    #[test]
    fn what_stands_above_is_a_ditto_unless_there_is_such_a_field() {
        let text = "day;n\n2024-05-01;1\n2024-05-01;2\n2024-05-01;3\n2024-05-02;4";
        let short = "semicolon, ^ as above\nday;n\n2024-05-01;1\n^;2\n^;3\n2024-05-02;4";
        assert_eq!(shown(text), short);
        assert!(check(&text.replace(";4", ";^")).is_empty());
    }

    #[test]
    fn a_row_that_reports_an_error_stands_whole() {
        let text = "id,level,text\n1,info,x\n2,info,y\n3,error,it failed\n4,info,z";
        let short = "comma\nid,level=info,text\n1,x\n2,y\n3,error,it failed\n4,z";
        assert_eq!(shown(text), short);
    }

    #[test]
    fn every_row_of_a_long_table_is_shown() {
        let rows = (0..250).map(|row| format!("{row},\"item {row}\",{}.50,EUR", row % 7));
        let text = format!("id,name,price,unit\n{}", rows.collect::<Vec<_>>().join("\n"));
        let short = shown(&text);
        assert_eq!(short.lines().count(), 252);
        assert!((0..250).all(|row| short.contains(&format!("\n{row},item {row},"))));
    }

    #[test]
    fn what_only_has_commas_stays() {
        for text in [
            "one, two, three\nof, them, here\nand, so, on\nand, so, on",
            "    a: 1,\n    b: 1,\n    c: 1,\n    d: 1,",
            "x,x\n1,2\n1,2\n1,2",
            "a=1,b\n1,2\n1,2\n1,2",
            "| a | b |\n|---|---|\n| 1 | 2 |\n| 1 | 2 |",
        ] {
            assert!(check(text).is_empty(), "{text}");
        }
    }

    fn any_field() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[a-c]{0,2}",
            2 => prop::sample::select(vec!["2024-05-01", "long value", "^", "=", "a=b", "é", "\"", "error"])
                .prop_map(str::to_owned),
            3 => "\"([a-c,;\t^=]|\"\"){0,6}\"",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn every_table_is_read_back(
            separator in prop::sample::select(vec![",", "\t", ";", "|"]),
            width in 2..5_usize,
            fixed in prop::collection::vec(prop::option::of(any_field()), 5),
            cells in prop::collection::vec(prop::collection::vec(any_field(), 5), 1..12),
            quote in any::<[bool; 5]>(),
        ) {
            let mut lines = vec![["id", "name", "\"third\"", "d", "e"][..width].join(separator)];
            for row in &cells {
                let cell = |column: usize| {
                    let cell = fixed[column].as_ref().unwrap_or(&row[column]);
                    if quote[column] && !cell.contains('"') { format!("\"{cell}\"") } else { cell.clone() }
                };
                lines.push((0..width).map(cell).collect::<Vec<_>>().join(separator));
            }
            check(&lines.join("\n"));
        }

        #[test]
        fn any_block_may_come(
            args in "(comma|tab|bar)?(, quoted( [0-9]{1,2})+)?(, \\^ as above)?|[ -~]{0,12}",
            body in prop::collection::vec("[a-b,|\t\"=^]{0,12}", 0..8),
        ) {
            let body: Vec<&str> = body.iter().map(String::as_str).collect();
            if let Some(text) = Columns.decode(&args, &body, 60) {
                prop_assert!(text.len() <= 60);
            }
        }

        #[test]
        fn any_text_may_be_encoded(text in "([a-c]|[,;|\t\"^=\n]){0,80}") {
            check(&text);
        }
    }
}
