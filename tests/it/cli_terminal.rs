//! The manners of the command line: places of faults, colours, quiet, JSON, and the commands that talk
//! to a running server.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Folder, ServerProcess, request, send};

fn run(arguments: &[&str]) -> Output {
    ServerProcess::command().args(arguments).output().expect("the program runs")
}

/// The program in a folder, with no variable set.
fn in_folder(folder: &Folder, arguments: &[&str]) -> Output {
    command_in(folder).args(arguments).output().expect("the program runs")
}

fn command_in(folder: &Folder) -> Command {
    let mut command = ServerProcess::command();
    command.env_remove("CONTEXTURE_DATABASE_URL").current_dir(folder.path());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}{}", text(&output.stdout), text(&output.stderr)))
}

#[test]
fn a_fault_of_a_file_is_shown_with_its_line_and_a_caret() {
    let folder = Folder::new();
    let request =
        "{\"messages\": [{\"role\": \"user\", \"content\": \"x\"}],\n \"targett\": \"openai\"}";
    let file = folder.write("request.json", request);
    let output = run(&["compile", &file]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.starts_with("error: unknown key `targett` (did you mean `target`?)"), "{told}");
    assert!(told.contains("request.json:2:2") && told.contains("^^^^^^^^^"), "{told}");
    assert!(!told.contains('\u{1b}'), "{told}");

    let cut = folder.write("cut.json", "{\"messages\": [\n  {\"role\": ,}]}");
    let told = text(&run(&["compile", &cut]).stderr);
    assert!(told.contains("cut.json is not JSON") && told.contains("cut.json:2:12"), "{told}");

    let list =
        folder.write("list.json", "[{\"role\": \"user\", \"content\": \"x\"},\n {\"role\": 5}]");
    let told = text(&run(&["compile", &list, "--target", "openai"]).stderr);
    assert!(told.contains("list.json:2:3"), "{told}");

    let pack = folder.write("pack.json", "{\n  \"pack_id\": 5\n}");
    let checked = run(&["pack", "lint", &pack]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(text(&checked.stdout).contains("pack.json:2:3"), "{}", text(&checked.stdout));
    let rows = json(&run(&["pack", "lint", &pack, "--json"]));
    assert!(
        rows.as_array().is_some_and(|rows| rows.iter().any(|row| row["pointer"] == "/pack_id"))
    );
}

#[test]
fn a_text_that_is_given_to_compile_is_told_where_it_belongs() {
    let folder = Folder::new();
    let log = folder.write("build.log", "12:00 started\n12:01 failed\n");
    let told = text(&run(&["compile", &log]).stderr);
    assert!(told.contains(&format!("did you mean `contexture compress {log}`?")), "{told}");
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let plain = run(&["compile", "/no/such/file"]);
    assert!(text(&plain.stderr).starts_with("error: cannot read"), "{}", text(&plain.stderr));
    let asked = run(&["--color", "always", "compile", "/no/such/file"]);
    assert!(text(&asked.stderr).starts_with("\u{1b}["), "{}", text(&asked.stderr));
    let refused = run(&["--color", "sometimes", "compile", "x"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn quiet_leaves_only_what_was_asked_for() {
    let folder = Folder::new();
    let file = folder.write("list.json", r#"[{"role": "user", "content": "x"}]"#);
    let loud = run(&["compile", &file, "--target", "openai"]);
    let quiet = run(&["compile", &file, "--target", "openai", "--quiet"]);
    assert!(!loud.stderr.is_empty());
    assert!(quiet.stderr.is_empty(), "{}", text(&quiet.stderr));
    assert_eq!(quiet.stdout, loud.stdout);
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let mut child = ServerProcess::command()
        .args(["openapi"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    // The document is longer than a pipe holds.
    BufReader::with_capacity(16, child.stdout.take().expect("output"))
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "openapi: 3.1.0\n");
    let mut errors = String::new();
    child.stderr.take().expect("errors").read_to_string(&mut errors).unwrap();
    assert_eq!((child.wait().expect("it ends").code(), errors.as_str()), (Some(0), ""));
}

#[test]
fn commands_that_read_create_no_database() {
    let folder = Folder::new();
    for arguments in
        [&["replay", "cmp_1"][..], &["db", "check"], &["backup", "copy.db"], &["doctor"]]
    {
        let output = in_folder(&folder, arguments);
        assert!(fs::read_dir(folder.path()).unwrap().next().is_none(), "{arguments:?}");
        if arguments != ["doctor"] {
            let told = text(&output.stderr);
            assert!(told.contains("there is no database contexture.db"), "{told}");
        }
    }
}

#[test]
fn a_key_says_where_it_is_kept() {
    let folder = Folder::new();
    let refused = in_folder(&folder, &["key", "create", "--scope", "compile"]);
    assert_eq!(refused.status.code(), Some(2));
    let told = text(&refused.stderr);
    assert!(told.contains("the first key must hold `admin`"), "{told}");
    assert!(told.contains("contexture key create --scope admin"), "{told}");
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none(), "nothing is made of a refusal");
    let made = in_folder(&folder, &["key", "create", "--scope", "admin"]);
    assert!(text(&made.stdout).starts_with("cx_live_"));
    assert!(text(&made.stderr).contains("sqlite:contexture.db"), "{}", text(&made.stderr));
    let made = in_folder(&folder, &["key", "create", "--scope", "compile,compress", "--json"]);
    assert!(json(&made)["key"].as_str().is_some_and(|key| key.starts_with("cx_live_")));
    let listed = in_folder(&folder, &["key", "list"]);
    assert!(text(&listed.stdout).contains("compile compress"), "{}", text(&listed.stdout));
}

#[test]
fn what_was_proven_is_there_for_programs() {
    let folder = Folder::new();
    let lines: Vec<_> = (0..60).map(|at| format!("12:00:{at:02} INFO step {at} done\n")).collect();
    let file = folder.write("build.log", lines.concat());
    let proven = json(&run(&["prove", &file, "--json", "--quiet"]));
    assert_eq!(proven["kind"], "text");
    let level = &proven["levels"][0];
    assert_eq!(
        (&level["level"], &level["restored"], &level["lost"]),
        (&json!("lossless"), &json!(1), &json!(0))
    );
    assert!(level["tokens_after_computed"].as_u64() < level["tokens_before"].as_u64(), "{level}");
}

#[test]
fn completions_and_the_manual_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let made = run(&["completions", shell]);
        assert!(made.status.success() && text(&made.stdout).contains("read-test"), "{shell}");
    }
    assert!(text(&run(&["man"]).stdout).contains(".TH contexture 1"));
    let folder = Folder::new();
    assert!(in_folder(&folder, &["man", "--dir", "man1"]).status.success());
    assert!(folder.path().join("man1/contexture-compile.1").exists());
}

#[test]
fn a_starter_is_written_once() {
    let folder = Folder::new();
    for (name, file) in [
        ("python", "contexture_agent.py"),
        ("typescript", "contexture-agent.mjs"),
        ("claude-code", ".claude/settings.json"),
    ] {
        let made = in_folder(&folder, &["init", name]);
        assert!(
            made.status.success() && text(&made.stderr).contains(file),
            "{}",
            text(&made.stderr)
        );
        let written = fs::read(folder.path().join(file)).expect("the file");
        fs::write(folder.path().join(file), "mine").unwrap();
        let again = in_folder(&folder, &["init", name]);
        assert_eq!((again.status.code(), &again.stdout), (Some(1), &written));
        assert_eq!(fs::read_to_string(folder.path().join(file)).unwrap(), "mine");
    }
}

#[tokio::test]
async fn a_running_server_is_followed_reported_and_examined() {
    let server = ServerProcess::start(&[]);
    let url = server.address.to_string();
    let body =
        r#"{"target":"openai","model":"gpt-5.6","messages":[{"role":"user","content":"x"}]}"#;
    let compiled = send(server.address, &request("POST", "/compile", &[], body.as_bytes())).await;
    assert_eq!(compiled.status, 200);

    let mut tail = ServerProcess::command()
        .args(["tail", "--after", "0", "--types", "compile:done"])
        .env("CONTEXTURE_URL", &url)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(tail.stdout.take().expect("output")).read_line(&mut line).unwrap();
    tail.kill().expect("it runs");
    tail.wait().expect("it ends");
    assert!(line.contains("compile:done") && line.contains("gpt-5.6: "), "{line}");

    // Sums are written every few seconds, and when a reader asks for them.
    let report = json(&run(&["report", "--server", &url, "--json"]));
    assert_eq!(report["total"]["requests"], 1, "{report}");
    let by_model = text(&run(&["report", "--server", &url, "--by", "model"]).stdout);
    assert!(by_model.contains("gpt-5.6") && by_model.contains("total"), "{by_model}");

    let mut doctor = ServerProcess::command();
    doctor.args(["doctor", "--json", "--url", &url]).env("CONTEXTURE_LISTENN", "x");
    let found = json(&doctor.output().expect("the program runs"));
    let state = |subject: &str| {
        let row = found.as_array().unwrap().iter().find(|row| row["subject"] == subject);
        row.unwrap_or_else(|| panic!("no {subject} in {found}"))["state"].clone()
    };
    assert_eq!([state("server"), state("key"), state("environment")], ["ok", "ok", "warning"]);
    assert!(run(&["health", "--url", &url]).status.success());
}

#[test]
fn without_a_server_it_is_said_how_to_get_one() {
    for arguments in [&["tail"][..], &["report"], &["gateway", "check"]] {
        let mut command = ServerProcess::command();
        let output = command.args(arguments).args(["--server", "127.0.0.1:9"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let told = text(&output.stderr);
        assert!(told.contains("no server answers at http://127.0.0.1:9"), "{told}");
        assert!(told.contains("contexture serve"), "{told}");
    }
}
