//! `POST /tokens`.

use serde_json::{Value, json};

use crate::support::TestServer;

#[tokio::test]
async fn a_count_names_its_tokenizer() {
    let server = TestServer::spawn().await;
    let response = server.post("/tokens", &json!({"text": "Hello world", "model": "gpt-4o"})).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    let body: Value = response.json().await.unwrap();
    assert!(body["tokens"].is_u64());
    assert_eq!(body["tokenizer"], "o200k_base");
    assert_eq!(body["exact"], true);
}
