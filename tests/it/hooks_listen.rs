//! `contexture hooks listen`: a receiver that registers itself.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::support::{ServerProcess, TestServer};

struct Listener(Child);

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_stands_at_its_point_checks_signatures_and_goes_with_its_end() {
    let server = TestServer::dev().await;
    let mut command = ServerProcess::command();
    command.args(["hooks", "listen", "--point", "tool_result", "--server", &server.url("")]);
    let mut listener = Listener(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(listener.0.stdout.take().unwrap()).lines();
    let mut printed = Vec::new();
    let mut until = |end: &str| {
        for line in lines.by_ref() {
            let line = line.unwrap();
            printed.push(line.clone());
            if line.contains(end) {
                return printed.join("\n");
            }
        }
        panic!("no `{end}` in {printed:?}");
    };
    let told = until("serve_forever");
    let python = told.lines().skip_while(|line| !line.starts_with("import json")).count();
    assert_eq!(python, 12, "{told}");
    let list = server.get_json("/hooks").await;
    let hook = &list["items"][0];
    assert_eq!((&hook["points"], &hook["kind"]), (&json!(["tool_result"]), &json!("transform")));
    let id = hook["id"].as_str().unwrap();
    let tried = server.post_ok(&format!("/hooks/{id}/test"), &json!({})).await;
    assert_eq!(tried["outcome"], "unchanged", "{tried}");
    assert!(until("\"call_1\"").contains("signature ok"));

    // A stranger's call is printed as what it is, and refused.
    let url = hook["url"].as_str().unwrap();
    let stranger = reqwest::Client::new().post(url).json(&json!({"a": 1})).send().await.unwrap();
    assert_eq!(stranger.status(), 401);
    until("SIGNATURE WRONG");

    let pid = listener.0.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    until("is gone");
    let list = server.get_json("/hooks").await;
    assert_eq!(list["items"], json!([]));
}

#[test]
fn a_point_that_is_none_is_named() {
    let output =
        ServerProcess::command().args(["hooks", "listen", "--point", "tool"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("tool_result"));
}
