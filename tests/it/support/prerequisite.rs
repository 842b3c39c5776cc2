//! Things that a test needs and some machines lack. Every test that skips does so through this file,
//! in `tests/it` and in the unit tests of `src`.
//!
//! `CONTEXTURE_TEST_REQUIRE` lists the names of things that must be there, with commas between, or is
//! `1` for all of them. A test that lacks a required thing fails instead of skipping.
#![expect(clippy::disallowed_methods, reason = "tests find these things by the environment")]

use std::io::Write as _;

/// Prerequisites that the environment names: the name for `CONTEXTURE_TEST_REQUIRE`, and the variable.
const VARIABLES: [(&str, &str); 8] = [
    ("corpus", "CONTEXTURE_CORPUS"),
    ("jsonlogic_divergence", "CONTEXTURE_JSONLOGIC_DIVERGENCE"),
    ("jsonlogic_suite", "CONTEXTURE_JSONLOGIC_SUITE"),
    ("logs", "CONTEXTURE_LOGS"),
    ("node_packages", "CONTEXTURE_NODE_MODULES"),
    ("packs", "CONTEXTURE_PACKS"),
    ("postgres", "CONTEXTURE_TEST_POSTGRES"),
    ("python_packages", "CONTEXTURE_PYTHON"),
];

/// Prerequisites that the machine has or lacks.
const FACILITIES: [&str; 4] = ["proc", "python", "strace", "tmpfs"];

const REQUIRE: &str = "CONTEXTURE_TEST_REQUIRE";

/// Returns the value of the variable that names this prerequisite. If there is none, the caller skips.
pub(crate) fn variable(name: &str) -> Option<String> {
    let row = VARIABLES.iter().find(|(own, _)| *own == name);
    let (_, variable) = row.unwrap_or_else(|| panic!("add `{name}` to VARIABLES"));
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        skip(name, &format!("{variable} is not set"));
    }
    value
}

/// Prints that the running test skips and why. Panics if the missing prerequisite is required.
pub(crate) fn skip(name: &str, reason: &str) {
    let required = std::env::var(REQUIRE).unwrap_or_default();
    assert!(!is_required(&required, name), "`{name}` is required by {REQUIRE}, but {reason}");
    let thread = std::thread::current();
    // `eprintln!` would be captured: the test runner shows the output of failed tests only.
    let mut stderr = std::io::stderr();
    writeln!(stderr, "skipped {}: {reason}", thread.name().unwrap_or_default()).unwrap();
}

/// Whether the list names this prerequisite. A name that no prerequisite has would require nothing.
fn is_required(list: &str, name: &str) -> bool {
    let is_known =
        |name: &str| FACILITIES.contains(&name) || VARIABLES.iter().any(|(own, _)| *own == name);
    assert!(is_known(name), "add `{name}` to FACILITIES");
    let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let unknown = names.iter().find(|name| **name != "1" && !is_known(name));
    assert!(unknown.is_none(), "{REQUIRE} has the unknown name {unknown:?}");
    names.iter().any(|own| *own == "1" || *own == name)
}

#[test]
fn one_requires_everything_and_a_list_what_it_names() {
    for (list, postgres, strace) in [
        ("", false, false),
        ("1", true, true),
        ("postgres", true, false),
        ("corpus, strace", false, true),
        ("1,corpus", true, true),
    ] {
        let found = (is_required(list, "postgres"), is_required(list, "strace"));
        assert_eq!(found, (postgres, strace), "{list:?}");
    }
}

#[test]
#[should_panic(expected = "unknown name")]
fn a_name_that_is_not_known_is_refused() {
    is_required("postgres,corpse", "postgres");
}
