//! `contexture doctor` finds what `serve` refuses, says what answers, and changes nothing.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Folder, ServerProcess};

/// What doctor says in a folder with these variables, and its exit code.
struct Examination {
    findings: Value,
    code: Option<i32>,
}

impl Examination {
    fn of(folder: &Folder, variables: &[(&str, &str)]) -> Self {
        let mut command: Command = ServerProcess::command();
        command.env_remove("CONTEXTURE_DATABASE_URL").current_dir(folder.path());
        // Where nothing listens, unless a test says otherwise.
        command.args(["doctor", "--json"]).env("CONTEXTURE_URL", "127.0.0.1:9");
        let output = command.envs(variables.iter().copied()).output().expect("the program runs");
        let findings = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        Self { findings, code: output.status.code() }
    }

    /// State and text of a finding.
    fn of_subject(&self, subject: &str) -> (&str, &str) {
        let rows = self.findings.as_array().expect("a list");
        let row = rows.iter().find(|row| row["subject"] == subject);
        let row = row.unwrap_or_else(|| panic!("no {subject} in {}", self.findings));
        (row["state"].as_str().expect("a word"), row["detail"].as_str().expect("a text"))
    }

    fn expect_failed(&self, subject: &str, words: &str) {
        let (state, text) = self.of_subject(subject);
        assert!(state == "failed" && text.contains(words), "{}", self.findings);
        assert_eq!(self.code, Some(1), "{}", self.findings);
    }
}

/// Names and contents of the files in a folder.
fn contents(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let found = fs::read_dir(folder.path()).expect("the folder");
    let mut files: Vec<_> = found
        .map(|file| file.expect("a file"))
        .map(|file| {
            let name = file.file_name().into_string().expect("a name of text");
            (name, fs::read(file.path()).unwrap_or_default())
        })
        .collect();
    files.sort_unstable();
    files
}

#[test]
fn a_database_that_serve_cannot_open_is_found_and_left_as_it_is() {
    let folder = Folder::new();
    folder.write("plain.log", "12:00 started\n".repeat(100));
    fs::create_dir(folder.path().join("folder")).unwrap();
    let before = contents(&folder);
    for (url, words) in [
        ("sqlite:plain.log", "is damaged, or is no database"),
        ("sqlite:no/such/folder.db", "there is no folder"),
        ("sqlite:folder", "it is no file"),
        (
            "postgres://me:secret@127.0.0.1:9/db",
            "cannot open the database postgres://127.0.0.1:9/db",
        ),
    ] {
        let examination = Examination::of(&folder, &[("CONTEXTURE_DATABASE_URL", url)]);
        examination.expect_failed("database", words);
        assert!(!examination.findings.to_string().contains("secret"));
    }
    assert_eq!(contents(&folder), before);

    let absent = Examination::of(&folder, &[]);
    assert_eq!(absent.of_subject("database").0, "absent");
    assert_eq!((absent.code, contents(&folder)), (Some(0), before));
}

#[tokio::test]
async fn a_database_is_looked_at_whether_or_not_it_is_in_use() {
    let folder = Folder::new();
    let mut server = folder.serve();
    assert_eq!(Examination::of(&folder, &[]).of_subject("database").0, "ok");
    server.signal("TERM");
    server.exit().await;
    let before = contents(&folder);
    assert_eq!(Examination::of(&folder, &[]).of_subject("database").0, "ok");
    assert_eq!(contents(&folder), before);

    let file = folder.database();
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0xff);
    fs::write(&file, bytes).unwrap();
    Examination::of(&folder, &[]).expect_failed("database", "is damaged");
}

#[test]
fn settings_that_serve_refuses_are_found() {
    let folder = Folder::new();
    let public = [("CONTEXTURE_LISTEN", "0.0.0.0:8080")];
    Examination::of(&folder, &public)
        .expect_failed("settings", "refusing to listen on 0.0.0.0:8080");
    for (variable, value, words) in [
        ("CONTEXTURE_LISTEN", "nowhere", "CONTEXTURE_LISTEN: invalid value for"),
        ("CONTEXTURE_HOOKS_FILE", "/no/such", "/no/such"),
        ("CONTEXTURE_MASTER_KEY_FILE", "/no/such", "/no/such"),
        ("CONTEXTURE_LOG", "a=b=c", "CONTEXTURE_LOG: invalid value for"),
    ] {
        Examination::of(&folder, &[(variable, value)]).expect_failed("settings", words);
    }
    assert!(contents(&folder).is_empty());

    let allowed = [public[0], ("CONTEXTURE_ALLOW_ANONYMOUS", "true")];
    assert_eq!(Examination::of(&folder, &allowed).of_subject("settings").0, "ok");
    // The key is in the log of the database still, or in its file.
    assert!(folder.run(&["key", "create", "--scope", "admin"]).status.success());
    assert_eq!(Examination::of(&folder, &public).of_subject("settings").0, "ok");
}

#[test]
fn a_key_is_checked_only_if_the_server_needs_one() {
    let folder = Folder::new();
    let open = ServerProcess::start(&[]);
    let url = open.address.to_string();
    let of = |url: &str, key: &str| {
        let examination =
            Examination::of(&folder, &[("CONTEXTURE_URL", url), ("CONTEXTURE_KEY", key)]);
        let (state, text) = examination.of_subject("key");
        (state.to_owned(), text.to_owned())
    };
    let (state, text) = of(&url, "wrong");
    assert!(state == "ok" && text.starts_with("the server needs none"), "{text}");
    let own = "k".repeat(32);
    let closed = ServerProcess::start(&["--bootstrap-key", &own]);
    let url = closed.address.to_string();
    assert_eq!(of(&url, &own), ("ok".to_owned(), "the server accepts it".to_owned()));
    assert_eq!(of(&url, "wrong").0, "failed");
    assert_eq!(of(&url, "w\u{e4}").0, "failed");
}

#[test]
fn what_answers_and_is_no_server_of_ours_is_said() {
    let folder = Folder::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let silent = listener.local_addr().expect("an address").to_string();
    let begun = Instant::now();
    let examination = Examination::of(&folder, &[("CONTEXTURE_URL", &silent)]);
    examination.expect_failed("server", "does not answer within 3 seconds");
    assert!(begun.elapsed() < Duration::from_secs(15));

    let other = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = other.local_addr().expect("an address").to_string();
    let answering = thread::spawn(move || {
        let (mut stream, _) = other.accept().expect("a connection");
        let _ = stream.read(&mut [0; 4096]);
        stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").expect("written");
    });
    let examination = Examination::of(&folder, &[("CONTEXTURE_URL", &address)]);
    answering.join().expect("it ends");
    let words = "is no Contexture server: GET /readyz returns status 404";
    examination.expect_failed("server", words);

    let examination = Examination::of(&folder, &[("CONTEXTURE_URL", "http://me:secret@[bad")]);
    examination.expect_failed("server", "(--server, CONTEXTURE_URL) cannot be read");
    assert!(!examination.findings.to_string().contains("secret"));
}
