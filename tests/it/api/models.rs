//! `GET /models`, and the file that adds to it.

use serde_json::{Value, json};

use crate::support::TestServer;

#[tokio::test]
async fn the_table_has_window_answer_and_tokenizer() {
    let server = TestServer::spawn().await;
    let body = server.get_json("/models").await;
    let items = body["items"].as_array().unwrap();
    assert!(items.len() > 1);
    for row in items {
        assert!(row["name"].is_string() && row["tokenizer"].is_string(), "{row}");
        assert!(row["context_window"].as_u64().unwrap() >= row["max_output"].as_u64().unwrap());
        assert!(row["factor"].as_f64().unwrap() >= 1.0, "{row}");
    }
    assert_eq!(body["next_cursor"], Value::Null);
}

#[tokio::test]
async fn a_models_file_adds_and_replaces_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.json");
    let rows = json!([
        {"name": "house-model", "context_window": 9000, "max_output": 500},
        {"name": "gpt-4o", "family": "openai", "context_window": 7, "max_output": 3},
    ]);
    std::fs::write(&path, rows.to_string()).unwrap();
    let server = TestServer::with(&["--models-file", path.to_str().unwrap()]).await;
    let body = server.get_json("/models").await;
    let find = |name: &str| {
        let items = body["items"].as_array().unwrap();
        items.iter().filter(|row| row["name"] == name).cloned().collect::<Vec<_>>()
    };
    assert_eq!(find("house-model")[0]["factor"], 1.1);
    assert_eq!(find("gpt-4o").len(), 1);
    assert_eq!(find("gpt-4o")[0]["context_window"], 7);
}
