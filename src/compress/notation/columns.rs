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

use std::collections::BTreeSet;

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
            let taken = table.rows.len();
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
        let mut above: Vec<String> = Vec::new();
        for row in rows {
            let shown = fields(row, style.separator)?;
            let mut shown = shown.into_iter();
            let whole = shown.len() == constants.len();
            let mut now = Vec::with_capacity(constants.len());
            out.push('\n');
            for (index, constant) in constants.iter().enumerate() {
                if index > 0 {
                    out.push(style.separator);
                }
                let field = match constant {
                    Some(value) if !whole => (*value).to_owned(),
                    _ => style.field(shown.next()?, index, above.get(index))?,
                };
                out.push_str(&field);
                if out.len() > limit {
                    return None;
                }
                now.push(field);
            }
            if shown.next().is_some() {
                return None;
            }
            above = now;
        }
        (out.len() <= limit).then_some(out)
    }
}

/// What a header says of a table.
struct Style {
    separator: char,
    /// Columns whose fields are put in quotes.
    quoted: BTreeSet<usize>,
    ditto: bool,
}

impl Style {
    fn words(&self) -> String {
        let known = SEPARATORS.iter().find(|(separator, _)| *separator == self.separator);
        let mut words = known.map_or_else(String::new, |(_, word)| (*word).to_owned());
        if !self.quoted.is_empty() {
            words.push_str(", quoted");
            for column in &self.quoted {
                words.push(' ');
                words.push_str(&(column + 1).to_string());
            }
        }
        if self.ditto {
            words.push_str(", ");
            words.push_str(DITTO_WORDS);
        }
        words
    }

    fn read(words: &str) -> Option<Self> {
        let mut parts = words.split(", ").peekable();
        let word = parts.next()?;
        let (separator, _) = SEPARATORS.iter().find(|(_, known)| *known == word)?;
        let mut quoted = BTreeSet::new();
        if let Some(columns) = parts.peek().and_then(|part| part.strip_prefix("quoted ")) {
            for column in columns.split(' ') {
                quoted.insert(column.parse::<usize>().ok()?.checked_sub(1)?);
            }
            parts.next();
        }
        let ditto = parts.next_if_eq(&DITTO_WORDS).is_some();
        parts.next().is_none().then_some(Self { separator: *separator, quoted, ditto })
    }

    /// A field as it was.
    fn field(&self, shown: &str, column: usize, above: Option<&String>) -> Option<String> {
        if self.ditto && shown == DITTO {
            return above.cloned();
        }
        if self.quoted.contains(&column) && !shown.starts_with('"') {
            return Some(format!("\"{shown}\""));
        }
        Some(shown.to_owned())
    }
}

/// The first row of a block as it was, and the values that stand beside its fields.
fn first_row(line: &str, separator: char) -> Option<(String, Vec<Option<&str>>)> {
    let mut out = String::new();
    let mut constants = Vec::new();
    let mut rest = line;
    loop {
        let (name, after) = field(rest, &[separator, '='])?;
        out.push_str(name);
        rest = after;
        let constant = match rest.strip_prefix('=') {
            Some(value) => {
                let (value, after) = field(value, &[separator])?;
                rest = after;
                Some(value)
            }
            None => None,
        };
        constants.push(constant);
        if rest.is_empty() {
            return Some((out, constants));
        }
        rest = rest.strip_prefix(separator)?;
        out.push(separator);
    }
}

/// The field at the head of a text, quotes included, and what follows it.
fn field<'a>(text: &'a str, ends: &[char]) -> Option<(&'a str, &'a str)> {
    let Some(inner) = text.strip_prefix('"') else {
        return text.split_at_checked(text.find(ends).unwrap_or(text.len()));
    };
    let bytes = inner.as_bytes();
    let mut at = 0;
    loop {
        at += memchr::memchr(b'"', bytes.get(at..)?)? + 1;
        if bytes.get(at) != Some(&b'"') {
            break;
        }
        at += 1;
    }
    let (field, rest) = text.split_at_checked(at + 1)?;
    (rest.is_empty() || rest.starts_with(ends)).then_some((field, rest))
}

fn fields(line: &str, separator: char) -> Option<Vec<&str>> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let (next, after) = field(rest, &[separator])?;
        fields.push(next);
        if after.is_empty() {
            return Some(fields);
        }
        rest = after.strip_prefix(separator)?;
    }
}

/// Rows of one width, and the names above them.
struct Rows<'a> {
    separator: char,
    rows: Vec<Vec<&'a str>>,
}

impl<'a> Rows<'a> {
    /// The table that begins with the first of these lines.
    fn first(lines: &[&'a str]) -> Option<Self> {
        let (first, second) = (lines.first()?, lines.get(1)?);
        let (separator, names) = SEPARATORS.iter().find_map(|(separator, _)| {
            let names = first.contains(*separator).then(|| fields(first, *separator)).flatten()?;
            let same = fields(second, *separator)?.len() == names.len();
            (same && are_names(&names)).then_some((*separator, names))
        })?;
        let width = names.len();
        let below = lines
            .iter()
            .skip(1)
            .map_while(|line| fields(line, separator).filter(|row| row.len() == width));
        let rows: Vec<_> = std::iter::once(names).chain(below).collect();
        (rows.len() >= FEWEST).then_some(Self { separator, rows })
    }

    /// The block of this table, whose lines are at the head of `lines`.
    fn block(&self, lines: &[&str]) -> Option<Block> {
        let (names, below) = self.rows.split_first()?;
        let lines = lines.get(1..self.rows.len())?;
        let reports: Vec<bool> = lines.iter().map(|line| reports_error(line)).collect();
        let width = names.len();
        let constants: Vec<Option<&str>> = (0..width)
            .map(|column| constant(below, &reports, column).filter(|_| width > 1))
            .collect();
        let quoted: BTreeSet<usize> = (0..width)
            .filter(|column| {
                constants.get(*column) == Some(&None)
                    && below
                        .iter()
                        .filter_map(|row| row.get(*column))
                        .all(|field| field.starts_with('"'))
            })
            .collect();
        let dittos = self.dittos(&constants);
        let shown = constants.iter().filter(|constant| constant.is_none()).count();
        let style = Style { separator: self.separator, quoted, ditto: !dittos.is_empty() };
        let plain = shown == width && style.quoted.is_empty() && dittos.is_empty();
        if shown == 0 || plain {
            return None;
        }
        let mut body = vec![write_names(names, &constants, self.separator)];
        let mut above: Option<&Vec<&str>> = None;
        for ((row, line), report) in below.iter().zip(lines).zip(&reports) {
            let shown = if *report {
                (*line).to_owned()
            } else {
                write_row(row, above, &constants, &dittos, &style)
            };
            body.push(shown);
            above = Some(row);
        }
        Some(Block { args: style.words(), body })
    }

    /// The columns in which a good part of the fields repeats the one above.
    fn dittos(&self, constants: &[Option<&str>]) -> BTreeSet<usize> {
        let below = self.rows.get(1..).unwrap_or_default();
        if below.iter().flatten().any(|field| *field == DITTO) {
            return BTreeSet::new();
        }
        let repeats = |column: usize| {
            let pairs = below.iter().zip(below.iter().skip(1));
            let same = pairs.filter(|(above, row)| {
                let (above, field) = (above.get(column), row.get(column));
                above == field && field.is_some_and(|field| field.len() >= DITTO_BYTES)
            });
            same.count()
        };
        let often = |column: &usize| 3 * repeats(*column) >= below.len();
        let open = |column: &usize| constants.get(*column) == Some(&None);
        (0..constants.len()).filter(open).filter(often).collect()
    }
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

/// The one field of all rows that report no error.
fn constant<'a>(rows: &[Vec<&'a str>], reports: &[bool], column: usize) -> Option<&'a str> {
    let mut fields = rows
        .iter()
        .zip(reports)
        .filter(|(_, report)| !**report)
        .filter_map(|(row, _)| row.get(column).copied());
    let first = fields.next()?;
    let mut rest = fields.peekable();
    rest.peek()?;
    rest.all(|field| field == first).then_some(first)
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
    row: &[&str],
    above: Option<&Vec<&str>>,
    constants: &[Option<&str>],
    dittos: &BTreeSet<usize>,
    style: &Style,
) -> String {
    let mut line = String::new();
    let mut first = true;
    for (column, field) in row.iter().enumerate() {
        if constants.get(column).copied().flatten().is_some() {
            continue;
        }
        if !std::mem::take(&mut first) {
            line.push(style.separator);
        }
        let same = above.and_then(|above| above.get(column)) == Some(field);
        if same && dittos.contains(&column) && field.len() >= DITTO_BYTES {
            line.push_str(DITTO);
        } else {
            line.push_str(unquoted(field, column, style));
        }
    }
    line
}

/// The field without its quotes, where they are put back.
fn unquoted<'a>(field: &'a str, column: usize, style: &Style) -> &'a str {
    let inner = field.strip_prefix('"').and_then(|field| field.strip_suffix('"'));
    inner
        .filter(|inner| style.quoted.contains(&column) && !inner.contains(['"', style.separator]))
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
