//! `docs/parity.md` names routes that are served and tests that exist.

use crate::scenarios::is_test;

const DOCUMENT: &str = include_str!("../../docs/parity.md");

/// The cells of a table's row.
fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')).collect()
}

/// The rows of the tables that name a test.
fn rows() -> Vec<Vec<&'static str>> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in DOCUMENT.lines() {
        if !line.starts_with('|') {
            inside = false;
        } else if line == "| There | Here | Shown by |" {
            inside = true;
        } else if inside && !line.starts_with("|---") {
            found.push(cells(line));
        }
    }
    found
}

#[test]
fn every_row_leads_to_a_route_and_a_test() {
    let rows = rows();
    assert!(rows.len() > 50, "only {} rows", rows.len());
    let document = serde_json::to_value(contexture::http::openapi()).expect("document serialises");
    for row in rows {
        let [there, here, test] = row.as_slice() else { panic!("{row:?} has not three cells") };
        let (method, path) = here.split_once(' ').unwrap_or_else(|| panic!("{there}: {here}"));
        let operation = &document["paths"][path][method.to_lowercase()];
        assert!(operation.is_object(), "{there}: {here} is not served");
        assert!(is_test(test), "{there}: there is no test {test}");
    }
}

#[test]
fn every_system_has_a_table() {
    for system in
        ["ContextChef", "PraisonAI", "context-compression-engine", "stud-cli", "The pack compiler"]
    {
        assert!(
            DOCUMENT.contains(&format!("\n## {system}\n\n| There | Here | Shown by |")),
            "{system}"
        );
    }
}
