//! What documents and comments name is in the repository: paths, scripts, terms of the glossary.

use std::fs;
use std::path::{Path, PathBuf};

/// A path of the repository ends with one of these, or begins with one of [`FOLDERS`].
const ENDINGS: &[&str] = &[".rs", ".md", ".py", ".sh", ".toml", ".yaml", ".json", ".mjs"];
const FOLDERS: &[&str] =
    &["src/", "tests/", "docs/", "scripts/", "migrations/", "fuzz/", "examples/"];
/// Terms that the glossary may have: more are not learnt by anybody.
const MAX_TERMS: usize = 40;

#[test]
fn every_path_that_is_named_exists() {
    let root = root();
    let mut documents = vec![root.join("ARCHITECTURE.md"), root.join("CONTRIBUTING.md")];
    documents.extend(files(&root.join("docs/adr"), "md"));
    let mut texts: Vec<(PathBuf, String)> = Vec::new();
    for path in documents {
        let text = read(&path);
        texts.push((path, text));
    }
    for path in files(&root.join("src"), "rs") {
        let text = comments(&read(&path));
        texts.push((path, text));
    }
    let (mut found, mut missing) = (0, Vec::new());
    for (file, text) in &texts {
        let folder = file.parent().expect("a folder");
        for path in text.lines().flat_map(paths) {
            found += 1;
            let places = [root.join(path), root.join("src").join(path), folder.join(path)];
            if !places.iter().any(|place| place.exists()) {
                missing.push(format!("{}: {path}", file.display()));
            }
        }
    }
    assert!(found > 80, "only {found} paths are found");
    assert!(missing.is_empty(), "no such files:\n{}", missing.join("\n"));
}

#[test]
fn a_section_that_a_comment_cites_is_one_of_an_rfc() {
    let mut found = 0;
    for file in files(&root().join("src"), "rs") {
        for line in comments(&read(&file)).lines() {
            let mut marked = line.split('§').skip(1);
            if marked.any(|rest| rest.starts_with(|first: char| first.is_ascii_digit())) {
                found += 1;
                assert!(line.contains("RFC"), "{}: say the rule itself: {line}", file.display());
            }
        }
    }
    assert!(found > 0, "no section is found");
}

#[test]
fn the_table_of_stages_has_their_numbers() {
    let architecture = read(&root().join("ARCHITECTURE.md"));
    for row in contexture::pipeline::STAGES {
        let beginning = format!("| {} | `{}` |", row.number, row.stage.as_str());
        assert!(architecture.contains(&beginning), "no row begins with {beginning}");
    }
}

#[test]
fn every_script_has_a_row() {
    let contributing = read(&root().join("CONTRIBUTING.md"));
    let entries = fs::read_dir(root().join("scripts")).expect("a folder");
    let mut found = 0;
    for entry in entries {
        let entry = entry.expect("an entry");
        if entry.path().is_dir() {
            continue;
        }
        let row = format!("| `scripts/{}` |", entry.file_name().to_string_lossy());
        assert!(contributing.contains(&row), "CONTRIBUTING.md has no row that begins with {row}");
        found += 1;
    }
    assert!(found > 0, "no script is found");
}

#[test]
fn the_glossary_is_short_and_sorted_and_has_every_term_that_is_linked() {
    let glossary = read(&root().join("docs/glossary.md"));
    let anchors = glossary.split("<a id=\"").skip(1);
    let terms: Vec<&str> = anchors.filter_map(|rest| rest.split('"').next()).collect();
    assert!(!terms.is_empty() && terms.len() <= MAX_TERMS, "{} terms", terms.len());
    assert!(terms.is_sorted(), "not in order: {terms:?}");
    let mut documents = files(&root().join("docs"), "md");
    documents.extend([root().join("README.md"), root().join("ARCHITECTURE.md")]);
    let mut links = 0;
    for file in documents {
        for link in read(&file).split("glossary.md#").skip(1) {
            let term = link.split(')').next().unwrap_or_default();
            assert!(terms.contains(&term), "{}: `{term}` is not in the glossary", file.display());
            links += 1;
        }
    }
    assert!(links > 50, "only {links} links are found");
}

/// The paths of the repository in back-ticks in a line.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split('`').skip(1).step_by(2);
    // Only scripts are shown with their arguments. Other texts with blanks are output of tools.
    let whole = code.filter_map(|text| {
        let path = text.split_whitespace().next()?;
        (path == text || path.starts_with("scripts/")).then_some(path)
    });
    whole.filter(|text| is_path(text))
}

/// Whether a text is a path of the repository, and no URL, route, place in a file or placeholder.
fn is_path(text: &str) -> bool {
    if text.starts_with('/') || text.contains(['*', '<', '{', '…', ':', '(']) {
        return false;
    }
    let ends = ENDINGS.iter().any(|ending| text.ends_with(*ending));
    (ends && text.contains('/')) || FOLDERS.iter().any(|folder| text.starts_with(*folder))
}

/// The text of the comments alone, line by line.
fn comments(text: &str) -> String {
    let comment = |line: &str| line.split_once("//").map_or("", |(_, comment)| comment).to_owned();
    text.lines().map(comment).collect::<Vec<_>>().join("\n")
}

/// Every file of this extension below a folder.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("readable folder") {
            let path = entry.expect("readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                found.push(path);
            }
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_path_is_told_from_a_route_and_a_pattern() {
    let line = "`src/a.rs` and `hook/mod.rs`, `scripts/a.sh 600`, `/docs/`, `docs/*.md`, \
                `src/<noun>.rs`, `a.rs`, `https://a/b.md`, `text/html`, `src/a.rs:7`, \
                `src/a.rs failed`";
    let found: Vec<&str> = paths(line).collect();
    assert_eq!(found, ["src/a.rs", "hook/mod.rs", "scripts/a.sh"]);
}
