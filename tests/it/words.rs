//! What users read is in plain words: pages, `--help`, titles of problems.

use std::fs;
use std::path::{Path, PathBuf};

use contexture::http::problem::Kind;

use crate::documents::files;
use crate::support::ServerProcess;

/// A phrase that is not used, and what to write instead. A phrase matches whole words.
const FORBIDDEN: &[(&str, &str)] = &[
    ("anew", "again"),
    ("answered again", "the stored response is replayed"),
    ("answered with", "returns, the response is"),
    ("anybody", "the actor: the caller, the operator"),
    ("are answered", "return, the response is"),
    ("be answered", "return, the response is"),
    ("beside", "next to, with, in addition to"),
    ("came to", "was reached, amounted to"),
    ("come to", "reach, amount to"),
    ("comes to", "is, amounts to"),
    ("decides itself", "is decided by"),
    ("goes along", "is included, is removed too"),
    ("hear of", "get, are called with"),
    ("heard of", "an event, a notification, a log line"),
    ("hears of", "gets, is called with"),
    ("heeds", "picks up, applies"),
    ("in vain", "without effect"),
    ("is answered", "returns, the response is"),
    ("is settled", "is decided by"),
    ("is told", "is published, is called, is reported"),
    ("leave to go on", "lets the request through"),
    ("may stand", "may be, is allowed"),
    ("nobody", "the actor: no caller, no server"),
    ("stand behind", "follow"),
    ("stand for", "replace, mean"),
    ("stand in", "are in, replace"),
    ("stands at", "is at"),
    ("stands behind", "follows"),
    ("stands for", "replaces, means"),
    ("stands in", "is in, replaces"),
    ("takes along", "includes"),
    ("tells of", "reports"),
    ("to be had", "available"),
    ("told of", "an event, a notification, a log line"),
    ("was answered", "returned, the response was"),
    ("what became of", "the outcome of"),
    ("what came of", "the outcome of"),
    ("what comes of", "the outcome of"),
    ("where absent", "if absent"),
    ("where it is absent", "if it is absent"),
    ("whoever", "the actor: the caller, the operator"),
];
/// "behind" is for places alone, such as these.
const PLACES_BEHIND: &[&str] = &["a gateway", "kong", "litellm", "nginx"];

#[test]
fn pages_are_in_plain_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages: Vec<PathBuf> = files(&root.join("docs"), "md");
    pages.extend(files(&root.join("examples"), "md"));
    for name in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "llms.txt"] {
        pages.push(root.join(name));
    }
    assert!(pages.len() > 40, "only {} pages are found", pages.len());
    let mut found = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        let name = page.strip_prefix(root).unwrap_or(&page).display().to_string();
        found.extend(forbidden(&name, &without_code(&text)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn help_is_in_plain_words() {
    let (mut found, mut commands) = (Vec::new(), vec![Vec::new()]);
    let mut read = 0;
    while let Some(command) = commands.pop() {
        let help = help_of(&command);
        read += 1;
        found.extend(forbidden(&format!("contexture {} --help", command.join(" ")), &help));
        for name in subcommands(&help) {
            commands.push(command.iter().cloned().chain([name]).collect());
        }
    }
    assert!(read > 20, "only {read} commands are found");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn titles_of_problems_are_in_plain_words() {
    let found: Vec<String> =
        Kind::ALL.iter().flat_map(|kind| forbidden(kind.code(), kind.title())).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_description_of_the_api_is_in_plain_words() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.yaml");
    let text = fs::read_to_string(path).expect("the description");
    // Names of members are not words of a sentence.
    let is_name = |line: &&str| {
        let name = line.trim().trim_start_matches("- ").trim_end_matches(':');
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let sentences: Vec<&str> = text.lines().filter(|line| !is_name(line)).collect();
    let found = forbidden("openapi.yaml", &sentences.join("\n"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn log_lines_are_in_plain_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut read, mut found) = (0, Vec::new());
    for file in files(&root.join("src"), "rs") {
        let source = fs::read_to_string(&file).expect("a source");
        for message in log_messages(&source) {
            read += 1;
            let place = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            found.extend(forbidden(&place, &message));
        }
    }
    assert!(read > 60, "only {read} messages are found");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The messages of the log lines in a source: the last text in quotes of each call.
fn log_messages(source: &str) -> Vec<String> {
    let calls = source.split("tracing::").skip(1).filter(|call| {
        ["error!(", "warn!(", "info!(", "debug!("].iter().any(|level| call.starts_with(level))
    });
    calls
        .filter_map(|call| {
            let (arguments, _) = call.split_once(");")?;
            let (head, _) = arguments.rsplit_once('"')?;
            let (_, message) = head.rsplit_once('"')?;
            Some(message.replace("\\\n", " "))
        })
        .collect()
}

/// Each file that a command of a page sends is in the repository, or is made on the page before.
#[test]
fn files_that_commands_send_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = files(&root.join("docs"), "md");
    pages.push(root.join("README.md"));
    let mut sent = 0;
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        let mut made = Vec::new();
        for line in text
            .split("```sh\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next())
            .flat_map(str::lines)
        {
            let words: Vec<&str> = line.split_whitespace().collect();
            made.extend(
                words.windows(2).filter(|pair| matches!(pair[0], "init" | ">")).map(|pair| pair[1]),
            );
            for file in
                words.iter().filter_map(|word| word.strip_prefix('@')).filter(|file| *file != "-")
            {
                let file = file.trim_end_matches(['\'', '"']);
                sent += 1;
                let exists = root.join(file).is_file() || made.contains(&file);
                assert!(exists, "{}: there is no file {file}", page.display());
            }
        }
    }
    assert!(sent > 3, "only {sent} files are sent");
}

/// The phrases of the list in a text, each with what to write instead.
fn forbidden(place: &str, text: &str) -> Vec<String> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let text = format!(" {} ", words.join(" "));
    let is_inside =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '#' | '/');
    let mut found = Vec::new();
    let mut report = |phrase: &str, instead: &str, at: usize| {
        let start = text.floor_char_boundary(at.saturating_sub(40));
        let end = text.ceil_char_boundary((at + 60).min(text.len()));
        found.push(format!("{place}: \"{phrase}\" (write: {instead}): …{}…", &text[start..end]));
    };
    for (at, phrase, instead) in FORBIDDEN
        .iter()
        .flat_map(|(phrase, instead)| {
            text.match_indices(phrase).map(move |(at, _)| (at, phrase, instead))
        })
        .filter(|(at, phrase, _)| {
            let before = text[..*at].chars().next_back().is_some_and(is_inside);
            let after = text[at + phrase.len()..].chars().next().is_some_and(is_inside);
            !before && !after
        })
    {
        report(phrase, instead, at);
    }
    for (at, word) in text.match_indices(" behind ") {
        let rest = text[at + word.len()..].trim_start_matches('[');
        if !PLACES_BEHIND.iter().any(|place| rest.starts_with(place)) {
            report("behind", "after, before", at);
        }
    }
    found
}

/// The text of a page without its code.
fn without_code(text: &str) -> String {
    let prose: String = text.split("```").step_by(2).collect();
    prose.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

fn help_of(command: &[String]) -> String {
    let output =
        ServerProcess::command().args(command).arg("--help").output().expect("the program runs");
    assert!(output.status.success(), "{command:?}");
    String::from_utf8(output.stdout).expect("help in UTF-8")
}

/// The names of the commands below one, from its help.
fn subcommands(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let (list, _) = list.split_once("\n\n").unwrap_or((list, ""));
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn a_phrase_is_found_over_a_line_end_and_not_inside_of_code_or_a_word() {
    let page = "What it\nstands\nfor, `anew`, and beside-it.\n```sh\nnobody\n```\nBehind nginx; behind that.";
    let found = forbidden("a page", &without_code(page));
    let phrases: Vec<&str> = found.iter().filter_map(|line| line.split('"').nth(1)).collect();
    assert_eq!(phrases, ["stands for", "behind"]);
}

/// A README that is read, not searched: about a screen for each question.
#[test]
fn the_readme_stays_short() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let bytes = fs::metadata(readme).expect("the README").len();
    assert!(bytes <= 8 * 1024, "{bytes} bytes");
}
