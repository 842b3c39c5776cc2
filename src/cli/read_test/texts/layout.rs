//! The same records in the formats of tools.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

use super::super::random::SeededRandom;
use super::value_table::ValueTable;

/// The record as JSON; columns with a dot in their name are in an object.
fn record(table: &ValueTable, at: usize) -> Value {
    let mut members = Map::new();
    for (column, value) in table.columns.iter().zip(table.row(at)) {
        let value = scalar(value);
        match column.name.split_once('.') {
            None => {
                members.insert(column.name.to_owned(), value);
            }
            Some((object, name)) => {
                let inner = members.entry(object).or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(inner) = inner {
                    inner.insert(name.to_owned(), value);
                }
            }
        }
    }
    Value::Object(members)
}

/// A number if a text is one, written as it is.
fn scalar(text: &str) -> Value {
    let number = text.parse::<Number>().ok().filter(|number| number.to_string() == text);
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// All records as JSON.
pub(super) fn records(table: &ValueTable) -> Value {
    Value::Array((0..table.count).map(|at| record(table, at)).collect())
}

pub(super) fn json(table: &ValueTable, random: &mut SeededRandom) -> String {
    let list = records(table);
    let indented = random.below(2) == 0;
    let text =
        if indented { serde_json::to_string_pretty(&list) } else { serde_json::to_string(&list) };
    text.unwrap_or_default()
}

pub(super) fn json_lines(table: &ValueTable, _: &mut SeededRandom) -> String {
    let mut text = String::new();
    for at in 0..table.count {
        let _ = writeln!(text, "{}", record(table, at));
    }
    text
}

pub(super) fn csv(table: &ValueTable, _: &mut SeededRandom) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let mut text = names.join(",") + "\n";
    for at in 0..table.count {
        text.push_str(&table.row(at).collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text
}

pub(super) fn markdown(table: &ValueTable, _: &mut SeededRandom) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let mut text = format!("| {} |\n|{}\n", names.join(" | "), "---|".repeat(names.len()));
    for at in 0..table.count {
        let _ = writeln!(text, "| {} |", table.row(at).collect::<Vec<_>>().join(" | "));
    }
    text
}

/// Columns of blanks, as `ps` and `kubectl get` print them.
pub(super) fn aligned(table: &ValueTable, _: &mut SeededRandom) -> String {
    let mut lines = vec![String::new(); table.count + 1];
    for column in &table.columns {
        let name = column.name.to_uppercase();
        let width = column.values.iter().map(String::len).max().unwrap_or(0).max(name.len()) + 3;
        let cells = std::iter::once(name.as_str()).chain(column.values.iter().map(String::as_str));
        for (line, cell) in lines.iter_mut().zip(cells) {
            let _ = write!(line, "{cell:<width$}");
        }
    }
    let mut text = String::new();
    for line in lines {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A list of maps below a key.
pub(super) fn yaml(table: &ValueTable, _: &mut SeededRandom) -> String {
    let mut text = format!("{}:\n", table.plural);
    for at in 0..table.count {
        text.push_str(&yaml_entry(table, at));
    }
    text
}

/// The same with comments between entries, which no table of the whole document can hold.
pub(super) fn commented_yaml(table: &ValueTable, _: &mut SeededRandom) -> String {
    let mut text = format!("# {} of this week\n{}:\n", table.plural, table.plural);
    for at in 0..table.count {
        if at == table.count / 2 {
            text.push_str("# added later\n");
        }
        text.push_str(&yaml_entry(table, at));
    }
    text
}

fn yaml_entry(table: &ValueTable, at: usize) -> String {
    let mut text = String::new();
    let mut object = "";
    for (column, value) in table.columns.iter().zip(table.row(at)) {
        let lead = if text.is_empty() { "- " } else { "  " };
        if let Some((outer, name)) = column.name.split_once('.') {
            if outer != object {
                let _ = writeln!(text, "{lead}{outer}:");
                object = outer;
            }
            let _ = writeln!(text, "    {name}: {value}");
        } else {
            let _ = writeln!(text, "{lead}{}: {value}", column.name);
        }
    }
    text
}

/// An element for each record, with a key as attribute.
pub(super) fn xml(table: &ValueTable, _: &mut SeededRandom) -> String {
    let body: String = (0..table.count).map(|at| xml_element(table, at)).collect();
    format!("<{}>\n{body}</{}>\n", table.plural, table.plural)
}

/// The same with a comment, which no table of the whole document can hold.
pub(super) fn commented_xml(table: &ValueTable, _: &mut SeededRandom) -> String {
    let middle = table.count / 2;
    let elements = |rows: std::ops::Range<usize>| -> String {
        rows.map(|at| attributes_element(table, at)).collect()
    };
    let (first, second) = (elements(0..middle), elements(middle..table.count));
    format!("<{0}>\n{first}  <!-- added later -->\n{second}</{0}>\n", table.plural)
}

fn xml_element(table: &ValueTable, at: usize) -> String {
    let mut text = String::new();
    for (place, (column, value)) in table.columns.iter().zip(table.row(at)).enumerate() {
        let name = column.name.replace('.', "-");
        if place == 0 {
            let _ = writeln!(text, "  <{} {name}=\"{value}\">", table.noun);
        } else {
            let _ = writeln!(text, "    <{name}>{value}</{name}>");
        }
    }
    format!("{text}  </{}>\n", table.noun)
}

fn attributes_element(table: &ValueTable, at: usize) -> String {
    let attributes: Vec<String> = table
        .columns
        .iter()
        .zip(table.row(at))
        .map(|(column, value)| format!("{}=\"{value}\"", column.name.replace('.', "-")))
        .collect();
    format!("  <{} {}/>\n", table.noun, attributes.join(" "))
}
