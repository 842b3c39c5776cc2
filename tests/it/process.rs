//! The built program: help, exit codes, signals.

use std::io::Write as _;
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::wait::until;
use crate::support::{Folder, ServerProcess, request, send};

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
    for word in [
        "serve",
        "compile",
        "compress",
        "expand",
        "prove",
        "why",
        "openapi",
        "Examples:",
        "Exit codes:",
    ] {
        assert!(help.contains(word), "{word} is missing in:\n{help}");
    }
    let serve = text(&run(&["serve", "--help"]).stdout);
    for word in ["--listen", "CONTEXTURE_LISTEN", "127.0.0.1:8080", "--allow-anonymous"] {
        assert!(serve.contains(word), "{word} is missing in:\n{serve}");
    }
}

#[test]
fn a_command_line_that_is_not_understood_exits_2() {
    let lines: [&[&str]; 4] = [&[], &["serve", "--lisen", "x"], &["nothing"], &["replay"]];
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
        ("CONTEXTURE_ARTIFACTS_MAX_COUNT", "-1"),
        ("CONTEXTURE_ARTIFACTS_TTL_SECONDS", "0"),
        ("CONTEXTURE_DATABASE_URL", "mysql://host/database"),
    ] {
        let output = ServerProcess::command().arg("serve").env(variable, value).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{variable}");
        let told = text(&output.stderr);
        assert!(told.contains(variable) && told.contains(value), "{variable}: {told}");
    }
    let filter =
        ServerProcess::command().arg("serve").env("CONTEXTURE_LOG", "a=b=c").output().unwrap();
    assert_eq!(filter.status.code(), Some(2));
    let told = text(&filter.stderr);
    assert!(told.contains("invalid value 'a=b=c' for '--log-level <FILTER>'"), "{told}");
    assert!(told.contains("CONTEXTURE_LOG") && !told.contains("error parsing"), "{told}");
}

#[test]
fn an_address_that_others_reach_needs_a_word() {
    let output = run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(output.status.code(), Some(78));
    assert!(text(&output.stderr).contains("--allow-anonymous"));
    let allowed = ServerProcess::start_at("0.0.0.0:0", &["--allow-anonymous"]);
    assert!(allowed.address.ip().is_unspecified());
}

#[test]
fn a_models_file_that_is_wrong_stops_the_start() {
    let folder = Folder::new();
    let models = r#"[{"name": "m", "context_window": 0, "max_output": 1}]"#;
    let path = folder.write("models.json", models);
    let output = run(&["serve", "--listen", "127.0.0.1:0", "--models-file", &path]);
    assert_eq!(output.status.code(), Some(78));
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
    let head = "POST /compile HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n";
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
    until(async || TcpStream::connect(address).await.err()).await;
}

#[tokio::test]
async fn what_was_stored_survives_kill_9() {
    let folder = Folder::new();
    let texts: Vec<String> = (0..20).map(|name| format!("text {name}\n").repeat(1000)).collect();
    let mut server = folder.serve();
    let mut paths = Vec::new();
    for text in &texts {
        let plain = [("content-type", "text/plain")];
        let stored = request("POST", "/artifacts", &plain, text.as_bytes());
        let stored = send(server.address, &stored).await;
        assert_eq!(stored.status, 201);
        let stored: serde_json::Value = serde_json::from_slice(&stored.body).unwrap();
        paths.push(format!("/artifacts/{}", stored["id"].as_str().unwrap()));
    }
    server.signal("KILL");
    assert!(!server.exit().await.success());

    let server = folder.serve();
    for (path, text) in paths.iter().zip(&texts) {
        let found = send(server.address, &request("GET", path, &[], b"")).await;
        assert_eq!(found.status, 200, "{path}");
        assert!(found.body == text.as_bytes(), "{path} has changed");
    }
}

#[tokio::test]
async fn a_kill_amid_writes_loses_nothing_that_was_acknowledged() {
    let folder = Folder::new();
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let mut server = folder.serve();
        let address = server.address;
        let (told, mut amid) = tokio::sync::mpsc::unbounded_channel();
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let told = told.clone();
                tokio::spawn(async move {
                    let mut stored = Vec::new();
                    for count in 0.. {
                        let text = format!("{round}/{writer}/{count} ").repeat(1000);
                        let plain = [("content-type", "text/plain")];
                        let put = request("POST", "/artifacts", &plain, text.as_bytes());
                        let Ok(answer) =
                            tokio::spawn(async move { send(address, &put).await }).await
                        else {
                            break;
                        };
                        let id = serde_json::from_slice::<serde_json::Value>(&answer.body);
                        let Some(id) =
                            id.ok().and_then(|body| Some(body["id"].as_str()?.to_owned()))
                        else {
                            break;
                        };
                        stored.push((id, text));
                        // The last of them are written while nobody listens any more.
                        let _ = told.send(());
                    }
                    stored
                })
            })
            .collect();
        drop(told);
        for _ in 0..10 + round {
            amid.recv().await.expect("writers go on");
        }
        server.signal("KILL");
        server.exit().await;
        for writer in writers {
            acknowledged.extend(writer.await.unwrap());
        }
    }
    assert!(acknowledged.len() > 10, "only {} writes", acknowledged.len());
    let server = folder.serve();
    for (id, text) in acknowledged {
        let found =
            send(server.address, &request("GET", &format!("/artifacts/{id}"), &[], b"")).await;
        assert!(found.status == 200 && found.body == text.as_bytes(), "{id}: {}", found.status);
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_written_is_a_problem_and_compiling_goes_on() {
    let folder = Folder::new();
    let server = folder.serve();
    // Another program holds the file for longer than the server waits.
    let other = rusqlite::Connection::open(folder.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Each of the two writes may wait for five seconds.
    let head = [("content-type", "text/plain"), ("contexture-deadline-ms", "30000")];
    let put = request("POST", "/artifacts", &head, "line\n".repeat(2000).as_bytes());
    let body = br#"{"messages":[{"role":"user","content":"hi"}],"target":"openai"}"#;
    let compile = request("POST", "/compile", &head[1..], body);
    let (refused, compiled) =
        tokio::join!(send(server.address, &put), send(server.address, &compile));
    assert_eq!(compiled.status, 200, "{}", text(&compiled.body));
    assert_eq!(refused.status, 503, "{}", text(&refused.body));
    assert!(text(&refused.body).contains("store_unavailable"), "{}", text(&refused.body));
    other.execute_batch("ROLLBACK").unwrap();
    let stored = async {
        // What the server itself had to store may be waiting still.
        loop {
            let reply = send(server.address, &put).await;
            if reply.status != 503 {
                break reply;
            }
        }
    };
    let stored = tokio::time::timeout(Duration::from_secs(30), stored).await.expect("it recovers");
    assert_eq!(stored.status, 201, "{}", text(&stored.body));
}

#[test]
fn a_database_that_cannot_be_opened_stops_the_start() {
    let folder = Folder::new();
    let file = folder.database();
    std::fs::write(&file, "not a database ".repeat(100)).unwrap();
    for (path, code) in [(file, 65), (folder.file("no/such/folder.db").into(), 78)] {
        let url = format!("sqlite:{}", path.display());
        let output = run(&["serve", "--listen", "127.0.0.1:0", "--database-url", &url]);
        assert_eq!(output.status.code(), Some(code));
        let told = text(&output.stderr);
        assert!(
            told.contains("--database-url") && told.contains(&*path.to_string_lossy()),
            "{told}"
        );
    }
}

#[test]
fn a_host_that_starts_us_is_answered_until_it_ends_the_input() {
    let folder = Folder::new();
    let url = folder.url();
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":
        "2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    let remember = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":
        "memory_create","arguments":{"key":"language","value":"Rust"}}}"#;
    let lines = [
        hello.replace('\n', ""),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        "no JSON".to_owned(),
        remember.replace('\n', ""),
    ];
    let talk = |lines: &[String]| {
        let mut command = ServerProcess::command();
        command.args(["mcp", "--database-url", &url]).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program runs");
        let mut input = child.stdin.take().expect("an input");
        for line in lines {
            writeln!(input, "{line}").expect("it reads");
        }
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        let read = |line| serde_json::from_str(line).expect("JSON");
        said.lines().map(read).collect::<Vec<serde_json::Value>>()
    };
    let said = talk(&lines);
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(said[0]["result"]["serverInfo"]["name"], "contexture");
    assert_eq!((&said[1]["id"], &said[1]["result"]["isError"]), (&1.into(), &false.into()));
    // It is kept, and who only looks whether the program starts is no failure.
    let recall = remember
        .replace("memory_create", "memory_recall")
        .replace("\"key\":\"language\",\"value\"", "\"query\"");
    let said = talk(&[lines[0].clone(), lines[1].clone(), recall.replace('\n', "")]);
    let found = said[1]["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(found.contains("language"), "{found}");
    assert!(talk(&[]).is_empty());
}

#[tokio::test]
async fn a_start_logs_where_everything_is_a_line_for_each() {
    let folder = Folder::new();
    let file = folder.database();
    let log = tempfile::NamedTempFile::new().expect("a file");
    let start = |database: &str, more: &[&str]| {
        let mut command = ServerProcess::command();
        command.args(["serve", "--listen", "127.0.0.1:0", "--database-url", database]).args(more);
        ServerProcess::logging_to(command, Stdio::from(log.reopen().expect("the file")))
    };
    let lines = async |last: &str| {
        until(async || {
            let text = std::fs::read_to_string(log.path()).ok()?;
            text.contains(last).then(|| text.lines().map(str::to_owned).collect::<Vec<_>>())
        })
        .await
    };
    let open = start(&folder.url(), &[]);
    let address = open.address;
    let found = lines("the gateway is off").await;
    let expected = [
        format!("listening address={address} version="),
        format!("console: usage, sessions, records, a playground url=http://{address}/"),
        format!("guide; the API reference is at /docs url=http://{address}/docs/guide/"),
        format!("data is kept in a file file={}", file.display()),
        "callers need no key; set --bootstrap-key or --keys-file to require keys keys=false".into(),
        "the gateway is off; --upstream anthropic, for example, turns it on".into(),
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (line, part) in found.iter().zip(&expected) {
        assert!(line.contains(part.as_str()), "{part}: {line}");
    }
    drop(open);
    log.as_file().set_len(0).expect("an empty file");
    let secret = "a-bootstrap-key-of-32-characters-or-more";
    let more =
        ["--log-format", "json", "--bootstrap-key", secret, "--upstream", "anthropic,openai"];
    let _locked = start("memory:", &more);
    let found = lines("the gateway forwards").await;
    let row = |part: &str| -> serde_json::Value {
        let line = found.iter().find(|line| line.contains(part)).expect(part);
        serde_json::from_str(line).expect("a line of JSON")
    };
    assert_eq!(row("callers need a key")["keys"], true);
    assert_eq!(row("the gateway forwards")["upstreams"], "anthropic, openai");
    assert!(row("data is kept in memory")["message"].as_str().unwrap().contains("lost"));
    assert!(!found.iter().any(|line| line.contains(secret)), "{found:?}");
}
