//! Command lines that are wrong, and commands that cannot do what they are asked: what is said, and the
//! exit code.

use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Folder, ServerProcess, request, send};

fn run(arguments: &[&str]) -> Output {
    ServerProcess::command().args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a refused command line says.
fn refused(arguments: &[&str]) -> String {
    let output = run(arguments);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    told
}

fn list(folder: &Folder) -> String {
    folder.write("list.json", r#"[{"role": "user", "content": "x"}]"#)
}

#[test]
fn a_value_that_is_not_known_is_a_fault_of_its_flag() {
    let folder = Folder::new();
    let file = list(&folder);
    let url = folder.url();
    let key = ["key", "create", "--database-url", &url, "--scope"];
    let key = |more: &[&'static str]| -> Vec<String> {
        key.iter().chain(more).map(|word| (*word).to_owned()).collect()
    };
    let of =
        |words: &[&str]| -> Vec<String> { words.iter().map(|word| (*word).to_owned()).collect() };
    for (line, flag, known) in [
        (
            of(&["compile", &file, "--target", "nope"]),
            "--target <SHAPE>",
            "openai_responses, anthropic",
        ),
        (of(&["compile", &file, "--window", "x"]), "--window <TOKENS>", "'x'"),
        (of(&["compile", &file, "--window", "0"]), "--window <TOKENS>", "1.."),
        (
            of(&["compile", &file, "--window", "10", "--reserve", "20"]),
            "--reserve <TOKENS>",
            "invalid value '20'",
        ),
        (
            of(&["compress", &file, "--level", "x"]),
            "--level <LEVEL>",
            "lossless, reversible, summary, drop",
        ),
        (
            of(&["compress", &file, "--notations", "x"]),
            "--notations <HOW>",
            "plain, computed, none",
        ),
        (of(&["compress", &file, "--originals", "x"]), "--originals <WHAT>", "none, return"),
        (of(&["compress", &file, "--budget", "0"]), "--budget <TOKENS>", "1.."),
        (key(&["x"]), "--scope <SCOPE>", "compile, compress"),
        (key(&["compile"]), "--scope <SCOPE>", "the first key must hold `admin`"),
        (key(&["admin", "--kind", "x"]), "--kind <KIND>", "user, agent, service, automation"),
        (key(&["admin", "--role", "x"]), "--role <ROLE>", "capturer, reviewer"),
        (key(&["admin", "--tenant", "a b"]), "--tenant <NAME>", "1 to 64 letters"),
        (key(&["admin", "--requests-per-minute", "0"]), "--requests-per-minute <N>", "1.."),
        (of(&["tail", "--types", "x"]), "--types <TYPE>", "compile:start, compile:done"),
        (of(&["tail", "--types", "compile:done,x"]), "--types <TYPE>", "'x'"),
        (of(&["serve", "--gateway-mode", "x"]), "--gateway-mode <MODE>", "observe"),
        (of(&["hooks", "listen", "--point", "x"]), "--point <POINT>", "tool_result"),
        (of(&["report", "--by", "x"]), "--by <WHAT>", "day, model, key"),
    ] {
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        let told = refused(&line);
        assert!(told.starts_with("error: invalid value "), "{line:?}: {told}");
        assert!(told.contains(flag) && told.contains(known), "{line:?}: {told}");
        assert!(told.contains("--help"), "{line:?}: {told}");
    }
    assert!(
        !folder.database().exists()
            || run(&["key", "list", "--database-url", &url]).status.success()
    );
}

#[test]
fn a_fault_of_the_file_stays_one_if_a_flag_is_given_too() {
    let folder = Folder::new();
    let file = folder.write("bad.json", r#"{"messages": [{"role": 5}]}"#);
    let output = run(&["compile", &file, "--target", "openai"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("bad.json:1:"), "{}", text(&output.stderr));
}

#[test]
fn what_was_meant_is_named() {
    for (line, tip) in [
        (&["help", "comprss"][..], "a similar subcommand exists: 'compress'"),
        (&["comprss"], "'compress'"),
        (&["key", "lst"], "'list'"),
        (&["help", "key", "revke"], "unrecognized subcommand"),
        (&["serve", "--port", "8080"], "--listen 127.0.0.1:8080"),
        (&["serve", "-p", "8080"], "--listen 127.0.0.1:8080"),
        (&["demo", "--host=0.0.0.0"], "--listen 127.0.0.1:8080"),
        (&["serve", "--listen", "host"], "an IP address and a port"),
    ] {
        let told = refused(line);
        assert!(told.contains(tip), "{line:?}: {told}");
    }
    assert!(refused(&["help", "xyzzy"]).contains("unrecognized subcommand 'xyzzy'"));
    // Not every command listens.
    assert!(!refused(&["compile", "--port", "8080", "x"]).contains("--listen"));
}

#[test]
fn a_setting_that_is_wrong_stops_every_command_that_serves() {
    let mut command = ServerProcess::command();
    command.args(["wrap", "--", "true"]).env("CONTEXTURE_MAX_BODY_BYTES", "x");
    let output = command.output().expect("the program runs");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.starts_with("error: invalid value 'x'"), "{told}");
    assert!(told.contains("CONTEXTURE_MAX_BODY_BYTES"), "{told}");
}

#[test]
fn a_port_alone_is_one_of_this_machine() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let server = ServerProcess::start_at(&format!(":{port}"), &[]);
    assert_eq!(server.address.to_string(), format!("127.0.0.1:{port}"));
    assert!(run(&["health", "--listen", &port.to_string()]).status.success());
}

#[tokio::test]
async fn a_port_in_use_is_named_with_who_has_it() {
    let server = ServerProcess::start(&[]);
    let address = server.address.to_string();
    for command in ["serve", "demo"] {
        let output = run(&[command, "--listen", &address]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(78), "{told}");
        assert!(told.contains("a Contexture server uses it"), "{told}");
        assert!(told.contains("`--listen 127.0.0.1:0`") && told.contains(&address), "{told}");
    }
    let other = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = other.local_addr().expect("an address").to_string();
    let told = text(&run(&["serve", "--listen", &address]).stderr);
    assert!(told.contains("another program uses it") && told.contains("127.0.0.1:0"), "{told}");
}

#[test]
fn help_has_the_colours_that_are_asked_for() {
    for line in [&["--color=always", "--help"][..], &["--color", "always", "serve", "-h"]] {
        assert!(text(&run(line).stdout).contains("\u{1b}["), "{line:?}");
    }
    assert!(text(&run(&["--color=always", "nope"]).stderr).contains("\u{1b}["));
    for line in [&["--color=never", "--help"][..], &["--help"]] {
        assert!(!text(&run(line).stdout).contains('\u{1b}'), "{line:?}");
    }
}

#[test]
fn wrap_has_the_codes_of_shells() {
    let folder = Folder::new();
    let plain = folder.write("plain.txt", "no program");
    for (program, code, words) in [
        ("/no/such/program", 127, "there is no such command"),
        (&plain, 126, "may not be executed"),
    ] {
        let output = run(&["wrap", "--", program]);
        assert_eq!(output.status.code(), Some(code), "{program}");
        let told = text(&output.stderr);
        assert!(told.contains(words) && told.contains(program), "{told}");
    }
    let output = run(&["wrap", "--", "/bin/sh", "-c", "exit 3"]);
    assert_eq!(output.status.code(), Some(3));
    let told = text(&output.stderr);
    assert!(told.contains("contexture: 0 requests, 0 tokens saved"), "{told}");
}

#[test]
fn a_misspelt_flag_of_wrap_is_no_command() {
    for (line, flag, near) in [
        (
            &["wrap", "--gateway-mod", "observe", "--", "echo"][..],
            "--gateway-mod",
            "--gateway-mode",
        ),
        (&["wrap", "--gateway-mod=observe", "echo"], "--gateway-mod", "--gateway-mode"),
        (&["wrap", "--database-ur", "memory:", "echo"], "--database-ur", "--database-url"),
    ] {
        let told = refused(line);
        assert!(told.contains(&format!("unexpected argument '{flag}' found")), "{told}");
        assert!(told.contains(&format!("a similar argument exists: '{near}'")), "{told}");
        assert!(told.contains("Usage: contexture wrap"), "{told}");
    }
    // After `--`, every word is one of the command.
    assert_eq!(run(&["wrap", "--", "--no-such-program"]).status.code(), Some(127));
}

#[cfg(target_os = "linux")]
#[test]
fn wrap_passes_an_interrupt_on() {
    use std::io::{BufRead as _, BufReader};
    use std::os::unix::process::CommandExt as _;
    let script = "trap 'exit 7' INT; echo ready; while :; do sleep 0.05; done";
    let program = ServerProcess::command();
    // The tests may run with the signal ignored, and a shell cannot trap what it finds ignored.
    let mut command = std::process::Command::new("env");
    command.arg("--default-signal=INT").arg(program.get_program());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // A group of its own is in no terminal's foreground.
    command.args(["wrap", "--", "/bin/sh", "-c", script]).process_group(0);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    assert_eq!(line, "ready\n");
    // It may not wait for the command yet.
    let id = child.id().to_string();
    let status = loop {
        let sent = std::process::Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        std::thread::sleep(Duration::from_millis(20));
        if let Some(status) = child.try_wait().expect("it can be asked") {
            break status;
        }
    };
    assert_eq!(status.code(), Some(7));
}

#[test]
fn files_that_are_empty_or_broken_are_named() {
    let folder = Folder::new();
    let empty = folder.write("empty", " \n");
    for line in [&["prove", &empty][..], &["compile", &empty], &["why", &empty, &empty]] {
        let output = run(line);
        assert_eq!(output.status.code(), Some(1), "{line:?}");
        let told = text(&output.stderr);
        assert!(told.starts_with("error: ") && told.contains("empty is empty"), "{told}");
    }
    let output = run(&["compress", &empty]);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b" \n".as_slice()));
    assert!(text(&output.stderr).contains("empty is empty"));

    let broken = "{\"a\": 1,\n \"b\": [1, 2,, 3]}";
    let file = folder.write("broken.json", broken);
    let output = run(&["compress", &file]);
    assert_eq!(text(&output.stdout), broken);
    let told = text(&output.stderr);
    assert!(
        told.contains("broken.json looks like JSON and is not, at line 2, column 13;"),
        "{told}"
    );
    for text_file in
        ["[2026-01-01] started", "{\"a\": 1}\n{\"b\": 2}\n", "{'a': 1}", "[\"x\"] y", "{\"a\": 1}"]
    {
        let file = folder.write("fine.txt", text_file);
        let told = text(&run(&["compress", &file]).stderr);
        assert!(!told.contains("looks like JSON"), "{text_file}: {told}");
    }

    let lines = folder.write("x.jsonl", "{\"a\": 1}\n{\"b\": 2}\n");
    let told = text(&run(&["compile", &lines]).stderr);
    assert!(told.contains(&format!("`contexture prove {lines}`")), "{told}");
    assert!(told.contains("{\"messages\": [...]}"), "{told}");
}

#[test]
fn keys_are_listed_and_revoked() {
    let folder = Folder::new();
    let url = folder.url();
    let key = |line: &[&str]| {
        let mut command = ServerProcess::command();
        command.arg("key").args(line).env("CONTEXTURE_DATABASE_URL", &url);
        command.output().expect("the program runs")
    };
    let none = key(&["list"]);
    assert_eq!(none.status.code(), Some(78));
    assert!(text(&none.stderr).contains("there is no database") && !folder.database().exists());

    let first = key(&["create", "--scope", "admin", "--name", "me"]);
    assert!(text(&first.stderr).contains("It is the first one"), "{}", text(&first.stderr));
    let second = key(&["create", "--scope", "compile", "--tenant", "acme", "--json"]);
    assert!(!text(&second.stderr).contains("It is the first one"));
    let second: Value = serde_json::from_slice(&second.stdout).expect("JSON");
    let id = second["id"].as_str().expect("an id");

    let rows =
        |line: &[&str]| -> Value { serde_json::from_slice(&key(line).stdout).expect("JSON") };
    let own = rows(&["list", "--json"]);
    assert_eq!((&own[0]["name"], &own[0]["scopes"]), (&json!("me"), &json!(["admin"])));
    assert!(own[0].get("key").is_none() && own[1].is_null());
    assert_eq!(rows(&["list", "--json", "--tenant", "acme"])[0]["id"], id);
    let shown = text(&key(&["ls", "--tenant", "acme"]).stdout);
    assert!(shown.starts_with("id ") && shown.contains(id) && shown.contains("compile"), "{shown}");

    assert!(key(&["revoke", &format!("cx_live_{id}")]).status.success());
    assert_eq!(rows(&["list", "--json", "--tenant", "acme"]), json!([]));
    let again = key(&["revoke", id]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains(&format!("there is no key {id}")));
    let words = run(&["keys", "list", "--database-url", &url]);
    assert!(text(&words.stdout).contains("admin"), "{}", text(&words.stderr));

    let file = folder.file("keys.json");
    let made = key(&["create", "--scope", "compile", "--keys-file", &file, "--json"]);
    let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let id = made["id"].as_str().expect("an id");
    assert_eq!(rows(&["list", "--json", "--keys-file", &file])[0]["id"], id);
    assert!(key(&["revoke", id, "--keys-file", &file]).status.success());
    assert_eq!(rows(&["list", "--json", "--keys-file", &file]), json!([]));
}

#[tokio::test]
async fn the_first_key_of_an_open_server_is_logged() {
    let folder = Folder::new();
    let url = folder.url();
    let log = tempfile::NamedTempFile::new().expect("a file");
    let mut command = ServerProcess::command();
    command.args(["serve", "--listen", "127.0.0.1:0", "--database-url", &url]);
    let server = ServerProcess::logging_to(command, log.reopen().expect("the file").into());
    let models = request("GET", "/models", &[], b"");
    assert_eq!(send(server.address, &models).await.status, 200);
    let tail = ServerProcess::command()
        .args(["tail", "--server", &server.address.to_string()])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    assert!(run(&["key", "create", "--scope", "admin", "--database-url", &url]).status.success());
    crate::support::wait::until(async || {
        (send(server.address, &models).await.status == 401).then_some(())
    })
    .await;
    // A reader that needs a key now ends; it does not come back for ever.
    let ended = tokio::time::timeout(
        Duration::from_secs(30),
        tokio::task::spawn_blocking(move || tail.wait_with_output()),
    );
    let ended = ended.await.expect("it ends").expect("a thread").expect("the program ran");
    assert_eq!(ended.status.code(), Some(1));
    let told = text(&ended.stderr);
    assert!(told.contains("requires a key: give one with --key or CONTEXTURE_KEY"), "{told}");
    let logged = std::fs::read_to_string(log.path()).expect("the log");
    let lines: Vec<&str> =
        logged.lines().filter(|line| line.contains("the first key was made")).collect();
    assert!(lines.len() == 1 && lines[0].contains("WARN"), "{logged}");
}

#[tokio::test]
async fn answers_are_there_for_programs() {
    let server = ServerProcess::start(&[]);
    let address = server.address.to_string();
    let read = |output: &Output| -> Value { serde_json::from_slice(&output.stdout).expect("JSON") };
    let health = read(&run(&["health", "--json", "--url", &address]));
    assert_eq!((&health["ready"], &health["status"]), (&json!(true), &json!(200)));
    assert_eq!(health["body"]["status"], "ok");

    let folder = Folder::new();
    let a = folder.write("a.json", r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#);
    let b = folder.write("b.json", r#"{"model":"m","messages":[{"role":"user","content":"y"}]}"#);
    let why = read(&run(&["why", &a, &b, "--json"]));
    assert_eq!(why["first_change"]["pointer"], "/messages/0", "{why}");
    assert!(why["first_change"]["why"].is_string() && why["detail"].is_string(), "{why}");
    let same = read(&run(&["why", &a, &a, "--json"]));
    assert_eq!(same, json!({"first_change": null, "detail": null}));

    let kept = folder.serve();
    let body = br#"{"messages":[{"role":"user","content":"x"}],"record":"full"}"#;
    let compiled = send(kept.address, &request("POST", "/compile", &[], body)).await;
    let compiled: Value = serde_json::from_slice(&compiled.body).expect("JSON");
    let id = compiled["id"].as_str().expect("an id");
    let url = folder.url();
    let replayed = read(&run(&["replay", id, "--json", "--database-url", &url]));
    assert_eq!((&replayed["id"], &replayed["status"]), (&json!(id), &json!("equal")));
    let copy = folder.file("copy.db");
    let backup = read(&run(&["backup", &copy, "--json", "--database-url", &url]));
    assert_eq!((&backup["file"], &backup["checked"]), (&json!(copy), &json!(true)));
    assert_eq!(backup["bytes"], std::fs::metadata(&copy).expect("the copy").len());
}
