//! Scenarios T22 and T23: media in every provider's form.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::compile::Compiled;

const PNG: &str = "iVBORw0KGgo=";
const PDF: &str = "JVBERi0xLjQK";

async fn attached(server: &TestServer, target: &str, attachment: Value) -> Compiled {
    let message = json!({"role": "user", "content": "see", "attachments": [attachment]});
    server.compile(&json!({"messages": [message], "target": target})).await
}

/// The second part of the only message.
fn part(compiled: &Compiled) -> &Value {
    let message = &compiled.list()[0];
    let parts = ["content", "parts"].iter().find_map(|key| message.get(*key)).expect("parts");
    &parts[1]
}

#[tokio::test]
async fn attachments_take_each_provider_s_form() {
    let server = TestServer::spawn().await;
    let uri = format!("data:image/png;base64,{PNG}");
    let image = json!({"mediaType": "image/png", "data": uri});
    let pdf = json!({"mediaType": "application/pdf", "data": PDF, "filename": "r.pdf"});
    let openai = attached(&server, "openai", image.clone()).await;
    assert_eq!(*part(&openai), json!({"type": "image_url", "image_url": {"url": uri}}));
    let openai = attached(&server, "openai", pdf.clone()).await;
    let file = &part(&openai)["file"];
    assert_eq!(file["filename"], "r.pdf");
    assert_eq!(file["file_data"], format!("data:application/pdf;base64,{PDF}"));
    let anthropic = attached(&server, "anthropic", image.clone()).await;
    assert_eq!(
        *part(&anthropic),
        json!({"type": "image",
               "source": {"type": "base64", "media_type": "image/png", "data": PNG}})
    );
    let anthropic = attached(&server, "anthropic", pdf).await;
    assert_eq!(part(&anthropic)["type"], "document");
    assert_eq!(part(&anthropic)["source"]["media_type"], "application/pdf");
    let gemini = attached(&server, "gemini", image).await;
    assert_eq!(*part(&gemini), json!({"inlineData": {"mimeType": "image/png", "data": PNG}}));
    for url in ["https://a.example/b.png", "gs://bucket/b.png"] {
        let attachment = json!({"mediaType": "image/png", "data": url});
        let gemini = attached(&server, "gemini", attachment).await;
        assert_eq!(*part(&gemini), json!({"fileData": {"mimeType": "image/png", "fileUri": url}}));
    }
}

#[tokio::test]
async fn media_are_normalised_between_providers() {
    let server = TestServer::spawn().await;
    let uri = format!("data:image/png;base64,{PNG}");
    let message = json!({"role": "user", "content": [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": uri}},
    ]});
    let body = json!({"messages": [message], "target": "anthropic", "source": "openai"});
    let compiled = server.compile(&body).await;
    assert_eq!(
        part(&compiled)["source"],
        json!({"type": "base64", "media_type": "image/png", "data": PNG})
    );
    let raw = attached(&server, "openai", json!({"mediaType": "image/png", "data": PNG})).await;
    assert_eq!(part(&raw)["image_url"]["url"], uri.as_str());
}
