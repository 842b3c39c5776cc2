//! Hooks of servers that share a database.

use serde_json::{Value, json};

use super::MASTER;
use crate::support::receiver::{Mode, Receiver, hook};
use crate::support::wait::until;
use crate::support::{Folder, TestServer, database};

/// The outcomes of the hooks that a compile asked.
async fn outcomes(server: &TestServer) -> Vec<String> {
    let body = json!({"messages": [{"role": "user", "content": "hi"}]});
    let compiled = server.post("/compile", &body).await;
    assert_eq!(compiled.status(), 200);
    let compiled: Value = compiled.json().await.unwrap();
    let runs = compiled["report"]["hooks"].as_array().cloned().unwrap_or_default();
    runs.iter().map(|run| run["outcome"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_change_of_a_hook_counts_at_once_here_and_soon_at_another_node() {
    let Some(url) = database::postgres() else { return };
    let folder = Folder::new();
    let keys = folder.write("keys", MASTER);
    let flags = ["--dev", "--database-url", &url, "--master-key-file", &keys];
    let (here, other) = (TestServer::with(&flags).await, TestServer::with(&flags).await);
    for server in [&here, &other] {
        assert!(outcomes(server).await.is_empty());
    }
    let receiver = Receiver::spawn(Mode::Answer(r#"{"decision":"allow"}"#.to_owned())).await;
    here.register(&hook("g", ("transform_context", "guard"), &receiver, &json!({}))).await;
    assert_eq!(outcomes(&here).await, ["allowed"]);
    until(async || (outcomes(&other).await == ["allowed"]).then_some(())).await;
    // Both know it now; the other node takes it away.
    let gone = other.build("DELETE", "/hooks/g").send().await.unwrap();
    assert_eq!(gone.status(), 204);
    assert!(outcomes(&other).await.is_empty());
    until(async || outcomes(&here).await.is_empty().then_some(())).await;
}
