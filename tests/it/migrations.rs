//! The schemas of both databases have the same steps, tables and columns.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// How each database finds memory by words is its own affair.
const OWN: &[&str] = &["memory_words", "memory_terms", "memory_word_state"];

/// Columns that each step adds, by the step and the table, in order.
fn tables(database: &str) -> BTreeMap<(String, String), Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(database);
    let mut found: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let entries = fs::read_dir(folder).expect("a folder of migrations");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    for path in files {
        let step = path.file_name().expect("a name").to_string_lossy().into_owned();
        // A step that has no table of its own is compared, too.
        found.entry((step.clone(), String::new())).or_default();
        for (table, columns) in step_columns(&fs::read_to_string(&path).expect("text")) {
            let known = known.entry(table.clone()).or_default();
            // A table that is built again has its old columns, too.
            let new = columns.into_iter().filter(|column| known.insert(column.clone()));
            found.entry((step.clone(), table)).or_default().extend(new);
        }
    }
    found.retain(|(_, table), _| !OWN.contains(&table.as_str()));
    found
}

/// Columns of the tables that a step creates or extends, by the final name of the table.
fn step_columns(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut table: Option<String> = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["CREATE", "TABLE", name, ..] => table = Some(name.to_owned()),
            [");" | ")", ..] => table = None,
            ["ALTER", "TABLE", name, "ADD", "COLUMN", column, ..] => {
                found.entry(name.to_owned()).or_default().push(column.to_owned());
            }
            ["ALTER", "TABLE", name, "RENAME", "TO", new] => {
                let columns = found.remove(name).expect("the step created it");
                found.insert(new.trim_end_matches(';').to_owned(), columns);
            }
            [column, _, ..]
                if line.starts_with("    ")
                    && !line.starts_with("     ")
                    && column.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') =>
            {
                if let Some(table) = &table {
                    found.entry(table.clone()).or_default().push(column.to_owned());
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn both_databases_have_the_same_tables_in_the_same_steps() {
    let (sqlite, postgres) = (tables("sqlite"), tables("postgres"));
    assert!(sqlite.len() > 10, "tables are found");
    assert_eq!(sqlite, postgres);
}
