//! The built program: help, exit codes, signals.

use std::io::Write as _;
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{ServerProcess, request, send};

fn run(arguments: &[&str]) -> Output {
    ServerProcess::command().args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn help_and_version_succeed() {
    let version = run(&["--version"]);
    assert!(version.status.success());
    assert_eq!(text(&version.stdout), concat!("contexture ", env!("CARGO_PKG_VERSION"), "\n"));
    let help = text(&run(&["--help"]).stdout);
    for word in ["serve", "compile", "why", "openapi", "Examples:", "Exit codes:"] {
        assert!(help.contains(word), "{word} is missing in:\n{help}");
    }
    let serve = text(&run(&["serve", "--help"]).stdout);
    for word in ["--listen", "CONTEXTURE_LISTEN", "127.0.0.1:8080", "--allow-anonymous"] {
        assert!(serve.contains(word), "{word} is missing in:\n{serve}");
    }
}

#[test]
fn a_command_line_that_is_not_understood_exits_2() {
    let lines: [&[&str]; 4] = [&[], &["serve", "--lisen", "x"], &["nothing"], &["compile"]];
    for line in lines {
        let output = run(line);
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{line:?}");
    }
}

#[test]
fn a_bad_value_stops_the_start_and_names_the_variable() {
    for (variable, value) in [
        ("CONTEXTURE_LISTEN", "nowhere"),
        ("CONTEXTURE_MAX_BODY_BYTES", "0"),
        ("CONTEXTURE_LOG_FORMAT", "xml"),
        ("CONTEXTURE_HEADER_TIMEOUT_MS", "-5"),
    ] {
        let output = ServerProcess::command().arg("serve").env(variable, value).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{variable}");
        let told = text(&output.stderr);
        assert!(told.contains(variable) && told.contains(value), "{variable}: {told}");
    }
    let filter =
        ServerProcess::command().arg("serve").env("CONTEXTURE_LOG", "a=b=c").output().unwrap();
    assert_eq!(filter.status.code(), Some(1));
    assert!(text(&filter.stderr).contains("CONTEXTURE_LOG"));
}

#[test]
fn an_address_that_others_reach_needs_a_word() {
    let output = run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--allow-anonymous"));
    let allowed = ServerProcess::start_at("0.0.0.0:0", &["--allow-anonymous"]);
    assert!(allowed.address.ip().is_unspecified());
}

#[test]
fn a_models_file_that_is_wrong_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.json");
    std::fs::write(&path, r#"[{"name": "m", "context_window": 0, "max_output": 1}]"#).unwrap();
    let output =
        run(&["serve", "--listen", "127.0.0.1:0", "--models-file", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.contains("models.json") && told.contains("`m`"), "{told}");
}

#[test]
fn openapi_prints_the_committed_document() {
    let output = run(&["openapi"]);
    assert!(output.status.success());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.yaml");
    assert_eq!(text(&output.stdout), std::fs::read_to_string(path).unwrap());
    let json = run(&["openapi", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(document["info"]["title"], "Contexture");
}

#[test]
fn compile_reads_standard_input_and_prints_a_payload() {
    let mut child = ServerProcess::command()
        .args(["compile", "-", "--target", "openai"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let list = br#"[{"role": "user", "content": "Hello"}]"#;
    child.stdin.take().unwrap().write_all(list).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let payload: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(payload.is_object());
}

#[test]
fn compile_of_a_missing_file_fails() {
    let output = run(&["compile", "/no/such/file.json", "--target", "openai"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("/no/such/file.json"));
}

#[tokio::test]
async fn sigterm_and_ctrl_c_answer_the_open_request_and_exit_0() {
    for signal in ["TERM", "INT"] {
        let mut server = ServerProcess::start(&[]);
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let body = br#"{"messages":[{"role":"user","content":"hi"}],"target":"openai"}"#;
        let bytes = request("POST", "/compile", &[("expect", "100-continue")], body);
        // The head and half of the body: the server has begun with the request.
        let half = bytes.len() - body.len() / 2;
        stream.write_all(&bytes[..half]).await.unwrap();
        let mut begun = [0; 12];
        stream.read_exact(&mut begun).await.unwrap();
        assert_eq!(&begun, b"HTTP/1.1 100");

        server.signal(signal);
        wait_until_refused(server.address).await;
        stream.write_all(&bytes[half..]).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.contains("HTTP/1.1 200"), "{signal}: {answer}");
        assert_eq!(server.exit().await.code(), Some(0), "{signal}");
    }
}

#[tokio::test]
async fn a_request_that_never_ends_does_not_hold_the_stop() {
    let mut server = ServerProcess::start(&["--shutdown-timeout-ms", "200"]);
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head =
        "POST /compile HTTP/1.1\r\nhost: t\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.read_exact(&mut [0; 12]).await.unwrap();
    server.signal("TERM");
    let status = tokio::time::timeout(Duration::from_secs(20), server.exit()).await.unwrap();
    assert_eq!(status.code(), Some(1));
}

#[tokio::test]
async fn an_idle_server_stops_at_once_and_a_new_one_is_ready() {
    let mut server = ServerProcess::start(&["--log-format", "json"]);
    let ready = send(server.address, &request("GET", "/readyz", &[], b"")).await;
    assert_eq!(ready.status, 200);
    let _idle = TcpStream::connect(server.address).await.unwrap();
    server.signal("TERM");
    let status = tokio::time::timeout(Duration::from_secs(20), server.exit()).await.unwrap();
    assert_eq!(status.code(), Some(0));
}

/// Ends when the listener is closed: then the stop has begun.
async fn wait_until_refused(address: std::net::SocketAddr) {
    while TcpStream::connect(address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
