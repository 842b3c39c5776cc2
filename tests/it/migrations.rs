//! The schemas of both databases have the same steps, tables and columns.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// How each database finds memory by words is its own affair.
const OWN: &[&str] = &["memory_words", "memory_terms", "memory_word_state"];

/// Tables by their step and name, each with its columns in order.
fn tables(database: &str) -> BTreeMap<(String, String), Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(database);
    let mut found: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder of migrations") {
        let path = entry.expect("an entry").path();
        let step = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("text");
        // A step that has no table of its own is compared, too.
        found.entry((step.clone(), String::new())).or_default();
        let mut table: Option<String> = None;
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match (words.next(), words.next(), words.next()) {
                (Some("CREATE"), Some("TABLE"), Some(name)) => table = Some(name.to_owned()),
                (Some(");" | ")"), ..) => table = None,
                (Some("ALTER"), Some("TABLE"), Some(name)) if line.contains("ADD COLUMN") => {
                    let column = line.split_whitespace().nth(5).expect("a column");
                    found
                        .entry((step.clone(), name.to_owned()))
                        .or_default()
                        .push(column.to_owned());
                }
                (Some(column), Some(_), _)
                    if line.starts_with("    ")
                        && !line.starts_with("     ")
                        && column.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') =>
                {
                    if let Some(table) = &table {
                        let key = (step.clone(), table.clone());
                        found.entry(key).or_default().push(column.to_owned());
                    }
                }
                _ => {}
            }
        }
    }
    found.retain(|(_, table), _| !OWN.contains(&table.as_str()));
    found
}

#[test]
fn both_databases_have_the_same_tables_in_the_same_steps() {
    let (sqlite, postgres) = (tables("sqlite"), tables("postgres"));
    assert!(sqlite.len() > 10, "tables are found");
    assert_eq!(sqlite, postgres);
}
