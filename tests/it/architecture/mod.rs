//! The layers, as a table: a module may use what its row names, and nothing else.

mod circles;
mod names;
mod signatures;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Production lines of a file, tests below not counted.
const MAX_LINES: usize = 400;

/// Bottom up: a row names only rows above it.
#[rustfmt::skip]
const MAY_USE: &[(&str, &[&str])] = &[
    ("limit",     &[]),
    ("json",      &["limit"]),
    ("domain",    &["limit", "json"]),
    ("config",    &["domain"]),
    ("telemetry", &["config"]),
    ("store",     &["domain", "config"]),
    ("tokenizer", &["domain", "json"]),
    ("provider",  &["domain", "json"]),
    ("compress",  &["limit", "domain", "json", "tokenizer"]),
    ("policy",    &["limit", "json"]),
    ("pack",      &["limit", "domain", "json", "policy"]),
    ("hook",      &["limit", "domain", "json"]),
    ("request",   &["limit", "domain", "json", "provider", "pack", "hook"]),
    ("webhook",   &["domain", "config", "telemetry", "hook"]),
    ("gateway",   &["limit", "domain", "json"]),
    ("upstream",  &["config", "webhook"]),
    ("pipeline",  &["limit", "domain", "json", "tokenizer", "provider", "policy", "pack", "compress", "hook",
                    "request"]),
    ("service",   &["limit", "domain", "json", "tokenizer", "provider", "policy", "pack", "compress",
                    "request", "pipeline", "store", "hook", "webhook", "telemetry", "gateway"]),
    ("http",      &["limit", "domain", "config", "json", "telemetry", "policy", "pack", "pipeline", "service",
                    "gateway", "upstream"]),
    ("server",    &["json", "domain", "config", "telemetry", "store", "tokenizer", "provider", "pack", "compress",
                    "request", "pipeline", "service", "http", "hook", "webhook", "upstream"]),
    ("cli",       &["json", "config", "telemetry", "http", "server", "service", "domain", "pipeline", "hook",
                    "webhook"]),
];

struct Source {
    module: String,
    path: PathBuf,
    text: String,
}

impl Source {
    /// Whether the whole file is tests: `tests.rs`, or anything below `tests/`.
    fn is_test(&self) -> bool {
        self.path.iter().any(|name| name == "tests" || name == "tests.rs")
    }
}

#[test]
fn arrows_point_one_way() {
    let mut broken = Vec::new();
    for Source { module, path, text } in sources() {
        let row = MAY_USE.iter().find(|(name, _)| *name == module);
        let (_, row) = row.unwrap_or_else(|| panic!("add `{module}` to MAY_USE"));
        for used in uses(&code(&text)) {
            let known = MAY_USE.iter().any(|(name, _)| *name == used);
            if known && used != module && !row.contains(&used.as_str()) {
                broken.push(format!("{}: {module} -> {used}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "arrows that point the wrong way:\n{}", broken.join("\n"));
}

#[test]
fn the_table_has_no_circle() {
    for (at, (module, row)) in MAY_USE.iter().enumerate() {
        for used in *row {
            let below = MAY_USE.iter().position(|(name, _)| name == used).expect("a known name");
            assert!(below < at, "`{module}` stands above `{used}`, which it uses");
        }
    }
}

#[test]
fn every_module_of_the_table_is_there() {
    let sources = sources();
    for (module, _) in MAY_USE {
        assert!(sources.iter().any(|source| source.module == *module), "{module} is gone");
    }
}

#[test]
fn files_stay_short() {
    let long: Vec<String> = sources()
        .into_iter()
        .filter(|source| !source.is_test())
        .map(|source| (production_lines(&source.text), source.path))
        .filter(|(lines, _)| *lines > MAX_LINES)
        .map(|(lines, path)| format!("{}: {lines}", path.display()))
        .collect();
    assert!(long.is_empty(), "split these by noun:\n{}", long.join("\n"));
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|source| !source.is_test() && !source.text.starts_with("//!"))
        .map(|source| source.path)
        .collect();
    assert!(silent.is_empty(), "these begin without a `//!` line: {silent:?}");
}

#[test]
fn visibility_is_of_the_parent_or_the_crate() {
    let found: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|source| !source.is_test() && code(&source.text).contains("pub(in "))
        .map(|source| source.path)
        .collect();
    assert!(found.is_empty(), "write `pub(super)` or `pub(crate)`: {found:?}");
}

#[test]
fn only_tasks_the_pool_and_the_writer_spawn() {
    let allowed = [
        "server/tasks.rs",
        "service/pool/mod.rs",
        "store/sqlite/writer.rs",
        "store/postgres/writers.rs",
        "store/postgres/connection.rs",
    ];
    for source in sources() {
        let path = source.path.to_string_lossy().replace('\\', "/");
        let spawns =
            ["tokio::spawn(", "task::spawn", "thread::spawn(", "thread::Builder", "tracker.spawn"];
        let text = production(&source.text);
        let found = spawns.iter().find(|call| text.contains(**call));
        assert!(found.is_none() || allowed.contains(&path.as_str()), "{path}: {found:?}");
    }
}

#[test]
fn every_schema_of_the_description_has_a_name_of_its_own() {
    // Of two with one name, the description holds one, and says nothing of it.
    let (mut known, mut twice) = (BTreeSet::new(), Vec::new());
    for source in sources() {
        let mut is_schema = false;
        for line in production(&source.text).lines() {
            is_schema |= line.starts_with("#[derive(") && line.contains("ToSchema");
            let own = line.strip_prefix("#[schema(as = ").and_then(|rest| rest.strip_suffix(")]"));
            let defined =
                ["pub struct ", "pub enum "].iter().find_map(|head| line.strip_prefix(head));
            let Some(name) = own.or(defined).filter(|_| is_schema) else { continue };
            is_schema = false;
            let name = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            if !known.insert(name.to_owned()) {
                twice.push(format!("{name} in {}", source.path.display()));
            }
        }
    }
    assert!(known.len() > 100 && twice.is_empty(), "{} names, twice: {twice:?}", known.len());
}

/// Every source file below `src/` that belongs to a module.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("readable folder") {
            let path = entry.expect("readable entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let inside = path.strip_prefix(&root).expect("below src").to_path_buf();
            let first = inside.iter().next().expect("a name").to_string_lossy().into_owned();
            let module = first.trim_end_matches(".rs").to_owned();
            if module != "main" && module != "lib" {
                let text = fs::read_to_string(&path).expect("readable file");
                found.push(Source { module, path: inside, text });
            }
        }
    }
    found
}

/// A file of `src/` that is not all tests, as its syntax.
struct ParsedSource {
    path: PathBuf,
    file: syn::File,
}

fn parsed_sources() -> Vec<ParsedSource> {
    let sources = sources().into_iter().filter(|source| !source.is_test());
    let parse = |Source { path, text, .. }: Source| ParsedSource {
        file: syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        path,
    };
    sources.map(parse).collect()
}

/// Whether an item is for tests only: `#[test]`, or `#[cfg(…)]` with `test` in it.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        let condition = attribute.meta.require_list().map(|list| list.tokens.to_string());
        let words = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == "test");
        attribute.path().is_ident("test") || is_cfg && condition.is_ok_and(|text| words(&text))
    })
}

fn production(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or("")
}

fn production_lines(text: &str) -> usize {
    production(text).lines().count()
}

/// The text without its comments: a link in a doc comment is no arrow.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The top-level modules that `crate::a`, `crate::{a, b::{c, d}}` and the like name.
fn uses(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, mark) in text.match_indices("crate::") {
        let rest = &text[at + mark.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.push(word(rest));
            continue;
        };
        let mut depth = 1;
        let mut is_start = true;
        for (index, character) in group.char_indices() {
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' => is_start = true,
                _ if is_start && depth == 1 && !character.is_whitespace() => {
                    names.push(word(&group[index..]));
                    is_start = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names
}

fn word(text: &str) -> String {
    text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

#[test]
fn uses_reads_single_names_and_groups() {
    let group = "use crate::{pipeline, store::{self, x},\n    http};";
    assert_eq!(uses(group), ["pipeline", "store", "http"]);
    assert_eq!(uses("use crate::domain::Pack; crate::hook::Error"), ["domain", "hook"]);
}
