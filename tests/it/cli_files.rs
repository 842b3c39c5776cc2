//! Files that commands read and write: what is wrong in them is shown at its place, a byte order mark is
//! no part of JSON, and `-` is standard input.

use std::io::Write as _;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Folder, ServerProcess};

const HELLO: &str = r#"{"role": "user", "content": "hello"}"#;

fn run(arguments: &[&str]) -> Output {
    ServerProcess::command().args(arguments).output().expect("the program runs")
}

fn piped(arguments: &[&str], input: &str) -> Output {
    let mut command = ServerProcess::command();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that refuses its line reads nothing.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a failed command says.
fn failed(arguments: &[&str]) -> String {
    told_of(&run(arguments), arguments)
}

fn told_of(output: &Output, arguments: &[&str]) -> String {
    let told = text(&output.stderr);
    // What a setting of a server names is a setting that cannot be met.
    let is_setting = arguments.first() == Some(&"serve");
    let code = if is_setting { 78 } else { 1 };
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
    assert!(told.starts_with("error: "), "{arguments:?}: {told}");
    told
}

fn request(messages: &str) -> String {
    format!("{{\"messages\": [{messages}]}}")
}

#[test]
fn why_refuses_what_is_no_request_and_names_the_file() {
    let folder = Folder::new();
    let first = folder.write("first.json", request(HELLO));
    for (document, words) in [
        ("{}", "neither a request nor a payload"),
        ("[]", "neither a request nor a payload"),
        ("42", "neither a request nor a payload"),
        ("\"text\"", "neither a request nor a payload"),
        ("null", "neither a request nor a payload"),
        (r#"{"gateway": {"blocks": []}}"#, "compare two records"),
        ("{\"messages\": [],\n \"messages\": []}", "second.json:2:2"),
    ] {
        let second = folder.write("second.json", document);
        for line in [["why", &first, &second], ["why", &second, &first]] {
            let told = failed(&line);
            assert!(told.contains(words) && told.contains("second.json:"), "{told}");
            assert!(!told.contains("first.json"), "{told}");
            assert_eq!(told.matches("error:").count(), 1, "{told}");
        }
        // Two records of hashes are compared.
        if words != "compare two records" {
            failed(&["why", &second, &second]);
        }
    }
}

#[test]
fn why_says_that_a_document_is_the_beginning_of_another() {
    let folder = Folder::new();
    let short = folder.write("short.json", request(HELLO));
    let reply = r#"{"role": "assistant", "content": "hi"}"#;
    let long = folder.write("long.json", request(&format!("{HELLO}, {reply}")));
    let said = |line: &[&str]| text(&run(line).stdout);
    assert!(said(&["why", &short, &long]).starts_with("The second goes on from the first"));
    assert!(said(&["why", &long, &short]).starts_with("The second is the beginning of the first"));
    let figures: Value = serde_json::from_str(&said(&["why", &long, &short, "--json"])).unwrap();
    assert_eq!(figures["first_change"], Value::Null);
    assert!(figures["detail"].as_str().is_some_and(|detail| detail.contains("beginning")));
}

#[test]
fn a_byte_order_mark_is_no_part_of_json() {
    let folder = Folder::new();
    let file = folder.write("bom.json", format!("\u{feff}{}", request(HELLO)));
    for line in [&["compile", &file][..], &["prove", &file], &["why", &file, &file]] {
        let output = run(line);
        assert!(output.status.success(), "{line:?}: {}", text(&output.stderr));
    }
    let pack = text(&run(&["pack", "init", "-"]).stdout);
    let pack = folder.write("pack.json", format!("\u{feff}{pack}"));
    let checked = run(&["pack", "lint", &pack]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    let row = json!([{"name": "mine", "context_window": 9, "max_output": 3}]);
    let models = folder.write("models.json", format!("\u{feff}{row}"));
    let listed = run(&["models", "mine", "--models-file", &models]);
    assert!(text(&listed.stdout).contains("mine"), "{}", text(&listed.stderr));
}

#[test]
fn faults_of_any_file_have_its_name_line_and_column() {
    let folder = Folder::new();
    let twice = folder.write("twice.json", "{\"messages\": [],\n \"messages\": []}");
    for line in [&["compile", &twice][..], &["compress", &twice], &["pack", "lint", &twice]] {
        let told = failed(line);
        assert!(told.contains("the same key twice") && told.contains("twice.json:2:2"), "{told}");
        assert!(!told.contains("body") && told.contains("^^^^^^^^^^ /messages"), "{told}");
    }
    let deep = format!("{{\"messages\": {}{}}}", "[".repeat(300), "]".repeat(300));
    let told = failed(&["compile", &folder.write("deep.json", deep)]);
    assert!(told.contains("nested too deeply") && told.contains("deep.json:1:"), "{told}");
    assert!(told.contains("/0/…") && told.len() < 1_500, "{told}");

    for document in ["42", "null", "{}", "\"s\"", "[]"] {
        let told = failed(&["compile", &folder.write("other.json", document)]);
        assert!(told.contains("other.json:1:1") && told.contains('^'), "{told}");
    }
    let binary = folder.write("binary.json", b"{\"a\":\n \"x\xff\"}");
    let told = failed(&["compile", &binary]);
    assert!(told.contains("binary.json:2:4") && told.contains("is not UTF-8 (byte 10"), "{told}");
    assert_eq!(told.matches("error:").count(), 1, "{told}");

    let held = folder.write("held.json", request(HELLO));
    let told = failed(&["expand", &held, "--originals", &held]);
    assert!(told.contains("held.json:1:2") && told.contains("no originals by id"), "{told}");
}

#[test]
fn faults_of_models_and_keys_are_shown_at_their_place() {
    let folder = Folder::new();
    let request = folder.write("request.json", request(HELLO));
    let row = r#"[{"name":"m","context_window":9,"max_output":3},
 {"name":"n","context_window":9,"max_output":3,"max_input":10}]"#;
    for (rows, place, words) in [
        ("{}", ":1:1", "expected a list"),
        ("[\n {\"nam\": 1}]", ":2:", "unknown field `nam`"),
        ("[\n", ":2:1", "is not JSON"),
        (row, ":2:2", "`max_input`"),
    ] {
        let models = folder.write("models.json", rows);
        for line in [
            &["compile", &request, "--models-file", &models][..],
            &["models", "--models-file", &models],
            &["serve", "--listen", "127.0.0.1:0", "--models-file", &models],
        ] {
            let told = failed(line);
            assert!(told.contains(&format!("models.json{place}")), "{told}");
            assert!(told.contains(words) && !told.contains(" at line "), "{told}");
        }
    }
    let keys = folder.write("keys.json", "[\n {\"id\": 5}]");
    for line in [
        &["key", "list", "--keys-file", &keys][..],
        &["key", "create", "--scope", "admin", "--keys-file", &keys],
        &["serve", "--listen", "127.0.0.1:0", "--keys-file", &keys],
    ] {
        let output = run(line);
        assert_eq!(output.status.code(), Some(78), "{line:?}");
        let told = text(&output.stderr);
        assert!(told.contains("keys.json:2:") && !told.contains(" at line "), "{told}");
    }
}

#[test]
fn faults_that_are_not_shown_are_counted() {
    let folder = Folder::new();
    for (count, last) in
        [(100, "error: 36 more faults are not listed"), (65, "error: 1 more fault is not listed")]
    {
        let messages = vec![json!({"role": "usr", "content": "x"}); count];
        let file = folder.write("many.json", json!({"messages": messages}).to_string());
        let told = failed(&["compile", &file, "--target", "openai"]);
        assert_eq!(told.lines().last(), Some(last));
    }
}

#[test]
fn a_dash_is_standard_input_where_a_file_is_read() {
    let folder = Folder::new();
    let request = folder.write("request.json", request(HELLO));
    let rows = json!([{"name": "mine", "context_window": 9000, "max_output": 3}]).to_string();
    let line = ["compile", &request, "--model", "mine", "--models-file", "-", "--full"];
    let output = piped(&line, &rows);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let response: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(response["report"]["budget"], 8997);
    for line in [
        &["expand", "-", "--originals", "-"][..],
        &["compile", "-", "--models-file", "-"],
        &["compress", "--models-file", "-"],
        &["prove", "-", "--models-file", "-"],
    ] {
        let told = told_of(&piped(line, HELLO), line);
        assert!(told.contains("only one of FILE and --"), "{told}");
    }
}

#[test]
fn a_dash_is_refused_where_a_file_is_written_or_has_to_have_a_name() {
    let folder = Folder::new();
    for line in [
        &["backup", "-"][..],
        &["db", "restore", "-"],
        &["read-test", "--write", "-"],
        &["key", "create", "--scope", "admin", "--keys-file", "-"],
        &["serve", "--listen", "127.0.0.1:0", "--models-file", "-"],
    ] {
        let mut command = ServerProcess::command();
        let output = command.args(line).current_dir(folder.path()).output().expect("it runs");
        let told = told_of(&output, line);
        assert!(told.contains("standard input") && told.contains("name a file"), "{told}");
        assert!(!folder.path().join("-").exists());
    }
}

#[test]
fn no_file_is_overwritten() {
    let folder = Folder::new();
    let there = folder.write("there", "mine");
    for line in [&["read-test", "--write", &there][..], &["backup", &there]] {
        let told = failed(line);
        assert!(told.contains("is there already and was left as it is"), "{told}");
    }
    assert_eq!(std::fs::read_to_string(&there).unwrap(), "mine");
}

#[test]
fn halves_of_surrogate_pairs_are_repaired_and_named() {
    let folder = Folder::new();
    let half = folder.write("half.json", request(r#"{"role": "user", "content": "a \ud800 b"}"#));
    for command in ["compile", "compress"] {
        let output = run(&[command, &half]);
        let told = text(&output.stderr);
        assert!(output.status.success(), "{told}");
        assert!(told.contains("surrogate_replaced at /messages/0"), "{command}: {told}");
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(printed.to_string().contains('\u{fffd}'), "{command}: {printed}");
    }
}

#[test]
fn a_line_that_makes_a_session_one_text_is_named() {
    let folder = Folder::new();
    let file = folder.write("x.jsonl", format!("{HELLO}\nwords\n{HELLO}\n"));
    let told = text(&run(&["compress", &file]).stderr);
    assert!(told.contains("x.jsonl is compressed as one text: line 2 is not JSON"), "{told}");
    let file = folder.write("log.jsonl", "{\"level\": \"info\"}\n{\"level\": \"warn\"}\n");
    let told = text(&run(&["compress", &file]).stderr);
    assert!(!told.contains("one text"), "{told}");
}

#[test]
fn suggested_commands_have_names_that_a_shell_reads() {
    let folder = Folder::new();
    let log = folder.write("sp ace.log", "12:00 started\n");
    assert!(failed(&["compile", &log]).contains(&format!("`contexture compress '{log}'`")));
    let lines = format!("{HELLO}\n{HELLO}\n");
    let told = told_of(&piped(&["compile"], &lines), &["compile"]);
    assert!(told.contains("standard input is JSON Lines"), "{told}");
    assert!(told.contains("`contexture compress -`"), "{told}");
}

#[test]
fn a_large_text_is_shortened_to_a_budget_alone() {
    let folder = Folder::new();
    let line = "2026-01-01 12:00:00 INFO a line of a log that repeats\n";
    let file = folder.write("large.log", line.repeat((16 << 20) / line.len() + 1));
    let told = text(&run(&["compress", &file, "--budget", "2000"]).stderr);
    assert!(told.contains("it is only shortened to its budget"), "{told}");
    assert!(!told.contains("is shown as it is"), "{told}");
}
