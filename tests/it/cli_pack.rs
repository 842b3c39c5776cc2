//! `contexture pack`: the built program on files.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::support::{Folder, ServerProcess, TestServer};

fn run(arguments: &[&str]) -> Output {
    ServerProcess::command().args(arguments).output().expect("the program runs")
}

#[tokio::test]
async fn init_writes_a_pack_that_is_published_and_compiled_under() {
    let folder = Folder::new();
    let file = folder.file("first.json");
    let output = run(&["pack", "init", &file]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(&format!("contexture pack lint {file}")), "{said}");
    let lint = run(&["pack", "lint", &file]);
    assert!(lint.status.success(), "{}", String::from_utf8_lossy(&lint.stdout));
    assert_eq!(String::from_utf8_lossy(&lint.stdout), format!("{file} is ready to be published\n"));
    let text = fs::read_to_string(&file).expect("the file");
    let pack: Value = serde_json::from_str(&text).expect("JSON");

    let server = TestServer::spawn().await;
    let published = server.post_json("/packs", 201, &pack).await;
    assert_eq!(
        (&published["pack_ref"], &published["warnings"]),
        (&json!("pack.example@0.1.0"), &json!([]))
    );
    let request = json!({"pack": "pack.example@0.1.0",
        "run_context": {"tenant_id": "default", "user_id": "u", "safety_mode": "read_only"},
        "request": {"input": {"intent": "default", "message": "Hello"}}});
    let done = server.post_ok("/compile", &request).await;
    assert_eq!(done["payload"]["messages"][0], json!({"role": "user", "content": "Hello"}));
}

#[test]
fn init_overwrites_nothing() {
    let folder = Folder::new();
    let file = folder.write("pack.json", "mine");
    let output = run(&["pack", "init", &file]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains(&file));
    assert_eq!(fs::read_to_string(&file).expect("the file"), "mine");
}

#[test]
fn init_prints_the_pack_where_it_is_asked_to() {
    let folder = Folder::new();
    let file = folder.file("pack.json");
    assert!(run(&["pack", "init", &file]).status.success());
    let printed = run(&["pack", "init", "-"]);
    assert!(printed.status.success());
    assert_eq!(printed.stdout, fs::read(&file).expect("the file"));
}
