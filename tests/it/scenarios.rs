//! The list of scenarios is complete, and names tests that are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Prefixes and numbers of the scenarios that the list must hold.
const RANGES: &[(&str, usize)] = &[
    ("C", 20),
    ("T", 24),
    ("J", 33),
    ("G", 3),
    ("V", 14),
    ("K", 104),
    ("M", 21),
    ("MM", 13),
    ("H", 101),
    ("E", 12),
    ("B", 4),
    ("D", 5),
    ("P", 10),
    ("W", 10),
    ("SK", 7),
    ("P-", 14),
    ("I-", 8),
    ("Y-", 16),
    ("T-", 8),
    ("E-", 13),
    ("M-", 8),
    ("B-", 7),
    ("K-", 11),
    ("C-", 7),
    ("R-", 14),
    ("U-", 12),
    ("L-", 20),
    ("N-", 15),
    ("F-", 26),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    scenario: Vec<Scenario>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    id: String,
    test: Tests,
    status: String,
    decides: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Tests {
    One(String),
    Several(Vec<String>),
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")
}

fn list() -> List {
    let text = fs::read_to_string(folder().join("scenarios.toml")).expect("a list");
    toml::from_str(&text).expect("TOML")
}

fn tests_of(row: &Scenario) -> &[String] {
    match &row.test {
        Tests::One(test) => std::slice::from_ref(test),
        Tests::Several(tests) => tests,
    }
}

/// Whether `module::path::name` is a test function of the sources here.
pub fn is_test(path: &str) -> bool {
    let (module, name) = path.rsplit_once("::").expect("a module and a name");
    let file = folder().join(format!("{}.rs", module.replace("::", "/")));
    let Ok(text) = fs::read_to_string(file) else { return false };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.windows(2).any(|pair| {
        matches!(pair[0], "#[test]" | "#[tokio::test]")
            && [format!("fn {name}("), format!("async fn {name}(")]
                .iter()
                .any(|head| pair[1].starts_with(head))
    })
}

#[test]
fn every_scenario_is_listed_once() {
    let list = list();
    let found: Vec<&str> = list.scenario.iter().map(|row| row.id.as_str()).collect();
    let wanted: BTreeSet<String> = RANGES
        .iter()
        .flat_map(|(tag, last)| (1..=*last).map(move |number| format!("{tag}{number:02}")))
        .chain((107..=111).map(|number| format!("H{number}")))
        .collect();
    let distinct: BTreeSet<String> = found.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(distinct.len(), found.len(), "an id stands twice");
    let missing: Vec<_> = wanted.difference(&distinct).collect();
    let unknown: Vec<_> = distinct.difference(&wanted).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
}

#[test]
fn every_named_test_exists() {
    let list = list();
    let gone: Vec<&String> =
        list.scenario.iter().flat_map(tests_of).filter(|test| !is_test(test)).collect();
    assert!(gone.is_empty(), "no such tests: {gone:?}");
    assert!(!is_test("scenarios::no_such_test"));
}

#[test]
fn what_is_chosen_is_rare_and_says_why() {
    let list = list();
    for row in &list.scenario {
        assert!(matches!(row.status.as_str(), "kept" | "fixed" | "chosen"), "{}", row.id);
        assert!(row.status != "chosen" || row.decides.is_some(), "{} decides nothing", row.id);
    }
    // Most of what another engine does with its own summaries is decided otherwise here.
    let counts = |id: &str| !id.starts_with('K');
    let chosen = |row: &&Scenario| row.status == "chosen" && counts(&row.id);
    let chosen = list.scenario.iter().filter(chosen).count();
    let all = list.scenario.iter().filter(|row| counts(&row.id)).count();
    assert!(chosen * 10 <= all, "{chosen} of {all} are chosen");
}
