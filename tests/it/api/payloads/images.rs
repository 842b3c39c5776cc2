//! Images that are too large or too many.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::valid;
use crate::support::compile::{Compiled, compile};

/// The first and the last chunk of a PNG of this size, in pixels.
fn png(width: u32, height: u32) -> Value {
    image(&[png_head(width, height), b"IEND\xae\x42\x60\x82".to_vec()].concat())
}

fn png_head(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 6, 0, 0, 0, 0, 0, 0]);
    bytes
}

fn image(bytes: &[u8]) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png",
        "data": STANDARD.encode(bytes)}})
}

fn shown(images: &[Value]) -> Value {
    json!({"source": "anthropic", "messages": [{"role": "user", "content": images}]})
}

#[tokio::test]
async fn an_image_with_too_long_a_side_is_a_line_for_anthropic() {
    let images = [png(100, 9_000), png(8_000, 8_000)];
    let compiled = valid("anthropic", shown(&images)).await;
    let content = &compiled.list()[0]["content"];
    assert_eq!(content[0], json!({"type": "text", "text": "[image] 100 × 9000 pixels"}));
    assert_eq!(content[1]["type"], "image");
    assert_eq!(compiled.codes("degraded"), ["media_as_text"]);
    assert_eq!(compiled.report["degraded"][0]["detail"], "[image] 100 × 9000 pixels");
    // In a result it is the same.
    let call = json!({"type": "tool_use", "id": "t", "name": "shot", "input": {}});
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": [png(100, 9_000)]});
    let messages = json!([{"role": "user", "content": "q"},
        {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]);
    let compiled = valid("anthropic", json!({"messages": messages})).await;
    let result = &compiled.list()[2]["content"][0];
    assert_eq!(result["content"], "[image] 100 × 9000 pixels");
    // Others take it.
    for target in ["openai", "openai_responses", "gemini"] {
        let compiled = valid(target, shown(&images)).await;
        assert!(compiled.codes("degraded").is_empty(), "{target}");
    }
}

async fn warnings(model: &str, images: &[Value]) -> Compiled {
    let mut request = shown(images);
    request["target"] = json!("anthropic");
    request["model"] = json!(model);
    request["budget"] = json!({"context_window": 10_000_000});
    compile(&request).await
}

#[tokio::test]
async fn many_images_are_a_warning() {
    let small = |count: usize| vec![png(100, 100); count];
    let old = "claude-sonnet-4-5";
    assert!(warnings(old, &small(100)).await.codes("warnings").is_empty());
    let compiled = warnings(old, &small(101)).await;
    assert_eq!(compiled.codes("warnings"), ["too_many_images"]);
    assert_eq!(compiled.report["warnings"][0]["detail"], "101 images; the target takes 100");
    assert_eq!(compiled.report["warnings"][0]["pointer"], "/messages");
    assert!(warnings("claude-opus-4-6", &small(600)).await.codes("warnings").is_empty());
    let compiled = warnings("claude-opus-4-6", &small(601)).await;
    assert_eq!(compiled.codes("warnings"), ["too_many_images"]);
}

#[tokio::test]
async fn a_large_image_among_many_is_a_warning() {
    let model = "claude-sonnet-4-5";
    let mut images = vec![png(2_000, 2_000); 20];
    images[7] = png(2_001, 10);
    assert!(warnings(model, &images).await.codes("warnings").is_empty());
    images.push(png(10, 10));
    let compiled = warnings(model, &images).await;
    assert_eq!(compiled.codes("warnings"), ["images_large"]);
    assert_eq!(compiled.report["warnings"][0]["pointer"], "/messages/0");
    let detail = compiled.report["warnings"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("1 of 21 images have a side"), "{detail}");
    images[7] = png(2_000, 10);
    assert!(warnings(model, &images).await.codes("warnings").is_empty());
}

#[tokio::test]
async fn an_image_without_its_end_is_a_warning() {
    let end = b"IEND\xae\x42\x60\x82";
    for target in ["openai", "openai_responses", "anthropic", "gemini"] {
        // Wherever the last chunk begins in a group of three bytes, and with bytes after it.
        for padding in 0..3 {
            let mut bytes = [&png_head(10, 10)[..], &vec![7; padding], end].concat();
            let whole = valid(target, shown(&[image(&bytes)])).await;
            assert!(whole.codes("warnings").is_empty(), "{target} {padding}");
            bytes.extend([1; 100]);
            let longer = valid(target, shown(&[image(&bytes)])).await;
            assert!(longer.codes("warnings").is_empty(), "{target} {padding}");
            bytes.truncate(bytes.len() - 103);
            let cut = valid(target, shown(&[image(&bytes)])).await;
            assert_eq!(cut.codes("warnings"), ["media_incomplete"], "{target} {padding}");
            assert_eq!(cut.report["warnings"][0]["pointer"], "/messages/0");
        }
    }
}

#[tokio::test]
async fn an_image_of_too_many_bytes_is_a_warning() {
    let end = b"IEND\xae\x42\x60\x82";
    let of = |length: usize| {
        let padding = vec![0; length / 4 * 3 - png_head(1, 1).len() - end.len()];
        image(&[&png_head(10, 10)[..], &padding, end].concat())
    };
    let model = "claude-opus-4-6";
    assert!(warnings(model, &[of(5_242_880)]).await.codes("warnings").is_empty());
    let compiled = warnings(model, &[of(5_242_884)]).await;
    assert_eq!(compiled.codes("warnings"), ["image_too_large"]);
    let detail = &compiled.report["warnings"][0]["detail"];
    assert_eq!(detail, "an image of 5242884 bytes of base64; the target takes 5242880");
}

#[tokio::test]
async fn a_document_of_too_many_pages_is_a_warning() {
    let pdf = |pages: usize| {
        let text = format!("%PDF-1.4\n{}%%EOF", "<</Type/Page/Parent 1 0 R>>\n".repeat(pages));
        json!({"type": "document", "source": {"type": "base64", "media_type": "application/pdf",
            "data": STANDARD.encode(text)}})
    };
    for (model, most) in [("claude-sonnet-4-5", 100), ("claude-opus-4-6", 600)] {
        assert!(warnings(model, &[pdf(most)]).await.codes("warnings").is_empty(), "{model}");
        let compiled = warnings(model, &[pdf(most + 1)]).await;
        assert_eq!(compiled.codes("warnings"), ["too_many_pages"], "{model}");
    }
}
