//! The README and `docs` show what the program prints. `UPDATE_README=1 cargo test readme` rewrites them.
//!
//! A block between `<!-- name:start -->` and `<!-- name:end -->` is output; these tests make each of them again and
//! compare.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use clap::CommandFactory as _;
use serde_json::Value;

use crate::support::{ServerProcess, TestServer, json_of};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
const PROVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/prove.md");
const REPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.md");
const SETTINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/settings.md");
const ENDPOINTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/endpoints.md");
const COMMANDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/commands.md");
/// Replaces the id of a response, the one value in it that differs from run to run.
const ID: &str = "cmp_019aa0b2c6e97d4c9f0a3b5d7e8f1a2b";

#[derive(Debug, clap::Parser)]
struct Flags {
    #[command(flatten)]
    config: contexture::config::Config,
}

#[test]
fn the_settings_are_those_of_serve_help() {
    let mut table = String::from("| Flag | Variable | Default | Meaning |\n|---|---|---|---|\n");
    for argument in Flags::command().get_arguments() {
        let Some(flag) = argument.get_long().filter(|name| *name != "help") else { continue };
        let variable = argument.get_env().expect("every flag has a variable").to_string_lossy();
        let defaults = argument.get_default_values();
        let default = match defaults.first() {
            Some(value) => format!("`{}`", value.to_string_lossy()),
            None => String::new(),
        };
        let help = argument.get_help().expect("every flag has help").to_string();
        let meaning = help.lines().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let _ = writeln!(table, "| `--{flag}` | `{variable}` | {default} | {meaning} |");
    }
    check_in(SETTINGS, "settings", &table);
}

#[tokio::test]
async fn the_curl_answers_what_is_shown() {
    let command = shown_in(REPORT, "curl");
    let (_, rest) = command.split_once("-d '").expect("a body");
    let (body, _) = rest.rsplit_once('\'').expect("the body's end");
    let body: Value = serde_json::from_str(body).expect("a body of JSON");
    let mut answer = json_of(TestServer::spawn().await.post("/compile", &body).await, 200).await;
    let id = answer["id"].as_str().expect("an id");
    assert_eq!(id.len(), ID.len(), "show an id that looks like {id}");
    answer["id"] = ID.into();
    check_in(REPORT, "answer", &fenced("json", &by_line(&answer, 2)));
}

#[tokio::test]
async fn the_long_log_is_compressed_to_what_is_shown_and_expanded_to_what_it_was() {
    let command = shown_in(README, "log-curl");
    let (_, file) = command.split_once("-d @").expect("a file");
    let (file, filter) = file.split_once(" | jq -r '").expect("a name and what is printed");
    assert!(filter.starts_with(".report.summary, \"\", .text'"), "{filter}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let body = fs::read_to_string(path).expect("the request of the README");
    let body: Value = serde_json::from_str(&body).expect("a body of JSON");
    let log = include_str!("../../docs/examples/checkout.log");
    assert_eq!(body["text"].as_str(), Some(log.trim_end()));
    let server = TestServer::spawn().await;
    let response = server.post_ok("/compress", &body).await;
    let (summary, text) = (&response["report"]["summary"], &response["text"]);
    let [summary, text] = [summary, text].map(|value| value.as_str().expect("a text"));
    check_in(README, "log", &fenced("text", &format!("{summary}\n\n{text}")));
    let errors: Vec<&str> = log.lines().filter(|line| line.contains("ERROR")).collect();
    assert_eq!(errors.len(), 4);
    assert!(errors.iter().all(|line| text.contains(line)), "{text}");
    let expanded = server.post_ok("/expand", &serde_json::json!({"id": response["id"]})).await;
    assert_eq!(expanded["text"], body["text"]);
}

#[test]
fn every_figure_of_the_proof_is_on_its_page() {
    let mut figures = 0;
    let table = shown_in(README, "proof");
    for row in table.lines().skip(2) {
        let cells: Vec<&str> = row.split('|').collect();
        let [_, question, result, source, _] = cells[..] else {
            panic!("a row of three cells: {row}")
        };
        let (_, link) = source.split_once("](").expect("a link to a page");
        let (page, command) = link.split_once(')').expect("the end of a link");
        assert!(command.contains('`'), "{question}: name the command");
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let page = fs::read_to_string(page).expect("the page of the figures");
        let is_figure = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',');
        for figure in result.split(|letter| !is_figure(letter)) {
            let figure = figure.trim_matches(['.', ',']);
            if !figure.is_empty() {
                assert!(page.contains(figure), "{question}: {figure} is not on its page");
                figures += 1;
            }
        }
    }
    assert!(figures > 25, "only {figures} figures are found");
}

#[test]
fn the_example_compiles_to_what_is_shown() {
    let file = "docs/examples/double-charge.json";
    let output = run(&["compile", file, "--full"]);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer of JSON");
    check_in(REPORT, "table", &fenced("text", &text(&output.stderr)));
    check_in(REPORT, "report", &fenced("json", &by_line(&answer["report"], 1)));
    let summary = &answer["payload"]["messages"][0]["content"][0]["text"];
    check_in(REPORT, "summary", &fenced("text", summary.as_str().expect("a summary")));
}

#[test]
fn why_says_what_is_shown() {
    let output = run(&["why", "docs/examples/monday.json", "docs/examples/tuesday.json"]);
    check_in(README, "why", &fenced("text", &text(&output.stdout)));
}

#[test]
fn prove_prints_what_is_shown() {
    let output = run(&["prove", "docs/examples/double-charge.json"]);
    check_in(PROVE, "prove", &fenced("text", &text(&output.stdout)));
}

#[test]
fn every_path_of_the_api_is_in_the_table() {
    let page = fs::read_to_string(ENDPOINTS).expect("the page of endpoints");
    let document = serde_json::to_value(contexture::http::openapi()).expect("document serialises");
    let reference = ["/docs/", "/docs/{file}", "/docs/guide/", "/docs/guide/{file}"];
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys() {
            let row = format!("`{} {path}`", method.to_uppercase());
            let stands = page.lines().any(|line| line.starts_with('|') && line.contains(&row));
            assert!(stands || reference.contains(&path.as_str()), "no row of a table holds {row}");
        }
    }
}

#[test]
fn every_command_is_in_the_table() {
    let page = fs::read_to_string(COMMANDS).expect("the page of commands");
    let help = text(&run(&["--help"]).stdout);
    let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
    let (commands, _) = commands.split_once("\n\n").expect("the end of the list");
    let names = commands.lines().filter_map(|line| line.split_whitespace().next());
    let mut found = 0;
    for name in names.filter(|name| *name != "help") {
        let row = format!("| `contexture {name}");
        assert!(page.contains(&row), "no row begins with {row}");
        found += 1;
    }
    assert!(found > 10, "only {found} commands are found");
}

#[test]
fn every_link_leads_to_a_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "llms.txt"]
            .map(|name| root.join(name))
            .into();
    for folder in ["docs", "examples"] {
        documents.extend(crate::documents::files(&root.join(folder), "md"));
    }
    let mut links = 0;
    for document in documents {
        let text = fs::read_to_string(&document).expect("a document");
        let folder = document.parent().expect("a folder");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            let is_elsewhere = target.is_empty() || target.contains("://");
            let exists = is_elsewhere || folder.join(target).exists();
            assert!(exists, "{}: {link}", document.display());
            links += usize::from(!is_elsewhere);
        }
    }
    assert!(links > 300, "only {links} links are found");
}

#[test]
fn every_key_of_a_compile_is_explained() {
    let document = include_str!("../../docs/compile.md");
    for key in contexture::request::COMPILE_KEYS {
        let rows = [format!("| `{key}`"), format!("| `{key}.")];
        let stands = rows.iter().any(|row| document.contains(row));
        assert!(stands, "docs/compile.md has no row for `{key}`");
    }
    for (section, keys) in contexture::request::SECTIONS {
        let mut rows = document.lines().filter(|line| line.starts_with(&format!("| `{section}")));
        for key in *keys {
            let names = [format!("`{section}.{key}`"), format!("\"{key}\"")];
            let stands = rows.clone().any(|row| names.iter().any(|name| row.contains(name)));
            assert!(stands, "docs/compile.md does not explain `{section}.{key}`");
        }
        assert!(rows.next().is_some());
    }
}

#[test]
fn every_cause_of_a_change_is_explained() {
    let document = include_str!("../../docs/cache.md");
    let schema = serde_json::to_value(contexture::http::openapi()).expect("document serialises");
    let causes = find(&schema, "target_changed").expect("the list of causes");
    assert!(causes.len() > 5, "{causes:?}");
    for cause in causes.iter().filter_map(Value::as_str) {
        assert!(document.contains(&format!("| `{cause}` |")), "docs/cache.md: explain `{cause}`");
    }
}

/// The array that holds a word, anywhere below a value.
fn find<'v>(value: &'v Value, word: &str) -> Option<&'v Vec<Value>> {
    match value {
        Value::Array(items) if items.iter().any(|item| item == word) => Some(items),
        Value::Array(items) => items.iter().find_map(|item| find(item, word)),
        Value::Object(members) => members.values().find_map(|member| find(member, word)),
        _ => None,
    }
}

#[test]
fn every_code_of_a_note_is_explained() {
    let document = include_str!("../../docs/compile.md");
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut found = 0;
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
            let text = fs::read_to_string(&path).expect("readable file");
            for call in ["notes.degraded(", "notes.repaired(", "notes.warn("] {
                for after in text.split(call).skip(1) {
                    // Where the code is computed, the file's own tests name it.
                    let Some(rest) = after.trim_start().strip_prefix('"') else { continue };
                    let code = rest.split('"').next().unwrap_or_default();
                    let row = format!("| `{code}` |");
                    assert!(document.contains(&row), "{}: explain `{code}`", path.display());
                    found += 1;
                }
            }
        }
    }
    assert!(found > 30, "only {found} notes found: has their form changed?");
}

/// Runs the program at the root of the repository.
fn run(arguments: &[&str]) -> Output {
    let output = ServerProcess::command()
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn fenced(language: &str, text: &str) -> String {
    format!("```{language}\n{}\n```\n", text.trim_end())
}

/// A JSON text with the members of the outermost `depth` objects on lines of their own.
fn by_line(value: &Value, depth: usize) -> String {
    fn write(value: &Value, depth: usize, indent: &str, out: &mut String) {
        let Some(members) = value.as_object().filter(|_| depth > 0) else {
            out.push_str(&value.to_string());
            return;
        };
        let inner = format!("{indent} ");
        for (at, (key, value)) in members.iter().enumerate() {
            out.push_str(if at == 0 { "{" } else { ",\n" });
            if at > 0 {
                out.push_str(&inner);
            }
            let _ = write!(out, "\"{key}\": ");
            write(value, depth - 1, &inner, out);
        }
        out.push('}');
    }
    let mut out = String::new();
    write(value, depth, "", &mut out);
    out
}

/// The text between the marks of `name` in a page.
fn shown_in(file: &str, name: &str) -> String {
    let text = fs::read_to_string(file).expect("a document");
    let (_, rest) = text.split_once(&start(name)).unwrap_or_else(|| panic!("no mark of {name}"));
    let (block, _) = rest.split_once(&end(name)).unwrap_or_else(|| panic!("{name} does not end"));
    block.to_owned()
}

fn start(name: &str) -> String {
    format!("<!-- {name}:start -->\n")
}

fn end(name: &str) -> String {
    format!("<!-- {name}:end -->")
}

/// Holds a block against what it should be, or puts it right where that is asked for.
pub(crate) fn check_in(file: &str, name: &str, wanted: &str) {
    let block = shown_in(file, name);
    if block == wanted {
        return;
    }
    if std::env::var_os("UPDATE_README").is_some() {
        // Tests of one program run side by side, and each rewrites the whole file.
        static WRITING: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _alone = WRITING.lock();
        let text = fs::read_to_string(file).expect("a document");
        let (before, rest) = text.split_once(&start(name)).expect("a mark");
        let (_, after) = rest.split_once(&end(name)).expect("an end");
        let updated = format!("{before}{}{wanted}{}{after}", start(name), end(name));
        fs::write(file, updated).expect("the document is writable");
        return;
    }
    panic!(
        "`{name}` in {file} is stale: run UPDATE_README=1 cargo test readme cache_doc\n{wanted}"
    );
}
