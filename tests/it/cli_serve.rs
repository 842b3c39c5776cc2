//! Starts of `serve` that are refused: what is said, the exit code, and what is left behind. And what a
//! start logs.

use std::fs;
use std::net::TcpListener;
use std::process::{Command, Output};

use crate::support::{Folder, ServerProcess};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

fn output(command: &mut Command) -> Output {
    command.output().expect("the program runs")
}

fn run(arguments: &[&str]) -> Output {
    output(ServerProcess::command().args(arguments))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The names of the files in a folder, in order.
fn files(folder: &Folder) -> Vec<String> {
    let found = fs::read_dir(folder.path()).expect("the folder");
    let mut names: Vec<_> =
        found.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// What a server logs that starts, after it has listened and stopped.
async fn log_of(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let log = tempfile::NamedTempFile::new().expect("a file");
    let mut command = ServerProcess::command();
    command.args(SERVE).args(arguments).envs(variables.iter().copied());
    let mut server = ServerProcess::logging_to(command, log.reopen().expect("the file").into());
    server.signal("TERM");
    server.exit().await;
    fs::read_to_string(log.path()).expect("the log")
}

#[test]
fn a_start_that_is_refused_leaves_no_database() {
    let folder = Folder::new();
    let list = folder.write("wrong", "no list");
    for flags in [
        &["--listen", "0.0.0.0:0"][..],
        &["--hooks-file", "/no/such"],
        &["--hooks-file", &list],
        &["--master-key-file", "/no/such"],
        &["--master-key-file", &list],
        &["--pack-keys-file", "/no/such"],
        &["--pack-keys-file", &list],
        &["--models-file", "/no/such"],
        &["--keys-file", "/no/such"],
        &["--hooks-ca-file", "/no/such"],
        &["--upstream", "openai", "--upstream-ca-file", "/no/such"],
        &["--dev", "--hooks-file", "/no/such"],
    ] {
        let base = if flags[0] == "--listen" { &SERVE[..1] } else { &SERVE[..] };
        let refused = folder.run(&[base, flags].concat());
        let told = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(78), "{flags:?}: {told}");
        // The value, or the flag if the file is named by it alone.
        let is_named = flags.iter().rev().take(2).any(|word| told.contains(word));
        assert!(is_named, "{flags:?}: {told}");
        assert_eq!(files(&folder), ["wrong"], "{flags:?}");
    }
}

#[test]
fn a_key_in_the_database_opens_a_public_address() {
    let folder = Folder::new();
    assert!(folder.run(&["key", "create", "--scope", "admin"]).status.success());
    let server = ServerProcess::start_at("0.0.0.0:0", &["--database-url", &folder.url()]);
    assert!(server.address.ip().is_unspecified());
}

#[test]
fn a_database_that_cannot_be_opened_has_one_exit_code() {
    let folder = Folder::new();
    let place = format!("sqlite:{}", folder.path().display());
    let copy = folder.file("copy.db");
    for line in [&SERVE[..], &["migrate"], &["db", "check"], &["key", "list"], &["backup", &copy]] {
        let refused = run(&[line, &["--database-url", &place]].concat());
        let told = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(78), "{line:?}: {told}");
        assert!(told.contains("--database-url"), "{line:?}: {told}");
    }
    // The port for discarding, where nothing listens.
    let url = "postgres://me:secret@127.0.0.1:9/contexture";
    for line in [&SERVE[..], &["db", "check"], &["key", "list"]] {
        let refused = run(&[line, &["--database-url", url]].concat());
        let told = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(78), "{line:?}: {told}");
        assert!(told.contains("postgres://127.0.0.1:9/") && !told.contains("secret"), "{told}");
    }
}

#[test]
fn a_copy_that_cannot_be_restored_is_what_is_blamed() {
    let folder = Folder::new();
    let wrong = folder.write("keys.json", "[]".repeat(600));
    let nothing = folder.file("nope.db");
    for (file, code, words) in
        [(&nothing, 1, "cannot open the copy "), (&wrong, 65, "is damaged, or is no database")]
    {
        let refused = folder.run(&["db", "restore", file, "--replace"]);
        let told = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(code), "{told}");
        assert!(told.contains(words) && told.contains(file.as_str()), "{told}");
        assert!(!told.contains("--database-url"), "{told}");
        assert!(!folder.database().exists());
    }
}

#[test]
fn a_refused_value_names_its_variable_only_if_it_is_from_there() {
    let told = |command: &mut Command| text(&output(command).stderr);
    let hint = "The value comes from the variable CONTEXTURE_LISTEN.";
    let typed = told(ServerProcess::command().args(["serve", "--listen", "host"]));
    assert!(typed.contains("'host'") && !typed.contains("variable"), "{typed}");
    let both = told(
        ServerProcess::command().args(["serve", "--listen=host"]).env("CONTEXTURE_LISTEN", "x"),
    );
    assert!(both.contains("'host'") && !both.contains("variable"), "{both}");
    let set = told(ServerProcess::command().arg("serve").env("CONTEXTURE_LISTEN", "host"));
    assert!(set.contains("'host'") && set.contains(hint), "{set}");
    let server = told(ServerProcess::command().arg("tail").env("CONTEXTURE_URL", "http://[bad"));
    assert!(server.contains("The value comes from the variable CONTEXTURE_URL."), "{server}");
}

#[test]
fn demo_names_no_variable_that_it_does_not_read() {
    let other = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = other.local_addr().expect("an address").to_string();
    for (listen, words) in [
        (address.as_str(), "(--listen): another program uses it"),
        ("0.0.0.0:0", "refusing to listen on 0.0.0.0:0 (--listen)"),
        ("192.0.2.1:0", ""),
    ] {
        let refused = run(&["demo", "--listen", listen]);
        let told = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(78), "{told}");
        assert!(told.contains(words) && !told.contains("CONTEXTURE_LISTEN"), "{told}");
    }
}

#[test]
fn workers_beyond_the_maximum_are_refused() {
    for count in ["1025", "100000000"] {
        let refused = run(&[&SERVE[..], &["--workers", count]].concat());
        let told = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{told}");
        assert!(told.contains("--workers <N>") && told.contains("at most 1024"), "{told}");
    }
}

#[tokio::test]
async fn a_quiet_server_logs_only_errors_unless_a_level_is_set() {
    assert_eq!(log_of(&["--quiet"], &[]).await, "");
    let loud = log_of(&[], &[]).await;
    assert!(loud.contains("INFO") && loud.contains("listening"), "{loud}");
    let asked = log_of(&["-q", "--log-level", "info"], &[]).await;
    assert!(asked.contains("listening"), "{asked}");
    let set = log_of(&["-q"], &[("CONTEXTURE_LOG", "info")]).await;
    assert!(set.contains("listening"), "{set}");
}

#[tokio::test]
async fn log_lines_have_the_colours_that_are_asked_for() {
    let always = log_of(&["--color", "always"], &[("NO_COLOR", "1")]).await;
    assert!(always.contains("\u{1b}["), "{always}");
    for flags in [&["--color=never"][..], &[]] {
        let plain = log_of(flags, &[]).await;
        assert!(plain.contains("INFO") && !plain.contains('\u{1b}'), "{flags:?}: {plain}");
    }
    let json = log_of(&["--color", "always", "--log-format", "json"], &[]).await;
    assert!(!json.is_empty() && !json.contains('\u{1b}'), "{json}");
}

#[tokio::test]
async fn a_start_warns_of_misspelt_variables_in_one_line() {
    let variables = [("CONTEXTURE_WORKERZ", "1"), ("CONTEXTURE_OTHER_THING", "secret")];
    let logged = log_of(&["--color", "never"], &variables).await;
    let lines: Vec<_> = logged.lines().filter(|line| line.contains("WARN")).collect();
    assert_eq!(lines.len(), 1, "{logged}");
    let names = "CONTEXTURE_OTHER_THING, CONTEXTURE_WORKERZ (did you mean CONTEXTURE_WORKERS?)";
    assert!(lines[0].contains(names) && !logged.contains("secret"), "{logged}");
}
