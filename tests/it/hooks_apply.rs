//! `contexture hooks apply`: the registered hooks become those of a file.

use std::io::Write as _;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Folder, ServerProcess, TestServer};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const HOOKS: &str = "\
hooks:
  redact:
    point: tool_result
    kind: transform
    url: http://127.0.0.1:9000/redact?token=${TOKEN}
    secret: ${REDACT_SECRET}
    headers: {Authorization: 'Bearer ${TOKEN}'}
  scan: {point: transform_context, kind: guard, builtin: secret_scan}
";

/// A file of hooks, and the program that applies it.
struct Deployment {
    folder: Folder,
    server: TestServer,
}

impl Deployment {
    async fn new(hooks: &str) -> Self {
        let made = Self { folder: Folder::new(), server: TestServer::dev().await };
        made.write(hooks);
        made
    }

    fn write(&self, hooks: &str) {
        self.folder.write("hooks.yaml", hooks);
    }

    /// Runs the command with a token, and returns its exit code and what it printed.
    async fn apply(&self, flags: &[&str], token: &str) -> (i32, String) {
        let mut command = ServerProcess::command();
        command.args(["hooks", "apply"]).arg(self.folder.file("hooks.yaml")).args(flags);
        command.env("CONTEXTURE_URL", self.server.url(""));
        command.env("TOKEN", token).env("REDACT_SECRET", SECRET);
        let run = tokio::task::spawn_blocking(move || command.output().unwrap());
        let Output { status, stdout, stderr } = run.await.unwrap();
        let text = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        assert!(!text.contains(SECRET), "a secret is printed: {text}");
        (status.code().unwrap(), text)
    }

    async fn hooks(&self) -> Vec<Value> {
        self.server.get_json("/hooks").await["items"].as_array().unwrap().clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_applied_twice_is_changed_once() {
    let deployment = Deployment::new(HOOKS).await;
    let (code, told) = deployment.apply(&["--yes"], "one").await;
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("2 to create, 0 to update, 0 to delete, 0 unchanged"), "{told}");
    assert!(told.contains("created redact\ncreated scan"), "{told}");
    let made = deployment.hooks().await;
    assert_eq!(made.len(), 2);
    assert_eq!((&made[0]["id"], &made[0]["points"]), (&json!("redact"), &json!(["tool_result"])));

    let (code, told) = deployment.apply(&["--yes"], "one").await;
    assert_eq!((code, told.as_str()), (0, "0 to create, 0 to update, 0 to delete, 2 unchanged\n"));
    assert_eq!(deployment.hooks().await, made, "revisions stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_each_change_without_secrets_and_makes_none() {
    let deployment = Deployment::new(HOOKS).await;
    assert_eq!(deployment.apply(&["--yes"], "one").await.0, 0);
    let before = deployment.hooks().await;
    deployment.write(&HOOKS.replace("kind: transform", "kind: transform\n    timeout_ms: 800"));
    let (code, told) = deployment.apply(&["--dry-run"], "two-more").await;
    assert_eq!(code, 3, "{told}");
    let update = "~ update redact\n    timeout_ms: 5000 → 800\n    url: changed\n    \
                  headers.authorization: changed\n";
    assert!(told.to_lowercase().contains(update), "{told}");
    assert!(!told.contains("two-more"), "{told}");
    assert_eq!(deployment.hooks().await, before);
    let (code, told) = deployment.apply(&["--dry-run"], "one").await;
    assert_eq!(code, 3, "{told}");
    assert!(told.contains("    timeout_ms: 5000 → 800\n0 to create, 1 to update"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_terminal_nothing_is_changed_unless_it_is_said() {
    let deployment = Deployment::new(HOOKS).await;
    let (code, told) = deployment.apply(&[], "one").await;
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("pass --yes"), "{told}");
    assert_eq!(deployment.hooks().await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_that_the_file_does_not_name_stay_unless_pruned() {
    let deployment = Deployment::new("hooks: {}").await;
    let other = json!({"id": "old", "point": "transform_context", "kind": "guard", "builtin": "secret_scan"});
    deployment.server.register(&other).await;
    let mut own = other.clone();
    own["id"] = json!("of-session");
    own["scope"] = json!({"session_id": "s_1"});
    deployment.server.register(&own).await;
    let (code, told) = deployment.apply(&["--yes"], "one").await;
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("? old is not in the file and stays; --prune deletes it"), "{told}");
    assert!(!told.contains("of-session"), "{told}");
    assert_eq!(deployment.hooks().await.len(), 2);
    let (code, told) = deployment.apply(&["--yes", "--prune"], "one").await;
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("- delete old\n") && told.contains("deleted old\n"), "{told}");
    let left = deployment.hooks().await;
    assert_eq!((left.len(), &left[0]["id"]), (1, &json!("of-session")));
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_are_named_before_anything_is_changed() {
    let scan = "  scan: {point: transform_context, kind: guard, builtin: secret_scan}\n";
    for (hooks, fault) in [
        (
            "hooks:\n  b: {point: nowhere, kind: guard, builtin: secret_scan}\n",
            "unknown hook point `nowhere`; known hook points: before_compress, ",
        ),
        (
            "hooks:\n  a: {point: tool_result, kind: transform, url: '${NOT_SET}'}\n",
            "NOT_SET is not set",
        ),
        (
            "hooks:\n  a: {point: tool_result, kind: transform, url: 'http://127.0.0.1:9000/'}\n",
            "a new hook with a url needs a secret",
        ),
    ] {
        let deployment = Deployment::new(&format!("hooks:\n{scan}{}", &hooks[7..])).await;
        let (code, told) = deployment.apply(&["--yes"], "one").await;
        assert_eq!(code, 1, "{told}");
        assert!(told.contains(fault), "{told}");
        assert_eq!(deployment.hooks().await, Vec::<Value>::new(), "{told}");
    }
    let deployment = Deployment::new("hooks: {}").await;
    let mut command = ServerProcess::command();
    command.args(["hooks", "apply"]).arg(deployment.folder.file("hooks.yaml"));
    // Nothing listens on the port for discarding.
    command.args(["--server", "http://127.0.0.1:9"]);
    let run = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&run.stderr).contains("no server answers at http://127.0.0.1:9")
    );
}

/// Applies a text from standard input, and returns the exit code and what was printed.
async fn apply_input(server: &TestServer, text: &[u8]) -> (i32, String) {
    let mut command = ServerProcess::command();
    command.args(["hooks", "apply", "-", "--yes"]).env("CONTEXTURE_URL", server.url(""));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    let run = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap());
    let Output { status, stdout, stderr } = run.await.unwrap();
    let printed = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (status.code().unwrap(), printed)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_of_the_file_is_shown_at_its_place() {
    let server = TestServer::dev().await;
    let (code, shown) = apply_input(
        &server,
        b"hooks:\n  scan: {point: transform_context, kind: \
        guard, builtin: secret_scan}\n",
    )
    .await;
    assert_eq!((code, shown.contains("created scan\n")), (0, true), "{shown}");
    let cases: [(&[u8], &str, &str); 7] = [
        (
            b"hooks:\n  a: {point: tool_resultt, kind: guard, builtin: secret_scan}\n",
            "standard input:2:7",
            "unknown hook point `tool_resultt` (did you mean `tool_result`?)",
        ),
        (
            b"hooks:\n  a:\n    point: tool_result\n    kindd: guard\n    builtin: secret_scan\n",
            "standard input:4:5",
            "unknown key `kindd` (did you mean `kind`?)",
        ),
        (
            b"hooks:\n  a:\n    timeout_ms: 99999999999999999999999\n",
            "standard input:3:17",
            "the number 99999999999999999999999 is too large",
        ),
        (
            b"hooks:\n  a: {}\n  b: {}\n  a: {}\n",
            "standard input:4:3",
            "the key `a` is there twice",
        ),
        (b"hook: {}\n", "standard input:1:1", "(did you mean `hooks`?)"),
        (b"{}", "standard input", "the key `hooks` is missing"),
        (b"hooks:\n  a: {url: '\xff'}\n", "standard input:2", "not UTF-8"),
    ];
    for (text, place, fault) in cases {
        let (code, shown) = apply_input(&server, text).await;
        assert_eq!(code, 1, "{shown}");
        assert!(shown.contains(place) && shown.contains(fault), "{place}, {fault}: {shown}");
    }
}
