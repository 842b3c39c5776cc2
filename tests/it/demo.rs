//! `contexture demo`: what is there once it prints the console's address.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::support::ServerProcess;

#[tokio::test]
async fn a_demo_has_sessions_with_records_in_full() {
    let mut command = ServerProcess::command();
    // Not even a key of the environment stands in its way.
    command.env("CONTEXTURE_BOOTSTRAP_KEY", "b".repeat(32));
    let mut demo = command
        .args(["demo", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(demo.stdout.take().expect("output")).lines();
    let line = lines.next().expect("a line").expect("text");
    let url = line.strip_prefix("the console is at ").expect("the address").to_owned();
    let get = async |path: &str| -> Value {
        let response = reqwest::get(format!("{url}{path}")).await.expect("a response");
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.expect("JSON")
    };
    let timeline = get("/sessions/flaky-test/timeline").await;
    let rows = timeline["items"].as_array().unwrap();
    assert!(rows.len() > 15, "{}", rows.len());
    let whys: Vec<_> = rows.iter().filter_map(|row| row["first_change"]["why"].as_str()).collect();
    assert!(whys.contains(&"compaction"), "{whys:?}");
    assert!(rows.iter().all(|row| row["record"] == "full" && row["fits"] == true));
    assert!(rows.iter().all(|row| row["parts"]["tools"].as_u64() > Some(0)));
    let newest = rows[0]["compilation_id"].as_str().unwrap();
    let record = get(&format!("/compilations/{newest}?explain=full")).await;
    let actions: Vec<_> = record["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|decision| decision["action"].as_str().unwrap())
        .collect();
    for action in ["kept", "compressed", "summarized"] {
        assert!(actions.contains(&action), "{actions:?}");
    }
    demo.kill().expect("it runs");
    demo.wait().expect("it ends");
}
