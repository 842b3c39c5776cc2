//! How commands find and ask a server: its address, its key, its connections, and a reader that goes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Folder, ServerProcess, request, send};

fn run(arguments: &[&str]) -> Output {
    ServerProcess::command().args(arguments).output().expect("the program runs")
}

/// What a command that fails prints.
fn failed(arguments: &[&str]) -> String {
    let output = run(arguments);
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {shown}");
    shown
}

/// Reads one request without a body.
fn read_request(stream: &TcpStream) {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.take_while(|line| !line.is_empty()).count() > 0, "no request");
}

/// A server that has these responses, each on a connection of its own, which the client has to close.
fn server_of(bodies: Vec<String>) -> (SocketAddr, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let serve = move || {
        for body in bodies {
            let (mut stream, _) = listener.accept().expect("a connection");
            read_request(&stream);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json";
            write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).expect("the end of the connection");
            assert!(rest.is_empty(), "a second request on a kept connection");
        }
    };
    (address, std::thread::spawn(serve))
}

#[test]
fn no_request_is_sent_on_a_connection_that_was_idle() {
    let pages = vec![
        json!({"items": [], "next_cursor": "more"}).to_string(),
        json!({"items": [], "next_cursor": null}).to_string(),
    ];
    let (address, server) = server_of(pages);
    let output = run(&["report", "--json", "--server", &address.to_string()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    server.join().expect("each request has its connection");
}

#[test]
fn a_server_that_cannot_be_reached_is_reported_with_the_cause() {
    let server = ServerProcess::start(&[]);
    let url = format!("https://{}", server.address);
    let shown = failed(&["report", "--server", &url]);
    assert!(shown.contains(&format!("{url} does not speak TLS: name it with http://")), "{shown}");
    let shown = failed(&["report", "--server", "http://no-such-host.invalid:8080"]);
    assert!(shown.contains("no address is known for the name no-such-host.invalid"), "{shown}");
    let output = run(&["report", "--server", "127.0.0.1:99999"]);
    let shown = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{shown}");
    assert!(shown.contains("the port must be a number from 1 to 65535"), "{shown}");
}

#[test]
fn a_port_alone_is_a_server_of_this_machine() {
    let server = ServerProcess::start(&[]);
    let port = server.address.port();
    for url in [port.to_string(), format!(":{port}")] {
        assert!(run(&["health", "--url", &url]).status.success(), "{url}");
    }
}

#[test]
fn an_empty_variable_is_not_set() {
    let mut command = ServerProcess::command();
    command.args(["health", "--listen", "127.0.0.1:9"]).env("CONTEXTURE_URL", "");
    let output = command.output().expect("the program runs");
    let shown = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.contains("no server answers at http://127.0.0.1:9"), "{shown}");

    let server = ServerProcess::start(&[]);
    let mut command = ServerProcess::command();
    command.args(["report", "--json", "--server", &server.address.to_string()]);
    let output = command.env("CONTEXTURE_KEY", "").output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn tail_ends_when_its_reader_has_gone() {
    let server = ServerProcess::start(&[]);
    let mut command = ServerProcess::command();
    command.args(["tail", "--json", "--server", &server.address.to_string()]);
    let mut tail = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // No event is to come, so that nothing is printed into the closed pipe.
    drop(tail.stdout.take());
    let ended = tokio::task::spawn_blocking(move || tail.wait_with_output());
    let ended = tokio::time::timeout(Duration::from_secs(30), ended).await.expect("it ends");
    let ended = ended.expect("a thread").expect("the program ran");
    assert_eq!(ended.status.code(), Some(0));
    assert!(ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn a_check_of_the_gateway_needs_a_key_and_a_server_of_ours() {
    let folder = Folder::new();
    let keys = folder.file("keys.json");
    let made = run(&["key", "create", "--scope", "admin", "--keys-file", &keys, "--json"]);
    let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let near = "near=http://127.0.0.1:9";
    let server = ServerProcess::start(&["--keys-file", &keys, "--upstream", near]);
    let address = server.address.to_string();
    let shown = failed(&["gateway", "check", "--server", &address]);
    let words = "requires a key: give one with --key or CONTEXTURE_KEY";
    assert!(shown.contains(words) && !shown.contains("bearer"), "{shown}");
    let wrong = format!("{}0", made["key"].as_str().expect("a key"));
    let shown = failed(&["gateway", "check", "--server", &address, "--key", &wrong]);
    assert!(shown.contains("refuses the key of --key or CONTEXTURE_KEY"), "{shown}");

    let key = made["key"].as_str().expect("a key");
    let output = run(&["gateway", "check", "--server", &address, "--key", key, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let list: Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!((&list[0]["upstream"], &list[0]["reached"]), (&json!("near"), &json!(false)));

    let (other, _server) = server_of(vec!["{}".to_owned(), "{}".to_owned()]);
    let shown = failed(&["gateway", "check", "--server", &other.to_string()]);
    assert!(shown.contains("is no Contexture server"), "{shown}");
}

#[tokio::test]
async fn a_replay_of_hashes_names_the_flag_of_the_request() {
    let folder = Folder::new();
    let server = folder.serve();
    let body = br#"{"messages":[{"role":"user","content":"x"}],"record":"hashes"}"#;
    let compiled = send(server.address, &request("POST", "/compile", &[], body)).await;
    let compiled: Value = serde_json::from_slice(&compiled.body).expect("JSON");
    let id = compiled["id"].as_str().expect("an id");
    let shown = failed(&["replay", id, "--database-url", &folder.url()]);
    assert!(shown.contains("hashes only: give the request with --request FILE"), "{shown}");
}

#[test]
fn a_hooks_file_that_is_no_json_is_reported_with_its_line_once() {
    let folder = Folder::new();
    let file = folder.write("hooks.json", "{\n  \"hooks\": [,]}");
    let output = run(&["serve", "--listen", "127.0.0.1:0", "--hooks-file", &file]);
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(shown.contains("(--hooks-file): line 2, column 13: not JSON\n"), "{shown}");
    assert_eq!(shown.matches("not JSON").count(), 1, "{shown}");
}
