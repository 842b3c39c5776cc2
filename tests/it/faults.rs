//! What happens to the store from outside: two processes, damage, a full or failing disk, kills.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::wait::{until, until_within};
use crate::support::{Folder, Reply, ServerProcess, prerequisite, request, send};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

async fn put_adapter(server: &ServerProcess, name: &str) -> Reply {
    let body = br#"{"detect": {"min_lines": 1}}"#;
    send(server.address, &request("PUT", &format!("/adapters/{name}"), &[], body)).await
}

async fn get(server: &ServerProcess, path: &str) -> Reply {
    send(server.address, &request("GET", path, &[], b"")).await
}

async fn compile(server: &ServerProcess) -> u16 {
    let body = br#"{"messages":[{"role":"user","content":"hi"}],"target":"openai"}"#;
    send(server.address, &request("POST", "/compile", &[], body)).await.status
}

/// What becomes of a long result that is to be kept.
async fn cut(server: &ServerProcess) -> Value {
    let results = json!([{"id": "a", "name": "t", "content": "x".repeat(6_000)}]);
    let body = json!({"results": results, "compression": "off",
                      "truncate": {"threshold": 50, "tail_chars": 10, "store": true}});
    let body = body.to_string();
    let reply =
        send(server.address, &request("POST", "/tools/results", &[], body.as_bytes())).await;
    assert_eq!(reply.status, 200);
    serde_json::from_slice(&reply.body).expect("a body of JSON")
}

async fn readiness(server: &ServerProcess) -> Value {
    serde_json::from_slice(&get(server, "/readyz").await.body).expect("a body of JSON")
}

/// Whether a program is there. If it is not, the caller skips.
fn has(name: &str, program: &str) -> bool {
    let run = Command::new(program).arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if run.is_err() {
        prerequisite::skip(name, &format!("{program} is not installed"));
    }
    run.is_ok()
}

#[tokio::test]
async fn a_second_process_on_one_file_is_refused_and_told_of_the_first() {
    let folder = Folder::new();
    let mut first = folder.serve();
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"]] {
        let refused = folder.run(arguments);
        assert_eq!(refused.status.code(), Some(78), "{arguments:?}");
        let told = text(&refused.stderr);
        let pid = format!("the process {}", first.child.id());
        assert!(told.contains(&pid) && told.contains("contexture.db"), "{told}");
    }
    first.signal("KILL");
    first.exit().await;
    let second = folder.serve();
    assert_eq!(get(&second, "/readyz").await.status, 200, "what a kill left does not block");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_is_used_by_one_process_by_whatever_name() {
    let folder = Folder::new();
    let mut first = folder.serve();
    assert_eq!(put_adapter(&first, "one").await.status, 201);
    let [file, link, other] =
        ["contexture.db", "link.db", "other.db"].map(|name| folder.file(name));
    std::os::unix::fs::symlink(&file, &link).unwrap();
    std::fs::hard_link(&file, &other).unwrap();
    let run = |name: &str, arguments: &[&str]| {
        let mut command = ServerProcess::command();
        command.args(arguments).args(["--database-url", &format!("sqlite:{name}")]);
        command.output().unwrap()
    };
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let copy = folder.file("copy.db");
    for arguments in [&serve[..], &["migrate"], &["db", "restore", &file, "--replace"]] {
        let refused = run(&link, arguments);
        assert_eq!(refused.status.code(), Some(78), "{arguments:?}: {}", text(&refused.stderr));
        let told = text(&refused.stderr);
        assert!(told.contains(&format!("the process {}", first.child.id())), "{told}");
    }
    // By the other name there is another log, so it may not even be read.
    let key = ["key", "create", "--scope", "admin"];
    for arguments in [&serve[..], &["migrate"], &key, &["backup", &copy], &["db", "check"]] {
        let refused = run(&other, arguments);
        assert_eq!(refused.status.code(), Some(78), "{arguments:?}: {}", text(&refused.stderr));
        let told = text(&refused.stderr);
        assert!(told.contains("other.db") && told.contains("another name"), "{told}");
    }
    for end in ["-wal", "-shm"] {
        assert!(!Path::new(&format!("{other}{end}")).exists(), "SQLite has opened it");
    }
    let done = run(&link, &["backup", &copy]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(get(&first, "/adapters/one").await.status, 200);
    first.signal("TERM");
    first.exit().await;
    let second = ServerProcess::start(&["--database-url", &format!("sqlite:{other}")]);
    assert_eq!(get(&second, "/adapters/one").await.status, 200);
}

#[tokio::test]
async fn a_server_whose_address_is_taken_touches_no_database() {
    let folder = Folder::new();
    let first = folder.serve();
    let taken = first.address.to_string();
    let fresh = folder.file("fresh.db");
    let refused = ServerProcess::command()
        .args(["serve", "--listen", &taken, "--database-url", &format!("sqlite:{fresh}")])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(78), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains(&taken), "{}", text(&refused.stderr));
    assert!(!Path::new(&fresh).exists() && !Path::new(&format!("{fresh}-lock")).exists());
}

#[tokio::test]
async fn a_copy_is_made_while_the_server_writes() {
    let folder = Folder::new();
    let server = folder.serve();
    assert_eq!(put_adapter(&server, "one").await.status, 201);
    let copy = folder.file("copy.db");
    let done = folder.run(&["backup", &copy]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(put_adapter(&server, "two").await.status, 201);
    let again = folder.run(&["backup", &copy]);
    assert_eq!(again.status.code(), Some(1), "a file that is there is left as it is");

    let restored = ServerProcess::start(&["--database-url", &format!("sqlite:{copy}")]);
    assert_eq!(get(&restored, "/adapters/one").await.status, 200);
    assert_eq!(get(&restored, "/adapters/two").await.status, 404);
    let missing = ServerProcess::command()
        .args(["backup", &folder.file("x.db"), "--database-url", "sqlite:/no/such.db"])
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(78));
    assert!(!Path::new(&folder.file("x.db")).exists());
}

#[tokio::test]
async fn a_copy_is_put_in_the_place_of_a_file_that_nobody_has() {
    let folder = Folder::new();
    let mut server = folder.serve();
    assert_eq!(put_adapter(&server, "one").await.status, 201);
    let copy = folder.file("copy.db");
    assert!(folder.run(&["backup", &copy]).status.success());
    assert_eq!(put_adapter(&server, "two").await.status, 201);
    let used = folder.run(&["db", "restore", &copy, "--replace"]);
    assert_eq!(used.status.code(), Some(78), "{}", text(&used.stderr));
    // What was written last is in its log yet.
    server.signal("KILL");
    server.exit().await;

    let there = folder.run(&["db", "restore", &copy]);
    assert_eq!(there.status.code(), Some(1), "nothing is lost by mistake");
    assert!(text(&there.stderr).contains("--replace"), "{}", text(&there.stderr));
    let done = folder.run(&["db", "restore", &copy, "--replace"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let server = folder.serve();
    assert_eq!(get(&server, "/adapters/one").await.status, 200);
    assert_eq!(get(&server, "/adapters/two").await.status, 404);
    let told = text(&done.stdout);
    let before = folder.file("contexture.db-replaced-1");
    assert!(told.contains(&before), "{told}");
    let before = ServerProcess::start(&["--database-url", &format!("sqlite:{before}")]);
    assert_eq!(get(&before, "/adapters/two").await.status, 200, "with its log");

    let bad = folder.file("bad.db");
    std::fs::write(&bad, "no database").unwrap();
    let fresh = format!("sqlite:{}", folder.file("fresh.db"));
    let refused = ServerProcess::command()
        .args(["db", "restore", &bad, "--database-url", &fresh])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(65), "{}", text(&refused.stderr));
    assert!(!Path::new(&folder.file("fresh.db")).exists());
}

#[tokio::test]
async fn a_check_finds_what_is_damaged_and_what_is_missing() {
    let folder = Folder::new();
    let mut server = folder.serve();
    for key in ["a", "b"] {
        let put = request("PUT", &format!("/memory/{key}"), &[], br#"{"value": "kept"}"#);
        assert_eq!(send(server.address, &put).await.status, 201);
    }
    let sound = folder.run(&["db", "check"]);
    assert!(sound.status.success(), "beside a server: {}", text(&sound.stderr));
    assert!(text(&sound.stdout).contains("sound; 1 tenant"), "{}", text(&sound.stdout));
    server.signal("TERM");
    server.exit().await;
    let reserve = folder.file("contexture.db-reserve");
    std::fs::remove_file(&reserve).unwrap();
    assert!(folder.run(&["db", "check"]).status.success());
    assert!(folder.run(&["key", "list"]).status.success());
    assert!(!Path::new(&reserve).exists(), "what only reads takes no room");

    let change = |sql: &str| {
        let raw = rusqlite::Connection::open(folder.database()).unwrap();
        raw.execute_batch(sql).unwrap();
    };
    let faults = || {
        let found = folder.run(&["db", "check"]);
        assert_eq!(found.status.code(), Some(65), "{}", text(&found.stdout));
        text(&found.stderr)
    };
    change("DELETE FROM memory WHERE key = 'a'");
    assert!(faults().contains("1 memory entries, and 2 are noted"), "{}", faults());
    change(
        "INSERT INTO delivery_hooks (tenant, hook, queued, lost, untold, tell_at, failures, ready_at)
         VALUES ('default', 'h', 3, 0, 0, 0, 0, 0)",
    );
    assert!(faults().contains("0 queued calls, and 3 are noted"), "{}", faults());
    change("DELETE FROM events WHERE seq = 1; UPDATE event_state SET seq = 9");
    assert!(faults().contains("to 9 there are 1"), "{}", faults());
    change(
        "INSERT INTO memory_log (tenant, log, seq, prev_hash, hash, body)
         VALUES ('default', 'captures', 1, zeroblob(32), zeroblob(32), '{}')",
    );
    assert!(faults().contains("is broken at line 1"), "{}", faults());

    let file = folder.database();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0xff);
    std::fs::write(&file, bytes).unwrap();
    assert!(!faults().is_empty());
    let missing = ServerProcess::command()
        .args(["db", "check", "--database-url", "sqlite:/no/such.db"])
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(78));
}

#[test]
fn migrate_makes_a_file_and_says_what_it_did() {
    let folder = Folder::new();
    let made = text(&folder.run(&["migrate"]).stdout);
    assert!(made.contains("schema 0 became"), "{made}");
    let again = text(&folder.run(&["migrate"]).stdout);
    assert!(again.contains("nothing to do"), "{again}");
    let raw = rusqlite::Connection::open(folder.database()).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    drop(raw);
    for arguments in [&["migrate"][..], &["backup", &folder.file("copy.db")]] {
        let refused = folder.run(arguments);
        assert_eq!(refused.status.code(), Some(78));
        assert!(text(&refused.stderr).contains("schema 99"), "{}", text(&refused.stderr));
    }
}

#[tokio::test]
async fn a_key_made_beside_a_running_server_locks_it() {
    let folder = Folder::new();
    let server = folder.serve();
    assert_eq!(compile(&server).await, 200);
    let wrong = folder.run(&["key", "create", "--scope", "fly"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("'fly' for '--scope"), "{}", text(&wrong.stderr));
    let made = folder.run(&["key", "create", "--scope", "admin", "--name", "first"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let key = text(&made.stdout).trim().to_owned();
    let locked = async || (compile(&server).await == 401).then_some(());
    until_within(Duration::from_secs(5), "the key is not heeded", locked).await;
    let bearer = format!("Bearer {key}");
    let list = request("GET", "/keys", &[("authorization", &bearer)], b"");
    let list = send(server.address, &list).await;
    assert_eq!(list.status, 200);
    assert!(text(&list.body).contains("\"first\""));
}

#[tokio::test]
async fn a_key_that_another_process_revokes_is_dead_within_five_seconds() {
    let folder = Folder::new();
    let made = folder.run(&["key", "create", "--scope", "admin"]);
    let key = text(&made.stdout).trim().to_owned();
    let server = folder.serve();
    let bearer = format!("Bearer {key}");
    let list = request("GET", "/keys", &[("authorization", &bearer)], b"");
    assert_eq!(send(server.address, &list).await.status, 200);
    let raw = rusqlite::Connection::open(folder.database()).unwrap();
    raw.execute("UPDATE keys SET revoked_at = 1", []).unwrap();
    let dead = async || (send(server.address, &list).await.status == 401).then_some(());
    until_within(Duration::from_secs(5), "the key does not die", dead).await;
}

#[tokio::test]
async fn a_file_of_keys_is_read_again_when_it_changes() {
    let folder = Folder::new();
    let file = folder.file("keys.json");
    let create = |scope: &str| {
        let line = ["key", "create", "--scope", scope, "--keys-file", &file];
        let made = ServerProcess::command().args(line).output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        format!("Bearer {}", text(&made.stdout).trim())
    };
    let first = create("compile");
    let log = folder.file("log");
    let mut command = ServerProcess::command();
    command.args(["serve", "--listen", "0.0.0.0:0", "--keys-file", &file, "--log-format", "json"]);
    let server = ServerProcess::logging_to(command, File::create(&log).unwrap().into());
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], server.address.port()));
    let models = async |key: &str| {
        send(address, &request("GET", "/models", &[("authorization", key)], b"")).await.status
    };
    let until_status = async |key: &str, status: u16| {
        let complaint = format!("{status} does not come");
        let same = async || (models(key).await == status).then_some(());
        until_within(Duration::from_secs(5), &complaint, same).await;
    };
    assert_eq!(models(&first).await, 200);
    let second = create("compress");
    until_status(&second, 200).await;
    let rows: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let secret = &first["Bearer cx_live_".len() + 17..][..43];
    assert!(!rows.to_string().contains(secret), "the file holds hashes");
    std::fs::write(&file, serde_json::json!([rows[1]]).to_string()).unwrap();
    until_status(&first, 401).await;
    // A file that cannot be read changes nothing. That it was looked at is an error in the log.
    let errors = || std::fs::read_to_string(&log).unwrap().matches(r#""level":"ERROR""#).count();
    // An earlier look may have met a file that was half written.
    let before = errors();
    std::fs::write(&file, "[{").unwrap();
    until(async || (errors() > before).then_some(())).await;
    assert_eq!((models(&first).await, models(&second).await), (401, 200));
}

#[tokio::test]
async fn what_was_used_is_stored_at_a_stop() {
    let folder = Folder::new();
    let mut server = folder.serve();
    assert_eq!(compile(&server).await, 200);
    server.signal("TERM");
    assert!(server.exit().await.success());
    let server = folder.serve();
    let usage: Value = serde_json::from_slice(&get(&server, "/usage").await.body).unwrap();
    assert_eq!(usage["items"][0]["requests"], 1, "{usage}");
    assert_eq!(usage["items"][0]["key"], Value::Null);
}

#[tokio::test]
async fn a_damaged_file_is_refused_and_left_as_it_is() {
    let folder = Folder::new();
    let mut server = folder.serve();
    for name in 0..40 {
        assert_eq!(put_adapter(&server, &format!("a{name}")).await.status, 201);
    }
    server.signal("TERM");
    server.exit().await;
    let file = folder.database();
    let mut bytes = std::fs::read(&file).unwrap();
    let half = bytes.len() / 2 / 4096 * 4096;
    bytes[half..half + 8192].fill(0);
    std::fs::write(&file, &bytes).unwrap();
    let refused = folder.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(65), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("contexture.db"));
    assert!(std::fs::read(&file).unwrap() == bytes);
}

#[tokio::test]
async fn what_a_file_cannot_hold_is_a_fault_of_the_server_and_of_that_alone() {
    let folder = Folder::new();
    let mut server = folder.serve();
    assert_eq!(put_adapter(&server, "sound").await.status, 201);
    assert_eq!(put_adapter(&server, "broken").await.status, 201);
    server.signal("TERM");
    server.exit().await;
    let database = rusqlite::Connection::open(folder.database()).unwrap();
    let broken = "UPDATE adapters SET definition = '{' WHERE name = 'broken'";
    assert_eq!(database.execute(broken, []).unwrap(), 1);
    drop(database);

    let server = folder.serve();
    let test = request("POST", "/adapters/broken/test", &[], br#"{"text": "a,b"}"#);
    let found = send(server.address, &test).await;
    assert_eq!(found.status, 500);
    assert!(text(&found.body).contains(r#""code":"internal""#), "{}", text(&found.body));
    assert_eq!(get(&server, "/adapters/sound").await.status, 200);
    assert_eq!(compile(&server).await, 200);
}

#[tokio::test]
async fn a_file_that_another_program_holds_is_told_and_compiling_goes_on() {
    let folder = Folder::new();
    let server = folder.serve();
    assert_eq!(readiness(&server).await["status"], "ok");
    let other = rusqlite::Connection::open(folder.database()).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let refused = put_adapter(&server, "one").await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(compile(&server).await, 200);
    let ready = get(&server, "/readyz").await;
    assert_eq!(ready.status, 200);
    assert!(text(&ready.body).contains("\"degraded\""), "{}", text(&ready.body));
    other.execute_batch("ROLLBACK").unwrap();
    until_ok(&server).await;
    assert_eq!(put_adapter(&server, "one").await.status, 201);
}

/// Waits until the store is found to be well again, which it is without a write from outside.
async fn until_ok(server: &ServerProcess) {
    let is_ok = async || (readiness(server).await["status"] == "ok").then_some(());
    until_within(Duration::from_secs(12), "it does not recover", is_ok).await;
}

/// The process that strace watches: it would go on without strace.
struct Traced(String);

impl Drop for Traced {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-KILL", &self.0]).stderr(Stdio::null()).status();
    }
}

impl Traced {
    fn terminate(&self) {
        assert!(Command::new("kill").arg(&self.0).status().expect("kill runs").success());
    }
}

/// Starts the server below strace, with these arguments of strace.
fn traced(folder: &Folder, strace: &[&str]) -> (ServerProcess, Traced) {
    let program = env!("CARGO_BIN_EXE_contexture");
    let log = folder.file("strace");
    let mut line: Vec<&str> = vec!["-f", "-q", "-o", &log];
    line.extend_from_slice(strace);
    let url = folder.url();
    line.extend_from_slice(&["--", program, "serve", "--listen", "127.0.0.1:0"]);
    line.extend_from_slice(&["--database-url", &url]);
    let mut command = Command::new("strace");
    command.args(line);
    let server = ServerProcess::spawned(command);
    let pid = std::fs::read_to_string(folder.file("contexture.db-lock")).expect("a lock file");
    (server, Traced(pid.trim().to_owned()))
}

fn syncs(folder: &Folder) -> usize {
    let log = std::fs::read_to_string(folder.file("strace")).expect("a log of strace");
    log.lines().filter(|line| line.contains("fdatasync(") || line.contains("fsync(")).count()
}

#[tokio::test]
async fn what_is_told_to_be_stored_was_flushed_and_writers_share_flushes() {
    if !has("strace", "strace") {
        return;
    }
    let folder = Folder::new();
    // Slow flushes, so that writers wait for them however busy the machine is.
    let slow = "inject=fdatasync:delay_exit=20000";
    let (mut server, traced_process) =
        traced(&folder, &["-e", "trace=fdatasync,fsync", "-e", slow]);
    let start = syncs(&folder);
    for name in 0..20 {
        assert_eq!(put_adapter(&server, &format!("a{name}")).await.status, 201);
    }
    let alone = syncs(&folder) - start;
    assert!(alone >= 20, "{alone} flushes for 20 writes");
    let address = server.address;
    let writers: Vec<_> = (0..64)
        .map(|name| {
            tokio::spawn(async move {
                let body = br#"{"detect": {"min_lines": 1}}"#;
                let put = request("PUT", &format!("/adapters/b{name}"), &[], body);
                // As many wait as may; the others come back.
                while send(address, &put).await.status == 503 {}
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let together = syncs(&folder) - start - alone;
    assert!((1..64).contains(&together), "{together} flushes for 64 writers at once");
    for name in 0..64 {
        assert_eq!(get(&server, &format!("/adapters/b{name}")).await.status, 200);
    }
    traced_process.terminate();
    server.exit().await;
}

#[tokio::test]
async fn a_full_disk_is_told_and_compiling_and_reading_go_on() {
    if !has("strace", "strace") {
        return;
    }
    let folder = Folder::new();
    drop(folder.serve());
    // Every write to a file fails from some point on; sockets are not written in this way.
    let fault = "inject=pwrite64:error=ENOSPC:when=40+";
    let (mut server, traced_process) = traced(&folder, &["-e", "trace=pwrite64", "-e", fault]);
    let mut stored = 0;
    let refused = loop {
        let answer = put_adapter(&server, &format!("a{stored}")).await;
        if answer.status != 201 {
            break answer;
        }
        stored += 1;
        assert!(stored < 100, "the disk is never full");
    };
    assert!(stored > 0, "nothing was stored before");
    assert_eq!(refused.status, 507);
    assert!(text(&refused.body).contains(r#""code":"storage_full""#), "{}", text(&refused.body));
    assert_eq!(refused.header("retry-after"), Some("30"));
    assert_eq!(compile(&server).await, 200);
    assert_eq!(get(&server, "/adapters/a0").await.status, 200);
    assert_eq!(get(&server, "/metrics").await.status, 200);
    let taken = cut(&server).await;
    assert_eq!(taken["results"][0]["action"], "truncated", "{taken}");
    assert_eq!(taken["warnings"].as_array().map(Vec::len), Some(1), "{taken}");
    let ready = readiness(&server).await;
    assert_eq!((&ready["status"], &ready["store"]), (&"degraded".into(), &"full".into()));
    traced_process.terminate();
    server.exit().await;

    let server = folder.serve();
    for name in 0..stored {
        assert_eq!(get(&server, &format!("/adapters/a{name}")).await.status, 200, "{name}");
    }
    assert_eq!(get(&server, &format!("/adapters/a{stored}")).await.status, 404);
}

#[tokio::test]
async fn a_flush_that_fails_ends_the_process() {
    if !has("strace", "strace") {
        return;
    }
    let folder = Folder::new();
    drop(folder.serve());
    let fault = "inject=fdatasync,fsync:error=EIO:when=8+";
    let (mut server, _process) = traced(&folder, &["-e", "trace=fdatasync,fsync", "-e", fault]);
    let mut stored = 0;
    while put_adapter(&server, &format!("a{stored}")).await.status == 201 {
        stored += 1;
        assert!(stored < 100, "the disk never fails");
    }
    let status = tokio::time::timeout(Duration::from_secs(20), server.exit()).await.unwrap();
    assert_eq!(status.code(), Some(70));
    let server = folder.serve();
    for name in 0..stored {
        assert_eq!(get(&server, &format!("/adapters/a{name}")).await.status, 200, "{name}");
    }
}

#[test]
fn kills_amid_writes_lose_nothing() {
    if !has("python", "python3") {
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/kill_test.py");
    let program = env!("CARGO_BIN_EXE_contexture");
    let line = [script, "--binary", program, "--kills", "5"];
    let output = Command::new("python3").args(line).output().expect("the script runs");
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn kills_amid_deliveries_lose_none() {
    if !has("python", "python3") {
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/kill_deliveries.py");
    let program = env!("CARGO_BIN_EXE_contexture");
    let line = [script, "--binary", program, "--kills", "3"];
    let output = Command::new("python3").args(line).output().expect("the script runs");
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}
